//! Parses a file's bytes in chunks, and returns a workload and a report.

use std::io::Read;
use std::ops::Range;

use tiebreak_model::{Outliers, Sample, Time, VmRow, Workload, WorkloadBuilder};

use crate::column::with_decimal_comma;
use crate::dates::Guess;
use crate::error::TraceError;
use crate::formats::{Binary, Compact, FORMATS, Format, Head, NamedColumns, RowReader, Table, recognise};
use crate::limits::{FileTooLong, Limits};
use crate::magic;
use crate::records::{Record, Records};
use crate::report::{Correction, Report, Tally, notes_on_sample};
use crate::source::Source;

/// The maximum size of a row in any binary format.
const BINARY_ROW_BYTES: u64 = 80;

/// After this many rows the parser decides whether the file is a trace at all.
const ROWS_ON_TRIAL: u64 = 1_000;

/// The progress of reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadingProgress {
    /// Bytes pushed, as in the file.
    pub bytes: u64,
    /// Bytes of text, after inflating.
    pub text_bytes: u64,
    /// Rows below the header.
    pub rows: u64,
    /// Rows kept.
    pub kept: u64,
    /// Rows refused.
    pub faulty: u64,
}

/// The result of reading a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The requests.
    pub workload: Workload,
    /// The report.
    pub report: Report,
}

/// Reads one trace. After an error, every further call returns the same error.
pub struct TraceParser {
    source: Source,
    text: Text,
    bytes: u64,
    /// The size of the file, or 0 if it is unknown.
    file_bytes: u64,
    failed: Option<TraceError>,
}

impl TraceParser {
    /// A parser with the default limits; the name helps to recognise the format.
    #[must_use]
    pub fn new(file_name: &str) -> Self {
        Self::with_limits(file_name, Limits::default())
    }

    /// A parser with these limits.
    #[must_use]
    pub fn with_limits(file_name: &str, limits: Limits) -> Self {
        let text = Text {
            file_name: file_name.into(),
            limits,
            sample: Sample::default(),
            leaves_out_instant: false,
            columns: None,
            decimal_commas: None,
            unknown: Vec::new(),
            bytes: 0,
            body: Body::Head(Vec::new()),
            rows: WorkloadBuilder::new(),
            tally: Tally::default(),
        };
        Self { source: Source::new(), text, bytes: 0, file_bytes: 0, failed: None }
    }

    /// Keeps this part of the trace; the report's notes explain the sample's effect on the numbers.
    #[must_use]
    pub fn sampled(mut self, sample: Sample) -> Self {
        self.text.sample = sample;
        self
    }

    /// Drops VMs of tables that end at the instant they start, instead of giving them the smallest span; the report
    /// still counts them as corrected (Gridiron section II).
    #[must_use]
    pub fn without_instant_vms(mut self) -> Self {
        self.text.leaves_out_instant = true;
        self
    }

    /// Says how large the file is. Memory for its rows is then taken once: rows that have to move while there are more
    /// and more of them leave gaps, which a browser does not get back.
    #[must_use]
    pub fn of_size(mut self, bytes: u64) -> Self {
        self.file_bytes = bytes;
        self
    }

    /// Reads any table as a [CSV with named columns](crate::formats::NamedColumns) with these column names, one for
    /// each; ignores a column with an empty name. A first line without any number is a header, and skipped.
    #[must_use]
    pub fn with_columns(mut self, names: Vec<String>) -> Self {
        self.text.columns = Some(ColumnNames::All(names));
        self
    }

    /// Reads a table with a header as a [CSV with named columns](crate::formats::NamedColumns), with some columns
    /// renamed: pairs of the new name and the header's name.
    #[must_use]
    pub fn with_renamed(mut self, renamed: Vec<(String, String)>) -> Self {
        self.text.columns = Some(ColumnNames::Renamed(renamed));
        self
    }

    /// Reads 3,5 as three and a half in a [CSV with named columns](crate::formats::NamedColumns), or, with `false`,
    /// as not a number. Without this call, the first row decides if it can.
    #[must_use]
    pub fn with_decimal_commas(mut self, has_decimal_commas: bool) -> Self {
        self.text.decimal_commas = Some(has_decimal_commas);
        self
    }

