//! Reads the files of `--import` and reports the result.

use std::fs::File as Opened;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use tiebreak_import::{BYTES_MAX, File, Import, Leftover, import};
use tiebreak_model::Sample;
use tiebreak_scenario::TraceSettings;

use crate::answer::Failure;
use crate::given::{Given, Opt};
use crate::shown::wrapped;
use crate::trace::{Source, TraceRef};

/// The option that imports a cluster and a scheduler's configuration.
pub const IMPORT: Opt = Opt {
    name: "import",
    value: Some("FILE"),
    help: "your cluster or your scheduler's configuration; may be repeated: `kubectl get nodes,pods -A -o json` or yaml, \
         a KubeSchedulerConfiguration, nova.conf. What has no twin is listed",
};

/// Imports the files of `--import`; `None` without the option.
pub fn read(given: &Given) -> Result<Option<Import>, Failure> {
    let mut files = Vec::new();
    for path in given.all(IMPORT.name) {
        files.push((path, bytes(path)?));
    }
    let files: Vec<_> = files.iter().map(|(path, bytes)| File { name: file_name(path), bytes }).collect();
    Ok(if files.is_empty() { None } else { Some(import(&files)?) })
}

fn bytes(path: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = Opened::open(path).and_then(|file| file.take(BYTES_MAX as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| Failure(format!("expected a file to import in {path}, got: {error}; check the path")))?;
    Ok(bytes)
}

fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

/// The imported VMs as the source of a run; `None` if there are none or a trace replaces them.
pub(crate) fn source(given: &Given, import: Option<&Import>) -> Option<Source> {
    let workload = import?.workload.clone().filter(|_| !given.has("trace"))?;
    let names: Vec<_> = given.all(IMPORT.name).map(file_name).collect();
    let (fingerprint, settings) = (workload.fingerprint(), TraceSettings::of(&Sample::default()));
    let trace = TraceRef { name: names.join(" + "), fingerprint, settings, path: None, columns: None };
    Some(Source { workload: Arc::new(workload), trace: Some(trace) })
}

/// The report on an import, for JSON.
#[derive(Serialize)]
pub struct Told<'a> {
    /// What the files became.
    told: &'a [String],
    /// Fields without a twin.
    without_twin: &'a [Leftover],
    /// Fields that are irrelevant to placement.
    about_something_else: &'a [String],
}

impl<'a> Told<'a> {
    /// The report on this import.
    #[must_use]
    pub fn of(import: &'a Import) -> Self {
        Self { told: &import.told, without_twin: &import.leftovers, about_something_else: &import.aside }
    }

    /// The report as text.
    #[must_use]
    pub fn text(&self) -> String {
        let told: String = self.told.iter().map(|line| wrapped(line, "")).collect();
        let aside = match self.about_something_else.len() {
            0 => String::new(),
            many => format!("{many} fields say nothing of where VMs go; --json names them.\n"),
        };
        let leftovers: String = self.without_twin.iter().map(leftover).collect();
        let head = match self.without_twin.len() {
            0 => "Every field that matters has a twin.\n".to_owned(),
            many => format!("Without a twin, {many} fields:\n"),
        };
        format!("{told}{head}{leftovers}{aside}")
    }
}

fn leftover(it: &Leftover) -> String {
    let often = if it.count > 1 { format!(", {} times, first", it.count) } else { String::new() };
    let value = if it.value.is_empty() { String::new() } else { format!(" = {}", it.value) };
    format!("  {}: {}{often}{value}\n{}", it.file, it.path, wrapped(&it.why, "      "))
}
