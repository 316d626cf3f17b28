//! The lines of a fenced block: `key: value`.

use crate::issue::{Issues, quoted};

/// The most lines in a block.
const LINES_MAX: usize = 200;

/// The most characters in a value; this does not apply to a scenario link.
const VALUE_MAX: usize = 1_000;

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) line: u32,
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
}

/// The entries of a block that starts after `line`.
pub(crate) fn entries<'a>(text: &'a str, line: u32, issues: &Issues) -> Vec<Entry<'a>> {
    let mut entries = Vec::new();
    for (number, content) in (line + 1..).zip(text.lines()) {
        if entries.len() == LINES_MAX {
            issues.add(number, format!("at most {LINES_MAX} lines in a block"), "more", "remove some");
            break;
        }
        if !content.trim().is_empty() {
            entries.extend(entry(content, number, issues));
        }
    }
    entries
}

fn entry<'a>(content: &'a str, line: u32, issues: &Issues) -> Option<Entry<'a>> {
    let Some((key, value)) = content.split_once(':') else {
        issues.add(line, "a line `key: value`", quoted(content.trim()), "write what it is, a colon, and its value");
        return None;
    };
    let (key, value) = (key.trim(), value.trim());
    if value.is_empty() {
        issues.add(line, format!("a value after {}:", quoted(key)), "nothing", "write it, or remove the line");
        return None;
    }
    if value.chars().count() > VALUE_MAX {
        issues.add(line, format!("at most {VALUE_MAX} characters"), "more", "shorten it");
        return None;
    }
    Some(Entry { line, key, value })
}
