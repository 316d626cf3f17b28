//! How long VMs live: Kaplan and Meier's curve of each flavour, alone and among several, and how often the VMs of a
//! request end together.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tiebreak_lifetime::Survived;
use tiebreak_model::{RequestId, Time, VmId, Workload};

use crate::numbers::{Alike, Sharing};
use crate::requests::{arriving, ascending};

/// VMs of a flavour that must be seen to end before it has a curve of its own.
const OWN_LEAST: u32 = 100;
/// VMs of it at risk below which all VMs stand for it.
const AT_RISK_LEAST: u32 = 30;
/// VMs of a request that end within so many milliseconds of each other end together.
pub(crate) const TOGETHER_MS: u64 = 60_000;

/// Shares of VMs that are still alive, at which a curve tells the age: finer towards the end, where few VMs have most of the
/// core-hours.
pub const LEVELS: [f64; 58] = [
    0.98, 0.96, 0.94, 0.92, 0.90, 0.88, 0.86, 0.84, 0.82, 0.80, 0.78, 0.76, 0.74, 0.72, 0.70, 0.68, 0.66, 0.64, 0.62,
    0.60, 0.58, 0.56, 0.54, 0.52, 0.50, 0.48, 0.46, 0.44, 0.42, 0.40, 0.38, 0.36, 0.34, 0.32, 0.30, 0.28, 0.26, 0.24,
    0.22, 0.20, 0.18, 0.16, 0.14, 0.12, 0.10, 0.09, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.02, 0.015, 0.01, 0.005,
    0.002, 0.0,
];

/// Ages in seconds at which no more than each of [`LEVELS`] is alive; it ends where more than that is never seen to end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Curve(pub Vec<u32>);

impl Curve {
    pub(crate) fn of(survived: &Survived) -> Self {
        Self(LEVELS.iter().map_while(|level| survived.age_at(*level)).collect())
    }

    /// The life at which this share, from 0 to just below 1, is still alive, in milliseconds; none for one without end.
    #[must_use]
    pub fn life_ms(&self, alive: f64) -> Option<u64> {
        let at = LEVELS.partition_point(|level| *level > alive);
        let until = f64::from(*self.0.get(at)?);
        let (above, from) = at.checked_sub(1).map_or((1.0, 0.0), |before| (LEVELS[before], f64::from(self.0[before])));
        let passed = (above - alive) / (above - LEVELS[at]);
        Some(((from + (until - from) * passed) * 1_000.0) as u64)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        if self.0.len() > LEVELS.len() {
            return Err("expected no more ages of a curve than there are levels, got more".into());
        }
        ascending("ages of a curve", &self.0)
    }
}

/// Lives of VMs that come after the beginning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lives {
    /// Of all that are their request's only VM.
    pub alone: Curve,
    /// Of all others.
    pub several: Curve,
    /// Of flavours that are frequent.
    pub of_flavour: Vec<OfFlavour>,
    /// How often the VMs of a request end together.
    pub together: Sharing,
}

/// Lives of one flavour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfFlavour {
    /// Its place in the list of flavours.
    pub flavour: usize,
    /// Its VMs that come alone; those of all flavours stand for them where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<Curve>,
    /// Its VMs that come with others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub several: Option<Curve>,
}

impl Lives {
    pub(crate) fn of(workload: &Workload, of_shape: &[usize], flavours: usize) -> Self {
        let cut = seen_until(workload);
        let alone = are_alone(workload);
        // VMs that were there at the beginning tell how the oldest end, whatever came with them.
        let warm = first_arriving(workload);
        let is_of = |vm: VmId, single: bool| vm.0 < warm || alone[vm.index()] == single;
        let all = Survived::until(workload, cut);
        let [of_alone, of_several] =
            [true, false].map(|single| Survived::of_some(workload, cut, &all, 1, |vm| is_of(vm, single)));
        let of_flavour = |flavour: usize| {
            let of_it = |vm: VmId| of_shape[workload.shape_of(vm).index()] == flavour;
            let own = |all: &Survived, single: bool| {
                let new = (warm..workload.vm_count()).map(VmId).filter(|vm| alone[vm.index()] == single && of_it(*vm));
                let ended = new.filter(|vm| workload.end(*vm) <= cut).count();
                let keep = |vm: VmId| of_it(vm) && is_of(vm, single);
                (ended >= OWN_LEAST as usize)
                    .then(|| Curve::of(&Survived::of_some(workload, cut, all, AT_RISK_LEAST, keep)))
            };
            let (alone, several) = (own(&of_alone, true), own(&of_several, false));
            (alone.is_some() || several.is_some()).then_some(OfFlavour { flavour, alone, several })
        };
        Self {
            alone: Curve::of(&of_alone),
            several: Curve::of(&of_several),
            of_flavour: (0..flavours).filter_map(of_flavour).collect(),
            together: together(workload),
        }
    }

