//! Explaining a VM's decisions: those before them are made again, in slices, until they are reached.

use tiebreak_model::{MachineId, Phrase, Time, VmId, phrase};
use tiebreak_sim::{Fate, Probe, World};

use super::Engine;
use super::answer::answer;
use super::run::SLICE;
use crate::protocol::Reply;

/// A VM whose decisions are found by deciding everything before them again.
pub(super) struct Explaining {
    run: u32,
    asked_vm: String,
    vm: VmId,
    world: World,
    /// Events that the run on screen has seen.
    until: u64,
    /// When the VM lost a machine for the last time, if it did: it is decided again after that.
    lost_at: Option<Time>,
}

impl Explaining {
    /// Whether the decision that counts has been made.
    fn is_decided(&self) -> bool {
        let Self { vm, world, .. } = self;
        match self.lost_at {
            Some(lost_at) => world.progress().time > lost_at && !matches!(world.fate(*vm), Some(Fate::Waiting { .. })),
            None => {
                let request = world.plan().workload().request_of(*vm);
                world.placement(*vm).is_some() || world.rejection(request).is_some()
            }
        }
    }
}

impl Engine {
    /// Explains a VM's decisions from the uncached reference. Those made in the last step were
    /// explained as they were made; for any other, everything before is decided again, in
    /// slices, as long as no newer run begins.
    pub(super) fn explain(&mut self, run: u32, vm: String, asked: Option<u32>) -> Option<Reply> {
        self.explaining = None;
        let refuse = |message: Phrase| {
            let (attempts, story) = (Vec::new(), Vec::new());
            Some(Reply::Explained { run, vm: vm.clone(), attempts, story, message: Some(message) })
        };
        let Some(current) = self.run.as_ref().filter(|current| current.id == run) else {
            return refuse(match self.learning {
                Some(_) => {
                    phrase!("That run is over, and the next one is still learning lifetimes; try again when it runs.")
                }
                None => phrase!("That run is over; press Run to see it again."),
            });
        };
        let plan = current.world.plan();
        let workload = plan.workload();
        let Some(id) = vm.trim().parse().ok().and_then(|name| workload.find(name)) else {
            let some = workload.name(VmId(workload.vm_count() / 2));
            return refuse(phrase!("This workload has no VM \"{vm}\"; its VMs are numbers such as {some}.", vm, some));
        };
        let asked = asked.filter(|machine| *machine < plan.fleet().machine_count()).map(MachineId);
        let watched = current.world.probed().iter().any(|probed| probed.vm == id);
        let rejected_now = current.paused && current.world.rejection(workload.request_of(id)).is_some();
        if asked.is_none() && (watched || rejected_now) {
            return Some(answer(run, vm, id, &current.world, &current.world));
        }
        let mut world = World::new(plan.clone().without_samples());
        world.set_probe(Some(Probe { vm: Some(id), asked }));
        let until = current.world.progress().events;
        let lost_at = current.world.lost_machine_at(id);
        self.explaining = Some(Explaining { run, asked_vm: vm, vm: id, world, until, lost_at });
        None
    }

    pub(super) fn work_on_explanation(&mut self) -> Vec<Reply> {
        let Some(explaining) = &mut self.explaining else { return Vec::new() };
        let left = explaining.until.saturating_sub(explaining.world.progress().events);
        if left > 0 && !explaining.is_decided() {
            explaining.world.advance(SLICE.min(left as u32));
            return Vec::new();
        }
        let Some(Explaining { run, asked_vm, vm, world, .. }) = self.explaining.take() else { return Vec::new() };
        // Deciding again ends with the VM's decision; what came of it later, the run itself knows.
        let later = self.run.as_ref().filter(|current| current.id == run).map_or(&world, |current| &current.world);
        vec![answer(run, asked_vm, vm, &world, later)]
    }
}
