//! The compact form keeps everything in a trace, in far fewer bytes, and damage is never accepted as a trace.

use tiebreak_model::{Sample, VmId};
use tiebreak_trace::compact::{self, Origin};
use tiebreak_trace::{Limits, Parsed, TraceError, TraceParser};

const PACKING: &[u8] = include_bytes!("../fixtures/packing-cut.csv.gz");
const TEN_ROWS: &[u8] = include_bytes!("../fixtures/azure2017-rows.csv.gz");

fn read_within(limits: Limits, bytes: &[u8]) -> Result<Parsed, TraceError> {
    let mut parser = TraceParser::with_limits("some.file", limits);
    parser.push(bytes)?;
    parser.finish()
}

fn read(bytes: &[u8]) -> Result<Parsed, TraceError> {
    read_within(Limits::default(), bytes)
}

fn compacted(parsed: &Parsed) -> Vec<u8> {
    compact::write(&parsed.workload, &Origin::of(&parsed.report))
}

/// Every field: hashed names and tenants, terms, priorities, times off any grid, ends in any order, twins.
const RICH: &str =
    "vm,tenant,cores,memory_mib,start_ms,end_ms,priority,fault_domains,scope,per_machine,per_rack,isolated
a,x,0.001,1,-60000,inf,255,65535,rack,65535,1,yes
b,x,10000,268435456,1,2,255,65535,rack,65535,1,yes
c,x,1,1,1,inf,255,65535,rack,65535,1,yes
d,x,1,1,1,86400001,255,65535,rack,65535,1,yes
e,x,1,1,1,7,255,65535,rack,65535,1,yes
5,7,1,1,1,999999999999,0,0,zone,0,0,no
5,7,1,1,1,999999999999,0,0,zone,0,0,no
18446744073709551615,0,2,1,3600000,3600001,1,2,cluster,0,0,no
0,18446744073709551615,2,1,7200000,inf,1,2,datacenter,0,0,no
";

fn rich() -> Parsed {
    read(RICH.as_bytes()).expect("a trace")
}

#[test]
fn every_trace_comes_back_with_all_it_says() {
    let plain = "cores,memory,start,end\n1,1,0,300\n1,1,300,600\n1,1,600,inf\n";
    for bytes in [PACKING, TEN_ROWS, RICH.as_bytes(), plain.as_bytes()] {
        let before = read(bytes).expect("a trace");
        let compact = compacted(&before);
        let after = read(&compact).expect("a compact trace");
        assert_eq!(after.workload, before.workload);
        let (was, is) = (&before.report, &after.report);
        assert_eq!((is.format, &is.format_title), ("Compact", &was.format_title));
        assert_eq!((is.rows, is.kept, is.faulty()), (was.kept, was.kept, 0));
        assert_eq!((&is.notes[1..], &is.cannot_answer), (&was.notes[..], &was.cannot_answer));
        assert!(is.notes[0].contains("icence"), "{:?}", is.notes);
        assert_eq!(compacted(&after), compact, "made from a compact trace it is the same");
    }
}

#[test]
fn the_cut_is_a_sixth_of_its_csv() {
    let compact = compacted(&read(PACKING).expect("the fixture"));
    assert!(compact.len() < 96_000, "{} bytes", compact.len());
}

#[test]
fn a_sample_keeps_the_same_tenants_in_either_form() {
    let sampled = |bytes: &[u8]| {
        let mut parser = TraceParser::new("").sampled(Sample { one_in: 10, ..Sample::default() });
        parser.push(bytes).expect("a trace");
        parser.finish().expect("a sample")
    };
    let compact = compacted(&read(PACKING).expect("the fixture"));
    let (one, other) = (sampled(PACKING), sampled(&compact));
    assert_eq!((one.report.kept, one.report.sampled_out), (other.report.kept, other.report.sampled_out));
    let names = |parsed: &Parsed| (0..parsed.workload.vm_count()).map(|vm| parsed.workload.name(VmId(vm))).collect();
    let (one, other): (Vec<_>, Vec<_>) = (names(&one), names(&other));
    assert_eq!(one, other);
}

#[test]
fn a_part_is_no_whole() {
    let compact = compacted(&rich());
    for length in 0..compact.len() {
        let error = read(&compact[..length]).expect_err("a part");
        // With fewer than its first bytes it could be anything.
        assert!(length < 10 || error == TraceError::CompactCut, "{length} of {}: {error}", compact.len());
    }
    let longer = [compact.as_slice(), b"x"].concat();
    assert!(matches!(read(&longer), Err(TraceError::CompactDamaged { .. })), "{:?}", read(&longer));
}

#[test]
fn a_changed_byte_is_never_a_trace() {
    let compact = compacted(&rich());
    for at in 0..compact.len() {
        for flip in [1, 0x10, 0x80, 0xff] {
            let mut changed = compact.clone();
            changed[at] ^= flip;
            let error = read(&changed).expect_err("a changed byte");
            assert!(at < 10 || is_compact_error(&error), "byte {at} ^ {flip}: {error}");
        }
    }
}

