//! `LeastLoadedUplink` (Gridiron section III-D).

use tiebreak_model::declare;

use crate::network::UplinkPreference;

declare! {
    /// Prefers machines whose uplinks have the least bandwidth reserved.
    ///
    /// This keeps bandwidth free for VDCs that grow: a placed VM needs more bandwidth for every VM that joins its
    /// VDC. Without buckets it spreads over all machines and leaves few of them empty. A few buckets only avoid
    /// uplinks that are nearly full. (Gridiron section III-E)
    pub struct LeastLoadedUplink as "Least reserved uplink first" {}
}

impl UplinkPreference for LeastLoadedUplink {
    fn score(&self, used_share: f64) -> f64 {
        used_share
    }
}
