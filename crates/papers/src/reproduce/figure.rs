//! A reproduced figure: rows, directions, a drawing.

use std::path::Path;

use serde::Serialize;
use tiebreak_chart::{Caption, Panel, Theme, panels_file, panels_rows};

use super::verdict::{Check, Tally, Verdict};
use super::{Exhibit, Spread, judged};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::shown::{table, wrapped};
use tiebreak_console::whole;

/// The result.
#[derive(Serialize)]
pub(super) struct Figure {
    name: &'static str,
    source: &'static str,
    /// What was run.
    setting: String,
    seeds: Vec<u64>,
    rows: Vec<Row>,
    verdict: Verdict,
    checks: Vec<Check>,
    /// Deviations from the paper beyond the checked directions.
    remarks: Vec<String>,
    /// The drawing's file, if it was written.
    svg: Option<String>,
    /// The file with the drawing's points.
    csv: Option<String>,
    /// The file with one row for each run.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<String>,
}

/// The description of a figure.
pub(super) struct About {
    pub(super) name: &'static str,
    /// Paper and figure.
    pub(super) source: &'static str,
    /// What was run, in one sentence.
    pub(super) setting: String,
    pub(super) seeds: Vec<u64>,
}

/// The findings: a table, directions, remarks, and a drawing.
pub(super) struct Findings {
    pub(super) rows: Vec<Row>,
    pub(super) checks: Vec<Check>,
    pub(super) remarks: Vec<String>,
    pub(super) panels: Vec<Panel>,
}

/// A row of the table.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) what: String,
    /// The paper's value; `None` if its text gives no number.
    pub(super) paper: Option<&'static str>,
    pub(super) ours: Vec<Measure>,
}

/// A number of ours with its name.
#[derive(Clone, Serialize)]
pub(super) struct Measure {
    pub(super) what: &'static str,
    #[serde(skip)]
    pub(super) decimals: usize,
    pub(super) spread: Spread,
}

impl Measure {
    /// From one value per seed.
    pub(super) fn of(what: &'static str, decimals: usize, values: impl Iterator<Item = f64> + Clone) -> Self {
        Self { what, decimals, spread: Spread::of(values) }
    }

    fn text(&self) -> String {
        let Spread { mean, min, max } = self.spread;
        let decimals = self.decimals;
        if mean.is_nan() {
            "-".into()
        } else if min == max {
            format!("{mean:.decimals$}")
        } else {
            self.spread.text(decimals)
        }
    }
}

/// `1 agent`, `5 agents`.
pub(super) fn of_agents(count: u32) -> String {
    if count == 1 { "1 agent".into() } else { format!("{count} agents") }
}

/// Rejects options that a figure cannot use.
pub(super) fn without_trace(given: &Given, name: &str) -> Result<(), Failure> {
    if given.has("trace") && given.words.first().is_some_and(|word| word == name) {
        return Err(Failure(format!("expected no --trace for {name}, which generates its own workload; remove it")));
    }
    Ok(())
}

/// The small size or the full one.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) is_quick: bool,
    pub(super) first_seed: u64,
}

impl Scale {
    pub(super) fn of(given: &Given) -> Result<Self, Failure> {
        let first_seed = given.number("first-seed")?.unwrap_or(1);
        Ok(Self { is_quick: given.has("quick"), first_seed })
    }

    /// The value for this size.
    pub(super) fn pick<T>(self, quick: T, full: T) -> T {
        if self.is_quick { quick } else { full }
    }

    /// Seeds from the first one; the small size has only one, which is not enough for a verdict.
    pub(super) fn seeds(self, full: usize) -> Vec<u64> {
        self.seeds_of(1, full)
    }

    /// As many seeds as this size has.
    pub(super) fn seeds_of(self, quick: usize, full: usize) -> Vec<u64> {
        (self.first_seed..).take(self.pick(quick, full)).collect()
    }
}

impl Figure {
    /// The answer of a figure; with `--out`, it also writes the drawing.
    pub(super) fn answer(given: &Given, about: About, findings: Findings) -> Result<Exhibit, Failure> {
        Self::answer_with_runs(given, about, findings, &[])
    }

    /// The same; with `--out`, it also writes these rows, one for each run below a header, as NAME-runs.csv.
    pub(super) fn answer_with_runs(
        given: &Given,
        about: About,
        findings: Findings,
        runs: &[Vec<String>],
    ) -> Result<Exhibit, Failure> {
        let About { name, source, setting, seeds } = about;
        let Findings { rows, checks, remarks, panels } = findings;
        let verdict = Tally::of(&checks).verdict();
        let mut figure =
            Self { name, source, setting, seeds, rows, verdict, checks, remarks, svg: None, csv: None, runs: None };
        if let Some(folder) = given.one("out") {
            figure.write(Path::new(folder), &panels, runs)?;
        }
        Ok(Exhibit::new(given, &figure, &figure.checks, || figure.text()))
    }

    fn write(&mut self, folder: &Path, panels: &[Panel], runs: &[Vec<String>]) -> Result<(), Failure> {
        let unwritable = |error: &dyn std::fmt::Display| {
            Failure(format!("expected to write into {}, got: {error}; choose another --out", folder.display()))
        };
        std::fs::create_dir_all(folder).map_err(|error| unwritable(&error))?;
        let file = |kind: &str| folder.join(format!("{}.{kind}", self.name));
        let caption = Caption { text: &format!("{}, by tiebreak. {}", self.source, self.setting), link: "" };
        let drawing = panels_file(panels, (720, 220), Theme::Light, caption);
        whole::write(&file("svg"), drawing.as_bytes())?;
        whole::write(&file("csv"), &written(panels_rows(panels))?)?;
        let shown = |kind| Some(file(kind).display().to_string());
        (self.svg, self.csv) = (shown("svg"), shown("csv"));
        if !runs.is_empty() {
            let file = folder.join(format!("{}-runs.csv", self.name));
            whole::write(&file, &written(runs)?)?;
            self.runs = Some(file.display().to_string());
        }
        Ok(())
    }

    fn text(&self) -> String {
        let seeds = if self.seeds.len() == 1 { "1 seed".into() } else { format!("{} seeds", self.seeds.len()) };
        let head = wrapped(&format!("{}. {} {seeds}.", self.source, self.setting), "");
        let files = [&self.svg, &self.csv, &self.runs].into_iter().flatten();
        let files: String = files.map(|file| format!("  written: {file}\n")).collect();
        format!("{head}\n{}\n{}{files}", self.table(), judged(&self.checks, &self.remarks))
    }

    fn table(&self) -> String {
        let with_paper = self.rows.iter().any(|row| row.paper.is_some());
        let mut head = vec![String::new()];
        head.extend(self.rows[0].ours.iter().map(|measure| measure.what.to_owned()));
        if with_paper {
            head.insert(1, "the paper".into());
        }
        let cells = |row: &Row| {
            let mut cells = vec![row.what.clone()];
            if with_paper {
                cells.push(row.paper.unwrap_or("").into());
            }
            cells.extend(row.ours.iter().map(Measure::text));
            cells
        };
        let mut rows = vec![head];
        rows.extend(self.rows.iter().map(cells));
        table(&rows)
    }
}

fn written<R: IntoIterator<Item: AsRef<[u8]>>>(rows: impl IntoIterator<Item = R>) -> Result<Vec<u8>, Failure> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    for row in rows {
        csv.write_record(row)?;
    }
    Ok(csv.into_inner()?)
}
