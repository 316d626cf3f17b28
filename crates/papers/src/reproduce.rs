//! `tiebreak reproduce`: reproduces the papers' tables and figures next to the originals.
//!
//! One file per table or figure. Each states what was run, gives rows with the paper's value and ours, and checks the
//! directions that the paper shows (`verdict.rs`).

mod admission;
mod admission_appendix_e;
mod admission_fig1;
mod admission_fig2;
mod admission_forecast;
mod admission_table2;
mod demand;
mod dvla;
mod dvla_fig10;
mod dvla_fig11;
mod dvla_fig8;
mod figure;
mod gridiron_amdahl;
mod gridiron_case;
mod gridiron_demand;
mod gridiron_fig3;
mod gridiron_fig8;
mod hourly;
mod lava_choices;
mod lava_fig15;
mod lava_fig16;
mod lava_fig17;
mod lava_fig6;
mod lava_stranding;
mod lava_table2;
mod lava_table4;
mod lava_theorem1;
mod outcomes;
mod pools;
mod power;
mod power_fig4;
mod power_fig6;
mod power_fig7;
mod power_table2;
mod power_table3;
mod power_table4;
mod protean_conflicts;
mod protean_fig10;
mod protean_fig11;
mod protean_fig12;
mod protean_fig13;
mod protean_fig14;
mod protean_fig15;
mod protean_fig16;
mod protean_fig9;
mod protean_table5;
mod rates;
mod record;
mod vdcs;
mod verdict;
mod zone;

use std::time::Instant;

use serde::Serialize;

use tiebreak_console::answer::{Answer, Failure, note};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::shown::table;

pub(crate) use gridiron_amdahl::GHZ;
pub(crate) use power_table4::P99;
use record::Record;
pub(crate) use record::VERDICTS;
use verdict::{Check, Tally, Verdict};

/// A reproducible table or figure.
#[derive(Clone, Copy)]
struct Reproducible {
    name: &'static str,
    /// What it shows.
    about: &'static str,
    run: fn(&Given) -> Result<Exhibit, Failure>,
}

