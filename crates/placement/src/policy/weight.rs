//! Weights that people set by hand.

/// How much a preference weighs beside the others, in thousandths, so that sums are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight(u64);

impl Weight {
    /// The smallest and the largest weight.
    pub const MIN: f64 = 0.001;
    /// The largest weight; sixteen of them are far below 64 bits.
    pub const MAX: f64 = 1e15;

    /// A weight, to a thousandth; none outside the range or when it is no number.
    #[must_use]
    pub fn new(weight: f64) -> Option<Self> {
        (Self::MIN..=Self::MAX).contains(&weight).then_some(Self((weight * 1_000.0 + 0.5) as u64))
    }

    /// The weight as people set it.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0 as f64 / 1_000.0
    }

    /// The weight in thousandths, so that sums are exact.
    pub(crate) const fn thousandths(self) -> u64 {
        self.0
    }
}

impl Default for Weight {
    fn default() -> Self {
        Self(1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_weight_is_refused() {
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e16] {
            assert_eq!(Weight::new(weight), None, "{weight}");
        }
        assert_eq!(Weight::new(2.5).map(Weight::get), Some(2.5));
    }
}
