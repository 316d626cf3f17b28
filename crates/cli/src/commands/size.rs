//! `tiebreak size`: the least number of machines on which a workload is rejected no more than is accepted.
//!
//! Bisection, once for every seed: fewer machines are taken to reject more. (With a few machines more or less that is
//! not always so; then the number is one at which the level is kept and one fewer does not keep it.) It begins at the
//! bound below which no packing can do: as many machines as the workload's peak of any one resource fills.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use tiebreak_model::{Resource, Resources, Workload};
use tiebreak_profile::{Inventory, Load};
use tiebreak_scenario::Variant;
use tiebreak_sim::World;

use crate::answer::{Answer, Failure};
use crate::at_once::at_once;
use crate::given::{Given, Opt};
use crate::scenario::{self, MACHINES};
use crate::shown::{by_cause, count};

pub(crate) const MACHINE: Opt = Opt {
    name: "machine",
    value: Some("CORESxGIB"),
    help: "what one machine has, for instance 64x256; without it what the trace's VMs and its peak suggest",
};
pub(crate) const REJECT: Opt = Opt {
    name: "reject",
    value: Some("SHARE"),
    help: "how many VMs may be rejected: 0.1% (the default), or 0 for none",
};
pub(crate) const SEEDS: Opt = Opt {
    name: "seeds",
    value: Some("N"),
    help: "how many seeds the level has to be kept with, counted from the scenario's; 3",
};

/// Machines are tried up to so many times the bound.
const MOST: u64 = 16;

/// Kinds of machines, and how many there are of each in the list that is made larger or smaller as a whole.
struct Shapes {
    kinds: Vec<(u64, Resources)>,
    told: String,
    is_suggested: bool,
}

/// What was found.
#[derive(Serialize)]
struct Found {
    /// The least number that keeps the level with every seed; none where no number does.
    machines: Option<u64>,
    /// As many are needed however well VMs are packed.
    bound: u64,
    bound_by: &'static str,
    machine: String,
    /// Whether it was suggested by the workload.
    machine_suggested: bool,
    reject_pct: f64,
    vms: u32,
    /// VMs rejected on these machines, with the seed that rejects most.
    rejected: u64,
    rejected_by_room: u64,
    rejected_by_terms: u64,
    rejected_out_of_retries: u64,
    /// The least number for each seed.
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
    let shapes = shapes(given, &variant, &load)?;
    let bound = shapes.bound(&load)?;
    variant.set("agents.caches", "true")?;
    let search = Search { variant, workload, shapes, reject, bound: bound.0, runs: AtomicU64::new(0) };
    let seeds: Vec<u64> = (0..seeds).map(|nth| search.variant.seed.wrapping_add(nth)).collect();
    let found = at_once(&seeds, |seed| Ok(Seed { seed: *seed, machines: search.least(*seed)? }))?;
    let machines =
        found.iter().map(|seed| seed.machines).collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max());
    let tried = machines.unwrap_or(bound.0 * MOST);
    let worst = at_once(&seeds, |seed| search.rejected(tried, *seed))?.into_iter().max_by_key(Rejected::all);
    let worst = worst.unwrap_or_default();
    let Rejected { warm: _, by_room, by_terms, out_of_retries } = worst;
    let report = Found {
        machines,
        bound: bound.0,
        bound_by: bound.1.title(),
        machine: search.shapes.told.clone(),
        machine_suggested: search.shapes.is_suggested,
        reject_pct: 100.0 * reject,
        vms: search.workload.vm_count(),
        rejected: worst.all(),
        rejected_by_room: by_room,
        rejected_by_terms: by_terms,
        rejected_out_of_retries: out_of_retries,
        seeds: found,
        runs: search.runs.load(Ordering::Relaxed),
    };
    Ok(Answer::either(given, &report, || report.text(tried)).problem(report.machines.is_none()))
}

