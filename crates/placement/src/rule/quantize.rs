//! Quantization: turns a score into the integer that is compared.
//!
//! With N buckets a score S becomes `ceil(S*N)`: 0 for a perfect score, else 1 to N. Equal numbers are a tie, which
//! the next rule decides. Without buckets the score itself is compared, to 52 bits. Source: Protean section 3.3.
//!
//! Scores that are equal as fractions must get the same bucket, even if they were computed from different numbers and
//! rounded differently. So `S*N` counts as a whole number if it exceeds one by less than [`SLACK`] times N. A score
//! has fewer than eight rounding errors, 2^-50. A fraction whose denominator is below 2^48/N is either a whole number
//! of buckets or exceeds one by more than the slack, so the slack never merges two different fractions. (Two
//! resources of a machine give denominators of about 2^36.)

use core::num::NonZeroU32;

const EXACT_ONE: f64 = (1_u64 << 52) as f64;

/// The maximum rounding error of a score.
const SLACK: f64 = 1.0 / (1_u64 << 48) as f64;

/// How finely a preference distinguishes candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantizer {
    /// `ceil(S*N)`.
    Buckets(NonZeroU32),
    /// For a rule with this many different scores, compared exactly.
    Levels(NonZeroU32),
    /// The score to 52 bits.
    Exact,
}

impl Quantizer {
    /// For a rule with these buckets (`None` = exact) and this many levels.
    pub(crate) fn of(buckets: Option<u32>, levels: Option<u32>) -> Self {
        match (buckets.and_then(NonZeroU32::new), levels.and_then(NonZeroU32::new)) {
            (Some(buckets), _) => Self::Buckets(buckets),
            (None, Some(levels)) => Self::Levels(levels),
            (None, None) => Self::Exact,
        }
    }

    /// The largest bucket number.
    pub(crate) fn largest(self) -> u64 {
        match self {
            Self::Buckets(buckets) => buckets.get().into(),
            Self::Levels(levels) => u64::from(levels.get() - 1),
            Self::Exact => EXACT_ONE as u64,
        }
    }

    /// The bucket of a score.
    #[inline]
    pub(crate) fn bucket(self, score: f64) -> u64 {
        // NaN counts as 1. `f64::max` is a call in WebAssembly.
        let score = if score <= 1.0 { if score > 0.0 { score } else { 0.0 } } else { 1.0 };
        match self {
            Self::Buckets(buckets) => ceil((score - SLACK) * f64::from(buckets.get())),
            Self::Levels(levels) => whole(score * f64::from(levels.get() - 1) + 0.5),
            Self::Exact => whole(score * EXACT_ONE),
        }
    }

    /// The bucket of each score, in order. Neighbouring machines often have the same score, whose bucket is known.
    pub(crate) fn buckets(self, scores: &[f64]) -> impl Iterator<Item = u64> {
        let mut last = (0.0_f64.to_bits(), self.bucket(0.0));
        scores.iter().map(move |score| {
            if last.0 != score.to_bits() {
                last = (score.to_bits(), self.bucket(*score));
            }
            last.1
        })
    }
}

/// Above this, and up to twice as much, numbers have no fractions: adding it to a smaller one rounds that to a whole
/// number, which the lowest bits then hold. A processor converts in several instructions.
const WHOLES: f64 = EXACT_ONE;

/// A number from 0, or little below it, to 2^52, rounded to a whole number, as both.
#[inline]
fn rounded(value: f64) -> (f64, u64) {
    let shifted = value + WHOLES;
    (shifted - WHOLES, shifted.to_bits() - WHOLES.to_bits())
}

/// The integer part of a number from 0 to 2^52.
#[inline]
fn whole(value: f64) -> u64 {
    let (rounded, whole) = rounded(value);
    whole - u64::from(rounded > value)
}

#[inline]
fn ceil(value: f64) -> u64 {
    let (rounded, whole) = rounded(value);
    whole + u64::from(rounded < value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_fractions_are_a_tie_however_they_were_rounded() {
        // The free share of cores and memory, as BestFit weighs it, for all machines and demands with the same
        // remainder.
        let score = |(cores, memory): (u32, u32), of: (u32, u32)| {
            let share = |left: u32, all: u32| f64::from(left) / f64::from(all);
            (share(cores, of.0) + share(memory, of.1)) / 2.0
        };
        for buckets in [1, 2, 3, 5, 7, 10, 20, 100, 1000] {
            let quantizer = Quantizer::of(Some(buckets), None);
            let mut apart = 0;
            for capacity in [48_000, 104_000, 96_007, 393_216, 576_000, 131_071] {
                for step in 1..=buckets.min(40) {
                    // step/buckets from cores alone, from memory alone, and from both in every other proportion.
                    let whole = capacity / buckets * buckets;
                    let (part, tenth) = (whole / buckets * step, whole / buckets / 10);
                    let ways = [(part, part), (part - tenth, part + tenth), (part + tenth, part - tenth)];
                    let found = ways.map(|way| score(way, (whole, whole)));
                    apart += u32::from(found[0] != found[1] || found[0] != found[2]);
                    assert_eq!(
                        found.map(|it| quantizer.bucket(it)),
                        [u64::from(step); 3],
                        "{step}/{buckets} of {whole}"
                    );
                    let above = score((part + 1, part), (whole, whole));
                    assert_eq!(
                        quantizer.bucket(above),
                        u64::from(buckets.min(step + 1)),
                        "more than {step}/{buckets} of {whole}"
                    );
                }
            }
            assert!(buckets < 5 || apart > 0, "{buckets}: rounding never told equal fractions apart");
        }
    }

    #[test]
    fn numbers_are_rounded_as_by_the_library() {
        let near = |value: f64| [value, value.next_down(), value.next_up(), value + 0.5, value / 3.0, value * 0.7];
        let powers = (0..52).flat_map(|power| near((1_u64 << power) as f64)).chain(near(0.0)).chain([EXACT_ONE]);
        for value in powers.filter(|value| (-SLACK..=EXACT_ONE).contains(value)) {
            assert_eq!(ceil(value), libm::ceil(value) as u64, "{value:e}");
            assert_eq!(whole(value.max(0.0)), libm::floor(value).max(0.0) as u64, "{value:e}");
        }
    }

    #[test]
    fn buckets_are_the_ceiling_of_score_times_n() {
        for (buckets, score, bucket) in [
            (Some(1), 0.0, 0),
            (Some(1), 0.001, 1),
            (Some(1), 1.0, 1),
            (Some(4), 0.25, 1),
            (Some(4), 0.2501, 2),
            (Some(4), 1.0, 4),
            (Some(4), 7.0, 4),
            (Some(4), -1.0, 0),
            (Some(4), f64::NAN, 4),
            (None, 1.0, 1 << 52),
            (None, 0.0, 0),
        ] {
            let quantizer = Quantizer::of(buckets, None);
            assert_eq!(quantizer.bucket(score), bucket, "{buckets:?} {score}");
            assert!(quantizer.buckets(&[score, score, 0.0, score]).eq([bucket, bucket, 0, bucket]), "{score}");
            assert!(bucket <= quantizer.largest(), "{buckets:?}");
        }
        assert_eq!(Quantizer::of(None, Some(2)).bucket(1.0), 1);
        assert_eq!(Quantizer::of(None, Some(2)).largest(), 1);
        assert_eq!(Quantizer::of(None, Some(1)).largest(), 0);
    }
}