    /// The fields of the first two lines, if reading failed because the columns are unknown or ambiguous; given names
    /// for them, the file may be readable. Otherwise empty.
    #[must_use]
    pub fn unknown(&self) -> &[Vec<String>] {
        &self.text.unknown
    }

    /// The progress of reading.
    #[must_use]
    pub fn progress(&self) -> ReadingProgress {
        let tally = &self.text.tally;
        ReadingProgress {
            bytes: self.bytes,
            text_bytes: self.text.bytes,
            rows: tally.rows,
            kept: self.text.rows.len() as u64,
            faulty: tally.faulty,
        }
    }

    /// Checks a file by its size before it is read.
    ///
    /// # Errors
    /// If it is too large to be read completely and is not sampled.
    pub fn check_file(&self, bytes: u64) -> Result<(), FileTooLong> {
        self.text.limits.check_file(bytes, &self.text.sample)
    }

    /// Adds a note on how the file was read to the report.
    pub fn note(&mut self, note: String) {
        self.text.tally.notes.push(note);
    }

    /// Takes the next chunk of the file, split anywhere.
    ///
    /// # Errors
    /// If the file is not a readable trace, or too large.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        let bytes_then = self.bytes + bytes.len() as u64;
        self.text.make_room(self.bytes..bytes_then, self.file_bytes);
        self.bytes = bytes_then;
        self.guarded(|parser| parser.take(bytes))
    }

    /// Takes the rest of the file, as [`push`](Self::push) does, but unpacks it in another thread while its rows are
    /// read. For programs with threads.
    ///
    /// # Errors
    /// Those of [`push`](Self::push), and if the file cannot be read.
    pub fn push_file(&mut self, file: impl Read + Send) -> Result<(), TraceError> {
        self.guarded(|Self { source, text, bytes, file_bytes, .. }| {
            let limits = text.limits;
            source.push_file(file, *bytes, &limits, |bytes_then, piece| {
                if bytes_then > *bytes {
                    text.make_room(*bytes..bytes_then, *file_bytes);
                    *bytes = bytes_then;
                }
                text.push(&piece)
            })
        })
    }

    /// Ends the file, and sorts the rows.
    ///
    /// # Errors
    /// If the file is not a trace, is truncated, or has no readable row.
    pub fn finish(mut self) -> Result<Parsed, TraceError> {
        self.guarded(Self::take_end)?;
        self.text.finish()
    }

    fn guarded(&mut self, step: impl FnOnce(&mut Self) -> Result<(), TraceError>) -> Result<(), TraceError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = step(self).map_err(|error| error.after(self.text.tally.rows));
        self.failed = result.as_ref().err().cloned();
        result
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        let Self { source, text, .. } = self;
        let limits = text.limits;
        source.push(bytes, &limits, |inflated| text.push(inflated))
    }

    fn take_end(&mut self) -> Result<(), TraceError> {
        let Self { source, text, .. } = self;
        let limits = text.limits;
        source.finish(&limits, |inflated| text.push(inflated))?;
        text.end()
    }
}

/// The text of the file, after inflating.
struct Text {
    file_name: String,
    limits: Limits,
    sample: Sample,
    leaves_out_instant: bool,
    /// Column names from the user, which replace the header's.
    columns: Option<ColumnNames>,
    /// Whether decimals follow a comma, if the user says so.
    decimal_commas: Option<bool>,
    /// The first lines of a file with unknown columns.
    unknown: Vec<Vec<String>>,
    bytes: u64,
    body: Body,
    rows: WorkloadBuilder,
    tally: Tally,
}

/// Column names from the user.
enum ColumnNames {
    All(Vec<String>),
    Renamed(Vec<(String, String)>),
}

