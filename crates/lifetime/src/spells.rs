//! The observed part of each VM's lifetime up to some instant: the examples to learn from.

use alloc::vec::Vec;

use tiebreak_model::{RequestId, Time, VmId, Workload};

/// The observed part of one VM's lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spell {
    pub(crate) vm: VmId,
    /// Its uptime when observation began: above 0 if it was running when the trace began. Lifetimes that ended before
    /// are missing (left truncation), so it says nothing about earlier uptimes.
    pub(crate) entry_s: u32,
    /// Its uptime when it was last observed; more than `entry_s`.
    pub(crate) exit_s: u32,
    /// Whether it ended then; otherwise it was still running (censored).
    pub(crate) ended: bool,
}

/// What was observed by `cut`, in order of VM. VMs requested later are not included.
pub(crate) fn spells(workload: &Workload, cut: Time) -> Vec<Spell> {
    let requests = (0..workload.request_count()).map(RequestId).take_while(|request| workload.at(*request) < cut);
    requests
        .flat_map(|request| workload.vms_of(request).filter_map(move |vm| spell(workload, request, VmId(vm), cut)))
        .collect()
}

fn spell(workload: &Workload, request: RequestId, vm: VmId, cut: Time) -> Option<Spell> {
    let (start, end) = (workload.at(request), workload.end(vm));
    if end <= Time::ZERO && start <= Time::ZERO {
        return None;
    }
    let entry_s = seconds_between(start, Time::ZERO);
    let exit_s = seconds_between(start, end.min(cut)).max(entry_s.saturating_add(1));
    Some(Spell { vm, entry_s, exit_s, ended: end <= cut })
}

/// Whole seconds from one instant to a later one, rounded up; 0 if it is not later.
pub(crate) fn seconds_between(start: Time, end: Time) -> u32 {
    end.since(start).0.div_ceil(1_000).min(u64::from(u32::MAX)) as u32
}

/// The instant at which this share of the trace's time has passed.
pub(crate) fn cut(workload: &Workload, share_pct: f64) -> Time {
    let horizon_ms = workload.horizon().0.max(0) as f64;
    Time((horizon_ms * share_pct / 100.0) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{Life, workload};

    #[test]
    fn a_spell_is_what_was_seen_by_the_cut() {
        let lives = [
            Life::new(1, -500, Some(200)),
            Life::new(1, -9, Some(-3)),
            Life::new(1, 0, None),
            Life::new(1, 40, Some(90)),
            Life::new(1, 60, Some(60)),
            Life::new(1, 70, Some(300)),
            Life::new(1, 100, Some(120)),
        ];
        let seen: Vec<_> =
            spells(&workload(&lives, 200), Time(100_000)).iter().map(|s| (s.entry_s, s.exit_s, s.ended)).collect();
        assert_eq!(seen, [(500, 600, false), (0, 100, false), (0, 50, true), (0, 1, true), (0, 30, false)]);
    }
}
