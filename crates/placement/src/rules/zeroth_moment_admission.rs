//! `ZerothMomentAdmission` (cluster admission, Definition 4.1).

use tiebreak_model::{Ahead, Phrase, declare, phrase};

use crate::admission::{AdmissionPolicy, Weighed};

declare! {
    /// Admits a deployment if the cores in use stay below a limit: the policy in use today.
    ///
    /// The remaining cores are for deployments that grow later. Unlike IsClusterBelowLimit, the rule never stops
    /// admitted deployments from growing. It does not look at individual deployments, so it must keep much free: it
    /// does not know which ones will grow. (Cluster admission, Definition 4.1: the zeroth-moment policy)
    pub struct ZerothMomentAdmission as "Admit by cores in use" {
        /// Share of the cluster's cores that may be in use, including the new deployment. A larger value sells more
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
            "would have {value:.0} cores in use with the new deployment, above the limit of {limit:.0}, {when}",
            value,
            limit,
            when
        )
    }
}
