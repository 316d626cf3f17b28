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
    /// The last preference that dropped any machine: what put the best set before the rest.
    pub decided_by: Option<&'static str>,
}

impl Funnel {
    /// Machines the machine stage began with.
    #[must_use]
    pub fn candidates(&self) -> u32 {
        self.steps.first().map_or(self.best.len() as u32, |step| step.before)
    }
}

/// The name of the step that keeps the best clusters: k, or more where those had no room.
pub const BEST_CLUSTERS: &str = "Best clusters";

/// Decides where a VM may go.
#[must_use]
pub fn funnel(policy: &Policy, occupancy: &Occupancy, vm: &VmShape) -> Funnel {
    decide(policy, occupancy, vm).0
}

/// The same, with the machines that the last preference to drop any dropped, by id.
///
/// The best k clusters are looked at first; where none of their machines is valid, the next
/// k, so that no VM is refused that has a feasible machine (Protean section 3.4). A refusal
/// shows all valid clusters.
pub(crate) fn decide(policy: &Policy, occupancy: &Occupancy, vm: &VmShape) -> (Funnel, Vec<MachineId>) {
    let (mut steps, ordered) = order_clusters(policy, occupancy, vm);
    let valid = ordered.len() as u32;
    let mut decided = None;
    for best in ordered.chunks(policy.best_clusters as usize) {
        let (funnel, dropped) = decide_among(policy, occupancy, vm, best);
        if !funnel.best.is_empty() {
            decided = Some((funnel, dropped));
            break;
        }
    }
    let (mut funnel, dropped) = decided.unwrap_or_else(|| decide_among(policy, occupancy, vm, &ordered));
    steps.push(Step { rule: BEST_CLUSTERS, before: valid, after: funnel.clusters.len() as u32 });
    funnel.cluster_steps = steps;
    (funnel, dropped)
}

fn decide_among(
    policy: &Policy,
    occupancy: &Occupancy,
    vm: &VmShape,
    clusters: &[ClusterId],
) -> (Funnel, Vec<MachineId>) {
    let mut clusters = clusters.to_vec();
    clusters.sort_unstable();
    let fleet = occupancy.fleet();
    let machines = clusters.iter().flat_map(|id| fleet.cluster(*id).machines()).map(MachineId).collect();
    let mut funnel =
        Funnel { cluster_steps: Vec::new(), clusters, steps: Vec::new(), best: machines, decided_by: None };
    validate(policy, occupancy, vm, &mut funnel);
    let dropped = prefer(policy, occupancy, vm, &mut funnel);
    (funnel, dropped)
}

/// The best of machines that are valid, under the machine preferences.
pub(crate) fn best_of(
    policy: &Policy,
    occupancy: &Occupancy,
    vm: &VmShape,
    machines: Vec<MachineId>,
) -> Option<MachineId> {
    let (cluster_steps, clusters, steps) = (Vec::new(), Vec::new(), Vec::new());
    let mut funnel = Funnel { cluster_steps, clusters, steps, best: machines, decided_by: None };
    prefer(policy, occupancy, vm, &mut funnel);
    funnel.best.first().copied()
}

/// Cluster validators, then preferences: the valid clusters, best first (Protean section
/// 3.2). Clusters that tie stand by id.
fn order_clusters(policy: &Policy, occupancy: &Occupancy, vm: &VmShape) -> (Vec<Step>, Vec<ClusterId>) {
    let mut steps = Vec::new();
    let mut clusters: Vec<_> = (0..occupancy.fleet().clusters().len()).map(ClusterId::of).collect();
    for ranked in &policy.cluster_validators {
        let bound = ranked.rule.bind(vm);
        narrow(&mut steps, ranked.id, &mut clusters, |id| bound.is_valid(occupancy, *id));
    }
    for ranked in policy.cluster_preferences.iter().rev() {
        let bound = ranked.rule.bind(vm);
        clusters.sort_by_cached_key(|id| ranked.quantizer.bucket(bound.score(occupancy, *id)));
    }
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

/// Applies the machine preferences; what the last of them to drop any dropped.
fn prefer(policy: &Policy, occupancy: &Occupancy, vm: &VmShape, funnel: &mut Funnel) -> Vec<MachineId> {
    let mut dropped_last = Vec::new();
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
        let dropped = keep_lowest(stage.id(), &buckets, funnel);
        if !dropped.is_empty() {
            dropped_last = dropped;
        }
    }
    dropped_last
}

/// Keeps the machines in the lowest bucket; the others.
fn keep_lowest(rule: &'static str, buckets: &[u64], funnel: &mut Funnel) -> Vec<MachineId> {
    let before = funnel.best.len() as u32;
    let lowest = buckets.iter().min().copied();
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for (id, bucket) in funnel.best.iter().zip(buckets) {
        if Some(*bucket) == lowest { kept.push(*id) } else { dropped.push(*id) }
    }
    if !dropped.is_empty() {
        funnel.decided_by = Some(rule);
    }
    funnel.best = kept;
    funnel.steps.push(Step { rule, before, after: funnel.best.len() as u32 });
    dropped
}

fn rack(occupancy: &Occupancy, machine: MachineId) -> RackId {
    occupancy.fleet().rack_of(machine)
}
