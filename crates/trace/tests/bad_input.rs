//! Bad input stops here: faulty rows are counted with their lines, and files that are not traces are named for what
//! they are.

use std::io::{self, Read};

use tiebreak_model::{Sample, Time, VmId};
use tiebreak_trace::{Correction, FaultKind, Limits, Packing, Parsed, TraceError, TraceParser};

const PACKING: &[u8] = include_bytes!("../fixtures/packing-cut.csv.gz");
const TWO_FRAMES: &[u8] = include_bytes!("../fixtures/two-frames.csv.zst");
const ZSTD_BOMB: &[u8] = include_bytes!("../fixtures/bomb.csv.zst");

/// Reads bytes, and the same as a file, with the same result.
fn read_within(limits: Limits, name: &str, bytes: &[u8]) -> Result<Parsed, TraceError> {
    let read = |as_file: bool| {
        let mut parser = TraceParser::with_limits(name, limits);
        let pushed = if as_file { parser.push_file(bytes) } else { parser.push(bytes) };
        pushed?;
        parser.finish()
    };
    let pushed = read(false);
    assert_eq!(read(true), pushed);
    pushed
}

fn read(name: &str, bytes: &[u8]) -> Result<Parsed, TraceError> {
    read_within(Limits::default(), name, bytes)
}

fn gzipped(text: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut gzip, text).expect("memory takes bytes");
    gzip.finish().expect("memory takes bytes")
}

#[test]
fn a_faulty_row_is_counted_with_its_line_and_the_others_are_kept() {
    use FaultKind::{NegativeTime, NoTime, NotANumber, OutOfRange, ReversedTimes, TooFewFields, ZeroSize};
    for (row, kind) in [
        ("1,1,4,16,100,50,0", ReversedTimes),
        ("1,1,4,16,100,-50,0", ReversedTimes),
        ("1,1,4,16,-100,-50,0", NegativeTime),
        ("1,1,4,16,-100,0,0", NegativeTime),
        ("1,1,0,16,1,2,0", ZeroSize),
        ("1,1,4,0,1,2,0", ZeroSize),
        ("1,1,-4,16,1,2,0", OutOfRange),
        ("1,1,99999999999,16,1,2,0", OutOfRange),
        ("1,1,1e300,16,1,2,0", OutOfRange),
        ("1,1,4,1e300,1,2,0", OutOfRange),
        ("1,1,4,16,1e300,inf,0", OutOfRange),
        ("1,1,4,16,4294967295,,0", NoTime),
        ("1,1,4,16,18446744073709551615,4294967295,0", NoTime),
        ("1,1,4,16,1,1e300,0", OutOfRange),
        ("1,1,4,16,1,2,256", OutOfRange),
        ("1,1,4,16,1,2,0.5", OutOfRange),
        ("1,1,NaN,16,1,2,0", NotANumber),
        ("1,1,inf,16,1,2,0", NotANumber),
        ("1,1,1e999,16,1,2,0", NotANumber),
        ("1,1,4,NaN,1,2,0", NotANumber),
        ("1,1,4,16,NaN,2,0", NotANumber),
        ("1,1,4,16,inf,inf,0", NotANumber),
        ("1,1,4,16,1,NaN,0", NotANumber),
        ("1,1,4,16,,2,0", NotANumber),
        ("1,1,four,16,1,2,0", NotANumber),
        ("1,1,4\0,16,1,2,0", NotANumber),
        ("\0\0\0\0", TooFewFields),
        ("1,1,4,16", TooFewFields),
        ("1;1;4;16;1;2;0", TooFewFields),
    ] {
        let text = format!(
            "vm,tenant,cores,memory,start,end,priority\n\"two\nlines\",1,4,16,1,2,0\n\n{row}\n3,1,4,16,1,inf,1\n"
        );
        let report = read("", text.as_bytes()).unwrap_or_else(|error| panic!("{row}: {error}")).report;
        assert_eq!((report.rows, report.kept, report.faulty()), (3, 2, 1), "{row}");
        let fault = &report.faults[0];
        assert_eq!((fault.line, fault.kind, report.fault_counts[&kind]), (5, kind, 1), "{row}: {fault:?}");
    }
}

