//! Why a machine in question was not chosen (Protean section 3.4, "Interpretability").

use alloc::vec::Vec;

use tiebreak_model::{ClusterId, MachineId, Resources, Scene, VmRequest};

use super::Question;
use super::reference::{Funnel, cluster_sums_of, order_clusters, sums_of};
use super::refusal::shortage;
use super::scorecard::{Scorecard, scorecard};
use super::trail::Trail;
use crate::policy::ranked::MachineStage;
use crate::policy::{Combining, Policy, Weight};

/// Why this machine was not chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// It was chosen.
    Chosen,
    /// A validator refuses it.
    Refused {
        /// The first such validator in the list.
        rule: &'static str,
        /// What the machine lacks for the VM; zero if it has room.
        short: Resources,
    },
    /// Its cluster is valid but not among the best k.
    ClusterNotSelected {
        /// Its cluster.
        cluster: ClusterId,
        /// The last of the selected clusters.
        last: ClusterId,
        /// Why the last selected cluster ranks above it.
        lost: Lost,
    },
    /// Another machine was better.
    Beaten {
        /// The chosen machine or, during conflict avoidance, the last of those drawn from.
        by: MachineId,
        /// Why that machine ranks above it.
        lost: Lost,
    },
    /// It was in the draw, like the chosen machine.
    Chance {
        /// The chosen machine.
        winner: MachineId,
        /// The number of machines drawn from.
        among: u32,
    },
}

/// Why one candidate ranks above another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// This preference, the first in strict order that distinguishes them.
    Rule(&'static str),
    /// No rule: equal machines are ordered by id.
    Id,
    /// Manual weights.
    Weights(Weighing),
}

/// Two candidates compared by manual weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighing {
    /// The rules that favour the one ranked higher.
    pub ahead: Side,
    /// The rules that favour the other.
    pub behind: Side,
    /// Whether the comparison is cyclic: another candidate beats the chosen one.
    pub circular: bool,
    /// Where weighted scores are summed instead: the sums of both, in millionths; less is better.
    sums: Option<[u64; 2]>,
}

/// One side of a comparison by weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// The preferences that favour it, in the order of the list.
    pub rules: Vec<&'static str>,
    /// Their total weight, in thousandths; 0 if there are none.
    thousandths: u64,
}

impl Side {
    /// Their total weight; 0 if there are none.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.thousandths as f64 / 1_000.0
    }
}

/// The decision in question.
pub(crate) struct Inquiry<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) scene: Scene<'a>,
    pub(crate) vm: &'a VmRequest,
    pub(crate) funnel: &'a Funnel,
    /// The machines drawn from.
    pub(crate) drawn_from: &'a [MachineId],
}

impl Inquiry<'_> {
    /// Why the machine of this scorecard was not chosen. `None` only if no machine was chosen and no rule excludes
    /// this one, which cannot happen.
    pub(crate) fn why_not(&self, asked: &Scorecard, question: &Question) -> Option<WhyNot> {
        if let Some(rule) = asked.refused_by() {
            let short = shortage(self.policy, self.scene, self.vm, asked.machine);
            return Some(WhyNot::Refused { rule, short });
        }
        let winner = question.winner?;
        if winner == asked.machine {
            return Some(WhyNot::Chosen);
        }
        if !asked.in_selected_cluster {
            return self.cluster_not_selected(asked);
        }
        if self.drawn_from.contains(&asked.machine) {
            return Some(WhyNot::Chance { winner, among: self.drawn_from.len() as u32 });
        }
        let by = question.avoided.and(self.drawn_from.last().copied()).unwrap_or(winner);
        let lost = self.lost(&self.card(by), asked, false);
        Some(WhyNot::Beaten { by, lost })
    }

    fn cluster_not_selected(&self, asked: &Scorecard) -> Option<WhyNot> {
        let (_, ordered) = order_clusters(self.policy, self.scene, self.vm, &mut Trail::off());
        let last = ordered.into_iter().rfind(|cluster| self.funnel.clusters.contains(cluster))?;
        let any = MachineId(self.scene.occupancy.fleet().cluster(last).machines().start);
        let lost = self.lost(&self.card(any), asked, true);
        Some(WhyNot::ClusterNotSelected { cluster: asked.cluster, last, lost })
    }

    fn card(&self, machine: MachineId) -> Scorecard {
        scorecard(self.policy, self.scene, self.vm, &self.funnel.clusters, machine)
    }

    /// Why one machine ranks above another, or its cluster above the other's.
    pub(crate) fn lost(&self, ahead: &Scorecard, behind: &Scorecard, of_clusters: bool) -> Lost {
        if self.policy.weighted {
            let mut weighing = weigh(ahead, behind, of_clusters, &self.weights(of_clusters));
            weighing.circular = if of_clusters { weighing.is_upset() } else { self.funnel.circular };
            if self.policy.combining != Combining::Majority {
                (weighing.sums, weighing.circular) = (self.sums(ahead, behind, of_clusters), false);
            }
            return Lost::Weights(weighing);
        }
        let mut rules = ahead.pairs(behind, of_clusters);
        rules.find(|(_, ahead, behind)| ahead < behind).map_or(Lost::Id, |(rule, ..)| Lost::Rule(rule))
    }

    fn sums(&self, ahead: &Scorecard, behind: &Scorecard, of_clusters: bool) -> Option<[u64; 2]> {
        let sums = if of_clusters {
            cluster_sums_of(self.policy, self.scene, self.vm, [ahead.cluster, behind.cluster])
        } else {
            sums_of(self.policy, self.scene, self.vm, &self.funnel.clusters, [ahead.machine, behind.machine])
        };
        sums.map(|sums| sums.map(|sum| (sum * 1e6 + 0.5) as u64))
    }

    fn weights(&self, of_clusters: bool) -> Vec<Weight> {
        if of_clusters {
            return self.policy.cluster_preferences.iter().map(|ranked| ranked.weight).collect();
        }
        self.policy.machine_preferences.iter().map(MachineStage::weight).collect()
    }
}

fn weigh(ahead: &Scorecard, behind: &Scorecard, of_clusters: bool, weights: &[Weight]) -> Weighing {
    let (mut for_ahead, mut for_behind) = (Side::default(), Side::default());
    for ((rule, one, other), weight) in ahead.pairs(behind, of_clusters).zip(weights) {
        let side = match one.cmp(&other) {
            core::cmp::Ordering::Less => &mut for_ahead,
            core::cmp::Ordering::Equal => continue,
            core::cmp::Ordering::Greater => &mut for_behind,
        };
        side.rules.push(rule);
        side.thousandths += weight.thousandths();
    }
    Weighing { ahead: for_ahead, behind: for_behind, circular: false, sums: None }
}

impl Weighing {
    /// Where weighted scores are summed: the sums of the one ahead and the one behind; less is better.
    #[must_use]
    pub fn sums(&self) -> Option<[f64; 2]> {
        self.sums.map(|sums| sums.map(|sum| sum as f64 / 1e6))
    }

    /// Whether the one behind would beat the one ahead in a direct comparison.
    #[must_use]
    pub fn is_upset(&self) -> bool {
        self.behind.thousandths > self.ahead.thousandths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_weight_behind_is_an_upset() {
        let side = |thousandths| Side { rules: Vec::new(), thousandths };
        let is_upset = |(ahead, behind)| {
            Weighing { ahead: side(ahead), behind: side(behind), circular: true, sums: None }.is_upset()
        };
        assert_eq!([(1, 2), (2, 2), (3, 2)].map(is_upset), [true, false, false]);
    }
}
