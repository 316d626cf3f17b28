//! Rows of a CSV text that is pushed in chunks, with the line each begins in.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::error::{TraceError, clipped};
use crate::report::{Fault, FaultKind};

/// One row: its fields without quotation marks and outer blanks.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    text: &'a [u8],
    ends: &'a [usize],
    line: u64,
}

impl<'a> Record<'a> {
    /// How many fields it has.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// One field, empty when the row is shorter.
    pub(crate) fn field(&self, index: usize) -> &'a [u8] {
        let Some(end) = self.ends.get(index) else { return b"" };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.text[start..*end].trim_ascii()
    }

    /// Every field, as text.
    pub(crate) fn texts(&self) -> Vec<String> {
        (0..self.len()).map(|index| String::from_utf8_lossy(self.field(index)).into_owned()).collect()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.len() <= 1 && self.field(0).is_empty()
    }

    /// Checks that the row is long enough.
    pub(crate) fn has_fields(&self, count: usize) -> Result<(), Fault> {
        if self.len() >= count {
            return Ok(());
        }
        let got = self.len().to_string();
        Err(self.fault(FaultKind::TooFewFields, format!("{count} fields"), got.as_bytes()))
    }

    /// Checks that the row has no field beyond these, empty ones apart: one more moves those behind it.
    pub(crate) fn has_no_field_beyond(&self, count: usize) -> Result<(), Fault> {
        if (count..self.len()).all(|index| self.field(index).is_empty()) {
            return Ok(());
        }
        let got = self.len().to_string();
        Err(self.fault(FaultKind::TooManyFields, format!("at most {count} fields"), got.as_bytes()))
    }

    /// A fault in this row.
    pub(crate) fn fault(&self, kind: FaultKind, expected: String, got: &[u8]) -> Fault {
        Fault { line: self.line, kind, expected, got: clipped(got) }
    }
}

/// Cuts text into rows.
pub(crate) struct Records {
    csv: Reader,
    text: Vec<u8>,
    text_len: usize,
    ends: Vec<usize>,
    ends_len: usize,
    complete: bool,
    line: u64,
    /// The last byte was a carriage return, which ends a line with or without the line feed behind it.
    after_return: bool,
    record_line: u64,
    record_bytes: usize,
    line_bytes_max: usize,
}

impl Records {
    pub(crate) fn new(delimiter: u8, line_bytes_max: usize) -> Self {
        Self {
            csv: ReaderBuilder::new().delimiter(delimiter).build(),
            text: vec![0; 1 << 10],
            text_len: 0,
            ends: vec![0; 32],
            ends_len: 0,
            complete: false,
            line: 1,
            after_return: false,
            record_line: 1,
            record_bytes: 0,
            line_bytes_max,
        }
    }

    /// The next row of `input`, which is shortened by what was read; nothing when it ran
    /// out. An `input` that is empty from the start means that the text has ended.
    pub(crate) fn next(&mut self, input: &mut &[u8]) -> Result<Option<Record<'_>>, TraceError> {
        if self.complete {
            (self.text_len, self.ends_len, self.record_bytes, self.complete) = (0, 0, 0, false);
        }
        loop {
            let (result, read, written, ended) =
                self.csv.read_record(input, &mut self.text[self.text_len..], &mut self.ends[self.ends_len..]);
            self.count(&input[..read])?;
            *input = &input[read..];
            self.text_len += written;
            self.ends_len += ended;
            match result {
                ReadRecordResult::OutputFull => self.text.resize(self.text.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::InputEmpty | ReadRecordResult::End => return Ok(None),
                ReadRecordResult::Record => break,
            }
        }
        self.complete = true;
        let (text, ends) = (&self.text[..self.text_len], &self.ends[..self.ends_len]);
        Ok(Some(Record { text, ends, line: self.record_line }))
    }

    /// Follows line numbers and the length of the row; empty lines before it are not part of it.
    fn count(&mut self, mut read: &[u8]) -> Result<(), TraceError> {
        if self.record_bytes == 0 {
            let blank = read.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            self.count_lines(&read[..blank]);
            self.record_line = self.line;
            read = &read[blank..];
        }
        self.count_lines(read);
        self.record_bytes += read.len();
        if self.record_bytes > self.line_bytes_max {
            return Err(TraceError::LineTooLong { line: self.record_line, bytes_max: self.line_bytes_max });
        }
        Ok(())
    }

    fn count_lines(&mut self, read: &[u8]) {
        let Some(last) = read.last() else { return };
        self.line += memchr::memchr_iter(b'\n', read).count() as u64;
        // Its carriage return has counted for it already.
        self.line -= u64::from(self.after_return && read[0] == b'\n');
        let alone = |at: &usize| read.get(at + 1) != Some(&b'\n');
        self.line += memchr::memchr_iter(b'\r', read).filter(alone).count() as u64;
        self.after_return = *last == b'\r';
    }
}
