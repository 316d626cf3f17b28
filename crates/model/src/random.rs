//! Named random streams of one seed.
//!
//! Every use of randomness has a name, and draws by what it decides (a VM, an attempt), not by when. So an additional
//! draw in one part changes no other, and compared variants have the same arrivals, lifetimes and other draws.

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The seed of a run; all its streams follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream of this name.
    #[must_use]
    pub fn stream(self, name: &str) -> Stream {
        Stream { base: xxh3_64_with_seed(name.as_bytes(), self.0) }
    }
}

/// One named stream: draws that are a function of what they decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    base: u64,
}

impl Stream {
    /// 64 random bits for the pair (`what`, `attempt`).
    #[must_use]
    pub fn draw(self, what: u64, attempt: u64) -> u64 {
        mix(mix(self.base ^ what.wrapping_mul(0x9e37_79b9_7f4a_7c15)) ^ attempt)
    }

    /// A sequential generator, for data made in a fixed order.
    #[must_use]
    pub fn generator(self) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.base)
    }
}

/// Turns 64 random bits into one of `count` equally likely indices.
///
/// # Panics
/// If `count` is zero.
#[inline]
#[must_use]
pub fn pick(bits: u64, count: u32) -> u32 {
    assert!(count > 0, "a pick needs something to pick from");
    (((bits >> 32) * u64::from(count)) >> 32) as u32
}

/// Turns 64 random bits into a share, from 0 up to 1.
#[inline]
#[must_use]
pub fn share(bits: u64) -> f64 {
    (bits >> 11) as i64 as f64 / (1_u64 << 53) as f64
}

/// The finalizer of SplitMix64 (Steele et al., OOPSLA 2014).
const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_apart_and_repeatable() {
        let seed = Seed(7);
        assert_eq!(seed.stream("tie-break").draw(1, 0), seed.stream("tie-break").draw(1, 0));
        assert_ne!(seed.stream("tie-break").draw(1, 0), seed.stream("arrivals").draw(1, 0));
        assert_ne!(seed.stream("tie-break").draw(1, 0), seed.stream("tie-break").draw(1, 1));
        assert_ne!(seed.stream("tie-break").draw(1, 0), Seed(8).stream("tie-break").draw(1, 0));
    }

    #[test]
    fn picks_are_even() {
        let stream = Seed(1).stream("test");
        let mut seen = [0_u32; 7];
        for what in 0..70_000 {
            seen[pick(stream.draw(what, 0), 7) as usize] += 1;
        }
        for count in seen {
            assert!((9_500..10_500).contains(&count), "{seen:?}");
        }
    }
}
