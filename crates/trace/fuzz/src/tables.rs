//! What holds of files that are tables of their own, whatever their bytes are: reading does not panic, gives the same twice,
//! ends in a sentence or a trace, and no row has other fields than the header.

use tiebreak_tables::{parquet, sqlite};
use tiebreak_trace::{FaultKind, Limits, TraceError, TraceParser};

/// Small files say that they are much larger than this.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// A law by the name of its target.
pub type Law = fn(&[u8]);

/// Every law.
pub const LAWS: [(&str, Law); 2] = [("parquet", of_parquet), ("sqlite", of_sqlite)];

/// A Parquet file.
pub fn of_parquet(input: &[u8]) {
    check(|parser| parquet::push_text_of(input.to_vec(), parser));
}

/// A SQLite file, which stands on the disk while it is read.
pub fn of_sqlite(input: &[u8]) {
    let path = std::env::temp_dir().join(format!("tiebreak-law-{}.sqlite", std::process::id()));
    std::fs::write(&path, input).expect("a file in the folder of temporary files");
    check(|parser| sqlite::push_text(&path, parser));
    std::fs::remove_file(&path).expect("it was written just now");
}

fn check(push_text: impl Fn(&mut TraceParser) -> Result<(), TraceError>) {
    let read = || {
        let limits = Limits { text_bytes_max: TEXT_BYTES_MAX, ..Limits::default() };
        let mut parser = TraceParser::with_limits("table", limits);
        push_text(&mut parser).and_then(|()| parser.finish())
    };
    let result = read();
    assert_eq!(read(), result, "read twice");
    match result {
        Ok(parsed) => {
            let counts = &parsed.report.fault_counts;
            let others = [FaultKind::TooFewFields, FaultKind::TooManyFields].map(|kind| counts.get(&kind));
            assert_eq!(others, [None; 2], "rows have the fields of the header");
        }
        Err(error) => {
            let told = error.to_string();
            assert!(told.contains("xpected") || told.contains("Too large"), "{told}");
            assert!(told.chars().count() < 1_000 && !told.contains('\0'), "{told}");
        }
    }
}
