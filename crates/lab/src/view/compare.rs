//! Two variants beside each other: what differs in them, and in what comes of them.

use std::sync::LazyLock;

use serde_json::{Map, Value};
use tiebreak_chart::{Role, Series, Style, TimeChart};
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::Document;
use tiebreak_sim::figures::on_page;
use tiebreak_sim::{FIGURES, METRICS};

use crate::app::{App, Gathered, Lane, Paired};
use crate::protocol::RunResult;
use crate::view::{timeline, words};
use tiebreak_scenario::effect::{Effect, SEEDS_MAX};

/// A figure that runs are compared by.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Its place in [`FIGURES`].
    at: usize,
    /// Its name for people.
    pub title: &'static str,
    /// `%`, say, or nothing for counts.
    pub unit: &'static str,
}

/// What runs are compared by.
pub static MEASURES: LazyLock<Vec<Measure>> =
    LazyLock::new(|| on_page().into_iter().map(|(at, title)| Measure { at, title, unit: FIGURES[at].unit }).collect());

impl Measure {
    /// Its value in a result; none where the run says nothing of it.
    #[must_use]
    pub fn of(&self, result: &RunResult) -> Option<f64> {
        *result.figures.get(self.at)?
    }
}

/// One measure of two variants.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The measure.
    pub title: &'static str,
    /// Its value in the one that is compared with, and in the one in front.
    pub values: [String; 2],
    /// The second less the first.
    pub difference: String,
    /// Its 95 % interval over seeds.
    pub interval: Option<String>,
}

/// Every measure of which either says anything.
#[must_use]
pub fn rows(front: &Lane, against: &Lane, paired: Option<&Paired>) -> Vec<Row> {
    let (Some(now), Some(then)) = (front.result(), against.result()) else { return Vec::new() };
    let told = |measure: &Measure| {
        let (now, then) = (measure.of(now)?, measure.of(then)?);
        let happens = FIGURES[measure.at].id != "lost_vms" || now + then > 0.0;
        happens.then(|| row(measure, now, then, paired))
    };
    MEASURES.iter().filter_map(told).collect()
}

fn row(measure: &Measure, now: f64, then: f64, paired: Option<&Paired>) -> Row {
    let effect = effect(measure, paired).filter(|effect| effect.half.is_some());
    let value = |value: f64| match measure.unit {
        "" => words::count(value),
        unit => format!("{} {}", words::fixed(value, 1), tr(unit)),
    };
    let decimals = usize::from(!measure.unit.is_empty());
    let unit = if measure.unit.is_empty() { "" } else { tr(" points") };
    let interval = effect.and_then(|it| Some((it.mean - it.half?, it.mean + it.half?)));
    Row {
        title: tr(measure.title),
        values: [value(then), value(now)],
        difference: words::change(effect.map_or(now - then, |it| it.mean), decimals, unit),
        interval: interval
            .map(|(low, high)| say("{} to {}", &[&signed(low, decimals.max(1)), &signed(high, decimals.max(1))])),
    }
}

/// A measure's difference over the seeds that both have run.
#[must_use]
pub fn effect(measure: &Measure, paired: Option<&Paired>) -> Option<Effect> {
    let value = |run: &Gathered| run.outcome().and_then(|result| measure.of(result));
    let differences: Vec<f64> =
        paired?.complete().filter_map(|[front, against]| Some(value(front)? - value(against)?)).collect();
    Effect::of(&differences)
}

fn signed(value: f64, decimals: usize) -> String {
    let text = words::fixed(value.abs(), decimals);
    if value < 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) { format!("\u{2212}{text}") } else { text }
}

