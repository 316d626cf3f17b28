//! Traces: files as the native program reads them, and tables that are in memory already.

use std::fmt::Display;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyList, PyString};
use tiebreak_console::trace::{file_name, read_file, sample};
use tiebreak_model::{Sample, Workload};
use tiebreak_study::Failure;
use tiebreak_trace::{Fault, Parsed, TraceError, TraceParser};

use crate::follow::{followed, value_error};
use crate::table::Table;

/// Text of a table that is handed to the reader at once.
const PIECE_BYTES: usize = 1 << 20;

/// The name of a trace that is no file.
const IN_MEMORY: &str = "table";

/// The requests of a trace.
#[pyclass(frozen, module = "tiebreak")]
pub(crate) struct Trace {
    pub(crate) workload: Arc<Workload>,
    /// The name of its file; `table` for one in memory.
    #[pyo3(get)]
    name: String,
    /// What the reader has to say of it, one sentence each.
    #[pyo3(get)]
    notes: Vec<String>,
}

/// New names of columns: the reader's name, and the table's.
type Renamed = Vec<(String, String)>;

#[pymethods]
impl Trace {
    /// Reads a file of any format that the native program reads.
    #[staticmethod]
    fn file(
        py: Python<'_>,
        path: &str,
        columns: Renamed,
        part: Option<&str>,
        without_outliers: bool,
        decimal_commas: Option<bool>,
    ) -> PyResult<Self> {
        let (name, part) = (file_name(path), sampled(part, without_outliers)?);
        let parsed = followed(py, None, |_| {
            let parser = TraceParser::new(&name).sampled(part);
            let parser = match decimal_commas {
                Some(commas) => parser.with_decimal_commas(commas),
                None => parser,
            };
            read_file(path, parser, columns)
        })?;
        Ok(Self::of(name, parsed))
    }

    /// Reads columns of equal length, each a list of numbers, texts, flags or None.
    #[staticmethod]
    fn columns(
        py: Python<'_>,
        names: Vec<String>,
        cells: Vec<Bound<'_, PyList>>,
        columns: Renamed,
        part: Option<&str>,
        without_outliers: bool,
    ) -> PyResult<Self> {
        let part = sampled(part, without_outliers)?;
        let mut parser = TraceParser::new(IN_MEMORY).sampled(part).with_decimal_commas(false);
        if !columns.is_empty() {
            parser = parser.with_renamed(columns);
        }
        let rows = cells.first().map_or(0, PyListMethods::len);
        if let Some((name, column)) = names.iter().zip(&cells).find(|(_, column)| column.len() != rows) {
            let got = column.len();
            return Err(PyValueError::new_err(format!(
                "trace: expected {rows} values in the column \"{name}\" as in the first, got {got}; make them equally long"
            )));
        }
        let mut text = csv::Writer::from_writer(Vec::new());
        let memory = |error: csv::Error| value_error(error);
        text.write_record(&names).map_err(memory)?;
        for row in 0..rows {
            for column in &cells {
                text.write_field(cell(&column.get_item(row)?)?).map_err(memory)?;
            }
            text.write_record(None::<&[u8]>).map_err(memory)?;
            if text.get_ref().len() >= PIECE_BYTES {
                py.check_signals()?;
                push(&mut text, &mut parser).map_err(value_error)?;
            }
        }
        push(&mut text, &mut parser).map_err(value_error)?;
        Ok(Self::of(IN_MEMORY.into(), parser.finish().map_err(value_error)?))
    }

    /// The number of VMs.
    fn __len__(&self) -> usize {
        self.workload.vm_count() as usize
    }

    /// Equal for equal traces, in 32 hexadecimal digits.
    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:032x}", self.workload.fingerprint())
    }

    /// One row per VM.
    #[getter]
    fn vms(&self) -> PyResult<Table> {
        Table::of(&*self.workload)
    }

    fn __repr__(&self) -> String {
        format!("<tiebreak.Trace {}: {} VMs>", self.name, self.__len__())
    }
}

impl Trace {
    fn of(name: String, parsed: Parsed) -> Self {
        let report = &parsed.report;
        let mut notes = report.notes.clone();
        if report.faulty() > 0 {
            let told = |fault: &Fault| {
                format!("; the first in line {}: expected {}, got {}", fault.line, fault.expected, fault.got)
            };
            let first = report.faults.first().map(told).unwrap_or_default();
            notes.push(format!("{} of {} rows are invalid and were skipped{first}", report.faulty(), report.rows));
        }
        Self { workload: Arc::new(parsed.workload), name, notes }
    }
}

/// The part of a trace to keep.
fn sampled(part: Option<&str>, without_outliers: bool) -> PyResult<Sample> {
    let part = part.map(sample).transpose().map_err(named("sample"))?.unwrap_or_default();
    Ok(Sample { without_outliers, ..part })
}

/// Adds the field's name to a failure.
fn named(field: &'static str) -> impl Fn(Failure) -> PyErr {
    move |Failure(why)| PyValueError::new_err(format!("{field}: {why}"))
}

fn push(text: &mut csv::Writer<Vec<u8>>, parser: &mut TraceParser) -> Result<(), TraceError> {
    let written = std::mem::replace(text, csv::Writer::from_writer(Vec::new()));
    parser.push(&written.into_inner().expect("memory takes bytes"))
}

/// A cell as text; what is missing (None, NaN, NaT) is empty.
fn cell(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let shown = |value: &dyn Display| value.to_string();
    if value.is_none() {
        return Ok(String::new());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(shown(&u8::from(value.is_truthy()?)));
    }
    if value.is_instance_of::<PyFloat>() {
        let number: f64 = value.extract()?;
        return Ok(if number.is_nan() { String::new() } else { shown(&number) });
    }
    match value.extract::<i64>() {
        Ok(number) => Ok(shown(&number)),
        // What is not equal to itself is missing: NaT, numpy's NaN.
        Err(_) if !value.eq(value).unwrap_or(false) => Ok(String::new()),
        Err(_) => Ok(value.str()?.to_str()?.to_owned()),
    }
}
