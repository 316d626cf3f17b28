//! Simulated time: whole milliseconds since the beginning of the trace.

use core::ops::{Add, Sub};

/// A span of simulated time in whole milliseconds, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

impl Millis {
    /// One second.
    pub const SECOND: Self = Self(1_000);
    /// One minute.
    pub const MINUTE: Self = Self(60_000);
    /// One hour.
    pub const HOUR: Self = Self(3_600_000);
    /// One day.
    pub const DAY: Self = Self(86_400_000);
}

/// An instant of simulated time in milliseconds since the start of the trace; negative for VMs that were already
/// there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

impl Time {
    /// The beginning of the trace.
    pub const ZERO: Self = Self(0);
    /// After everything: the end of a VM that outlives the trace.
    pub const NEVER: Self = Self(i64::MAX);

    /// The span since an earlier instant; zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Millis {
        let span = self.0.saturating_sub(earlier.0);
        Millis(if span > 0 { span as u64 } else { 0 })
    }
}

impl Add<Millis> for Time {
    type Output = Self;

    fn add(self, span: Millis) -> Self {
        Self(self.0.saturating_add_unsigned(span.0))
    }
}

impl Sub<Millis> for Time {
    type Output = Self;

    fn sub(self, span: Millis) -> Self {
        Self(self.0.saturating_sub_unsigned(span.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_saturates_instead_of_wrapping() {
        assert_eq!(Time::NEVER + Millis::DAY, Time::NEVER);
        assert_eq!(Time(5).since(Time(9)), Millis(0));
        assert_eq!(Time(9).since(Time(-1)), Millis(10));
        assert_eq!(Time(i64::MAX).since(Time(i64::MIN)), Millis(i64::MAX as u64));
    }
}
