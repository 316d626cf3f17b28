//! The utilization of VMs and their criticality, as power rules read them.
//!
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms", sections III-B and III-C.

/// The prediction of a VM's utilization at its arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Load {
    /// Whether it is user-facing: people wait for it, so it should not be throttled.
    pub user_facing: bool,
    /// The 95th percentile of its CPU utilization over its lifetime, in percent of its cores: 0 to 100.
    pub p95_pct: u8,
}

impl Load {
    /// Assumed for a VM without prediction: the conservative values (section IV-B).
    pub const UNKNOWN: Self = Self { user_facing: true, p95_pct: 100 };

    /// Its contribution to sums over machines: thousandths of cores, weighted by the percentile in percent.
    #[must_use]
    pub fn of_cores(self, cores_milli: u32) -> u64 {
        u64::from(cores_milli) * u64::from(self.p95_pct)
    }
}

impl Default for Load {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

/// A VM's actual utilization over its lifetime, as telemetry shows it at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usage {
    /// A perfect prediction at its arrival.
    pub load: Load,
    /// Its mean CPU utilization, in percent of its cores: 0 to 100.
    pub mean_pct: u8,
}
