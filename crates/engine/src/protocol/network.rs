//! Virtual datacenters: those of a workload, and the one of a VM.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

/// The virtual datacenter of a VM at its decision (Gridiron section III).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Company {
    /// Which VMs it is linked with and the bandwidth of the links, in one sentence.
    pub sentence: Phrase,
    /// Machines with VMs of the VDC, including this VM's own, and the count on each.
    pub machines: Vec<(u32, u32)>,
    /// Links between machines, summed by pair: both machines, Mbit/s, and whether this VM is at one end.
    pub links: Vec<(u32, u32, f64, bool)>,
    /// Machines behind an uplink without capacity for the VM's links: the first, and the number.
    pub behind_full: Option<(u32, u32)>,
}

/// Classes of the number of concurrent VMs in a virtual datacenter: minimum and maximum.
pub const VDC_SIZES: [(u32, u32); 8] =
    [(1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (21, 30), (31, 100), (101, u32::MAX)];

/// The virtual datacenters of a workload, and the capacity of the network (Gridiron sections III-B and III-E).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VdcProfile {
    /// The number of VDCs, and of their VMs over the whole run.
    pub vdcs: u32,
    /// See `vdcs`.
    pub vms: u32,
    /// The median, 90th percentile and maximum of the peak number of VMs per VDC.
    pub peaks: [u32; 3],
    /// VDCs by their peak number of VMs, in the classes of [`VDC_SIZES`].
    pub by_size: Vec<u32>,
    /// Cores of the largest linked VM, in thousandths.
    pub largest_cores_milli: u32,
    /// The largest uplink capacity of a machine, in Mbit/s.
    pub uplink_mbps: f64,
}
