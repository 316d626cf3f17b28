//! True lifetimes with noise: the accuracy parameter of LAVA's Figure 15 (Appendix G.1).

use alloc::vec::Vec;
use core::f64::consts::TAU;
use core::iter;

use tiebreak_model::choices;
use tiebreak_model::random::{Seed, Stream};
use tiebreak_model::{RequestId, Time, VmId, Workload};

use crate::curve::Prediction;
use crate::lives::TrueLives;
use crate::spells::seconds_between;

/// What the error of a VM's predictions applies to, and for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NoiseReading {
    /// One factor per VM, applied to its true remaining lifetime at each prediction: the paper's label is the
    /// remaining lifetime.
    #[default]
    OneFactor,
    /// A prediction holds until the VM outlives it; then another error is drawn, for its true remaining lifetime.
    DrawnAgain,
}

choices! { NoiseReading: OneFactor = "one_factor", DrawnAgain = "drawn_again" }

/// How often a VM is predicted if its error is one factor: at every full minute of its uptime, the shorter of the
/// paper's intervals (LAVA appendix G.3).
const ASKED_EVERY_S: u32 = 60;

/// How wrong predictions are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Noise {
    pub(crate) reading: NoiseReading,
    /// The share of VMs that are predicted well, 0 to 1.
    pub(crate) accuracy: f64,
    /// Standard deviation of the error of those, in log10.
    pub(crate) sigma_right: f64,
    /// The same for the others.
    pub(crate) sigma_wrong: f64,
    /// The longest remaining lifetime that is predicted.
    pub(crate) cap_s: u32,
}

/// The lifetimes of a workload's VMs with noise.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NoisyLives {
    lives: TrueLives,
    /// The uptimes, when the trace begins, of the VMs running then, which come first.
    warm_s: Vec<u32>,
    draws: NoiseDraws,
    errors: Errors,
}

/// The errors of all VMs, drawn in advance: drawing takes far longer than a lookup.
#[derive(Clone, Debug, PartialEq)]
enum Errors {
    /// The factor of each VM.
    Factors(Vec<f64>),
    /// The predicted ends of each VM, one prediction after the other, and the end of each VM's range.
    Exits { exits_s: Vec<u32>, ends: Vec<u32> },
}

impl NoisyLives {
    pub(crate) fn of(workload: &Workload, lives: TrueLives, noise: Noise, seed: Seed) -> Self {
        let warm = (0..workload.warm_count()).map(RequestId);
        let warm_s = warm.map(|request| seconds_between(workload.at(request), Time::ZERO)).collect();
        Self::drawn(lives, warm_s, NoiseDraws::of(noise, seed))
    }

    fn drawn(lives: TrueLives, warm_s: Vec<u32>, draws: NoiseDraws) -> Self {
        let vms = (0..lives.count() as u32).map(VmId);
        let errors = match draws.noise.reading {
            NoiseReading::OneFactor => Errors::Factors(vms.map(|vm| draws.factor(vm, 0)).collect()),
            NoiseReading::DrawnAgain => {
                let (mut exits_s, mut ends) = (Vec::new(), Vec::with_capacity(lives.count()));
                for vm in vms {
                    exits_s.extend(draws.exits_s(vm, uptime_at_start(&warm_s, vm), lives.life_s(vm)));
                    ends.push(exits_s.len() as u32);
                }
                Errors::Exits { exits_s, ends }
            }
        };
        Self { lives, warm_s, draws, errors }
    }

    /// The prediction for a VM that has run for `uptime_s`.
    pub(crate) fn predict(&self, vm: VmId, uptime_s: u32) -> Prediction {
        let (exit_s, next_s) = match &self.errors {
            Errors::Factors(factors) => {
                let asked_s = uptime_s - uptime_s % ASKED_EVERY_S;
                let factor = factors.get(vm.index()).copied().unwrap_or_else(|| self.draws.factor(vm, 0));
                let remaining_s = self.lives.life_s(vm).saturating_sub(asked_s).max(1);
                let exit_s = asked_s.saturating_add(self.draws.noise.told_s(remaining_s, factor));
                let exit_s = exit_s.max(uptime_s.saturating_add(1));
                (exit_s, exit_s.min(asked_s.saturating_add(ASKED_EVERY_S)))
            }
            Errors::Exits { exits_s, ends } => {
                let exit_s = self.exit_s((exits_s, ends), vm, uptime_s);
                (exit_s, exit_s)
            }
        };
        let next_change_s = (next_s > uptime_s && next_s < u32::MAX).then_some(next_s);
        Prediction { remaining_s: (exit_s - uptime_s).max(1), next_change_s }
    }

