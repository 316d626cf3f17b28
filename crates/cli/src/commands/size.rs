//! `tiebreak size`: the smallest number of machines that keeps the share of rejected VMs within a limit.
//!
//! Bisects once per seed, assuming that fewer machines reject more. (That is not always true within a few machines.
//! The result then keeps the limit, while one machine fewer does not.) It starts at the lower bound of any packing:
//! the machines that the workload's peak of any one resource fills.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use tiebreak_model::{Resources, Workload};
use tiebreak_profile::Load;
use tiebreak_profile::sizing::{MOST, Mix, Search};
use tiebreak_scenario::{PRESETS, Variant, presets};
use tiebreak_sim::World;

use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::at_once::at_once;
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::scenario::{self, MACHINES};
use tiebreak_console::shown::{by_cause, count};

mod side_by_side;

pub(crate) const MACHINE: Opt = Opt {
    name: "machine",
    value: Some("CORESxGIB"),
    help: "cores and GiB of one machine, for instance 64x256; by default suggested by the trace's VMs and peak",
};
pub(crate) const REJECT: Opt = Opt {
    name: "reject",
    value: Some("SHARE"),
    help: "maximum share of rejected VMs: 0.1% (the default), or 0 for none",
};
pub(crate) const SEEDS: Opt = Opt {
    name: "seeds",
    value: Some("N"),
    help: "number of seeds for which this must hold, starting with the scenario's; 3",
};

pub(crate) const LIST: Opt = Opt {
    name: "list",
    value: Some("PRESET|FILE"),
    help: "the list of a preset or of a scenario's active variant instead of the scenario's own; several are compared \
           side by side, over the same seeds",
};

/// The default limit on the share of rejected VMs.
pub(crate) const REJECT_USUAL: f64 = 0.001;

/// The result.
#[derive(Serialize)]
struct Found {
    /// The smallest number that keeps the limit with every seed; `None` if no number does.
    machines: Option<u64>,
    /// The lower bound for any packing.
    bound: u64,
    bound_by: &'static str,
    machine: String,
    /// Whether the machine was derived from the workload.
    machine_suggested: bool,
    reject_pct: f64,
    vms: u32,
    /// VMs rejected on these machines, with the seed that rejects most.
    rejected: u64,
    rejected_by_room: u64,
    rejected_by_terms: u64,
    rejected_out_of_retries: u64,
    /// The smallest number for each seed.
    seeds: Vec<Seed>,
    runs: u64,
}

#[derive(Clone, Serialize)]
struct Seed {
    seed: u64,
    machines: Option<u64>,
}

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let (mut variant, source) = scenario::with_source(given)?;
    let workload = source.workload;
    let load = Load::of(&workload);
    let (reject, seeds) = (level(given)?, given.number(SEEDS.name)?.unwrap_or(3).clamp(1, 100));
    let (mix, is_suggested) = mix(given, &variant, &load)?;
    mix.can_hold(&workload, reject).map_err(|why| Failure(why.to_string()))?;
    let bound = mix.bound(&load);
    variant.set("agents.caches", "true")?;
    let trial = SizeTrial { variant, workload, mix, reject, bound: bound.machines, runs: AtomicU64::new(0) };
    let seeds: Vec<u64> = (0..seeds).map(|nth| trial.variant.seed.wrapping_add(nth)).collect();
    if given.has(LIST.name) {
        return side_by_side::run(given, &trial, &seeds);
    }
    let found = at_once(&seeds, |seed| Ok(Seed { seed: *seed, machines: trial.least(*seed)? }))?;
    let machines =
        found.iter().map(|seed| seed.machines).collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max());
    let tried = machines.unwrap_or(bound.machines * MOST);
    let worst = at_once(&seeds, |seed| trial.rejected(tried, *seed))?.into_iter().max_by_key(Rejected::all);
    let worst = worst.unwrap_or_default();
    let Rejected { warm: _, by_room, by_terms, out_of_retries } = worst;
    let report = Found {
        machines,
        bound: bound.machines,
        bound_by: bound.by.title(),
        machine: trial.mix.told().to_string(),
        machine_suggested: is_suggested,
        reject_pct: 100.0 * reject,
        vms: trial.workload.vm_count(),
        rejected: worst.all(),
        rejected_by_room: by_room,
        rejected_by_terms: by_terms,
        rejected_out_of_retries: out_of_retries,
        seeds: found,
        runs: trial.runs(),
    };
    Ok(Answer::either(given, &report, || report.text(tried)).problem(report.machines.is_none()))
}

/// The smallest number of machines of one kind on which the default policy rejects at most [`REJECT_USUAL`] of a
/// workload, with one seed and without slow agents; `None` if no number does.
pub(crate) fn of_one_kind(workload: Arc<Workload>, load: &Load, machine: Resources) -> Result<Option<u64>, Failure> {
    let mix = Mix::new([(1, machine)]);
    let bound = mix.bound(load).machines;
    let mut variant = (PRESETS[0].make)().active_variant().clone();
    variant.agents = presets::agents_for(workload.fingerprint());
    let trial = SizeTrial { variant, workload, mix, reject: REJECT_USUAL, bound, runs: AtomicU64::new(0) };
    trial.least(trial.variant.seed)
}

