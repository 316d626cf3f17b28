//! A sweep: the variant in front run with every combination of values of one or two fields.

use tiebreak_model::{Declared, Param, ParamKind};
use tiebreak_placement::policy::group_of;
use tiebreak_scenario::document::{REQUIRED_RULE, VariantSettings};
use tiebreak_scenario::{Document, Variant, WorkloadRef};
use tiebreak_sim::{Agents, GeneratedWorkload};

use super::pool::{Gathered, Job, Purpose};
use crate::protocol::RunResult;

/// Runs that one sweep may have; `tiebreak sweep` takes more.
pub const RUNS_MAX: usize = 400;

/// One field and its values, as `--set` takes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The field's path.
    pub path: String,
    /// Values, apart by commas; `1..8` is every whole number from 1 to 8.
    pub values: String,
}

/// A sweep under way, or over.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// One or two fields.
    pub axes: Vec<Axis>,
    /// Every combination, the last field fastest.
    pub points: Vec<Point>,
}

/// One combination.
#[derive(Clone, Debug)]
pub struct Point {
    /// A value for each field.
    pub values: Vec<String>,
    /// What runs.
    pub document: Document,
    /// What came out, or why nothing did; none while it waits or runs.
    pub result: Option<Result<RunResult, String>>,
}

impl Sweep {
    /// Every combination of these fields' values in the variant in front.
    ///
    /// # Errors
    /// What is wrong with them, a sentence each.
    pub fn new(document: &Document, axes: Vec<Axis>) -> Result<Self, Vec<String>> {
        let mut combinations: Vec<Vec<String>> = vec![Vec::new()];
        let mut faults = Vec::new();
        for axis in &axes {
            match spread(&axis.values) {
                Ok(values) => {
                    let longer = |before: &Vec<String>| -> Vec<Vec<String>> {
                        values.iter().map(|value| before.iter().chain([value]).cloned().collect()).collect()
                    };
                    if combinations.len() * values.len() > RUNS_MAX {
                        let runs = combinations.len() * values.len();
                        return Err(vec![format!(
                            "Expected at most {RUNS_MAX} runs on the page, got {runs} or more; give fewer values, or use tiebreak sweep."
                        )]);
                    }
                    combinations = combinations.iter().flat_map(longer).collect();
                }
                Err(fault) => faults.push(format!("{}: {fault}", axis.path)),
            }
        }
        let mut points = Vec::new();
        for values in combinations.into_iter().filter(|values| values.len() == axes.len()) {
            let mut variant = document.active_variant().clone();
            for (axis, value) in axes.iter().zip(&values) {
                if let Err(issue) = variant.set(&axis.path, value) {
                    faults.push(format!("{}: expected {}, got {}", issue.path, issue.expected, issue.got));
                }
            }
            let document = Document { variants: vec![variant], active: 0, ..document.clone() };
            points.push(Point { values, document, result: None });
        }
        faults.dedup();
        faults.truncate(5);
        if faults.is_empty() { Ok(Self { axes, points }) } else { Err(faults) }
    }

    pub(super) fn jobs(&self) -> Vec<Job> {
        let job = |(number, point): (usize, &Point)| Job {
            purpose: Purpose::Sweep { number },
            document: point.document.clone(),
        };
        self.points.iter().enumerate().map(job).collect()
    }

    pub(super) fn take(&mut self, number: usize, gathered: Gathered) {
        if let Some(point) = self.points.get_mut(number) {
            point.result = gathered.result;
        }
    }

    /// Runs that are over, of how many.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.points.iter().filter(|point| point.result.is_some()).count(), self.points.len())
    }
}

/// The values of an axis.
fn spread(text: &str) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once("..") {
            Some((low, high)) => {
                let (low, high) = (low.trim().parse::<i64>(), high.trim().parse::<i64>());
                match (low, high) {
                    (Ok(low), Ok(high)) if low <= high && high.saturating_sub(low) < RUNS_MAX as i64 => {
                        values.extend((low..=high).map(|value| value.to_string()));
                    }
                    _ => return Err(format!("expected a range like 1..8 of at most {RUNS_MAX} numbers, got {part}")),
                }
            }
            None => values.push(part.to_owned()),
        }
    }
    if values.is_empty() {
        Err("expected values apart by commas, such as 1, 2, 4 or 1..8, got none".into())
    } else {
        Ok(values)
    }
}

/// A field that can be swept, with values to begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its path.
    pub path: String,
    /// Its name for people.
    pub title: String,
    /// Values to begin with.
    pub values: String,
}

