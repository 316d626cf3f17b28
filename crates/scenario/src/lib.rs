//! The document: a whole scenario as text, in a file or in a link.
//!
//! Reading is lenient: whatever can be read is read, the rest has its default, and every
//! difference is an [`Issue`] with the path of its field. What comes out is checked, so
//! that a plan made of it fails at most for its policy. Every number's name, range,
//! default and unit comes from its declaration; this crate adds only the shape around them.
//!
//! Start with [`document`] for what there is, [`read`] and [`mod@write`] for its text form,
//! [`link`] for the part of an address behind `#`, [`presets`] for scenarios by name.

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
pub mod link;
pub mod lists;
mod loads;
pub mod predictor;
pub mod presets;
pub mod read;
mod salvage;
pub mod schema;
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
