//! How two lists compare: paired by seed, by Student's interval.

use std::ops::Range;

use super::plan::{SearchGoal, SearchLimit, SearchObjective};
use crate::effect::Effect;
use crate::sweep::SweepMeasure;

/// The figures of one list: seed by seed, in the order of the judge's measures.
pub(super) type Figures = Vec<Option<Vec<Option<f64>>>>;

/// The objectives and the limits, applied to figures.
#[derive(Clone, Debug)]
pub(super) struct Judge {
    /// What every run measures.
    pub(super) measures: Vec<&'static SweepMeasure>,
    pub(super) objectives: Vec<SearchObjective>,
    pub(super) limits: Vec<SearchLimit>,
    /// What one unit of each objective counts, without its weight.
    pub(super) scales: Vec<f64>,
}

impl Judge {
    /// The figure of a measure with one seed.
    pub(super) fn value(&self, of: &Figures, seed: usize, measure: &str) -> Option<f64> {
        let at = self.measures.iter().position(|it| it.id == measure)?;
        of.get(seed)?.as_ref()?.get(at).copied().flatten()
    }

    /// The differences of a measure, one per seed that both have.
    pub(super) fn differences(&self, now: &Figures, other: &Figures, seeds: Range<usize>, measure: &str) -> Vec<f64> {
        let pair = |seed| Some(self.value(other, seed, measure)? - self.value(now, seed, measure)?);
        seeds.filter_map(pair).collect()
    }

    /// How much better another list is, one number per seed: the weighted sum of its objectives' improvements. With
    /// an emphasis, that objective alone.
    pub(super) fn better(
        &self,
        now: &Figures,
        other: &Figures,
        seeds: Range<usize>,
        emphasis: Option<usize>,
    ) -> Vec<f64> {
        let one = |seed| {
            let parts = self.objectives.iter().zip(&self.scales).enumerate();
            let parts = parts.filter(|(at, _)| emphasis.is_none_or(|only| only == *at));
            let mut sum = 0.0;
            for (_, (it, scale)) in parts {
                let measured = |of| self.value(of, seed, &it.measure);
                sum += it.weight * it.goal.sign() * (measured(other)? - measured(now)?) / scale;
            }
            Some(sum)
        };
        seeds.filter_map(one).collect()
    }

    /// By how much a list misses each limit, one number per seed; above 0 it misses it.
    pub(super) fn excess(
        &self,
        start: &Figures,
        other: &Figures,
        seeds: Range<usize>,
        limit: &SearchLimit,
    ) -> Vec<f64> {
        let sign = if limit.goal == SearchGoal::Less { 1.0 } else { -1.0 };
        let one = |seed| {
            let limit_value = limit.value.or_else(|| self.value(start, seed, &limit.measure))?;
            Some(sign * (self.value(other, seed, &limit.measure)? - limit_value))
        };
        seeds.filter_map(one).collect()
    }

    /// Whether a list keeps all limits, on average.
    pub(super) fn keeps(&self, start: &Figures, other: &Figures, seeds: &Range<usize>) -> bool {
        let mean = |limit| Effect::of(&self.excess(start, other, seeds.clone(), limit)).map_or(0.0, |it| it.mean);
        self.limits.iter().all(|limit| mean(limit) <= 0.0)
    }

    /// Whether a list certainly misses a limit.
    pub(super) fn misses(&self, start: &Figures, other: &Figures, seeds: &Range<usize>) -> bool {
        self.limits.iter().any(|limit| is_above(&self.excess(start, other, seeds.clone(), limit)))
    }

    /// Whether two lists have the same figures with every one of these seeds.
    pub(super) fn are_equal(one: &Figures, other: &Figures, mut seeds: Range<usize>) -> bool {
        seeds.all(|seed| one.get(seed) == other.get(seed))
    }
}

/// The mean of differences; 0 if there are none.
pub(super) fn mean(differences: &[f64]) -> f64 {
    Effect::of(differences).map_or(0.0, |effect| effect.mean)
}

/// Whether differences are certainly above 0: their 95 % interval is.
pub(super) fn is_above(differences: &[f64]) -> bool {
    Effect::of(differences).is_some_and(|effect| effect.interval().is_some_and(|[from, _]| from > 0.0))
}

/// Whether differences are certainly below 0.
pub(super) fn is_below(differences: &[f64]) -> bool {
    is_above(&differences.iter().map(|it| -it).collect::<Vec<_>>())
}
