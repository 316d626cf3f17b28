//! Laws about placement: the record is replayed from the beginning, moment by moment.

use tiebreak_model::{MachineId, Time, VmId};
use tiebreak_sim::{Agents, Decision, Latency, Outcome};

use crate::answers::groups;
use crate::books::Books;
use crate::deployments::Deployments;
use crate::ledger::Ledger;
use crate::samples::Samples;
use crate::wires;

/// At every moment nothing is over-committed, promises to tenants are kept, and no eviction was unnecessary. A
/// merging store refuses only what does not fit or breaks a promise. Samples, means and the final state match the
/// replay.
pub(crate) fn holds_at_every_moment(ledger: &Ledger) -> Result<(), String> {
    let mut books = Books::new(ledger);
    let mut samples = Samples::new(ledger);
    let mut deployments = Deployments::new(ledger);
    for group in groups(&ledger.decisions) {
        let one = group[0];
        // VMs of the warm start are placed before anything else happens.
        let warm = one.agent.is_none();
        if !warm {
            samples.check_before(one.time, &mut books)?;
            books.advance(one.time)?;
        }
        deployments.note_answer(&one, &books.stand);
        let chosen: Vec<_> = group.iter().filter_map(|it| Some((it.vm, it.machine?))).collect();
        match one.outcome {
            Outcome::Placed => {
                nobody_came_between(ledger, &books, &one, &chosen)?;
                books.place(&chosen, &one)?;
            }
            Outcome::Conflict | Outcome::OutOfRetries => refused_for_a_reason(ledger, &books, &one, &chosen)?,
            Outcome::Refused => {}
        }
    }
    samples.check_before(Time::NEVER, &mut books)?;
    books.advance(Time::NEVER)?;
    deployments.end_as_recorded(&books.stand)?;
    ends_as_recorded(ledger, &books)
}

/// A store that merges decisions refuses only what does not fit or breaks a promise. After an incident, the replay
/// does not know which machines accepted VMs.
fn refused_for_a_reason(
    ledger: &Ledger,
    books: &Books<'_>,
    one: &Decision,
    chosen: &[(VmId, MachineId)],
) -> Result<(), String> {
    let merges = ledger.agents.fine_grained && !ledger.eventful;
    if merges && books.could_place(chosen, one.time) {
        return Err(format!("a decision that fits was refused: {one:?}"));
    }
    Ok(())
}

/// A store that rejects stale decisions accepts none whose machines have changed since it was made, except by earlier
/// decisions of the same agent, which its view already contained. The time of a decision is known if every decision
/// takes the same time.
fn nobody_came_between(
    ledger: &Ledger,
    books: &Books<'_>,
    one: &Decision,
    chosen: &[(VmId, MachineId)],
) -> Result<(), String> {
    let Agents { fine_grained, latency, decision_ms, commit_ms, .. } = ledger.agents;
    let Some(agent) = one.agent.filter(|_| !fine_grained && latency == Latency::Fixed) else { return Ok(()) };
    let decided_at = Time(one.time.0 - (commit_ms + decision_ms * chosen.len() as u64) as i64);
    match chosen.iter().find(|(_, machine)| books.changed_by_others(*machine, agent) > Some(decided_at)) {
        Some((_, machine)) => Err(format!("machine {machine} changed before an outdated decision was taken: {one:?}")),
        None => Ok(()),
    }
}

fn ends_as_recorded(ledger: &Ledger, books: &Books<'_>) -> Result<(), String> {
    for (machine, record) in (0..).map(MachineId).zip(&ledger.machines) {
        let (vms, free) = (books.stand.on(machine), books.stand.free(machine));
        let copies = books.stand.leaving(machine).count();
        if record.vms as usize != vms.len() + copies || Some(record.free) != free {
            return Err(format!("machine {machine} ends with {record:?}, the record says {vms:?} and {free:?}"));
        }
    }
    for (vm, placed) in (0..).map(VmId).zip(&ledger.placements) {
        if *placed != books.last(vm) {
            return Err(format!("VM {vm} was decided for another machine or moment: {placed:?}"));
        }
    }
    wires::end_as_recorded(ledger, &books.stand)?;
    let (empty, density, free) = books.means_pct();
    close("mean empty-to-free ratio", ledger.summary.empty_to_free_pct_mean, free)?;
    close("mean of empty hosts", ledger.summary.empty_hosts_pct_mean, empty)?;
    close("machine-hours in use", ledger.summary.machine_hours, books.machine_hours())?;
    close("mean packing density", ledger.summary.packing_density_pct_mean, density)
}

/// The simulator sums the same terms in another order, so the last bits may differ.
fn close(what: &str, measured: f64, expected: f64) -> Result<(), String> {
    let near = (measured - expected).abs() <= 1e-9 * expected.abs().max(1.0);
    if near { Ok(()) } else { Err(format!("the {what} is {measured}, the record gives {expected}")) }
}