impl Found {
    fn text(&self, tried: u64) -> String {
        let suggested = if self.machine_suggested { ", as the trace suggests" } else { "" };
        let machines = match self.machines {
            Some(machines) => format!("{} of {}{suggested}", count(machines), self.machine),
            None => format!("no number up to {} of {}{suggested} keeps to it", count(tried), self.machine),
        };
        let each: Vec<_> = self.seeds.iter().map(|it| it.machines.map_or_else(|| "none".into(), count)).collect();
        let share = 100.0 * self.rejected as f64 / f64::from(self.vms.max(1));
        let causes = [
            (self.rejected_by_room, "for want of room"),
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
                format!("{} by {}, however well VMs are packed", count(self.bound), self.bound_by.to_lowercase()),
            ),
            ("Rejected there", by_cause(rejected, &causes)),
            ("Seed by seed", format!("{} ({} runs)", each.join(", "), self.runs)),
        ];
        rows.iter().map(|(name, value)| format!("{name:<18}{value}\n")).collect()
    }
}

/// `0.1%`, or a share from 0 to 1.
fn level(given: &Given) -> Result<f64, Failure> {
    let Some(word) = given.one(REJECT.name) else { return Ok(0.001) };
    let wrong = || Failure(format!("expected a share after --reject, got \"{word}\"; write for instance 0.1% or 0"));
    let (number, of) = word.strip_suffix('%').map_or((word, 1.0), |number| (number, 100.0));
    let share = number.trim().parse::<f64>().map_err(|_| wrong())? / of;
    if (0.0..1.0).contains(&share) { Ok(share) } else { Err(wrong()) }
}

fn shapes(given: &Given, variant: &Variant, load: &Load) -> Result<Shapes, Failure> {
    let as_told = |kinds: Vec<(u64, Resources)>, is_suggested| {
        let gib = |it: &Resources| f64::from(it[Resource::Memory]) / 1_024.0;
        let one =
            |(_, it): &(u64, Resources)| format!("{} cores and {} GiB", f64::from(it.cores_milli()) / 1_000.0, gib(it));
        let told = kinds.iter().map(one).collect::<Vec<_>>().join(" or ");
        Shapes { kinds, told, is_suggested }
    };
    let machine = |cores: f64, gib: f64| Resources::new((cores * 1_000.0) as u32, (gib * 1_024.0) as u32, 0, 0);
    if let Some(word) = given.one(MACHINE.name) {
        let wrong =
            || Failure(format!("expected cores and GiB after --machine, got \"{word}\"; write for instance 64x256"));
        let (cores, gib) = word.split_once(['x', 'X']).ok_or_else(wrong)?;
        let number =
            |text: &str| text.trim().parse::<f64>().ok().filter(|it| (0.1..=100_000.0).contains(it)).ok_or_else(wrong);
        return Ok(as_told(vec![(1, machine(number(cores)?, number(gib)?))], false));
    }
    if scenario::is_about_own_trace(given) && !given.has(MACHINES.name) {
        let Inventory { cores, memory_gib, .. } = load.suggested();
        return Ok(as_told(vec![(1, machine(cores.into(), memory_gib.into()))], true));
    }
    let clusters = variant
        .clusters
        .iter()
        .map(|it| (u64::from(it.settings.machines), machine(it.settings.cores, it.settings.memory_gib)));
    let mut kinds: Vec<(u64, Resources)> = Vec::new();
    for (machines, shape) in clusters {
        match kinds.iter_mut().find(|(_, other)| *other == shape) {
            Some((all, _)) => *all += machines,
            None => kinds.push((machines, shape)),
        }
    }
    Ok(as_told(kinds, false))
}

