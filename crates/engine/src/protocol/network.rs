//! Virtual datacenters: those of a workload, and the one of a VM.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

/// The virtual datacenter of a VM when that was decided (Gridiron section III).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Company {
    /// What it is linked with and what that takes, in a sentence.
    pub sentence: Phrase,
    /// Machines that hold VMs of the VDC, this VM's own among them, and how many.
    pub machines: Vec<(u32, u32)>,
    /// Links between machines, those of one pair together: both machines, Mbit/s, and whether this VM is at an end.
    pub links: Vec<(u32, u32, f64, bool)>,
    /// Machines behind an uplink that had no room for the VM's links: the first, and how many.
    pub behind_full: Option<(u32, u32)>,
}

/// Classes of how many VMs a virtual datacenter has at a time: the least and the most.
pub const VDC_SIZES: [(u32, u32); 8] =
    [(1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (21, 30), (31, 100), (101, u32::MAX)];

/// The virtual datacenters of a workload, and what the network carries (Gridiron sections III-B and III-E).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VdcProfile {
    /// VDCs, and how many VMs they have over the whole run.
    pub vdcs: u32,
    /// See `vdcs`.
    pub vms: u32,
    /// The most VMs at a time that half of the VDCs have at most, nine in ten, and all.
    pub peaks: [u32; 3],
    /// VDCs by the most VMs they have at a time, in the classes of [`VDC_SIZES`].
    pub by_size: Vec<u32>,
    /// Cores of the largest VM that is linked, in thousandths.
    pub largest_cores_milli: u32,
    /// The most that the uplinks of a machine carry, in Mbit/s.
    pub uplink_mbps: f64,
}
