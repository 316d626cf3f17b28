//! Power Figures 4 and 5: one server under caps, by full-server and by per-VM capping.
//! (Prediction-Based Power Oversubscription, section IV-C)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_power::{Capping, Part};

use super::Check;
use super::figure::{About, Figure, Findings, Scale, without_trace};
use super::power::{BATCH_BUSY, CappingOutcome, Experiment, SeedOutcomes, USER_FACING_BUSY, over_time, proxies};
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::Given;

const NAME: &str = "power-fig4";

const CAPS_W: [f64; 5] = [250.0, 240.0, 230.0, 220.0, 210.0];

/// The cap of the paper's Figure 4, as a place in the list.
const SHOWN: usize = 2;

/// What the paper says of full-server and of per-VM capping at each cap.
const PAPER: [[&str; 2]; 5] = [
    ["", "latency about 1"],
    ["", "latency about 1"],
    ["latency 1.18", "latency about 1, running time 1.28"],
    ["", "latency about 1"],
    ["latency 1.35", "RAPL engages"],
];

/// Above this, latency no longer counts as that without a cap. Our threshold.
const ABOUT: f64 = 1.02;

/// The outcomes at one cap.
struct AtCap {
    full_server: SeedOutcomes,
    per_vm: SeedOutcomes,
}

pub(super) fn run(given: &Given) -> Result<Answer, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given);
    let (seeds, seconds) = (scale.seeds(10), scale.pick(60, 600));
    let tried = |what: String, paper, capping| {
        let experiment = Experiment { servers: vec![server()], capping, seconds };
        SeedOutcomes::of(what, paper, &experiment, &seeds)
    };
    let no_cap = tried("no cap".into(), "above 250 W", None)?;
    let at_cap = |(cap_w, papers): (f64, [&'static str; 2])| -> Result<AtCap, Failure> {
        let capping = |per_vm| {
            // Capping stays enabled throughout: nothing is lifted.
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
    let full: Vec<_> = caps.iter().map(|cap| cap.full_server.latency()).collect();
    let kept = |cap: &AtCap| cap.per_vm.latency() <= ABOUT;
    let longest = caps.iter().flat_map(|cap| [&cap.full_server, &cap.per_vm]).map(SeedOutcomes::over_longest_s);
    let longest = longest.fold(0.0, f64::max);
    let (batch, batch_full) = (shown.per_vm.running(), shown.full_server.running());
    vec![
        Check::so("without a cap the server draws more than 250 W", no_cap.mean_w() > 250.0, || {
            format!("{:.0} W", no_cap.mean_w())
        }),
        Check::so("with one, it is never above its cap for longer than 2 s", longest <= 2.0, || {
            format!("{longest:.1} s")
        }),
        Check::so(
            "at 230 W per-VM capping draws slightly less than full-server capping",
            shown.per_vm.mean_w() < shown.full_server.mean_w(),
            || format!("{:.1} W against {:.1} W", shown.per_vm.mean_w(), shown.full_server.mean_w()),
        ),
        Check::so(
            "under full-server capping, latency rises as the cap falls",
            full.is_sorted_by(|one, other| one < other),
            || format!("latencies {full:.2?}"),
        ),
        Check::so("at 230 W by more than a tenth", full[SHOWN] > 1.1, || format!("by a factor of {:.2}", full[SHOWN])),
        Check::so("per-VM capping does not raise it down to 220 W", protected.iter().all(kept), || {
            format!("latencies {:.2?}", protected.iter().map(|cap| cap.per_vm.latency()).collect::<Vec<_>>())
        }),
        Check::so(
            "at 210 W RAPL has to engage, and does not before",
            last[0].per_vm.rapl() >= 1.0 && protected.iter().all(|cap| cap.per_vm.rapl() == 0.0),
            || format!("{:.1?} times from 250 to 210 W", caps.iter().map(|cap| cap.per_vm.rapl()).collect::<Vec<_>>()),
        ),
        Check::so(
            "batch VMs pay for it: at 230 W they run longer than under full-server capping",
            batch > batch_full,
            || format!("{batch:.2} against {batch_full:.2}"),
        ),
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
