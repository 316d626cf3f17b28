//! The runs of a sweep that belong to this process.

use std::fmt;

use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

/// One part of a sweep: every n-th run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 0.
    index: u64,
    of: u64,
}

impl Shard {
    /// The shard that `--shard` names, or the whole sweep.
    pub(crate) fn of(given: &Given) -> Result<Self, Failure> {
        given.one("shard").map_or(Ok(Self { index: 0, of: 1 }), Self::read)
    }

    fn read(text: &str) -> Result<Self, Failure> {
        let numbers = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((part, of)) if (1..=of).contains(&part) => Ok(Self { index: part - 1, of }),
            _ => Err(Failure(format!(
                "expected I/N after --shard, I from 1 to N, got \"{text}\"; write, for instance, 1/4"
            ))),
        }
    }

    /// Whether a run belongs to it.
    pub(crate) fn has(&self, number: u64) -> bool {
        number % self.of == self.index
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_in_one_shard() {
        let shards: Vec<_> = (1..=3).map(|part| Shard::read(&format!("{part}/3")).expect("a shard")).collect();
        for number in 0..20 {
            assert_eq!(shards.iter().filter(|shard| shard.has(number)).count(), 1, "run {number}");
        }
        assert_eq!(shards[1].to_string(), "2/3");
        for text in ["0/3", "4/3", "1", "a/b", "1/0", "-1/3", "1/3/5", ""] {
            assert!(Shard::read(text).is_err(), "{text}");
        }
    }
}
