//! `FirstFit`: the classical baseline of bin packing.

use tiebreak_model::{MachineView, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

declare! {
    /// Prefers the machine with the lowest number.
    ///
    /// It packs surprisingly well and is easy to understand. But every agent picks the same machine: a list that
    /// ends with it never draws at random, and concurrent agents collide.
    pub struct FirstFit as "Lowest machine number first" {}
}

impl Preference for FirstFit {
    type Reach = OfMachine;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn score(&self, (): &(), machine: MachineView<'_>) -> f64 {
        f64::from(machine.id.0) / f64::from(machine.machines())
    }
}
