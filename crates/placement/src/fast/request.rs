//! The input and the output of an allocator.

use tiebreak_model::{Footprint, Growth, MachineId, Needs, Occupancy, Scene, ShapeId, VmRequest};

use super::caches::CacheUse;

/// One VM to find a machine for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Names the VM's shape; the same name must mean the same shape in every call.
    pub shape: ShapeId,
    /// The VM as rules read it.
    pub vm: &'a VmRequest,
    /// Where its tenant's VMs are; empty if the tenant has no placement terms.
    pub footprint: &'a Footprint,
    /// The bandwidth of its links to them; empty if it has none.
    pub needs: &'a Needs,
    /// The forecasts of deployments; `None` unless it starts a deployment and a rule reads them.
    pub growth: Option<&'a Growth>,
    /// Which of the best machines to pick.
    pub draw: Draw,
}

impl<'a> Request<'a> {
    /// What its decision reads, with this view of the fleet.
    pub(crate) fn scene(&self, occupancy: &'a Occupancy) -> Scene<'a> {
        Scene { occupancy, footprint: self.footprint, needs: self.needs, growth: self.growth }
    }
}

/// Which of the best machines to pick.
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
    /// The number of machines it was drawn from: those tied for best, or the best few during conflict avoidance.
    pub best_set: u32,
    /// How the caches served it.
    pub cache: CacheUse,
    /// Machines that had to be ranked again first.
    pub refreshed: u32,
}

/// No machine is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// How the caches served it.
    pub cache: CacheUse,
    /// Machines that had to be ranked again first.
    pub refreshed: u32,
}
