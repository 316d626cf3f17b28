//! CPU readings of VMs in the form of the Azure traces of 2017 and 2019: one row per VM every five minutes.
//!
//! The columns are `timestamp` (seconds), `vmid`, `mincpu`, `maxcpu` and `avgcpu` (percent), without a header; a
//! header is skipped. Rows may come in any order, and files of a trace may be concatenated. For each VM, the mean of
//! its averages in each half-hour is kept.
//!
//! Source: E. Cortez et al., "Resource Central", SOSP 2017, and the description of the Azure public dataset.

use std::collections::HashMap;

use crate::column::{Column, SECOND};
use crate::error::TraceError;
use crate::limits::Limits;
use crate::magic;
use crate::records::{Record, Records};
use crate::report::{Fault, FaultKind, Tally};
use crate::source::Source;

/// The name of this kind of file.
const TITLE: &str = "Azure CPU readings";
/// Milliseconds per half-hour.
const HALF_HOUR_MS: i64 = 1_800_000;
/// Half-hours of VMs that may be kept per row of the limits, 16 bytes each: usually five days of 80,000 VMs.
const HALF_HOURS_FOR_ROW: u64 = 4;
/// Bytes per half-hour, and per VM without its half-hours and its name, which is stored twice.
const HALF_HOUR_BYTES: u64 = 16;
const VM_BYTES: u64 = 96;
/// After this many rows the parser decides whether the file has readings at all.
const ROWS_ON_TRIAL: u64 = 1_000;
/// How far rounding may move an average outside its minimum and maximum, in points.
const ROUNDING_PCT: f64 = 0.001;
/// Fields per row.
const FIELDS: usize = 5;

/// The result of reading.
#[derive(Clone, Debug, PartialEq)]
pub struct Readings {
    /// Every VM, in order of name.
    pub vms: Vec<VmReadings>,
    /// Rows, not counting a header.
    pub rows: u64,
    /// Rows refused.
    pub faulty: u64,
    /// The first of them, with their lines.
    pub faults: Vec<Fault>,
}

/// The utilization of one VM in each half-hour.
#[derive(Clone, Debug, PartialEq)]
pub struct VmReadings {
    /// Its name in the file.
    pub name: String,
    /// Ascending; at least one.
    cells: Vec<Cell>,
}

/// The readings of one half-hour.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    /// Counted from time 0 of the file.
    half_hour: u32,
    readings: u32,
    sum_pct: f64,
}

impl VmReadings {
    /// The half-hour of its first reading, counted from time 0 of the file.
    #[must_use]
    pub fn first_half_hour(&self) -> u32 {
        self.cells[0].half_hour
    }

    /// The mean utilization in percent of each half-hour from the first to the last; NaN without a reading.
    #[must_use]
    pub fn half_hours(&self) -> Vec<f64> {
        let mut means = Vec::new();
        for cell in &self.cells {
            means.resize((cell.half_hour - self.first_half_hour()) as usize, f64::NAN);
            means.push(cell.sum_pct / f64::from(cell.readings));
        }
        means
    }

    /// Adds a reading. Returns whether its half-hour is new.
    fn add(&mut self, half_hour: u32, pct: f64) -> bool {
        // Usually it is the last half-hour or the next one.
        let place = match self.cells.last() {
            Some(last) if last.half_hour == half_hour => Ok(self.cells.len() - 1),
            Some(last) if last.half_hour < half_hour => Err(self.cells.len()),
            _ => self.cells.binary_search_by_key(&half_hour, |cell| cell.half_hour),
        };
        match place {
            Ok(place) => {
                self.cells[place].readings += 1;
                self.cells[place].sum_pct += pct;
            }
            Err(place) => self.cells.insert(place, Cell { half_hour, readings: 1, sum_pct: pct }),
        }
        place.is_err()
    }
}

