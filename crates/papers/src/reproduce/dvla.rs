//! The clusters on which DVLA is compared: generated, over two months, with the paper's classes and a real month.
//!
//! Lifetimes are those of Azure's VMs with a longer tail, so that VMs of more than a month are a few percent of the
//! requests and most of the core-hours, as in the paper. A *steady* cluster is in equilibrium. In a *drifting* one
//! long-lived requests give way to three times as many shorter ones half-way. A *new* one has no VMs at first.

use tiebreak_lifetime::Predictions;
use tiebreak_model::{Millis, Time, VmRow, Workload, WorkloadBuilder};
use tiebreak_scenario::Variant;
use tiebreak_scenario::incident::IncidentRow;
use tiebreak_scenario::lifetime_rules::LifetimeRules;
use tiebreak_scenario::predictor::PredictorRow;
use tiebreak_sim::{GeneratedWorkload, IncidentUse};

use super::figure::Scale;
use super::pools::{AfterWarmUp, Pool, PoolRuns, Trial, baseline, trained, tried, vms};
use super::zone::at_once;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

/// Seeds of the full size.
const SEEDS: usize = 6;

/// Peak use of the scarcer resource, in percent.
const PEAK_PCT: f64 = 85.0;

/// A cluster's history.
#[derive(Clone, Copy)]
pub(super) enum Cluster {
    Steady,
    Drifting,
    New,
}

impl Cluster {
    pub(super) const ALL: [Self; 3] = [Self::Steady, Self::Drifting, Self::New];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Steady => "steady",
            Self::Drifting => "drifting",
            Self::New => "new",
        }
    }

    fn workload(self, seed: u64, scale: Scale) -> Workload {
        let usual = GeneratedWorkload {
            days: days(scale),
            requests_per_hour: scale.pick(4.0, 10.0),
            longest_life: 300.0,
            spikes_per_day: 0.0,
            tenants: 300,
            purity: 80.0,
            ..GeneratedWorkload::default()
        };
        let rows = |settings: &GeneratedWorkload| -> Vec<VmRow> {
            vms(&settings.generate(tiebreak_model::random::Seed(seed))).map(|(_, _, row)| row).collect()
        };
        let mut all = rows(&usual);
        let half = Time::ZERO + Millis((usual.days / 2.0 * Millis::DAY.0 as f64) as u64);
        match self {
            Self::Steady => {}
            Self::Drifting => {
                let requests_per_hour = 3.0 * usual.requests_per_hour;
                let shorter = GeneratedWorkload { longest_life: 60.0, requests_per_hour, ..usual };
                all.retain(|row| row.start < half);
                let named = |row: VmRow| VmRow { name: row.name | 1 << 40, ..row };
                all.extend(rows(&shorter).into_iter().filter(|row| row.start >= half).map(named));
            }
            Self::New => all.retain(|row| row.start > Time::ZERO),
        }
        let mut builder = WorkloadBuilder::new();
        all.into_iter().for_each(|row| builder.push(row));
        builder.finish(Time::ZERO + Millis(2 * half.0 as u64)).expect("a cluster has VMs")
    }
}

fn days(scale: Scale) -> f64 {
    scale.pick(24.0, 60.0)
}

/// Days at the start that are not measured; the predictor learns from these.
fn warm_up_days(scale: Scale) -> f64 {
    scale.pick(4.0, 10.0)
}

/// A list to compare with the baseline.
#[derive(Clone, Copy)]
pub(super) struct Policy {
    pub(super) rules: LifetimeRules,
    /// Whether it migrates stranded VMs.
    pub(super) migrates: bool,
}

impl Policy {
    pub(super) const ALL: [Self; 4] = [
        Self { rules: LifetimeRules::LaBinary, migrates: false },
        Self { rules: LifetimeRules::Lava, migrates: false },
        Self { rules: LifetimeRules::Dvla, migrates: false },
        Self { rules: LifetimeRules::Dvla, migrates: true },
    ];

    pub(super) fn name(self) -> String {
        let is_still = !self.migrates && !self.rules.incidents().is_empty();
        format!("{}{}", self.rules.name(), if is_still { " without migrations" } else { "" })
    }
}

/// The migrations of DVLA.
pub(super) fn migrations() -> Vec<IncidentUse> {
    LifetimeRules::Dvla.incidents().iter().map(IncidentRow::incident_use).collect()
}

/// A run's list, whether it migrates, and the predictions that it reads.
pub(super) struct Tried {
    pub(super) list: Variant,
    pub(super) migrates: bool,
    /// An index of the predictions.
    pub(super) by: usize,
}

/// A cluster of a seed, its baseline and what is known of its VMs.
pub(super) struct Setting {
    pool: Pool,
    pub(super) baseline: Variant,
    pub(super) seed: u64,
}

