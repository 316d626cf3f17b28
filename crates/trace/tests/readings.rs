//! CPU readings: what is kept, in any order and any chunks, and the faults of a file.

use tiebreak_trace::{FaultKind, Limits, Packing, Readings, ReadingsParser, TraceError};

const AZURE: &[u8] = include_bytes!("../fixtures/azure2017-cpu-readings.csv.gz");

fn read_in(chunks: impl Iterator<Item = impl AsRef<[u8]>>) -> Result<Readings, TraceError> {
    let mut parser = ReadingsParser::new();
    for chunk in chunks {
        parser.push(chunk.as_ref())?;
    }
    parser.finish()
}

fn read(text: &str) -> Result<Readings, TraceError> {
    read_in(std::iter::once(text))
}

#[test]
fn a_real_piece_reads() {
    let readings = read_in(std::iter::once(AZURE)).expect("readings");
    assert_eq!((readings.rows, readings.faulty, readings.vms.len()), (20, 0, 20));
    let first = readings.vms.iter().find(|vm| vm.name.starts_with("+ZcrOp5")).expect("the first row's VM");
    assert_eq!((first.first_half_hour(), first.half_hours()), (0, vec![2.86979]));
}

#[test]
fn chunks_do_not_matter_gzip_or_not() {
    let whole = read_in(std::iter::once(AZURE)).expect("readings");
    for size in [1, 2, 3, 7, 100] {
        assert_eq!(read_in(AZURE.chunks(size)).as_ref(), Ok(&whole), "{size}");
    }
    let text = "timestamp,vmid,mincpu,maxcpu,avgcpu\r\n0,b,0,99,10\r\n\r\n1800,b,0,99,20\r\n0,a,0,99,30";
    let whole = read(text).expect("readings");
    for size in 1..text.len() {
        assert_eq!(read_in(text.as_bytes().chunks(size)).as_ref(), Ok(&whole), "{size}");
    }
    assert_eq!(whole.rows, 3);
    // A byte order mark is not part of the first field, and a NUL byte is one fault, wherever the chunks end.
    let text = "\u{feff}0,b,0,99,10\n1800,b\0,0,9\0,20\n1800,b,0,99,20\n";
    let whole = read(text).expect("readings");
    for size in 1..text.len() {
        assert_eq!(read_in(text.as_bytes().chunks(size)).as_ref(), Ok(&whole), "{size}");
    }
    assert_eq!((whole.rows, whole.faulty, whole.vms[0].half_hours()), (3, 1, vec![10.0, 20.0]));
}

#[test]
fn rows_come_in_any_order() {
    let ordered =
        read("0,a,0,99,10\n300,a,0,99,20\n1800,b,0,99,30\n3600,a,0,99,40\n9000,a,0,99,0\n").expect("readings");
    let shuffled =
        read("9000,a,0,99,0\n300,a,0,99,20\n3600,a,0,99,40\n1800,b,0,99,30\n0,a,0,99,10\n").expect("readings");
    assert_eq!(ordered, shuffled);
    let [a, b] = &ordered.vms[..] else { panic!("two VMs") };
    let means = a.half_hours();
    assert_eq!((a.name.as_str(), means.len(), means[0], means[2], means[5]), ("a", 6, 15.0, 40.0, 0.0));
    assert!(means[1].is_nan() && means[3].is_nan() && means[4].is_nan());
    assert_eq!((b.first_half_hour(), b.half_hours()), (1, vec![30.0]));
}

#[test]
fn faulty_rows_are_counted_with_their_lines() {
    use FaultKind::{NegativeTime, NotANumber, OutOfRange, TooFewFields, UnknownWord};
    for (row, kind) in [
        ("300,a,0,99", TooFewFields),
        ("300,a,0,99,NaN", NotANumber),
        ("300,a,0,99,", NotANumber),
        ("noon,a,0,99,5", NotANumber),
        ("300,a,0,99,100.5", OutOfRange),
        ("300,a,0,99,-1", OutOfRange),
        ("1e300,a,0,99,5", OutOfRange),
        ("-300,a,0,99,5", NegativeTime),
        ("300,,0,99,5", UnknownWord),
        ("300,a,10,20,9", OutOfRange),
        ("300,a,10,20,21", OutOfRange),
        ("300,a,none,20,15", NotANumber),
    ] {
        let readings =
            read(&format!("0,a,0,99,10\n{row}\n600,a,0,99,30\n")).unwrap_or_else(|error| panic!("{row}: {error}"));
        assert_eq!((readings.rows, readings.faulty, readings.vms[0].half_hours()), (3, 1, vec![20.0]), "{row}");
        assert_eq!((readings.faults[0].line, readings.faults[0].kind), (2, kind), "{row}");
    }
}

#[test]
fn what_holds_no_readings_says_so() {
    let said = |text: &str| read(text).expect_err(text).to_string();
    assert_eq!(read(""), Err(TraceError::NoReadings));
    assert_eq!(read("timestamp,vmid,mincpu,maxcpu,avgcpu\n"), Err(TraceError::NoReadings));
    assert!(said("").contains("got none"));
    assert!(said("vm,cores,memory_gb,start_s,end_s\n1,4,16,0,3600\n2,2,8,60,inf\n").contains("faulty"));
    assert!(said("1,1,4,16,100,50,0\n2,1,2,8,30,90,0\n").contains("an average from mincpu to maxcpu"));
    assert!(said("a,b\nc,d\n").contains("The first is in line 1: expected 5 fields"));
    assert!(said("<html>").contains("got HTML or XML"));
    assert!(said(&format!("0,{},0,99,5\n", "a".repeat(70_000))).contains("longer one in line 1"));
    let cut = read_in(std::iter::once(&AZURE[..AZURE.len() - 9])).expect_err("it is cut");
    assert_eq!(cut, TraceError::Truncated { packing: Packing::Gzip, rows: 20 });
}

#[test]
fn too_many_half_hours_are_too_many() {
    let mut parser = ReadingsParser::with_limits(Limits { rows_max: 2, ..Limits::default() });
    let rows: String = (0..9).map(|half_hour| format!("{},a,0,99,5\n", 1_800 * half_hour)).collect();
    assert_eq!(parser.push(rows.as_bytes()), Err(TraceError::TooManyReadings { half_hours_max: 8 }));
    // Names count towards the memory limit.
    let mut parser = ReadingsParser::with_limits(Limits { rows_max: 25, ..Limits::default() });
    let long = |vm: u32| format!("0,{}{vm},0,99,5\n", "long".repeat(100));
    assert_eq!(parser.push(long(1).as_bytes()), Ok(()));
    assert_eq!(parser.push(long(2).as_bytes()), Err(TraceError::TooManyReadings { half_hours_max: 100 }));
}
