//! The program from the side of users and scripts: answers, exit codes, files.
//!
//! Text goldens are in `tests/golden`; `UPDATE=1 cargo test -p tiebreak-cli` rewrites them.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::golden;
use serde_json::Value;

fn tiebreak(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tiebreak")).args(words).output().expect("the program starts")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// Standard output of a run that must succeed.
fn done(words: &[&str]) -> String {
    let output = tiebreak(words);
    assert_eq!(code(&output), 0, "{words:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&done(words)).expect("one JSON value")
}

/// An empty folder for this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn file(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let file = folder.join(name);
    std::fs::write(&file, bytes).expect("a file");
    file.to_str().expect("UTF-8").to_owned()
}

const READINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/fixtures/azure2017-cpu-readings.csv.gz");
const ARRIVALS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/fixtures/azure2017-arrivals.csv.gz");
const CUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/fixtures/packing-cut.csv.gz");

#[test]
fn the_rules_as_listed() {
    golden("list-rules.txt", &done(&["list", "rules"]));
}

/// A file with one custom rule.
fn rule_file(folder: &Path, name: &str, expression: &str) -> String {
    let custom = serde_json::json!({ "kind": "preference", "expression": expression });
    file(folder, name, serde_json::json!({ "rule": "Own", "custom": custom }).to_string().as_bytes())
}

#[test]
fn rules_of_ones_own_run_like_any_other() {
    let folder = folder("own-rules");
    let digest = |more: &[&str]| json(&[&["run", "--preset", "small", "--json"], more].concat())["digest"].clone();
    let built_in = digest(&[]);
    assert_eq!(digest(&["--rule", "BestFit"]), built_in, "the expression says what the built-in rule says");
    let evolved = digest(&["--rule", "EvolvedBorgScore", "--set", "rules.EvolvedBorgScore.position=0"]);
    assert_ne!(evolved, built_in, "another rule decides otherwise");
    let own = rule_file(&folder, "own.json", "let left = machine.cores_free - vm.cores;\nleft / machine.cores");
    let first = ["--rule", &own, "--set", "rules.Own.position=0", "--set", "rules.Own.buckets=5"];
    let out = folder.join("out");
    let run = digest(&[&first[..], &["--out", out.to_str().expect("UTF-8")]].concat());
    let again = json(&["run", out.join("scenario.json").to_str().expect("UTF-8"), "--json"])["digest"].clone();
    assert_eq!(run, again, "the rule travels in the saved scenario");
}

#[test]
fn what_is_wrong_with_a_rule_of_ones_own_has_its_line() {
    let folder = folder("wrong-rules");
    let broken = rule_file(&folder, "broken.json", "1 +\n  vm.corse");
    let output = tiebreak(&["run", "--preset", "small", "--rule", &broken]);
    let told = text(&output.stderr);
    assert!(code(&output) == 2 && told.contains("`vm.corse` (line 2, column 3)"), "{told}");
    let scenario = r#"{"version":2,"variants":[{"rules":[{"rule":"Own","custom":{"kind":"validator","expression":"vm.cores"}}]}]}"#;
    let scenario = file(&folder, "scenario.json", scenario.as_bytes());
    let output = tiebreak(&["check", &scenario]);
    let told = text(&output.stdout);
    assert!(code(&output) == 1 && told.contains("expected true or false, got a number (line 1, column 1)"), "{told}");
    let output = tiebreak(&["run", "--preset", "small", "--rule", "NoSuchRule"]);
    let told = text(&output.stderr);
    assert!(told.contains("expected a rule of the gallery (EvolvedBorgScore, LeastAllocated"), "{told}");
}

#[test]
fn what_expressions_may_read_is_listed_with_units() {
    let names = json(&["list", "names", "--json"]);
    let names = names.as_array().expect("a list");
    let free = names.iter().find(|name| name["id"] == "machine.cores_free").expect("a name");
    assert_eq!((free["unit"].as_str(), free["of"].as_str()), (Some("cores"), Some("machine")));
    assert!(names.len() > 50 && names.iter().all(|name| name["help"].as_str().is_some_and(|help| help.len() > 15)));
    let gallery = json(&["list", "gallery", "--json"]);
    let folder = folder("gallery");
    for rule in gallery.as_array().expect("a list") {
        let file = file(&folder, "rule.json", rule["rule"].to_string().as_bytes());
        done(&["run", "--preset", "small", "--rule", &file, "--json"]);
    }
}

#[test]
fn protean_table_5_in_the_small_size() {
    let output = tiebreak(&["reproduce", "protean-table5", "--quick"]);
    golden("protean-table5-quick.txt", text(&output.stdout));
    let json = tiebreak(&["reproduce", "protean-table5", "--quick", "--json"]);
    let table: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(code(&output), exit_of(&[&table]));
    assert_eq!(table["rows"].as_array().map(Vec::len), Some(6));
    assert_eq!(table["seeds"].as_array().map(Vec::len), Some(2));
    assert!(table["checks"].as_array().is_some_and(|checks| checks.iter().all(|check| check["what"].is_string())));
}

/// The exit code for these exhibits: the worst of all their directions decides.
fn exit_of(exhibits: &[&Value]) -> i32 {
    let verdicts: Vec<_> = exhibits
        .iter()
        .flat_map(|exhibit| exhibit["checks"].as_array().expect("a list"))
        .map(|check| check["verdict"].as_str().expect("a word"))
        .collect();
    assert!(verdicts.iter().all(|verdict| ["holds", "fails", "undecided", "fitted"].contains(verdict)), "{verdicts:?}");
    match () {
        () if verdicts.contains(&"fails") => 1,
        () if verdicts.contains(&"undecided") => 3,
        () => 0,
    }
}

/// Every figure: its name and the number of lines in its table.
const FIGURES: [(&str, usize); 38] = [
    ("protean-fig9", 4),
    ("protean-fig10", 8),
    ("protean-fig11", 3),
    ("protean-fig12", 4),
    ("protean-fig13", 6),
    ("protean-fig14", 18),
    ("protean-fig15", 20),
    ("protean-fig16", 3),
    ("protean-conflicts", 4),
    ("lava-fig6", 8),
    ("lava-fig15", 12),
    ("lava-fig16", 7),
    ("lava-fig17", 3),
    ("lava-stranding", 14),
    ("lava-table2", 6),
    ("lava-table4", 4),
    ("lava-choices", 13),
    ("lava-theorem1", 6),
    ("dvla-fig8", 9),
    ("dvla-fig10", 5),
    ("dvla-fig11", 5),
    ("gridiron-fig3", 9),
    ("gridiron-fig8", 6),
    ("gridiron-case", 12),
    ("gridiron-demand", 10),
    ("gridiron-amdahl", 7),
    ("admission-table2", 10),
    ("admission-fig1", 16),
    ("admission-fig2", 4),
    ("admission-forecast", 6),
    ("admission-appendix-e", 12),
    ("power-table2", 6),
    ("power-table3", 6),
    ("power-fig4", 11),
    ("power-fig6", 5),
    ("power-fig7", 16),
    ("power-fig7-weights", 16),
    ("power-table4", 15),
];

#[test]
fn figures_in_the_small_size() {
    for (name, _) in FIGURES {
        let output = tiebreak(&["reproduce", name, "--quick"]);
        assert!(output.stderr.is_empty(), "{name}: {}", text(&output.stderr));
        let got = text(&output.stdout);
        golden(&format!("reproduce-{name}.txt"), got);
        let expected = match () {
            () if got.contains("  does not hold: ") => 1,
            () if got.contains("  undecided: ") => 3,
            () => 0,
        };
        assert_eq!(code(&output), expected, "{name}");
    }
}

#[test]
fn all_is_one_array_with_a_drawing_for_each_figure() {
    let out = folder("figures");
    let output = tiebreak(&["reproduce", "all", "--quick", "--json", "--out", out.to_str().expect("UTF-8")]);
    let all: Value = serde_json::from_slice(&output.stdout).expect("one array");
    let all = all.as_array().expect("an array");
    assert_eq!(all.len(), 1 + FIGURES.len());
    assert_eq!(code(&output), exit_of(&all.iter().collect::<Vec<_>>()));
    for (figure, (name, rows)) in all[1..].iter().zip(FIGURES) {
        assert_eq!((&figure["name"], figure["rows"].as_array().map(Vec::len)), (&Value::from(name), Some(rows)));
        let is_row = |row: &Value| row["what"].is_string() && row["ours"][0]["spread"]["mean"].is_number();
        assert!(figure["rows"].as_array().is_some_and(|rows| rows.iter().all(is_row)), "{name}");
        assert!(figure["checks"].as_array().is_some_and(|checks| checks.len() > 1), "{name}");
        let read = |kind: &str| std::fs::read_to_string(figure[kind].as_str().expect("a file")).expect("its text");
        assert!(read("svg").starts_with("<?xml") && read("svg").contains("<polyline"), "{name}");
        let points = read("csv");
        assert!(points.starts_with("panel,series,across,value\n") && points.lines().count() > 4, "{name}");
    }
}

/// The numbers of a forecast: hours, mean, variance, and both probabilities.
fn forecast(words: &[&str]) -> Vec<[f64; 5]> {
    let report = json(&[&["admission", "forecast"], words, &["--size", "40", "--json"]].concat());
    let points = report["points"].as_array().expect("a list");
    let names = ["hours", "mean", "variance", "chance_cantelli", "chance_normal"];
    points.iter().map(|point| names.map(|name| point[name].as_f64().expect("a number"))).collect()
}

#[test]
fn a_deployment_and_a_cluster_are_forecast() {
    let one = forecast(&["--cores", "8", "--hours", "24", "--at", "0,1,24"]);
    assert_eq!(one[0], [0.0, 8.0, 0.0, 0.0, 0.0]);
    for [_, mean, variance, cantelli, normal] in &one[1..] {
        assert!((cantelli - variance / (variance + (40.0 - mean).powi(2))).abs() < 1e-12);
        assert!((0.0..=1.0).contains(normal) && mean.fract() != 0.0);
    }
    // Two such deployments, one of them in full.
    let rows = b"name,cores,hours,blocks,ended,scale_outs,observed_hours,requested\na,8,24,,,,,\nb,8,24,1,0,0,24,8\n";
    let file = file(&folder("forecast"), "cluster.csv", rows);
    for ([_, mean, variance, ..], [_, both, spread, ..]) in one.iter().zip(forecast(&[&file, "--at", "0,1,24"])) {
        assert!((2.0 * mean - both).abs() < 1e-9 && (2.0 * variance - spread).abs() < 1e-9);
    }
    let paper = forecast(&["--cores", "8", "--moments", "paper", "--at", "1000"]);
    let prior = forecast(&["--cores", "8", "--prior", "running", "--at", "1000"]);
    let plain = forecast(&["--cores", "8", "--at", "1000"]);
    assert!(paper[0][1] < plain[0][1] && plain[0][1] < prior[0][1]);
    let ends = forecast(&["--cores", "8", "--at", "24", "--set", "admission.when_empty=ends"]);
    assert!(ends[0][1] < forecast(&["--cores", "8", "--at", "24"])[0][1]);
    assert!(
        done(&["admission", "forecast", "--cores", "8"]).starts_with("The cores of a deployment at future moments")
    );
}

/// Readings of a VM that is busy in the office hours of five days, of a steady one, and of one that ends after a day.
fn readings() -> String {
    let mut rows = String::from("timestamp,vmid,mincpu,maxcpu,avgcpu\n");
    for step in 0..5 * 288 {
        let is_office = (96..216).contains(&(step % 288));
        rows += &format!("{},office,1,90,{}\n", 300 * step, if is_office { 60 } else { 10 });
        rows += &format!("{},steady,30,30,30\n", 300 * step);
        if step < 288 {
            rows += &format!("{},brief,5,5,5\n", 300 * step);
        }
    }
    rows + "432000,steady,30,30,NaN\n"
}

#[test]
fn user_facing_vms_of_a_file_of_readings() {
    let file = file(&folder("readings"), "readings.csv", readings().as_bytes());
    let told = done(&["trace", "criticality", &file]);
    assert!(told.starts_with("2 of 3 VMs are user-facing, 1 of them because they could not be classified."), "{told}");
    assert!(
        told.contains("brief: expected 240 half-hours of weekdays, got 48") && told.contains("1 of 3,169 rows"),
        "{told}"
    );
    let report = json(&["trace", "criticality", &file, "--json"]);
    let of = |name: &str| {
        let vms = report["vms"].as_array().expect("an array");
        vms.iter().find(|vm| vm["vm"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    assert_eq!(
        (&of("office")["user_facing"], &of("office")["compare8"]),
        (&Value::from(true), &serde_json::json!(0.0))
    );
    assert_eq!(
        (&of("steady")["user_facing"], &of("steady")["compare8"]),
        (&Value::from(false), &serde_json::json!(1.0))
    );
    assert_eq!((&of("brief")["user_facing"], &of("brief")["compare8"]), (&Value::from(true), &Value::Null));
    assert_eq!((&report["rows"], &report["faulty"]), (&Value::from(3_169), &Value::from(1)));
    // Five days that begin on a Friday include three weekdays.
    let friday = json(&["trace", "criticality", &file, "--first-day", "friday", "--json"]);
    assert!(friday["vms"][1]["why"].as_str().is_some_and(|why| why.contains("got 144")), "{friday}");
}

#[test]
fn a_real_piece_of_readings_is_too_short() {
    let report = json(&["trace", "criticality", READINGS, "--json"]);
    let vms = report["vms"].as_array().expect("an array");
    assert!(vms.len() == 20 && vms.iter().all(|vm| vm["user_facing"] == true && vm["half_hours"] == 1), "{report}");
}

#[test]
fn gridiron_takes_the_arrivals_of_2017() {
    let reproduced = tiebreak(&["reproduce", "gridiron-fig8", "--quick", "--json", "--trace", ARRIVALS]);
    let figure: Value = serde_json::from_slice(&reproduced.stdout).expect("JSON");
    let of_trace = |row: usize| figure["rows"][row]["ours"][0]["spread"]["mean"].as_f64();
    // Two batches of the cut have 30 VMs or more; one VM in ten comes and goes in one tick.
    assert_eq!((figure["rows"][0]["what"].as_str(), of_trace(4)), (Some("VDCs before"), Some(30.0)));
    assert!(of_trace(1) > of_trace(0), "{figure}");
}

#[test]
fn verdicts_are_kept_by_exhibit() {
    let file = folder("verdicts").join("verdicts.json");
    let keep = |name: &str| {
        let output = tiebreak(&["reproduce", name, "--verdicts", file.to_str().expect("UTF-8")]);
        assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
        let kept: Value = serde_json::from_slice(&std::fs::read(&file).expect("a file")).expect("JSON");
        kept.as_array().expect("an array").clone()
    };
    keep("gridiron-amdahl");
    let kept = keep("gridiron-case");
    // In the order of the list, whatever the order of the runs.
    let names: Vec<_> = kept.iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["gridiron-case", "gridiron-amdahl"]);
    let verdicts: Vec<_> = kept[0]["checks"].as_array().into_iter().flatten().map(|check| &check["verdict"]).collect();
    assert!(verdicts.len() == 8 && verdicts.iter().all(|verdict| **verdict == "holds"), "{verdicts:?}");
    assert_eq!((&kept[0]["verdict"], &kept[0]["first_seed"]), (&Value::from("holds"), &Value::from(1)));
    assert_eq!(keep("gridiron-case").len(), 2);
}

#[test]
fn reproduce_says_what_it_can() {
    let listed = done(&["reproduce"]);
    let names = json(&["reproduce", "--json"]);
    let names: Vec<_> = names.as_array().expect("an array").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names.len(), 1 + FIGURES.len());
    assert!(names.iter().all(|name| listed.contains(name)) && listed.contains("reproduce all"), "{listed}");
}

/// Draws of ten chassis over a thousand hours.
fn draws() -> String {
    let draw = |number: u32| 2_000 + number * 7_919 % 1_009;
    let line = |number: u32| format!("{},{},{}\n", number / 10, number % 10, draw(number));
    ["time,chassis,watts\n".to_owned(), (0..10_000).map(line).collect()].concat()
}

#[test]
fn budgets_follow_from_a_file_of_draws() {
    let folder = folder("budgets");
    let (with_names, columns) = (draws(), |line: &str| line.split(',').nth(2).map(|watts| format!("{watts}\n")));
    let alone: String = with_names.lines().filter_map(columns).collect();
    let alone = file(&folder, "alone.csv", alone.as_bytes());
    let file = file(&folder, "draws.csv", with_names.as_bytes());
    let all = json(&["power", "budget", &file, "--json"]);
    assert_eq!((&all["readings"], &all["chassis"]), (&Value::from(10_000), &Value::from(10)));
    let approaches = all["approaches"].as_array().expect("an array");
    assert_eq!(approaches.len(), 8);
    assert_eq!(approaches[0]["saved_dollars"].as_f64(), Some(0.0));
    // The draws from 2,000 to 3,008 W are equally frequent: 1 % are above 2,998 W.
    let budget = &approaches[3];
    assert!((budget["lowest_w"].as_f64().expect("watts") - 2_998.0).abs() <= 1.0, "{budget}");
    assert!((budget["delta_pct"].as_f64().expect("percent") - 100.0 * (1.0 - 1.1 * 2_998.0 / 3_720.0)).abs() < 0.1);
    assert!(budget["walked"].as_array().is_some_and(|walked| walked.len() > 2));
    let one = done(&["power", "budget", &file, "--approach", "4", "--site", "64"]);
    assert!(one.contains("Predictions for all VMs, minimal UF impact") && !one.contains("State of the art"), "{one}");
    assert_eq!(one, done(&["power", "budget", &file, "--approach", "all-minimal", "--site", "64"]));
    let alone = json(&["power", "budget", &alone, "--json"]);
    assert_eq!((&alone["approaches"], &alone["chassis"]), (&all["approaches"], &Value::Null));
}

#[test]
fn draws_that_give_no_budget_are_said() {
    let folder = folder("no-budgets");
    for (name, csv, words, options) in [
        ("empty", "", "expected a column watts", &[][..]),
        ("no-column", "power\n2000\n", "expected a column watts in the first line, got", &[]),
        ("twice", "watts,watts\n1,2\n", "expected one column watts, got 2", &[]),
        ("no-readings", "watts\n", "at least 2 readings, got 0", &[]),
        ("one", "watts\n2000\n", "at least 2 readings, got 1", &[]),
        (
            "text",
            "watts\n2000\nmuch\n2100\n-5\n",
            "in line 3, got \"much\"; correct or remove this line and 1 more",
            &[],
        ),
        ("gap", "time,watts\n0,2000\n1\n2,2100\n", "in line 3, got nothing", &[]),
        ("nan", "watts\n2000\nNaN\n", "in line 3, got \"NaN\"", &[]),
        ("idle", "watts\n200\n210\n", "above the 1344 W that a chassis of 12 idle servers draws", &[]),
        ("servers", "watts\n2000\n2100\n", "from 1 to 1000 after --servers, got \"0\"", &["--servers", "0"]),
        ("provisioned", "watts\n2000\n2100\n", "at least 1344 W provisioned", &["--provisioned", "1000"]),
        ("approach", "watts\n2000\n2100\n", "a number from 1 to 8 or one of traditional,", &["--approach", "9"]),
        ("share", "watts\n2000\n2100\n", "from 0 to 100 after --user-facing, got \"NaN\"", &["--user-facing", "NaN"]),
    ] {
        let file = file(&folder, &format!("{name}.csv"), csv.as_bytes());
        let output = tiebreak(&[&["power", "budget", &file], options].concat());
        let said = text(&output.stderr);
        assert_eq!((code(&output), said.contains(words)), (2, true), "{name}: {said}");
    }
}

#[test]
fn a_figure_follows_what_is_set() {
    let with = |set: &str| tiebreak(&["reproduce", "protean-fig12", "--quick", "--set", set]).stdout;
    assert_ne!(with("caches.evaluation_pool=2"), with("caches.evaluation_pool=200"));
}

#[test]
fn caches_change_no_decision() {
    for preset in ["default", "small"] {
        let on = json(&["run", "--preset", preset, "--json"]);
        let off = json(&["run", "--preset", preset, "--set", "agents.caches=false", "--json"]);
        let digest = on["digest"].as_str().expect("a digest");
        assert!(digest.len() == 16 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digest}");
        assert_eq!(on["digest"], off["digest"], "{preset}");
        let other_seed = json(&["run", "--preset", preset, "--set", "seed=99", "--json"]);
        assert_ne!(on["digest"], other_seed["digest"], "{preset}");
        for field in ["placements", "rejections", "conflicts", "empty_hosts_pct_mean", "packing_density_pct_mean"] {
            assert_eq!(on[field], off[field], "{preset}: {field}");
            assert!(on[field].is_number(), "{preset}: {field}");
        }
        assert!(on["wall_ms"].is_number());
        assert_eq!(off["cache"]["hits"], 0);
    }
}

#[test]
fn a_run_leaves_its_files() {
    let out = folder("out");
    let summary = json(&["run", "--preset", "default", "--out", out.to_str().expect("UTF-8"), "--json"]);
    let read = |name| std::fs::read_to_string(out.join(name)).expect(name);
    let saved: Value = serde_json::from_str(&read("summary.json")).expect("JSON");
    assert_eq!(saved, summary);
    assert!(read("series.csv").starts_with("time_ms,EmptyHosts,PackingDensity,Conflicts,"));
    let placements = read("placements.csv");
    let mut lines = placements.lines();
    let header = "seq,time_ms,request,vm,outcome,machine,cluster,best_set_size,cache,agent,attempt,cause,bottleneck";
    assert_eq!(lines.next(), Some(header));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(
        rows.iter()
            .enumerate()
            .all(|(seq, row)| row.len() == 13 && row[0] == seq.to_string() && row[11..] == ["request", ""])
    );
    let placed = rows.iter().filter(|row| row[4] == "placed").count();
    assert_eq!(summary["placements"], placed, "with those alive at the start");
    assert_eq!(rows[0][9], "", "nobody's agent placed what was there already");
    let vms = read("vms.csv");
    let header =
        "vm,tenant,cores,memory_gib,priority,start_s,end_s,request,outcome,cluster,machine,placed_s,bottleneck";
    assert_eq!(vms.lines().next(), Some(header));
    let of = |outcome: &str| vms.lines().filter(|line| line.split(',').nth(8) == Some(outcome)).count();
    let not = of("refused") + of("out of retries");
    assert_eq!([&summary["placements"], &summary["rejections"]], [&Value::from(of("placed")), &Value::from(not)]);
    assert_eq!(vms.lines().count(), 1 + of("placed") + not, "one row a VM");
    // A file of VMs can be read as a trace.
    let fingerprint = |file: &str| json(&["trace", "inspect", file, "--json"])["fingerprint"].clone();
    for name in ["vms.csv", "vms.parquet"] {
        assert_eq!(fingerprint(out.join(name).to_str().expect("UTF-8")), fingerprint(CUT), "{name}");
    }
}

/// Two servers for a VDC of four VMs, two on each: their uplinks carry three links of one unit. The machines have no
/// room for the fifth VM. (Gridiron Fig. 6 (b))
fn crowded(folder: &Path) -> Vec<String> {
    let rows = "vm,tenant,cores,memory_gb,start_s,end_s\n1,1,1,1,300,inf\n2,1,1,1,600,inf\n3,1,1,1,900,inf\n\
                4,1,1,1,1200,inf\n5,2,9,1,1500,inf\n";
    let trace = file(folder, "crowded.csv", rows.as_bytes());
    let sets = [
        "inventory.clusters.0.racks=1",
        "inventory.clusters.0.machines=2",
        "inventory.clusters.0.cores=2",
        "vdcs.topology=all_to_all",
        "vdcs.bpc_mbps=1000",
        "network.uplink_gbps=3",
        "rules.BandwidthAvailable.on=true",
    ];
    let sets = sets.into_iter().flat_map(|set| ["--set".to_owned(), set.to_owned()]);
    ["--preset", "small", "--trace", &trace].into_iter().map(String::from).chain(sets).collect()
}

#[test]
fn refusals_are_told_by_what_was_in_the_way() {
    let folder = folder("refused");
    let scenario = crowded(&folder);
    let scenario: Vec<_> = scenario.iter().map(String::as_str).collect();
    let out = folder.join("out");
    let run = [&["run", "--out", out.to_str().expect("UTF-8")], &scenario[..]].concat();
    let text = done(&run);
    assert!(text.contains("Of these          1 by machines without room, 1 by co-location\n"), "{text}");
    let summary: Value =
        serde_json::from_slice(&std::fs::read(out.join("summary.json")).expect("summary")).expect("JSON");
    let refused = ["room", "link", "peering", "colocation"].map(|by| summary[format!("refused_by_{by}")].as_u64());
    assert_eq!(refused, [1, 0, 0, 1].map(Some));
    assert_eq!((&summary["refused_elsewhere"], &summary["rejections"]), (&0.into(), &2.into()));
    let placements = std::fs::read_to_string(out.join("placements.csv")).expect("placements");
    let by = |vm: &str| {
        let rows = placements.lines().map(|line| line.split(',').collect::<Vec<_>>());
        rows.filter(|row| row[3] == vm).map(|row| row[12].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(["1", "4", "5"].map(by), [[""], ["co-location"], [""]]);
    let told = done(&[&["explain", "--vm", "4"], &scenario[..]].concat());
    assert!(told.contains("The network had no capacity for it (limited by co-location)"), "{told}");
    assert!(!done(&["run", "--preset", "small"]).contains("Of these"), "its VMs are not linked");
}

#[test]
fn bounds_are_those_of_the_paper() {
    let paper = json(&["bounds", "--json"]);
    for (field, value) in [
        ("link_mbps", 40_000),
        ("peering_mbps", 1_379),
        ("colocation_mbps", 177),
        ("bandwidth_mbps", 177),
        ("links_crossing", 225),
        ("bpc_mbps", 11),
    ] {
        assert_eq!(paper[field], value, "{field}");
    }
    assert_eq!((&paper["binding"], paper["notes"].as_array().map(Vec::len)), (&"co-location".into(), Some(0)));
    let text = done(&["bounds"]);
    assert!(text.contains("A link may have 177 Mbit/s. At worst, 225 links cross one uplink."), "{text}");
    let alone = json(&["bounds", "--vms", "10", "--colocated", "1", "--cores", "1", "--json"]);
    assert_eq!((&alone["binding"], &alone["bpc_mbps"]), (&"peering".into(), &4_444.into()));
    for (colocated, says) in [
        ("14", &[][..]),
        ("15", &["A limit of 15 has no effect"]),
        ("31", &["A machine cannot host 31 of 30 VMs: the limit counts as 30", "A limit of 30 has no effect"]),
    ] {
        let text = done(&["bounds", "--colocated", colocated]);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(says.iter().all(|part| text.contains(part)), "{text}");
        assert_eq!(text.contains("A limit of"), !says.is_empty(), "{text}");
    }
    assert_eq!(json(&["bounds", "--uplink", "0.01", "--json"])["bpc_mbps"], 0);
    assert!(done(&["bounds", "--uplink", "0.01"]).contains("cores, not\neven 1 Mbit/s per core is possible."));
}

#[test]
fn every_predictor_is_judged_on_a_workload_and_tenants_can_be_learned_where_they_have_habits() {
    let judged = |purity: &str| {
        let set = ["workload.days=4", "workload.requests_per_hour=60", "workload.tenants=100", purity];
        let set = set.iter().flat_map(|set| ["--set", set]);
        let words: Vec<&str> = ["lifetimes", "--preset", "lava-c2", "--json"].into_iter().chain(set).collect();
        let report = json(&words);
        let predictors = report["predictors"].as_array().expect("a list").clone();
        assert!(predictors.iter().all(|it| it["calibration"].as_array().is_some_and(|tenths| tenths.len() == 10)));
        move |id: &str| {
            let found = predictors.iter().find(|it| it["predictor"] == id).expect("every predictor is there");
            found["c_index"].as_f64().expect("lives to order")
        }
    };
    let (pure, none) = (judged("workload.purity=90"), judged("workload.purity=0"));
    for id in ["TenantHazards", "RunningMean"] {
        assert!(pure(id) > 0.7 && none(id) < 0.55, "{id}: {} and {}", pure(id), none(id));
    }
    assert_eq!((pure("Oracle"), none("Constant")), (1.0, 0.5));
    let text = done(&["lifetimes", "--preset", "small"]);
    assert!(text.contains("C-index: how often") && text.contains("\n  KaplanMeier"), "{text}");
}

#[test]
fn bad_input_is_one_sentence_and_code_2() {
    let folder = folder("bad");
    let png = file(&folder, "picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let broken = file(&folder, "broken.json", b"{\"version\": 1, \"variants\": [");
    let wrong = file(&folder, "wrong.json", br#"{"version": 1, "variants": [{"agents": {"count": 0}}]}"#);
    for (words, part) in [
        (&["run", "--preset", "nope"][..], "expected the name of a preset"),
        (&["run", "--trace", &png], "got a PNG image"),
        (&["run", "--trace", "no-such-file.csv"], "no-such-file.csv"),
        (&["run", "no-such-file.json"], "no-such-file.json"),
        (&["run", &png], "expected a scenario as JSON text"),
        (&["run", &broken], "line 1"),
        (&["run", &wrong], "variants[0].agents.count: expected a whole number from 1 to 64, got 0"),
        (&["run", "--set", "agents.cont=3"], "expected count, decision_ms"),
        (&["run", "--set", "seed"], "expected PATH=VALUE"),
        (&["run", "--variant", "Z"], "expected a variant (A)"),
        (&["run", "--preset", "packing-400"], "add --trace FILE"),
        (&["run", "--speed", "9"], "unknown option --speed"),
        (&["run", "--preset"], "expected NAME after --preset"),
        (&["run", &wrong, "--preset", "small"], "expected one scenario"),
        (&["run", "a.json", "b.json"], "unexpected argument"),
        (&["explain", "--preset", "small"], "expected --vm ID"),
        (&["explain", "--preset", "small", "--vm", "123456789"], "expected a VM of the trace"),
        (&["explain", "--preset", "small", "--vm", "1", "--machine", "24"], "expected a machine from 0 to 23"),
        (&["list", "colours"], "expected a list"),
        (&["link", "decode", "#nonsense"], "expected a link like"),
        (&["trace", "convert", CUT, "--json"], "expected --out FILE"),
        (&["trace", "convert", CUT, "--compact"], "expected --out FILE"),
        (&["trace", "model"], "expected the file to fit"),
        (&["trace", "generate", "azure-1999"], "azure-2020, azure-2019, azure-2017"),
        (&["trace", "generate", "azure-2020", "--rate", "many"], "expected a number after --rate"),
        (&["trace", "generate", "azure-2020", "--rate", "0"], "a rate above 0"),
        (&["trace", "generate", "azure-2020", "--json"], "expected --out FILE"),
        (&["trace", "compare", CUT], "expected the second trace"),
        (&["trace", "criticality"], "expected the file of CPU readings"),
        (&["trace", "criticality", CUT], "Read as \"Azure CPU readings\""),
        (&["trace", "criticality", &png], "got a PNG image"),
        (&["trace", "criticality", READINGS, "--first-day", "someday"], "expected a day for --first-day"),
        (&["reproduce", "table-99"], "protean-table5"),
        (&["reproduce", "protean-fig9", "--trace", CUT], "expected no --trace"),
        (&["reproduce", "protean-table5", "--out", "."], "expected no --out"),
        (&["reproduce", "gridiron-case", "--trace", CUT], "expected no --trace"),
        (&["reproduce", "gridiron-case", "--quick", "--verdicts", "x.json"], "--verdicts without --quick"),
        (&["reproduce", "gridiron-case", "--set", "seed=2", "--verdicts", "x.json"], "--verdicts without --set"),
        (&["reproduce", "power-table4", "--quick", "--p99", "0"], "from 1 to 100 after --p99"),
        (&["bounds", "--vms", "0"], "expected at least 2 VMs after --vms, got 0"),
        (&["bounds", "--vms", "1"], "a smaller VDC has no links"),
        (&["bounds", "--vms", "many"], "expected a whole number after --vms"),
        (&["bounds", "--vms", "5000000000"], "expected 1 to 1000000 VMs"),
        (&["bounds", "--uplink", "0"], "expected 0.001 to 100000 Gbit/s after --uplink, got \"0\""),
        (&["bounds", "--uplink", "NaN"], "got \"NaN\""),
        (&["bounds", "--colocated", "0"], "expected 1 to 1000000 VMs after --colocated, got 0"),
        (&["bounds", "--cores", "0"], "expected 1 to 10000 cores after --cores, got 0"),
        (&["power"], "expected budget"),
        (&["power", "save", "draws.csv"], "expected budget, got \"save\""),
        (&["power", "budget"], "expected the file with power readings"),
        (&["power", "budget", "no-such-file.csv"], "no-such-file.csv"),
        (&["admission"], "expected forecast"),
        (&["admission", "forecast"], "expected either a file of deployments or --cores N"),
        (&["admission", "forecast", "--cores", "0"], "expected a number from 1 to 10000000 after --cores, got \"0\""),
        (&["admission", "forecast", "--cores", "8", "--at", "24,1"], "expected ascending hours after --at"),
        (&["admission", "forecast", "--cores", "8", "--moments", "mine"], "expected exact or paper after --moments"),
        (&["admission", "forecast", "--cores", "8", "--prior", "mine"], "expected running or arriving after --prior"),
        (&["admission", "forecast", "no-such-file.csv"], "no-such-file.csv"),
        (&["reproduce", "admission-fig2", "--quick", "--runs", "1"], "expected 12 to 2000 runs after --runs, got 1"),
        (&["dance"], "expected a command"),
    ] {
        let output = tiebreak(words);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{words:?}: {said}");
        assert!(said.contains(part), "{words:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{words:?}: {said}");
        assert!(output.stdout.is_empty(), "{words:?}");
    }
}

#[test]
fn check_lists_every_issue_with_its_field() {
    let folder = folder("check");
    let wrong = br#"{"version": 1, "variants": [{"seed": -1, "agents": {"count": 0}}]}"#;
    let wrong = file(&folder, "wrong.json", wrong);
    let output = tiebreak(&["check", &wrong]);
    assert_eq!(code(&output), 1);
    for path in ["variants[0].seed:", "variants[0].agents.count:"] {
        assert!(text(&output.stdout).contains(path), "{}", text(&output.stdout));
    }
    let link = done(&["link", "encode", "--preset", "small"]);
    let good = file(&folder, "good.json", done(&["link", "decode", link.trim()]).as_bytes());
    assert_eq!(json(&["check", &good, "--json"])["ok"], true);
    assert_eq!(json(&["run", &good, "--json"])["digest"], json(&["run", "--preset", "small", "--json"])["digest"]);
    assert_eq!(done(&["link", "encode", &good]), link, "the link of the document is the same again");
}

#[test]
fn a_decision_is_explained() {
    let out = folder("explain");
    done(&["run", "--preset", "small", "--out", out.to_str().expect("UTF-8")]);
    let placements = std::fs::read_to_string(out.join("placements.csv")).expect("placements");
    for outcome in ["placed", "refused"] {
        let row = placements.lines().rfind(|line| line.contains(outcome)).expect(outcome);
        let row: Vec<_> = row.split(',').collect();
        let story = json(&["explain", "--preset", "small", "--vm", row[3], "--machine", "0", "--json"]);
        let last = story["decisions"].as_array().and_then(|all| all.last()).expect("a decision");
        assert_eq!(last["outcome"], outcome);
        assert_eq!(last["winner"]["machine"].to_string().replace("null", ""), row[5]);
        assert!(last["why_not_asked"].is_string());
        let refusal = &last["refusal"];
        assert_eq!(refusal.is_object(), outcome == "refused");
        if let Some(rules) = refusal["rules"].as_array() {
            let first: u64 = rules.iter().filter_map(|rule| rule["first"].as_u64()).sum();
            assert_eq!((first, refusal["machines"].as_u64()), (24, Some(24)), "every machine is refused first once");
            let text = done(&["explain", "--preset", "small", "--vm", row[3]]);
            assert!(text.contains("Refused by") && text.contains("No machine could take it: "), "{text}");
        }
        let best_set_size = last["best_set_size"].to_string();
        assert_eq!(best_set_size, row[7]);
        assert!(done(&["explain", "--preset", "small", "--vm", row[3]]).contains("AreNodeResourcesValid"));
    }
}

#[test]
fn a_refusal_names_the_machine_that_lacks_least() {
    let folder = folder("refusal");
    let rows = b"vm,cores,memory_gb,start_s,end_s\n1,6,8,0,inf\n2,5,8,0,inf\n3,4,8,60,inf\n4,9,8,60,inf\n";
    let trace = file(&folder, "full.csv", rows);
    let sizes =
        ["racks=1", "machines=2", "cores=8", "memory_gib=64"].map(|size| format!("inventory.clusters.0.{size}"));
    let mut words = vec!["explain", "--preset", "small", "--trace", &trace, "--set", "agents.count=1"];
    sizes.iter().for_each(|size| words.extend(["--set", size]));
    let story = |vm| json(&[&words[..], &["--vm", vm, "--json"]].concat())["decisions"][0].clone();
    let (full, large) = (story("3"), story("4"));
    let machine = story("2")["winner"]["machine"].clone();
    let closest = &full["refusal"]["closest"];
    assert_eq!((&closest["id"], &closest["cores"], &closest["memory_gib"]), (&machine, &1.0.into(), &0.0.into()));
    assert!(full["refusal"]["too_large_for_cluster"].is_null());
    assert_eq!(large["because"], "No machine could take it: even an empty machine lacks 1 core.");
    let text = done(&[&words[..], &["--vm", "3"]].concat());
    assert!(text.contains(&format!("Machine {machine} comes closest: it lacks 1 core.")), "{text}");
}

#[test]
fn a_vm_that_was_put_out_is_told_so() {
    let folder = folder("put-out");
    let rows = b"vm,cores,memory_gb,start_s,end_s,priority\n1,7,8,0,inf,1\n2,4,8,60,inf,0\n";
    let trace = file(&folder, "spot.csv", rows);
    let set = ["inventory.clusters.0.racks=1", "inventory.clusters.0.machines=1", "inventory.clusters.0.cores=8"];
    let mut words = vec!["explain", "--preset", "small", "--trace", &trace, "--vm", "1"];
    set.iter().for_each(|set| words.extend(["--set", set]));
    assert!(json(&[&words[..], &["--json"]].concat())["put_out_ms"].is_null());
    words.extend(["--set", "rules.AreNodeResourcesValid.evict=true"]);
    let text = done(&words);
    assert!(text.contains("day 0, 00:01:00: it was evicted to make room for a VM of higher priority."), "{text}");
    assert_eq!(json(&[&words[..], &["--json"]].concat())["put_out_ms"], 60_020);
}

/// A scenario in which both machines of a zone fail, one after the other, and nothing else happens.
fn two_failures(folder: &Path) -> String {
    let failure =
        |at_hours| format!(r#"{{"incident":"FailMachines","at_hours":{at_hours},"values":{{"machines":2}}}}"#);
    let clusters = r#"{"clusters":[{"machines":2,"racks":1,"cores":8}]}"#;
    let json = format!(
        r#"{{"version":2,"variants":[{{"inventory":{clusters},"agents":{{"count":1}},"incidents":[{}]}}]}}"#,
        [failure("1"), failure("3")].join(",")
    );
    file(folder, "two-failures.json", json.as_bytes())
}

#[test]
fn a_vm_that_lost_its_machine_is_followed() {
    let folder = folder("failures");
    let scenario = two_failures(&folder);
    let rows = b"vm,cores,memory_gb,start_s,end_s\n1,7,8,0,inf\n2,4,8,60,7200\n3,1,8,7000,8000\n4,1,1,20000,30000\n";
    let trace = file(&folder, "rows.csv", rows);
    let out = folder.join("out");
    let words = |command: &'static str| [command, &scenario, "--trace", &trace].map(str::to_owned);
    let ask = |more: &[&str]| {
        let words: Vec<_> = words("explain").into_iter().chain(more.iter().map(|word| (*word).to_owned())).collect();
        words
    };
    let json_of = |words: &[String]| json(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let first = json_of(&ask(&["--vm", "1", "--json"]));
    assert_eq!((&first["fate"], first["left"].as_array().map(Vec::len)), (&"lost".into(), Some(1)), "{first}");
    assert_eq!((&first["left"][0]["reason"], &first["left"][0]["time_ms"]), (&"failed".into(), &3_600_000.into()));
    let causes: Vec<_> = first["decisions"].as_array().expect("decisions").iter().map(|it| &it["cause"]).collect();
    assert_eq!(causes, ["request", "reallocation"]);
    assert_eq!(first["decisions"][1]["outcome"], "refused");
    let text = done(&ask(&["--vm", "1"]).iter().map(String::as_str).collect::<Vec<_>>());
    let machine = &first["decisions"][0]["winner"]["machine"];
    for part in [
        format!(
            "\nday 0, 01:00:00: it lost machine {machine}, which failed.\n\nday 0, 01:00:00, reallocation, agent 0, attempt 1"
        ),
        "\nday 0, 01:00:00: it was lost, because no machine had room for it.\n".into(),
    ] {
        assert!(text.contains(&part), "{part} is not in {text}");
    }
    let out = out.to_str().expect("UTF-8");
    let run: Vec<_> = words("run").into_iter().chain(["--out", out, "--json"].map(str::to_owned)).collect();
    let summary = json_of(&run);
    let counts = ["reallocations", "lost_vms", "evictions", "migrations"].map(|field| summary[field].as_u64());
    assert_eq!(counts, [Some(0), Some(2), Some(0), Some(0)], "{summary}");
    let placements = std::fs::read_to_string(Path::new(out).join("placements.csv")).expect("placements");
    let ends = |cause: &str| placements.lines().filter(|line| line.ends_with(cause)).count();
    assert_eq!((ends(",request,"), ends(",reallocation,")), (4, 3), "one of them a conflict: {placements}");
    let text = done(&["run", &scenario, "--trace", &trace, "--set", "incidents.0.at_hours=0.01"]);
    assert!(text.contains("\nLost              1, after losing their machine, without finding another\n"), "{text}");
}

#[test]
fn incidents_join_the_run_and_what_they_ask_for_can_be_explained() {
    let folder = folder("spike");
    let spike = br#"{"version":2,"variants":[{"workload":{"generated":{"days":0.1,"requests_per_hour":1}},
        "incidents":[{"incident":"DemandSpike","at_hours":1,"values":{"requests":5}}]}]}"#;
    let scenario = file(&folder, "spike.json", spike);
    let vms = |words: &[&str]| json(words)["vms"].as_u64().expect("a count");
    let with = vms(&["run", &scenario, "--json"]);
    assert_eq!(with - vms(&["run", &scenario, "--set", "incidents.0.at_hours=99", "--json"]), 5);
    let added = u64::MAX.to_string();
    let story = json(&["explain", &scenario, "--vm", &added, "--json"]);
    assert_eq!((&story["cores"], &story["decisions"][0]["outcome"]), (&2.0.into(), &"placed".into()));
    let asks = [r#"{"incident":"DemandSpike","values":{"requests":100000}}"#; 11].join(",");
    let many =
        file(&folder, "many.json", format!(r#"{{"version":2,"variants":[{{"incidents":[{asks}]}}]}}"#).as_bytes());
    let output = tiebreak(&["run", &many]);
    assert_eq!((code(&output), text(&output.stderr).lines().count()), (2, 1));
    assert!(text(&output.stderr).contains("expected at most 1000000 VMs from demand spikes, got 1100000"));
    let asked = done(&["list", "incidents"]);
    assert!(asked.contains("FailMachines: Machines fail") && asked.contains("- at_hours (0 to 10000 h, default 0)"));
}

#[test]
fn rules_that_never_decide_are_pointed_out() {
    let words = ["run", "--preset", "small", "--set", "rules.FirstFit.on=true", "--set", "rules.FirstFit.position=0"];
    let run = json(&[&words[..], &["--json"]].concat());
    let of = |rule: &str, field: &str| {
        let shares = run["rule_shares"].as_array().expect("shares");
        shares.iter().find(|share| share["rule"] == rule).expect(rule)[field].clone()
    };
    assert_eq!(of("FirstFit", "hint"), "leaves nothing");
    assert_eq!((of("BestFit", "hint"), of("BestFit", "decided")), ("never decides".into(), 0.0.into()));
    assert!(of("AreNodeResourcesValid", "hint").is_null());
    assert!(done(&[&words[..], &["--verbose"]].concat()).contains("BestFit: It removed no candidate in "));
    assert!(done(&words).contains("rules refused nothing; --verbose shows them"));
}

#[test]
fn a_converted_trace_is_the_same_workload() {
    let csv = folder("convert").join("cut.csv");
    let csv = csv.to_str().expect("UTF-8");
    let converted = json(&["trace", "convert", CUT, "--out", csv, "--json"]);
    let (before, after) = (json(&["trace", "inspect", CUT, "--json"]), json(&["trace", "inspect", csv, "--json"]));
    assert_eq!(before["fingerprint"], after["fingerprint"]);
    assert_eq!(converted["fingerprint"], before["fingerprint"]);
    assert_ne!(before["format"], after["format"]);
    let run = tiebreak(&["run", "--trace", csv, "--json"]);
    assert_eq!(text(&run.stderr), "", "the document's own trace in another form needs no remark");
    let run: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(run["digest"], json(&["run", "--json"])["digest"]);
}

#[test]
fn a_profile_has_the_figures_of_an_independent_count() {
    let profile = json(&["trace", "profile", CUT, "--json"]);
    let lives = &profile["lives"];
    assert_eq!(
        [&lives["ended"], &lives["outlived"], &lives["began_before"]].map(Value::as_u64),
        [12_044, 1_477, 1_472].map(Some)
    );
    let bins = lives["bins"].as_array().expect("bins");
    let sum = |what: &str, bins: &[Value]| -> f64 { bins.iter().filter_map(|bin| bin[what].as_f64()).sum() };
    assert_eq!((sum("vms", &bins[..4]), sum("vms", &bins[..8]), sum("vms", bins)), (7_226.0, 10_741.0, 11_734.0));
    let hours = sum("core_hours", bins);
    assert!((hours - 2_464_866.8).abs() < 1.0, "{hours}");
    assert!((sum("core_hours", &bins[8..]) / hours - 0.9611).abs() < 1e-4, "those above a day hold nearly all of it");
    let first = &profile["sizes"][0];
    assert_eq!(
        [&first["cores"], &first["memory_gib"], &first["vms"]].map(Value::as_f64),
        [2.0, 7.0, 2_693.0].map(Some)
    );
    let tenants = &profile["tenants"];
    let spread = ["p50", "p90", "p99", "max"].map(|name| tenants["vms"][name].as_f64());
    assert_eq!((tenants["count"].as_u64(), spread), (Some(5_409), [1.0, 3.0, 20.0, 352.0].map(Some)));
    assert_eq!((profile["reuse"]["first"].as_u64(), profile["reuse"]["counts"][0].as_u64()), (Some(76), Some(7_712)));
    let load = &profile["load"];
    assert_eq!((load["peak_cores"].as_f64(), load["peak_memory_gib"].as_f64()), (Some(13_686.37), Some(62_375.5)));
    let text = done(&["trace", "profile", CUT]);
    for words in
        ["Sizes", "2 cores, 7 GiB", "up to 1 h", "Busiest hour", "5,409", "are suggested", "What it cannot answer"]
    {
        assert!(text.contains(words), "no \"{words}\" in {text}");
    }
}

#[test]
fn a_compact_trace_says_all_that_the_original_says() {
    let folder = folder("compact");
    let (compact, again) = (folder.join("cut.columns"), folder.join("again.columns"));
    let compact = compact.to_str().expect("UTF-8");
    done(&["trace", "convert", CUT, "--compact", "--out", compact]);
    done(&["trace", "convert", compact, "--compact", "--out", again.to_str().expect("UTF-8")]);
    assert_eq!(std::fs::read(compact).expect("written"), std::fs::read(&again).expect("written"));
    let (mut before, mut after) =
        (json(&["trace", "inspect", CUT, "--json"]), json(&["trace", "inspect", compact, "--json"]));
    assert_eq!((&before["format"], &after["format"]), (&"AzurePackingSample".into(), &"Compact".into()));
    let source = after["notes"][0].as_str().expect("a note");
    assert!(source.contains("Microsoft") && source.contains("CC BY 4.0"), "{source}");
    for said in [&mut before, &mut after] {
        (said["format"], said["notes"]) = (Value::Null, Value::Null);
    }
    assert_eq!(before, after);
}

#[test]
fn a_converted_trace_keeps_what_tenants_ask_for() {
    let folder = folder("terms");
    let rows = b"vm,tenant,cores,memory,start,colocation,dedicated\n1,7,4,16,0,rack,yes\n2,7,4,16,60,rack,yes\n";
    let trace = file(&folder, "terms.csv", rows);
    let csv = done(&["trace", "convert", &trace]);
    assert!(csv.starts_with("vm,tenant,cores,memory_gib,priority,start_s,end_s,fault_domains,scope,"), "{csv}");
    let again = file(&folder, "again.csv", csv.as_bytes());
    let fingerprint = |file| json(&["trace", "inspect", file, "--json"])["fingerprint"].clone();
    assert_eq!(fingerprint(&trace), fingerprint(&again));
}

#[test]
fn a_trace_in_parquet_is_the_same_trace() {
    let folder = folder("parquet");
    let rows = b"vm,tenant,cores,memory,start,end,colocation\n1,7,4,16,0,,rack\n2,7,0.5,1.75,60.001,7300,rack\n3,8,2,8,7200,inf,\n";
    let trace = file(&folder, "mine.csv", rows);
    let fingerprint = |file: &str| json(&["trace", "inspect", file, "--json"])["fingerprint"].clone();
    let parquet = folder.join("mine.parquet");
    let parquet = parquet.to_str().expect("UTF-8");
    for from in [trace.as_str(), CUT] {
        done(&["trace", "convert", from, "--out", parquet]);
        assert!(std::fs::read(parquet).expect("written").starts_with(b"PAR1"));
        assert_eq!(fingerprint(from), fingerprint(parquet), "{from}");
    }
}

#[test]
fn the_packing_trace_runs_from_its_own_file() {
    let packing = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/fixtures/packing.sqlite");
    let run = json(&["run", "--trace", packing, "--json"]);
    assert_eq!((&run["placements"], &run["trace"]["name"]), (&Value::from(300), &Value::from("packing.sqlite")));
    let cut = file(&folder("cut-sqlite"), "packing.sqlite", &std::fs::read(packing).expect("the fixture")[..9_000]);
    let output = tiebreak(&["trace", "inspect", &cut]);
    assert!(text(&output.stderr).contains("Expected a whole SQLite file"), "{}", text(&output.stderr));
}

#[test]
fn another_trace_than_the_documents_is_used_and_said() {
    let folder = folder("another");
    let trace = file(&folder, "mine.csv", b"vm,cores,memory_gb,start_s,end_s\n1,4,16,0,3600\n2,2,8,60,inf\n");
    let named = tiebreak(&["run", "--preset", "default", "--trace", &trace, "--json"]);
    assert!(text(&named.stderr).contains("is a different one"), "{}", text(&named.stderr));
    let output = tiebreak(&["run", "--trace", &trace, "--json"]);
    assert_eq!((code(&output), text(&output.stderr)), (0, ""), "nothing was named that it could differ from");
    let run: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&run["placements"], &run["trace"]["name"]), (&Value::from(2), &Value::from("mine.csv")));
}

/// A trace of fifty VMs that run for an hour, one per minute, in its own folder.
fn steady(name: &str) -> String {
    let rows: String = (0..50).map(|vm| format!("{vm},4,16,{},{}\n", 60 * vm + 1, 60 * vm + 3_601)).collect();
    file(&folder(name), "mine.csv", format!("vm,cores,memory_gb,start_s,end_s\n{rows}").as_bytes())
}

#[test]
fn agents_are_slow_only_for_the_trace_they_were_slowed_for() {
    let trace = steady("agents");
    let quick = json(&["run", "--trace", &trace, "--json"]);
    assert_eq!((&quick["wait_p50_ms"], &quick["ended_before_placed"]), (&20.0.into(), &0.into()));
    assert_eq!(quick["warnings"], Value::Array(Vec::new()));
    let slow = ["run", "--trace", &trace, "--set", "agents.decision_ms=600000", "--set", "agents.count=1"];
    let told = json(&[&slow[..], &["--json"]].concat());
    assert!(told["ended_before_placed"].as_u64() > Some(0), "{told}");
    assert!(done(&slow).starts_with("Warning: The agents are too slow for this workload"), "{}", done(&slow));
}

#[test]
fn a_folder_of_results_runs_again_whatever_its_columns_were_called() {
    let folder = folder("again");
    let (trace, out) = (folder.join("odd.csv"), folder.join("out"));
    let lines: String = (0..20).map(|vm| format!("{},2,8,{},{}\n", vm / 2, vm * 60, vm * 60 + 600)).collect();
    std::fs::write(&trace, format!("owner,n,ram,from,to\n{lines}")).expect("written");
    let (trace, out) = (trace.to_str().expect("UTF-8"), out.to_str().expect("UTF-8"));
    let columns = "tenant=owner,cores=n,memory_gib=ram,start_s=from,end_s=to";
    let first = json(&["run", "--trace", trace, "--columns", columns, "--out", out, "--json"]);
    let again = json(&["run", &format!("{out}/scenario.json"), "--json"]);
    assert_eq!((&first["digest"], &first["trace"]), (&again["digest"], &again["trace"]));

    std::fs::write(trace, "owner,n,ram,from,to\n1,2,8,0,60\n").expect("written");
    let changed = tiebreak(&["run", &format!("{out}/scenario.json")]);
    assert!(code(&changed) == 2 && text(&changed.stderr).contains("which has changed"), "{}", text(&changed.stderr));
    let mistaken = tiebreak(&["run", trace]);
    assert!(text(&mistaken.stderr).contains(&format!("write --trace {trace}")), "{}", text(&mistaken.stderr));
}

#[test]
fn vms_are_rejected_for_a_reason_and_all_are_told() {
    let trace = steady("reasons");
    let two = ["--set", "inventory.clusters.0.machines=2", "--set", "inventory.clusters.0.racks=2"];
    let run = json(&[&["run", "--trace", &trace, "--json"], &two[..]].concat());
    let count = |field: &str| run[field].as_u64().expect(field);
    let causes = ["rejected_by_room", "rejected_by_terms", "rejected_out_of_retries", "warm_rejections"];
    assert_eq!(causes.iter().map(|cause| count(cause)).sum::<u64>(), count("rejections"));
    assert_eq!(count("placements") + count("rejections"), 50);
    // Fifty VMs of 4 cores and 16 GiB need 200 cores and 800 GiB; two machines have 208 and 1,125.
    assert_eq!(count("rejections"), 0);
    let one = ["--set", "inventory.clusters.0.racks=1", "--set", "inventory.clusters.0.machines=1"];
    let output = tiebreak(&[&["run", "--trace", &trace, "--json"], &one[..]].concat());
    assert!(text(&output.stderr).contains("At its peak the trace needs 200 cores, but all machines together have 104"));
    let run: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&run["rejected_by_room"], &run["rejections"]), (&24.into(), &24.into()));
}

#[test]
fn the_machines_needed_are_found() {
    let trace = steady("size");
    let found = json(&["size", "--trace", &trace, "--machine", "16x64", "--reject", "0", "--json"]);
    // Four per machine, fifty at the same time.
    assert_eq!((&found["machines"], &found["bound"], &found["rejected"]), (&13.into(), &13.into(), &0.into()));
    assert_eq!(found["seeds"].as_array().map(Vec::len), Some(3));
    let told = done(&["size", "--trace", &trace, "--machine", "16x64", "--reject", "0"]);
    assert!(told.starts_with("Machines needed   13 of 16 cores and 64 GiB\n"), "{told}");
    let own = json(&["size", "--trace", &trace, "--json"]);
    assert_eq!(own["machine_suggested"], true, "{own}");
    let small = tiebreak(&["size", "--trace", &trace, "--machine", "2x64"]);
    assert!(
        code(&small) == 2 && text(&small.stderr).contains("which 50 of 50 VMs do not fit on"),
        "{}",
        text(&small.stderr)
    );
}

#[test]
fn the_machines_that_several_lists_need_stand_side_by_side() {
    let words = ["size", "--preset", "small", "--machine", "64x256", "--seeds", "3", "--json"];
    let alone = json(&words);
    let lists = ["--list", "default", "--list", "nova-default", "--list", "default"];
    let found = json(&[&words[..], &lists].concat());
    let [own, spread, again] = [0, 1, 2].map(|at| found["lists"][at].clone());
    assert_eq!((&own["machines"], &own["seeds"]), (&alone["machines"], &alone["seeds"]));
    assert_eq!((&again["difference"]["mean"], &again["machines"]), (&0.0.into(), &own["machines"]));
    let machines = |list: &Value, seed: usize| list["seeds"][seed]["machines"].as_f64().expect("a number");
    let mean = (0..3).map(|seed| machines(&spread, seed) - machines(&own, seed)).sum::<f64>() / 3.0;
    assert!((spread["difference"]["mean"].as_f64().expect("a mean") - mean).abs() < 1e-9, "{found}");
    let [low, high] = [0, 1].map(|end| own["interval"][end].as_f64().expect("an end"));
    assert!(low <= own["mean"].as_f64().expect("a mean") && own["mean"].as_f64() <= Some(high), "{found}");
    let unknown = tiebreak(&["size", "--preset", "small", "--list", "no-such-list"]);
    assert!(code(&unknown) == 2 && text(&unknown.stderr).contains("expected the name of a preset"), "{unknown:?}");
}

#[test]
fn what_would_change_is_told_over_paired_seeds() {
    let words = ["compare", "--preset", "small", "--seeds", "3", "--json"];
    let compared =
        json(&[&words[..], &["--set", "agents.count=2", "--plan", "neighbours:rules.BestFit.buckets"]].concat());
    let rows = compared["compared"].as_array().expect("rows");
    let sets: Vec<_> = rows.iter().map(|row| row["set"].as_str().expect("a name")).collect();
    assert_eq!(sets, ["agents.count=2", "rules.BestFit.buckets=2", "rules.BestFit.buckets=4"]);
    let first = &rows[0]["differences"][0];
    assert_eq!((&first["mean"], &first["decided"]), (&0.0.into(), &true.into()), "that is what the preset has");
    let other = &rows[2]["differences"][0];
    let side = |name: &str| other[name].as_f64().expect(name);
    assert!(side("low") < side("mean") && side("mean") < side("high"), "{other}");
    assert_eq!(code(&tiebreak(&["compare", "--preset", "small"])), 2, "with nothing to compare");
}

#[test]
fn columns_with_other_names_are_read_by_those_of_the_command_line() {
    let trace = file(&folder("columns"), "mine.csv", b"n,c,ram_mb,t0,t1\n1,4,16384,0,3600\n2,2,8192,60,7200\n");
    let columns = "vm=n,cores=c,memory_mib=ram_mb,start_s=t0,end_s=t1";
    let read = json(&["run", "--trace", &trace, "--columns", columns, "--json"]);
    assert_eq!((&read["vms"], &read["placements"]), (&2.into(), &2.into()));
    let missing = tiebreak(&["run", "--trace", &trace, "--columns", "cores=cpus"]);
    assert!(code(&missing) == 2 && text(&missing.stderr).contains("cpus"), "{}", text(&missing.stderr));
    let known =
        file(&folder("aliases"), "mine.csv", b"cpu_count,mem_capacity,at,stop_time\n4,16,0,3600\n2,8,60,7200\n");
    assert_eq!(json(&["run", "--trace", &known, "--json"])["placements"], 2);
}

/// A plan of twelve runs of half a day each.
const PLAN: &str = r#"{
    "scenario": "day.json",
    "parameters": [
        { "path": "rules.BestFit.position", "values": [0, 3] },
        { "path": "agents.count", "from": 1, "to": 8, "count": 3, "scale": "log" }
    ],
    "seeds": 2
}"#;

/// A folder with a sweep plan and its scenario; returns the plan's file.
fn swept(name: &str) -> (PathBuf, String) {
    let folder = folder(name);
    let day = br#"{"version":2,"variants":[{"inventory":{"clusters":[{"machines":30}]},
        "workload":{"generated":{"days":0.5}}}]}"#;
    file(&folder, "day.json", day);
    let plan = file(&folder, "plan.json", PLAN.as_bytes());
    (folder, plan)
}

