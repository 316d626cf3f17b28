//! Explains a VM's decisions: replays the decisions before them, in slices.

use tiebreak_model::{MachineId, Phrase, Time, VmId, phrase};
use tiebreak_sim::{Fate, Probe, World};

use super::Engine;
use super::answer::answer;
use super::run::SLICE;
use crate::protocol::Reply;

/// A VM whose decisions are to be explained.
pub(super) struct Explaining {
    run: u32,
    asked_vm: String,
    again: Again,
}

/// A VM whose decisions are found by replaying everything before them.
pub(super) struct Again {
    vm: VmId,
    /// The world of the replay.
    pub(super) world: World,
    /// The number of events in the displayed run.
    until: u64,
    /// When the VM last lost a machine, if it did: it is decided again after that.
    lost_at: Option<Time>,
}

impl Again {
    /// For a VM of a run, compared with a machine in question.
    pub(super) fn new(run: &World, vm: VmId, asked: Option<MachineId>) -> Self {
        let mut world = World::new(run.plan().clone().without_samples());
        world.set_probe(Some(Probe { vm: Some(vm), asked }));
        Self { vm, world, until: run.progress().events, lost_at: run.lost_machine_at(vm) }
    }

    /// Continues for one slice. Returns whether the final decision has been made, or will not be.
    pub(super) fn work(&mut self) -> bool {
        let left = self.until.saturating_sub(self.world.progress().events);
        if left == 0 || self.is_decided() {
            return true;
        }
        self.world.advance(SLICE.min(left as u32));
        false
    }

    /// The replayed share of the run, 0 to 1.
    pub(super) fn share_done(&self) -> f64 {
        self.world.progress().events as f64 / self.until.max(1) as f64
    }

    /// Whether the final decision has been made.
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
    /// Explains a VM's decisions from the uncached reference. Decisions of the last step were explained as they were
    /// made. For any other, everything before is replayed, in slices, unless a newer run starts.
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
        // The replay ends with the VM's decision; the run itself has the later history.
        let later = self.run.as_ref().filter(|current| current.id == run).map_or(&world, |current| &current.world);
        vec![answer(run, asked_vm, vm, &world, later)]
    }
}
