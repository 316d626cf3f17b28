//! Rules about whom a cluster lets in, by what its deployments are expected to grow to.
//!
//! They are asked about deployments that are new to a cluster, never about one that grows in it.
//! What is expected moves with the clock and with everything that is seen, so these rules stand
//! outside all caches: the other cluster rules are kept as ever, and these are asked last, about the
//! clusters that are left. Source: "On the cluster admission problem for cloud computing", section 4.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tiebreak_model::declare::{ParamKind, ParamValue};
use tiebreak_model::{Ahead, ClusterId, Declared, Resource, Scene, VmRequest};

use crate::erased::{AnyValidator, BoundValidator};

/// A hard constraint on what a cluster is expected to hold with a newcomer.
pub trait AdmissionPolicy: Declared + Copy + Send + Sync + 'static {
    /// What counts at one moment ahead, and what it may be at most.
    fn weigh(&self, ahead: &Ahead) -> Weighed;

    /// Whether it looks further than now.
    const LOOKS_AHEAD: bool = true;

    /// Whether a moment is passed over at which less than one core is expected of the newcomer.
    fn spares_marginal(&self) -> bool {
        false
    }

    /// What counts and what it may be, in words, at a moment in words; to go on from "it".
    fn words(&self, weighed: Weighed, when: &str) -> String;
}

/// How the chance of running out is told from mean and variance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tail {
    /// Cantelli's inequality: it holds for every distribution, and is loose.
    #[default]
    Cantelli,
    /// As if the sum of all deployments were normal: tight, and no bound.
    Normal,
}

impl ParamValue for Tail {
    const KIND: ParamKind = ParamKind::Choice(&["cantelli", "normal"]);

    fn from_number(number: f64) -> Self {
        if number == 1.0 { Self::Normal } else { Self::Cantelli }
    }

    fn to_number(self) -> f64 {
        f64::from(u8::from(self == Self::Normal))
    }
}

/// What an admission policy looks at, and what it may be at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighed {
    /// What it is.
    pub value: f64,
    /// What it may be.
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
    /// What was weighed there.
    pub weighed: Weighed,
}

/// What a policy objects to, if it does, moment by moment from now on.
pub fn objection(policy: &impl AdmissionPolicy, mut ahead: impl Iterator<Item = Ahead>) -> Option<Objection> {
    ahead.find_map(|ahead| {
        let weighed = policy.weigh(&ahead);
        let is_marginal = || policy.spares_marginal() && ahead.newcomer < 1.0;
        (!weighed.is_safe() && !is_marginal()).then_some(Objection { ahead, weighed })
    })
}

/// Such a rule behind the seam of all validators.
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
    /// Nothing of it is kept, so it tells no classes apart.
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

    fn judge(&self, scene: Scene<'_>, ids: &[ClusterId], valid: &mut [bool]) {
        for (id, valid) in ids.iter().zip(valid) {
            *valid &= self.is_valid(scene, *id);
        }
    }

    fn words(&self, scene: Scene<'_>, id: ClusterId) -> Option<String> {
        let told = |Objection { ahead, weighed }| self.0.words(weighed, &moment(ahead.hours));
        self.objects(scene, id).map(told)
    }
}

/// A moment ahead as people say it.
fn moment(hours: f64) -> String {
    let tenths = |count: f64| libm::round(count * 10.0) / 10.0;
    match hours {
        0.0 => "now".into(),
        ..1.0 => format!("in {} minutes", tenths(hours * 60.0)),
        ..48.0 => format!("in {} hours", tenths(hours)),
        ..1_440.0 => format!("in {} days", tenths(hours / 24.0)),
        _ => format!("in {} months", tenths(hours / 730.0)),
    }
}