/// Reads CPU readings from chunks split anywhere, plain or gzip.
///
/// ```
/// use tiebreak_trace::ReadingsParser;
///
/// let mut parser = ReadingsParser::new();
/// parser.push(b"0,web,1,5,2\n300,web,1,5,")?;
/// parser.push(b"4\n3600,web,1,50,40\n")?;
/// let readings = parser.finish()?;
/// let means = readings.vms[0].half_hours();
/// assert_eq!((means[0], means[1].is_nan(), means[2]), (3.0, true, 40.0));
/// # Ok::<(), tiebreak_trace::TraceError>(())
/// ```
pub struct ReadingsParser {
    source: Source,
    text: Text,
}

/// The text of the file, after inflating.
struct Text {
    limits: Limits,
    records: Records,
    columns: ReadingColumns,
    bytes: u64,
    /// The first bytes until the end of a line; `None` once they are read.
    head: Option<Vec<u8>>,
    /// The index of each VM by its name.
    places: HashMap<String, usize>,
    vms: Vec<VmReadings>,
    half_hours: u64,
    tally: Tally,
}

/// The columns used.
struct ReadingColumns {
    time: Column,
    name: Column,
    least: Column,
    most: Column,
    average: Column,
}

impl Default for ReadingsParser {
    fn default() -> Self {
        Self::new()
    }
}

impl ReadingsParser {
    /// A parser with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// A parser with these limits.
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        let columns = ReadingColumns {
            time: Column::new(0, "timestamp", SECOND),
            name: Column::new(1, "vmid", 1.0),
            least: Column::new(2, "mincpu", 1.0),
            most: Column::new(3, "maxcpu", 1.0),
            average: Column::new(4, "avgcpu", 1.0),
        };
        let text = Text {
            records: Records::new(b',', limits.line_bytes_max),
            limits,
            columns,
            bytes: 0,
            head: Some(Vec::new()),
            places: HashMap::new(),
            vms: Vec::new(),
            half_hours: 0,
            tally: Tally::default(),
        };
        Self { source: Source::new(), text }
    }

    /// Takes the next chunk of the file.
    ///
    /// # Errors
    /// If it has no readings, or too many.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        let Self { source, text } = self;
        let limits = text.limits;
        source.push(bytes, &limits, |inflated| text.push(inflated)).map_err(|error| text.placed(error))
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it has no readings, or is truncated.
    pub fn finish(mut self) -> Result<Readings, TraceError> {
        let Self { source, text } = &mut self;
        let limits = text.limits;
        source.finish(&limits, |inflated| text.push(inflated)).map_err(|error| text.placed(error))?;
        self.text.finish()
    }
}

impl Text {
    fn push(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        self.bytes += bytes.len() as u64;
        if self.bytes > self.limits.text_bytes_max {
            return Err(TraceError::TextTooLong { bytes_max: self.limits.text_bytes_max });
        }
        let Some(head) = &mut self.head else { return self.read_all(bytes) };
        head.extend_from_slice(bytes);
        let has_line = memchr::memchr(b'\n', head).is_some() || head.len() > self.limits.line_bytes_max;
        if has_line { self.open() } else { Ok(()) }
    }

    /// Checks the first line, then reads the head as rows.
    fn open(&mut self) -> Result<(), TraceError> {
        let Some(head) = self.head.take() else { return Ok(()) };
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
        let within = &text[..text.len().min(self.limits.line_bytes_max)];
        magic::check_is_text(within.split(|byte| *byte == b'\n').next().unwrap_or_default())?;
        self.read_all(text)
    }

