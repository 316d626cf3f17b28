//! The run that the page's first one is compared with, made when the page was built: the same scenario
//! without one rule. So two futures differ on screen before anybody has touched anything.

use std::collections::BTreeMap;

use serde::Deserialize;
use tiebreak_scenario::presets;
use tiebreak_sim::METRICS;

use super::{App, Outcome};
use crate::protocol::RunResult;

/// What `tiebreak first-picture` says of that run.
#[derive(Deserialize)]
struct Example {
    horizon_ms: f64,
    times: Vec<f64>,
    /// By metric.
    values: BTreeMap<String, Vec<f64>>,
    digest: String,
    placements: f64,
    rejections: f64,
    conflicts: f64,
    empty_hosts_pct: f64,
    packing_density_pct: f64,
}

impl App {
    /// Compares the page's first run with this one, until there is a run to compare with. Of a text that says
    /// nothing, nothing comes.
    pub fn show_example(&mut self, json: &str) {
        let Ok(example) = serde_json::from_str::<Example>(json) else { return };
        let Example { horizon_ms, times, mut values, .. } = example;
        let result = RunResult {
            digest: example.digest,
            placements: example.placements,
            rejections: example.rejections,
            conflicts: example.conflicts,
            empty_hosts_pct: example.empty_hosts_pct,
            packing_density_pct: example.packing_density_pct,
            ..RunResult::default()
        };
        let of = |metric: &tiebreak_sim::Metric| values.remove(metric.declaration.id).unwrap_or_default();
        self.front.baseline = Some(Outcome {
            document: presets::first_without(),
            horizon_ms,
            times,
            values: METRICS.iter().map(of).collect(),
            result: Some(result),
            is_example: true,
            ..Outcome::default()
        });
    }

    /// Whether the run on screen is compared with the one that came with the page.
    #[must_use]
    pub fn shows_example(&self) -> bool {
        self.front.baseline.as_ref().is_some_and(|before| before.is_example)
    }
}
