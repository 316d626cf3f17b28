//! A run: the layout of its machines, its progress, its results.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiebreak_model::Phrase;
use tiebreak_sim::{FIGURES, Figure};

/// The layout of machines, for the fleet map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Clusters by id.
    pub clusters: Vec<ClusterLayout>,
    /// The total number of machines.
    pub machines: u32,
    /// Names of lifetime classes, the shortest first; empty if no rule reads predicted lifetimes. If there are any, a
    /// frame has a second byte per machine, after all first bytes.
    pub classes: Vec<Phrase>,
    /// Whether VMs are linked. If so, a frame has another byte per machine, after all others: the reserved share of
    /// its uplinks.
    pub has_uplinks: bool,
    /// Whether power is part of the run; and whether draws are measured. If they are, a frame has another byte per
    /// machine, after all others: its draw as a share of the budget.
    pub has_power: bool,
    /// See [`Self::has_power`].
    pub has_draws: bool,
}

/// One cluster of the fleet map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterLayout {
    /// Its name.
    pub name: String,
    /// Its racks: first machine, and number of machines.
    pub racks: Vec<(u32, u32)>,
    /// Chassis that each rack's machines are spread over; if uneven, earlier ones get one more machine.
    pub chassis: u32,
}

/// Samples that have not been sent yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The run.
    pub run: u32,
    /// Simulated time reached.
    pub time_ms: f64,
    /// VMs decided.
    pub decided: u32,
    /// The total number of VMs.
    pub vms: u32,
    /// Index of the first sample below.
    pub from: u32,
    /// The times of the samples.
    pub times: Vec<f64>,
    /// The values of each metric in the list.
    pub values: Vec<Vec<f64>>,
    /// Whether the run is paused.
    pub paused: bool,
    /// The last VM decided, when stepping.
    pub stepped: Option<String>,
    /// Where commits failed recently: in the last few reports, or in the last step.
    pub failed: Failed,
    /// Counters of agents and caches.
    pub anatomy: Anatomy,
}

/// The summary of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// 16 hex digits.
    pub digest: String,
    /// All its figures, in the order of [`FIGURES`].
    pub figures: Vec<Option<f64>>,
    /// From request to answer, in milliseconds: the median and the 99th percentile; `None` without requests.
    pub waits_ms: Option<(f64, f64)>,
    /// A warning if agents were too slow for the workload.
    pub slow_agents: Option<Phrase>,
    /// How aggressive each rule was.
    pub rule_shares: Vec<Share>,
    /// Sampled decisions in which manual weights formed a cycle, and the number sampled.
    pub circles: (u32, u32),
    /// Changes of machines' states in words, with their counts; empty if no rule reads predicted lifetimes.
    pub turns: Vec<(String, f64)>,
    /// The duration in milliseconds of real time; filled in by a host with a clock.
    pub wall_ms: f64,
}

impl RunResult {
    /// The figures that are kept of a starred run, by their ids without `_mean`.
    const KEPT: [&str; 5] =
        ["placements", "rejections", "conflicts", "empty_hosts_pct_mean", "packing_density_pct_mean"];

    /// A figure by its id; 0 if unknown.
    ///
    /// # Panics
    /// When there is no such figure.
    #[must_use]
    pub fn figure(&self, id: &str) -> f64 {
        self.known(id).unwrap_or_default()
    }

    /// A figure by its id; `None` if unknown.
    ///
    /// # Panics
    /// When there is no such figure.
    #[must_use]
    pub fn known(&self, id: &str) -> Option<f64> {
        let at = FIGURES.iter().position(|figure| figure.id == id).expect("the id of a figure");
        self.figures.get(at).copied().flatten()
    }

    /// VMs placed, and all requested VMs.
    #[must_use]
    pub fn placed(&self) -> [f64; 2] {
        let placed = self.figure("placements");
        [placed, placed + self.figure("rejections")]
    }

    /// The figures by which people compare runs, as JSON.
    #[must_use]
    pub fn brief(&self) -> Value {
        let kept = Self::KEPT.map(|id| (id.trim_end_matches("_mean"), self.figure(id).into()));
        std::iter::once(("digest", Value::from(self.digest.as_str()))).chain(kept).collect()
    }

    /// A result from [`Self::brief`] alone.
    #[must_use]
    pub fn told(brief: &Value) -> Self {
        let told = |figure: &Figure| brief[figure.id.trim_end_matches("_mean")].as_f64();
        let digest = brief["digest"].as_str().unwrap_or_default().to_owned();
        Self { digest, figures: FIGURES.iter().map(told).collect(), ..Self::default() }
    }
}

/// The effect of a rule on its stage's candidates, on average over sampled decisions; 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The rule.
    pub rule: String,
    /// The share before it.
    pub before: f64,
    /// The share after it.
    pub after: f64,
    /// How often it dropped any candidate.
    pub decided: f64,
    /// How often it left one of several candidates.
    pub left_one: f64,
    /// A hint about it.
    pub hint: Option<Hint>,
}

/// A hint about a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hint {
    /// In two or three words.
    pub label: Phrase,
    /// As a sentence.
    pub sentence: Phrase,
}

/// Machines on which commits failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// At most [`tiebreak_sim::frames::FAILED_MAX`].
    pub machines: Vec<u32>,
    /// The number of further machines that are not listed.
    pub left_out: u32,
}

/// Counters of agents and caches since the start of the run, and the caches' contents (Protean sections 4 and 5.2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Anatomy {
    /// The cache layers of all agents together, in the order of the page's panel: evaluations, rule objects, shared
    /// state, journal, cells, background refresh.
    pub layers: Vec<LayerCounts>,
    /// Counters of each rule's rule objects.
    pub objects: Vec<ObjectCounts>,
    /// Each agent.
    pub agents: Vec<AgentCounts>,
}

/// Counters of one cache layer; `None` if it has no such counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LayerCounts {
    /// Uses that found what they needed.
    pub hits: Option<f64>,
    /// Uses that had to create it.
    pub misses: Option<f64>,
    /// Machines updated; for cells, cells compared.
    pub work: Option<f64>,
    /// Entries.
    pub entries: Option<f64>,
    /// Their size in bytes.
    pub bytes: Option<f64>,
}

/// Counters of one rule's rule objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectCounts {
    /// The rule.
    pub rule: String,
    /// Uses that found an object.
    pub hits: f64,
    /// Uses that had to create one.
    pub misses: f64,
}

/// The state and counters of one agent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentCounts {
    /// Whether it is idle.
    pub is_idle: bool,
    /// Its decisions on their way to the store, including the current one.
    pub in_flight: u32,
    /// VMs that it decided, counting every attempt.
    pub decided: f64,
    /// Its failed commits.
    pub conflicts: f64,
    /// Changes in the store that it has not read yet.
    pub behind: f64,
    /// Decisions that found an evaluation.
    pub hits: f64,
    /// Decisions that had to create one.
    pub misses: f64,
}
