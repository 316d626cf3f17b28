//! What an explanation says is what was decided: every decision of random scenarios is
//! explained as it is made, and held against the record of the run.

use std::collections::BTreeMap;

use tiebreak_model::MachineId;
use tiebreak_placement::Explanation;
use tiebreak_placement::explain::{RefusalByRule, WhyNot};
use tiebreak_sim::{Decision, Outcome, Probe, World};
use tiebreak_testkit::Case;

/// How often each kind of thing was seen, so that no check is empty.
#[derive(Debug, Default)]
struct Coverage {
    placed: u32,
    refused: u32,
    avoided: u32,
    why_not: [u32; 5],
}

#[test]
fn explanations_agree_with_decisions() {
    let mut seen = Coverage::default();
    for number in 0..120 {
        let mut world = World::new(Case::random(number).without_incidents().plan(true));
        world.keep_decisions();
        let asked = MachineId(number as u32 % world.plan().fleet().machine_count());
        world.set_probe(Some(Probe { vm: None, asked: Some(asked) }));
        world.run();
        let explained: BTreeMap<_, _> =
            world.probed().iter().map(|it| ((it.vm, it.attempt), &it.explanation)).collect();
        for decision in world.decisions().iter().filter(|decision| decision.cache.is_some()) {
            let explanation = explained[&(decision.vm, decision.attempt)];
            let told = check(&world, decision, explanation, asked, &mut seen);
            assert!(told.is_ok(), "case {number}, {decision:?}: {told:?}\n{explanation:?}");
        }
    }
    assert!(seen.placed > 1_000 && seen.refused > 500 && seen.avoided > 50, "{seen:?}");
    assert!(seen.why_not.iter().all(|times| *times > 20), "{seen:?}");
}

fn check(
    world: &World,
    decision: &Decision,
    it: &Explanation,
    asked: MachineId,
    seen: &mut Coverage,
) -> Result<(), &'static str> {
    let holds = |claim: bool, what: &'static str| if claim { Ok(()) } else { Err(what) };
    let fleet = world.plan().fleet();
    holds(it.winner.as_ref().map(|card| card.machine) == decision.machine, "another machine")?;
    holds(it.refusal.is_some() == (decision.outcome == Outcome::Refused), "refused or not")?;
    holds(it.avoided.unwrap_or(it.funnel.best.len() as u32) == decision.best_set, "another number drawn from")?;
    holds(it.sentence(fleet).to_string().ends_with('.'), "no sentence")?;
    let why_not = it.why_not.as_ref().ok_or("why not is not answered")?;
    holds(
        it.why_not_sentence(fleet).is_some_and(|told| told.to_string().contains(&format!("achine {asked}"))),
        "about another",
    )?;
    match &it.refusal {
        Some(refusal) => {
            seen.refused += 1;
            holds(matches!(why_not, WhyNot::Refused { .. }), "nobody refuses a machine of a VM that was refused")?;
            adds_up(refusal, fleet.machine_count())?;
        }
        None => {
            seen.placed += 1;
            seen.avoided += u32::from(it.avoided.is_some());
        }
    }
    let chosen = decision.machine == Some(asked);
    holds((*why_not == WhyNot::Chosen) == chosen, "chosen or not")?;
    let (kind, holds_true) = match why_not {
        WhyNot::Chosen => (0, true),
        WhyNot::Refused { .. } => (1, !it.funnel.best.contains(&asked)),
        WhyNot::ClusterNotSelected { cluster, .. } => (2, !it.funnel.clusters.contains(cluster)),
        WhyNot::Beaten { by, .. } => (3, *by != asked),
        WhyNot::Chance { among, .. } => (4, *among == decision.best_set && *among > 1),
    };
    seen.why_not[kind] += 1;
    holds(holds_true, "why not is answered wrongly")
}

/// Every machine is refused first by one rule, and nobody alone keeps out what others refuse.
fn adds_up(refusal: &RefusalByRule, machines: u32) -> Result<(), &'static str> {
    let firsts: u32 = refusal.rules.iter().map(|rule| rule.first).sum();
    let each = refusal.rules.iter().all(|rule| rule.alone <= rule.first && rule.first <= rule.machines);
    if (firsts, refusal.machines) == (machines, machines) && each { Ok(()) } else { Err("the refusal does not add up") }
}
