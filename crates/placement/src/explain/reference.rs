//! The definition of a decision: the uncached path, rule by rule.
//!
//! Every rule narrows the candidates that the rules above it left, as in Protean section 3.3; nothing is packed,
//! ranked or cached. The fast path in [`allocator`](crate::allocator) must give the same best set, bit for bit.
//! Explanations use this path.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::phrase::mark;
use tiebreak_model::{ClusterId, MachineId, RackId, Scene, VmRequest};

use super::copeland::Row;
use super::trail::Trail;
use super::weighted::{best_first, sums, winners};
use crate::policy::ranked::{MachineStage, RankedValidator};
use crate::policy::{Policy, Weights};
use crate::rule::erased::BoundValidator;

/// How one rule narrowed the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The rule.
    pub rule: &'static str,
    /// The number of candidates before it.
    pub before: u32,
    /// The number of candidates that it left.
    pub after: u32,
    /// Whether it is a validator; otherwise a preference.
    pub validates: bool,
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
    /// The last preference that dropped any machine: it separated the best set from the rest.
    pub decided_by: Option<&'static str>,
    /// Whether the comparison by manual weights was cyclic: another machine beats one of the best set.
    pub circular: bool,
}

impl Funnel {
    /// The number of machines at the start of the machine stage.
    #[must_use]
    pub fn candidates(&self) -> u32 {
        self.steps.first().map_or(self.best.len() as u32, |step| step.before)
    }

    /// The number of the step that decided, counted from the first cluster step.
    pub(crate) fn decided_at(&self) -> Option<usize> {
        let drops = |step: &Step| !step.validates && step.after < step.before;
        self.steps.iter().rposition(drops).map(|at| self.cluster_steps.len() + at)
    }
}

/// The name of the step that keeps the best clusters: k, or more if the first k had no room.
pub const BEST_CLUSTERS: &str = mark("Best clusters");

/// The name of the step that compares all preferences together, by manual weights.
pub const WEIGHTED: &str = mark("Weighted comparison");

/// The candidates for a VM, rule by rule.
#[must_use]
pub fn funnel(policy: &Policy, scene: Scene<'_>, vm: &VmRequest) -> Funnel {
    decide(policy, scene, vm, &mut Trail::off())
}

/// The machines to draw from: those tied for best, by id, or the best `among`, in order (conflict avoidance, Protean
/// section 5.3).
pub(crate) fn near_best(policy: &Policy, scene: Scene<'_>, vm: &VmRequest, among: Option<u32>) -> Vec<MachineId> {
    let Some(among) = among else { return funnel(policy, scene, vm).best };
    let (_, ordered) = order_clusters(policy, scene, vm, &mut Trail::off());
    for clusters in ordered.chunks(policy.best_clusters as usize) {
        let mut funnel = candidates(scene, clusters);
        validate(policy, scene, vm, &mut funnel, &mut Trail::off());
        let mut rows = bucket_rows(policy, scene, vm, &funnel.best);
        if !rows.is_empty() && policy.is_weighted() {
            return best_first(&Weights::of_machines(policy), rows, among as usize);
        }
        if !rows.is_empty() {
            rows.sort_unstable();
            return rows.into_iter().take(among as usize).map(|(_, machine)| machine).collect();
        }
    }
    Vec::new()
}

/// Like [`funnel`], with a trail.
///
/// The best k clusters come first. If none of their machines is valid, the next k follow, so that a VM with a
/// feasible machine is never refused (Protean section 3.4). A refusal shows all valid clusters. The trail follows the
/// clusters that are shown.
pub(crate) fn decide(policy: &Policy, scene: Scene<'_>, vm: &VmRequest, trail: &mut Trail<'_>) -> Funnel {
    let (mut steps, ordered) = order_clusters(policy, scene, vm, trail);
    let valid = ordered.len() as u32;
    let mut decided = None;
    for best in ordered.chunks(policy.best_clusters as usize) {
        trail.back_to(steps.len());
        let funnel = decide_among(policy, scene, vm, best, trail);
        if !funnel.best.is_empty() {
            decided = Some(funnel);
            break;
        }
    }
    let mut funnel = decided.unwrap_or_else(|| {
        trail.back_to(steps.len());
        decide_among(policy, scene, vm, &ordered, trail)
    });
    steps.push(Step { rule: BEST_CLUSTERS, before: valid, after: funnel.clusters.len() as u32, validates: false });
    funnel.cluster_steps = steps;
    funnel
}

