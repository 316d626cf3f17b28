//! A cluster, or a scheduler's configuration, that a person opens: what is made of it, and what has no twin.

use serde::{Deserialize, Serialize};

/// What a file of a cluster or a scheduler became.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The file.
    pub file: String,
    /// The document whose active variant has the machines and rules of the file, as JSON.
    pub document: String,
    /// The fingerprint of its VMs, which are loaded; none where it has none.
    pub fingerprint: Option<String>,
    /// What was made of it, a sentence each. As all that is said of files, it is English.
    pub told: Vec<String>,
    /// What has no twin.
    pub without_twin: Vec<WithoutTwin>,
    /// Fields that say nothing of where VMs go.
    pub aside: Vec<String>,
}

/// A field that no rule and no machine of ours stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithoutTwin {
    /// The field; `[]` is any of a list.
    pub path: String,
    /// How often it stands there.
    pub count: u64,
    /// Its value, the first where there are several.
    pub value: String,
    /// Why nothing follows from it here.
    pub why: String,
}
