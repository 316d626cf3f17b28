//! The baseline of the page's first run, made when the page was built: the same scenario without one rule. So the
//! page shows two different futures before the user does anything.

use serde_json::Value;
use tiebreak_scenario::presets;
use tiebreak_sim::METRICS;

use super::{App, Outcome};
use tiebreak_engine::protocol::RunResult;

impl App {
    /// Compares the page's first run with the included baseline, until there is another one. Ignores an empty text.
    pub fn show_example(&mut self, json: &str) {
        let Ok(told) = serde_json::from_str::<Value>(json) else { return };
        let numbers =
            |list: &Value| -> Vec<f64> { list.as_array().into_iter().flatten().filter_map(Value::as_f64).collect() };
        let shades = |of: usize| numbers(&told["shades"][of]).into_iter().map(|shade| shade as u8).collect();
        self.example_shades = [shades(0), shades(1)];
        self.front.baseline = Some(Outcome {
            document: presets::first_without(),
            horizon_ms: told["horizon_ms"].as_f64().unwrap_or_default(),
            times: numbers(&told["times"]),
            values: METRICS.iter().map(|metric| numbers(&told["values"][metric.declaration.id])).collect(),
            result: Some(RunResult::told(&told)),
            is_example: true,
            ..Outcome::default()
        });
    }

    /// Whether the displayed run is compared with the included baseline.
    #[must_use]
    pub fn shows_example(&self) -> bool {
        self.front.baseline.as_ref().is_some_and(|before| before.is_example)
    }
}
