//! The policy: rules in one order, by stage.
//!
//! Validators only filter, so their order matters only to explanations. Preferences apply in strict order: each sees
//! only the ties that those above it left. With manual weights they are compared together instead (Protean section
//! 3.3).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use tiebreak_expression::Fault;
use tiebreak_model::{ClusterId, Declared, MachineId, RackId};

use crate::custom::Custom;
use crate::rule::quantize::Quantizer;
use crate::rules::{AnyRule, AreNodeResourcesValid, Group, RuleEntry, find};
use classes::{tells_affinities_apart, tells_lives_apart, tells_loads_apart};
use fields::{Field, KeyWidth, WORDS_MAX, layout};
use ranked::{MachineStage, Made, RankedPreference, RankedValidator};

pub(crate) use weight::Weights;
pub use weight::{Combining, Weight};

mod asks;
pub(crate) mod classes;
pub(crate) mod fields;
mod promises;
pub(crate) mod ranked;
#[cfg(test)]
mod tests;
mod weight;

/// The rule that every policy must have: it keeps machines from being over-committed.
pub const REQUIRED_RULE: &str = "AreNodeResourcesValid";

/// One row of the list: a rule, its parameters and its buckets.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleUse {
    /// Which rule.
    pub id: String,
    /// One value per declared parameter; a missing or disallowed value is the default.
    pub values: Vec<f64>,
    /// The buckets of a preference, at least 1; `None` compares scores exactly.
    pub buckets: Option<u32>,
    /// The definition of a custom rule; `None` for a built-in one.
    pub custom: Option<Custom>,
    /// The manual weight of a preference relative to the others. One such row makes the whole policy weighted; rows
    /// without a weight then weigh 1, and the last weight says how weights combine.
    pub weight: Option<Weight>,
}

impl RuleUse {
    /// A rule with its defaults, in strict order.
    #[must_use]
    pub fn plain(id: &str, buckets: Option<u32>) -> Self {
        Self { id: id.into(), values: Vec::new(), buckets, custom: None, weight: None }
    }
}

/// Why a list of rules is not a valid policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyError {
    /// No rule has this id.
    UnknownRule {
        /// The id as given.
        id: String,
    },
    /// A rule occurs twice in the list.
    Twice {
        /// Its id.
        id: &'static str,
    },
    /// A custom rule has an invalid expression.
    Expression {
        /// The rule.
        id: &'static str,
        /// What is wrong with its expression.
        fault: Fault,
    },
    /// There are more exact preferences than fit into a key.
    TooFine,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownRule { id } => {
                write!(f, "expected the id of a rule, got \"{id}\"; `tiebreak list rules` names them all")
            }
            Self::Twice { id } => write!(f, "expected each rule once, got {id} twice; remove one"),
            Self::Expression { id, fault } => write!(f, "{id}: {fault}"),
            Self::TooFine => write!(f, "expected at most 16 preferences without buckets; give some of them buckets"),
        }
    }
}

impl core::error::Error for PolicyError {}

/// A checked list of rules.
pub struct Policy {
    pub(crate) cluster_validators: Vec<RankedValidator<ClusterId>>,
    pub(crate) cluster_preferences: Vec<RankedPreference<ClusterId>>,
    pub(crate) rack_validators: Vec<RankedValidator<RackId>>,
    pub(crate) machine_validators: Vec<RankedValidator<MachineId>>,
    pub(crate) machine_preferences: Vec<MachineStage>,
    pub(crate) fields: Vec<Field>,
    pub(crate) width: KeyWidth,
    pub(crate) best_clusters: u32,
    /// Whether VMs are placed only where the network has capacity for their links.
    pub(crate) bandwidth: Option<&'static str>,
    /// Whether preferences are compared by manual weights.
    pub(crate) weighted: bool,
    /// How manual weights combine.
    pub(crate) combining: Combining,
    /// Whether any rule sees the requesting tenant's VMs.
    pub(crate) sees_tenant: bool,
    /// Whether VMs may evict ones of lower priority.
    evicts: bool,
    /// Whether any rule reads a VM's predicted lifetime, and whether this distinguishes classes.
    asks_for_lifetimes: bool,
    pub(crate) life_tells_apart: bool,
    /// Whether any rule reads affinity classes.
    asks_for_affinity: bool,
    /// Whether any rule distinguishes VMs by their predicted utilization.
    load_tells_apart: bool,
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rule_ids()).finish()
    }
}

