//! The application without a browser.
//!
//! Two halves that talk in [`protocol`] messages: the [`engine`] (in the page it lives
//! in a worker) loads traces, runs scenarios in slices and explains decisions; the
//! [`app`] holds what the person sees and turns each message into a new state and
//! effects. Neither knows Yew, workers or storage, so both are tested natively.

pub mod app;
pub mod engine;
pub mod protocol;
pub mod said;
pub mod view;

pub use app::{App, Effect, Message};
pub use engine::{Engine, FirstRun};
pub use protocol::{Command, Reply};
