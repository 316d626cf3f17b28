//! What a command gives back.

use std::fmt::Display;
use std::io::Write;

use serde::Serialize;

use crate::given::Given;
use crate::progress::STOPPED;

/// The exit code of a run that decided nothing either way.
const UNDECIDED: u8 = 3;

/// What came of a command.
pub struct Answer {
    /// What goes to standard output.
    pub text: String,
    /// Whether the run found the problem it looks for.
    pub found_problem: bool,
    /// Whether something it looks for is undecided.
    pub undecided: bool,
    /// Whether somebody stopped the work, so that this is of a part.
    pub stopped: bool,
}

/// Bad input, in one sentence: what was expected, what came, what to do.
#[derive(Debug)]
pub struct Failure(pub String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl Answer {
    /// Text for a person.
    pub fn text(text: String) -> Self {
        Self { text, found_problem: false, undecided: false, stopped: false }
    }

    /// One JSON value when `--json` was given, else the text.
    pub fn either(given: &Given, value: &impl Serialize, text: impl FnOnce() -> String) -> Self {
        Self::text(if given.has("json") { json(value) } else { text() })
    }

    /// The same, with exit code 1 when the problem is there.
    pub fn problem(self, found_problem: bool) -> Self {
        Self { found_problem, ..self }
    }

    /// The same, with exit code 3 when something is undecided and no problem is there.
    pub fn undecided(self, undecided: bool) -> Self {
        Self { undecided, ..self }
    }

    /// The same of work that somebody stopped.
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

/// A value as indented JSON and a line end.
pub fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a tree of text and numbers");
    text.push('\n');
    text
}

/// A line on standard error, beside the answer.
pub fn note(line: &impl Display) {
    // With standard error closed there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "tiebreak: {line}");
}
