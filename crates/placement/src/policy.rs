//! The policy: rules in one order, by stage.
//!
//! Validators only filter, so their order matters to explanations alone. Preferences
//! stand in strict order: each sees only the ties that those above it left. Where weights
//! are set by hand they are compared all together instead; see
//! [`weights`](crate::weights). (Protean section 3.3)

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use tiebreak_model::{
    ClusterId, Declared, Load, MachineId, Outlook, Phrase, RackId, Resources, Scene, VmRequest, VmShape,
};

use crate::chassis::{AnyChassis, ChassisField};
use crate::erased::{AnyPreference, AnyValidator};
use crate::gate::Gate;
use crate::lifetime::CLASS_MAX;
use crate::packed::{Field, Wide, layout};
use crate::quantize::Quantizer;
use crate::rules::{AnyRule, AreNodeResourcesValid, Group, RuleEntry};
use crate::temporal::{AnyTemporal, Steps, score_of};
use crate::uplink::{AnyUplink, UplinkField};
use crate::weights::Weight;

/// The rule that no list can do without: it keeps machines from being over-committed.
pub const REQUIRED_RULE: &str = "AreNodeResourcesValid";

/// One row of the list: a rule, its parameters and its buckets.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleUse {
    /// Which rule.
    pub id: String,
    /// One value per declared parameter; what is missing or not allowed is the default.
    pub values: Vec<f64>,
    /// Buckets of a preference, at least 1; none compares scores exactly.
    pub buckets: Option<u32>,
    /// How much a preference weighs beside the others, set by hand. One such row makes the
    /// whole list a weighted one, in which a row without a weight weighs 1.
    pub weight: Option<Weight>,
}

impl RuleUse {
    /// A rule with its defaults, in strict order.
    #[must_use]
    pub fn plain(id: &str, buckets: Option<u32>) -> Self {
        Self { id: id.into(), values: Vec::new(), buckets, weight: None }
    }
}

/// Why a list is no policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyError {
    /// No rule has this id.
    UnknownRule {
        /// The id as given.
        id: String,
    },
    /// A rule stands twice in the list.
    Twice {
        /// Its id.
        id: &'static str,
    },
    /// More exact preferences than a key has room for.
    TooFine,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownRule { id } => {
                write!(f, "expected the id of a rule, got \"{id}\"; `tiebreak list rules` names them all")
            }
            Self::Twice { id } => write!(f, "expected each rule once, got {id} twice; remove one"),
            Self::TooFine => write!(f, "expected at most 16 preferences without buckets; give some of them buckets"),
        }
    }
}

impl core::error::Error for PolicyError {}

/// A validator in its place.
pub(crate) struct RankedValidator<Id> {
    pub(crate) id: &'static str,
    pub(crate) rule: Box<dyn AnyValidator<Id>>,
    /// Whether the same verdict serves every request of every tenant.
    pub(crate) asks_nothing: bool,
    /// Whether the same verdict serves all tenants that ask for nothing.
    pub(crate) is_common: bool,
}

/// A preference in its place.
pub(crate) struct RankedPreference<Id> {
    pub(crate) id: &'static str,
    pub(crate) rule: Box<dyn AnyPreference<Id>>,
    pub(crate) quantizer: Quantizer,
    pub(crate) weight: Weight,
    /// Whether the same score serves every request of every tenant.
    pub(crate) asks_nothing: bool,
    /// Whether the same score serves all tenants that ask for nothing.
    pub(crate) is_common: bool,
}

/// A temporal preference in its place.
pub(crate) struct RankedTemporal {
    pub(crate) id: &'static str,
    pub(crate) rule: Box<dyn AnyTemporal>,
    pub(crate) quantizer: Quantizer,
    pub(crate) weight: Weight,
    /// The bucket of each of its levels.
    buckets: Vec<u32>,
}

/// A preference in its place that is asked anew for each decision.
pub(crate) struct RankedLive<Rule: ?Sized> {
    pub(crate) id: &'static str,
    pub(crate) rule: Arc<Rule>,
    pub(crate) quantizer: Quantizer,
    pub(crate) weight: Weight,
}

