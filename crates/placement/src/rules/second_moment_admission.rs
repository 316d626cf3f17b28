//! `SecondMomentAdmission` (cluster admission, Definitions 4.4 and 6.1).

use tiebreak_model::{Ahead, Phrase, declare, phrase};

use crate::admission::{AdmissionPolicy, Tail, Weighed};

declare! {
    /// Admits a deployment if the probability of running out of cores stays small at every future moment.
    ///
    /// The probability follows from the mean and the variance of the cores expected then. So a steady deployment
    /// costs less than one that may grow tenfold, and observations about deployments free capacity for others. The
    /// bound is loose: with hundreds of deployments, 10 % by Cantelli was 0.3 % in a simulation. So the limit is
    /// tuned, not derived. (Cluster admission, Definition 4.4: the second-moment policy)
    pub struct SecondMomentAdmission as "Admit by risk of shortage" {
        /// The highest estimated probability of running out of cores that is accepted at any future moment. A
        /// larger value sells more and lets more scale-outs fail.
        risk: f64 = 10, 0.0001 => 99.9999, "%";
        /// How that probability follows from mean and variance: a bound that always holds (cantelli), or a normal
        /// distribution of the sum (normal), which is not in the paper.
        tail: Tail = 0, 0 => 1, "";
        /// Skip future moments at which less than one core is expected of the new deployment: it will have ended
        /// before capacity gets tight. (Definition 6.1, the marginal heuristic)
        marginal: bool = true, 0 => 1, "";
    }
}

impl SecondMomentAdmission {
    /// The estimated probability of running out of cores at a moment, 0 to 1.
    fn chance(&self, ahead: &Ahead) -> f64 {
        self.tail.chance(ahead.mean, ahead.variance, ahead.capacity)
    }
}

impl AdmissionPolicy for SecondMomentAdmission {
    fn weigh(&self, ahead: &Ahead) -> Weighed {
        Weighed { value: self.chance(ahead) * 100.0, limit: self.risk }
    }

    fn spares_marginal(&self) -> bool {
        self.marginal
    }

    fn words(&self, Weighed { value, limit }: Weighed, when: &Phrase) -> Phrase {
        phrase!(
            "would run out of cores with an estimated probability of {value:.1} %, above the risk of {limit} %, {when}",
            value,
            limit,
            when
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::Declared;

    fn ahead(mean: f64, variance: f64) -> Ahead {
        Ahead { hours: 1.0, capacity: 1_000.0, cores_now: 0.0, mean, variance, newcomer: 5.0 }
    }

    #[test]
    fn its_values_are_those_it_was_made_of() {
        let defaults = SecondMomentAdmission::from_values(&[]);
        for tail in [Tail::Cantelli, Tail::Normal] {
            let rule = SecondMomentAdmission { tail, ..defaults };
            assert_eq!(SecondMomentAdmission::from_values(&rule.to_values()), rule);
        }
    }

    #[test]
    fn cantelli_and_the_normal_tail_are_what_the_formulas_say() {
        let rule = |tail| SecondMomentAdmission { tail, ..SecondMomentAdmission::from_values(&[]) };
        // Three standard deviations of free capacity: 1 / (1 + 9), and the normal tail there.
        let (cantelli, normal) = (rule(Tail::Cantelli), rule(Tail::Normal));
        assert!((cantelli.chance(&ahead(700.0, 1e4)) - 0.1).abs() < 1e-12);
        assert!((normal.chance(&ahead(700.0, 1e4)) - 1.349_898_031_630_094_6e-3).abs() < 1e-12);
        for rule in [cantelli, normal] {
            assert_eq!(rule.chance(&ahead(1_000.0, 0.0)), 1.0, "full");
            assert_eq!(rule.chance(&ahead(1_200.0, 1e12)), 1.0, "more than full");
            assert_eq!(rule.chance(&ahead(999.0, 0.0)), 0.0, "certain");
            assert!(rule.chance(&ahead(0.0, f64::MAX)) >= 0.5, "nothing known");
        }
    }
}
