//! Traces in Parquet, with the column names of a CSV; and writing tables as Parquet.

use std::collections::BTreeMap;
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use parquet::schema::types::{Type, TypePtr};
use tiebreak_model::table::{Column, Table, Values};
use tiebreak_trace::{TraceError, TraceParser};

use crate::bounded::Bounded;
use crate::guard::guarded;

/// Size of a piece of text.
const STEP_BYTES: usize = 1 << 20;

/// Pushes the rows of a file as [`Pieces`] produces them, and notes about the file.
///
/// # Errors
/// If the file is not a complete Parquet file, and errors of `parser`.
pub fn push_text<F: ChunkReader + 'static>(file: F, parser: &mut TraceParser) -> Result<(), TraceError> {
    let pieces = Pieces::of(file)?;
    pieces.notes().iter().for_each(|note| parser.note(note.clone()));
    for piece in pieces {
        parser.push(&piece?)?;
    }
    Ok(())
}

/// The same for a file in memory.
///
/// # Errors
/// As for [`push_text`].
pub fn push_text_of(file: Vec<u8>, parser: &mut TraceParser) -> Result<(), TraceError> {
    push_text(bytes::Bytes::from(file), parser)
}

/// The rows of a file as CSV, a megabyte at a time; memory use does not grow with the file.
///
/// Reads columns of numbers, texts, flags and instants, and ignores all others. Instants become seconds, and the
/// column's name says so.
pub struct Pieces {
    rows: RowIter<'static>,
    /// For each read column, whether it has instants in nanoseconds.
    nanoseconds: Vec<bool>,
    /// Text written since the last piece.
    text: csv::Writer<Vec<u8>>,
    notes: Vec<String>,
    done: u64,
    all: u64,
    is_over: bool,
}

impl Pieces {
    /// Opens a file and reads its metadata, at the end.
    ///
    /// # Errors
    /// If it is not a Parquet file, has no readable column, or has an unknown compression.
    pub fn of<F: ChunkReader + 'static>(file: F) -> Result<Self, TraceError> {
        guarded(|| Self::open(file)).unwrap_or_else(|panic| Err(ReadStop::Panic(panic))).map_err(|stop| stop.after(0))
    }

    fn open<F: ChunkReader + 'static>(file: F) -> Result<Self, ReadStop> {
        let file = SerializedFileReader::new(Bounded(file))?;
        check_places(&file)?;
        let schema = file.metadata().file_metadata().schema_descr().root_schema_ptr();
        let (columns, others): (Vec<TypePtr>, Vec<TypePtr>) =
            schema.get_fields().iter().cloned().partition(|column| is_read(column));
        if columns.is_empty() {
            let found = others.iter().map(|column| column.name().to_owned()).collect();
            return Err(TraceError::UnknownFormat { found }.into());
        }
        check_packing(&file, &columns)?;
        let mut text = csv::Writer::from_writer(Vec::new());
        text.write_record(columns.iter().map(|column| header_of(column)))?;
        let nanoseconds = columns.iter().map(|column| unit_of(column) == Some(TimeUnit::NANOS)).collect();
        let all = u64::try_from(file.metadata().file_metadata().num_rows()).unwrap_or_default();
        let read = Type::group_type_builder(schema.name()).with_fields(columns).build()?;
        let rows = RowIter::from_file_into(Box::new(file)).project(Some(read))?;
        let notes = notes_on(&others);
        Ok(Self { rows, nanoseconds, text, notes, done: 0, all, is_over: false })
    }

    /// Which columns are ignored and why, one sentence each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Rows read so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done
    }

    /// The total number of rows according to the file.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.all
    }

    /// Writes rows until there are enough for a piece.
    fn gather(&mut self) -> Result<(), ReadStop> {
        while self.text.get_ref().len() < STEP_BYTES {
            let Some(row) = self.rows.next() else {
                self.is_over = true;
                break;
            };
            write_row(&row?, &self.nanoseconds, &mut self.text)?;
            self.done += 1;
        }
        Ok(self.text.flush().map_err(csv::Error::from)?)
    }
}

