//! The values of a parameter as typed in one line: `1, 2, 4, none`, `1..8`, `0..1 step 0.25`, `1..64 count 4 log`.
//!
//! A line is converted to the JSON of a plan and read as that, so both accept and reject the same.

use std::fmt;

use serde_json::{Map, Value, json};

use super::values::read;
use super::{DONE, RUNS_MAX, SweepError, SweepParameter, SweepStep, SweepValues};
use crate::cursor::Cursor;
use crate::issue::{Issue, Issues, quoted};

/// Examples of a range.
const RANGE: &str = "a range such as 1..8, 0..1 step 0.25 or 1..64 count 4 log";

impl SweepParameter {
    /// Reads a field's values as typed: separated by commas, each a value as for `--set` or a range; one that
    /// contains a comma or two dots must be quoted. A single range stays a range.
    ///
    /// # Errors
    /// If there is no value, one occurs twice, a range is impossible, or there are more than the maximum of runs;
    /// faults have the field's path.
    pub fn parse(path: &str, text: &str) -> Result<Self, SweepError> {
        let parts = parts(text);
        let read = match parts.as_slice() {
            [] => Err(told("values separated by commas, such as 1, 2, 4 or 1..8", "none")),
            [ListItem::Plain(range)] if range.contains("..") => range_of(range),
            parts => list(parts),
        };
        let values = read.map_err(|issues| {
            let at_the_field = |issue| Issue { path: path.into(), ..issue };
            SweepError::Faulty(issues.into_iter().map(at_the_field).collect())
        })?;
        Ok(Self { path: path.into(), values })
    }
}

/// Writes text that is read as the same values.
impl fmt::Display for SweepValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = match self {
            Self::List(values) => {
                let values: Vec<_> = values.iter().map(|value| shielded(value)).collect();
                return f.write_str(&values.join(", "));
            }
            Self::Range(range) => range,
        };
        let (from, to) = (range.from, range.to);
        write!(f, "{from}..{to}")?;
        match range.by {
            SweepStep::Step(step) if step == usual_step(from, to) => Ok(()),
            SweepStep::Step(step) => write!(f, " step {step}"),
            SweepStep::Linear(count) => write!(f, " count {count}"),
            SweepStep::Log(count) => write!(f, " count {count} log"),
        }
    }
}

/// An item between two commas.
enum ListItem {
    /// As it is.
    Plain(String),
    /// In quotes.
    Quoted(String),
}

/// The items of a line; empty ones are omitted, so that a trailing comma is allowed.
fn parts(text: &str) -> Vec<ListItem> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (part, behind) = match rest.strip_prefix('"') {
            Some(inside) => unquoted(inside),
            None => {
                let (part, behind) = rest.split_once(',').unwrap_or((rest, ""));
                (ListItem::Plain(part.trim().into()), behind)
            }
        };
        if !matches!(&part, ListItem::Plain(text) if text.is_empty()) {
            parts.push(part);
        }
        rest = behind.trim_start();
    }
    parts
}

/// A text up to its closing quote (two quotes mean one inside it), and the rest after the next comma.
fn unquoted(text: &str) -> (ListItem, &str) {
    let (mut value, mut rest) = (String::new(), text);
    loop {
        let (before, behind) = rest.split_once('"').unwrap_or((rest, ""));
        value += before;
        match behind.strip_prefix('"') {
            Some(more) => {
                value.push('"');
                rest = more;
            }
            None => return (ListItem::Quoted(value), behind.split_once(',').map_or("", |(_, behind)| behind)),
        }
    }
}

fn shielded(value: &str) -> String {
    let plain = !value.is_empty() && value.trim() == value && !value.contains([',', '"']) && !value.contains("..");
    if plain { value.into() } else { format!("\"{}\"", value.replace('"', "\"\"")) }
}

/// Single values, including ranges among them.
fn list(parts: &[ListItem]) -> Result<SweepValues, Vec<Issue>> {
    let mut values: Vec<String> = Vec::new();
    for part in parts {
        match part {
            ListItem::Plain(range) if range.contains("..") => match range_of(range)? {
                SweepValues::Range(range) => {
                    values.extend(range.numbers().unwrap_or_default().iter().map(f64::to_string));
                }
                SweepValues::List(more) => values.extend(more),
            },
            ListItem::Plain(value) | ListItem::Quoted(value) => values.push(value.clone()),
        }
        if values.len() as u64 > RUNS_MAX {
            return Err(told(format!("at most {RUNS_MAX} values"), "more"));
        }
    }
    checked(&json!({ "values": values }), "")
}

/// `FROM..TO`, `FROM..TO step BY`, `FROM..TO count N`, `FROM..TO count N log`.
fn range_of(text: &str) -> Result<SweepValues, Vec<Issue>> {
    let no_range = || told(RANGE, quoted(text));
    let number = |word: &str| word.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(no_range);
    let (from, rest) = text.split_once("..").ok_or_else(no_range)?;
    let mut words = rest.split_whitespace();
    let (from, to) = (number(from.trim())?, number(words.next().unwrap_or_default())?);
    let mut fields = Map::from_iter([("from".to_owned(), json!(from)), ("to".to_owned(), json!(to))]);
    let mut put = |name: &str, value: Value| fields.insert(name.into(), value);
    match words.collect::<Vec<_>>()[..] {
        [] => put("step", json!(usual_step(from, to))),
        ["step", by] => put("step", json!(number(by)?)),
        ["count", count] => put("count", whole(number(count)?)),
        ["count", count, "log"] => {
            put("scale", json!("log"));
            put("count", whole(number(count)?))
        }
        _ => return Err(no_range()),
    };
    checked(&Value::Object(fields), text)
}

