//! Finds the largest value of one parameter of a rule that keeps the service level.
//!
//! A larger limit, or risk, sells more and lets more scale-outs fail. Bisection finds where the failed share becomes
//! too large. [`Tuning`] makes no runs itself: it says which ones it wants, receives their results, and says when it
//! is done. So threads, workers of the page, or one loop can make the runs, in any order. Source: "On the cluster
//! admission problem for cloud computing", section 5.2.

use alloc::vec;
use alloc::vec::Vec;

use super::strata::Run;
use super::years::Span;

/// The possible values of a parameter, and the precision of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest and the largest value, in the parameter's own unit.
    pub least: f64,
    /// See [`Self::least`].
    pub most: f64,
    /// How often the remaining range is halved.
    pub halvings: u32,
    /// How to halve it.
    pub middle: Middle,
}

/// How to choose the middle of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Middle {
    /// The arithmetic mean.
    Mean,
    /// The geometric mean; for values above 0 that may be small, such as risks.
    Ratio,
}

impl Range {
    fn middle(&self, low: f64, high: f64) -> f64 {
        match self.middle {
            Middle::Mean => (low + high) / 2.0,
            Middle::Ratio => libm::sqrt(low * high),
        }
    }
}

/// A run that a tuning waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// The value of the number.
    pub value: f64,
    /// The index of the run, from 0.
    pub run: u32,
    /// Its seed.
    pub seed: u64,
}

/// The results with one value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// The value.
    pub value: f64,
    /// Runs made with it. A value that certainly fails is dropped before all runs are made.
    pub runs: u32,
    /// The share of scale-outs that failed, 0 to 1, as a weighted mean over all runs. Runs that were not made count
    /// as without failures, so this is a lower bound.
    pub failed_share: f64,
    /// The share of the cores in use, 0 to 1, as a weighted mean over the runs that were made.
    pub utilization: f64,
    /// Whether it keeps the service level.
    pub is_within: bool,
}

/// How a tuning ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Between a value that keeps the service level and one that does not.
    Found,
    /// The largest possible value keeps the service level.
    MostIsWithin,
    /// Even the smallest value does not keep it, or there are no runs.
    NothingIsWithin,
}

/// The result of a tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The largest tried value that keeps the service level.
    pub best: Option<Tried>,
    /// How it ended.
    pub ending: Ending,
    /// Every tried value, in order.
    pub tried: Vec<Tried>,
}

/// Searches for the largest value whose failed share is within the service level.
///
/// Assumes that a larger value fails more. If noise violates this, the result still keeps the level on these runs,
/// and a slightly larger value was seen to break it.
#[derive(Clone, Debug)]
pub struct Tuning {
    range: Range,
    /// The share of scale-outs that may fail, 0 to 1.
    sla: f64,
    cores: u32,
    runs: Vec<Run>,
    /// The value of the current runs; `None` when done.
    value: Option<f64>,
    /// The result of each run with it: failed share and utilization.
    told: Vec<Option<(f64, f64)>>,
    tried: Vec<Tried>,
}

impl Tuning {
    /// For a cluster of this many cores, and a service level that lets this share of scale-outs fail, 0 to 1. Put
    /// runs that are likely to fail first: they reject a bad value soonest.
    #[must_use]
    pub fn new(range: Range, sla: f64, cores: u32, runs: Vec<Run>) -> Self {
        let told = vec![None; runs.len()];
        let value = (!runs.is_empty()).then_some(range.most);
        Self { range, sla, cores, runs, value, told, tried: Vec::new() }
    }

