//! A sweep as a chart and as rows: one figure by its first field, or one against another.

use tiebreak_app::Sweep;
use tiebreak_app::sweep::Spread;
use tiebreak_chart::{Plot, Role, Series, Style};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};

use crate::compare::Measure;

/// The number of lines with their own colour after the first.
const COLOURS: usize = 4;

/// A chart of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The plot: the mean over the seeds of each point that has any results, by value of the second field.
    pub plot: Plot,
    /// The labels of the horizontal axis if the first field's values are not all numbers: the first is at 1, and so
    /// on.
    pub words: Vec<String>,
}

/// One figure of every point by its first field, or against another figure. With several seeds, bands show the range.
#[must_use]
pub fn drawing(sweep: &Sweep, up: &Measure, across: Option<&Measure>) -> Drawing {
    let first = sweep.values().first().map_or(&[][..], Vec::as_slice);
    let numbers: Option<Vec<f64>> = first.iter().map(|value| value.parse().ok()).collect();
    let is_of_words = across.is_none() && numbers.is_none();
    let place = |value: &String| match &numbers {
        Some(_) => value.parse().ok(),
        None => first.iter().position(|other| other == value).map(|at| at as f64 + 1.0),
    };
    let mut lines: Vec<(String, Vec<(f64, Spread)>)> = Vec::new();
    for point in sweep.points() {
        let Some(spread) = point.spread(|result| up.of(result)) else { continue };
        let at = match across {
            Some(measure) => point.spread(|result| measure.of(result)).map(|spread| spread.mean),
            None => point.values.first().and_then(place),
        };
        let Some(at) = at else { continue };
        let name = point.values.get(1).cloned().unwrap_or_default();
        match lines.iter_mut().find(|(other, _)| *other == name) {
            Some((_, points)) => points.push((at, spread)),
            None => lines.push((name, vec![(at, spread)])),
        }
    }
    let field = sweep.paths().first().map_or("", |path| path.rsplit('.').next().unwrap_or_default());
    let title = match across {
        None => say("{} by {field}", &[&tr(up.title), &field]),
        Some(across) => say("{} against {}", &[&tr(up.title), &words::inside(across.title)]),
    };
    let plot = Plot {
        title,
        unit: tr(up.unit).into(),
        across: across.map_or(field, |across| tr(across.unit)).into(),
        across_is_log: false,
        up_is_log: false,
        series: lines.into_iter().enumerate().map(|(index, line)| series(index, line, across.is_none())).collect(),
    };
    Drawing { plot, words: if is_of_words { first.to_vec() } else { Vec::new() } }
}

fn series(index: usize, (name, mut points): (String, Vec<(f64, Spread)>), with_band: bool) -> Series {
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let role = index.checked_sub(1).map_or(Role::Live, |index| Role::Variant((index % COLOURS) as u8));
    let is_spread = with_band && points.iter().any(|(_, spread)| spread.seeds > 1);
    let band = points.iter().filter(|_| is_spread).map(|(at, spread)| (*at, spread.low, spread.high)).collect();
    let means = points.iter().map(|(at, spread)| (*at, spread.mean)).collect();
    Series::new(name, role, Style::Line, means).with_band(band)
}

/// Its progress, and the seeds: `12 of 30 runs, seeds 1 to 3`.
#[must_use]
pub fn so_far(sweep: &Sweep) -> String {
    let (done, all) = sweep.progress();
    let stopped = if sweep.is_stopped && done < all { tr(", stopped") } else { "" };
    say("{done} of {all} runs{stopped}, {}", &[&done, &all, &stopped, &seeds(sweep.seeds())])
}

/// `seed 1`, `seeds 1 to 3`, `seeds 7, 5`.
fn seeds(seeds: &[u64]) -> String {
    match seeds {
        [one] => say("seed {one}", &[&one]),
        [first, .., last] if seeds.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1])) => {
            say("seeds {first} to {last}", &[&first, &last])
        }
        seeds => say("seeds {}", &[&seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")]),
    }
}

/// A figure of a point: its mean, and its range if there are several seeds.
#[must_use]
pub fn cell(measure: &Measure, spread: Spread) -> (String, Option<String>) {
    let decimals = match (measure.unit, spread.seeds) {
        ("", 1) => 0,
        ("", _) => 1,
        _ => 2,
    };
    let number = |value: f64| match decimals {
        0 => words::count(value),
        decimals => words::fixed(value, decimals),
    };
    let mean = match measure.unit {
        "" => number(spread.mean),
        unit => format!("{} {}", number(spread.mean), tr(unit)),
    };
    let is_spread = spread.seeds > 1 && spread.low < spread.high;
    (mean, is_spread.then(|| say("{} to {}", &[&number(spread.low), &number(spread.high)])))
}
