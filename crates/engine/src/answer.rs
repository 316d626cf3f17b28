//! Explanations in words: why a VM was placed on its machine, why not elsewhere, or why it was not placed.

use tiebreak_model::{Phrase, VmId, phrase};
use tiebreak_placement::CacheUse;
use tiebreak_placement::explain::{RefusalByRule, Scorecard, Verdict};
use tiebreak_sim::{Cause, Plan, Probed, Rejection, Turn, World};

use crate::protocol::{Explained, FunnelStep, Refusal, Refuser, Reply, ScoreRow};
use crate::said;
use crate::words;

use super::collision::collision;
use super::{lifetimes, vdcs};

/// What is known about a VM's decisions in `world`, and about its later history in `later`, which may be the same.
pub(super) fn answer(run: u32, asked_vm: String, vm: VmId, world: &World, later: &World) -> Reply {
    let workload = world.plan().workload();
    let rejection = world.rejection(workload.request_of(vm));
    let probed: Vec<_> = world.probed().iter().filter(|probed| probed.vm == vm).collect();
    let mut attempts: Vec<_> = probed.iter().map(|probed| explained(probed, world.plan())).collect();
    let fate = match rejection {
        Some(Rejection::Refused(other)) if other != vm => Some(phrase!(
            "Refused with its request: no machine could take VM {}, so none of the request's VMs was placed.",
            workload.name(other)
        )),
        Some(Rejection::OutOfRetries) => Some(phrase!("Rejected: the last retry also ended in a conflict.")),
        _ => None,
    };
    let mut message = fate.clone();
    if let (Some(fate), Some(last)) = (fate, attempts.last_mut()) {
        last.sentence = phrase!("{fate} At the last decision: {}", fate, last.sentence);
        message = None;
    }
    if attempts.is_empty() && message.is_none() {
        message = Some(phrase!("This VM has not been decided yet, or it arrives after the end of the trace."));
    }
    let turn = |turn: &Turn| turn.sentence(&words::time(turn.at.0 as f64));
    let story = later.story(vm).iter().map(turn).collect();
    Reply::Explained { run, vm: asked_vm, attempts, story, message }
}

fn explained(probed: &Probed, plan: &Plan) -> Explained {
    let (workload, fleet) = (plan.workload(), plan.fleet());
    let explanation = &probed.explanation;
    let demand = workload.shape_of_vm(probed.vm).demand;
    let funnel = &explanation.funnel;
    let steps = |of: &'static str, steps: &[tiebreak_placement::Step]| -> Vec<FunnelStep> {
        let step = |step: &tiebreak_placement::Step| FunnelStep {
            rule: step.rule.to_owned(),
            of: of.to_owned(),
            before: step.before,
            after: step.after,
            validates: step.validates,
        };
        steps.iter().map(step).collect()
    };
    let cards: Vec<&Scorecard> =
        [&explanation.winner, &explanation.runner_up, &explanation.asked].into_iter().flatten().collect();
    let scores = cards.first().map_or(Vec::new(), |first| {
        let row = |index: usize| ScoreRow {
            rule: first.verdicts[index].0.to_owned(),
            verdicts: cards.iter().map(|card| verdict(card, index)).collect(),
        };
        (0..first.verdicts.len()).map(row).collect()
    });
    Explained {
        sentence: explanation.sentence(fleet),
        vm: said::resources(demand),
        circumstances: circumstances(probed),
        is_reallocation: probed.cause == Cause::Reallocation,
        life: probed.life.zip(plan.lifetimes()).map(|(life, terms)| lifetimes::predicted_life(&life, &terms)),
        funnel: [steps("clusters", &funnel.cluster_steps), steps("machines", &funnel.steps)].concat(),
        dropped_at: explanation.dropped_at.clone(),
        at_ms: probed.time.0 as f64,
        collision: collision(probed, plan),
        winner: explanation.winner.as_ref().map(|card| card.machine.0),
        runner_up: explanation.runner_up.as_ref().map(|card| card.machine.0),
        decided_by: explanation.decided_by.map(ToOwned::to_owned),
        scores,
        asked: explanation.why_not_sentence(fleet),
        refusal: explanation.refusal.as_ref().map(refusal),
        company: vdcs::company(probed, plan),
    }
}

fn refusal(refusal: &RefusalByRule) -> Refusal {
    let rules = refusal.rules.iter().filter(|it| it.machines > 0).map(|it| Refuser {
        rule: it.rule.to_owned(),
        machines: it.machines,
        first: it.first,
        without: it.without_words(),
    });
    Refusal { machines: refusal.machines, rules: rules.collect(), closest: refusal.closest_sentence() }
}

fn circumstances(probed: &Probed) -> Phrase {
    let who = probed.agent.map_or(phrase!("warm start"), |agent| phrase!("agent {agent}", agent));
    let cache = match probed.cache {
        CacheUse::Hit => phrase!("cache hit"),
        CacheUse::Miss => phrase!("cache miss"),
        CacheUse::Off => phrase!("caches off"),
    };
    let mut told = vec![phrase!("{}", words::time(probed.time.0 as f64))];
    told.extend((probed.cause == Cause::Reallocation).then(|| phrase!("reallocation")));
    told.push(who);
    told.extend((probed.attempt > 0).then(|| phrase!("retry {}", probed.attempt)));
    told.push(cache);
    Phrase::joined(told, "{}, {}")
}

fn verdict(card: &Scorecard, index: usize) -> Phrase {
    let (rule, verdict) = card.verdicts[index];
    if let Some(said) = card.said_by(rule) {
        return said.clone();
    }
    match verdict {
        Verdict::Valid => phrase!("valid"),
        Verdict::Refused => phrase!("refused"),
        Verdict::Score { score, bucket, quantized: true } => phrase!("{bucket} ({score:.3})", bucket, score),
        Verdict::Score { score, .. } => phrase!("{score:.4}", score),
    }
}
