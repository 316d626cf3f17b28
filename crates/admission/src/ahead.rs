//! The development of a deployment from now to a horizon n: seven coefficients that do not depend on its number of
//! cores.
//!
//! Given mu and lambda, a core that exists now exists at n with probability q = e^(-mu n), the deployment has not
//! stopped with probability s = q^nu, and scale-outs are a Poisson process. So with m = E S, v = E\[S (S - 1)\] and C
//! cores
//!
//! E L = C a + lambda m b
//!
//! E L^2 = C c + C^2 d + 2 C lambda m e + lambda (m b + v g) + lambda^2 w h
//!
//! where w = E\[(1 + sigma)^2\]. Both kinds of stop differ only in the seven letters, which are averaged here over
//! the belief about mu and lambda. If blocks end as a whole, C c becomes c times the sum of squared block sizes, and
//! m b + v g becomes (m + v) b, as E S^2 = m + v.
//!
//! This is our own derivation of the moments of the paper's section 4 and Appendix C, whose formulas are missing from
//! our copy; the example `monte_carlo` checks it by simulation.

use crate::gamma::SizeMoments;
use crate::path::Path;
use crate::prior::Deaths;
use crate::seen::{MOST, bounded};

/// Mean and variance of a number of cores.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// Expected cores.
    pub mean: f64,
    /// Their variance, in cores squared.
    pub variance: f64,
}

/// The seven coefficients of one horizon, averaged over the belief about one deployment. For deployments without
/// observations they are all the same, so that the forecast of a new one costs a few multiplications.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ahead {
    /// 1 - E a. Complements keep small changes exact.
    gone: f64,
    /// E\[lambda b\].
    fresh: f64,
    /// E c.
    apart: f64,
    /// 1 - E d.
    pair_gone: f64,
    /// E\[lambda e\].
    mixed: f64,
    /// E\[lambda g\].
    twins: f64,
    /// E\[lambda^2 h\].
    pairs: f64,
}

impl Ahead {
    /// Adds the values at one mu: its weight, and its weight times E\[lambda | mu\], the part of the new cores that
    /// counts, and its weight times E\[lambda^2 | mu\].
    #[inline]
    pub(crate) fn add(&mut self, path: &Path, weight: f64, [rate, kept, square]: [f64; 3]) {
        self.gone += weight * path.gone;
        self.fresh += rate * kept * path.fresh;
        self.apart += weight * path.apart;
        self.pair_gone += weight * path.pair_gone;
        self.mixed += rate * path.mixed;
        self.twins += rate * kept * path.twins;
        self.pairs += square * path.pairs;
    }

    /// The moments of a deployment with this many cores now, in blocks whose squared sizes sum to `squares`, and with
    /// scale-outs of this size.
    #[must_use]
    pub fn moments(&self, cores: f64, squares: f64, size: &SizeMoments, deaths: Deaths) -> Moments {
        let Self { gone, fresh, apart, pair_gone, mixed, twins, pairs } = *self;
        let cores = bounded(cores, MOST);
        let grown = size.mean * fresh;
        let (alone, new) = match deaths {
            Deaths::Cores => (cores, grown + size.pairs * twins),
            Deaths::Blocks => (bounded(squares, cores * cores), (size.mean + size.pairs) * fresh),
        };
        let old = alone * apart + cores * cores * (2.0 * gone - gone * gone - pair_gone);
        let shared = 2.0 * cores * size.mean * (mixed - fresh + gone * fresh);
        let variance = old + shared + new + (size.across * pairs - grown * grown);
        Moments { mean: cores - cores * gone + grown, variance: variance.max(0.0) }
    }
}
