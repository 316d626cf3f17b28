//! The rows of a sweep as CSV, independent of where its runs were made.

use super::{SWEEP_MEASURES, Sweep, SweepMeasure, SweepPlan};

/// The columns of a sweep.
#[derive(Clone)]
pub struct SweepTable {
    paths: Vec<String>,
    /// The figures, in order.
    pub measures: Vec<&'static SweepMeasure>,
}

/// One run's row.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepRow {
    /// The run, from 0.
    pub number: u64,
    /// The value of each parameter.
    pub values: Vec<String>,
    /// The seed.
    pub seed: u64,
    /// The digest of every decision.
    pub digest: u64,
    /// The figures, in the order of [`SweepTable::measures`]; `None` if the run did not measure it.
    pub measured: Vec<Option<f64>>,
}

impl SweepTable {
    /// The columns of a plan.
    #[must_use]
    pub fn of(plan: &SweepPlan, sweep: &Sweep) -> Self {
        let measure = |id: &String| SWEEP_MEASURES.iter().find(|measure| measure.id == id);
        Self { paths: sweep.paths().to_vec(), measures: plan.measures.iter().filter_map(measure).collect() }
    }

    /// The first line, with the names of the columns.
    #[must_use]
    pub fn header(&self) -> String {
        let paths = self.paths.iter().map(String::as_str);
        let measures = self.measures.iter().map(|measure| measure.id);
        line(std::iter::once("number").chain(paths).chain(["seed", "digest"]).chain(measures))
    }

    /// The line of a run.
    #[must_use]
    pub fn line(&self, row: &SweepRow) -> String {
        let mut cells = vec![row.number.to_string()];
        cells.extend(row.values.iter().cloned());
        cells.extend([row.seed.to_string(), row.digest()]);
        cells.extend(row.measured());
        line(cells.iter().map(String::as_str))
    }
}

impl SweepRow {
    /// The digest as 16 hex digits.
    #[must_use]
    pub fn digest(&self) -> String {
        format!("{:016x}", self.digest)
    }

    /// The figures as cell texts, empty if the run did not measure them.
    pub fn measured(&self) -> impl Iterator<Item = String> + '_ {
        let finite = |value: &Option<f64>| value.filter(|value| value.is_finite());
        self.measured.iter().map(move |value| finite(value).map_or_else(String::new, |value| value.to_string()))
    }
}

/// Cells as one line of CSV, quoted if needed.
fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let cell = |cell: &str| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    };
    cells.map(cell).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_would_break_a_line_stands_in_quotes() {
        let table = SweepTable { paths: vec!["name".into(), "agents.count".into()], measures: Vec::new() };
        assert_eq!(table.header(), "number,name,agents.count,seed,digest\n");
        let row = |name: &str, measured| SweepRow {
            number: 3,
            values: vec![name.into(), "4".into()],
            seed: 7,
            digest: 0xbeef,
            measured,
        };
        for (name, cell) in [("night", "night"), ("a, b", "\"a, b\""), ("say \"so\"", "\"say \"\"so\"\"\"")] {
            assert_eq!(table.line(&row(name, vec![])), format!("3,{cell},4,7,000000000000beef\n"));
        }
        let measured = vec![Some(0.1), None, Some(f64::NAN), Some(12.0)];
        assert!(table.line(&row("night", measured)).ends_with(",000000000000beef,0.1,,,12\n"));
    }
}
