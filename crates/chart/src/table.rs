//! A chart's data as a table and as a CSV file.

use std::fmt::Write;

use tiebreak_i18n::tr;

use crate::axis_time;
use crate::numbers;
use crate::series::{Series, Style, TimeChart};

/// A table of text for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// One heading per column, with its unit.
    pub header: Vec<String>,
    /// Rows as long as the header; a cell without a value is empty.
    pub rows: Vec<Vec<String>>,
}

/// The chart as at most `rows_max` rows. If there are more times than that, the rows are an even selection: they show
/// the last known value, or for bars the largest since the row before.
pub fn table(chart: &TimeChart, rows_max: usize) -> Table {
    let times = times(chart);
    let chosen = evenly_chosen(&times, rows_max);
    let is_thinned = chosen.len() < times.len();
    let mut header = vec![tr("Time").to_owned()];
    for series in &chart.series {
        let what = match (series.style, is_thinned) {
            (Style::Bars, true) => tr("largest"),
            _ => "",
        };
        header.push(column(chart, series, what));
        if !series.band.is_empty() {
            header.push(column(chart, series, tr("low")));
            header.push(column(chart, series, tr("high")));
        }
    }
    let values = chart.series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
    let decimals = numbers::decimals_for(values);
    let end = times.last().copied().unwrap_or(0.0);
    let mut since = f64::NEG_INFINITY;
    let mut rows = Vec::with_capacity(chosen.len());
    for time in chosen {
        let cell = |value: Option<f64>| value.map_or(String::new(), |v| numbers::plain(v, decimals));
        let mut row = vec![axis_time::in_table(time, end)];
        for series in &chart.series {
            row.push(cell(value_in(series, since, time)));
            if !series.band.is_empty() {
                let band = band_at(series, time);
                row.extend([cell(band.map(|b| b.0)), cell(band.map(|b| b.1))]);
            }
        }
        rows.push(row);
        since = time;
    }
    Table { header, rows }
}

/// Every point of the chart as CSV: a header with units, then one line per time in
/// ms with one column per series (and its band). Cells without a value are empty.
pub fn csv(chart: &TimeChart) -> String {
    let mut columns: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for series in &chart.series {
        columns.push((column(chart, series, ""), series.points.clone()));
        if !series.band.is_empty() {
            let low = series.band.iter().map(|&(t, low, _)| (t, low)).collect();
            let high = series.band.iter().map(|&(t, _, high)| (t, high)).collect();
            columns.push((column(chart, series, tr("low")), low));
            columns.push((column(chart, series, tr("high")), high));
        }
    }
    let mut text = "time_ms".to_owned();
    for (name, points) in &mut columns {
        text.push(',');
        text.push_str(&csv_field(name));
        points.retain(|(t, _)| t.is_finite());
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    text.push('\n');
    let mut next = vec![0; columns.len()];
    // Two values at one time give two lines, so that no point is lost.
    while let Some(time) = earliest(&columns, &next) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{time}");
        for ((_, points), next) in columns.iter().zip(&mut next) {
            text.push(',');
            if let Some((_, value)) = points.get(*next).filter(|p| p.0 == time) {
                *next += 1;
                if value.is_finite() {
                    let _ = write!(text, "{value}");
                }
            }
        }
        text.push('\n');
    }
    text
}

fn earliest(columns: &[(String, Vec<(f64, f64)>)], next: &[usize]) -> Option<f64> {
    let heads = columns.iter().zip(next).filter_map(|((_, p), i)| p.get(*i));
    heads.map(|p| p.0).min_by(f64::total_cmp)
}

/// "A (%)", "A low (%)"; the chart's title if a series has no name.
fn column(chart: &TimeChart, series: &Series, what: &str) -> String {
    let name = match series.label.trim() {
        "" => chart.title.as_str(),
        label => label,
    };
    let mut heading = name.to_owned();
    if !what.is_empty() {
        heading.push(' ');
        heading.push_str(what);
    }
    if !chart.unit.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(heading, " ({})", chart.unit);
    }
    heading
}

/// A CSV field, quoted if necessary; a leading sign that would make a spreadsheet run it as a formula is neutralised.
pub fn csv_field(field: &str) -> String {
    let defused = if field.starts_with(['=', '+', '-', '@']) { format!("'{field}") } else { field.to_owned() };
    if defused.contains([',', '"', '\n', '\r']) { format!("\"{}\"", defused.replace('"', "\"\"")) } else { defused }
}

