//! Traces are read correctly: figures are compared with counts made without this code.

use tiebreak_model::{Millis, RequestId, Resources, Sample, SampledBy, Scope, TenantTerms, Time, VmId, Workload};
use tiebreak_trace::compact::{self, Origin};
use tiebreak_trace::{Correction, FORMATS, FaultKind, Parsed, Summary, TraceError, TraceParser};

const PACKING: &[u8] = include_bytes!("../fixtures/packing-cut.csv.gz");
const TEN_ROWS: &[u8] = include_bytes!("../fixtures/azure2017-rows.csv.gz");
const NONE: TenantTerms = TenantTerms::NONE;
const VARIANTS: &[u8] = include_bytes!("../fixtures/azure2017-variants.csv");
const TWO_FRAMES: &[u8] = include_bytes!("../fixtures/two-frames.csv.zst");
/// In the form of the trace: one pod is never scheduled, one is still running when the trace ends.
const PODS: &str = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n\
    openb-pod-0000,12000,16384,1,1000,,LS,Running,0,12537496,0\n\
    openb-pod-0001,6000,12288,1,460,V100M16|V100M32,BE,Running,427061,12902960,427061\n\
    openb-pod-0002,20000,65536,0,0,,Burstable,Succeeded,2759674,2759675,2759676\n\
    openb-pod-0003,11908,47104,1,1000,,BE,Pending,10001278,10001403,\n";

fn read(name: &str, bytes: &[u8]) -> Result<Parsed, TraceError> {
    let mut parser = TraceParser::new(name);
    parser.push(bytes)?;
    parser.finish()
}

