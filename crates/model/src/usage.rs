//! How VMs use their cores, and how much they mind being slowed down: what power rules read.
//!
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms", sections III-B and III-C.

/// What is believed of a VM's use of its cores when it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Load {
    /// Whether people wait for what it does, so that it should not be slowed down.
    pub user_facing: bool,
    /// The 95th percentile of its CPU utilization over its life, in percent of its cores: 0 to 100.
    pub p95_pct: u8,
}

impl Load {
    /// What is assumed of a VM of which nothing is known: the cautious end (section IV-B).
    pub const UNKNOWN: Self = Self { user_facing: true, p95_pct: 100 };

    /// What it adds to sums over machines: thousandths of cores, weighted by the percentile in percent.
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

/// How a VM used its cores over its life, as telemetry tells it in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usage {
    /// What a perfect prediction says when it arrives.
    pub load: Load,
    /// Its mean CPU utilization, in percent of its cores: 0 to 100.
    pub mean_pct: u8,
}
