//! SQLite and Parquet files give the same workload as the same rows in CSV, and damaged ones give an error message.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use flate2::read::GzDecoder;
use parquet::data_type::Int32Type;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use rusqlite::Connection;
use tiebreak_model::table::{Column, STEP_ROWS, Table, Values};
use tiebreak_model::{Resource, Resources, Time, VmRow, VmShape, Workload, WorkloadBuilder};
use tiebreak_tables::parquet::{Pieces, push_text_of, write};
use tiebreak_tables::{Kind, sqlite};
use tiebreak_trace::{Correction, FaultKind, PackingTables, Parsed, Summary, TraceError, TraceParser, csv_of};

const PACKING: &[u8] = include_bytes!("../../trace/fixtures/packing.sqlite");
const TYPES_PUBLISHED: &[u8] = include_bytes!("../../trace/fixtures/packing-vm-types.csv.gz");
const MINE: &[u8] = include_bytes!("../../trace/fixtures/mine.parquet");

/// A temporary file, deleted when the test ends.
struct TestFile(PathBuf);

impl TestFile {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let place = Self(std::env::temp_dir().join(format!("tiebreak-tables-{}-{name}.sqlite", std::process::id())));
        let _ = std::fs::remove_file(&place.0);
        if !bytes.is_empty() {
            std::fs::write(&place.0, bytes).expect("the folder for temporary files takes one");
        }
        place
    }

    /// A database created by these statements.
    fn made(name: &str, statements: &str) -> Self {
        let place = Self::new(name, b"");
        let made = Connection::open(&place.0).and_then(|file| file.execute_batch(statements));
        made.expect("statements that SQLite takes");
        place
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn from_sqlite(path: &Path) -> Result<Parsed, TraceError> {
    let mut parser = TraceParser::new("packing.sqlite");
    sqlite::push_text(path, &mut parser)?;
    parser.finish()
}

fn from_parquet(file: &[u8]) -> Result<Parsed, TraceError> {
    let mut parser = TraceParser::new("mine.parquet");
    push_text_of(file.to_vec(), &mut parser)?;
    parser.finish()
}

fn from_csv(text: &str) -> Parsed {
    let mut parser = TraceParser::new("mine.csv");
    parser.push(text.as_bytes()).and_then(|()| parser.finish()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

const TYPES: &str = "CREATE TABLE vmType(id INTEGER, vmTypeId INTEGER, machineId INTEGER, core REAL, memory REAL, hdd REAL, ssd REAL, nic REAL);\n\
    INSERT INTO vmType VALUES (1, 7, 16, 0.0384615384615385, 0.0497777777777778, NULL, 0.1, 0.1), (2, 8, 17, 0.5, 0.5, NULL, 0.1, 0.1),\n\
    (3, 7, 3, 0.25, 0.25, NULL, 0.1, 0.1);\n";
const VMS: &str = "CREATE TABLE vm(vmId INTEGER, tenantId INTEGER, vmTypeId INTEGER, priority INTEGER, starttime REAL, endtime REAL);\n";

#[test]
fn the_packing_file_has_the_figures_of_an_independent_count() {
    let place = TestFile::new("cut", PACKING);
    let Parsed { workload, report } = from_sqlite(&place.0).expect("the fixture");
    assert_eq!((report.format, report.rows, report.kept, report.faulty()), ("AzurePacking", 300, 300, 0));
    let summary = Summary::of(&workload);
    assert_eq!((summary.tenants, summary.warm, summary.endless), (100, 0, 0));
    assert_eq!((summary.largest.cores_milli(), summary.peak_vms), (32_000, 300));
    assert_eq!(workload.vm_count(), 300);
}

#[test]
fn rows_of_the_packing_file_are_joined_with_the_sizes_of_one_machine_type() {
    // Row 9 is far after the others, 5 has a type that only an unknown machine type offers, 6 has words instead of
    // numbers.
    let rows = "INSERT INTO vm(rowid, vmId, tenantId, vmTypeId, priority, starttime, endtime) VALUES\n\
        (1, 1, 1, 7, 0, -7157, NULL), (2, 2, 1, 7, 1, 0.5, 1.5), (3, 3, 2, 7, 0, -1497, 3.25), (5, 4, 2, 8, 0, 0.5, 1),\n\
        (6, 5, 2, 7, 'a, \"b\"', 0.5, 1), (9000000000, 'six', 3, 7, 0, 0.75, NULL);";
    let place = TestFile::made("joined", &format!("{TYPES}{VMS}{rows}"));
    let Parsed { workload, report } = from_sqlite(&place.0).expect("a file in the form of the trace");
    let same = from_csv(
        "vm,tenant,cores,memory_gib,priority,start_days,end_days\n\
         1,1,4,28,0,-1497,\n2,1,4,28,1,0.5,1.5\n3,2,4,28,0,-1497,3.25\nsix,3,4,28,0,0.75,\n",
    );
    assert_eq!(workload, same.workload);
    assert_eq!((report.rows, report.kept, report.corrections.get(&Correction::UnknownStart)), (6, 4, Some(&1)));
    let faults: Vec<_> = report.faults.iter().map(|fault| (fault.line, fault.kind)).collect();
    assert_eq!(faults, [(5, FaultKind::OtherMachine), (6, FaultKind::NotANumber)]);
}

/// The trace's data on 488 VM types on 35 machine types (Hadary et al., OSDI 2020; Microsoft, CC BY 4.0).
fn published_types() -> String {
    let mut text = String::new();
    let read = GzDecoder::new(TYPES_PUBLISHED).read_to_string(&mut text);
    read.expect("a fixture that is whole");
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').map(|field| if field.is_empty() { "NULL" } else { field }).collect();
        format!("INSERT INTO vmType VALUES ({});\n", fields.join(","))
    };
    let made = "CREATE TABLE vmType(id INTEGER, vmTypeId INTEGER, machineId INTEGER, core REAL, memory REAL, hdd REAL, ssd REAL, nic REAL);\n";
    format!("{made}BEGIN;\n{}COMMIT;\n", text.lines().skip(1).map(row).collect::<String>())
}

#[test]
fn vm_types_that_the_machine_type_does_not_offer_get_their_size_from_another() {
    let vms = "INSERT INTO vm SELECT vmTypeId, vmTypeId, vmTypeId, 0, 0.5, 1 FROM vmType GROUP BY vmTypeId;";
    let place = TestFile::made("published", &format!("{}{VMS}{vms}", published_types()));
    let Parsed { workload, report } = from_sqlite(&place.0).expect("a file in the form of the trace");
    assert_eq!((report.rows, report.kept, report.fault_counts[&FaultKind::OtherMachine]), (488, 481, 7));
    let size = |vm_type: u64| {
        let demand = workload.shape_of_vm(workload.find(vm_type).expect("a type that is read")).demand;
        (demand.cores_milli(), demand[Resource::Memory])
    };
    // By machine types 1, 12, 10 and 4.
    assert_eq!([size(30), size(240), size(318)], [(2_000, 22_528), (20_000, 225_280), (24_000, 196_608)]);
    assert_eq!(size(270), (32_000, 458_752));
}

#[test]
fn sizes_of_machine_types_are_the_ratios_of_the_shares_that_they_offer() {
    let place = TestFile::made("ratios", &published_types());
    let file = Connection::open(&place.0).expect("a database");
    let machines = PackingTables::step();
    let machines = &machines[..machines.find("),\noffered").expect("the machine types stand first") + 1];
    // VM types that both offer, and those whose known sizes give the same for both shares, within one hundredth.
    let statement = format!(
        "{machines} SELECT count(*), total(abs(theirs.core * machine.core - ours.core) < 0.01 * ours.core),
           total(abs(theirs.memory * machine.memory - ours.memory) < 0.01 * ours.memory)
         FROM machine JOIN vmType AS theirs ON theirs.machineId = machine.machineId
         JOIN vmType AS ours ON ours.vmTypeId = theirs.vmTypeId AND ours.machineId = 16
         WHERE place > 0 GROUP BY place ORDER BY place"
    );
    let mut statement = file.prepare(&statement).expect("a statement that SQLite takes");
    let agreed = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).expect("an answer");
    let agreed: Vec<(u32, f64, f64)> = agreed.map(|row| row.expect("a row")).collect();
    assert_eq!(agreed.len(), 7);
    for (both, cores, memory) in &agreed {
        assert!(cores / f64::from(*both) > 0.6 && memory / f64::from(*both) > 0.8, "{agreed:?}");
    }
}

#[test]
fn many_steps_give_every_row_once() {
    let rows = "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 45000)\n\
        INSERT INTO vm SELECT n, n % 100, 7, n % 2, n / 100000.0, 1 FROM number;";
    let place = TestFile::made("steps", &format!("{TYPES}{VMS}{rows}"));
    let Parsed { workload, report } = from_sqlite(&place.0).expect("a file in the form of the trace");
    assert_eq!((report.rows, report.kept), (45_000, 45_000));
    let mut lines = String::from("vm,tenant,cores,memory,priority,start_days,end_days\n");
    lines.extend((1..=45_000).map(|n| format!("{n},{},4,28,{},{},1\n", n % 100, n % 2, f64::from(n) / 100_000.0)));
    assert_eq!(workload, from_csv(&lines).workload);
}

#[test]
fn a_bad_sqlite_file_gets_a_sentence() {
    for (name, bytes, words) in [
        (
            "cut",
            &PACKING[..PACKING.len() / 2],
            "Expected a whole SQLite file, got one that cannot be read after 0 rows",
        ),
        ("head", &PACKING[..20], "Expected a whole SQLite file, got one that cannot be read after 0 rows"),
    ] {
        let place = TestFile::new(&format!("bad-{name}"), bytes);
        let error = from_sqlite(&place.0).expect_err(name).to_string();
        assert!(error.contains(words) && error.ends_with("Download or write the file again."), "{name}: {error}");
    }
    for (name, statements, words) in [
        ("none", "VACUUM;", "vm.vmId\", \"vm.tenantId"),
        ("none", "VACUUM;", "found no tables"),
        ("other", "CREATE TABLE apples(weight REAL);", "found \"apples.weight\". Choose that file"),
        (
            "untyped",
            VMS,
            "with the columns \"vmType.vmTypeId\", \"vmType.machineId\", \"vmType.core\", \"vmType.memory\"; found",
        ),
        ("view", &format!("{TYPES}CREATE VIEW vm AS SELECT 1 AS vmId;"), "with the columns \"vm.vmId\""),
        ("rows", &format!("{TYPES}{VMS}"), "the header only"),
        (
            "words",
            &format!("{TYPES}{VMS}INSERT INTO vm VALUES (1, 1, 7, 0, 'monday', 'tuesday');"),
            "1 of 1 rows are faulty. The first is in line 2: expected a number of days in column starttime, got \"monday\".",
        ),
    ] {
        let place = TestFile::made(&format!("bad-{name}"), statements);
        let error = from_sqlite(&place.0).expect_err(name).to_string();
        assert!(error.contains(words), "{name}: {error}");
    }
}

#[test]
fn a_parquet_file_of_another_writer_is_read() {
    let Parsed { workload, report } = from_parquet(MINE).expect("the fixture");
    let same = from_csv(
        "id,batch,vcpu,memory_mib,created_s,deleted_s\n\
         1,a,4,16384,0.5,3600\n2,a,2,8192,60,\n3,\"b, c\",2.5,4096,7200.25,9000\n",
    );
    assert_eq!(workload, same.workload);
    assert_eq!((report.format, report.rows, report.kept), ("NamedColumns", 3, 3));
}

/// A table of these columns.
struct Columns(Vec<Column<'static>>);

impl Table for Columns {
    fn rows(&self) -> u32 {
        self.0[0].values.len().try_into().expect("a few rows")
    }

    fn columns(&self, rows: Range<u32>) -> Vec<Column<'_>> {
        if rows.is_empty() { self.0.iter().map(without_values).collect() } else { self.0.clone() }
    }
}

fn without_values<'a>(column: &Column<'a>) -> Column<'a> {
    let values = match column.values {
        Values::Whole(_) => Values::Whole(Vec::new()),
        Values::Number(_) => Values::Number(Vec::new()),
        Values::Word(_) => Values::Word(Vec::new()),
    };
    Column { name: column.name, values }
}

