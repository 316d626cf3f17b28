//! Lessons: a few steps, each with text, a scenario, a question that can be answered wrong, and claims
//! that a test holds against real runs.
//!
//! A lesson is a Markdown file that a teacher can write from an example (docs/LESSONS.md). Headings,
//! paragraphs and lists are what a person reads; fenced blocks carry the rest, one `key: value` a line.
//! Reading is strict: a lesson has no issue, or it is not shown, and each [`Issue`] has its line.
//!
//! Start with [`lesson`] for what there is, [`read`] and [`mod@write`] for its text form, [`claim`] and
//! [`measure`] for what is said of runs, [`list`] for the lessons that come with the page.

pub mod claim;
mod entries;
pub mod issue;
pub mod lesson;
pub mod list;
pub mod measure;
mod pieces;
pub mod question;
pub mod read;
pub mod scene;
pub mod text;
pub mod unlocks;
pub mod write;

pub use claim::{Claim, Scope, Sum, Test};
pub use issue::Issue;
pub use lesson::{Lesson, Shown, Step};
pub use list::{LESSONS, Listed};
pub use measure::{Measure, Run};
pub use pieces::TEXT_MAX;
pub use question::{Choice, Question, Scale};
pub use scene::{Change, Scene, Start};
pub use text::{Block, Span};
pub use unlocks::{Control, Unlocks};