impl Iterator for Pieces {
    type Item = Result<Vec<u8>, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let gathered = guarded(|| self.gather()).unwrap_or_else(|panic| Err(ReadStop::Panic(panic)));
        if let Err(stop) = gathered {
            self.is_over = true;
            return Some(Err(stop.after(self.done)));
        }
        let written = std::mem::replace(&mut self.text, csv::Writer::from_writer(Vec::new()));
        let piece = written.into_inner().expect("memory takes bytes");
        (!piece.is_empty()).then_some(Ok(piece))
    }
}

/// Why reading stopped.
enum ReadStop {
    Parquet(ParquetError),
    Csv(csv::Error),
    Trace(TraceError),
    Panic(String),
}

impl ReadStop {
    /// The error as a sentence, after this many rows.
    fn after(self, rows: u64) -> TraceError {
        match self {
            Self::Parquet(error) => TraceError::unreadable("Parquet", rows, &error),
            Self::Csv(error) => TraceError::unreadable("Parquet", rows, &error),
            Self::Panic(words) => TraceError::unreadable("Parquet", rows, &words),
            Self::Trace(error) => error,
        }
    }
}

impl From<ParquetError> for ReadStop {
    fn from(error: ParquetError) -> Self {
        Self::Parquet(error)
    }
}

impl From<csv::Error> for ReadStop {
    fn from(error: csv::Error) -> Self {
        Self::Csv(error)
    }
}

impl From<TraceError> for ReadStop {
    fn from(error: TraceError) -> Self {
        Self::Trace(error)
    }
}

/// The library assumes that columns lie within the file.
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

/// Rejects a file with a column to read that has an unsupported compression.
fn check_packing(file: &impl FileReader, columns: &[TypePtr]) -> Result<(), TraceError> {
    let chunks = file.metadata().row_groups().iter().flat_map(|group| group.columns());
    let is_read = |chunk: &&ColumnChunkMetaData| {
        let name = chunk.column_path().parts().first();
        columns.iter().any(|column| Some(column.name()) == name.map(String::as_str))
    };
    let (packing, advice) = match chunks.filter(is_read).map(ColumnChunkMetaData::compression).find(is_unknown) {
        None => return Ok(()),
        Some(Compression::ZSTD(_)) => ("zstd", AGAIN_BY_PROGRAM),
        Some(Compression::BROTLI(_)) => ("Brotli", AGAIN),
        Some(_) => ("LZO", AGAIN),
    };
    Err(TraceError::WrongKind {
        got: format!("a Parquet file compressed with {packing}, which is not supported"),
        advice,
    })
}

const AGAIN: &str = "Write it again with Snappy, gzip or LZ4, or as CSV, and choose that file.";
const AGAIN_BY_PROGRAM: &str = "Write it again with Snappy, gzip or LZ4 (tiebreak trace convert FILE --out OTHER.parquet does), \
    or as CSV, and choose that file.";

/// Compressions that the library is compiled without; in WebAssembly also zstd, which is C.
fn is_unknown(packing: &Compression) -> bool {
    match packing {
        Compression::ZSTD(_) => cfg!(target_arch = "wasm32"),
        packing => matches!(packing, Compression::BROTLI(_) | Compression::LZO),
    }
}

/// The maximum number of column names in one note.
const NAMES_TOLD: usize = 12;

/// One sentence for every reason to ignore columns.
fn notes_on(others: &[TypePtr]) -> Vec<String> {
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for column in others {
        names.entry(why_left_aside(column)).or_default().push(column.name());
    }
    let told = |names: &[&str]| {
        let shown: Vec<String> = names.iter().take(NAMES_TOLD).map(|name| clipped(name)).collect();
        let more = names.len().saturating_sub(NAMES_TOLD);
        if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
    };
    let note = |(why, names): (&&str, &Vec<&str>)| {
        format!("Ignored columns, because {why} are not supported: {}.", told(names))
    };
    names.iter().map(note).collect()
}

