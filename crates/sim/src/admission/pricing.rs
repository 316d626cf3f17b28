//! What users pay if they can label their deployments, and the price of a core-hour rises with the variance that the
//! provider expects.
//!
//! The price is k1 + k2 times the variance of the deployment's future cores. A user with two kinds of deployments who
//! labels them pays for each by its own variance. One who does not label pays for the variance of the mixture, which
//! is never below their mean (law of total variance). Source: "On the cluster admission problem for cloud computing",
//! section 7.1. The formula is missing from our copy; this follows the text.

use alloc::vec::Vec;

use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_admission::Seen;
use tiebreak_model::random::Seed;

use super::Terms;
use super::years::{kind, request};

/// The variances that one user pays for, in squared cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charged {
    /// Average over both kinds separately: with labels.
    pub labelled: f64,
    /// Of the mixture of both: without labels.
    pub unlabelled: f64,
}

/// What this many users pay for at one future moment (an index into the terms' hours), if the provider has this many
/// observations of each of their kinds.
#[must_use]
pub fn charged(terms: &Terms, moment: usize, observations: u32, users: u32, seed: Seed) -> Vec<Charged> {
    let mut draws: Xoshiro256PlusPlus = seed.stream("users with two kinds").generator();
    let user = |_| {
        let kinds = [0, 1].map(|_| kind(terms.model(), observations, &mut draws));
        let asks = f64::from(request(kinds[0].0.size, &mut draws));
        let begun = kinds.map(|(_, known)| known.and_started(asks));
        let variance = |beliefs: &[Seen]| terms.expected(beliefs)[moment].variance();
        Charged { labelled: (variance(&begun[..1]) + variance(&begun[1..])) / 2.0, unlabelled: variance(&begun) }
    };
    (0..users).map(user).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::AdmissionSettings;

    #[test]
    fn who_labels_never_pays_for_more_variance() {
        let terms = Terms::new(&AdmissionSettings::default(), true).expect("terms");
        let moment = terms.hours().iter().position(|hours| *hours >= 24.0).expect("a day ahead");
        for observations in [0, 1, 5] {
            let all = charged(&terms, moment, observations, 60, Seed(4));
            // Variances are rounded to parts of a squared core.
            assert!(all.iter().all(|it| it.labelled <= it.unlabelled + 0.01), "{observations}: {all:?}");
            let gains = all.iter().filter(|it| it.labelled < 0.9 * it.unlabelled).count();
            assert_eq!(gains > 0, observations > 0, "without observations both kinds look alike");
        }
    }
}
