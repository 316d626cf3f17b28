//! Pools: parts of a trace by tenant, each with its own machines, and the effect of lifetime rules on them. (LAVA
//! sections 5.1 to 6.1, appendices F and G)

use std::sync::Arc;

use tiebreak_lifetime::{Predictions, Quality};
use tiebreak_model::random::Seed;
use tiebreak_model::{Millis, RequestId, Resource, Time, VmId, VmRow, Workload, WorkloadBuilder};
use tiebreak_placement::lifetime::Turn;
use tiebreak_scenario::Variant;
use tiebreak_scenario::lifetime_rules::LifetimeRules;
use tiebreak_scenario::predictor::PredictorRow;
use tiebreak_scenario::{ClusterRow, ClusterSettings};
use tiebreak_sim::metrics::{Counters, index_of};
use tiebreak_sim::{Agents, Debt, GeneratedWorkload, IncidentUse, World};

use super::figure::Scale;
use super::zone::at_once;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::{preset, set_fields};
use tiebreak_console::trace::source;

/// Seeds of the full size.
pub(super) const SEEDS: usize = 5;

/// Days at the start that are not measured; predictors learn from these only.
pub(super) const WARM_UP_DAYS: f64 = 2.0;

/// Larger requests are dropped. A sample keeps few of them, but whole, and one request for hundreds of VMs would be a
/// pool's peak on its own.
pub(super) const REQUEST_VMS_MAX: u32 = 20;

/// The machine of the Azure packing trace: cores, GiB.
const MACHINE: (f64, f64) = (104.0, 562.5);

/// Machines per rack.
const RACK: u32 = 8;

/// How many parts of the trace each pool gets, in turn.
const PARTS: [u32; 12] = [4, 3, 2, 2, 4, 3, 1, 2, 1, 2, 1, 1];

/// Peak utilization of a pool's scarcer resource, in percent, in turn.
const PEAK_PCT: [f64; 6] = [60.0, 65.0, 70.0, 75.0, 80.0, 85.0];

/// Approximate number of a trace's VMs per pool; smaller pools have too few machines for a result.
const VMS_A_POOL: u32 = 3_000;

/// The oracle knows ends until this long after a trace's last arrival: the packing trace has them for 90 days, its
/// samples have arrivals for 14.
const ORACLE_BEYOND_H: f64 = 76.0 * 24.0;

/// The source of pools.
#[derive(Clone)]
pub(super) enum Origin {
    /// The tenants of a trace.
    Trace(Arc<Workload>),
    /// Tenants generated for each seed.
    Generated(GeneratedWorkload),
}

impl Origin {
    /// The trace of `--trace`, or the built-in one, and its name.
    pub(super) fn of_trace(given: &Given) -> Result<(Self, String), Failure> {
        let named = preset(if given.has("trace") { "packing-400" } else { "default" })?;
        let source = source(named.active_variant(), given)?;
        let name = source.trace.map_or_else(String::new, |trace| trace.name);
        Ok((Self::Trace(source.workload), name))
    }

    /// Weeks of generated tenants whose VMs run for at most 30 days, so that nearly all VMs alive at the start leave.
    pub(super) fn generated(scale: Scale) -> Self {
        Self::Generated(GeneratedWorkload {
            days: scale.pick(6.0, 28.0),
            requests_per_hour: scale.pick(40.0, 160.0),
            longest_life: scale.pick(8.0, 30.0),
            deleted_whole: 50.0,
            spikes_per_day: 0.0,
            ..GeneratedWorkload::default()
        })
    }

    /// The requests of all pools of a seed, without large requests and unwanted VMs.
    pub(super) fn whole(&self, seed: u64, wanted: impl Fn(&VmRow) -> bool) -> Arc<Workload> {
        let drawn;
        let all = match self {
            Self::Trace(workload) => workload.as_ref(),
            Self::Generated(settings) => {
                drawn = settings.generate(Seed(seed));
                &drawn
            }
        };
        let mut rows = WorkloadBuilder::new();
        for (request, _, row) in vms(all) {
            let vms = all.vms_of(request);
            if vms.end - vms.start <= REQUEST_VMS_MAX && wanted(&row) {
                rows.push(row);
            }
        }
        Arc::new(rows.finish(all.horizon()).expect("a trace has small requests"))
    }

    /// The whole trace; for generated tenants, those of seed 1.
    pub(super) fn all(&self) -> Arc<Workload> {
        match self {
            Self::Trace(workload) => workload.clone(),
            Self::Generated(settings) => Arc::new(settings.generate(Seed(1))),
        }
    }

