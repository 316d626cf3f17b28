//! Whatever the file, importing it ends soon, with a result or with an error of one sentence.

use std::io::Read;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tiebreak_import::{File, import, twins};
use tiebreak_model::random::{Seed, Stream, pick};
use tiebreak_scenario::{Document, presets};

const CLUSTER: &[u8] = include_bytes!("../fixtures/cluster.json.gz");
const SCHEDULER: &str = include_str!("../fixtures/scheduler.yaml");
const NOVA: &str = include_str!("../fixtures/nova.conf");

/// Much longer than any of these files takes, even on a busy machine.
const SOON: Duration = Duration::from_secs(20);

/// Fragments that have a meaning in some format.
const PIECES: &[&str] = &[
    "\n",
    "\n\n",
    "  ",
    "\t",
    "- ",
    ": ",
    "? ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "\"",
    "'",
    "|\n",
    ">-\n",
    "&a ",
    "*a",
    "*b",
    "<<: *a",
    "!!int ",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "#",
    ";",
    "=",
    "[filter_scheduler]\n",
    "[",
    "null",
    "~",
    "true",
    "-1",
    "0",
    "1e999",
    "1e-999",
    "99999999999999999999",
    "0.1",
    "NaN",
    "1x",
    "3920m",
    "16Gi",
    "15Ki",
    "-4Gi",
    "\0",
    "\r\n",
    "\u{feff}",
    "é",
    "\u{a0}",
    "😀",
    "\"kind\": \"List\"",
    "kind: KubeSchedulerConfiguration\n",
    "\"kind\": \"Pod\"",
    "\"kind\": \"Node\"",
    "\"requests\"",
    "\"cpu\"",
    "\"memory\"",
    "\"items\"",
    "\"metadata\"",
    "\"name\"",
    "\"labels\"",
    "\"taints\"",
    "\"ownerReferences\"",
    "\"startTime\"",
    "\"2026-02-30T25:61:61Z\"",
    "\"9999-12-31T23:59:59Z\"",
    "weight: 1000000",
    "shape:\n",
    "utilization: ",
    "ram_weight_multiplier=",
    "cpu_allocation_ratio=",
    "reserved_host_memory_mb=",
    "enabled_filters=",
];

/// A generator of numbers below a bound, the same for a case every time.
struct Draws {
    stream: Stream,
    drawn: u64,
}

impl Draws {
    fn of(case: u64) -> Self {
        Self { stream: Seed(case).stream("hostile imports"), drawn: 0 }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.drawn += 1;
        pick(self.stream.draw(self.drawn, 0), bound as u32) as usize
    }

    /// A range of some bytes, usually a short one.
    fn part(&mut self, of: &[u8]) -> std::ops::Range<usize> {
        let from = self.below(of.len() + 1);
        let longest = if self.below(4) == 0 { of.len() - from } else { (of.len() - from).min(12) };
        from..from + self.below(longest + 1)
    }

    /// A file with a few changes, which may make it invalid text.
    fn changed(&mut self, file: &[u8]) -> Vec<u8> {
        let mut bytes = file.to_vec();
        for _ in 0..1 + self.below(5) {
            let part = self.part(&bytes);
            let by = match self.below(6) {
                0 => Vec::new(),
                1 => [bytes[part.clone()].to_vec(), bytes[part.clone()].to_vec()].concat(),
                2 => {
                    let other = self.part(&bytes);
                    bytes[other].to_vec()
                }
                3 => bytes[part.clone()].iter().map(|byte| byte ^ 1 << self.below(8)).collect(),
                _ => PIECES[self.below(PIECES.len())].as_bytes().to_vec(),
            };
            bytes.splice(part, by);
        }
        bytes
    }
}

/// A small dump cut from the large one, with objects of every kind that the import distinguishes.
fn cluster() -> Value {
    let mut text = String::new();
    flate2::read::GzDecoder::new(CLUSTER).read_to_string(&mut text).expect("gzip");
    let list: Value = serde_json::from_str(&text).expect("JSON");
    let items = list["items"].as_array().expect("a list");
    let some = |kind: &str, step: usize| -> Vec<Value> {
        items.iter().filter(|item| item["kind"] == kind).step_by(step).take(3).cloned().collect()
    };
    let items = [some("Node", 7), some("Pod", 50)].concat();
    json!({ "apiVersion": "v1", "kind": "List", "items": items })
}