#[test]
fn terms_that_cannot_be_read_are_faults_with_their_line() {
    use FaultKind::{NotANumber, OutOfRange, TooFewFields, UnknownWord};
    for (terms, kind) in [
        ("-1,zone,0,0,0", OutOfRange),
        ("2.5,zone,0,0,0", OutOfRange),
        ("65536,zone,0,0,0", OutOfRange),
        ("two,zone,0,0,0", NotANumber),
        ("2,planet,0,0,0", UnknownWord),
        ("2,4,0,0,0", UnknownWord),
        ("2,zone,inf,0,0", NotANumber),
        ("2,zone,0,1e300,0", OutOfRange),
        ("2,zone,0,0,2", UnknownWord),
        ("2,zone,0,0,maybe", UnknownWord),
        ("2,zone,0,0", TooFewFields),
    ] {
        let head = "cores,memory,start,fault_domains,scope,per_machine,per_rack,isolated";
        let text = format!("{head}\n4,16,1,2,zone,0,0,0\n4,16,1,{terms}\n4,16,1,,,,,\n");
        let report = read("", text.as_bytes()).unwrap_or_else(|error| panic!("{terms}: {error}")).report;
        assert_eq!((report.kept, report.faulty()), (2, 1), "{terms}");
        assert_eq!((report.faults[0].line, report.faults[0].kind), (3, kind), "{terms}: {:?}", report.faults[0]);
    }
}

#[test]
fn a_file_that_is_no_trace_is_named_for_what_it_is() {
    let header = "vm,cores,memory,start\n";
    let long_line = [header.as_bytes(), b"1,2,3,", &vec![b'9'; 10_000_000], b"\n"].concat();
    let long_header = vec![b'x'; 10_000_000];
    let open_quote = format!("{header}1,2,3,4\n1,\"2,3,4\n") + &"1,2,3,4\n".repeat(10_000);
    let mostly_faulty = header.to_owned() + &"1,2,3,4\n".repeat(499) + &"1,x,3,4\n".repeat(600);
    let truncated = &PACKING[..PACKING.len() / 2];
    let damaged: Vec<u8> =
        PACKING.iter().enumerate().map(|(at, byte)| if at == 60_000 { byte ^ 0xff } else { *byte }).collect();
    for (bytes, words) in [
        (&b""[..], "empty file"),
        (b"\xef\xbb\xbf", "empty file"),
        (b"\n\r\n  \n", "empty file"),
        (&gzipped(b""), "empty file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "Expected a CSV trace, got a PNG image."),
        (b"PK\x03\x04\x14\0", "got a zip archive or a spreadsheet. Unpack it"),
        (b"SQLite format 3\0\x10\0", "got a SQLite database"),
        (b"\xff\xfev\0m\0", "got UTF-16 text"),
        (b"<!doctype html>\n", "got HTML"),
        (b"{\"vm\": 1}\n", "got JSON"),
        (b"\x01\0\0\0\n\0\0\0", "got binary data"),
        (&gzipped(&gzipped(b"x")), "gzip data inside compressed data"),
        (header.as_bytes(), "the header only"),
        (b"vmId,tenantId,cores,ram,vmTypeId,starttime,endtime", "the header only"),
        (b"1,2,3,4\n5,6,7,8\n", "a first line that names the columns"),
        (b"vm,cores,start\n1,2,3\n", "a column for memory (or mem, ram); found \"vm\", \"cores\", \"start\"."),
        (b"apples,pears\n1,2\n", "a column for cores (or core, cpu, cpus) and for memory"),
        (b"vmId,vmTypeId,priority,starttime,endtime,core,memory,machineId\n", "the header only"),
        (b"vmId,vmTypeId,priority,time,core,memory,machineId,status\n", "fractions of a machine"),
        (&long_line, "longer one in line 2"),
        (&long_header, "longer one in line 1"),
        (open_quote.as_bytes(), "longer one in line 3. Look there for a quotation mark"),
        (
            mostly_faulty.as_bytes(),
            "501 of 1000 rows are faulty. The first is in line 501: expected a number in column cores",
        ),
        (b"vm,cores,memory,start\n1,x,2,3\n", "1 of 1 rows are faulty"),
        (truncated, "got its end after "),
        (&PACKING[..5], "got its end after 0 rows"),
        (&PACKING[..PACKING.len() - 1], "got its end after 13521 rows"),
        (&damaged, "damaged bytes after"),
        (&[PACKING, b"tail"].concat(), "damaged bytes after 13521 rows"),
    ] {
        let error = read("some.csv", bytes).expect_err(words).to_string();
        assert!(error.contains(words), "expected \"{words}\", got \"{error}\"");
        assert!(error.len() < 500, "{error}");
    }
}

#[test]
fn a_gzip_file_cut_anywhere_says_so() {
    let whole = gzipped(b"vm,cores,memory,start\n1,2,3,4\n2,2,3,4\n");
    for length in 2..whole.len() {
        let error = read("", &whole[..length]).expect_err("a part is no whole");
        assert!(matches!(error, TraceError::Truncated { .. }), "{length} of {}: {error}", whole.len());
    }
}

#[test]
fn a_file_that_cannot_be_read_to_its_end_says_after_how_many_rows() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let rows = b"vm,cores,memory,start\n1,2,3,4\n2,2,3,4\n";
    let mut parser = TraceParser::new("");
    let error = parser.push_file(rows.chain(Broken)).expect_err("half a file");
    assert_eq!(error, TraceError::unreadable("trace", 2, &"the disk is gone"));
    assert_eq!(parser.push(b"3,2,3,4\n"), Err(error), "of no use after an error");
}

