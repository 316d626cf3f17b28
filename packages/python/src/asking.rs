//! Questions that take several runs: comparisons, sweeps, searches, sizes.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;
use tiebreak_model::Workload;
use tiebreak_profile::sizing::Mix;
use tiebreak_scenario::search::{Search, SearchPlan};
use tiebreak_scenario::{Document, PRESETS, SweepPlan, SweepTable, Variant};
use tiebreak_sim::METRICS;
use tiebreak_study::at_once::{in_order, processors};
use tiebreak_study::compare::{Contender, planned};
use tiebreak_study::size::{Asked, machine_of, mix_of};
use tiebreak_study::{Failure, Workloads, fields, search as searches, sweep as sweeps, traces};

use crate::follow::{followed, value_error};
use crate::run::ready;
use crate::scenario::{Fields, Scenario, borrowed};
use crate::trace::Trace;

/// A finding as JSON and in words.
type Told = (String, String);

/// Compares a scenario with another one, with sets of fields, or with named sets, over paired seeds.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python half names each of them")]
pub(crate) fn compare(
    py: Python<'_>,
    scenario: Option<&Scenario>,
    fields: Fields,
    others: Vec<(String, Py<Scenario>)>,
    sets: Vec<Fields>,
    plans: Vec<String>,
    seeds: u64,
    trace: Option<&Trace>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Told> {
    let base = ready(py, scenario, None, &fields, trace)?.variant;
    let trace: Option<Arc<Workload>> = trace.map(|trace| trace.workload.clone());
    let mut contenders = Vec::new();
    for (name, other) in others {
        contenders.push(Contender { name, variant: other.get().variant(None)? });
    }
    for set in sets {
        let name: Vec<_> = set.iter().map(|(path, value)| format!("{path}={value}")).collect();
        contenders.push(with_set(&base, name.join(","), &set).map_err(value_error)?);
    }
    for plan in plans {
        contenders.extend(planned(&base, &plan).map_err(value_error)?);
    }
    if contenders.is_empty() {
        let told = "expected something to compare with, got nothing; pass another scenario, sets or plans";
        return Err(PyValueError::new_err(told));
    }
    let found = followed(py, progress.as_ref(), |watch| {
        let source = |variant: &Variant| traces::workload(variant, trace.as_ref());
        let workloads = Workloads::of(source, trace.is_some());
        tiebreak_study::compare::compare(&workloads, &base, &contenders, seeds, watch)
    })?;
    Ok((serde_json::to_string(&found).map_err(value_error)?, found.text()))
}

fn with_set(base: &Variant, name: String, set: &Fields) -> Result<Contender, Failure> {
    let mut variant = base.clone();
    fields::set_all(&mut variant, &borrowed(set))?;
    Ok(Contender { name, variant })
}

/// Runs a sweep; the rows in order, as JSON.
#[pyfunction]
pub(crate) fn sweep(
    py: Python<'_>,
    plan: &str,
    scenario: &Scenario,
    fields: Fields,
    trace: Option<&Trace>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let plan = SweepPlan::read(plan).map_err(value_error)?;
    let sweep = plan.over(&all_set(scenario, &fields)?).map_err(value_error)?;
    let table = SweepTable::of(&plan, &sweep);
    let trace: Option<Arc<Workload>> = trace.map(|trace| trace.workload.clone());
    let numbers: Vec<u64> = (0..sweep.count()).collect();
    let rows = followed(py, progress.as_ref(), |watch| {
        let source = |variant: &Variant| traces::workload(variant, trace.as_ref());
        let workloads = Workloads::of(source, trace.is_some());
        let make = |number: &u64| {
            let run = sweep.run(*number).expect("a number below the count");
            sweeps::row(&plan, &table, run, &workloads, watch)
        };
        let mut rows = Vec::new();
        in_order(&numbers, processors(), watch, make, |row| {
            rows.push(sweeps::json_row(&sweep, &table, &row));
            Ok(())
        })?;
        Ok(rows)
    })?;
    Ok(Value::Array(rows).to_string())
}

/// The scenario's document with these fields set in every variant.
fn all_set(scenario: &Scenario, fields: &Fields) -> PyResult<Document> {
    let mut document = scenario.copied();
    for variant in &mut document.variants {
        fields::set_all(variant, &borrowed(fields)).map_err(value_error)?;
    }
    Ok(document)
}

/// Searches for a better list of rules.
#[pyfunction]
pub(crate) fn search(
    py: Python<'_>,
    plan: &str,
    scenario: &Scenario,
    fields: Fields,
    trace: Option<&Trace>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Told> {
    let plan = SearchPlan::read(plan).map_err(value_error)?;
    let search = Search::new(&plan, &all_set(scenario, &fields)?).map_err(value_error)?;
    let trace: Option<Arc<Workload>> = trace.map(|trace| trace.workload.clone());
    let found = followed(py, progress.as_ref(), |watch| {
        let source = |variant: &Variant| traces::workload(variant, trace.as_ref());
        let workloads = Workloads::of(source, trace.is_some());
        searches::search(search, &workloads, processors(), &mut (), watch)
    })?;
    Ok((serde_json::to_string(&found).map_err(value_error)?, found.text()))
}

/// Finds how many machines a workload needs.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python half names each of them")]
pub(crate) fn size(
    py: Python<'_>,
    scenario: Option<&Scenario>,
    fields: Fields,
    trace: Option<&Trace>,
    machine: Option<&str>,
    reject: f64,
    seeds: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Told> {
    if !(0.0..1.0).contains(&reject) {
        let told = format!("reject: expected a share from 0 to less than 1, got {reject}; write 0.001 for 0.1 %");
        return Err(PyValueError::new_err(told));
    }
    let wrong = |word: &str| {
        PyValueError::new_err(format!("machine: expected cores and GiB, got \"{word}\"; write for instance 64x256"))
    };
    let machine = machine.map(|word| machine_of(word).ok_or_else(|| wrong(word))).transpose()?;
    let is_suggested = scenario.is_none() && trace.is_some();
    let ready = ready(py, scenario, None, &fields, trace)?;
    let mix: Option<Mix> = machine.or_else(|| (!is_suggested).then(|| mix_of(&ready.variant)));
    let asked = Asked { mix, reject, seeds };
    let found = followed(py, progress.as_ref(), |watch| {
        tiebreak_study::size::size(ready.variant, ready.workload, &asked, watch)
    })?;
    Ok((serde_json::to_string(&found).map_err(value_error)?, found.text()))
}

/// The presets: name and what they show.
#[pyfunction]
pub(crate) fn presets() -> Vec<(&'static str, &'static str)> {
    PRESETS.iter().map(|preset| (preset.id, preset.declaration().help)).collect()
}

/// The metrics: id, title, unit and what they say.
#[pyfunction]
pub(crate) fn metrics() -> Vec<[&'static str; 4]> {
    METRICS.iter().map(|it| [it.declaration.id, it.declaration.title, it.unit, it.declaration.help]).collect()
}