fn parsed(name: &str, text: &str) -> Parsed {
    read(name, text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn inflated(gzip: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(gzip), &mut text).expect("a fixture");
    text
}

/// Start, end, cores in thousandths and MiB of every VM, in the order of the workload.
fn vms(workload: &Workload) -> Vec<(i64, i64, u32, u32)> {
    let requests = (0..workload.request_count()).map(RequestId);
    let vms = requests.flat_map(|request| workload.vms_of(request).map(move |vm| (request, VmId(vm))));
    vms.map(|(request, vm)| {
        let demand = workload.shape(workload.shape_of(vm)).demand;
        let memory = demand[tiebreak_model::Resource::Memory];
        (workload.at(request).0, workload.end(vm).0, demand.cores_milli(), memory)
    })
    .collect()
}

#[test]
fn the_packing_cut_has_the_figures_of_an_independent_count() {
    let Parsed { workload, report } = read("packing-cut.csv.gz", PACKING).expect("the fixture");
    let summary = Summary::of(&workload);
    assert_eq!((report.format, report.rows, report.kept, report.faulty()), ("AzurePackingSample", 13_521, 13_521, 0));
    assert_eq!((summary.vms, summary.warm, summary.requests, summary.tenants), (13_521, 1_472, 6_569, 5_409));
    assert_eq!((summary.cores_milli_at_start, summary.peak_cores_milli), (6_899_640, 13_686_370));
    assert_eq!((summary.peak_vms, summary.endless), (1_910, 950));
    assert_eq!(summary.largest, Resources::new(48_000, 2_016 * 256, 0, 0));
    assert_eq!(summary.span, Millis(14 * Millis::DAY.0));
    assert!(report.corrections.is_empty() && !report.cannot_answer.is_empty());
    let spot = (0..13_521).filter(|vm| workload.shape(workload.shape_of(VmId(*vm))).priority == 1).count();
    assert_eq!(spot, 2_117);
    assert_eq!(format!("{:032x}", workload.fingerprint()), "ed2f9e2ed1e48e5bc62d2c8bda7c7f65");
}

#[test]
fn the_packing_trace_is_read_in_shares_of_one_machine_type() {
    let Parsed { workload, report } = parsed(
        "vm-entries-5000-machine16.csv",
        "vmId,vmTypeId,priority,starttime,endtime,core,memory,machineId\n\
         1530950,42,0,1.157401129603386e-05,0.0011113542132079601,0.019230769230769232,0.012444444444444444,16\n\
         5523507,73,1,-7157.0,,0.038461538461538464,0.049777777777777775,16\n\
         5523508,73,1,-1497.0,,0.25,0.25,3\n5523509,201,0,1,2,,,16\n5523510,73,0,3,inf,0.5,0.5,16\n",
    );
    let day = 86_400_000;
    let half = (3 * day, i64::MAX, 52_000, 288_000);
    assert_eq!(vms(&workload), [(-1_497 * day, i64::MAX, 4_000, 28 * 1_024), (1_000, 96_021, 2_000, 7 * 1_024), half]);
    assert_eq!((report.format, report.rows, report.kept), ("AzurePacking", 5, 3));
    let faults: Vec<_> = report.faults.iter().map(|fault| (fault.line, fault.kind)).collect();
    assert_eq!(faults, [(4, FaultKind::OtherMachine), (5, FaultKind::OtherMachine)]);
    assert_eq!(report.corrections.get(&Correction::UnknownStart), Some(&1));
    assert!(report.cannot_answer.iter().any(|line| line.contains("tenantId")));
}

#[test]
fn the_ten_rows_of_2017_are_read() {
    let Parsed { workload, report } = read("vmtable.csv.gz", TEN_ROWS).expect("the fixture");
    let summary = Summary::of(&workload);
    assert_eq!((report.format, report.kept, summary.warm), ("Azure2017", 10, 7));
    assert_eq!(workload.horizon(), Time(2_591_700_000));
    assert_eq!((summary.endless, summary.peak_cores_milli), (6, 36_000));
    assert_eq!(vms(&workload).last(), Some(&(2_290_500_000, 2_292_300_000, 1_000, 1_792)));
    assert_eq!(workload, read("", TEN_ROWS).expect("by shape alone").workload);
}

#[test]
fn faults_and_corrections_of_2017_are_counted() {
    let Parsed { workload, report } = read("vmtable.csv", VARIANTS).expect("the fixture");
    assert_eq!((report.rows, report.kept), (10, 9));
    let corrections: Vec<_> = report.corrections.iter().map(|(kind, count)| (*kind, *count)).collect();
    assert_eq!(corrections, [(Correction::OffGrid, 2), (Correction::NoLifetime, 1), (Correction::OpenBucket, 1)]);
    assert_eq!(report.faults.len(), 1);
    assert_eq!((report.faults[0].line, report.faults[0].kind), (9, FaultKind::ReversedTimes));
    let rows = vms(&workload);
    assert!(rows.contains(&(0, 1_539_300_000, 1_000, 768)), "an end is moved to the grid");
    assert!(rows.contains(&(2_188_800_000, i64::MAX, 1_000, 1_792)), "a start is moved to the grid");
    assert!(rows.contains(&(0, 2_188_500_000, 30_000, 70 * 1_024)), "open buckets");
    assert!(rows.iter().any(|row| row.1 - row.0 == 300_000), "no lifetime becomes one step of the grid");
}

#[test]
fn vms_without_a_lifetime_can_be_left_out() {
    let mut parser = TraceParser::new("vmtable.csv").without_instant_vms();
    parser.push(VARIANTS).expect("the fixture");
    let Parsed { workload, report } = parser.finish().expect("the fixture");
    assert_eq!((report.kept, report.corrections.get(&Correction::NoLifetime)), (8, Some(&1)));
    assert!(vms(&workload).iter().all(|row| row.1 - row.0 > 300_000));
}

#[test]
fn named_columns_are_read_in_their_units() {
    const H: i64 = 3_600_000;
    const NEVER: i64 = i64::MAX;
    for (text, expected) in [
        ("cores,memory,start\n2,4,1\n", vec![(1_000, NEVER, 2_000, 4_096)]),
        ("vm;cpu_milli;mem_mib;created_ms;deleted_ms\na;500;512;5;9\n", vec![(5, 9, 500, 512)]),
        ("VM\tvCPUs\tMemory (GB)\tStart (h)\tDuration (h)\nx\t1\t0.5\t1\t2\n", vec![(H, 3 * H, 1_000, 512)]),
        (
            "cores,ram,arrival,lifetime\n1,1,10,inf\n1,1,20,\n",
            vec![(10_000, NEVER, 1_000, 1_024), (20_000, NEVER, 1_000, 1_024)],
        ),
        ("cores,ram,start,end,duration\n1,1,10,20,99\n", vec![(10_000, 20_000, 1_000, 1_024)]),
        ("cores,ram,start_days,end_days\n1,1,-2,0.5\n", vec![(-48 * H, 12 * H, 1_000, 1_024)]),
        ("cores,ram,start,end\n1,1,0.0001,never\n", vec![(1, NEVER, 1_000, 1_024)]),
        // A clock that starts at 500 h is shifted so that the first VM arrives in the first hour.
        (
            "batch,start_s,cores,mem_gb\n1,1800000,1,1\n1,1803600,1,1\n",
            vec![(H, NEVER, 1_000, 1_024), (2 * H, NEVER, 1_000, 1_024)],
        ),
    ] {
        assert_eq!(vms(&parsed("", text).workload), expected, "{text}");
    }
}

#[test]
fn what_tenants_ask_for_is_read() {
    const ALL: TenantTerms =
        TenantTerms { fault_domains: 5, scope: Scope::Cluster, per_machine: 2, per_rack: 3, isolated: true };
    for (columns, values, expected) in [
        ("fault_domains,scope,per_machine,per_rack,isolated", "5,cluster,2,3,1", ALL),
        ("Fault domains;SCOPE;VMs per machine;max per rack;Dedicated", "5;Cluster;2;3;yes", ALL),
        ("platformFaultDomainCount,colocation", "3,2", TenantTerms { fault_domains: 3, scope: Scope::Cluster, ..NONE }),
        ("scope", "DATACENTER", TenantTerms { scope: Scope::Datacenter, ..NONE }),
        ("per_rack,isolated", "4,false", TenantTerms { per_rack: 4, ..NONE }),
        ("fault_domains,scope,per_machine,per_rack,isolated", ",,,,", NONE),
        ("fault_domains,scope,isolated", "0,zone,no", NONE),
    ] {
        let semicolons = columns.replace(',', ";");
        let text = format!("cores;memory;start;{semicolons}\n2;4;1;{}\n", values.replace(',', ";"));
        let workload = parsed("", &text).workload;
        assert_eq!(workload.shape_of_vm(VmId(0)).terms, expected, "{text}");
    }
}

#[test]
fn terms_belong_to_the_tenant() {
    let rows = ["a,x,1,1,5,3", "b,x,1,1,9,2", "c,x,1,1,9,", "d,y,1,1,7,4", "e,y,1,1,7,4"];
    for order in [[0, 1, 2, 3, 4], [2, 1, 0, 4, 3]] {
        let rows: Vec<_> = order.iter().map(|row| rows[*row]).collect();
        let text = format!("vm,tenant,cores,memory,start,fault_domains\n{}\n", rows.join("\n"));
        let Parsed { workload, report } = parsed("", &text);
        let asked = (0..5).map(|vm| workload.shape_of_vm(VmId(vm)).terms.fault_domains);
        assert_eq!(asked.collect::<Vec<_>>(), [3, 4, 4, 3, 3], "{text}");
        assert_eq!(report.corrections[&Correction::OtherTerms], 2, "{text}");
    }
}

#[test]
fn the_trace_tells_until_its_last_arrival_or_a_small_ones_last_end() {
    const H: i64 = 3_600_000;
    for (rows, hours) in [
        ("1,1,5,10", 1),
        ("1,1,5,9000", 3),
        ("1,1,5,inf", 1),
        ("1,1,-5,9000\n1,1,7201,999999", 3),
        ("1,1,0,99999999", 720),
    ] {
        let text = format!("cores,ram,start,end\n{rows}\n");
        assert_eq!(parsed("", &text).workload.horizon(), Time(hours * H), "{rows}");
    }
}

#[test]
fn what_a_csv_cannot_answer_follows_from_its_columns() {
    let bare = parsed("", "cores,memory,start,rack\n2,4,1,7\n").report;
    assert_eq!(bare.cannot_answer.len(), 4);
    assert!(bare.notes.iter().any(|note| note.contains("rack")), "{:?}", bare.notes);
    let full = parsed("", "vm,tenant,cores,memory,start,end,priority,isolated\n1,1,2,4,1,2,spot,yes\n").report;
    assert!(full.cannot_answer.is_empty(), "{:?}", full.cannot_answer);
}

#[test]
fn quotes_blank_lines_line_ends_and_a_mark_at_the_front_change_nothing() {
    let plain = "vm,tenant,cores,memory,start,end\n1,acme,2,4,1,7\n2,acme,2,4,1,8\n";
    let expected = parsed("", plain);
    for text in [
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}"),
        plain.replace("acme", "\"acme\""),
        plain.replace(',', " , "),
        plain.replace('\n', "\n\n"),
        format!("\n\n{plain}"),
        plain.trim_end().to_owned(),
        plain.replace(',', ";"),
        plain.replace(',', "\t"),
    ] {
        assert_eq!(parsed("", &text), expected, "{text}");
    }
}

