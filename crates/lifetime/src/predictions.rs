//! What an allocator may know about the lifetimes of a workload's VMs.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::VmId;

use crate::curve::{Curve, Prediction};
use crate::curves::{CurvePlace, Curves};
use crate::lives::TrueLives;
use crate::noise::NoisyLives;

/// The expected remaining lifetime of every VM of a workload at every uptime, computed before a run.
///
/// Uptime counts from the VM's request ([`Workload::at`]), in whole seconds. A VM outside of the workload gets the
/// average prediction. Clones share memory; it takes about 4 bytes per VM besides curves, and VMs with equal features
/// share one.
///
/// [`Workload::at`]: tiebreak_model::Workload::at
#[derive(Clone, Debug, PartialEq)]
pub struct Predictions {
    source: Arc<PredictionSource>,
}

#[derive(Debug, PartialEq)]
enum PredictionSource {
    Curves(Curves),
    True(TrueLives),
    Noisy(NoisyLives),
}

impl Predictions {
    /// These curves, of which each VM has one. The first is for VMs outside of the workload.
    pub(crate) fn of_curves(curves: Vec<Curve>, curve_of: Vec<u32>) -> Self {
        Self { source: Arc::new(PredictionSource::Curves(Curves::new(curves, curve_of))) }
    }

    pub(crate) fn of_true(lives: TrueLives) -> Self {
        Self { source: Arc::new(PredictionSource::True(lives)) }
    }

    pub(crate) fn of_noisy(lives: NoisyLives) -> Self {
        Self { source: Arc::new(PredictionSource::Noisy(lives)) }
    }

    /// The curve of VMs outside of the workload.
    pub(crate) fn average(&self) -> Curve {
        match &*self.source {
            PredictionSource::Curves(curves) => curves.average(),
            PredictionSource::True(_) | PredictionSource::Noisy(_) => Curve::constant(u32::MAX),
        }
    }

    /// The prediction for a VM that has run for `uptime_s`: [`Predictions::remaining_s`] and
    /// [`Predictions::next_change_s`] in one lookup.
    #[inline]
    #[must_use]
    pub fn predict(&self, vm: VmId, uptime_s: u32) -> Prediction {
        self.follow(vm, &mut self.begin(vm), uptime_s)
    }

    /// The place at which a VM begins, for [`Predictions::follow`].
    #[inline]
    #[must_use]
    pub fn begin(&self, vm: VmId) -> CurvePlace {
        match &*self.source {
            PredictionSource::Curves(curves) => curves.begin(vm),
            PredictionSource::True(_) | PredictionSource::Noisy(_) => CurvePlace::default(),
        }
    }

    /// [`Predictions::predict`] for a VM that is predicted again and again as its uptime grows: it keeps its place, so
    /// that its prediction is found without a search.
    #[inline]
    #[must_use]
    pub fn follow(&self, vm: VmId, place: &mut CurvePlace, uptime_s: u32) -> Prediction {
        let exit_s = match &*self.source {
            PredictionSource::Curves(curves) => return curves.follow(place, uptime_s),
            PredictionSource::Noisy(lives) => return lives.predict(vm, uptime_s),
            PredictionSource::True(lives) => lives.exit_s(vm, uptime_s),
        };
        let next_change_s = (exit_s > uptime_s && exit_s < u32::MAX).then_some(exit_s);
        Prediction { remaining_s: (exit_s - uptime_s).max(1), next_change_s }
    }

    /// The expected remaining lifetime of a VM that has run for `uptime_s`, in whole seconds, rounded up; at least 1.
    /// Trained models return at most their cap, the oracle the true value.
    #[inline]
    #[must_use]
    pub fn remaining_s(&self, vm: VmId, uptime_s: u32) -> u32 {
        self.predict(vm, uptime_s).remaining_s
    }

    /// The next uptime, greater than `uptime_s`, at which the predicted exit (uptime plus remaining lifetime) may
    /// change; `None` if never. A host need not be repredicted before one of its VMs reaches that time.
    #[inline]
    #[must_use]
    pub fn next_change_s(&self, vm: VmId, uptime_s: u32) -> Option<u32> {
        self.predict(vm, uptime_s).next_change_s
    }

    /// The same predictions for some of these VMs, renumbered in this order for a workload of their own: one model
    /// for many pools. A noisy oracle draws errors by number, so they differ there.
    #[must_use]
    pub fn of_part(&self, vms: &[VmId]) -> Self {
        let source = match &*self.source {
            PredictionSource::Curves(curves) => PredictionSource::Curves(curves.of_part(vms)),
            PredictionSource::True(lives) => PredictionSource::True(lives.of_part(vms)),
            PredictionSource::Noisy(lives) => PredictionSource::Noisy(lives.of_part(vms)),
        };
        Self { source: Arc::new(source) }
    }

    /// The number of distinct curves; 0 for oracles.
    #[must_use]
    pub fn curve_count(&self) -> u32 {
        match &*self.source {
            PredictionSource::Curves(curves) => curves.count(),
            PredictionSource::True(_) | PredictionSource::Noisy(_) => 0,
        }
    }

    /// Its approximate size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match &*self.source {
            PredictionSource::Curves(curves) => curves.bytes(),
            PredictionSource::True(lives) => lives.bytes(),
            PredictionSource::Noisy(lives) => lives.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predictors::{PREDICTORS, PredictorUse, start};
    use crate::trial::{Life, workload};
    use tiebreak_model::random::Seed;

    #[test]
    fn a_part_is_predicted_as_in_the_whole() {
        let life = |vm: i64| Life::new(1 + vm as u32 % 5, vm * 700, Some(vm * 700 + 60 * (1 + vm % 40)));
        let lives = Vec::from_iter((0..200).map(life));
        let whole = workload(&lives, 200 * 700);
        let vms = Vec::from_iter((0..whole.vm_count()).filter(|vm| vm % 3 == 1).map(VmId));
        for entry in PREDICTORS.iter().filter(|entry| entry.declaration.id != "NoisyOracle") {
            let predictions =
                start(&PredictorUse::plain(entry.declaration.id), whole.clone(), Seed(1)).finish().predictions;
            let part = predictions.of_part(&vms);
            assert!(part.bytes() <= predictions.bytes());
            for (new, old) in (0..).map(VmId).zip(&vms) {
                for uptime_s in [0, 50, 1_000, 100_000] {
                    let of = |predictions: &Predictions, vm| {
                        (predictions.remaining_s(vm, uptime_s), predictions.next_change_s(vm, uptime_s))
                    };
                    assert_eq!(of(&part, new), of(&predictions, *old), "{}, VM {}", entry.declaration.id, old.0);
                }
            }
        }
    }
}
