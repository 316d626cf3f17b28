//! Affinity groups during a run: the lifetime class of every VM and machine, and the group of every cluster (DVLA).
//!
//! [`settings`] says how lifetimes become classes, [`detector`] how far a cluster is from what it was, and [`group`]
//! when its group changes. Here machines get their classes, at once or day by day. As in [`crate::lifetimes`], nothing
//! reads when a VM really ends.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::{ClusterId, Fleet, MachineId, Occupancy, Time, VmAffinity, VmId, Workload};

use crate::lifetimes::LifePredictions;
use crate::system::{Arrival, Stay, System};
use detector::Vector;
use group::{ClusterGroup, GroupDay, GroupState};
use settings::{AffinitySettings, CLASSES_MAX, MachineClass};

pub mod detector;
pub mod group;
pub mod settings;

/// A day of one cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AffinityDay {
    /// When it ended.
    pub at: Time,
    /// The cluster.
    pub cluster: ClusterId,
    /// What it was.
    pub day: GroupDay,
}

/// Counts of what became of affinity groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AffinityCounts {
    /// How often a cluster's group was formed anew.
    pub changes: u64,
    /// Days of clusters with VMs.
    pub days: u64,
    /// Of these, days in observation.
    pub observed_days: u64,
}

/// A VM on a machine.
#[derive(Clone, Copy)]
struct Resident {
    vm: VmId,
    cores_milli: u32,
    class: u8,
    is_long: bool,
}

#[derive(Clone, Default)]
struct MachineAffinity {
    residents: Vec<Resident>,
    class: u8,
}

/// One cluster.
struct ClusterAffinity {
    group: ClusterGroup,
    /// Whether it had no VMs at the start and has not formed its group anew.
    is_new: bool,
}

/// The affinity groups of a run.
pub(crate) struct Affinity {
    terms: AffinitySettings,
    predictions: LifePredictions,
    machines: Vec<MachineAffinity>,
    clusters: Vec<ClusterAffinity>,
    days: Vec<AffinityDay>,
    has_begun: bool,
    shown_from: Time,
}

impl Affinity {
    /// For this fleet without VMs. Agents see classes from `shown_from` on.
    pub(crate) fn new(terms: AffinitySettings, predictions: LifePredictions, fleet: &Fleet, shown_from: Time) -> Self {
        let cluster = |_: &_| ClusterAffinity { group: ClusterGroup::new(&terms), is_new: true };
        Self {
            machines: vec![MachineAffinity::default(); fleet.machine_count() as usize],
            clusters: fleet.clusters().iter().map(cluster).collect(),
            days: Vec::new(),
            has_begun: false,
            terms,
            predictions,
            shown_from,
        }
    }

    /// From when agents see classes.
    pub(crate) const fn shown_from(&self) -> Time {
        self.shown_from
    }

    /// What the affinity score reads of a VM with this predicted remaining lifetime.
    pub(crate) fn of_vm(&self, remaining_s: u32) -> VmAffinity {
        self.terms.of_vm(remaining_s)
    }

    /// A machine's class; 0 if it has none.
    pub(crate) fn class(&self, machine: MachineId) -> u8 {
        let MachineAffinity { residents, class } = &self.machines[machine.index()];
        if residents.is_empty() { 0 } else { *class }
    }

    /// The days of all clusters so far.
    pub(crate) fn days(&self) -> &[AffinityDay] {
        &self.days
    }

    /// Whether a machine has any long-lived VM, by the last predictions.
    pub(crate) fn has_long(&self, machine: MachineId) -> bool {
        self.machines[machine.index()].residents.iter().any(|it| it.is_long)
    }

    /// A VM has migrated away. If it was the machine's last long-lived one, the machine gets a new class.
    pub(crate) fn migrated_from(&mut self, machine: MachineId, had_long: bool, fleet: &Fleet) {
        if self.terms.event_updates && had_long && !self.has_long(machine) {
            self.classify(machine, fleet.cluster_of(machine));
        }
    }

    /// A day ends: VMs are predicted again, every cluster notes its vector, and machines get their classes. Returns
    /// the machines whose class has changed.
    pub(crate) fn day(&mut self, now: Time, workload: &Workload, fleet: &Fleet) -> Vec<MachineId> {
        let is_first = !core::mem::replace(&mut self.has_begun, true);
        let predicts = self.terms.daily_update && !is_first;
        let mut changed = Vec::new();
        for (at, cluster) in fleet.clusters().iter().enumerate() {
            let id = ClusterId::of(at);
            let machines = cluster.machines().map(MachineId);
            if predicts {
                machines.clone().for_each(|machine| self.predict(machine, now, workload));
            }
            let vector = self.vector(machines.clone());
            self.end_day(now, id, vector, is_first);
            if self.terms.daily_update || is_first {
                changed.extend(machines.filter(|machine| self.classify(*machine, id)));
            }
        }
        changed
    }

