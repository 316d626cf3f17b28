//! Power Figure 6: a chassis of 12 servers under a budget, by full-server and by per-VM capping, with both kinds of
//! VMs mixed on every server or on separate servers. (Prediction-Based Power Oversubscription, section IV-D)

use tiebreak_chart::Panel;
use tiebreak_power::{Capping, Part};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Scale, without_trace};
use super::power::{BATCH_BUSY, Experiment, SeedOutcomes, USER_FACING_BUSY, over_time, proxies};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "power-fig6";

const SERVERS: usize = 12;
/// VMs of each kind.
const VMS: usize = 36;
const BUDGET_W: f64 = 2_450.0;
/// Servers with user-facing VMs if the kinds are separate.
const USER_FACING_SERVERS: usize = 4;

/// Latencies and running times within this difference count as about the same. Our threshold.
const ABOUT: f64 = 0.05;

struct CappingTrials {
    no_cap: SeedOutcomes,
    full_balanced: SeedOutcomes,
    per_vm_balanced: SeedOutcomes,
    full_imbalanced: SeedOutcomes,
    per_vm_imbalanced: SeedOutcomes,
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let (seeds, seconds) = (scale.seeds(5), scale.pick(90, 26 * 60));
    let tried = |what: &str, paper, servers: &[Vec<Part>], per_vm: Option<bool>| {
        let capping = |per_vm| Capping { budget_w: BUDGET_W, per_vm, ..Capping::default() };
        let experiment = Experiment { servers: servers.to_vec(), capping: per_vm.map(capping), seconds };
        SeedOutcomes::of(what.into(), paper, &experiment, &seeds)
    };
    let (balanced, imbalanced) = (balanced(), imbalanced());
    let found = CappingTrials {
        no_cap: tried("no cap", "well above the budget", &balanced, None)?,
        full_balanced: tried("full-server, balanced", "", &balanced, Some(false))?,
        per_vm_balanced: tried("per-VM, balanced", "latency 1", &balanced, Some(true))?,
        full_imbalanced: tried("full-server, imbalanced", "", &imbalanced, Some(false))?,
        per_vm_imbalanced: tried("per-VM, imbalanced", "latency as full-server", &imbalanced, Some(true))?,
    };
    let setting = format!(
        "{SERVERS} servers of 40 cores under {BUDGET_W} W for {seconds} s, with {VMS} user-facing VMs of 4 cores, \
        {:.0} % utilized, and {VMS} batch VMs of 6 cores, {:.0} % utilized, varying by up to 3 points every second: \
        3 of each kind on every server, or user-facing VMs on {USER_FACING_SERVERS} servers and batch VMs on the \
        other {}.",
        100.0 * USER_FACING_BUSY,
        100.0 * BATCH_BUSY,
        SERVERS - USER_FACING_SERVERS,
    );
    let rows = found.all().map(SeedOutcomes::row).collect();
    let findings = Findings { rows, checks: found.checks(), remarks: remarks(), panels: found.panels() };
    let about = About { name: NAME, source: "Power oversubscription, Figure 6", setting, seeds };
    Figure::answer(given, about, findings)
}

fn user_facing() -> Part {
    Part { cores_milli: 4_000, utilization: USER_FACING_BUSY, user_facing: true }
}

fn batch() -> Part {
    Part { cores_milli: 6_000, utilization: BATCH_BUSY, user_facing: false }
}

/// Both kinds, round-robin over all servers.
fn balanced() -> Vec<Vec<Part>> {
    let each = VMS / SERVERS;
    vec![[vec![user_facing(); each], vec![batch(); each]].concat(); SERVERS]
}

/// Each kind round-robin over its own servers.
fn imbalanced() -> Vec<Vec<Part>> {
    let mut servers = vec![Vec::new(); SERVERS];
    for vm in 0..VMS {
        servers[vm % USER_FACING_SERVERS].push(user_facing());
        servers[USER_FACING_SERVERS + vm % (SERVERS - USER_FACING_SERVERS)].push(batch());
    }
    servers
}

fn remarks() -> Vec<String> {
    vec![
        proxies(),
        "the paper does not say how many servers each kind has when they are separate; 4 and 8 are about \
        proportional to their cores"
            .into(),
        "throttling is lifted every 30 s, so the chassis briefly exceeds its budget again".into(),
    ]
}

impl CappingTrials {
    fn all(&self) -> impl Iterator<Item = &SeedOutcomes> {
        let Self { no_cap, full_balanced, per_vm_balanced, full_imbalanced, per_vm_imbalanced } = self;
        [no_cap, full_balanced, per_vm_balanced, full_imbalanced, per_vm_imbalanced].into_iter()
    }

    fn checks(&self) -> Vec<Check> {
        let Self { no_cap, full_balanced, per_vm_balanced, full_imbalanced, per_vm_imbalanced } = self;
        let longest = self.all().skip(1).map(SeedOutcomes::over_longest_s).fold(0.0, f64::max);
        let below = |what, better: &SeedOutcomes, worse: &SeedOutcomes| {
            Check::above(what, "of no cap", worse.with(better, |worse, better| worse.running - better.running))
        };
        vec![
            Check::above(
                "without a cap the chassis draws far more than its budget: by more than a twentieth",
                "W, above 105 %",
                no_cap.each(|it| it.mean_w - 1.05 * BUDGET_W),
            ),
            Check::so("with either capping it is never above its budget for longer than 2 s", longest <= 2.0, || {
                format!("{longest:.1} s")
            }),
            Check::above(
                "per-VM capping of balanced VMs does not change latency",
                "of no cap, below the limit",
                per_vm_balanced.each(|it| 1.0 + ABOUT - it.latency),
            ),
            Check::above(
                "full-server capping does",
                "of no cap, above the limit",
                full_balanced.each(|it| it.latency - 1.0 - ABOUT),
            ),
            Check::above(
                "with separate kinds, per-VM capping raises latency about as much as full-server capping",
                "of no cap, within the limit",
                per_vm_imbalanced
                    .with(full_imbalanced, |per_vm, full| ABOUT * full.latency - (per_vm.latency - full.latency).abs()),
            ),
            below("full-server capping is better for batch, balanced", full_balanced, per_vm_balanced),
            below("and imbalanced", full_imbalanced, per_vm_imbalanced),
            below(
                "batch does better imbalanced than balanced under full-server capping",
                full_imbalanced,
                full_balanced,
            ),
            below("and under per-VM capping", per_vm_imbalanced, per_vm_balanced),
        ]
    }

    fn panels(&self) -> Vec<Panel> {
        let lines = [&self.no_cap, &self.full_balanced, &self.per_vm_balanced];
        let apart = [&self.no_cap, &self.full_imbalanced, &self.per_vm_imbalanced];
        vec![
            over_time("Draw of the chassis, balanced", "W", &lines, |it| &it.draws),
            over_time("Draw of the chassis, imbalanced", "W", &apart, |it| &it.draws),
            over_time("Lowest frequency of any batch core, balanced", "% of nominal", &lines, |it| &it.batch_pct),
        ]
    }
}