impl Found {
    fn text(&self, tried: u64) -> String {
        let suggested = if self.machine_suggested { ", suggested by the trace" } else { "" };
        let machines = match self.machines {
            Some(machines) => format!("{} of {}{suggested}", count(machines), self.machine),
            None => format!("no number up to {} of {}{suggested} is enough", count(tried), self.machine),
        };
        let each: Vec<_> = self.seeds.iter().map(|it| it.machines.map_or_else(|| "none".into(), count)).collect();
        let share = 100.0 * self.rejected as f64 / f64::from(self.vms.max(1));
        let causes = [
            (self.rejected_by_room, "for lack of room"),
            (self.rejected_by_terms, "by other rules"),
            (self.rejected_out_of_retries, "out of retries"),
        ];
        let rejected = format!(
            "{} of {} VMs, {share:.3} % of at most {} %",
            count(self.rejected),
            count(self.vms.into()),
            self.reject_pct
        );
        let rows = [
            ("Machines needed", machines),
            (
                "Bound",
                format!("{} because of {}, even with perfect packing", count(self.bound), self.bound_by.to_lowercase()),
            ),
            ("Rejected with that number", by_cause(rejected, &causes)),
            ("By seed", format!("{} ({} runs)", each.join(", "), self.runs)),
        ];
        rows.iter().map(|(name, value)| format!("{name:<18}{value}\n")).collect()
    }
}

/// Parses `0.1%`, or a share from 0 to 1.
fn level(given: &Given) -> Result<f64, Failure> {
    let Some(word) = given.one(REJECT.name) else { return Ok(REJECT_USUAL) };
    let wrong = || Failure(format!("expected a share after --reject, got \"{word}\"; write for instance 0.1% or 0"));
    let (number, of) = word.strip_suffix('%').map_or((word, 1.0), |number| (number, 100.0));
    let share = number.trim().parse::<f64>().map_err(|_| wrong())? / of;
    if (0.0..1.0).contains(&share) { Ok(share) } else { Err(wrong()) }
}

/// The kinds of machines, and whether they were derived from the workload.
fn mix(given: &Given, variant: &Variant, load: &Load) -> Result<(Mix, bool), Failure> {
    if let Some(word) = given.one(MACHINE.name) {
        let wrong =
            || Failure(format!("expected cores and GiB after --machine, got \"{word}\"; write for instance 64x256"));
        let (cores, gib) = word.split_once(['x', 'X']).ok_or_else(wrong)?;
        let number =
            |text: &str| text.trim().parse::<f64>().ok().filter(|it| (0.1..=100_000.0).contains(it)).ok_or_else(wrong);
        return Ok((Mix::new([(1, Mix::machine(number(cores)?, number(gib)?))]), false));
    }
    if scenario::is_about_own_trace(given) && !given.has(MACHINES.name) {
        return Ok((Mix::new([(1, load.suggested().machine())]), true));
    }
    let clusters = variant.clusters.iter().map(|it| &it.settings);
    Ok((Mix::new(clusters.map(|it| (it.machines.into(), Mix::machine(it.cores, it.memory_gib)))), false))
}

/// VMs rejected, by cause.
#[derive(Default)]
struct Rejected {
    warm: u64,
    by_room: u64,
    by_terms: u64,
    out_of_retries: u64,
}

impl Rejected {
    fn all(&self) -> u64 {
        self.warm + self.by_room + self.by_terms + self.out_of_retries
    }
}

struct SizeTrial {
    variant: Variant,
    workload: Arc<Workload>,
    mix: Mix,
    reject: f64,
    bound: u64,
    runs: AtomicU64,
}

impl SizeTrial {
    /// The same for another variant.
    fn with(&self, variant: Variant) -> Self {
        let Self { workload, mix, reject, bound, .. } = self;
        let (workload, mix) = (workload.clone(), mix.clone());
        Self { variant, workload, mix, reject: *reject, bound: *bound, runs: AtomicU64::new(0) }
    }

    /// The number of runs made.
    fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// The smallest number that keeps the limit with this seed.
    fn least(&self, seed: u64) -> Result<Option<u64>, Failure> {
        let mut search = Search::from(self.bound);
        while let Some(tried) = search.wanted() {
            search.tell(self.keeps(tried, seed)?);
        }
        Ok(search.least())
    }

    fn keeps(&self, machines: u64, seed: u64) -> Result<bool, Failure> {
        Ok(self.rejected(machines, seed)?.all() as f64 <= self.reject * f64::from(self.workload.vm_count()))
    }

    fn rejected(&self, machines: u64, seed: u64) -> Result<Rejected, Failure> {
        let mut variant = Variant { seed, ..self.variant.clone() };
        variant.replace_machines(self.mix.of(machines));
        let mut world = World::new(variant.plan(self.workload.clone())?.without_samples());
        world.run();
        self.runs.fetch_add(1, Ordering::Relaxed);
        let summary = world.summary();
        Ok(Rejected {
            warm: summary.warm_rejections,
            by_room: summary.counters.rejected_by_room,
            by_terms: summary.counters.rejected_by_terms,
            out_of_retries: summary.counters.rejected_out_of_retries,
        })
    }
}