impl ColumnNames {
    /// A name for each field of a header.
    fn of(self, header: &[String]) -> Result<Vec<String>, TraceError> {
        let renamed = match self {
            Self::All(names) => return Ok(names),
            Self::Renamed(renamed) => renamed,
        };
        let has = |name: &String| header.iter().any(|field| field.trim().eq_ignore_ascii_case(name.trim()));
        let missing: Vec<_> = renamed.iter().map(|(_, had)| had).filter(|had| !has(had)).cloned().collect();
        if !missing.is_empty() {
            return Err(TraceError::MissingColumns { missing, found: header.to_vec() });
        }
        let name = |field: &String| {
            let pair = renamed.iter().find(|(_, had)| field.trim().eq_ignore_ascii_case(had.trim()));
            pair.map_or_else(|| field.clone(), |(name, _)| name.clone())
        };
        Ok(header.iter().map(name).collect())
    }
}

/// The part that is still to be read.
enum Body {
    /// The first bytes, until the format is recognised.
    Head(Vec<u8>),
    /// Rows, read as they arrive.
    Table(Box<TableBody>),
    /// All bytes of a file that is read completely first.
    Binary(&'static dyn Format, &'static dyn Binary, Vec<u8>),
}

/// The reader of a table's rows.
struct TableBody {
    format: &'static dyn Format,
    records: Records,
    reader: Box<dyn RowReader>,
    in_header: bool,
    /// The allowed number of fields in a row: that of the header.
    fields: usize,
    /// The number of fields in the first line.
    first_fields: usize,
}

impl Text {
    /// Takes memory for the rows of the rest of the file before the next bytes fill what there is. An estimate by the
    /// rows so far, slightly too large.
    fn make_room(&mut self, next: Range<u64>, file_bytes: u64) {
        const ROWS_MIN: usize = 10_000;
        const MARGIN: f64 = 1.05;
        let Self { rows, limits, .. } = self;
        let rows_in = |to: u64| {
            let bytes = to.min(file_bytes).saturating_sub(next.start);
            (rows.len() as f64 / next.start as f64 * bytes as f64 * MARGIN) as usize
        };
        if rows.len() >= ROWS_MIN && rows.len() + rows_in(next.end) > rows.capacity() {
            let rest = rows_in(file_bytes);
            rows.reserve(rest.min((limits.rows_max as usize).saturating_sub(rows.len())));
        }
    }

    fn push(&mut self, mut bytes: &[u8]) -> Result<(), TraceError> {
        self.bytes += bytes.len() as u64;
        if self.sample.is_whole() && self.bytes > self.limits.text_bytes_max {
            return Err(TraceError::TextTooLong { bytes_max: self.limits.text_bytes_max });
        }
        if let Body::Head(head) = &mut self.body {
            let room = self.limits.line_bytes_max + 1 - head.len();
            let (more, rest) = bytes.split_at(room.min(bytes.len()));
            head.extend_from_slice(more);
            bytes = rest;
            if let Some((format, reader)) = binary_of(head) {
                self.body = Body::Binary(format, reader, std::mem::take(head));
            } else if first_lines(without_mark(head)).1 || head.len() > self.limits.line_bytes_max {
                self.open()?;
            } else {
                return Ok(());
            }
        }
        if let Body::Binary(_, _, whole) = &mut self.body {
            whole.extend_from_slice(bytes);
            let too_many = self.bytes > self.limits.rows_max.saturating_mul(BINARY_ROW_BYTES);
            return if too_many { Err(TraceError::TooManyRows { rows_max: self.limits.rows_max }) } else { Ok(()) };
        }
        while !bytes.is_empty() {
            self.read(&mut bytes)?;
        }
        Ok(())
    }

    /// Ends the text.
    fn end(&mut self) -> Result<(), TraceError> {
        if let Body::Head(_) = self.body {
            self.open()?;
        }
        self.read(&mut [].as_slice())
    }

