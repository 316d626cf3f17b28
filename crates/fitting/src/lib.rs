//! Workloads fitted to a trace: what is kept of it, what is generated from that, and how like the trace that is.
//!
//! A [`Fitted`] holds no VM of the trace, only distributions: a few kilobytes of JSON that can be kept and shared.
//! [`Fitted::generate`] draws a workload from it, as long and as busy as one wants. A [`Comparison`] lays
//! two workloads side by side. The parts follow what Bergsma et al. ("Generating Complex, Realistic Cloud Workloads
//! using Recurrent Neural Networks", SOSP 2021) found that a generated workload must have: requests of
//! several VMs that are alike, sizes that are soon asked for again, lives that go with them. What is here instead of
//! their networks can be read, and is fitted in seconds (docs/FITTING.md).
//!
//! Start with [`Fitted`], then `generate.rs`.

#![no_std]

extern crate alloc;
// The profile, which stands on this floor too, is of the standard library.
extern crate std;

mod arrivals;
mod compare;
mod generate;
mod lives;
mod numbers;
mod presets;
mod requests;
mod start;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};
use tiebreak_model::{Time, Workload};

pub use arrivals::Arrivals;
pub use compare::{Both, Comparison, Distance, Hourly, InUse};
pub use generate::{GenerateFault, Scale, VMS_MAX};
pub use lives::{Curve, LEVELS, Lives, OfFlavour};
pub use numbers::{Counts, SIZE_CLASSES, Sharing};
pub use presets::{PRESETS, Preset};
pub use requests::{Flavour, Large, Repeats, Returns};
pub use start::Start;

/// What is kept of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitted {
    /// What it was fitted to, with the attribution that the trace asks for.
    pub source: String,
    /// How long the trace was, in days.
    pub days: f64,
    /// When requests come.
    pub arrivals: Arrivals,
    /// What VMs ask for, and how many at once; the most frequent first.
    pub flavours: Vec<Flavour>,
    /// How often the VMs of a request are of one flavour, for each class of sizes.
    pub same_flavour: Vec<Sharing>,
    /// How often large requests come.
    pub large: Large,
    /// How soon a flavour is asked for again.
    pub repeats: Repeats,
    /// Tenants that ask again.
    pub returns: Returns,
    /// How long VMs live that come after the beginning.
    pub lives: Lives,
    /// VMs that are alive at the beginning.
    pub start: Start,
}

/// Why there is no fitted workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FitFault {
    /// The trace has no time in which VMs could come.
    NoTime,
    /// The text is no fitted workload.
    Unreadable(String),
    /// Something in it is out of its range.
    Wrong(String),
}

impl fmt::Display for FitFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTime => {
                write!(
                    f,
                    "expected a trace with a duration, got one that ends when it starts; use a trace with \
                     arrivals"
                )
            }
            Self::Unreadable(error) => {
                write!(f, "expected a fitted workload as JSON, got: {error}; make one with `tiebreak trace model`")
            }
            Self::Wrong(what) => write!(f, "{what}; fit the workload again with `tiebreak trace model`"),
        }
    }
}

impl core::error::Error for FitFault {}

impl Fitted {
    /// Fits everything to a workload, in O(n log n) and once over it for each flavour that is frequent. What tenants ask of
    /// where their VMs stand, and what is believed of their load, is not kept.
    ///
    /// # Errors
    /// When the trace has no length.
    pub fn of(workload: &Workload, source: &str) -> Result<Self, FitFault> {
        if workload.horizon() <= Time::ZERO {
            return Err(FitFault::NoTime);
        }
        let (flavours, of_shape) = requests::flavours(workload);
        Ok(Self {
            source: source.to_string(),
            days: numbers::rounded(workload.horizon().0 as f64 / numbers::DAY_MS),
            arrivals: Arrivals::of(workload),
            same_flavour: requests::same_flavour(workload),
            large: Large::of(workload),
            repeats: Repeats::of(workload, &of_shape, &flavours),
            returns: Returns::of(workload),
            lives: Lives::of(workload, &of_shape, flavours.len()),
            start: Start::of(workload),
            flavours,
        })
    }

    /// A fitted workload from its JSON.
    ///
    /// # Errors
    /// When it is none, or holds what no fit gives.
    pub fn from_json(text: &str) -> Result<Self, FitFault> {
        let fitted: Self = serde_json::from_str(text).map_err(|error| FitFault::Unreadable(error.to_string()))?;
        fitted.check().map_err(FitFault::Wrong)?;
        Ok(fitted)
    }

    /// Its JSON, in lines of moderate length.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers, texts and lists are JSON")
    }

    fn check(&self) -> Result<(), String> {
        numbers::within("days", self.days, 0.0, 100_000.0)?;
        self.arrivals.check()?;
        requests::check(&self.flavours)?;
        numbers::of_each_class("same_flavour", &self.same_flavour)?;
        self.same_flavour.iter().try_for_each(|sharing| sharing.check("same_flavour"))?;
        self.large.check()?;
        self.repeats.check()?;
        self.returns.check()?;
        self.lives.check(self.flavours.len())?;
        self.start.check()
    }
}

#[cfg(test)]
mod tests;
