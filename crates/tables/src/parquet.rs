//! Traces in Parquet, with the column names of any CSV; and a workload's columns as Parquet.

use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::record::{Field, Row};
use parquet::schema::types::{Type, TypePtr};
use tiebreak_trace::TraceError;

use crate::Push;

/// Text that is gathered before it is pushed.
const STEP_BYTES: usize = 1 << 20;

/// Rows of a group of a file that is written.
const GROUP_ROWS: usize = 500_000;

/// Pushes the rows of a file as CSV, a megabyte at a time; memory does not grow with the file.
///
/// Columns of numbers, texts, flags and instants are read, all others left aside. Instants become seconds, and
/// the column's name says so.
///
/// # Errors
/// When the file is no whole Parquet file, and what `push` gives.
pub fn push_text<F: ChunkReader + 'static>(file: F, push: &mut Push<'_>) -> Result<(), TraceError> {
    let mut rows = 0;
    push_rows(file, push, &mut rows).map_err(|error| match error {
        Stop::Parquet(error) => TraceError::unreadable("Parquet", rows, &error),
        Stop::Csv(error) => TraceError::unreadable("Parquet", rows, &error),
        Stop::Trace(error) => error,
    })
}

/// The same for a file that is in memory.
///
/// # Errors
/// As for [`push_text`].
pub fn push_text_of(file: Vec<u8>, push: &mut Push<'_>) -> Result<(), TraceError> {
    push_text(bytes::Bytes::from(file), push)
}

enum Stop {
    Parquet(ParquetError),
    Csv(csv::Error),
    Trace(TraceError),
}

impl From<ParquetError> for Stop {
    fn from(error: ParquetError) -> Self {
        Self::Parquet(error)
    }
}

impl From<csv::Error> for Stop {
    fn from(error: csv::Error) -> Self {
        Self::Csv(error)
    }
}

impl From<TraceError> for Stop {
    fn from(error: TraceError) -> Self {
        Self::Trace(error)
    }
}

fn push_rows<F: ChunkReader + 'static>(file: F, push: &mut Push<'_>, rows: &mut u64) -> Result<(), Stop> {
    let file = SerializedFileReader::new(file)?;
    check_places(&file)?;
    let schema = file.metadata().file_metadata().schema();
    let columns: Vec<TypePtr> = schema.get_fields().iter().filter(|column| is_read(column)).cloned().collect();
    let mut text = csv::Writer::from_writer(Vec::new());
    text.write_record(columns.iter().map(|column| header_of(column)))?;
    if columns.is_empty() {
        let found = schema.get_fields().iter().map(|column| column.name().to_owned()).collect();
        return Err(TraceError::UnknownFormat { found }.into());
    }
    let nanoseconds: Vec<bool> = columns.iter().map(|column| unit_of(column) == Some(TimeUnit::NANOS)).collect();
    let read = Type::group_type_builder(schema.name()).with_fields(columns).build()?;
    for row in file.get_row_iter(Some(read))? {
        write_row(&row?, &nanoseconds, &mut text)?;
        *rows += 1;
        if text.get_ref().len() >= STEP_BYTES {
            pass_on(&mut text, push)?;
        }
    }
    Ok(pass_on(&mut text, push)?)
}

/// The library takes for granted that no column begins or ends before the file.
fn check_places(file: &impl FileReader) -> Result<(), ParquetError> {
    let columns = || file.metadata().row_groups().iter().flat_map(|group| group.columns());
    let begins = |place: Option<i64>| place.is_none_or(|place| place >= 0);
    let is_inside = columns().all(|column| {
        begins(column.dictionary_page_offset())
            && begins(Some(column.data_page_offset()))
            && begins(Some(column.compressed_size()))
    });
    if is_inside { Ok(()) } else { Err(ParquetError::General("a column begins before the file".into())) }
}

/// Hands on what was written, and begins anew.
fn pass_on(text: &mut csv::Writer<Vec<u8>>, push: &mut Push<'_>) -> Result<(), TraceError> {
    let written = std::mem::replace(text, csv::Writer::from_writer(Vec::new()));
    push(&written.into_inner().expect("memory takes bytes"))
}

/// Whether a column has one plain value in a row, of a type that becomes text.
fn is_read(column: &Type) -> bool {
    use ConvertedType as Converted;
    let info = column.get_basic_info();
    if !column.is_primitive() || (info.has_repetition() && info.repetition() == Repetition::REPEATED) {
        return false;
    }
    match (column.get_physical_type(), info.converted_type()) {
        (Physical::INT32, converted) => matches!(
            converted,
            Converted::NONE
                | Converted::INT_8
                | Converted::INT_16
                | Converted::INT_32
                | Converted::UINT_8
                | Converted::UINT_16
                | Converted::UINT_32
                | Converted::DECIMAL
        ),
        (Physical::INT64, converted) => matches!(
            converted,
            Converted::NONE
                | Converted::INT_64
                | Converted::UINT_64
                | Converted::TIMESTAMP_MILLIS
                | Converted::TIMESTAMP_MICROS
                | Converted::DECIMAL
        ),
        (Physical::BYTE_ARRAY, converted) => {
            matches!(converted, Converted::NONE | Converted::UTF8 | Converted::ENUM | Converted::DECIMAL)
        }
        (Physical::FIXED_LEN_BYTE_ARRAY, converted) => converted == Converted::DECIMAL,
        (Physical::BOOLEAN | Physical::FLOAT | Physical::DOUBLE | Physical::INT96, _) => true,
    }
}

