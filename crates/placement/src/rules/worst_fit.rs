//! `WorstFit`: the classical opposite of `BestFit`.

use tiebreak_model::{MachineView, Resources, VmRequest, declare};

use super::best_fit::share_left_free;
use crate::rule::{OfMachine, Preference};

declare! {
    /// Prefers the machine that would be emptiest after placing the VM.
    ///
    /// It spreads load, which helps performance and avoids collisions between agents, but keeps hardly any machine
    /// empty. It is the opposite of BestFit. The spreading strategies of Kubernetes and OpenStack work this way.
    pub struct WorstFit as "Emptiest machine first" {
        /// Weight of free cores.
        cores_weight: f64 = 1, 0 => 100, "";
        /// Weight of free memory.
        memory_weight: f64 = 1, 0 => 100, "";
    }
}

impl Preference for WorstFit {
    type Reach = OfMachine;
    type Key = Resources;

    fn key(&self, vm: &VmRequest) -> Resources {
        vm.shape.demand
    }

    #[inline]
    fn score(&self, demand: &Resources, machine: MachineView<'_>) -> f64 {
        1.0 - share_left_free([self.cores_weight, self.memory_weight, 0.0, 0.0], *demand, machine)
    }
}
