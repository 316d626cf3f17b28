//! Requests at changed times: compressed into spikes, or sped up.

use tiebreak_model::{Millis, RequestId, Time, VmId, VmRow, Workload, WorkloadBuilder};

/// How to compress requests into spikes.
#[derive(Clone, Copy)]
pub(super) struct Spikes {
    /// Requests within this interval form one spike.
    pub(super) of: Millis,
    /// The length of a spike.
    pub(super) width: Millis,
    /// The time between the starts of two spikes.
    pub(super) every: Millis,
}

/// The requests compressed into spikes, in their order. Lifetimes stay the same.
pub(super) fn in_spikes(workload: &Workload, spikes: Spikes) -> Workload {
    let [of, width, every] = [spikes.of, spikes.width, spikes.every].map(|time| time.0 as i64);
    let start = |at: Time| Time(1 + at.0.div_euclid(of) * every + at.0.rem_euclid(of) * width / of);
    let count = (workload.horizon().0 + of - 1).div_euclid(of).max(1);
    retimed(workload, start, |life| life, Time(count * every))
}

/// Splits requests into single VMs, one millisecond apart, so that the store accepts or rejects one VM at a time. The
/// terms of tenants stay.
pub(super) fn one_by_one(workload: &Workload) -> Workload {
    let mut rows = WorkloadBuilder::new();
    for request in (0..workload.request_count()).map(RequestId) {
        let (at, tenant) = (workload.at(request), workload.tenant(request));
        for (nth, vm) in (0..).zip(workload.vms_of(request).map(VmId)) {
            let (name, shape, end) = (workload.name(vm), *workload.shape_of_vm(vm), workload.end(vm));
            rows.push(VmRow { name, tenant, shape, start: Time(at.0 + nth), end });
        }
    }
    rows.finish(workload.horizon()).expect("as many rows as before")
}

/// Speeds up time: requests arrive sooner and lifetimes are shorter.
pub(super) fn sped_up(workload: &Workload, factor: i64) -> Workload {
    let start = |at: Time| Time((at.0 / factor).max(1));
    let life = |life: Millis| Millis((life.0 / factor as u64).max(1));
    retimed(workload, start, life, Time((workload.horizon().0 / factor).max(1)))
}

/// VMs alive at the start keep their order; their remaining lifetimes change like lifetimes.
fn retimed(
    workload: &Workload,
    start: impl Fn(Time) -> Time,
    life: impl Fn(Millis) -> Millis,
    horizon: Time,
) -> Workload {
    let mut rows = WorkloadBuilder::new();
    for request in (0..workload.request_count()).map(RequestId) {
        let at = workload.at(request);
        let is_warm = request.0 < workload.warm_count();
        let (begins, lives_from) = if is_warm { (at, Time::ZERO) } else { (start(at), at) };
        let from = begins.max(Time::ZERO);
        for vm in workload.vms_of(request).map(VmId) {
            let (name, tenant) = (workload.name(vm), workload.tenant(request));
            let end = match workload.end(vm) {
                Time::NEVER => Time::NEVER,
                end => from + life(end.since(lives_from)),
            };
            rows.push(VmRow { name, tenant, shape: *workload.shape_of_vm(vm), start: begins, end });
        }
    }
    rows.finish(horizon).expect("as many rows as before")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::random::Seed;
    use tiebreak_sim::GeneratedWorkload;

    fn day() -> Workload {
        GeneratedWorkload { days: 0.25, requests_per_hour: 50.0, ..Default::default() }.generate(Seed(1))
    }

    fn arriving(workload: &Workload) -> impl Iterator<Item = RequestId> {
        (workload.warm_count()..workload.request_count()).map(RequestId)
    }

    const SPIKES: Spikes = Spikes { of: Millis::HOUR, width: Millis(10_000), every: Millis::MINUTE };

    #[test]
    fn spikes_keep_requests_and_lives() {
        let (before, after) = (day(), in_spikes(&day(), SPIKES));
        assert_eq!((before.vm_count(), before.warm_count()), (after.vm_count(), after.warm_count()));
        assert!(arriving(&after).all(|request| after.at(request).0 % 60_000 <= 10_001), "within ten seconds");
        let lives = |workload: &Workload| {
            let life = |vm: VmId| workload.end(vm).since(workload.at(workload.request_of(vm))).0;
            let mut lives: Vec<_> = (workload.warm_count()..workload.vm_count()).map(VmId).map(life).collect();
            lives.sort_unstable();
            lives
        };
        assert_eq!(lives(&before), lives(&after));
    }

    #[test]
    fn one_by_one_there_are_as_many_requests_as_vms() {
        let (before, after) = (day(), one_by_one(&day()));
        assert_eq!((before.vm_count(), after.vm_count()), (after.vm_count(), after.request_count()));
        assert_eq!(before.warm_count(), after.warm_count());
    }

    #[test]
    fn a_faster_day_is_a_shorter_one() {
        let (before, after) = (day(), sped_up(&day(), 100));
        assert_eq!(before.vm_count(), after.vm_count());
        assert_eq!(after.horizon().0, before.horizon().0 / 100);
        let alive = |workload: &Workload, at: Time| {
            let vms = (0..workload.vm_count()).map(VmId);
            vms.filter(|vm| workload.at(workload.request_of(*vm)) <= at && workload.end(*vm) > at).count() as f64
        };
        let (slow, fast) = (alive(&before, Time(10_000_000)), alive(&after, Time(100_000)));
        assert!((slow / fast - 1.0).abs() < 0.01, "{slow} VMs alive, {fast} in the faster one");
    }
}
