//! Errors in imported files.

use std::fmt::{self, Display};

/// Why a file cannot be imported: where, what was expected, what came, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The file.
    pub file: String,
    /// The field, such as `items[3].status.allocatable.cpu`; empty for the whole file.
    pub path: String,
    /// What was expected.
    pub expected: String,
    /// What the file contains.
    pub got: String,
    /// What to do.
    pub advice: String,
}

impl ImportError {
    /// An error about a whole file.
    pub(crate) fn whole(file: &str, expected: impl Display, got: impl Display, advice: &str) -> Self {
        Self::field(file, "", expected, got, advice)
    }

    /// An error about one field of a file.
    pub(crate) fn field(file: &str, path: &str, expected: impl Display, got: impl Display, advice: &str) -> Self {
        // The file's text may contain control characters for the terminal.
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