/// A machine-stage preference, of any reach.
pub(crate) enum MachineStage {
    Rack(RankedPreference<RackId>),
    Machine(RankedPreference<MachineId>),
    Temporal(RankedTemporal),
    Uplink(RankedLive<dyn AnyUplink>),
    Chassis(RankedLive<dyn AnyChassis>),
}

/// What a temporal preference says at one moment: its buckets by a machine's expected exit, and
/// the field of a key that they go into.
pub(crate) type Moment = (Steps, Field);

macro_rules! of_either {
    ($stage:expr, $ranked:ident => $value:expr) => {
        match $stage {
            MachineStage::Rack($ranked) => $value,
            MachineStage::Machine($ranked) => $value,
            MachineStage::Temporal($ranked) => $value,
            MachineStage::Uplink($ranked) => $value,
            MachineStage::Chassis($ranked) => $value,
        }
    };
}

impl MachineStage {
    pub(crate) fn id(&self) -> &'static str {
        of_either!(self, ranked => ranked.id)
    }

    pub(crate) fn quantizer(&self) -> Quantizer {
        of_either!(self, ranked => ranked.quantizer)
    }

    pub(crate) fn weight(&self) -> Weight {
        of_either!(self, ranked => ranked.weight)
    }

    fn sees_tenant(&self) -> bool {
        of_either!(self, ranked => ranked.rule.sees_tenant())
    }
}

/// A checked list of rules.
pub struct Policy {
    pub(crate) cluster_validators: Vec<RankedValidator<ClusterId>>,
    pub(crate) cluster_preferences: Vec<RankedPreference<ClusterId>>,
    pub(crate) rack_validators: Vec<RankedValidator<RackId>>,
    pub(crate) machine_validators: Vec<RankedValidator<MachineId>>,
    pub(crate) machine_preferences: Vec<MachineStage>,
    pub(crate) fields: Vec<Field>,
    pub(crate) words: u32,
    pub(crate) best_clusters: u32,
    /// Whether VMs go only where the network has room for their links.
    pub(crate) bandwidth: Option<&'static str>,
    /// Whether preferences are compared by weights set by hand.
    pub(crate) weighted: bool,
    /// Whether any rule sees the asking tenant's VMs.
    pub(crate) sees_tenant: bool,
    /// Whether VMs may put out ones of lower priority.
    evicts: bool,
    /// Whether any rule asks how long a VM will live, and whether its answer tells classes apart.
    asks_for_lifetimes: bool,
    pub(crate) outlook_tells_apart: bool,
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rule_ids()).finish()
    }
}

impl Policy {
    /// Orders these rules; `best_clusters` is Protean's k: how many clusters the machine
    /// stage looks at (the paper uses 8 to 16).
    ///
    /// # Errors
    /// When a rule is unknown, stands twice, or the list is too fine to compare.
    pub fn new(rules: &[RuleUse], best_clusters: u32) -> Result<Self, PolicyError> {
        let mut policy = Self::bare(best_clusters);
        for rule in rules {
            let entry = crate::rules::find(&rule.id).ok_or_else(|| PolicyError::UnknownRule { id: rule.id.clone() })?;
            if policy.rule_ids().any(|id| id == entry.declaration.id) {
                return Err(PolicyError::Twice { id: entry.declaration.id });
            }
            policy.push(entry, rule);
        }
        policy.finish()
    }

    fn bare(best_clusters: u32) -> Self {
        Self {
            cluster_validators: Vec::new(),
            cluster_preferences: Vec::new(),
            rack_validators: Vec::new(),
            machine_validators: Vec::new(),
            machine_preferences: Vec::new(),
            fields: Vec::new(),
            words: 0,
            best_clusters: best_clusters.max(1),
            bandwidth: None,
            weighted: false,
            sees_tenant: false,
            evicts: false,
            asks_for_lifetimes: false,
            outlook_tells_apart: false,
        }
    }

