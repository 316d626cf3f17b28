//! What is wrong with a file.

use std::fmt::{self, Display};

/// Why a file cannot be imported: where, what was expected, what came, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The file.
    pub file: String,
    /// The field, `items[3].status.allocatable.cpu`; empty where it is the file as a whole.
    pub path: String,
    /// What could stand there.
    pub expected: String,
    /// What stood there.
    pub got: String,
    /// What to do.
    pub advice: String,
}

impl ImportError {
    /// A file as a whole.
    pub(crate) fn whole(file: &str, expected: impl Display, got: impl Display, advice: &str) -> Self {
        Self::field(file, "", expected, got, advice)
    }

    /// One field of a file.
    pub(crate) fn field(file: &str, path: &str, expected: impl Display, got: impl Display, advice: &str) -> Self {
        // What came may steer a terminal.
        let (expected, got) = (expected.to_string(), got.to_string().replace(char::is_control, "\u{fffd}"));
        Self { file: file.into(), path: path.into(), expected, got, advice: advice.into() }
    }
}

impl Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, path, expected, got, advice } = self;
        let colon = if path.is_empty() { "" } else { ": " };
        write!(f, "{file}: {path}{colon}expected {expected}, got {got}; {advice}")
    }
}

impl std::error::Error for ImportError {}
