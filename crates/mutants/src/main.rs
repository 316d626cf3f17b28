//! Mutation testing of model, placement and sim: does some test fail when an operator or a function is changed?
//!
//! The changes are those of cargo-mutants. All are compiled in at once, and an environment variable selects the
//! active one, so that each costs the tests that reach it, until the first fails, and no build. A first round runs
//! short tests; mutants that survive go to the longer ones in a second round. All results are kept in
//! `target/mutants`, and the next run continues from there: `mutants.tsv` lists the number that activates each
//! mutant, as `TIEBREAK_MUTANT`, in the tests of `tree`.

mod points;
mod score;
mod tests;
mod tree;
mod values;

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use points::Mutant;
use score::{Fate, Kept};
use tests::{Ended, Test};

type Outcome = Result<(), String>;

/// Tests that take longer wait for the second round.
const ZERO: Duration = Duration::ZERO;
const SHORT: Duration = Duration::from_millis(700);

/// The command-line options.
struct MutantsOptions {
    /// The most time to run mutants; zero only computes the score.
    time: Duration,
    /// Tests that take longer are skipped.
    longest: Duration,
    /// A part of the names of the mutants to run: a file, or more.
    part: String,
    /// Whether to run survivors again, because tests were added.
    again: bool,
}

fn main() -> ExitCode {
    match asked(&std::env::args().skip(1).collect::<Vec<_>>()).and_then(|asked| run(&asked)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("mutants: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn asked(words: &[String]) -> Result<MutantsOptions, String> {
    let mut asked = MutantsOptions { time: hours(1.0), longest: hours(1.0), part: String::new(), again: false };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match (&**word, words.as_slice().first()) {
            ("--again", _) => asked.again = true,
            ("--in", Some(part)) => asked.part.clone_from(part),
            ("--minutes", Some(word)) => asked.time = hours(number(word)? / 60.0),
            ("--longest", Some(word)) => asked.longest = hours(number(word)? / 3_600.0),
            _ => return Err(format!("expected --minutes N, --longest SECONDS, --in PART or --again, got {word}")),
        }
        if word != "--again" {
            words.next();
        }
    }
    Ok(asked)
}

fn hours(hours: f64) -> Duration {
    Duration::from_secs_f64(3_600.0 * hours)
}

fn number(word: &str) -> Result<f64, String> {
    let number = word.parse().ok().filter(|it| (0.0..=10_000.0).contains(it));
    number.ok_or_else(|| format!("expected 0 to 10000, got {word}"))
}

fn failed<E: std::fmt::Display>(verb: &str, path: &Path) -> impl Fn(E) -> String {
    move |error| format!("cannot {verb} {}: {error}", path.display())
}

fn run(asked: &MutantsOptions) -> Outcome {
    let root = std::env::current_dir().map_err(failed("find", Path::new(".")))?;
    let folder = root.join("target/mutants");
    fs::create_dir_all(&folder).map_err(failed("make", &folder))?;
    let (mutants, unviable) = tree::plant(&folder)?;
    eprintln!("{} mutants, and {} that do not compile", mutants.len(), unviable.len());
    let listed: String = mutants.iter().map(|it| format!("{}\t{}\n", it.id, it.name)).collect();
    fs::write(folder.join("mutants.tsv"), listed).map_err(failed("write in", &folder))?;
    let mut kept = Kept::open(&folder.join("results.tsv"))?;
    if asked.time > ZERO {
        try_all(asked, &folder, &mutants, &mut kept)?;
    }
    print!("{}", score::table(&mutants, &unviable, &kept));
    Ok(())
}

/// Runs mutants in two rounds until the time is over: the most important first, otherwise in a random order that is
/// the same each time.
fn try_all(asked: &MutantsOptions, folder: &Path, mutants: &[Mutant], kept: &mut Kept) -> Outcome {
    let programs = tree::programs(&folder.join("tree"))?;
    let tests = tests::all(&programs, folder)?;
    let takes: Duration = tests.iter().map(|it| it.takes).sum();
    eprintln!("{} tests take {takes:.0?}", tests.len());
    if asked.again {
        kept.forget_survivors(&asked.part);
    }
    let mut order: Vec<&Mutant> = mutants.iter().filter(|it| it.name.contains(&asked.part)).collect();
    order.sort_by_cached_key(|it| {
        let mut hasher = DefaultHasher::new();
        it.name.hash(&mut hasher);
        (score::rank(it), hasher.finish())
    });
    let begun = Instant::now();
    for rank in 0..score::RANKS {
        for (round, wanted) in [(0, None), (1, Some(Fate::Waits))] {
            for mutant in order.iter().filter(|it| score::rank(it) == rank) {
                if kept.fate(mutant) == wanted && begun.elapsed() < asked.time {
                    let (fate, by) = tried(mutant, &tests, if round == 0 { ZERO..SHORT } else { SHORT..asked.longest });
                    kept.add(mutant, fate, &by)?;
                }
            }
        }
    }
    Ok(())
}

/// The fate of a mutant in tests with these durations, and the test that decided it.
fn tried(mutant: &Mutant, tests: &[Test], takes: Range<Duration>) -> (Fate, String) {
    let reaching: Vec<&Test> = tests.iter().filter(|it| it.reached.contains(&mutant.point)).collect();
    let round: Vec<&Test> = reaching.iter().copied().filter(|it| takes.contains(&it.takes)).collect();
    for batch in tests::batches(&round) {
        let fate = match tests::run(&batch, "TIEBREAK_MUTANT", &mutant.id.to_string()).0 {
            Ended::Passed => continue,
            Ended::Failed => Fate::Caught,
            Ended::OutOfTime => Fate::OutOfTime,
        };
        return (fate, batch.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(" "));
    }
    let fate = match reaching.last() {
        None => Fate::Unreached,
        Some(last) if takes.start == ZERO && last.takes >= takes.end => Fate::Waits,
        Some(_) => Fate::Survived,
    };
    (fate, String::new())
}
