//! What a decision means: the uncached path, rule by rule.
//!
//! Every rule narrows the candidates that the rules above it left, exactly as
//! Protean section 3.3 describes; nothing is packed, ranked or remembered. The quick path in
//! [`allocator`](crate::allocator) must give the same best set, bit for bit, and
//! explanations are made from this one.

use alloc::vec::Vec;

use tiebreak_model::{ClusterId, MachineId, Occupancy, RackId, VmShape};

use crate::policy::{MachineStage, Policy};

/// How one rule narrowed the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The rule.
    pub rule: &'static str,
    /// Candidates it was given.
    pub before: u32,
    /// Candidates it left.
    pub after: u32,
}

/// A decision, rule by rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Funnel {
    /// How cluster rules narrowed the clusters; the last step is the choice of the best k.
    pub cluster_steps: Vec<Step>,
    /// The chosen clusters, by id.
    pub clusters: Vec<ClusterId>,
    /// How machine rules narrowed the machines of those clusters.
    pub steps: Vec<Step>,
    /// The machines tied for best, by id; empty when the VM is refused.
    pub best: Vec<MachineId>,
    /// The machines that the last preference to drop any dropped, by id: what came second.
    pub dropped_last: Vec<MachineId>,
    /// That preference.
    pub decided_by: Option<&'static str>,
}

impl Funnel {
    /// Machines the machine stage began with.
    #[must_use]
    pub fn candidates(&self) -> u32 {
        self.steps.first().map_or(self.best.len() as u32, |step| step.before)
    }
}

/// The name of the step that keeps the best k clusters.
pub const BEST_CLUSTERS: &str = "Best clusters";

/// Decides where a VM may go.
#[must_use]
pub fn funnel(policy: &Policy, occupancy: &Occupancy, vm: &VmShape) -> Funnel {
    let (cluster_steps, clusters) = select_clusters(policy, occupancy, vm);
    let fleet = occupancy.fleet();
    let machines: Vec<_> = clusters.iter().flat_map(|id| fleet.cluster(*id).machines()).map(MachineId).collect();
    let mut funnel = Funnel {
        cluster_steps,
        clusters,
        steps: Vec::new(),
        best: machines,
        dropped_last: Vec::new(),
        decided_by: None,
    };
    validate(policy, occupancy, vm, &mut funnel);
    prefer(policy, occupancy, vm, &mut funnel);
    funnel
}

/// Cluster validators, then preferences, then the best k, by id (Protean section 3.2).
/// Clusters that tie at the k-th place are taken by lowest id.
fn select_clusters(policy: &Policy, occupancy: &Occupancy, vm: &VmShape) -> (Vec<Step>, Vec<ClusterId>) {
    let mut steps = Vec::new();
    let mut clusters: Vec<_> = (0..occupancy.fleet().clusters().len()).map(ClusterId::of).collect();
    for ranked in &policy.cluster_validators {
        let bound = ranked.rule.bind(vm);
        narrow(&mut steps, ranked.id, &mut clusters, |id| bound.is_valid(occupancy, *id));
    }
    let before = clusters.len() as u32;
    for ranked in policy.cluster_preferences.iter().rev() {
        let bound = ranked.rule.bind(vm);
        clusters.sort_by_cached_key(|id| ranked.quantizer.bucket(bound.score(occupancy, *id)));
    }
    clusters.truncate(policy.best_clusters as usize);
    clusters.sort_unstable();
    steps.push(Step { rule: BEST_CLUSTERS, before, after: clusters.len() as u32 });
    (steps, clusters)
}

fn validate(policy: &Policy, occupancy: &Occupancy, vm: &VmShape, funnel: &mut Funnel) {
    for ranked in &policy.rack_validators {
        let bound = ranked.rule.bind(vm);
        narrow(&mut funnel.steps, ranked.id, &mut funnel.best, |id| bound.is_valid(occupancy, rack(occupancy, *id)));
    }
    for ranked in &policy.machine_validators {
        let bound = ranked.rule.bind(vm);
        narrow(&mut funnel.steps, ranked.id, &mut funnel.best, |id| bound.is_valid(occupancy, *id));
    }
}

fn narrow<Id>(steps: &mut Vec<Step>, rule: &'static str, ids: &mut Vec<Id>, keep: impl FnMut(&Id) -> bool) {
    let before = ids.len() as u32;
    ids.retain(keep);
    steps.push(Step { rule, before, after: ids.len() as u32 });
}

fn prefer(policy: &Policy, occupancy: &Occupancy, vm: &VmShape, funnel: &mut Funnel) {
    for stage in &policy.machine_preferences {
        let quantizer = stage.quantizer();
        let buckets: Vec<u64> = match stage {
            MachineStage::Rack(ranked) => {
                let bound = ranked.rule.bind(vm);
                let score = |id: &MachineId| bound.score(occupancy, rack(occupancy, *id));
                funnel.best.iter().map(|id| quantizer.bucket(score(id))).collect()
            }
            MachineStage::Machine(ranked) => {
                let bound = ranked.rule.bind(vm);
                funnel.best.iter().map(|id| quantizer.bucket(bound.score(occupancy, *id))).collect()
            }
        };
        keep_lowest(stage.id(), &buckets, funnel);
    }
}

fn keep_lowest(rule: &'static str, buckets: &[u64], funnel: &mut Funnel) {
    let before = funnel.best.len() as u32;
    let lowest = buckets.iter().min().copied();
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for (id, bucket) in funnel.best.iter().zip(buckets) {
        if Some(*bucket) == lowest { kept.push(*id) } else { dropped.push(*id) }
    }
    if !dropped.is_empty() {
        funnel.dropped_last = dropped;
        funnel.decided_by = Some(rule);
    }
    funnel.best = kept;
    funnel.steps.push(Step { rule, before, after: funnel.best.len() as u32 });
}

fn rack(occupancy: &Occupancy, machine: MachineId) -> RackId {
    occupancy.fleet().rack_of(machine)
}
