//! Gridiron's case study, and Figures 5 to 7: which VMs are placed and which fail, in scenarios of a few VMs that the
//! simulator runs as drawn. (Gridiron sections III-D, III-E and IV)

use std::sync::Arc;

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::random::Seed;
use tiebreak_model::{
    Bottleneck, Bounds, ClusterSpec, Cut, MachineId, Millis, Resources, Time, Topology, Uplinks, VmId, VmRow, VmShape,
    WorkloadBuilder,
};
use tiebreak_placement::RuleUse;
use tiebreak_sim::vdc::{Linking, Vdcs};
use tiebreak_sim::{Agents, Plan, World};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, without_trace};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "gridiron-case";

/// The largest uplink bandwidth of a machine in the paper's datacenter, in Mbit/s.
const UPLINK_MBPS: u32 = 40_000;

/// The bandwidth of a link in its examples with 10 and with 6 VMs, in Mbit/s.
const LINK_MBPS: u32 = 4_400;

/// Any number of VMs of a VDC may share a machine.
const ANY: u32 = u32::MAX;

/// A bound from the paper.
struct Bounded {
    what: &'static str,
    paper: &'static str,
    value: f64,
    ours: fn() -> f64,
}

static BOUNDED: [Bounded; 5] = [
    Bounded { what: "B, P = 30, any D, Mbit/s", paper: "177", value: 177.0, ours: || mbps(30, ANY) },
    Bounded { what: "bpc, 16 cores, Mbit/s", paper: "11", value: 11.0, ours: || bpc_mbps(30, 16) },
    Bounded { what: "B, P = 10, D = 1, Mbit/s", paper: "4,400", value: 4_400.0, ours: || mbps(10, 1) },
    Bounded { what: "B, P = 6, any D, Mbit/s", paper: "4,400", value: 4_400.0, ours: || mbps(6, ANY) },
    Bounded {
        what: "links on one uplink, P = 6",
        paper: "9",
        value: 9.0,
        ours: || bounds(6, ANY).links_crossing as f64,
    },
];

fn bounds(vms: u32, colocated: u32) -> Bounds {
    Bounds::of(UPLINK_MBPS.into(), vms, colocated).expect("the paper's VDCs have links")
}

fn mbps(vms: u32, colocated: u32) -> f64 {
    bounds(vms, colocated).bandwidth_mbps as f64
}

fn bpc_mbps(vms: u32, cores: u32) -> f64 {
    bounds(vms, ANY).bpc_mbps(cores * 1_000) as f64
}

/// A drawing from the paper.
struct Drawing {
    name: &'static str,
    topology: Topology,
    /// The cores of the servers, in order; a server with 0 cores has no room for a VM.
    servers: &'static [u32],
    /// The bandwidth of each server's uplinks, in Mbit/s.
    uplink_mbps: u32,
    /// The bandwidth per core of a link, in Mbit/s.
    bpc_mbps: u32,
    /// The number of the first VM: some figures count from 0, some from 1.
    first: usize,
    /// Cores of the VMs in order of arrival, one per tick.
    vms: &'static [u32],
    /// The maximum number of VMs of the VDC on one server.
    colocated: Option<u32>,
    /// The VMs' servers in the paper; `None` if they fail.
    drawn: &'static [Option<u32>],
    /// The reason why the others fail.
    cause: Option<Bottleneck>,
    /// The paper's result in words.
    paper: &'static str,
}

