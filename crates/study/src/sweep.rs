//! One run of a sweep as a row.

use serde_json::{Map, Value, json};
use tiebreak_scenario::sweep::SweepMeasure;
use tiebreak_scenario::{Sweep, SweepPlan, SweepRow, SweepRun, SweepSubject, SweepTable};
use tiebreak_sim::{Plan, World};

use crate::watch::Watch;
use crate::{Failure, Workloads};

/// The row of a run. It depends only on its number, so shards of a sweep join to the whole.
///
/// # Errors
/// With the run's number, if its scenario does not make a plan or its trace is missing.
pub fn row(
    plan: &SweepPlan,
    table: &SweepTable,
    run: SweepRun,
    workloads: &Workloads<'_>,
    watch: &Watch<'_>,
) -> Result<SweepRow, Failure> {
    if plan.subject == SweepSubject::AdmissionLab {
        return of_years(table, run);
    }
    let SweepRun { number, values, seed, document } = run;
    let named = |Failure(why): Failure| Failure(format!("run {number}: {why}"));
    let replay = workloads.plan(document.active_variant()).map_err(named)?;
    let (measured, digest) = measured(replay, &table.measures, watch)?;
    Ok(SweepRow { number, values, seed, digest, measured })
}

/// These measures of a run, and its digest.
///
/// # Errors
/// If the work was stopped.
pub fn measured(plan: Plan, measures: &[&SweepMeasure], watch: &Watch<'_>) -> Result<(Vec<Option<f64>>, u64), Failure> {
    let mut world = World::new(plan.without_samples());
    watch.finish(&mut world)?;
    let summary = world.summary();
    Ok((measures.iter().map(|measure| measure.of_run(&summary, world.plan())).collect(), summary.digest))
}

/// The row of a run of the admission lab.
fn of_years(table: &SweepTable, run: SweepRun) -> Result<SweepRow, Failure> {
    let SweepRun { number, values, seed, document } = run;
    let variant = document.active_variant();
    let mut years = variant.years().map_err(|error| Failure(format!("run {number}: {error}")))?;
    while years.advance(u32::MAX) {}
    let total = years.total();
    let measured = table.measures.iter().map(|measure| measure.of_years(&total, &variant.admission_lab)).collect();
    Ok(SweepRow { number, values, seed, digest: years.digest(), measured })
}

/// A row as JSON.
#[must_use]
pub fn json_row(sweep: &Sweep, table: &SweepTable, row: &SweepRow) -> Value {
    let named = |names: Vec<&str>, texts: Vec<String>| -> Map<_, _> {
        names.into_iter().map(String::from).zip(texts.iter().map(|text| as_json(text))).collect()
    };
    let values = named(sweep.paths().iter().map(String::as_str).collect(), row.values.clone());
    let measures = named(table.measures.iter().map(|measure| measure.id).collect(), row.measured().collect());
    let (number, seed, digest) = (row.number, row.seed, row.digest());
    json!({ "number": number, "values": values, "seed": seed, "digest": digest, "measures": measures })
}

/// A cell as JSON: a number if it is one, null if it is empty.
fn as_json(cell: &str) -> Value {
    let number = || serde_json::from_str(cell).ok().filter(Value::is_number);
    if cell.is_empty() { Value::Null } else { number().unwrap_or_else(|| json!(cell)) }
}
