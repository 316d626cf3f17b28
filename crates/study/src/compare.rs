//! The effect of other settings, over paired seeds.
//!
//! Runs the scenario and every alternative with the same seeds. Reports the mean of the differences and its 95 %
//! interval by Student's t-distribution. A difference whose interval contains 0 is undecided.

use serde::Serialize;
use tiebreak_scenario::document::REQUIRED_RULE;
use tiebreak_scenario::effect::{Effect, SEEDS_MAX};
use tiebreak_scenario::lifetime_rules::LifetimeRules;
use tiebreak_scenario::{Document, Variant};
use tiebreak_sim::figures::compared;
use tiebreak_sim::{FIGURES, Figure, World};

use crate::at_once::watched;
use crate::fields::set_all;
use crate::shown::table;
use crate::watch::Watch;
use crate::{Failure, Workloads};

/// An alternative to compare with the scenario.
pub struct Contender {
    /// How it is called: the fields that it sets.
    pub name: String,
    /// Its settings.
    pub variant: Variant,
}

/// What other settings change.
#[derive(Serialize)]
pub struct Comparison {
    seeds: Vec<u64>,
    as_it_is: Vec<Value>,
    compared: Vec<ComparedSetting>,
}

#[derive(Serialize)]
struct Value {
    measure: &'static str,
    mean: f64,
}

#[derive(Serialize)]
struct ComparedSetting {
    set: String,
    differences: Vec<Difference>,
}

/// The difference of one measure: the alternative minus the scenario.
#[derive(Serialize)]
struct Difference {
    measure: &'static str,
    mean: f64,
    /// The 95 % interval; `None` with one seed.
    low: Option<f64>,
    high: Option<f64>,
    /// Whether the interval excludes 0, or no seed shows a difference.
    decided: bool,
}

/// Compares a variant with others over this many paired seeds, starting with its own.
///
/// # Errors
/// If a variant does not make a plan, its trace is missing, or the work was stopped.
pub fn compare(
    workloads: &Workloads<'_>,
    base: &Variant,
    contenders: &[Contender],
    seeds: u64,
    watch: &Watch<'_>,
) -> Result<Comparison, Failure> {
    let seeds = seeds.clamp(1, SEEDS_MAX as u64);
    let seeds: Vec<u64> = (0..seeds).map(|nth| base.seed.wrapping_add(nth)).collect();
    let all: Vec<&Variant> = std::iter::once(base).chain(contenders.iter().map(|it| &it.variant)).collect();
    let jobs: Vec<(usize, u64)> = (0..all.len()).flat_map(|at| seeds.iter().map(move |seed| (at, *seed))).collect();
    let measured =
        watched(&jobs, watch, |(at, seed)| measure(workloads, &Variant { seed: *seed, ..all[*at].clone() }, watch))?;
    let runs: Vec<&[Vec<f64>]> = measured.chunks(seeds.len()).collect();
    let rows = contenders.iter().zip(&runs[1..]);
    Ok(Comparison {
        as_it_is: measures().enumerate().map(|(nth, it)| Value { measure: it.id, mean: mean(runs[0], nth) }).collect(),
        compared: rows
            .map(|(it, other)| ComparedSetting { set: it.name.clone(), differences: differences(runs[0], other) })
            .collect(),
        seeds,
    })
}

/// The measures to compare.
fn measures() -> impl Iterator<Item = &'static Figure> {
    compared().into_iter().map(|(at, _)| &FIGURES[at])
}

fn measure(workloads: &Workloads<'_>, variant: &Variant, watch: &Watch<'_>) -> Result<Vec<f64>, Failure> {
    let mut world = World::new(workloads.plan(variant)?.without_samples());
    watch.finish(&mut world)?;
    let summary = world.summary();
    Ok(measures().map(|it| it.value(&summary, world.plan()).unwrap_or(f64::NAN)).collect())
}

fn mean(runs: &[Vec<f64>], nth: usize) -> f64 {
    runs.iter().map(|run| run[nth]).sum::<f64>() / runs.len() as f64
}

