//! `PreferNewestHostEnvironment` (Protean section 3.1, tenant experience).

use tiebreak_model::{MachineView, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

/// The newest version that is told from the one before.
const NEWEST: u16 = 15;

declare! {
    /// Prefers machines that run a newer host environment.
    ///
    /// A VM on an old one will be disturbed by the update. While an update rolls out this
    /// sends all agents to the few machines that have it already: high in the list, watch
    /// the conflicts rise and the packing follow the rollout instead of the free room.
    /// Versions from 0 to 15 are told apart. (Protean section 3.1)
    pub struct PreferNewestHostEnvironment as "Newest host environment first" {}
}

impl Preference for PreferNewestHostEnvironment {
    type Reach = OfMachine;
    type Key = ();

    const LEVELS: Option<u32> = Some(NEWEST as u32 + 1);

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn score(&self, (): &(), machine: MachineView<'_>) -> f64 {
        f64::from(NEWEST - machine.host_version().min(NEWEST)) / f64::from(NEWEST)
    }
}
