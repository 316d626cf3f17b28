//! `tiebreak check`: the issues of a scenario, field by field, and the fields of imported files without a twin.

use serde::Serialize;
use tiebreak_model::{Time, VmRow, VmShape, Workload, WorkloadBuilder};
use tiebreak_scenario::{Document, Issue};

use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::Given;
use tiebreak_console::imports::{self, Told};
use tiebreak_console::scenario;

#[derive(Serialize)]
struct Checked {
    scenario: String,
    ok: bool,
    newer: bool,
    issues: Vec<IssueRow>,
}

#[derive(Serialize)]
struct IssueRow {
    path: String,
    expected: String,
    got: String,
    done: String,
}

impl From<Issue> for IssueRow {
    fn from(Issue { path, expected, got, done }: Issue) -> Self {
        Self { path, expected, got, done }
    }
}

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    match (imports::read(given)?, given.words.first()) {
        (Some(import), None) => {
            let told = Told::of(&import);
            Ok(Answer::either(given, &told, || told.text()).problem(!import.leftovers.is_empty()))
        }
        (Some(_), Some(file)) => {
            let got = format!("both, the scenario {file}");
            Err(Failure(format!("expected a scenario or --import, got {got}; check one after the other")))
        }
        (None, _) => of_scenario(given),
    }
}

fn of_scenario(given: &Given) -> Result<Answer, Failure> {
    let file = given.word(0, "the file of a scenario")?;
    let read = Document::read(&scenario::text(file)?).map_err(|error| Failure(format!("{file}: {error}")))?;
    let mut issues = read.issues;
    issues.extend(cannot_run(&read.document));
    let lines: String = issues.iter().map(|issue| format!("{issue}\n")).collect();
    let ok = issues.is_empty();
    let issues = issues.into_iter().map(IssueRow::from).collect();
    let checked = Checked { scenario: read.document.name, ok, newer: read.newer, issues };
    let text = || if ok { format!("{file}: no issues.\n") } else { lines };
    Ok(Answer::either(given, &checked, text).problem(!ok))
}

/// Issues that parsing cannot detect: a variant whose rules do not form a policy.
fn cannot_run(document: &Document) -> impl Iterator<Item = Issue> + '_ {
    let workload = std::sync::Arc::new(one_vm());
    document.variants.iter().enumerate().filter_map(move |(index, variant)| {
        let error = variant.untrained_plan(workload.clone()).err()?;
        Some(Issue {
            path: format!("variants[{index}]"),
            expected: "a variant that can run".into(),
            got: error.to_string(),
            done: "it cannot run".into(),
        })
    })
}

fn one_vm() -> Workload {
    let mut builder = WorkloadBuilder::new();
    let shape = VmShape::plain(tiebreak_model::Resources::new(1, 1, 0, 0));
    builder.push(VmRow { name: 0, tenant: 0, shape, start: Time::ZERO, end: Time::NEVER });
    builder.finish(Time(1)).expect("one VM is a workload")
}
