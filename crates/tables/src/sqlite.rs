//! The Azure packing trace as the SQLite file that was published (Hadary et al., OSDI 2020).

use std::path::Path;

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params};
use tiebreak_trace::{PackingTables, TraceError, TraceParser};

/// Longer texts are not part of a trace; SQLite refuses to produce them and reports it.
const TEXT_BYTES_MAX: i32 = 64 << 20;

/// Pushes the VMs of a file as CSV, a few thousand rows at a time; memory use does not grow with the file.
///
/// # Errors
/// If the file is not a complete SQLite file or not the trace's, and errors of `parser`.
pub fn push_text(path: &Path, parser: &mut TraceParser) -> Result<(), TraceError> {
    let mut rows = 0;
    push_rows(path, parser, &mut rows).map_err(|error| match error {
        ReadStop::Sqlite(error) => TraceError::unreadable("SQLite", rows, &error),
        ReadStop::Trace(error) => error,
    })
}

enum ReadStop {
    Sqlite(rusqlite::Error),
    Trace(TraceError),
}

impl From<rusqlite::Error> for ReadStop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<TraceError> for ReadStop {
    fn from(error: TraceError) -> Self {
        Self::Trace(error)
    }
}

fn push_rows(path: &Path, parser: &mut TraceParser, rows: &mut u64) -> Result<(), ReadStop> {
    let file = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    file.set_limit(Limit::SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX)?;
    let schema: Option<String> = file.query_row(PackingTables::SCHEMA, [], |row| row.get(0))?;
    PackingTables::check(&schema.unwrap_or_default())?;
    parser.push(PackingTables::HEADER.as_bytes())?;
    let mut step = file.prepare(&PackingTables::step())?;
    let mut last = i64::MIN;
    loop {
        let mut answer = step.query(params![last, PackingTables::STEP_ROWS])?;
        let Some(row) = answer.next()? else { return Ok(()) };
        let ValueRef::Text(text) = row.get_ref(0)? else { return Ok(()) };
        parser.push(text)?;
        *rows += u64::from(PackingTables::STEP_ROWS);
        last = row.get(1)?;
    }
}
