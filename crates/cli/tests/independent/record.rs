//! The files of a run: `scenario.json`, `vms.csv`, `placements.csv` and `summary.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Cores in thousandths, and memory in MiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Size {
    pub(crate) cores: i64,
    pub(crate) memory: i64,
}

impl Size {
    fn new(cores: f64, memory_gib: f64) -> Self {
        Self { cores: (cores * 1_000.0).round() as i64, memory: (memory_gib * 1_024.0).round() as i64 }
    }

    pub(crate) fn plus(self, more: Self) -> Self {
        Self { cores: self.cores + more.cores, memory: self.memory + more.memory }
    }

    pub(crate) fn minus(self, less: Self) -> Self {
        Self { cores: self.cores - less.cores, memory: self.memory - less.memory }
    }

    pub(crate) fn fits_into(self, room: Self) -> bool {
        self.cores <= room.cores && self.memory <= room.memory
    }
}

/// The part of the zone that all VMs of a tenant must share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    #[default]
    Zone,
    Datacenter,
    Cluster,
    Rack,
}

/// A row of `vms.csv`.
#[derive(Clone, Deserialize)]
pub(crate) struct Vm {
    pub(crate) vm: u64,
    pub(crate) tenant: u64,
    cores: f64,
    memory_gib: f64,
    start_s: f64,
    end_s: Option<f64>,
    pub(crate) request: usize,
    #[serde(default)]
    pub(crate) fault_domains: u32,
    #[serde(default)]
    pub(crate) scope: Scope,
    #[serde(default)]
    pub(crate) per_machine: u32,
    #[serde(default)]
    pub(crate) per_rack: u32,
    #[serde(default)]
    pub(crate) isolated: u8,
    pub(crate) outcome: Outcome,
    pub(crate) machine: Option<usize>,
    placed_s: Option<f64>,
    #[serde(skip)]
    pub(crate) size: Size,
    #[serde(skip)]
    pub(crate) start: i64,
    /// `i64::MAX` if the trace does not have it.
    #[serde(skip)]
    pub(crate) end: i64,
    #[serde(skip)]
    pub(crate) placed: Option<i64>,
}

impl Vm {
    /// Whether its tenant has terms about the placement of its VMs.
    pub(crate) fn has_terms(&self) -> bool {
        self.scope > Scope::Zone || self.fault_domains + self.per_machine + self.per_rack + u32::from(self.isolated) > 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Placed,
    Refused,
    Conflict,
    #[serde(rename = "out of retries")]
    OutOfRetries,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Cache {
    Hit,
    Miss,
    Off,
}

/// A row of `placements.csv`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Row {
    pub(crate) time_ms: i64,
    pub(crate) request: usize,
    pub(crate) vm: u64,
    pub(crate) outcome: Outcome,
    pub(crate) machine: Option<usize>,
    pub(crate) cluster: Option<usize>,
    pub(crate) best_set_size: usize,
    pub(crate) cache: Option<Cache>,
    pub(crate) agent: Option<usize>,
    pub(crate) attempt: u32,
    pub(crate) cause: String,
}

/// A cluster of `scenario.json`.
#[derive(Clone, Deserialize)]
pub(crate) struct Cluster {
    pub(crate) machines: usize,
    pub(crate) racks: usize,
    cores: f64,
    memory_gib: f64,
    pub(crate) unready: usize,
    pub(crate) datacenter: u32,
}

impl Cluster {
    pub(crate) fn machine_size(&self) -> Size {
        Size::new(self.cores, self.memory_gib)
    }
}

/// The rules that this simulator knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum Name {
    IsTypeSupported,
    IsClusterBelowLimit,
    SharesTenantDatacenter,
    SharesTenantCluster,
    PreferEmptierClusters,
    AreNodeResourcesValid,
    IsMachineReady,
    SharesTenantRack,
    SpreadsOverFaultDomains,
    CapsTenantPerMachine,
    RespectsIsolation,
    PreferNonEmptyMachines,
    BestFit,
    PreferLeastUsedRack,
    FdEmptyNodes,
    SpreadTenantOverRacks,
    WorstFit,
    FirstFit,
    #[serde(other)]
    Other,
}

