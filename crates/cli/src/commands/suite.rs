//! `tiebreak suite`: the workloads that lists are scored on, and the scores of the known lists.

use serde::Serialize;
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::at_once::at_once;
use tiebreak_console::given::Given;
use tiebreak_console::shown::table;
use tiebreak_console::trace::workloads;
use xxhash_rust::xxh3::xxh3_64;

use crate::suite::{SUITE, Scored, known};

#[derive(Serialize)]
struct SuiteReport {
    suite: &'static str,
    workloads: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    workload: &'static str,
    help: &'static str,
    small: bool,
}

/// A list's row of the table.
#[derive(Serialize)]
struct Row {
    list: &'static str,
    score: f64,
    /// The score of each workload.
    workloads: Vec<f64>,
    /// A number that two lists share only if they decide the same everywhere.
    digest: String,
}

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    match given.words.first().map_or("list", String::as_str) {
        "list" => Ok(list(given)),
        "table" => scores(given),
        other => Err(Failure(format!("expected list or table, got \"{other}\"; write `tiebreak suite list`"))),
    }
}

fn list(given: &Given) -> Answer {
    let suite: &'static _ = &*SUITE;
    let one = |it: &'static crate::suite::SuiteWorkload| Listed { workload: &it.id, help: &it.help, small: it.small };
    let report = SuiteReport { suite: &suite.name, workloads: suite.workloads.iter().map(one).collect() };
    Answer::either(given, &report, || {
        let small = |it: &Listed| if it.small { "small".to_owned() } else { String::new() };
        let row = |it: &Listed| vec![it.workload.to_owned(), small(it), it.help.to_owned()];
        format!("{}\n\n{}", report.suite, table(&report.workloads.iter().map(row).collect::<Vec<_>>()))
    })
}

fn scores(given: &Given) -> Result<Answer, Failure> {
    let lists = known()?;
    let workloads = workloads(given);
    let places = |list: usize| (0..SUITE.workloads.len()).map(move |at| (list, at));
    let jobs: Vec<(usize, usize)> = (0..lists.len()).flat_map(places).collect();
    let score = |(list, at): &(usize, usize)| SUITE.workloads[*at].score(&lists[*list].1, &SUITE.seeds, &workloads);
    let scored = at_once(&jobs, score)?;
    let row = |((title, _), scored): (&(&'static str, _), &[Scored])| {
        let digests: Vec<u8> = scored.iter().flat_map(|it| it.digest.to_le_bytes()).collect();
        Row {
            list: title,
            score: scored.iter().map(|it| it.score).sum::<f64>() / scored.len() as f64,
            workloads: scored.iter().map(|it| it.score).collect(),
            digest: format!("{:016x}", xxh3_64(&digests)),
        }
    };
    let rows: Vec<Row> = lists.iter().zip(scored.chunks(SUITE.workloads.len())).map(row).collect();
    Ok(Answer::either(given, &rows, || markdown(&rows)))
}

/// The table as in docs/SUITE.md.
fn markdown(rows: &[Row]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let ids = SUITE.workloads.iter().map(|workload| workload.id.clone());
    let head: Vec<_> = ["list", "score"].map(String::from).into_iter().chain(ids).chain(["digest".into()]).collect();
    let mut text = line(&head) + &format!("|---|{}\n", "---:|".repeat(head.len() - 1));
    for row in rows {
        let scores = row.workloads.iter().map(|score| format!("{score:.2}"));
        let cells = [row.list.to_owned(), format!("{:.2}", row.score)].into_iter().chain(scores);
        text += &line(&cells.chain([format!("`{}`", row.digest)]).collect::<Vec<_>>());
    }
    text
}
