//! Virtual datacenters (VDCs), made from any workload whose tenants have several VMs (Gridiron sections II and III).
//!
//! A tenant's VMs are linked. If a tenant has more concurrent VMs than a VDC may have, the VMs that arrive after that
//! form another VDC (*rolling overflow*, section III-B). Times can be rounded to a grid, and VMs that start and end
//! within one tick omitted, as the paper cleans its trace.

use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::Reverse;

use tiebreak_model::declare::{ParamKind, ParamValue};
use tiebreak_model::{
    Declared, Links, MachineId, Member, Millis, Peer, RequestId, Resource, Time, Topology, Uplinks, VmId, VmRow,
    Workload, WorkloadBuilder, declare,
};

/// How the VMs of a VDC are linked, if they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linking(pub Option<Topology>);

impl Linking {
    const ALL: [Self; 5] = [
        Self(None),
        Self(Some(Topology::AllToAll)),
        Self(Some(Topology::Star)),
        Self(Some(Topology::Chain)),
        Self(Some(Topology::Pipeline)),
    ];
}

impl ParamValue for Linking {
    const KIND: ParamKind = ParamKind::Choice(&["none", "all_to_all", "star", "chain", "pipeline"]);

    fn from_number(number: f64) -> Self {
        Self::ALL.get(number as usize).copied().unwrap_or_default()
    }

    fn to_number(self) -> f64 {
        Self::ALL.iter().position(|other| *other == self).unwrap_or(0) as f64
    }
}

declare! {
    /// Virtual datacenters: the VMs of a tenant, with guaranteed bandwidth between them. (Gridiron section III)
    pub struct Vdcs as "Virtual datacenters" {
        /// Which VMs of a VDC are linked: none, so there are no VDCs; each with all others; all with the first;
        /// each with the previous one; or stage by stage. (Gridiron Fig. 1)
        topology: Linking = 0, 0 => 4, "";
        /// Bandwidth per core: a link has this much for each core of its smaller VM. A larger value needs more
        /// network capacity. (Gridiron section III-C)
        bpc_mbps: u32 = 1, 0 => 1000000, "Mbit/s";
        /// Maximum number of concurrent VMs of a VDC: further VMs form another VDC. 0 sets no limit. (Gridiron
        /// section III-B)
        peak_vms: u32 = 30, 0 => 1000000, "VMs";
        /// VMs per stage of a pipeline.
        stage_vms: u32 = 4, 1 => 10000, "VMs";
        /// Rounds every start and end to the nearest multiple of this many minutes, and drops VMs that start and
        /// end at the same one. 0 leaves times unchanged. (Gridiron section II)
        grid_minutes: f64 = 0, 0 => 1440, "min";
        /// Decide the VMs that a VDC requests at one moment separately, so that some may be refused. If off, all of
        /// them or none are placed. (Gridiron section III-D)
        one_by_one: bool = true, 0 => 1, "";
    }
}

declare! {
    /// The network between machines: uplinks of machines to their rack, of racks to their cluster's aggregation
    /// switches, and of clusters to each other. Parallel uplinks share their load (multi-path). (Gridiron Fig. 4)
    pub struct NetworkSettings as "Datacenter network" {
        /// Number of uplinks of a machine.
        uplinks: u32 = 1, 0 => 64, "";
        /// Capacity of one of them.
        uplink_gbps: f64 = 40, 0 => 100000, "Gbit/s";
        /// Number of aggregation switches to which every rack has an uplink. With 0, racks have no uplinks, so
        /// linked VMs must share a rack.
        rack_uplinks: u32 = 2, 0 => 256, "";
        /// Capacity of a rack's uplink to one aggregation switch.
        rack_uplink_gbps: f64 = 400, 0 => 100000, "Gbit/s";
        /// Capacity of each aggregation switch to other clusters.
        cluster_uplink_gbps: f64 = 1600, 0 => 100000, "Gbit/s";
    }
}

impl NetworkSettings {
    /// The uplink capacities of a cluster.
    #[must_use]
    pub fn to_uplinks(&self) -> Uplinks {
        let kbps = |count: u32, gbps: f64| (f64::from(count) * gbps * 1e6) as u64;
        Uplinks {
            machine_kbps: kbps(self.uplinks, self.uplink_gbps),
            rack_kbps: kbps(self.rack_uplinks, self.rack_uplink_gbps),
            cluster_kbps: kbps(self.rack_uplinks, self.cluster_uplink_gbps),
        }
    }

    /// A rack's total machine bandwidth divided by its uplink, for this many machines; `None` if the rack has no
    /// uplink.
    #[must_use]
    pub fn oversubscription(&self, machines: u32) -> Option<f64> {
        let Uplinks { machine_kbps, rack_kbps, .. } = self.to_uplinks();
        (rack_kbps > 0).then(|| f64::from(machines) * machine_kbps as f64 / rack_kbps as f64)
    }
}