fn is_compact_error(error: &TraceError) -> bool {
    use TraceError::{CompactCut, CompactDamaged, CompactVersion, TooManyRows};
    matches!(error, CompactCut | CompactDamaged { .. } | CompactVersion { .. } | TooManyRows { .. })
}

/// A file with the correct checksum, as an attacker would make it.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = xxhash_rust::xxh3::xxh3_64(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

#[test]
fn a_right_sum_makes_no_wrong_number_right() {
    const HUGE: [u8; 9] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    const TOO_LONG: [u8; 10] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    const HEAD: &[u8] = b"\x8aTiebreak\x1a\x01\x01t\0\0\x01\x01\0\x64";
    const SHAPE: [u8; 10] = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    let file = |parts: &[&[u8]]| summed([HEAD, &parts.concat()].concat());
    // One shape, one group of one VM: size, kind, tenant, name, start, end.
    let good = read(&file(&[&[1], &SHAPE, &[1, 0, 0, 2, 0, 2, 5]])).expect("the smallest trace");
    assert_eq!((good.workload.vm_count(), good.workload.horizon().0), (1, 100));
    for (parts, words) in [
        (&[&[1][..], &SHAPE, &[1, 0, 0, 2, 0, 2, 1]][..], "ends before it starts"),
        (&[&[1], &SHAPE, &[1, 0, 0, 2, 0, 1, 1]], "ends before it starts"),
        (&[&[1], &SHAPE, &[1, 0, 1, 2, 0, 2, 5]], "a shape that is not listed"),
        (&[&[1], &[0, 1, 0, 0, 0, 0, 0, 0, 0, 0]], "out of its range"),
        (&[&[1], &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]], "out of its range"),
        (&[&[1], &[1, 1, 0, 0, 0, 0, 4, 0, 0, 0]], "out of its range"),
        (&[&[1], &[1, 1, 0, 0, 0, 0, 0, 0, 0, 2]], "out of its range"),
        (&[&[1], &[1, 1], &HUGE], "out of its range"),
        (&[&[1], &[1, 1], &TOO_LONG], "more than 64 bits"),
        (&[&[1], &SHAPE, &[1, 0, 0, 2, 0], &HUGE, &[5]], "beyond 200 years"),
        (&[&[1], &SHAPE, &[1, 0, 0, 2, 0, 2], &HUGE], "beyond 200 years"),
        (&[&[1], &SHAPE, &[1, 0, 0, 2, 0, 2, 5, 0]], "bytes after the end"),
        (&[&HUGE], "got its end"),
        (&[&[1], &SHAPE, &HUGE], "got its end"),
        (&[&[1], &SHAPE, &[1], &HUGE], "at most 6000000 VMs"),
        (&[&[1], &SHAPE, &[2], &HUGE, &HUGE], "at most 6000000 VMs"),
        (&[&[1], &SHAPE, &[1, 0x80, 0x80, 0x80, 3]], "at most 6000000 VMs"),
        (&[&[1], &SHAPE, &[1, 0x80, 0x80, 0x80, 1, 2]], "got its end"),
        (&[&[0, 0]], "at least one VM"),
    ] {
        let error = read(&file(parts)).expect_err(words).to_string();
        assert!(error.contains(words), "expected \"{words}\", got \"{error}\"");
    }
    for (head, words) in [
        (&b"\x8aTiebreak\x1a\x02"[..], "version 1, got version 2"),
        (b"\x8aTiebreak\x1a\x01\x02\xff\xff", "no UTF-8"),
        (b"\x8aTiebreak\x1a\x01\x7fx", "got its end"),
        (b"\x8aTiebreak\x1a\x01\x01t\0\0\0\x01\0\x64\0\0", "out of its range"),
        (b"\x8aTiebreak\x1a\x01\x01t\0\0\x01\0\0\x64\0\0", "out of its range"),
        (b"\x8aTiebreak\x1a\x01\x01t\0\0\x01\x01\0\0\0\0", "out of its range"),
    ] {
        let error = read(&summed(head.to_vec())).expect_err(words).to_string();
        assert!(error.contains(words), "expected \"{words}\", got \"{error}\"");
    }
}

#[test]
fn too_large_says_the_limit() {
    let compact = compacted(&rich());
    let few = Limits { rows_max: 8, ..Limits::default() };
    let error = read_within(few, &compact).expect_err("nine VMs").to_string();
    assert!(error.contains("at most 8 VMs"), "{error}");
}

#[test]
fn terms_that_disagree_are_settled_as_in_any_trace() {
    let with = |domains| format!("vm,tenant,cores,memory,start,fault_domains\n1,7,1,1,5,{domains}\n2,8,1,1,6,4\n");
    let compact = compacted(&read(with(3).as_bytes()).expect("a trace"));
    assert!(read(&compact).expect("a compact trace").report.corrections.is_empty());
}
