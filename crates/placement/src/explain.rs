//! Why a VM went where it went, why not elsewhere, or why it was refused
//! (Protean section 3.4, "Interpretability").
//!
//! Made from the uncached reference, so it explains what was decided, not what a
//! cache believed.

use alloc::vec::Vec;

use tiebreak_model::{ClusterId, MachineId, Scene, VmRequest};

use crate::policy::{MachineStage, Policy};
use crate::quantize::Quantizer;
use crate::reference::{Funnel, best_of, decide};

/// A rule's verdict on one machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// A validator let it pass.
    Valid,
    /// A validator refused it.
    Refused,
    /// A preference's score, and the bucket that is compared.
    Score {
        /// From 0 (best) to 1 (worst).
        score: f64,
        /// The quantized score; with exact scores, in units of 2^-52.
        bucket: u64,
        /// Whether `bucket` is a count of buckets that people set.
        quantized: bool,
    },
}

/// What every rule says of one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Scorecard {
    /// The machine.
    pub machine: MachineId,
    /// Its cluster.
    pub cluster: ClusterId,
    /// Rule by rule, cluster rules first.
    pub verdicts: Vec<(&'static str, Verdict)>,
    /// How many of the verdicts are those of cluster rules.
    pub cluster_rules: usize,
    /// Whether the machine stands in one of the selected clusters.
    pub in_selected_cluster: bool,
}

impl Scorecard {
    /// The first validator that refuses the machine.
    #[must_use]
    pub fn refused_by(&self) -> Option<&'static str> {
        self.verdicts.iter().find(|(_, verdict)| *verdict == Verdict::Refused).map(|(rule, _)| *rule)
    }

    /// The first machine preference under which it is worse than `other`; none when it is not.
    /// Cluster preferences select clusters and no longer count between their machines.
    #[must_use]
    pub fn loses_to(&self, other: &Self) -> Option<&'static str> {
        let pairs = self.verdicts.iter().zip(&other.verdicts).skip(self.cluster_rules);
        let differing = pairs.filter_map(|((rule, mine), (_, theirs))| match (mine, theirs) {
            (Verdict::Score { bucket: mine, .. }, Verdict::Score { bucket: theirs, .. }) => {
                Some((rule, mine.cmp(theirs)))
            }
            _ => None,
        });
        let first = differing.into_iter().find(|(_, order)| order.is_ne());
        first.filter(|(_, order)| order.is_gt()).map(|(rule, _)| *rule)
    }
}

/// A decision explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Rule by rule: who was left.
    pub funnel: Funnel,
    /// The machine chosen, when there was one.
    pub winner: Option<Scorecard>,
    /// The best machine that is not tied with the winner, or another tied one when all are.
    pub runner_up: Option<Scorecard>,
    /// The rule that put the winner before the runner-up; none when chance did.
    pub decided_by: Option<&'static str>,
    /// A machine that was asked about.
    pub asked: Option<Scorecard>,
}

/// Explains a decision for `vm` in a scene; `winner` is the machine that was picked.
#[must_use]
pub fn explain(
    policy: &Policy,
    scene: Scene<'_>,
    vm: &VmRequest,
    winner: Option<MachineId>,
    asked: Option<MachineId>,
) -> Explanation {
    let (funnel, dropped) = decide(policy, scene, vm);
    let card = |machine| scorecard(policy, scene, vm, &funnel.clusters, machine);
    let tied = funnel.best.iter().copied().find(|id| Some(*id) != winner);
    let decided_by = if tied.is_some() { None } else { funnel.decided_by };
    let runner_up = tied.or_else(|| best_of(policy, scene, vm, dropped)).map(card);
    let (winner, asked) = (winner.map(card), asked.map(card));
    Explanation { winner, runner_up, decided_by, asked, funnel }
}

fn scorecard(
    policy: &Policy,
    scene: Scene<'_>,
    vm: &VmRequest,
    selected: &[ClusterId],
    machine: MachineId,
) -> Scorecard {
    let rack = scene.occupancy.fleet().rack_of(machine);
    let cluster = scene.occupancy.fleet().cluster_of(machine);
    let validity = |valid| if valid { Verdict::Valid } else { Verdict::Refused };
    let mut verdicts = Vec::new();
    for ranked in &policy.cluster_validators {
        verdicts.push((ranked.id, validity(ranked.rule.bind(vm).is_valid(scene, cluster))));
    }
    for ranked in &policy.cluster_preferences {
        verdicts.push((ranked.id, scored(ranked.quantizer, ranked.rule.bind(vm).score(scene, cluster))));
    }
    let cluster_rules = verdicts.len();
    for ranked in &policy.rack_validators {
        verdicts.push((ranked.id, validity(ranked.rule.bind(vm).is_valid(scene, rack))));
    }
    for ranked in &policy.machine_validators {
        verdicts.push((ranked.id, validity(ranked.rule.bind(vm).is_valid(scene, machine))));
    }
    for stage in &policy.machine_preferences {
        let score = match stage {
            MachineStage::Rack(ranked) => ranked.rule.bind(vm).score(scene, rack),
            MachineStage::Machine(ranked) => ranked.rule.bind(vm).score(scene, machine),
        };
        verdicts.push((stage.id(), scored(stage.quantizer(), score)));
    }
    Scorecard { machine, cluster, verdicts, cluster_rules, in_selected_cluster: selected.contains(&cluster) }
}

fn scored(quantizer: Quantizer, score: f64) -> Verdict {
    Verdict::Score { score, bucket: quantizer.bucket(score), quantized: matches!(quantizer, Quantizer::Buckets(_)) }
}
