//! What is asked of an allocator, and what it answers.

use tiebreak_model::{Footprint, Growth, MachineId, Needs, Occupancy, Scene, ShapeId, VmRequest};

use super::caches::CacheUse;

/// One VM to find a machine for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Names the VM's shape; the same name must mean the same shape in every call.
    pub shape: ShapeId,
    /// The VM as rules read it.
    pub vm: &'a VmRequest,
    /// Where its tenant's VMs stand; empty where the tenant asks for nothing.
    pub footprint: &'a Footprint,
    /// What its links to them take; none where it has none.
    pub needs: &'a Needs,
    /// What deployments will grow to; none where it begins none, or no rule asks.
    pub growth: Option<&'a Growth>,
    /// Which of the machines found is picked.
    pub draw: Draw,
}

impl<'a> Request<'a> {
    /// What its decision looks at, by this view of the fleet.
    pub(crate) fn scene(&self, occupancy: &'a Occupancy) -> Scene<'a> {
        Scene { occupancy, footprint: self.footprint, needs: self.needs, growth: self.growth }
    }
}

/// Which machine of those that were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The number drawn.
    pub number: u64,
    /// Choose among this many best machines instead of those tied for best: Protean's conflict
    /// avoidance (section 5.3).
    pub among: Option<u32>,
}

/// A machine for a VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The machine picked.
    pub machine: MachineId,
    /// Machines it is a random one of: those tied for best, or the best few when conflicts are
    /// being avoided.
    pub best_set: u32,
    /// What the caches did.
    pub cache: CacheUse,
    /// Machines that had to be ranked again first.
    pub refreshed: u32,
}

/// No machine is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What the caches did.
    pub cache: CacheUse,
    /// Machines that had to be ranked again first.
    pub refreshed: u32,
}
