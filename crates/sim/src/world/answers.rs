//! How requests were answered: when, after how many attempts, and why they were rejected.

use tiebreak_model::{MachineId, RequestId, Time, VmId};

use super::World;
use crate::record::Rejected;

impl World {
    /// How a request was rejected; `None` if it was placed or is not decided yet.
    #[must_use]
    pub fn rejected(&self, request: RequestId) -> Option<Rejected> {
        self.record.rejected(request)
    }

    /// How many commits of a request have failed so far, because another agent had used the capacity (Protean section
    /// 5.3).
    #[must_use]
    pub fn collisions(&self, request: RequestId) -> u32 {
        self.record.collisions(request)
    }

    /// Whether a VM was placed for its request, whatever happened to it later.
    #[must_use]
    pub fn was_placed(&self, vm: VmId) -> bool {
        self.places.has_stood(vm)
    }

    /// The machine on which a VM was placed for its request, and when; `None` if it was not placed, or not yet.
    #[must_use]
    pub fn first_placement(&self, vm: VmId) -> Option<(MachineId, Time)> {
        let left = || self.disruptions().iter().find(|it| it.vm == vm).map(|it| (it.from, it.since));
        // Most VMs have no fate and are on their first machine. This finds them without searching those that moved.
        self.fate(vm).and_then(|_| left()).or_else(|| self.placement(vm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidents::IncidentUse;
    use crate::record::{Outcome, Rejection};
    use crate::world::trial::{Trial, minute};
    use alloc::vec;

    #[test]
    fn a_refusal_says_when_and_whether_there_was_room() {
        let world = Trial::new(1, 1).vms(1, 8, (5, 500)).vms(1, 2, (10, 500)).run(&[]);
        let request = |vm| world.plan().workload().request_of(VmId(vm));
        let rejected = world.rejected(request(0)).expect("eight cores do not fit on four");
        assert_eq!((rejected.why, rejected.had_room), (Rejection::Refused(VmId(0)), false));
        assert!(rejected.at >= minute(5) && rejected.at < minute(6), "{rejected:?}");
        assert_eq!(world.rejected(request(1)), None);
        assert_eq!([0, 1].map(|vm| world.was_placed(VmId(vm))), [false, true]);
    }

    #[test]
    fn a_vm_that_moved_was_first_placed_elsewhere() {
        let fail = IncidentUse { values: vec![1.0, 0.0, 30.0], ..IncidentUse::plain("FailMachines", minute(60)) };
        let world = Trial::new(2, 1).vms(1, 1, (0, 500)).run(&[fail]);
        let (first, now) = (world.first_placement(VmId(0)), world.placement(VmId(0)));
        let placed = world.decisions().iter().find(|it| it.outcome == Outcome::Placed).and_then(|it| it.machine);
        assert_eq!(first.map(|first| first.0), placed);
        if world.fate(VmId(0)).is_some() {
            assert_ne!(first, now, "it lost that machine");
        } else {
            assert_eq!(first, now);
        }
    }

    #[test]
    fn collisions_are_the_conflicts_of_a_request() {
        let mut trial = Trial::new(1, 1).vms(6, 1, (10, 500));
        trial.agents.count = 4;
        let world = trial.run(&[]);
        assert!(world.conflicts().0 > 0, "four agents want one machine");
        for vm in (0..6).map(VmId) {
            let request = world.plan().workload().request_of(vm);
            let conflicts = |it: &&crate::record::Decision| it.vm == vm && it.machine.is_some();
            let tried = world.decisions().iter().filter(conflicts).count() as u32;
            let placed = u32::from(world.was_placed(vm));
            assert_eq!(world.collisions(request) + placed, tried, "{vm:?}");
        }
    }
}
