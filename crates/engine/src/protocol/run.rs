//! A run: where its machines stand, how far it is, what came out.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiebreak_model::Phrase;
use tiebreak_sim::{FIGURES, Figure};

/// Where machines stand, for the fleet map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Clusters by id.
    pub clusters: Vec<ClusterLayout>,
    /// Machines in all.
    pub machines: u32,
    /// Names of lifetime classes, from the shortest; none where no rule asks for lifetimes. Where
    /// there are any, a frame has a second byte for each machine, behind all first ones.
    pub classes: Vec<Phrase>,
    /// Whether VMs are linked, so that a frame has another byte for each machine behind all others: what is
    /// reserved of its uplinks.
    pub has_uplinks: bool,
    /// Whether anybody asks for power; and whether draws are measured, so that a frame has another byte for each
    /// machine behind all others: what it draws of its share of the budget.
    pub has_power: bool,
    /// See there.
    pub has_draws: bool,
}

/// One cluster of the fleet map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterLayout {
    /// Its name.
    pub name: String,
    /// Its racks: first machine, and how many.
    pub racks: Vec<(u32, u32)>,
    /// Chassis that each of them is spread over, earlier ones with one machine more where it does not divide.
    pub chassis: u32,
}

/// Samples that were not sent before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The run.
    pub run: u32,
    /// Simulated time reached.
    pub time_ms: f64,
    /// VMs decided.
    pub decided: u32,
    /// VMs in all.
    pub vms: u32,
    /// Index of the first sample below.
    pub from: u32,
    /// When they were taken.
    pub times: Vec<f64>,
    /// Per metric of the list, one value each.
    pub values: Vec<Vec<f64>>,
    /// Whether the run waits to be stepped or resumed.
    pub paused: bool,
    /// The VM decided last, when stepping.
    pub stepped: Option<String>,
    /// Where commits failed lately: in the last few reports, or in the step just made.
    pub failed: Failed,
    /// What agents and caches did.
    pub anatomy: Anatomy,
}

/// A run in one screenful.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// 16 hex digits.
    pub digest: String,
    /// All that is said of it, in the order of [`FIGURES`].
    pub figures: Vec<Option<f64>>,
    /// From a request to its answer, in milliseconds: what half of them took at most, and 99 in 100; none of none.
    pub waits_ms: Option<(f64, f64)>,
    /// What is wrong where agents were slow for the workload.
    pub slow_agents: Option<Phrase>,
    /// How aggressive each rule was.
    pub rule_shares: Vec<Share>,
    /// Sampled decisions in which weights set by hand went in a circle, of how many.
    pub circles: (u32, u32),
    /// Changes of machines' states in words, with how often they happened; none where no rule asks
    /// for lifetimes.
    pub turns: Vec<(String, f64)>,
    /// How long it took, in milliseconds of real time; filled in by whoever has a clock.
    pub wall_ms: f64,
}

impl RunResult {
    /// The figures that are kept of a run with a star. They are kept by their ids, without `_mean`.
    const KEPT: [&str; 5] =
        ["placements", "rejections", "conflicts", "empty_hosts_pct_mean", "packing_density_pct_mean"];

    /// A figure by its id; 0 where nothing is known of it.
    ///
    /// # Panics
    /// When there is no such figure.
    #[must_use]
    pub fn figure(&self, id: &str) -> f64 {
        let at = FIGURES.iter().position(|figure| figure.id == id).expect("the id of a figure");
        self.figures.get(at).copied().flatten().unwrap_or_default()
    }

    /// VMs placed, and all that were asked for.
    #[must_use]
    pub fn placed(&self) -> [f64; 2] {
        let placed = self.figure("placements");
        [placed, placed + self.figure("rejections")]
    }

    /// The figures that people compare runs by, as JSON.
    #[must_use]
    pub fn brief(&self) -> Value {
        let kept = Self::KEPT.map(|id| (id.trim_end_matches("_mean"), self.figure(id).into()));
        std::iter::once(("digest", Value::from(self.digest.as_str()))).chain(kept).collect()
    }

    /// A result of which only [`Self::brief`] was told.
    #[must_use]
    pub fn told(brief: &Value) -> Self {
        let told = |figure: &Figure| brief[figure.id.trim_end_matches("_mean")].as_f64();
        let digest = brief["digest"].as_str().unwrap_or_default().to_owned();
        Self { digest, figures: FIGURES.iter().map(told).collect(), ..Self::default() }
    }
}

/// What a rule did to its stage's candidates, on average over sampled decisions; 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The rule.
    pub rule: String,
    /// What it was given.
    pub before: f64,
    /// What it left.
    pub after: f64,
    /// How often it dropped any candidate.
    pub decided: f64,
    /// How often it left one of several.
    pub left_one: f64,
    /// What to know of it.
    pub hint: Option<Hint>,
}

/// What to know of a rule.
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
    /// Further machines that are not named.
    pub left_out: u32,
}

/// What agents and their caches did since the run began, and what they hold (Protean sections 4
/// and 5.2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Anatomy {
    /// The cache layers of all agents together, in the order of its panel on the page: evaluations,
    /// rule objects, shared state, journal, cells, what was kept fresh in the background.
    pub layers: Vec<LayerCounts>,
    /// What the rule objects of each rule did.
    pub objects: Vec<ObjectCounts>,
    /// One by one.
    pub agents: Vec<AgentCounts>,
}

/// What one cache layer did; none where it has no such count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LayerCounts {
    /// Uses that found what they needed.
    pub hits: Option<f64>,
    /// Uses that had to make it.
    pub misses: Option<f64>,
    /// Machines brought up to date; of cells, cells compared.
    pub work: Option<f64>,
    /// Things kept.
    pub entries: Option<f64>,
    /// Bytes they take.
    pub bytes: Option<f64>,
}

/// What the rule objects of one rule did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectCounts {
    /// The rule.
    pub rule: String,
    /// Uses that found an object.
    pub hits: f64,
    /// Uses that had to make one.
    pub misses: f64,
}

/// What one agent does, and did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentCounts {
    /// Whether it has nothing to decide.
    pub is_idle: bool,
    /// Its decisions on their way to the store, the one it is making among them.
    pub in_flight: u32,
    /// VMs it decided, tries counted.
    pub decided: f64,
    /// Its commits that failed.
    pub conflicts: f64,
    /// Changes in the store that it has not read yet.
    pub behind: f64,
    /// Decisions that found an evaluation.
    pub hits: f64,
    /// Decisions that had to make one.
    pub misses: f64,
}
