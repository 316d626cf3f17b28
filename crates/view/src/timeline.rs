//! The positions of events on the timeline, the positions of new ones, and their names.

use tiebreak_app::{App, Outcome};
use tiebreak_chart::Moment;
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_model::sort;
use tiebreak_scenario::IncidentRow;
use tiebreak_scenario::incident::AT_HOURS;

/// Milliseconds in an hour.
const HOUR_MS: f64 = 3_600_000.0;

/// The maximum number of rows of marks; marks in the last row may overlap.
const LEVELS_MAX: usize = 4;

/// Possible steps for moving events, in hours; the one closest to a pixel is used.
const STEPS: [f64; 8] = [0.01, 0.05, 0.25, 0.5, 1.0, 2.0, 6.0, 24.0];

/// The approximate maximum number of steps in a whole trace.
const STEPS_MAX: f64 = 700.0;

/// One event on the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its index in the document's list.
    pub incident: usize,
    /// The accessible name: `FailMachines at day 3, 12:00`.
    pub name: String,
    /// Display text: `Machines fail, day 3, 12:00`.
    pub title: String,
    /// One or two letters.
    pub letters: String,
    /// Its position, from 0 at the start of the trace to 1 at its end.
    pub share: f64,
    /// Its row, from 0.
    pub level: usize,
    /// Whether it is after the end of the trace, so that it never happens.
    pub is_beyond: bool,
}

/// The events of the active variant, by time. `gap` is the width of one, as a share of the timeline: those that would
/// overlap get different rows.
#[must_use]
pub fn marks(app: &App, gap: f64) -> Vec<Mark> {
    let rows = &app.variant().incidents;
    let latest = rows.iter().map(|row| row.at_hours).fold(0.0, f64::max);
    // Until a run has given the length of the trace, show all of them.
    let end = horizon_hours(app).unwrap_or((latest * 1.25).max(24.0));
    let mut marks: Vec<_> = rows.iter().enumerate().map(|(incident, row)| mark(incident, row, end)).collect();
    sort::short(&mut marks, |one, other| one.share < other.share);
    stack(&mut marks, gap);
    marks
}

/// The name of its kind.
fn title(row: &IncidentRow) -> &str {
    row.entry().map_or(row.id.as_str(), |entry| tr(entry.declaration.title))
}

fn mark(incident: usize, row: &IncidentRow, end: f64) -> Mark {
    let title = title(row);
    let at = words::day_and_time(row.at_hours);
    let is_beyond = row.at_hours > end;
    let after = if is_beyond { tr(", after the trace ends") } else { "" };
    Mark {
        incident,
        name: say("{} at {at}{after}", &[&row.id, &at, &after]),
        title: format!("{title}, {at}{after}"),
        letters: row.id.chars().filter(|letter| letter.is_uppercase()).take(2).collect(),
        share: (row.at_hours / end).min(1.0),
        level: 0,
        is_beyond,
    }
}

/// Puts each into the first row without overlap.
fn stack(marks: &mut [Mark], gap: f64) {
    let mut ends = [f64::NEG_INFINITY; LEVELS_MAX];
    for mark in marks {
        mark.level = ends.iter().position(|end| *end <= mark.share).unwrap_or(LEVELS_MAX - 1);
        ends[mark.level] = mark.share + gap;
    }
}

/// A moment in hours since the start of the trace.
#[must_use]
pub fn hours(ms: f64) -> f64 {
    ms / HOUR_MS
}

/// The length of the displayed trace, in hours; `None` before a run has given it.
#[must_use]
pub fn horizon_hours(app: &App) -> Option<f64> {
    app.front.live.as_ref().map(hours_of).filter(|hours| *hours > 0.0)
}

fn hours_of(outcome: &Outcome) -> f64 {
    outcome.horizon_ms / HOUR_MS
}

/// The step for moving events on a trace of this many hours.
#[must_use]
pub fn step_hours(horizon: f64) -> f64 {
    STEPS.into_iter().find(|step| *step >= horizon / STEPS_MAX).unwrap_or(STEPS[STEPS.len() - 1])
}

/// The nearest time at which an event can be dropped: on a step, and inside the trace.
#[must_use]
pub fn snapped(hours: f64, horizon: f64) -> f64 {
    let step = step_hours(horizon);
    let last = (horizon / step + 1e-9).floor();
    let steps = (hours / step).round().clamp(0.0, last);
    // With only as many digits as the step has, because this is written into links.
    (steps * step * 100.0).round().min(AT_HOURS.max * 100.0) / 100.0
}

