//! `PreferHealthierMachines` (Protean sections 3.2 and 3.4, user experience).

use tiebreak_model::{HostView, VmRequest, declare};

use crate::rule::{OfHost, Preference};

declare! {
    /// Prefers machines that are less likely to fail soon.
    ///
    /// Fewer VMs lose their machine, and a machine at risk slowly empties. Without buckets the rule distinguishes a
    /// risk of 3 % from one of 4 %. At the top of the list it then decides nearly everything, and little is left
    /// for packing. Two or three buckets mean "healthy", "so-so" and "bad", and leave ties for the rules below.
    /// (Protean sections 3.2 and 3.4)
    pub struct PreferHealthierMachines as "Healthiest machines first" {}
}

impl Preference for PreferHealthierMachines {
    type Reach = OfHost;
    type Key = ();

    /// One per percent.
    const LEVELS: Option<u32> = Some(101);

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn score(&self, (): &(), host: HostView) -> f64 {
        f64::from(host.risk) / 100.0
    }
}
