//! `tiebreak reproduce`: a paper's table computed again, ours beside it.

mod protean_table5;

use serde::Serialize;

use crate::answer::{Answer, Failure};
use crate::given::Given;

/// A table that can be computed again.
struct Table {
    name: &'static str,
    run: fn(&Given) -> Result<Answer, Failure>,
}

static TABLES: &[Table] = &[Table { name: "protean-table5", run: protean_table5::run }];

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let name = given.words.first().map_or(TABLES[0].name, String::as_str);
    let table = TABLES.iter().find(|table| table.name == name).ok_or_else(|| {
        let names: Vec<_> = TABLES.iter().map(|table| table.name).collect();
        Failure(format!("expected the name of a table ({}), got \"{name}\"; write one of these", names.join(", ")))
    })?;
    (table.run)(given)
}

/// A direction that the paper's table shows, and whether ours shows it.
#[derive(Serialize)]
struct Check {
    what: &'static str,
    holds: bool,
    /// Where it does not hold.
    why: Option<String>,
}

impl Check {
    /// Holds when there is no reason against it.
    fn new(what: &'static str, why: Option<String>) -> Self {
        Self { what, holds: why.is_none(), why }
    }

    fn text(&self) -> String {
        match &self.why {
            None => format!("  holds: {}\n", self.what),
            Some(why) => format!("  does not hold: {}: {why}\n", self.what),
        }
    }
}

/// A figure over seeds.
#[derive(Clone, Copy, Serialize)]
struct Spread {
    mean: f64,
    min: f64,
    max: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let (count, sum) = values.clone().fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
        let (min, max) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
        Self { mean: sum / count, min, max }
    }

    /// `86.31 (86.2-86.4)`.
    fn text(&self, decimals: usize) -> String {
        let Self { mean, min, max } = self;
        format!("{mean:.decimals$} ({min:.decimals$}-{max:.decimals$})")
    }
}