/// A count as an integer; one that is not an integer stays as it is, to be reported.
fn whole(number: f64) -> Value {
    let count = number as u64;
    if count as f64 == number { json!(count) } else { json!(number) }
}

/// The step of a range without a step.
fn usual_step(from: f64, to: f64) -> f64 {
    if from <= to { 1.0 } else { -1.0 }
}

/// Reads it like a plan.
fn checked(parameter: &Value, text: &str) -> Result<SweepValues, Vec<Issue>> {
    let issues = Issues::default();
    let values = read(&Cursor::top(parameter, &issues));
    let as_typed = |issue: Issue| match issue.path.as_str() {
        "document" => Issue { got: quoted(text), ..issue },
        _ => issue,
    };
    values.ok_or_else(|| issues.into_list().into_iter().map(as_typed).collect())
}

fn told(expected: impl Into<String>, got: impl Into<String>) -> Vec<Issue> {
    vec![Issue { path: String::new(), expected: expected.into(), got: got.into(), done: DONE.into() }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::SweepRange;

    fn values(text: &str) -> Result<SweepValues, String> {
        let parameter = SweepParameter::parse("agents.count", text).map_err(|error| error.to_string())?;
        Ok(parameter.values)
    }

    fn range(from: f64, to: f64, by: SweepStep) -> SweepValues {
        SweepValues::Range(SweepRange { from, to, by })
    }

    #[test]
    fn a_line_is_values_or_a_range_and_is_written_as_it_is_read() {
        let list = |values: &[&str]| SweepValues::List(values.iter().map(|&value| value.to_owned()).collect());
        for (text, expected, written) in [
            ("1, 2,4", list(&["1", "2", "4"]), "1, 2, 4"),
            (" true,false , ", list(&["true", "false"]), "true, false"),
            ("none", list(&["none"]), "none"),
            ("1..3, 8, none", list(&["1", "2", "3", "8", "none"]), "1, 2, 3, 8, none"),
            ("0..1 step 0.5, 7", list(&["0", "0.5", "1", "7"]), "0, 0.5, 1, 7"),
            (
                "\"a, b\", \"1..2\", \"say \"\"so\"\"\", \"\"",
                list(&["a, b", "1..2", "say \"so\"", ""]),
                "\"a, b\", \"1..2\", \"say \"\"so\"\"\", \"\"",
            ),
            ("1..8", range(1.0, 8.0, SweepStep::Step(1.0)), "1..8"),
            ("8 .. 1", range(8.0, 1.0, SweepStep::Step(-1.0)), "8..1"),
            ("5..5", range(5.0, 5.0, SweepStep::Step(1.0)), "5..5"),
            ("-0.5..1.5 step 0.25", range(-0.5, 1.5, SweepStep::Step(0.25)), "-0.5..1.5 step 0.25"),
            ("0..1 count 4", range(0.0, 1.0, SweepStep::Linear(4)), "0..1 count 4"),
            ("1..64  count 4 log", range(1.0, 64.0, SweepStep::Log(4)), "1..64 count 4 log"),
        ] {
            assert_eq!(values(text), Ok(expected.clone()), "{text}");
            assert_eq!(expected.to_string(), written, "{text}");
            assert_eq!(values(written), Ok(expected), "{written}");
        }
    }

    #[test]
    fn what_is_none_says_why_at_its_field() {
        let millions = "1..100000, ".repeat(20);
        for (text, expected) in [
            (
                "",
                "agents.count: expected values separated by commas, such as 1, 2, 4 or 1..8, got none; nothing was run",
            ),
            (" , ,", "got none"),
            ("1, 2, 1", "agents.count: expected each value once, got \"1\""),
            ("1..3, 2", "agents.count: expected each value once, got \"2\""),
            ("a..b", "agents.count: expected a range such as 1..8, 0..1 step 0.25 or 1..64 count 4 log, got \"a..b\""),
            ("1..", "expected a range such as"),
            ("..", "expected a range such as"),
            ("1..inf", "expected a range such as"),
            ("1..8 by 2", "expected a range such as"),
            ("1..8 step", "expected a range such as"),
            ("1..8 step 2 log", "expected a range such as"),
            ("1..2..3", "expected a range such as"),
            ("1..8 step 0", "agents.count: expected a step other than 0, got 0"),
            ("1..8 step -1", "agents.count: expected a step that leads from `from` to `to`, got -1"),
            ("1..8 count 1", "agents.count: expected a whole number from 2 to 100000, got 1"),
            ("1..8 count 2.5", "agents.count: expected a whole number from 2 to 100000, got 2.5"),
            ("0..8 count 3 log", "agents.count: expected linear: equal ratios need from and to above 0"),
            ("1..1000000", "agents.count: expected at most 100000 values: a larger step, got \"1..1000000\""),
            ("1..1e18 step 1e-9", "agents.count: expected at most 100000 values: a larger step"),
            ("0..1 count 1000000", "agents.count: expected a whole number from 2 to 100000, got 1000000"),
            (&millions, "agents.count: expected at most 100000 values, got more"),
        ] {
            let told = values(text).expect_err(text);
            assert!(told.contains(expected), "{text}: {told}");
        }
    }
}
