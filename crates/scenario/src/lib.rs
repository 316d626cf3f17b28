//! The document: a whole scenario as text, in a file or in a link.
//!
//! Reading is lenient: everything readable is used, the rest gets default values, and every difference is an
//! [`Issue`] with the path of its field. The result is checked, so that a plan made from it can fail only because of
//! its policy. The name, range, default and unit of every number come from its declaration; this crate only adds the
//! structure around them.
//!
//! Start with [`document`] for the contents, [`read`] and [`mod@write`] for the text form, [`link`] for the part of
//! an address after `#`, [`presets`] for named scenarios.

mod cost;
mod cursor;
pub mod custom;
pub mod document;
pub mod effect;
pub mod fork;
pub mod gallery;
pub mod groups;
pub mod incident;
pub mod issue;
pub mod lifetime_rules;
pub mod link;
pub mod lists;
mod loads;
pub mod predictor;
pub mod presets;
pub mod read;
mod salvage;
pub mod schema;
pub mod search;
mod set;
pub mod sweep;
pub mod version;
pub mod write;

pub use cost::Cost;
pub use document::{ClusterRow, ClusterSettings, Document, RuleRow, TraceSettings, Variant, WorkloadRef};
pub use fork::Fork;
pub use gallery::GALLERY;
pub use groups::GROUPS;
pub use incident::IncidentRow;
pub use issue::Issue;
pub use link::{LinkError, Opened, decode, encode, encode_preset};
pub use presets::{PRESETS, Preset};
pub use read::{Read, ReadError};
pub use schema::schema;
pub use sweep::{
    SWEEP_MEASURES, Sweep, SweepError, SweepParameter, SweepPlan, SweepRow, SweepRun, SweepScenario, SweepSeeds,
    SweepSubject, SweepTable,
};
pub use version::CURRENT_VERSION;
pub use write::Stamp;
