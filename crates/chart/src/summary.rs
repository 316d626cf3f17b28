//! A chart in one plain sentence, for people who use a screen reader.

use tiebreak_i18n::{mark, say, tr};

use crate::axis_time;
use crate::numbers;
use crate::plot_area::plot_area;
use crate::series::{Role, Series, TimeChart};

/// One sentence: the first and last value of the first live series, its lowest and highest value with their times,
/// and how the end of each other run compares. Each marked moment adds a sentence.
///
/// "Empty hosts: 12.3 % at the start, 15.1 % at the end, lowest 8.0 % on day 3,
/// highest 17.2 % on day 9; B for comparison ends at 13.0 %, 2.1 points lower. Machines fail on day 7."
pub fn summary(chart: &TimeChart) -> String {
    let words = Words::of(chart);
    let main = chart.series.iter().find(|s| s.role == Role::Live);
    let Some(main) = main.or(chart.series.first()) else {
        return say("{title}: no data yet.", &[&chart.title]);
    };
    let Some(course) = Course::of(main, words.time_range) else {
        return say("{title}: no data yet.", &[&chart.title]);
    };
    let others = chart.series.iter().filter(|s| !std::ptr::eq(*s, main));
    let clauses: String = others.filter_map(|s| words.compared(s, &course)).collect();
    let marked = chart.moments.iter().filter(|it| (words.time_range.0..=words.time_range.1).contains(&it.time));
    let marked = marked.map(|it| say(" {event} {when}.", &[&it.label, &words.moment(it.time)]));
    format!("{}: {}{clauses}.{}", chart.title, words.told(&course), marked.collect::<String>())
}

/// The course of one series within the time range.
struct Course {
    first: f64,
    last: (f64, f64),
    lowest: (f64, f64),
    highest: (f64, f64),
}

impl Course {
    fn of(series: &Series, (start, end): (f64, f64)) -> Option<Self> {
        let seen = crate::downsample::visible(&series.points, (start, end), series.style);
        let known = || seen.iter().copied().filter(|(_, v)| v.is_finite());
        Some(Self {
            first: known().next()?.1,
            last: known().next_back()?,
            // Of equal values the first: the time at which it was reached.
            lowest: known().reduce(|a, b| if b.1 < a.1 { b } else { a })?,
            highest: known().reduce(|a, b| if b.1 > a.1 { b } else { a })?,
        })
    }
}

/// Words for this chart's values and times.
struct Words<'a> {
    unit: &'a str,
    decimals: usize,
    time_range: (f64, f64),
}

impl<'a> Words<'a> {
    fn of(chart: &'a TimeChart) -> Self {
        let values = chart.series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
        Self {
            unit: &chart.unit,
            decimals: numbers::decimals_for(values),
            time_range: plot_area(chart, 0.0, 0.0).time_range,
        }
    }

    fn value(&self, value: f64) -> String {
        numbers::with_unit(value, self.decimals, self.unit)
    }

    fn moment(&self, time: f64) -> String {
        axis_time::in_sentence(time, self.time_range)
    }

    fn told(&self, course: &Course) -> String {
        let Course { first, last, lowest, highest } = course;
        if lowest.1 == highest.1 {
            return say("{value} throughout", &[&self.value(*first)]);
        }
        say(
            "{first} at the start, {last} at the end, lowest {low} {when_low}, highest {high} {when_high}",
            &[
                &self.value(*first),
                &self.value(last.1),
                &self.value(lowest.1),
                &self.moment(lowest.0),
                &self.value(highest.1),
                &self.moment(highest.0),
            ],
        )
    }

    /// "; B for comparison ends at 13.0 %, 2.1 points lower"
    fn compared(&self, other: &Series, main: &Course) -> Option<String> {
        let (end, last) = Course::of(other, self.time_range)?.last;
        // A run that goes on longer is compared at the time where the other one ends.
        let now = (end > main.last.0).then(|| other.value_at(main.last.0)).flatten();
        let (told, last) = match now {
            Some(now) => (mark("; {who} was at {value}, {difference}"), now),
            None => (mark("; {who} ends at {value}, {difference}"), last),
        };
        let who = match (other.label.trim(), other.role) {
            ("", _) => tr("the other run").to_owned(),
            (label, Role::Ghost) => say("{label} for comparison", &[&label]),
            (label, _) => label.to_owned(),
        };
        let distance = numbers::plain((last - main.last.1).abs(), self.decimals);
        let points = if self.unit == "%" { tr(" points") } else { "" };
        let difference = if distance == numbers::plain(0.0, self.decimals) {
            tr("the same").to_owned()
        } else if last < main.last.1 {
            say("{distance}{points} lower", &[&distance, &points])
        } else {
            say("{distance}{points} higher", &[&distance, &points])
        };
        Some(say(told, &[&who, &self.value(last), &difference]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Moment, Style};

    const DAY: f64 = 86_400_000.0;

    fn series(label: &str, role: Role, days_and_values: &[(f64, f64)]) -> Series {
        let points = days_and_values.iter().map(|(d, v)| (d * DAY, *v)).collect();
        Series::new(label, role, Style::Steps, points)
    }

    #[test]
    fn one_sentence_per_chart() {
        let check = |series: Vec<Series>, expected: &str| {
            let chart = TimeChart {
                title: "Empty hosts".into(),
                unit: "%".into(),
                series,
                time_range: (0.0, 10.0 * DAY),
                y_from_zero: true,
                y_max: None,
                moments: Vec::new(),
            };
            assert_eq!(summary(&chart), expected);
        };
        let live = || {
            let points = [(0.0, 12.3), (3.5, 8.0), (9.0, 17.2), (10.0, 15.1)];
            series("A", Role::Live, &points)
        };
        let ghost = |last| series("B", Role::Ghost, &[(0.0, 12.3), (10.0, last)]);
        check(vec![], "Empty hosts: no data yet.");
        check(vec![series("A", Role::Live, &[])], "Empty hosts: no data yet.");
        check(vec![series("A", Role::Live, &[(0.0, 42.0), (5.0, 42.0)])], "Empty hosts: 42 % throughout.");
        check(
            vec![live()],
            "Empty hosts: 12.3 % at the start, 15.1 % at the end, lowest 8.0 % on day 3, \
             highest 17.2 % on day 9.",
        );
        check(
            vec![ghost(13.0), live()],
            "Empty hosts: 12.3 % at the start, 15.1 % at the end, lowest 8.0 % on day 3, \
             highest 17.2 % on day 9; B for comparison ends at 13.0 %, 2.1 points lower.",
        );
        check(
            vec![live(), ghost(15.12)],
            "Empty hosts: 12.3 % at the start, 15.1 % at the end, lowest 8.0 % on day 3, \
             highest 17.2 % on day 9; B for comparison ends at 15.1 %, the same.",
        );
        let mut marked = TimeChart {
            title: "Live VMs".into(),
            unit: String::new(),
            series: vec![series("A", Role::Live, &[(0.0, 5.0), (9.0, 5.0)])],
            time_range: (0.0, 10.0 * DAY),
            y_from_zero: true,
            y_max: None,
            moments: Vec::new(),
        };
        let moment = |days: f64| Moment { time: days * DAY, label: "Machines fail".into() };
        marked.moments = vec![moment(3.5), moment(11.0)];
        assert_eq!(summary(&marked), "Live VMs: 5 throughout. Machines fail on day 3.");
    }
}
