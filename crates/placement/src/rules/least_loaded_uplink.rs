//! `LeastLoadedUplink` (Gridiron section III-D).

use tiebreak_model::declare;

use crate::network::UplinkPreference;

declare! {
    /// Prefers machines whose uplinks have least reserved.
    ///
    /// It keeps room for VDCs that grow: a VM that is there already needs bandwidth for every VM that
    /// comes later. Without buckets it spreads over all machines and leaves few of them empty; a
    /// few buckets only keep away from uplinks that are nearly full. (Gridiron section III-E)
    pub struct LeastLoadedUplink as "Least reserved uplink first" {}
}

impl UplinkPreference for LeastLoadedUplink {
    fn score(&self, used_share: f64) -> f64 {
        used_share
    }
}
