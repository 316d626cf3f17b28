//! `FirstMomentAdmission` (cluster admission, Definitions 4.2 and 6.1).

use tiebreak_model::{Ahead, Phrase, declare, phrase};

use crate::admission::{AdmissionPolicy, Weighed};

declare! {
    /// Admits a deployment if the expected cores in use stay below a limit at every future moment.
    ///
    /// The forecast of a deployment follows from its observations, and for a new one from what is known of all. By
    /// Markov's inequality, the probability of running out of cores is at most their expected share, which is a
    /// loose bound; so the limit is tuned, not derived. The rule cannot distinguish a steady deployment from one
    /// that may grow tenfold. (Cluster admission, Definition 4.2: the first-moment policy)
    pub struct FirstMomentAdmission as "Admit by expected cores" {
        /// Share of the cluster's cores that may be expected in use at any future moment. A larger value sells more
        /// and lets more scale-outs fail.
        limit: f64 = 60, 0 => 100, "%";
        /// Skip future moments at which less than one core is expected of the new deployment: it will have ended
        /// before capacity gets tight. (Definition 6.1, the marginal heuristic)
        marginal: bool = true, 0 => 1, "";
    }
}

impl AdmissionPolicy for FirstMomentAdmission {
    fn weigh(&self, ahead: &Ahead) -> Weighed {
        Weighed { value: ahead.mean, limit: self.limit / 100.0 * ahead.capacity }
    }

    fn spares_marginal(&self) -> bool {
        self.marginal
    }

    fn words(&self, Weighed { value, limit }: Weighed, when: &Phrase) -> Phrase {
        phrase!(
            "is expected to have {value:.0} cores in use, above the limit of {limit:.0}, {when}",
            value,
            limit,
            when
        )
    }
}
