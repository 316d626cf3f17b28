//! Histories of chassis power draws, as CSV: a column `watts`, and optionally one that names the `chassis`.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Read;

use csv::{ReaderBuilder, StringRecord};

use crate::error::clipped;

/// The maximum number of bytes read from a file: about ten million draws.
const BYTES_MAX: u64 = 256 << 20;

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Draws {
    /// Readings, in watts.
    pub watts: Vec<f64>,
    /// The number of different chassis; `None` if the file names none.
    pub chassis: Option<usize>,
}

/// Why a file is not a history of draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawsFault {
    /// It is not CSV.
    Csv(String),
    /// It is larger than this number of bytes.
    TooLong(u64),
    /// It has no column of watts; contains the truncated first line.
    NoWatts(String),
    /// It has several.
    SeveralWatts(usize),
    /// A line has no draw.
    Line {
        /// The line, from 1.
        line: u64,
        /// The content of the line, truncated.
        got: String,
        /// The number of further lines without a draw.
        more: usize,
    },
}

impl fmt::Display for DrawsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Csv(error) => write!(
                f,
                "expected power readings as CSV, got: {error}; use a file with a column \
                 watts"
            ),
            Self::TooLong(bytes_max) => {
                write!(f, "expected at most {} MiB of power readings, got more; use a part of them", bytes_max >> 20)
            }
            Self::NoWatts(got) => write!(
                f,
                "expected a column watts in the first line, got {got}; add a first line watts, or time,chassis,watts"
            ),
            Self::SeveralWatts(columns) => write!(f, "expected one column watts, got {columns}; rename the others"),
            Self::Line { line, got, more } => {
                write!(f, "expected 0 W or more in line {line}, got {got}; correct or remove this line")?;
                if *more > 0 { write!(f, " and {more} more") } else { Ok(()) }
            }
        }
    }
}

impl std::error::Error for DrawsFault {}

impl Draws {
    /// Reads a whole file.
    ///
    /// # Errors
    /// If it is not CSV or too large, does not have exactly one column `watts`, or a line has no draw of at least 0.
    pub fn read(file: impl Read) -> Result<Self, DrawsFault> {
        let wrong = |error: csv::Error| DrawsFault::Csv(error.to_string());
        let file = whole(file)?;
        let text = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&file);
        let mut csv = ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text);
        let head = csv.headers().map_err(wrong)?.clone();
        let watts = watts_column(&head)?;
        let chassis = head.iter().position(|name| name.eq_ignore_ascii_case("chassis"));
        let (mut draws, mut names, mut first_fault, mut faults) = (Vec::new(), BTreeSet::new(), None, 0);
        for record in csv.records() {
            let record = record.map_err(wrong)?;
            let text = record.get(watts).unwrap_or("");
            match text.parse::<f64>().ok().filter(|watts| watts.is_finite() && *watts >= 0.0) {
                Some(draw) => draws.push(draw),
                None => {
                    let line = record.position().map_or(0, csv::Position::line);
                    first_fault.get_or_insert_with(|| (line, clipped(text.as_bytes())));
                    faults += 1;
                }
            }
            if let Some(name) = chassis.and_then(|column| record.get(column)) {
                names.insert(name.to_owned());
            }
        }
        match first_fault {
            Some((line, got)) => Err(DrawsFault::Line { line, got, more: faults - 1 }),
            None => Ok(Self { watts: draws, chassis: chassis.map(|_| names.len()) }),
        }
    }
}

/// All bytes of a file within the size limit.
fn whole(file: impl Read) -> Result<Vec<u8>, DrawsFault> {
    let mut bytes = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error| DrawsFault::Csv(error.to_string()))?;
    if bytes.len() as u64 > BYTES_MAX { Err(DrawsFault::TooLong(BYTES_MAX)) } else { Ok(bytes) }
}

/// The index of the column of watts.
fn watts_column(head: &StringRecord) -> Result<usize, DrawsFault> {
    let columns: Vec<_> = head.iter().enumerate().filter(|(_, name)| name.eq_ignore_ascii_case("watts")).collect();
    match columns.as_slice() {
        [(column, _)] => Ok(*column),
        [] => Err(DrawsFault::NoWatts(clipped(head.iter().collect::<Vec<_>>().join(",").as_bytes()))),
        several => Err(DrawsFault::SeveralWatts(several.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_and_what_is_wrong_is_named() {
        let read = |text: &str| Draws::read(text.as_bytes()).map_err(|fault| fault.to_string());
        assert_eq!(read("watts\n100\n 250.5 \n"), Ok(Draws { watts: vec![100.0, 250.5], chassis: None }));
        let two = read("time,Chassis,Watts\n0,a,1\n1,b,2\n2,a,3\n");
        assert_eq!(read("\u{feff}watts\n1\n"), Ok(Draws { watts: vec![1.0], chassis: None }));
        assert_eq!(two, Ok(Draws { watts: vec![1.0, 2.0, 3.0], chassis: Some(2) }));
        for (text, part) in [
            ("power\n1\n", "got \"power\""),
            ("watts,watts\n1,2\n", "got 2; rename"),
            ("watts\n1\n-3\nmany\n", "line 3, got \"-3\"; correct or remove this line and 1 more"),
            ("watts\nNaN\n", "got \"NaN\""),
            ("time,watts\n1\n", "got nothing"),
            ("watts\n1\0\n", "got \"1\u{fffd}\""),
        ] {
            let told = read(text).expect_err(text);
            assert!(told.contains(part), "{told}");
        }
    }
}