#[test]
fn shards_of_a_sweep_are_the_whole_byte_for_byte() {
    let (folder, plan) = swept("sweep");
    let whole = done(&["sweep", &plan]);
    assert_eq!(whole.lines().count(), 13);
    assert!(
        whole.starts_with("number,rules.BestFit.position,agents.count,seed,digest,placements,rejections,"),
        "{whole}"
    );
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let shards = ["1/5", "2/5", "3/5", "4/5", "5/5"];
    let files: Vec<_> = shards.iter().map(|shard| path(&format!("{}.csv", &shard[..1]))).collect();
    for (shard, file) in shards.iter().zip(&files) {
        let said = done(&["sweep", &plan, "--shard", shard, "--out", file, "--threads", "3"]);
        assert!(said.contains("of 12 runs to"), "{said}");
    }
    let merge = |files: &[&String]| {
        let files = files.iter().map(|file| file.as_str());
        tiebreak(&["sweep", plan.as_str()].into_iter().chain(files).chain(["--merge"]).collect::<Vec<_>>())
    };
    let [a, b, c, d, e] = &files[..] else { panic!("five files") };
    let merged = merge(&[c, a, e, b, d]);
    assert_eq!((code(&merged), text(&merged.stdout)), (0, whole.as_str()));
    for (files, part) in [
        (&[a, b, c, e][..], "expected 12 runs in these files, got 10: run 3 is missing"),
        (&[&plan], "got other columns"),
        (&[&path("none.csv")], "check the path"),
        (&[], "expected the files of all shards"),
    ] {
        let refused = merge(files);
        assert_eq!((code(&refused), text(&refused.stdout)), (2, ""), "{part}");
        assert!(text(&refused.stderr).contains(part), "{}", text(&refused.stderr));
    }
    let cut = &whole[..whole.len() - 9];
    let refused = merge(&[&file(&folder, "cut.csv", cut.as_bytes())]);
    assert!(code(&refused) == 2 && text(&refused.stderr).contains("expected complete rows"), "{refused:?}");
}