/// Imports a file and uses everything in the result. Returns whether it was accepted.
fn check(name: &str, bytes: &[u8]) -> bool {
    let began = Instant::now();
    let import = import(&[File { name, bytes }]);
    let took = began.elapsed();
    assert!(took < SOON, "{took:?} for {:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(200)]));
    match import {
        Err(error) => {
            let told = error.to_string();
            assert!(told.contains("expected") && told.contains(name), "{told}");
            assert!(told.len() < 1_000 && !told.contains(char::is_control), "{told:?}");
            false
        }
        Ok(import) => {
            let mut document = (presets::find("small").expect("a preset").make)();
            import.apply(&mut document.variants[0]);
            let text = document.to_json();
            let read = Document::read(&text).expect("what an import makes is a document");
            assert!(read.issues.is_empty(), "{:?}", read.issues);
            assert!(twins::table(&document.variants[0]).lines().count() > 1);
            let sentences = import.told.iter().chain(import.leftovers.iter().map(|it| &it.why));
            sentences.for_each(|sentence| assert!(!sentence.is_empty()));
            true
        }
    }
}

#[test]
fn changed_files_are_imported_or_refused() {
    let cluster = cluster();
    let json = serde_json::to_vec_pretty(&cluster).expect("JSON");
    // JSON is also YAML; a first line that is not a bracket makes the import parse it as YAML.
    let yaml = [b"--- ".as_slice(), &serde_json::to_vec(&cluster).expect("JSON")].concat();
    let files = [
        ("cluster.json", json),
        ("cluster.yaml", yaml),
        ("scheduler.yaml", SCHEDULER.into()),
        ("nova.conf", NOVA.into()),
    ];
    let mut taken = [[0; 2]; 4];
    for (at, (name, file)) in files.iter().enumerate() {
        assert!(check(name, file), "{name} is taken as it is");
        for case in 0..2_500 {
            let is_taken = check(name, &Draws::of(case).changed(file));
            taken[at][usize::from(is_taken)] += 1;
        }
    }
    // Some files are accepted and some are refused.
    assert!(taken.iter().all(|[refused, taken]| *refused > 100 && *taken > 100), "{taken:?}");
}

#[test]
fn bombs_are_a_sentence() {
    let many = |text: &str, bytes: usize| text.repeat(bytes / text.len());
    let list = |items: &str| format!("{{\"kind\":\"List\",\"items\":{items}}}");
    let mut laughs = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (one, other) in ('a'..'m').zip('b'..='m') {
        laughs += &format!("{other}: &{other} [{}]\n", vec![format!("*{one}"); 9].join(","));
    }
    let texts = format!("a: &a {}\nb: [{}]", many("x", 1 << 20), many("*a,", 1 << 20));
    let anchors: String = (0..90).map(|at| format!("[&a{at} ")).collect::<String>() + &many("x,", 1 << 20);
    for (name, text) in [
        ("deep.json", list(&many("[", 1 << 20))),
        ("deep.json", list(&many("{\"a\":", 1 << 20))),
        ("deep.yaml", many("- ", 1 << 20)),
        ("deep.yaml", many("[", 1 << 20)),
        ("deep.yaml", many("{a: ", 1 << 20)),
        ("deep.yaml", many("? ", 1 << 20)),
        ("laughs.yaml", laughs),
        ("texts.yaml", texts),
        ("anchors.yaml", anchors),
        ("long.yaml", format!("{}: 1", many("x", 4 << 20))),
        ("quoted.yaml", format!("kind: \"{}", many("\\u0041", 1 << 20))),
        ("keys.yaml", (0..100_000).map(|at| format!("k{at}: {at}\n")).collect()),
        ("documents.yaml", many("---\na: 1\n", 1 << 20)),
    ] {
        assert!(!check(name, text.as_bytes()), "{name}");
    }
    // An object of an unknown kind is accepted and listed.
    for text in [format!("kind: {}", many("x", 4 << 20)), format!("kind: >\n{}", many("  a\n", 1 << 20))] {
        assert!(check("long.yaml", text.as_bytes()));
    }
    // Settings have no nesting; many settings, and a value of many lines, are read in linear time.
    for text in [many("key = value\n", 4 << 20), format!("enabled_filters = a\n{}", many(" b,\n", 4 << 20))] {
        assert!(check("nova.conf", format!("[filter_scheduler]\n{text}").as_bytes()));
    }
}

/// Files from a fuzzer's seeds and findings, whole and truncated anywhere.
#[test]
fn files_that_fuzzing_kept_are_imported_or_refused() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/fuzz/corpus/imports");
    let inputs: Vec<_> =
        std::fs::read_dir(corpus).expect("a folder").map(|input| input.expect("an entry").path()).collect();
    assert!(inputs.len() >= 4, "{} inputs", inputs.len());
    for input in inputs {
        let bytes = std::fs::read(&input).expect("an input");
        for cut in 0..=bytes.len() {
            check("file", &bytes[..cut]);
        }
    }
}
