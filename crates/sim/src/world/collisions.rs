//! Why the store rejected a probed decision, and which VMs had reached the machine first (Protean section 5.3).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{MachineId, Time, VmId};

use super::World;
use crate::agents::agent::{Assignment, InFlight};
use crate::agents::demand::{Demands, takes_vms};

/// Why the commit of a probed decision failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// When the store answered.
    pub at: Time,
    /// The machine that caused it: the VM's own if possible, else that of another VM of its request.
    pub machine: MachineId,
    /// What the store found there.
    pub why: Obstacle,
    /// The VMs that other agents had placed on it since the state that this agent saw and that are still there, in
    /// order of arrival.
    pub rivals: Vec<Rival>,
}

/// The store's reason to reject a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The machine has too little free capacity.
    Room,
    /// The machine accepts no VMs.
    Readiness,
    /// The machine has changed, and the store accepts no decision on an outdated view.
    Outdated,
    /// A tenant's placement terms would be violated.
    Promise,
}

/// A VM that was placed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rival {
    /// The VM.
    pub vm: VmId,
    /// The agent that placed it.
    pub agent: u32,
    /// When the store accepted it.
    pub at: Time,
}

/// Arrivals of VMs on machines since probing began, of VMs that are still there; each with the machine's revision at
/// that time.
#[derive(Default)]
pub(super) struct Arrivals(BTreeMap<MachineId, Vec<(Revision, Rival)>>);

impl World {
    /// Records the arrivals of a commit that the store has just accepted.
    pub(super) fn note_arrivals(&mut self, agent: u32, taken: &InFlight) {
        if !self.probes.is_on() {
            return;
        }
        for Assignment { vm, machine, .. } in taken.assignments.iter().copied() {
            let mut known = self.probes.arrivals.0.remove(&machine).unwrap_or_default();
            known.retain(|(_, rival)| self.stands_on(rival.vm, machine));
            known.push((self.store.revision_of(machine), Rival { vm, agent, at: self.now }));
            self.probes.arrivals.0.insert(machine, known);
        }
    }

    /// Records, for every probed VM of a decision, why the store cannot accept it.
    pub(super) fn note_collision(&mut self, agent: u32, flight: &InFlight, conflicts: &[MachineId], demands: &Demands) {
        for it in &flight.assignments {
            if !self.is_probed(it.vm) {
                continue;
            }
            let own = conflicts.iter().find(|machine| **machine == it.machine);
            let Some(machine) = own.or(conflicts.first()).copied() else { return };
            let why = self.obstacle(machine, flight, demands);
            let rivals = self.rivals(agent, machine, flight);
            let collision = Collision { at: self.now, machine, why, rivals };
            self.probes.collided(it.vm, flight.job.cause(), flight.attempt, collision);
        }
    }

    fn obstacle(&self, machine: MachineId, flight: &InFlight, demands: &Demands) -> Obstacle {
        let fits = demands.machines.get(machine).is_some_and(Option::is_some);
        let outdated = |it: &Assignment| it.machine == machine && it.seen != self.store.revision_of(machine);
        if !fits {
            let takes = takes_vms(&self.store.occupancy().record(machine), &self.rules.policy);
            return if takes { Obstacle::Room } else { Obstacle::Readiness };
        }
        let is_outdated = !self.plan.agents.fine_grained && flight.assignments.iter().any(outdated);
        if is_outdated { Obstacle::Outdated } else { Obstacle::Promise }
    }

    /// VMs that other agents placed on a machine after the state on which a decision was made.
    fn rivals(&self, agent: u32, machine: MachineId, flight: &InFlight) -> Vec<Rival> {
        let seen = flight.assignments.iter().filter(|it| it.machine == machine).map(|it| it.seen).min();
        let is_new = |revision: Revision| seen.is_some_and(|seen| revision > seen);
        let arrivals = self.probes.arrivals.0.get(&machine).into_iter().flatten();
        let rivals = arrivals.filter(|(revision, rival)| is_new(*revision) && rival.agent != agent);
        rivals.map(|(_, rival)| *rival).filter(|rival| self.stands_on(rival.vm, machine)).collect()
    }