#[test]
fn any_cut_into_chunks_gives_the_same() {
    let small =
        "\u{feff}vm,tenant,cores,memory,start,end\r\n1,\"a\"\"b\nc\",2,4,1,7\r\n  \r\n2,x,nan,4,1,8\r\n3,y,1,1,2,3";
    let two_members = [PACKING, gzipped(b"1,1,100,4,0,1,2\n").as_slice()].concat();
    let gzip_small = gzipped(small.as_bytes());
    let ten = read("ten.csv", TEN_ROWS).expect("the fixture");
    let compact = compact::write(&ten.workload, &Origin::of(&ten.report));
    let compact_gzip = gzipped(&compact);
    let bad = "vm,cores,memory,start\n".to_owned() + &"1,\"2,3,4\n".repeat(10_000);
    for (name, bytes, every) in [
        ("small.csv", small.as_bytes(), true),
        ("small.csv.gz", gzip_small.as_slice(), true),
        ("ten.csv", TEN_ROWS, true),
        ("variants.csv", VARIANTS, true),
        ("packing.csv.gz", PACKING, false),
        ("named-member.csv.gz", NAMED_MEMBER, true),
        ("two-members.csv.gz", two_members.as_slice(), false),
        ("truncated.csv.gz", &PACKING[..100_000], false),
        ("open-quote.csv", bad.as_bytes(), false),
        ("cut.columns", compact.as_slice(), true),
        ("cut.columns.gz", compact_gzip.as_slice(), true),
    ] {
        let whole = read(name, bytes);
        for seed in 1..=if every { 60 } else { 3 } {
            let largest = if every { seed as usize } else { 40_000 };
            assert_eq!(read_cut(name, bytes, seed, largest), whole, "{name}, seed {seed}");
        }
    }
}

