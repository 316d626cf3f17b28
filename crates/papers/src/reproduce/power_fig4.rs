//! Power Figures 4 and 5: one server under caps, by full-server and by per-VM capping.
//! (Prediction-Based Power Oversubscription, section IV-C)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_power::{Capping, Part};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Scale, without_trace};
use super::power::{BATCH_BUSY, CappingOutcome, Experiment, SeedOutcomes, USER_FACING_BUSY, over_time, proxies};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "power-fig4";

const CAPS_W: [f64; 5] = [250.0, 240.0, 230.0, 220.0, 210.0];

/// The cap of the paper's Figure 4, as an index.
const SHOWN: usize = 2;

/// The paper's values for full-server and per-VM capping at each cap; to those that are called fitted, the utilizations
/// and the CPU-bound share were chosen to come near.
const PAPER: [[&str; 2]; 5] = [
    ["", "latency about 1"],
    ["", "latency about 1"],
    ["latency 1.18 (fitted)", "latency about 1, running time 1.28 (fitted)"],
    ["", "latency about 1"],
    ["latency 1.35 (fitted)", "RAPL engages (fitted)"],
];

/// Up to this ratio, latency counts as equal to that without a cap. Our threshold.
const ABOUT: f64 = 1.02;

/// The outcomes at one cap.
struct AtCap {
    full_server: SeedOutcomes,
    per_vm: SeedOutcomes,
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let (seeds, seconds) = (scale.seeds(10), scale.pick(60, 600));
    let tried = |what: String, paper, capping| {
        let experiment = Experiment { servers: vec![server()], capping, seconds };
        SeedOutcomes::of(what, paper, &experiment, &seeds)
    };
    let no_cap = tried("no cap".into(), "above 250 W (fitted)", None)?;
    let at_cap = |(cap_w, papers): (f64, [&'static str; 2])| -> Result<AtCap, Failure> {
        let capping = |per_vm| {
            // Capping stays enabled throughout: the caps are never lifted.
            let lift_ms = 1_000 * seconds as u32 + 1_000;
            Some(Capping { budget_w: cap_w, per_vm, lift_ms, ..Capping::default() })
        };
        Ok(AtCap {
            full_server: tried(format!("full-server, {cap_w} W"), papers[0], capping(false))?,
            per_vm: tried(format!("per-VM, {cap_w} W"), papers[1], capping(true))?,
        })
    };
    let caps = CAPS_W.into_iter().zip(PAPER).map(at_cap).collect::<Result<Vec<_>, _>>()?;
    let setting = format!(
        "One server of 40 cores for {seconds} s: a user-facing VM of 20 cores, {:.0} % utilized, and a batch VM of \
        20 cores, {:.0} % utilized, varying by up to 3 points every second.",
        100.0 * USER_FACING_BUSY,
        100.0 * BATCH_BUSY,
    );
    let all = std::iter::once(&no_cap).chain(caps.iter().flat_map(|cap| [&cap.full_server, &cap.per_vm]));
    let findings = Findings {
        rows: all.map(SeedOutcomes::row).collect(),
        checks: checks(&no_cap, &caps),
        remarks: vec![proxies(), "the paper gives numbers for its bars only in the text".into()],
        panels: panels(&no_cap, &caps),
    };
    let about = About { name: NAME, source: "Power oversubscription, Figures 4 and 5", setting, seeds };
    Figure::answer(given, about, findings)
}

fn server() -> Vec<Part> {
    let part = |utilization, user_facing| Part { cores_milli: 20_000, utilization, user_facing };
    vec![part(USER_FACING_BUSY, true), part(BATCH_BUSY, false)]
}

fn checks(no_cap: &SeedOutcomes, caps: &[AtCap]) -> Vec<Check> {
    let shown = &caps[SHOWN];
    let (protected, last) = caps.split_at(caps.len() - 1);
    let longest = caps.iter().flat_map(|cap| [&cap.full_server, &cap.per_vm]).map(SeedOutcomes::over_longest_s);
    let longest = longest.fold(0.0, f64::max);
    let at = |place: usize| format!("at {} W:", CAPS_W[place]);
    let steps = (1..caps.len()).map(|place| {
        let (lower, higher) = (&caps[place].full_server, &caps[place - 1].full_server);
        (at(place), lower.with(higher, |lower, higher| lower.latency - higher.latency))
    });
    let kept = protected.iter().enumerate().map(|(place, cap)| (at(place), cap.per_vm.each(|it| ABOUT - it.latency)));
    let engages = last.iter().all(|cap| cap.per_vm.outcomes.iter().all(|it| it.rapl > 0));
    let too_soon = protected.iter().any(|cap| cap.per_vm.outcomes.iter().any(|it| it.rapl > 0));
    vec![
        Check::above(
            "without a cap the server draws more than 250 W",
            "W, above 250",
            no_cap.each(|it| it.mean_w - 250.0),
        )
        .fitted(),
        Check::so("with one, it is never above its cap for longer than 2 s", longest <= 2.0, || {
            format!("{longest:.1} s")
        }),
        Check::above(
            "at 230 W per-VM capping draws slightly less than full-server capping",
            "W",
            shown.full_server.with(&shown.per_vm, |full, per_vm| full.mean_w - per_vm.mean_w),
        ),
        Check::each_above("under full-server capping, latency rises as the cap falls", "of no cap", steps).fitted(),
        Check::above(
            "at 230 W by more than a tenth",
            "of no cap, above 1.1",
            shown.full_server.each(|it| it.latency - 1.1),
        )
        .fitted(),
        Check::each_above("per-VM capping does not raise it down to 220 W", "of no cap, below 1.02", kept),
        Check::so("at 210 W RAPL has to engage, and does not before", engages && !too_soon, || {
            let counts = |cap: &AtCap| cap.per_vm.outcomes.iter().map(|it| it.rapl).sum::<u64>();
            format!("{:?} times from 250 to 210 W over all seeds", caps.iter().map(counts).collect::<Vec<_>>())
        })
        .fitted(),
        Check::above(
            "batch VMs pay for it: at 230 W they run longer than under full-server capping",
            "of no cap",
            shown.per_vm.with(&shown.full_server, |per_vm, full| per_vm.running - full.running),
        )
        .fitted(),
    ]
}

fn panels(no_cap: &SeedOutcomes, caps: &[AtCap]) -> Vec<Panel> {
    let shown = &caps[SHOWN];
    let lines = [no_cap, &shown.full_server, &shown.per_vm];
    let draws: fn(&CappingOutcome) -> &[f64] = |it| &it.draws;
    let bars = |title: &str, of: fn(&SeedOutcomes) -> f64| {
        let line = |label: &str, role, tried: fn(&AtCap) -> &SeedOutcomes| {
            let points = CAPS_W.into_iter().zip(caps).map(|(cap_w, cap)| (cap_w, of(tried(cap)))).rev().collect();
            Series::new(label, role, Style::Line, points)
        };
        Panel::Plot(Plot {
            title: title.into(),
            unit: "of no cap".into(),
            across: "W, the cap".into(),
            across_is_log: false,
            up_is_log: false,
            series: vec![
                line("full-server", Role::Ghost, |cap| &cap.full_server),
                line("per-VM", Role::Live, |cap| &cap.per_vm),
            ],
        })
    };
    vec![
        over_time("Draw of the server", "W", &lines, draws),
        over_time("Lowest frequency of any batch core", "% of nominal", &lines, |it| &it.batch_pct),
        bars("95th-percentile latency of the user-facing VM", SeedOutcomes::latency),
        bars("Running time of the batch VM", SeedOutcomes::running),
    ]
}
