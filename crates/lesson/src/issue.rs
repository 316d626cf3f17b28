//! Problems in the lines of a lesson.

use std::cell::{Cell, RefCell};
use std::fmt;

/// A problem in one line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Issue {
    /// The line number, from 1.
    pub line: u32,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub got: String,
    /// How to fix it.
    pub advice: String,
    /// The step and the block that contain the line; empty outside of steps.
    pub place: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, expected, got, advice, place } = self;
        write!(f, "line {line}: expected {expected}, got {got}; {advice}")?;
        if place.is_empty() { Ok(()) } else { write!(f, " ({place})") }
    }
}

impl std::error::Error for Issue {}

/// Issues beyond this many are only counted, so that a hostile text cannot fill the page.
pub const ISSUES_MAX: usize = 100;

/// Collects the issues of one text.
#[derive(Default)]
pub(crate) struct Issues {
    list: RefCell<Vec<Issue>>,
    beyond: Cell<usize>,
    place: RefCell<String>,
}

impl Issues {
    pub(crate) fn add(&self, line: u32, expected: impl Into<String>, got: impl Into<String>, advice: &str) {
        if self.list.borrow().len() >= ISSUES_MAX {
            self.beyond.set(self.beyond.get() + 1);
            return;
        }
        let place = self.place.borrow().clone();
        let issue = Issue { line, expected: expected.into(), got: got.into(), advice: advice.into(), place };
        self.list.borrow_mut().push(issue);
    }

    /// Everything added from here on belongs to this step or block.
    pub(crate) fn within(&self, place: String) {
        *self.place.borrow_mut() = place;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.borrow().is_empty()
    }

    /// All of them, sorted by line.
    pub(crate) fn into_list(self) -> Vec<Issue> {
        let mut list = self.list.into_inner();
        list.sort();
        let beyond = self.beyond.get();
        if beyond > 0 {
            list.push(Issue {
                line: list.last().map_or(1, |issue| issue.line),
                expected: format!("at most {ISSUES_MAX} issues"),
                got: format!("{beyond} more"),
                advice: "they are not listed; fix these first".into(),
                place: String::new(),
            });
        }
        list
    }
}

/// Text in quotes, shortened if it is long.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut start: String = text.chars().take(LONGEST).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    format!("{start:?}")
}

/// `a, b or c`.
pub(crate) fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.into_iter().collect();
    match names.as_slice() {
        [] => "nothing".into(),
        [one] => (*one).into(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}
