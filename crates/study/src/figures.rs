//! The figures of a run, by their ids.

use serde::{Serialize, Serializer};
use tiebreak_sim::figures::Part;
use tiebreak_sim::{Figure, Plan, Summary};

/// The figures of one part of a summary; as JSON, an object in their order. Counts are whole numbers, and what has
/// nothing to say is null.
#[derive(Debug)]
pub struct Figures<'a>(pub Part, pub &'a Summary, pub &'a Plan);

/// A figure's value in any format: serde_json's own numbers would be something else outside JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum Amount {
    Count(u64),
    Number(Option<f64>),
}

impl Serialize for Figures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = |figure: &Figure| match figure.value(self.1, self.2) {
            Some(count) if figure.is_count() => Amount::Count(count as u64),
            value => Amount::Number(value.filter(|value| value.is_finite())),
        };
        serializer.collect_map(self.0.figures().map(|figure| (figure.id, value(figure))))
    }
}
