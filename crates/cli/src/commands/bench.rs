//! `tiebreak bench`: placements per second and bytes per machine, with caches and without.
//!
//! A world's warm start is timed apart from its run, and rule shares are not sampled, so that
//! what is measured is deciding, committing and leaving.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use tiebreak_model::Workload;
use tiebreak_scenario::{Variant, WorkloadRef};
use tiebreak_sim::World;

use crate::answer::{Answer, Failure};
use crate::given::Given;
use crate::scenario::preset;
use crate::shown::{count, table};
use crate::trace::source;

/// Days of the zone's trace: with caches only, the piece that both engines replay, and the quick one.
const WHOLE_DAYS: f64 = 7.0;
const PIECE_DAYS: f64 = 1.0;
const QUICK_DAYS: f64 = 0.05;

#[derive(Serialize)]
struct Case {
    name: String,
    machines: u32,
    placements: u64,
    caches: bool,
    placements_per_second: f64,
    bytes_per_machine: f64,
    run_ms: f64,
    warm_start_vms: u32,
    warm_start_ms: f64,
    runs: u32,
}

/// How much faster caches make the same decisions.
#[derive(Serialize)]
struct Ratio {
    name: String,
    cached_over_uncached: f64,
}

#[derive(Serialize)]
struct Bench {
    cases: Vec<Case>,
    ratios: Vec<Ratio>,
}

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let mut bench = Bench { cases: Vec::new(), ratios: Vec::new() };
    let (runs, piece_days) = if given.has("quick") { (1, QUICK_DAYS) } else { (3, PIECE_DAYS) };
    if !given.has("quick") {
        bench.measure("default list, 10,000 machines, a week", &zone(WHOLE_DAYS)?, true, runs)?;
    }
    bench.both("default list, 10,000 machines", &zone(piece_days)?, runs)?;
    if given.has("trace") {
        let variant = preset("packing-400")?.active_variant().clone();
        let workload = source(&variant, given)?.workload;
        bench.both("packing sample, 400 machines", &(variant, workload), runs)?;
    }
    Ok(Answer::either(given, &bench, || bench.text()))
}

fn zone(days: f64) -> Result<(Variant, Arc<Workload>), Failure> {
    let mut variant = preset("zone-10k")?.active_variant().clone();
    if let WorkloadRef::Generated(settings) = &mut variant.workload {
        settings.days = days;
    }
    let workload = Arc::new(variant.generate().expect("the preset is a generated one"));
    Ok((variant, workload))
}

impl Bench {
    /// The same requests with caches and without, and the ratio.
    fn both(&mut self, name: &str, input: &(Variant, Arc<Workload>), runs: u32) -> Result<(), Failure> {
        let cached = self.measure(name, input, true, runs)?;
        let uncached = self.measure(name, input, false, 1)?;
        self.ratios.push(Ratio { name: name.into(), cached_over_uncached: cached / uncached });
        Ok(())
    }

    /// Adds a case, the best of so many runs, and gives its placements per second.
    fn measure(
        &mut self,
        name: &str,
        input: &(Variant, Arc<Workload>),
        caches: bool,
        runs: u32,
    ) -> Result<f64, Failure> {
        let (variant, workload) = input;
        let cases = (0..runs).map(|_| case(name, variant, workload, caches)).collect::<Result<Vec<_>, _>>()?;
        let best = cases.into_iter().max_by(|a, b| a.placements_per_second.total_cmp(&b.placements_per_second));
        let best = Case { runs, ..best.expect("at least one run") };
        let speed = best.placements_per_second;
        self.cases.push(best);
        Ok(speed)
    }

    fn text(&self) -> String {
        let head = ["Case", "machines", "caches", "placements", "a second", "bytes/machine", "run ms", "warm start ms"];
        let mut rows = vec![head.map(String::from).to_vec()];
        rows.extend(self.cases.iter().map(Case::cells));
        let ratio =
            |ratio: &Ratio| format!("{}: {:.0} times as many with caches\n", ratio.name, ratio.cached_over_uncached);
        format!("{}\n{}", table(&rows), self.ratios.iter().map(ratio).collect::<String>())
    }
}

fn case(name: &str, variant: &Variant, workload: &Arc<Workload>, caches: bool) -> Result<Case, Failure> {
    let mut variant = variant.clone();
    variant.agents.caches = caches;
    let plan = variant.plan(workload.clone())?.without_samples();
    let machines = plan.fleet().machine_count();
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
        machines,
        placements,
        caches,
        placements_per_second: placements as f64 * 1_000.0 / run_ms,
        bytes_per_machine: summary.cache_bytes as f64 / f64::from(machines),
        run_ms,
        warm_start_vms: workload.warm_count(),
        warm_start_ms,
        runs: 1,
    })
}

fn ms_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1_000.0
}

impl Case {
    fn cells(&self) -> Vec<String> {
        let whole = |number: f64| count(number.round() as u64);
        vec![
            self.name.clone(),
            count(self.machines.into()),
            if self.caches { "on".into() } else { "off".into() },
            count(self.placements),
            whole(self.placements_per_second),
            whole(self.bytes_per_machine),
            whole(self.run_ms),
            whole(self.warm_start_ms),
        ]
    }
}
