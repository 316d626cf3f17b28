//! Rules in their positions: what a policy knows about each.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, RackId, VmRequest};

use super::classes::{asks_nothing, is_common, nobody};
use super::weight::Weight;
use crate::lifetime::temporal::{AnyTemporal, score_of};
use crate::network::uplink::AnyUplink;
use crate::power::chassis::AnyChassis;
use crate::rule::erased::{AnyPreference, AnyValidator};
use crate::rule::quantize::Quantizer;

/// A validator in its position.
pub(crate) struct RankedValidator<Id> {
    pub(crate) id: &'static str,
    pub(crate) rule: Box<dyn AnyValidator<Id>>,
    /// Whether it sees the requesting tenant's VMs.
    pub(crate) sees_tenant: bool,
    /// Whether it can refuse a VM without placement terms.
    pub(crate) concerns_all: bool,
    /// Whether every request of every tenant gets the same verdict.
    pub(crate) asks_nothing: bool,
    /// Whether all tenants without placement terms get the same verdict.
    pub(crate) is_common: bool,
}

/// A preference in its position.
pub(crate) struct RankedPreference<Id> {
    pub(crate) id: &'static str,
    pub(crate) rule: Box<dyn AnyPreference<Id>>,
    pub(crate) quantizer: Quantizer,
    pub(crate) weight: Weight,
    /// Whether every request of every tenant gets the same score.
    pub(crate) asks_nothing: bool,
    /// Whether all tenants without placement terms get the same score.
    pub(crate) is_common: bool,
}

/// A temporal preference in its position.
pub(crate) struct RankedTemporal {
    pub(crate) id: &'static str,
    pub(crate) rule: Box<dyn AnyTemporal>,
    pub(crate) quantizer: Quantizer,
    pub(crate) weight: Weight,
    /// The bucket of each of its levels.
    pub(crate) buckets: Vec<u32>,
}

/// A preference in its position that is evaluated for each decision.
pub(crate) struct RankedLive<Rule: ?Sized> {
    pub(crate) id: &'static str,
    pub(crate) rule: Arc<Rule>,
    pub(crate) quantizer: Quantizer,
    pub(crate) weight: Weight,
}

/// A preference of the machine stage, of any reach.
pub(crate) enum MachineStage {
    Rack(RankedPreference<RackId>),
    Machine(RankedPreference<MachineId>),
    Temporal(RankedTemporal),
    Uplink(RankedLive<dyn AnyUplink>),
    Chassis(RankedLive<dyn AnyChassis>),
}

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

    pub(super) fn sees_tenant(&self) -> bool {
        of_either!(self, ranked => ranked.rule.sees_tenant())
    }

    pub(super) fn write_key(&self, vm: &VmRequest, words: &mut Vec<u64>) {
        of_either!(self, ranked => ranked.rule.write_key(vm, words));
    }
}

/// What a rule needs to be put into its position.
pub(super) struct Made {
    pub(super) id: &'static str,
    pub(super) quantizer: Quantizer,
    pub(super) weight: Weight,
}

impl Made {
    pub(super) fn validator<Id>(self, rule: Box<dyn AnyValidator<Id>>) -> RankedValidator<Id> {
        let key = |vm: &VmRequest, words: &mut Vec<u64>| rule.write_key(vm, words);
        let (sees_tenant, is_common) = (rule.sees_tenant(), is_common(key));
        let asks_nothing = !sees_tenant && asks_nothing(key);
        let concerns_all = !is_common || rule.concerns(&nobody());
        RankedValidator { id: self.id, rule, sees_tenant, concerns_all, asks_nothing, is_common }
    }

    pub(super) fn preference<Id>(self, rule: Box<dyn AnyPreference<Id>>) -> RankedPreference<Id> {
        let key = |vm: &VmRequest, words: &mut Vec<u64>| rule.write_key(vm, words);
        let (asks_nothing, is_common) = (!rule.sees_tenant() && asks_nothing(key), is_common(key));
        let Self { id, quantizer, weight } = self;
        RankedPreference { id, rule, quantizer, weight, asks_nothing, is_common }
    }

    pub(super) fn live<Rule: ?Sized>(self, rule: Arc<Rule>) -> RankedLive<Rule> {
        let Self { id, quantizer, weight } = self;
        RankedLive { id, rule, quantizer, weight }
    }

    pub(super) fn temporal(self, rule: Box<dyn AnyTemporal>) -> RankedTemporal {
        let Self { id, quantizer, weight } = self;
        let levels = rule.levels();
        let buckets = (0..levels).map(|level| quantizer.bucket(score_of(level, levels)) as u32).collect();
        RankedTemporal { id, rule, quantizer, weight, buckets }
    }
}
