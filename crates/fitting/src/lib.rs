//! Workloads fitted to a trace: the fit, workloads generated from it, and their similarity to the trace.
//!
//! A [`Fitted`] contains no VM of the trace, only distributions: a few kilobytes of JSON that can be kept and shared.
//! [`Fitted::generate`] draws a workload from it, with any length and load. A [`Comparison`] compares two workloads.
//! The parts follow what Bergsma et al. ("Generating Complex, Realistic Cloud Workloads using Recurrent Neural
//! Networks", SOSP 2021) found necessary in a generated workload: requests of several similar VMs, sizes that are
//! soon requested again, and lifetimes that depend on them. Unlike their networks, the parameters here are readable,
//! and are fitted in seconds (docs/FITTING.md).
//!
//! Start with [`Fitted`], then `generate.rs`.

#![no_std]

extern crate alloc;
// The profile crate uses the standard library too.
extern crate std;

mod arrivals;
mod compare;
mod generate;
mod lives;
mod numbers;
mod presets;
mod requests;
mod start;
mod warm_up;

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
pub use warm_up::{WARM_UP_DAYS_MAX, WarmUpFault, WarmedUp};

/// A fit of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitted {
    /// The trace that was fitted, with the attribution that it requires.
    pub source: String,
    /// The length of the trace, in days.
    pub days: f64,
    /// The arrivals of requests.
    pub arrivals: Arrivals,
    /// What VMs ask for, and how many per request; the most frequent first.
    pub flavours: Vec<Flavour>,
    /// How often the VMs of a request have one flavour, for each size class.
    pub same_flavour: Vec<Sharing>,
    /// The times of large requests.
    pub large: Large,
    /// How soon a flavour is requested again.
    pub repeats: Repeats,
    /// Returning tenants.
    pub returns: Returns,
    /// Lifetimes of VMs that arrive after the start.
    pub lives: Lives,
    /// VMs that are running at the start.
    pub start: Start,
}

/// Why there is no fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FitFault {
    /// The trace has no time in which VMs could come.
    NoTime,
    /// The text is not a fit.
    Unreadable(String),
    /// A value is out of its range.
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
    /// Fits a workload, in O(n log n) plus one pass for each frequent flavour. Placement terms of tenants and beliefs
    /// about their load are not kept.
    ///
    /// # Errors
    /// If the trace has no length.
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

    /// Reads a fit from its JSON.
    ///
    /// # Errors
    /// If the text is not a fit, or contains values that no fit gives.
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
