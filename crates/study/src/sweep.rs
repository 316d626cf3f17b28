//! One run of a sweep as a row.

use tiebreak_scenario::{SweepPlan, SweepRow, SweepRun, SweepSubject, SweepTable};
use tiebreak_sim::World;

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
    let mut world = World::new(replay.without_samples());
    watch.finish(&mut world)?;
    let summary = world.summary();
    let measured = table.measures.iter().map(|measure| measure.of_run(&summary, world.plan())).collect();
    Ok(SweepRow { number, values, seed, digest: summary.digest, measured })
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
