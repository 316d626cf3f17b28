//! `BandwidthAvailable` (Gridiron section III-D).

use tiebreak_model::declare;

declare! {
    /// A VM goes only where the network has room for its links to the others of its virtual datacenter.
    ///
    /// Links take bandwidth of every uplink on their way: of both machines, of their racks where these
    /// differ, of their clusters where those differ. VMs on one machine take none. So putting the VMs of
    /// a VDC together saves network and still makes requests fail: half of them on each of two
    /// machines send the most links over one uplink. Without this rule links are only counted, and
    /// uplinks may be promised more than they carry. Says nothing where the scenario links no VMs.
    /// (Gridiron section III-D)
    pub struct BandwidthAvailable as "Enough network bandwidth" {}
}
