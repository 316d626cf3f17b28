//! Checks that must not depend on a stale view or a cache: at the store, for cluster admission, for bandwidth, and
//! for evictions.

use alloc::vec::Vec;

use tiebreak_model::{ClusterId, MachineId, Phrase, Scene, VmRequest, VmShape};

use super::Policy;
use super::classes::nobody;
use super::ranked::RankedValidator;
use crate::network::gate::Gate;
use crate::rule::erased::AnyValidator;

impl Policy {
    /// Whether the store may accept this VM on this machine, given its tenants' placement terms and bandwidth. A
    /// stale view cannot guarantee these (Protean section 5.3, fine-grained detection).
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

    /// Whether [`may_commit`](Self::may_commit) can refuse anything in a run whose VMs have these shapes.
    #[must_use]
    pub fn makes_promises(&self, shapes: &[VmShape]) -> bool {
        self.bandwidth.is_some()
            || promises_any(&self.machine_validators, shapes)
            || promises_any(&self.rack_validators, shapes)
            || promises_any(&self.cluster_validators, shapes)
    }

    /// The network's gate, if the policy checks bandwidth.
    pub(crate) fn gate<'a>(&self, scene: Scene<'a>) -> Option<Gate<'a>> {
        self.bandwidth.and_then(|_| Gate::of(scene))
    }

    /// Whether the admission rules admit the newcomer of a scene to a cluster.
    #[must_use]
    pub fn lets_in(&self, scene: Scene<'_>, cluster: ClusterId) -> bool {
        let mut live = self.cluster_validators.iter().filter(|ranked| ranked.rule.is_live());
        live.all(|ranked| ranked.rule.check(&nobody(), scene, cluster))
    }

    /// Why they do not, rule by rule; continues a sentence that starts with "it".
    #[must_use]
    pub fn objections(&self, scene: Scene<'_>, cluster: ClusterId) -> Vec<(&'static str, Phrase)> {
        let live = self.cluster_validators.iter().filter(|ranked| ranked.rule.is_live());
        let words = |it: &RankedValidator<ClusterId>| it.rule.bind(&nobody()).words(scene, cluster);
        live.filter_map(|ranked| Some((ranked.id, words(ranked)?))).collect()
    }

    /// Whether a VM may evict ones of lower priority.
    #[must_use]
    pub fn lets_evict(&self, vm: &VmShape) -> bool {
        self.evicts && !vm.is_evictable()
    }
}

/// Whether any VM of these shapes relies on one of the validators about tenants.
fn promises_any<Id>(validators: &[RankedValidator<Id>], shapes: &[VmShape]) -> bool {
    let relies = |rule: &dyn AnyValidator<Id>, shape: &VmShape| {
        rule.concerns(&VmRequest::alone(*shape)) && rule.serves(&shape.terms)
    };
    let mut about_tenants = validators.iter().filter(|ranked| ranked.sees_tenant);
    about_tenants.any(|ranked| shapes.iter().any(|shape| relies(&*ranked.rule, shape)))
}

/// Whether the validators about tenants accept the VM.
fn keeps_promises<Id: Copy>(validators: &[RankedValidator<Id>], vm: &VmRequest, scene: Scene<'_>, place: Id) -> bool {
    let has_terms = !vm.shape.terms.is_none();
    let mut about_it = validators.iter().filter(|ranked| ranked.sees_tenant && (has_terms || ranked.concerns_all));
    about_it.all(|ranked| ranked.rule.check(vm, scene, place))
}
