//! `tiebreak trace`: inspects and profiles a trace, converts it to CSV with named columns, Parquet or the compact
//! format, and finds user-facing VMs in a file of CPU readings.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use tiebreak_admission::Deaths;
use tiebreak_model::table::Table;
use tiebreak_model::{Resource, Workload};
use tiebreak_tables::Kind;
use tiebreak_tables::parquet;
use tiebreak_trace::compact::{self, Origin};
use tiebreak_trace::{Fault, Parsed, Summary, TraceParser, csv_of};

use tiebreak_console::answer::{Answer, Failure, note};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::shown::{count, table};
use tiebreak_console::trace::read_given;
use tiebreak_console::whole;

mod criticality;
mod fit;
pub(crate) mod model;
mod page;
mod profile;
mod warm_up;

pub(crate) const OUT: Opt = Opt {
    name: "out",
    value: Some("FILE"),
    help: "output of `convert`, `model`, `generate` and `warm-up`; a name ending in .parquet writes Parquet; by default standard \
         output",
};

pub(crate) const COMPACT: Opt = Opt {
    name: "compact",
    value: None,
    help: "write the compact column format, without loss, in a sixth of the size of the CSV",
};

pub(crate) const CORES_END: Opt = Opt {
    name: "cores-end",
    value: None,
    help: "let `fit` assume that each core ends by itself, as the paper does; by default all VMs of a request end \
         together",
};

pub(crate) const FIRST_DAY: Opt = Opt {
    name: "first-day",
    value: Some("DAY"),
    help: "the weekday of time 0 for `criticality`, monday to sunday; then weekends are skipped",
};

/// The operations on a trace.
const WHAT: &str = "inspect, profile, convert, model, generate, compare, fit, criticality or warm-up";

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let what = given.word(0, WHAT)?;
    let file = |what| given.word(1, &format!("the file to {what}"));
    match what {
        "inspect" => {
            let inspected = Inspected::of(&read_given(file(what)?, given)?);
            Ok(Answer::either(given, &inspected, || inspected.text()))
        }
        "profile" => {
            let report = profile::ProfileReport::of(read_given(file(what)?, given)?)?;
            Ok(Answer::either(given, &report, || report.text()))
        }
        "convert" => convert(given, &read_given(file(what)?, given)?),
        "fit" => {
            let deaths = if given.has("cores-end") { Deaths::Cores } else { Deaths::Blocks };
            let report = fit::FitReport::of(&read_given(file(what)?, given)?.workload, deaths)?;
            Ok(Answer::either(given, &report, || report.text()))
        }
        "criticality" => criticality::run(given, given.word(1, "the file of CPU readings")?),
        "warm-up" => warm_up::run(given, &read_given(file("put a warm-up before")?, given)?),
        "model" => model::model(given),
        "generate" => model::generate(given),
        "compare" => model::compare(given),
        other => Err(Failure(format!("expected {WHAT}, got \"{other}\"; see `tiebreak help trace`"))),
    }
}

#[derive(Serialize)]
struct Inspected {
    format: &'static str,
    format_title: String,
    fingerprint: String,
    rows: u64,
    kept: u64,
    faulty: u64,
    faults_by_kind: BTreeMap<&'static str, u64>,
    first_faults: Vec<FaultRow>,
    corrections: BTreeMap<&'static str, u64>,
    vms: u32,
    requests: u32,
    tenants: u64,
    alive_at_start: u32,
    endless: u32,
    span_ms: u64,
    cores_at_start: f64,
    peak_cores: f64,
    peak_vms: u32,
    largest: Largest,
    notes: Vec<String>,
    cannot_answer: Vec<String>,
}

#[derive(Serialize)]
struct FaultRow {
    line: u64,
    kind: &'static str,
    expected: String,
    got: String,
}

#[derive(Serialize)]
struct Largest {
    cores: f64,
    memory_gib: f64,
}

/// The first faults of a file.
fn first_faults(faults: &[Fault]) -> Vec<FaultRow> {
    faults.iter().take(20).map(FaultRow::of).collect()
}

impl FaultRow {
    fn of(fault: &Fault) -> Self {
        let (expected, got) = (fault.expected.clone(), fault.got.clone());
        Self { line: fault.line, kind: fault.kind.title(), expected, got }
    }

    fn text(&self) -> String {
        format!("  line {}: {}: expected {}, got {}\n", self.line, self.kind, self.expected, self.got)
    }
}

impl Inspected {
    fn of(parsed: &Parsed) -> Self {
        let Parsed { workload, report } = parsed;
        let summary = Summary::of(workload);
        Self {
            format: report.format,
            format_title: report.format_title.clone(),
            fingerprint: format!("{:032x}", workload.fingerprint()),
            rows: report.rows,
            kept: report.kept,
            faulty: report.faulty(),
            faults_by_kind: report.fault_counts.iter().map(|(kind, rows)| (kind.title(), *rows)).collect(),
            first_faults: first_faults(&report.faults),
            corrections: report.corrections.iter().map(|(kind, rows)| (kind.title(), *rows)).collect(),
            vms: summary.vms,
            requests: summary.requests,
            tenants: summary.tenants,
            alive_at_start: summary.warm,
            endless: summary.endless,
            span_ms: summary.span.0,
            cores_at_start: summary.cores_milli_at_start as f64 / 1_000.0,
            peak_cores: summary.peak_cores_milli as f64 / 1_000.0,
            peak_vms: summary.peak_vms,
            largest: Largest {
                cores: amount(summary.largest[Resource::Cores], Resource::Cores),
                memory_gib: amount(summary.largest[Resource::Memory], Resource::Memory),
            },
            notes: report.notes.clone(),
            cannot_answer: report.cannot_answer.clone(),
        }
    }

