//! `DemandSpike` (Protean section 5.3, "spikes of thousands of requests").

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{Millis, Resources, Time, VmShape, declare};

use super::zone::Zone;
use super::{AddedVm, Incident, Kind, minutes};

declare! {
    /// Many tenants request one VM each within seconds, all of one size, in addition to the trace.
    ///
    /// All agents are then fully busy, and because the requests are similar, they compete for the same machines.
    /// Watch the queue, the conflicts and the effect of conflict avoidance. (Protean section 5.3)
    pub struct DemandSpike as "Demand spike" {
        /// How many requests, each of one VM.
        requests: u32 = 1000, 1 => 100000, "requests";
        /// Duration over which the requests arrive, evenly spread.
        seconds: f64 = 10, 0 => 100000, "s";
        /// Cores of each VM.
        cores: u32 = 2, 1 => 1000, "cores";
        /// Memory of each VM.
        memory_gib: u32 = 8, 0 => 100000, "GiB";
        /// How long each VM lives.
        minutes_alive: f64 = 60, 0 => 1000000, "minutes";
    }
}

impl Kind for DemandSpike {
    fn begin(self) -> Box<dyn Incident> {
        Box::new(self)
    }
}

impl Incident for DemandSpike {
    /// Its requests are in the workload from the start.
    fn happen(&mut self, _: &mut dyn Zone) -> Option<Time> {
        None
    }

    fn added_demand(&self, at: Time) -> Vec<AddedVm> {
        let span_ms = (self.seconds * Millis::SECOND.0 as f64) as u64;
        let shape = VmShape::plain(Resources::new(self.cores * 1_000, self.memory_gib * 1_024, 0, 0));
        let come = |request: u32| {
            // A VM that arrives at the very start would count as one that ran before.
            let start = (at + Millis(span_ms * u64::from(request) / u64::from(self.requests))).max(Time(1));
            AddedVm { shape, start, end: start + minutes(self.minutes_alive) }
        };
        (0..self.requests).map(come).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidents::IncidentUse;
    use crate::plan::{Agents, PlanError};
    use crate::world::World;
    use crate::world::trial::{Trial, incident, minute};
    use alloc::collections::BTreeSet;
    use alloc::string::ToString;
    use tiebreak_model::VmId;

    fn spike(requests: u32, cores: u32) -> DemandSpike {
        DemandSpike { requests, cores, memory_gib: 1, ..DemandSpike::default() }
    }

    /// The outcome of every VM of the trace.
    fn placements(world: &World, trial: &Trial) -> Vec<(u64, Option<u32>)> {
        let workload = world.plan().workload();
        let placed = |vm| world.placement(vm).map(|(machine, _)| machine.0);
        let of_trace = |name: u64| workload.find(name).map(|vm| (name, placed(vm)));
        (0..trial.vms.len() as u64).filter_map(of_trace).collect()
    }

    #[test]
    fn ten_thousand_requests_in_a_second_all_have_an_answer() {
        let trial = Trial::new(4, 1).vms(3, 1, (0, 2_000));
        let mut world =
            World::new(trial.plan(true, &[incident(60, &DemandSpike { seconds: 1.0, ..spike(10_000, 1) })]));
        world.run();
        let summary = world.summary();
        assert_eq!(summary.placements + summary.rejections, 10_003);
        assert!(summary.placements > 12, "some found room");
    }

    #[test]
    fn added_vms_come_in_time_and_have_names_of_their_own() {
        let mut trial = Trial::new(4, 1).vms(3, 1, (0, 2_000)).vms(1, 1, (60, 2_000));
        trial.vms[1].name = u64::MAX;
        trial.vms[2].tenant = u64::MAX - 2;
        let plan = trial.plan(true, &[incident(60, &spike(5, 1)), incident(60, &spike(2, 2))]);
        let workload = plan.workload();
        let added: Vec<_> = (0..workload.vm_count()).map(VmId).filter(|vm| workload.name(*vm) > 9).collect();
        let names: BTreeSet<_> = (0..workload.vm_count()).map(|vm| workload.name(VmId(vm))).collect();
        assert_eq!((added.len(), names.len(), workload.request_count()), (8, 11, 11));
        for vm in added.into_iter().filter(|vm| workload.name(*vm) != u64::MAX) {
            let at = workload.at(workload.request_of(vm));
            assert!((minute(60)..minute(61)).contains(&at), "VM {vm} comes at {at:?}");
            assert_eq!(workload.end(vm), at + Millis::HOUR);
            assert_ne!(workload.name(vm), u64::MAX - 2);
        }
    }

    #[test]
    fn a_spike_moves_no_other_vms_luck() {
        // No machine is large enough for the added VMs, and all agents are always up to date. So the trace's VMs must
        // be placed as without the added ones.
        let mut trial = Trial::new(9, 3).rule("WorstFit", &[]).vms(5, 1, (0, 100)).vms(20, 1, (50, 2_000));
        trial.agents = Agents { decision_ms: 0, publish_ms: 0, ..trial.agents };
        let without = trial.run(&[]);
        let with = trial.run(&[incident(0, &spike(7, 9)), incident(40, &spike(30, 9))]);
        assert_eq!(with.summary().rejections, 37);
        assert_eq!(placements(&with, &trial), placements(&without, &trial));
    }

    #[test]
    fn outside_the_trace_nobody_comes() {
        let trial = Trial::new(4, 1).vms(3, 1, (0, 2_000));
        for (at, added) in [(-1, 0), (0, 4), (1_440, 1), (1_441, 0)] {
            let plan = trial.plan(true, &[incident(at, &spike(4, 1))]);
            assert_eq!(plan.workload().vm_count(), 3 + added, "minute {at}");
            assert_eq!(plan.workload().warm_count(), 3);
        }
    }

    #[test]
    fn other_incidents_take_the_place_of_those_before() {
        let trial = Trial::new(4, 1).vms(3, 1, (0, 2_000));
        let plan = trial.plan(true, &[incident(60, &spike(5, 1))]).with_incidents(&[]).expect("a plan");
        assert_eq!(plan.workload(), trial.plan(true, &[]).workload());
    }

    #[test]
    fn what_cannot_be_planned_is_named() {
        let trial = Trial::new(4, 1).vms(3, 1, (0, 2_000));
        let refused = |asked: &[IncidentUse]| trial.plan(true, &[]).with_incidents(asked).expect_err("no plan");
        let error = refused(&[IncidentUse::plain("Meteor", minute(1))]);
        assert_eq!(error, PlanError::UnknownIncident { id: "Meteor".into() });
        assert!(error.to_string().starts_with("expected an incident of FailMachines, "));
        let many: Vec<_> = (0..11).map(|_| incident(60, &spike(100_000, 1))).collect();
        assert_eq!(refused(&many), PlanError::TooMuchDemand { vms: 1_100_000 });
        assert!(trial.plan(true, &[]).with_incidents(&many[..10]).is_ok());
    }
}
