//! Explains why a VM was placed on its machine, why not on another one, or why it was refused (Protean section 3.4,
//! "Interpretability").
//!
//! Explanations come from the uncached reference, so they show the decision itself, not the content of a cache.

use alloc::vec::Vec;

use tiebreak_model::{MachineId, Scene, VmRequest};

use crate::policy::Policy;
use reference::{best_of, decide, near_best};
use refusal::refusal_by_rule;
use scorecard::scorecard;
use trail::Trail;
use why_not::Inquiry;

pub use reference::{Funnel, Step};
pub use refusal::{Objected, RefusalByRule, Refuser, Shortage, TooLarge};
pub use scorecard::{Scorecard, Verdict};
pub use trail::KEPT;
pub use why_not::{Lost, Side, Weighing, WhyNot};

pub(crate) mod copeland;
pub mod reference;
pub(crate) mod refusal;
mod scorecard;
#[cfg(test)]
mod tests;
mod trail;
pub(crate) mod weighted;
mod why_not;
pub mod words;

/// What to explain about a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The chosen machine, if any.
    pub winner: Option<MachineId>,
    /// A machine to compare with.
    pub asked: Option<MachineId>,
    /// The number of best machines to draw from during conflict avoidance (Protean section 5.3); `None` if the draw
    /// was among those tied for best.
    pub avoided: Option<u32>,
}

/// An explained decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The candidates left after each rule.
    pub funnel: Funnel,
    /// The step at which each machine dropped out, one byte per machine id: the number of the funnel's step, starting
    /// with cluster steps, or [`KEPT`] for the machines tied for best.
    pub dropped_at: Vec<u8>,
    /// The chosen machine, if any.
    pub winner: Option<Scorecard>,
    /// The best machine that is not tied with the winner, or another tied one if all are tied. During conflict
    /// avoidance: the best other machine of those drawn from.
    pub runner_up: Option<Scorecard>,
    /// The rule that ranked the winner above the runner-up; `None` if the draw decided.
    pub decided_by: Option<&'static str>,
    /// With manual weights: the weights that favour each of the two.
    pub weighed: Option<Weighing>,
    /// The machine in question.
    pub asked: Option<Scorecard>,
    /// Why it was not chosen.
    pub why_not: Option<WhyNot>,
    /// Why no machine is valid, if the VM was refused.
    pub refusal: Option<RefusalByRule>,
    /// The number of best machines drawn from, during conflict avoidance.
    pub avoided: Option<u32>,
}

/// Explains a decision for `vm` in a scene.
#[must_use]
pub fn explain(policy: &Policy, scene: Scene<'_>, vm: &VmRequest, question: Question) -> Explanation {
    let mut trail = Trail::of(scene.occupancy.fleet());
    let funnel = decide(policy, scene, vm, &mut trail);
    let near = question.avoided.map(|among| near_best(policy, scene, vm, Some(among)));
    let drawn_from = near.as_ref().unwrap_or(&funnel.best);
    let inquiry = Inquiry { policy, scene, vm, funnel: &funnel, drawn_from };
    let card = |machine| scorecard(policy, scene, vm, &funnel.clusters, machine);
    let equal = drawn_from.iter().copied().find(|id| Some(*id) != question.winner);
    let by_chance = equal.is_some() || near.is_some();
    let dropped = funnel.decided_at().map_or_else(Vec::new, |step| trail.dropped_at(step));
    let runner_up = equal.or_else(|| best_of(policy, scene, vm, dropped)).map(card);
    let (winner, asked) = (question.winner.map(card), question.asked.map(card));
    let weighed = winner.as_ref().zip(runner_up.as_ref()).filter(|_| !by_chance && policy.weighted);
    Explanation {
        decided_by: if by_chance { None } else { funnel.decided_by },
        weighed: weighed.and_then(|(winner, second)| match inquiry.lost(winner, second, false) {
            Lost::Weights(weighing) => Some(weighing),
            Lost::Rule(_) | Lost::Id => None,
        }),
        why_not: asked.as_ref().and_then(|asked| inquiry.why_not(asked, &question)),
        refusal: funnel.best.is_empty().then(|| refusal_by_rule(policy, scene, vm)),
        avoided: near.as_ref().map(|near| near.len() as u32),
        winner,
        runner_up,
        asked,
        dropped_at: trail.end(&funnel.best),
        funnel,
    }
}
