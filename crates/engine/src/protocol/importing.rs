//! The import of a cluster or a scheduler's configuration: its result, and fields without a counterpart.

use serde::{Deserialize, Serialize};

/// The result of importing a file of a cluster or a scheduler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The file.
    pub file: String,
    /// The document whose active variant has the machines and rules of the file, as JSON.
    pub document: String,
    /// The fingerprint of its VMs, which are loaded; `None` if it has none.
    pub fingerprint: Option<String>,
    /// What was imported, one sentence each. Like all messages about files, it is in English.
    pub told: Vec<String>,
    /// Fields without a counterpart.
    pub without_twin: Vec<WithoutTwin>,
    /// Fields that do not affect where VMs are placed.
    pub aside: Vec<String>,
}

/// A field without a counterpart among rules and machines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithoutTwin {
    /// The field; `[]` means any item of a list.
    pub path: String,
    /// How often it occurs.
    pub count: u64,
    /// Its value; the first if there are several.
    pub value: String,
    /// Why it has no effect here.
    pub why: String,
}
