//! The load over time, and the machines for it.

use tiebreak_model::{RequestId, Resource, Resources, Time, VmId, Workload};

const HOUR_MS: i64 = 3_600_000;

/// The load in one hour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hour {
    /// The mean number of VMs.
    pub vms: f64,
    /// The mean number of cores.
    pub cores: f64,
    /// The mean memory, in GiB.
    pub memory_gib: f64,
}

/// The load from the start of a trace to its horizon.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Each whole hour.
    pub hourly: Vec<Hour>,
    /// The peak of each resource, in stored units; not all at the same moment.
    pub peak: [u64; 4],
    /// The largest demand of each resource.
    pub largest: Resources,
}

/// Machines on which a trace could run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inventory {
    /// Cores and GiB of memory of each.
    pub cores: u32,
    /// See `cores`.
    pub memory_gib: u32,
    /// The least number needed, however well VMs are packed.
    pub at_least: u64,
    /// The suggested number.
    pub machines: u64,
}

/// Common numbers of cores per machine.
const USUAL_CORES: [u32; 7] = [16, 32, 48, 64, 96, 128, 192];
const USUAL_GIB: [u32; 5] = [2, 4, 6, 8, 16];

/// How many VMs of the largest size a machine should hold, so that they do not decide how the others are packed.
const LARGEST_IN_ONE: u32 = 2;

/// Suggested machines as a percentage of the least number: no packing is perfect, and some machines fail.
const SUGGESTED_PCT: u64 = 115;

impl Inventory {
    /// The resources of each machine.
    #[must_use]
    pub const fn machine(&self) -> Resources {
        Resources::new(self.cores.saturating_mul(1_000), self.memory_gib.saturating_mul(1_024), 0, 0)
    }
}

impl Load {
    /// The load of a workload, in O(n log n): one pass over starts and ends in order.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        let horizon = workload.horizon();
        let mut now = Meter::new((horizon.0 / HOUR_MS).max(0) as usize);
        let is_seen = |start: Time, end: Time| start.max(Time::ZERO) < end.min(horizon);
        let mut departures = workload.departures(is_seen).into_iter().peekable();
        let mut pass_to = |now: &mut Meter, time: Time| {
            while let Some((end, _, shape)) = departures.next_if(|(end, ..)| *end <= time) {
                now.pass_to(end);
                now.change(workload.shape(shape).demand, false);
            }
            now.pass_to(time);
        };
        let mut largest = Resources::NONE;
        for request in (0..workload.request_count()).map(RequestId) {
            let start = workload.at(request);
            for vm in workload.vms_of(request).map(VmId) {
                let demand = workload.shape_of_vm(vm).demand;
                largest = largest.max(demand);
                if is_seen(start, workload.end(vm)) {
                    // At one instant, VMs end before others start.
                    pass_to(&mut now, start.max(Time::ZERO));
                    now.change(demand, true);
                }
            }
        }
        pass_to(&mut now, horizon);
        Self { hourly: now.hourly, peak: now.peak, largest }
    }

    /// The least number of machines of this size: as many as the peak of any resource fills. `None` if a machine
    /// cannot hold the largest VM.
    #[must_use]
    pub fn machines_at_least(&self, machine: Resources) -> Option<u64> {
        if !machine.covers(self.largest) {
            return None;
        }
        let of = |resource: &Resource| match machine[*resource] {
            0 => 0,
            capacity => self.peak[*resource as usize].div_ceil(capacity.into()),
        };
        Resource::ALL.iter().map(of).max()
    }

    /// The smallest common machines that hold two of the largest VM, or one if none holds two, with the trace's
    /// memory per core at its peak.
    #[must_use]
    pub fn suggested(&self) -> Inventory {
        let [cores_milli, memory_mib] = [Resource::Cores, Resource::Memory].map(|it| self.peak[it as usize]);
        let gib_of_core = memory_mib as f64 / 1_024.0 / (cores_milli as f64 / 1_000.0).max(0.001);
        let each_gib = USUAL_GIB.into_iter().find(|gib| f64::from(*gib) >= gib_of_core);
        let each_gib = each_gib.unwrap_or(gib_of_core.ceil() as u32);
        let largest_cores = self.largest.cores_milli().div_ceil(1_000);
        let largest_gib = self.largest[Resource::Memory].div_ceil(1_024);
        let needed = largest_cores.max(largest_gib.div_ceil(each_gib));
        let fits = |times: u32| USUAL_CORES.into_iter().find(|cores| *cores >= needed.saturating_mul(times));
        let cores = fits(LARGEST_IN_ONE).or_else(|| fits(1)).unwrap_or(needed);
        let memory_gib = cores.saturating_mul(each_gib);
        let machine = Resources::new(
            cores.saturating_mul(1_000),
            memory_gib.saturating_mul(1_024),
            self.largest[Resource::Ssd],
            self.largest[Resource::Network],
        );
        let at_least = self.machines_at_least(machine).unwrap_or(1).max(1);
        Inventory { cores, memory_gib, at_least, machines: (at_least * SUGGESTED_PCT).div_ceil(100) }
    }
}

