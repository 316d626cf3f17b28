//! Files for other programs: a workload, and the outcomes of its VMs.

use std::sync::Arc;

use tiebreak_model::Workload;
use tiebreak_model::table::{Column, Table};
use tiebreak_sim::Fates;
use tiebreak_trace::compact::{self, Origin};

use super::{Engine, NOT_LOADED, read};
use crate::protocol::{Save, Saved};

/// The error for a run that does not exist.
const NO_RUN: &str = "expected a run, got none; press Run, then save its results";

impl Engine {
    /// The rows of a file and the columns of one [step](tiebreak_model::table::rows_of); the next one may be
    /// requested later, as long as nothing else has started.
    ///
    /// # Errors
    /// If there is no such workload or run; says what to do.
    pub fn rows<T>(
        &mut self,
        save: &Save,
        step: u32,
        with: impl FnOnce(Vec<Column<'_>>) -> T,
    ) -> Result<(u32, T), String> {
        match save.saved {
            Saved::Workload => {
                let workload = self.workload_of(save)?;
                Ok(step_of(&*workload, step, with))
            }
            Saved::Vms { run } => {
                let run = self.run.as_ref().filter(|current| current.id == run).ok_or(NO_RUN)?;
                Ok(step_of(&Fates(&run.world), step, with))
            }
        }
    }

    /// The workload in our own format, with its origin.
    ///
    /// # Errors
    /// If there is no such workload; says what to do.
    pub fn compact(&mut self, save: &Save) -> Result<Vec<u8>, String> {
        let workload = self.workload_of(save)?;
        let fingerprint = workload.fingerprint();
        let trace = self.traces.iter().find(|trace| trace.fingerprint == fingerprint);
        let generated = || Origin { title: "Generated workload".into(), notes: Vec::new(), cannot_answer: Vec::new() };
        Ok(compact::write(&workload, &trace.map_or_else(generated, |trace| trace.origin.clone())))
    }

    fn workload_of(&mut self, save: &Save) -> Result<Arc<Workload>, String> {
        let variant = read(&save.document).map_err(|why| why.to_string())?;
        Ok(self.workload(&variant).ok_or(NOT_LOADED)?)
    }
}

fn step_of<T>(table: &impl Table, step: u32, with: impl FnOnce(Vec<Column<'_>>) -> T) -> (u32, T) {
    let rows = table.rows();
    (rows, with(table.columns(tiebreak_model::table::rows_of(step, rows))))
}