#[test]
fn zones_add_up_to_a_region_however_they_were_run() {
    let (folder, plan) = swept("sweep-region");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let (all, rows) = (path("all.csv"), json(&["sweep", &plan, "--json"]));
    let region = json(&["sweep", &plan, "--region", "--json", "--out", &all]);
    assert_eq!((&region["zones"], &region["out"]), (&Value::from(12), &Value::from(all.as_str())));
    let zones = rows["rows"].as_array().expect("rows");
    let values = |id: &str| zones.iter().map(|row| row["measures"][id].as_f64().expect("measured")).collect::<Vec<_>>();
    let said = |id: &str| region["region"][id].as_f64();
    for id in ["placements", "machines", "machine_hours"] {
        assert_eq!(said(id), Some(values(id).iter().sum()), "{id}");
    }
    for (id, weight) in [("empty_hosts_pct_mean", "machines"), ("packing_density_pct_mean", "machine_hours")] {
        let weights = values(weight);
        let sum: f64 = weights.iter().zip(values(id)).map(|(weight, value)| weight * value).sum();
        let mean = sum / weights.iter().sum::<f64>();
        assert!((said(id).expect("a mean") - mean).abs() < 1e-9, "{id}: {region}");
    }
    let spikes = "conflicts_per_minute_p99";
    let largest = values(spikes).into_iter().fold(0.0, f64::max);
    assert_eq!((said(spikes), region["least_and_largest_zone"][spikes][1].as_f64()), (None, Some(largest)));
    assert_eq!(said("stranded_cores_pct_mean"), None, "no zone has it");

    let whole = std::fs::read_to_string(&all).expect("rows");
    assert_eq!(done(&["sweep", &plan]), whole, "the rows are those of the sweep");
    let (queued, summary) = (path("queued.csv"), done(&["sweep", &plan, "--region"]));
    assert_eq!(json(&["sweep", &plan, "--region", "--json", "--resume", "--out", &queued])["digest"], region["digest"]);
    let shard = |part: &str| {
        let file = path(&format!("{}.csv", &part[..1]));
        done(&["sweep", &plan, "--shard", part, "--out", &file]);
        file
    };
    let merged = done(&["sweep", &plan, &shard("2/2"), &shard("1/2"), "--merge", "--region"]);
    assert_eq!(merged, summary);
    assert!(summary.starts_with("A region of 12 zones, digest "), "{summary}");

    let one_measure = PLAN.replace("\"seeds\"", "\"measures\": [\"empty_hosts_pct_mean\"], \"seeds\"");
    let few = file(&folder, "few.json", one_measure.as_bytes());
    for (words, part) in [
        (&["sweep", &few, "--region"][..], "expected the column machines for the mean of empty_hosts_pct_mean"),
        (&["sweep", &plan, "--region", "--shard", "1/2"], "expected --region with all zones, got --shard"),
    ] {
        let output = tiebreak(words);
        assert_eq!((code(&output), text(&output.stdout)), (2, ""), "{words:?}");
        assert!(text(&output.stderr).contains(part), "{words:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_row_of_a_sweep_is_what_a_run_says() {
    let (folder, plan) = swept("sweep-rows");
    let rows = json(&["sweep", &plan, "--json"]);
    assert_eq!((&rows["runs"], &rows["shard"]), (&Value::from(12), &Value::from("1/1")));
    let row = &rows["rows"][9];
    assert_eq!(row["values"].to_string(), r#"{"agents.count":3,"rules.BestFit.position":3}"#);
    let day = folder.join("day.json");
    let sets = ["rules.BestFit.position=3", "agents.count=3", "seed=2"].into_iter().flat_map(|set| ["--set", set]);
    let words: Vec<_> = ["run", day.to_str().expect("UTF-8"), "--json"].into_iter().chain(sets).collect();
    let run = json(&words);
    assert_eq!((&row["number"], &row["seed"], &row["digest"]), (&Value::from(9), &Value::from(2), &run["digest"]));
    let measures = row["measures"].as_object().expect("measures");
    assert!(measures.len() > 20 && !measures.contains_key("wall_ms"));
    for (id, value) in measures {
        assert_eq!(value.as_f64(), run[id].as_f64(), "{id}");
        assert!(run.get(id).is_some(), "{id} is in what a run says");
    }
}

#[test]
fn a_sweep_of_the_admission_lab_follows_the_cluster_over_years() {
    let folder = folder("sweep-years");
    let plan = file(
        &folder,
        "years.json",
        br#"{ "scenario": "default", "of": "admission_lab", "seeds": 2, "parameters": [
            { "path": "rules.ZerothMomentAdmission.on", "values": [true] },
            { "path": "admission_lab.cores", "values": [300] },
            { "path": "admission_lab.years", "values": [0.3] },
            { "path": "rules.ZerothMomentAdmission.limit", "values": [10, 100] } ] }"#,
    );
    let rows = json(&["sweep", &plan, "--json"]);
    let rows = rows["rows"].as_array().expect("rows");
    let figure = |row: usize, id: &str| rows[row]["measures"][id].as_f64().expect("a number");
    assert_eq!(rows.len(), 4);
    for seed in 0..2 {
        assert!(figure(seed, "utilization_pct") < figure(2 + seed, "utilization_pct"));
        assert_eq!(figure(seed, "arrivals"), figure(2 + seed, "arrivals"), "the same deployments ask");
    }
    assert_ne!(rows[0]["digest"], rows[1]["digest"]);
    let again = json(&["sweep", &plan, "--json", "--shard", "2/3"]);
    assert_eq!(again["rows"][0], rows[1], "a row depends on its number alone");
}

#[test]
fn beliefs_are_fitted_to_a_trace() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/fixtures/packing-cut.csv.gz");
    let fitted = json(&["trace", "fit", trace, "--json"]);
    assert!(fitted["settings"].as_array().is_some_and(|settings| settings.len() == 8));
    assert!(fitted["agreements"][1]["kolmogorov_smirnov"].as_f64().is_some_and(|distance| distance < 0.1), "lives");
    assert!(fitted["cannot_say"].as_array().is_some_and(|doubts| doubts.len() > 2));
    let told = tiebreak(&["trace", "fit", trace, "--cores-end"]);
    assert!(code(&told) == 0 && text(&told.stdout).contains("Limitations of the trace:"), "{told:?}");
}

