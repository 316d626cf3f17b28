//! Tables as people export them: readable rows are read, and every other row reports what was expected in which
//! field.

use tiebreak_model::{Sample, SampledBy};
use tiebreak_trace::{FaultKind, Limits, Parsed, TraceError, TraceParser};

fn read_in(size: usize, name: &str, bytes: &[u8]) -> Result<Parsed, TraceError> {
    let mut parser = TraceParser::new(name);
    bytes.chunks(size.max(1)).try_for_each(|chunk| parser.push(chunk))?;
    parser.finish()
}

fn read(bytes: &[u8]) -> Result<Parsed, TraceError> {
    read_in(bytes.len(), "", bytes)
}

/// The fault of this row in a table with one valid row.
fn said(row: &str) -> (FaultKind, String) {
    let text = format!("vm,tenant,cores,memory,start,end\n1,1,4,16,1,2\n{row}\n3,1,4,16,1,2\n");
    let report = read(text.as_bytes()).unwrap_or_else(|error| panic!("{row}: {error}")).report;
    assert_eq!((report.rows, report.kept, report.faulty(), report.faults[0].line), (3, 2, 1, 3), "{row}");
    let fault = &report.faults[0];
    (fault.kind, format!("expected {}, got {}", fault.expected, fault.got))
}

#[test]
fn a_faulty_field_says_what_was_expected_there_and_what_came() {
    use FaultKind::{NotANumber, OutOfRange, ReversedTimes, TooFewFields, TooManyFields};
    const SEPARATED: &str =
        "expected a number with a point before decimals and no other separators in column memory, got";
    let row = |memory: &str| format!("2,1,4,{memory},1,2");
    for (row, kind, words) in [
        (row("\"1,024\""), NotANumber, format!("{SEPARATED} \"1,024\"")),
        (row("1 024"), NotANumber, format!("{SEPARATED} \"1 024\"")),
        (row("1\u{a0}024"), NotANumber, format!("{SEPARATED} \"1\u{a0}024\"")),
        (row("1'024"), NotANumber, format!("{SEPARATED} \"1'024\"")),
        (row("\"3,5\""), NotANumber, format!("{SEPARATED} \"3,5\"")),
        (row("16 GB"), NotANumber, "expected a number in column memory, got \"16 GB\"".into()),
        (row("0x10"), NotANumber, "expected a number in column memory".into()),
        // Without quotes it is two fields, and the fields after it would shift.
        (row("1,024"), TooManyFields, "expected at most 6 fields, got \"7\"".into()),
        ("2,1,4,16,1".into(), TooFewFields, "expected 6 fields, got \"5\"".into()),
        (
            "2,1,4,16,2019-01-01T00:00:00Z,2".into(),
            NotANumber,
            "expected a number of seconds, no date, in column start, got \"2019-01-01T00:00:00Z\"".into(),
        ),
        ("2,1,4,16,1,01/02/2019 10:00".into(), NotANumber, "seconds, no date, in column end, got \"01/02/2019".into()),
        ("2,1,4,16,10:30,2".into(), NotANumber, "seconds, no date, in column start, got \"10:30\"".into()),
        ("2,1,4,16,noon,2".into(), NotANumber, "expected a number of seconds in column start, got \"noon\"".into()),
        ("2,1,4,16,1e400,2".into(), NotANumber, "expected a number of seconds in column start".into()),
        ("2,1,4,16,9223372036854775808,2".into(), OutOfRange, "a time within 200 years in column start".into()),
        ("2,1,4,16,5,2".into(), ReversedTimes, "expected an end at or after the start in column end, got \"2\"".into()),
        (row(&"9".repeat(60_000)), NotANumber, "got \"9999999999999999999999999999999999999999…\"".into()),
    ] {
        let shown: String = row.chars().take(60).collect();
        let (got, told) = said(&row);
        assert!(got == kind && told.contains(&words), "{shown}: expected {kind:?} \"{words}\", got {got:?} \"{told}\"");
    }
}

#[test]
fn bytes_that_are_no_text_are_faults_where_a_number_belongs_and_names_elsewhere() {
    let rows: &[u8] = b"vm,cores,memory,start\n\xff\xfe,1,2,3\nb,\xb2,2,3\nc\0,1,2,3\nd,1,2,3\n";
    let report = read(rows).expect("a trace").report;
    assert_eq!((report.rows, report.kept, report.faults[0].line), (4, 3, 3));
    assert_eq!(report.faults[0].got, "\"\u{fffd}\"");
    let header = [b"vm,cores,memory,start,\xe4\n".as_slice(), b"a,1,2,3,4\n"].concat();
    assert_eq!(read(&header).expect("a trace").report.notes[1], "Ignored columns: \u{fffd}.");
}

