//! Why a commit failed, in words: two agents chose the same machine, and the store accepted only one of them (Protean
//! section 5.3).

use tiebreak_model::phrase::count;
use tiebreak_model::{MachineId, Phrase, phrase};
use tiebreak_sim::{Collision, Obstacle, Plan, Probed};

use crate::protocol;

/// What is known about a failed commit; `None` if it was accepted, or has not reached the store.
pub(super) fn collision(probed: &Probed, plan: &Plan) -> Option<protocol::Collision> {
    let (it, agent) = probed.collision.as_ref().zip(probed.agent)?;
    let name = |vm| plan.workload().name(vm).to_string();
    let rivals = it.rivals.iter().map(|rival| protocol::Rival { vm: name(rival.vm), agent: rival.agent }).collect();
    let rivals = if matches!(it.why, Obstacle::Room | Obstacle::Outdated) { rivals } else { Vec::new() };
    let is_own = probed.explanation.winner.as_ref().is_some_and(|card| card.machine == it.machine);
    let sentence = phrase!(
        "{cause}: {why}. {end}",
        cause(it.machine, agent, &rivals),
        why(it, &name(probed.vm), is_own),
        phrase!("The commit of agent {agent} failed.", agent)
    );
    Some(protocol::Collision { agent, machine: it.machine.0, rivals, sentence })
}

/// Which VM came first, as far as known.
fn cause(machine: MachineId, agent: u32, rivals: &[protocol::Rival]) -> Phrase {
    match rivals {
        [] => phrase!("Machine {machine} had changed since agent {agent} looked at it", machine, agent),
        [protocol::Rival { vm, agent }] => {
            phrase!("Agent {agent} placed VM {vm} on machine {machine} first", agent, vm, machine)
        }
        several => {
            phrase!("Other agents placed {n} VMs on machine {machine} first", count(several.len() as u64), machine)
        }
    }
}

/// What the store found. A conflict on the machine of another VM rejects the whole request.
fn why(collision: &Collision, vm: &str, is_own: bool) -> Phrase {
    match collision.why {
        Obstacle::Room if is_own => phrase!("VM {vm} no longer fits there", vm),
        Obstacle::Room => phrase!("the other VMs of the request of VM {vm} no longer fit there", vm),
        Obstacle::Readiness => phrase!("it takes no VMs any more"),
        Obstacle::Outdated => phrase!("the store takes no decision on an outdated view"),
        Obstacle::Promise => phrase!("a tenant would lose what it was promised"),
    }
}
