//! The fates of mutants: written line by line while they run, and summed up.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::points::Mutant;
use crate::{Outcome, failed};

/// The fate of a mutant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    /// A test failed.
    Caught,
    /// A test exceeded its time, which counts as a failure.
    OutOfTime,
    /// All short tests passed; the long ones are still to run.
    Waits,
    Survived,
    /// No test reaches it.
    Unreached,
}

const FATES: [(Fate, &str); 5] = [
    (Fate::Caught, "caught"),
    (Fate::OutOfTime, "out of time"),
    (Fate::Waits, "waits"),
    (Fate::Survived, "survived"),
    (Fate::Unreached, "unreached"),
];

/// The number of ranks.
pub(crate) const RANKS: usize = 3;

/// Files of sim that decide about conflicts: the store, the agents, and how the world handles their decisions.
const CONFLICTS: [&str; 7] = [
    "agents/agent.rs",
    "agents/avoidance.rs",
    "agents/chance.rs",
    "agents/demand.rs",
    "agents/store.rs",
    "observation/conflict_rate.rs",
    "world/committing.rs",
];

/// Functions that decide about conflicts in other files.
const ALSO_CONFLICTS: [(&str, &str); 2] = [("agents/mod.rs", "trim_logs"), ("world/deciding.rs", "avoids")];

/// 0 for the code that must be tested best: placement, and the store, the agents and conflicts of sim. 1 for the rest
/// of sim, 2 for model.
pub(crate) fn rank(mutant: &Mutant) -> usize {
    let function = mutant.function.rsplit("::").next().unwrap_or_default();
    match mutant.file.strip_prefix("crates/sim/src/") {
        Some(file) if CONFLICTS.contains(&file) || ALSO_CONFLICTS.contains(&(file, function)) => 0,
        Some(_) => 1,
        None if mutant.file.starts_with("crates/placement/") => 0,
        None => 2,
    }
}

/// The fates so far, in a file.
pub(crate) struct Kept {
    path: PathBuf,
    file: File,
    fates: HashMap<String, Fate>,
}

impl Kept {
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let mut fates = HashMap::new();
        for line in fs::read_to_string(path).unwrap_or_default().lines() {
            let mut fields = line.split('\t');
            let (word, name) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
            if let Some((fate, _)) = FATES.iter().find(|(_, other)| *other == word) {
                fates.insert(name.into(), *fate);
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(failed("open", path))?;
        Ok(Self { path: path.into(), file, fates })
    }

    pub(crate) fn fate(&self, mutant: &Mutant) -> Option<Fate> {
        self.fates.get(&mutant.name).copied()
    }

    pub(crate) fn add(&mut self, mutant: &Mutant, fate: Fate, by: &str) -> Outcome {
        self.fates.insert(mutant.name.clone(), fate);
        let word = FATES.iter().find(|(other, _)| *other == fate).map_or("", |(_, word)| word);
        writeln!(self.file, "{word}\t{}\t{by}", mutant.name).map_err(failed("write", &self.path))
    }

    /// The last line about a mutant counts, so mutants that run again need not be removed from the file.
    pub(crate) fn forget_survivors(&mut self, part: &str) {
        let lives = |fate| matches!(fate, Fate::Waits | Fate::Survived | Fate::Unreached);
        self.fates.retain(|name, fate| !(lives(*fate) && name.contains(part)));
    }
}

/// The number of mutants in a group, and of those run and caught.
#[derive(Default)]
struct Tally {
    all: u32,
    run: u32,
    /// Those waiting for the long tests; until then they count as not caught.
    waits: u32,
    caught: u32,
}

impl Tally {
    /// The share caught, with its 95 % interval if not all were run: Wilson's interval with a finite population
    /// correction.
    fn row(&self, group: &str) -> String {
        let Self { all, run, waits, caught } = *self;
        let (n, share) = (f64::from(run.max(1)), f64::from(caught) / f64::from(run.max(1)));
        let left_out = f64::from(all - run) / f64::from(all.max(2) - 1);
        let z2 = 1.96 * 1.96 * left_out;
        let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = (z2 * (share * (1.0 - share) / n + z2 / (4.0 * n * n))).sqrt() / (1.0 + z2 / n);
        let (low, high) = (100.0 * (middle - half), 100.0 * (middle + half));
        format!(
            "{group:<50} {all:>6} {run:>6} {waits:>6} {caught:>7} {:>6.1} %  {low:.1} to {high:.1}\n",
            100.0 * share
        )
    }
}

/// The score by crate and by file, and the survivors.
pub(crate) fn table(mutants: &[Mutant], unviable: &HashSet<String>, kept: &Kept) -> String {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut survivors = String::new();
    for mutant in mutants {
        let fate = kept.fate(mutant);
        let folder: String = mutant.file.split_inclusive('/').take(2).collect();
        let required = (rank(mutant) == 0).then(|| {
            if folder.ends_with("sim/") { " store, agents and conflicts of sim".into() } else { " placement".into() }
        });
        for group in [Some(mutant.file.clone()), Some(folder), required].into_iter().flatten() {
            let tally = tallies.entry(group).or_default();
            tally.all += 1;
            tally.run += u32::from(fate.is_some());
            tally.waits += u32::from(fate == Some(Fate::Waits));
            tally.caught += u32::from(matches!(fate, Some(Fate::Caught | Fate::OutOfTime)));
        }
        if let Some(fate @ (Fate::Survived | Fate::Unreached | Fate::Waits)) = fate {
            let word = FATES.iter().find(|(other, _)| *other == fate).map_or("", |(_, word)| word);
            writeln!(survivors, "{word}: {}", mutant.name).expect("a string takes it");
        }
    }
    let rows: String = tallies.iter().map(|(group, tally)| tally.row(group)).collect();
    let head = format!("{:<50} {:>6} {:>6} {:>6} {:>7} {:>8}  95 %\n", "", "all", "run", "waits", "caught", "score");
    format!("{head}{rows}{} do not compile\n\n{survivors}", unviable.len())
}