impl Policy {
    /// Puts these rules in order. `best_clusters` is Protean's k: how many clusters the machine stage searches (the
    /// paper uses 8 to 16).
    ///
    /// # Errors
    /// If a rule is unknown or occurs twice, if an expression is invalid, or if the policy has too many exact
    /// preferences.
    pub fn new(rules: &[RuleUse], best_clusters: u32) -> Result<Self, PolicyError> {
        let mut policy = Self::bare(best_clusters);
        for rule in rules {
            let entry = match &rule.custom {
                Some(custom) => custom.entry(),
                None => find(&rule.id).ok_or_else(|| PolicyError::UnknownRule { id: rule.id.clone() })?,
            };
            if policy.rule_ids().any(|id| id == entry.declaration.id) {
                return Err(PolicyError::Twice { id: entry.declaration.id });
            }
            policy.push(entry, rule)?;
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
            width: KeyWidth::Quarter,
            best_clusters: best_clusters.max(1),
            bandwidth: None,
            weighted: false,
            combining: Combining::Majority,
            sees_tenant: false,
            evicts: false,
            asks_for_lifetimes: false,
            life_tells_apart: false,
            asks_for_affinity: false,
            load_tells_apart: false,
        }
    }

    fn finish(mut self) -> Result<Self, PolicyError> {
        let largest: Vec<_> = self.machine_preferences.iter().map(|stage| stage.quantizer().largest()).collect();
        (self.fields, self.width) = layout(&largest);
        self.sees_tenant = self.cluster_validators.iter().any(|ranked| ranked.sees_tenant)
            || self.cluster_preferences.iter().any(|ranked| ranked.rule.sees_tenant())
            || self.rack_validators.iter().any(|ranked| ranked.sees_tenant)
            || self.machine_validators.iter().any(|ranked| ranked.sees_tenant)
            || self.machine_preferences.iter().any(MachineStage::sees_tenant);
        self.life_tells_apart = tells_lives_apart(|vm, words| self.write_key(vm, words));
        self.asks_for_affinity = tells_affinities_apart(|vm, words| self.write_key(vm, words));
        self.load_tells_apart = tells_loads_apart(|vm, words| self.write_key(vm, words));
        let temporal = |stage: &MachineStage| matches!(stage, MachineStage::Temporal(_));
        self.asks_for_lifetimes = self.life_tells_apart || self.machine_preferences.iter().any(temporal);
        match self.width {
            KeyWidth::Words(words) if words > WORDS_MAX => Err(PolicyError::TooFine),
            _ => Ok(self),
        }
    }

    fn push(&mut self, entry: &'static RuleEntry, rule: &RuleUse) -> Result<(), PolicyError> {
        let id = entry.declaration.id;
        let built = match &rule.custom {
            Some(custom) => custom.build(&rule.values).map_err(|fault| PolicyError::Expression { id, fault })?,
            None => entry.build(&rule.values),
        };
        if let Some(weight) = rule.weight.filter(|_| entry.group.scores()) {
            (self.weighted, self.combining) = (true, weight.combining());
        }
        self.evicts |=
            id == REQUIRED_RULE && rule.custom.is_none() && AreNodeResourcesValid::from_values(&rule.values).evict;
        let made =
            Made { id, quantizer: Quantizer::of(rule.buckets, entry.levels), weight: rule.weight.unwrap_or_default() };
        self.add(built, made);
        Ok(())
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

    /// Whether its preferences are compared by manual weights, not in strict order.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.weighted
    }
}

/// The default policy: rules that keep tenants' placement terms, then Protean's examples in Protean's order, with its
/// three buckets for BestFit (section 6.3).
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
    find(id).map(|entry| entry.group)
}
