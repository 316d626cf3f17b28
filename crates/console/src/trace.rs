//! Reads traces from files, and the built-in one.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use tiebreak_model::{Sample, SampledBy, Workload};
use tiebreak_scenario::presets::PACKING_CUT_FINGERPRINT;
use tiebreak_scenario::{TraceSettings, Variant, WorkloadRef};
use tiebreak_study::Workloads;
use tiebreak_study::traces::{self, BUILT_IN, BUILT_IN_NAME};
use tiebreak_tables::{Kind, parquet, sqlite};
use tiebreak_trace::{Correction, Parsed, Readings, ReadingsParser, Summary, TraceError, TraceParser};

use crate::answer::{Failure, note};
use crate::given::{Given, Opt};

/// The option that names a trace.
pub const TRACE: Opt = Opt {
    name: "trace",
    value: Some("FILE"),
    help: "the trace to replay: text, plain, gzip or zstd, in any format of `list formats`, SQLite or Parquet",
};

/// The option that keeps a part of the trace.
pub const SAMPLE: Opt = Opt {
    name: "sample",
    value: Some("BY:N[:PART]"),
    help: "keep all VMs of one tenant in N (tenant:10), of one request in N (request:10), or one VM in N (vm:10), \
         always the same ones; a third number chooses the part, from 0 (vm:10:3)",
};

/// The option that drops probable errors in the trace.
pub const WITHOUT_OUTLIERS: Opt = Opt {
    name: "without-outliers",
    value: None,
    help: "exclude VMs that start years before or after all others; they would stretch the run",
};

/// The option that maps a table's columns.
pub const COLUMNS: Opt = Opt {
    name: "columns",
    value: Some("NAME=COLUMN,..."),
    help: "column names if the header differs: cores=vcpus_used,memory_mib=mem,start_s=t0, or start_dmy=created for dates; \
           names as in `list formats`; decimal=comma if 3,5 is three and a half",
};

/// The options that choose a trace and how to read it.
pub const TRACE_READ: &[&Opt] = &[&TRACE, &COLUMNS, &SAMPLE, &WITHOUT_OUTLIERS];

/// The requests of a run and their origin.
#[derive(Clone)]
pub struct Source {
    /// The requests.
    pub workload: Arc<Workload>,
    /// `None` for a generated workload.
    pub trace: Option<TraceRef>,
}

/// The trace that was read.
#[derive(Clone)]
pub struct TraceRef {
    /// Its display name.
    pub name: String,
    /// Its fingerprint; equal for equal traces.
    pub fingerprint: u128,
    /// Which part of it was kept.
    pub settings: TraceSettings,
    /// Its path; `None` for the built-in trace.
    pub path: Option<String>,
    /// Its column mapping, in the form of `--columns`.
    pub columns: Option<String>,
}

/// The workload that a variant names, or the file of `--trace` instead.
pub fn source(variant: &Variant, given: &Given) -> Result<Source, Failure> {
    match (given.one("trace"), &variant.workload) {
        (Some(file), wanted) => from_file(file, &columns(given), given, wanted),
        (None, WorkloadRef::Generated(_)) => {
            if given.has(SAMPLE.name) {
                return Err(Failure("expected a trace to sample, got a generated workload; add --trace FILE".into()));
            }
            let workload = variant.generate().expect("a generated workload");
            Ok(Source { workload: Arc::new(workload), trace: None })
        }
        (None, WorkloadRef::Trace { fingerprint, settings, .. }) if *fingerprint == PACKING_CUT_FINGERPRINT => {
            built_in(asked(given, settings.sample())?)
        }
        (None, wanted @ WorkloadRef::Trace { fingerprint, name, .. }) => {
            let expected = format!("expected the trace \"{name}\" (fingerprint {fingerprint:032x})");
            let Some((path, columns)) = remembered(given) else {
                return Err(Failure(format!("{expected}, got no file; add --trace FILE")));
            };
            let source = from_file(&path, &columns, given, wanted)?;
            match &source.trace {
                Some(trace) if trace.fingerprint != *fingerprint => {
                    let got = trace.fingerprint;
                    Err(Failure(format!("{expected}, got {got:032x} in {path}, which has changed; use --trace FILE")))
                }
                _ => Ok(source),
            }
        }
    }
}

