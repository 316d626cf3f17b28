//! The comparison of two variants: their settings and their results.

use std::sync::LazyLock;

use tiebreak_app::{App, Gathered, Lane, Paired};
use tiebreak_chart::{Role, Series, Style, TimeChart};
use tiebreak_engine::protocol::RunResult;
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::effect::{Effect, SEEDS_MAX};
use tiebreak_sim::figures::on_page;
use tiebreak_sim::{FIGURES, METRICS};

use crate::timeline;
use crate::verdict::more_hosts;

/// A figure for comparing runs.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Its index in [`FIGURES`].
    at: usize,
    /// Display name.
    pub title: &'static str,
    /// For example `%`; empty for counts.
    pub unit: &'static str,
}

/// The figures for comparing runs.
pub static MEASURES: LazyLock<Vec<Measure>> =
    LazyLock::new(|| on_page().into_iter().map(|(at, title)| Measure { at, title, unit: FIGURES[at].unit }).collect());

impl Measure {
    /// Its name in files.
    #[must_use]
    pub fn id(&self) -> &'static str {
        FIGURES[self.at].id
    }

    /// Its value in a result; `None` if the run does not have it.
    #[must_use]
    pub fn of(&self, result: &RunResult) -> Option<f64> {
        *result.figures.get(self.at)?
    }
}

/// One measure of two variants.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRow {
    /// The measure.
    pub title: &'static str,
    /// Its value in the other variant, and in the active one.
    pub values: [String; 2],
    /// The second minus the first.
    pub difference: String,
    /// Its 95 % interval over seeds.
    pub interval: Option<String>,
}

/// Every measure that either of them has.
#[must_use]
pub fn rows(front: &Lane, against: &Lane, paired: Option<&Paired>) -> Vec<ComparedRow> {
    let (Some(now), Some(then)) = (front.result(), against.result()) else { return Vec::new() };
    let told = |measure: &Measure| {
        let (now, then) = (measure.of(now)?, measure.of(then)?);
        let happens = FIGURES[measure.at].id != "lost_vms" || now + then > 0.0;
        happens.then(|| row(measure, now, then, paired))
    };
    MEASURES.iter().filter_map(told).collect()
}

fn row(measure: &Measure, now: f64, then: f64, paired: Option<&Paired>) -> ComparedRow {
    let effect = effect(measure, paired).filter(|effect| effect.half.is_some());
    let value = |value: f64| match measure.unit {
        "" => words::count(value),
        unit => format!("{} {}", words::fixed(value, 1), tr(unit)),
    };
    let decimals = usize::from(!measure.unit.is_empty());
    let unit = if measure.unit.is_empty() { "" } else { tr(" points") };
    let interval = effect.and_then(|it| Some((it.mean - it.half?, it.mean + it.half?)));
    ComparedRow {
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

/// Which of two variants keeps more hosts empty, and with which confidence, in one sentence.
#[must_use]
pub fn verdict(front: &Lane, against: &Lane, paired: Option<&Paired>) -> String {
    let (b, a) = (&front.variant, &against.variant);
    let (Some(now), Some(then), Some(live)) = (front.result(), against.result(), &front.live) else {
        return say("The comparison of {a} and {b} appears when both have run.", &[&a, &b]);
    };
    let machines = f64::from(live.layout.machines);
    let hosts = |points: f64| points / 100.0 * machines;
    let amount = |points: f64| more_hosts(hosts(points));
    let over_seeds = effect(&MEASURES[0], paired).and_then(|effect| Some((effect, effect.half?)));
    let Some((effect, half)) = over_seeds else {
        if now.digest == then.digest {
            return say("Every decision of {b} is the same as in {a}.", &[&b, &a]);
        }
        let points = now.figure("empty_hosts_pct_mean") - then.figure("empty_hosts_pct_mean");
        return say(
            "{b} keeps {} empty than {a}, with this seed. Run more seeds to see what is random.",
            &[&b, &amount(points), &a],
        );
    };
    let interval = say(
        "95 % interval {} to {}; {} seeds",
        &[&signed(hosts(effect.mean - half), 1), &signed(hosts(effect.mean + half), 1), &effect.seeds],
    );
    if effect.mean == 0.0 && half == 0.0 {
        return say("{b} and {a} keep the same number of hosts empty with each of {} seeds.", &[&b, &a, &effect.seeds]);
    }
    if effect.is_decided() {
        return say("{b} keeps {} empty than {a} ({interval}).", &[&b, &amount(effect.mean), &a, &interval]);
    }
    let needed = effect.more_seeds(SEEDS_MAX).map_or_else(
        || say("more than {SEEDS_MAX} seeds would be needed", &[&SEEDS_MAX]),
        |more| say("about {} would decide", &[&words::counted(more as f64, "more seed", "more seeds")]),
    );
    say(
        "Inconclusive: {b} keeps {} empty than {a} on average, which may be random ({interval}); {needed}.",
        &[&b, &amount(effect.mean), &a, &interval, &needed],
    )
}

/// The difference of a metric over time: the active variant minus the other, with a band over the seeds that both
/// have run.
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

/// One minus the other, where both were sampled at the same time.
fn minus(times: &[f64], values: &[f64], other_times: &[f64], others: &[f64]) -> Vec<(f64, f64)> {
    let one = times.iter().zip(values);
    let pairs = one.zip(other_times.iter().zip(others)).filter(|((at, _), (other, _))| at == other);
    pairs.map(|((at, value), (_, other))| (*at, value - other)).collect()
}

/// The 95 % interval of the mean difference at each sample; empty with fewer than two seeds.
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
