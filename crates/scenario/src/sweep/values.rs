//! The values of a sweep parameter: a list, or a range in equal steps or equal ratios.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{DONE, RUNS_MAX};
use crate::cursor::Cursor;

/// The values of one parameter, as in a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum SweepValues {
    /// These, as `tiebreak run --set` takes them.
    List(Vec<String>),
    /// The numbers of a range; for a field that accepts only integers, the nearest ones.
    Range(SweepRange),
}

/// Numbers from one to another, including both if the steps match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepRange {
    /// The first.
    pub from: f64,
    /// The last, or an upper bound.
    pub to: f64,
    /// The spacing.
    pub by: SweepStep,
}

/// The spacing of a range's numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SweepStep {
    /// A constant difference, positive or negative.
    Step(f64),
    /// This many in equal steps.
    Linear(u32),
    /// This many in equal ratios.
    Log(u32),
}

impl SweepValues {
    /// The maximum number of its values: in a field that accepts only integers, neighbours may coincide.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::List(values) => values.len() as u64,
            Self::Range(range) => range.count().unwrap_or(0),
        }
    }
}

impl SweepRange {
    /// Its numbers, rounded to twelve digits to remove rounding errors of decimal steps. `None` if there are more
    /// than the maximum of runs, or if the step leads away from the end.
    #[must_use]
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let Self { from, to, by } = *self;
        let at: Box<dyn Fn(f64) -> f64> = match by {
            SweepStep::Step(step) => Box::new(move |place| from + place * step),
            SweepStep::Linear(count) => Box::new(move |place| from + (to - from) * place / f64::from(count - 1)),
            SweepStep::Log(count) => Box::new(move |place| from * libm::pow(to / from, place / f64::from(count - 1))),
        };
        let count = self.count().filter(|count| *count <= RUNS_MAX)?;
        Some((0..count).map(|place| rounded(at(place as f64))).collect())
    }

    fn count(&self) -> Option<u64> {
        let Self { from, to, by } = *self;
        match by {
            SweepStep::Step(step) => {
                // Rounding may make the last step miss the end.
                let steps = libm::floor((to - from) / step + 1e-9);
                (step != 0.0 && steps >= 0.0).then_some((steps as u64).saturating_add(1))
            }
            SweepStep::Linear(count) => Some(u64::from(count)),
            SweepStep::Log(count) => (from > 0.0 && to > 0.0).then_some(u64::from(count)),
        }
    }
}

fn rounded(number: f64) -> f64 {
    format!("{number:.11e}").parse().unwrap_or(number)
}

/// The values of a parameter.
pub(super) fn read(cursor: &Cursor<'_>) -> Option<SweepValues> {
    const ENDS: [&str; 2] = ["from", "to"];
    let range = ENDS.iter().any(|name| cursor.field(name).is_some());
    match (cursor.field("values"), range) {
        (Some(list), false) => listed(&list),
        (None, true) => read_range(cursor).map(SweepValues::Range),
        (Some(_), true) => tell(cursor, "either values or a range (from, to)"),
        (None, false) => tell(cursor, "a field values, or a range: from, to and step or count"),
    }
}

fn listed(list: &Cursor<'_>) -> Option<SweepValues> {
    let items = list.items(RUNS_MAX as usize);
    if items.is_empty() {
        return if list.value.is_array() { tell(list, "at least 1 value") } else { None };
    }
    let values = items.iter().map(text).collect::<Option<Vec<_>>>()?;
    let mut seen = BTreeSet::new();
    match values.iter().position(|value| !seen.insert(value)) {
        Some(twice) => tell(&items[twice], "each value once"),
        None => Some(SweepValues::List(values)),
    }
}

/// A value as on a command line.
fn text(cursor: &Cursor<'_>) -> Option<String> {
    match cursor.value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string())),
        Value::Null => Some("none".into()),
        Value::Array(_) | Value::Object(_) => tell(cursor, "a number, a text, true, false or null"),
    }
}

fn read_range(cursor: &Cursor<'_>) -> Option<SweepRange> {
    let (from, to) = (needed(cursor, "from")?, needed(cursor, "to")?);
    let by = match (cursor.field("step"), cursor.field("count")) {
        (Some(step), None) => SweepStep::Step(step_of(&step, to - from)?),
        (None, Some(count)) => counted(cursor, &count, from.min(to))?,
        _ => return tell(cursor, "either step or count beside from and to"),
    };
    if cursor.field("scale").is_some_and(|scale| scale.value.as_str() == Some("log"))
        && matches!(by, SweepStep::Step(_))
    {
        return tell(cursor, "count, not step, where scale is log");
    }
    let range = SweepRange { from, to, by };
    if range.numbers().is_none() {
        return tell(cursor, &format!("at most {RUNS_MAX} values: a larger step"));
    }
    Some(range)
}

/// A step in the direction of the end.
fn step_of(cursor: &Cursor<'_>, span: f64) -> Option<f64> {
    let step = number(cursor)?;
    match (step == 0.0, step * span < 0.0) {
        (true, _) => tell(cursor, "a step other than 0"),
        (_, true) => tell(cursor, "a step that leads from `from` to `to`"),
        _ => Some(step),
    }
}

