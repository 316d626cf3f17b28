//! `WorstFit`: the classical opposite of `BestFit`.

use tiebreak_model::{MachineView, Resources, VmRequest, declare};

use super::best_fit::share_left_free;
use crate::rule::{OfMachine, Preference};

declare! {
    /// Prefers the machine that the VM would leave emptiest.
    ///
    /// It spreads load, which is kind to performance and to agents that would
    /// collide, and keeps hardly any machine empty. The opposite of BestFit; the
    /// spreading strategies of Kubernetes and OpenStack work this way.
    pub struct WorstFit as "Emptiest machine first" {
        /// How much free cores count.
        cores_weight: f64 = 1, 0 => 100, "";
        /// How much free memory counts.
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