static DRAWINGS: [Drawing; 7] = [
    Drawing {
        name: "Figure 5",
        topology: Topology::Star,
        // Room for v1 on S1, and for v5 on S2 and S3; v3 and v4 are too large for S2.
        servers: &[1, 2, 5],
        uplink_mbps: 3,
        bpc_mbps: 1,
        first: 1,
        vms: &[1, 1, 2, 2, 1],
        colocated: None,
        drawn: &[Some(0), Some(1), Some(2), Some(2), None],
        cause: Some(Bottleneck::Peering),
        paper: "v5 fails, overpeering",
    },
    Drawing {
        name: "Figure 6 (a)",
        topology: Topology::AllToAll,
        servers: &[1; 4],
        uplink_mbps: 3,
        bpc_mbps: 1,
        first: 1,
        vms: &[1; 4],
        colocated: None,
        drawn: &[Some(0), Some(1), Some(2), Some(3)],
        cause: None,
        paper: "all four are placed",
    },
    Drawing {
        name: "Figure 6 (b)",
        servers: &[2, 0, 0, 2],
        drawn: &[Some(0), Some(0), Some(3), None],
        cause: Some(Bottleneck::Colocation),
        paper: "v4 fails, colocation",
        topology: Topology::AllToAll,
        uplink_mbps: 3,
        bpc_mbps: 1,
        first: 1,
        vms: &[1; 4],
        colocated: None,
    },
    Drawing {
        name: "Figure 7 (a)",
        topology: Topology::AllToAll,
        servers: &[5; 2],
        uplink_mbps: UPLINK_MBPS,
        bpc_mbps: LINK_MBPS,
        first: 0,
        vms: &[1; 10],
        colocated: None,
        drawn: &[Some(0), Some(0), Some(0), Some(0), Some(0), Some(1), None, None, None, None],
        cause: Some(Bottleneck::Colocation),
        paper: "v6 to v9 fail, colocation",
    },
    Drawing {
        name: "Figure 7 (b)",
        topology: Topology::AllToAll,
        servers: &[2; 5],
        uplink_mbps: UPLINK_MBPS,
        bpc_mbps: LINK_MBPS,
        first: 0,
        vms: &[1; 10],
        colocated: None,
        drawn: &[Some(0), Some(0), Some(1), Some(1), Some(2), Some(2), None, None, None, None],
        cause: Some(Bottleneck::Colocation),
        paper: "v6 to v9 fail, D = 2",
    },
    Drawing {
        name: "Figure 7 (c)",
        topology: Topology::AllToAll,
        servers: &[3; 2],
        uplink_mbps: UPLINK_MBPS,
        bpc_mbps: LINK_MBPS,
        first: 0,
        vms: &[1; 6],
        colocated: None,
        drawn: &[Some(0), Some(0), Some(0), Some(1), Some(1), Some(1)],
        cause: None,
        paper: "all six are placed",
    },
    Drawing {
        name: "ten VMs, D = 1",
        topology: Topology::AllToAll,
        servers: &[2; 10],
        uplink_mbps: UPLINK_MBPS,
        bpc_mbps: LINK_MBPS,
        first: 0,
        vms: &[1; 10],
        colocated: Some(1),
        drawn: &[Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), Some(6), Some(7), Some(8), Some(9)],
        cause: None,
        paper: "the only way",
    },
];

