//! The verdict of every rule on one machine.

use alloc::vec::Vec;

use tiebreak_model::{ClusterId, MachineId, Phrase, Scene, VmRequest};

use crate::network::gate::full_cut;
use crate::policy::Policy;
use crate::policy::ranked::MachineStage;
use crate::rule::quantize::Quantizer;

/// A rule's verdict on one machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// A validator accepted it.
    Valid,
    /// A validator refused it.
    Refused,
    /// A preference's score, and the bucket that is compared.
    Score {
        /// From 0 (best) to 1 (worst).
        score: f64,
        /// The quantized score; for exact scores, in units of 2^-52.
        bucket: u64,
        /// Whether `bucket` counts buckets that the user set.
        quantized: bool,
    },
}

/// The verdict of every rule on one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Scorecard {
    /// The machine.
    pub machine: MachineId,
    /// Its cluster.
    pub cluster: ClusterId,
    /// The verdicts in order, cluster rules first.
    pub verdicts: Vec<(&'static str, Verdict)>,
    /// The rules' own words about the machine, where a score alone says little; each continues a sentence that starts
    /// with "it".
    pub said: Vec<(&'static str, Phrase)>,
    /// How many of the verdicts are those of cluster rules.
    pub cluster_rules: usize,
    /// Whether the machine is in one of the selected clusters.
    pub in_selected_cluster: bool,
}

impl Scorecard {
    /// A rule's words about the machine, if any.
    #[must_use]
    pub fn said_by(&self, rule: &str) -> Option<&Phrase> {
        self.said.iter().find(|(id, _)| *id == rule).map(|(_, words)| words)
    }

    /// The first validator that refuses the machine.
    #[must_use]
    pub fn refused_by(&self) -> Option<&'static str> {
        self.verdicts.iter().find(|(_, verdict)| *verdict == Verdict::Refused).map(|(rule, _)| *rule)
    }

    /// The preferences of one stage in order, each with the buckets of this machine and of `other`. Cluster
    /// preferences only select clusters; they do not count between machines of the selected clusters.
    pub(crate) fn pairs<'a>(
        &'a self,
        other: &'a Self,
        of_clusters: bool,
    ) -> impl Iterator<Item = (&'static str, u64, u64)> + 'a {
        let stage = if of_clusters { 0..self.cluster_rules } else { self.cluster_rules..self.verdicts.len() };
        let pairs = self.verdicts[stage.clone()].iter().zip(&other.verdicts[stage]);
        pairs.filter_map(|((rule, mine), (_, theirs))| match (mine, theirs) {
            (Verdict::Score { bucket: mine, .. }, Verdict::Score { bucket: theirs, .. }) => {
                Some((*rule, *mine, *theirs))
            }
            _ => None,
        })
    }
}

pub(crate) fn scorecard(
    policy: &Policy,
    scene: Scene<'_>,
    vm: &VmRequest,
    selected: &[ClusterId],
    machine: MachineId,
) -> Scorecard {
    let rack = scene.occupancy.fleet().rack_of(machine);
    let cluster = scene.occupancy.fleet().cluster_of(machine);
    let validity = |valid| if valid { Verdict::Valid } else { Verdict::Refused };
    let (mut verdicts, mut said) = (Vec::new(), Vec::new());
    for ranked in &policy.cluster_validators {
        let bound = ranked.rule.bind(vm);
        verdicts.push((ranked.id, validity(bound.is_valid(scene, cluster))));
        said.extend(bound.words(scene, cluster).map(|words| (ranked.id, words)));
    }
    for ranked in &policy.cluster_preferences {
        let bound = ranked.rule.bind(vm);
        verdicts.push((ranked.id, scored(ranked.quantizer, bound.score(scene, cluster))));
        said.extend(bound.words(scene, cluster).map(|words| (ranked.id, words)));
    }
    let cluster_rules = verdicts.len();
    for ranked in &policy.rack_validators {
        let bound = ranked.rule.bind(vm);
        verdicts.push((ranked.id, validity(bound.is_valid(scene, rack))));
        said.extend(bound.words(scene, rack).map(|words| (ranked.id, words)));
    }
    for ranked in &policy.machine_validators {
        let bound = ranked.rule.bind(vm);
        verdicts.push((ranked.id, validity(bound.is_valid(scene, machine))));
        said.extend(bound.words(scene, machine).map(|words| (ranked.id, words)));
    }
    if let Some(id) = policy.bandwidth {
        let full = full_cut(scene, machine);
        verdicts.push((id, validity(full.is_none())));
        said.extend(full.map(|full| (id, full.words())));
    }
    for stage in &policy.machine_preferences {
        let score = match stage {
            MachineStage::Rack(ranked) => {
                let bound = ranked.rule.bind(vm);
                said.extend(bound.words(scene, rack).map(|words| (ranked.id, words)));
                bound.score(scene, rack)
            }
            MachineStage::Machine(ranked) => {
                let bound = ranked.rule.bind(vm);
                said.extend(bound.words(scene, machine).map(|words| (ranked.id, words)));
                bound.score(scene, machine)
            }
            MachineStage::Uplink(ranked) => ranked.rule.bind(vm).score(scene, machine),
            MachineStage::Chassis(ranked) => ranked.rule.bind(vm).score(scene, machine),
            MachineStage::Temporal(ranked) => {
                said.push((ranked.id, ranked.rule.words(&vm.life, scene.occupancy.exits().of(machine))));
                ranked.rule.bind(vm).score(scene, machine)
            }
        };
        verdicts.push((stage.id(), scored(stage.quantizer(), score)));
    }
    Scorecard { machine, cluster, verdicts, said, cluster_rules, in_selected_cluster: selected.contains(&cluster) }
}

fn scored(quantizer: Quantizer, score: f64) -> Verdict {
    Verdict::Score { score, bucket: quantizer.bucket(score), quantized: matches!(quantizer, Quantizer::Buckets(_)) }
}