fn differences(base: &[Vec<f64>], other: &[Vec<f64>]) -> Vec<Difference> {
    let of = |(nth, measure): (usize, &Figure)| {
        let pairs: Vec<f64> = base.iter().zip(other).map(|(base, other)| other[nth] - base[nth]).collect();
        let effect = Effect::of(&pairs).expect("one seed or more");
        let interval = effect.interval();
        Difference {
            measure: measure.id,
            mean: effect.mean,
            low: interval.map(|[low, _]| low),
            high: interval.map(|[_, high]| high),
            decided: effect.is_decided(),
        }
    };
    measures().enumerate().map(of).collect()
}

/// The alternative that sets these fields, separated by commas: `agents.count=2,agents.caches=false`.
///
/// # Errors
/// With the field that cannot be set so.
pub fn with_fields(base: &Variant, name: &str) -> Result<Contender, Failure> {
    let split = |pair| {
        let wrong = || Failure(format!("expected PATH=VALUE, got \"{pair}\"; write, for instance, seed=7"));
        str::split_once(pair, '=').map(|(path, value)| (path.trim(), value)).ok_or_else(wrong)
    };
    let fields = name.split(',').map(split).collect::<Result<Vec<_>, Failure>>()?;
    let mut variant = base.clone();
    set_all(&mut variant, &fields)?;
    Ok(Contender { name: name.to_owned(), variant })
}

/// The alternatives of a named set: `each-rule-off`, `neighbours:PATH` or `lifetime-rules`.
///
/// # Errors
/// If there is no such set or field.
pub fn planned(base: &Variant, plan: &str) -> Result<Vec<Contender>, Failure> {
    let names = match plan.split_once(':') {
        None if plan == "each-rule-off" => rules_off(base),
        None if plan == "lifetime-rules" => return Ok(lifetime_rules(base)),
        Some(("neighbours" | "neighbors", path)) => neighbours(base, path)?,
        _ => {
            return Err(Failure(format!(
                "expected each-rule-off, lifetime-rules or neighbours:PATH after --plan, got \"{plan}\""
            )));
        }
    };
    // Skip neighbours outside the field's range.
    Ok(names.iter().filter_map(|name| with_fields(base, name).ok()).collect())
}

/// The published lists of lifetime rules, each in place of those that the variant has.
fn lifetime_rules(base: &Variant) -> Vec<Contender> {
    let of = |it: LifetimeRules| Contender { name: it.name().to_owned(), variant: it.instead_of_others(base) };
    LifetimeRules::ALL.map(of).into()
}

fn rules_off(base: &Variant) -> Vec<String> {
    let on = base.rules.iter().filter(|rule| rule.on && rule.id != REQUIRED_RULE && rule.group().is_some());
    on.map(|rule| format!("rules.{}.on=false", rule.id)).collect()
}

/// The neighbours of a value: a few buckets more and fewer, half and twice a number, the opposite of a switch.
fn neighbours(base: &Variant, path: &str) -> Result<Vec<String>, Failure> {
    const LADDER: [&str; 10] = ["1", "2", "3", "4", "5", "8", "10", "20", "100", "none"];
    let value = value_of(base, path).ok_or_else(|| {
        Failure(format!(
            "expected the path of a field after neighbours:, got \"{path}\"; write for instance rules.BestFit.buckets"
        ))
    })?;
    let named = |value: String| format!("{path}={value}");
    if path.ends_with(".buckets") {
        let at = LADDER.iter().position(|step| *step == value).unwrap_or(LADDER.len() - 1);
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| LADDER.get(at));
        return Ok(beside.map(|step| named((*step).to_owned())).collect());
    }
    match (value.parse::<f64>(), value.as_str()) {
        (_, "true") => Ok(vec![named("false".into())]),
        (_, "false") => Ok(vec![named("true".into())]),
        (Ok(number), _) => {
            let half = if number.fract() == 0.0 { (number / 2.0).floor() } else { number / 2.0 };
            let tried = if number == 0.0 { vec![1.0] } else { vec![half, number * 2.0] };
            Ok(tried.into_iter().map(|number| named(number.to_string())).collect())
        }
        _ => Err(Failure(format!("expected a number or a switch at {path}, got {value}"))),
    }
}

