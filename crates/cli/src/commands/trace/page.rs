//! The page of a comparison: tables and charts in one self-contained HTML file.

use tiebreak_chart::{Plot, Role, Series, Style, TimeChart, summary, svg};
use tiebreak_fitting::{Comparison, Distance};

const WIDTH: u32 = 720;
const HEIGHT: u32 = 240;
const HOUR_MS: f64 = 3_600_000.0;

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
                     table{border-collapse:collapse;margin:1rem 0}td,th{padding:.15rem .8rem .15rem 0;text-align:right}\
                     td:first-child,th:first-child{text-align:left}th{border-bottom:1px solid #999}svg{display:block;width:100%;margin:1.2rem 0}";

/// The page that compares two traces of these names.
pub(super) fn html(names: [&str; 2], tables: &[Vec<Vec<String>>], comparison: &Comparison) -> String {
    let [first, second] = names.map(escaped);
    let tables: String = tables.iter().map(|rows| table(rows)).collect();
    let charts = charts(comparison).concat();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{first} and {second}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{first} and {second}</h1>\n\
         <p>A is {first}; B is {second}. KS is the largest difference between two distributions, CvM the mean squared difference; both range from 0 (equal) to 1. Lifetimes are estimated with Kaplan-Meier.</p>\n{tables}{charts}</body>\n</html>\n"
    )
}

fn table(rows: &[Vec<String>]) -> String {
    let line = |cell: &str, row: &[String]| {
        let cells: String = row.iter().map(|text| format!("<{cell}>{}</{cell}>", escaped(text))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let Some((head, rows)) = rows.split_first() else { return String::new() };
    let rows: String = rows.iter().map(|row| line("td", row)).collect();
    format!("<table>\n{}{rows}</table>\n", line("th", head))
}

fn charts(comparison: &Comparison) -> Vec<String> {
    let in_use = &comparison.in_use;
    let times = [
        ("Requests", "per hour", counts(&comparison.requests.first.counts), counts(&comparison.requests.second.counts)),
        ("VM arrivals", "per hour", counts(&comparison.vms.first.counts), counts(&comparison.vms.second.counts)),
        ("VMs alive", "", in_use.first.vms.clone(), in_use.second.vms.clone()),
        ("Cores in use", "", in_use.first.cores.clone(), in_use.second.cores.clone()),
    ];
    let distances = comparison.distances.iter().filter(|it| it.points.len() > 1).map(shares);
    let times = times.iter().map(|(title, unit, first, second)| over_time(title, unit, first, second));
    distances.chain(times).collect()
}

fn counts(counts: &[u32]) -> Vec<f64> {
    counts.iter().copied().map(f64::from).collect()
}

/// The chart of cumulative shares of both traces.
fn shares(distance: &Distance) -> String {
    let line = |which: usize, label: &str, role| {
        // A logarithmic axis has no zero.
        let points = distance.points.iter().filter(|point| point[0] > 0.0);
        Series::new(label, role, Style::Steps, points.map(|point| (point[0], 100.0 * point[which])).collect())
    };
    // The axis has room for one word: the unit, or what is counted.
    let unit = distance.what.rsplit_once(", ").map(|(_, unit)| unit);
    let counted = distance.what.split(' ').next().unwrap_or_default();
    let plot = Plot {
        title: format!("Cumulative distribution: {}", distance.what),
        unit: "%".into(),
        across: unit.unwrap_or(counted).into(),
        across_is_log: true,
        up_is_log: false,
        series: vec![line(1, "A", Role::Ghost), line(2, "B", Role::Live)],
    };
    let label = format!("{}: the largest difference is {:.3}", distance.what, distance.kolmogorov_smirnov);
    plot.svg(WIDTH, HEIGHT, &label)
}

fn over_time(title: &str, unit: &str, first: &[f64], second: &[f64]) -> String {
    let line = |values: &[f64], label: &str, role| {
        let points = (0..).zip(values).map(|(hour, value)| (f64::from(hour) * HOUR_MS, *value));
        Series::new(label, role, Style::Steps, points.collect())
    };
    let chart = TimeChart {
        title: title.into(),
        unit: unit.into(),
        series: vec![line(first, "A", Role::Ghost), line(second, "B", Role::Live)],
        time_range: (0.0, first.len().max(second.len()).max(1) as f64 * HOUR_MS),
        y_from_zero: true,
        y_max: None,
        moments: Vec::new(),
    };
    svg(&chart, WIDTH, HEIGHT, &summary(&chart)).0
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
