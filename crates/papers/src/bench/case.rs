//! One measured case: the engine or a plain program on one zone.

use std::time::Instant;

use serde::Serialize;
use tiebreak_sim::World;

use super::baselines::{Baseline, NOWHERE};
use super::zone::Zone;
use tiebreak_console::answer::Failure;
use tiebreak_console::shown::count;

/// A case, with the best of its runs.
#[derive(Clone, Serialize)]
pub(super) struct Case {
    pub(super) name: String,
    /// Whether it is a plain program rather than the engine.
    pub(super) plain: bool,
    pub(super) machines: u32,
    /// VMs placed in the run; the warm start is timed separately.
    pub(super) placements: u64,
    pub(super) refusals: u64,
    pub(super) caches: bool,
    pub(super) placements_per_second: f64,
    pub(super) bytes_per_machine: f64,
    pub(super) cache_bytes: u64,
    pub(super) run_ms: f64,
    pub(super) warm_start_vms: u32,
    pub(super) warm_start_ms: f64,
    pub(super) runs: u32,
    /// Two plain programs share it if they placed every VM alike, two runs of the engine if they made the same
    /// decisions.
    pub(super) digest: String,
}

/// Makes a run and times it.
pub(super) type Runner<'a> = Box<dyn Fn() -> Result<Case, Failure> + 'a>;

/// The best of several runs of each case. The cases alternate, so that other load on the computer slows all of them
/// alike.
pub(super) fn in_turns(runs: u32, runners: &[Runner<'_>]) -> Result<Vec<Case>, Failure> {
    let mut best: Vec<Case> = runners.iter().map(|run| run()).collect::<Result<_, _>>()?;
    for _ in 1..runs {
        for (best, run) in best.iter_mut().zip(runners) {
            let case = run()?;
            if case.run_ms < best.run_ms {
                *best = case;
            }
        }
    }
    best.iter_mut().for_each(|case| case.runs = runs);
    Ok(best)
}

/// Runs of the engine. Rule shares are not sampled, so that the time covers only decisions, commits and departures.
/// The engine sorts all departures when it is created, as part of the warm start: about 40 ms for a million VMs,
/// which plain programs spend during the run.
pub(super) fn engine(name: String, zone: &Zone, caches: bool) -> Runner<'_> {
    Box::new(move || run_engine(&name, zone, caches))
}

/// Runs of a plain program on the same zone.
pub(super) fn plain<'a>(baseline: &'a Baseline, zone: &'a Zone) -> Runner<'a> {
    Box::new(move || Ok(run_plain(baseline, zone)))
}

fn run_engine(name: &str, zone: &Zone, caches: bool) -> Result<Case, Failure> {
    let mut variant = zone.variant.clone();
    variant.agents.caches = caches;
    let plan = variant.plan(zone.workload.clone())?.without_samples();
    let start = Instant::now();
    let mut world = World::new(plan);
    world.warm_up();
    let warm_start_ms = ms_since(start);
    let start = Instant::now();
    world.run();
    let run_ms = ms_since(start);
    let summary = world.summary();
    let placements = summary.counters.placements;
    Ok(Case {
        name: name.into(),
        plain: false,
        machines: zone.machines(),
        placements,
        refusals: summary.counters.rejections,
        caches,
        placements_per_second: placements as f64 * 1_000.0 / run_ms,
        bytes_per_machine: summary.cache_bytes as f64 / f64::from(zone.machines()),
        cache_bytes: summary.cache_bytes,
        run_ms,
        warm_start_vms: zone.workload.warm_count(),
        warm_start_ms,
        runs: 1,
        digest: format!("{:016x}", summary.digest),
    })
}

fn run_plain(baseline: &Baseline, zone: &Zone) -> Case {
    let result = (baseline.replay)(&zone.workload, zone.machines(), zone.machine_cores());
    let arrived = &result.placed_on[zone.workload.warm_count() as usize..];
    let refusals = arrived.iter().filter(|machine| **machine == NOWHERE).count() as u64;
    let placements = arrived.len() as u64 - refusals;
    Case {
        name: baseline.name.into(),
        plain: true,
        machines: zone.machines(),
        placements,
        refusals,
        caches: false,
        placements_per_second: placements as f64 * 1_000.0 / result.run_ms,
        bytes_per_machine: 0.0,
        cache_bytes: 0,
        run_ms: result.run_ms,
        warm_start_vms: zone.workload.warm_count(),
        warm_start_ms: result.warm_start_ms,
        runs: 1,
        digest: format!("{:016x}", result.digest()),
    }
}

pub(super) fn ms_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1_000.0
}

impl Case {
    /// The time per placement relative to another case; the time includes everything else that happens in a run.
    pub(super) fn cost_over(&self, other: &Self) -> f64 {
        other.placements_per_second / self.placements_per_second
    }

    pub(super) const HEAD: [&'static str; 9] =
        ["Case", "machines", "caches", "placements", "refused", "a second", "bytes/machine", "run ms", "warm start ms"];

    /// A row of the table.
    pub(super) fn cells(&self) -> Vec<String> {
        let whole = |number: f64| count(number.round() as u64);
        let caches = match (self.plain, self.caches) {
            (true, _) => "",
            (false, true) => "on",
            (false, false) => "off",
        };
        vec![
            self.name.clone(),
            count(self.machines.into()),
            caches.into(),
            count(self.placements),
            count(self.refusals),
            whole(self.placements_per_second),
            whole(self.bytes_per_machine),
            whole(self.run_ms),
            whole(self.warm_start_ms),
        ]
    }
}
