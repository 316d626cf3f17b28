//! The zones that are measured: the preset `zone-10k` made smaller or larger, with the same load
//! on each machine, so that only the number of machines tells two of them apart.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use tiebreak_model::{Bounds, RequestId, Resource, Resources, Time, VmId, VmRow, VmShape, Workload, WorkloadBuilder};
use tiebreak_scenario::document::REQUIRED_RULE;
use tiebreak_scenario::{ClusterRow, Variant, WorkloadRef};

use tiebreak_console::answer::Failure;
use tiebreak_console::scenario::preset;

/// Machines of a cluster; a smaller zone is one smaller cluster.
const CLUSTER_MACHINES: u32 = 1_000;
const RACK_MACHINES: u32 = 40;

/// Chassis of a rack where power is balanced.
const RACK_CHASSIS: u32 = 3;

/// How many machines the preset's arrival rate is made for.
const PRESET_MACHINES: u32 = 10_000;

/// Cores of a VM, and how many of the 64 classes ask for so many: about as often as Protean's
/// zone 1 asks for them (Table 3), with the same mean of 3.7 cores.
const CLASSES: [(u32, u32); 5] = [(1, 10), (2, 24), (4, 21), (8, 6), (16, 3)];

/// What each core of a class asks for at least, and by how much the classes of one size differ;
/// at most 7.75 GiB a core, where a machine has 8, so that memory never decides who fits.
const CORE_MEMORY_MIB: u32 = 2_048;
const CLASS_MEMORY_MIB: u32 = 256;

/// Requests in a row that ask for one class, as in a zone where 80% repeat the one before.
const REPEATS: usize = 5;

/// Machines with their rules, and who asks them for what.
pub(super) struct Zone {
    pub(super) variant: Variant,
    pub(super) workload: Arc<Workload>,
}

impl Zone {
    /// The preset's zone with so many machines, for so many days.
    pub(super) fn of((machines, days): (u32, f64)) -> Result<Self, Failure> {
        let mut variant = preset("zone-10k")?.active_variant().clone();
        variant.clusters = clusters(&variant.clusters[0], machines);
        if let WorkloadRef::Generated(settings) = &mut variant.workload {
            let share = f64::from(machines) / f64::from(PRESET_MACHINES);
            settings.days = days;
            settings.requests_per_hour *= share;
            settings.spike_requests = (f64::from(settings.spike_requests) * share).round() as u32;
        }
        let workload = Arc::new(variant.generate().expect("the preset is a generated one"));
        Ok(Self { variant, workload })
    }

    /// The same machines and requests under one preference, `BestFit` without buckets, and the
    /// validator that every list has. A memory weight of 0 makes it best fit in one dimension.
    pub(super) fn under_best_fit(&self, memory_weight: u32) -> Result<Self, Failure> {
        let mut variant = self.variant.clone();
        for row in &mut variant.rules {
            row.on = row.id == REQUIRED_RULE || row.id == "BestFit";
        }
        variant.set("rules.BestFit.buckets", "none")?;
        variant.set("rules.BestFit.memory_weight", &memory_weight.to_string())?;
        Ok(Self { variant, workload: self.workload.clone() })
    }

    /// The same machines and requests with more rules, and with lives told by this predictor.
    pub(super) fn with(&self, rules: &[&str], predictor: &str) -> Result<Self, Failure> {
        let mut variant = self.variant.clone();
        for rule in rules {
            variant.set(&format!("rules.{rule}.on"), "true")?;
        }
        variant.set("predictor", predictor)?;
        Ok(Self { variant, workload: self.workload.clone() })
    }

    /// The same machines and moments, but requests go through 64 classes in turns, so that all of
    /// them stay live. No two classes have the same demand, so no list of rules joins them.
    pub(super) fn with_64_classes(&self) -> Self {
        let classes = classes();
        let mut rows = WorkloadBuilder::new();
        for request in (0..self.workload.request_count()).map(RequestId) {
            let shape = classes[request.index() / REPEATS % classes.len()];
            for vm in self.workload.vms_of(request).map(VmId) {
                let (name, tenant) = (self.workload.name(vm), self.workload.tenant(request));
                let (start, end) = (self.workload.at(request), self.workload.end(vm));
                rows.push(VmRow { name, tenant, shape, start, end });
            }
        }
        let workload = rows.finish(self.workload.horizon()).expect("as many rows as before");
        Self { variant: self.variant.clone(), workload: Arc::new(workload) }
    }

    /// The same machines, and the same VMs one by one, in VDCs that always have so many: whoever comes takes the
    /// place that has been free longest, or the first of a new VDC.
    pub(super) fn in_vdcs(&self, vms: u32) -> Self {
        let (mut rows, mut vdcs) = (WorkloadBuilder::new().one_by_one(), 0);
        let (mut places, mut ends) = (VecDeque::new(), BinaryHeap::<Reverse<(Time, u64)>>::new());
        for request in (0..self.workload.request_count()).map(RequestId) {
            let start = self.workload.at(request);
            while let Some(Reverse((_, vdc))) = ends.peek().copied().filter(|it| it.0.0 <= start) {
                ends.pop();
                places.push_back(vdc);
            }
            for vm in self.workload.vms_of(request).map(VmId) {
                if places.is_empty() {
                    places.extend((0..vms).map(|_| vdcs));
                    vdcs += 1;
                }
                let tenant = places.pop_front().expect("a new VDC has places");
                let (name, shape, end) =
                    (self.workload.name(vm), *self.workload.shape_of_vm(vm), self.workload.end(vm));
                ends.push(Reverse((end, tenant)));
                rows.push(VmRow { name, tenant, shape, start, end });
            }
        }
        let workload = rows.finish(self.workload.horizon()).expect("as many rows as before");
        Self { variant: self.variant.clone(), workload: Arc::new(workload) }
    }

