//! Random draws for both generators: the same bits on every platform.

use rand_core::Rng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Uniform between the two.
pub(crate) fn between(chance: &mut Xoshiro256PlusPlus, low: f64, high: f64) -> f64 {
    low + (high - low) * (chance.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// True with this probability in percent.
pub(crate) fn happens(chance: &mut Xoshiro256PlusPlus, pct: f64) -> bool {
    between(chance, 0.0, 100.0) < pct
}

/// Normal with mean 0 and standard deviation 1.
pub(crate) fn normal(chance: &mut Xoshiro256PlusPlus) -> f64 {
    StandardNormal.sample(chance)
}