/// A workload split into VDCs.
#[derive(Clone, Debug)]
pub struct Regrouped {
    /// The remaining VMs, each VDC a tenant.
    pub workload: Workload,
    /// VMs whose start or end was not a multiple of the grid.
    pub off_grid: u32,
    /// VMs omitted because they started and ended within one tick.
    pub instant: u32,
}

impl Vdcs {
    /// How VMs are linked; `None` if they are not.
    #[must_use]
    pub fn links(&self) -> Option<Links> {
        let Self { topology: Linking(topology), stage_vms, bpc_mbps, .. } = *self;
        topology.map(|topology| Links { topology, stage_vms: stage_vms.max(1), bpc_mbps })
    }

    /// A workload with each VDC as a tenant; `None` if no VM is left.
    #[must_use]
    pub fn regroup(&self, workload: &Workload) -> Option<Regrouped> {
        // Replace disallowed values by defaults.
        let settings = Self::from_values(&self.to_values());
        let grid = Grid { ms: (settings.grid_minutes * Millis::MINUTE.0 as f64) as i64 };
        let mut rows: Vec<_> = workload.rows().collect();
        let (off_grid, before) = (rows.iter().filter(|row| !grid.has(row)).count() as u32, rows.len());
        rows.iter_mut().for_each(|row| grid.round(row));
        rows.retain(|row| !grid.is_instant(row));
        let instant = (before - rows.len()) as u32;
        roll_over(&mut rows, settings.peak_vms);
        let mut builder = WorkloadBuilder::new();
        if settings.one_by_one {
            builder = builder.one_by_one();
        }
        rows.into_iter().for_each(|row| builder.push(row));
        let workload = builder.finish(workload.horizon()).ok()?;
        Some(Regrouped { workload, off_grid, instant })
    }
}

/// Multiples of a duration; 0 means any time.
struct Grid {
    ms: i64,
}

impl Grid {
    fn nearest(&self, time: Time) -> Time {
        if self.ms == 0 || time == Time::NEVER {
            time
        } else {
            Time((time.0 + self.ms / 2).div_euclid(self.ms) * self.ms)
        }
    }

    fn has(&self, row: &VmRow) -> bool {
        self.nearest(row.start) == row.start && self.nearest(row.end) == row.end
    }

    fn round(&self, row: &mut VmRow) {
        (row.start, row.end) = (self.nearest(row.start), self.nearest(row.end));
    }

    fn is_instant(&self, row: &VmRow) -> bool {
        self.ms > 0 && row.start >= row.end
    }
}