    /// The number of pools that it has enough VMs for.
    pub(super) fn pools(&self) -> usize {
        match self {
            Self::Trace(workload) => (workload.vm_count() / VMS_A_POOL).clamp(1, PARTS.len() as u32) as usize,
            Self::Generated(_) => 3,
        }
    }
}

/// Every VM of a workload with its request, in order.
pub(super) fn vms(workload: &Workload) -> impl Iterator<Item = (RequestId, VmId, VmRow)> + '_ {
    (0..workload.request_count()).map(RequestId).flat_map(move |request| {
        let (tenant, start) = (workload.tenant(request), workload.at(request));
        workload.vms_of(request).map(VmId).map(move |vm| {
            let (name, shape, end) = (workload.name(vm), *workload.shape_of_vm(vm), workload.end(vm));
            (request, vm, VmRow { name, tenant, shape, start, end })
        })
    })
}

/// A pool: all VMs of some tenants, and machines for them.
pub(super) struct Pool {
    pub(super) machines: u32,
    workload: Arc<Workload>,
    /// Its VMs by their ids in the whole workload.
    vms: Vec<VmId>,
    seed: u64,
}

/// Divides tenants into pools, differently for each seed.
pub(super) fn cut(whole: &Workload, count: usize, seed: u64) -> Vec<Pool> {
    let parts = &PARTS[..count];
    let tenants = Seed(seed).stream("pools of tenants");
    let all: u32 = parts.iter().sum();
    let pool_of = |tenant: u64| {
        let mut part = tiebreak_model::random::pick(tenants.draw(tenant, 0), all);
        let is_here = |size: &u32| {
            part < *size || {
                part -= size;
                false
            }
        };
        parts.iter().position(is_here).expect("parts are below their sum")
    };
    let mut rows: Vec<_> = (0..count).map(|_| (WorkloadBuilder::new(), Vec::new())).collect();
    for (_, vm, row) in vms(whole) {
        let (builder, vms) = &mut rows[pool_of(row.tenant)];
        builder.push(row);
        vms.push(vm);
    }
    let pools = rows.into_iter().enumerate().filter(|(_, (_, vms))| !vms.is_empty());
    let pool = |(number, (builder, vms)): (usize, (WorkloadBuilder, Vec<VmId>))| {
        let workload = builder.finish(whole.horizon()).expect("it has VMs");
        let machines = (100.0 * peak(&workload) / PEAK_PCT[number % PEAK_PCT.len()]).ceil() as u32;
        Pool { machines: machines.max(1), workload: Arc::new(workload), vms, seed }
    };
    pools.map(pool).collect()
}

/// A VM's shares of a machine's cores and memory.
pub(super) fn shares(row: &VmRow) -> [f64; 2] {
    let of = |resource: Resource, capacity: f64| f64::from(row.shape.demand[resource]) / resource.unit().1 / capacity;
    [of(Resource::Cores, MACHINE.0), of(Resource::Memory, MACHINE.1)]
}

/// The peak use of the scarcer resource, in machines.
fn peak(workload: &Workload) -> f64 {
    let mut changes = Vec::new();
    for (_, _, row) in vms(workload).filter(|(_, _, row)| row.end > row.start.max(Time::ZERO)) {
        let taken = shares(&row);
        changes.push((row.start.max(Time::ZERO), true, taken));
        changes.push((row.end, false, taken.map(|share| -share)));
    }
    // Departures free room for arrivals of the same instant.
    changes.sort_by_key(|(at, comes, _)| (*at, *comes));
    let (mut used, mut most) = ([0.0_f64; 2], 0.0_f64);
    for (_, _, change) in changes {
        used = [used[0] + change[0], used[1] + change[1]];
        most = most.max(used[0]).max(used[1]);
    }
    most
}

/// The number of machines that first fit needs for VMs of these shares, largest first.
fn packed(mut vms: Vec<[f64; 2]>) -> usize {
    let size = |vm: &[f64; 2]| vm[0].max(vm[1]);
    vms.sort_by(|one, other| size(other).total_cmp(&size(one)));
    let mut free: Vec<[f64; 2]> = Vec::new();
    for vm in vms {
        // Shares are sums of fractions, so allow for rounding errors.
        let has_room = |free: &&mut [f64; 2]| free.iter().zip(vm).all(|(free, share)| share <= *free + 1e-9);
        match free.iter_mut().find(has_room) {
            Some(free) => *free = [free[0] - vm[0], free[1] - vm[1]],
            None => free.push([1.0 - vm[0], 1.0 - vm[1]]),
        }
    }
    free.len()
}

