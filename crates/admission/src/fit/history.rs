//! The deployments of a workload, and the observations of each from its start to its end.
//!
//! A deployment is what one tenant has from its first VM to the moment it has none; if the tenant returns, that is
//! another one. Deployments that existed when the trace began are left out: only the longer-lived of them were
//! observed (the paper's Appendix B). Those that outlive the trace count for as long as they were observed
//! (censoring).

use alloc::vec::Vec;

use tiebreak_model::{RequestId, Resource, Time, VmId, Workload};

use crate::prior::Deaths;
use crate::seen::Seen;

/// The least number of VMs that must end at one moment for a deployment to count as stopped as a whole (Appendix
/// B.2).
pub const STOPPED_VMS: u32 = 3;

/// The shortest lifetime of anything, in hours: a minute. Traces are in minutes, and a lifetime of zero would mean an
/// infinite rate.
pub const LIFE_LEAST_HOURS: f64 = 1.0 / 60.0;

const MS_PER_HOUR: f64 = 3_600_000.0;

/// The observations of one deployment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct History {
    /// Its sums, up to its end or the end of the trace. What ended in a whole stop is not a death.
    pub seen: Seen,
    /// Whether it stopped as a whole: its last moment ended more than one core (or block), and at least
    /// [`STOPPED_VMS`] VMs.
    pub stopped: bool,
    /// Whether it ended with a single last core (or block), which may have been a death or a whole stop.
    pub alone: bool,
    /// Whether it ended before the trace did.
    pub over: bool,
    /// The cores of its first request.
    pub first_cores: f64,
    /// How many hours its first core (or block) was observed.
    pub first_life_hours: f64,
    /// Whether that ended.
    pub first_life_over: bool,
    /// Hours until its first scale-out, or until it was last observed.
    pub first_wait_hours: f64,
}

/// The deployments of a workload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histories {
    /// Those that arrived during the trace, in order of tenant and time.
    pub each: Vec<History>,
    /// The number left out because they existed when it began.
    pub begun_before: u32,
    /// Blocks (or VMs) with a lifetime below [`LIFE_LEAST_HOURS`], which count as that long.
    pub short_lives: u32,
    /// The length of the trace, in hours.
    pub trace_hours: f64,
}

/// Finds the deployments of a workload. The unit that ends is a VM's core, or the block of VMs that a tenant
/// requested at one instant, which ends with its last VM.
#[must_use]
pub fn histories(workload: &Workload, deaths: Deaths) -> Histories {
    let horizon = workload.horizon();
    let mut found = Histories { trace_hours: hours(Time::ZERO, horizon), ..Histories::default() };
    for tenant in requests_by_tenant(workload).chunk_by(|one, next| one.0 == next.0) {
        let mut from = 0;
        while from < tenant.len() {
            let (to, end) = deployment(workload, &tenant[from..]);
            let requests = &tenant[from..from + to];
            if requests[0].1 <= Time::ZERO {
                found.begun_before += 1;
            } else {
                let mut story = Story { workload, deaths, horizon, end, short_lives: 0 };
                found.each.push(story.told(requests));
                found.short_lives += story.short_lives;
            }
            from += to;
        }
    }
    found
}

/// A tenant, the time of its request, and the request.
type Asked = (u64, Time, RequestId);

fn requests_by_tenant(workload: &Workload) -> Vec<Asked> {
    let all = (0..workload.request_count()).map(RequestId);
    let known = all.filter(|request| workload.at(*request) < workload.horizon());
    let mut asked: Vec<Asked> =
        known.map(|request| (workload.tenant(request), workload.at(request), request)).collect();
    asked.sort_unstable();
    asked
}

/// How many of a tenant's requests belong to its first deployment, and when that has no VM left.
fn deployment(workload: &Workload, requests: &[Asked]) -> (usize, Time) {
    let mut end = Time(i64::MIN);
    for (place, (_, at, request)) in requests.iter().enumerate() {
        if place > 0 && end < *at {
            return (place, end);
        }
        end = workload.vms_of(*request).map(|vm| workload.end(VmId(vm))).fold(end.max(*at), Time::max);
    }
    (requests.len(), end)
}

