//! The measured zones: the preset `zone-10k`, scaled down or up, with the same load per machine, so that zones differ
//! only in the number of machines.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use tiebreak_model::{Bounds, RequestId, Resource, Resources, Time, VmId, VmRow, VmShape, Workload, WorkloadBuilder};
use tiebreak_scenario::document::REQUIRED_RULE;
use tiebreak_scenario::{ClusterRow, Variant, WorkloadRef};
use tiebreak_sim::Agents;

use tiebreak_console::answer::Failure;
use tiebreak_console::scenario::preset;

/// Machines of a cluster; a smaller zone is one smaller cluster.
const CLUSTER_MACHINES: u32 = 1_000;
const RACK_MACHINES: u32 = 40;

/// Chassis per rack when power is balanced.
const RACK_CHASSIS: u32 = 3;

/// The number of machines that the preset's arrival rate is meant for.
const PRESET_MACHINES: u32 = 10_000;

/// Cores of a VM, and how many of the 64 classes have this size. The frequencies are about those of Protean's zone 1
/// (Table 3), with the same mean of 3.7 cores.
const CLASSES: [(u32, u32); 5] = [(1, 10), (2, 24), (4, 21), (8, 6), (16, 3)];

/// The minimum memory per core of a class, and the step between classes of one size. The maximum is 7.75 GiB per
/// core, on machines with 8, so that memory never limits placement.
const CORE_MEMORY_MIB: u32 = 2_048;
const CLASS_MEMORY_MIB: u32 = 256;

/// Consecutive requests of one class, as in a zone where 80% repeat the previous class.
const REPEATS: usize = 5;

/// Machines, rules and requests.
pub(super) struct Zone {
    pub(super) variant: Variant,
    pub(super) workload: Arc<Workload>,
}

impl Zone {
    /// The preset's zone with this many machines, for this many days.
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

    /// The same machines and requests under one preference, `BestFit` without buckets, and the mandatory validator.
    /// With a memory weight of 0 this is best fit in one dimension.
    pub(super) fn under_best_fit(&self, memory_weight: u32) -> Result<Self, Failure> {
        let mut variant = self.variant.clone();
        for row in &mut variant.rules {
            row.on = row.id == REQUIRED_RULE || row.id == "BestFit";
        }
        variant.set("rules.BestFit.buckets", "none")?;
        variant.set("rules.BestFit.memory_weight", &memory_weight.to_string())?;
        Ok(Self { variant, workload: self.workload.clone() })
    }

    /// The same machines and requests with additional rules, and with lifetimes from this predictor.
    pub(super) fn with(&self, rules: &[&str], predictor: &str) -> Result<Self, Failure> {
        let mut variant = self.variant.clone();
        for rule in rules {
            variant.set(&format!("rules.{rule}.on"), "true")?;
        }
        variant.set("predictor", predictor)?;
        Ok(Self { variant, workload: self.workload.clone() })
    }

    /// The same machines and times, but requests cycle through this many classes, at most 10,000, so that all stay
    /// live. No two classes have the same demand, so they remain distinct under every policy, and all are kept.
    pub(super) fn with_classes(&self, number: u32) -> Result<Self, Failure> {
        let classes: Vec<_> = (0..number).map(class_of).collect();
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
        let mut variant = self.variant.clone();
        let pool = variant.caches.evaluation_pool.max(number);
        variant.set("caches.evaluation_pool", &pool.to_string())?;
        Ok(Self { variant, workload: Arc::new(workload) })
    }

    /// The same machines and requests with this many agents, as fast as Protean's.
    pub(super) fn with_agents(&self, number: u32) -> Result<Self, Failure> {
        let mut variant = self.variant.clone();
        let agents = Agents::default();
        for (field, value) in
            [("count", u64::from(number)), ("decision_ms", agents.decision_ms), ("publish_ms", agents.publish_ms)]
        {
            variant.set(&format!("agents.{field}"), &value.to_string())?;
        }
        Ok(Self { variant, workload: self.workload.clone() })
    }

    /// The same machines, and the same VMs one at a time, in VDCs of constant size: each arrival takes the place that
    /// has been free longest, or the first place of a new VDC.
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

    /// The same machines and requests with additional rules, and with the VMs of each tenant linked all to all. Links
    /// have the bandwidth that lets an empty zone hold VDCs of 30 VMs, by Gridiron's bounds.
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

    /// The same machines and requests with the rule that balances power in this many buckets, and loads from this
    /// predictor. Of a rack's 40 machines, 13 or 14 share a chassis.
    pub(super) fn balancing_power(&self, predictor: &str, buckets: &str) -> Result<Self, Failure> {
        let mut variant = self.variant.clone();
        variant.clusters.iter_mut().for_each(|row| row.settings.chassis = RACK_CHASSIS);
        variant.set("rules.PowerBalance.on", "true")?;
        variant.set("rules.PowerBalance.buckets", buckets)?;
        variant.set("power.foretelling", predictor)?;
        Ok(Self { variant, workload: self.workload.clone() })
    }

    /// The same machines and requests with all weights 1, combined in this way.
    pub(super) fn weighing(&self, combining: &str) -> Result<Self, Failure> {
        let mut variant = self.variant.clone();
        variant.set("hand_weights", "true")?;
        variant.set("combining", combining)?;
        Ok(Self { variant, workload: self.workload.clone() })
    }

    pub(super) fn machines(&self) -> u32 {
        self.variant.clusters.iter().map(|row| row.settings.machines).sum()
    }

    /// Whole cores of each machine; all machines have the same size.
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

/// A class of many: the 64 with small and large ones mixed, then the same with a MiB more, and so on.
fn class_of(number: u32) -> VmShape {
    let of_size = |(cores, count): (u32, u32)| (0..count).map(move |step| (cores, step));
    let by_size: Vec<_> = CLASSES.into_iter().flat_map(of_size).collect();
    // 37 and 64 are coprime: every class occurs once, and neighbours differ in size.
    let (cores, step) = by_size[number as usize * 37 % by_size.len()];
    let memory = cores * (CORE_MEMORY_MIB + step * CLASS_MEMORY_MIB) + number / by_size.len() as u32;
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
            for zone in [zone.with_classes(64).expect("a zone"), zone] {
                let share = 100.0 * cores_alive_at_start(&zone) / f64::from(machines * u32::from(zone.machine_cores()));
                assert!((70.0..90.0).contains(&share), "{machines} machines: {share:.1}% of the cores");
            }
        }
    }

    #[test]
    fn there_are_64_classes_and_memory_refuses_none_that_cores_allow() {
        let zone = Zone::of((1_000, 0.2)).and_then(|zone| zone.with_classes(64)).expect("a zone");
        let arriving = zone.workload.warm_count()..zone.workload.vm_count();
        let live: BTreeSet<_> = arriving.map(|vm| zone.workload.shape_of(VmId(vm))).collect();
        assert_eq!(live.len(), 64);
        let shapes: BTreeSet<_> = (0..10_000).map(|number| class_of(number).demand).collect();
        assert_eq!(shapes.len(), 10_000, "no two classes of many are alike");
        let settings = zone.variant.clusters[0].settings;
        let core_gib = settings.memory_gib / settings.cores;
        for shape in zone.workload.shapes() {
            let (cores, memory) = (shape.demand.cores_milli(), shape.demand[Resource::Memory]);
            assert!(f64::from(memory) / 1_024.0 <= core_gib * f64::from(cores) / 1_000.0, "{shape:?}");
        }
    }
}
