//! Rules about chassis, and when what they say changes.
//!
//! Such a rule sees two numbers: how much of a chassis' cores its VMs are expected to use, and the mix of VMs on the machine.
//! One VM that comes or goes changes the first for all machines of the chassis, but seldom the bucket of any
//! other machine than its own. So before a decision, the buckets of each chassis in which anything changed are
//! taken again, and only machines whose bucket moved are noted in the journal. Past that, such
//! a rule is a machine rule like any other to every cache, bit for bit.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{ChassisId, Declared, MachineId, Occupancy, Scene, VmRequest};

use crate::erased::{AnyPreference, BoundPreference};
use crate::policy::Policy;
use crate::quantize::Quantizer;

/// A soft constraint on what chassis and machines are expected to draw.
pub trait ChassisPreference: Declared + Copy + Send + Sync + 'static {
    /// From 0 (best) to 1 (worst), for a VM that is user-facing or not, on a machine of whose chassis this share of the
    /// cores is expected to be used, 0 to 1, and whose VMs that can be slowed down use so much more of its cores
    /// than its user-facing ones, -1 to 1. See [`ChassisView`](tiebreak_model::ChassisView).
    fn score(&self, user_facing: bool, used_share: f64, slowable_share: f64) -> f64;
}

/// Such a rule behind the seam of all preferences.
#[derive(Clone, Copy)]
pub(crate) struct Chassis<T>(T);

impl<T: ChassisPreference> Chassis<T> {
    pub(crate) fn boxed(rule: T) -> Box<dyn AnyPreference<MachineId>> {
        Box::new(Self(rule))
    }
}

/// A chassis preference whose type is forgotten.
pub(crate) trait AnyChassis {
    /// The same rule.
    fn copied(&self) -> Box<dyn AnyChassis + Send + Sync>;
    /// The buckets of machines of one chassis, by how much can be slowed down on each.
    fn buckets(&self, user_facing: bool, used_share: f64, slowable: &[f64], quantizer: Quantizer, buckets: &mut [u64]);
}

impl<T: ChassisPreference> AnyChassis for Chassis<T> {
    fn copied(&self) -> Box<dyn AnyChassis + Send + Sync> {
        Box::new(*self)
    }

    fn buckets(&self, user_facing: bool, used_share: f64, slowable: &[f64], quantizer: Quantizer, buckets: &mut [u64]) {
        for (slowable, bucket) in slowable.iter().zip(buckets) {
            *bucket = quantizer.bucket(self.0.score(user_facing, used_share, *slowable));
        }
    }
}

impl<T: ChassisPreference> AnyPreference<MachineId> for Chassis<T> {
    fn write_key(&self, vm: &VmRequest, words: &mut Vec<u64>) {
        words.push(u64::from(vm.shape.load.user_facing));
    }

    fn bind(&self, vm: &VmRequest) -> Box<dyn BoundPreference<MachineId>> {
        Box::new(Bound { rule: self.0, user_facing: vm.shape.load.user_facing })
    }

    fn sees_tenant(&self) -> bool {
        false
    }

    fn sees_what_stays(&self) -> bool {
        false
    }

    fn as_chassis(&self) -> Option<&dyn AnyChassis> {
        Some(self)
    }
}

struct Bound<T> {
    rule: T,
    user_facing: bool,
}

impl<T: ChassisPreference> BoundPreference<MachineId> for Bound<T> {
    fn score(&self, scene: Scene<'_>, id: MachineId) -> f64 {
        let view = scene.occupancy.chassis_of(id);
        self.rule.score(self.user_facing, view.used_share(), view.slowable_share())
    }

    fn scores(&self, scene: Scene<'_>, ids: &[MachineId], scores: &mut Vec<f64>) {
        scores.clear();
        scores.extend(ids.iter().map(|id| self.score(scene, *id)));
    }
}

/// Watches the chassis of one agent's view for the rules of one policy.
pub(crate) struct ChassisWatch {
    revision: Revision,
    /// How much can be slowed down on each machine.
    slowable: Vec<f64>,
    columns: Vec<Column>,
    changed: Vec<ChassisId>,
    fresh: Vec<u64>,
}

/// One rule for one kind of VMs, and the bucket of every machine.
struct Column {
    rule: Box<dyn AnyChassis + Send + Sync>,
    quantizer: Quantizer,
    user_facing: bool,
    buckets: Vec<u64>,
}

impl ChassisWatch {
    /// For a list that has such rules.
    pub(crate) fn of(policy: &Policy, view: &Occupancy) -> Option<Self> {
        if cfg!(feature = "few") || !policy.asks_for_loads() {
            return None;
        }
        let fleet = view.fleet();
        let column = |(rule, quantizer): (&dyn AnyChassis, Quantizer), user_facing| Column {
            rule: rule.copied(),
            quantizer,
            user_facing,
            buckets: vec![0; fleet.machine_count() as usize],
        };
        let both = |stage| [column(stage, true), column(stage, false)];
        let mut watch = Self {
            revision: view.revision(),
            slowable: (0..fleet.machine_count()).map(|id| view.chassis_of(MachineId(id)).slowable_share()).collect(),
            columns: policy.chassis_stages().flat_map(both).collect(),
            changed: (0..fleet.chassis_count()).map(ChassisId).collect(),
            fresh: Vec::new(),
        };
        watch.look(view, |_| {});
        Some(watch)
    }

    /// Notes in the journal every machine of which a rule says something else because of its
    /// chassis.
    pub(crate) fn follow(&mut self, view: &mut Occupancy) {
        if view.revision() == self.revision {
            return;
        }
        self.changed.clear();
        for cluster in view.journal().clusters_changed_since(self.revision) {
            for machine in view.journal().changed_since(cluster, self.revision) {
                self.slowable[machine.index()] = view.chassis_of(machine).slowable_share();
                self.changed.push(view.fleet().chassis_of(machine));
            }
        }
        self.changed.sort_unstable();
        self.changed.dedup();
        let mut moved = Vec::new();
        self.look(view, |machine| moved.push(machine));
        for machine in moved {
            if view.journal().revision_of(machine) <= self.revision {
                view.touch(machine);
            }
        }
        self.revision = view.revision();
    }

    /// Takes the buckets of the changed chassis again; `moved` gets the machines with another one.
    fn look(&mut self, view: &Occupancy, mut moved: impl FnMut(MachineId)) {
        for chassis in &self.changed {
            let (machines, used_share) = (view.fleet().machines_of_chassis(*chassis), view.chassis_share(*chassis));
            let range = machines.start as usize..machines.end as usize;
            self.fresh.resize(range.len(), 0);
            for Column { rule, quantizer, user_facing, buckets } in &mut self.columns {
                let slowable = &self.slowable[range.clone()];
                rule.buckets(*user_facing, used_share, slowable, *quantizer, &mut self.fresh);
                for ((id, bucket), fresh) in machines.clone().zip(&mut buckets[range.clone()]).zip(&self.fresh) {
                    if *bucket != *fresh {
                        *bucket = *fresh;
                        moved(MachineId(id));
                    }
                }
            }
        }
    }
}
