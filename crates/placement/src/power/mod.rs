//! What rules read about power: the share of a chassis' cores that its VMs are expected to use, and the mix of VMs on
//! a machine.

pub(crate) mod chassis;

pub use chassis::ChassisPreference;