/// Which of two keeps more hosts empty, and how sure that is, in a sentence.
#[must_use]
pub fn verdict(front: &Lane, against: &Lane, paired: Option<&Paired>) -> String {
    let (b, a) = (&front.variant, &against.variant);
    let (Some(now), Some(then), Some(live)) = (front.result(), against.result(), &front.live) else {
        return say("{a} and {b} are compared when both have run.", &[&a, &b]);
    };
    let machines = f64::from(live.layout.machines);
    let hosts = |points: f64| points / 100.0 * machines;
    let amount = |points: f64| {
        let more = if points < 0.0 { tr("fewer") } else { tr("more") };
        format!("{} {more}", words::trimmed(hosts(points).abs(), 1))
    };
    let over_seeds = effect(&MEASURES[0], paired).and_then(|effect| Some((effect, effect.half?)));
    let Some((effect, half)) = over_seeds else {
        if now.digest == then.digest {
            return say("Every decision of {b} is the same as in {a}.", &[&b, &a]);
        }
        let points = now.figure("empty_hosts_pct_mean") - then.figure("empty_hosts_pct_mean");
        return say(
            "{b} keeps {} hosts empty than {a}, with this one seed. Run more seeds to see what is chance.",
            &[&b, &amount(points), &a],
        );
    };
    let interval = say(
        "95 % interval {} to {}; {} seeds",
        &[&signed(hosts(effect.mean - half), 1), &signed(hosts(effect.mean + half), 1), &effect.seeds],
    );
    if effect.mean == 0.0 && half == 0.0 {
        return say("{b} and {a} keep equally many hosts empty with each of {} seeds.", &[&b, &a, &effect.seeds]);
    }
    if effect.is_decided() {
        return say("{b} keeps {} hosts empty than {a} ({interval}).", &[&b, &amount(effect.mean), &a, &interval]);
    }
    let needed = effect.more_seeds(SEEDS_MAX).map_or_else(
        || say("more than {SEEDS_MAX} seeds would be needed", &[&SEEDS_MAX]),
        |more| say("about {} would decide", &[&words::counted(more as f64, "more seed", "more seeds")]),
    );
    say(
        "Undecided: {b} keeps {} hosts empty than {a} on average, which may be chance ({interval}); {needed}.",
        &[&b, &amount(effect.mean), &a, &interval, &needed],
    )
}

/// One field in which two variants differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where it is: `agents.count`.
    pub path: String,
    /// What the one that is compared with says there, and the one in front; `-` where it says nothing.
    pub values: [String; 2],
}

/// Every field in which two variants of a document differ, by path.
#[must_use]
pub fn changes(document: &Document, against: usize, front: usize) -> Vec<Change> {
    between((document, against), (document, front))
}

/// Every field in which the variants in front of two documents differ, by path.
#[must_use]
pub fn edits(then: &Document, now: &Document) -> Vec<Change> {
    between((then, then.active), (now, now.active))
}

fn between(then: (&Document, usize), now: (&Document, usize)) -> Vec<Change> {
    let [then, now] = [then, now].map(|(document, index)| {
        let whole: Value = serde_json::from_str(&document.to_json()).unwrap_or_default();
        whole["variants"].get(index).cloned().unwrap_or_default()
    });
    let mut changes = Vec::new();
    compare("", &then, &now, &mut changes);
    changes.retain(|change| change.path != "name");
    changes
}

fn compare(path: &str, then: &Value, now: &Value, changes: &mut Vec<Change>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (then, now) {
        _ if then == now => {}
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            for key in keys {
                compare(&below(key), a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null), changes);
            }
        }
        (Value::Array(a), Value::Array(b)) if path == "rules" => compare_rules(a, b, changes),
        (Value::Array(a), Value::Array(b)) => {
            for index in 0..a.len().max(b.len()) {
                let at = |list: &[Value]| list.get(index).cloned().unwrap_or_default();
                compare(&format!("{path}[{index}]"), &at(a), &at(b), changes);
            }
        }
        _ => changes.push(Change { path: path.to_owned(), values: [then, now].map(shown) }),
    }
}

