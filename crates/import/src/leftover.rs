//! Fields without a twin: listed one by one, never dropped silently.

use serde::Serialize;
use serde_json::Value;

use crate::limits::{LEFTOVERS_MAX, SHOWN_MAX};

/// A field that no rule or machine of ours corresponds to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Leftover {
    /// The file.
    pub file: String,
    /// The field; `[]` is any list item.
    pub path: String,
    /// How often it occurs.
    pub count: u64,
    /// Its value, clipped; the first one if there are several.
    pub value: String,
    /// Why it has no effect here.
    pub why: String,
}

/// Adds a field, or increments its count.
pub(crate) fn push(leftovers: &mut Vec<Leftover>, file: &str, path: &str, value: &Value, why: &str) {
    push_shown(leftovers, file, path, &shown(value), why);
}

/// The same for a value that is already text.
pub(crate) fn push_shown(leftovers: &mut Vec<Leftover>, file: &str, path: &str, value: &str, why: &str) {
    let same = |it: &&mut Leftover| it.path == path && it.why == why && it.file == file;
    if let Some(known) = leftovers.iter_mut().find(same) {
        known.count += 1;
    } else if leftovers.len() < LEFTOVERS_MAX {
        let (file, path, value, why) = (file.into(), path.into(), clipped(value), why.into());
        leftovers.push(Leftover { file, path, count: 1, value, why });
    } else if let Some(last) = leftovers.last_mut() {
        // The last entry counts all further fields.
        let (path, why) = ("further fields".to_owned(), format!("only {LEFTOVERS_MAX} fields are listed"));
        *last = Leftover { path, value: String::new(), why, count: last.count + 1, file: file.into() };
    }
}

/// Sorts by file and field.
pub(crate) fn sort(leftovers: &mut [Leftover]) {
    leftovers.sort_by(|one, other| (&one.file, &one.path, &one.why).cmp(&(&other.file, &other.path, &other.why)));
}

/// A value on one line.
pub(crate) fn shown(value: &Value) -> String {
    clipped(&match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

/// The beginning of a text, on one line and without terminal control characters.
pub(crate) fn clipped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace(char::is_control, "\u{fffd}");
    match line.char_indices().nth(SHOWN_MAX) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}