impl Shapes {
    /// The least number of machines in these proportions that have as much of everything as the peak, and of what.
    fn bound(&self, load: &Load) -> Result<(u64, Resource), Failure> {
        if self
            .kinds
            .iter()
            .all(|(_, machine)| [Resource::Cores, Resource::Memory].iter().any(|it| machine[*it] < load.largest[*it]))
        {
            let (cores, gib) =
                (f64::from(load.largest.cores_milli()) / 1_000.0, f64::from(load.largest[Resource::Memory]) / 1_024.0);
            return Err(Failure(format!(
                "expected machines that hold the largest VM, of {cores} cores or {gib:.0} GiB, got {}; choose a larger --machine",
                self.told
            )));
        }
        let all: u64 = self.kinds.iter().map(|(machines, _)| machines).sum();
        let of = |resource: Resource| {
            let each: u128 =
                self.kinds.iter().map(|(machines, it)| u128::from(*machines) * u128::from(it[resource])).sum();
            (u128::from(load.peak[resource as usize]) * u128::from(all)).div_ceil(each.max(1)) as u64
        };
        let bounds = [Resource::Cores, Resource::Memory].map(|resource| (of(resource).max(1), resource));
        Ok(if bounds[0].0 >= bounds[1].0 { bounds[0] } else { bounds[1] })
    }

    /// So many machines in these proportions, the largest remainders rounded up.
    fn kinds(&self, machines: u64) -> Vec<(u32, f64, f64)> {
        let all: u64 = self.kinds.iter().map(|(machines, _)| machines).sum();
        let mut counts: Vec<(u64, u64)> =
            self.kinds.iter().map(|(of, _)| (machines * of / all, machines * of % all)).collect();
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by_key(|kind| core::cmp::Reverse(counts[*kind].1));
        let left = machines - counts.iter().map(|(count, _)| count).sum::<u64>();
        order.iter().take(left as usize).for_each(|kind| counts[*kind].0 += 1);
        let kinds = counts.iter().zip(&self.kinds).filter(|((count, _), _)| *count > 0);
        let of = |shape: &Resources| {
            (f64::from(shape.cores_milli()) / 1_000.0, f64::from(shape[Resource::Memory]) / 1_024.0)
        };
        kinds.map(|((count, _), (_, shape))| (*count as u32, of(shape).0, of(shape).1)).collect()
    }
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

struct Search {
    variant: Variant,
    workload: Arc<Workload>,
    shapes: Shapes,
    reject: f64,
    bound: u64,
    runs: AtomicU64,
}

impl Search {
    /// The least number that keeps the level with this seed: doubling steps up from the bound, then halving.
    fn least(&self, seed: u64) -> Result<Option<u64>, Failure> {
        let (mut below, mut step) = (self.bound - 1, (self.bound / 50).max(1));
        let mut keeps = loop {
            let tried = (below + step).min(self.bound * MOST);
            if self.keeps(tried, seed)? {
                break tried;
            }
            if tried == self.bound * MOST {
                return Ok(None);
            }
            (below, step) = (tried, 2 * step);
        };
        while keeps - below > 1 {
            let middle = below + (keeps - below) / 2;
            *(if self.keeps(middle, seed)? { &mut keeps } else { &mut below }) = middle;
        }
        Ok(Some(keeps))
    }

    fn keeps(&self, machines: u64, seed: u64) -> Result<bool, Failure> {
        Ok(self.rejected(machines, seed)?.all() as f64 <= self.reject * f64::from(self.workload.vm_count()))
    }

    fn rejected(&self, machines: u64, seed: u64) -> Result<Rejected, Failure> {
        let mut variant = Variant { seed, ..self.variant.clone() };
        variant.replace_machines(self.shapes.kinds(machines));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_keep_their_proportions_and_their_sum() {
        let machine = |cores: u32| Resources::new(cores * 1_000, cores * 4_096, 0, 0);
        let shapes =
            Shapes { kinds: vec![(2, machine(8)), (1, machine(16))], told: String::new(), is_suggested: false };
        for machines in 1..50 {
            let kinds = shapes.kinds(machines);
            assert_eq!(kinds.iter().map(|kind| u64::from(kind.0)).sum::<u64>(), machines);
        }
        assert_eq!(shapes.kinds(9), [(6, 8.0, 32.0), (3, 16.0, 64.0)]);
    }
}
