//! Amdahl's number per class of hardware: the bits per second that a machine can send for every instruction per second
//! of its cores, next to what applications need. (Gridiron sections I and IV, row V6)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_scenario::Variant;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, without_trace};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::scenario::{preset, set_fields};

const NAME: &str = "gridiron-amdahl";

/// The option for the clock of the cores, which no inventory states.
pub(crate) const GHZ: Opt =
    Opt { name: "ghz", value: Some("GHZ"), help: "gridiron-amdahl: the clock of the machines' cores; 2.4" };

/// The first VM of EC2, which the paper calls balanced in memory but not in terms of I/O: GHz and Mbit/s of one core.
const EC2: (f64, f64) = (1.7, 250.0);

/// The optimal numbers of kinds of applications: from and to. (Section I, by Liang et al.)
const MPI: [f64; 2] = [0.02, 0.21];
const HADOOP: [f64; 2] = [0.02, 0.85];

/// Bandwidths per core in Mbit/s: that of the paper's example, and the most that its datacenter can carry. (Section IV)
const BPC_MBPS: [f64; 2] = [1.0, 11.0];

/// Other VMs of a VDC of the largest size, each linked to a VM.
const PEERS: f64 = 29.0;

/// Bits per instruction, if a core executes one instruction per cycle.
fn number(mbps: f64, cores: f64, ghz: f64) -> f64 {
    mbps / (1_000.0 * cores * ghz)
}

/// Machines of one size.
struct Hardware {
    name: String,
    cores: f64,
    gbps: f64,
    number: f64,
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let ghz = given.decimal(GHZ.name, 0.1..=100.0)?.unwrap_or(2.4);
    let mut variant = preset("azure-zone")?.active_variant().clone();
    set_fields(&mut variant, given)?;
    let classes = classes(&variant, ghz);
    let setting = format!(
        "The classes of hardware of the preset azure-zone, whose cores run at {ghz} GHz and execute one instruction per \
        cycle. The number is that of bits per second on all uplinks for each instruction per second; a balanced system \
        has 1."
    );
    let asked = BPC_MBPS.map(|bpc| number(PEERS * bpc, 1.0, ghz));
    let findings = Findings {
        rows: rows(&classes, asked),
        checks: checks(&classes, asked),
        remarks: remarks(ghz),
        panels: panels(&classes),
    };
    let about = About { name: NAME, source: "Gridiron, section I and row V6", setting, seeds: vec![1] };
    Figure::answer(given, about, findings)
}

/// One class per number of cores, from the smallest.
fn classes(variant: &Variant, ghz: f64) -> Vec<Hardware> {
    let gbps = variant.network.to_uplinks().machine_kbps as f64 / 1e6;
    let mut sizes: Vec<f64> = variant.clusters.iter().map(|row| row.settings.cores).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let of = |cores: f64| Hardware {
        name: format!("machines of {cores} cores"),
        cores,
        gbps,
        number: number(1_000.0 * gbps, cores, ghz),
    };
    sizes.into_iter().map(of).collect()
}

fn rows(classes: &[Hardware], asked: [f64; 2]) -> Vec<Row> {
    let row = |what: String, paper, cores: f64, gbps: f64, number: f64| {
        let measure = |what, decimals, value| Measure::of(what, decimals, std::iter::once(value));
        let ours = vec![measure("Amdahl's number", 3, number), measure("cores", 0, cores), measure("Gbit/s", 2, gbps)];
        Row { what, paper, ours }
    };
    let (ghz, mbps) = EC2;
    let ec2 = row("EC2's first VM".into(), Some("1.7 GHz, 250 Mbit/s"), 1.0, mbps / 1e3, number(mbps, 1.0, ghz));
    let hardware = classes.iter().map(|it| row(it.name.clone(), None, it.cores, it.gbps, it.number));
    let demand = BPC_MBPS.iter().zip(asked).map(|(bpc, number)| {
        row(format!("a core of a VDC of 30, {bpc} Mbit/s per core"), None, 1.0, PEERS * bpc / 1e3, number)
    });
    std::iter::once(ec2).chain(hardware).chain(demand).collect()
}

fn checks(classes: &[Hardware], [least, most]: [f64; 2]) -> Vec<Check> {
    let below = |bound: f64| classes.iter().find(|it| it.number < bound);
    let enough = |what, bound: f64| {
        Check::new(what, below(bound).map(|it| format!("{} have {:.2}, of {bound}", it.name, it.number)))
    };
    let within = |[from, to]: [f64; 2], number: f64| (from..=to).contains(&number);
    vec![
        enough("every class of hardware has what MPI-like applications need: 0.21", MPI[1]),
        enough("and what Hadoop-like ones need: 0.85", HADOOP[1]),
        Check::so(
            "at the most that the paper's datacenter can carry, VDCs ask for what MPI-like applications do: 0.02 to 0.21",
            within(MPI, most),
            || format!("{most:.3}"),
        ),
        Check::so("and in its example of 1 Mbit/s per core as well", within(MPI, least), || format!("{least:.3}")),
    ]
}

fn remarks(ghz: f64) -> Vec<String> {
    vec![
        format!(
            "neither the paper nor the inventory states clocks: {ghz} GHz is our assumption (--ghz), and the uplinks are \
            those of the settings (--set network.uplink_gbps)"
        ),
        "our copy of the paper lacks the formula with EC2's number; it follows from its clock and bandwidth".into(),
    ]
}

fn panels(classes: &[Hardware]) -> Vec<Panel> {
    let line = |name: &str, role, number: &dyn Fn(&Hardware) -> f64| {
        let points = classes.iter().map(|it| (it.cores, number(it))).collect();
        Series::new(name, role, Style::Line, points)
    };
    vec![Panel::Plot(Plot {
        title: "Amdahl's number by size of machine".into(),
        unit: "bits per instruction".into(),
        across: "cores of a machine".into(),
        across_is_log: false,
        up_is_log: false,
        series: vec![
            line("all uplinks", Role::Live, &|it| it.number),
            line("MPI-like, most", Role::Variant(0), &|_| MPI[1]),
            line("Hadoop-like, most", Role::Variant(1), &|_| HADOOP[1]),
        ],
    })]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balanced_core_has_a_bit_for_every_instruction() {
        assert_eq!(number(2_000.0, 1.0, 2.0), 1.0);
        assert!((number(EC2.1, 1.0, EC2.0) - 0.147).abs() < 1e-3);
        assert_eq!(number(40_000.0, 40.0, 2.0), 0.5);
    }
}
