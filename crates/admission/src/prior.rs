//! The belief about a deployment before any observation.
//!
//! Source: "On the Cluster Admission Problem for Cloud Computing" (Dierks, Kash, Seuken), section 2.1 and Appendix
//! B.2. Formulas and numbers are missing from our copy, so the parameters here are our interpretation of its text.
//! Hours are the unit of time.

use core::fmt;

use tiebreak_model::{Phrase, phrase};

use crate::gamma::Gamma;

/// The distributions of the parameters of a deployment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// mu, the rate at which each core (or block) of the deployment ends, per hour.
    pub death: Gamma,
    /// The scale-out rate over mu^power; per hour where `power` is 0.
    pub scale_out: Gamma,
    /// sigma, the mean of the cores beyond the first in one request.
    pub size: Gamma,
    /// nu: the deployment as a whole stops at rate nu mu, so 1 / nu core lifetimes is its mean maximum lifetime. 0:
    /// it never stops as a whole.
    pub stop: f64,
    /// kappa: the scale-out rate is proportional to mu^kappa. Above 0, deployments with long-lived cores grow slowly;
    /// 0: the two rates are independent.
    pub power: f64,
}

/// The unit that ends at rate mu.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deaths {
    /// Each core independently, as in the paper (section 2.1).
    Cores,
    /// All cores of one request together. In public traces, most VMs requested together end within minutes of each
    /// other.
    #[default]
    Blocks,
}

/// What ends at a deployment's maximum lifetime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// All its cores and all further scale-outs (section 2.1: it shuts down all of its cores at once).
    #[default]
    Hard,
    /// Only further scale-outs; its cores continue. Whether it has happened is assumed to be known.
    Soft,
}

/// The model of a deployment's behaviour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// The distributions of its parameters.
    pub prior: Prior,
    /// The unit that ends at rate mu.
    pub deaths: Deaths,
    /// What ends at its maximum lifetime.
    pub stop: Stop,
}

/// One of the three distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// [`Prior::death`].
    Death,
    /// [`Prior::scale_out`].
    ScaleOut,
    /// [`Prior::size`].
    Size,
}

/// Why a prior gives no forecast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PriorFault {
    /// A shape is not a number from [`Prior::LEAST`] to [`Prior::MOST`].
    Shape {
        /// The distribution.
        which: Which,
        /// The given value.
        shape: f64,
    },
    /// A rate is not a number from [`Prior::LEAST`] to [`Prior::MOST`].
    Rate {
        /// The distribution.
        which: Which,
        /// The given value.
        rate: f64,
    },
    /// The factor of the maximum lifetime is not a number from 0 to [`Prior::STOP_MOST`].
    Stop {
        /// The given value.
        stop: f64,
    },
    /// The power law is not a number from -[`Prior::POWER_MOST`] to [`Prior::POWER_MOST`].
    Power {
        /// The given value.
        power: f64,
    },
    /// The power law is so negative that a new deployment has no finite variance: the shape of the death rate plus
    /// twice the power must be above 0.
    Variance {
        /// The given power.
        power: f64,
        /// The given shape of the death rate.
        shape: f64,
    },
}

impl Prior {
    /// The least shape or rate.
    pub const LEAST: f64 = 1e-6;
    /// The largest shape or rate.
    pub const MOST: f64 = 1e12;
    /// The largest `stop`.
    pub const STOP_MOST: f64 = 1e4;
    /// The largest absolute value of `power`.
    pub const POWER_MOST: f64 = 4.0;
}