#[test]
fn what_is_written_is_read() {
    let file = write(&Columns(vec![
        Column { name: "vm", values: Values::Whole(vec![Some(1), Some(u64::MAX)]) },
        Column { name: "cores", values: Values::Number(vec![Some(4.0), Some(0.5)]) },
        Column { name: "memory", values: Values::Number(vec![Some(16.0), Some(1.75)]) },
        Column { name: "scope", values: Values::Word(vec![Some("rack"), None]) },
        Column { name: "start", values: Values::Number(vec![Some(-5.0), Some(1e-3)]) },
        Column { name: "end", values: Values::Number(vec![None, Some(1e7)]) },
    ]))
    .expect("columns of one length");
    assert_eq!(Kind::of(&file), Some(Kind::Parquet));
    let csv = format!("vm,cores,memory,scope,start,end\n1,4,16,rack,-5,\n{},0.5,1.75,,0.001,10000000\n", u64::MAX);
    assert_eq!(from_parquet(&file).expect("what was written").workload, from_csv(&csv).workload);
}

#[test]
fn a_workload_of_many_steps_comes_back_from_parquet_and_csv() {
    let row = |vm: u32| {
        let demand = Resources::new(2_000 + vm % 7 * 500, 1_024 * (1 + vm % 64), 0, 0);
        let mut shape = VmShape::plain(demand);
        (shape.priority, shape.terms.per_rack) = ((vm % 2) as u8, (vm % 3) as u16);
        let start = Time(i64::from(vm) * 1_001);
        let end = if vm.is_multiple_of(5) { Time::NEVER } else { Time(start.0 + 1 + i64::from(vm)) };
        VmRow { name: vm.into(), tenant: u64::from(vm % 3) << 62, shape, start, end }
    };
    let mut builder = WorkloadBuilder::new();
    (0..STEP_ROWS * 2 + 1).map(row).for_each(|row| builder.push(row));
    let rows = |workload: &Workload| workload.rows().collect::<Vec<_>>();
    let workload = builder.finish(Time(300_000_000)).expect("rows in order");
    let parquet = write(&workload).expect("columns of one length");
    assert!(rows(&from_parquet(&parquet).expect("what was written").workload) == rows(&workload), "Parquet");
    let csv: Vec<u8> = workload.steps().enumerate().flat_map(|(at, columns)| csv_of(&columns, at == 0)).collect();
    let from_csv = from_csv(str::from_utf8(&csv).expect("text")).workload;
    assert!(rows(&from_csv) == rows(&workload), "CSV");
}