/// An event of a VM: at one instant, VMs leave before others arrive.
type Event = (Time, Happens, u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Happens {
    Leaves,
    Comes,
}

/// All events of VMs with these start and end times, in order.
fn events(lives: impl Iterator<Item = (Time, Time)>) -> Vec<Event> {
    let both =
        (0..).zip(lives).flat_map(|(vm, (start, end))| [(start, Happens::Comes, vm), (end, Happens::Leaves, vm)]);
    let mut events: Vec<_> = both.filter(|(time, ..)| *time != Time::NEVER).collect();
    events.sort_unstable();
    events
}

/// Gives VMs that arrive in a VDC which has had `peak` concurrent VMs another tenant.
fn roll_over(rows: &mut [VmRow], peak: u32) {
    if peak == 0 {
        return;
    }
    /// The VDC of a tenant that accepts VMs: its number among the tenant's VDCs, and its VMs.
    #[derive(Default)]
    struct Open {
        part: u64,
        vms: u32,
    }
    let mut open: BTreeMap<u64, Open> = BTreeMap::new();
    let mut part_of: Vec<u64> = alloc::vec![0; rows.len()];
    for (_, what, vm) in events(rows.iter().map(|row| (row.start, row.end.max(row.start + Millis(1))))) {
        let vdc = open.entry(rows[vm as usize].tenant).or_default();
        match what {
            Happens::Leaves => vdc.vms -= u32::from(part_of[vm as usize] == vdc.part),
            Happens::Comes => {
                part_of[vm as usize] = vdc.part;
                vdc.vms += 1;
                if vdc.vms >= peak {
                    *vdc = Open { part: vdc.part + 1, vms: 0 };
                }
            }
        }
    }
    for (row, part) in rows.iter_mut().zip(part_of) {
        row.tenant = part_name(row.tenant, part);
    }
}

/// The name of a part of a tenant; the first part keeps the tenant's name.
fn part_name(tenant: u64, part: u64) -> u64 {
    if part == 0 {
        tenant
    } else {
        xxhash_rust::xxh3::xxh3_64(&(u128::from(tenant) << 64 | u128::from(part)).to_le_bytes())
    }
}

/// The slot of every VM in its VDC: the lowest free one when it arrives.
#[must_use]
pub fn slots(workload: &Workload) -> Vec<u32> {
    #[derive(Default)]
    struct Slots {
        next: u32,
        free: BinaryHeap<Reverse<u32>>,
    }
    let (tenants, lives) = (tenants(workload), lives(workload));
    let (mut of, mut slots): (BTreeMap<u64, Slots>, _) = (BTreeMap::new(), alloc::vec![0; tenants.len()]);
    for (_, what, vm) in events(lives) {
        let vdc = of.entry(tenants[vm as usize]).or_default();
        match what {
            Happens::Leaves => vdc.free.push(Reverse(slots[vm as usize])),
            Happens::Comes => {
                slots[vm as usize] = vdc.free.pop().map_or(vdc.next, |Reverse(slot)| slot);
                vdc.next += u32::from(slots[vm as usize] == vdc.next);
            }
        }
    }
    slots
}

/// The peak number of concurrent VMs of each VDC, in order of size.
#[must_use]
pub fn peak_sizes(workload: &Workload) -> Vec<u32> {
    let tenants = tenants(workload);
    let mut sizes: BTreeMap<u64, (u32, u32)> = BTreeMap::new();
    for (_, what, vm) in events(lives(workload)) {
        let (now, peak) = sizes.entry(tenants[vm as usize]).or_default();
        match what {
            Happens::Leaves => *now -= 1,
            Happens::Comes => {
                *now += 1;
                *peak = (*peak).max(*now);
            }
        }
    }
    let mut peaks: Vec<_> = sizes.into_values().map(|(_, peak)| peak).collect();
    peaks.sort_unstable();
    peaks
}

/// The total demand of all VMs from a moment on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footing {
    /// When.
    pub time: Time,
    /// Links, in kbit/s.
    pub links_kbps: u64,
    /// Cores, in thousandths.
    pub cores_milli: u64,
    /// Memory, in MiB.
    pub memory_mib: u64,
}

/// The total demand of a workload's VMs at each multiple of `every`, as if all were placed.
#[must_use]
pub fn demand(workload: &Workload, links: &Links, every: Millis) -> Vec<Footing> {
    let (tenants, slots) = (tenants(workload), slots(workload));
    let mut vdcs: BTreeMap<u64, Vec<Member>> = BTreeMap::new();
    let (mut now, mut all) = (Footing::default(), Vec::new());
    let peer = |vm: u32| Peer {
        slot: slots[vm as usize],
        cores_milli: workload.shape_of_vm(VmId(vm)).demand[Resource::Cores],
    };
    for (time, what, vm) in events(lives(workload)).into_iter().take_while(|it| it.0 <= workload.horizon()) {
        while now.time < time && time > Time::ZERO {
            all.push(now);
            now.time = now.time + every;
        }
        let vdc = vdcs.entry(tenants[vm as usize]).or_default();
        let (me, demand) = (peer(vm), workload.shape_of_vm(VmId(vm)).demand);
        let member = Member { machine: MachineId(vm), peer: me };
        if what == Happens::Leaves {
            vdc.retain(|other| *other != member);
        }
        let kbps: u64 = vdc.iter().map(|other| links.kbps(me, other.peer)).sum();
        let shift = |sum: u64, part: u64| if what == Happens::Comes { sum + part } else { sum - part };
        now.links_kbps = shift(now.links_kbps, kbps);
        now.cores_milli = shift(now.cores_milli, demand[Resource::Cores].into());
        now.memory_mib = shift(now.memory_mib, demand[Resource::Memory].into());
        if what == Happens::Comes {
            vdc.push(member);
        }
    }
    while now.time <= workload.horizon() {
        all.push(now);
        now.time = now.time + every;
    }
    all
}

fn tenants(workload: &Workload) -> Vec<u64> {
    let requests = (0..workload.request_count()).map(RequestId);
    requests.flat_map(|request| workload.vms_of(request).map(move |_| workload.tenant(request))).collect()
}