    fn predict(&mut self, machine: MachineId, now: Time, workload: &Workload) {
        for it in &mut self.machines[machine.index()].residents {
            let remaining_s = self.predictions.remaining_s(workload, it.vm, now);
            (it.class, it.is_long) = (self.terms.class_of(remaining_s), self.terms.is_long(remaining_s));
        }
    }

    /// The share of the cores of running VMs in each class; `None` if they have none.
    fn vector(&self, machines: impl Iterator<Item = MachineId>) -> Option<Vector> {
        let mut sums = [0_u64; CLASSES_MAX];
        for it in machines.flat_map(|machine| &self.machines[machine.index()].residents) {
            sums[usize::from(it.class) - 1] += u64::from(it.cores_milli);
        }
        let all: u64 = sums.iter().sum();
        (all > 0).then(|| sums.map(|sum| sum as f64 / all as f64))
    }

    fn end_day(&mut self, at: Time, cluster: ClusterId, vector: Option<Vector>, is_first: bool) {
        let ClusterAffinity { group, is_new } = &mut self.clusters[cluster.index()];
        if is_first {
            *is_new = vector.is_none();
        }
        if self.terms.dynamic_groups {
            let day = group.day(vector, &self.terms);
            *is_new &= !day.changed;
            self.days.push(AffinityDay { at, cluster, day });
        }
    }

    /// Gives a machine the class of its VMs. Returns whether that is another one.
    fn classify(&mut self, machine: MachineId, cluster: ClusterId) -> bool {
        let ClusterAffinity { group, is_new } = &self.clusters[cluster.index()];
        let takes_longest = match self.terms.machine_class {
            MachineClass::Hybrid => *is_new,
            MachineClass::Weighted => false,
            MachineClass::Max => true,
        };
        let MachineAffinity { residents, class } = &mut self.machines[machine.index()];
        let longest = residents.iter().map(|it| it.class).max();
        let cores = residents.iter().map(|it| u64::from(it.cores_milli)).sum::<u64>();
        let weighted = residents.iter().map(|it| u64::from(it.cores_milli) * u64::from(it.class)).sum::<u64>();
        let after = match longest {
            None => 0,
            Some(longest) if takes_longest || cores == 0 => group.group.nearest(longest.into(), 1),
            Some(_) => group.group.nearest(weighted, cores),
        };
        core::mem::replace(class, after) != after
    }
}

impl System for Affinity {
    type Sample = ();
    type Summary = AffinityCounts;

    fn come(&mut self, Arrival { stay, .. }: &Arrival<'_>) {
        let remaining_s = self.predictions.remaining_s(stay.workload, stay.vm, stay.now);
        let (class, is_long) = (self.terms.class_of(remaining_s), self.terms.is_long(remaining_s));
        let cores_milli = stay.shape().demand.cores_milli();
        let residents = &mut self.machines[stay.machine.index()].residents;
        let is_first = residents.is_empty();
        residents.push(Resident { vm: stay.vm, cores_milli, class, is_long });
        if is_first && self.terms.event_updates {
            self.classify(stay.machine, stay.fleet().cluster_of(stay.machine));
        }
    }

    fn leave(&mut self, stay: &Stay<'_>) {
        let residents = &mut self.machines[stay.machine.index()].residents;
        let at = residents.iter().position(|it| it.vm == stay.vm).expect("a VM leaves the machine it joined");
        residents.swap_remove(at);
        if residents.is_empty() && self.terms.event_updates {
            self.machines[stay.machine.index()].class = 0;
        }
    }

    fn sample(&mut self, _: Time, _: &Occupancy) {}

    fn summary(&self) -> AffinityCounts {
        let counted = self.days.iter().filter(|it| it.day.vector.is_some());
        AffinityCounts {
            changes: self.clusters.iter().map(|it| u64::from(it.group.changes)).sum(),
            days: counted.clone().count() as u64,
            observed_days: counted.filter(|it| it.day.state == GroupState::Observation).count() as u64,
        }
    }
}
