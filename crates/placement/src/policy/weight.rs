//! Manual weights, and how weighted preferences become one order.

use alloc::vec::Vec;

use tiebreak_model::ParamKind;
use tiebreak_model::declare::ParamValue;

use super::Policy;
use super::ranked::MachineStage;
use crate::rule::quantize::Quantizer;

/// How weighted preferences become one order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Combining {
    /// Of two candidates, the better one is favoured by preferences with the larger total weight (Protean section
    /// 3.3).
    #[default]
    Majority,
    /// The sum of weight times score, as in kube-scheduler.
    Sum,
    /// The same with each score normalised over the candidates, from 0 for the best to 1 for the worst of them, as in
    /// Nova. A candidate's sum then depends on all others. So only buckets are cached between decisions, never sums,
    /// and a candidate that cannot win can change which one is best.
    NormalisedSum,
}

impl Combining {
    /// All ways, in display order.
    pub const ALL: [Self; 3] = [Self::Majority, Self::Sum, Self::NormalisedSum];

    /// Its names in documents, in the same order.
    pub const WORDS: &[&str] = &["majority", "sum", "normalised_sum"];
}

impl ParamValue for Combining {
    const KIND: ParamKind = ParamKind::Choice(Self::WORDS);

    fn from_number(number: f64) -> Self {
        Self::ALL.get(number as usize).copied().unwrap_or_default()
    }

    fn to_number(self) -> f64 {
        self as usize as f64
    }
}

/// The weights of some preferences, and how they are combined.
pub(crate) struct Weights {
    pub(crate) combining: Combining,
    pub(crate) each: Vec<Weight>,
    /// The bucket of the worst score of each preference.
    pub(crate) worst: Vec<u64>,
}

impl Weights {
    /// Those of the preferences for machines and racks.
    pub(crate) fn of_machines(policy: &Policy) -> Self {
        let stages = &policy.machine_preferences;
        Self::of(policy.combining, stages.iter().map(|stage: &MachineStage| (stage.weight(), stage.quantizer())))
    }

    /// Those of the preferences for clusters.
    pub(crate) fn of_clusters(policy: &Policy) -> Self {
        Self::of(policy.combining, policy.cluster_preferences.iter().map(|ranked| (ranked.weight, ranked.quantizer)))
    }

    fn of(combining: Combining, preferences: impl Iterator<Item = (Weight, Quantizer)>) -> Self {
        let (each, worst) = preferences.map(|(weight, quantizer)| (weight, quantizer.bucket(1.0))).unzip();
        Self { combining, each, worst }
    }
}

/// The weight of a preference relative to the others, in thousandths, so that sums are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight {
    thousandths: u64,
    combining: Combining,
}

impl Weight {
    /// The smallest weight.
    pub const MIN: f64 = 0.001;
    /// The largest weight; sixteen of them are far below 64 bits.
    pub const MAX: f64 = 1e15;

    /// A weight, rounded to a thousandth; `None` if it is out of range or not a number.
    #[must_use]
    pub fn new(weight: f64) -> Option<Self> {
        (Self::MIN..=Self::MAX).contains(&weight).then_some(Self::majority((weight * 1_000.0 + 0.5) as u64))
    }

    const fn majority(thousandths: u64) -> Self {
        Self { thousandths, combining: Combining::Majority }
    }

    /// The same weight with this way of combining.
    #[must_use]
    pub const fn combined(self, combining: Combining) -> Self {
        Self { combining, ..self }
    }

    /// How its policy combines weights.
    pub(super) const fn combining(self) -> Combining {
        self.combining
    }

    /// The weight as the user set it.
    #[must_use]
    pub fn get(self) -> f64 {
        self.thousandths as f64 / 1_000.0
    }

    /// The weight in thousandths, so that sums are exact.
    pub(crate) const fn thousandths(self) -> u64 {
        self.thousandths
    }
}

impl Default for Weight {
    fn default() -> Self {
        Self::majority(1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_weight_is_refused() {
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e16] {
            assert_eq!(Weight::new(weight), None, "{weight}");
        }
        assert_eq!(Weight::new(2.5).map(Weight::get), Some(2.5));
    }
}