#[test]
fn a_sweep_that_cannot_be_is_one_sentence_and_code_2() {
    let (folder, plan) = swept("sweep-bad");
    let wrong = |name: &str, from: &str, to: &str| file(&folder, name, PLAN.replace(from, to).as_bytes());
    let path = wrong("path.json", "agents.count", "agents.cont");
    let scenario = wrong("scenario.json", "day.json", "night.json");
    let value = wrong("value.json", "[0, 3]", "[0, 99]");
    for (words, part) in [
        (&["sweep"][..], "expected the file of a sweep plan"),
        (&["sweep", "no-such-plan.json"], "no-such-plan.json"),
        (&["sweep", &path], "path.json: parameters[1].path: expected count, decision_ms"),
        (&["sweep", &scenario], "scenario: expected a preset or a file next to the plan, got \"night.json\""),
        (&["sweep", &value], "parameters[0].values[1]: expected a place in its stage"),
        (&["sweep", &plan, "--shard", "6/5"], "expected I/N after --shard"),
        (&["sweep", &plan, "more.csv"], "use --merge to merge shards"),
        (&["sweep", &plan, "--threads", "two"], "expected a whole number after --threads"),
        (&["sweep", &plan, "--out", "no/such/folder.csv"], "choose another --out"),
    ] {
        let output = tiebreak(words);
        assert_eq!((code(&output), text(&output.stdout)), (2, ""), "{words:?}");
        assert!(text(&output.stderr).contains(part), "{words:?}: {}", text(&output.stderr));
    }
}