static ENTRIES: &[Reproducible] = &[
    Reproducible {
        name: "protean-table5",
        about: "effect of BestFit's buckets on packing, choice and conflicts",
        run: protean_table5::run,
    },
    Reproducible { name: "protean-fig9", about: "cache hit ratios over a day", run: protean_fig9::run },
    Reproducible { name: "protean-fig10", about: "decision time on a hit and on a miss", run: protean_fig10::run },
    Reproducible { name: "protean-fig11", about: "latency over the size of the zone", run: protean_fig11::run },
    Reproducible {
        name: "protean-fig12",
        about: "memory of an agent over the size of the zone",
        run: protean_fig12::run,
    },
    Reproducible {
        name: "protean-fig13",
        about: "a demand spike with different numbers of agents",
        run: protean_fig13::run,
    },
    Reproducible {
        name: "protean-fig14",
        about: "conflicts with and without conflict avoidance",
        run: protean_fig14::run,
    },
    Reproducible { name: "protean-fig15", about: "demand accelerated up to 1,000 times", run: protean_fig15::run },
    Reproducible {
        name: "protean-fig16",
        about: "a higher cluster limit with recommended migrations",
        run: protean_fig16::run,
    },
    Reproducible {
        name: "protean-conflicts",
        about: "conflicts with coarse and fine-grained detection, and retries",
        run: protean_conflicts::run,
    },
    Reproducible { name: "lava-fig6", about: "empty hosts with lifetime rules, in many pools", run: lava_fig6::run },
    Reproducible { name: "lava-fig15", about: "empty hosts by prediction accuracy", run: lava_fig15::run },
    Reproducible { name: "lava-fig16", about: "from the baseline to the bound, step by step", run: lava_fig16::run },
    Reproducible { name: "lava-fig17", about: "predictions that stay valid for some time", run: lava_fig17::run },
    Reproducible { name: "lava-stranding", about: "cores and memory that no VM can use", run: lava_stranding::run },
    Reproducible {
        name: "lava-table2",
        about: "migrations saved by moving the longest-lived first",
        run: lava_table2::run,
    },
    Reproducible { name: "lava-table4", about: "quality of lifetime predictions", run: lava_table4::run },
    Reproducible {
        name: "lava-choices",
        about: "what each reading of the text is worth in empty hosts",
        run: lava_choices::run,
    },
    Reproducible { name: "lava-theorem1", about: "hosts saved by learning, by pool size", run: lava_theorem1::run },
    Reproducible {
        name: "dvla-fig8",
        about: "density and placement debt with lifetime rules, in steady, drifting and new clusters",
        run: dvla_fig8::run,
    },
    Reproducible { name: "dvla-fig10", about: "what each part of DVLA is worth", run: dvla_fig10::run },
    Reproducible {
        name: "dvla-fig11",
        about: "density of DVLA by how many long-lived VMs are recognised",
        run: dvla_fig11::run,
    },
    Reproducible { name: "gridiron-fig3", about: "concurrent VMs of virtual datacenters", run: gridiron_fig3::run },
    Reproducible {
        name: "gridiron-fig8",
        about: "the same, capped at 30 by rolling overflow",
        run: gridiron_fig8::run,
    },
    Reproducible {
        name: "gridiron-case",
        about: "bounds on bandwidth, and VMs whose links do not fit",
        run: gridiron_case::run,
    },
    Reproducible {
        name: "gridiron-demand",
        about: "bandwidth demand over time, compared with cores",
        run: gridiron_demand::run,
    },
    Reproducible {
        name: "gridiron-amdahl",
        about: "bandwidth for each instruction, by class of hardware",
        run: gridiron_amdahl::run,
    },
    Reproducible {
        name: "admission-table2",
        about: "cluster utilization under one service level, by admission policy",
        run: admission_table2::run,
    },
    Reproducible {
        name: "admission-fig1",
        about: "value of knowing a deployment in advance",
        run: admission_fig1::run,
    },
    Reproducible { name: "admission-fig2", about: "users who label their deployments", run: admission_fig2::run },
    Reproducible {
        name: "admission-forecast",
        about: "forecasts of new deployments compared with what becomes of them",
        run: admission_forecast::run,
    },
    Reproducible {
        name: "admission-appendix-e",
        about: "deployments that end before capacity gets tight",
        run: admission_appendix_e::run,
    },
    Reproducible {
        name: "power-table2",
        about: "precision of finding daily patterns, with templates and other methods",
        run: power_table2::run,
    },
    Reproducible {
        name: "power-table3",
        about: "quality of predictions of a VM's type and 95th percentile",
        run: power_table3::run,
    },
    Reproducible {
        name: "power-fig4",
        about: "a capped server: which VMs are throttled, and how much",
        run: power_fig4::run,
    },
    Reproducible { name: "power-fig6", about: "a chassis with a budget, by VM placement", run: power_fig6::run },
    Reproducible {
        name: "power-fig7",
        about: "costs and benefits of balancing power, by alpha, with rules in strict order",
        run: power_fig7::strict,
    },
    Reproducible {
        name: "power-fig7-weights",
        about: "the same with weighted rules, as in the paper",
        run: power_fig7::weighted,
    },
    Reproducible {
        name: "power-table4",
        about: "how far budgets can be lowered, by capping method",
        run: power_table4::run,
    },
];

/// The argument that chooses what to reproduce.
pub(crate) const WORDS: &str = "[NAME|all]";

/// The option for the folder of drawings.
pub(crate) const OUT: Opt =
    Opt { name: "out", value: Some("DIR"), help: "a folder for the figure as NAME.svg and its points as NAME.csv" };

/// The option for the seeds to run.
pub(crate) const FIRST_SEED: Opt = Opt {
    name: "first-seed",
    value: Some("N"),
    help: "the first of the seeds (1); with others, such as 1001, no verdict may turn",
};

/// The option for the number of runs of the tables about admission.
pub(crate) const RUNS: Opt = Opt {
    name: "runs",
    value: Some("N"),
    help: "seeds for each threshold of the tables about admission (32, or 24); more make intervals narrower",
};

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    match given.words.first().map(String::as_str) {
        None => Ok(list(given)),
        Some("all") => all(given),
        Some(name) => Ok(recorded(given, find(name)?)?.answer),
    }
}

