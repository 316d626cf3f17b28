//! `ZerothMomentAdmission` (cluster admission, Definition 4.1).

use tiebreak_model::{Ahead, Phrase, declare, phrase};

use crate::admission::{AdmissionPolicy, Weighed};

declare! {
    /// A deployment is let in while the cores in use stay below a limit: the policy of today.
    ///
    /// What is kept free is for deployments that grow later. Unlike IsClusterBelowLimit it lets those
    /// grow that are in already. It looks at no deployment, so it must keep much free: it does not know
    /// who will grow. (Cluster admission, Definition 4.1: the zeroth-moment policy)
    pub struct ZerothMomentAdmission as "Admit by cores in use" {
        /// Share of the cluster's cores that may be in use with the newcomer; larger sells more
        /// and lets more scale-outs fail.
        limit: f64 = 50, 0 => 100, "%";
    }
}

impl AdmissionPolicy for ZerothMomentAdmission {
    const LOOKS_AHEAD: bool = false;

    fn weigh(&self, ahead: &Ahead) -> Weighed {
        Weighed { value: ahead.cores_now, limit: self.limit / 100.0 * ahead.capacity }
    }

    fn words(&self, Weighed { value, limit }: Weighed, when: &Phrase) -> Phrase {
        phrase!(
            "would have {value:.0} cores in use with the newcomer, above the limit of {limit:.0}, {when}",
            value,
            limit,
            when
        )
    }
}