/// Rules are told by their names: what is set of each, then in which order those that are on stand.
fn compare_rules(then: &[Value], now: &[Value], changes: &mut Vec<Change>) {
    let name = |rule: &Value| rule["rule"].as_str().unwrap_or_default().to_owned();
    for rule in now {
        let before = then.iter().find(|it| name(it) == name(rule)).unwrap_or(&Value::Null);
        compare(&format!("rules.{}", name(rule)), before, rule, changes);
    }
    let on = |rules: &[Value]| -> Vec<String> {
        rules.iter().filter(|rule| rule["on"] != Value::Bool(false)).map(name).collect()
    };
    let (then, now) = (on(then), on(now));
    let moved: Vec<&String> = now.iter().filter(|rule| then.contains(*rule)).collect();
    let before: Vec<&String> = then.iter().filter(|rule| now.contains(*rule)).collect();
    if moved != before {
        let apart = |one: &[&String], other: &[&String]| {
            let differ: Vec<&str> = one.iter().zip(other).filter(|(a, b)| a != b).map(|(a, _)| a.as_str()).collect();
            differ.join(", ")
        };
        changes.push(Change {
            path: tr("rules, in order").into(),
            values: [apart(&before, &moved), apart(&moved, &before)],
        });
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        Value::Object(fields) => part(fields),
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// A part that one of them has and the other has not: what it is, and when.
fn part(fields: &Map<String, Value>) -> String {
    let when = fields.get("at_hours").and_then(Value::as_f64).map(words::day_and_time);
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    match (text("from"), text("incident").or_else(|| text("rule")).or_else(|| text("name")), when) {
        (Some(from), _, Some(when)) => say("from {from}, {when}", &[&from, &when]),
        (_, Some(name), Some(when)) => format!("{name}, {when}"),
        (_, Some(name), None) => name.to_owned(),
        _ => say("{} fields", &[&fields.len()]),
    }
}

/// The difference of a metric over time: the variant in front less the other, with a band over the
/// seeds that both have run.
#[must_use]
pub fn difference(app: &App, metric: usize) -> Option<TimeChart> {
    let (front, against) = (app.front.live.as_ref()?, app.against()?.live.as_ref()?);
    let entry = &METRICS[metric];
    let of = |values: &[Vec<f64>]| values.get(metric).cloned().unwrap_or_default();
    let single = minus(&front.times, &of(&front.values), &against.times, &of(&against.values));
    let style = if entry.is_rate() { Style::Bars } else { Style::Steps };
    let label = format!("{} \u{2212} {}", app.front.variant, app.against()?.variant);
    let band = app.paired.as_ref().map_or_else(Vec::new, |paired| band(paired, metric));
    let points = if band.is_empty() {
        single
    } else {
        band.iter().map(|(time, low, high)| (*time, 0.5 * (low + high))).collect()
    };
    let style = if band.is_empty() { style } else { Style::Steps };
    let series = Series::new(label, Role::Live, style, points).with_band(band);
    Some(TimeChart {
        title: say("{}, difference", &[&tr(entry.declaration.title)]),
        unit: tr(entry.unit).to_owned(),
        series: vec![series],
        time_range: (0.0, front.horizon_ms.max(against.horizon_ms).max(1.0)),
        y_from_zero: true,
        y_max: None,
        moments: timeline::happened(front),
    })
}

/// One less the other where both were sampled at the same time.
fn minus(times: &[f64], values: &[f64], other_times: &[f64], others: &[f64]) -> Vec<(f64, f64)> {
    let one = times.iter().zip(values);
    let pairs = one.zip(other_times.iter().zip(others)).filter(|((at, _), (other, _))| at == other);
    pairs.map(|((at, value), (_, other))| (*at, value - other)).collect()
}

/// The 95 % interval of the mean difference at each sample; nothing with fewer than two seeds.
fn band(paired: &Paired, metric: usize) -> Vec<(f64, f64, f64)> {
    let of = |run: &Gathered| run.values.get(metric).cloned().unwrap_or_default();
    let runs: Vec<Vec<(f64, f64)>> = paired
        .complete()
        .map(|[front, against]| minus(&front.times, &of(front), &against.times, &of(against)))
        .collect();
    let samples = runs.iter().map(Vec::len).min().unwrap_or(0);
    let at = |sample: usize| {
        let differences: Vec<f64> = runs.iter().map(|run| run[sample].1).filter(|value| value.is_finite()).collect();
        let effect = Effect::of(&differences)?;
        let half = effect.half?;
        Some((runs[0][sample].0, effect.mean - half, effect.mean + half))
    };
    (0..samples).filter_map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(changes: &[Change]) -> Vec<&str> {
        changes.iter().map(|change| change.path.as_str()).collect()
    }

    #[test]
    fn fields_that_differ_are_named_by_their_path() {
        let mut document = Document::default();
        let other = document.fork(0, None).expect("room");
        assert_eq!(changes(&document, 0, other), []);
        let variant = &mut document.variants[other];
        variant.agents.count = 7;
        variant.rules.iter_mut().find(|row| row.id == "BestFit").expect("BestFit").buckets = None;
        let found = changes(&document, 0, other);
        assert_eq!(paths(&found), ["agents.count", "rules.BestFit.buckets"]);
        assert_eq!(found[0].values[1], "7");
        assert_eq!(found[1].values[1], "-");
    }

    #[test]
    fn a_fork_and_an_event_are_told_in_a_few_words() {
        let mut document = Document::default();
        let other = document.fork(0, Some(120.0)).expect("room");
        let event = tiebreak_scenario::IncidentRow::plain("FailMachines", 12.5).expect("an event");
        document.variants[other].incidents.push(event);
        let told: Vec<_> = changes(&document, 0, other).into_iter().map(|change| change.values[1].clone()).collect();
        assert_eq!(told, ["FailMachines, day 0, 12:30", "from A, day 5, 00:00"]);
    }

    #[test]
    fn a_moved_rule_is_told_once() {
        let mut document = Document::default();
        let other = document.fork(0, None).expect("room");
        document.variants[other].move_rule("BestFit", 0);
        let found = changes(&document, 0, other);
        assert_eq!(paths(&found), ["rules, in order"]);
        assert!(found[0].values[1].starts_with("BestFit"), "{found:?}");
    }
}