fn find(name: &str) -> Result<&'static Reproducible, Failure> {
    ENTRIES.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<_> = ENTRIES.iter().map(|entry| entry.name).collect();
        let names = names.join(", ");
        Failure(format!("expected the name of a table or figure ({names}) or all, got \"{name}\"; write one of these"))
    })
}

/// The available tables and figures, without computing any.
fn list(given: &Given) -> Answer {
    let rows: Vec<_> =
        ENTRIES.iter().map(|entry| serde_json::json!({ "name": entry.name, "about": entry.about })).collect();
    let lines = ENTRIES.iter().map(|entry| format!("  {:<22}{}\n", entry.name, entry.about));
    Answer::either(given, &rows, || {
        format!("{}\n`tiebreak reproduce all` computes all of them.\n", lines.collect::<String>())
    })
}

/// Computes a table or figure, and writes its verdicts where they are kept.
fn recorded(given: &Given, entry: &Reproducible) -> Result<Exhibit, Failure> {
    let record = Record::of(given, ENTRIES.iter().map(|entry| entry.name).collect())?;
    let begun = Instant::now();
    let exhibit = (entry.run)(given)?;
    record.note(entry.name, begun.elapsed(), &exhibit.checks)?;
    Ok(exhibit)
}

/// All tables and figures in turn: their texts and a summary, or one array.
fn all(given: &Given) -> Result<Answer, Failure> {
    let (mut texts, mut exhibits) = (Vec::new(), Vec::new());
    for entry in ENTRIES {
        note(&format!("{}: {}", entry.name, entry.about));
        let exhibit = recorded(given, entry)?;
        texts.push(exhibit.answer.text);
        exhibits.push((entry.name, exhibit.checks));
    }
    let verdicts = exhibits.iter().map(|(_, checks)| Tally::of(checks).verdict());
    let verdict = verdicts.max().unwrap_or(Verdict::Holds);
    let text = if given.has("json") {
        format!("[\n{}\n]\n", texts.iter().map(|text| text.trim_end()).collect::<Vec<_>>().join(",\n"))
    } else {
        format!("{}\n\n{}", texts.join("\n\n"), summary(&exhibits))
    };
    Ok(verdict.on(Answer::text(text)))
}

/// How many directions hold, per exhibit, and the first of those with the worst verdict.
fn summary(exhibits: &[(&str, Vec<Check>)]) -> String {
    let mut rows = vec![["exhibit", "holds", "does not", "undecided", "fitted"].map(String::from).to_vec()];
    let cells = |(name, checks): &(&str, Vec<Check>)| {
        std::iter::once((*name).to_owned()).chain(Tally::of(checks).cells()).collect::<Vec<_>>()
    };
    rows.extend(exhibits.iter().map(cells));
    let worst = exhibits.iter().filter_map(|(name, checks)| Some(format!("{name}:\n{}", Check::worst(checks)?.text())));
    format!("{}\n{}", table(&rows), worst.collect::<String>())
}

/// The directions and remarks of a table or figure as text.
fn judged(checks: &[Check], remarks: &[String]) -> String {
    let tally = Tally::of(checks).text();
    let checks: String = checks.iter().map(Check::text).collect();
    let remarks: String = remarks.iter().map(|remark| format!("  remark: {remark}\n")).collect();
    format!("{tally}\n{checks}{remarks}")
}

/// A reproduced table or figure.
struct Exhibit {
    answer: Answer,
    checks: Vec<Check>,
}

impl Exhibit {
    /// As text or JSON; its directions determine the exit code.
    fn new(given: &Given, exhibit: &impl Serialize, checks: &[Check], text: impl FnOnce() -> String) -> Self {
        let answer = Tally::of(checks).verdict().on(Answer::either(given, exhibit, text));
        Self { answer, checks: checks.to_vec() }
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
        let to = if *min < 0.0 { " to " } else { "-" };
        format!("{mean:.decimals$} ({min:.decimals$}{to}{max:.decimals$})")
    }
}
