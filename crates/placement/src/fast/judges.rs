//! The machine rules bound to one class of requests, and their verdicts on machines.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, RackId, Scene, VmRequest};

use super::objects::Handle;
use super::packed::PackedKey;
use crate::policy::Policy;
use crate::policy::fields::Field;
use crate::policy::ranked::MachineStage;
use crate::rule::erased::{BoundPreference, BoundValidator};
use crate::rule::quantize::Quantizer;

/// A machine rule bound to a class of requests.
pub(crate) struct Judge {
    /// Its index among the policy's machine rules; identifies its rule objects.
    pub(crate) index: u16,
    pub(crate) id: &'static str,
    /// Its key.
    pub(crate) words: Vec<u64>,
    pub(crate) bound: Bound,
    /// The last position of its rule object, and of its counters.
    pub(crate) handle: Handle,
    pub(crate) counted_at: Option<usize>,
}

pub(crate) enum Bound {
    Validator(Box<dyn BoundValidator<MachineId>>),
    Preference { rule: Box<dyn BoundPreference<MachineId>>, quantizer: Quantizer, field: Field },
}

/// Buffers for verdicts, kept between calls.
#[derive(Default)]
pub(crate) struct Room {
    valid: Vec<bool>,
    scores: Vec<f64>,
}

impl Judge {
    /// Its verdicts on these machines: 1 and 0 for valid and invalid, or buckets.
    pub(crate) fn verdicts(
        &self,
        scene: Scene<'_>,
        ids: &[MachineId],
        room: &mut Room,
        mut each: impl FnMut(usize, u64),
    ) {
        match &self.bound {
            Bound::Validator(rule) => {
                room.valid.clear();
                room.valid.resize(ids.len(), true);
                rule.judge(scene, ids, &mut room.valid);
                room.valid.iter().enumerate().for_each(|(at, valid)| each(at, u64::from(*valid)));
            }
            Bound::Preference { rule, quantizer, .. } => {
                rule.scores(scene, ids, &mut room.scores);
                room.scores.iter().enumerate().for_each(|(at, score)| each(at, quantizer.bucket(*score)));
            }
        }
    }

    /// A machine's key with this rule's verdict, or `None` if the machine is invalid.
    #[inline]
    fn judge_one<K: PackedKey>(&self, scene: Scene<'_>, machine: MachineId, key: K) -> Option<K> {
        match &self.bound {
            Bound::Validator(rule) => rule.is_valid(scene, machine).then_some(key),
            Bound::Preference { rule, quantizer, field } => {
                Some(key.with(*field, quantizer.bucket(rule.score(scene, machine))))
            }
        }
    }

    /// Its largest verdict.
    pub(crate) fn largest(&self) -> u64 {
        match &self.bound {
            Bound::Validator(_) => 1,
            Bound::Preference { quantizer, .. } => quantizer.largest(),
        }
    }

    /// Adds this rule's verdict to a machine's key.
    #[inline]
    pub(crate) fn apply<K: PackedKey>(&self, key: &mut K, verdict: u64) {
        match &self.bound {
            Bound::Validator(_) => {
                if verdict == 0 {
                    *key = K::INVALID;
                }
            }
            Bound::Preference { field, .. } => {
                if *key != K::INVALID {
                    *key = key.with(*field, verdict);
                }
            }
        }
    }
}

/// So many machines are judged one at a time: a batch of them costs more than it saves.
const FEW: usize = 16;

/// Adds the verdicts on some machines to their keys, without caching them. In a batch, preferences also score the
/// machines that validators excluded: usually there are none, and telling them apart costs more.
pub(crate) fn judge_directly<K: PackedKey>(
    judges: &[Judge],
    scene: Scene<'_>,
    machines: &[MachineId],
    (room, keys): (&mut Room, &mut [K]),
) {
    if machines.len() <= FEW {
        for (machine, key) in machines.iter().zip(keys).filter(|(_, key)| **key != K::INVALID) {
            *key = judged(judges, scene, *machine, *key);
        }
        return;
    }
    for judge in judges {
        judge.verdicts(scene, machines, room, |at, verdict| judge.apply(&mut keys[at], verdict));
    }
}

/// A machine's key with the verdicts of some rules; it was valid before.
#[inline]
pub(crate) fn judged<K: PackedKey>(judges: &[Judge], scene: Scene<'_>, machine: MachineId, key: K) -> K {
    judges.iter().try_fold(key, |key, judge| judge.judge_one(scene, machine, key)).unwrap_or(K::INVALID)
}

