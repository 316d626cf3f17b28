//! Rules whose scores depend on the clock.
//!
//! How well two lifetimes match depends on when the machine is expected to be free and when the VM is expected to
//! leave, and so on the moment of the decision. No verdict of such a rule can be cached for the next request. But for
//! one request the verdict is a step function of one number, the machine's expected exit. So these rules stay outside
//! all caches: the other rules are ranked and cached as usual, and the steps are added during the search for the best
//! machine (LAVA sections 2.4 and 4.2).

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{Declared, ExpectedExit, MachineId, Phrase, PredictedLife, Scene, VmRequest};

use super::steps::Steps;
use crate::rule::erased::{AnyPreference, BoundPreference};
use crate::rule::{OfMachine, Preference};

/// A soft constraint on when machines are expected to be free: it keeps the candidates with the lowest level.
pub trait TemporalPreference: Declared + Copy + Send + Sync + 'static {
    /// The number of levels, from 0 (best).
    const LEVELS: u32;

    /// Its levels for a VM, by when a machine is expected to be free.
    fn steps(&self, vm: &PredictedLife) -> Steps;

    /// The unit in seconds at whose multiples by 1, 2, 4, 8 ... from now levels are best separated. It changes the
    /// speed, not the verdicts.
    fn unit_s(&self) -> u32 {
        60
    }

    /// Its words about a machine with this expected exit; they continue a sentence that starts with "it".
    fn words(&self, vm: &PredictedLife, expected: ExpectedExit) -> Phrase;
}

/// A rule that depends on the clock for some parameter values; only then does it stay outside the caches.
pub(crate) trait SometimesTemporal: TemporalPreference + Preference<Reach = OfMachine> {
    /// Whether it depends on the clock.
    fn is_temporal(&self) -> bool;
}

/// A temporal preference as an `AnyPreference`.
pub(crate) struct Temporal<T>(T);

impl<T: TemporalPreference> Temporal<T> {
    pub(crate) fn boxed(rule: T) -> Box<dyn AnyTemporal> {
        Box::new(Self(rule))
    }
}

/// A temporal preference with its type erased.
pub(crate) trait AnyTemporal: AnyPreference<MachineId> {
    /// Its levels for a VM.
    fn steps(&self, vm: &PredictedLife) -> Steps;
    /// The unit that best separates the levels.
    fn unit_s(&self) -> u32;
    /// The number of levels.
    fn levels(&self) -> u32;
    /// Its words about a machine.
    fn words(&self, vm: &PredictedLife, expected: ExpectedExit) -> Phrase;
}

impl<T: TemporalPreference> AnyTemporal for Temporal<T> {
    fn steps(&self, vm: &PredictedLife) -> Steps {
        self.0.steps(vm)
    }

    fn unit_s(&self) -> u32 {
        self.0.unit_s()
    }

    fn levels(&self) -> u32 {
        T::LEVELS
    }

    fn words(&self, vm: &PredictedLife, expected: ExpectedExit) -> Phrase {
        self.0.words(vm, expected)
    }
}

impl<T: TemporalPreference> AnyPreference<MachineId> for Temporal<T> {
    /// Its verdicts are never cached, so it does not distinguish classes.
    fn write_key(&self, _: &VmRequest, _: &mut Vec<u64>) {}

    fn bind(&self, vm: &VmRequest) -> Box<dyn BoundPreference<MachineId>> {
        Box::new(BoundSteps { steps: self.0.steps(&vm.life), levels: T::LEVELS })
    }

    fn sees_tenant(&self) -> bool {
        false
    }

    fn sees_what_stays(&self) -> bool {
        false
    }
}

struct BoundSteps {
    steps: Steps,
    levels: u32,
}

/// The score of a level: levels are spaced evenly between 0 and 1.
pub(crate) fn score_of(level: u32, levels: u32) -> f64 {
    f64::from(level) / f64::from((levels - 1).max(1))
}

impl BoundPreference<MachineId> for BoundSteps {
    fn score(&self, scene: Scene<'_>, id: MachineId) -> f64 {
        score_of(self.steps.level(scene.occupancy.exits().of(id)), self.levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_stand_evenly_between_0_and_1() {
        assert_eq!([0, 1, 2].map(|level| score_of(level, 3)), [0.0, 0.5, 1.0]);
        assert_eq!([0, 1].map(|level| score_of(level, 2)), [0.0, 1.0]);
        assert_eq!(score_of(0, 1), 0.0);
    }
}
