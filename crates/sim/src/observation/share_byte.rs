//! A share of what a machine may have of something, in one byte, for the fleet map: of its uplinks what is reserved, of
//! its part of a power budget what it draws.

/// A share in half percents; 201 is more than there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareByte(pub u8);

impl ShareByte {
    const FULL: f64 = 200.0;

    /// Of a share, from 0 up.
    #[must_use]
    pub fn of(share: f64) -> Self {
        Self(libm::ceil(share * Self::FULL).clamp(0.0, Self::FULL + 1.0) as u8)
    }

    /// The share, 0 to 1; a little more than 1 where it is more than there is.
    #[must_use]
    pub fn share(self) -> f64 {
        f64::from(self.0) / Self::FULL
    }
}
