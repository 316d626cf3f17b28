//! `BandwidthAvailable` (Gridiron section III-D).

use tiebreak_model::declare;

declare! {
    /// Places a VM only where the network has bandwidth for its links to the other VMs of its virtual datacenter.
    ///
    /// Links use bandwidth on every uplink along their path: of both machines, of their racks if these differ, and
    /// of their clusters if these differ. Links within a machine use none. So placing the VMs of a VDC together
    /// saves network but can make requests fail: half of the VMs on each of two machines need the most bandwidth on
    /// one uplink. Without this rule, links are only counted, and uplinks may be overbooked. It has no effect if
    /// the scenario links no VMs. (Gridiron section III-D)
    pub struct BandwidthAvailable as "Enough network bandwidth" {}
}