#[derive(Clone, Deserialize)]
pub(crate) struct Rule {
    #[serde(rename = "rule")]
    pub(crate) name: Name,
    on: bool,
    pub(crate) buckets: Option<i128>,
    #[serde(default)]
    values: BTreeMap<String, Value>,
}

impl Rule {
    /// A parameter in thousandths, so that its sums and products are exact.
    pub(crate) fn milli(&self, parameter: &str) -> i128 {
        (self.values[parameter].as_f64().expect("a number") * 1_000.0).round() as i128
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Latency {
    Fixed,
    Caches,
}

#[derive(Clone, Deserialize)]
pub(crate) struct Agents {
    pub(crate) count: usize,
    pub(crate) decision_ms: i64,
    pub(crate) publish_ms: i64,
    pub(crate) retries: u32,
    pub(crate) fine_grained: bool,
    pub(crate) latency: Latency,
    pub(crate) hit_ms: i64,
    pub(crate) miss_ms: i64,
    pub(crate) commit_ms: i64,
    pub(crate) pipelined: bool,
    avoidance: f64,
    slowdown: f64,
}

/// A run, read from its files.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) clusters: Vec<Cluster>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) best_clusters: usize,
    pub(crate) agents: Agents,
    /// The start of the period for time averages, and the end of the trace.
    pub(crate) measured: (i64, i64),
    pub(crate) vms: Vec<Vm>,
    pub(crate) rows: Vec<Row>,
    pub(crate) summary: BTreeMap<String, Value>,
}

const HOUR_MS: i64 = 3_600_000;

impl Record {
    /// Runs a scenario, with these arguments after its file, and reads the results.
    pub(crate) fn of_run(folder: &Path, scenario: &Value, words: &[&str]) -> Self {
        let (document, out) = (folder.join("document.json"), folder.join("out"));
        std::fs::write(&document, scenario.to_string()).expect("a file");
        let mut program = Command::new(env!("CARGO_BIN_EXE_tiebreak"));
        let output = program.arg("run").arg(document).args(words).arg("--out").arg(&out).output();
        let output = output.expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self::read(&out)
    }

    fn read(folder: &Path) -> Self {
        let json = |name: &str| -> Value {
            serde_json::from_slice(&std::fs::read(folder.join(name)).expect("a file")).expect("JSON")
        };
        let mut variant = json("scenario.json")["variants"][0].take();
        let number = |value: &Value| value.as_f64().expect("a number");
        let rules: Vec<Rule> = parsed(variant["rules"].take());
        let rules: Vec<_> = rules.into_iter().filter(|rule| rule.on).collect();
        let agents: Agents = parsed(variant["agents"].take());
        let plain = agents.avoidance == 0.0 && agents.slowdown == 1.0 && variant["hand_weights"] == false;
        assert!(plain && rules.iter().all(|rule| rule.name != Name::Other), "only what is simulated here");
        let mut vms: Vec<Vm> = rows(&folder.join("vms.csv"));
        let ms = |seconds: f64| (seconds * 1_000.0).round() as i64;
        for vm in &mut vms {
            vm.size = Size::new(vm.cores, vm.memory_gib);
            (vm.start, vm.end) = (ms(vm.start_s), vm.end_s.map_or(i64::MAX, ms));
            vm.placed = vm.placed_s.map(ms);
        }
        let hours = |hours: f64| (hours * HOUR_MS as f64) as i64;
        let last_start = vms.iter().map(|vm| vm.start).max().expect("a VM");
        let end = match &variant["workload"]["generated"]["days"] {
            Value::Null => (last_start + HOUR_MS - 1) / HOUR_MS * HOUR_MS,
            days => hours(number(days) * 24.0),
        };
        Self {
            clusters: parsed(variant["inventory"]["clusters"].take()),
            rules,
            best_clusters: parsed(variant["best_clusters"].take()),
            agents,
            measured: (hours(number(&variant["measures"]["measured_from_hours"])), end.max(last_start)),
            vms,
            rows: rows(&folder.join("placements.csv")),
            summary: parsed(json("summary.json")),
        }
    }
}

fn parsed<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("JSON of this form")
}

/// An empty folder for this case.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("independent").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn rows<T: DeserializeOwned>(file: &Path) -> Vec<T> {
    let mut csv = csv::Reader::from_path(file).expect("a file");
    csv.deserialize().map(|row| row.expect("a row")).collect()
}
