//! Rules that decide which new deployments a cluster admits, from forecasts of its deployments.
//!
//! They apply only to deployments that are new to a cluster, not to one that grows in it. Forecasts change with the
//! clock and with every observation, so these rules stay outside all caches: the other cluster rules are cached as
//! usual, and these run last, on the clusters that remain. Source: "On the cluster admission problem for cloud
//! computing", section 4.

use alloc::boxed::Box;
use alloc::vec::Vec;

use libm::{erfc, sqrt};
use tiebreak_model::choices;
use tiebreak_model::{Ahead, ClusterId, Declared, Phrase, Resource, Scene, VmRequest, phrase};

use crate::rule::erased::{AnyValidator, BoundValidator};

/// A hard constraint on a cluster's forecast including the newcomer.
pub trait AdmissionPolicy: Declared + Copy + Send + Sync + 'static {
    /// The quantity to compare at one future moment, and its limit.
    fn weigh(&self, ahead: &Ahead) -> Weighed;

    /// Whether the policy looks beyond the present.
    const LOOKS_AHEAD: bool = true;

    /// Whether to skip marginal moments: those at which the newcomer's forecast is below one core.
    fn spares_marginal(&self) -> bool {
        false
    }

    /// The quantity and its limit in words, at a moment in words; continues a sentence that starts with "it".
    fn words(&self, weighed: Weighed, when: &Phrase) -> Phrase;
}

/// How the probability of running out is estimated from mean and variance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tail {
    /// Cantelli's inequality: holds for every distribution, but is loose.
    #[default]
    Cantelli,
    /// Assumes that the sum of all deployments is normal: tight, but not a bound.
    Normal,
}

choices! { Tail: Cantelli = "cantelli", Normal = "normal" }

impl Tail {
    /// The estimated probability that a number of cores with this mean and variance reaches this size, 0 to 1; 1 if
    /// the mean does.
    #[must_use]
    pub fn chance(self, mean: f64, variance: f64, size: f64) -> f64 {
        let room = size - mean;
        if room <= 0.0 {
            return 1.0;
        }
        match self {
            Self::Cantelli => variance / (variance + room * room),
            Self::Normal if variance == 0.0 => 0.0,
            Self::Normal => 0.5 * erfc(room / sqrt(2.0 * variance)),
        }
    }
}

/// The quantity that an admission policy compares, and its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighed {
    /// The quantity.
    pub value: f64,
    /// The limit.
    pub limit: f64,
}

impl Weighed {
    fn is_safe(self) -> bool {
        self.value <= self.limit
    }
}

/// The first moment at which a policy finds a cluster unsafe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objection {
    /// The moment.
    pub ahead: Ahead,
    /// The quantity and the limit there.
    pub weighed: Weighed,
}

/// The policy's first objection, if any, in order of time from now.
pub fn objection(policy: &impl AdmissionPolicy, mut ahead: impl Iterator<Item = Ahead>) -> Option<Objection> {
    ahead.find_map(|ahead| {
        let weighed = policy.weigh(&ahead);
        let is_marginal = || policy.spares_marginal() && ahead.newcomer < 1.0;
        (!weighed.is_safe() && !is_marginal()).then_some(Objection { ahead, weighed })
    })
}

/// An admission rule as an `AnyValidator`.
#[derive(Clone, Copy)]
pub(crate) struct Admission<P>(P);

impl<P: AdmissionPolicy> Admission<P> {
    pub(crate) fn boxed(policy: P) -> Box<dyn AnyValidator<ClusterId>> {
        Box::new(Self(policy))
    }

    fn objects(&self, scene: Scene<'_>, id: ClusterId) -> Option<Objection> {
        let growth = scene.growth?;
        let cluster = scene.occupancy.fleet().cluster(id);
        let cores = f64::from(cluster.capacity[Resource::Cores]) / Resource::Cores.unit().1;
        objection(&self.0, growth.ahead(id, cores * cluster.machines().len() as f64))
    }
}

impl<P: AdmissionPolicy> AnyValidator<ClusterId> for Admission<P> {
    /// Its verdicts are never cached, so it does not distinguish classes.
    fn write_key(&self, _: &VmRequest, _: &mut Vec<u64>) {}

    fn bind(&self, _: &VmRequest) -> Box<dyn BoundValidator<ClusterId>> {
        Box::new(*self)
    }

    fn sees_tenant(&self) -> bool {
        false
    }

    fn sees_what_stays(&self) -> bool {
        false
    }

    fn is_live(&self) -> bool {
        true
    }

    fn looks_ahead(&self) -> bool {
        P::LOOKS_AHEAD
    }

    fn concerns(&self, _: &VmRequest) -> bool {
        true
    }

    fn check(&self, _: &VmRequest, scene: Scene<'_>, id: ClusterId) -> bool {
        self.objects(scene, id).is_none()
    }
}

