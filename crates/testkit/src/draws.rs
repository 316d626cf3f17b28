//! Randomness for cases: one stream for each kind of thing, so that the draws of one kind do not change any other.

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_model::random::Seed;

/// The source of randomness.
#[derive(Clone, Copy)]
pub(crate) enum Chance<'a> {
    /// A number from which everything is derived.
    Number(u64),
    /// Bytes from a fuzzer: each stream reads its own window, one byte per draw, so that one byte changes one thing.
    /// Draws past the end of the window are derived from it.
    Bytes(&'a [u8]),
}

/// The number of windows into which bytes are cut; some streams share one.
const WINDOWS: usize = 64;

impl<'a> Chance<'a> {
    /// One of its named streams.
    pub(crate) fn draws(self, stream: &str) -> Draws<'a> {
        match self {
            Self::Number(number) => Draws { bytes: &[], generator: Seed(number).stream(stream).generator() },
            Self::Bytes(bytes) => {
                let window = hash(stream.bytes()) as usize % WINDOWS;
                let [from, to] = [window, window + 1].map(|window| bytes.len() * window / WINDOWS);
                let bytes = &bytes[from..to];
                Draws { bytes, generator: Seed(hash(bytes.iter().copied())).stream(stream).generator() }
            }
        }
    }

    /// The source for one more thing of a kind, independent of the first.
    pub(crate) fn other(self, place: u64) -> Self {
        match self {
            Self::Number(number) => Self::Number(number ^ (place << 40)),
            Self::Bytes(bytes) => Self::Number(hash(bytes.iter().copied()) ^ place),
        }
    }

    /// The number that represents it.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Bytes(bytes) => hash(bytes.iter().copied()),
        }
    }
}

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Draws from one named stream of a case.
pub(crate) struct Draws<'a> {
    bytes: &'a [u8],
    generator: Xoshiro256PlusPlus,
}

impl Draws<'_> {
    pub(crate) fn bits(&mut self) -> u64 {
        match self.bytes.split_first() {
            Some((first, rest)) => {
                self.bytes = rest;
                u64::from(*first) * 0x0101_0101_0101_0101
            }
            None => self.generator.next_u64(),
        }
    }

    pub(crate) fn below(&mut self, count: u32) -> u32 {
        tiebreak_model::random::pick(self.bits(), count)
    }

    pub(crate) fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }
}
