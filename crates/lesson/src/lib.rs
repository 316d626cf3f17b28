//! Lessons: a few steps, each with text, a scenario, a question that can be answered wrongly, and claims that a test
//! checks against real runs.
//!
//! A lesson is a Markdown file that a teacher can write from an example (docs/LESSONS.md). Headings, paragraphs and
//! lists are for readers; fenced blocks hold the rest, one `key: value` per line. Reading is strict: a lesson with
//! any issue is not shown, and each [`Issue`] has its line.
//!
//! Start with [`lesson`] for the data, [`read`] and [`mod@write`] for its text form, [`claim`] and [`measure`] for
//! claims about runs, and [`list`] for the built-in lessons.

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