impl<P: AdmissionPolicy> BoundValidator<ClusterId> for Admission<P> {
    fn is_valid(&self, scene: Scene<'_>, id: ClusterId) -> bool {
        self.objects(scene, id).is_none()
    }

    fn words(&self, scene: Scene<'_>, id: ClusterId) -> Option<Phrase> {
        let told = |Objection { ahead, weighed }| self.0.words(weighed, &moment(ahead.hours));
        self.objects(scene, id).map(told)
    }
}

/// A future moment in words.
fn moment(hours: f64) -> Phrase {
    let tenths = |count: f64| libm::round(count * 10.0) / 10.0;
    match hours {
        0.0 => phrase!("now"),
        ..1.0 => phrase!("in {} minutes", tenths(hours * 60.0)),
        ..48.0 => phrase!("in {} hours", tenths(hours)),
        ..1_440.0 => phrase!("in {} days", tenths(hours / 24.0)),
        _ => phrase!("in {} months", tenths(hours / 730.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::{Question, explain};
    use crate::policy::{Policy, RuleUse};
    use alloc::string::{String, ToString};
    use alloc::sync::Arc;
    use alloc::vec;
    use tiebreak_model::{ClusterSpec, Expected, Fleet, Growth, Newcomer, Occupancy, Resources, VmShape};

    /// Two clusters of 80 cores: the first is expected to be full in a day, the second is empty.
    fn zone() -> (Occupancy, Growth) {
        let capacity = Resources::new(8_000, 8_000, 0, 0);
        let spec = |name: &str| ClusterSpec {
            name: name.into(),
            machines: 10,
            racks: 1,
            capacity,
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let fleet = Fleet::build(&[spec("old"), spec("new")]).expect("a fleet");
        let mut growth = Growth::empty(vec![0.0, 24.0], 2);
        growth.clusters[0].replace(&[], &[Expected::new(20.0, 0.0), Expected::new(78.0, 4.0)]);
        let expected = vec![Expected::new(2.0, 0.0), Expected::new(2.0, 1.0)];
        growth.newcomer = Newcomer { cores: 2.0, expected, at_home: vec![] };
        (Occupancy::empty(Arc::new(fleet)), growth)
    }

    fn told(rule: RuleUse, growth: &Growth, zone: &Occupancy) -> (usize, String) {
        let policy = Policy::new(&[rule, RuleUse::plain("AreNodeResourcesValid", None)], 2).expect("a policy");
        let vm = VmRequest::alone(VmShape::plain(Resources::new(2_000, 2_000, 0, 0)));
        let scene = Scene { growth: Some(growth), ..Scene::of(zone) };
        let explanation = explain(&policy, scene, &vm, Question::default());
        (explanation.funnel.best.len(), explanation.sentence(zone.fleet()).to_string())
    }

    #[test]
    fn who_is_let_in_nowhere_is_told_which_moment_ahead_said_no() {
        let (zone, mut growth) = zone();
        let rule = || RuleUse { values: vec![10.0], ..RuleUse::plain("SecondMomentAdmission", None) };
        assert_eq!(told(rule(), &growth, &zone).0, 10, "the new cluster takes it");
        growth.clusters[1] = growth.clusters[0].clone();
        let (left, sentence) = told(rule(), &growth, &zone);
        assert_eq!(left, 0);
        assert_eq!(
            sentence,
            "SecondMomentAdmission does not admit a new deployment to old: it would run out of cores with an estimated probability of 100.0 %, above the risk of 10 %, in 24 hours."
        );
        let first = RuleUse { values: vec![95.0], ..RuleUse::plain("FirstMomentAdmission", None) };
        let sentence = told(first, &growth, &zone).1;
        assert!(
            sentence.ends_with("it is expected to have 80 cores in use, above the limit of 76, in 24 hours."),
            "{sentence}"
        );
        let zeroth = RuleUse { values: vec![25.0], ..RuleUse::plain("ZerothMomentAdmission", None) };
        let sentence = told(zeroth, &growth, &zone).1;
        assert!(
            sentence.ends_with("would have 22 cores in use with the new deployment, above the limit of 20, now."),
            "{sentence}"
        );
        // A tenant may grow where it already has VMs.
        growth.newcomer.at_home = vec![ClusterId::of(1)];
        assert_eq!(told(rule(), &growth, &zone).0, 10);
    }

    #[test]
    fn a_newcomer_that_will_be_gone_is_let_in_where_the_rule_says_so() {
        let (zone, mut growth) = zone();
        growth.clusters[1] = growth.clusters[0].clone();
        growth.newcomer.expected[1] = Expected::new(0.9, 0.5);
        for (marginal, left) in [(1.0, 20), (0.0, 0)] {
            let rule = RuleUse { values: vec![10.0, 0.0, marginal], ..RuleUse::plain("SecondMomentAdmission", None) };
            assert_eq!(told(rule, &growth, &zone).0, left);
        }
    }
}
