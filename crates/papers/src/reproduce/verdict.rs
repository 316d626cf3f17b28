//! The verdicts on the directions that a paper shows.
//!
//! A direction that is subject to chance is judged by a confidence interval of paired differences, one per seed, and
//! never by the order of two means. It is undecided if the interval allows both directions.

use serde::Serialize;
use tiebreak_console::answer::Answer;
use tiebreak_console::shown::signed;
use tiebreak_scenario::effect::Effect;

/// The verdict on a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// Our results show it.
    Holds,
    /// Our results show it, but a number was chosen to match it: no evidence.
    Fitted,
    /// The results may be due to chance.
    Undecided,
    /// Our results show the opposite.
    Fails,
}

impl Verdict {
    /// Sets the exit code of an answer to that of the verdict.
    pub(super) fn on(self, answer: Answer) -> Answer {
        answer.problem(self == Self::Fails).undecided(self == Self::Undecided)
    }
}

/// A direction that the paper shows, and its verdict.
#[derive(Clone, Serialize)]
pub(super) struct Check {
    what: &'static str,
    verdict: Verdict,
    /// What contradicts it, or why the evidence is insufficient.
    why: Option<String>,
    /// The decisive difference: the least favourable one if there are several. `None` if chance plays no part.
    difference: Option<Difference>,
}

/// A mean of paired differences with its 95 % interval. A value above 0 supports the direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Difference {
    /// What it compares, if a direction covers several differences.
    of: Option<String>,
    mean: f64,
    /// Both ends; `None` with only one pair.
    interval: Option<[f64; 2]>,
    pairs: usize,
    unit: &'static str,
}

impl Difference {
    fn new(of: Option<String>, unit: &'static str, pairs: impl IntoIterator<Item = f64>) -> Self {
        let pairs: Vec<f64> = pairs.into_iter().collect();
        let effect = Effect::of(&pairs).expect("a seed was run");
        Self { of, mean: effect.mean, interval: effect.interval(), pairs: pairs.len(), unit }
    }

    fn verdict(&self) -> Verdict {
        match self.interval {
            Some([from, _]) if from > 0.0 => Verdict::Holds,
            // If no seed shows a difference, there is none.
            Some([_, to]) if to < 0.0 || (self.mean == 0.0 && to == 0.0) => Verdict::Fails,
            _ => Verdict::Undecided,
        }
    }

    /// `with 3 buckets +0.12 points (-0.01 to +0.25)`.
    fn text(&self) -> String {
        let Self { of, mean, interval, unit, .. } = self;
        let of = of.as_ref().map_or(String::new(), |of| format!("{of} "));
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let interval = interval.map_or_else(
            || "one seed has no interval".to_owned(),
            |[from, to]| format!("{} to {}", signed(from), signed(to)),
        );
        format!("{of}{}{unit} ({interval})", signed(*mean))
    }
}

impl Check {
    /// Without chance: holds if there is no reason against it.
    pub(super) fn new(what: &'static str, why: Option<String>) -> Self {
        let verdict = if why.is_none() { Verdict::Holds } else { Verdict::Fails };
        Self { what, verdict, why, difference: None }
    }

    /// Without chance: holds if `holds`; otherwise `why` says what was observed instead.
    pub(super) fn so(what: &'static str, holds: bool, why: impl FnOnce() -> String) -> Self {
        Self::new(what, (!holds).then(why))
    }

    /// Holds if the mean of these differences, one per seed, is significantly above 0.
    pub(super) fn above(what: &'static str, unit: &'static str, pairs: impl IntoIterator<Item = f64>) -> Self {
        Self::of_difference(what, Difference::new(None, unit, pairs))
    }

    /// Holds if each of several named differences is significantly above 0 on average, and fails if one is below. The
    /// intervals need no correction for multiple comparisons, because all of them must lie above 0.
    pub(super) fn each_above<P: IntoIterator<Item = f64>>(
        what: &'static str,
        unit: &'static str,
        of: impl IntoIterator<Item = (String, P)>,
    ) -> Self {
        let differences = of.into_iter().map(|(of, pairs)| Difference::new(Some(of), unit, pairs));
        let least = |one: &Difference| one.interval.map_or(f64::NEG_INFINITY, |[from, _]| from);
        let worst = differences
            .max_by(|one, other| one.verdict().cmp(&other.verdict()).then(least(other).total_cmp(&least(one))));
        Self::of_difference(what, worst.expect("a direction is about something"))
    }

    /// Judges a difference by this interval of a bootstrap that repeats all tuning. With a reason to doubt the interval
    /// itself, it is undecided.
    pub(super) fn resampled(
        what: &'static str,
        unit: &'static str,
        (mean, interval): (f64, [f64; 2]),
        pairs: usize,
        doubt: Option<String>,
    ) -> Self {
        let difference = Difference { of: None, mean, interval: Some(interval), pairs, unit };
        match doubt {
            None => Self::of_difference(what, difference),
            Some(doubt) => {
                let why = Some(format!("{}; {doubt}", difference.text()));
                Self { what, verdict: Verdict::Undecided, why, difference: Some(difference) }
            }
        }
    }

    fn of_difference(what: &'static str, difference: Difference) -> Self {
        let verdict = difference.verdict();
        let why = (verdict != Verdict::Holds).then(|| difference.text());
        Self { what, verdict, why, difference: Some(difference) }
    }

    /// The same if a number was chosen to match the paper: it cannot hold, only fail.
    pub(super) fn fitted(self) -> Self {
        let verdict = if self.verdict == Verdict::Holds { Verdict::Fitted } else { self.verdict };
        Self { verdict, ..self }
    }

