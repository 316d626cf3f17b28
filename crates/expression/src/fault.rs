//! Faults in an expression, with their positions.

use alloc::string::String;
use core::fmt;

/// A position in the text of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Its line, from 1.
    pub line: u32,
    /// Its character in that line, from 1.
    pub column: u32,
    /// Bytes before it.
    pub offset: u32,
}

impl Position {
    /// The position of the byte at `offset`.
    pub(crate) fn of(source: &str, offset: usize) -> Self {
        let before = source.get(..offset).unwrap_or(source);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line, column: before[start..].chars().count() as u32 + 1, offset: before.len() as u32 }
    }
}

/// The first fault in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it begins.
    pub at: Position,
    /// What was expected.
    pub expected: String,
    /// What the expression has there.
    pub got: String,
    /// What to do; empty if that is obvious.
    pub advice: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at: Position { line, column, .. }, expected, got, advice } = self;
        write!(f, "line {line}, column {column}: expected {expected}, got {got}")?;
        if advice.is_empty() { Ok(()) } else { write!(f, "; {advice}") }
    }
}

impl core::error::Error for Fault {}

/// A fault whose position is still a byte offset.
pub(crate) struct Wrong {
    pub(crate) offset: usize,
    pub(crate) expected: String,
    pub(crate) got: String,
    pub(crate) advice: String,
}

impl Wrong {
    pub(crate) fn new(offset: usize, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self { offset, expected: expected.into(), got: got.into(), advice: String::new() }
    }

    pub(crate) fn advise(self, advice: impl Into<String>) -> Self {
        Self { advice: advice.into(), ..self }
    }

    pub(crate) fn within(self, source: &str) -> Fault {
        let Self { offset, expected, got, advice } = self;
        Fault { at: Position::of(source, offset), expected, got, advice }
    }
}