    fn text(&self) -> String {
        let days = self.span_ms as f64 / 86_400_000.0;
        let Largest { cores, memory_gib } = self.largest;
        let rows = [
            ("Format", format!("{} ({})", self.format_title, self.format)),
            ("Fingerprint", self.fingerprint.clone()),
            (
                "Rows",
                format!("{}, of which {} kept, {} refused", count(self.rows), count(self.kept), count(self.faulty)),
            ),
            ("VMs", format!("{} in {} requests", count(self.vms.into()), count(self.requests.into()))),
            ("Tenants", count(self.tenants)),
            (
                "Running at the start",
                format!("{} VMs, {:.0} cores", count(self.alive_at_start.into()), self.cores_at_start),
            ),
            ("Never ending", format!("{} VMs", count(self.endless.into()))),
            ("End of the trace", format!("day {days:.2}")),
            ("Peak load", format!("{} VMs, {:.0} cores", count(self.peak_vms.into()), self.peak_cores)),
            ("Largest VM", format!("{cores} cores, {memory_gib} GiB")),
        ];
        let mut text = lines(&rows);
        text += &counted("Refused rows", &self.faults_by_kind);
        text.extend(self.first_faults.iter().map(FaultRow::text));
        text += &counted("Corrected rows", &self.corrections);
        text += &listed("How it was read", &self.notes);
        text + &listed("What it cannot answer", &self.cannot_answer)
    }
}

/// Aligned values, each after its name.
fn lines(rows: &[(&str, String)]) -> String {
    rows.iter().map(|(name, value)| format!("{name:<20}{value}\n")).collect()
}

fn amount(stored: u32, resource: Resource) -> f64 {
    f64::from(stored) / resource.unit().1
}

fn counted(title: &str, rows: &BTreeMap<&'static str, u64>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let rows: Vec<_> = rows.iter().map(|(kind, number)| vec![(*kind).to_owned(), count(*number)]).collect();
    format!("\n{title}\n{}", table(&rows))
}

fn listed(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
    format!("\n{title}\n{lines}")
}

#[derive(Serialize)]
struct Converted {
    file: String,
    vms: u32,
    fingerprint: String,
    fingerprint_read_back: String,
}

fn convert(given: &Given, parsed: &Parsed) -> Result<Answer, Failure> {
    let Parsed { workload, report } = parsed;
    let compact = given.has("compact");
    let bytes = written(given, workload, || Origin::of(report))?;
    let back = read_back(&bytes)?;
    if back.fingerprint() != workload.fingerprint() {
        note(&difference(workload, &back));
    }
    let Some(file) = given.one("out") else {
        let beside = [("json", given.has("json")), ("compact", compact)].into_iter().find(|(_, given)| *given);
        return match beside {
            Some((option, _)) => {
                Err(Failure(format!("expected --out FILE together with --{option}, got none; add the file to write")))
            }
            None => Ok(Answer::text(String::from_utf8(bytes)?)),
        };
    };
    write(file, &bytes)?;
    let converted = Converted {
        file: file.into(),
        vms: workload.vm_count(),
        fingerprint: format!("{:032x}", workload.fingerprint()),
        fingerprint_read_back: format!("{:032x}", back.fingerprint()),
    };
    Ok(Answer::either(given, &converted, || format!("Wrote {} VMs to {file}.\n", count(converted.vms.into()))))
}

/// A workload in the requested form: named columns, Parquet, or CSV.
fn written(given: &Given, workload: &Workload, origin: impl FnOnce() -> Origin) -> Result<Vec<u8>, Failure> {
    let as_parquet =
        given.one("out").is_some_and(|file| Path::new(file).extension().is_some_and(|end| end == "parquet"));
    Ok(match (given.has("compact"), as_parquet) {
        (true, _) => compact::write(workload, &origin()),
        (false, true) => parquet::write(workload)?,
        (false, false) => csv(workload),
    })
}

/// A table as CSV.
pub(crate) fn csv(table: &impl Table) -> Vec<u8> {
    table.steps().enumerate().flat_map(|(step, columns)| csv_of(&columns, step == 0)).collect()
}

fn write(file: &str, bytes: &[u8]) -> Result<(), Failure> {
    whole::write(Path::new(file), bytes)
}

fn read_back(bytes: &[u8]) -> Result<Workload, Failure> {
    let mut parser = TraceParser::new("converted");
    match Kind::of(bytes) {
        Some(_) => parquet::push_text_of(bytes.to_vec(), &mut parser)?,
        None => parser.push(bytes)?,
    }
    Ok(parser.finish()?.workload)
}

/// What the output format cannot represent.
fn difference(before: &Workload, after: &Workload) -> String {
    let day = |workload: &Workload| workload.horizon().0 as f64 / 86_400_000.0;
    let (was, is) = (day(before), day(after));
    let what = if was == is {
        "other times or sizes".into()
    } else {
        format!(
            "the table does not contain the end of the trace: it was day {was:.2}, and day {is:.2} after reading \
             it back"
        )
    };
    format!("reading it back gives another fingerprint; {what}")
}