/// A gzip member with a name, extra field, comment and header checksum (RFC 1952), padded with zeros.
const NAMED_MEMBER: &[u8] = include_bytes!("../fixtures/named-member.csv.gz");

/// Pushes chunks of 1 to `largest` bytes, from a small generator.
fn read_cut(name: &str, bytes: &[u8], seed: u64, largest: usize) -> Result<Parsed, TraceError> {
    let mut parser = TraceParser::new(name);
    let (mut state, mut rest) = (seed, bytes);
    while !rest.is_empty() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let length = (1 + (state >> 33) as usize % largest).min(rest.len());
        parser.push(&rest[..length])?;
        parser.push(&[])?;
        rest = &rest[length..];
    }
    assert_eq!(parser.progress().bytes, bytes.len() as u64);
    parser.finish()
}

fn gzipped(text: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, text).expect("memory takes bytes");
    gzip.finish().expect("memory takes bytes")
}

#[test]
fn a_shuffled_file_is_the_same_workload() {
    for (name, gzip, header) in [("packing", PACKING, 1), ("vmtable", TEN_ROWS, 0)] {
        let text = String::from_utf8(inflated(gzip)).expect("text");
        let (head, mut rows) =
            (text.lines().take(header).collect::<Vec<_>>(), text.lines().skip(header).collect::<Vec<_>>());
        rows.sort_by_key(|row| row.bytes().rev().collect::<Vec<_>>());
        let shuffled = head.into_iter().chain(rows).collect::<Vec<_>>().join("\n");
        let (before, after) = (parsed(name, &text), parsed(name, &shuffled));
        assert_eq!(before.workload.fingerprint(), after.workload.fingerprint(), "{name}");
        assert_eq!(before, after, "{name}");
    }
}

fn tenants(one_in: u32, part: u32) -> Sample {
    Sample { by: SampledBy::Tenant, one_in, part, ..Sample::default() }
}