/// A file with these columns, and optionally one row with a 1 in each if they are integers.
fn file_of(schema: &str, has_row: bool) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).expect("memory takes bytes");
    if has_row {
        let mut group = file.next_row_group().expect("a group");
        while let Some(mut column) = group.next_column().expect("a column") {
            column.typed::<Int32Type>().write_batch(&[1], None, None).expect("a number");
            column.close().expect("a whole column");
        }
        group.close().expect("a whole group");
    }
    file.into_inner().expect("a whole file")
}

#[test]
fn columns_that_are_left_aside_are_told() {
    let file = file_of(
        "message trace { required int32 born (DATE); required int64 at (TIME(MICROS, true)); required int32 cores; \
         optional group tags { required binary tag; } repeated int32 disks; required fixed_len_byte_array(16) id (UUID); }",
        false,
    );
    let pieces = Pieces::of(Bytes::from(file)).expect("a whole file");
    let why = "Ignored columns, because";
    let notes = [
        "bytes and other values are not supported: \"id\".",
        "dates are not supported: \"born\".",
        "lists and groups are not supported: \"tags\", \"disks\".",
        "times of day are not supported: \"at\".",
    ];
    assert_eq!(pieces.notes(), notes.map(|note| format!("{why} {note}")));
    assert_eq!(pieces.map(|piece| piece.expect("text")).collect::<Vec<_>>(), [b"cores\n"]);
    let many: String = (0..20).map(|n| format!("required int32 d{n} (DATE); ")).collect();
    let pieces = Pieces::of(Bytes::from(file_of(&format!("message trace {{ required int32 cores; {many}}}"), false)));
    assert!(pieces.is_ok_and(|pieces| pieces.notes()[0].ends_with("\"d11\" and 8 more.")));
    let columns = ["cores", "memory", "start", "born (DATE)"].map(|column| format!("required int32 {column}; "));
    let file = file_of(&format!("message trace {{ {}}}", columns.concat()), true);
    let report = from_parquet(&file).expect("a whole trace").report;
    assert_eq!((report.kept, report.notes.contains(&format!("{why} dates are not supported: \"born\"."))), (1, true));
}

