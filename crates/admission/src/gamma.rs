//! The Gamma distribution, the belief about every unknown rate of a deployment.

/// A Gamma distribution of a rate or of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gamma {
    /// Its shape, above 0. Larger means more certain: the standard deviation is the mean over its root.
    pub shape: f64,
    /// Its rate, above 0, in the inverse unit of what it describes (hours, for a rate per hour).
    pub rate: f64,
}

impl Gamma {
    /// The expected value.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.shape / self.rate
    }

    /// The expected square.
    #[must_use]
    pub fn mean_square(&self) -> f64 {
        self.shape * (self.shape + 1.0) / (self.rate * self.rate)
    }

    /// The belief after `count` Poisson events in `exposure`, in the unit of the inverse rate.
    #[must_use]
    pub fn updated(&self, count: f64, exposure: f64) -> Self {
        Self { shape: self.shape + count, rate: self.rate + exposure }
    }
}

/// The moments of S, the cores of one scale-out, on which a deployment's moments depend: S = 1 + Poisson(sigma), with
/// a Gamma belief about sigma.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeMoments {
    /// E\[S\].
    pub mean: f64,
    /// E\[S (S - 1)\]: pairs of cores of one request.
    pub pairs: f64,
    /// E\[(1 + sigma)^2\]: pairs of cores of two requests of one deployment.
    pub across: f64,
}

impl SizeMoments {
    /// For requests whose cores beyond the first have this mean.
    #[must_use]
    pub fn of(extra: &Gamma) -> Self {
        let (mean, square) = (extra.mean(), extra.mean_square());
        Self { mean: 1.0 + mean, pairs: 2.0 * mean + square, across: 1.0 + 2.0 * mean + square }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_exposure_move_the_mean() {
        let prior = Gamma { shape: 2.0, rate: 4.0 };
        assert_eq!((prior.mean(), prior.mean_square()), (0.5, 0.375));
        assert_eq!(prior.updated(3.0, 6.0), Gamma { shape: 5.0, rate: 10.0 });
    }

    #[test]
    fn sizes_are_one_more_than_a_poisson_number() {
        // Sigma almost certainly 3: E S = 4, E S^2 = 16 + 3, so E S (S - 1) = 15.
        let sure = SizeMoments::of(&Gamma { shape: 3e9, rate: 1e9 });
        for (found, expected) in [(sure.mean, 4.0), (sure.pairs, 15.0), (sure.across, 16.0)] {
            assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
        }
    }
}