#[test]
fn a_sample_by_request_keeps_requests_whole_and_one_by_vm_does_not() {
    let full = read("", PACKING).expect("the fixture").workload;
    let request_of = |workload: &Workload, vm: u32| {
        let request = workload.request_of(VmId(vm));
        (workload.at(request), workload.tenant(request))
    };
    let sizes = |workload: &Workload| {
        let arriving = (0..workload.vm_count()).filter(|vm| request_of(workload, *vm).0 > Time::ZERO);
        let mut sizes = std::collections::BTreeMap::<_, u32>::new();
        arriving.for_each(|vm| *sizes.entry(request_of(workload, vm)).or_default() += 1);
        sizes
    };
    let whole = sizes(&full);
    for (by, cut) in [(SampledBy::Tenant, false), (SampledBy::Request, false), (SampledBy::Vm, true)] {
        let parts: Vec<_> = (0..3)
            .map(|part| {
                let mut parser =
                    TraceParser::new("packing-cut.csv.gz").sampled(Sample { by, one_in: 3, part, ..Sample::default() });
                parser.push(PACKING).expect("the fixture");
                parser.finish().expect("a sample")
            })
            .collect();
        assert_eq!(parts.iter().map(|it| it.report.kept).sum::<u64>(), 13_521, "{by:?}");
        let kept = sizes(&parts[0].workload);
        assert_eq!(kept.iter().any(|(request, size)| whole[request] != *size), cut, "{by:?}");
        let told = parts[0].report.notes.iter().any(|note| note.starts_with("Sampled by"));
        assert!(told && parts[0].report.sampled_out > 8_000, "{by:?}");
    }
}

#[test]
fn a_sample_keeps_all_vms_of_a_tenant_or_none() {
    let mut parser = TraceParser::new("packing-cut.csv.gz").sampled(tenants(10, 0));
    parser.push(PACKING).expect("the fixture");
    let Parsed { workload, report } = parser.finish().expect("a sample");
    assert_eq!(report.kept + report.sampled_out, 13_521);
    let Summary { tenants, .. } = Summary::of(&workload);
    assert!((450..630).contains(&tenants), "{tenants}");
    let full = read("", PACKING).expect("the fixture").workload;
    let vms_of = |workload: &Workload, tenant| {
        let requests = (0..workload.request_count()).map(RequestId).filter(|r| workload.tenant(*r) == tenant);
        requests.map(|request| workload.vms_of(request).len()).sum::<usize>()
    };
    for request in (0..workload.request_count()).step_by(50).map(RequestId) {
        let tenant = workload.tenant(request);
        assert_eq!(vms_of(&workload, tenant), vms_of(&full, tenant), "tenant {tenant}");
    }
}

#[test]
fn arrivals_of_2017_come_in_batches() {
    let bytes = include_bytes!("../fixtures/azure2017-arrivals.csv.gz");
    let Parsed { workload, report } = read("arrivals.csv.gz", bytes).expect("the cut");
    assert_eq!((report.format, report.rows, report.kept), ("Azure2017Arrivals", 1_043, 1_043));
    assert_eq!(Summary::of(&workload).tenants, 341);
    assert_eq!(workload.horizon(), Time(7 * 300_000));
    // Eight cores for at most five minutes, one for fifteen to twenty; the beginning is a tick before the first.
    assert_eq!(
        vms(&workload)[..2].iter().map(|(start, end, ..)| (*start, *end)).collect::<Vec<_>>(),
        [(300_000, 600_000), (300_000, 1_500_000)]
    );
    let instant = report.corrections.get(&Correction::NoLifetime).copied();
    assert_eq!(instant, Some(109));
}

#[test]
fn pods_are_read_as_they_were_asked_for() {
    let Parsed { workload, report } = read("openb_pod_list_default.csv", PODS.as_bytes()).expect("the pods");
    assert_eq!((report.format, report.rows, report.kept), ("OpenbPods", 4, 4));
    assert_eq!(
        vms(&workload),
        [
            (0, 12_537_496_000, 12_000, 16_384),
            (427_061_000, i64::MAX, 6_000, 12_288),
            (2_759_674_000, 2_759_675_000, 20_000, 65_536),
            (10_001_278_000, 10_001_403_000, 11_908, 47_104),
        ]
    );
    let low: Vec<_> = (0..4).map(|vm| workload.shape(workload.shape_of(VmId(vm))).priority).collect();
    assert_eq!(low, [0, 1, 0, 1], "best effort");
    assert_eq!(workload.horizon(), Time(3_585 * 3_600_000), "the hour above the last timestamp");
    assert!(report.notes[1].starts_with("3 pods request GPUs, which are ignored; 1 were never"), "{report:?}");
    assert_eq!(workload, parsed("", PODS).workload, "by shape alone");
}