    fn read_all(&mut self, mut bytes: &[u8]) -> Result<(), TraceError> {
        while !bytes.is_empty() {
            self.read(&mut bytes)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Readings, TraceError> {
        self.open()?;
        self.read(&mut [].as_slice())?;
        self.on_trial()?;
        if self.vms.is_empty() {
            return Err(TraceError::NoReadings);
        }
        self.vms.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        let Tally { rows, faulty, mut faults, .. } = self.tally;
        faults.truncate(self.limits.faults_kept);
        Ok(Readings { vms: self.vms, rows, faulty, faults })
    }

    /// Reads the rows that end in `bytes`; empty `bytes` mean the end of the text.
    fn read(&mut self, bytes: &mut &[u8]) -> Result<(), TraceError> {
        while let Some(record) = self.records.next(bytes)? {
            if !record.is_blank() && (self.tally.rows > 0 || !is_header(&record, &self.columns)) {
                self.tally.rows += 1;
                match reading(&record, &self.columns) {
                    Ok((name, half_hour, pct)) => {
                        let before = self.vms.len();
                        let place = place_of(name, &mut self.places, &mut self.vms);
                        let in_place_of = (VM_BYTES + 2 * name.len() as u64) / HALF_HOUR_BYTES;
                        self.half_hours += if self.vms.len() > before { in_place_of } else { 0 };
                        self.half_hours += u64::from(self.vms[place].add(half_hour, pct));
                    }
                    Err(fault) => self.tally.refuse(fault, self.limits.faults_kept),
                }
                self.check_on_the_way()?;
            }
            if bytes.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Checks what can be checked before the end of the file.
    fn check_on_the_way(&self) -> Result<(), TraceError> {
        let half_hours_max = HALF_HOURS_FOR_ROW * self.limits.rows_max;
        if self.half_hours > half_hours_max {
            return Err(TraceError::TooManyReadings { half_hours_max });
        }
        if self.tally.rows == ROWS_ON_TRIAL { self.on_trial() } else { Ok(()) }
    }

    /// Fails if more than half are faulty, or all of them: not readings.
    fn on_trial(&self) -> Result<(), TraceError> {
        let Tally { rows, faulty, faults, .. } = &self.tally;
        match faults.first() {
            Some(first) if faulty * 2 > *rows => {
                Err(TraceError::NotATrace { format: TITLE, rows: *rows, faulty: *faulty, first: first.clone() })
            }
            _ => Ok(()),
        }
    }

    /// The error, with the number of rows read before it if it has one.
    fn placed(&self, error: TraceError) -> TraceError {
        error.after(self.tally.rows)
    }
}

/// Whether neither the time nor the reading of the first row is a number: they are names.
fn is_header(record: &Record<'_>, columns: &ReadingColumns) -> bool {
    record.len() >= FIELDS && columns.time.time(record).is_err() && columns.average.percent(record).is_err()
}

/// The VM, the half-hour and the average in a row.
fn reading<'a>(record: &Record<'a>, columns: &ReadingColumns) -> Result<(&'a [u8], u32, f64), Fault> {
    record.has_fields(FIELDS)?;
    let time = columns.time.time(record)?;
    if time.0 < 0 {
        return Err(columns.time.fault(record, FaultKind::NegativeTime, "a time from 0 on"));
    }
    let half_hour = (time.0 / HALF_HOUR_MS) as u32;
    let name = columns.name.text(record);
    if name.is_empty() {
        return Err(columns.name.fault(record, FaultKind::UnknownWord, "a name"));
    }
    Ok((name, half_hour, average(record, columns)?))
}

/// The average in a row, which must lie between its minimum and its maximum: other tables of numbers have no such
/// columns.
fn average(record: &Record<'_>, columns: &ReadingColumns) -> Result<f64, Fault> {
    let ReadingColumns { least, most, average, .. } = columns;
    let (low, high, pct) = (least.percent(record)?, most.percent(record)?, average.percent(record)?);
    let lies_between = low - ROUNDING_PCT <= pct && pct <= high + ROUNDING_PCT;
    if lies_between {
        Ok(pct)
    } else {
        Err(average.fault(record, FaultKind::OutOfRange, "an average from mincpu to maxcpu"))
    }
}

fn place_of(name: &[u8], places: &mut HashMap<String, usize>, vms: &mut Vec<VmReadings>) -> usize {
    let name = String::from_utf8_lossy(name);
    if let Some(place) = places.get(name.as_ref()) {
        return *place;
    }
    places.insert(name.clone().into_owned(), vms.len());
    vms.push(VmReadings { name: name.into_owned(), cells: Vec::new() });
    vms.len() - 1
}
