//! A cursor over JSON that never fails: each step reads what it can and reports an issue for what it cannot, with the
//! path of the field.

use serde_json::{Map, Value};
use tiebreak_model::{Declared, Param, ParamKind};

use crate::document::NAME_MAX;
use crate::issue::{Issue, Issues, one_of, quoted, range, shown, shown_number};

/// One value, its path, and the list of issues.
pub(crate) struct Cursor<'a> {
    pub(crate) value: &'a Value,
    path: String,
    issues: &'a Issues,
}

impl<'a> Cursor<'a> {
    pub(crate) fn top(value: &'a Value, issues: &'a Issues) -> Self {
        Self { value, path: String::new(), issues }
    }

    pub(crate) fn issue(&self, expected: impl Into<String>, done: impl Into<String>) {
        let path = if self.path.is_empty() { "document".into() } else { self.path.clone() };
        self.issues.push(Issue { path, expected: expected.into(), got: shown(self.value), done: done.into() });
    }

    /// An issue about something other than the whole value.
    pub(crate) fn issue_of(&self, expected: impl Into<String>, got: impl Into<String>, done: impl Into<String>) {
        let (expected, got, done) = (expected.into(), got.into(), done.into());
        self.issues.push(Issue { path: self.path.clone(), expected, got, done });
    }

    /// Reports an issue found elsewhere.
    pub(crate) fn pass_on(&self, issue: Issue) {
        self.issues.push(issue);
    }

    pub(crate) fn field(&self, name: &str) -> Option<Self> {
        let value = self.value.as_object()?.get(name)?;
        let path = if self.path.is_empty() { name.into() } else { format!("{}.{name}", self.path) };
        Some(Self { value, path, issues: self.issues })
    }

    /// Its fields; reports unknown ones.
    pub(crate) fn object(&self, known: &[&str]) -> Option<&'a Map<String, Value>> {
        let Some(fields) = self.value.as_object() else {
            self.issue("an object", "used defaults");
            return None;
        };
        for name in fields.keys().filter(|name| !known.contains(&name.as_str())) {
            let path = if self.path.is_empty() { "document" } else { &self.path };
            self.issues.push(Issue {
                path: path.into(),
                expected: one_of(known),
                got: format!("field {}", quoted(name)),
                done: "dropped it".into(),
            });
        }
        Some(fields)
    }

    /// The first `most` items of a list.
    pub(crate) fn items(&self, most: usize) -> Vec<Self> {
        let Some(items) = self.value.as_array() else {
            self.issue("a list", "used the default");
            return Vec::new();
        };
        if items.len() > most {
            self.issue(format!("at most {most}"), format!("used the first {most}"));
        }
        let item = |(index, value)| Self { value, path: format!("{}[{index}]", self.path), issues: self.issues };
        items.iter().take(most).enumerate().map(item).collect()
    }

    /// Display text: any characters except control characters.
    pub(crate) fn name(&self) -> Option<String> {
        self.line(NAME_MAX)
    }

    /// Such a text with at most this many characters.
    pub(crate) fn line(&self, most: usize) -> Option<String> {
        let Some(text) = self.value.as_str() else {
            self.issue("a text", "used the default");
            return None;
        };
        let name: String = text.chars().filter(|letter| !letter.is_control()).take(most).collect();
        if name != text {
            self.issue(format!("a text of at most {most} letters on one line"), format!("used {}", quoted(&name)));
        }
        Some(name)
    }

    /// A parameter's value, checked against its declaration.
    pub(crate) fn number(&self, param: &Param) -> Option<f64> {
        let number = match param.kind {
            ParamKind::Flag => self.value.as_bool().map(|flag| f64::from(u8::from(flag))),
            ParamKind::Choice(_) => self.value.as_str().and_then(|word| param.value_of_word(word)),
            ParamKind::Integer | ParamKind::Number => self.value.as_f64(),
        };
        let number = number.filter(|number| param.allows(*number));
        if number.is_none() {
            self.issue(range(param), format!("used {}", shown_number(param, param.default)));
        }
        number
    }

    pub(crate) fn number_field(&self, param: &Param) -> f64 {
        self.field(param.name).and_then(|cursor| cursor.number(param)).unwrap_or(param.default)
    }

    pub(crate) fn name_field(&self, default: impl Into<String>) -> String {
        self.field("name").and_then(|cursor| cursor.name()).unwrap_or_else(|| default.into())
    }

    /// A declared group of settings among this object's fields.
    pub(crate) fn declared<T: Declared>(&self) -> T {
        T::from_values(&self.values(T::DECLARATION.params))
    }

    /// The values of these parameters among this object's fields.
    pub(crate) fn values(&self, params: &[Param]) -> Vec<f64> {
        params.iter().map(|param| self.number_field(param)).collect()
    }
}

/// The names of a shape's own fields and of its parameters.
pub(crate) fn known<'a>(own: &[&'a str], params: &'a [Param]) -> Vec<&'a str> {
    own.iter().copied().chain(params.iter().map(|param| param.name)).collect()
}
