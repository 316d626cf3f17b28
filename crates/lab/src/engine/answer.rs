//! Explanations in words: why a VM went where it went, why not elsewhere, or why nowhere.

use tiebreak_model::{VmId, Workload};
use tiebreak_placement::CacheUse;
use tiebreak_placement::explain::{Scorecard, Verdict};
use tiebreak_sim::{Probed, Rejection, World};

use crate::protocol::{Explained, FunnelStep, Reply, ScoreRow};
use crate::view::words;

/// What is known of a VM's decisions in this world.
pub(super) fn answer(run: u32, asked_vm: String, vm: VmId, world: &World) -> Reply {
    let workload = world.plan().workload();
    let rejection = world.rejection(workload.request_of(vm));
    let probed = world.probed().iter().filter(|probed| probed.vm == vm);
    let mut attempts: Vec<_> = probed.map(|probed| explained(probed, workload, vm)).collect();
    let fate = match rejection {
        Some(Rejection::Refused(other)) if other != vm => Some(format!(
            "Refused with its request: no machine could take VM {}, so none of the request's VMs was placed.",
            workload.name(other)
        )),
        Some(Rejection::OutOfRetries) => Some("Rejected: the last retry ended in a conflict too.".to_owned()),
        _ => None,
    };
    let mut message = fate.clone();
    if let (Some(fate), Some(last)) = (fate, attempts.last_mut()) {
        last.sentence = format!("{fate} When it was looked at: {}", last.sentence);
        message = None;
    }
    if attempts.is_empty() && message.is_none() {
        message = Some("This VM was not decided yet, or was asked for after the trace ends.".to_owned());
    }
    Reply::Explained { run, vm: asked_vm, attempts, message }
}

fn explained(probed: &Probed, workload: &Workload, vm: VmId) -> Explained {
    let explanation = &probed.explanation;
    let demand = workload.shape(workload.shape_of(vm)).demand;
    let funnel = &explanation.funnel;
    let steps = |of: &'static str, steps: &[tiebreak_placement::Step]| -> Vec<FunnelStep> {
        let step = |step: &tiebreak_placement::Step| FunnelStep {
            rule: step.rule.to_owned(),
            of: of.to_owned(),
            before: step.before,
            after: step.after,
        };
        steps.iter().map(step).collect()
    };
    let cards: Vec<&Scorecard> =
        [&explanation.winner, &explanation.runner_up, &explanation.asked].into_iter().flatten().collect();
    let scores = cards.first().map_or(Vec::new(), |first| {
        let row = |index: usize| ScoreRow {
            rule: first.verdicts[index].0.to_owned(),
            verdicts: cards.iter().map(|card| verdict(card.verdicts[index].1)).collect(),
        };
        (0..first.verdicts.len()).map(row).collect()
    });
    Explained {
        sentence: sentence(probed),
        vm: words::resources(demand),
        circumstances: circumstances(probed),
        funnel: [steps("clusters", &funnel.cluster_steps), steps("machines", &funnel.steps)].concat(),
        winner: explanation.winner.as_ref().map(|card| card.machine.0),
        runner_up: explanation.runner_up.as_ref().map(|card| card.machine.0),
        decided_by: explanation.decided_by.map(ToOwned::to_owned),
        scores,
        asked: explanation.asked.as_ref().map(|asked| about_asked(asked, explanation.winner.as_ref())),
    }
}

/// One sentence that says what happened and why.
fn sentence(probed: &Probed) -> String {
    let explanation = &probed.explanation;
    let tied = explanation.funnel.best.len();
    match (&explanation.winner, &explanation.runner_up, explanation.decided_by) {
        (None, ..) => refusal(probed),
        (Some(winner), _, None) if tied > 1 => {
            format!("Machine {} was picked at random among {tied} machines that no rule tells apart.", winner.machine)
        }
        (Some(winner), Some(second), Some(rule)) => {
            format!("Machine {} was chosen; {rule} put it before machine {}.", winner.machine, second.machine)
        }
        (Some(winner), ..) => format!("Machine {} was the only one that could hold it.", winner.machine),
    }
}

fn refusal(probed: &Probed) -> String {
    let funnel = &probed.explanation.funnel;
    let steps = if funnel.clusters.is_empty() { &funnel.cluster_steps } else { &funnel.steps };
    match steps.iter().filter(|step| step.before > step.after).max_by_key(|step| step.before - step.after) {
        Some(step) => format!(
            "No machine could take it: {} refused {} of the {} candidates it was given.",
            step.rule,
            step.before - step.after,
            step.before
        ),
        None => "No machine could take it.".to_owned(),
    }
}

fn about_asked(asked: &Scorecard, winner: Option<&Scorecard>) -> String {
    let machine = asked.machine;
    if let Some(rule) = asked.refused_by() {
        return format!("Not machine {machine}: {rule} refuses it.");
    }
    if !asked.in_selected_cluster {
        return format!("Not machine {machine}: its cluster was not among the best clusters.");
    }
    match winner {
        Some(winner) if winner.machine == machine => format!("Machine {machine} is the one that was chosen."),
        Some(winner) => match asked.loses_to(winner) {
            Some(rule) => format!("Not machine {machine}: {rule} scores it worse than machine {}.", winner.machine),
            None => format!("Machine {machine} was tied for best; the random pick fell on machine {}.", winner.machine),
        },
        None => format!("Machine {machine} was not refused by any rule."),
    }
}

fn circumstances(probed: &Probed) -> String {
    let who = probed.agent.map_or("warm start".to_owned(), |agent| format!("agent {agent}"));
    let cache = match probed.cache {
        CacheUse::Hit => "cache hit",
        CacheUse::Miss => "cache miss",
        CacheUse::Off => "caches off",
    };
    let attempt = if probed.attempt == 0 { String::new() } else { format!(", retry {}", probed.attempt) };
    format!("{}, {who}{attempt}, {cache}", words::time(probed.time.0 as f64))
}

fn verdict(verdict: Verdict) -> String {
    match verdict {
        Verdict::Valid => "valid".to_owned(),
        Verdict::Refused => "refused".to_owned(),
        Verdict::Score { score, bucket, quantized: true } => format!("{bucket} ({score:.3})"),
        Verdict::Score { score, .. } => format!("{score:.4}"),
    }
}
