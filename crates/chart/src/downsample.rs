//! Reduces points to what a line of this many pixels can show.
//!
//! A million points on five hundred pixels would draw the same pixels a thousand times. Each pixel column keeps its
//! lowest and its highest point, in time order, so that every spike remains. In the result a NaN value marks a gap.

use crate::series::{Style, between};

/// The points within a time range, with values at its two ends interpolated from the points outside, according to the
/// style.
pub(crate) fn visible(points: &[(f64, f64)], (start, end): (f64, f64), style: Style) -> Vec<(f64, f64)> {
    let first = points.partition_point(|&(t, _)| t < start);
    let last = points.partition_point(|&(t, _)| t <= end).max(first);
    let inside = points[first..last].iter().copied().filter(|(t, _)| t.is_finite());
    let before = first.checked_sub(1).map(|i| points[i]);
    let after = points.get(last).copied();

    let starts_inside = points.get(first).is_some_and(|&(t, _)| t == start);
    let mut seen = Vec::with_capacity(last - first + 2);
    if let Some(before) = before.filter(|_| !starts_inside)
        && let Some(next) = points.get(first)
    {
        seen.push((start, edge_value(before, *next, start, style)));
    }
    seen.extend(inside);
    if let Some(after) = after
        && let Some(&last_seen) = seen.last()
        && last_seen.0 < end
    {
        seen.push((end, edge_value(last_seen, after, end, style)));
    }
    seen
}

fn edge_value(left: (f64, f64), right: (f64, f64), time: f64, style: Style) -> f64 {
    match style {
        Style::Line => between(left, right, time),
        Style::Steps | Style::Bars => left.1,
    }
}

/// At most about two points per column: the lowest and the highest. A gap stays where no point of a column has a
/// value.
pub(crate) fn lowest_and_highest(points: Vec<(f64, f64)>, (start, end): (f64, f64), columns: usize) -> Vec<(f64, f64)> {
    if points.len() <= 2 * columns.max(1) || end <= start {
        return points;
    }
    let column_of = |t: f64| ((t - start) / (end - start) * columns as f64) as usize;
    let same_column = |a: &(f64, f64), b: &(f64, f64)| column_of(a.0) == column_of(b.0);
    let mut kept = Vec::with_capacity(2 * columns + 4);
    // The first and last points stay, so that the line keeps its ends.
    kept.extend(points.first());
    for column in points.chunk_by(same_column) {
        kept.extend(extremes(column));
    }
    kept.extend(points.last());
    kept.dedup();
    kept
}

/// The lowest and the highest point in time order; a gap if there is neither.
fn extremes(column: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    let known = || column.iter().filter(|(_, v)| v.is_finite());
    let low = known().min_by(|a, b| a.1.total_cmp(&b.1)).copied();
    let high = known().max_by(|a, b| a.1.total_cmp(&b.1)).copied();
    let (one, two) = match (low, high) {
        (Some(low), Some(high)) if low.0 <= high.0 => (Some(low), Some(high)),
        (Some(low), Some(high)) => (Some(high), Some(low)),
        _ => (column.first().map(|(t, _)| (*t, f64::NAN)), None),
    };
    one.into_iter().chain(two.filter(|two| Some(*two) != one))
}

/// A band reduced in the same way: for each column its lowest low and highest high.
pub(crate) fn thin_band(band: &[(f64, f64, f64)], (start, end): (f64, f64), columns: usize) -> Vec<(f64, f64, f64)> {
    let shown = |(t, low, high): &&(f64, f64, f64)| (start..=end).contains(t) && low.is_finite() && high.is_finite();
    let inside: Vec<_> = band.iter().filter(shown).copied().collect();
    if inside.len() <= 2 * columns.max(1) || end <= start {
        return inside;
    }
    let column_of = |t: f64| ((t - start) / (end - start) * columns as f64) as usize;
    inside
        .chunk_by(|a, b| column_of(a.0) == column_of(b.0))
        .map(|column| column.iter().fold(column[0], |(t, low, high), &(_, l, h)| (t, low.min(l), high.max(h))))
        .collect()
}

/// Runs of points between gaps. With `Style::Steps` a run ends where the gap
/// begins, because its last value held until then.
pub(crate) fn runs(points: &[(f64, f64)], style: Style) -> Vec<Vec<(f64, f64)>> {
    let mut runs = Vec::new();
    let mut run: Vec<(f64, f64)> = Vec::new();
    for &(time, value) in points {
        if value.is_finite() {
            run.push((time, value));
            continue;
        }
        if let Some(&(_, held)) = run.last() {
            if style != Style::Line {
                run.push((time, held));
            }
            runs.push(std::mem::take(&mut run));
        }
    }
    if !run.is_empty() {
        runs.push(run);
    }
    runs
}