impl Model {
    /// Whether moments can be computed from it.
    ///
    /// # Errors
    /// The first parameter that is out of range.
    pub fn check(&self) -> Result<(), PriorFault> {
        let Prior { death, scale_out, size, stop, power } = self.prior;
        let usable = |number: f64| (Prior::LEAST..=Prior::MOST).contains(&number);
        for (which, Gamma { shape, rate }) in [(Which::Death, death), (Which::ScaleOut, scale_out), (Which::Size, size)]
        {
            if !usable(shape) {
                return Err(PriorFault::Shape { which, shape });
            }
            if !usable(rate) {
                return Err(PriorFault::Rate { which, rate });
            }
        }
        if !(0.0..=Prior::STOP_MOST).contains(&stop) {
            return Err(PriorFault::Stop { stop });
        }
        if !(-Prior::POWER_MOST..=Prior::POWER_MOST).contains(&power) {
            return Err(PriorFault::Power { power });
        }
        if death.shape + 2.0 * power <= 0.0 {
            return Err(PriorFault::Variance { power, shape: death.shape });
        }
        Ok(())
    }
}

impl Which {
    fn phrase(self) -> Phrase {
        match self {
            Self::Death => phrase!("death rate"),
            Self::ScaleOut => phrase!("scale-out rate"),
            Self::Size => phrase!("size of a request"),
        }
    }
}

impl PriorFault {
    /// The message.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        let (least, most) = (Prior::LEAST, Prior::MOST);
        match self {
            Self::Shape { which, shape } => {
                phrase!(
                    "expected a shape from {least} to {most} for the {which}, got {shape}",
                    least,
                    most,
                    which.phrase(),
                    shape
                )
            }
            Self::Rate { which, rate } => {
                phrase!(
                    "expected a rate from {least} to {most} for the {which}, got {rate}",
                    least,
                    most,
                    which.phrase(),
                    rate
                )
            }
            Self::Stop { stop } => {
                phrase!("expected a stop factor from 0 to {}, got {stop}", Prior::STOP_MOST, stop)
            }
            Self::Power { power } => {
                phrase!(
                    "expected a power from -{least} to {most}, got {power}",
                    Prior::POWER_MOST,
                    Prior::POWER_MOST,
                    power
                )
            }
            Self::Variance { power, shape } => phrase!(
                "expected a power above {}, minus half the shape of the death rate, got {power}: \
                 the variance would be infinite",
                -shape / 2.0,
                power
            ),
        }
    }
}

impl fmt::Display for PriorFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

impl core::error::Error for PriorFault {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    const PRIOR: Prior = Prior {
        death: Gamma { shape: 0.5, rate: 2.0 },
        scale_out: Gamma { shape: 1.0, rate: 9.0 },
        size: Gamma { shape: 0.3, rate: 0.2 },
        stop: 0.1,
        power: 0.4,
    };

    fn check(prior: Prior) -> Result<(), PriorFault> {
        Model { prior, deaths: Deaths::Blocks, stop: Stop::Hard }.check()
    }

    #[test]
    fn what_moments_can_be_computed_from_is_fine() {
        assert_eq!(check(PRIOR), Ok(()));
        assert_eq!(check(Prior { stop: 0.0, power: -0.24, ..PRIOR }), Ok(()));
    }

    #[test]
    fn each_fault_says_what_was_expected_and_what_came() {
        let shape = |shape| Gamma { shape, rate: 1.0 };
        let rate = |rate| Gamma { shape: 1.0, rate };
        let cases = [
            (Prior { death: shape(0.0), ..PRIOR }, "shape from 0.000001 to 1000000000000 for the death rate, got 0"),
            (Prior { scale_out: shape(f64::NAN), ..PRIOR }, "for the scale-out rate, got NaN"),
            (Prior { size: rate(-1.0), ..PRIOR }, "for the size of a request, got -1"),
            (Prior { size: rate(f64::INFINITY), ..PRIOR }, "got inf"),
            (Prior { stop: -0.1, ..PRIOR }, "from 0 to 10000, got -0.1"),
            (Prior { stop: f64::NAN, ..PRIOR }, "got NaN"),
            (Prior { power: 5.0, ..PRIOR }, "from -4 to 4, got 5"),
            (Prior { power: -0.25, ..PRIOR }, "above -0.25"),
        ];
        for (prior, words) in cases {
            let fault = check(prior).expect_err("a fault").to_string();
            assert!(fault.contains(words), "{fault}");
        }
    }
}
