//! Invariants of binary table files, for any bytes: reading does not panic, gives the same result twice, drops no row
//! silently, and reports faults in a sentence.

use tiebreak_tables::{parquet, sqlite};
use tiebreak_trace::{FaultKind, Limits, Parsed, TraceError, TraceParser};

/// Small, so that a fuzzer reaches them and the memory per input is bounded.
const LIMITS: Limits = Limits {
    rows_max: 2_000,
    file_bytes_max: 1 << 20,
    text_bytes_max: 1 << 20,
    line_bytes_max: 4 << 10,
    packed_ratio_max: 200,
    faults_kept: 3,
};

/// An invariant, with the name of its target.
pub type Law = fn(&[u8]);

/// Every invariant.
pub const LAWS: [(&str, Law); 2] = [("parquet", of_parquet), ("sqlite", of_sqlite)];

/// A Parquet file.
pub fn of_parquet(input: &[u8]) {
    let Some(Parsed { report, .. }) = check(|parser| parquet::push_text_of(input.to_vec(), parser)) else { return };
    let others = [FaultKind::TooFewFields, FaultKind::TooManyFields].map(|kind| report.fault_counts.get(&kind));
    assert_eq!(others, [None; 2], "rows have the fields of the header");
}

/// A SQLite file, which is written to disk for reading.
pub fn of_sqlite(input: &[u8]) {
    let path = std::env::temp_dir().join(format!("tiebreak-law-{}.sqlite", std::process::id()));
    std::fs::write(&path, input).expect("a file in the folder of temporary files");
    check(|parser| sqlite::push_text(&path, parser));
    std::fs::remove_file(&path).expect("it was written just now");
}

/// The trace, if it is one.
fn check(push_text: impl Fn(&mut TraceParser) -> Result<(), TraceError>) -> Option<Parsed> {
    let read = || -> Result<Parsed, TraceError> {
        let mut parser = TraceParser::with_limits("", LIMITS);
        push_text(&mut parser)?;
        parser.finish()
    };
    let result = read();
    assert_eq!(result, read(), "read twice");
    match &result {
        Ok(Parsed { workload, report }) => {
            assert_eq!(u64::from(workload.vm_count()), report.kept);
            // An event's row is half a VM: a deletion completes a creation.
            let accounted = report.kept + report.faulty();
            assert!(report.rows == accounted || report.format == "HuaweiEvents", "{report:?}");
        }
        Err(error) => {
            let told = error.to_string();
            assert!(told.contains("xpected") || told.contains("Too large") || told.starts_with("Read as"), "{told}");
            assert!(told.chars().count() < 1_000 && !told.contains('\0'), "{told}");
        }
    }
    result.ok()
}