#[test]
fn every_list_declares_in_one_shape() {
    for list in
        ["rules", "incidents", "metrics", "workloads", "formats", "presets", "agents", "caches", "clusters", "run"]
    {
        let rows = json(&["list", list, "--json"]);
        for row in rows.as_array().expect("an array") {
            assert!(["id", "title", "help"].iter().all(|field| row[field].is_string()), "{list}: {row}");
            for param in row["params"].as_array().expect("params") {
                assert!(["name", "help", "unit"].iter().all(|field| param[field].is_string()), "{list}: {param}");
                assert!(["default", "min", "max"].iter().all(|field| param[field].is_number()), "{list}: {param}");
            }
        }
    }
}

#[test]
fn bench_measures_the_engine_beside_plain_programs() {
    let bench = json(&["bench", "--quick", "--all", "--json"]);
    let cases = bench["cases"].as_array().expect("cases");
    for case in cases {
        assert!(["name", "digest"].iter().all(|field| case[field].is_string()), "{case}");
        assert!(["plain", "caches"].iter().all(|field| case[field].is_boolean()), "{case}");
        let numbers = ["machines", "placements", "placements_per_second", "bytes_per_machine", "run_ms"];
        assert!(numbers.iter().all(|field| case[field].is_number()), "{case}");
        assert_eq!(case["caches"] == true, case["bytes_per_machine"].as_f64() > Some(0.0), "{case}");
    }
    let named = |start: &'static str| {
        cases.iter().filter(move |case| case["name"].as_str().is_some_and(|name| name.starts_with(start)))
    };
    let digests: BTreeSet<_> = named("best fit").map(|case| case["digest"].as_str()).collect();
    assert_eq!((named("best fit").count(), digests.len()), (4, 1), "plain best fits agree on every VM");
    assert_eq!(bench["baselines_agree"], true);
    let uncached = named("default list").find(|case| case["caches"] == false).expect("a case without caches");
    let cached = named("default list").find(|case| case["name"] == uncached["name"]).expect("its twin");
    assert_eq!((&cached["caches"], &cached["digest"]), (&Value::from(true), &uncached["digest"]));
    assert!(named("64 classes").count() > 2);
    for list in ["ratios", "figures"] {
        let list = bench[list].as_array().expect("an array");
        assert!(list.iter().all(|figure| figure["name"].is_string() && figure["value"].is_number()));
        assert!(list.iter().any(|figure| figure["bar"].is_number()));
        assert!(list.iter().all(|figure| figure["met"].is_null()), "bars are not for the small size");
    }
    assert!(done(&["bench", "--quick"]).contains("The plain best fits agree"));
}