fn decide_among(
    policy: &Policy,
    scene: Scene<'_>,
    vm: &VmRequest,
    clusters: &[ClusterId],
    trail: &mut Trail<'_>,
) -> Funnel {
    let mut funnel = candidates(scene, clusters);
    trail.leaves(&funnel.best);
    validate(policy, scene, vm, &mut funnel, trail);
    prefer(policy, scene, vm, &mut funnel, trail);
    funnel
}

/// All machines of these clusters.
fn candidates(scene: Scene<'_>, clusters: &[ClusterId]) -> Funnel {
    let mut clusters = clusters.to_vec();
    clusters.sort_unstable();
    let fleet = scene.occupancy.fleet();
    let mut best = Vec::with_capacity(clusters.iter().map(|id| fleet.cluster(*id).machines().len()).sum());
    clusters.iter().for_each(|id| best.extend(fleet.cluster(*id).machines().map(MachineId)));
    Funnel { clusters, best, ..Funnel::of_machines(Vec::new()) }
}

impl Funnel {
    fn of_machines(best: Vec<MachineId>) -> Self {
        Self {
            cluster_steps: Vec::new(),
            clusters: Vec::new(),
            steps: Vec::new(),
            best,
            decided_by: None,
            circular: false,
        }
    }
}

/// The best of the given valid machines under the machine preferences.
pub(crate) fn best_of(
    policy: &Policy,
    scene: Scene<'_>,
    vm: &VmRequest,
    machines: Vec<MachineId>,
) -> Option<MachineId> {
    let mut funnel = Funnel::of_machines(machines);
    prefer(policy, scene, vm, &mut funnel, &mut Trail::off());
    funnel.best.first().copied()
}

/// The best of those valid machines that pass the filter; of several, the one with the lowest id.
pub(crate) fn best_where(
    policy: &Policy,
    scene: Scene<'_>,
    vm: &VmRequest,
    wanted: impl Fn(MachineId) -> bool,
) -> Option<MachineId> {
    tied_where(policy, scene, vm, wanted).first().copied()
}

/// The machines tied for best among those valid ones that pass the filter, by id.
#[must_use]
pub fn tied_where(
    policy: &Policy,
    scene: Scene<'_>,
    vm: &VmRequest,
    wanted: impl Fn(MachineId) -> bool,
) -> Vec<MachineId> {
    let (_, ordered) = order_clusters(policy, scene, vm, &mut Trail::off());
    let tied_in = |clusters: &[ClusterId]| {
        let mut funnel = candidates(scene, clusters);
        funnel.best.retain(|machine| wanted(*machine));
        validate(policy, scene, vm, &mut funnel, &mut Trail::off());
        prefer(policy, scene, vm, &mut funnel, &mut Trail::off());
        Some(funnel.best).filter(|best| !best.is_empty())
    };
    ordered.chunks(policy.best_clusters as usize).find_map(tied_in).unwrap_or_default()
}

/// Applies cluster validators, then preferences. Returns the valid clusters, best first (Protean section 3.2); ties
/// are ordered by id.
pub(crate) fn order_clusters(
    policy: &Policy,
    scene: Scene<'_>,
    vm: &VmRequest,
    trail: &mut Trail<'_>,
) -> (Vec<Step>, Vec<ClusterId>) {
    let mut steps = Vec::new();
    let mut clusters: Vec<_> = (0..scene.occupancy.fleet().clusters().len()).map(ClusterId::of).collect();
    for ranked in &policy.cluster_validators {
        narrow(&mut steps, ranked.id, &mut clusters, |clusters| {
            let Some(bound) = asked(ranked, vm) else { return };
            clusters.retain(|id| bound.is_valid(scene, *id));
        });
        trail.leaves_clusters(&clusters);
    }
    if policy.is_weighted() {
        let rows = cluster_rows(policy, scene, vm, &clusters);
        return (steps, best_first(&Weights::of_clusters(policy), rows, clusters.len()));
    }
    for ranked in policy.cluster_preferences.iter().rev() {
        let bound = ranked.rule.bind(vm);
        clusters.sort_by_cached_key(|id| ranked.quantizer.bucket(bound.score(scene, *id)));
    }
    (steps, clusters)
}

