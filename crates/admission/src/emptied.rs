//! The growth of a deployment that is gone for good once it has no block left.
//!
//! In the paper such a deployment is gone (section 2.1), while the moments in [`ahead`](crate::ahead) let it grow
//! again. For a newcomer, which is one block, that expects far too much: half of its future growth would come after it
//! was empty.
//!
//! Given the end rate mu and the scale-out rate lambda, the number of blocks is a queue M/M/∞. In units of core
//! lifetimes (t = mu hours, rho = lambda / mu), one that began with n blocks is empty at t with probability
//! (1 - e^-t)^n p(t), where p(t) = e^(-rho (1 - e^-t)) is that of one that began empty. If it grows again, it is first
//! empty by t with probability F(t), where
//!
//! F(t) = (1 - e^-t)^n p(t) + ∫ F(u) k(t - u) du, k = -p'
//!
//! (a renewal equation, by parts). Blocks that came after it was empty are those of a deployment that began empty at
//! that moment: their number is Poisson with mean rho (1 - e^-u). They are subtracted from the expected number of new
//! blocks and from its square. Old blocks need no correction: as long as one exists, the deployment is not empty.
//!
//! Ours: the paper approximates this (Proposition 4.3, see [`paper`](crate::paper)).

use alloc::vec::Vec;

/// Steps per core lifetime, and core lifetimes covered. Later, what is kept decays exponentially.
const PER_LIFE: usize = 16;
const LIVES: usize = 40;

/// log2 of the least and the largest rho, and steps per doubling. At a larger rho, an early death is as much rarer.
const RHO: [i32; 2] = [-6, 5];
const RHO_PER_DOUBLING: i32 = 3;

/// log2 of the least time, and steps per doubling. Before it, the loss is proportional to a power of the time.
const FIRST: i32 = -4;
const TIME_PER_DOUBLING: i32 = 4;

/// Deviations of a standard normal variable in the middle of each fifth of its probability.
const FIFTHS: [f64; 5] = [-1.281_551_565_5, -0.524_400_512_7, 0.0, 0.524_400_512_7, 1.281_551_565_5];

/// For deployments with some number of blocks, the parts of the new blocks, and of their pairs, that came before it
/// was empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Emptied {
    blocks: u32,
    /// By rho and time.
    kept: Vec<Vec<Kept>>,
}

/// The kept parts, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Kept {
    /// Of the expected new blocks.
    pub(crate) single: f64,
    /// Of their expected square.
    pub(crate) pairs: f64,
}

impl Kept {
    fn between(self, other: Self, share: f64) -> Self {
        let of = |one: f64, other: f64| one + share * (other - one);
        Self { single: of(self.single, other.single), pairs: of(self.pairs, other.pairs) }
    }
}

impl Emptied {
    /// For deployments with this many blocks now, at least 1. Takes tens of milliseconds.
    #[must_use]
    pub fn of(blocks: u32) -> Self {
        let blocks = blocks.max(1);
        let steps = (RHO[1] - RHO[0]) * RHO_PER_DOUBLING;
        let rho = |step: i32| libm::exp2(f64::from(RHO[0]) + f64::from(step) / f64::from(RHO_PER_DOUBLING));
        Self { blocks, kept: (0..=steps).map(|step| path(rho(step), blocks)).collect() }
    }

    /// The blocks that it is for.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// The kept parts for a scale-out rate whose belief is a gamma distribution of this shape and mean, in scale-outs
    /// per core lifetime, after this many core lifetimes. The rate counts once more in the expected new blocks and
    /// twice more in their square, so their shapes are larger by 1 and 2.
    pub(crate) fn kept(&self, shape: f64, mean: f64, lives: f64) -> Kept {
        let average = |more: f64, of: fn(Kept) -> f64| {
            let shape = shape + more;
            let scale = mean * shape / (shape - more);
            // Wilson and Hilferty: the cube root of a gamma variable is nearly normal.
            let rho = |z: f64| {
                let root = 1.0 - 1.0 / (9.0 * shape) + z / (3.0 * libm::sqrt(shape));
                scale * (root * root * root).max(0.0)
            };
            FIFTHS.iter().map(|z| of(self.at(rho(*z), lives))).sum::<f64>() / FIFTHS.len() as f64
        };
        Kept { single: average(1.0, |kept| kept.single), pairs: average(2.0, |kept| kept.pairs) }
    }

    fn at(&self, rho: f64, lives: f64) -> Kept {
        let most = libm::exp2(f64::from(RHO[1]));
        let place = (libm::log2(rho.clamp(1e-9, most)) - f64::from(RHO[0])) * f64::from(RHO_PER_DOUBLING);
        let place = place.clamp(0.0, (self.kept.len() - 1) as f64);
        let (index, share) = (place as usize, place - libm::floor(place));
        let next = (index + 1).min(self.kept.len() - 1);
        let kept = self.in_time(index, lives).between(self.in_time(next, lives), share);
        let rarer = (most / rho).min(1.0);
        Kept { single: 1.0 - rarer * (1.0 - kept.single), pairs: 1.0 - rarer * (1.0 - kept.pairs) }
    }