    fn finish(mut self) -> Result<Self, PolicyError> {
        let widths: Vec<_> = self.machine_preferences.iter().map(|stage| stage.quantizer().bits()).collect();
        (self.fields, self.words) = layout(&widths);
        self.sees_tenant = self.cluster_validators.iter().any(|ranked| ranked.rule.sees_tenant())
            || self.cluster_preferences.iter().any(|ranked| ranked.rule.sees_tenant())
            || self.rack_validators.iter().any(|ranked| ranked.rule.sees_tenant())
            || self.machine_validators.iter().any(|ranked| ranked.rule.sees_tenant())
            || self.machine_preferences.iter().any(MachineStage::sees_tenant);
        self.outlook_tells_apart = tells_outlooks_apart(|vm, words| self.write_key(vm, words));
        let temporal = |stage: &MachineStage| matches!(stage, MachineStage::Temporal(_));
        self.asks_for_lifetimes = self.outlook_tells_apart || self.machine_preferences.iter().any(temporal);
        if self.words > <Wide as crate::packed::PackedKey>::WORDS {
            return Err(PolicyError::TooFine);
        }
        Ok(self)
    }

    fn push(&mut self, entry: &'static RuleEntry, rule: &RuleUse) {
        let id = entry.declaration.id;
        self.weighted |= rule.weight.is_some() && entry.group.scores();
        self.evicts |= id == REQUIRED_RULE && AreNodeResourcesValid::from_values(&rule.values).evict;
        let made =
            Made { id, quantizer: Quantizer::of(rule.buckets, entry.levels), weight: rule.weight.unwrap_or_default() };
        self.add(entry.build(&rule.values), made);
    }

    fn add(&mut self, rule: AnyRule, made: Made) {
        match rule {
            AnyRule::ClusterValidator(rule) => self.cluster_validators.push(made.validator(rule)),
            AnyRule::RackValidator(rule) => self.rack_validators.push(made.validator(rule)),
            AnyRule::MachineValidator(rule) => self.machine_validators.push(made.validator(rule)),
            AnyRule::ClusterPreference(rule) => self.cluster_preferences.push(made.preference(rule)),
            AnyRule::RackPreference(rule) => self.machine_preferences.push(MachineStage::Rack(made.preference(rule))),
            AnyRule::MachinePreference(rule) => {
                self.machine_preferences.push(MachineStage::Machine(made.preference(rule)));
            }
            AnyRule::TemporalPreference(rule) => {
                self.machine_preferences.push(MachineStage::Temporal(made.temporal(rule)));
            }
            AnyRule::UplinkPreference(rule) => self.machine_preferences.push(MachineStage::Uplink(made.live(rule))),
            AnyRule::ChassisPreference(rule) => self.machine_preferences.push(MachineStage::Chassis(made.live(rule))),
            AnyRule::Bandwidth(id) => self.bandwidth = Some(id),
        }
    }

    /// The ids of its rules, stage by stage in order.
    pub fn rule_ids(&self) -> impl Iterator<Item = &'static str> + '_ {
        let clusters = self.cluster_validators.iter().map(|ranked| ranked.id);
        let clusters = clusters.chain(self.cluster_preferences.iter().map(|ranked| ranked.id));
        let racks = self.rack_validators.iter().map(|ranked| ranked.id);
        let machines = self.machine_validators.iter().map(|ranked| ranked.id);
        clusters
            .chain(racks)
            .chain(machines)
            .chain(self.bandwidth)
            .chain(self.machine_preferences.iter().map(MachineStage::id))
    }

