//! Which requests a policy distinguishes: those with equal keys are one class and share its cache entries.

use alloc::vec::Vec;

use tiebreak_model::{Load, PredictedLife, Resources, VmAffinity, VmRequest, VmShape};

use super::Policy;
use super::ranked::MachineStage;
use crate::lifetime::CLASS_MAX;

impl Policy {
    /// The request's key under the whole policy: requests with equal words are one class.
    pub(crate) fn write_key(&self, vm: &VmRequest, words: &mut Vec<u64>) {
        words.clear();
        self.cluster_validators.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        self.cluster_preferences.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        self.rack_validators.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        self.machine_validators.iter().for_each(|ranked| ranked.rule.write_key(vm, words));
        for stage in &self.machine_preferences {
            stage.write_key(vm, words);
        }
    }

    /// Whether the verdicts cached for tenants without placement terms apply to this request.
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

    /// A machine with less free than this is invalid for the request.
    pub(crate) fn must_be_free(&self, vm: &VmRequest) -> Resources {
        let asked = self.machine_validators.iter().map(|ranked| ranked.rule.must_be_free(vm));
        asked.fold(Resources::NONE, Resources::at_least)
    }

    /// Whether any machine or rack rule may give this VM another verdict because of where its tenant's other VMs are.
    pub(crate) fn minds_company(&self, vm: &VmRequest) -> bool {
        self.rack_validators.iter().any(|it| it.sees_tenant && it.rule.concerns(vm))
            || self.machine_validators.iter().any(|it| it.sees_tenant && it.rule.concerns(vm))
            || self.machine_preferences.iter().any(MachineStage::sees_tenant)
    }
}

/// Whether requests with different predicted lifetimes have different keys.
pub(super) fn tells_lives_apart(write_key: impl Fn(&VmRequest, &mut Vec<u64>)) -> bool {
    let usual = nobody();
    let long = PredictedLife {
        remaining_s: u32::MAX,
        first_s: u32::MAX,
        first_exit_s: u32::MAX,
        class: CLASS_MAX,
        now_s: 0,
        affinity: LONGEST,
    };
    tells_apart(&usual, &VmRequest { life: long, ..usual }, write_key)
}

/// Whether requests with different affinity classes have different keys.
pub(super) fn tells_affinities_apart(write_key: impl Fn(&VmRequest, &mut Vec<u64>)) -> bool {
    let usual = nobody();
    let long = PredictedLife { affinity: LONGEST, ..usual.life };
    tells_apart(&usual, &VmRequest { life: long, ..usual }, write_key)
}

/// The affinity of a long-lived VM.
const LONGEST: VmAffinity = VmAffinity { class: 6, classes: 6, omega_pct: 100 };

/// Whether requests of different loads have different keys.
pub(super) fn tells_loads_apart(write_key: impl Fn(&VmRequest, &mut Vec<u64>)) -> bool {
    let usual = nobody();
    let slowable = VmRequest { shape: VmShape { load: SLOWABLE, ..usual.shape }, ..usual };
    tells_apart(&usual, &slowable, write_key)
}

fn tells_apart(one: &VmRequest, other: &VmRequest, write_key: impl Fn(&VmRequest, &mut Vec<u64>)) -> bool {
    let key = |vm: &VmRequest| {
        let mut words = Vec::new();
        write_key(vm, &mut words);
        words
    };
    key(one) != key(other)
}

/// A request that represents all tenants without placement terms.
pub(crate) fn nobody() -> VmRequest {
    VmRequest::alone(VmShape::plain(Resources::NONE))
}

/// A batch VM without load.
const SLOWABLE: Load = Load { user_facing: false, p95_pct: 0 };

/// Whether requests of tenants without placement terms have the same key, whatever their size, priority and load.
pub(super) fn is_common(write_key: impl Fn(&VmRequest, &mut Vec<u64>)) -> bool {
    let key = |shape| {
        let mut words = Vec::new();
        write_key(&VmRequest::alone(shape), &mut words);
        words
    };
    let sized = VmShape::plain(Resources::new(1, 1, 1, 1));
    let usual = key(nobody().shape);
    !tells_lives_apart(&write_key)
        && [sized, VmShape { priority: 1, load: SLOWABLE, ..sized }].into_iter().all(|shape| key(shape) == usual)
}

/// Whether a key has no words: then all requests have the same key.
pub(super) fn asks_nothing(write_key: impl Fn(&VmRequest, &mut Vec<u64>)) -> bool {
    let mut words = Vec::new();
    write_key(&nobody(), &mut words);
    words.is_empty()
}
