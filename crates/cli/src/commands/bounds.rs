//! `tiebreak bounds`: the largest bandwidth of VDC links with which an empty datacenter can hold every VDC (Gridiron
//! equations 1 to 3).

use serde::Serialize;
use tiebreak_model::{Bottleneck, Bounds};

use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::shown::{count, table, wrapped};

pub(crate) const UPLINK: Opt =
    Opt { name: "uplink", value: Some("GBPS"), help: "capacity of a machine's largest uplink: C in the paper; 40" };
pub(crate) const VMS: Opt =
    Opt { name: "vms", value: Some("P"), help: "maximum number of concurrent VMs of a VDC; 30" };
pub(crate) const COLOCATED: Opt = Opt {
    name: "colocated",
    value: Some("D"),
    help: "maximum number of VMs of a VDC on one machine; unlimited by \
         default",
};
pub(crate) const CORES: Opt =
    Opt { name: "cores", value: Some("N"), help: "maximum number of cores of a VM, for the bandwidth per core; 16" };

/// The maximum of the options, as for fields of documents.
const GBPS_MAX: f64 = 100_000.0;
const VMS_MAX: u64 = 1_000_000;
const CORES_MAX: u64 = 10_000;

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let terms = BoundsTerms::of(given)?;
    let bounds = Bounds::of(terms.uplink_mbps, terms.vms, terms.colocated.unwrap_or(u32::MAX));
    let report = BoundsReport::of(terms, bounds.expect("two VMs have a link"));
    Ok(Answer::either(given, &report, || report.text()))
}

/// The question.
struct BoundsTerms {
    uplink_mbps: u64,
    vms: u32,
    /// `None` if any number may share a machine.
    colocated: Option<u32>,
    cores: u32,
}

impl BoundsTerms {
    fn of(given: &Given) -> Result<Self, Failure> {
        let uplink_mbps = uplink_mbps(given.one("uplink").unwrap_or("40"))?;
        let vms = given.number("vms")?.unwrap_or(30);
        if vms < 2 {
            return Err(Failure(format!(
                "expected at least 2 VMs after --vms, got {vms}: a smaller VDC has no links; set the maximum number \
                 of concurrent VMs of a VDC"
            )));
        }
        let vms = within(vms, "--vms", "VMs", VMS_MAX)?;
        let of = |name, option, unit, max| {
            let number = given.number(name)?;
            number.map(|number| within(number, option, unit, max)).transpose()
        };
        let colocated = of("colocated", "--colocated", "VMs", VMS_MAX)?;
        let cores = of("cores", "--cores", "cores", CORES_MAX)?.unwrap_or(16);
        Ok(Self { uplink_mbps, vms, colocated, cores })
    }
}

fn uplink_mbps(gbps: &str) -> Result<u64, Failure> {
    let number = gbps.parse::<f64>().ok().filter(|number| (0.001..=GBPS_MAX).contains(number));
    let wrong = || {
        Failure(format!(
            "expected 0.001 to 100000 Gbit/s after --uplink, got \"{gbps}\"; set the total capacity of a machine's \
             uplinks, for instance 40"
        ))
    };
    // Thousandths are whole: 2.3 Gbit/s are 2,300 Mbit/s.
    number.map(|number| (number * 1_000.0).round() as u64).ok_or_else(wrong)
}

fn within(number: u64, option: &str, unit: &str, max: u64) -> Result<u32, Failure> {
    let wrong =
        || Failure(format!("expected 1 to {max} {unit} after {option}, got {number}; choose a number in this range"));
    (1..=max).contains(&number).then_some(number as u32).ok_or_else(wrong)
}

/// The three bounds and the result.
#[derive(Serialize)]
struct BoundsReport {
    uplink_mbps: u64,
    vms: u32,
    colocated: Option<u32>,
    cores: u32,
    link_mbps: u64,
    peering_mbps: u64,
    colocation_mbps: u64,
    bandwidth_mbps: u64,
    binding: &'static str,
    links_crossing: u64,
    bpc_mbps: u64,
    /// Notes on caps on co-location that have less effect than expected.
    notes: Vec<String>,
}

impl BoundsReport {
    fn of(terms: BoundsTerms, bounds: Bounds) -> Self {
        let Bounds { link_mbps, peering_mbps, colocation_mbps, bandwidth_mbps, binding, links_crossing } = bounds;
        let (notes, bpc_mbps) = (notes(&terms), bounds.bpc_mbps(terms.cores * 1_000));
        let (binding, BoundsTerms { uplink_mbps, vms, colocated, cores }) = (binding.title(), terms);
        Self {
            uplink_mbps,
            vms,
            colocated,
            cores,
            link_mbps,
            peering_mbps,
            colocation_mbps,
            bandwidth_mbps,
            binding,
            links_crossing,
            bpc_mbps,
            notes,
        }
    }

    fn text(&self) -> String {
        let Self { uplink_mbps, vms, colocated, cores, bandwidth_mbps, links_crossing, bpc_mbps, .. } = self;
        let together = match colocated {
            Some(1) => "1 of a VDC on a machine".into(),
            Some(most) => format!("{} of a VDC on a machine", count((*most).min(*vms).into())),
            None => "any number of a VDC on a machine".into(),
        };
        let head = format!(
            "VDCs of up to {} VMs, all linked to each other, {together}, {} Gbit/s on the uplinks of a machine:",
            count((*vms).into()),
            *uplink_mbps as f64 / 1_000.0,
        );
        let crossing = match links_crossing {
            1 => "At worst, 1 link crosses one uplink.".into(),
            links => format!("At worst, {} links cross one uplink.", count(*links)),
        };
        let bpc = match bpc_mbps {
            0 => format!("With VMs of {cores} cores, not even 1 Mbit/s per core is possible."),
            bpc => format!("With VMs of up to {cores} cores, a link may have {} Mbit/s per core.", count(*bpc)),
        };
        let notes: String = self.notes.iter().map(|note| wrapped(note, "")).collect();
        let sum = format!("A link may have {} Mbit/s. {crossing} {bpc}", count(*bandwidth_mbps));
        format!("{}\n{}\n{}{notes}", wrapped(&head, ""), self.table(), wrapped(&sum, ""))
    }

    fn table(&self) -> String {
        let bounds = [
            ("one link on an uplink", self.link_mbps, Bottleneck::Link),
            ("all links of one VM", self.peering_mbps, Bottleneck::Peering),
            ("all links of VMs on one machine", self.colocation_mbps, Bottleneck::Colocation),
        ];
        let mut rows = vec![["Bound", "per link, Mbit/s", "prevents failures by", ""].map(String::from).to_vec()];
        rows.extend(bounds.map(|(what, mbps, by)| {
            let binds = if by.title() == self.binding { "limiting" } else { "" };
            vec![what.into(), count(mbps), by.title().into(), binds.into()]
        }));
        table(&rows)
    }
}

fn notes(terms: &BoundsTerms) -> Vec<String> {
    let BoundsTerms { vms, colocated: Some(most), .. } = *terms else { return Vec::new() };
    let too_many = format!("A machine cannot host {most} of {vms} VMs: the limit counts as {vms}.");
    let half = vms / 2;
    let too_loose = format!(
        "A limit of {} has no effect: with {half} VMs on one machine, half of the VDC, the most links leave it.",
        most.min(vms)
    );
    let notes = [(most > vms, too_many), (most >= half, too_loose)];
    notes.into_iter().filter(|(says, _)| *says).map(|(_, note)| note).collect()
}
