//! Parses YAML into JSON values, with limits on depth, on size and on what aliases repeat.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

use crate::error::ImportError;
use crate::limits::{DEPTH_MAX, VALUES_MAX};

const ADVICE: &str = "correct the file";

/// A list or a mapping being read; the mapping with the key of the next value.
enum Open {
    List(Vec<Value>, usize),
    Object(Map<String, Value>, Option<String>, usize),
}

/// Every document of a file.
pub(crate) fn read(file: &str, text: &str) -> Result<Vec<Value>, ImportError> {
    let mut reader = Reader { file, open: Vec::new(), anchors: BTreeMap::new(), values: 0, done: Vec::new() };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| ImportError::whole(file, "YAML", error, ADVICE))?;
        reader.take(event).map_err(|error| ImportError { path: format!("line {}", span.start.line()), ..error })?;
    }
    Ok(reader.done)
}

struct Reader<'a> {
    file: &'a str,
    open: Vec<Open>,
    anchors: BTreeMap<usize, (Value, usize)>,
    values: usize,
    done: Vec<Value>,
}

impl Reader<'_> {
    fn take(&mut self, event: Event<'_>) -> Result<(), ImportError> {
        match event {
            Event::Scalar(text, style, anchor, _) => self.put(scalar(&text, style), 1, anchor),
            Event::Alias(anchor) => {
                let (value, size) = self.anchors.get(&anchor).cloned().ok_or_else(|| {
                    ImportError::whole(self.file, "an alias of something above it", "one of nothing", ADVICE)
                })?;
                self.put(value, size, 0)
            }
            Event::SequenceStart(anchor, _) => self.begin(Open::List(Vec::new(), anchor)),
            Event::MappingStart(anchor, _) => self.begin(Open::Object(Map::new(), None, anchor)),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(list, anchor)) => self.put(Value::Array(list), 1, anchor),
                Some(Open::Object(object, _, anchor)) => self.put(Value::Object(object), 1, anchor),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn begin(&mut self, open: Open) -> Result<(), ImportError> {
        if self.open.len() == DEPTH_MAX {
            let expected = format!("at most {DEPTH_MAX} levels");
            return Err(ImportError::whole(self.file, expected, "more", "leave out what is nested so deeply"));
        }
        self.open.push(open);
        Ok(())
    }

    /// Inserts a value at the current position; `size` includes what its aliases repeat.
    fn put(&mut self, value: Value, size: usize, anchor: usize) -> Result<(), ImportError> {
        self.values += size;
        if self.values > VALUES_MAX {
            let expected = format!("at most {VALUES_MAX} values, those of aliases among them");
            return Err(ImportError::whole(self.file, expected, "more", "dump it as JSON"));
        }
        if anchor > 0 {
            let size = size_of(&value);
            self.values += size;
            self.anchors.insert(anchor, (value.clone(), size));
        }
        match self.open.last_mut() {
            None => self.done.push(value),
            Some(Open::List(list, _)) => list.push(value),
            Some(Open::Object(object, key, _)) => match (key.take(), value) {
                (None, Value::String(text)) => *key = Some(text),
                (None, value) => *key = Some(value.to_string()),
                (Some(name), value) => {
                    if object.insert(name.clone(), value).is_some() {
                        let got = format!("{name} twice");
                        return Err(ImportError::whole(self.file, "each key of a mapping once", got, ADVICE));
                    }
                }
            },
        }
        Ok(())
    }
}

/// Bytes of text that count as one value.
const TEXT_BYTES: usize = 64;

/// The number of values inside a value. A long text counts as several, so that aliases cannot repeat it without
/// limit.
fn size_of(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(size_of).sum(),
        Value::Object(object) => object.values().map(size_of).sum(),
        Value::String(text) => text.len() / TEXT_BYTES,
        _ => 0,
    }
}

/// Converts a plain scalar to null, a boolean or a number if it looks like one; a quoted one is text.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::String(text.into());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.into()))
        }
        _ => Value::String(text.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn one(text: &str) -> Value {
        read("a.yaml", text).expect("YAML").remove(0)
    }

    #[test]
    fn what_kubectl_writes_is_read() {
        let text = "kind: List\nitems:\n- spec: {cpu: 3920m, zone: \"1\", pods: 110}\n  on: [true, ~]\n  note: |\n    a\n    b\n";
        let spec = json!({ "cpu": "3920m", "zone": "1", "pods": 110 });
        let items = json!([{ "spec": spec, "on": [true, null], "note": "a\nb\n" }]);
        assert_eq!(one(text), json!({ "kind": "List", "items": items }));
        assert_eq!(read("a.yaml", "a: 1\n---\nb: 2\n").expect("two").len(), 2);
        assert_eq!(one("a: &x [1, 2]\nb: *x\n"), json!({ "a": [1, 2], "b": [1, 2] }));
    }

    #[test]
    fn hostile_files_are_a_sentence() {
        let mut laughs = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for (one, other) in ('a'..'i').zip('b'..='i') {
            laughs += &format!("{other}: &{other} [{}]\n", vec![format!("*{one}"); 9].join(","));
        }
        let (deep, brackets) = ("- ".repeat(150), "[".repeat(100_000));
        let texts = format!("a: &a {}\nb: [{}]", "x".repeat(1 << 20), "*a,".repeat(10_000));
        let pairs = "- {a: 1, a: 2}";
        for (text, told) in [
            (laughs.as_str(), "values"),
            (texts.as_str(), "values"),
            (deep.as_str(), "levels"),
            (brackets.as_str(), "recursion limit"),
            (pairs, "a twice"),
            ("a: *nothing", "YAML"),
            ("a: [1", "YAML"),
            ("\t- x: {", "YAML"),
        ] {
            let error = read("a.yaml", text).expect_err(told);
            assert!(error.to_string().contains(told), "{error}");
        }
    }
}
