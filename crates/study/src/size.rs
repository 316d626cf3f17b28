//! The smallest number of machines that keeps the share of rejected VMs within a limit.
//!
//! Bisects once per seed, assuming that fewer machines reject more. (That is not always true within a few machines.
//! The result then keeps the limit, while one machine fewer does not.) The first seed starts at the lower bound of any
//! packing: the machines that the workload's peak of any one resource fills. The others start at what the first one
//! needs. A run ends as soon as it rejects too many VMs, and none is made twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tiebreak_model::{Resources, Workload};
use tiebreak_profile::Load;
use tiebreak_profile::sizing::{Bound, MOST, Mix, Search};
use tiebreak_scenario::{PRESETS, Variant, presets};
use tiebreak_sim::World;

use crate::Failure;
use crate::at_once::watched;
use crate::shown::{by_cause, count};
use crate::watch::Watch;

/// The default limit on the share of rejected VMs.
pub const REJECT_USUAL: f64 = 0.001;

/// How many machines are enough.
#[derive(Serialize)]
pub struct Size {
    /// The smallest number that keeps the limit with every seed; `None` if no number does.
    pub machines: Option<u64>,
    /// The lower bound for any packing.
    pub bound: u64,
    bound_by: &'static str,
    /// The machines.
    pub machine: String,
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
    pub seeds: Vec<SizeOfSeed>,
    /// The runs that this took.
    pub runs: u64,
    /// The largest number tried if none is enough, otherwise the number.
    #[serde(skip)]
    tried: u64,
}

/// How many machines are enough with one seed.
#[derive(Clone, Serialize)]
pub struct SizeOfSeed {
    /// The seed.
    pub seed: u64,
    /// The smallest number that keeps the limit; `None` if no number does.
    pub machines: Option<u64>,
}

/// What is asked.
#[derive(Clone)]
pub struct Asked {
    /// The kinds of machines in their proportions; `None` for one kind that suits the workload.
    pub mix: Option<Mix>,
    /// The largest share of rejected VMs, from 0 up to 1.
    pub reject: f64,
    /// The number of seeds for which this must hold, starting with the variant's.
    pub seeds: u64,
}

/// Finds how many machines a workload needs.
///
/// # Errors
/// If VMs are too large for the machines, the variant does not make a plan, or the work was stopped.
pub fn size(mut variant: Variant, workload: Arc<Workload>, asked: &Asked, watch: &Watch<'_>) -> Result<Size, Failure> {
    let load = Load::of(&workload);
    let is_suggested = asked.mix.is_none();
    variant.set("agents.caches", "true")?;
    let (mix, bound) = scale_of(&workload, &load, asked)?;
    let trial = SizeTrial::new(variant, workload, mix, asked.reject, bound.machines);
    let seeds = asked.seeds();
    let found = least_of(std::slice::from_ref(&trial), seeds, watch)?.into_iter().next().unwrap_or_default();
    let machines = of_all(&found);
    let tried = machines.unwrap_or(bound.machines * MOST);
    let worst = watched(&found, watch, |it| trial.rejected(tried, it.seed, u64::MAX, watch))?.into_iter();
    let worst = worst.max_by_key(Rejected::all).unwrap_or_default();
    let Rejected { warm: _, by_room, by_terms, out_of_retries } = worst;
    Ok(Size {
        machines,
        bound: bound.machines,
        bound_by: bound.by.title(),
        machine: trial.mix.told().to_string(),
        machine_suggested: is_suggested,
        reject_pct: 100.0 * asked.reject,
        vms: trial.workload.vm_count(),
        rejected: worst.all(),
        rejected_by_room: by_room,
        rejected_by_terms: by_terms,
        rejected_out_of_retries: out_of_retries,
        seeds: found,
        runs: trial.runs(),
        tried,
    })
}