#[test]
fn a_zstd_file_cut_anywhere_or_damaged_says_so() {
    const ZSTD: Packing = Packing::Zstd;
    for length in (4..TWO_FRAMES.len()).step_by(97).chain(4..40).chain(TWO_FRAMES.len() - 9..TWO_FRAMES.len()) {
        let error = read("", &TWO_FRAMES[..length]).expect_err("a part is no whole");
        let is_cut = matches!(error, TraceError::Truncated { packing: ZSTD, .. });
        assert!(is_cut, "{length} of {}: {error}", TWO_FRAMES.len());
    }
    let mut damaged = 0;
    for at in (0..TWO_FRAMES.len()).step_by(53) {
        let mut bytes = TWO_FRAMES.to_vec();
        bytes[at] ^= 0x40;
        let read = read("", &bytes);
        damaged += u32::from(matches!(read, Err(TraceError::Corrupt { packing: ZSTD, .. })));
    }
    assert!(damaged > 100, "{damaged} of the damaged files were found out");
    let tail = [TWO_FRAMES, b"tail, and more of it than a header"].concat();
    assert!(matches!(read("", &tail), Err(TraceError::Corrupt { packing: ZSTD, .. })));
}

#[test]
fn too_large_says_the_limit() {
    let rows = "vm,cores,memory,start\n".to_owned() + &"1,2,3,4\n".repeat(20);
    let bomb = gzipped(&vec![b'\n'; 64 << 20]);
    let bomb_of_rows = gzipped(("vm,cores,memory,start\n".to_owned() + &"1,2,3,4\n".repeat(4 << 20)).as_bytes());
    let limits = Limits::default();
    for (limits, bytes, words) in [
        (Limits { rows_max: 19, ..limits }, rows.as_bytes(), "Too large: at most 19 VMs"),
        (Limits { text_bytes_max: 100, ..limits }, rows.as_bytes(), "Too large: at most 0 MiB of text"),
        (Limits { text_bytes_max: 100, ..limits }, &gzipped(rows.as_bytes()), "Too large"),
        (Limits { line_bytes_max: 10, ..limits }, rows.as_bytes(), "longer one in line 1"),
        (limits, &bomb, "empty file"),
        (limits, &bomb_of_rows, "at most 200 bytes of text for each gzip byte"),
        (limits, ZSTD_BOMB, "at most 200 bytes of text for each zstd byte"),
    ] {
        let error = read_within(limits, "", bytes).expect_err(words).to_string();
        assert!(error.contains(words), "expected \"{words}\", got \"{error}\"");
    }
    let first_only = Limits { faults_kept: 3, ..limits };
    let faulty = rows + &"1,0,3,4\n".repeat(10);
    let report = read_within(first_only, "", faulty.as_bytes()).expect("a trace").report;
    assert_eq!((report.faults.len(), report.faulty(), report.faults[2].line), (3, 10, 24));
}

#[test]
fn an_error_stays_the_answer() {
    let mut parser = TraceParser::new("");
    let first = parser.push(b"1,2,3\n4,5,6\n7").expect_err("no header");
    assert_eq!(parser.push(b"vm,cores,memory,start\n1,2,3,4\n").expect_err("still"), first);
    assert_eq!(parser.finish().expect_err("still"), first);
}