#[test]
fn a_creation_and_a_deletion_are_one_vm() {
    let text =
        "vmid,cpu,memory,time,type\n7,4,8,0,0\n8,1,2,60,0\n7,4,8,100,1\n7,2,4,200,0\n9,8,32,4000,0\n9,8,32,4000,1\n";
    let Parsed { workload, report } = parsed("Huawei-East-1.csv", text);
    assert_eq!((report.format, report.rows, report.kept, report.faulty()), ("HuaweiEvents", 6, 4, 0));
    assert_eq!(
        vms(&workload),
        [
            (0, 100_000, 4_000, 8_192),
            (60_000, i64::MAX, 1_000, 2_048),
            (200_000, i64::MAX, 2_000, 4_096),
            (4_000_000, 4_001_000, 8_000, 32_768),
        ]
    );
    assert_eq!((workload.horizon(), report.corrections[&Correction::NoLifetime]), (Time(2 * 3_600_000), 1));
    let indexed = format!(",{}", text.replace('\n', "\n0,")).trim_end_matches("0,").to_owned();
    assert_eq!(parsed("", &indexed).workload, workload, "an index stands before");
    let sampled = |part| {
        let mut parser = TraceParser::new("Huawei-East-1.csv").sampled(tenants(2, part));
        parser.push(text.as_bytes()).expect("rows");
        parser.finish().map_or(0, |it| it.report.kept)
    };
    assert_eq!(sampled(0) + sampled(1), 4, "those that never end are in one part too");
}

#[test]
fn events_that_cannot_be_are_refused() {
    use FaultKind::{AlreadyThere, NegativeTime, NotThere, ReversedTimes, TooFewFields, UnknownWord, ZeroSize};
    for (row, kind) in [
        ("7,4,8,60,0", AlreadyThere),
        ("6,4,8,60,1", NotThere),
        ("7,4,8,40,1", ReversedTimes),
        ("6,4,8,-1,0", NegativeTime),
        ("6,0,8,60,0", ZeroSize),
        ("6,4,8,60,2", UnknownWord),
        ("6,4,8,60", TooFewFields),
    ] {
        let text = format!("vmid,cpu,memory,time,type\n7,4,8,50,0\n{row}\n8,4,8,90,0\n");
        let Parsed { workload, report } = parsed("", &text);
        assert_eq!((workload.vm_count(), report.faults.len()), (2, 1), "{row}");
        assert_eq!((report.faults[0].line, report.faults[0].kind), (3, kind), "{row}");
    }
}

#[test]
fn a_zstd_file_is_the_same_trace_however_it_is_cut() {
    let row = |i: u32| {
        let (start, cores) = (i * 7 % 90_000, 1 + i % 8);
        format!("{i},{},{cores},{},{start},{}\n", i / 3, cores * 4, start + 60 + i % 1_000)
    };
    let text = "vm,tenant,cores,memory_gb,start_s,end_s\n".to_owned() + &(0..9_000).map(row).collect::<String>();
    let whole = parsed("two-frames.csv", &text);
    assert_eq!(whole.report.kept, 9_000);
    for chunk in [1, 7, 1_000, TWO_FRAMES.len()] {
        let mut parser = TraceParser::new("two-frames.csv.zst");
        TWO_FRAMES.chunks(chunk).for_each(|chunk| parser.push(chunk).expect("a part of the fixture"));
        assert_eq!(parser.progress().bytes, TWO_FRAMES.len() as u64);
        assert_eq!(parser.finish().expect("the fixture"), whole, "in chunks of {chunk}");
    }
    let mut parser = TraceParser::new("two-frames.csv.zst");
    parser.push_file(TWO_FRAMES).expect("the fixture");
    assert_eq!(parser.progress().bytes, TWO_FRAMES.len() as u64);
    assert_eq!(parser.finish().expect("the fixture"), whole, "as a file");
}

#[test]
fn every_format_says_what_it_is() {
    let ids: Vec<_> = FORMATS.iter().map(|format| format.declaration().id).collect();
    assert_eq!(
        ids,
        [
            "AzurePackingSample",
            "AzurePacking",
            "Azure2017",
            "Azure2017Arrivals",
            "HuaweiEvents",
            "OpenbPods",
            "NamedColumns",
            "Compact"
        ]
    );
    for format in FORMATS {
        assert!(format.declaration().help.to_lowercase().contains("licence"), "{}", format.declaration().id);
    }
}

