//! A machine's lifetime state on the fleet map, as one byte.

use tiebreak_model::{HostLife, Phase};

/// A machine's phase and lifetime class (LAVA section 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeByte(pub u8);

/// The number of bits of the class.
const CLASS_BITS: u8 = 3;

impl LifeByte {
    /// From the predicted state of a machine.
    #[must_use]
    pub const fn of(life: &HostLife) -> Self {
        Self((life.phase as u8) << CLASS_BITS | life.class)
    }

    /// Which VMs it accepts.
    #[must_use]
    pub fn phase(self) -> Phase {
        Phase::ALL[usize::from(self.0 >> CLASS_BITS).min(Phase::ALL.len() - 1)]
    }

    /// Its class; 0 if it is empty.
    #[must_use]
    pub const fn class(self) -> u8 {
        self.0 & ((1 << CLASS_BITS) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_placement::lifetime::CLASS_MAX;

    #[test]
    fn a_byte_says_phase_and_class() {
        assert_eq!(LifeByte::of(&HostLife::EMPTY), LifeByte(0));
        for phase in Phase::ALL {
            for class in 0..=CLASS_MAX {
                let byte = LifeByte::of(&HostLife { phase, class, ..HostLife::EMPTY });
                assert_eq!((byte.phase(), byte.class()), (phase, class));
            }
        }
    }
}