/// Every cluster's buckets under all cluster preferences.
fn cluster_rows(policy: &Policy, scene: Scene<'_>, vm: &VmRequest, clusters: &[ClusterId]) -> Vec<Row<ClusterId>> {
    let bound: Vec<_> = policy.cluster_preferences.iter().map(|it| (it.rule.bind(vm), it.quantizer)).collect();
    let buckets = |id| bound.iter().map(|(rule, quantizer)| quantizer.bucket(rule.score(scene, id))).collect();
    clusters.iter().map(|id| (buckets(*id), *id)).collect()
}

fn validate(policy: &Policy, scene: Scene<'_>, vm: &VmRequest, funnel: &mut Funnel, trail: &mut Trail<'_>) {
    let Funnel { steps, best, .. } = funnel;
    for ranked in &policy.rack_validators {
        narrow(steps, ranked.id, best, |machines| {
            let Some(bound) = asked(ranked, vm) else { return };
            let mut of_rack = once_per_rack(scene, |rack| bound.is_valid(scene, rack));
            machines.retain(|id| of_rack(*id));
        });
        trail.leaves(best);
    }
    for ranked in &policy.machine_validators {
        narrow(steps, ranked.id, best, |machines| {
            let Some(bound) = asked(ranked, vm) else { return };
            let mut valid = vec![true; machines.len()];
            bound.judge(scene, machines, &mut valid);
            // Most rules refuse nothing. Without branches, many verdicts are looked at together.
            if !valid.iter().fold(true, |all, valid| all & valid) {
                keep_valid(machines, &valid);
            }
        });
        trail.leaves(best);
    }
    if let Some(rule) = policy.bandwidth {
        narrow(steps, rule, best, |machines| {
            let Some(gate) = policy.gate(scene) else { return };
            machines.retain(|id| gate.admits(*id));
        });
        trail.leaves(best);
    }
}

/// The rule for this VM; `None` if it cannot refuse the VM anything.
fn asked<Id>(ranked: &RankedValidator<Id>, vm: &VmRequest) -> Option<Box<dyn BoundValidator<Id>>> {
    ranked.rule.concerns(vm).then(|| ranked.rule.bind(vm))
}

fn narrow<Id>(steps: &mut Vec<Step>, rule: &'static str, ids: &mut Vec<Id>, apply: impl FnOnce(&mut Vec<Id>)) {
    let before = ids.len() as u32;
    apply(ids);
    steps.push(Step { rule, before, after: ids.len() as u32, validates: true });
}

/// Applies the machine preferences.
fn prefer(policy: &Policy, scene: Scene<'_>, vm: &VmRequest, funnel: &mut Funnel, trail: &mut Trail<'_>) {
    if policy.is_weighted() {
        prefer_by_weights(policy, scene, vm, funnel);
        return trail.leaves(&funnel.best);
    }
    for stage in &policy.machine_preferences {
        keep_lowest(stage, &scores(stage, scene, vm, &funnel.best), funnel);
        trail.leaves(&funnel.best);
    }
}

/// What one preference says of these machines.
fn scores(stage: &MachineStage, scene: Scene<'_>, vm: &VmRequest, machines: &[MachineId]) -> Vec<f64> {
    let bound = match stage {
        MachineStage::Rack(ranked) => {
            let bound = ranked.rule.bind(vm);
            let of_rack = once_per_rack(scene, |rack| bound.score(scene, rack));
            return machines.iter().copied().map(of_rack).collect();
        }
        MachineStage::Machine(ranked) => ranked.rule.bind(vm),
        MachineStage::Temporal(ranked) => ranked.rule.bind(vm),
        MachineStage::Uplink(ranked) => ranked.rule.bind(vm),
        MachineStage::Chassis(ranked) => ranked.rule.bind(vm),
    };
    let mut scores = Vec::new();
    bound.scores(scene, machines, &mut scores);
    scores
}

/// Keeps the machines whose score is in the lowest bucket.
fn keep_lowest(stage: &MachineStage, scores: &[f64], funnel: &mut Funnel) {
    let machines = &mut funnel.best;
    let before = machines.len();
    // Most rules score all machines alike.
    if !are_alike(scores) {
        let (mut lowest, mut kept) = (u64::MAX, 0);
        for (at, bucket) in stage.quantizer().buckets(scores).enumerate() {
            if bucket < lowest {
                (lowest, kept) = (bucket, 0);
            }
            machines[kept] = machines[at];
            kept += usize::from(bucket == lowest);
        }
        machines.truncate(kept);
    }
    let after = machines.len();
    if after < before {
        funnel.decided_by = Some(stage.id());
    }
    funnel.steps.push(Step { rule: stage.id(), before: before as u32, after: after as u32, validates: false });
}

