//! Lists of machines: a CSV with a row per machine, or per group of equal machines.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::clipped;
use crate::formats::named_columns::{CORES, MACHINES, MEMORY};
use crate::limits::Limits;
use crate::magic;
use crate::parser::{delimiter_of, first_lines, without_mark};
use crate::records::Records;
use crate::report::Fault;

/// A group of equal machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// The number of machines.
    pub machines: u32,
    /// Cores of each, in thousandths.
    pub cores_milli: u32,
    /// Memory of each, in MiB.
    pub memory_mib: u32,
}

/// Why a file is not a list of machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodesFault {
    /// It is not text, or a line is too long.
    NoTable(String),
    /// Its first line, truncated, does not name cores and memory.
    NoColumns(String),
    /// A row is wrong.
    Row(Fault),
    /// It has no rows.
    Empty,
}

impl fmt::Display for NodesFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTable(why) => f.write_str(why),
            Self::NoColumns(got) => write!(
                f,
                "Expected a first line that names cores (or cpu, cpu_milli) and memory (or memory_gib, memory_mib), and optionally machines, if a row stands for several; got {got}."
            ),
            Self::Row(Fault { line, expected, got, .. }) => {
                write!(f, "Line {line}: expected {expected}, got {got}. Correct this row or remove it.")
            }
            Self::Empty => f.write_str("Expected a row for each machine, got none."),
        }
    }
}

impl std::error::Error for NodesFault {}

/// The machines of a list, grouped by size, the most frequent first. The list has the form of Alibaba's openb nodes
/// (`cpu_milli`, `memory_mib`; GPUs are ignored), or is any table with columns for cores and memory.
///
/// # Errors
/// If it is not such a table, or a row is wrong.
pub fn read(file: &[u8]) -> Result<Vec<Nodes>, NodesFault> {
    let no_table = |error: crate::TraceError| NodesFault::NoTable(error.to_string());
    let text = without_mark(file);
    let (lines, _) = first_lines(text);
    magic::check_is_text(lines).map_err(no_table)?;
    let mut records = Records::new(delimiter_of(lines), Limits::default().line_bytes_max);
    // An unfinished line ends the file.
    let text = [text, b"\n"].concat();
    let mut rest = text.as_slice();
    let mut columns = None;
    let mut alike: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    while let Some(record) = records.next(&mut rest).map_err(no_table)? {
        if !record.is_blank() {
            let Some((cores, memory, count)) = &columns else {
                let header = record.texts();
                let found = CORES.find(&header).zip(MEMORY.find(&header));
                let (cores, memory) =
                    found.ok_or_else(|| NodesFault::NoColumns(clipped(header.join(",").as_bytes())))?;
                columns = Some((cores, memory, MACHINES.find(&header)));
                continue;
            };
            let size = cores.cores_milli(&record).and_then(|cores| Ok((cores, memory.memory_mib(&record)?)));
            let machines = count.as_ref().map_or(Ok(1), |count| count.count(&record));
            *alike.entry(size.map_err(NodesFault::Row)?).or_default() += u64::from(machines.map_err(NodesFault::Row)?);
        }
        if rest.is_empty() {
            break;
        }
    }
    let machines = |many: u64| u32::try_from(many).unwrap_or(u32::MAX);
    let mut nodes: Vec<_> = alike
        .into_iter()
        .map(|((cores_milli, memory_mib), many)| Nodes { machines: machines(many), cores_milli, memory_mib })
        .collect();
    nodes.sort_by_key(|nodes| core::cmp::Reverse(nodes.machines));
    if nodes.is_empty() { Err(NodesFault::Empty) } else { Ok(nodes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_that_are_alike_stand_together() {
        let openb =
            b"sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\nn1,96000,786432,8,\nn2,64000,262144,0,\n";
        let nodes = |machines, cores_milli, memory_mib| Nodes { machines, cores_milli, memory_mib };
        assert_eq!(read(openb), Ok(vec![nodes(2, 64_000, 262_144), nodes(1, 96_000, 786_432)]));
        let table = b"\xef\xbb\xbfmachines;cores;memory_gib\r\n300;104;562.5\r\n20;48;384";
        assert_eq!(read(table), Ok(vec![nodes(300, 104_000, 576_000), nodes(20, 48_000, 393_216)]));
    }

    #[test]
    fn what_is_no_list_says_so() {
        let told = |text: &[u8]| read(text).expect_err("no list").to_string();
        assert!(told(b"a,b\n1,2\n").contains("names cores"), "{}", told(b"a,b\n1,2\n"));
        assert!(told(b"cores,memory\n4,16\nmany,16\n").starts_with("Line 3: expected"));
        assert!(told(b"cores,memory,machines\n4,16,-1\n").starts_with("Line 2: expected"));
        assert!(told(b"cores,memory\n4\n").starts_with("Line 2: expected"));
        assert!(told(b"cores,memory\n").contains("got none"));
        assert!(told(b"\x00\x01\x02\x03").contains("Expected"));
    }
}