    /// The first of the directions with the worst verdict; `None` if all hold.
    pub(super) fn worst(checks: &[Self]) -> Option<&Self> {
        let worst = checks.iter().map(|check| check.verdict).max().filter(|worst| *worst != Verdict::Holds)?;
        checks.iter().find(|check| check.verdict == worst)
    }

    #[cfg(test)]
    fn verdict(&self) -> Verdict {
        self.verdict
    }

    pub(super) fn text(&self) -> String {
        let Self { what, verdict, why, difference } = self;
        match (verdict, why, difference) {
            (Verdict::Holds, _, Some(difference)) => format!("  holds: {what}: {}\n", difference.text()),
            (Verdict::Holds, ..) => format!("  holds: {what}\n"),
            (Verdict::Fitted, ..) => format!("  fitted: {what}\n"),
            (Verdict::Undecided, why, _) => format!("  undecided: {what}{}\n", reason(why)),
            (Verdict::Fails, why, _) => format!("  does not hold: {what}{}\n", reason(why)),
        }
    }
}

/// A value of paired cases, seed by seed.
pub(super) fn paired<T>(one: &[T], other: &[T], of: impl Fn(&T, &T) -> f64) -> Vec<f64> {
    one.iter().zip(other).map(|(one, other)| of(one, other)).collect()
}

fn reason(why: &Option<String>) -> String {
    why.as_ref().map_or(String::new(), |why| format!(": {why}"))
}

/// The number of directions per verdict.
#[derive(Clone, Copy, Default, Serialize)]
pub(super) struct Tally {
    holds: usize,
    fitted: usize,
    undecided: usize,
    fails: usize,
}

impl Tally {
    pub(super) fn of(checks: &[Check]) -> Self {
        let count = |verdict| checks.iter().filter(|check| check.verdict == verdict).count();
        Self {
            holds: count(Verdict::Holds),
            fitted: count(Verdict::Fitted),
            undecided: count(Verdict::Undecided),
            fails: count(Verdict::Fails),
        }
    }

    /// The verdict on an exhibit: the worst of its directions.
    pub(super) fn verdict(self) -> Verdict {
        match self {
            Self { fails: 1.., .. } => Verdict::Fails,
            Self { undecided: 1.., .. } => Verdict::Undecided,
            Self { holds: 0, .. } => Verdict::Fitted,
            _ => Verdict::Holds,
        }
    }

    /// `3 directions hold, 1 is undecided.`
    pub(super) fn text(self) -> String {
        let one = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let parts = [
            one(self.holds, "direction holds", "directions hold"),
            one(self.fails, "does not", "do not"),
            one(self.undecided, "is undecided", "are undecided"),
            one(self.fitted, "was fitted", "were fitted"),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        format!("{}.", parts.join(", "))
    }

    /// The numbers in the order of the summary's columns.
    pub(super) fn cells(self) -> [String; 4] {
        [self.holds, self.fails, self.undecided, self.fitted].map(|count| count.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(pairs: &[f64]) -> Verdict {
        Check::above("", "", pairs.iter().copied()).verdict()
    }

    #[test]
    fn an_interval_decides_and_never_the_order_of_means() {
        assert_eq!(verdict(&[1.0, 1.1, 0.9, 1.0]), Verdict::Holds);
        assert_eq!(verdict(&[-1.0, -1.1, -0.9, -1.0]), Verdict::Fails);
        assert_eq!(verdict(&[3.0, -1.0, 2.0, -1.5]), Verdict::Undecided, "a mean above 0 is not enough");
        assert_eq!(verdict(&[5.0]), Verdict::Undecided, "one seed");
        assert_eq!(verdict(&[2.0, 2.0, 2.0]), Verdict::Holds, "no chance in it");
        assert_eq!(verdict(&[0.0, 0.0]), Verdict::Fails, "no difference");
    }

    #[test]
    fn of_several_the_worst_one_speaks() {
        let of = |pairs: [[f64; 3]; 2]| {
            let named = pairs.into_iter().zip(["a", "b"]).map(|(pairs, name)| (name.to_owned(), pairs));
            Check::each_above("all rise", "points", named)
        };
        let good = [1.0, 1.1, 0.9];
        assert_eq!(of([good, good]).verdict(), Verdict::Holds);
        let unclear = of([good, [2.0, -2.0, 1.0]]);
        assert_eq!(unclear.verdict(), Verdict::Undecided);
        assert!(unclear.text().starts_with("  undecided: all rise: b +0.333 points ("), "{}", unclear.text());
        assert_eq!(of([[2.0, -2.0, 1.0], [-1.0, -1.1, -0.9]]).verdict(), Verdict::Fails);
    }

    #[test]
    fn what_was_fitted_holds_nothing() {
        let fitted = Check::so("it is 3", true, String::new).fitted();
        assert_eq!((fitted.verdict(), fitted.text().as_str()), (Verdict::Fitted, "  fitted: it is 3\n"));
        assert_eq!(Check::so("it is 3", false, || "it is 4".into()).fitted().verdict(), Verdict::Fails);
        assert_eq!(Tally::of(&[fitted]).verdict(), Verdict::Fitted);
    }

    #[test]
    fn a_tally_is_a_sentence() {
        let checks = [
            Check::so("", true, String::new),
            Check::so("", true, String::new),
            Check::so("", false, String::new),
            Check::above("", "", [1.0]),
        ];
        let tally = Tally::of(&checks);
        assert_eq!(tally.text(), "2 directions hold, 1 does not, 1 is undecided.");
        assert_eq!(tally.verdict(), Verdict::Fails);
    }
}