#[test]
fn bench_draws_how_the_time_grows() {
    let drawing = folder("bench-growth").join("growth.svg");
    let file = drawing.to_str().expect("UTF-8");
    let bench = json(&["bench", "--quick", "--growth", "--drawing", file, "--json"]);
    let curves = bench["curves"].as_array().expect("curves");
    let over: Vec<_> = curves.iter().map(|curve| curve["over"].as_str().expect("a name")).collect();
    assert_eq!(over, ["machines", "classes", "agents"]);
    for curve in curves {
        let points = curve["points"].as_array().expect("points");
        assert!(points.len() == 3 && points.iter().all(|point| point["placement_us"].as_f64() > Some(0.0)), "{curve}");
        assert!(points[0]["exponent"].is_null() && points[1]["exponent"].is_number(), "{curve}");
    }
    assert!(std::fs::read_to_string(&drawing).expect("a drawing").contains("Time of a placement over agents"));
}

/// Instructions a placement, over those of the plain program, as they were when `tests/golden/guard.json` was made
/// (with UPDATE=1, after a change that is meant to cost more, by nextest for the whole workspace, as the test command
/// does: `cargo test` for one package compiles other code, with ratios that are up to 12 % higher).
#[test]
fn no_placement_needs_a_tenth_more_instructions_than_it_did() {
    if std::process::Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("valgrind, which counts instructions, is missing: nothing is compared (apt install valgrind)");
        return;
    }
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/guard.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::remove_file(golden).expect("the kept ratios");
    }
    let guard = |kept: &str| tiebreak(&["bench", "--guard", kept]);
    let same = guard(golden);
    assert_eq!(code(&same), 0, "{}{}", text(&same.stdout), text(&same.stderr));

    let mut kept: Value = serde_json::from_str(&std::fs::read_to_string(golden).expect("kept")).expect("JSON");
    let list = kept["ratios"]["list"].as_f64().expect("a ratio");
    kept["ratios"]["list"] = Value::from(list / 1.25);
    let worse = guard(&file(&folder("bench-guard"), "less.json", kept.to_string().as_bytes()));
    let told = text(&worse.stdout).lines().filter(|line| line.ends_with("worse")).collect::<Vec<_>>();
    assert!(code(&worse) == 1 && told.len() == 1 && told[0].contains("default list"), "{told:?}");
}

