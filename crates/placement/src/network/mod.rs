//! What rules read about the network: where it has capacity for a VM's links, and how much of each uplink is
//! reserved.

pub(crate) mod gate;
pub(crate) mod uplink;

pub use gate::{Blocked, Full};
pub use uplink::UplinkPreference;