    /// Whether its preferences are compared by weights set by hand, not in strict order.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.weighted
    }

    /// Whether any of its rules asks how long VMs will live.
    #[must_use]
    pub fn asks_for_lifetimes(&self) -> bool {
        self.asks_for_lifetimes
    }

    /// What its temporal preferences say of a VM now, into `moment`.
    pub(crate) fn write_moment(&self, vm: &Outlook, moment: &mut Vec<Moment>) {
        moment.clear();
        for (stage, field) in self.machine_preferences.iter().zip(&self.fields) {
            if let MachineStage::Temporal(ranked) = stage {
                moment.push((ranked.rule.steps(vm).map(|level| ranked.buckets[level as usize]), *field));
            }
        }
    }

    /// Its preferences about uplinks, each with its place in a key.
    pub(crate) fn uplinks(&self) -> Vec<UplinkField> {
        let stages = self.machine_preferences.iter().zip(&self.fields);
        let uplinks = stages.filter_map(|(stage, field)| match stage {
            MachineStage::Uplink(it) => {
                Some(UplinkField { rule: it.rule.clone(), quantizer: it.quantizer, field: *field })
            }
            _ => None,
        });
        uplinks.collect()
    }

    /// Its preferences about chassis, each with its place in a key.
    pub(crate) fn chassis(&self) -> Vec<ChassisField> {
        let stages = self.machine_preferences.iter().zip(&self.fields).rev().enumerate();
        let chassis = stages.filter_map(|(below, (stage, field))| match stage {
            MachineStage::Chassis(it) => {
                let (rule, quantizer) = (it.rule.clone(), it.quantizer);
                Some(ChassisField { rule, quantizer, field: *field, is_last: below == 0 })
            }
            _ => None,
        });
        chassis.collect()
    }

    /// What the network has room for, where the list asks it.
    pub(crate) fn gate<'a>(&self, scene: Scene<'a>) -> Option<Gate<'a>> {
        self.bandwidth.and_then(|_| Gate::of(scene))
    }

    /// Whether VMs go only where the network has room for their links.
    #[must_use]
    pub fn guards_bandwidth(&self) -> bool {
        self.bandwidth.is_some()
    }

    /// Whether any machine or rack rule can say something else to this VM because of where its tenant's
    /// others stand.
    pub(crate) fn minds_company(&self, vm: &VmRequest) -> bool {
        self.rack_validators.iter().any(|it| it.rule.sees_tenant() && it.rule.concerns(vm))
            || self.machine_validators.iter().any(|it| it.rule.sees_tenant() && it.rule.concerns(vm))
            || self.machine_preferences.iter().any(MachineStage::sees_tenant)
    }

    /// Where the levels of its temporal preference are best told apart, if it has one and only one.
    pub(crate) fn unit_s(&self) -> Option<u32> {
        let mut units_s = self.machine_preferences.iter().filter_map(|stage| match stage {
            MachineStage::Temporal(ranked) => Some(ranked.rule.unit_s()),
            _ => None,
        });
        units_s.next().filter(|_| units_s.next().is_none())
    }

    /// Whether any rule looks at a whole rack.
    pub(crate) fn sees_racks(&self) -> bool {
        let rack = |stage: &MachineStage| matches!(stage, MachineStage::Rack(_));
        !self.rack_validators.is_empty() || self.machine_preferences.iter().any(rack)
    }

    /// Whether any rule asks what VMs will use of their cores.
    #[must_use]
    pub fn asks_for_loads(&self) -> bool {
        self.machine_preferences.iter().any(|stage| matches!(stage, MachineStage::Chassis(_)))
    }

    /// Whether any rule asks what deployments will grow to.
    #[must_use]
    pub fn asks_for_growth(&self) -> bool {
        self.cluster_validators.iter().any(|ranked| ranked.rule.is_live())
    }

    /// Whether any of these looks further than now.
    #[must_use]
    pub fn looks_ahead(&self) -> bool {
        self.cluster_validators.iter().any(|ranked| ranked.rule.looks_ahead())
    }

    /// Whether the rules about admission let the newcomer of a scene into a cluster.
    #[must_use]
    pub fn lets_in(&self, scene: Scene<'_>, cluster: ClusterId) -> bool {
        let mut live = self.cluster_validators.iter().filter(|ranked| ranked.rule.is_live());
        live.all(|ranked| ranked.rule.check(&nobody(), scene, cluster))
    }

    /// Why they do not, rule by rule, to go on from "it".
    #[must_use]
    pub fn objections(&self, scene: Scene<'_>, cluster: ClusterId) -> Vec<(&'static str, Phrase)> {
        let live = self.cluster_validators.iter().filter(|ranked| ranked.rule.is_live());
        let words = |it: &RankedValidator<ClusterId>| it.rule.bind(&nobody()).words(scene, cluster);
        live.filter_map(|ranked| Some((ranked.id, words(ranked)?))).collect()
    }

    /// Whether a VM may put out ones of lower priority to have their room.
    #[must_use]
    pub fn lets_evict(&self, vm: &VmShape) -> bool {
        self.evicts && !vm.is_evictable()
    }

    /// Whether the store may take this VM there as far as tenants were promised anything, bandwidth
    /// too, which cannot be left to a stale view (Protean section 5.3, fine-grained detection).
    #[must_use]
    pub fn may_commit(&self, vm: &VmRequest, scene: Scene<'_>, machine: MachineId) -> bool {
        let fleet = scene.occupancy.fleet();
        let (rack, cluster) = (fleet.rack_of(machine), fleet.cluster_of(machine));
        let keeps_promises = || {
            keeps_promises(&self.machine_validators, vm, scene, machine)
                && keeps_promises(&self.rack_validators, vm, scene, rack)
                && keeps_promises(&self.cluster_validators, vm, scene, cluster)
        };
        (!self.sees_tenant || keeps_promises()) && self.gate(scene).is_none_or(|gate| gate.admits(machine))
    }

    /// Whether the verdicts kept for tenants that ask for nothing serve this request.
    pub(crate) fn is_common(&self, vm: &VmRequest) -> bool {
        let common = |vm: &VmRequest| {
            let mut words = Vec::new();
            let racks = self.rack_validators.iter().filter(|ranked| ranked.is_common);
            racks.for_each(|ranked| ranked.rule.write_key(vm, &mut words));
            let machines = self.machine_validators.iter().filter(|ranked| ranked.is_common);
            machines.for_each(|ranked| ranked.rule.write_key(vm, &mut words));
            for stage in &self.machine_preferences {
                match stage {
                    MachineStage::Rack(it) if it.is_common => it.rule.write_key(vm, &mut words),
                    MachineStage::Machine(it) if it.is_common => it.rule.write_key(vm, &mut words),
                    _ => {}
                }
            }
            words
        };
        common(vm) == common(&nobody())
    }

    /// The request's key under the whole list: requests with equal words are one class.
    pub(crate) fn write_key(&self, vm: &VmRequest, words: &mut Vec<u64>) {
        words.clear();
        self.cluster_validators.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        self.cluster_preferences.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        self.rack_validators.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        self.machine_validators.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        for stage in &self.machine_preferences {
            of_either!(stage, ranked => ranked.rule.write_key(vm, words));
        }
    }
}