    /// The same machines and requests with the VMs of each tenant linked, each with all others, and with more
    /// rules. Links have as much bandwidth as an empty zone could hold of VDCs of 30, by Gridiron's bounds.
    pub(super) fn linked(&self, rules: &[&str]) -> Result<Self, Failure> {
        let mut variant = self.variant.clone();
        variant.set("vdcs.topology", "all_to_all")?;
        variant.set("vdcs.peak_vms", "0")?;
        let largest = self.workload.shapes().iter().map(|shape| shape.demand[Resource::Cores]).max().unwrap_or(0);
        let uplink_mbps = variant.network.to_uplinks().machine_kbps / 1_000;
        let bpc = Bounds::of(uplink_mbps, 30, u32::MAX).map_or(0, |bounds| bounds.bpc_mbps(largest));
        variant.set("vdcs.bpc_mbps", &bpc.to_string())?;
        for rule in rules {
            variant.set(&format!("rules.{rule}.on"), "true")?;
        }
        Ok(Self { variant, workload: self.workload.clone() })
    }

    /// The same machines and requests with the rule that balances power in so many buckets, under loads predicted by
    /// these. Of the 40 machines of a rack 13 or 14 share a chassis.
    pub(super) fn balancing_power(&self, predictor: &str, buckets: &str) -> Result<Self, Failure> {
        let mut variant = self.variant.clone();
        variant.clusters.iter_mut().for_each(|row| row.settings.chassis = RACK_CHASSIS);
        variant.set("rules.PowerBalance.on", "true")?;
        variant.set("rules.PowerBalance.buckets", buckets)?;
        variant.set("power.foretelling", predictor)?;
        Ok(Self { variant, workload: self.workload.clone() })
    }

    pub(super) fn machines(&self) -> u32 {
        self.variant.clusters.iter().map(|row| row.settings.machines).sum()
    }

    /// Whole cores of each machine: all are of one size.
    pub(super) fn machine_cores(&self) -> u16 {
        self.variant.clusters[0].settings.cores as u16
    }
}

fn clusters(like: &ClusterRow, machines: u32) -> Vec<ClusterRow> {
    let sizes = (0..machines).step_by(CLUSTER_MACHINES as usize).map(|first| CLUSTER_MACHINES.min(machines - first));
    let row = |(index, machines): (usize, u32)| {
        let mut row = ClusterRow::numbered(index);
        row.settings = like.settings;
        row.settings.machines = machines;
        row.settings.racks = machines.div_ceil(RACK_MACHINES);
        row
    };
    sizes.enumerate().map(row).collect()
}

/// The classes, small and large ones mixed.
fn classes() -> Vec<VmShape> {
    let of_size = |(cores, count): (u32, u32)| (0..count).map(move |step| class(cores, step));
    let by_size: Vec<_> = CLASSES.into_iter().flat_map(of_size).collect();
    // 37 shares no divisor with 64: every class comes once, and neighbours are of other sizes.
    (0..by_size.len()).map(|place| by_size[place * 37 % by_size.len()]).collect()
}

fn class(cores: u32, step: u32) -> VmShape {
    let memory = cores * (CORE_MEMORY_MIB + step * CLASS_MEMORY_MIB);
    VmShape::plain(Resources::new(cores * 1_000, memory, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use tiebreak_model::Resource;

    fn cores_alive_at_start(zone: &Zone) -> f64 {
        let cores = |vm| f64::from(zone.workload.shape(zone.workload.shape_of(VmId(vm))).demand.cores_milli());
        (0..zone.workload.warm_count()).map(cores).sum::<f64>() / 1_000.0
    }

    #[test]
    fn every_zone_is_as_full_as_the_preset() {
        for machines in [1_000, 3_500] {
            let zone = Zone::of((machines, 0.1)).expect("a zone");
            assert_eq!(zone.machines(), machines);
            for zone in [zone.with_64_classes(), zone] {
                let share = 100.0 * cores_alive_at_start(&zone) / f64::from(machines * u32::from(zone.machine_cores()));
                assert!((70.0..90.0).contains(&share), "{machines} machines: {share:.1}% of the cores");
            }
        }
    }

    #[test]
    fn there_are_64_classes_and_memory_refuses_none_that_cores_allow() {
        let zone = Zone::of((1_000, 0.2)).expect("a zone").with_64_classes();
        let arriving = zone.workload.warm_count()..zone.workload.vm_count();
        let live: BTreeSet<_> = arriving.map(|vm| zone.workload.shape_of(VmId(vm))).collect();
        assert_eq!(live.len(), 64);
        let settings = zone.variant.clusters[0].settings;
        let core_gib = settings.memory_gib / settings.cores;
        for shape in zone.workload.shapes() {
            let (cores, memory) = (shape.demand.cores_milli(), shape.demand[Resource::Memory]);
            assert!(f64::from(memory) / 1_024.0 <= core_gib * f64::from(cores) / 1_000.0, "{shape:?}");
        }
    }
}