/// The corners of a staircase through the points.
pub(crate) fn staircase(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::with_capacity(2 * points.len());
    for &(time, value) in points {
        if let Some(&(_, held)) = corners.last()
            && held != value
        {
            corners.push((time, held));
        }
        corners.push((time, value));
    }
    corners
}

/// Bars as (from, to, value). A bar is as long as the usual distance between
/// points; bars that would be narrower than `narrowest` (in ms) are joined into
/// wider ones that show the largest of their values.
pub(crate) fn bars(points: &[(f64, f64)], (start, end): (f64, f64), narrowest: f64) -> Vec<(f64, f64, f64)> {
    let usual = usual_distance(points).unwrap_or((end - start) / 50.0);
    let shown = |t: f64| t.is_finite() && t < end && t + usual > start;
    let known = points.iter().filter(|(t, v)| v.is_finite() && shown(*t));
    let per_bar = (narrowest / usual).ceil().max(1.0);
    let length = usual * per_bar;
    let mut bars: Vec<(f64, f64, f64)> = Vec::new();
    for &(time, value) in known {
        let from = if per_bar > 1.0 { (time / length).floor() * length } else { time };
        match bars.last_mut() {
            Some(bar) if per_bar > 1.0 && from <= bar.0 => {
                if value.abs() > bar.2.abs() {
                    bar.2 = value;
                }
            }
            _ => bars.push((from, from + length, value)),
        }
    }
    for bar in &mut bars {
        (bar.0, bar.1) = (bar.0.max(start), bar.1.min(end));
    }
    bars
}

/// The median distance between neighbouring points.
pub(crate) fn usual_distance(points: &[(f64, f64)]) -> Option<f64> {
    let mut distances: Vec<f64> = points.windows(2).map(|w| w[1].0 - w[0].0).collect();
    distances.retain(|d| d.is_finite() && *d > 0.0);
    let middle = distances.len() / 2;
    if distances.is_empty() {
        return None;
    }
    Some(*distances.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spikes_survive_a_million_points() {
        let mut points: Vec<(f64, f64)> = (0..1_000_000).map(|i| (f64::from(i), f64::from(i % 7))).collect();
        points[123_456].1 = 900.0;
        points[777_777].1 = -900.0;
        let kept = lowest_and_highest(points.clone(), (0.0, 1e6), 400);
        assert!(kept.len() <= 802, "{}", kept.len());
        assert!(kept.contains(&points[123_456]) && kept.contains(&points[777_777]));
        assert_eq!((kept.first(), kept.last()), (points.first(), points.last()));
        assert!(kept.is_sorted_by(|a, b| a.0 <= b.0));
    }

    #[test]
    fn gaps_survive_when_a_whole_column_is_unknown() {
        let value = |i: u32| {
            if (5000..6000).contains(&i) { f64::NAN } else { 1.0 }
        };
        let points = (0..10_000).map(|i| (f64::from(i), value(i))).collect();
        let kept = lowest_and_highest(points, (0.0, 1e4), 100);
        assert_eq!(runs(&kept, Style::Line).len(), 2);
    }

    #[test]
    fn values_at_the_edges_of_the_range() {
        let points = [(0.0, 0.0), (10.0, 10.0), (20.0, 20.0)];
        let check = |range, style, expected: &[(f64, f64)]| {
            assert_eq!(visible(&points, range, style), expected, "{range:?} {style:?}");
        };
        check((5.0, 15.0), Style::Line, &[(5.0, 5.0), (10.0, 10.0), (15.0, 15.0)]);
        check((5.0, 15.0), Style::Steps, &[(5.0, 0.0), (10.0, 10.0), (15.0, 10.0)]);
        check((12.0, 13.0), Style::Line, &[(12.0, 12.0), (13.0, 13.0)]);
        check((0.0, 20.0), Style::Line, &points);
        check((30.0, 40.0), Style::Steps, &[]);
        check((-20.0, -10.0), Style::Steps, &[]);
    }

    #[test]
    fn a_staircase_has_corners_only_where_it_steps() {
        let points = [(0.0, 1.0), (1.0, 1.0), (2.0, 3.0)];
        let corners = [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (2.0, 3.0)];
        assert_eq!(staircase(&points), corners);
    }

    #[test]
    fn narrow_bars_are_joined_and_keep_the_largest() {
        let points: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i), if i == 42 { 9.0 } else { 1.0 })).collect();
        assert_eq!(bars(&points, (0.0, 100.0), 1.0).len(), 100);
        let joined = bars(&points, (0.0, 100.0), 10.0);
        assert_eq!(joined.len(), 10);
        assert_eq!(joined[4], (40.0, 50.0, 9.0));
    }
}