fn lives(workload: &Workload) -> impl Iterator<Item = (Time, Time)> + '_ {
    let requests = (0..workload.request_count()).map(RequestId);
    requests.flat_map(move |request| {
        let start = workload.at(request);
        workload.vms_of(request).map(move |vm| (start, workload.end(VmId(vm)).max(start + Millis(1))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::{Resources, VmShape};

    /// VMs of these tenants, with these start and end minutes.
    fn workload(vms: &[(u64, i64, i64)]) -> Workload {
        let mut builder = WorkloadBuilder::new();
        for (name, (tenant, from, to)) in (0..).zip(vms) {
            let minute = |minutes: i64| Time(minutes * Millis::MINUTE.0 as i64);
            let shape = VmShape::plain(Resources::new(2_000, 1_024, 0, 0));
            builder.push(VmRow { name, tenant: *tenant, shape, start: minute(*from), end: minute(*to) });
        }
        builder.finish(Time::ZERO + Millis::DAY).expect("a workload")
    }

    fn regrouped(settings: Vdcs, vms: &[(u64, i64, i64)]) -> Regrouped {
        settings.regroup(&workload(vms)).expect("VMs are left")
    }

    #[test]
    fn a_vdc_that_has_been_full_takes_no_vm_any_more() {
        // At most two at a time: the third VM is another VDC although the first two have left by then, as in the
        // paper. The tenant that never has two keeps its VDC.
        let vms = [(1, 1, 10), (1, 2, 10), (1, 20, 30), (1, 25, 30), (1, 40, 50), (2, 1, 5), (2, 5, 9)];
        for (peak_vms, vdcs) in [(2, 4), (3, 2), (0, 2), (1, 7)] {
            let regrouped = regrouped(Vdcs { peak_vms, ..Vdcs::default() }, &vms);
            let sizes = peak_sizes(&regrouped.workload);
            assert_eq!(sizes.len(), vdcs, "at most {peak_vms}");
            assert!(sizes.iter().all(|size| peak_vms == 0 || *size <= peak_vms), "{sizes:?}");
            assert_eq!(regrouped.workload.vm_count(), 7);
        }
    }

    #[test]
    fn times_are_rounded_and_what_comes_and_goes_in_one_tick_is_left_out() {
        let vms = [(1, 5, 10), (1, 6, 8), (1, 11, 12), (2, 7, 13)];
        let cleaned = regrouped(Vdcs { grid_minutes: 5.0, ..Vdcs::default() }, &vms);
        assert_eq!((cleaned.off_grid, cleaned.instant, cleaned.workload.vm_count()), (3, 1, 3));
        let starts: Vec<_> = cleaned.workload.rows().map(|row| (row.name, row.start.0, row.end.0)).collect();
        assert_eq!(starts, [(0, 300_000, 600_000), (1, 300_000, 600_000), (3, 300_000, 900_000)]);
        let nothing = Vdcs { grid_minutes: 60.0, ..Vdcs::default() }.regroup(&workload(&[(1, 1, 2)]));
        assert!(nothing.is_none());
    }

    #[test]
    fn vms_are_decided_one_by_one_or_together() {
        let vms = [(1, 5, 10), (1, 5, 10), (2, 5, 10)];
        let requests = |one_by_one| regrouped(Vdcs { one_by_one, ..Vdcs::default() }, &vms).workload.request_count();
        assert_eq!((requests(true), requests(false)), (3, 2));
    }

    #[test]
    fn a_vm_takes_the_lowest_slot_that_is_free() {
        // At minute 5 the first leaves before two others arrive.
        let slots = slots(&workload(&[(1, 1, 5), (1, 2, 9), (2, 3, 9), (1, 5, 9), (1, 5, 9), (1, 9, 10)]));
        assert_eq!(slots, [0, 1, 0, 0, 2, 0]);
    }

    /// Gridiron Fig. 2: two VMs from tick 5, a third from tick 20, and one replaced by another in tick 42; VM 0 has
    /// two cores, the others four.
    #[test]
    fn demand_follows_the_vms_of_a_vdc() {
        let mut builder = WorkloadBuilder::new();
        for (name, cores, from, to) in [(0, 2, 5, 42), (1, 4, 5, 60), (2, 4, 20, 60), (3, 4, 42, 60)] {
            let minute = |minutes: i64| Time(minutes * Millis::MINUTE.0 as i64);
            let shape = VmShape::plain(Resources::new(cores * 1_000, 0, 0, 0));
            builder.push(VmRow { name, tenant: 1, shape, start: minute(from), end: minute(to) });
        }
        let workload = builder.finish(Time::ZERO + Millis::HOUR).expect("a workload");
        let links = Links { topology: Topology::AllToAll, stage_vms: 1, bpc_mbps: 1 };
        let demand = demand(&workload, &links, Millis::MINUTE);
        let at = |minute: usize| (demand[minute].links_kbps / 1_000, demand[minute].cores_milli / 1_000);
        assert_eq!([4, 5, 19, 20, 41, 42, 60].map(at), [(0, 0), (2, 6), (2, 6), (8, 10), (8, 10), (12, 12), (0, 0)]);
    }
}
