//! `PowerBalance` (power oversubscription, section III-C, Algorithm 1).

use tiebreak_model::declare;

use crate::power::ChassisPreference;

declare! {
    /// Spreads what VMs are expected to draw over chassis, and what can be slowed down over machines.
    ///
    /// A chassis whose VMs use less of its cores at their 95th percentile comes first, so that
    /// fewer reach their power budget. On a machine, a user-facing VM prefers the company of ones that can
    /// be slowed down, and the reverse, so that a machine over its share can shed power without
    /// slowing anybody who is waited for. What is believed of a VM is set under Power. (Power oversubscription, Algorithm 1)
    pub struct PowerBalance as "Balance power over chassis" {
        /// How much the chassis counts; the rest is the machine's mix. 0 looks at machines alone, 1 at chassis
        /// alone. (Algorithm 1, line 6)
        alpha: f64 = 0.8, 0 => 1, "";
    }
}

impl ChassisPreference for PowerBalance {
    #[inline]
    fn of_chassis(&self, used_share: f64) -> f64 {
        // The paper's scores are better when higher, ours when lower.
        self.alpha * used_share
    }

    #[inline]
    fn of_machine(&self, user_facing: bool, slowable_share: f64) -> f64 {
        let mix = if user_facing { slowable_share } else { -slowable_share };
        (1.0 - self.alpha) * (1.0 - mix) / 2.0
    }
}