    /// The curves of a flavour: of its VMs that come alone, and of those that come with others.
    pub(crate) fn curves(&self, flavour: usize) -> [&Curve; 2] {
        let own = self.of_flavour.iter().find(|own| own.flavour == flavour);
        let [alone, several] = [own.map(|own| &own.alone), own.map(|own| &own.several)];
        [
            alone.and_then(Option::as_ref).unwrap_or(&self.alone),
            several.and_then(Option::as_ref).unwrap_or(&self.several),
        ]
    }

    pub(crate) fn check(&self, flavours: usize) -> Result<(), String> {
        let own = self.of_flavour.iter().flat_map(|own| [&own.alone, &own.several]).flatten();
        own.chain([&self.alone, &self.several]).try_for_each(Curve::check)?;
        if self.of_flavour.iter().any(|own| own.flavour >= flavours) {
            return Err("expected lives of flavours of the list, got another".into());
        }
        self.together.check("together")
    }
}

/// How long a trace is watched: until its last end, which may be told beyond its last arrival.
pub(crate) fn seen_until(workload: &Workload) -> Time {
    let ends = (0..workload.vm_count()).map(|vm| workload.end(VmId(vm)));
    ends.filter(|end| *end < Time::NEVER).max().unwrap_or(Time::ZERO).max(workload.horizon())
}

/// The first VM that comes after the beginning.
fn first_arriving(workload: &Workload) -> u32 {
    let warm = workload.warm_count();
    if warm < workload.request_count() { workload.vms_of(RequestId(warm)).start } else { workload.vm_count() }
}

/// For each VM, whether it is its request's only one.
fn are_alone(workload: &Workload) -> Vec<bool> {
    let mut alone = Vec::with_capacity(workload.vm_count() as usize);
    for request in (0..workload.request_count()).map(RequestId) {
        let vms = workload.vms_of(request).len();
        alone.extend(core::iter::repeat_n(vms == 1, vms));
    }
    alone
}

fn together(workload: &Workload) -> Sharing {
    let mut alike = Alike::default();
    for request in arriving(workload) {
        let vms = workload.vms_of(request);
        let same = |vm: u32| end_together(workload, VmId(vm - 1), VmId(vm));
        alike.add((vms.start + 1..vms.end).map(same));
    }
    alike.sharing()
}

pub(crate) fn end_together(workload: &Workload, one: VmId, other: VmId) -> bool {
    let [one, other] = [one, other].map(|vm| workload.end(vm));
    one.max(other).since(one.min(other)).0 <= TOGETHER_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_read_between_its_levels() {
        let curve = Curve(alloc::vec![100, 200]);
        // 0.99 is half of the way to the first level, 0.97 to the second; nothing is known below 0.96.
        let lives = [0.99, 0.98, 0.97, 0.96, 0.95].map(|alive| curve.life_ms(alive));
        let near = |life: Option<u64>, ms: u64| life.is_some_and(|life| life.abs_diff(ms) <= 1);
        assert!(near(lives[0], 50_000) && near(lives[1], 100_000) && near(lives[2], 150_000), "{lives:?}");
        assert!(near(lives[3], 200_000) && lives[4].is_none(), "{lives:?}");
        assert_eq!(Curve::default().life_ms(0.5), None);
    }
}