#[test]
fn bench_measures_admission_alone() {
    let bench = json(&["bench", "--quick", "--admission", "--json"]);
    assert_eq!(bench["cases"].as_array().map(Vec::len), Some(0));
    let figures = bench["figures"].as_array().expect("figures");
    assert!(figures.iter().all(|figure| figure["value"].is_number() && figure["met"].is_null()), "{bench}");
    let named = |words: &str| figures.iter().any(|figure| figure["name"].as_str().expect("a name").contains(words));
    assert!(["look-aheads", "geometric", "think", "exponent", "years"].iter().all(|words| named(words)), "{bench}");
}

#[test]
fn bench_measures_only_the_lists_that_were_named() {
    for (table, only, names) in [
        ("--network", "SpreadVdc", &["BandwidthAvailable and SpreadVdc"][..]),
        ("--power", "forests", &["default list", "PowerBalance, forests"]),
    ] {
        let bench = json(&["bench", "--quick", table, "--only", only, "--json"]);
        let cases = bench["cases"].as_array().expect("cases");
        assert_eq!(cases.len(), names.len(), "{bench}");
        let is_named = |(case, name): (&Value, &&str)| case["name"].as_str().is_some_and(|told| told.contains(name));
        assert!(cases.iter().zip(names).all(is_named), "{bench}");
    }
    for (table, told) in [(&["--network"][..], "part of a list's name"), (&[], "beside --only")] {
        let bench = tiebreak(&[&["bench", "--quick", "--only", "nobody"], table].concat());
        assert!(code(&bench) == 2 && text(&bench.stderr).contains(told), "{table:?}: {}", text(&bench.stderr));
    }
}

#[test]
fn bench_measures_power_alone() {
    let bench = json(&["bench", "--quick", "--power", "--json"]);
    let cases = bench["cases"].as_array().expect("cases");
    let names: Vec<_> = cases.iter().map(|case| case["name"].as_str().expect("a name")).collect();
    assert!(names.len() == 4 && names[0].starts_with("default list"), "{names:?}");
    assert!(names[1..].iter().all(|name| name.starts_with("PowerBalance")), "{names:?}");
    assert!(cases[1..].iter().all(|case| case["digest"] != cases[0]["digest"]), "the rule decides nothing: {bench}");
    let ratios = bench["ratios"].as_array().expect("ratios");
    assert!(ratios.len() == 3 && ratios.iter().all(|ratio| ratio["bar"].is_number()), "{bench}");
}

