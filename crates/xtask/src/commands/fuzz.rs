//! Readers of traces and imports on bytes that a fuzzer makes up, and the laws of runs on scenarios that it does, one target after the
//! other.

use crate::{Outcome, process};

pub(crate) const HELP: &str =
    "readers and laws on what a fuzzer makes up: [--minutes N], 60 in all; [TARGET]; needs nightly and cargo-fuzz";

/// Folders of targets, the targets, their dictionaries, and their share of the time in percent.
const TARGETS: [(&str, &str, Option<&str>, f64); 10] = [
    (READERS, "table", Some("table"), 15.0),
    (READERS, "packed", Some("packed"), 7.5),
    (READERS, "compact", Some("table"), 7.5),
    (READERS, "readings", Some("table"), 5.0),
    (READERS, "draws", Some("table"), 2.5),
    (READERS, "parquet", Some("table"), 5.0),
    (READERS, "sqlite", Some("table"), 2.5),
    (READERS, "imports", Some("imports"), 5.0),
    (SCENARIOS, "expressions", Some("expressions"), 10.0),
    (SCENARIOS, "cases", None, 40.0),
];

const READERS: &str = "crates/trace/fuzz";
const SCENARIOS: &str = "crates/testkit/fuzz";

/// What an input may take, so that a bomb is a finding: MiB in all and at once, seconds, and its own bytes.
const BOUNDS: [&str; 4] = ["-rss_limit_mb=1024", "-malloc_limit_mb=200", "-timeout=10", "-max_len=16384"];
const SCENARIO_BOUNDS: [&str; 4] = ["-rss_limit_mb=1024", "-malloc_limit_mb=200", "-timeout=120", "-max_len=2048"];

pub(crate) fn run(words: &[String]) -> Outcome {
    let (minutes, only) = asked(words)?;
    let wanted = TARGETS.iter().filter(|(_, target, ..)| only.is_none_or(|only| only == *target));
    let all: f64 = wanted.clone().map(|(.., percent)| percent).sum();
    wanted
        .clone()
        .try_for_each(|(folder, target, words, percent)| fuzz((folder, target), *words, minutes * 60.0 * percent / all))
}

/// Inputs that reach new code go to `artifacts/found`, which git ignores; those that break a law beside it.
fn fuzz((folder, target): (&str, &str), dictionary: Option<&str>, seconds: f64) -> Outcome {
    let found = format!("{folder}/artifacts/found/{target}");
    std::fs::create_dir_all(&found).map_err(|error| format!("cannot make {found}: {error}"))?;
    let kept = format!("{folder}/corpus/{target}");
    let mut fuzzer = process::command("rustup", &["run", "nightly", "cargo", "fuzz", "run"]);
    fuzzer.args(["--fuzz-dir", folder, target]);
    let bounds = if folder == SCENARIOS {
        // There is no unsafe code in the simulator, and every scenario is run a dozen times.
        fuzzer.arg("--sanitizer=none");
        SCENARIO_BOUNDS
    } else {
        BOUNDS
    };
    fuzzer.args([&found, &kept]).arg("--").args(bounds);
    fuzzer.args(dictionary.map(|words| format!("-dict={folder}/dictionaries/{words}.dict")));
    fuzzer.arg(format!("-max_total_time={}", seconds.ceil()));
    process::run(&mut fuzzer)
}

/// How many minutes, and which target alone.
fn asked(words: &[String]) -> Result<(f64, Option<&str>), String> {
    let target = |word: &&str| TARGETS.iter().any(|(_, target, ..)| target == word);
    let minutes = |word: &str| {
        let minutes = word.parse().ok().filter(|minutes| (0.1..=10_000.0).contains(minutes));
        minutes.ok_or_else(|| format!("--minutes: expected 0.1 to 10000 minutes, got {word}"))
    };
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok((60.0, None)),
        ["--minutes", word] => Ok((minutes(word)?, None)),
        [only] if target(&only) => Ok((60.0, Some(only))),
        ["--minutes", word, only] | [only, "--minutes", word] if target(&only) => Ok((minutes(word)?, Some(only))),
        _ => Err(format!("expected --minutes N and a target, got {}", words.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long() {
        let words = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>();
        assert_eq!((asked(&words("")), asked(&words("--minutes 2.5"))), (Ok((60.0, None)), Ok((2.5, None))));
        for line in ["cases --minutes 2", "--minutes 2 cases"] {
            assert_eq!(asked(&words(line)), Ok((2.0, Some("cases"))), "{line}");
        }
        for line in ["tables", "--minutes", "--minutes 0", "--minutes soon", "--minutes NaN", "--hours 1", "2"] {
            assert!(asked(&words(line)).is_err_and(|told| told.contains("expected")), "{line}");
        }
        assert_eq!(TARGETS.iter().map(|(.., percent)| percent).sum::<f64>(), 100.0);
    }
}
