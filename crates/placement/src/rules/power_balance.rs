//! `PowerBalance` (power oversubscription, section III-C, Algorithm 1).

use tiebreak_model::declare;

use crate::power::ChassisPreference;

declare! {
    /// Balances the expected power draw over chassis, and the load that can be throttled over machines.
    ///
    /// It prefers the chassis whose VMs use fewer of its cores at their 95th percentile, so that fewer chassis
    /// reach their power budget. On a machine, it pairs user-facing VMs with batch VMs, so that a machine above its
    /// share can shed power without throttling user-facing VMs. The predictions about a VM are set under Power.
    /// (Power oversubscription, Algorithm 1)
    pub struct PowerBalance as "Balance power over chassis" {
        /// Weight of the chassis; the rest is the weight of the mix on the machine. 0 considers only machines, 1
        /// only chassis. (Algorithm 1, line 6)
        alpha: f64 = 0.8, 0 => 1, "";
    }
}

impl ChassisPreference for PowerBalance {
    #[inline]
    fn of_chassis(&self, used_share: f64) -> f64 {
        // In the paper higher scores are better; here lower ones are.
        self.alpha * used_share
    }

    #[inline]
    fn of_machine(&self, user_facing: bool, slowable_share: f64) -> f64 {
        let mix = if user_facing { slowable_share } else { -slowable_share };
        (1.0 - self.alpha) * (1.0 - mix) / 2.0
    }
}
