//! `PreferNewestHostEnvironment` (Protean section 3.1, tenant experience).

use tiebreak_model::{HostView, VmRequest, declare};

use crate::rule::{OfHost, Preference};

/// The newest version that is distinguished from its predecessor.
const NEWEST: u16 = 15;

declare! {
    /// Prefers machines that run a newer host environment.
    ///
    /// A VM on an old version will be disturbed by the update. During a rollout, this rule sends all agents to the
    /// few machines that are already updated. Put it high in the list, and conflicts rise and packing follows the
    /// rollout instead of the free capacity. It distinguishes versions 0 to 15. (Protean section 3.1)
    pub struct PreferNewestHostEnvironment as "Newest host environment first" {}
}

impl Preference for PreferNewestHostEnvironment {
    type Reach = OfHost;
    type Key = ();

    const LEVELS: Option<u32> = Some(NEWEST as u32 + 1);

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn score(&self, (): &(), host: HostView) -> f64 {
        f64::from(NEWEST - host.host_version.min(NEWEST)) / f64::from(NEWEST)
    }
}
