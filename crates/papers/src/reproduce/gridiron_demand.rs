//! The demand of links over time, next to that of cores: the paper's case study at 1 Mbit/s per core. (Gridiron
//! sections II, III-A, III-C and IV)

use tiebreak_chart::{Panel, Role, Series, Style, TimeChart};
use tiebreak_model::{Links, Millis, Topology, Workload};
use tiebreak_sim::GeneratedWorkload;
use tiebreak_sim::vdc::{Footing, demand};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Row, Scale};
use super::vdcs::{Bases, CAP, described};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "gridiron-demand";

/// The paper's tick.
const TICK: Millis = Millis(5 * Millis::MINUTE.0);

/// VMs in one stage of a pipeline.
const STAGE_VMS: u32 = 4;

const TOPOLOGIES: [(Topology, &str); 4] = [
    (Topology::AllToAll, "all to all"),
    (Topology::Pipeline, "pipeline in stages of 4"),
    (Topology::Star, "star"),
    (Topology::Chain, "chain"),
];

/// Demand at every tick of the examined period.
struct Demands {
    /// All to all, at 1 Mbit/s per core.
    ticks: Vec<Footing>,
    /// The mean per topology, in Gbit/s.
    by_topology: [f64; TOPOLOGIES.len()],
}

impl Demands {
    /// Demand of VDCs capped at 30, without this initial share of the trace.
    fn of(workload: &Workload, left_out: f64) -> Self {
        let ticks = |topology| {
            let mut ticks = demand(workload, &Links { topology, stage_vms: STAGE_VMS, bpc_mbps: 1 }, TICK);
            ticks.drain(..(ticks.len() as f64 * left_out) as usize);
            ticks
        };
        let mean = |(topology, _)| {
            let ticks = ticks(topology);
            ticks.iter().map(links_gbps).sum::<f64>() / ticks.len() as f64
        };
        Self { ticks: ticks(Topology::AllToAll), by_topology: TOPOLOGIES.map(mean) }
    }

    fn least(&self, of: fn(&Footing) -> f64) -> f64 {
        self.ticks.iter().map(of).fold(f64::INFINITY, f64::min)
    }

    fn most(&self, of: fn(&Footing) -> f64) -> f64 {
        self.ticks.iter().map(of).fold(0.0, f64::max)
    }

    /// The range from minimum to maximum, in percent of the maximum.
    fn variation_pct(&self, of: fn(&Footing) -> f64) -> f64 {
        100.0 * (1.0 - self.least(of) / self.most(of))
    }

    /// The mean number of Mbit/s per core: the total bandwidth of a core's links.
    fn mbps_a_core(&self) -> f64 {
        let sum = |of: fn(&Footing) -> f64| self.ticks.iter().map(of).sum::<f64>();
        1_000.0 * sum(links_gbps) / sum(cores)
    }
}

fn links_gbps(now: &Footing) -> f64 {
    now.links_kbps as f64 / 1e6
}

fn cores(now: &Footing) -> f64 {
    now.cores_milli as f64 / 1e3
}

/// Generated VMs run for at most two days, so that after two days departures balance arrivals.
fn made_up(scale: Scale) -> GeneratedWorkload {
    GeneratedWorkload {
        days: scale.pick(3.0, 6.0),
        requests_per_hour: scale.pick(60.0, 1_000.0),
        longest_life: 2.0,
        scale_outs: 50.0,
        deleted_whole: 50.0,
        spikes_per_day: 0.0,
        ..GeneratedWorkload::default()
    }
}

type Quantity = (&'static str, &'static str, usize, fn(&Demands) -> f64);

static QUANTITIES: [Quantity; 10] = [
    ("links, least, Gbit/s", "5,828", 1, |it| it.least(links_gbps)),
    ("links, most, Gbit/s", "6,581", 1, |it| it.most(links_gbps)),
    ("links, from least to most, %", "11", 1, |it| it.variation_pct(links_gbps)),
    ("cores, least", "321,043", 0, |it| it.least(cores)),
    ("cores, most", "346,755", 0, |it| it.most(cores)),
    ("cores, from least to most, %", "7", 1, |it| it.variation_pct(cores)),
    ("links for each core, Mbit/s", "about 19", 1, Demands::mbps_a_core),
    ("pipeline, mean, % of all to all", "", 1, |it| share_pct(it, 1)),
    ("star, mean, % of all to all", "", 1, |it| share_pct(it, 2)),
    ("chain, mean, % of all to all", "", 1, |it| share_pct(it, 3)),
];