/// A policy without lifetime rules and one agent that decides instantly, like Borg's leader: the default policy with
/// exact BestFit.
pub(super) fn baseline(whole: &Workload, given: &Given) -> Result<Variant, Failure> {
    let mut variant = Variant {
        agents: Agents { count: 1, decision_ms: 0, publish_ms: 0, ..Agents::default() },
        ..Variant::default()
    };
    variant.set("rules.BestFit.buckets", "none")?;
    let days = whole.horizon().0 as f64 / Millis::DAY.0 as f64;
    variant.set("predictor.train_share", &format!("{}", 100.0 * WARM_UP_DAYS / days))?;
    variant.measures.measured_from_hours = 24.0 * WARM_UP_DAYS;
    set_fields(&mut variant, given)?;
    Ok(variant)
}

/// Its description, in one sentence.
pub(super) const BASELINE: &str = "The baseline is the default list with an exact BestFit. Lifetime rules are just \
above it, and the baseline places VMs alive at the start.";

/// The lists of lifetime rules that LAVA compares.
pub(super) const WAYS: [LifetimeRules; 3] = [LifetimeRules::LaBinary, LifetimeRules::Nilas, LifetimeRules::Lava];

/// The oracle.
pub(super) fn oracle() -> PredictorRow {
    PredictorRow { values: vec![ORACLE_BEYOND_H], ..PredictorRow::plain("Oracle").expect("it is listed") }
}

/// An oracle that is right for this percentage of VMs and off by this many decades for the others, with one factor
/// per VM or an error that is drawn again.
pub(super) fn noisy_oracle(accuracy_pct: f64, decades: f64, error: NoiseError) -> PredictorRow {
    let mut row = PredictorRow::plain("NoisyOracle").expect("it is listed");
    let given = [("accuracy", accuracy_pct), ("sigma_wrong", decades), ("error", f64::from(error as u8))];
    for (name, value) in given {
        let at = row.params().iter().position(|param| param.name == name).expect("a declared parameter");
        row.values[at] = value;
    }
    row
}

/// The readings of a noisy oracle's error, by index among its choices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NoiseError {
    /// One factor per VM on the true remaining lifetime: the paper's text.
    OneFactor,
    /// Drawn again when a VM outlives its prediction.
    DrawnAgain,
}

/// A predictor's predictions for all VMs, and their quality.
pub(super) fn trained(predictor: &PredictorRow, whole: &Arc<Workload>, seed: u64) -> (Predictions, Quality) {
    let trained = predictor.train(whole.clone(), seed).finish();
    (trained.predictions, trained.quality)
}

/// Results of a run after the warm-up.
#[derive(Clone, Copy)]
pub(super) struct AfterWarmUp {
    /// Mean share of the machines that are empty.
    pub(super) empty_pct: f64,
    /// The same with perfect packing: the free share of the scarcer of cores and memory.
    pub(super) bound_pct: f64,
    /// Mean stranded cores and memory, in percent of the pool; NaN if they were not measured.
    pub(super) stranded_pct: [f64; 2],
    /// VMs for which no machine was found.
    pub(super) refused: u64,
    pub(super) repredictions: u64,
    /// How often a machine opened, and how often one missed its deadline.
    pub(super) opened: u64,
    pub(super) raised: u64,
    /// Mean packing density, in percent, and mean placement debt, if it is measured.
    pub(super) density_pct: f64,
    pub(super) debt: Option<Debt>,
    /// How often a cluster formed its affinity group anew.
    pub(super) group_changes: u64,
    /// All counters.
    pub(super) counters: Counters,
}

/// A policy to run every pool with.
pub(super) struct Trial<'a> {
    pub(super) list: Variant,
    /// The predictions for the whole workload, if any.
    pub(super) predictions: Option<&'a Predictions>,
    /// The incidents in the pool.
    pub(super) incidents: &'a [IncidentUse],
}

impl<'a> Trial<'a> {
    pub(super) fn new(list: Variant, predictions: impl Into<Option<&'a Predictions>>) -> Self {
        Self { list, predictions: predictions.into(), incidents: &[] }
    }
}

