//! `RollOutLifetimes` (LAVA sections 6.2 and F): a change of policy during the run.

use alloc::boxed::Box;

use tiebreak_model::{Time, declare};

use super::zone::Zone;
use super::{Incident, Kind};

declare! {
    /// From now on the lifetime rules of the list count; before, the list runs without them.
    ///
    /// A zone does not begin anew when its allocator learns something: VMs that were placed
    /// before stay where they are, and it takes as long as they live until the new rules show
    /// what they can do. Compare with a run where they count from the start. (LAVA sections 6.2 and
    /// F)
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
