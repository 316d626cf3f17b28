//! Lifetimes: a Kaplan-Meier curve for each flavour and request size, and how often the VMs of a request end
//! together.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tiebreak_lifetime::Survived;
use tiebreak_model::{RequestId, Time, VmId, Workload};

use crate::numbers::{SIZE_CLASSES, Sharing, by_size, of_each_class, size_class};
use crate::requests::{arriving, ascending};

/// The least number of observed ends of a flavour with its own curve.
const OWN_LEAST: u32 = 200;
/// The least number of its VMs at risk; below, the curve of all VMs is used.
const AT_RISK_LEAST: u32 = 30;
/// VMs of a request whose ends are at most this many milliseconds apart end together.
pub(crate) const TOGETHER_MS: u64 = 60_000;

/// Surviving shares at which a curve stores the age: finer towards the end, where few VMs have most of the
/// core-hours.
pub const LEVELS: [f64; 58] = [
    0.98, 0.96, 0.94, 0.92, 0.90, 0.88, 0.86, 0.84, 0.82, 0.80, 0.78, 0.76, 0.74, 0.72, 0.70, 0.68, 0.66, 0.64, 0.62,
    0.60, 0.58, 0.56, 0.54, 0.52, 0.50, 0.48, 0.46, 0.44, 0.42, 0.40, 0.38, 0.36, 0.34, 0.32, 0.30, 0.28, 0.26, 0.24,
    0.22, 0.20, 0.18, 0.16, 0.14, 0.12, 0.10, 0.09, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.02, 0.015, 0.01, 0.005,
    0.002, 0.0,
];

/// Ages in seconds at which at most each of [`LEVELS`] survives; it ends at the lowest observed share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Curve(pub Vec<u32>);

impl Curve {
    pub(crate) fn of(survived: &Survived) -> Self {
        Self(LEVELS.iter().map_while(|level| survived.age_at(*level)).collect())
    }

    /// The lifetime that this share, from 0 to just below 1, survives, in milliseconds; `None` for one without end.
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
            return Err("expected at most as many ages per curve as levels, got more".into());
        }
        ascending("ages of a curve", &self.0)
    }
}

/// Lifetimes of VMs that arrive after the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lives {
    /// For VMs of flavours without their own curve, by size class of the request; for all VMs of the class if there
    /// are none.
    pub of_size: Vec<Curve>,
    /// For frequent flavours.
    pub of_flavour: Vec<OfFlavour>,
    /// How often the VMs of a request end together, for each size class.
    pub together: Vec<Sharing>,
}

/// Lifetimes of one flavour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfFlavour {
    /// Its index in the list of flavours.
    pub flavour: usize,
    /// For its VMs, by size class of the request; if there is none, the curve of infrequent flavours is used.
    pub of_size: Vec<Option<Curve>>,
}

impl Lives {
    pub(crate) fn of(workload: &Workload, of_shape: &[usize], flavours: usize) -> Self {
        let cut = seen_until(workload);
        let classes = 0..SIZE_CLASSES.len() + 1;
        let class_of = classes_of(workload);
        // VMs running at the start show the ends of the longest lifetimes, whatever their request size.
        let warm = first_arriving(workload);
        let is_of = |vm: VmId, class: usize| vm.0 < warm || class_of[vm.index()] == class;
        let mut ended = alloc::vec![[0_u32; SIZE_CLASSES.len() + 1]; flavours];
        for vm in (warm..workload.vm_count()).map(VmId).filter(|vm| workload.end(*vm) <= cut) {
            ended[of_shape[workload.shape_of(vm).index()]][class_of[vm.index()]] += 1;
        }
        let all = Survived::until(workload, cut);
        let of_class = |class: usize| Survived::of_some(workload, cut, &all, AT_RISK_LEAST, |vm| is_of(vm, class));
        let of_size: Vec<Survived> = classes.clone().map(of_class).collect();
        let flavour_of = |vm: VmId| of_shape[workload.shape_of(vm).index()];
        let rest = |class: usize| {
            let keep = |vm: VmId| is_of(vm, class) && ended[flavour_of(vm)][class] < OWN_LEAST;
            Curve::of(&Survived::of_some(workload, cut, &of_size[class], AT_RISK_LEAST, keep))
        };
        let own = |flavour: usize, class: usize| {
            let keep = |vm: VmId| flavour_of(vm) == flavour && is_of(vm, class);
            let own = || Curve::of(&Survived::of_some(workload, cut, &of_size[class], AT_RISK_LEAST, keep));
            (ended[flavour][class] >= OWN_LEAST).then(own)
        };
        let of_flavour = (0..flavours).map(|flavour| {
            let of_size = classes.clone().map(|class| own(flavour, class)).collect();
            OfFlavour { flavour, of_size }
        });
        Self {
            of_flavour: of_flavour.filter(|own| own.of_size.iter().any(Option::is_some)).collect(),
            of_size: classes.clone().map(rest).collect(),
            together: together(workload),
        }
    }