/// What can be swept in a variant: rules that are on, agents, predictors, settings, the made-up workload.
#[must_use]
pub fn fields(variant: &Variant) -> Vec<Field> {
    let mut fields = Vec::new();
    for row in variant.rules.iter().filter(|row| row.on) {
        let Some(entry) = row.entry() else { continue };
        let rule = |field: &str, title: &str, values: &str| Field {
            path: format!("rules.{}.{field}", row.id),
            title: format!("{}: {title}", row.id),
            values: values.to_owned(),
        };
        if row.scores() {
            fields.push(rule("buckets", "buckets", "1, 2, 3, 4, 6, 8, 12, none"));
            let last = group_of(&row.id).map_or(0, |group| variant.rules_of(group).count().saturating_sub(1));
            if last > 0 {
                fields.push(rule("position", "place in its stage", &format!("0..{}", last.min(6))));
            }
        }
        if row.id != REQUIRED_RULE {
            fields.push(rule("on", "on or off", "true, false"));
        }
        fields.extend(entry.declaration.params.iter().map(|param| rule(param.name, &param.title(), &around(param))));
    }
    let group = |prefix: &'static str, params: &'static [Param]| {
        params.iter().map(move |param| Field {
            path: format!("{prefix}{}", param.name),
            title: param.title(),
            values: around(param),
        })
    };
    fields.extend(group("", VariantSettings::DECLARATION.params));
    fields.extend(group("agents.", Agents::DECLARATION.params));
    fields.extend(group("predictor.", variant.predictor.params()));
    fields.extend(group("lifetimes.", tiebreak_placement::Lifetimes::DECLARATION.params));
    if let WorkloadRef::Generated(_) = variant.workload {
        fields.extend(group("workload.", GeneratedWorkload::DECLARATION.params));
    }
    fields
}

/// Values around a parameter's default.
fn around(param: &Param) -> String {
    match param.kind {
        ParamKind::Flag => "false, true".into(),
        ParamKind::Choice(words) => words.join(", "),
        ParamKind::Integer | ParamKind::Number => {
            let base = if param.default == 0.0 { param.max.min(4.0) } else { param.default };
            let whole = |value: f64| if param.kind == ParamKind::Integer { value.round() } else { value };
            let mut values: Vec<f64> = [0.25, 0.5, 1.0, 2.0, 4.0].iter().map(|by| whole(base * by)).collect();
            values.retain(|value| param.allows(*value));
            values.dedup();
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(path: &str, values: &str) -> Axis {
        Axis { path: path.into(), values: values.into() }
    }

    #[test]
    fn every_combination_is_a_document_of_its_own() {
        let axes = vec![axis("agents.count", "1, 4"), axis("rules.BestFit.buckets", "2..4")];
        let sweep = Sweep::new(&Document::default(), axes).expect("a sweep");
        let values: Vec<_> = sweep.points.iter().map(|point| point.values.join(" ")).collect();
        assert_eq!(values, ["1 2", "1 3", "1 4", "4 2", "4 3", "4 4"]);
        let last = &sweep.points[5].document.variants[0];
        assert_eq!(
            (last.agents.count, last.rules.iter().find(|row| row.id == "BestFit").and_then(|row| row.buckets)),
            (4, Some(4))
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (path, values, told) in [
            ("agents.count", "", "expected values"),
            ("agents.count", "4..1", "expected a range"),
            ("agents.count", "0, 1", "agents.count: expected"),
            ("agents.cuont", "1", "agents.cuont: expected"),
            ("agents.count", "1..1000000", "expected a range"),
        ] {
            let faults = Sweep::new(&Document::default(), vec![axis(path, values)]).expect_err(values);
            assert!(faults[0].contains(told), "{path} = {values}: {faults:?}");
        }
        let axes = vec![axis("agents.count", "1..30"), axis("best_clusters", "1..30")];
        let faults = Sweep::new(&Document::default(), axes).expect_err("too many");
        assert!(faults[0].contains("got 900"), "{faults:?}");
    }

    #[test]
    fn every_field_offered_takes_the_values_offered() {
        let variant = Variant::default();
        let fields = fields(&variant);
        assert!(fields.len() > 30);
        for field in fields {
            let sweep = Sweep::new(&Document::default(), vec![axis(&field.path, &field.values)]);
            assert!(sweep.is_ok(), "{field:?}: {sweep:?}");
        }
    }
}