#[test]
fn a_bad_parquet_file_gets_a_sentence() {
    let words = |name, values| write(&Columns(vec![Column { name, values }])).expect("one column");
    let cut = "Expected a whole Parquet file, got one that cannot be read after 0 rows";
    let with = |at: usize, byte| [&MINE[..at], &[byte], &MINE[at + 1..]].concat();
    let holed = [&MINE[..4], &vec![0xff; 40][..], &MINE[44..]].concat();
    for (file, said) in [
        (MINE[..MINE.len() - 1].to_vec(), cut),
        (MINE[..6].to_vec(), cut),
        ([MINE, &b"x"[..]].concat(), cut),
        (holed, cut),
        (with(857, 8), "got a Parquet file compressed with Brotli, which is not supported. Write it again with Snappy"),
        // The library panics on the first, and would also on the second.
        (with(5, 2), "after 0 rows (Decoder for dict should have been set)"),
        (
            with(119, 0),
            "a page says that it has a dictionary of 2 values in 0 bytes). Download or write the file again.",
        ),
        (words("apples", Values::Whole(vec![Some(1)])), "Expected a column for cores"),
        (words("cores", Values::Whole(Vec::new())), "Expected a column for memory"),
    ] {
        let error = from_parquet(&file).expect_err(said).to_string();
        assert!(error.contains(said), "{error}");
    }
    assert!(matches!(from_parquet(&Bytes::new()), Err(TraceError::Unreadable { .. })));
}
