//! `RollOutLifetimes` (LAVA sections 6.2 and F): a change of policy during the run.

use alloc::boxed::Box;

use tiebreak_model::{Time, declare};

use super::zone::Zone;
use super::{Incident, Kind};

declare! {
    /// From this moment the list runs with its lifetime rules; before, without them.
    ///
    /// A zone does not restart when its allocator gets new rules: VMs placed earlier stay where they are, and the
    /// new rules take full effect only after those have exited. Compare with a run where the rules apply from the
    /// start. (LAVA sections 6.2 and F)
    pub struct RollOutLifetimes as "Lifetime rules rolled out" {}
}

impl Kind for RollOutLifetimes {
    fn begin(self) -> Box<dyn Incident> {
        Box::new(self)
    }
}

impl Incident for RollOutLifetimes {
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        zone.roll_out_lifetimes();
        None
    }
}