/// The plans of many variants, with the workloads that the arguments ask for.
pub fn workloads(given: &Given) -> Workloads<'_> {
    Workloads::of(|variant| Ok(source(variant, given)?.workload), given.has(TRACE.name))
}

/// The trace path and column mapping of a scenario that `tiebreak run --out` wrote, from the summary.json next to it.
fn remembered(given: &Given) -> Option<(String, String)> {
    let summary = Path::new(given.words.first()?).with_file_name("summary.json");
    let summary: serde_json::Value = serde_json::from_reader(File::open(summary).ok()?).ok()?;
    let text = |field: &str| summary["trace"][field].as_str().map(str::to_owned);
    Some((text("path")?, text("columns").unwrap_or_default()))
}

/// The built-in trace, or a part of it.
fn built_in(sample: Sample) -> Result<Source, Failure> {
    Ok(named(BUILT_IN_NAME, None, "", sample, traces::built_in(sample)?))
}

fn from_file(file: &str, columns: &str, given: &Given, wanted: &WorkloadRef) -> Result<Source, Failure> {
    let sample = asked(given, sample_of(wanted))?;
    let parsed = read(file, sample, columns)?;
    let (faulty, rows) = (parsed.report.faulty(), parsed.report.rows);
    if faulty > 0 {
        note(&format!(
            "{faulty} of {rows} rows of {file} are invalid and were skipped; `tiebreak trace inspect \
             {file}` shows why"
        ));
    }
    let source = named(&file_name(file), Some(file), columns, sample, parsed);
    let is_own = crate::scenario::is_about_own_trace(given);
    let got = source.trace.as_ref().map_or(0, |trace| trace.fingerprint);
    match wanted {
        WorkloadRef::Trace { fingerprint, .. } if *fingerprint == got || is_own => {}
        WorkloadRef::Trace { .. } if !given.has(TRACE.name) => {}
        WorkloadRef::Trace { fingerprint, name, .. } => note(&format!(
            "the scenario names the trace \"{name}\" ({fingerprint:032x}); {file} is a different one ({got:032x}) and \
             is used"
        )),
        WorkloadRef::Generated(_) => note(&format!("{file} is used instead of the scenario's generated workload")),
    }
    Ok(source)
}

/// A trace without VMs that end in the instant they start.
pub struct Lasting {
    /// Its display name.
    pub name: String,
    /// The id of its format.
    pub format: &'static str,
    /// The requests.
    pub workload: Workload,
    /// VMs before any were dropped.
    pub vms_before: u64,
    /// Tenants before any VMs were dropped.
    pub tenants_before: u64,
    /// VMs whose start or end was moved to the trace's grid.
    pub off_grid: u64,
    /// Dropped VMs.
    pub instant: u64,
}

/// The trace of `--trace`, or the built-in one, without VMs that end in the instant they start.
pub fn lasting(given: &Given) -> Result<Lasting, Failure> {
    let name = given.one("trace").map_or_else(|| BUILT_IN_NAME.to_owned(), file_name);
    let parse = |mut parser: TraceParser| match given.one("trace") {
        Some(file) => parse(file, parser),
        None => {
            parser.push(BUILT_IN)?;
            Ok(parser.finish()?)
        }
    };
    let whole = parse(TraceParser::new(&name))?;
    let corrected = |what| whole.report.corrections.get(&what).copied().unwrap_or(0);
    let (off_grid, instant) = (corrected(Correction::OffGrid), corrected(Correction::NoLifetime));
    let summary = Summary::of(&whole.workload);
    // Read the trace again only if there are VMs to drop.
    let workload = match instant {
        0 => whole.workload,
        _ => parse(TraceParser::new(&name).without_instant_vms())?.workload,
    };
    let (vms_before, tenants_before) = (summary.vms.into(), summary.tenants);
    Ok(Lasting { name, format: whole.report.format, workload, vms_before, tenants_before, off_grid, instant })
}

