//! Runs of one cluster over years with a common seed, under one policy after another.
//!
//! All of them meet the same deployments, and each deployment draws its events from its own generator. So under another
//! policy a deployment has the same observations at the same moments, until one of its scale-outs fails in only one of
//! the runs. To find a forecast here takes a small part of the time that it takes to compute it, and the results are
//! the same, bit for bit.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_admission::Seen;
use tiebreak_model::Expected;
use tiebreak_model::random::Seed;
use tiebreak_placement::Policy;

use super::Terms;
use super::years::{ClusterYears, Met, Years};

/// A cluster over years with one seed, and what its runs have computed so far.
#[derive(Debug)]
pub struct CommonSeed {
    terms: Arc<Terms>,
    lab: ClusterYears,
    seed: Seed,
    recall: Recall,
}

impl CommonSeed {
    /// Without runs. The terms must look as far ahead as all policies need.
    #[must_use]
    pub fn new(terms: Arc<Terms>, lab: ClusterYears, seed: Seed) -> Self {
        Self { terms, lab, seed, recall: Recall::default() }
    }

    /// The finished run under this policy: the same as that of [`Years`] with the same terms.
    pub fn run(&mut self, policy: Arc<Policy>) -> Years {
        Years::new(self.terms.clone(), self.lab, policy, self.seed).recalling(&mut self.recall)
    }
}

/// What runs with a common seed have computed, by the number of the deployment.
#[derive(Debug, Default)]
pub(super) struct Recall(Vec<Known>);

/// A deployment as it was met, and its forecasts so far.
#[derive(Debug)]
struct Known {
    met: Met,
    /// By age. There are several of one age only if runs differ.
    forecasts: Vec<Forecast>,
}

/// A deployment's forecast, after these observations for each belief.
#[derive(Debug)]
struct Forecast {
    /// Its age then, in hours.
    age: f64,
    beliefs: Vec<Seen>,
    expected: Vec<Expected>,
}

impl Recall {
    /// The deployment of this number. Every run meets all of them in order, from 0.
    pub(super) fn met(&mut self, id: u32, meet: impl FnOnce() -> Met) -> Met {
        if self.0.len() == id as usize {
            self.0.push(Known { met: meet(), forecasts: Vec::new() });
        }
        self.0[id as usize].met.clone()
    }

    /// The forecast of a deployment that was met, after these observations.
    pub(super) fn expected(&mut self, id: u32, beliefs: &[Seen], terms: &Terms) -> Vec<Expected> {
        let forecasts = &mut self.0[id as usize].forecasts;
        let age = beliefs.first().map_or(0.0, |seen| seen.hours);
        let from = forecasts.partition_point(|it| it.age < age);
        let mut alike = forecasts[from..].iter().take_while(|it| it.age == age);
        if let Some(known) = alike.find(|it| it.beliefs == beliefs) {
            return known.expected.clone();
        }
        let expected = terms.expected(beliefs);
        forecasts.insert(from, Forecast { age, beliefs: beliefs.to_vec(), expected: expected.clone() });
        expected
    }

    /// How many forecasts were computed.
    #[cfg(test)]
    fn computed(&self) -> usize {
        self.0.iter().map(|known| known.forecasts.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::AdmissionSettings;
    use tiebreak_placement::RuleUse;

    /// Twelve policies one after another, in a cluster with failing scale-outs: each run is that without the others, and
    /// most forecasts are found.
    #[test]
    fn a_run_is_the_same_whatever_ran_before() {
        let settings = AdmissionSettings { tolerance: 20.0, horizon_hours: 2_000.0, ..AdmissionSettings::default() };
        let terms = Arc::new(Terms::new(&settings, true).expect("a belief"));
        let policy = |id: &str, value: f64| {
            let rule = RuleUse { values: [value].into(), ..RuleUse::plain(id, None) };
            Arc::new(Policy::new(&[rule], 1).expect("a list"))
        };
        for (observations, unlabelled) in [(0, false), (3, false), (3, true)] {
            let lab = ClusterYears {
                cores: 200,
                years: 0.02,
                arrivals: 2.0,
                observations,
                unlabelled,
                ..ClusterYears::default()
            };
            let mut common = CommonSeed::new(terms.clone(), lab, Seed(11));
            let (mut failed, mut computed, mut alone) = (0, 0, 0);
            for value in [100.0, 60.0, 80.0, 90.0] {
                for id in ["ZerothMomentAdmission", "FirstMomentAdmission", "SecondMomentAdmission"] {
                    let shared = common.run(policy(id, value));
                    let mut plain = Years::new(terms.clone(), lab, policy(id, value), Seed(11));
                    while plain.advance(u32::MAX) {}
                    assert_eq!(shared.digest(), plain.digest(), "{id} at {value}, {observations} known");
                    assert_eq!(shared.last_refused(), plain.last_refused(), "{id} at {value}, {observations} known");
                    failed += shared.total().failed;
                    computed = common.recall.computed();
                    let mut once = CommonSeed::new(terms.clone(), lab, Seed(11));
                    once.run(policy(id, value));
                    alone += once.recall.computed();
                }
            }
            assert!(failed > 20 && 3 * computed < alone, "{failed} failed, {computed} of {alone} forecasts computed");
        }
    }
}
