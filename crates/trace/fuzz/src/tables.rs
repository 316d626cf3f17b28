//! What holds of files that are tables of their own, whatever their bytes are: reading does not panic, gives the same twice,
//! and pushes text whose rows have the fields of its header. Whatever that text is, the laws of text hold of it.

use tiebreak_tables::{Push, parquet, sqlite};
use tiebreak_trace::TraceError;

/// A text above this is not gathered; what is pushed after it is refused, as a trace refuses it.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// A law by the name of its target.
pub type Law = fn(&[u8]);

/// Every law.
pub const LAWS: [(&str, Law); 2] = [("parquet", of_parquet), ("sqlite", of_sqlite)];

/// A Parquet file.
pub fn of_parquet(input: &[u8]) {
    check(|push| parquet::push_text_of(input.to_vec(), push));
}

/// A SQLite file, which stands on the disk while it is read.
pub fn of_sqlite(input: &[u8]) {
    let path = std::env::temp_dir().join(format!("tiebreak-law-{}.sqlite", std::process::id()));
    std::fs::write(&path, input).expect("a file in the folder of temporary files");
    check(|push| sqlite::push_text(&path, push));
    std::fs::remove_file(&path).expect("it was written just now");
}

fn check(push_text: impl Fn(&mut Push<'_>) -> Result<(), TraceError>) {
    let (text, result) = gathered(&push_text);
    assert_eq!(gathered(&push_text), (text.clone(), result.clone()), "read twice");
    if let Err(error) = result {
        let told = error.to_string();
        assert!(told.contains("xpected") || told.contains("Too large"), "{told}");
        assert!(told.chars().count() < 1_000 && !told.contains('\0'), "{told}");
        return;
    }
    let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_slice());
    let mut fields = rows.byte_records().map(|row| row.expect("text that was written as CSV").len());
    let header = fields.next().unwrap_or_default();
    assert!(fields.all(|fields| fields == header), "rows have the fields of the header");
}

/// What is pushed, and how it ended.
fn gathered(push_text: &impl Fn(&mut Push<'_>) -> Result<(), TraceError>) -> (Vec<u8>, Result<(), TraceError>) {
    let mut text = Vec::new();
    let result = push_text(&mut |piece: &[u8]| {
        text.extend_from_slice(piece);
        let bytes_max = TEXT_BYTES_MAX as u64;
        if text.len() > TEXT_BYTES_MAX { Err(TraceError::TextTooLong { bytes_max }) } else { Ok(()) }
    });
    (text, result)
}
