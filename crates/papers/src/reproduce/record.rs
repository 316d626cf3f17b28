//! The file of verdicts: what the latest full run of every table and figure found, from which the documentation's
//! tables of verdicts and directions are made.

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiebreak_console::answer::{Failure, json};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::whole;

use super::verdict::{Check, Tally};

/// The option that names the file.
pub(crate) const VERDICTS: Opt = Opt {
    name: "verdicts",
    value: Some("FILE"),
    help: "a JSON file in which to write or replace the verdicts of these exhibits; not with --quick or --set",
};

/// The verdicts of one exhibit.
#[derive(Deserialize, Serialize)]
struct Recorded {
    name: String,
    /// The day of the run, and how long it took.
    day: String,
    seconds: u64,
    first_seed: u64,
    /// The trace that was given; `None` for the usual workload.
    trace: Option<String>,
    verdict: Value,
    checks: Vec<Value>,
}

/// The file, open for the exhibits of one command.
pub(super) struct Record<'a> {
    /// `None` if there is nothing to write.
    file: Option<&'a Path>,
    given: &'a Given,
    /// All names, in order.
    names: Vec<&'static str>,
}

impl<'a> Record<'a> {
    pub(super) fn of(given: &'a Given, names: Vec<&'static str>) -> Result<Self, Failure> {
        let unlike = [("quick", "whose single seed decides nothing"), ("set", "whose fields the file does not name")];
        let found = unlike.into_iter().find(|(option, _)| given.has(VERDICTS.name) && given.has(option));
        if let Some((option, why)) = found {
            return Err(Failure(format!("expected --verdicts without --{option}, {why}; remove one of them")));
        }
        Ok(Self { file: given.one(VERDICTS.name).map(Path::new), given, names })
    }

    /// Writes the verdicts of an exhibit in place of its earlier ones on the same trace.
    pub(super) fn note(&self, name: &str, took: Duration, checks: &[Check]) -> Result<(), Failure> {
        let Some(file) = self.file else { return Ok(()) };
        let trace = self.given.one("trace").map(|trace| Path::new(trace).file_name().unwrap_or_default());
        let recorded = Recorded {
            name: name.into(),
            day: today(),
            seconds: took.as_secs(),
            first_seed: self.given.number("first-seed")?.unwrap_or(1),
            trace: trace.map(|name| name.to_string_lossy().into_owned()),
            verdict: serde_json::to_value(Tally::of(checks).verdict())?,
            checks: checks.iter().map(serde_json::to_value).collect::<Result<_, _>>()?,
        };
        let mut all = read(file)?;
        all.retain(|other| (&other.name, &other.trace) != (&recorded.name, &recorded.trace));
        all.push(recorded);
        let place = |one: &Recorded| (self.names.iter().position(|name| *name == one.name), one.trace.clone());
        all.retain(|one| place(one).0.is_some());
        all.sort_by_key(place);
        whole::write(file, json(&all).as_bytes())
    }
}

/// The verdicts in the file, which need not exist yet.
fn read(file: &Path) -> Result<Vec<Recorded>, Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure(format!("expected verdicts in {}, got: {error}; choose another file after --verdicts", file.display()))
    };
    match std::fs::read(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(wrong(&error)),
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| wrong(&error)),
    }
}

/// The current day (UTC).
fn today() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    day((since.as_secs() / 86_400) as i64)
}

/// A day counted from 1970, as `2026-11-25`. (Hinnant, "chrono-compatible low-level date algorithms")
fn day(since_1970: i64) -> String {
    let since = since_1970 + 719_468;
    let (era, of_era) = (since.div_euclid(146_097), since.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Years begin in March here.
    let from_march = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * from_march + 2) / 5 + 1, from_march + if from_march < 10 { 3 } else { -9 });
    let year = year_of_era + 400 * era + i64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (since, name) in [(0, "1970-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"), (20_782, "2026-11-25")]
        {
            assert_eq!(day(since), name);
        }
    }
}
