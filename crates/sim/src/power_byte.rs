//! How much of its share of the power budget a server draws, in one byte, for the fleet map.

/// What a server draws, of its even share of its chassis' budget, in half percents; 201 is more than its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerByte(pub u8);

impl PowerByte {
    const FULL: f64 = 200.0;

    /// Of a share, from 0 up.
    #[must_use]
    pub fn of(share: f64) -> Self {
        Self(libm::ceil(share * Self::FULL).clamp(0.0, Self::FULL + 1.0) as u8)
    }

    /// The share; a little more than 1 where it draws more than its share.
    #[must_use]
    pub fn share(self) -> f64 {
        f64::from(self.0) / Self::FULL
    }
}