/// Whether the validators about tenants let the VM in.
fn keeps_promises<Id: Copy>(validators: &[RankedValidator<Id>], vm: &VmRequest, scene: Scene<'_>, place: Id) -> bool {
    validators.iter().filter(|ranked| ranked.rule.sees_tenant()).all(|ranked| ranked.rule.check(vm, scene, place))
}

/// What a rule is put into its place with.
struct Made {
    id: &'static str,
    quantizer: Quantizer,
    weight: Weight,
}

impl Made {
    fn validator<Id>(self, rule: Box<dyn AnyValidator<Id>>) -> RankedValidator<Id> {
        let key = |vm: &VmRequest, words: &mut Vec<u64>| rule.write_key(vm, words);
        let (asks_nothing, is_common) = (!rule.sees_tenant() && asks_nothing(key), is_common(key));
        RankedValidator { id: self.id, rule, asks_nothing, is_common }
    }

    fn preference<Id>(self, rule: Box<dyn AnyPreference<Id>>) -> RankedPreference<Id> {
        let key = |vm: &VmRequest, words: &mut Vec<u64>| rule.write_key(vm, words);
        let (asks_nothing, is_common) = (!rule.sees_tenant() && asks_nothing(key), is_common(key));
        let Self { id, quantizer, weight } = self;
        RankedPreference { id, rule, quantizer, weight, asks_nothing, is_common }
    }