/// One deployment while its history is collected.
struct Story<'a> {
    workload: &'a Workload,
    deaths: Deaths,
    horizon: Time,
    /// When it has no VM left.
    end: Time,
    short_lives: u32,
}

/// VMs that arrived together.
struct Block {
    at: Time,
    cores: f64,
    end: Time,
    /// Each VM's cores and end.
    vms: Vec<(f64, Time)>,
}

impl Story<'_> {
    fn told(&mut self, requests: &[Asked]) -> History {
        let blocks: Vec<Block> =
            requests.chunk_by(|one, next| one.1 == next.1).map(|at_once| self.block(at_once)).collect();
        let (stopped, alone) = self.ending(&blocks);
        let first = &blocks[0];
        let mut seen = Seen { hours: self.life(first.at, self.end), ..Seen::default() };
        for (place, block) in blocks.iter().enumerate() {
            seen.extra += block.cores - 1.0;
            seen.requests += 1.0;
            seen.scale_outs += if place > 0 { 1.0 } else { 0.0 };
            self.lives(block, stopped, &mut seen);
        }
        let first_end = match self.deaths {
            Deaths::Cores => first.vms[0].1,
            Deaths::Blocks => first.end,
        };
        History {
            seen,
            stopped,
            alone,
            over: self.end <= self.horizon,
            first_cores: first.cores,
            first_life_hours: self.life(first.at, first_end),
            first_life_over: first_end <= self.horizon,
            first_wait_hours: blocks.get(1).map_or(seen.hours, |next| self.life(first.at, next.at)),
        }
    }

    fn block(&self, requests: &[Asked]) -> Block {
        let ids = requests.iter().flat_map(|(.., request)| self.workload.vms_of(*request));
        let vms: Vec<(f64, Time)> =
            ids.map(VmId).map(|vm| (cores_of(self.workload, vm), self.workload.end(vm))).collect();
        let at = requests[0].1;
        Block { at, cores: vms.iter().map(|vm| vm.0).sum(), end: vms.iter().map(|vm| vm.1).fold(at, Time::max), vms }
    }

    /// Whether its last moment ended so much that it was a stop rather than a gradual end; and whether that ended
    /// only one core (or block).
    fn ending(&self, blocks: &[Block]) -> (bool, bool) {
        let vms = blocks.iter().flat_map(|block| &block.vms).filter(|vm| vm.1 == self.end).count();
        let last = match self.deaths {
            Deaths::Cores => vms,
            Deaths::Blocks => blocks.iter().filter(|block| block.end == self.end).count(),
        };
        let over = self.end <= self.horizon;
        (over && last > 1 && STOPPED_VMS as usize <= vms, over && last == 1)
    }

    /// Adds the lifetimes of a block's cores, or its own.
    fn lives(&mut self, block: &Block, stopped: bool, seen: &mut Seen) {
        let whole = [(block.cores, block.end)];
        let (lives, weighted) = match self.deaths {
            Deaths::Cores => (block.vms.as_slice(), true),
            Deaths::Blocks => (whole.as_slice(), false),
        };
        for (cores, end) in lives {
            let units = if weighted { *cores } else { 1.0 };
            seen.exposure += units * self.life(block.at, *end);
            self.short_lives += u32::from(hours(block.at, *end) < LIFE_LEAST_HOURS);
            if self.horizon < *end {
                seen.cores += cores;
                seen.squares += cores * cores;
                seen.blocks += 1.0;
            } else if !(stopped && *end == self.end) {
                seen.deaths += units;
            }
        }
    }

    /// The observed hours between these instants, at least the least lifetime.
    fn life(&self, from: Time, to: Time) -> f64 {
        hours(from, to.min(self.horizon)).max(LIFE_LEAST_HOURS)
    }
}

/// Whole cores, at least 1.
fn cores_of(workload: &Workload, vm: VmId) -> f64 {
    f64::from(workload.shape_of_vm(vm).demand[Resource::Cores].div_ceil(1_000).max(1))
}

