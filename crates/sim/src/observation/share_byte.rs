//! A share of a machine's limit in one byte, for the fleet map: the reserved part of its uplinks, or its draw within
//! its part of a power budget.

/// A share in half percents; 201 means more than 100 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareByte(pub u8);

impl ShareByte {
    const FULL: f64 = 200.0;

    /// From a share, at least 0.
    #[must_use]
    pub fn of(share: f64) -> Self {
        Self(libm::ceil(share * Self::FULL).clamp(0.0, Self::FULL + 1.0) as u8)
    }

    /// The share, 0 to 1; slightly more than 1 if the limit is exceeded.
    #[must_use]
    pub fn share(self) -> f64 {
        f64::from(self.0) / Self::FULL
    }
}