impl Setting {
    fn new(cluster: Cluster, seed: u64, given: &Given) -> Result<Self, Failure> {
        let scale = Scale::of(given)?;
        let pool = Pool::whole(cluster.workload(seed, scale), PEAK_PCT, seed);
        let mut baseline = baseline(pool.workload(), given)?;
        baseline.measures.measured_from_hours = 24.0 * warm_up_days(scale);
        baseline.measures.debt_hours = 24.0;
        baseline.predictor = hazards(100.0 * warm_up_days(scale) / days(scale));
        Ok(Self { pool, baseline, seed })
    }

    /// The requests of the cluster.
    pub(super) fn workload(&self) -> &std::sync::Arc<Workload> {
        self.pool.workload()
    }

    /// The predictions of the baseline's predictor.
    pub(super) fn predicted(&self) -> Predictions {
        trained(&self.baseline.predictor, self.workload(), self.seed).0
    }

    /// The baseline, then each of these.
    pub(super) fn run(&self, tries: &[Tried], known: &[Predictions]) -> Result<Vec<AfterWarmUp>, Failure> {
        let migrations = migrations();
        let mut trials = vec![Trial::new(self.baseline.clone(), None)];
        trials.extend(tries.iter().map(|it| Trial {
            incidents: if it.migrates { &migrations } else { &[] },
            ..Trial::new(it.list.clone(), &known[it.by])
        }));
        let runs = tried(std::slice::from_ref(&self.pool), &trials)?;
        Ok(runs.into_iter().flat_map(|PoolRuns { seen, .. }| seen).collect())
    }
}

/// A predictor that learns the habits of tenants from this share of the trace, and predicts up to a year.
fn hazards(train_share: f64) -> PredictorRow {
    let mut row = PredictorRow::plain("TenantHazards").expect("it is listed");
    (row.values[0], row.values[1]) = (train_share, 8_760.0);
    row
}

/// For each seed, the runs of every cluster.
pub(super) type Found = Vec<Vec<Vec<AfterWarmUp>>>;

/// Runs every cluster of every seed.
pub(super) fn in_clusters(
    given: &Given,
    one: impl Fn(&Setting) -> Result<Vec<AfterWarmUp>, Failure> + Sync,
) -> Result<(Vec<u64>, Found), Failure> {
    let seeds = Scale::of(given)?.seeds(SEEDS);
    let jobs: Vec<_> = seeds.iter().flat_map(|seed| Cluster::ALL.map(|cluster| (cluster, *seed))).collect();
    let runs = at_once(&jobs, |(cluster, seed)| one(&Setting::new(*cluster, *seed, given)?))?;
    let mut runs = runs.into_iter();
    let found = seeds.iter().map(|_| runs.by_ref().take(Cluster::ALL.len()).collect()).collect();
    Ok((seeds, found))
}

/// A number of a run.
pub(super) type Number = fn(&AfterWarmUp) -> f64;

/// PD: allocated cores over the cores of machines in use, in percent.
pub(super) const PD: Number = |run| run.density_pct;
/// PD_L: cores of long-lived VMs over the cores of machines with any of them, in percent.
pub(super) const PD_L: Number = |run| run.debt.map_or(f64::NAN, |debt| debt.long_density_pct);
pub(super) const DEBT: Number = |run| run.debt.map_or(f64::NAN, |debt| debt.machines);
pub(super) const STRANDED: Number = |run| run.debt.map_or(f64::NAN, |debt| debt.stranded_pct);
pub(super) const VRAR: Number = |run| run.debt.map_or(f64::NAN, |debt| debt.vrar_pct);

/// How much larger a number is in one run than in another, over the clusters of a seed.
pub(super) fn more(clusters: &[Vec<AfterWarmUp>], number: Number, [one, other]: [usize; 2]) -> f64 {
    clusters.iter().map(|runs| number(&runs[one]) - number(&runs[other])).sum::<f64>() / clusters.len() as f64
}

/// The same for every seed.
pub(super) fn pairs(found: &Found, number: Number, runs: [usize; 2]) -> impl Iterator<Item = f64> + Clone + '_ {
    found.iter().map(move |clusters| more(clusters, number, runs))
}

/// What is run, for the settings of figures.
pub(super) fn clusters(given: &Given) -> Result<String, Failure> {
    let scale = Scale::of(given)?;
    Ok(format!(
        "Generated clusters over {} days: steady; drifting to three times as many shorter requests half-way; and new, \
        without VMs at first; machines of 104 cores, 85 % full at the peak. VMs live as Azure's, up to 300 days, and \
        tenants have habits. The baseline is the default list with an exact BestFit; lifetime rules are just above it. \
        The first {} days are not measured, and the predictor (TenantHazards) learns from them.",
        days(scale),
        warm_up_days(scale),
    ))
}