    fn stands_on(&self, vm: VmId, machine: MachineId) -> bool {
        self.places.machine(vm) == Some(machine) && self.plan.workload.end(vm) > self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidents::IncidentUse;
    use crate::plan::Agents;
    use crate::world::Probe;
    use crate::world::trial::{Trial, minute};
    use alloc::vec;

    /// The collisions of a run with all decisions probed: the VM, and why.
    fn collisions(trial: &Trial, incidents: &[IncidentUse]) -> Vec<(u32, Collision)> {
        let mut world = World::new(trial.plan(true, incidents));
        world.set_probe(Some(Probe { vm: None, asked: None }));
        world.run();
        world.probed().iter().filter_map(|probed| Some((probed.vm.0, probed.collision.clone()?))).collect()
    }

    /// Two VMs of this many cores, requested at the same time from two agents that do not learn of each other in
    /// time.
    fn two(cores: u32) -> Trial {
        let trial = Trial::new(1, 1).vms(2, cores, (10, 100));
        Trial { agents: Agents { count: 2, ..trial.agents }, ..trial }
    }

    #[test]
    fn the_other_agents_vm_is_named_where_the_room_is_gone() {
        let found = collisions(&two(3), &[]);
        let [(1, first), ..] = &found[..] else { panic!("{found:?}") };
        assert_eq!((first.machine, first.why), (MachineId(0), Obstacle::Room));
        assert_eq!(first.rivals.iter().map(|rival| (rival.vm, rival.agent)).collect::<Vec<_>>(), [(VmId(0), 0)]);
        assert!(first.rivals[0].at <= first.at && first.at >= minute(10), "{first:?}");
        assert_eq!(collisions(&two(2), &[]), [], "there is room for both");
    }

    #[test]
    fn an_outdated_view_is_no_lack_of_room() {
        let mut trial = two(1);
        trial.agents.fine_grained = false;
        let found = collisions(&trial, &[]);
        let [(1, first), ..] = &found[..] else { panic!("{found:?}") };
        assert_eq!((first.why, first.rivals[0].vm), (Obstacle::Outdated, VmId(0)));
    }

    #[test]
    fn a_machine_that_failed_meanwhile_has_no_rivals() {
        let mut trial = Trial::new(1, 1).vms(1, 1, (10, 100));
        trial.agents.commit_ms = 120_000;
        let fail = IncidentUse { values: vec![1.0, 0.0, 600.0], ..IncidentUse::plain("FailMachines", minute(11)) };
        let found = collisions(&trial, &[fail]);
        let [(0, first), ..] = &found[..] else { panic!("{found:?}") };
        assert_eq!((first.why, &first.rivals[..]), (Obstacle::Readiness, &[][..]));
    }

    #[test]
    fn a_request_says_which_of_its_machines_is_in_the_way() {
        // The third VM is requested together with a fourth that fits on the other machine.
        let mut trial = Trial::new(2, 1).vms(1, 4, (10, 100)).vms(2, 3, (10, 100));
        trial.agents.count = 2;
        trial.vms[1..].iter_mut().for_each(|row| row.tenant = 9);
        let found = collisions(&trial, &[]);
        assert!(!found.is_empty() && found.iter().all(|(vm, _)| *vm > 0), "{found:?}");
        let machines: Vec<_> = found.iter().take(2).map(|(_, it)| it.machine).collect();
        assert_eq!(machines[0], machines[1], "both are turned away for the machine that VM 0 took");
        assert!(found.iter().all(|(_, it)| it.why == Obstacle::Room), "{found:?}");
    }

    #[test]
    fn nothing_is_kept_where_nobody_asks() {
        let mut world = World::new(two(2).plan(true, &[]));
        world.run();
        assert!(world.probes.arrivals.0.is_empty());
    }
}
