//! Gridiron Figure 8: the number of concurrent VMs of VDCs once they are capped at 30 by rolling overflow. (Gridiron
//! sections III-B and IV)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_sim::vdc::peak_sizes;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Row, Scale};
use super::vdcs::{Base, Bases, CAP, deployments, described, distribution, percentile};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "gridiron-fig8";

/// The peak sizes of VDCs before and after, ascending, and how those below the cap change.
struct CappedSizes {
    before: Vec<u32>,
    after: Vec<u32>,
    /// VDCs that never had as many VMs as the cap.
    small: usize,
}

type Quantity = (&'static str, &'static str, usize, fn(&CappedSizes) -> f64);

static QUANTITIES: [Quantity; 6] = [
    ("VDCs before", "35,870", 0, |it| it.before.len() as f64),
    ("VDCs capped at 30", "73,872", 0, |it| it.after.len() as f64),
    ("times as many", "2.06", 2, growth),
    ("peak size, median", "", 0, |it| percentile(&it.after, 50)),
    ("peak size, largest", "30", 0, |it| it.after.last().copied().unwrap_or(0).into()),
    ("VDCs that reach 30, %", "", 1, full_pct),
];

fn growth(found: &CappedSizes) -> f64 {
    found.after.len() as f64 / found.before.len() as f64
}

fn full_pct(found: &CappedSizes) -> f64 {
    100.0 * found.after.iter().filter(|size| **size >= CAP).count() as f64 / found.after.len() as f64
}

impl CappedSizes {
    fn of(base: &Base) -> Self {
        Self {
            before: peak_sizes(&base.workload),
            after: peak_sizes(&base.capped()),
            small: peak_sizes(&base.workload).iter().filter(|peak| **peak < CAP).count(),
        }
    }

    /// The number of VDCs that had as many VMs as the cap, and what became of them.
    fn split(&self) -> (usize, usize) {
        (self.before.len() - self.small, self.after.len() - self.small)
    }

    /// The mean number of VDCs that one of them becomes; NaN without any.
    fn parts_each(&self) -> f64 {
        let (split, parts) = self.split();
        parts as f64 / split as f64
    }
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let scale = Scale::of(given)?;
    let settings = deployments(scale);
    let bases = Bases::of(given, &settings, scale)?;
    let setting = format!(
        "The VDCs of gridiron-fig3, for the trace {} and for {}. Once a VDC has had {CAP} concurrent VMs, later VMs \
        form another VDC.",
        bases.trace_name,
        described(&settings),
    );
    let about = About { name: NAME, source: "Gridiron, Figure 8", setting, seeds: bases.seeds.clone() };
    let (trace, generated) =
        (CappedSizes::of(&bases.trace), bases.generated.iter().map(CappedSizes::of).collect::<Vec<_>>());
    let row = |(what, paper, decimals, of): &Quantity| Row {
        what: (*what).into(),
        paper: Some(paper),
        ours: bases.measures(*decimals, of, &trace, &generated),
    };
    let all: Vec<_> = bases.all().map(|(name, _)| name).zip(std::iter::once(&trace).chain(&generated)).collect();
    let findings = Findings {
        rows: QUANTITIES.iter().map(row).collect(),
        checks: checks(&all),
        remarks: remarks(&trace),
        panels: vec![panel(&trace, &generated[0])],
    };
    Figure::answer(given, about, findings)
}

fn checks(all: &[(String, &CappedSizes)]) -> Vec<Check> {
    let of = |what, holds: fn(&CappedSizes) -> bool, why: fn(&CappedSizes) -> String| {
        let other = all.iter().find(|(_, found)| !holds(found));
        Check::new(what, other.map(|(name, found)| format!("{}, {name}", why(found))))
    };
    vec![
        of(
            "a VDC of 30 VMs or more becomes about eleven, as the paper's numbers imply: 5 to 20",
            |it| (5.0..=20.0).contains(&it.parts_each()),
            |it| format!("{:.1}", it.parts_each()),
        ),
        of(
            "about twice as many VDCs: 1.5 to 2.5 times",
            |it| (1.5..=2.5).contains(&growth(it)),
            |it| format!("{:.2} times as many, because fewer VDCs are large", growth(it)),
        ),
    ]
}

fn remarks(trace: &CappedSizes) -> Vec<String> {
    let (split, parts) = trace.split();
    vec![
        format!(
            "in the trace, {split} VDCs of 30 VMs or more became {parts}; the growth in VDCs depends on how many \
            are that large and on how many VMs they have in total, including VMs that run one after another"
        ),
        "a VDC that was full once accepts no further VM even after it has shrunk, so parts of a large VDC may be \
        small"
            .into(),
    ]
}

fn panel(trace: &CappedSizes, generated: &CappedSizes) -> Panel {
    let line = |name, role, sizes: &[u32]| Series::new(name, role, Style::Steps, distribution(sizes));
    Panel::Plot(Plot {
        title: "VDCs by their peak number of VMs, capped at 30".into(),
        unit: "%".into(),
        across: "VMs".into(),
        across_is_log: true,
        up_is_log: false,
        series: vec![
            line("trace", Role::Live, &trace.after),
            line("generated", Role::Variant(0), &generated.after),
            line("trace, not capped", Role::Ghost, &trace.before),
        ],
    })
}