    fn in_time(&self, rho: usize, lives: f64) -> Kept {
        let path = &self.kept[rho];
        let (first, last) = (libm::exp2(f64::from(FIRST)), path.len() - 1);
        if lives < first {
            let share = libm::pow(lives / first, f64::from(self.blocks));
            return Kept { single: 1.0, pairs: 1.0 }.between(path[0], share);
        }
        let place = (libm::log2(lives) - f64::from(FIRST)) * f64::from(TIME_PER_DOUBLING);
        if place >= last as f64 {
            // What is kept decays at the rate of the last step.
            let (before, end) = (time(last - 1), time(last));
            let decayed = |from: f64, to: f64| {
                let rate = libm::log((from / to.max(1e-300)).max(1.0)) / (end - before);
                to * libm::exp(-(rate * (lives - end)).min(700.0))
            };
            let (from, to) = (path[last - 1], path[last]);
            return Kept { single: decayed(from.single, to.single), pairs: decayed(from.pairs, to.pairs) };
        }
        path[place as usize].between(path[place as usize + 1], place - libm::floor(place))
    }
}

/// The time at an index, in core lifetimes.
fn time(index: usize) -> f64 {
    libm::exp2(f64::from(FIRST) + index as f64 / f64::from(TIME_PER_DOUBLING))
}

/// What is kept at all times, for one rho.
fn path(rho: f64, blocks: u32) -> Vec<Kept> {
    let step = 1.0 / PER_LIFE as f64;
    let dead = |at: usize| -libm::expm1(-step * at as f64);
    let count = PER_LIFE * LIVES;
    let begun_empty: Vec<f64> = (0..=count).map(|at| libm::exp(-rho * dead(at))).collect();
    let mut empty = Vec::with_capacity(count + 1);
    empty.push(0.0);
    // The integrals over F of e^-u and e^-2u, exact if F is linear in a step.
    let (mut single, mut double) = (0.0, 0.0);
    let mut kept = Vec::with_capacity(count + 1);
    kept.push(Kept { single: 1.0, pairs: 1.0 });
    for at in 1..=count {
        let source = libm::pow(dead(at), f64::from(blocks)) * begun_empty[at];
        // The kernel's integral over a step is exact, and F its mean there.
        let weight = |back: usize| 0.5 * (begun_empty[back] - begun_empty[back + 1]);
        let earlier: f64 = (1..at).map(|back| weight(back) * (empty[at - back] + empty[at - back - 1])).sum();
        let first = weight(0);
        let now = ((source + earlier + first * empty[at - 1]) / (1.0 - first)).min(1.0);
        let over = |sum: f64, rate: f64| {
            let left = libm::exp(-rate * step);
            let (slope, old) = ((now - empty[at - 1]) / step, empty[at - 1]);
            let whole = (1.0 - left) / rate;
            sum * left + old * whole + slope * (step - whole) / rate
        };
        (single, double) = (over(single, 1.0), over(double, 2.0));
        empty.push(now);
        let all = dead(at);
        kept.push(Kept {
            single: (1.0 - single / all).clamp(0.0, 1.0),
            pairs: (1.0 - 2.0 * (single - double) / (all * all)).clamp(0.0, 1.0),
        });
    }
    let last = libm::floor((libm::log2(LIVES as f64) - f64::from(FIRST)) * f64::from(TIME_PER_DOUBLING)) as usize;
    let at = |index: usize| {
        let place = time(index) / step;
        let from = (place as usize).min(count - 1);
        kept[from].between(kept[from + 1], place - from as f64)
    };
    (0..=last).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without growth, F is the probability that the first block has ended, and a scale-out at u is kept if the block
    /// lives until then.
    #[test]
    fn with_hardly_any_growth_it_is_the_life_of_the_first_block() {
        let kept = path(1e-6, 1);
        for index in [0, 8, 16, 24] {
            let lives = time(index);
            let expected = lives * libm::exp(-lives) / -libm::expm1(-lives);
            assert!((kept[index].single - expected).abs() < 2e-3, "{lives}: {:?} and {expected}", kept[index]);
        }
    }

    #[test]
    fn more_blocks_and_more_growth_lose_less() {
        let all = [1, 2, 3].map(Emptied::of);
        for lives in [0.01, 0.3, 2.0, 30.0, 300.0] {
            for rho in [0.1, 1.0, 8.0, 100.0] {
                let [one, two, three] = [0, 1, 2].map(|at: usize| all[at].at(rho, lives));
                assert!(one.single <= two.single && two.single <= three.single && three.single <= 1.0, "{lives} {rho}");
                assert!((0.0..=1.0).contains(&one.single) && (0.0..=1.0).contains(&one.pairs), "{lives} {rho}");
            }
            assert!(all[0].at(0.1, lives).single <= all[0].at(4.0, lives).single);
        }
    }
}
