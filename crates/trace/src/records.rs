//! Rows of a CSV text that is pushed in chunks, each with the line number where it begins.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::error::{TraceError, clipped};
use crate::report::{Fault, FaultKind};

/// One row: its fields without quotation marks and surrounding blanks.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    text: &'a [u8],
    ends: &'a [usize],
    /// Bytes between two fields: 1 if the delimiter is still present.
    apart: usize,
    line: u64,
    /// How many lines it spans: more than one if a line break is quoted.
    lines: u64,
    /// Whether its quotation marks are balanced.
    is_closed: bool,
    delimiter: u8,
}

impl<'a> Record<'a> {
    /// The number of its fields.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// One field; empty if the row is shorter.
    pub(crate) fn field(&self, index: usize) -> &'a [u8] {
        let Some(end) = self.ends.get(index) else { return b"" };
        let start = if index == 0 { 0 } else { self.ends[index - 1] + self.apart };
        self.text[start..*end].trim_ascii()
    }

    /// Every field, as text.
    pub(crate) fn texts(&self) -> Vec<String> {
        (0..self.len()).map(|index| String::from_utf8_lossy(self.field(index)).into_owned()).collect()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.len() <= 1 && self.field(0).is_empty()
    }

    /// Checks that the row has enough fields.
    pub(crate) fn has_fields(&self, count: usize) -> Result<(), Fault> {
        if self.len() >= count {
            return Ok(());
        }
        let got = self.len().to_string();
        Err(self.fault(FaultKind::TooFewFields, format!("{count} fields"), got.as_bytes()))
    }

    /// Checks that the row has no non-empty field beyond these: an extra field shifts those after it.
    pub(crate) fn has_no_field_beyond(&self, count: usize) -> Result<(), Fault> {
        if (count..self.len()).all(|index| self.field(index).is_empty()) {
            return Ok(());
        }
        let got = self.len().to_string();
        Err(self.fault(FaultKind::TooManyFields, format!("at most {count} fields"), got.as_bytes()))
    }

    /// How many lines it spans.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// Whether a line within a quoted field has as many fields as a row: then it is a row, and the quotation mark
    /// before it was a mistake.
    pub(crate) fn holds_rows(&self, fields: usize) -> bool {
        let is_row = |line: &[u8]| memchr::memchr_iter(self.delimiter, line).count() + 1 >= fields;
        self.lines > 1
            && (0..self.len()).any(|index| {
                let mut lines = self.field(index).split(|byte| matches!(byte, b'\n' | b'\r'));
                lines.next();
                lines.any(is_row)
            })
    }

    /// The fault of a row that spans lines which are rows themselves.
    pub(crate) fn open_quote(&self) -> Fault {
        let (first, last) = (self.line, self.line + self.lines - 1);
        let end = if self.is_closed { format!("closes in line {last}") } else { "never closes".into() };
        Fault {
            line: first,
            kind: FaultKind::OpenQuote,
            expected: "a quotation mark closed in the same row".into(),
            got: format!("one that line {first} opens and that {end}: it contains {} rows", self.lines),
        }
    }

    /// A fault in this row.
    pub(crate) fn fault(&self, kind: FaultKind, expected: String, got: &[u8]) -> Fault {
        Fault { line: self.line, kind, expected, got: clipped(got) }
    }
}

/// Splits text into rows.
pub(crate) struct Records {
    csv: Reader,
    delimiter: u8,
    text: Vec<u8>,
    text_len: usize,
    ends: Vec<usize>,
    ends_len: usize,
    complete: bool,
    line: u64,
    /// The last byte was a carriage return, which ends a line with or without a following line feed.
    after_return: bool,
    /// The last byte ended a line.
    ends_a_line: bool,
    record_line: u64,
    record_bytes: usize,
    /// Quotation marks in the row so far.
    quotes: usize,
    line_bytes_max: usize,
}

impl Records {
    pub(crate) fn new(delimiter: u8, line_bytes_max: usize) -> Self {
        let mut csv = ReaderBuilder::new().delimiter(delimiter).build();
        // This uses up the check for a byte order mark before the first row, since that row may be any row here.
        csv.read_record(b"\n", &mut [0], &mut [0]);
        Self {
            csv,
            delimiter,
            text: vec![0; 1 << 10],
            text_len: 0,
            ends: vec![0; 32],
            ends_len: 0,
            complete: false,
            line: 1,
            after_return: false,
            ends_a_line: false,
            record_line: 1,
            record_bytes: 0,
            quotes: 0,
            line_bytes_max,
        }
    }

