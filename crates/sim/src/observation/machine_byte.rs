//! A machine on the fleet map as one byte, to keep frames of a hundred thousand machines small: whether it is empty,
//! how full it is, and whether it accepts VMs.

use tiebreak_model::{MachineRecord, Readiness, Resource, Resources};

/// The state of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineByte(pub u8);

/// Set if the machine accepts no new VMs.
const UNREADY: u8 = 0x80;

/// A machine that has failed; it is empty.
const FAILED: u8 = 0xff;

/// Full; 0 is empty, 1 has VMs that use next to nothing.
const FULL: u8 = 0x7e;

impl MachineByte {
    /// The number of values of [`Self::shade`].
    pub const SHADES: usize = 5;

    /// A machine of this capacity.
    #[must_use]
    pub fn of(record: &MachineRecord, capacity: Resources) -> Self {
        let (free, all) = (record.free[Resource::Cores], capacity[Resource::Cores]);
        Self::new(record.vms > 0, all - free, all, record.readiness)
    }

    /// A machine with or without VMs, with `used` of its cores in use.
    #[must_use]
    pub fn new(has_vms: bool, used: u32, all: u32, readiness: Readiness) -> Self {
        let share = f64::from(used) / f64::from(all);
        let fullness = if has_vms { 1 + (f64::from(FULL - 1) * share + 0.5) as u8 } else { 0 };
        Self(match readiness {
            Readiness::Ready => fullness,
            Readiness::Unready => UNREADY | fullness,
            Readiness::Failed => FAILED,
        })
    }

    /// Whether it has no VM.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == FAILED || self.0 & !UNREADY == 0
    }

    /// The share of its cores in use, 0 to 1, to about one hundredth.
    #[must_use]
    pub fn cores_in_use(self) -> f64 {
        if self.is_empty() { 0.0 } else { f64::from((self.0 & !UNREADY) - 1) / f64::from(FULL - 1) }
    }

    /// Its shade of [`Self::SHADES`]: 0 is empty, the others are quarters of its cores.
    #[must_use]
    pub fn shade(self) -> u8 {
        if self.is_empty() { 0 } else { 1 + (4.0 * self.cores_in_use()).min(3.0) as u8 }
    }

    /// Whether it accepts VMs.
    #[must_use]
    pub const fn readiness(self) -> Readiness {
        match self.0 {
            FAILED => Readiness::Failed,
            byte if byte & UNREADY != 0 => Readiness::Unready,
            _ => Readiness::Ready,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::VmShape;

    #[test]
    fn a_byte_says_how_a_machine_stands() {
        let capacity = Resources::new(48_000, 1_024, 0, 0);
        for readiness in [Readiness::Ready, Readiness::Unready] {
            for (vms, cores) in [(0, 0), (1, 0), (1, 1), (1, 24_000), (1, 47_999), (1, 48_000)] {
                let empty = MachineRecord::empty(capacity, readiness);
                let vm = VmShape::plain(Resources::new(cores, 0, 0, 0));
                let record = if vms == 0 { empty } else { empty.with(&vm).expect("it fits") };
                let byte = MachineByte::of(&record, capacity);
                let off = byte.cores_in_use() - f64::from(cores) / 48_000.0;
                assert!(off * off < 0.005 * 0.005, "{byte:?} is {off} off");
                assert_eq!((byte.is_empty(), byte.readiness()), (vms == 0, readiness), "{byte:?}");
            }
        }
        let failed = MachineByte::of(&MachineRecord::empty(capacity, Readiness::Failed), capacity);
        assert_eq!((failed.is_empty(), failed.cores_in_use(), failed.readiness()), (true, 0.0, Readiness::Failed));
    }
}