/// Sums the load while time passes.
struct Meter {
    at: Time,
    used: [u64; 4],
    vms: u64,
    peak: [u64; 4],
    hourly: Vec<Hour>,
}

impl Meter {
    fn new(hours: usize) -> Self {
        let hourly = vec![Hour::default(); hours];
        Self { at: Time::ZERO, used: [0; 4], vms: 0, peak: [0; 4], hourly }
    }

    fn pass_to(&mut self, time: Time) {
        while self.at < time {
            let hour = (self.at.0 / HOUR_MS) as usize;
            let until = time.min(Time((hour as i64 + 1) * HOUR_MS));
            if let Some(it) = self.hourly.get_mut(hour) {
                let share = until.since(self.at).0 as f64 / HOUR_MS as f64;
                it.vms += share * self.vms as f64;
                it.cores += share * self.used[Resource::Cores as usize] as f64 / 1_000.0;
                it.memory_gib += share * self.used[Resource::Memory as usize] as f64 / 1_024.0;
            }
            self.at = until;
        }
    }

    fn change(&mut self, demand: Resources, comes: bool) {
        let changed = |before: u64, by: u64| if comes { before + by } else { before - by };
        self.vms = changed(self.vms, 1);
        for resource in Resource::ALL {
            let used = &mut self.used[resource as usize];
            *used = changed(*used, demand[resource].into());
            self.peak[resource as usize] = self.peak[resource as usize].max(*used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::workload;

    #[test]
    fn what_is_in_use_is_summed_hour_by_hour() {
        let vms = [(-30, Some(30), 4, 1), (30, Some(90), 8, 2), (60, None, 2, 3), (150, Some(150), 2, 3)];
        let load = Load::of(&workload(&vms, 180));
        let cores: Vec<_> = load.hourly.iter().map(|hour| hour.cores).collect();
        assert_eq!(cores, [2.0 + 4.0, 4.0 + 2.0, 2.0]);
        assert_eq!((load.hourly[1].vms, load.hourly[2].memory_gib), (1.5, 8.0));
        assert_eq!(load.peak[..2], [10_000, 40_960], "one leaves as another comes, at 30 minutes");
    }

    #[test]
    fn machines_are_bounded_by_the_scarcest_resource_and_hold_the_largest_vm() {
        let vms: Vec<_> = (0..100).map(|at| (at, None, 1 + at as u32 % 12, at as u64)).collect();
        let load = Load::of(&workload(&vms, 200));
        let cores: u64 = vms.iter().map(|vm| u64::from(vm.2)).sum();
        let machine = |cores: u32, gib: u32| Resources::new(cores * 1_000, gib * 1_024, 0, 0);
        assert_eq!(load.machines_at_least(machine(11, 1_000)), None);
        assert_eq!(load.machines_at_least(machine(12, 48)), Some(cores.div_ceil(12)));
        assert_eq!(load.machines_at_least(machine(120, 48)), Some((4 * cores).div_ceil(48)), "memory");
        let suggested = load.suggested();
        assert_eq!((suggested.cores, suggested.memory_gib), (32, 128), "two of 12 cores, 4 GiB a core");
        assert_eq!(suggested.at_least, cores.div_ceil(32));
        assert_eq!(suggested.machines, (suggested.at_least * 115).div_ceil(100));
    }

    #[test]
    fn the_largest_vm_is_held_however_large() {
        let load = Load::of(&workload(&[(1, None, 150, 1)], 60));
        assert_eq!((load.suggested().cores, load.suggested().at_least), (192, 1));
        let load = Load::of(&workload(&[(1, None, 500, 1), (2, None, 500, 1)], 60));
        assert_eq!((load.suggested().cores, load.suggested().at_least), (500, 2));
    }
}