    fn live<Rule: ?Sized>(self, rule: Arc<Rule>) -> RankedLive<Rule> {
        let Self { id, quantizer, weight } = self;
        RankedLive { id, rule, quantizer, weight }
    }

    fn temporal(self, rule: Box<dyn AnyTemporal>) -> RankedTemporal {
        let Self { id, quantizer, weight } = self;
        let levels = rule.levels();
        let buckets = (0..levels).map(|level| quantizer.bucket(score_of(level, levels)) as u32).collect();
        RankedTemporal { id, rule, quantizer, weight, buckets }
    }
}

/// Whether requests of different outlooks have different keys.
fn tells_outlooks_apart(write_key: impl Fn(&VmRequest, &mut Vec<u64>)) -> bool {
    let key = |vm: &VmRequest| {
        let mut words = Vec::new();
        write_key(vm, &mut words);
        words
    };
    let (usual, long) = (
        nobody(),
        Outlook { remaining_s: u32::MAX, first_s: u32::MAX, first_exit_s: u32::MAX, class: CLASS_MAX, now_s: 0 },
    );
    key(&VmRequest { outlook: long, ..usual }) != key(&usual)
}

/// The request that stands for all whose tenant asks for nothing.
pub(crate) fn nobody() -> VmRequest {
    VmRequest::alone(VmShape::plain(Resources::NONE))
}

/// A VM that is not user-facing, and does nothing.
const SLOWABLE: Load = Load { user_facing: false, p95_pct: 0 };

/// Whether requests whose tenants ask for nothing have the same key, whatever their size,
/// priority and load.
fn is_common(write_key: impl Fn(&VmRequest, &mut Vec<u64>)) -> bool {
    let key = |shape| {
        let mut words = Vec::new();
        write_key(&VmRequest::alone(shape), &mut words);
        words
    };
    let sized = VmShape::plain(Resources::new(1, 1, 1, 1));
    let usual = key(nobody().shape);
    !tells_outlooks_apart(&write_key)
        && [sized, VmShape { priority: 1, load: SLOWABLE, ..sized }].into_iter().all(|shape| key(shape) == usual)
}

/// Whether a key has no words: then all requests have the same one.
fn asks_nothing(write_key: impl Fn(&VmRequest, &mut Vec<u64>)) -> bool {
    let mut words = Vec::new();
    write_key(&nobody(), &mut words);
    words.is_empty()
}

/// The default list: what tenants may ask for is kept, then Protean's examples in Protean's
/// order, with its three buckets for BestFit (section 6.3).
#[must_use]
pub fn default_rules() -> Vec<RuleUse> {
    let rules = [
        ("IsTypeSupported", None),
        ("IsClusterBelowLimit", None),
        ("SharesTenantDatacenter", None),
        ("SharesTenantCluster", None),
        ("PreferEmptierClusters", Some(10)),
        ("AreNodeResourcesValid", None),
        ("IsMachineReady", None),
        ("SharesTenantRack", None),
        ("SpreadsOverFaultDomains", None),
        ("CapsTenantPerMachine", None),
        ("RespectsIsolation", None),
        ("PreferHealthierMachines", None),
        ("PreferNonEmptyMachines", None),
        ("BestFit", Some(3)),
        ("PreferNewestHostEnvironment", None),
        ("PreferLeastUsedRack", Some(4)),
    ];
    rules.map(|(id, buckets)| RuleUse::plain(id, buckets)).into()
}