    /// The curves of a flavour, for each size class.
    pub(crate) fn curves(&self, flavour: usize) -> Vec<&Curve> {
        let own = self.of_flavour.iter().find(|own| own.flavour == flavour);
        let of_class =
            |(class, all): (usize, _)| own.and_then(|own: &OfFlavour| own.of_size[class].as_ref()).unwrap_or(all);
        self.of_size.iter().enumerate().map(of_class).collect()
    }

    pub(crate) fn check(&self, flavours: usize) -> Result<(), String> {
        of_each_class("lives", &self.of_size)?;
        self.of_flavour.iter().try_for_each(|own| of_each_class("lives of a flavour", &own.of_size))?;
        let own = self.of_flavour.iter().flat_map(|own| &own.of_size).flatten();
        own.chain(&self.of_size).try_for_each(Curve::check)?;
        if self.of_flavour.iter().any(|own| own.flavour >= flavours) {
            return Err("expected lifetimes for flavours of the list, got another flavour".into());
        }
        of_each_class("together", &self.together)?;
        self.together.iter().try_for_each(|sharing| sharing.check("together"))
    }
}

/// The end of observation of a trace: its last end, which may be later than its last arrival.
pub(crate) fn seen_until(workload: &Workload) -> Time {
    let ends = (0..workload.vm_count()).map(|vm| workload.end(VmId(vm)));
    ends.filter(|end| *end < Time::NEVER).max().unwrap_or(Time::ZERO).max(workload.horizon())
}

/// The first VM that arrives after the start.
fn first_arriving(workload: &Workload) -> u32 {
    let warm = workload.warm_count();
    if warm < workload.request_count() { workload.vms_of(RequestId(warm)).start } else { workload.vm_count() }
}

/// For each VM, the size class of its request.
fn classes_of(workload: &Workload) -> Vec<usize> {
    let mut classes = Vec::with_capacity(workload.vm_count() as usize);
    for request in (0..workload.request_count()).map(RequestId) {
        let vms = workload.vms_of(request).len();
        classes.extend(core::iter::repeat_n(size_class(vms as u32), vms));
    }
    classes
}

fn together(workload: &Workload) -> Vec<Sharing> {
    let same = |vm: u32| end_together(workload, VmId(vm - 1), VmId(vm));
    by_size(arriving(workload).map(|request| {
        let vms = workload.vms_of(request);
        (vms.len() as u32, (vms.start + 1..vms.end).map(same).collect())
    }))
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
        // 0.99 is half-way to the first level, 0.97 to the second; nothing is known below 0.96.
        let lives = [0.99, 0.98, 0.97, 0.96, 0.95].map(|alive| curve.life_ms(alive));
        let near = |life: Option<u64>, ms: u64| life.is_some_and(|life| life.abs_diff(ms) <= 1);
        assert!(near(lives[0], 50_000) && near(lives[1], 100_000) && near(lives[2], 150_000), "{lives:?}");
        assert!(near(lives[3], 200_000) && lives[4].is_none(), "{lives:?}");
        assert_eq!(Curve::default().life_ms(0.5), None);
    }
}