    /// The next row of `input`, which is advanced; `None` if it is incomplete. An `input` that is empty from the
    /// start means the end of the text.
    pub(crate) fn next<'a, 'b: 'a>(&'a mut self, input: &mut &'b [u8]) -> Result<Option<Record<'a>>, TraceError> {
        if self.complete {
            (self.text_len, self.ends_len, self.record_bytes, self.complete) = (0, 0, 0, false);
        }
        if let Some(line) = self.plain_line(input)? {
            return Ok(Some(Record {
                text: line,
                ends: &self.ends[..self.ends_len],
                apart: 1,
                line: self.record_line,
                lines: 1,
                is_closed: true,
                delimiter: self.delimiter,
            }));
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
        // Its last line may have ended with it, or with the text.
        let lines = (self.line - u64::from(self.ends_a_line)).max(self.record_line) - self.record_line + 1;
        let is_closed = self.quotes.is_multiple_of(2);
        Ok(Some(Record { text, ends, apart: 0, line: self.record_line, lines, is_closed, delimiter: self.delimiter }))
    }

    /// Reads a row that begins here and ends in `input` and contains no quotes, as most do, in place: at memory
    /// speed, with the same result as the CSV reader.
    fn plain_line<'b>(&mut self, input: &mut &'b [u8]) -> Result<Option<&'b [u8]>, TraceError> {
        if self.record_bytes > 0 {
            return Ok(None);
        }
        let blank = input.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let rest = &input[blank..];
        let Some(end) = memchr::memchr3(b'\n', b'\r', b'"', rest).filter(|end| rest[*end] != b'"') else {
            return Ok(None);
        };
        self.count(&input[..blank])?;
        self.after_return = false;
        self.count_lines(&rest[end..=end]);
        self.check_length(end + 1)?;
        self.ends_len = 0;
        for at in memchr::memchr_iter(self.delimiter, &rest[..end]).chain([end]) {
            if self.ends_len == self.ends.len() {
                self.ends.resize(self.ends.len() * 2, 0);
            }
            self.ends[self.ends_len] = at;
            self.ends_len += 1;
        }
        self.complete = true;
        *input = &rest[end + 1..];
        Ok(Some(&rest[..end]))
    }

    /// Updates the line number and the length of the row; empty lines before it are not part of it.
    fn count(&mut self, mut read: &[u8]) -> Result<(), TraceError> {
        if self.record_bytes == 0 {
            let blank = read.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            self.count_lines(&read[..blank]);
            self.record_line = self.line;
            self.quotes = 0;
            read = &read[blank..];
        }
        self.quotes += memchr::memchr_iter(b'"', read).count();
        self.count_lines(read);
        self.check_length(read.len())
    }

    /// Adds bytes to the row.
    fn check_length(&mut self, bytes: usize) -> Result<(), TraceError> {
        self.record_bytes += bytes;
        if self.record_bytes > self.line_bytes_max {
            return Err(TraceError::LineTooLong { line: self.record_line, bytes_max: self.line_bytes_max });
        }
        Ok(())
    }

    fn count_lines(&mut self, read: &[u8]) {
        let Some(last) = read.last() else { return };
        self.line += memchr::memchr_iter(b'\n', read).count() as u64;
        // The carriage return has already been counted.
        self.line -= u64::from(self.after_return && read[0] == b'\n');
        let alone = |at: &usize| read.get(at + 1) != Some(&b'\n');
        self.line += memchr::memchr_iter(b'\r', read).filter(alone).count() as u64;
        self.after_return = *last == b'\r';
        self.ends_a_line = matches!(last, b'\r' | b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line and the fields of every row, with the text pushed in pieces of this size.
    fn rows(text: &[u8], piece_bytes: usize) -> Vec<(u64, Vec<String>)> {
        let mut records = Records::new(b',', 100);
        let mut rows = Vec::new();
        for mut piece in text.chunks(piece_bytes).chain([[].as_slice()]) {
            loop {
                let record = records.next(&mut piece).expect("short lines");
                let row = record.map(|record| (record.line, record.texts()));
                let is_over = row.is_none();
                rows.extend(row);
                if is_over || piece.is_empty() {
                    break;
                }
            }
        }
        rows
    }

    /// Pieces of one byte always use the CSV reader, and one piece uses the fast path as far as possible.
    #[test]
    fn rows_are_the_same_however_they_are_read() {
        let parts: [&[u8]; 12] = [
            b"1,2",
            b"\n",
            b"\r",
            b"\r\n",
            b" 3 ,,",
            b"\"a,\nb\",4",
            b"x\"y\"",
            b"\xef\xbb\xbf5",
            b",",
            b"\"",
            b"6",
            b"\n\n",
        ];
        for seed in 0..3_000_u64 {
            let of = |place: u64| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (place * 4)) as usize % parts.len();
            let text = (0..14).map(|place| parts[of(place)]).collect::<Vec<_>>().concat();
            let one_by_one = rows(&text, 1);
            for piece_bytes in [2, 5, 1_000] {
                assert_eq!(rows(&text, piece_bytes), one_by_one, "{piece_bytes}: {:?}", String::from_utf8_lossy(&text));
            }
        }
    }
}