fn share_pct(found: &Demands, topology: usize) -> f64 {
    100.0 * found.by_topology[topology] / found.by_topology[0]
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let scale = Scale::of(given)?;
    let settings = made_up(scale);
    let bases = Bases::of(given, &settings, scale)?;
    let begins = 2.0 / settings.days;
    let setting = format!(
        "All links of VDCs of up to {CAP} VMs, at 1 Mbit/s per core of the smaller VM, every 5 minutes, as if all \
        VMs were placed: for the trace {}, and for {}, whose VMs live at most two days, measured from the end of \
        the second day.",
        bases.trace_name,
        described(&settings),
    );
    let about = About { name: NAME, source: "Gridiron, sections II and IV", setting, seeds: bases.seeds.clone() };
    let trace = Demands::of(&bases.trace.capped(), 0.0);
    let generated: Vec<_> = bases.generated.iter().map(|base| Demands::of(&base.capped(), begins)).collect();
    let row = |(what, paper, decimals, of): &Quantity| Row {
        what: (*what).into(),
        paper: Some(paper),
        ours: bases.measures(*decimals, of, &trace, &generated),
    };
    let all: Vec<_> = bases.all().map(|(name, _)| name).zip(std::iter::once(&trace).chain(&generated)).collect();
    let findings = Findings {
        rows: QUANTITIES.iter().map(row).collect(),
        checks: checks(&all),
        remarks: remarks(),
        panels: panels(&trace, &bases.trace_name),
    };
    Figure::answer(given, about, findings)
}

fn checks(all: &[(String, &Demands)]) -> Vec<Check> {
    let of = |what, holds: fn(&Demands) -> bool, why: fn(&Demands) -> String| {
        let other = all.iter().find(|(_, found)| !holds(found));
        Check::new(what, other.map(|(name, found)| format!("{}, {name}", why(found))))
    };
    vec![
        of(
            "link demand varies at most twice as much as cores in use",
            |it| it.variation_pct(links_gbps) <= 2.0 * it.variation_pct(cores),
            |it| format!("{:.0} % against {:.0} %", it.variation_pct(links_gbps), it.variation_pct(cores)),
        ),
        of(
            "link demand ranges over about a tenth: 5 to 20 %",
            |it| (5.0..=20.0).contains(&it.variation_pct(links_gbps)),
            |it| format!("{:.0} %", it.variation_pct(links_gbps)),
        ),
    ]
}

fn remarks() -> Vec<String> {
    vec![
        "the paper says that bandwidth is a multiple of the cores by design; it is also multiplied by each VM's \
        number of peers, so link demand varies more than cores where VDCs grow and shrink as a whole"
            .into(),
        "a few thousand concurrent VMs vary more than the paper's hundred thousand, because one VDC of 30 is a \
        larger share"
            .into(),
    ]
}

fn panels(trace: &Demands, name: &str) -> Vec<Panel> {
    let panel = |title: &str, unit: &str, of: fn(&Footing) -> f64| {
        let points: Vec<_> = trace.ticks.iter().map(|now| (now.time.0 as f64, of(now))).collect();
        Panel::Time(TimeChart {
            title: format!("{title}, {name}"),
            unit: unit.into(),
            time_range: (0.0, points.last().map_or(1.0, |last| last.0)),
            series: vec![Series::new("all VMs placed", Role::Live, Style::Steps, points)],
            y_from_zero: true,
            y_max: None,
            moments: Vec::new(),
        })
    };
    vec![panel("Links at 1 Mbit/s for each core", "Gbit/s", links_gbps), panel("Cores", "cores", cores)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::random::Seed;

    #[test]
    fn links_take_what_their_topology_and_bandwidth_make_of_the_same_vms() {
        let settings = GeneratedWorkload { days: 0.5, requests_per_hour: 30.0, ..GeneratedWorkload::default() };
        let workload = settings.generate(Seed(1));
        let of = |topology, bpc_mbps| demand(&workload, &Links { topology, stage_vms: STAGE_VMS, bpc_mbps }, TICK);
        let (all, double) = (of(Topology::AllToAll, 1), of(Topology::AllToAll, 2));
        assert!(all.iter().any(|now| now.links_kbps > 0));
        assert!(all.iter().zip(&double).all(|(one, two)| two.links_kbps == 2 * one.links_kbps));
        for topology in [Topology::Pipeline, Topology::Star, Topology::Chain] {
            assert!(of(topology, 1).iter().zip(&all).all(|(some, all)| some.links_kbps <= all.links_kbps));
        }
    }
}
