//! What rules read of the network: where it has room for a VM's links, and how much of the uplinks is reserved.

pub(crate) mod gate;
pub(crate) mod uplink;

pub use gate::{Blocked, Full};
pub use uplink::UplinkPreference;
