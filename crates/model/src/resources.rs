//! The capacity of a machine and the demand of a VM, in whole units.

use core::ops::{Index, IndexMut};

/// One dimension of a machine's capacity (Protean section 3.2, footnote 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// CPU, in thousandths of a core.
    Cores,
    /// Memory, in MiB.
    Memory,
    /// Local SSD, in GiB.
    Ssd,
    /// Network bandwidth, in Mbit/s.
    Network,
}

impl Resource {
    /// Every dimension, in stored and displayed order.
    pub const ALL: [Self; 4] = [Self::Cores, Self::Memory, Self::Ssd, Self::Network];

    /// Display word.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Cores => "cores",
            Self::Memory => "memory",
            Self::Ssd => "SSD",
            Self::Network => "network",
        }
    }

    /// Display unit, and the number of stored units in one of it.
    #[must_use]
    pub const fn unit(self) -> (&'static str, f64) {
        match self {
            Self::Cores => ("cores", 1_000.0),
            Self::Memory => ("GiB", 1_024.0),
            Self::Ssd => ("GiB", 1.0),
            Self::Network => ("Mbit/s", 1.0),
        }
    }
}

/// An amount of every resource: a capacity, a demand, or what is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resources([u32; 4]);

impl Resources {
    /// Zero of every resource.
    pub const NONE: Self = Self([0; 4]);

    /// Amounts in stored units: thousandths of a core, MiB, GiB, Mbit/s.
    #[must_use]
    pub const fn new(cores_milli: u32, memory_mib: u32, ssd_gib: u32, network_mbps: u32) -> Self {
        Self([cores_milli, memory_mib, ssd_gib, network_mbps])
    }

    /// Thousandths of a core.
    #[must_use]
    pub const fn cores_milli(self) -> u32 {
        self.0[0]
    }

    /// Whether `demand` fits into this much in every dimension.
    #[inline]
    #[must_use]
    pub fn covers(self, demand: Self) -> bool {
        // Without branches, all dimensions are one comparison of vectors.
        self.0.iter().zip(demand.0).fold(true, |covers, (have, want)| covers & (*have >= want))
    }

    /// The larger of both in every dimension.
    #[must_use]
    pub fn at_least(self, other: Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at].max(other.0[at])))
    }

    /// The sum, or `None` if a dimension exceeds 32 bits.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let mut sum = self.0;
        for (amount, more) in sum.iter_mut().zip(other.0) {
            *amount = amount.checked_add(more)?;
        }
        Some(Self(sum))
    }

    /// How much of `demand` does not fit into this amount; 0 for a dimension that fits.
    #[must_use]
    pub fn shortage(self, demand: Self) -> Self {
        Self(core::array::from_fn(|index| demand.0[index].saturating_sub(self.0[index])))
    }

    /// The difference, or 0 where `other` is larger.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(core::array::from_fn(|index| self.0[index].saturating_sub(other.0[index])))
    }

    /// The difference, or `None` if `other` does not fit.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        let mut rest = self.0;
        for (amount, less) in rest.iter_mut().zip(other.0) {
            *amount = amount.checked_sub(less)?;
        }
        Some(Self(rest))
    }
}

impl Index<Resource> for Resources {
    type Output = u32;

    fn index(&self, resource: Resource) -> &u32 {
        &self.0[resource as usize]
    }
}

impl IndexMut<Resource> for Resources {
    fn index_mut(&mut self, resource: Resource) -> &mut u32 {
        &mut self.0[resource as usize]
    }
}

/// `used` as a share of `total`; 0 if there is nothing.
#[inline]
pub(crate) fn share(used: u64, total: u64) -> f64 {
    // Uses `i64`, which converts in one instruction; capacities of a fleet stay far below 2^63.
    if total == 0 { 0.0 } else { used as i64 as f64 / total as i64 as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demand_fits_only_when_every_dimension_does() {
        let have = Resources::new(4_000, 8_192, 0, 0);
        for (demand, fits) in [
            (Resources::new(4_000, 8_192, 0, 0), true),
            (Resources::new(4_001, 1, 0, 0), false),
            (Resources::new(1, 8_193, 0, 0), false),
            (Resources::new(0, 0, 1, 0), false),
        ] {
            assert_eq!(have.covers(demand), fits, "{demand:?}");
            assert_eq!(have.checked_sub(demand).is_some(), fits, "{demand:?}");
        }
    }
}
