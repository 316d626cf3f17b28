//! A chooser in place of the draw: a learned policy, or a program, picks one of the machines that the rules left.

use alloc::boxed::Box;

use tiebreak_model::{MachineId, Scene, Time, VmId, VmRequest};

use super::World;

/// The machines that the rules left for a VM, and the decision about it.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    /// When the agent decides.
    pub time: Time,
    /// The VM.
    pub vm: VmId,
    /// 0 for the first attempt.
    pub attempt: u32,
    /// The machines, at least one: by id, or best first while conflicts are being avoided.
    pub machines: &'a [MachineId],
    /// The one that the run's own random draw gives.
    pub drawn: MachineId,
}

/// Picks the machine of each VM among those that the rules left.
pub trait Chooser: Send {
    /// The place of the machine in `candidates.machines`; with any other number, the draw decides. `scene` is the
    /// agent's view, on which rules decide, and `vm` the VM as they see it.
    fn choose(&mut self, candidates: &Candidates<'_>, vm: &VmRequest, scene: Scene<'_>) -> usize;
}

impl Candidates<'_> {
    pub(super) fn chosen_by(&self, chooser: &mut dyn Chooser, vm: &VmRequest, scene: Scene<'_>) -> MachineId {
        let place = chooser.choose(self, vm, scene);
        self.machines.get(place).copied().unwrap_or(self.drawn)
    }
}

impl World {
    /// From now on, `chooser` picks among the machines that the rules left. It is asked for each decision that leaves
    /// any, also for retries and for the VMs alive at the start; incidents move VMs by their own rules. Each such
    /// decision evaluates every machine again, without caches.
    pub fn set_chooser(&mut self, chooser: Box<dyn Chooser>) {
        self.chooser = Some(chooser);
    }
}
