//! What an allocator may know of the lives of a workload's VMs.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::VmId;

use crate::curve::Curve;
use crate::lives::TrueLives;
use crate::noise::NoisyLives;

/// The expected remaining life of every VM of a workload at every uptime, made before a run.
///
/// Uptime counts from when the VM was asked for ([`Workload::at`]), in whole seconds. A VM that is
/// not of the workload is answered as the average one. Cloning shares; about 4 bytes a VM beside
/// curves, of which VMs with equal features share one.
///
/// [`Workload::at`]: tiebreak_model::Workload::at
#[derive(Clone, Debug, PartialEq)]
pub struct Forecasts {
    source: Arc<Source>,
}

#[derive(Debug, PartialEq)]
enum Source {
    Curves(Curves),
    True(TrueLives),
    Noisy(NoisyLives),
}

/// Curves, and which VM has which.
#[derive(Debug, PartialEq)]
pub(crate) struct Curves {
    /// At least one; the first is that of VMs beyond the workload.
    pub(crate) curves: Vec<Curve>,
    pub(crate) curve_of: Vec<u32>,
}

impl Curves {
    fn of(&self, vm: VmId) -> &Curve {
        &self.curves[self.curve_of.get(vm.index()).copied().unwrap_or(0) as usize]
    }
}

impl Forecasts {
    pub(crate) fn of_curves(curves: Curves) -> Self {
        Self { source: Arc::new(Source::Curves(curves)) }
    }

    pub(crate) fn of_true(lives: TrueLives) -> Self {
        Self { source: Arc::new(Source::True(lives)) }
    }

    pub(crate) fn of_noisy(lives: NoisyLives) -> Self {
        Self { source: Arc::new(Source::Noisy(lives)) }
    }

    /// The curve of VMs that are not of the workload.
    pub(crate) fn average(&self) -> Curve {
        match &*self.source {
            Source::Curves(curves) => curves.curves[0].clone(),
            Source::True(_) | Source::Noisy(_) => Curve::constant(u32::MAX),
        }
    }

    /// The expected remaining life of a VM that has run for `uptime_s`, in whole seconds, rounded
    /// up; at least 1. Trained models answer at most their cap, the oracle what is true.
    #[inline]
    #[must_use]
    pub fn remaining_s(&self, vm: VmId, uptime_s: u32) -> u32 {
        match &*self.source {
            Source::Curves(curves) => curves.of(vm).remaining_s(uptime_s),
            Source::True(lives) => (lives.exit_s(vm, uptime_s) - uptime_s).max(1),
            Source::Noisy(lives) => (lives.exit_s(vm, uptime_s) - uptime_s).max(1),
        }
    }

    /// The next uptime, greater than `uptime_s`, at which the predicted exit (uptime and remaining
    /// life together) may be another than now; `None` when never. A host need not be predicted
    /// again before that time of one of its VMs.
    #[inline]
    #[must_use]
    pub fn next_change_s(&self, vm: VmId, uptime_s: u32) -> Option<u32> {
        let change_s = match &*self.source {
            Source::Curves(curves) => return curves.of(vm).next_change_s(uptime_s),
            Source::True(lives) => lives.exit_s(vm, uptime_s),
            Source::Noisy(lives) => lives.exit_s(vm, uptime_s),
        };
        (change_s > uptime_s && change_s < u32::MAX).then_some(change_s)
    }

    /// How many different curves there are; 0 for oracles.
    #[must_use]
    pub fn curve_count(&self) -> u32 {
        match &*self.source {
            Source::Curves(curves) => curves.curves.len() as u32,
            Source::True(_) | Source::Noisy(_) => 0,
        }
    }

    /// About how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match &*self.source {
            Source::Curves(Curves { curves, curve_of }) => {
                let of_curve = |curve: &Curve| size_of::<Curve>() as u64 + 8 * u64::from(curve.step_count());
                curve_of.len() as u64 * 4 + curves.iter().map(of_curve).sum::<u64>()
            }
            Source::True(lives) => lives.bytes(),
            Source::Noisy(lives) => lives.bytes(),
        }
    }
}
