//! The limits of a fit, in sentences.

use core::fmt;

use tiebreak_model::{Phrase, phrase};

use super::history::STOPPED_VMS;

/// A question that the data leave open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// Fewer deployments than [`Doubt::DEPLOYMENTS_LEAST`].
    FewDeployments {
        /// The number of deployments.
        deployments: u32,
    },
    /// No deployment scaled out.
    NoScaleOuts,
    /// Fewer scale-outs than [`Doubt::SCALE_OUTS_LEAST`], or from fewer deployments than half as many.
    FewScaleOuts {
        /// The number of scale-outs.
        scale_outs: u32,
        /// The number of deployments with scale-outs.
        deployments: u32,
    },
    /// No request was for more than one core.
    OneCore,
    /// Any trace may be a sample.
    Sample,
    /// No deployment stopped as a whole.
    NoStops {
        /// With 95 % confidence the factor is below this.
        below: f64,
    },
    /// VMs that end together are not always a stop, and not every stop is visible.
    StopsOnlyBound {
        /// The number of stops.
        stops: u32,
        /// The number of deployments.
        deployments: u32,
    },
    /// Many deployments outlived the trace.
    Censored {
        /// How many outlived it.
        censored: u32,
        /// The number of deployments.
        deployments: u32,
    },
    /// Forecasts may look further ahead than the trace is long.
    Horizon {
        /// The length of the trace.
        hours: f64,
    },
    /// Some lifetimes are too short for the trace's resolution.
    ShortLives {
        /// The number of such lifetimes.
        lives: u32,
    },
    /// The fit used some of the deployments.
    Subset {
        /// How many it used.
        used: u32,
        /// The number of deployments.
        deployments: u32,
    },
    /// The search was stopped before it converged.
    Unfinished,
    /// A shape is as large or as small as the search allows: the data do not bound it.
    Edge,
}

impl Doubt {
    /// With fewer deployments, shapes are poorly known.
    pub const DEPLOYMENTS_LEAST: u32 = 100;
    /// With fewer scale-outs, the power law is poorly known.
    pub const SCALE_OUTS_LEAST: u32 = 100;
}

impl Doubt {
    /// The message.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::FewDeployments { deployments } => phrase!(
                "only {deployments} deployments: with fewer than {} the shapes are very uncertain",
                deployments,
                Self::DEPLOYMENTS_LEAST
            ),
            Self::NoScaleOuts => phrase!(
                "no deployment scaled out while observed: only an upper bound of the scale-out rate is known, and the \
                 power law is unknown",
            ),
            Self::FewScaleOuts { scale_outs, deployments } => {
                phrase!(
                    "only {scale_outs} scale-outs of {deployments} deployments: the power law may be random",
                    scale_outs,
                    deployments
                )
            }
            Self::OneCore => phrase!("every request was for one core, so the size distribution is unknown"),
            Self::Sample => phrase!(
                "if the trace is a sample of VMs or requests, scale-outs are missing: the rate and the requests are \
                 too small, and the power law may be an artifact",
            ),
            Self::NoStops { below } => {
                phrase!("no deployment stopped as a whole: the factor is 0 here, and may be up to {below:.3}", below)
            }
            Self::StopsOnlyBound { stops, deployments } => phrase!(
                "{stops} of {deployments} deployments ended with {STOPPED_VMS} or more VMs at one moment. Some of \
                 these may not be whole stops, and stops of smaller deployments cannot be distinguished from ends of \
                 single VMs: the stop factor is rough, and probably too high",
                stops,
                deployments,
                STOPPED_VMS
            ),
            Self::Censored { censored, deployments } => phrase!(
                "{censored} of {deployments} deployments outlived the trace: long lifetimes are extrapolated from the \
                 shape",
                censored,
                deployments
            ),
            Self::Horizon { hours } => {
                phrase!("the trace covers {hours:.0} hours and supports no forecast further ahead", hours)
            }
            Self::ShortLives { lives } => {
                phrase!("{lives} lifetimes were shorter than a minute and count as a minute", lives)
            }
            Self::Subset { used, deployments } => {
                phrase!("fitted on {used} of {deployments} deployments, evenly sampled", used, deployments)
            }
            Self::Unfinished => phrase!("the search stopped before it converged; this is the best result so far"),
            Self::Edge => {
                phrase!("a shape is at a bound of the search: all deployments look the same, or hardly any do",)
            }
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}