/// The unit of a column of instants.
fn unit_of(column: &Type) -> Option<TimeUnit> {
    match column.get_basic_info().logical_type_ref() {
        Some(LogicalType::Timestamp(instant)) => Some(instant.unit),
        _ if column.get_physical_type() == Physical::INT96 => Some(TimeUnit::MILLIS),
        _ => match column.get_basic_info().converted_type() {
            ConvertedType::TIMESTAMP_MILLIS => Some(TimeUnit::MILLIS),
            ConvertedType::TIMESTAMP_MICROS => Some(TimeUnit::MICROS),
            _ => None,
        },
    }
}

fn header_of(column: &Type) -> String {
    match unit_of(column) {
        Some(_) => format!("{} (s)", column.name()),
        None => column.name().to_owned(),
    }
}

fn write_row(row: &Row, nanoseconds: &[bool], text: &mut csv::Writer<Vec<u8>>) -> Result<(), csv::Error> {
    for ((_, field), nanoseconds) in row.get_column_iter().zip(nanoseconds) {
        match field {
            Field::Null => text.write_field("")?,
            Field::Str(value) => text.write_field(value)?,
            Field::Bytes(value) => text.write_field(value.data())?,
            Field::Float(value) => text.write_field(value.to_string())?,
            Field::Double(value) => text.write_field(value.to_string())?,
            Field::Long(value) if *nanoseconds => text.write_field(seconds(*value, 1e9))?,
            Field::TimestampMillis(value) => text.write_field(seconds(*value, 1e3))?,
            Field::TimestampMicros(value) => text.write_field(seconds(*value, 1e6))?,
            value => text.write_field(value.to_string())?,
        }
    }
    text.write_record(None::<&[u8]>)
}

fn seconds(value: i64, in_a_second: f64) -> String {
    (value as f64 / in_a_second).to_string()
}

/// A column of a table that is written.
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its values, one a row.
    pub values: Values,
}

/// The values of a column.
pub enum Values {
    /// Names and other whole numbers from 0.
    Whole(Vec<u64>),
    /// Amounts and times; none is null.
    Number(Vec<Option<f64>>),
    /// Words.
    Word(Vec<&'static str>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Whole(values) => values.len(),
            Self::Number(values) => values.len(),
            Self::Word(values) => values.len(),
        }
    }

    fn type_of(&self, name: &str) -> Result<Type, ParquetError> {
        let (physical, logical, repetition) = match self {
            Self::Whole(_) => (Physical::INT64, Some(LogicalType::integer(64, false)), Repetition::REQUIRED),
            Self::Number(_) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
            Self::Word(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
        };
        Type::primitive_type_builder(name, physical).with_logical_type(logical).with_repetition(repetition).build()
    }

    fn write(&self, rows: std::ops::Range<usize>, column: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        match self {
            Self::Whole(values) => {
                // Parquet keeps numbers without a sign in the bits of those with one.
                let bits: Vec<i64> = values[rows].iter().map(|value| value.cast_signed()).collect();
                column.typed::<Int64Type>().write_batch(&bits, None, None)?;
            }
            Self::Number(values) => {
                let levels: Vec<i16> = values[rows.clone()].iter().map(|value| i16::from(value.is_some())).collect();
                let there: Vec<f64> = values[rows].iter().copied().flatten().collect();
                column.typed::<DoubleType>().write_batch(&there, Some(&levels), None)?;
            }
            Self::Word(values) => {
                let words: Vec<ByteArray> = values[rows].iter().map(|word| ByteArray::from(*word)).collect();
                column.typed::<ByteArrayType>().write_batch(&words, None, None)?;
            }
        }
        Ok(())
    }
}

/// A Parquet file of columns that have one length, compressed with Snappy.
///
/// # Errors
/// What the library says; with columns of one length it says nothing.
pub fn write(columns: &[Column]) -> Result<Vec<u8>, ParquetError> {
    let types: Result<Vec<TypePtr>, _> = columns.iter().map(|c| c.values.type_of(c.name).map(Arc::new)).collect();
    let schema = Type::group_type_builder("trace").with_fields(types?).build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let rows = columns.first().map_or(0, |column| column.values.len());
    for first in (0..rows).step_by(GROUP_ROWS) {
        let mut group = file.next_row_group()?;
        for column in columns {
            let mut writer = group.next_column()?.expect("one for each column of the schema");
            column.values.write(first..rows.min(first + GROUP_ROWS), &mut writer)?;
            writer.close()?;
        }
        group.close()?;
    }
    file.into_inner()
}