fn clipped(name: &str) -> String {
    format!("{:?}", name.chars().take(40).collect::<String>())
}

fn why_left_aside(column: &Type) -> &'static str {
    use ConvertedType as Converted;
    if !column.is_primitive() || column.get_basic_info().repetition() == Repetition::REPEATED {
        return "lists and groups";
    }
    match column.get_basic_info().converted_type() {
        Converted::DATE => "dates",
        Converted::TIME_MILLIS | Converted::TIME_MICROS => "times of day",
        _ => match column.get_basic_info().logical_type_ref() {
            Some(LogicalType::Time(_)) => "times of day",
            _ => "bytes and other values",
        },
    }
}

/// Whether a column has one plain value per row, of a type that can become text.
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

/// A Parquet file that is written a few rows at a time, compressed with Snappy.
pub struct Writer(SerializedFileWriter<Vec<u8>>);

impl Writer {
    /// A file with these column names and kinds.
    ///
    /// # Errors
    /// Errors of the library; with columns of equal length there are none.
    pub fn new(columns: &[Column<'_>]) -> Result<Self, ParquetError> {
        let types: Result<Vec<TypePtr>, _> = columns.iter().map(|column| type_of(column).map(Arc::new)).collect();
        let schema = Type::group_type_builder("trace").with_fields(types?).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties)).map(Self)
    }

    /// Writes rows of the same columns.
    ///
    /// # Errors
    /// As for [`Writer::new`].
    pub fn push(&mut self, columns: &[Column<'_>]) -> Result<(), ParquetError> {
        if columns.first().is_none_or(|column| column.values.is_empty()) {
            return Ok(());
        }
        let mut group = self.0.next_row_group()?;
        for column in columns {
            let mut writer = group.next_column()?.expect("one for each column of the schema");
            write_values(&column.values, &mut writer)?;
            writer.close()?;
        }
        group.close().map(drop)
    }

    /// The whole file.
    ///
    /// # Errors
    /// As for [`Writer::new`].
    pub fn finish(self) -> Result<Vec<u8>, ParquetError> {
        self.0.into_inner()
    }
}

/// A table as a Parquet file.
///
/// # Errors
/// As for [`Writer::new`].
pub fn write(table: &impl Table) -> Result<Vec<u8>, ParquetError> {
    let mut file = Writer::new(&table.columns(0..0))?;
    table.steps().try_for_each(|rows| file.push(&rows))?;
    file.finish()
}

fn type_of(column: &Column<'_>) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.values {
        Values::Whole(_) => (Physical::INT64, Some(LogicalType::integer(64, false))),
        Values::Number(_) => (Physical::DOUBLE, None),
        Values::Word(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let column = Type::primitive_type_builder(column.name, physical).with_repetition(Repetition::OPTIONAL);
    column.with_logical_type(logical).build()
}

fn write_values(values: &Values<'_>, column: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
    match values {
        // Parquet stores unsigned numbers in the bits of signed ones.
        Values::Whole(values) => write_column::<Int64Type, _>(column, values, |value| value.cast_signed()),
        Values::Number(values) => write_column::<DoubleType, _>(column, values, |value| *value),
        Values::Word(values) => write_column::<ByteArrayType, _>(column, values, |word| ByteArray::from(*word)),
    }
}

fn write_column<T: DataType, V>(
    column: &mut SerializedColumnWriter<'_>,
    values: &[Option<V>],
    of: impl Fn(&V) -> T::T,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let there: Vec<T::T> = values.iter().flatten().map(of).collect();
    column.typed::<T>().write_batch(&there, Some(&levels), None).map(drop)
}