    /// Runs that it waits for, including those under way; none when done.
    pub fn wanted(&self) -> impl Iterator<Item = Wanted> + '_ {
        let untold = (0..).zip(&self.runs).zip(&self.told).filter(|(_, told)| told.is_none());
        self.value.into_iter().flat_map(move |value| {
            untold.clone().map(move |((run, Run { seed, .. }), _)| Wanted { value, run, seed: *seed })
        })
    }

    /// Reports a finished run. One that is no longer wanted has no effect.
    pub fn tell(&mut self, wanted: Wanted, total: &Span) {
        let is_current = self.value.is_some_and(|value| value == wanted.value);
        let Some(told) = self.told.get_mut(wanted.run as usize).filter(|_| is_current) else { return };
        *told = Some((total.failed_share(), total.utilization(self.cores)));
        if let Some(tried) = self.judged(wanted.value) {
            self.tried.push(tried);
            self.told.fill(None);
            self.value = self.next();
        }
    }

    /// The result, once done.
    #[must_use]
    pub fn tuned(&self) -> Option<Tuned> {
        if self.value.is_some() {
            return None;
        }
        let best = self.best().copied();
        let ending = match best {
            None => Ending::NothingIsWithin,
            Some(best) if best.value == self.range.most => Ending::MostIsWithin,
            Some(_) => Ending::Found,
        };
        Some(Tuned { best, ending, tried: self.tried.clone() })
    }

    /// The progress, 0 to 1.
    #[must_use]
    pub fn progress(&self) -> f64 {
        let told = self.told.iter().flatten().count() as f64 / self.runs.len().max(1) as f64;
        let values = f64::from(self.range.halvings) + 1.0;
        if self.value.is_some() { ((self.tried.len() as f64 + told) / values).min(1.0) } else { 1.0 }
    }

    /// The result of the current value, if enough of its runs are reported. Runs are evaluated in their own order, so
    /// the order in which they finish does not matter.
    fn judged(&self, value: f64) -> Option<Tried> {
        let all: f64 = self.runs.iter().map(|run| run.weight).sum();
        let (mut failed, mut used, mut weight) = (0.0, 0.0, 0.0);
        for (runs, (run, told)) in (1..).zip(self.runs.iter().zip(&self.told)) {
            let (failed_share, utilization) = (*told)?;
            failed += run.weight * failed_share;
            used += run.weight * utilization;
            weight += run.weight;
            let is_within = failed / all <= self.sla;
            if !is_within || runs as usize == self.runs.len() {
                let utilization = used / weight;
                return Some(Tried { value, runs, failed_share: failed / all, utilization, is_within });
            }
        }
        None
    }

    fn best(&self) -> Option<&Tried> {
        self.tried.iter().filter(|tried| tried.is_within).max_by(|one, other| one.value.total_cmp(&other.value))
    }

    /// The value to try next.
    fn next(&self) -> Option<f64> {
        let Range { least, most, halvings, .. } = self.range;
        let failing = self.tried.iter().filter(|tried| !tried.is_within).map(|tried| tried.value);
        let low = self.best().map_or(least, |best| best.value);
        let high = failing.fold(most, f64::min);
        let middle = self.range.middle(low, high);
        let is_open = low < middle && middle < high && self.tried.len() <= halvings as usize;
        if is_open {
            return Some(middle);
        }
        // The smallest value is tried only if no other was good enough.
        (self.best().is_none() && least < high).then_some(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Range = Range { least: 0.0, most: 100.0, halvings: 7, middle: Middle::Mean };

    /// Failures begin at 40, plus a little for each seed, and rise by 1 in 1,000 per unit.
    fn outcome(wanted: Wanted) -> Span {
        let over = (wanted.value - 40.0 - wanted.seed as f64).max(0.0);
        let (scale_outs, failed) = (1_000_000, (over * 1_000.0) as u64);
        Span { hours: 1.0, core_hours: wanted.value, scale_outs, failed, ..Span::default() }
    }

    fn runs(count: u64) -> Vec<Run> {
        Run::alike(1..=count)
    }

    /// The runs made, in an order that `which` chooses, until the tuning is done.
    fn tuned(mut tuning: Tuning, which: impl Fn(usize) -> usize, outcome: impl Fn(Wanted) -> Span) -> (Tuned, u32) {
        for made in 0.. {
            let wanted: Vec<_> = tuning.wanted().collect();
            if wanted.is_empty() {
                return (tuning.tuned().expect("nothing is wanted"), made);
            }
            assert_eq!(tuning.tuned(), None);
            let wanted = wanted[which(wanted.len()) % wanted.len()];
            tuning.tell(wanted, &outcome(wanted));
        }
        unreachable!("it ends")
    }

    #[test]
    fn it_finds_the_largest_value_within_the_level() {
        for (sla, expected) in [(0.0, 41.0), (0.001, 43.34), (0.01, 52.5)] {
            let (tuned, made) = tuned(Tuning::new(LIMIT, sla, 100, runs(4)), |_| 0, outcome);
            let best = tuned.best.expect("one is within");
            assert!((expected - 100.0 / 128.0..=expected).contains(&best.value), "{sla}: {best:?}");
            assert_eq!((tuned.ending, tuned.tried.len(), best.runs), (Ending::Found, 8, 4));
            assert!((best.utilization - best.value / 100.0).abs() < 1e-12 && best.failed_share <= sla);
            assert!(made < 8 * 4, "values that fail are given up");
            let above = tuned.tried.iter().filter(|it| !it.is_within).map(|it| it.value).fold(100.0, f64::min);
            assert!(above - best.value < 100.0 / 127.0);
        }
    }

    #[test]
    fn the_order_of_outcomes_does_not_matter() {
        let start = || Tuning::new(LIMIT, 0.002, 100, runs(5));
        let (first, _) = tuned(start(), |_| 0, outcome);
        for turn in 1..20 {
            let (other, _) = tuned(start(), |left| left * 7 + turn, outcome);
            assert_eq!(first, other, "turn {turn}");
        }
    }

    #[test]
    fn it_ends_where_nothing_fails_and_where_everything_does() {
        let all = |_| Span { scale_outs: 5, failed: 5, ..Span::default() };
        let none = |_| Span { scale_outs: 5, ..Span::default() };
        let of = |sla| Tuning::new(LIMIT, sla, 100, runs(3));
        let (most, made) = tuned(of(0.0), |_| 0, none);
        assert_eq!((most.ending, most.best.map(|it| it.value), made), (Ending::MostIsWithin, Some(100.0), 3));
        assert_eq!(tuned(of(1.0), |_| 0, all).0.ending, Ending::MostIsWithin);
        let (nothing, made) = tuned(of(0.999), |_| 0, all);
        assert_eq!((nothing.ending, nothing.best), (Ending::NothingIsWithin, None));
        assert_eq!((nothing.tried.last().map(|it| it.value), made), (Some(0.0), 9 * 3));
        let (nobody, made) = tuned(Tuning::new(LIMIT, 0.5, 100, Vec::new()), |_| 0, all);
        assert_eq!((nobody.ending, made), (Ending::NothingIsWithin, 0));
        // A range of one value.
        let one = Tuning::new(Range { least: 100.0, ..LIMIT }, 0.0, 100, runs(1));
        assert_eq!(tuned(one, |_| 0, all).0.tried.len(), 1);
    }

    #[test]
    fn small_numbers_are_halved_by_their_ratio() {
        let risk = Range { least: 0.01, most: 100.0, halvings: 10, middle: Middle::Ratio };
        let fails = |wanted: Wanted| Span { scale_outs: 1, failed: u64::from(wanted.value > 0.3), ..Span::default() };
        let (tuned, _) = tuned(Tuning::new(risk, 0.0, 100, runs(1)), |_| 0, fails);
        let best = tuned.best.map_or(0.0, |it| it.value);
        assert!((0.297..=0.3).contains(&best), "{best}");
    }

    #[test]
    fn heavier_runs_count_more_and_strangers_not_at_all() {
        let runs = vec![Run { seed: 1, stratum: 1, weight: 0.1 }, Run { seed: 2, stratum: 0, weight: 0.9 }];
        let mut tuning = Tuning::new(LIMIT, 1.0, 100, runs);
        let [first, second] = [0, 1].map(|run| Wanted { value: 100.0, run, seed: 0 });
        tuning.tell(Wanted { value: 3.0, ..first }, &Span::default());
        tuning.tell(Wanted { run: 9, ..first }, &Span::default());
        tuning.tell(first, &Span { scale_outs: 2, failed: 1, ..Span::default() });
        assert!(tuning.wanted().eq([Wanted { seed: 2, ..second }]) && tuning.progress() > 0.0);
        tuning.tell(second, &Span { scale_outs: 1, ..Span::default() });
        let share = tuning.tuned().map_or(0.0, |tuned| tuned.tried[0].failed_share);
        assert!((share - 0.05).abs() < 1e-12, "{share}");
    }
}