/// All times within the range at which some series has a point.
fn times(chart: &TimeChart) -> Vec<f64> {
    let (start, end) = chart.time_range;
    let of_points = chart.series.iter().flat_map(|s| s.points.iter().map(|p| p.0));
    let of_bands = chart.series.iter().flat_map(|s| s.band.iter().map(|b| b.0));
    let mut times: Vec<f64> = of_points.chain(of_bands).filter(|t| (start..=end).contains(t)).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// At most `most` of the times, including the first and the last.
fn evenly_chosen(times: &[f64], most: usize) -> Vec<f64> {
    if times.len() <= most {
        return times.to_vec();
    }
    let last = times.len() - 1;
    let index = |row: usize| row * last / (most - 1).max(1);
    (0..most).map(|row| times[index(row)]).collect()
}

/// The value of a series in a row: for bars the largest after `since`, otherwise the last value, until the series
/// ends.
fn value_in(series: &Series, since: f64, time: f64) -> Option<f64> {
    if series.style != Style::Bars {
        return series.value_at(time);
    }
    let from = series.points.partition_point(|&(t, _)| t <= since);
    let to = series.points.partition_point(|&(t, _)| t <= time).max(from);
    let values = series.points[from..to].iter().map(|p| p.1);
    values.filter(|v| v.is_finite()).max_by(f64::total_cmp)
}

fn band_at(series: &Series, time: f64) -> Option<(f64, f64)> {
    let after = series.band.partition_point(|&(t, ..)| t <= time);
    let (_, low, high) = *series.band.get(after.checked_sub(1)?)?;
    (low.is_finite() && high.is_finite()).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    const HOUR: f64 = 3_600_000.0;

    fn chart(style: Style, values: &[f64]) -> TimeChart {
        let times = (0..).map(|hour| f64::from(hour) * HOUR);
        let points = times.zip(values.iter().copied()).collect();
        TimeChart {
            title: "Empty hosts".into(),
            unit: "%".into(),
            series: vec![Series::new("A", Role::Live, style, points)],
            time_range: (0.0, 48.0 * HOUR),
            y_from_zero: true,
            y_max: None,
            moments: Vec::new(),
        }
    }

    fn text(table: &Table) -> String {
        let rows = table.rows.iter().map(|row| row.join(" | "));
        let lines: Vec<String> = std::iter::once(table.header.join(" | ")).chain(rows).collect();
        lines.join("\n")
    }

    #[test]
    fn a_short_series_is_shown_whole() {
        let mut chart = chart(Style::Steps, &[12.25, f64::NAN, 1.0]);
        chart.series[0].band = vec![(0.0, 11.0, 13.0)];
        let ghost = vec![(30.0 * HOUR, 7.0)];
        chart.series.push(Series::new("", Role::Ghost, Style::Steps, ghost));
        let expected = "\
Time | A (%) | A low (%) | A high (%) | Empty hosts (%)
0 d 00:00 | 12.2 | 11.0 | 13.0 | 
0 d 01:00 |  | 11.0 | 13.0 | 
0 d 02:00 | 1.0 | 11.0 | 13.0 | 
1 d 06:00 |  | 11.0 | 13.0 | 7.0";
        assert_eq!(text(&table(&chart, 100)), expected);
    }

    #[test]
    fn a_long_series_is_thinned_and_bars_keep_their_peaks() {
        let mut values = [1.0; 25];
        values[7] = 9.0;
        let expected = "\
Time | A largest (%)
0 d 00:00 | 1
0 d 12:00 | 9
1 d 00:00 | 1";
        assert_eq!(text(&table(&chart(Style::Bars, &values), 3)), expected);
        for rows_max in 0..30 {
            assert!(table(&chart(Style::Steps, &values), rows_max).rows.len() <= rows_max);
        }
    }

    #[test]
    fn csv_holds_every_point() {
        let mut chart = chart(Style::Steps, &[12.25, f64::NAN]);
        let ghost = vec![(0.0, 1.0), (0.0, 2.0), (5.5, 3.0)];
        chart.series.push(Series::new("=B, \"old\"", Role::Ghost, Style::Steps, ghost));
        let expected = "\
time_ms,A (%),\"'=B, \"\"old\"\" (%)\"
0,12.25,1
0,,2
5.5,,3
3600000,,
";
        assert_eq!(csv(&chart), expected);
    }
}
