//! Rules that are evaluated for each decision, each with its field of a key: ranked keys leave that field empty.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use tiebreak_model::{Cut, MachineId, Network, Occupancy, PredictedLife, RackId};

use super::packed::PackedKey;
use crate::lifetime::Steps;
use crate::network::uplink::{AnyUplink, used_share};
use crate::policy::Policy;
use crate::policy::fields::Field;
use crate::policy::ranked::MachineStage;
use crate::power::chassis::{AnyChassis, Asker};
use crate::rule::quantize::Quantizer;

/// A temporal preference at one moment: its buckets by a machine's expected exit, and their field in the key.
pub(crate) type Moment = (Steps, Field);

/// Writes the current steps of a policy's temporal preferences for a VM into `moment`.
pub(crate) fn write_moment(policy: &Policy, vm: &PredictedLife, moment: &mut Vec<Moment>) {
    moment.clear();
    for (stage, field) in policy.machine_preferences.iter().zip(&policy.fields) {
        if let MachineStage::Temporal(ranked) = stage {
            moment.push((ranked.rule.steps(vm).map(|level| ranked.buckets[level as usize]), *field));
        }
    }
}

/// A rule about uplinks and its field of a key.
pub(crate) struct UplinkField {
    rule: Arc<dyn AnyUplink>,
    quantizer: Quantizer,
    pub(crate) field: Field,
}

impl UplinkField {
    /// Those of a policy.
    pub(crate) fn of(policy: &Policy) -> Vec<Self> {
        let stages = policy.machine_preferences.iter().zip(&policy.fields);
        let uplinks = stages.filter_map(|(stage, field)| match stage {
            MachineStage::Uplink(it) => Some(Self { rule: it.rule.clone(), quantizer: it.quantizer, field: *field }),
            _ => None,
        });
        uplinks.collect()
    }

    /// A key with the rule's bucket for a machine.
    #[inline]
    pub(crate) fn apply<K: PackedKey>(&self, network: Option<&Network>, machine: MachineId, key: K) -> K {
        key.with(self.field, self.quantizer.bucket(self.rule.score(used_share(network, machine))))
    }

    /// A key with the rule's lowest bucket for any of these machines of one cluster.
    pub(crate) fn least<K: PackedKey>(&self, network: Option<&Network>, machines: Range<u32>, key: K) -> K {
        let share = network.map_or(0.0, |network| {
            let capacity = network.capacity_kbps(Cut::Machine(MachineId(machines.start)));
            let (_, most) = network.range_kbps(machines);
            // A block may reach into a cluster with larger uplinks; use counts as at least 0.
            if capacity == 0 { 1.0 } else { (capacity as i64 - most).max(0) as f64 / capacity as f64 }
        });
        key.with(self.field, self.quantizer.bucket(self.rule.score(share)))
    }
}

/// A rule about chassis and its field of a key.
pub(crate) struct ChassisField {
    rule: Arc<dyn AnyChassis>,
    quantizer: Quantizer,
    pub(crate) field: Field,
    /// Whether it is the last preference.
    pub(crate) is_last: bool,
}

impl ChassisField {
    /// Those of a policy.
    pub(crate) fn of(policy: &Policy) -> Vec<Self> {
        let stages = policy.machine_preferences.iter().zip(&policy.fields).rev().enumerate();
        let chassis = stages.filter_map(|(below, (stage, field))| match stage {
            MachineStage::Chassis(it) => {
                let (rule, quantizer) = (it.rule.clone(), it.quantizer);
                Some(Self { rule, quantizer, field: *field, is_last: below == 0 })
            }
            _ => None,
        });
        chassis.collect()
    }

    /// The rule bound to one decision.
    #[inline]
    pub(crate) fn asked<'a>(&'a self, occupancy: &'a Occupancy, user_facing: bool) -> AskedChassis<'a> {
        AskedChassis { field: self, asker: Asker { quantizer: self.quantizer, occupancy, user_facing } }
    }
}

/// A rule about chassis, with the VM's kind and the current occupancy.
#[derive(Clone, Copy)]
pub(crate) struct AskedChassis<'a> {
    pub(crate) field: &'a ChassisField,
    asker: Asker<'a>,
}

impl AskedChassis<'_> {
    /// A key with the rule's bucket for a machine.
    #[inline]
    pub(crate) fn apply<K: PackedKey>(&self, machine: MachineId, key: K) -> K {
        key.with(self.field.field, self.field.rule.bucket(&self.asker, machine))
    }

    /// The lowest bucket of the given machines of a rack (at least one), and those that have it, as bits.
    #[inline]
    pub(crate) fn least(&self, rack: RackId, machines: u64) -> (u64, u64) {
        self.field.rule.least(&self.asker, rack, machines)
    }

    /// The kind of the VM: 1 for user-facing, 0 for batch.
    #[inline]
    pub(crate) fn kind(&self) -> usize {
        usize::from(self.asker.user_facing)
    }
}
