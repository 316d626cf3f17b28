//! A cluster over years, and what is believed of deployments.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

/// What a fit of deployments found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitCard {
    /// Deployments that came while the trace ran.
    pub deployments: u32,
    /// Their scale-outs.
    pub scale_outs: u32,
    /// Cores, or requests, that ended.
    pub ends: f64,
    /// Deployments that outlived the trace.
    pub outlived: u32,
    /// Settings by name, with their values.
    pub settings: Vec<(String, f64)>,
    /// How well it agrees with what was seen: sizes of first requests, lives, times of first scale-outs.
    pub agreements: Vec<Option<Agreed>>,
    /// What the trace cannot say, a sentence each.
    pub cannot_say: Vec<Phrase>,
}

/// Two curves side by side: the share up to a value, as seen and as fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreed {
    /// The largest distance between them.
    pub kolmogorov_smirnov: f64,
    /// Their mean squared distance.
    pub cramer_von_mises: f64,
    /// Value, share as seen, share as fitted.
    pub points: Vec<[f64; 3]>,
}

/// What came of a cluster over years.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct YearsResult {
    /// What makes it the same as another, as 16 hex digits.
    pub digest: String,
    /// Cores of the cluster.
    pub cores: u32,
    /// Month by month.
    pub months: Vec<YearsSpan>,
    /// All of it.
    pub total: YearsSpan,
    /// The most deployments that were in at a time.
    pub most_live: u32,
    /// The newcomer that was refused last, if one was.
    pub refused: Option<Box<RefusedThen>>,
}

/// What came of a span of time of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct YearsSpan {
    /// Its hours.
    pub hours: f64,
    /// Cores in use, in percent.
    pub utilization_pct: f64,
    /// Scale-outs asked for, and failed.
    pub scale_outs: f64,
    /// See there.
    pub failed: f64,
    /// Deployments that asked to be let in, and were.
    pub arrivals: f64,
    /// See there.
    pub admitted: f64,
}

/// A newcomer that a cluster did not let in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefusedThen {
    /// When, in hours from the beginning.
    pub at_hours: f64,
    /// Cores in use then.
    pub used: u32,
    /// Cores it asked for.
    pub asked: f64,
    /// Which rules refused it, and why, to go on from "it".
    pub why: Vec<(String, Phrase)>,
    /// What the cluster was expected to hold with it.
    pub ahead: Vec<ForecastPoint>,
}

/// What is expected at a moment ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForecastPoint {
    /// Hours from now.
    pub hours: f64,
    /// Cores on average.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

/// What a deployment is expected to grow to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// Before anything was seen of it but its size.
    pub fresh: Vec<ForecastPoint>,
    /// After all that was.
    pub seen: Vec<ForecastPoint>,
    /// The variances a day ahead that users with two kinds of deployments are charged for, in squared cores: labelled
    /// and not; for some users drawn by the seed, by the former ascending.
    pub charged: Vec<(f64, f64)>,
}
