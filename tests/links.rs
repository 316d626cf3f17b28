//! Link reservations in random runs: whatever happened, when all VMs have ended nothing is reserved, and every cause
//! of a refusal occurs (Gridiron section III-D).

use std::sync::Arc;

use tiebreak_model::{Bottleneck, Cut, MachineId, Time, VmRow, Workload, WorkloadBuilder};
use tiebreak_scenario::PRESETS;
use tiebreak_sim::World;
use tiebreak_testkit::Case;

/// The same workload with every VM ending by the horizon.
fn all_leave(workload: &Workload) -> Workload {
    let mut builder = WorkloadBuilder::new();
    for row in workload.rows() {
        let end = row.end.min(Time(3_500_000)).max(Time(row.start.0.max(0) + 1_000));
        builder.push(VmRow { end, ..row });
    }
    builder.finish(Time(36_000_000)).expect("rows were added")
}

#[test]
fn when_all_vms_are_gone_nothing_is_reserved() {
    let (mut linked, mut migrated, mut lost) = (0, 0, 0);
    let mut refused = [0; 4];
    for number in 0..1_600 {
        let case = Case::random(number);
        if case.vdcs.links().is_none() {
            continue;
        }
        let case = Case { workload: Arc::new(all_leave(&case.workload)), ..case };
        let mut world = World::new(case.plan(true));
        let mut reserved = 0;
        while !world.advance(64).done {
            let network = world.occupancy().network().expect("VMs are linked");
            reserved = reserved.max((0..network.cuts()).map(|place| network.used_at(place)).sum());
        }
        let network = world.occupancy().network().expect("VMs are linked");
        if world.occupancy().zone().vms == 0 {
            linked += u32::from(reserved > 0);
            for place in 0..network.cuts() {
                assert_eq!(network.used_at(place), 0, "case {number}, uplink {place}");
            }
        }
        let counters = world.summary().counters;
        migrated += counters.migrations;
        lost += counters.reallocations;
        for (all, one) in refused.iter_mut().zip(counters.refused_by_network) {
            *all += one;
        }
    }
    assert!(linked > 200 && migrated > 200 && lost > 50, "{linked} linked, {migrated} migrated, {lost} reallocated");
    for by in Bottleneck::ALL {
        assert!(refused[by as usize] > 20, "{by:?}: {refused:?}");
    }
}

/// The descriptions of the virtual datacenter presets hold.
#[test]
fn presets_about_vdcs_have_something_to_show() {
    let preset = |id| PRESETS.iter().find(|preset| preset.id == id).expect(id);
    for (id, refused_pct, partly_reserved, empty_pct) in
        [("vdcs", 1.0..5.0, 25..100, 20.0..40.0), ("vdc-too-large", 50.0..70.0, 0..120, 80.0..100.0)]
    {
        let variant = (preset(id).make)().active_variant().clone();
        let workload = Arc::new(variant.generate().expect("a generated workload"));
        let mut world = World::new(variant.plan(workload.clone()).expect("a plan"));
        let mut most = 0;
        while !world.advance(64).done {
            let network = world.occupancy().network().expect("VMs are linked");
            let shares = (0..120).map(|id| network.used_share(Cut::Machine(MachineId(id))));
            most = most.max(shares.filter(|share| (0.2..0.9).contains(share)).count());
        }
        let summary = world.summary();
        assert!(partly_reserved.contains(&most), "{id}: {most} machines with uplinks partly reserved");
        let refused = 100.0 * summary.rejections as f64 / f64::from(workload.vm_count());
        assert!(refused_pct.contains(&refused), "{id}: {refused:.1} % of VMs are refused");
        assert!(empty_pct.contains(&summary.empty_hosts_pct_mean), "{id}: {:.1} %", summary.empty_hosts_pct_mean);
        let [_, peering, colocation, _] = summary.counters.refused_by_network;
        assert!(peering > 0 && colocation > 0 && summary.counters.refused_by_room == 0, "{id}");
    }
}