/// The machines that several lists need, over the same seeds.
pub struct Sizes {
    /// The lower bound for any packing.
    pub bound: u64,
    /// The machines.
    pub machine: String,
    /// List by list, and seed by seed.
    pub lists: Vec<Vec<SizeOfSeed>>,
    /// The runs that this took.
    pub runs: u64,
}

/// Finds how many machines a workload needs under several lists.
///
/// # Errors
/// Those of [`size`].
pub fn sizes(
    variants: Vec<Variant>,
    workload: &Arc<Workload>,
    asked: &Asked,
    watch: &Watch<'_>,
) -> Result<Sizes, Failure> {
    let load = Load::of(workload);
    let (mix, bound) = scale_of(workload, &load, asked)?;
    let trial = |mut variant: Variant| {
        variant.set("agents.caches", "true")?;
        Ok(SizeTrial::new(variant, workload.clone(), mix.clone(), asked.reject, bound.machines))
    };
    let trials = variants.into_iter().map(trial).collect::<Result<Vec<_>, Failure>>()?;
    let lists = least_of(&trials, asked.seeds(), watch)?;
    let runs = trials.iter().map(SizeTrial::runs).sum();
    Ok(Sizes { bound: bound.machines, machine: mix.told().to_string(), lists, runs })
}

/// The smallest number that is enough with every seed; `None` if no number is.
#[must_use]
pub fn of_all(seeds: &[SizeOfSeed]) -> Option<u64> {
    seeds.iter().map(|it| it.machines).collect::<Option<Vec<_>>>()?.into_iter().max()
}

/// The machines, and their lower bound.
fn scale_of(workload: &Workload, load: &Load, asked: &Asked) -> Result<(Mix, Bound), Failure> {
    let suggested = || Mix::new([(1, load.suggested().machine())]);
    let mix = asked.mix.clone().unwrap_or_else(suggested);
    mix.can_hold(workload, asked.reject).map_err(|why| Failure(why.to_string()))?;
    let bound = mix.bound(load);
    Ok((mix, bound))
}

/// What each list needs with each seed: with the first seed, then with the others from there.
fn least_of(trials: &[SizeTrial], seeds: u64, watch: &Watch<'_>) -> Result<Vec<Vec<SizeOfSeed>>, Failure> {
    let of = |trial: &SizeTrial, nth: u64, guess: Option<u64>| {
        let seed = trial.variant.seed.wrapping_add(nth);
        let search = guess.map_or_else(|| Search::from(trial.bound), |guess| Search::near(trial.bound, guess));
        Ok(SizeOfSeed { seed, machines: trial.least(seed, search, watch)? })
    };
    let first = watched(trials, watch, |trial| of(trial, 0, None))?;
    let rest: Vec<(usize, u64)> = (0..trials.len()).flat_map(|list| (1..seeds).map(move |nth| (list, nth))).collect();
    let others = watched(&rest, watch, |(list, nth)| of(&trials[*list], *nth, first[*list].machines))?;
    let mut lists: Vec<Vec<SizeOfSeed>> = first.into_iter().map(|first| vec![first]).collect();
    for ((list, _), found) in rest.iter().zip(others) {
        lists[*list].push(found);
    }
    Ok(lists)
}

impl Asked {
    /// The number of seeds within bounds.
    fn seeds(&self) -> u64 {
        self.seeds.clamp(1, 100)
    }
}

/// The machines of a variant's inventory in their proportions.
#[must_use]
pub fn mix_of(variant: &Variant) -> Mix {
    let clusters = variant.clusters.iter().map(|it| &it.settings);
    Mix::new(clusters.map(|it| (it.machines.into(), Mix::machine(it.cores, it.memory_gib))))
}

/// Machines of one kind, from cores and GiB: `64x256`; `None` if the text does not say so.
#[must_use]
pub fn machine_of(text: &str) -> Option<Mix> {
    let (cores, gib) = text.split_once(['x', 'X'])?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|it| (0.1..=100_000.0).contains(it));
    Some(Mix::new([(1, Mix::machine(number(cores)?, number(gib)?))]))
}