    /// The uptime at which a VM that has run for `uptime_s` is predicted to end, if errors are drawn again.
    ///
    /// The first prediction is made at its start, or when the trace begins; there are no earlier queries. Each one
    /// holds until it is outlived; then a new error is applied to the true remaining lifetime. Half of the draws are
    /// too long, so there are few of them.
    fn exit_s(&self, (exits_s, ends): (&[u32], &[u32]), vm: VmId, uptime_s: u32) -> u32 {
        let stands = |exit_s: &u32| *exit_s > uptime_s;
        let found = match ends.get(vm.index()) {
            Some(end) => {
                let first = vm.index().checked_sub(1).map_or(0, |before| ends[before]);
                exits_s[first as usize..*end as usize].iter().copied().find(stands)
            }
            None => self.draws.exits_s(vm, 0, self.lives.life_s(vm)).find(stands),
        };
        found.unwrap_or_else(|| uptime_s.saturating_add(1))
    }

    /// Those of some of its VMs, renumbered: their errors are drawn by the new numbers.
    pub(crate) fn of_part(&self, vms: &[VmId]) -> Self {
        let warm_s = vms.iter().map(|vm| uptime_at_start(&self.warm_s, *vm)).collect();
        Self::drawn(self.lives.of_part(vms), warm_s, self.draws.clone())
    }

    pub(crate) fn bytes(&self) -> u64 {
        let errors = match &self.errors {
            Errors::Factors(factors) => factors.len() as u64 * 8,
            Errors::Exits { exits_s, ends } => (exits_s.len() + ends.len()) as u64 * 4,
        };
        self.lives.bytes() + self.warm_s.len() as u64 * 4 + errors
    }
}

fn uptime_at_start(warm_s: &[u32], vm: VmId) -> u32 {
    warm_s.get(vm.index()).copied().unwrap_or(0)
}

/// Random draws for predictions.
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

    /// The uptimes at which a VM is predicted to end, one prediction after the other.
    fn exits_s(&self, vm: VmId, start_s: u32, life_s: u32) -> impl Iterator<Item = u32> + '_ {
        let (mut asked_s, mut attempts) = (start_s, 0..);
        iter::from_fn(move || {
            let attempt = attempts.next().filter(|_| asked_s < life_s)?;
            asked_s = asked_s.saturating_add(self.predicted_s(vm, attempt, life_s - asked_s));
            Some(asked_s)
        })
    }

    /// A noisy prediction of `true_s`; `attempt` numbers the VM's draws.
    fn predicted_s(&self, vm: VmId, attempt: u64, true_s: u32) -> u32 {
        self.noise.told_s(true_s, self.factor(vm, attempt))
    }

    /// The factor by which a VM's lifetime is overestimated; `attempt` numbers the VM's draws.
    fn factor(&self, vm: VmId, attempt: u64) -> f64 {
        let what = u64::from(vm.0);
        let is_right = unit(self.kinds.draw(what, 0)) <= self.noise.accuracy;
        let sigma = if is_right { self.noise.sigma_right } else { self.noise.sigma_wrong };
        let radius = libm::sqrt(-2.0 * libm::log(unit(self.radii.draw(what, attempt))));
        let error = sigma * radius * libm::cos(TAU * unit(self.angles.draw(what, attempt)));
        libm::pow(10.0, error)
    }
}

impl Noise {
    /// The prediction for a true remaining lifetime of `true_s`.
    fn told_s(&self, true_s: u32, factor: f64) -> u32 {
        libm::ceil(f64::from(true_s) * factor).clamp(1.0, f64::from(self.cap_s)) as u32
    }
}

/// A number above 0, up to 1.
fn unit(bits: u64) -> f64 {
    ((bits >> 11) + 1) as f64 / (1_u64 << 53) as f64
}
