//! The trace formats, in the order of recognition.

use tiebreak_model::{Declaration, Time, VmRow, WorkloadBuilder};

use crate::column::Column;
use crate::error::TraceError;
use crate::limits::Limits;
use crate::records::Record;
use crate::report::{Fault, Tally};

mod azure_2017;
mod azure_2017_arrivals;
mod azure_packing;
mod azure_packing_sample;
pub mod compact;
mod huawei_events;
pub mod named_columns;
mod openb_pods;

pub use azure_2017::Azure2017;
pub use azure_2017_arrivals::Azure2017Arrivals;
pub use azure_packing::{AzurePacking, Tables as PackingTables};
pub use azure_packing_sample::AzurePackingSample;
pub use compact::Compact;
pub use huawei_events::HuaweiEvents;
pub use named_columns::NamedColumns;
pub use openb_pods::OpenbPods;

/// Every format. A binary one is recognised by its first bytes. A table whose file name a format knows is tried with
/// that format first; otherwise the first format that recognises its first lines reads it.
pub static FORMATS: &[&dyn Format] = &[
    &AzurePackingSample {},
    &AzurePacking {},
    &Azure2017 {},
    &Azure2017Arrivals {},
    &HuaweiEvents {},
    &OpenbPods {},
    &NamedColumns {},
    &Compact {},
];

/// The beginning of a file, from which its format is recognised.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The file name without folder; may be empty.
    pub file_name: &'a str,
    /// The fields of the first line, and of the second if there is one.
    pub rows: &'a [Vec<String>],
    /// Whether decimals follow a comma, if the user says so.
    pub decimal_commas: Option<bool>,
}

impl Head<'_> {
    /// The fields of the first line.
    #[must_use]
    pub fn first(&self) -> &[String] {
        self.rows.first().map_or(&[], Vec::as_slice)
    }

    /// The fields of the second line: the first values, if the first line is a header.
    #[must_use]
    pub fn values(&self) -> &[String] {
        self.rows.get(1).map_or(&[], Vec::as_slice)
    }

    /// Whether the first line names all of these columns, in upper or lower case.
    fn names(&self, columns: &[&str]) -> bool {
        columns.iter().all(|name| self.index_of(name).is_some())
    }

    /// The column of this name, which must exist; `unit` is the number of our units in one of its units.
    fn column(&self, name: &str, unit: f64) -> Column {
        Column::new(self.index_of(name).unwrap_or_default(), name, unit)
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        self.first().iter().position(|field| field.eq_ignore_ascii_case(name))
    }
}

/// A trace format, either a table in text or binary.
pub trait Format: Sync {
    /// Its declaration: source, licence, units.
    fn declaration(&self) -> &'static Declaration;

    /// The source and licence of its files, for traces that are written in another form.
    fn source(&self) -> &'static str;

    /// Questions that files of this format cannot answer.
    fn cannot_answer(&self) -> &'static [&'static str];

    /// The reader of its files, if they are tables in text.
    fn as_table(&self) -> Option<&dyn Table> {
        None
    }

    /// The reader of its files, if they are binary.
    fn as_binary(&self) -> Option<&dyn Binary> {
        None
    }
}

/// A text format: recognises tables and opens a reader for their rows.
pub trait Table {
    /// Whether files of this format usually have this name.
    fn knows_name(&self, file_name: &str) -> bool;

    /// Whether the first lines look like it.
    fn knows_shape(&self, head: &Head<'_>) -> bool;

    /// Whether the first line names columns.
    fn has_header(&self) -> bool {
        true
    }

    /// A reader for the rows below this head; adds notes to the tally.
    ///
    /// # Errors
    /// If columns are missing.
    fn open(&self, head: &Head<'_>, tally: &mut Tally) -> Result<Box<dyn RowReader>, TraceError>;
}

/// A format whose files are read completely before parsing.
pub trait Binary {
    /// The first bytes of every file, which no text has; without a line end.
    fn magic(&self) -> &'static [u8];

    /// The rows of a file, and the end of the trace; adds everything else to the tally.
    ///
    /// # Errors
    /// If the file is truncated, damaged or too large.
    fn read(&self, file: &[u8], limits: &Limits, tally: &mut Tally) -> Result<(WorkloadBuilder, Time), TraceError>;
}

/// Reads the rows of one file.
pub trait RowReader: Send {
    /// The VM in a row; `None` if it is not complete yet.
    ///
    /// # Errors
    /// The first fault of the row.
    fn row(&mut self, record: &Record<'_>, tally: &mut Tally) -> Result<Option<VmRow>, Fault>;

    /// The number of incomplete VMs.
    fn pending(&self) -> u64 {
        0
    }

    /// Called after all rows: the incomplete VMs.
    fn rest(&mut self) -> Vec<VmRow> {
        Vec::new()
    }

    /// Called last: settles what depends on the whole file, and returns the end of the trace. There may be no rows.
    fn finish(&mut self, rows: &mut WorkloadBuilder, tally: &mut Tally) -> Time;
}

/// A table's format and its reader.
type FoundTable = (&'static dyn Format, &'static dyn Table);

/// The format that recognises this head, name first, then shape.
pub(crate) fn recognise(head: &Head<'_>) -> Result<FoundTable, TraceError> {
    let tables = || FORMATS.iter().filter_map(|format| Some((*format, format.as_table()?)));
    let by_shape = || tables().filter(|(_, table)| table.knows_shape(head));
    let found = by_shape().find(|(_, table)| table.knows_name(head.file_name)).or_else(|| by_shape().next());
    match found {
        Some(found) => Ok(found),
        None if head.first().iter().any(|field| field.parse::<f64>().is_ok()) => {
            Err(TraceError::UnknownFormat { found: head.first().to_vec() })
        }
        None => Err(named_columns::missing_columns(head.first())),
    }
}

/// The last start in a trace, rounded up to the next full hour. As long as VMs arrive, the trace shows what happens;
/// after the last arrival a fleet only drains.
pub(crate) fn last_start_hour(rows: &WorkloadBuilder) -> Time {
    hour_above(rows.rows().map(|row| row.start).max().unwrap_or(Time::ZERO))
}

/// The next full hour at or after an instant, and at least the first.
pub(crate) fn hour_above(time: Time) -> Time {
    const HOUR: i64 = 3_600_000;
    let hours = time.0 / HOUR + i64::from(time.0 % HOUR > 0);
    Time(hours.max(1) * HOUR)
}