    /// Recognises the format from the head, then reads the head as rows.
    fn open(&mut self) -> Result<(), TraceError> {
        let Body::Head(head) = &mut self.body else { return Ok(()) };
        let head = std::mem::take(head);
        let text = without_mark(&head);
        let (lines, complete) = first_lines(text);
        magic::check_is_text(lines)?;
        if lines.trim_ascii().is_empty() {
            return Err(TraceError::Empty);
        }
        let longest = self.limits.line_bytes_max;
        if !complete && text.len() > longest && memchr::memchr2(b'\n', b'\r', lines.trim_ascii_start()).is_none() {
            // Not even the header ends within the limit, so its fields would be truncated.
            return Err(TraceError::LineTooLong { line: 1, bytes_max: longest });
        }
        let delimiter = delimiter_of(lines);
        let rows = rows_of(lines, delimiter, longest)?;
        let opened = self.table(&rows, delimiter);
        if let Err(
            TraceError::UnknownFormat { .. } | TraceError::MissingColumns { .. } | TraceError::Ambiguous { .. },
        ) = opened
        {
            self.unknown = rows;
        }
        self.body = Body::Table(Box::new(opened?));
        let mut rest = text;
        while !rest.is_empty() {
            self.read(&mut rest)?;
        }
        Ok(())
    }

    /// The reader for a table with these first lines.
    fn table(&mut self, rows: &[Vec<String>], delimiter: u8) -> Result<TableBody, TraceError> {
        let records = Records::new(delimiter, self.limits.line_bytes_max);
        if let (Some(columns), Some(first)) = (self.columns.take(), rows.first()) {
            let in_header = !first.iter().any(|field| is_value(field));
            let values = rows.get(usize::from(in_header)).cloned().unwrap_or_default();
            let rows = [columns.of(first)?, values];
            let head = Head { file_name: &self.file_name, rows: &rows, decimal_commas: self.decimal_commas };
            let reader = NamedColumns {}.open(&head, &mut self.tally)?;
            let fields = if in_header { head.first().len() } else { usize::MAX };
            let first_fields = first.len();
            return Ok(TableBody { format: &NamedColumns {}, records, reader, in_header, fields, first_fields });
        }
        let head = Head { file_name: &self.file_name, rows, decimal_commas: self.decimal_commas };
        let (format, table) = recognise(&head)?;
        let reader = table.open(&head, &mut self.tally)?;
        let fields = if table.has_header() { head.first().len() } else { usize::MAX };
        let (in_header, first_fields) = (table.has_header(), head.first().len());
        Ok(TableBody { format, records, reader, in_header, fields, first_fields })
    }

