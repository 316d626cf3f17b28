//! Merges the files of all shards into the file of the whole sweep, byte for byte.

use std::collections::BTreeMap;
use std::path::Path;

use tiebreak_scenario::SweepTable;

use super::region::{self, REGION};
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::Given;
use tiebreak_console::shown::count;
use tiebreak_console::whole;

/// Merges the files named after the plan; together they must contain every run.
pub(crate) fn run(given: &Given, table: &SweepTable, runs: u64) -> Result<Answer, Failure> {
    if given.words.len() < 2 {
        return Err(Failure("expected the files of all shards after the plan, got none; name them".into()));
    }
    let (header, as_region) = (table.header(), given.has(REGION.name));
    if given.has("shard") || given.has("json") && !as_region {
        return Err(Failure("expected --merge alone, or with --out, got --shard or --json; remove them".into()));
    }
    let mut rows = BTreeMap::new();
    for file in &given.words[1..] {
        let unreadable =
            |error| Failure(format!("expected rows of this sweep in {file}, got: {error}; check the path"));
        let text = std::fs::read_to_string(file).map_err(unreadable)?;
        take(file, &text, &header, &mut rows)?;
    }
    if let Some(missing) = (0..runs).find(|number| !rows.contains_key(number)) {
        let there = count(rows.len() as u64);
        return Err(Failure(format!(
            "expected {} runs in these files, got {there}: run {missing} is missing; name every shard",
            count(runs)
        )));
    }
    let text: String = std::iter::once(header).chain(rows.into_values()).collect();
    let file = given.one("out");
    file.map_or(Ok(()), |file| whole::write(Path::new(file), text.as_bytes()))?;
    if as_region {
        return region::answer(given, table, &text, file);
    }
    let Some(file) = file else { return Ok(Answer::text(text)) };
    Ok(Answer::text(format!("Wrote {} runs to {file}.\n", count(runs))))
}

fn take(file: &str, text: &str, header: &str, rows: &mut BTreeMap<u64, String>) -> Result<(), Failure> {
    let mut lines = text.split_inclusive('\n');
    if lines.next() != Some(header) {
        return Err(Failure(format!(
            "expected rows of this sweep in {file}, got other columns; use the plan that they were made with"
        )));
    }
    for line in lines {
        let number = line.split(',').next().and_then(|number| number.parse().ok());
        let whole = number.filter(|_| line.ends_with('\n'));
        let Some(number) = whole else {
            return Err(Failure(format!(
                "expected complete rows in {file}, got {:?}; run that shard again",
                line.trim_end()
            )));
        };
        if rows.insert(number, line.into()).is_some_and(|other| other != line) {
            return Err(Failure(format!(
                "expected run {number} once, got it again in {file} with other numbers; run both shards again"
            )));
        }
    }
    Ok(())
}
