//! What a fit cannot say, in sentences.

use core::fmt;

use tiebreak_model::{Phrase, phrase};

use super::history::STOPPED_VMS;

/// Something that the data leave open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// Fewer deployments than [`Doubt::DEPLOYMENTS_LEAST`].
    FewDeployments {
        /// How many there were.
        deployments: u32,
    },
    /// No deployment asked for more.
    NoScaleOuts,
    /// Fewer scale-outs than [`Doubt::SCALE_OUTS_LEAST`], or of fewer deployments than half as many.
    FewScaleOuts {
        /// How many there were.
        scale_outs: u32,
        /// Of how many deployments.
        deployments: u32,
    },
    /// No request was for more than one core.
    OneCore,
    /// Any trace may be a sample.
    Sample,
    /// No deployment stopped whole.
    NoStops {
        /// With 95 % confidence the factor is below this.
        below: f64,
    },
    /// VMs that end together are not always stopped, and those stopped are not always seen to be.
    StopsOnlyBound {
        /// How many ended so.
        stops: u32,
        /// Of how many.
        deployments: u32,
    },
    /// Many deployments outlived the trace.
    Censored {
        /// How many.
        censored: u32,
        /// Of how many.
        deployments: u32,
    },
    /// Forecasts may look further ahead than the trace does.
    Horizon {
        /// How long the trace tells.
        hours: f64,
    },
    /// Lives too short for the trace to tell.
    ShortLives {
        /// How many.
        lives: u32,
    },
    /// The fit used some of the deployments.
    Subset {
        /// How many it used.
        used: u32,
        /// Of how many.
        deployments: u32,
    },
    /// The search was stopped before it stood still.
    Unfinished,
    /// A shape is as large or as small as the search allows: the data do not bound it.
    Edge,
}

impl Doubt {
    /// Below so many deployments, shapes are hardly known.
    pub const DEPLOYMENTS_LEAST: u32 = 100;
    /// Below so many scale-outs, the power law is hardly known.
    pub const SCALE_OUTS_LEAST: u32 = 100;
}

impl Doubt {
    /// What it says.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::FewDeployments { deployments } => phrase!(
                "{deployments} deployments are few: with fewer than {} the shapes are hardly known",
                deployments,
                Self::DEPLOYMENTS_LEAST
            ),
            Self::NoScaleOuts => phrase!(
                "no deployment asked for more cores while it was watched: the scale-out rate is only known to be \
                 small, and the power law is not known at all",
            ),
            Self::FewScaleOuts { scale_outs, deployments } => {
                phrase!(
                    "{scale_outs} scale-outs of {deployments} deployments are few: the power law may be chance",
                    scale_outs,
                    deployments
                )
            }
            Self::OneCore => phrase!("every request was for one core: how large others may be is not known at all"),
            Self::Sample => phrase!(
                "if the trace is a sample of VMs or requests, scale-outs are missing: the rate is too low, requests \
                 are too small, and the power law may come from what is missing",
            ),
            Self::NoStops { below } => {
                phrase!(
                    "no deployment was seen to stop whole: the factor is 0 here, and may be up to {below:.3}",
                    below
                )
            }
            Self::StopsOnlyBound { stops, deployments } => phrase!(
                "{stops} of {deployments} deployments ended with {STOPPED_VMS} or more VMs at one moment; some of them \
                 would have ended so without a stop, and stops of smaller ones are not told from deaths: the factor \
                 of whole stops is rough, and rather too high",
                stops,
                deployments,
                STOPPED_VMS
            ),
            Self::Censored { censored, deployments } => phrase!(
                "{censored} of {deployments} deployments outlived the trace: long lives are guessed from the shape",
                censored,
                deployments
            ),
            Self::Horizon { hours } => {
                phrase!("the trace tells {hours:.0} hours: nothing in it backs a forecast further ahead", hours)
            }
            Self::ShortLives { lives } => {
                phrase!("{lives} lives were shorter than a minute, and count as a minute", lives)
            }
            Self::Subset { used, deployments } => {
                phrase!("fitted on {used} of {deployments} deployments, picked at equal distances", used, deployments)
            }
            Self::Unfinished => phrase!("the search was stopped before it stood still; the best so far is given"),
            Self::Edge => phrase!(
                "a shape is as large or as small as the search allows: all deployments look alike, or hardly any does",
            ),
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}