/// The stage a rule id belongs to, if there is such a rule.
#[must_use]
pub fn group_of(id: &str) -> Option<Group> {
    crate::rules::find(id).map(|entry| entry.group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use tiebreak_model::{TenantSize, TenantTerms};

    fn policy(rules: &[&str]) -> Policy {
        let rules: Vec<_> = rules.iter().map(|id| RuleUse::plain(id, None)).collect();
        Policy::new(&rules, 1).expect("a policy")
    }

    /// What has to be kept and computed for a list, and nothing for one that does not ask.
    #[test]
    fn lists_say_what_they_ask_for() {
        let asked = |rules: &[&str]| {
            let list = policy(rules);
            let asks = [
                ("loads", list.asks_for_loads()),
                ("bandwidth", list.guards_bandwidth()),
                ("growth", list.asks_for_growth()),
                ("moments ahead", list.looks_ahead()),
                ("racks", list.sees_racks()),
            ];
            asks.into_iter().filter(|(_, asks)| *asks).map(|(what, _)| what).collect::<Vec<_>>()
        };
        assert_eq!(asked(&["IsTypeSupported", "AreNodeResourcesValid", "BestFit"]), [""; 0]);
        assert_eq!(asked(&["PowerBalance"]), ["loads"]);
        assert_eq!(asked(&["BandwidthAvailable"]), ["bandwidth"]);
        assert_eq!(asked(&["ZerothMomentAdmission"]), ["growth"]);
        assert_eq!(asked(&["SecondMomentAdmission"]), ["growth", "moments ahead"]);
        assert_eq!(asked(&["PreferLeastUsedRack"]), ["racks"]);
        assert_eq!(asked(&["SharesTenantRack"]), ["racks"]);
    }

    #[test]
    fn rules_have_their_stage() {
        let groups =
            ["IsTypeSupported", "PreferEmptierClusters", "IsMachineReady", "BestFit", "NoSuchRule"].map(group_of);
        let expected = [
            Some(Group::ClusterValidators),
            Some(Group::ClusterPreferences),
            Some(Group::MachineValidators),
            Some(Group::MachinePreferences),
            None,
        ];
        assert_eq!(groups, expected);
    }

    #[test]
    fn a_list_sees_the_tenant_where_one_of_its_rules_does() {
        for id in
            ["SharesTenantCluster", "SharesTenantRack", "CapsTenantPerMachine", "SpreadTenantOverRacks", "SpreadVdc"]
        {
            assert!(policy(&[id]).sees_tenant && policy(&["BestFit", id]).sees_tenant, "{id}");
        }
        for id in
            ["IsTypeSupported", "BestFit", "PowerBalance", "LeastLoadedUplink", "TemporalCost", "SecondMomentAdmission"]
        {
            assert!(!policy(&[id]).sees_tenant, "{id}");
        }
    }

    #[test]
    fn levels_are_told_apart_for_one_temporal_preference() {
        assert_eq!(policy(&["BestFit"]).unit_s(), None);
        assert_eq!(policy(&["BestFit", "LifetimeAlignment"]).unit_s(), Some(60));
        assert_eq!(policy(&["LifetimeAlignment", "TemporalCost"]).unit_s(), None);
    }

    #[test]
    fn company_matters_to_those_who_asked_and_to_all_where_a_preference_looks() {
        let free = VmRequest::alone(VmShape::plain(Resources::new(1, 1, 0, 0)));
        let terms = TenantTerms { per_machine: 2, ..free.shape.terms };
        let bound = VmRequest {
            shape: VmShape { terms, ..free.shape },
            tenant: TenantSize { placed: 1, ..free.tenant },
            ..free
        };
        for (rules, expected) in [
            (vec!["CapsTenantPerMachine", "BestFit"], [false, true]),
            (vec!["SharesTenantRack", "BestFit"], [false, false]),
            (vec!["SpreadTenantOverRacks"], [true, true]),
            (vec!["AreNodeResourcesValid", "PreferLeastUsedRack"], [false, false]),
        ] {
            let list = policy(&rules);
            assert_eq!([&free, &bound].map(|vm| list.minds_company(vm)), expected, "{rules:?}");
        }
    }

    /// A key without words, and one that is the same for all who ask for nothing, serve many requests at once.
    #[test]
    fn rules_know_whom_they_tell_apart() {
        let list = policy(&["AreNodeResourcesValid", "IsMachineReady", "CapsTenantPerMachine"]);
        let sharing: Vec<_> = list.machine_validators.iter().map(|it| (it.id, it.asks_nothing, it.is_common)).collect();
        let expected = [
            ("AreNodeResourcesValid", false, false),
            ("IsMachineReady", true, true),
            ("CapsTenantPerMachine", false, true),
        ];
        assert_eq!(sharing, expected);
    }
}