#[test]
fn rows_within_an_open_quotation_mark_are_counted() {
    let header = "vm,tenant,cores,memory,start\n";
    let row = |vm: u32| format!("{vm},7,2,8,{vm}\n");
    let rows = |from: u32, to: u32| (from..to).map(row).collect::<String>();
    // The quotation mark before the name of the second VM is closed by the one before that of the 56th.
    let closed = format!("{header}{}\"2,7,2,8,2\n{}\"56,7,2,8,56\n{}", row(1), rows(3, 56), rows(57, 201));
    let report = read("", closed.as_bytes()).expect("most rows are whole").report;
    assert_eq!((report.rows, report.kept, report.fault_counts[&FaultKind::OpenQuote]), (200, 145, 55));
    let told = "one that line 3 opens and that closes in line 57: it contains 55 rows";
    assert_eq!((report.faults.len(), report.faults[0].line, report.faults[0].got.as_str()), (1, 3, told));
    let never = format!("{header}{}\"90,7,2,8,90\n{}", rows(1, 90), rows(91, 101));
    let report = read("", never.as_bytes()).expect("most rows are whole").report;
    assert_eq!((report.rows, report.kept, report.faulty()), (100, 89, 11));
    assert_eq!(report.faults[0].got, "one that line 91 opens and that never closes: it contains 11 rows");
    // Intentional line breaks are not a fault.
    let meant = format!("{header}\"a\nb, c\",7,2,8,1\n{}", rows(2, 5));
    assert_eq!(read("", meant.as_bytes()).expect("all rows are whole").report.kept, 4);
}

#[test]
fn an_end_that_is_the_largest_number_there_is_never_comes() {
    for largest in [i32::MAX as u64, u32::MAX.into(), i64::MAX as u64, u64::MAX] {
        for column in ["end", "duration_ms"] {
            let text = format!("vm,cores,memory,start,{column}\n1,2,8,5,{largest}\n2,2,8,6,9\n");
            let Parsed { workload, report } = read("", text.as_bytes()).expect("a trace");
            assert_eq!((report.kept, report.corrections[&Correction::NoEnd]), (2, 1), "{column} {largest}");
            let never = (0..2).filter(|vm| workload.end(VmId(*vm)) == Time::NEVER).count();
            assert_eq!(never, 1, "{column} {largest}");
        }
    }
}

#[test]
fn an_open_quotation_mark_does_not_skip_the_trial() {
    let row = |vm: u32, cores: &str| format!("{vm},{cores},8,{vm}\n");
    let rows = |from: u32, to: u32, cores: &str| (from..to).map(|vm| row(vm, cores)).collect::<String>();
    // The quotation mark opens in row 996 and closes in row 1,010, so no record ends with row 1,000.
    let mark = format!("\"996,2,8,996\n{}\"1010,2,8,1010\n", rows(997, 1_010, "2"));
    let wrong_first = format!("{}{}{mark}", rows(1, 601, "two"), rows(601, 996, "2"));
    let text = format!("vm,cores,memory,start\n{wrong_first}{}", rows(1_011, 5_000, "2"));
    let error = read("", text.as_bytes()).expect_err("more than half of the first rows are wrong");
    assert!(matches!(error, TraceError::NotATrace { rows: 1_010, faulty: 615, .. }), "{error}");
}

#[test]
fn a_mistyped_start_is_left_out_where_that_is_asked_for() {
    let rows: String = (0..100).map(|vm| format!("{vm},2,8,{}\n", 60 * vm)).collect();
    let text = format!("vm,cores,memory,start\n{rows}100,2,8,6200000000\n");
    let stretched = read("", text.as_bytes()).expect("a trace");
    assert!(stretched.workload.horizon().0 > 196 * 365 * 86_400_000, "196 years");
    let mut parser = TraceParser::new("").sampled(Sample { without_outliers: true, ..Sample::default() });
    parser.push(text.as_bytes()).expect("a trace");
    let Parsed { workload, report } = parser.finish().expect("a trace");
    assert_eq!((workload.vm_count(), workload.horizon(), report.sampled_out), (100, Time(2 * 3_600_000), 1));
    assert!(report.notes.iter().any(|note| note.starts_with("Excluded: 1 row that starts")), "{:?}", report.notes);
}
