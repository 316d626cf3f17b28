//! The guard: instructions per placement, over those of a plain program on the same requests, compared with kept ones.
//!
//! Instructions are counted by valgrind, one process for each case. So the figures do not depend on what else the
//! computer does, and a tenth more is a change of ours. What a case does before its run, it does in a second process
//! too, whose instructions are subtracted.

use std::collections::BTreeMap;
use std::process::Command;
use std::{env, fs};

use serde::{Deserialize, Serialize};

use super::baselines::ORDERED_SET;
use super::case::{engine, plain};
use super::rows;
use super::zone::Zone;
use tiebreak_console::answer::{Answer, Failure, json, note};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::shown::{count, table};

pub(crate) const GUARD: Opt = Opt {
    name: "guard",
    value: Some("FILE"),
    help: "only instructions per placement, counted by valgrind, compared with those in FILE: exit code 1 if one is \
           10 % more; creates FILE if there is none",
};

pub(crate) const CASE: Opt = Opt {
    name: "case",
    value: Some("NAME"),
    help: "only one case of --guard, for a program that counts its instructions",
};

pub(crate) const PREPARE: Opt = Opt { name: "prepare", value: None, help: "with --case: all but the run" };

/// The zone of every case, unless it names another.
const SIZE: (u32, f64) = (300, 0.5);
const SMALL: (u32, f64) = (100, 0.1);

/// This much more than what was kept is worse.
const WORSE: f64 = 1.1;

/// The case that all others are compared with.
const PLAIN: &str = "plain";

/// A case: its name in files, and its zone.
struct GuardedCase {
    id: &'static str,
    what: &'static str,
    zone: fn() -> Result<Zone, Failure>,
    caches: bool,
}

const CASES: [GuardedCase; 9] = [
    GuardedCase { id: PLAIN, what: "plain: best fit, ordered set", zone: || Zone::of(SIZE), caches: false },
    GuardedCase { id: "list", what: "default list", zone: || Zone::of(SIZE), caches: true },
    GuardedCase { id: "one_rule", what: "BestFit alone", zone: || Zone::of(SIZE)?.under_best_fit(1), caches: true },
    GuardedCase { id: "classes", what: "64 classes", zone: || Zone::of(SIZE)?.with_classes(64), caches: true },
    GuardedCase { id: "agents", what: "four agents", zone: || Zone::of(SIZE)?.with_agents(4), caches: true },
    GuardedCase {
        id: "lifetimes",
        what: "TemporalCost, oracle",
        zone: || Zone::of(SIZE)?.with(&["TemporalCost"], "Oracle"),
        caches: true,
    },
    GuardedCase {
        id: "power",
        what: "PowerBalance in 20 buckets, oracle",
        zone: || Zone::of(SIZE)?.balancing_power("oracle", "20"),
        caches: true,
    },
    GuardedCase {
        id: "links",
        what: "BandwidthAvailable, VDCs of 15",
        zone: || Zone::of(SIZE)?.in_vdcs(15).linked(&["BandwidthAvailable"]),
        caches: true,
    },
    GuardedCase { id: "uncached", what: "default list without caches", zone: || Zone::of(SMALL), caches: false },
];

/// What the process of a case says.
#[derive(Serialize, Deserialize)]
struct Placed {
    /// VMs placed, including those alive at the start.
    placed: u64,
}

/// What was measured of a case.
#[derive(Serialize)]
struct Guarded {
    id: &'static str,
    what: &'static str,
    instructions_per_placement: f64,
    /// Over the plain program.
    ratio: f64,
    /// The kept ratio.
    kept: Option<f64>,
    worse: bool,
}

/// The kept ratios of one build profile: an optimised program needs fewer instructions.
#[derive(Serialize, Deserialize)]
struct Kept {
    optimised: bool,
    ratios: BTreeMap<String, f64>,
}

const OPTIMISED: bool = !cfg!(debug_assertions);

/// Runs one case in this process.
pub(super) fn run_case(id: &str, given: &Given) -> Result<Answer, Failure> {
    let case = CASES.iter().find(|case| case.id == id).ok_or_else(|| {
        let names: Vec<_> = CASES.iter().map(|case| case.id).collect();
        Failure(format!("expected {} after --case, got \"{id}\"; choose one of these", names.join(", ")))
    })?;
    let zone = (case.zone)()?;
    if given.has("prepare") {
        return Ok(Answer::text(json(&Placed { placed: 0 })));
    }
    let result = match id {
        PLAIN => plain(&ORDERED_SET, &zone)()?,
        _ => engine(case.id.into(), &zone, case.caches)()?,
    };
    Ok(Answer::text(json(&Placed { placed: result.placements + u64::from(result.warm_start_vms) })))
}

