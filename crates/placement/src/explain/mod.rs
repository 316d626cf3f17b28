//! Why a VM went where it went, why not elsewhere, or why it was refused
//! (Protean section 3.4, "Interpretability").
//!
//! Made from the uncached reference, so it explains what was decided, not what a
//! cache believed.

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

/// What is asked about a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The machine that was picked, when there was one.
    pub winner: Option<MachineId>,
    /// A machine to compare with.
    pub asked: Option<MachineId>,
    /// How many of the best machines it was picked from, when the agent was avoiding conflicts;
    /// none when it was picked from those tied for best. (Protean section 5.3)
    pub avoided: Option<u32>,
}

/// A decision explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Rule by rule: who was left.
    pub funnel: Funnel,
    /// Where every machine dropped out, a byte each by id: the number of the funnel's step, those of clusters first;
    /// [`KEPT`] for the machines tied for best.
    pub dropped_at: Vec<u8>,
    /// The machine chosen, when there was one.
    pub winner: Option<Scorecard>,
    /// The best machine that is not tied with the winner, or another tied one when all are;
    /// when conflicts were being avoided, the best other one of those drawn from.
    pub runner_up: Option<Scorecard>,
    /// The rule that put the winner before the runner-up; none when chance did.
    pub decided_by: Option<&'static str>,
    /// Where weights set by hand put the winner before the runner-up: what spoke for each.
    pub weighed: Option<Weighing>,
    /// A machine that was asked about.
    pub asked: Option<Scorecard>,
    /// Why it was not that one.
    pub why_not: Option<WhyNot>,
    /// Why no machine takes the VM, when none does.
    pub refusal: Option<RefusalByRule>,
    /// How many of the best machines chance chose from, when the agent was avoiding conflicts.
    pub avoided: Option<u32>,
}

/// Explains a decision for `vm` in a scene.
#[must_use]
pub fn explain(policy: &Policy, scene: Scene<'_>, vm: &VmRequest, question: Question) -> Explanation {
    let mut trail = Trail::of(scene.occupancy.fleet());
    let (funnel, dropped) = decide(policy, scene, vm, &mut trail);
    let near = question.avoided.map(|among| near_best(policy, scene, vm, Some(among)));
    let drawn_from = near.as_ref().unwrap_or(&funnel.best);
    let inquiry = Inquiry { policy, scene, vm, funnel: &funnel, drawn_from };
    let card = |machine| scorecard(policy, scene, vm, &funnel.clusters, machine);
    let equal = drawn_from.iter().copied().find(|id| Some(*id) != question.winner);
    let by_chance = equal.is_some() || near.is_some();
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
