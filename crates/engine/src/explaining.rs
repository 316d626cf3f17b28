//! Explaining a VM's decisions: those before them are made again, in slices, until they are reached.

use tiebreak_model::{MachineId, Phrase, Time, VmId, phrase};
use tiebreak_sim::{Fate, Probe, World};

use super::Engine;
use super::answer::answer;
use super::run::SLICE;
use crate::protocol::Reply;

/// A VM whose decisions are asked for.
pub(super) struct Explaining {
    run: u32,
    asked_vm: String,
    again: Again,
}

/// A VM whose decisions are found by deciding everything before them again.
pub(super) struct Again {
    vm: VmId,
    /// The world in which that happens.
    pub(super) world: World,
    /// Events that the run on screen has seen.
    until: u64,
    /// When the VM lost a machine for the last time, if it did: it is decided again after that.
    lost_at: Option<Time>,
}

impl Again {
    /// Of a VM of a run, against a machine that is asked about.
    pub(super) fn new(run: &World, vm: VmId, asked: Option<MachineId>) -> Self {
        let mut world = World::new(run.plan().clone().without_samples());
        world.set_probe(Some(Probe { vm: Some(vm), asked }));
        Self { vm, world, until: run.progress().events, lost_at: run.lost_machine_at(vm) }
    }

    /// Goes on for one slice; whether the decision that counts has been made, or will not be.
    pub(super) fn work(&mut self) -> bool {
        let left = self.until.saturating_sub(self.world.progress().events);
        if left == 0 || self.is_decided() {
            return true;
        }
        self.world.advance(SLICE.min(left as u32));
        false
    }

    /// How much of the run has been decided again, 0 to 1.
    pub(super) fn share_done(&self) -> f64 {
        self.world.progress().events as f64 / self.until.max(1) as f64
    }

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
        self.explaining = Some(Explaining { run, asked_vm: vm, again: Again::new(&current.world, id, asked) });
        None
    }

    pub(super) fn work_on_explanation(&mut self) -> Vec<Reply> {
        let Some(explaining) = &mut self.explaining else { return Vec::new() };
        if !explaining.again.work() {
            return Vec::new();
        }
        let Some(Explaining { run, asked_vm, again }) = self.explaining.take() else { return Vec::new() };
        let Again { vm, world, .. } = again;
        // Deciding again ends with the VM's decision; what came of it later, the run itself knows.
        let later = self.run.as_ref().filter(|current| current.id == run).map_or(&world, |current| &current.world);
        vec![answer(run, asked_vm, vm, &world, later)]
    }
}
