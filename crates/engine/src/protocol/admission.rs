//! A cluster over years, and beliefs about deployments.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

/// The result of fitting deployments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitCard {
    /// Deployments that arrived during the trace.
    pub deployments: u32,
    /// Their scale-outs.
    pub scale_outs: u32,
    /// Cores, or requests, that ended.
    pub ends: f64,
    /// Deployments that outlived the trace.
    pub outlived: u32,
    /// Settings by name, with their values.
    pub settings: Vec<(String, f64)>,
    /// The agreement with the observations: sizes of first requests, lifetimes, times of first scale-outs.
    pub agreements: Vec<Option<Agreed>>,
    /// What the trace cannot show, one sentence each.
    pub cannot_say: Vec<Phrase>,
}

/// Two cumulative distributions: as observed and as fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreed {
    /// The largest distance between them.
    pub kolmogorov_smirnov: f64,
    /// Their mean squared distance.
    pub cramer_von_mises: f64,
    /// Value, observed share, fitted share.
    pub points: Vec<[f64; 3]>,
}

/// The results of a cluster over years.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct YearsResult {
    /// Identifies the result, as 16 hex digits.
    pub digest: String,
    /// Cores of the cluster.
    pub cores: u32,
    /// Month by month.
    pub months: Vec<YearsSpan>,
    /// The total.
    pub total: YearsSpan,
    /// The largest number of deployments at one time.
    pub most_live: u32,
    /// The last refused newcomer, if any.
    pub refused: Option<Box<RefusedThen>>,
}

/// The results of a cluster in a period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct YearsSpan {
    /// Its length in hours.
    pub hours: f64,
    /// Cores in use, in percent.
    pub utilization_pct: f64,
    /// Scale-outs requested and failed.
    pub scale_outs: f64,
    /// See [`Self::scale_outs`].
    pub failed: f64,
    /// Deployments that requested admission, and those admitted.
    pub arrivals: f64,
    /// See [`Self::arrivals`].
    pub admitted: f64,
}

/// A newcomer that a cluster did not admit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefusedThen {
    /// When, in hours from the start.
    pub at_hours: f64,
    /// Cores in use then.
    pub used: u32,
    /// Cores requested.
    pub asked: f64,
    /// The rules that refused it, each with its reason; continues a sentence that starts with "it".
    pub why: Vec<(String, Phrase)>,
    /// The cluster's forecast including it.
    pub ahead: Vec<ForecastPoint>,
}

/// A forecast at one future moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForecastPoint {
    /// Hours from now.
    pub hours: f64,
    /// Mean of the cores.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

/// The forecast of a deployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// Without observations except its size.
    pub fresh: Vec<ForecastPoint>,
    /// With all observations.
    pub seen: Vec<ForecastPoint>,
    /// The variances one day ahead that users with two kinds of deployments are charged for, in squared cores: with
    /// labels and without; for some users drawn from the seed, ascending by the former.
    pub charged: Vec<(f64, f64)>,
}
