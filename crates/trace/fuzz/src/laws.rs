//! Invariants of every reader, for any bytes: it does not panic, its result does not depend on how the file is split
//! into chunks, it drops no row silently, and its result is a workload.

use tiebreak_trace::compact::{self, Origin};
use tiebreak_trace::{Draws, Limits, Parsed, ReadingsParser, Summary, TraceError, TraceParser, read_compact};

/// Small, so that a fuzzer reaches them and the memory per input is bounded.
const LIMITS: Limits = Limits {
    rows_max: 2_000,
    file_bytes_max: 1 << 20,
    text_bytes_max: 1 << 20,
    line_bytes_max: 4 << 10,
    packed_ratio_max: 200,
    faults_kept: 3,
};

/// A name for every format that is recognised by file name.
const NAMES: [&str; 6] = ["", "vmtable.csv", "dev-vms.csv", "batched-0.csv", "Huawei-East-1.csv", "openb_pod_list.csv"];

/// An invariant, with the name of its target.
pub type Law = fn(&[u8]);

/// Every invariant.
pub const LAWS: [(&str, Law); 5] =
    [("table", table), ("packed", packed), ("compact", compact), ("readings", readings), ("draws", draws)];

/// A text trace. The first byte chooses its name, the second the size of the chunks.
pub fn table(input: &[u8]) {
    let Some(([name, size], file)) = input.split_first_chunk() else { return };
    let name = NAMES[usize::from(*name) % NAMES.len()];
    let (whole, pieces) = (read(name, file, file.len()), read(name, file, usize::from(*size)));
    if is_packed(file) {
        // How far text gets before damage is found depends on the chunks.
        assert_eq!(whole.as_ref().ok(), pieces.as_ref().ok(), "where the file was cut");
    } else {
        assert_eq!(whole, pieces, "where the file was cut");
    }
    match whole {
        Ok(parsed) => check(&parsed),
        Err(error) => check_sentence(&error.to_string()),
    }
}

/// Gzip or zstd. The first byte chooses the size of the chunks.
pub fn packed(input: &[u8]) {
    let Some((size, file)) = input.split_first() else { return };
    let (whole, pieces) = (read("", file, file.len()), read("", file, usize::from(*size)));
    assert_eq!(whole.as_ref().ok(), pieces.as_ref().ok(), "where the file was cut");
    match whole {
        Ok(parsed) => check(&parsed),
        Err(error) => check_sentence(&error.to_string()),
    }
}

/// A compact trace without its checksum, which is appended.
pub fn compact(input: &[u8]) {
    let sum = xxhash_rust::xxh3::xxh3_64(input).to_le_bytes();
    let file = [input, &sum].concat();
    match read("", &file, file.len()) {
        Ok(parsed) => check(&parsed),
        Err(error) => check_sentence(&error.to_string()),
    }
}

/// CPU readings. The first byte chooses the size of the chunks.
pub fn readings(input: &[u8]) {
    let Some((size, file)) = input.split_first() else { return };
    let read = |size: usize| {
        let mut parser = ReadingsParser::with_limits(LIMITS);
        file.chunks(size.max(1)).try_for_each(|chunk| parser.push(chunk))?;
        parser.finish()
    };
    let (whole, pieces) = (read(file.len()), read(usize::from(*size)));
    if is_packed(file) {
        assert_eq!(whole.as_ref().ok(), pieces.as_ref().ok(), "where the file was cut");
    } else {
        assert_eq!(whole, pieces, "where the file was cut");
    }
    match whole {
        Ok(readings) => {
            assert!(readings.faulty < readings.rows && readings.faults.len() <= LIMITS.faults_kept, "{readings:?}");
            for vm in &readings.vms {
                let means = vm.half_hours();
                assert!(means.first().zip(means.last()).is_some_and(|ends| !ends.0.is_nan() && !ends.1.is_nan()));
                assert!(means.iter().all(|mean| mean.is_nan() || (-0.01..=100.01).contains(mean)), "{means:?}");
            }
        }
        Err(error) => check_sentence(&error.to_string()),
    }
}

/// A history of draws. The first byte chooses the size of the chunks.
pub fn draws(input: &[u8]) {
    let Some((size, file)) = input.split_first() else { return };
    let (whole, pieces) = (Draws::read(file), Draws::read(Pieces { rest: file, size: usize::from(*size).max(1) }));
    assert_eq!(whole, pieces, "where the file was cut");
    match whole {
        Ok(draws) => assert!(draws.watts.iter().all(|watts| watts.is_finite() && *watts >= 0.0)),
        Err(fault) => check_sentence(&fault.to_string()),
    }
}

/// Reads a few bytes at a time.
struct Pieces<'a> {
    rest: &'a [u8],
    size: usize,
}

impl std::io::Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let length = self.size.min(into.len()).min(self.rest.len());
        let (piece, rest) = self.rest.split_at(length);
        into[..length].copy_from_slice(piece);
        self.rest = rest;
        Ok(length)
    }
}

fn is_packed(file: &[u8]) -> bool {
    [&[0x1f, 0x8b][..], &[0x28, 0xb5, 0x2f, 0xfd]].iter().any(|magic| file.starts_with(magic))
}

fn read(name: &str, file: &[u8], size: usize) -> Result<Parsed, TraceError> {
    let mut parser = TraceParser::with_limits(name, LIMITS);
    file.chunks(size.max(1)).try_for_each(|chunk| parser.push(chunk))?;
    parser.finish()
}

/// Invariants of every trace that was read.
fn check(Parsed { workload, report }: &Parsed) {
    assert_eq!(u64::from(workload.vm_count()), report.kept);
    assert!(report.kept <= LIMITS.rows_max && report.faults.len() <= LIMITS.faults_kept);
    // An event's row is half a VM: a deletion completes a creation.
    let is_whole = report.format != "HuaweiEvents";
    let accounted = report.kept + report.faulty() + report.sampled_out;
    assert!(if is_whole { report.rows == accounted } else { report.rows >= accounted }, "{report:?}");
    assert!(workload.rows().all(|row| row.start < row.end && row.shape.demand.cores_milli() > 0));
    assert!(workload.horizon().0 > 0);
    let summary = Summary::of(workload);
    assert!((1..=summary.vms).contains(&summary.peak_vms) && summary.peak_cores_milli >= summary.cores_milli_at_start);
    let compact = compact::write(workload, &Origin::of(report));
    let again = read_compact(&compact).expect("what was written is read");
    assert_eq!((again.workload.fingerprint(), &again.workload), (workload.fingerprint(), workload));
}

/// An error is for people: one or two sentences, not the file.
fn check_sentence(told: &str) {
    assert!(told.contains("xpected") || told.contains("Too large") || told.starts_with("Read as"), "{told}");
    assert!(told.chars().count() < 1_000 && !told.contains('\0'), "{told}");
}
