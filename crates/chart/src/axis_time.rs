//! Labels for times: days and hours since the start of the trace, never a bare number of milliseconds.

use tiebreak_i18n::say;

const SECOND: f64 = 1000.0;
const MINUTE: f64 = 60.0 * SECOND;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;

/// Below this end, times read "15 min"; above, they are clock times or days.
const MINUTES_END: f64 = 2.0 * HOUR;
/// Below this end, times are in seconds.
const SECONDS_END: f64 = 5.0 * MINUTE;

/// Round distances between ticks, ascending; longer ones are decades of days.
static STEPS: &[f64] = &[
    SECOND,
    2.0 * SECOND,
    5.0 * SECOND,
    10.0 * SECOND,
    20.0 * SECOND,
    30.0 * SECOND,
    MINUTE,
    2.0 * MINUTE,
    5.0 * MINUTE,
    10.0 * MINUTE,
    15.0 * MINUTE,
    30.0 * MINUTE,
    HOUR,
    2.0 * HOUR,
    3.0 * HOUR,
    6.0 * HOUR,
    12.0 * HOUR,
    DAY,
    2.0 * DAY,
    5.0 * DAY,
    7.0 * DAY,
];

/// Ticks within a range in ms, at most `ticks_max` of them, with their labels.
pub(crate) fn ticks((start, end): (f64, f64), ticks_max: usize) -> Vec<(f64, String)> {
    let step = round_step((start, end), ticks_max.max(2) - 1);
    let mut ticks = Vec::new();
    let mut multiple = (start / step).ceil();
    while multiple * step <= end && ticks.len() < ticks_max {
        let time = multiple * step;
        ticks.push((time, tick_label(time, end, step)));
        multiple += 1.0;
    }
    ticks
}

/// The smallest step that is not too dense; a somewhat longer one if that puts
/// a tick on both ends (14 days in weeks rather than in fives).
fn round_step((start, end): (f64, f64), intervals_max: usize) -> f64 {
    let least = (end - start) / f64::from(intervals_max as u32);
    let mut wide_enough = STEPS.iter().copied().filter(|step| *step >= least);
    let meets_ends = |step: &f64| start % step == 0.0 && end % step == 0.0;
    let not_too_wide = |step: &f64| *step <= 2.0 * least;
    let smallest = wide_enough.clone().next();
    let on_ends = wide_enough.find(|step| not_too_wide(step) && meets_ends(step));
    if let Some(step) = on_ends.or(smallest) {
        return step;
    }
    let mut decade = 10.0 * DAY;
    loop {
        for mantissa in [1.0, 2.0, 5.0] {
            if mantissa * decade >= least {
                return mantissa * decade;
            }
        }
        decade *= 10.0;
    }
}

fn tick_label(time: f64, end: f64, step: f64) -> String {
    let at_midnight = (time / DAY).fract() == 0.0;
    if step >= DAY || (at_midnight && time >= DAY) {
        return say("day {day}", &[&(time / DAY)]);
    }
    if end <= SECONDS_END {
        return format!("{} s", time / SECOND);
    }
    if end <= MINUTES_END && step >= MINUTE {
        return format!("{} min", time / MINUTE);
    }
    clock(time, step < MINUTE)
}

/// A time for a table whose last time is `end`: "3 d 04:30", or "04:30:15" in
/// a range shorter than two hours.
pub(crate) fn in_table(time: f64, end: f64) -> String {
    if end < DAY {
        return clock(time, end <= MINUTES_END);
    }
    // Round first, so that 23:59:59.9 does not become 24:00.
    let time = (time / MINUTE).round() * MINUTE;
    format!("{} d {}", (time / DAY).floor(), clock(time, false))
}

/// A time within a sentence: "on day 3", "at 06:00", "after 12 min".
pub(crate) fn in_sentence(time: f64, (start, end): (f64, f64)) -> String {
    let day = (time / DAY).floor();
    if end - start >= 2.0 * DAY {
        say("on day {day}", &[&day])
    } else if day > 0.0 {
        say("on day {day} at {clock}", &[&day, &clock(time, false)])
    } else if end > MINUTES_END {
        say("at {clock}", &[&clock(time, false)])
    } else if end > SECONDS_END {
        say("after {n} min", &[&(time / MINUTE).round()])
    } else {
        say("after {n} s", &[&(time / SECOND).round()])
    }
}

/// The time of day, "06:30" or "06:30:15".
fn clock(time: f64, with_seconds: bool) -> String {
    let unit = if with_seconds { SECOND } else { MINUTE };
    let within_day = ((time / unit).round() * unit).rem_euclid(DAY);
    let hours = (within_day / HOUR).floor();
    let minutes = ((within_day - hours * HOUR) / MINUTE).floor();
    let seconds = ((within_day - hours * HOUR - minutes * MINUTE) / SECOND).round();
    if with_seconds { format!("{hours:02}:{minutes:02}:{seconds:02}") } else { format!("{hours:02}:{minutes:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_days_hours_or_minutes() {
        let check = |start, end, ticks_max, expected: &str| {
            let labels: Vec<String> = ticks((start, end), ticks_max).into_iter().map(|(_, label)| label).collect();
            assert_eq!(labels.join(", "), expected);
        };
        check(0.0, 14.0 * DAY, 8, "day 0, day 2, day 4, day 6, day 8, day 10, day 12, day 14");
        check(0.0, 14.0 * DAY, 5, "day 0, day 7, day 14");
        check(0.0, 13.0 * DAY, 5, "day 0, day 5, day 10");
        check(0.0, 90.0 * DAY, 8, "day 0, day 20, day 40, day 60, day 80");
        check(0.0, 2000.0 * DAY, 6, "day 0, day 500, day 1000, day 1500, day 2000");
        check(0.0, 2.0 * DAY, 8, "00:00, 12:00, day 1, 12:00, day 2");
        check(0.0, DAY, 8, "00:00, 06:00, 12:00, 18:00, day 1");
        check(3.0 * DAY + HOUR, 3.0 * DAY + 4.0 * HOUR, 6, "01:00, 02:00, 03:00, 04:00");
        check(0.0, 30.0 * MINUTE, 5, "0 min, 10 min, 20 min, 30 min");
        check(0.0, 90.0 * SECOND, 5, "0 s, 30 s, 60 s, 90 s");
        check(HOUR * 5.0, HOUR * 5.0 + 40.0 * SECOND, 4, "05:00:00, 05:00:20, 05:00:40");
        check(0.0, 0.0, 4, "0 s");
    }

    #[test]
    fn times_in_tables_and_sentences() {
        assert_eq!(in_table(3.0 * DAY + 4.5 * HOUR, 9.0 * DAY), "3 d 04:30");
        assert_eq!(in_table(DAY - 1.0, 9.0 * DAY), "1 d 00:00");
        assert_eq!(in_table(4.5 * HOUR, 6.0 * HOUR), "04:30");
        assert_eq!(in_table(61.0 * SECOND, HOUR), "00:01:01");
        assert_eq!(in_sentence(3.2 * DAY, (0.0, 9.0 * DAY)), "on day 3");
        assert_eq!(in_sentence(6.0 * HOUR, (0.0, DAY)), "at 06:00");
        assert_eq!(in_sentence(1.25 * DAY, (0.0, 1.5 * DAY)), "on day 1 at 06:00");
        assert_eq!(in_sentence(12.0 * MINUTE, (0.0, HOUR)), "after 12 min");
        assert_eq!(in_sentence(SECOND, (0.0, MINUTE)), "after 1 s");
    }
}
