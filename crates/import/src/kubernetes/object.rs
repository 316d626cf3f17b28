//! A node or a pod as it appears in a file.

use chrono::DateTime;
use serde_json::Value;

use super::quantity::Quantity;
use crate::error::ImportError;
use crate::leftover::shown;

/// A node or a pod, and its position in the file.
#[derive(Clone, Copy)]
pub(super) struct Object<'a> {
    pub(super) file: &'a str,
    pub(super) path: &'a str,
    pub(super) value: &'a Value,
}

const QUANTITY: &str = "a quantity such as 3920m, 16Gi or 15Ki";

impl<'a> Object<'a> {
    /// The value at a path below it; null if it is missing.
    pub(super) fn at(&self, path: &str) -> &'a Value {
        path.split('.').fold(self.value, |value, name| &value[name])
    }

    /// The text at a path below it; empty if it is missing.
    pub(super) fn text(&self, path: &str) -> &'a str {
        self.at(path).as_str().unwrap_or_default()
    }

    /// Its name, with its namespace if it has one.
    pub(super) fn full_name(&self) -> Result<String, ImportError> {
        match (self.text("metadata.namespace"), self.text("metadata.name")) {
            (_, "") => Err(self.wrong("metadata.name", "a name", self.at("metadata.name"))),
            ("", name) => Ok(name.to_owned()),
            (namespace, name) => Ok(format!("{namespace}/{name}")),
        }
    }

    /// The error for a field with a wrong value.
    pub(super) fn wrong(&self, path: &str, expected: &str, got: &Value) -> ImportError {
        let dot = if self.path.is_empty() { "" } else { "." };
        let got = if got.is_null() { "nothing".into() } else { format!("\"{}\"", shown(got)) };
        ImportError::field(self.file, &format!("{}{dot}{path}", self.path), expected, got, "correct the field")
    }

    /// The quantity at a path below it, in the unit of `count`; `None` if it is missing.
    pub(super) fn quantity(
        &self,
        value: &Value,
        path: &str,
        count: impl Fn(Quantity) -> Option<u64>,
    ) -> Result<Option<u64>, ImportError> {
        let text = match value {
            Value::Null => return Ok(None),
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            other => return Err(self.wrong(path, QUANTITY, other)),
        };
        let counted = Quantity::read(&text).and_then(count);
        counted.map(Some).ok_or_else(|| self.wrong(path, QUANTITY, value))
    }

    /// The time at a path below it, in milliseconds since 1970; `None` if it is missing.
    pub(super) fn moment(&self, path: &str) -> Result<Option<i64>, ImportError> {
        let value = self.at(path);
        if value.is_null() {
            return Ok(None);
        }
        let read = value.as_str().and_then(|text| DateTime::parse_from_rfc3339(text).ok());
        let wrong = || self.wrong(path, "a moment such as 2026-03-01T10:00:00Z", value);
        read.map(|moment| Some(moment.timestamp_millis())).ok_or_else(wrong)
    }
}