/// The smallest number of machines of one kind on which the default policy rejects at most [`REJECT_USUAL`] of a
/// workload, with one seed and without slow agents; `None` if no number does.
///
/// # Errors
/// If the scenario does not make a plan.
pub fn of_one_kind(workload: Arc<Workload>, load: &Load, machine: Resources) -> Result<Option<u64>, Failure> {
    let mix = Mix::new([(1, machine)]);
    let bound = mix.bound(load).machines;
    let mut variant = (PRESETS[0].make)().active_variant().clone();
    presets::fit_to_trace(&mut variant, workload.fingerprint());
    let trial = SizeTrial::new(variant, workload, mix, REJECT_USUAL, bound);
    trial.least(trial.variant.seed, Search::from(bound), &Watch::nobody())
}

impl Size {
    /// Whether some number of machines is enough.
    #[must_use]
    pub const fn is_enough(&self) -> bool {
        self.machines.is_some()
    }

    /// The finding in words.
    #[must_use]
    pub fn text(&self) -> String {
        let suggested = if self.machine_suggested { ", suggested by the trace" } else { "" };
        let machines = match self.machines {
            Some(machines) => format!("{} of {}{suggested}", count(machines), self.machine),
            None => format!("no number up to {} of {}{suggested} is enough", count(self.tried), self.machine),
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

/// VMs rejected, by cause.
#[derive(Clone, Default)]
struct Rejected {
    warm: u64,
    by_room: u64,
    by_terms: u64,
    out_of_retries: u64,
}

impl Rejected {
    fn of(world: &World) -> Self {
        let summary = world.summary();
        Self {
            warm: summary.warm_rejections,
            by_room: summary.counters.rejected_by_room,
            by_terms: summary.counters.rejected_by_terms,
            out_of_retries: summary.counters.rejected_out_of_retries,
        }
    }

    const fn all(&self) -> u64 {
        self.warm + self.by_room + self.by_terms + self.out_of_retries
    }
}

struct SizeTrial {
    variant: Variant,
    workload: Arc<Workload>,
    mix: Mix,
    reject: f64,
    bound: u64,
    /// What whole runs rejected, by machines and seed.
    known: Mutex<BTreeMap<(u64, u64), Rejected>>,
    runs: AtomicU64,
}

impl SizeTrial {
    fn new(variant: Variant, workload: Arc<Workload>, mix: Mix, reject: f64, bound: u64) -> Self {
        Self { variant, workload, mix, reject, bound, known: Mutex::default(), runs: AtomicU64::new(0) }
    }

    fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// The smallest number that keeps the limit with this seed.
    fn least(&self, seed: u64, mut search: Search, watch: &Watch<'_>) -> Result<Option<u64>, Failure> {
        let most = (self.reject * f64::from(self.workload.vm_count())) as u64;
        while let Some(tried) = search.wanted() {
            search.tell(self.rejected(tried, seed, most, watch)?.all() <= most);
        }
        Ok(search.least())
    }

    /// What is rejected on so many machines. A run that rejects more than `most` ends early.
    fn rejected(&self, machines: u64, seed: u64, most: u64, watch: &Watch<'_>) -> Result<Rejected, Failure> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rejected) = known().get(&(machines, seed)) {
            return Ok(rejected.clone());
        }
        let mut variant = Variant { seed, ..self.variant.clone() };
        variant.replace_machines(self.mix.of(machines));
        let mut world = World::new(variant.plan(self.workload.clone())?.without_samples());
        self.runs.fetch_add(1, Ordering::Relaxed);
        let is_whole = watch.finish_unless(&mut world, |world| Rejected::of(world).all() > most)?;
        let rejected = Rejected::of(&world);
        if is_whole {
            known().insert((machines, seed), rejected.clone());
        }
        Ok(rejected)
    }
}
