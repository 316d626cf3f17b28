//! How much of a machine's uplinks is reserved, in one byte, for the fleet map.

use tiebreak_model::{Cut, MachineId, Network};

/// The reserved share of a machine's uplinks, in half percents; 201 is more than there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UplinkByte(pub u8);

impl UplinkByte {
    const FULL: f64 = 200.0;

    /// Of a machine.
    #[must_use]
    pub fn of(network: &Network, machine: MachineId) -> Self {
        Self(libm::ceil(network.used_share(Cut::Machine(machine)) * Self::FULL).min(Self::FULL + 1.0) as u8)
    }

    /// The reserved share, 0 to 1; a little more than 1 where more is reserved than there is.
    #[must_use]
    pub fn share(self) -> f64 {
        f64::from(self.0) / Self::FULL
    }
}