fn named(name: &str, path: Option<&str>, columns: &str, sample: Sample, parsed: Parsed) -> Source {
    let settings = TraceSettings::of(&sample);
    let fingerprint = parsed.workload.fingerprint();
    let absolute = |path| Some(std::path::absolute(path).ok()?.to_string_lossy().into_owned());
    let path = path.and_then(absolute);
    let columns = (!columns.is_empty()).then(|| columns.to_owned());
    let trace = TraceRef { name: name.into(), fingerprint, settings, path, columns };
    Source { workload: Arc::new(parsed.workload), trace: Some(trace) }
}

/// The part of its trace that a document keeps.
fn sample_of(wanted: &WorkloadRef) -> Sample {
    match wanted {
        WorkloadRef::Trace { settings, .. } => settings.sample(),
        WorkloadRef::Generated(_) => Sample::default(),
    }
}

/// The sample that `--sample` and `--without-outliers` choose, or the document's.
fn asked(given: &Given, wanted: Sample) -> Result<Sample, Failure> {
    let sample = given.one(SAMPLE.name).map(sample).transpose()?.unwrap_or(wanted);
    Ok(Sample { without_outliers: wanted.without_outliers || given.has(WITHOUT_OUTLIERS.name), ..sample })
}

/// Parses `request:10`, or `request:10:3` for the fourth of these ten parts.
pub fn sample(text: &str) -> Result<Sample, Failure> {
    let wrong = || {
        let words = SampledBy::WORDS.join(", ");
        Failure(format!(
            "expected one of {words}, a colon and a number after --sample, got \"{text}\"; write, for instance, \
             request:10"
        ))
    };
    let mut words = text.split(':');
    let by = words.next().and_then(|word| SampledBy::WORDS.iter().position(|other| *other == word));
    let mut number = |least| match words.next() {
        Some(digits) => digits.parse().ok().filter(|number| *number >= least).ok_or_else(wrong),
        None if least == 0 => Ok(0),
        None => Err(wrong()),
    };
    let (one_in, part) = (number(1)?, number(0)?);
    match (by, words.next()) {
        (Some(by), None) => Ok(Sample { by: SampledBy::ALL[by], one_in, part, ..Sample::default() }),
        _ => Err(wrong()),
    }
}

/// Reads the trace that a command names, or the part that `--sample` keeps.
pub fn read_given(path: &str, given: &Given) -> Result<Parsed, Failure> {
    read(path, asked(given, Sample::default())?, &columns(given))
}

/// Reads a part of a trace in chunks.
fn read(path: &str, sample: Sample, columns: &str) -> Result<Parsed, Failure> {
    let parser = TraceParser::new(&file_name(path)).sampled(sample);
    let (parser, mut renamed) = (with_decimal_commas(parser, columns)?, renamed(columns)?);
    renamed.retain(|(name, _)| name != DECIMAL);
    read_file(path, parser, renamed)
}

/// Reads the trace in a file of any format with a parser that says what to keep; `renamed` has pairs of a column's name
/// and the header's name for it.
pub fn read_file(path: &str, parser: TraceParser, renamed: Vec<(String, String)>) -> Result<Parsed, Failure> {
    parse(path, if renamed.is_empty() { parser } else { parser.with_renamed(renamed) })
}

/// The name in `--columns` that sets the decimal separator.
const DECIMAL: &str = "decimal";