    /// Reads the rows that end in `bytes`; empty `bytes` mean the end of the text.
    fn read(&mut self, bytes: &mut &[u8]) -> Result<(), TraceError> {
        let Body::Table(body) = &mut self.body else { return Ok(()) };
        while let Some(record) = body.records.next(bytes)? {
            let is_header = !record.is_blank() && std::mem::take(&mut body.in_header);
            if !is_header && !record.is_blank() {
                let rows_before = self.tally.rows;
                if record.holds_rows(body.first_fields) {
                    self.tally.rows += record.lines();
                    self.tally.refuse_rows(record.lines(), record.open_quote(), self.limits.faults_kept);
                } else {
                    self.tally.rows += 1;
                    let instant = self.tally.count(Correction::NoLifetime);
                    let fits = record.has_no_field_beyond(body.fields);
                    match fits.and_then(|()| body.reader.row(&record, &mut self.tally)) {
                        Ok(_) if self.leaves_out_instant && self.tally.count(Correction::NoLifetime) > instant => {}
                        Ok(row) => {
                            let row = row.and_then(|row| kept(row, &self.sample, &mut self.tally));
                            row.into_iter().for_each(|row| self.rows.push(row));
                        }
                        Err(fault) => self.tally.refuse(fault, self.limits.faults_kept),
                    }
                }
                if self.rows.len() as u64 + body.reader.pending() > self.limits.rows_max {
                    return Err(TraceError::TooManyRows { rows_max: self.limits.rows_max });
                }
                if (rows_before + 1..=self.tally.rows).contains(&ROWS_ON_TRIAL) {
                    on_trial(&self.tally, body.format)?;
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Parsed, TraceError> {
        let (format, horizon) = match std::mem::replace(&mut self.body, Body::Head(Vec::new())) {
            Body::Head(_) => return Err(TraceError::Empty),
            Body::Table(body) => (body.format, self.finish_table(*body)?),
            Body::Binary(format, reader, bytes) => {
                let (rows, horizon) = reader.read(&bytes, &self.limits, &mut self.tally)?;
                self.rows = rows;
                self.rows.retain(|row| kept(*row, &self.sample, &mut self.tally).is_some());
                (format, horizon)
            }
        };
        self.tally.notes.extend(notes_on_sample(&self.sample).iter().map(|note| (*note).to_owned()));
        let kept = self.rows.len() as u64;
        let report = report_of(self.tally, self.limits.faults_kept, format, kept);
        Ok(Parsed { workload: workload_of(self.rows, horizon)?, report })
    }

    fn finish_table(&mut self, mut body: TableBody) -> Result<Time, TraceError> {
        if self.tally.rows == 0 {
            return Err(TraceError::HeaderOnly);
        }
        let rest = body.reader.rest().into_iter().filter_map(|row| kept(row, &self.sample, &mut self.tally));
        rest.for_each(|row| self.rows.push(row));
        if self.tally.rows < ROWS_ON_TRIAL || self.rows.is_empty() {
            on_trial(&self.tally, body.format)?;
        }
        if self.sample.without_outliers {
            leave_out_outliers(&mut self.rows, &mut self.tally);
        }
        let horizon = body.reader.finish(&mut self.rows, &mut self.tally);
        self.tally.notes.extend(note_on_twins(&self.rows));
        Ok(horizon)
    }
}

/// Drops rows that start years from all others.
fn leave_out_outliers(rows: &mut WorkloadBuilder, tally: &mut Tally) {
    let Some(outliers) = Outliers::among(rows.rows().map(|row| row.start)) else { return };
    rows.retain(|row| outliers.has_not(row.start));
    let left_out = outliers.before.0 + outliers.after.0;
    tally.sampled_out += left_out;
    let rows = if left_out == 1 { "row that starts" } else { "rows that start" };
    tally.notes.push(format!("Excluded: {left_out} {rows} years before or after all others."));
}

/// Notes how many VMs have the name of another one; all of them are kept.
fn note_on_twins(rows: &WorkloadBuilder) -> Option<String> {
    let mut names: Vec<u64> = rows.rows().map(|row| row.name).collect();
    names.sort_unstable();
    let twins = names.windows(2).filter(|pair| pair[0] == pair[1]).count();
    (twins > 0).then(|| format!("{twins} rows share their VM name with another row: each was kept as a separate VM."))
}

/// Reads a whole file in [`compact`] form. It is less code than a [`TraceParser`], which includes every format.
///
/// # Errors
/// If the file is truncated, damaged, of another version, or too large.
///
/// [`compact`]: crate::formats::compact
pub fn read_compact(file: &[u8]) -> Result<Parsed, TraceError> {
    let (limits, mut tally) = (Limits::default(), Tally::default());
    let (rows, horizon) = Compact {}.read(file, &limits, &mut tally)?;
    let kept = rows.len() as u64;
    let report = report_of(tally, limits.faults_kept, &Compact {}, kept);
    Ok(Parsed { workload: workload_of(rows, horizon)?, report })
}

fn report_of(mut tally: Tally, faults_kept: usize, format: &dyn Format, kept: u64) -> Report {
    tally.faults.truncate(faults_kept);
    let mut cannot_answer: Vec<String> = format.cannot_answer().iter().map(|text| (*text).into()).collect();
    cannot_answer.append(&mut tally.cannot_answer);
    // A compact file contains the notes on the file it was made from; the source comes first.
    let source = match format.source() {
        "" => tally.notes.first().cloned().unwrap_or_default(),
        source => source.into(),
    };
    Report {
        source,
        format: format.declaration().id,
        format_title: tally.title.unwrap_or_else(|| format.declaration().title.into()),
        rows: tally.rows,
        kept,
        sampled_out: tally.sampled_out,
        faults: tally.faults,
        fault_counts: tally.fault_counts,
        corrections: tally.corrections,
        notes: tally.notes,
        cannot_answer,
    }
}

/// Sorts the rows, so that a shuffled file gives the same workload.
fn workload_of(mut rows: WorkloadBuilder, horizon: Time) -> Result<Workload, TraceError> {
    rows.sort();
    Ok(rows.finish(horizon)?)
}

/// The row, unless it is outside the sample.
fn kept(row: VmRow, sample: &Sample, tally: &mut Tally) -> Option<VmRow> {
    let sampled = sample.has(&row);
    tally.sampled_out += u64::from(!sampled);
    sampled.then_some(row)
}

/// Fails if more than half are faulty, or all of them: not a trace of this format.
fn on_trial(tally: &Tally, format: &dyn Format) -> Result<(), TraceError> {
    match tally.faults.first() {
        Some(first) if tally.faulty * 2 > tally.rows => Err(TraceError::NotATrace {
            format: format.declaration().title,
            rows: tally.rows,
            faulty: tally.faulty,
            first: first.clone(),
        }),
        _ => Ok(()),
    }
}

/// The binary format with these first bytes.
fn binary_of(head: &[u8]) -> Option<(&'static dyn Format, &'static dyn Binary)> {
    let mut binaries = FORMATS.iter().filter_map(|format| Some((*format, format.as_binary()?)));
    binaries.find(|(_, binary)| head.starts_with(binary.magic()))
}

/// A text without a leading byte order mark.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// The first two non-empty lines, and whether both are complete.
pub(crate) fn first_lines(text: &[u8]) -> (&[u8], bool) {
    let blank = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    match memchr::memchr_iter(b'\n', &text[blank..]).nth(1) {
        Some(end) => (&text[..=blank + end], true),
        None => (text, false),
    }
}

/// Whether a field is a number or a date, which a header never is.
fn is_value(field: &str) -> bool {
    let is_number = field.parse::<f64>().is_ok() || with_decimal_comma(field.as_bytes()).is_some();
    is_number || Guess::of(field) != Guess::NoDate
}

/// The field separator: a comma, unless the first line has none and has another separator.
pub(crate) fn delimiter_of(lines: &[u8]) -> u8 {
    let first = lines.trim_ascii_start().split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let has = |delimiter: &u8| first.contains(delimiter);
    [b',', b';', b'\t'].into_iter().find(has).unwrap_or(b',')
}

/// The fields of the first lines.
fn rows_of(lines: &[u8], delimiter: u8, line_bytes_max: usize) -> Result<Vec<Vec<String>>, TraceError> {
    let mut records = Records::new(delimiter, line_bytes_max);
    let mut rows = Vec::new();
    let mut rest = lines;
    while let Some(record) = records.next(&mut rest)? {
        rows.extend(filled(&record));
    }
    if let Some(record) = records.next(&mut [].as_slice())? {
        rows.extend(filled(&record));
    }
    Ok(rows)
}

fn filled(record: &Record<'_>) -> Option<Vec<String>> {
    (!record.is_blank()).then(|| record.texts())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_for_the_rows_of_a_file_of_known_size_is_taken_once() {
        const ROWS: u32 = 70_000;
        let row = |vm: u32| format!("{vm},{},8,{}\n", 1 + vm % 4, vm / 2);
        let text = "vm,cores,memory,start\n".to_owned() + &(0..ROWS).map(row).collect::<String>();
        let read = |parser: TraceParser| {
            let (mut parser, mut room) = (parser, Vec::new());
            for piece in text.as_bytes().chunks(10_000) {
                parser.push(piece).expect("rows");
                room.push(parser.text.rows.capacity());
            }
            room.dedup();
            (room, parser.finish().expect("rows"))
        };
        let (grown, as_unknown) = read(TraceParser::new("rows.csv"));
        let (taken, as_known) = read(TraceParser::new("rows.csv").of_size(text.len() as u64));
        assert_eq!(as_known, as_unknown);
        // Numbers of VMs become longer, so the estimate by the first rows is too high.
        let [grown_to, taken_for] =
            [&grown, &taken].map(|room| *room.last().expect("a piece") as f64 / f64::from(ROWS));
        assert!(grown_to > 1.8 && (1.0..1.2).contains(&taken_for), "{grown_to} and {taken_for}");
        assert_eq!(taken.iter().filter(|room| **room > 20_000).count(), 1, "{taken:?}");
        // A wrong size is of no consequence.
        for wrong in [1, 1 << 20, u64::MAX] {
            assert_eq!(read(TraceParser::new("rows.csv").of_size(wrong)).1, as_known);
        }
    }
}