/// Whether all scores are the same. Compares all of them without branches, several at a time.
fn are_alike(scores: &[f64]) -> bool {
    let mut bits = scores.iter().map(|score| score.to_bits());
    bits.next().is_none_or(|first| bits.fold(0, |differing, other| differing | (other ^ first)) == 0)
}

/// Keeps the valid machines. Whether a machine is valid is hard to predict, so there is no branch for it.
fn keep_valid(machines: &mut Vec<MachineId>, valid: &[bool]) {
    let (all, mut kept) = (&mut machines[..valid.len()], 0);
    for (at, valid) in valid.iter().enumerate() {
        all[kept] = all[at];
        kept += usize::from(*valid);
    }
    machines.truncate(kept);
}

/// Every machine's buckets under all machine preferences.
fn bucket_rows(policy: &Policy, scene: Scene<'_>, vm: &VmRequest, machines: &[MachineId]) -> Vec<Row<MachineId>> {
    let buckets = |stage: &MachineStage| stage.quantizer().buckets(&scores(stage, scene, vm, machines)).collect();
    let columns: Vec<Vec<u64>> = policy.machine_preferences.iter().map(buckets).collect();
    let row = |at: usize| columns.iter().map(|column| column[at]).collect();
    machines.iter().enumerate().map(|(at, machine)| (row(at), *machine)).collect()
}

/// The weighted score sums of two machines, among all valid ones of these clusters.
pub(crate) fn sums_of(
    policy: &Policy,
    scene: Scene<'_>,
    vm: &VmRequest,
    clusters: &[ClusterId],
    two: [MachineId; 2],
) -> Option<[f64; 2]> {
    let mut funnel = candidates(scene, clusters);
    validate(policy, scene, vm, &mut funnel, &mut Trail::off());
    let rows = bucket_rows(policy, scene, vm, &funnel.best);
    sums_among(&Weights::of_machines(policy), &rows, two)
}

/// The same for two clusters among all valid ones.
pub(crate) fn cluster_sums_of(
    policy: &Policy,
    scene: Scene<'_>,
    vm: &VmRequest,
    two: [ClusterId; 2],
) -> Option<[f64; 2]> {
    let (_, clusters) = order_clusters(policy, scene, vm, &mut Trail::off());
    sums_among(&Weights::of_clusters(policy), &cluster_rows(policy, scene, vm, &clusters), two)
}

fn sums_among<Id: Copy + PartialEq>(weights: &Weights, rows: &[Row<Id>], two: [Id; 2]) -> Option<[f64; 2]> {
    let sums = sums(weights, rows);
    let of = |id: Id| rows.iter().position(|(_, other)| *other == id).map(|at| sums[at]);
    Some([of(two[0])?, of(two[1])?])
}

/// Applies manual weights: one comparison instead of one filter per preference.
fn prefer_by_weights(policy: &Policy, scene: Scene<'_>, vm: &VmRequest, funnel: &mut Funnel) {
    let rows = bucket_rows(policy, scene, vm, &funnel.best);
    let winners = winners(&Weights::of_machines(policy), &rows);
    let before = rows.len() as u32;
    let best = rows.into_iter().filter(|(buckets, _)| winners.have(buckets)).map(|(_, machine)| machine);
    (funnel.best, funnel.circular) = (best.collect(), winners.circular);
    let after = funnel.best.len() as u32;
    funnel.steps.push(Step { rule: WEIGHTED, before, after, validates: false });
    funnel.decided_by = (after < before).then_some(WEIGHTED);
}

/// What a rule says of a machine's rack; asks once for machines of the same rack in a row.
fn once_per_rack<T: Copy>(scene: Scene<'_>, ask: impl Fn(RackId) -> T) -> impl FnMut(MachineId) -> T {
    let mut last = None;
    move |machine| {
        let rack = scene.occupancy.fleet().rack_of(machine);
        match last {
            Some((same, said)) if same == rack => said,
            _ => last.insert((rack, ask(rack))).1,
        }
    }
}