/// The value of a field as text; `None` if there is no such field.
fn value_of(base: &Variant, path: &str) -> Option<String> {
    let document = Document { name: String::new(), variants: vec![base.clone()], active: 0 };
    let json: serde_json::Value = serde_json::from_str(&document.to_json()).ok()?;
    let variant = &json["variants"][0];
    let words: Vec<&str> = path.split('.').collect();
    let found = match words[..] {
        ["rules", id, field] => {
            let rule = variant["rules"].as_array()?.iter().find(|rule| rule["rule"] == id)?;
            rule.get(field).or_else(|| rule["values"].get(field))?
        }
        _ => words.iter().try_fold(variant, |node, word| match word.parse::<usize>() {
            Ok(index) => node.get(index),
            Err(_) => node.get(*word),
        })?,
    };
    match found {
        serde_json::Value::Null => Some("none".into()),
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Object(_) | serde_json::Value::Array(_) => None,
        other => Some(other.to_string()),
    }
}

impl Comparison {
    /// The comparison as a table.
    #[must_use]
    pub fn text(&self) -> String {
        let heads = compared().into_iter().map(|(_, title)| title.to_owned());
        let mut rows = vec![std::iter::once(String::new()).chain(heads).collect()];
        let means = self.as_it_is.iter().map(|it| shown(it.measure, it.mean));
        rows.push(std::iter::once("as it is".to_owned()).chain(means).collect());
        rows.extend(
            self.compared.iter().map(|row| {
                std::iter::once(row.set.clone()).chain(row.differences.iter().map(Difference::cell)).collect()
            }),
        );
        let seeds = match self.seeds.len() {
            1 => "One seed: no interval".to_owned(),
            many => {
                format!(
                    "Differences from the unchanged scenario, {many} seeds, 95 % intervals; ~ marks intervals \
                     that contain 0"
                )
            }
        };
        format!("{seeds}\n\n{}", table(&rows))
    }
}

impl Difference {
    fn cell(&self) -> String {
        let sign = if self.mean > 0.0 { "+" } else { "" };
        let mean = format!("{sign}{}", shown(self.measure, self.mean));
        match (self.low, self.high) {
            (Some(low), Some(high)) if low < high => {
                let doubt = if self.decided { "" } else { "~ " };
                format!("{doubt}{mean} ({} to {})", shown(self.measure, low), shown(self.measure, high))
            }
            _ => mean,
        }
    }
}

fn shown(measure: &str, value: f64) -> String {
    let text = if measure.contains("_pct_") { format!("{value:.2}") } else { format!("{value:.0}") };
    // Drop the minus sign of a rounded zero.
    if text.trim_start_matches('-').chars().all(|it| it == '0' || it == '.') {
        text.trim_start_matches('-').into()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetime_rules_are_the_published_lists() {
        let planned = planned(&Variant::default(), "lifetime-rules").unwrap_or_else(|fault| panic!("{fault:?}"));
        let names: Vec<_> = planned.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["LA-Binary", "NILAS", "LAVA", "DVLA"]);
        let ids =
            |it: &Contender| it.variant.rules.iter().filter(|row| row.on).map(|row| row.id.clone()).collect::<Vec<_>>();
        assert!(planned.windows(2).all(|pair| ids(&pair[0]) != ids(&pair[1])));
    }

    #[test]
    fn neighbours_are_those_beside_the_value() {
        let base = Variant::default();
        let of = |path: &str| neighbours(&base, path).expect("a field");
        assert_eq!(of("agents.decision_ms"), ["agents.decision_ms=10", "agents.decision_ms=40"]);
        assert_eq!(of("agents.caches"), ["agents.caches=false"]);
        assert_eq!(of("rules.BestFit.buckets"), ["rules.BestFit.buckets=2", "rules.BestFit.buckets=4"]);
        assert_eq!(of("inventory.clusters.0.unready"), ["inventory.clusters.0.unready=1"]);
        assert!(neighbours(&base, "agents.cuont").is_err() && neighbours(&base, "agents").is_err());
    }

    #[test]
    fn rules_that_are_off_or_needed_are_not_switched_off() {
        let names = rules_off(&Variant::default());
        assert!(names.contains(&"rules.BestFit.on=false".to_owned()));
        assert!(!names.iter().any(|name| name.contains(REQUIRED_RULE) || name.contains("FirstFit")), "{names:?}");
    }
}