fn counted(cursor: &Cursor<'_>, count: &Cursor<'_>, least: f64) -> Option<SweepStep> {
    let number = count.value.as_u64().filter(|number| (2..=RUNS_MAX).contains(number));
    let Some(number) = number else { return tell(count, &format!("a whole number from 2 to {RUNS_MAX}")) };
    let Some(scale) = cursor.field("scale") else { return Some(SweepStep::Linear(number as u32)) };
    match scale.value.as_str() {
        Some("linear") => Some(SweepStep::Linear(number as u32)),
        Some("log") if least > 0.0 => Some(SweepStep::Log(number as u32)),
        Some("log") => tell(&scale, "linear: equal ratios need from and to above 0"),
        _ => tell(&scale, "linear or log"),
    }
}

fn needed(cursor: &Cursor<'_>, name: &str) -> Option<f64> {
    match cursor.field(name) {
        Some(field) => number(&field),
        None => tell(cursor, &format!("a field {name}")),
    }
}

fn number(cursor: &Cursor<'_>) -> Option<f64> {
    let number = cursor.value.as_f64().filter(|number| number.is_finite());
    if number.is_none() {
        cursor.issue("a number", DONE);
    }
    number
}

fn tell<T>(cursor: &Cursor<'_>, expected: &str) -> Option<T> {
    cursor.issue(expected, DONE);
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::issue::{Issue, Issues};
    use serde_json::json;

    fn values(json: &Value) -> Result<Vec<String>, String> {
        let issues = Issues::default();
        let read = read(&Cursor::top(json, &issues));
        let told: Vec<_> = issues.into_list().iter().map(Issue::to_string).collect();
        match read {
            Some(SweepValues::List(values)) => Ok(values),
            Some(SweepValues::Range(range)) => {
                Ok(range.numbers().expect("checked").iter().map(f64::to_string).collect())
            }
            None => Err(told.join("; ")),
        }
    }

    #[test]
    fn values_are_listed_or_ranged() {
        for (plan, expected) in [
            (json!({ "values": [1, 2.5, "fixed", true, null] }), &["1", "2.5", "fixed", "true", "none"][..]),
            (
                json!({ "from": 1, "to": 2, "step": 0.1 }),
                &["1", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "2"],
            ),
            (json!({ "from": 3, "to": 0, "step": -2 }), &["3", "1"]),
            (json!({ "from": 5, "to": 5, "step": 1 }), &["5"]),
            (json!({ "from": 0, "to": 1, "count": 4 }), &["0", "0.333333333333", "0.666666666667", "1"]),
            (json!({ "from": 1, "to": 64, "count": 4, "scale": "log" }), &["1", "4", "16", "64"]),
            (json!({ "from": 100, "to": 1, "count": 3, "scale": "log" }), &["100", "10", "1"]),
        ] {
            assert_eq!(values(&plan).expect("values"), expected, "{plan}");
        }
    }

    #[test]
    fn what_is_no_range_says_why() {
        for (plan, expected) in [
            (json!({}), "expected a field values, or a range: from, to and step or count"),
            (json!({ "values": [1], "from": 1 }), "expected either values or a range (from, to)"),
            (json!({ "values": [] }), "values: expected at least 1 value, got a list of 0"),
            (json!({ "values": 7 }), "values: expected a list, got 7"),
            (json!({ "values": [[1]] }), "values[0]: expected a number, a text, true, false or null, got a list of 1"),
            (json!({ "values": [1, 2, "1"] }), "values[2]: expected each value once, got \"1\""),
            (json!({ "from": 1 }), "expected a field to"),
            (json!({ "to": 1, "step": 1 }), "expected a field from"),
            (json!({ "from": "x", "to": 1, "step": 1 }), "from: expected a number, got \"x\""),
            (json!({ "from": 0, "to": 1 }), "expected either step or count beside from and to"),
            (json!({ "from": 0, "to": 1, "step": 1, "count": 2 }), "expected either step or count"),
            (json!({ "from": 0, "to": 1, "step": 0 }), "step: expected a step other than 0, got 0"),
            (json!({ "from": 0, "to": 1, "step": -1 }), "step: expected a step that leads from `from` to `to`, got -1"),
            (json!({ "from": 0, "to": 1, "step": "a" }), "step: expected a number, got \"a\""),
            (json!({ "from": 0, "to": 1, "step": 1e-9 }), "expected at most 100000 values: a larger step"),
            (json!({ "from": 0, "to": 1, "count": 1 }), "count: expected a whole number from 2 to 100000, got 1"),
            (json!({ "from": 0, "to": 1, "count": 2, "scale": "log" }), "scale: expected linear: equal ratios need"),
            (
                json!({ "from": 1, "to": 2, "count": 2, "scale": "cubic" }),
                "scale: expected linear or log, got \"cubic\"",
            ),
            (json!({ "from": 1, "to": 2, "step": 1, "scale": "log" }), "expected count, not step, where scale is log"),
        ] {
            let told = values(&plan).expect_err("no values");
            assert!(told.contains(expected), "{plan}: {told}");
        }
    }
}