/// The outcome of a drawing.
struct DrawingOutcome {
    stands: Vec<Option<u32>>,
    causes: Vec<Option<Bottleneck>>,
    /// Bandwidth reserved on the first server's uplinks after each VM, in Mbit/s.
    reserved_mbps: Vec<f64>,
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let found = DRAWINGS.iter().map(simulated).collect::<Result<Vec<_>, _>>()?;
    let setting = format!(
        "Bounds for uplinks of {} Gbit/s, and the servers and VMs of the figures in the simulator. A VM arrives \
        every five minutes, is placed on the first server with room for it and its links, and never exits.",
        UPLINK_MBPS / 1_000
    );
    let about = About { name: NAME, source: "Gridiron, section IV and Figures 5 to 7", setting, seeds: vec![1] };
    let findings = Findings { rows: rows(&found), checks: checks(&found), remarks: remarks(), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

const TICK: Millis = Millis(5 * Millis::MINUTE.0);

fn simulated(drawing: &Drawing) -> Result<DrawingOutcome, Failure> {
    let mut workload = WorkloadBuilder::new();
    for (name, cores) in (0..).zip(drawing.vms) {
        let shape = VmShape::plain(Resources::new(cores * 1_000, *cores, 0, 0));
        let start = Time::ZERO + Millis(TICK.0 * (name + 1));
        workload.push(VmRow { name, tenant: 1, shape, start, end: Time::NEVER });
    }
    let horizon = Time::ZERO + Millis(TICK.0 * (drawing.vms.len() as u64 + 1));
    let workload = Arc::new(workload.finish(horizon)?);
    let clusters: Vec<_> = drawing.servers.iter().map(|cores| server(*cores)).collect();
    let vdcs =
        Vdcs { topology: Linking(Some(drawing.topology)), bpc_mbps: drawing.bpc_mbps, peak_vms: 0, ..Vdcs::default() };
    // Traffic that leaves a rack uses several paths at once, so only servers' uplinks are ever full.
    let plenty_kbps = 1_000_000_000_000;
    let uplinks = Uplinks {
        machine_kbps: u64::from(drawing.uplink_mbps) * 1_000,
        rack_kbps: plenty_kbps,
        cluster_kbps: plenty_kbps,
    };
    let agents = Agents { count: 1, decision_ms: 0, publish_ms: 0, ..Agents::default() };
    let plan = Plan::new(&clusters, &rules(drawing), clusters.len() as u32, workload, agents, Seed(1))?;
    let mut world = World::new(plan.with_vdcs(&vdcs, &vec![uplinks; clusters.len()])?);
    let mut reserved_mbps = vec![0.0; drawing.vms.len() + 1];
    while !world.advance(1).done {
        let network = world.occupancy().network().expect("its VMs are linked");
        let came = world.progress().time.0 / TICK.0 as i64;
        let from = (came as usize).min(drawing.vms.len());
        reserved_mbps[from..].fill(network.used_kbps(Cut::Machine(MachineId(0))) as f64 / 1_000.0);
    }
    let vms = || (0..drawing.vms.len() as u32).map(VmId);
    Ok(DrawingOutcome {
        stands: vms().map(|vm| world.placement(vm).map(|(machine, _)| machine.0)).collect(),
        causes: vms().map(|vm| world.blocked(vm).map(|blocked| blocked.by)).collect(),
        reserved_mbps,
    })
}

/// Each server is its own cluster, because machines of one cluster have the same size. A server without room has less
/// memory than any VM requests.
fn server(cores: u32) -> ClusterSpec {
    let capacity = if cores == 0 { Resources::new(1, 0, 0, 0) } else { Resources::new(cores * 1_000, cores, 0, 0) };
    ClusterSpec { name: "server".into(), machines: 1, racks: 1, capacity, unready: 0, datacenter: 0, chassis: 1 }
}

fn rules(drawing: &Drawing) -> Vec<RuleUse> {
    let mut rules = vec![RuleUse::plain("BandwidthAvailable", None), RuleUse::plain("FirstFit", None)];
    let cap = |vms: u32| RuleUse { values: vec![vms.into()], ..RuleUse::plain("CapsColocation", None) };
    rules.extend(drawing.colocated.map(cap));
    rules
}

impl DrawingOutcome {
    fn placed(&self) -> usize {
        self.stands.iter().flatten().count()
    }

    /// `v6 v7 fail by co-location`.
    fn words(&self, drawing: &Drawing) -> String {
        let failed = self.stands.iter().enumerate().filter(|(_, server)| server.is_none());
        let failed: Vec<_> = failed.map(|(at, _)| format!("v{}", at + drawing.first)).collect();
        let mut causes: Vec<_> = self.causes.iter().flatten().map(|by| by.title()).collect();
        causes.dedup();
        match (failed.as_slice(), causes.is_empty()) {
            ([], _) => "all are placed".into(),
            ([one], _) => format!("{one} fails by {}", causes.join(", ")),
            (all, false) => format!("{} fail by {}", all.join(" "), causes.join(", ")),
            (all, true) => format!("{} fail for lack of room", all.join(" ")),
        }
    }
}

fn rows(found: &[DrawingOutcome]) -> Vec<Row> {
    let one = |value: f64| vec![Measure::of("ours", 0, std::iter::once(value))];
    let bounded = BOUNDED.iter().map(|it| Row { what: it.what.into(), paper: Some(it.paper), ours: one((it.ours)()) });
    let drawn = DRAWINGS.iter().zip(found).map(|(drawing, outcome)| Row {
        what: format!("{}, VMs placed: {}", drawing.name, outcome.words(drawing)),
        paper: Some(drawing.paper),
        ours: one(outcome.placed() as f64),
    });
    bounded.chain(drawn).collect()
}

fn checks(found: &[DrawingOutcome]) -> Vec<Check> {
    let of = |name: &str| {
        let at = DRAWINGS.iter().position(|drawing| drawing.name == name).expect("it is listed");
        (&DRAWINGS[at], &found[at])
    };
    let bounded = BOUNDED.iter().find(|it| is_other((it.ours)(), it.value));
    let mut checks = vec![Check::new(
        "the bounds are the paper's, which writes 4.44 Gbit/s as 4.4",
        bounded.map(|it| format!("{}: {} in place of {}", it.what, (it.ours)(), it.value)),
    )];
    for (what, name) in [
        ("Figure 5: the four VMs are placed as drawn, and the fifth fails because v1's uplink is full", "Figure 5"),
        ("Figure 6 (a): on four servers all are placed", "Figure 6 (a)"),
        (
            "Figure 6 (b): two VMs on each of two servers fail by co-location, although the total demand is smaller",
            "Figure 6 (b)",
        ),
        ("Figure 7 (a): after five VMs on one server only one more is placed", "Figure 7 (a)"),
        ("Figure 7 (b): two on each server fail as well", "Figure 7 (b)"),
        ("Figure 7 (c): six VMs may stand in any way", "Figure 7 (c)"),
        ("with one VM on each server ten are placed", "ten VMs, D = 1"),
    ] {
        let (drawing, outcome) = of(name);
        checks.push(Check::new(what, differs(drawing, outcome)));
    }
    checks
}

/// The paper truncates bounds to two digits.
fn is_other(ours: f64, paper: f64) -> bool {
    (ours - paper).abs() > 0.011 * paper
}

/// The difference from the drawing, if any.
fn differs(drawing: &Drawing, outcome: &DrawingOutcome) -> Option<String> {
    let pairs = drawing.drawn.iter().zip(&outcome.stands).zip(&outcome.causes).enumerate();
    let told = |(at, ((drawn, server), cause)): (usize, _)| {
        let (drawn, server, cause): (&Option<u32>, &Option<u32>, &Option<Bottleneck>) = (drawn, server, cause);
        let expected = if drawn.is_some() { None } else { drawing.cause };
        let words = |server: &Option<u32>| server.map_or("nowhere".into(), |at| format!("on server {at}"));
        (drawn != server || *cause != expected).then(|| {
            let by = cause.map_or_else(String::new, |by| format!(" by {}", by.title()));
            format!("v{} is {}{by}, drawn {}", at + drawing.first, words(server), words(drawn))
        })
    };
    pairs.filter_map(told).next()
}

fn remarks() -> Vec<String> {
    vec![
        "here a failed VM reserves nothing; in Figure 7 the paper counts those links of v6 that still fit, so 9 \
        links cross server 0's uplink in the paper, and 5 and 8 in ours"
            .into(),
        "the simulator reports the cause for each VM: co-location if the full server could carry the links of each \
        of its VMs alone, peering if the links of a single VM exceed the uplink"
            .into(),
    ]
}

fn panels(found: &[DrawingOutcome]) -> Vec<Panel> {
    const CAPS: [(&str, u32, Role); 3] =
        [("any D", ANY, Role::Live), ("D = 2", 2, Role::Variant(0)), ("D = 1", 1, Role::Ghost)];
    let sizes: Vec<u32> = (2..=60).collect();
    let bound = |cap: u32| sizes.iter().map(|vms| (f64::from(*vms), mbps(*vms, cap))).collect();
    let bounded = Plot {
        title: "Bandwidth that every link may have, uplinks of 40 Gbit/s".into(),
        unit: "Mbit/s".into(),
        across: "VMs of a VDC".into(),
        across_is_log: true,
        up_is_log: true,
        series: CAPS.iter().map(|(name, cap, role)| Series::new(*name, *role, Style::Line, bound(*cap))).collect(),
    };
    const ROLES: [Role; 3] = [Role::Live, Role::Variant(0), Role::Ghost];
    let figures = DRAWINGS.iter().zip(found).filter(|(drawing, _)| drawing.name.starts_with("Figure 7"));
    let points = |outcome: &DrawingOutcome| {
        (0..).zip(&outcome.reserved_mbps).map(|(at, mbps)| (f64::from(at), mbps / 1_000.0)).collect()
    };
    let reserved = Plot {
        title: "Reserved of server 0's uplink".into(),
        unit: "Gbit/s".into(),
        across: "VMs that have come".into(),
        across_is_log: false,
        up_is_log: false,
        series: figures
            .zip(ROLES)
            .map(|((drawing, outcome), role)| Series::new(drawing.name, role, Style::Steps, points(outcome)))
            .collect(),
    };
    vec![Panel::Plot(bounded), Panel::Plot(reserved)]
}