#[test]
fn bench_measures_weights_alone() {
    let bench = json(&["bench", "--quick", "--weights", "--json"]);
    let cases = bench["cases"].as_array().expect("cases");
    let names: Vec<_> = cases.iter().map(|case| case["name"].as_str().expect("a name")).collect();
    assert!(names.len() == 4 && names[0].starts_with("default list"), "{names:?}");
    assert!(names[1..].iter().all(|name| name.starts_with("weights")), "{names:?}");
    assert_eq!(bench["ratios"].as_array().map(Vec::len), Some(3), "{bench}");
}

#[test]
fn bench_measures_links_alone() {
    let bench = json(&["bench", "--quick", "--network", "--json"]);
    let cases = bench["cases"].as_array().expect("cases");
    let name = |case: &Value| case["name"].as_str().expect("a name").to_owned();
    assert!(cases.iter().all(|case| name(case).starts_with("VDCs of ")), "{bench}");
    let of = |what: &str| cases.iter().filter(|case| name(case).contains(what)).collect::<Vec<_>>();
    assert_eq!((of("BandwidthAvailable").len(), of("no links").len()), (6, of("links, no rule").len()));
    for (without, with) in of("no links").iter().zip(of("links, no rule")) {
        assert_eq!(without["digest"], with["digest"], "links that nobody asks about change no decision");
    }
    let figures = bench["figures"].as_array().expect("figures");
    assert_eq!(figures.iter().filter(|figure| figure["bar"].is_number()).count(), 8);
}

#[test]
fn help_names_every_command_and_option() {
    let overview = done(&["help"]);
    for command in
        ["run", "check", "explain", "trace", "link", "list", "bench", "reproduce", "bounds", "admission", "power"]
    {
        assert!(overview.contains(&format!("tiebreak {command}")));
        let page = done(&[command, "--help"]);
        assert!(page.contains("--json"), "{command}");
        assert_eq!(page, done(&["help", command]));
    }
}

#[test]
fn a_trace_is_fitted_generated_from_and_compared() {
    let folder = folder("fitted");
    let named = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let [model, generated, compact, page] = ["cut.json", "generated.csv", "generated.trace", "page.html"].map(named);
    let told = done(&["trace", "model", CUT, "--out", &model]);
    assert!(told.contains("requests per hour"), "{told}");
    let scale = ["--seed", "7", "--days", "3"];
    let drawn = json(&[&["trace", "generate", &model, "--out", &generated, "--json"], &scale[..]].concat());
    assert_eq!(drawn["alive_at_start"], json(&["trace", "inspect", CUT, "--json"])["alive_at_start"]);
    let again = json(&[&["trace", "generate", &model, "--out", &compact, "--compact", "--json"], &scale[..]].concat());
    assert_eq!(drawn["fingerprint"], again["fingerprint"], "a seed is a workload");
    assert_eq!(json(&["trace", "inspect", &compact, "--json"])["fingerprint"], drawn["fingerprint"]);
    assert_eq!(json(&["trace", "inspect", &generated, "--json"])["vms"], drawn["vms"], "our reader opens it");
    let compared = json(&["trace", "compare", CUT, &generated, "--page", &page, "--json"]);
    let distances = compared["distances"].as_array().expect("distances");
    assert_eq!(distances.len(), 5);
    for distance in distances {
        let apart = distance["kolmogorov_smirnov"].as_f64().expect("a number");
        assert!(apart < 0.25, "{}: {apart}", distance["what"]);
    }
    let page = std::fs::read_to_string(&page).expect("a page");
    assert_eq!(page.matches("<svg").count(), 9, "five distributions and four series");
    assert!(page.contains("packing-cut.csv.gz") && page.contains("<td>lifetime of a VM, h</td>"));
    assert!(!page.contains("src=") && !page.contains("href="), "it asks for nothing else");
    let twice = json(&["trace", "generate", "azure-2020", "--rate", "0.1", "--out", &generated, "--json"]);
    assert_eq!(twice["alive_at_start"], 702);
}

#[test]
fn machines_come_from_a_list() {
    let folder = folder("machines");
    let list = file(&folder, "nodes.csv", b"sn,cpu_milli,memory_mib\na,64000,262144\nb,96000,786432\nc,64000,262144\n");
    let run = json(&["run", "--preset", "small", "--machines", &list, "--json"]);
    assert_eq!((&run["machines"], &run["clusters"]), (&3.into(), &2.into()));
    let set = ["run", "--preset", "small", "--machines", &list, "--set", "inventory.clusters.1.machines=7", "--json"];
    assert_eq!(json(&set)["machines"], 9, "fields are set in what the list gives");
    let wrong = file(&folder, "wrong.csv", b"cores,memory\n4,16\nmany,16\n");
    for (list, words) in [(wrong.as_str(), "Line 3: expected"), ("nowhere.csv", "expected a list of machines")] {
        let output = tiebreak(&["run", "--preset", "small", "--machines", list]);
        assert_eq!(code(&output), 2);
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
    let rows: String = (1..=501).map(|cores| format!("{cores},16\n")).collect();
    let kinds = file(&folder, "kinds.csv", format!("cores,memory\n{rows}").as_bytes());
    let output = tiebreak(&["run", "--preset", "small", "--machines", &kinds]);
    assert!(text(&output.stderr).contains("at most 500 kinds of machines, got 501"), "{}", text(&output.stderr));
}

#[test]
fn a_sample_is_kept_by_tenant_by_request_or_by_vm() {
    let kept = |sample: &str| {
        let inspected = json(&["trace", "inspect", CUT, "--sample", sample, "--json"]);
        let notes = inspected["notes"].to_string();
        assert!(notes.contains("Sampled by") && notes.contains("For any sample"), "{notes}");
        inspected["kept"].as_u64().expect("a number")
    };
    for by in ["tenant", "request", "vm"] {
        let parts: Vec<_> = (0..3).map(|part| kept(&format!("{by}:3:{part}"))).collect();
        assert_eq!(parts.iter().sum::<u64>(), 13_521, "{by}");
        assert!(parts.iter().all(|kept| (3_500..5_500).contains(kept)), "{by}: {parts:?}");
        assert_eq!(kept(&format!("{by}:3")), parts[0], "{by}");
    }
    let by_document = ["workload.one_tenant_in=3", "workload.sampled_by=request"].map(|set| ["--set", set]).concat();
    let vms = |options: &[&str]| json(&[&["run", "--preset", "default", "--json"], options].concat())["vms"].clone();
    assert_eq!(vms(&by_document), vms(&["--sample", "request:3"]));
    for wrong in ["ten", "rack:10", "vm", "vm:0", "vm:3:x", "vm:3:1:1", "tenant:-1"] {
        let output = tiebreak(&["trace", "inspect", CUT, "--sample", wrong]);
        assert_eq!(code(&output), 2, "{wrong}");
        assert!(text(&output.stderr).contains("write, for instance, request:10"), "{}", text(&output.stderr));
    }
    let output = tiebreak(&["run", "--preset", "small", "--sample", "vm:2"]);
    assert!(text(&output.stderr).contains("got a generated workload"), "{}", text(&output.stderr));
}

#[test]
fn affinity_csv_has_every_day_of_every_cluster_and_goes_from_state_to_state() {
    let folder = folder("affinity");
    let out = folder.join("results").to_str().expect("UTF-8").to_owned();
    let sets =
        ["predictor=Oracle", "affinity.observation_days=5", "affinity.theta_confirm=0", "incidents.0.migrations=0"];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let told = json(&[&["run", "--preset", "dvla", "--out", &out, "--json"], &sets[..]].concat());
    let csv = std::fs::read_to_string(folder.join("results/affinity.csv")).expect("the file");
    let mut lines = csv.lines();
    let head = "time_ms,cluster,share_1,share_2,share_3,share_4,share_5,share_6,score,state,group,changed";
    assert_eq!(lines.next(), Some(head));
    let days: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(days.len(), 61, "one cluster: its start, and sixty days");
    let (mut state, mut group, mut changes) = ("warm-up", "1 2 3 4 5 6", 0);
    for (at, day) in days.iter().enumerate() {
        let [time, cluster, shares @ .., score, now, classes, changed] = &day[..] else { panic!("{day:?}") };
        assert_eq!((*time, *cluster), (&*(at * 86_400_000).to_string(), "0"));
        let sum: f64 = shares.iter().map(|share| share.parse::<f64>().expect("a share")).sum();
        assert!((sum - 1.0).abs() < 1e-5 && score.parse::<f64>().expect("a score") >= 0.0, "{day:?}");
        // As in the paper: an alarm leads to observation, and that to a new group or back.
        let may = match state {
            "warm-up" | "cool-down" => &[state, "stable"][..],
            "stable" => &["stable", "observation"],
            _ => &["observation", "cool-down"],
        };
        assert!(may.contains(now), "from {state} to {now} on day {at}");
        assert_eq!(*changed == "true", state == "observation" && *now == "cool-down");
        assert!(*classes == group || *changed == "true", "{day:?}");
        (state, group, changes) = (now, classes, changes + u64::from(*changed == "true"));
    }
    assert!(changes > 0);
    assert_eq!(told["affinity_changes"].as_f64(), Some(changes as f64));
}

#[test]
fn a_trace_gets_a_warm_up_of_its_own_tenants() {
    let folder = folder("warm-up");
    let out = folder.join("warm.trace").to_str().expect("UTF-8").to_owned();
    let warm_up =
        |more: &[&str]| json(&[&["trace", "warm-up", CUT, "--out", &out, "--compact", "--json"], more].concat());
    let told = warm_up(&["--days", "3"]);
    let before = json(&["trace", "inspect", CUT, "--json"]);
    let after = json(&["trace", "inspect", &out, "--json"]);
    let number = |of: &serde_json::Value, name: &str| of[name].as_u64().expect("a number");
    assert_eq!(number(&after, "vms"), number(&before, "vms") + number(&told, "drawn"));
    assert_eq!(number(&after, "span_ms"), number(&before, "span_ms") + 3 * 86_400_000);
    assert_eq!(number(&told, "coming") + number(&told, "standing"), number(&before, "alive_at_start"));
    assert!(number(&told, "drawn") > 0 && told["measured_from_hours"].as_f64() == Some(72.0));
    assert_eq!(told["fingerprint"], warm_up(&["--days", "3", "--seed", "1"])["fingerprint"]);
    assert_ne!(told["fingerprint"], warm_up(&["--days", "3", "--seed", "2"])["fingerprint"]);
    let failed = tiebreak(&["trace", "warm-up", CUT, "--days", "0", "--out", &out]);
    assert!(code(&failed) != 0 && text(&failed.stderr).contains("expected a warm-up above 0"));
    let failed = tiebreak(&["trace", "warm-up", CUT]);
    assert!(code(&failed) != 0 && text(&failed.stderr).contains("expected --out FILE"));
}
