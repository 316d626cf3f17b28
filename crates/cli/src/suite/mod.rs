//! Suites of workloads that lists of rules are scored on. A published suite never changes: its definition is a data
//! file, and a test keeps the digests of the known lists on it.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize, Serializer};
use tiebreak_console::answer::Failure;
use tiebreak_console::scenario;
use tiebreak_scenario::Variant;
use tiebreak_scenario::predictor::PredictorRow;
use tiebreak_sim::World;
use xxhash_rust::xxh3::xxh3_64;

use crate::lists::NamedList;
use tiebreak_study::Workloads;

/// A rejected share of 1 % counts as much as this many points of empty hosts.
pub(crate) const REJECTED_WEIGHS: f64 = 10.0;

/// The newest suite.
pub(crate) static SUITE: LazyLock<Suite> =
    LazyLock::new(|| serde_json::from_str(include_str!("suite-1.json")).expect("a test reads the suite"));

/// Workloads and seeds.
#[derive(Deserialize)]
pub(crate) struct Suite {
    pub(crate) name: String,
    pub(crate) seeds: Vec<u64>,
    pub(crate) hidden_seeds: Vec<u64>,
    pub(crate) workloads: Vec<SuiteWorkload>,
}

/// One workload: a preset's scenario with these fields, under any list.
#[derive(Deserialize)]
pub(crate) struct SuiteWorkload {
    pub(crate) id: String,
    pub(crate) help: String,
    /// Whether it belongs to the small suite.
    pub(crate) small: bool,
    preset: String,
    set: Vec<String>,
}

/// The figures of a list on one workload: means over the seeds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Scored {
    pub(crate) score: f64,
    pub(crate) empty_hosts_pct: f64,
    pub(crate) packing_density_pct: f64,
    pub(crate) rejected_pct: f64,
    /// A number that two lists share only if they decide the same with every seed.
    #[serde(serialize_with = "hex")]
    pub(crate) digest: u64,
}

fn hex<S: Serializer>(digest: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{digest:016x}"))
}

impl SuiteWorkload {
    /// Its scenario with a seed, without a list of its own.
    pub(crate) fn variant(&self, seed: u64) -> Result<Variant, Failure> {
        let mut variant = scenario::preset(&self.preset)?.active_variant().clone();
        scenario::set_all(&mut variant, &self.set.iter().map(String::as_str).collect::<Vec<_>>())?;
        Ok(Variant { seed, ..variant })
    }

    /// Scores a list on it.
    pub(crate) fn score(&self, list: &NamedList, seeds: &[u64], workloads: &Workloads<'_>) -> Result<Scored, Failure> {
        let mut sum = Scored::default();
        let mut digests = Vec::new();
        for seed in seeds {
            let mut world = World::new(workloads.plan(&list.on(&self.variant(*seed)?))?.without_samples());
            world.run();
            let summary = world.summary();
            let all = f64::from(world.plan().workload().vm_count().max(1));
            let rejected = 100.0 * summary.rejections as f64 / all;
            sum.empty_hosts_pct += summary.empty_hosts_pct_mean;
            sum.packing_density_pct += summary.packing_density_pct_mean;
            sum.rejected_pct += rejected;
            digests.extend(summary.digest.to_le_bytes());
        }
        let count = seeds.len() as f64;
        let mean = |sum: f64| sum / count;
        let (empty_hosts_pct, rejected_pct) = (mean(sum.empty_hosts_pct), mean(sum.rejected_pct));
        Ok(Scored {
            score: empty_hosts_pct - REJECTED_WEIGHS * rejected_pct,
            empty_hosts_pct,
            packing_density_pct: mean(sum.packing_density_pct),
            rejected_pct,
            digest: xxh3_64(&digests),
        })
    }
}

/// The known lists, for the table of a suite: titles and lists.
pub(crate) fn known() -> Result<Vec<(&'static str, NamedList)>, Failure> {
    let presets = [
        ("Tiebreak's default", "default"),
        ("Kubernetes, default profile", "kubernetes-default"),
        ("Kubernetes, bin packing", "kubernetes-packing"),
        ("Nova, default", "nova-default"),
        ("Nova, packing", "nova-packing"),
        ("Borg's best fit", "borg-best-fit"),
    ];
    let mut lists = Vec::new();
    for (title, id) in presets {
        lists.push((title, NamedList::of(id)?));
    }
    lists.push((
        "AlphaEvolve's score for Borg",
        NamedList::of("borg-best-fit")?.instead_of("BestFit", "EvolvedBorgScore")?,
    ));
    let oracle =
        PredictorRow::plain("Oracle").ok_or_else(|| Failure("expected a predictor Oracle, got none".into()))?;
    lists.push(("LAVA with an oracle", NamedList::of("recycling")?.predicted_by(oracle)));
    Ok(lists)
}
