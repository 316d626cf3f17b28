//! A run, and what came out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tiebreak_model::Workload;
use tiebreak_profile::Facts;
use tiebreak_scenario::{Document, WorkloadRef};
use tiebreak_sim::figures::Part;
use tiebreak_sim::{Fates, Placements, Samples, Summary, World};
use tiebreak_study::charts::drawn;
use tiebreak_study::figures::Figures;
use tiebreak_study::ready::Ready;
use tiebreak_study::story::story;
use tiebreak_study::{warnings, watch};

use crate::choosing::ByPython;
use crate::follow::{followed, value_error};
use crate::scenario::{Fields, Scenario, borrowed};
use crate::table::Table;
use crate::trace::Trace;

/// What came out of a run.
#[pyclass(frozen, module = "tiebreak._tiebreak")]
pub(crate) struct Run {
    ready: Ready,
    /// In a box, because a world is aligned to cache lines and Python's own memory is not.
    world: Box<Mutex<World>>,
    summary: Summary,
    /// Whether someone chose the machines, so that replaying the scenario gives another run.
    is_chosen: bool,
    /// What makes its figures doubtful, one sentence each.
    #[pyo3(get)]
    warnings: Vec<String>,
}

/// The alignment that Python gives.
const _: () = assert!(align_of::<Run>() <= 16);

/// What a call asks for: a variant, fields to set, perhaps a trace.
pub(crate) fn ready(
    py: Python<'_>,
    scenario: Option<&Scenario>,
    variant: Option<&str>,
    fields: &Fields,
    trace: Option<&Trace>,
) -> PyResult<Ready> {
    let variant = scenario.map(|scenario| scenario.variant(variant)).transpose()?;
    let trace: Option<Arc<Workload>> = trace.map(|trace| trace.workload.clone());
    followed(py, None, |_| Ready::of(variant.as_ref(), &borrowed(fields), trace.as_ref()))
}

/// Runs a scenario; `choosing` is a function that picks machines, and the expressions whose values it sees.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    scenario: Option<&Scenario>,
    variant: Option<&str>,
    fields: Fields,
    trace: Option<&Trace>,
    progress: Option<Py<PyAny>>,
    choosing: Option<(Py<PyAny>, Vec<String>)>,
) -> PyResult<Run> {
    let chooser = choosing.map(|(choose, features)| ByPython::new(choose, &features)).transpose()?;
    let is_chosen = chooser.is_some();
    let ready = ready(py, scenario, variant, &fields, trace)?;
    let facts = Facts::of(&ready.workload);
    let (mut warnings, world) = followed(py, progress.as_ref(), |follow| {
        let plan = ready.plan()?;
        let doubts = warnings::before(&ready.variant, &plan, &facts, "Trace.file(..., without_outliers=True)");
        let mut world = World::new(plan);
        world.keep_decisions();
        if let Some(chooser) = chooser {
            world.set_chooser(Box::new(chooser));
        }
        watch::run(&mut world, follow)?;
        Ok((doubts, world))
    })?;
    let summary = world.summary();
    warnings.extend(warnings::after(&ready.variant, &summary, &facts));
    Ok(Run { ready, world: Box::new(Mutex::new(world)), summary, is_chosen, warnings })
}

impl Run {
    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is answered by replaying the scenario asks for this first.
    fn replayable(&self, asked: &str) -> PyResult<()> {
        if !self.is_chosen {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "{asked}: expected a run whose machines were drawn, got one in which `choose` picked them; run it without"
        )))
    }
}

#[pymethods]
impl Run {
    /// A number that two runs share only if all their decisions are the same.
    #[getter]
    fn digest(&self) -> String {
        format!("{:016x}", self.summary.digest)
    }

    /// Every figure, as a JSON object.
    fn figures(&self) -> PyResult<String> {
        let world = self.world();
        let mut all = serde_json::Map::new();
        for part in Part::ALL {
            let figures = serde_json::to_value(Figures(part, &self.summary, world.plan())).map_err(value_error)?;
            all.extend(figures.as_object().cloned().unwrap_or_default());
        }
        Ok(serde_json::Value::Object(all).to_string())
    }

    /// One row per sample: the time and every metric.
    fn series(&self) -> PyResult<Table> {
        Table::of(&Samples(&self.world()))
    }

    /// One row per decision.
    fn placements(&self) -> PyResult<Table> {
        Table::of(&Placements(&self.world()))
    }

    /// One row per VM and its fate.
    fn vms(&self) -> PyResult<Table> {
        Table::of(&Fates(&self.world()))
    }

    /// A metric over time, as an SVG of this size in px.
    fn chart(&self, metric: &str, width: u32, height: u32) -> PyResult<String> {
        drawn(&self.world(), metric, (width, height)).map_err(value_error)
    }

    /// The scenario of this very run, with every setting.
    fn scenario(&self) -> String {
        let mut variant = self.ready.variant.clone();
        if let WorkloadRef::Trace { fingerprint, .. } = &mut variant.workload {
            *fingerprint = self.ready.workload.fingerprint();
        }
        Document { name: "Run again".into(), variants: vec![variant], active: 0 }.to_json()
    }

    /// The fleet over time, by replaying the run: the times in ms, and for each of them one byte per machine, a
    /// [`MachineByte`](tiebreak_sim::MachineByte).
    fn frames<'py>(&self, py: Python<'py>) -> PyResult<(Vec<i64>, Bound<'py, PyBytes>)> {
        self.replayable("widget")?;
        let (times, bytes) = followed(py, None, |watch| {
            let mut world = World::new(self.ready.plan()?);
            world.keep_frames();
            watch::run(&mut world, watch)?;
            let frames = world.frames().map(|frames| (frames.times(), frames.times().iter().map(|at| frames.at(*at))));
            Ok(frames.map_or_else(Default::default, |(times, states)| {
                (times.iter().map(|at| at.0).collect(), states.collect::<Vec<_>>().concat())
            }))
        })?;
        Ok((times, PyBytes::new(py, &bytes)))
    }

    /// The story of a VM, as JSON and in words.
    fn explain(&self, py: Python<'_>, vm: u64, machine: Option<u64>) -> PyResult<(String, String)> {
        self.replayable("explain")?;
        let story = followed(py, None, |follow| story(self.ready.plan()?, vm, machine, follow))?;
        Ok((serde_json::to_string(&story).map_err(value_error)?, story.text()))
    }
}
