//! Why a machine is not empty: which VM holds it, until when, and what would free it. Uses the trace, which has the
//! true ends of VMs.

use tiebreak_model::{Phrase, Time, VmId, Workload, phrase};

use crate::protocol::Holder;
use crate::said;
use crate::words;

/// The maximum number of VMs named in a sentence.
const NAMED: usize = 5;

/// When a VM ends according to the trace.
pub(super) fn ends(workload: &Workload, vm: VmId) -> Phrase {
    match workload.end(vm) {
        Time::NEVER => phrase!("never ends in this trace"),
        end => phrase!("ends at {} in the trace", time(end)),
    }
}

/// The VM that holds a machine with these VMs longest; `None` for an empty one. Of several that never end, the first.
/// Includes its prediction, if there is one.
pub(super) fn holder(workload: &Workload, vms: &[VmId], expected: impl Fn(VmId) -> Option<Phrase>) -> Option<Holder> {
    let mut by_end: Vec<_> = vms.iter().map(|vm| (workload.end(*vm), *vm)).collect();
    by_end.sort_by_key(|(end, vm)| (core::cmp::Reverse(*end), *vm));
    let (last, vm) = *by_end.first()?;
    let name = workload.name(vm);
    let held = match last {
        Time::NEVER => phrase!("VM {vm} holds it longest: it never ends in this trace.", name),
        last => phrase!("VM {vm} holds it longest: by the trace it ends at {}.", name, time(last)),
    };
    let expected = expected(vm).map(|expected| phrase!("VM {vm} is {expected}.", name, expected));
    let said = [Some(held), expected, alone(&by_end), Some(freed(workload, &by_end))];
    Some(Holder { vm: name.to_string(), id: vm.0, said: said.into_iter().flatten().collect() })
}

/// Since when only its last VM holds the machine.
fn alone(by_end: &[(Time, VmId)]) -> Option<Phrase> {
    let ((last, _), (next, _)) = (by_end.first()?, by_end.get(1)?);
    let others = said::counted((by_end.len() - 1) as f64, "other VM", "other VMs");
    (next < last).then(|| phrase!("Its {others} will have ended by {}.", others, time(*next)))
}

/// What would free the machine.
fn freed(workload: &Workload, by_end: &[(Time, VmId)]) -> Phrase {
    let forever: Vec<_> = by_end.iter().filter(|(end, _)| *end == Time::NEVER).map(|(_, vm)| *vm).collect();
    match (forever.as_slice(), by_end.first()) {
        ([], Some((last, vm))) => {
            phrase!("If it takes no more VMs, it is empty at {}, when VM {vm} ends.", time(*last), workload.name(*vm))
        }
        ([vm], _) => phrase!("It is never empty in this trace unless VM {vm} is moved.", workload.name(*vm)),
        (forever, _) => {
            let named = forever.iter().take(NAMED).map(|vm| phrase!("{}", workload.name(*vm).to_string()));
            let more = forever.len().saturating_sub(NAMED);
            let more = (more > 0).then(|| phrase!(" and {more} more", said::count(more as f64)));
            phrase!(
                "VMs {}{} never end in this trace: it is never empty unless they are moved.",
                Phrase::joined(named, "{}, {}"),
                more
            )
        }
    }
}

fn time(at: Time) -> String {
    words::time(at.0 as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::{Millis, Resources, VmRow, VmShape, WorkloadBuilder};

    const DAY_MS: i64 = 86_400_000;

    /// VMs 10, 11, ... that end on these days of the trace; `None` means never.
    fn workload(days: &[Option<i64>]) -> Workload {
        let mut builder = WorkloadBuilder::new();
        for (name, day) in (10..).zip(days) {
            let end = day.map_or(Time::NEVER, |day| Time(day * DAY_MS));
            let shape = VmShape::plain(Resources::new(1_000, 1_024, 0, 0));
            builder.push(VmRow { name, tenant: name, shape, start: Time(60_000), end });
        }
        builder.finish(Time::ZERO + Millis(14 * DAY_MS as u64)).expect("VMs were added")
    }

    fn told(days: &[Option<i64>]) -> Vec<String> {
        let workload = workload(if days.is_empty() { &[None] } else { days });
        let vms: Vec<_> = (0..days.len() as u32).map(VmId).collect();
        holder(&workload, &vms, |_| None)
            .map_or(Vec::new(), |holder| holder.said.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn the_vm_that_ends_last_holds_a_machine() {
        assert_eq!(told(&[]), [""; 0], "an empty machine is held by nobody");
        assert_eq!(
            told(&[Some(9)]),
            [
                "VM 10 holds it longest: by the trace it ends at 9 d 00:00.",
                "If it takes no more VMs, it is empty at 9 d 00:00, when VM 10 ends."
            ]
        );
        assert_eq!(
            told(&[Some(3), Some(9), Some(2)]),
            [
                "VM 11 holds it longest: by the trace it ends at 9 d 00:00.",
                "Its 2 other VMs will have ended by 3 d 00:00.",
                "If it takes no more VMs, it is empty at 9 d 00:00, when VM 11 ends."
            ]
        );
    }

    #[test]
    fn vms_that_never_end_are_named() {
        assert_eq!(
            told(&[Some(3), None]),
            [
                "VM 11 holds it longest: it never ends in this trace.",
                "Its 1 other VM will have ended by 3 d 00:00.",
                "It is never empty in this trace unless VM 11 is moved."
            ]
        );
        assert_eq!(
            told(&[None; 7])[1],
            "VMs 10, 11, 12, 13, 14 and 2 more never end in this trace: it is never empty unless they are moved."
        );
        let workload = workload(&[None, Some(3)]);
        let ends = [0, 1].map(|vm| ends(&workload, VmId(vm)).to_string());
        assert_eq!(ends, ["never ends in this trace", "ends at 3 d 00:00 in the trace"]);
    }
}
