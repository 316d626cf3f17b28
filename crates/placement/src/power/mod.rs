//! What rules read of power: how much of a chassis' cores its VMs are expected to use, and the mix of VMs on a machine.

pub(crate) mod chassis;

pub use chassis::ChassisPreference;