/// The parser with the decimal separator of `--columns`, if any.
fn with_decimal_commas(parser: TraceParser, columns: &str) -> Result<TraceParser, Failure> {
    let said = renamed(columns)?.into_iter().rfind(|(name, _)| name == DECIMAL);
    match said.as_ref().map(|(_, mark)| mark.as_str()) {
        None => Ok(parser),
        Some("comma") => Ok(parser.with_decimal_commas(true)),
        Some("point") => Ok(parser.with_decimal_commas(false)),
        Some(other) => {
            Err(Failure(format!("expected decimal=comma or decimal=point after --columns, got \"{other}\"")))
        }
    }
}

/// The value of `--columns`.
fn columns(given: &Given) -> String {
    given.all(COLUMNS.name).collect::<Vec<_>>().join(",")
}

/// The same as pairs of names and columns.
fn renamed(columns: &str) -> Result<Vec<(String, String)>, Failure> {
    let pairs = columns.split(',').filter(|pair| !pair.is_empty());
    let split = |pair: &str| {
        let wrong = || {
            Failure(format!(
                "expected NAME=COLUMN after --columns, got \"{pair}\"; write, for instance, \
                 cores=cpu_count"
            ))
        };
        let (name, column) = pair.split_once('=').ok_or_else(wrong)?;
        Ok((name.trim().to_owned(), column.trim().to_owned()))
    };
    pairs.map(split).collect()
}

fn parse(path: &str, mut parser: TraceParser) -> Result<Parsed, Failure> {
    // A path without a size, such as a missing file, fails when it is read.
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    parser.check_file(bytes).map_err(|error| faulty(path, &error.into()))?;
    // A pipe can be read only once, so reading continues after the bytes that identified the format.
    let (mut file, mut first) = (open(path)?, Vec::new());
    let head = file.by_ref().take(Kind::MAGIC_BYTES as u64).read_to_end(&mut first);
    head.map_err(|error| unreadable(path, &error))?;
    let pushed = match Kind::of(&first) {
        Some(_) if !std::fs::metadata(path).is_ok_and(|file| file.is_file()) => {
            return Err(Failure(format!(
                "expected a file for SQLite and Parquet, got a pipe in {path}; write it to a file"
            )));
        }
        Some(Kind::Sqlite) => sqlite::push_text(Path::new(path), &mut parser),
        Some(Kind::Parquet) => parquet::push_text(open(path)?, &mut parser),
        None => {
            parser = parser.of_size(bytes);
            parser.push_file(first.as_slice().chain(file))
        }
    };
    pushed.and_then(|()| parser.finish()).map_err(|error| faulty(path, &error))
}

/// Reads a file of CPU readings in chunks.
pub fn read_readings(path: &str) -> Result<Readings, Failure> {
    let mut parser = ReadingsParser::new();
    push_pieces(path, open(path)?, |piece| parser.push(piece))?;
    parser.finish().map_err(|error| faulty(path, &error))
}

fn push_pieces(
    path: &str,
    mut file: impl Read,
    mut push: impl FnMut(&[u8]) -> Result<(), TraceError>,
) -> Result<(), Failure> {
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece).map_err(|error| unreadable(path, &error))? {
            0 => return Ok(()),
            length => push(&piece[..length]).map_err(|error| faulty(path, &error))?,
        }
    }
}

fn open(path: &str) -> Result<File, Failure> {
    File::open(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &str, error: &std::io::Error) -> Failure {
    Failure(format!("expected a trace in {path}, got: {error}; check the path"))
}

fn faulty(path: &str, error: &TraceError) -> Failure {
    Failure(format!("{path}: {error}"))
}

/// The last part of a path.
pub fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_large_is_refused_by_its_size() {
        let path = std::env::temp_dir().join(format!("tiebreak-large-{}.csv", std::process::id()));
        File::create(&path).and_then(|file| file.set_len(3_000_000_000)).expect("a file of zeros that takes no room");
        let told = parse(&path.to_string_lossy(), TraceParser::new("large.csv"));
        std::fs::remove_file(&path).expect("it was made just now");
        let Err(Failure(told)) = told else { panic!("it was read") };
        assert!(told.contains("read whole, up to 2048 MiB; the file has 2861 MiB. Sample it"), "{told}");
    }
}
