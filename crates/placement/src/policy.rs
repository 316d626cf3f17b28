//! The policy: rules in one order, by stage.
//!
//! Validators only filter, so their order matters to explanations alone. Preferences
//! stand in strict order: each sees only the ties that those above it left
//! (Protean section 3.3).

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use tiebreak_model::VmShape;

use crate::erased::{AnyPreference, AnyValidator};
use crate::packed::{Field, Wide, layout};
use crate::quantize::Quantizer;
use crate::rule::{OfCluster, OfMachine, OfRack, Reach};
use crate::rules::{AnyRule, Group, RuleEntry};

/// One row of the list: a rule, its parameters and its buckets.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleUse {
    /// Which rule.
    pub id: String,
    /// One value per declared parameter; what is missing or not allowed is the default.
    pub values: Vec<f64>,
    /// Buckets of a preference, at least 1; none compares scores exactly.
    pub buckets: Option<u32>,
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
pub(crate) struct RankedValidator<R: Reach> {
    pub(crate) id: &'static str,
    pub(crate) rule: Box<dyn AnyValidator<R>>,
}

/// A preference in its place.
pub(crate) struct RankedPreference<R: Reach> {
    pub(crate) id: &'static str,
    pub(crate) rule: Box<dyn AnyPreference<R>>,
    pub(crate) quantizer: Quantizer,
}

/// A machine-stage preference, of either reach.
pub(crate) enum MachineStage {
    Rack(RankedPreference<OfRack>),
    Machine(RankedPreference<OfMachine>),
}

impl MachineStage {
    pub(crate) fn id(&self) -> &'static str {
        match self {
            Self::Rack(ranked) => ranked.id,
            Self::Machine(ranked) => ranked.id,
        }
    }

    pub(crate) fn quantizer(&self) -> Quantizer {
        match self {
            Self::Rack(ranked) => ranked.quantizer,
            Self::Machine(ranked) => ranked.quantizer,
        }
    }
}

/// A checked list of rules.
pub struct Policy {
    pub(crate) cluster_validators: Vec<RankedValidator<OfCluster>>,
    pub(crate) cluster_preferences: Vec<RankedPreference<OfCluster>>,
    pub(crate) rack_validators: Vec<RankedValidator<OfRack>>,
    pub(crate) machine_validators: Vec<RankedValidator<OfMachine>>,
    pub(crate) machine_preferences: Vec<MachineStage>,
    pub(crate) fields: Vec<Field>,
    pub(crate) words: u32,
    pub(crate) best_clusters: u32,
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
        let mut policy = Self {
            cluster_validators: Vec::new(),
            cluster_preferences: Vec::new(),
            rack_validators: Vec::new(),
            machine_validators: Vec::new(),
            machine_preferences: Vec::new(),
            fields: Vec::new(),
            words: 0,
            best_clusters: best_clusters.max(1),
        };
        for rule in rules {
            let entry = crate::rules::find(&rule.id).ok_or_else(|| PolicyError::UnknownRule { id: rule.id.clone() })?;
            if policy.rule_ids().any(|id| id == entry.declaration.id) {
                return Err(PolicyError::Twice { id: entry.declaration.id });
            }
            policy.push(entry, rule);
        }
        let widths: Vec<_> = policy.machine_preferences.iter().map(|stage| stage.quantizer().bits()).collect();
        (policy.fields, policy.words) = layout(&widths);
        if policy.words > <Wide as crate::packed::PackedKey>::WORDS {
            return Err(PolicyError::TooFine);
        }
        Ok(policy)
    }

    fn push(&mut self, entry: &'static RuleEntry, rule: &RuleUse) {
        let id = entry.declaration.id;
        let quantizer = Quantizer::of(rule.buckets, entry.levels);
        match (entry.build)(&rule.values) {
            AnyRule::ClusterValidator(rule) => self.cluster_validators.push(RankedValidator { id, rule }),
            AnyRule::RackValidator(rule) => self.rack_validators.push(RankedValidator { id, rule }),
            AnyRule::MachineValidator(rule) => self.machine_validators.push(RankedValidator { id, rule }),
            AnyRule::ClusterPreference(rule) => {
                self.cluster_preferences.push(RankedPreference { id, rule, quantizer });
            }
            AnyRule::RackPreference(rule) => {
                self.machine_preferences.push(MachineStage::Rack(RankedPreference { id, rule, quantizer }));
            }
            AnyRule::MachinePreference(rule) => {
                self.machine_preferences.push(MachineStage::Machine(RankedPreference { id, rule, quantizer }));
            }
        }
    }

    /// The ids of its rules, stage by stage in order.
    pub fn rule_ids(&self) -> impl Iterator<Item = &'static str> + '_ {
        let clusters = self.cluster_validators.iter().map(|ranked| ranked.id);
        let clusters = clusters.chain(self.cluster_preferences.iter().map(|ranked| ranked.id));
        let racks = self.rack_validators.iter().map(|ranked| ranked.id);
        let machines = self.machine_validators.iter().map(|ranked| ranked.id);
        clusters.chain(racks).chain(machines).chain(self.machine_preferences.iter().map(MachineStage::id))
    }

    /// Whether any rule looks at a whole rack, so that racks are ranked apart.
    pub(crate) fn sees_racks(&self) -> bool {
        let rack = |stage: &MachineStage| matches!(stage, MachineStage::Rack(_));
        !self.rack_validators.is_empty() || self.machine_preferences.iter().any(rack)
    }

    /// The request's key under the whole list: requests with equal words are one class.
    pub(crate) fn write_key(&self, vm: &VmShape, words: &mut Vec<u64>) {
        words.clear();
        self.cluster_validators.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        self.cluster_preferences.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        self.rack_validators.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        self.machine_validators.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        for stage in &self.machine_preferences {
            match stage {
                MachineStage::Rack(ranked) => ranked.rule.write_key(vm, words),
                MachineStage::Machine(ranked) => ranked.rule.write_key(vm, words),
            }
        }
    }
}

/// The default list: Protean's examples in Protean's order, with its three buckets for
/// BestFit (section 6.3).
#[must_use]
pub fn default_rules() -> Vec<RuleUse> {
    let rules = [
        ("IsTypeSupported", None),
        ("IsClusterBelowLimit", None),
        ("PreferEmptierClusters", None),
        ("AreNodeResourcesValid", None),
        ("IsMachineReady", None),
        ("PreferNonEmptyMachines", None),
        ("BestFit", Some(3)),
        ("PreferLeastUsedRack", Some(4)),
    ];
    rules.map(|(id, buckets)| RuleUse { id: id.into(), values: Vec::new(), buckets }).into()
}

/// The stage a rule id belongs to, if there is such a rule.
#[must_use]
pub fn group_of(id: &str) -> Option<Group> {
    crate::rules::find(id).map(|entry| entry.group)
}