/// The time of an event that is added without one: the selected moment, or the middle of the trace.
#[must_use]
pub fn time_for_new(app: &App) -> Option<f64> {
    let horizon = horizon_hours(app)?;
    let hours = app.cursor_ms.map_or(horizon / 2.0, |ms| ms / HOUR_MS);
    Some(snapped(hours, horizon))
}

/// The new time of an event that is moved by this many steps; one that was after the end of the trace moves back into
/// it.
#[must_use]
pub fn moved(at_hours: f64, steps: f64, horizon: f64) -> f64 {
    let step = step_hours(horizon);
    snapped(at_hours.min(horizon) + steps * step, horizon)
}

/// The events of a run that happened inside its trace, by time.
#[must_use]
pub fn happened(outcome: &Outcome) -> Vec<Moment> {
    let rows = outcome.document.active_variant().incidents.iter();
    let moment = |row: &IncidentRow| Moment { time: row.at_hours * HOUR_MS, label: title(row).to_owned() };
    let mut moments: Vec<_> = rows.map(moment).filter(|moment| moment.time <= outcome.horizon_ms).collect();
    sort::short(&mut moments, |one, other| one.time < other.time);
    moments
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_scenario::{Document, Variant};

    fn app(hours: &[f64], horizon: Option<f64>) -> App {
        let row = |at: &f64| IncidentRow::plain("FailMachines", *at).expect("a kind");
        let variant = Variant { incidents: hours.iter().map(row).collect(), ..Variant::default() };
        let (mut app, _) = App::open(Document { variants: vec![variant], ..Document::default() });
        app.front.live = horizon.map(|hours| Outcome { horizon_ms: hours * HOUR_MS, ..Outcome::default() });
        app
    }

    #[test]
    fn events_stand_by_time_and_beside_each_other() {
        let marks = marks(&app(&[84.0, 12.0, 12.1, 12.1, 12.1, 12.1, 400.0], Some(336.0)), 0.05);
        let shown: Vec<_> = marks.iter().map(|mark| (mark.incident, mark.level)).collect();
        assert_eq!(shown, [(1, 0), (2, 1), (3, 2), (4, 3), (5, 3), (0, 0), (6, 0)]);
        assert_eq!((marks[5].name.as_str(), marks[5].letters.as_str()), ("FailMachines at day 3, 12:00", "FM"));
        assert_eq!(marks[5].title, "Machines fail, day 3, 12:00");
        let last = &marks[6];
        assert_eq!((last.share, last.is_beyond), (1.0, true));
        assert!(last.name.ends_with(", after the trace ends"), "{}", last.name);
    }

    #[test]
    fn those_inside_the_trace_are_marked_in_the_charts() {
        let app = app(&[84.0, 12.0, 400.0], Some(336.0));
        let mut live = app.front.live.expect("a run");
        live.document = app.document;
        let moments: Vec<_> = happened(&live).into_iter().map(|it| (it.time / HOUR_MS, it.label)).collect();
        assert_eq!(moments, [(12.0, "Machines fail".into()), (84.0, "Machines fail".into())]);
    }

    #[test]
    fn before_a_run_has_told_how_long_the_trace_is_all_are_seen() {
        for (at, share) in [(12.0, 0.5), (1_000.0, 0.8)] {
            let app = app(&[at], None);
            assert_eq!((marks(&app, 0.1)[0].share, time_for_new(&app)), (share, None));
        }
    }

    #[test]
    fn times_are_short_and_inside_the_trace() {
        for (horizon, step) in [(0.5, 0.01), (24.0, 0.05), (168.0, 0.25), (336.0, 0.5), (2_160.0, 6.0), (1e9, 24.0)] {
            assert_eq!(step_hours(horizon), step, "{horizon} hours");
        }
        for (hours, horizon, expected) in [
            (0.123, 24.0, 0.1),
            (13.333, 24.0, 13.35),
            (-5.0, 24.0, 0.0),
            (99.0, 24.0, 24.0),
            (99.0, 23.99, 23.95),
            (1e9, 1e9, 10_000.0),
        ] {
            assert_eq!(snapped(hours, horizon), expected, "{hours} of {horizon}");
        }
        for (from, steps, expected) in [(12.0, 1.0, 12.05), (12.0, -10.0, 11.5), (0.0, -1.0, 0.0), (500.0, -1.0, 23.95)]
        {
            assert_eq!(moved(from, steps, 24.0), expected, "{steps} steps from {from}");
        }
    }

    #[test]
    fn new_ones_go_to_the_cursor_or_into_the_middle() {
        let mut app = app(&[], Some(24.0));
        assert_eq!(time_for_new(&app), Some(12.0));
        app.cursor_ms = Some(6.02 * HOUR_MS);
        assert_eq!(time_for_new(&app), Some(6.0));
    }
}
