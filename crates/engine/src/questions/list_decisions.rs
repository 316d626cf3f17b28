//! `ListDecisions`: the outcomes of a run's VMs, one page at a time.

use tiebreak_model::{Phrase, RequestId, VmId, declare, phrase};
use tiebreak_sim::{Fate, Rejection, World};

use super::{Of, Question, Subject, Told};
use crate::protocol::{Answer, Decided, Decisions, Found};
use crate::said;
use crate::words;

/// VMs per page.
pub const ROWS: u32 = 25;

declare! {
    /// What became of the VMs of a run, in order of their requests: a page of those that are listed and whose number, or
    /// whose tenant's number, begins with the digits that were typed.
    pub struct ListDecisions as "ListDecisions" {
        /// Which VMs: a place in `Which::ALL`.
        which: u32 = 0, 0 => 3, "";
        /// The page, from 0; the last one where there are not so many.
        page: u32 = 0, 0 => 4294967295_u32, "";
    }
}

impl Question for ListDecisions {
    const OF: &'static [Of] = &[Of::Run, Of::File];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        let search = Search::new(&String::from_utf8_lossy(of.file()));
        let run = of.run();
        let listed = list(of.world()?, run, (self.which as usize, self.page), search);
        Ok(Told::Now(Answer::found(Found::Decisions(Box::new(listed)))))
    }
}

/// The digits with which numbers must begin.
#[derive(Clone, Copy)]
enum Search {
    Anything,
    Digits(u64),
    /// No number begins with the typed text.
    Nothing,
}

impl Search {
    fn new(typed: &str) -> Self {
        let typed = typed.trim();
        let is_number = typed.bytes().all(|byte| byte.is_ascii_digit()) && (typed == "0" || !typed.starts_with('0'));
        match (typed, typed.parse()) {
            ("", _) => Self::Anything,
            (_, Ok(digits)) if is_number => Self::Digits(digits),
            _ => Self::Nothing,
        }
    }

    fn finds(self, number: u64) -> bool {
        match self {
            Self::Anything => true,
            Self::Digits(digits) => begins_with(number, digits),
            Self::Nothing => false,
        }
    }
}

/// Whether a number begins with these decimal digits.
fn begins_with(number: u64, digits: u64) -> bool {
    let mut left = number;
    while left > digits && left >= 10 {
        left /= 10;
    }
    left == digits
}

/// Counts all VMs in one pass; evaluates only those of the page in detail.
fn list(world: &World, run: u32, (which, page): (usize, u32), search: Search) -> Decisions {
    let workload = world.plan().workload();
    let mut counts = [0; 4];
    // The requested page; until it is reached, the latest page, full or not.
    let (first, mut shown) = (u64::from(page) * u64::from(ROWS), Vec::with_capacity(ROWS as usize));
    for request in (0..workload.request_count()).map(RequestId) {
        let of_tenant = search.finds(workload.tenant(request));
        let (refused, collided) = (world.rejected(request).is_some(), world.collisions(request) > 0);
        for vm in workload.vms_of(request).map(VmId) {
            if !of_tenant && !search.finds(workload.name(vm)) {
                continue;
            }
            let lists = [true, world.was_placed(vm), refused, collided];
            if lists[which] && u64::from(counts[which]) < first + u64::from(ROWS) {
                if counts[which] % ROWS == 0 {
                    shown.clear();
                }
                shown.push(vm);
            }
            for (count, counted) in counts.iter_mut().zip(lists) {
                *count += u32::from(counted);
            }
        }
    }
    let last = counts[which].saturating_sub(1) / ROWS;
    Decisions { run, counts, page: page.min(last), rows: shown.into_iter().map(|vm| decided(world, vm)).collect() }
}

fn decided(world: &World, vm: VmId) -> Decided {
    let workload = world.plan().workload();
    let request = workload.request_of(vm);
    let (rejected, placed) = (world.rejected(request), world.first_placement(vm));
    let answered = rejected.map(|it| it.at).or(placed.map(|(_, at)| at));
    let (at, was_alive) = (workload.at(request), request.0 < workload.warm_count());
    let collisions = world.collisions(request);
    let is_out = rejected.is_some_and(|it| it.why == Rejection::OutOfRetries);
    Decided {
        vm: workload.name(vm).to_string(),
        tenant: workload.tenant(request).to_string(),
        at_ms: (!was_alive).then_some(at.0 as f64),
        demand: said::resources(workload.shape_of_vm(vm).demand),
        outcome: outcome(world, vm),
        machine: world.placement(vm).map(|(machine, _)| machine.0),
        tries: collisions + u32::from(answered.is_some() && !is_out),
        waited_ms: answered.filter(|_| !was_alive).map(|answered| answered.since(at).0 as f64),
    }
}

/// The outcome of a VM in words.
fn outcome(world: &World, vm: VmId) -> Phrase {
    let plan = world.plan();
    let at = |time: tiebreak_model::Time| words::time(time.0 as f64);
    match world.fate(vm) {
        Some(Fate::Evicted { at: time }) => {
            return phrase!("evicted at {} to make room for a VM of higher priority", at(time));
        }
        Some(Fate::Waiting { since, .. }) => return phrase!("lost its machine at {}, waiting for another", at(since)),
        Some(Fate::Lost { at: time, .. }) => return phrase!("lost its machine, found no other by {}", at(time)),
        Some(Fate::Ended { at: time, .. }) => {
            return phrase!("lost its machine, ended at {} before it found another", at(time));
        }
        Some(Fate::Reallocated { .. } | Fate::Migrated { .. }) | None => {}
    }
    if let Some(refused) = refused(world, vm) {
        return refused;
    }
    let workload = plan.workload();
    match (world.placement(vm), world.first_placement(vm)) {
        (Some(_), Some((_, since))) if workload.end(vm) <= since => phrase!("ended before it was placed"),
        (Some((machine, _)), _) => {
            let fleet = plan.fleet();
            phrase!("placed on machine {machine} of {}", machine, fleet.cluster(fleet.cluster_of(machine)).name)
        }
        (None, _) if world.progress().done => phrase!("waiting at the end"),
        (None, _) => phrase!("not decided yet"),
    }
}

/// Why a VM was refused; `None` if it was not.
fn refused(world: &World, vm: VmId) -> Option<Phrase> {
    let workload = world.plan().workload();
    let rejected = world.rejected(workload.request_of(vm))?;
    Some(match rejected.why {
        Rejection::OutOfRetries => phrase!("out of retries: the last one ended in a conflict"),
        Rejection::Refused(other) if other != vm => {
            phrase!("refused with its request: no machine could take VM {}", workload.name(other))
        }
        Rejection::Refused(_) => match (world.bottleneck(vm), rejected.had_room) {
            (Some(by), _) => phrase!("refused: the network had no room (by {by})", Phrase::text(by.title())),
            (None, true) => phrase!("refused: machines had room, but rules excluded them"),
            (None, false) => phrase!("refused: no machine had room"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_first_digits() {
        for (typed, number, found) in [
            ("", 7, true),
            ("12", 12, true),
            ("12", 1_234, true),
            (" 12 ", 12_000, true),
            ("12", 1, false),
            ("12", 21, false),
            ("12", 112, false),
            ("0", 0, true),
            ("0", 10, false),
            ("012", 12, false),
            ("VM 12", 12, false),
            ("1844674407370955161", u64::MAX, true),
            ("18446744073709551615", u64::MAX, true),
            ("18446744073709551616", u64::MAX, false),
            ("+1", 1, false),
        ] {
            assert_eq!(Search::new(typed).finds(number), found, "{typed:?} in {number}");
        }
    }
}
