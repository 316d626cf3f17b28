//! The journal of a search: the figures of every run, a line each, so that a search continues after a stop.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};

use serde_json::{Value, json};
use tiebreak_console::answer::Failure;
use tiebreak_scenario::search::{Search, SearchRun};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use tiebreak_study::Workloads;

/// The figures that are known, and the file for more; without a file it keeps nothing.
pub(super) struct Kept {
    known: BTreeMap<u128, Vec<Option<f64>>>,
    file: Option<(String, File)>,
}

impl Kept {
    /// Reads a journal, or begins it. A last line that a stop has torn is dropped.
    ///
    /// # Errors
    /// If it belongs to another scenario, or cannot be used.
    pub(super) fn open(path: Option<&str>, search: &Search, workloads: &Workloads<'_>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self { known: BTreeMap::new(), file: None }) };
        let failed = |error| unusable(path, &error);
        let head = head(search, workloads)?;
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let mut lines = whole.lines();
        let first = lines.next();
        if first.is_some_and(|first| first != head) || (first.is_none() && !text.is_empty()) {
            return Err(Failure(format!(
                "expected the journal of this search in {path}, got another scenario's, version's or none; choose \
                 another --journal"
            )));
        }
        let mut known = BTreeMap::new();
        for (nth, line) in lines.enumerate() {
            let wrong = || Failure(format!("{path}: line {}: expected the figures of a run; remove it", nth + 2));
            let (key, figures) = read(line).ok_or_else(wrong)?;
            known.insert(key, figures);
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        file.set_len(whole.len() as u64).map_err(failed)?;
        if first.is_none() {
            file.write_all(format!("{head}\n").as_bytes()).map_err(failed)?;
        }
        Ok(Self { known, file: Some((path.to_owned(), file)) })
    }

    /// The figures of a run, if they are known.
    pub(super) fn figures(&self, key: &str) -> Option<Vec<Option<f64>>> {
        self.known.get(&xxh3_128(key.as_bytes())).cloned()
    }

    /// Keeps the figures of a run.
    pub(super) fn put(&mut self, key: &str, figures: &[Option<f64>]) -> Result<(), Failure> {
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        let line = json!([format!("{:032x}", xxh3_128(key.as_bytes())), figures]);
        file.write_all(format!("{line}\n").as_bytes()).map_err(|error| unusable(path, &error))
    }
}

/// What a journal must share with a search: the program, the scenario without its list, the workload and the figures.
fn head(search: &Search, workloads: &Workloads<'_>) -> Result<String, Failure> {
    let mut variant = search.variant(SearchRun { list: 0, seed: 0 });
    let workload = workloads.workload(&variant)?.fingerprint();
    variant.rules.clear();
    let measures: Vec<_> = search.measures().iter().map(|measure| measure.id).collect();
    let of = format!("{variant:?}\n{workload:032x}\n{measures:?}");
    Ok(format!("[\"tiebreak search {} {:016x}\"]", env!("CARGO_PKG_VERSION"), xxh3_64(of.as_bytes())))
}

fn read(line: &str) -> Option<(u128, Vec<Option<f64>>)> {
    let value: Value = serde_json::from_str(line).ok()?;
    let key = u128::from_str_radix(value.get(0)?.as_str()?, 16).ok()?;
    let figure = |value: &Value| if value.is_null() { Some(None) } else { value.as_f64().map(Some) };
    Some((key, value.get(1)?.as_array()?.iter().map(figure).collect::<Option<_>>()?))
}

fn unusable(path: &str, error: &std::io::Error) -> Failure {
    Failure(format!("expected to read and write {path}, got: {error}; choose another --journal"))
}
