//! Tables as Arrow, through the PyCapsule interface: pandas, polars, DuckDB and pyarrow take them without copies.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tiebreak_model::table::{Column, Values};

/// Rows in named columns.
#[pyclass(frozen, module = "tiebreak")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// The whole of a table of the simulator.
    pub(crate) fn of(table: &impl tiebreak_model::table::Table) -> PyResult<Self> {
        let fields: Vec<_> = table.columns(0..0).iter().map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        let batch = |columns: Vec<Column<'_>>| {
            RecordBatch::try_new(schema.clone(), columns.into_iter().map(|column| array(column.values)).collect())
        };
        let batches = table.steps().map(batch).collect::<Result<Vec<_>, ArrowError>>().map_err(fault)?;
        Ok(Self { schema, batches })
    }
}

fn field(column: &Column<'_>) -> Field {
    let kind = match column.values {
        Values::Whole(_) => DataType::UInt64,
        Values::Number(_) => DataType::Float64,
        Values::Word(_) => DataType::Utf8,
    };
    Field::new(column.name, kind, true)
}

fn array(values: Values<'_>) -> ArrayRef {
    match values {
        Values::Whole(values) => Arc::new(UInt64Array::from(values)),
        Values::Number(values) => Arc::new(Float64Array::from(values)),
        Values::Word(values) => Arc::new(StringArray::from(values)),
    }
}

fn fault(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

#[pymethods]
impl Table {
    /// The number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of its columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The table as an Arrow stream. It has one schema, whatever is requested.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, self.schema.clone());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        format!("<tiebreak.Table: {} rows of {}>", self.__len__(), self.column_names().join(", "))
    }
}