/// A pool under all trials.
pub(super) struct PoolRuns {
    pub(super) machines: u32,
    /// Mean share of machines that would be empty if all VMs were repacked.
    pub(super) repacked_pct: f64,
    /// The share of running VMs that end within eight hours.
    pub(super) ending_pct: f64,
    pub(super) seen: Vec<AfterWarmUp>,
}

impl PoolRuns {
    /// How many more hosts a trial leaves empty than the first trial, in percentage points.
    pub(super) fn gain(&self, trial: usize) -> f64 {
        self.seen[trial].empty_pct - self.seen[0].empty_pct
    }
}

/// Runs every pool of a seed under all trials.
pub(super) fn tried(pools: &[Pool], trials: &[Trial<'_>]) -> Result<Vec<PoolRuns>, Failure> {
    let under_all = |pool: &Pool| {
        let seen = trials.iter().map(|trial| pool.run(trial)).collect::<Result<_, Failure>>()?;
        Ok(PoolRuns { machines: pool.machines, repacked_pct: pool.repacked_pct(), ending_pct: pool.ending_pct(), seen })
    };
    pools.iter().map(under_all).collect()
}

/// The pools of each seed.
pub(super) type RunsByPool = Vec<Vec<PoolRuns>>;

/// The source of the pools of a column or row.
pub(super) struct PoolOrigin {
    pub(super) name: &'static str,
    pub(super) is_generated: bool,
    pub(super) wanted: fn(&VmRow) -> bool,
}

pub(super) const TRACE: PoolOrigin = PoolOrigin { name: "trace", is_generated: false, wanted: |_| true };

/// The trace's pools without the VMs that run for the whole trace.
pub(super) const NOBODY_STAYS: PoolOrigin =
    PoolOrigin { name: "no permanent VMs", wanted: |row| row.start > Time::ZERO || row.end < Time::NEVER, ..TRACE };

pub(super) const MADE_UP: PoolOrigin = PoolOrigin { name: "generated", is_generated: true, ..TRACE };

/// A cold start: the pools begin empty.
pub(super) const EMPTY_AT_FIRST: PoolOrigin =
    PoolOrigin { name: "empty at first", wanted: |row| row.start > Time::ZERO, ..TRACE };

/// The runs in the pools of some cases.
pub(super) struct Cases {
    /// The trace's name.
    pub(super) trace: String,
    pub(super) seeds: Vec<u64>,
    /// In the order of the cases.
    pub(super) found: Vec<RunsByPool>,
}

/// The requests of all pools of a case and seed, and the number of pools that they suffice for.
pub(super) struct Whole {
    pub(super) workload: Arc<Workload>,
    pub(super) pools: usize,
    pub(super) seed: u64,
    pub(super) is_generated: bool,
}

/// Runs trials in the pools of these cases for every seed.
pub(super) fn in_cases(
    given: &Given,
    cases: &[PoolOrigin],
    one: impl Fn(&Whole) -> Result<Vec<PoolRuns>, Failure> + Sync,
) -> Result<Cases, Failure> {
    let scale = Scale::of(given)?;
    let (origin, trace) = Origin::of_trace(given)?;
    let origins = [origin, Origin::generated(scale)];
    let seeds = scale.seeds(SEEDS);
    let jobs: Vec<_> = cases.iter().flat_map(|case| seeds.iter().map(move |seed| (case, *seed))).collect();
    let mut runs = at_once(&jobs, |(case, seed)| {
        let origin = &origins[usize::from(case.is_generated)];
        let (workload, pools) = (origin.whole(*seed, case.wanted), origin.pools());
        one(&Whole { workload, pools, seed: *seed, is_generated: case.is_generated })
    })?
    .into_iter();
    let found = cases.iter().map(|_| runs.by_ref().take(seeds.len()).collect()).collect();
    Ok(Cases { trace, seeds, found })
}

/// The mean over the pools of a seed.
pub(super) fn over_pools(pools: &[PoolRuns], value: impl Fn(&PoolRuns) -> f64) -> f64 {
    pools.iter().map(value).sum::<f64>() / pools.len() as f64
}

/// The mean over the pools of all seeds.
pub(super) fn over_all(seeds: &[Vec<PoolRuns>], value: impl Fn(&PoolRuns) -> f64) -> f64 {
    seeds.iter().map(|pools| over_pools(pools, &value)).sum::<f64>() / seeds.len() as f64
}

impl Pool {
    /// All VMs of a workload, on machines of which this share is in use at their peak.
    pub(super) fn whole(workload: Workload, peak_pct: f64, seed: u64) -> Self {
        let machines = (100.0 * peak(&workload) / peak_pct).ceil().max(1.0) as u32;
        let vms = (0..workload.vm_count()).map(VmId).collect();
        Self { machines, workload: Arc::new(workload), vms, seed }
    }

    /// Its requests.
    pub(super) fn workload(&self) -> &Arc<Workload> {
        &self.workload
    }

    /// The VMs alive at every half day after the warm-up.
    fn alive(&self) -> Vec<(Time, Vec<VmRow>)> {
        let half_day = Millis::DAY.0 as i64 / 2;
        let times = (2.0 * WARM_UP_DAYS) as i64..=self.workload.horizon().0 / half_day;
        let mut alive: Vec<_> = times.map(|at| (Time(at * half_day), Vec::new())).collect();
        for (_, _, row) in vms(&self.workload) {
            let then = alive.iter_mut().filter(|(at, _)| row.start <= *at && *at < row.end);
            then.for_each(|(_, here)| here.push(row));
        }
        alive
    }

    /// Packs the running VMs into as few machines as first fit needs, largest first. Returns the mean share of
    /// machines that this leaves empty.
    fn repacked_pct(&self) -> f64 {
        let alive = self.alive();
        let machines = alive.iter().map(|(_, vms)| packed(vms.iter().map(shares).collect()) as f64).sum::<f64>();
        100.0 - 100.0 * machines / alive.len() as f64 / f64::from(self.machines)
    }

    fn ending_pct(&self) -> f64 {
        let alive = self.alive();
        let soon = |at: Time| at + Millis(8 * Millis::HOUR.0);
        let ending = |(at, vms): &(Time, Vec<VmRow>)| vms.iter().filter(|row| row.end <= soon(*at)).count();
        let all: usize = alive.iter().map(|(_, vms)| vms.len()).sum();
        100.0 * alive.iter().map(ending).sum::<usize>() as f64 / all as f64
    }

    fn run(&self, trial: &Trial<'_>) -> Result<AfterWarmUp, Failure> {
        let (cores, memory_gib) = MACHINE;
        let racks = (self.machines / RACK).max(1);
        let settings = ClusterSettings { machines: self.machines, racks, cores, memory_gib, ..Default::default() };
        let clusters = vec![ClusterRow { settings, ..ClusterRow::numbered(0) }];
        let variant = Variant { seed: self.seed, clusters, ..trial.list.clone() };
        let plan = variant.untrained_plan(self.workload.clone())?.without_samples();
        let mut plan = plan.with_incidents(trial.incidents)?;
        if let Some(predictions) = trial.predictions {
            plan = plan.with_predictions(variant.lifetimes, Arc::new(predictions.of_part(&self.vms)));
        }
        let mut world = World::new(plan);
        world.run();
        Ok(AfterWarmUp::of(&world))
    }
}

impl AfterWarmUp {
    fn of(world: &World) -> Self {
        let from = Time::ZERO + Millis((WARM_UP_DAYS * Millis::DAY.0 as f64) as u64);
        let bounds = world.series().values(index_of("EmptyHostsBound").expect("a metric of the list"));
        let sampled = world.series().times().iter().zip(bounds).filter(|(at, _)| **at >= from);
        let summary = world.summary();
        Self {
            empty_pct: summary.empty_hosts_pct_mean,
            bound_pct: sampled.clone().map(|(_, bound)| bound).sum::<f64>() / sampled.count() as f64,
            stranded_pct: summary.stranded_pct_mean.unwrap_or([f64::NAN; 2]),
            refused: summary.rejections,
            repredictions: summary.lives.repredictions,
            opened: summary.lives.turns[Turn::Opened as usize],
            raised: summary.lives.turns[Turn::Raised as usize],
            density_pct: summary.packing_density_pct_mean,
            debt: summary.debt_mean,
            group_changes: summary.affinity.map_or(0, |affinity| affinity.changes),
            counters: summary.counters,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_are_packed_first_and_both_resources_have_an_end() {
        let mixed = [[0.6, 0.1], [0.4, 0.1], [0.6, 0.1], [0.4, 0.1]];
        assert_eq!(packed(mixed.to_vec()), 2);
        assert_eq!(packed(vec![[0.1, 0.6]; 3]), 3);
        assert_eq!(packed(vec![[0.1, 0.1]; 10]), 1, "ten tenths are a whole");
        assert_eq!(packed(Vec::new()), 0);
    }
}