#[test]
fn the_parts_of_a_trace_have_no_tenant_in_common_and_are_all_of_it() {
    let part = |part| {
        let mut parser = TraceParser::new("packing-cut.csv.gz").sampled(tenants(12, part));
        parser.push(PACKING).expect("the fixture");
        parser.finish().expect("a sample")
    };
    let parts: Vec<_> = (0..12).map(part).collect();
    assert_eq!(parts.iter().map(|it| it.report.kept).sum::<u64>(), 13_521);
    let tenants_of = |it: &Parsed| -> std::collections::BTreeSet<u64> {
        (0..it.workload.request_count()).map(|request| it.workload.tenant(RequestId(request))).collect()
    };
    let all: Vec<_> = parts.iter().map(tenants_of).collect();
    let together: std::collections::BTreeSet<u64> = all.iter().flatten().copied().collect();
    assert_eq!(all.iter().map(|tenants| tenants.len()).sum::<usize>(), together.len());
    assert!(all.iter().all(|tenants| tenants.len() > 100), "{:?}", all.iter().map(|it| it.len()).collect::<Vec<_>>());
    let sampled = {
        let mut parser = TraceParser::new("packing-cut.csv.gz").sampled(Sample { one_in: 12, ..Sample::default() });
        parser.push(PACKING).expect("the fixture");
        parser.finish().expect("a sample").workload.fingerprint()
    };
    assert_eq!([part(0), part(12)].map(|it| it.workload.fingerprint()), [sampled; 2], "what was kept before parts");
}

#[test]
fn a_table_that_nobody_knows_is_read_by_columns_that_are_said() {
    let read = |text: &[u8], names: &[&str]| {
        let parser = TraceParser::new("mine.csv");
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut parser = if names.is_empty() { parser } else { parser.with_columns(names) };
        let told = parser.push(text);
        let unknown = parser.unknown().to_vec();
        (told.and_then(|()| parser.finish()), unknown)
    };
    let bare = b"1,x,4,16,0,1200\n2,y,2,8,60,900\n".as_slice();
    let (error, unknown) = read(bare, &[]);
    assert!(matches!(error, Err(TraceError::UnknownFormat { .. })), "{error:?}");
    assert_eq!(unknown.len(), 2, "its first lines are shown");

    let names = ["vm", "", "cores", "memory_gib", "start_s", "duration_min"];
    let (parsed, _) = read(bare, &names);
    let parsed = parsed.expect("it can be read");
    assert_eq!((parsed.workload.vm_count(), parsed.report.rows), (2, 2), "the first line is no header");
    let headed = [b"a,b,c,d,e,f\n".as_slice(), bare].concat();
    let (same, _) = read(&headed, &names);
    assert_eq!(same.expect("it can be read").workload.fingerprint(), parsed.workload.fingerprint());

    let (error, unknown) = read(bare, &["vm", "", "cores"]);
    assert!(matches!(error, Err(TraceError::MissingColumns { .. })), "{error:?}");
    assert_eq!(unknown.len(), 2);
}

#[test]
fn a_column_is_guessed_by_what_its_header_says() {
    let guessed =
        ["VM id", "vCPU count", "Memory (GB)", "mem_mb", "created", "Departure time [h]", "lifetime_days", "colour"]
            .map(|field| tiebreak_trace::formats::named_columns::guessed(field, ""));
    let names = ["vm", "cores", "memory_gib", "memory_mib", "start_s", "end_hours", "duration_days"].map(Some);
    assert_eq!(guessed[..7], names);
    assert_eq!(guessed[7], None);
    // Every offered name is the first one with its meaning.
    for name in tiebreak_trace::formats::named_columns::OFFERED {
        assert_eq!(tiebreak_trace::formats::named_columns::guessed(name, ""), Some(name));
    }
}

