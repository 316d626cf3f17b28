//! A Python function that picks the machine of each VM among those that the rules left.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tiebreak_model::{MachineId, Scene, VmRequest};
use tiebreak_placement::custom::Readings;
use tiebreak_sim::{Candidates, Chooser};

/// Asks `choose` with the VM, the time in ms, the attempt, the candidates, the place of the drawn one, and the values
/// of all expressions for each candidate.
pub(crate) struct ByPython {
    choose: Py<PyAny>,
    readings: Readings,
}

impl ByPython {
    /// A function and the expressions that describe candidates to it.
    pub(crate) fn new(choose: Py<PyAny>, features: &[String]) -> PyResult<Self> {
        let told = |(at, fault)| PyValueError::new_err(format!("features[{at}]: {fault}"));
        Ok(Self { choose, readings: Readings::of(features).map_err(told)? })
    }
}

impl Chooser for ByPython {
    fn choose(&mut self, candidates: &Candidates<'_>, vm: &VmRequest, scene: Scene<'_>) -> usize {
        let values = self.readings.on(vm, scene, candidates.machines);
        let machines: Vec<u32> = candidates.machines.iter().map(|MachineId(id)| *id).collect();
        let drawn = candidates.machines.iter().position(|machine| *machine == candidates.drawn);
        let asked = (candidates.vm.0, candidates.time.0, candidates.attempt, machines, drawn, values);
        // The function catches its own errors and ends the run; with no number from it, the draw decides.
        Python::attach(|py| self.choose.call1(py, asked).and_then(|place| place.extract(py))).unwrap_or(usize::MAX)
    }
}
