//! The result of a command.

use std::fmt::Display;
use std::io::Write;

use serde::Serialize;

pub use tiebreak_study::Failure;

use crate::given::Given;
use crate::progress::STOPPED;

/// The exit code of a run that is undecided.
const UNDECIDED: u8 = 3;

/// The result of a command.
pub struct Answer {
    /// Text for standard output.
    pub text: String,
    /// Whether the run found the problem it looks for.
    pub found_problem: bool,
    /// Whether a question is undecided.
    pub undecided: bool,
    /// Whether the user stopped the work, so that the result is partial.
    pub stopped: bool,
}

impl Answer {
    /// Text for a person.
    pub fn text(text: String) -> Self {
        Self { text, found_problem: false, undecided: false, stopped: false }
    }

    /// One JSON value with `--json`, otherwise the text.
    pub fn either(given: &Given, value: &impl Serialize, text: impl FnOnce() -> String) -> Self {
        Self::text(if given.has("json") { json(value) } else { text() })
    }

    /// Sets exit code 1 if the problem was found.
    pub fn problem(self, found_problem: bool) -> Self {
        Self { found_problem, ..self }
    }

    /// Sets exit code 3 if something is undecided and no problem was found.
    pub fn undecided(self, undecided: bool) -> Self {
        Self { undecided, ..self }
    }

    /// Marks the result as partial if the user stopped the work.
    pub fn stopped(self, stopped: bool) -> Self {
        Self { stopped, ..self }
    }

    /// The program's exit code.
    pub fn exit(&self) -> u8 {
        match self {
            Self { stopped: true, .. } => STOPPED,
            Self { found_problem: true, .. } => 1,
            Self { undecided: true, .. } => UNDECIDED,
            _ => 0,
        }
    }
}

/// A value as indented JSON with a final newline.
pub fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a tree of text and numbers");
    text.push('\n');
    text
}

/// Writes a line to standard error, next to the answer.
pub fn note(line: &impl Display) {
    // If standard error is closed, there is nowhere to report this.
    let _ = writeln!(std::io::stderr(), "tiebreak: {line}");
}
