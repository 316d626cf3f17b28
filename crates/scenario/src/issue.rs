//! What was wrong with a field, and what was used instead.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde_json::Value;
use tiebreak_model::{Param, ParamKind};

/// One field that could not be used as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Where: `variants[0].rules[3].buckets`.
    pub path: String,
    /// What is allowed there.
    pub expected: String,
    /// What was there.
    pub got: String,
    /// What was done about it.
    pub done: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, expected, got, done } = self;
        write!(f, "{path}: expected {expected}, got {got}; {done}")
    }
}

impl std::error::Error for Issue {}

/// The maximum number of reported issues; more are only counted, so that a hostile text cannot fill the page.
pub(crate) const ISSUES_MAX: usize = 100;

/// Collects the issues of one text.
#[derive(Default)]
pub(crate) struct Issues {
    list: RefCell<Vec<Issue>>,
    beyond: Cell<usize>,
}

impl Issues {
    pub(crate) fn push(&self, issue: Issue) {
        if self.list.borrow().len() < ISSUES_MAX {
            self.list.borrow_mut().push(issue);
        } else {
            self.beyond.set(self.beyond.get() + 1);
        }
    }

    pub(crate) fn into_list(self) -> Vec<Issue> {
        let mut list = self.list.into_inner();
        let beyond = self.beyond.get();
        if beyond > 0 {
            list.push(Issue {
                path: "document".into(),
                expected: format!("at most {ISSUES_MAX} issues"),
                got: format!("{beyond} more"),
                done: "not listed".into(),
            });
        }
        list
    }
}

/// The allowed values of a parameter, in words.
pub(crate) fn range(param: &Param) -> String {
    let Param { min, max, unit, .. } = param;
    let space = if unit.is_empty() { "" } else { " " };
    match param.kind {
        ParamKind::Integer => format!("a whole number from {min} to {max}{space}{unit}"),
        ParamKind::Number => format!("a number from {min} to {max}{space}{unit}"),
        ParamKind::Flag => "true or false".into(),
        ParamKind::Choice(words) => one_of(words),
    }
}

/// A parameter's value, in words.
pub(crate) fn shown_number(param: &Param, value: f64) -> String {
    param.word(value).map_or_else(|| value.to_string(), Into::into)
}

/// A JSON value in short form.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".into(),
        other => other.to_string(),
    }
}

/// Text in quotes, truncated if long.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut start: String = text.chars().take(LONGEST).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    format!("{start:?}")
}

/// `a, b or c`.
pub(crate) fn one_of(names: &[&str]) -> String {
    match names {
        [] => "no field".into(),
        [one] => (*one).into(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}
