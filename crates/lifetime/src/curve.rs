//! One prediction for every uptime: the expected remaining lifetime as a step function.
//!
//! This is the mapping that LAVA (section 3, way 1) materialises. Between two thresholds the predicted *exit* is
//! constant and the remaining lifetime decreases. A VM that outlives its predicted exit before the next threshold
//! gets the same remaining lifetime again. So a prediction holds until [`Curve::next_change_s`], and an earlier query
//! never gives another answer.

use alloc::vec::Vec;

/// The prediction for a VM at an uptime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// The remaining lifetime, in seconds; at least 1.
    pub remaining_s: u32,
    /// The next uptime at which the predicted exit may change; `None` if there is none.
    pub next_change_s: Option<u32>,
}

/// The expected remaining lifetime for every uptime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curve {
    /// The start of each step, ascending from 0.
    steps: Vec<CurveStep>,
}

/// The remaining lifetime from this uptime on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CurveStep {
    pub(crate) from_s: u32,
    /// At least 1.
    pub(crate) remaining_s: u32,
}

impl CurveStep {
    /// The prediction at an uptime within this step; the next one begins at `next_from_s`.
    #[inline]
    pub(crate) fn predict(self, next_from_s: Option<u32>, uptime_s: u32) -> Prediction {
        let Self { from_s, remaining_s } = self;
        let outlived = (uptime_s - from_s) / remaining_s;
        let exit_s = u64::from(from_s) + u64::from(remaining_s) * (u64::from(outlived) + 1);
        let next_s = next_from_s.map_or(exit_s, |next_s| exit_s.min(u64::from(next_s)));
        Prediction {
            remaining_s: (exit_s - u64::from(uptime_s)).min(u64::from(u32::MAX)) as u32,
            next_change_s: u32::try_from(next_s).ok(),
        }
    }
}

impl Curve {
    /// The most steps in a predictor's curve.
    pub const STEPS_MAX: usize = 64;

    /// The same remaining lifetime at uptime 0 and whenever it is outlived; at least 1 s.
    #[must_use]
    pub fn constant(remaining_s: u32) -> Self {
        Self { steps: alloc::vec![CurveStep { from_s: 0, remaining_s: remaining_s.max(1) }] }
    }

    /// From pairs of uptime and remaining lifetime in seconds, with uptimes ascending from 0. A pair that the earlier
    /// steps already imply is omitted.
    #[must_use]
    pub fn of(pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut pairs = pairs.into_iter();
        let mut curve = Self::constant(pairs.next().map_or(1, |(_, remaining_s)| remaining_s));
        for (from_s, remaining_s) in pairs {
            let remaining_s = remaining_s.max(1);
            if curve.remaining_s(from_s) != remaining_s {
                curve.steps.push(CurveStep { from_s, remaining_s });
            }
        }
        curve.steps.shrink_to_fit();
        curve
    }

    /// The prediction for a VM that has run for `uptime_s`.
    #[must_use]
    pub fn predict(&self, uptime_s: u32) -> Prediction {
        let next = self.steps.partition_point(|step| step.from_s <= uptime_s);
        self.steps[next - 1].predict(self.steps.get(next).map(|step| step.from_s), uptime_s)
    }

    /// The remaining lifetime of a VM that has run for `uptime_s`, in seconds; at least 1.
    #[must_use]
    pub fn remaining_s(&self, uptime_s: u32) -> u32 {
        self.predict(uptime_s).remaining_s
    }

    /// The next uptime at which the predicted exit may change; `None` if there is none.
    #[must_use]
    pub fn next_change_s(&self, uptime_s: u32) -> Option<u32> {
        self.predict(uptime_s).next_change_s
    }

    /// Its steps.
    pub(crate) fn steps(&self) -> &[CurveStep] {
        &self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_stands_still_until_the_next_threshold_or_until_it_is_outlived() {
        // Initially 100 s; after 60 s, 500 s more; after 1,000 s only 10 s at a time.
        let curve = Curve::of([(0, 100), (60, 500), (1_000, 10)]);
        for (uptime, remaining, next) in [
            (0, 100, 60),
            (59, 41, 60),
            (60, 500, 560),
            (559, 1, 560),
            (560, 500, 1_000),
            (1_000, 10, 1_010),
            (1_009, 1, 1_010),
            (1_010, 10, 1_020),
        ] {
            assert_eq!(curve.remaining_s(uptime), remaining, "at {uptime} s");
            assert_eq!(curve.next_change_s(uptime), Some(next), "at {uptime} s");
        }
    }

    #[test]
    fn asking_again_before_the_next_change_gives_the_same_exit() {
        let curve = Curve::of([(0, 7), (10, 3), (20, 40), (50, 11)]);
        for asked in 0..200 {
            let next = curve.next_change_s(asked).expect("it changes for ever");
            assert!(next > asked);
            for again in asked..next {
                assert_eq!(again + curve.remaining_s(again), asked + curve.remaining_s(asked), "{asked} to {again}");
            }
        }
    }

    #[test]
    fn what_is_said_already_is_left_out_and_extremes_are_fine() {
        assert_eq!(Curve::of([(0, 100), (60, 40), (100, 100)]), Curve::constant(100));
        assert_eq!(Curve::constant(0).remaining_s(5), 1);
        let forever = Curve::constant(u32::MAX);
        assert_eq!(forever.remaining_s(u32::MAX), u32::MAX);
        assert_eq!(forever.next_change_s(u32::MAX), None);
        assert_eq!(Curve::of([(0, 1)]).next_change_s(u32::MAX), None);
    }
}
