//! Checks every law on random scenarios until one is broken or the time is over.

use crate::{Outcome, process};

pub(crate) const HELP: &str = "random scenarios until a law breaks: [--from N] [--hours H]";

const TEST: [&str; 8] =
    ["test", "--release", "--quiet", "--package", "tiebreak-tests", "laws::every_law_holds", "--", "--nocapture"];

pub(crate) fn run(words: &[String]) -> Outcome {
    let SoakOptions { from, hours } = asked(words)?;
    let mut soak = process::cargo(&TEST);
    soak.env("TIEBREAK_FROM", from.to_string()).env("TIEBREAK_CASES", u64::MAX.to_string());
    if let Some(hours) = hours {
        soak.env("TIEBREAK_HOURS", hours.to_string());
    }
    process::run(&mut soak)
}

#[derive(Debug, Default, PartialEq)]
struct SoakOptions {
    from: u64,
    hours: Option<f64>,
}

fn asked(words: &[String]) -> Result<SoakOptions, String> {
    let mut asked = SoakOptions::default();
    for pair in words.chunks(2) {
        match pair.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["--from", number] => {
                asked.from =
                    number.parse().map_err(|_| format!("--from: expected the number of a case, got {number}"))?;
            }
            ["--hours", hours] => asked.hours = Some(read_hours(hours)?),
            _ => return Err(format!("expected --from N or --hours H, got {}", pair.join(" "))),
        }
    }
    Ok(asked)
}

/// At most ten years, so that no clock overflows.
fn read_hours(word: &str) -> Result<f64, String> {
    let hours = word.parse().ok().filter(|hours| (0.0..=87_600.0).contains(hours));
    hours.ok_or_else(|| format!("--hours: expected 0 to 87600 hours, got {word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<SoakOptions, String> {
        asked(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn where_to_begin_and_how_long() {
        assert_eq!(of(""), Ok(SoakOptions { from: 0, hours: None }));
        assert_eq!(of("--hours 0.5 --from 7000"), Ok(SoakOptions { from: 7_000, hours: Some(0.5) }));
        for line in ["--from", "--from -1", "--hours soon", "--hours NaN", "--hours -1", "--cases 9", "9"] {
            assert!(of(line).is_err_and(|told| told.contains("expected")), "{line}");
        }
    }
}
