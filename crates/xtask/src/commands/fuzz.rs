//! Every reader of traces on bytes that a fuzzer makes up, one target after the other.

use crate::{Outcome, process};

pub(crate) const HELP: &str =
    "readers of traces on made-up bytes: [--minutes N], 60 in all; needs nightly and cargo-fuzz";

/// The targets in `crates/trace/fuzz`, and their share of the time in percent.
const TARGETS: [(&str, f64); 7] = [
    ("table", 40.0),
    ("packed", 15.0),
    ("compact", 15.0),
    ("readings", 10.0),
    ("draws", 5.0),
    ("parquet", 10.0),
    ("sqlite", 5.0),
];

/// What an input may take, so that a bomb is a finding: MiB in all and at once, seconds, and its own bytes.
const BOUNDS: [&str; 4] = ["-rss_limit_mb=1024", "-malloc_limit_mb=200", "-timeout=10", "-max_len=16384"];

pub(crate) fn run(words: &[String]) -> Outcome {
    let minutes = asked(words)?;
    TARGETS.iter().try_for_each(|(target, percent)| fuzz(target, minutes * 60.0 * percent / 100.0))
}

/// Inputs that reach new code go to `artifacts/found`, which git ignores; those that break a law beside it.
fn fuzz(target: &str, seconds: f64) -> Outcome {
    let found = format!("crates/trace/fuzz/artifacts/found/{target}");
    std::fs::create_dir_all(&found).map_err(|error| format!("cannot make {found}: {error}"))?;
    let kept = format!("crates/trace/fuzz/corpus/{target}");
    let words = if target == "packed" { "packed" } else { "table" };
    let mut fuzzer = process::command("rustup", &["run", "nightly", "cargo", "fuzz", "run"]);
    fuzzer.args(["--fuzz-dir", "crates/trace/fuzz", target]);
    fuzzer.args([&found, &kept]).arg("--").args(BOUNDS);
    fuzzer.arg(format!("-dict=crates/trace/fuzz/dictionaries/{words}.dict"));
    fuzzer.arg(format!("-max_total_time={}", seconds.ceil()));
    process::run(&mut fuzzer)
}

fn asked(words: &[String]) -> Result<f64, String> {
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(60.0),
        ["--minutes", word] => {
            let minutes = word.parse().ok().filter(|minutes| (0.1..=10_000.0).contains(minutes));
            minutes.ok_or_else(|| format!("--minutes: expected 0.1 to 10000 minutes, got {word}"))
        }
        _ => Err(format!("expected --minutes N, got {}", words.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long() {
        let of = |line: &str| asked(&line.split_whitespace().map(String::from).collect::<Vec<_>>());
        assert_eq!((of(""), of("--minutes 2.5")), (Ok(60.0), Ok(2.5)));
        for line in ["--minutes", "--minutes 0", "--minutes soon", "--minutes NaN", "--hours 1", "2"] {
            assert!(of(line).is_err_and(|told| told.contains("expected")), "{line}");
        }
        assert_eq!(TARGETS.iter().map(|(_, percent)| percent).sum::<f64>(), 100.0);
    }
}