fn hours(from: Time, to: Time) -> f64 {
    to.since(from).0 as f64 / MS_PER_HOUR
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::{Resources, VmRow, VmShape, WorkloadBuilder};

    /// VMs as (tenant, cores, start, end), in hours; an end of 0 is one after the trace.
    fn told(vms: &[(u64, u32, i64, i64)], deaths: Deaths) -> Histories {
        let mut builder = WorkloadBuilder::new();
        for (name, (tenant, cores, start, end)) in vms.iter().enumerate() {
            let shape = VmShape::plain(Resources::new(cores * 1_000, 1_024, 0, 0));
            let time = |hours: i64| Time(hours * 3_600_000);
            let end = if *end == 0 { Time::NEVER } else { time(*end) };
            builder.push(VmRow { name: name as u64, tenant: *tenant, shape, start: time(*start), end });
        }
        histories(&builder.finish(Time(100 * 3_600_000)).expect("a workload"), deaths)
    }

    #[test]
    fn a_deployment_lasts_until_its_tenant_has_no_vm() {
        let vms = [(7, 2, 1, 5), (7, 2, 1, 4), (7, 4, 3, 10), (8, 1, 2, 9), (7, 1, 20, 21), (7, 1, 20, 0)];
        let found = told(&vms, Deaths::Blocks);
        assert_eq!((found.each.len(), found.begun_before, found.trace_hours), (3, 0, 100.0));
        let Seen { deaths, exposure, scale_outs, hours, extra, requests, cores, .. } = found.each[0].seen;
        assert_eq!((deaths, exposure, scale_outs, hours), (2.0, 4.0 + 7.0, 1.0, 9.0));
        assert_eq!((extra, requests, cores), (3.0 + 3.0, 2.0, 0.0));
        let History { over, stopped, first_cores, first_life_hours, first_wait_hours, .. } = found.each[0];
        assert_eq!((over, stopped, first_cores, first_life_hours, first_wait_hours), (true, false, 4.0, 4.0, 2.0));
        let last = found.each[1];
        assert!(!last.over && !last.first_life_over, "a block ends with its last VM");
        assert_eq!((last.seen.cores, last.seen.deaths, last.seen.hours), (2.0, 0.0, 80.0));
    }

    #[test]
    fn cores_are_watched_each_for_itself() {
        let found = told(&[(7, 2, 1, 5), (7, 3, 1, 4), (7, 4, 3, 0)], Deaths::Cores);
        let Seen { deaths, exposure, cores, .. } = found.each[0].seen;
        assert_eq!((deaths, exposure, cores), (5.0, 8.0 + 9.0 + 4.0 * 97.0, 4.0));
    }

    #[test]
    fn who_was_there_when_the_trace_began_is_left_out_with_all_it_asked_for() {
        let found = told(&[(7, 1, -3, 50), (7, 1, 20, 60), (7, 1, 70, 71), (8, 1, 0, 3)], Deaths::Blocks);
        assert_eq!((found.each.len(), found.begun_before), (1, 2));
        assert_eq!(found.each[0].seen.hours, 1.0);
    }

    #[test]
    fn a_whole_stop_is_three_vms_of_two_blocks_at_one_moment() {
        let stopped = |vms: &[(u64, u32, i64, i64)], deaths| {
            let found = told(vms, deaths).each[0];
            (found.stopped, found.seen.deaths)
        };
        let two_blocks = [(7, 1, 1, 9), (7, 1, 1, 9), (7, 1, 2, 9), (7, 1, 2, 5)];
        assert_eq!(stopped(&two_blocks, Deaths::Blocks), (true, 0.0));
        assert_eq!(stopped(&two_blocks, Deaths::Cores), (true, 1.0));
        // One block that ends is a death; two VMs may end together by chance; later ends do not count.
        assert_eq!(stopped(&[(7, 1, 1, 9), (7, 1, 1, 9), (7, 1, 1, 9)], Deaths::Blocks), (false, 1.0));
        assert_eq!(stopped(&[(7, 1, 1, 9), (7, 1, 2, 9)], Deaths::Blocks), (false, 2.0));
        assert_eq!(stopped(&[(7, 1, 1, 0); 5], Deaths::Cores), (false, 0.0));
    }

    #[test]
    fn lives_of_no_time_count_as_a_minute() {
        let found = told(&[(7, 1, 1, 1), (8, 1, 5, 4)], Deaths::Blocks);
        assert_eq!((found.short_lives, found.each.len()), (2, 2));
        assert_eq!(found.each[0].seen.exposure, LIFE_LEAST_HOURS);
    }
}
