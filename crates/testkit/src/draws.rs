//! Chance for cases: one stream for each kind of thing, so that what one kind draws moves no
//! other.

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_model::random::Seed;

/// Draws from one named stream of a case.
pub(crate) struct Draws(Xoshiro256PlusPlus);

impl Draws {
    pub(crate) fn of(number: u64, stream: &str) -> Self {
        Self(Seed(number).stream(stream).generator())
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    pub(crate) fn below(&mut self, count: u32) -> u32 {
        tiebreak_model::random::pick(self.0.next_u64(), count)
    }

    pub(crate) fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }
}