/// The machine rules of a policy for one class.
#[derive(Default)]
pub(crate) struct MachineJudges {
    /// The class's own rules; all rules for a class that is not common.
    pub(crate) own: Vec<Judge>,
    /// The common ones, whose verdicts are the same for all tenants without placement terms.
    pub(crate) common: Vec<Judge>,
    /// Those of the common ones that see only a machine's condition.
    pub(crate) of_hosts: Vec<Judge>,
}

/// Binds the machine rules of a policy to a class.
pub(crate) fn judges(policy: &Policy, vm: &VmRequest) -> MachineJudges {
    let mut judges = MachineJudges::default();
    let common = policy.is_common(vm);
    let mut push = |index, id, words, bound, (is_common, sees_host_alone): (bool, bool)| {
        let judge = Judge { index, id, words, bound, handle: Handle::NONE, counted_at: None };
        let list = match (common && is_common, sees_host_alone) {
            (false, _) => &mut judges.own,
            (true, false) => &mut judges.common,
            (true, true) => &mut judges.of_hosts,
        };
        list.push(judge);
    };
    let validators = (0..).zip(&policy.machine_validators);
    for (index, ranked) in validators.filter(|(_, ranked)| ranked.rule.concerns(vm)) {
        let words = words_of(|words| ranked.rule.write_key(vm, words));
        let kind = (ranked.is_common, ranked.rule.sees_host_alone());
        push(index, ranked.id, words, Bound::Validator(ranked.rule.bind(vm)), kind);
    }
    let first = policy.machine_validators.len() as u16;
    for ((index, stage), field) in (first..).zip(&policy.machine_preferences).zip(&policy.fields) {
        if let MachineStage::Machine(ranked) = stage {
            let words = words_of(|words| ranked.rule.write_key(vm, words));
            let bound = Bound::Preference { rule: ranked.rule.bind(vm), quantizer: ranked.quantizer, field: *field };
            push(index, ranked.id, words, bound, (ranked.is_common, ranked.rule.sees_host_alone()));
        }
    }
    judges
}

fn words_of(write: impl FnOnce(&mut Vec<u64>)) -> Vec<u64> {
    let mut words = Vec::new();
    write(&mut words);
    words
}

/// Rack rules of a policy for one class.
#[derive(Default)]
pub(crate) struct RackJudges {
    validators: Vec<Box<dyn BoundValidator<RackId>>>,
    preferences: Vec<(Box<dyn BoundPreference<RackId>>, Quantizer, Field)>,
}

impl RackJudges {
    /// The class's own rules, and the common ones.
    pub(crate) fn new(policy: &Policy, vm: &VmRequest) -> (Self, Self) {
        let (mut asking, mut shared) = (Self::default(), Self::default());
        let common = policy.is_common(vm);
        for ranked in policy.rack_validators.iter().filter(|ranked| ranked.rule.concerns(vm)) {
            let judges = if common && ranked.is_common { &mut shared } else { &mut asking };
            judges.validators.push(ranked.rule.bind(vm));
        }
        for (stage, field) in policy.machine_preferences.iter().zip(&policy.fields) {
            if let MachineStage::Rack(ranked) = stage {
                let judges = if common && ranked.is_common { &mut shared } else { &mut asking };
                judges.preferences.push((ranked.rule.bind(vm), ranked.quantizer, *field));
            }
        }
        (asking, shared)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.validators.is_empty() && self.preferences.is_empty()
    }

    /// The rack's part of a key: invalid, or with its fields filled in.
    pub(crate) fn key<K: PackedKey>(&self, scene: Scene<'_>, rack: RackId) -> K {
        if self.validators.iter().any(|rule| !rule.is_valid(scene, rack)) {
            return K::INVALID;
        }
        let with = |key: K, (rule, quantizer, field): &(Box<dyn BoundPreference<RackId>>, Quantizer, Field)| {
            key.with(*field, quantizer.bucket(rule.score(scene, rack)))
        };
        self.preferences.iter().fold(K::ZERO, with)
    }
}

/// Combines two parts of one key; invalid if either is.
#[inline]
pub(crate) fn together<K: PackedKey>(one: K, other: K) -> K {
    if one == K::INVALID || other == K::INVALID { K::INVALID } else { one.plus(other) }
}