/// Compares all cases with what was kept.
pub(super) fn compare(file: &str, given: &Given) -> Result<Answer, Failure> {
    let kept = kept(file)?;
    let mut measured: Vec<Guarded> = Vec::new();
    for case in &CASES {
        let instructions_per_placement = instructions_per_placement(case.id)?;
        let ratio = measured.first().map_or(1.0, |plain| instructions_per_placement / plain.instructions_per_placement);
        let kept = kept.as_ref().and_then(|kept| kept.ratios.get(case.id)).copied();
        let worse = kept.is_some_and(|kept| ratio > kept * WORSE);
        measured.push(Guarded { id: case.id, what: case.what, instructions_per_placement, ratio, kept, worse });
    }
    if kept.is_none() {
        let ratios = measured.iter().map(|it| (it.id.into(), (it.ratio * 1_000.0).round() / 1_000.0)).collect();
        let written = fs::write(file, json(&Kept { optimised: OPTIMISED, ratios }));
        written.map_err(|error| Failure(format!("expected to write {file}, got: {error}; choose another file")))?;
        note(&format!("{file} did not exist; it has the ratios of this run now"));
    }
    let worse = measured.iter().any(|it| it.worse);
    Ok(Answer::either(given, &measured, || text(&measured)).problem(worse))
}

fn kept(file: &str) -> Result<Option<Kept>, Failure> {
    let Ok(text) = fs::read_to_string(file) else { return Ok(None) };
    let kept: Kept = serde_json::from_str(&text).map_err(|error| {
        Failure(format!("{file}: expected ratios that --guard wrote, got: {error}; delete the file to write it anew"))
    })?;
    let profile = |optimised| if optimised { "an optimised" } else { "a debug" };
    if kept.optimised != OPTIMISED {
        return Err(Failure(format!(
            "{file}: expected ratios of {} build, which this is, got those of {}; name another file",
            profile(OPTIMISED),
            profile(kept.optimised)
        )));
    }
    Ok(Some(kept))
}

fn instructions_per_placement(case: &str) -> Result<f64, Failure> {
    let ((run, placed), (prepared, _)) = (counted(&["--case", case])?, counted(&["--case", case, "--prepare"])?);
    Ok(run.saturating_sub(prepared) as f64 / placed.max(1) as f64)
}

/// The instructions of this program with these arguments, and how many VMs it placed.
fn counted(words: &[&str]) -> Result<(u64, u64), Failure> {
    let program =
        env::current_exe().map_err(|error| Failure(format!("expected to find this program, got: {error}")))?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    let done = command.arg(program).arg("bench").args(words).output().map_err(|error| {
        Failure(format!(
            "expected valgrind, which counts instructions, got: {error}; install it (apt install valgrind)"
        ))
    })?;
    let told = String::from_utf8_lossy(&done.stderr);
    let line = told.lines().find(|line| line.contains("refs:"));
    let digits = line.and_then(|line| line.rsplit("refs:").next()).map(|count| count.replace([',', ' '], ""));
    let instructions = digits.and_then(|digits| digits.parse().ok()).filter(|_| done.status.success());
    let placed = serde_json::from_slice::<Placed>(&done.stdout).ok();
    instructions.zip(placed.map(|it| it.placed)).ok_or_else(|| {
        let words = words.join(" ");
        Failure(format!("expected valgrind to count the instructions of bench {words}, got: {}", told.trim()))
    })
}

fn text(measured: &[Guarded]) -> String {
    let head = ["Case", "instructions a placement", "over plain", "kept", ""];
    let number = |ratio: f64| format!("{ratio:.2}");
    let cells = |it: &Guarded| {
        let change = match it.kept {
            Some(_) if it.worse => "worse",
            Some(kept) if it.ratio * WORSE < kept => "better: keep it",
            Some(_) => "as kept",
            None => "",
        };
        let kept = it.kept.map_or(String::new(), number);
        vec![it.what.into(), count(it.instructions_per_placement.round() as u64), number(it.ratio), kept, change.into()]
    };
    table(&rows(&head, measured.iter().map(cells)))
}