#[test]
fn every_way_to_end_lines_counts_them_alike() {
    let lines = ["vm,cores,memory,start", "1,2,3,4", "", "2,x,3,4", "\"3\n\",2,3,4", "4,y,3,4", "5,2,3,4"];
    let plain = read(lines.join("\n").as_bytes()).expect("a trace");
    assert_eq!(plain.report.faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [4, 7]);
    let mixed =
        lines.iter().zip(["\r\n", "\n", "\r", "\r\n", "\n", "\r", ""]).map(|(line, end)| format!("{line}{end}"));
    for text in [lines.join("\r\n"), lines.join("\r"), lines.join("\n") + "\r\n\r\n", mixed.collect()] {
        for size in [1, 2, 3, 5, text.len()] {
            let other = read_in(size, "", text.as_bytes()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(other, plain, "{text:?} by {size}");
        }
    }
    // Longer than the limit for a line, and without a line feed.
    let returns = "vm,cores,memory,start\r".to_owned() + &"1,2,3,4\r".repeat(20_000) + "1,x,3,4\r";
    let report = read(returns.as_bytes()).expect("a trace").report;
    assert_eq!((report.kept, report.faults[0].line), (20_000, 20_002));
}

#[test]
fn a_mark_at_the_beginning_and_quotes_anywhere_change_nothing() {
    let plain = read(b"vm,cores,memory,start,end\na,2,3,4,5\n").expect("a trace");
    for text in [
        "\u{feff}vm,cores,memory,start,end\na,2,3,4,5\n",
        "\"vm\",\"cores\",\"memory\",\"start\",\"end\"\n\"a\",\"2\",\"3\",\"4\",\"5\"\n",
        "\u{feff}\"vm\";cores;memory;\"start\";end\r\na;\"2\";3;4;5",
        " vm\tcores\t memory\tstart \tend\n a \t2\t 3\t4 \t5\n",
        "vm,cores,memory,start,end\na,2,3,4,5,,,\n",
    ] {
        for size in [1, 4, text.len()] {
            assert_eq!(read_in(size, "", text.as_bytes()).expect(text).workload, plain.workload, "{text:?} by {size}");
        }
    }
}

#[test]
fn names_that_come_twice_are_told() {
    let report = read(b"vm,cores,memory,start\na,2,3,4\nb,2,3,4\na,2,3,9\na,2,3,10\n").expect("a trace").report;
    let told = "2 rows share their VM name with another row: each was kept as a separate VM.";
    assert_eq!((report.kept, report.notes.iter().filter(|note| *note == told).count()), (4, 1), "{:?}", report.notes);
    // Rows without a name, and VMs of Huawei's whose number is reused after a deletion, are not twins.
    let nameless = read(b"cores,memory,start\n2,3,4\n2,3,4\n").expect("a trace").report;
    let again = b"vmid,cpu,memory,time,type\n1,1,1,0,0\n1,1,1,5,1\n1,1,1,9,0\n1,1,1,12,1\n";
    for report in [nameless, read_in(100, "Huawei-East-1.csv", again).expect("a trace").report] {
        assert!(
            report.kept == 2 && report.notes.iter().all(|note| !note.contains("another row")),
            "{:?}",
            report.notes
        );
    }
}

#[test]
fn tables_of_one_column_and_of_ten_thousand() {
    for (text, words) in [
        ("4\n8\n", "Expected a first line that names the columns, got \"4\"."),
        ("cores\n4\n8\n", "Expected a column for memory (or mem, ram) and for start"),
        ("apples\n1\n", "Expected a column for cores"),
        ("vm cores memory start\n1 2 3 4\n", "found \"vm cores memory start\""),
    ] {
        let told = read(text.as_bytes()).expect_err(text).to_string();
        assert!(told.contains(words), "{told}");
    }
    let more: String = (0..10_000).map(|column| format!(",c{column}")).collect();
    let values = ",1".repeat(10_000);
    let wide = format!("vm,cores,memory,start{more}\na,1,2,3{values}\nb,1,2,3{values},1\nc,1,2,3\n");
    let report = read(wide.as_bytes()).expect("a trace").report;
    assert_eq!((report.kept, report.faults[0].kind, report.faults[0].line), (2, FaultKind::TooManyFields, 3));
}

#[test]
fn a_table_without_a_header_has_the_columns_of_its_format() {
    let row = |vm: &str| format!("{vm},s,d,0,300,1,2,3,Unknown,2,4");
    let text = [row("a"), row("b") + ",5", row("c") + ",", row("d")].join("\n");
    let report = read(text.as_bytes()).expect("a trace").report;
    assert_eq!((report.format, report.kept, report.faults[0].kind), ("Azure2017", 3, FaultKind::TooManyFields));
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_read() {
    let limits = Limits::default();
    let whole = |bytes| limits.check_file(bytes, &Sample::default());
    assert_eq!((whole(1 << 30), whole(limits.file_bytes_max)), (Ok(()), Ok(())));
    let refused = TraceParser::new("a.csv").check_file(3_000_000_000).expect_err("too large").to_string();
    assert_eq!(
        refused,
        "Too large: this format is read whole, up to 2048 MiB; the file has 2861 MiB. Sample it: keep one tenant, request or VM in 10."
    );
    let sample = Sample { one_in: 10, ..Sample::default() };
    assert_eq!(TraceParser::new("a.csv").sampled(sample).check_file(3_000_000_000), Ok(()));
}

#[test]
fn of_what_is_sampled_more_text_is_read_than_is_read_whole() {
    let limits = Limits { text_bytes_max: 10_000, ..Limits::default() };
    let row = |vm: u32| format!("{vm},{vm},2,8,{vm}\n");
    let text = "vm,tenant,cores,memory,start\n".to_owned() + &(0..10_000).map(row).collect::<String>();
    for by in SampledBy::ALL {
        let mut parser =
            TraceParser::with_limits("a.csv", limits).sampled(Sample { by, one_in: 10, part: 3, ..Sample::default() });
        parser.push(text.as_bytes()).expect("a sample of a long text");
        let Parsed { report, .. } = parser.finish().expect("a trace");
        assert_eq!(report.rows, 10_000, "{by:?}");
        assert!((900..1_100).contains(&report.kept), "{by:?}: {}", report.kept);
    }
    let mut whole = TraceParser::with_limits("a.csv", limits);
    let told = whole.push(text.as_bytes()).expect_err("too long to be read whole").to_string();
    assert!(told.contains("Sample it"), "{told}");
}
