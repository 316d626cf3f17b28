//! Rules whose scores move with the clock.
//!
//! How well two lives go together depends on when a machine is expected to be free and on when
//! the VM is expected to leave, and so on the moment of the decision: no verdict of such a rule
//! could be kept for the next request. But for one request it is a step function of one number
//! of the machine, its expected exit. So these rules stand outside all caches: what the other
//! rules say is ranked and kept as ever, and the steps of the moment join while the best is
//! looked for. (LAVA sections 2.4 and 4.2)

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{Declared, ExpectedExit, MachineId, Phrase, PredictedLife, Scene, VmRequest};

use super::steps::Steps;
use crate::rule::erased::{AnyPreference, BoundPreference};
use crate::rule::{OfMachine, Preference};

/// A soft constraint on when machines are expected to be free: among candidates it keeps those
/// with the lowest level.
pub trait TemporalPreference: Declared + Copy + Send + Sync + 'static {
    /// How many levels it has: they are 0 (best) to one less.
    const LEVELS: u32;

    /// Its levels for a VM, by when a machine is expected to be free.
    fn steps(&self, vm: &PredictedLife) -> Steps;

    /// Where levels are best told apart, in seconds: at 1, 2, 4, 8 ... times so many from now. It
    /// changes no verdict, only how fast they are.
    fn unit_s(&self) -> u32 {
        60
    }

    /// What it says of a machine that is expected to be free then, to go on from "it".
    fn words(&self, vm: &PredictedLife, expected: ExpectedExit) -> Phrase;
}

/// A rule that looks at the clock or not, by its parameters; only where it does, it stands outside the caches.
pub(crate) trait SometimesTemporal: TemporalPreference + Preference<Reach = OfMachine> {
    /// Whether it looks at the clock.
    fn is_temporal(&self) -> bool;
}

/// Such a rule behind the seam of all preferences.
pub(crate) struct Temporal<T>(T);

impl<T: TemporalPreference> Temporal<T> {
    pub(crate) fn boxed(rule: T) -> Box<dyn AnyTemporal> {
        Box::new(Self(rule))
    }
}

/// A temporal preference whose type is forgotten.
pub(crate) trait AnyTemporal: AnyPreference<MachineId> {
    /// Its levels for a VM.
    fn steps(&self, vm: &PredictedLife) -> Steps;
    /// Where they are best told apart.
    fn unit_s(&self) -> u32;
    /// How many it has.
    fn levels(&self) -> u32;
    /// What it says of a machine.
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
    /// Nothing of it is kept, so it tells no classes apart.
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

/// The score of a level: levels stand evenly between 0 and 1.
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
