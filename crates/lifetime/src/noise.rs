//! True lives seen through noise: the dial of LAVA's Figure 15 (Appendix G.1).

use alloc::vec::Vec;
use core::f64::consts::TAU;
use core::iter;

use tiebreak_model::random::{Seed, Stream};
use tiebreak_model::{RequestId, Time, VmId, Workload};

use crate::lives::TrueLives;
use crate::spells::seconds_between;

/// How wrong predictions are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Noise {
    /// Share of the VMs that are predicted well, 0 to 1.
    pub(crate) accuracy: f64,
    /// Standard deviation of the error of those, in log10.
    pub(crate) sigma_right: f64,
    /// The same of the others.
    pub(crate) sigma_wrong: f64,
    /// The longest remaining life that is predicted.
    pub(crate) cap_s: u32,
}

/// The lives of a workload's VMs behind noise.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NoisyLives {
    lives: TrueLives,
    /// Uptime when the trace begins, of the VMs alive then, which come first.
    warm_s: Vec<u32>,
    draws: NoiseDraws,
    /// What every VM is predicted, drawn beforehand: that takes far longer than to look it up.
    exits_s: Vec<u32>,
    /// Where the exits of each VM end there.
    ends: Vec<u32>,
}

impl NoisyLives {
    pub(crate) fn of(workload: &Workload, lives: TrueLives, noise: Noise, seed: Seed) -> Self {
        let warm = (0..workload.warm_count()).map(RequestId);
        let warm_s = warm.map(|request| seconds_between(workload.at(request), Time::ZERO)).collect();
        Self::drawn(lives, warm_s, NoiseDraws::of(noise, seed))
    }

    fn drawn(lives: TrueLives, warm_s: Vec<u32>, draws: NoiseDraws) -> Self {
        let (mut exits_s, mut ends) = (Vec::new(), Vec::with_capacity(lives.count()));
        for vm in (0..lives.count() as u32).map(VmId) {
            exits_s.extend(draws.exits_s(vm, uptime_at_start(&warm_s, vm), lives.life_s(vm)));
            ends.push(exits_s.len() as u32);
        }
        Self { lives, warm_s, draws, exits_s, ends }
    }

    /// The uptime at which a VM that has run for `uptime_s` is predicted to leave.
    ///
    /// The first prediction is made at its start, or when the trace begins; nobody asks earlier.
    /// Each one stands until it is outlived; then a fresh draw is applied to the true life that is
    /// left. Half of the draws are too long, so there are few of them.
    pub(crate) fn exit_s(&self, vm: VmId, uptime_s: u32) -> u32 {
        let stands = |exit_s: &u32| *exit_s > uptime_s;
        let found = match self.ends.get(vm.index()) {
            Some(end) => {
                let first = vm.index().checked_sub(1).map_or(0, |before| self.ends[before]);
                self.exits_s[first as usize..*end as usize].iter().copied().find(stands)
            }
            None => self.draws.exits_s(vm, 0, self.lives.life_s(vm)).find(stands),
        };
        found.unwrap_or_else(|| uptime_s.saturating_add(1))
    }

    /// Those of some of its VMs, numbered anew: their errors are drawn by the new numbers.
    pub(crate) fn of_part(&self, vms: &[VmId]) -> Self {
        let warm_s = vms.iter().map(|vm| uptime_at_start(&self.warm_s, *vm)).collect();
        Self::drawn(self.lives.of_part(vms), warm_s, self.draws.clone())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.lives.bytes() + (self.warm_s.len() + self.exits_s.len() + self.ends.len()) as u64 * 4
    }
}

fn uptime_at_start(warm_s: &[u32], vm: VmId) -> u32 {
    warm_s.get(vm.index()).copied().unwrap_or(0)
}

/// The luck of predictions.
#[derive(Clone, Debug, PartialEq)]
struct NoiseDraws {
    noise: Noise,
    kinds: Stream,
    radii: Stream,
    angles: Stream,
}

impl NoiseDraws {
    fn of(noise: Noise, seed: Seed) -> Self {
        Self {
            noise,
            kinds: seed.stream("lifetime accuracy"),
            radii: seed.stream("lifetime error radius"),
            angles: seed.stream("lifetime error angle"),
        }
    }

    /// The uptimes at which a VM is predicted to leave, one prediction after the other.
    fn exits_s(&self, vm: VmId, start_s: u32, life_s: u32) -> impl Iterator<Item = u32> + '_ {
        let (mut asked_s, mut attempts) = (start_s, 0..);
        iter::from_fn(move || {
            let attempt = attempts.next().filter(|_| asked_s < life_s)?;
            asked_s = asked_s.saturating_add(self.predicted_s(vm, attempt, life_s - asked_s));
            Some(asked_s)
        })
    }

    /// A noisy word for `true_s`; the VM's draw of this number.
    fn predicted_s(&self, vm: VmId, attempt: u64, true_s: u32) -> u32 {
        let what = u64::from(vm.0);
        let is_right = unit(self.kinds.draw(what, 0)) <= self.noise.accuracy;
        let sigma = if is_right { self.noise.sigma_right } else { self.noise.sigma_wrong };
        let radius = libm::sqrt(-2.0 * libm::log(unit(self.radii.draw(what, attempt))));
        let error = sigma * radius * libm::cos(TAU * unit(self.angles.draw(what, attempt)));
        let predicted = f64::from(true_s) * libm::pow(10.0, error);
        libm::ceil(predicted).clamp(1.0, f64::from(self.noise.cap_s)) as u32
    }
}

/// A number above 0, up to 1.
fn unit(bits: u64) -> f64 {
    ((bits >> 11) + 1) as f64 / (1_u64 << 53) as f64
}