#[test]
fn dates_are_read_in_their_order_and_asked_about_where_it_is_open() {
    let file = |start: &str, end: &str| format!("vm,cores,memory,created,deleted\n1,4,16,{start},{end}\n");
    let times = |parser: TraceParser, text: &str| {
        let mut parser = parser;
        parser.push(text.as_bytes()).and_then(|()| parser.finish()).map(|parsed| {
            let workload = &parsed.workload;
            let [start, end] = [workload.at(RequestId(0)), workload.end(VmId(0))];
            (end.0 - start.0, parsed.report.notes[0].clone())
        })
    };
    const HOUR: i64 = 3_600_000;
    let new = || TraceParser::new("mine.csv");
    for (start, end, order) in [
        ("2026-03-01T10:00:00Z", "2026-03-01T12:00:00+01:00", "year first"),
        ("2026-03-01 10:00", "2026-03-01 11:00", "year first"),
        ("01.03.2026 10:00", "01.03.2026 11:00", "day first"),
        ("1/3/2026 10:00", "1/3/2026 11:00", "which order?"),
        ("28/2/2026 23:30", "1/3/2026 0:30", "day first"),
        ("2/28/2026 23:30", "3/1/2026 0:30", "month first"),
    ] {
        let read = times(new(), &file(start, end));
        match order {
            "which order?" => {
                let error = read.expect_err("it is asked").to_string();
                assert!(error.contains("\"1/3/2026 10:00\" in column created can be read in two ways"), "{error}");
                let named = |order: &str| {
                    new().with_renamed(vec![
                        (format!("start_{order}"), "created".into()),
                        ("end".into(), "deleted".into()),
                    ])
                };
                for order in ["dmy", "mdy"] {
                    assert_eq!(times(named(order), &file(start, end)).expect("it is told").0, HOUR);
                }
            }
            order => {
                let (life, note) = read.expect("a trace");
                assert_eq!(life, HOUR, "{start}");
                assert!(note.contains(&format!("created as dates, {order}")), "{note}");
            }
        }
    }
}

#[test]
fn an_open_end_and_a_date_that_does_not_exist_do_not_stop_the_others() {
    let text = "cores;memory;start;end\n2;8;01.03.2026 10:00;\n2;8;02.03.2026 10:00;02.03.2026 11:00\n\
                2;8;31.02.2026 10:00;\n2;8;2026-03-02;\n";
    let mut parser = TraceParser::new("mine.csv");
    parser.push(text.as_bytes()).expect("a table");
    let parsed = parser.finish().expect("a trace");
    assert_eq!((parsed.report.kept, Summary::of(&parsed.workload).endless), (2, 1));
    let faults: Vec<_> =
        parsed.report.faults.iter().map(|fault| (fault.line, fault.kind, fault.expected.as_str())).collect();
    let expected = "dates, day first in column start";
    assert_eq!(faults, [(4, FaultKind::NotADate, expected), (5, FaultKind::NotADate, expected)]);
}

#[test]
fn decimal_commas_are_seen_in_the_first_row_or_said() {
    let read = |parser: TraceParser, first: &str| {
        let mut parser = parser;
        let text = format!("cores;memory;start\n{first};16;0\n2,5;8;0,5\n");
        parser.push(text.as_bytes()).and_then(|()| parser.finish())
    };
    let new = || TraceParser::new("mine.csv");
    let Parsed { workload, report: seen } = read(new(), "3,5").expect("a trace");
    assert_eq!((Summary::of(&workload).peak_cores_milli, seen.faulty()), (6_000, 0));
    assert!(seen.notes[0].contains("3,5 is three and a half"), "{:?}", seen.notes);
    let asked = read(new(), "1,024").expect_err("it is asked").to_string();
    assert!(asked.contains("\"1,024\" in column cores can be read in two ways"), "{asked}");
    let said = read(new().with_decimal_commas(true), "1,024").expect("it is said");
    assert_eq!(Summary::of(&said.workload).peak_cores_milli, 3_524);
    let refused = read(new().with_decimal_commas(false), "3").expect("half of it").report;
    assert_eq!((refused.kept, refused.faulty()), (1, 1));
}

#[test]
fn a_mapper_guesses_dates_by_their_first_value() {
    use tiebreak_trace::formats::named_columns::guessed;
    for (field, value, name) in [
        ("created", "2026-03-01", Some("start_iso")),
        ("Deleted", "01.03.2026", Some("end_dmy")),
        ("created", "1/3/2026", None),
        ("start", "3600", Some("start_s")),
        ("start_dmy", "1/3/2026", Some("start_dmy")),
        ("cores", "2026-03-01", Some("cores")),
    ] {
        assert_eq!(guessed(field, value), name, "{field} {value}");
    }
}
