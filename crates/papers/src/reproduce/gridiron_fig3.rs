//! Gridiron Figure 3: the number of concurrent VMs of VDCs before they are capped, and what remains after cleaning
//! the trace. (Gridiron sections II and III-B)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_sim::vdc::peak_sizes;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Row, Scale};
use super::vdcs::{Base, Bases, deployments, described, distribution, percentile};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "gridiron-fig3";

/// A workload and its VDCs.
struct PeakSizes<'a> {
    base: &'a Base,
    /// The peak number of concurrent VMs per VDC, ascending.
    sizes: Vec<u32>,
}

/// A number of one workload, and the paper's value.
type Quantity = (&'static str, &'static str, fn(&PeakSizes<'_>) -> f64);

static QUANTITIES: [Quantity; 9] = [
    ("VMs before cleaning", "2,013,767", |it| it.base.vms_before as f64),
    ("off the grid", "27", |it| it.base.off_grid as f64),
    ("come and go in one tick", "53,467", |it| it.base.instant as f64),
    ("VMs left", "1,960,300", |it| f64::from(it.base.workload.vm_count())),
    ("VDCs before cleaning", "35,941", |it| it.base.vdcs_before as f64),
    ("VDCs left", "35,870", |it| it.sizes.len() as f64),
    ("peak size, median", "", |it| percentile(&it.sizes, 50)),
    ("peak size, p90", "32", |it| percentile(&it.sizes, 90)),
    ("peak size, largest", "1,814", |it| largest(&it.sizes)),
];

fn largest(sizes: &[u32]) -> f64 {
    sizes.last().copied().unwrap_or(0).into()
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let scale = Scale::of(given)?;
    let settings = deployments(scale);
    let bases = Bases::of(given, &settings, scale)?;
    let setting = format!(
        "The trace {}, and {}, on a grid of 5 minutes, without VMs that start and end in the same tick. Each tenant \
        is a VDC.",
        bases.trace_name,
        described(&settings),
    );
    let about = About { name: NAME, source: "Gridiron, Figure 3", setting, seeds: bases.seeds.clone() };
    let found = |base| PeakSizes { base, sizes: peak_sizes(&base.workload) };
    let (trace, generated) = (found(&bases.trace), bases.generated.iter().map(found).collect::<Vec<_>>());
    let row = |(what, paper, of): &Quantity| Row {
        what: (*what).into(),
        paper: Some(paper),
        ours: bases.measures(0, of, &trace, &generated),
    };
    let all: Vec<_> = bases.all().map(|(name, base)| (name, found(base))).collect();
    let findings = Findings {
        rows: QUANTITIES.iter().map(row).collect(),
        checks: checks(&all),
        remarks: remarks(&trace, bases.has_deployments),
        panels: vec![panel(&trace, &generated[0])],
    };
    Figure::answer(given, about, findings)
}

fn checks(all: &[(String, PeakSizes<'_>)]) -> Vec<Check> {
    // Checks all workloads; the first that differs gives the reason.
    let of = |what, holds: &dyn Fn(&PeakSizes<'_>) -> bool, why: &dyn Fn(&PeakSizes<'_>) -> String| {
        let other = all.iter().find(|(_, found)| !holds(found));
        Check::new(what, other.map(|(name, found)| format!("{}, {name}", why(found))))
    };
    let (p50, p90) = (|it: &PeakSizes<'_>| percentile(&it.sizes, 50), |it: &PeakSizes<'_>| percentile(&it.sizes, 90));
    vec![
        of(
            "the largest VDC has more than ten times the VMs of all but a tenth",
            &|it| largest(&it.sizes) > 10.0 * p90(it),
            &|it| format!("{} against {}", largest(&it.sizes), p90(it)),
        ),
        of(
            "a tenth of the VDCs have 30 concurrent VMs or more, so a cap of 30 affects about that many",
            &|it| p90(it) >= 30.0,
            &|it| format!("a tenth have {} or more, because most tenants have one or few VMs", p90(it)),
        ),
        of("half of the VDCs are small: 10 VMs or fewer", &|it| p50(it) <= 10.0, &|it| format!("{}", p50(it))),
        of(
            "at most 5 % of the VMs start and end in the same tick",
            &|it| it.base.instant as f64 <= 0.05 * it.base.vms_before as f64,
            &|it| format!("{:.1} %, because this trace includes lifetimes of minutes", instant_pct(it)),
        ),
        of("cleaning leaves 99 % of the VDCs", &|it| left_pct(it) >= 99.0, &|it| {
            format!("{:.1} %, because most others are single VMs that run for minutes", left_pct(it))
        }),
    ]
}

fn instant_pct(found: &PeakSizes<'_>) -> f64 {
    100.0 * found.base.instant as f64 / found.base.vms_before as f64
}

fn left_pct(found: &PeakSizes<'_>) -> f64 {
    100.0 * found.sizes.len() as f64 / found.base.vdcs_before as f64
}

fn remarks(trace: &PeakSizes<'_>, has_deployments: bool) -> Vec<String> {
    let mut remarks = vec!["the paper calls 53,467 of 2,013,767 less than 2 %; it is 2.7 %".to_owned()];
    if !has_deployments {
        remarks.push(
            "the paper's VDCs are deployments, groups of VMs that a customer manages together; here the trace's \
            tenants represent them"
                .into(),
        );
    }
    if 2 * trace.base.off_grid > trace.base.vms_before {
        remarks.push(
            "this trace has times finer than 5 minutes, so most VMs are off the grid; all but 27 of the paper's are \
            on it"
                .into(),
        );
    }
    remarks
}

fn panel(trace: &PeakSizes<'_>, generated: &PeakSizes<'_>) -> Panel {
    let line = |name, role, found: &PeakSizes<'_>| Series::new(name, role, Style::Steps, distribution(&found.sizes));
    Panel::Plot(Plot {
        title: "VDCs with at most so many VMs at a time".into(),
        unit: "%".into(),
        across: "VMs".into(),
        across_is_log: true,
        up_is_log: false,
        series: vec![line("trace", Role::Live, trace), line("generated", Role::Variant(0), generated)],
    })
}
