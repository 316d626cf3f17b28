//! Measures of a run that claims can use, by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tiebreak_model::{Phrase, phrase};
use tiebreak_placement::RULES;
use tiebreak_sim::metrics::{METRICS, index_of};
use tiebreak_sim::{FIGURES, RuleShare, World};

use crate::issue::{one_of, quoted};

/// One of the two runs of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Run {
    /// The step's scenario.
    Now,
    /// The comparison.
    Against,
}

impl Run {
    /// Its name in a claim.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Against => "against",
        }
    }
}

/// Something that has one number in a finished run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Measure {
    /// A figure of the whole run, by its index in [`FIGURES`].
    Total(usize),
    /// A metric over its samples, by its index in [`METRICS`].
    Chart(usize, Fold),
    /// The average effect of a rule over sampled decisions, by its index in [`RULES`].
    Rule(usize, Share),
    /// The last machine of a VM, which is given by its number in the trace.
    MachineOfVm(u64),
}

/// How the samples of a metric are reduced to one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Their mean, ignoring missing samples.
    Mean,
    /// The lowest.
    Least,
    /// The highest.
    Most,
    /// The last.
    Last,
}

/// A measure of a rule, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// The share of its stage's initial candidates that it received.
    Given,
    /// The share of its stage's initial candidates that it left.
    Left,
    /// The share of decisions in which it removed any candidate.
    Decided,
    /// The share of decisions in which it left exactly one of several candidates.
    LeftOne,
    /// The share of decisions in which it broke the tie.
    Settled,
}

/// The figures available in claims: indices in [`FIGURES`], ids and titles.
fn totals() -> impl Iterator<Item = (usize, &'static str, &'static str)> {
    FIGURES.iter().enumerate().filter_map(|(at, figure)| figure.claim().map(|(id, title)| (at, id, title)))
}

/// The id and the title of a figure in claims.
fn total(at: usize) -> (&'static str, &'static str) {
    FIGURES[at].claim().unwrap_or((FIGURES[at].id, FIGURES[at].id))
}

const FOLDS: [(&str, Fold); 4] =
    [("mean", Fold::Mean), ("least", Fold::Least), ("most", Fold::Most), ("last", Fold::Last)];

const SHARES: [(&str, Share); 5] = [
    ("given", Share::Given),
    ("left", Share::Left),
    ("decided", Share::Decided),
    ("left_one", Share::LeftOne),
    ("settled", Share::Settled),
];

const MACHINE_OF_VM: &str = "machine_of_vm_";

impl Measure {
    /// Its name within a sentence.
    #[must_use]
    pub fn title(self) -> Phrase {
        match self {
            Self::Total(at) => Phrase::text(total(at).1),
            Self::Chart(at, fold) => {
                let metric = Phrase::text(METRICS[at].declaration.title.to_ascii_lowercase());
                match fold {
                    Fold::Mean => phrase!("mean of {}", metric),
                    Fold::Least => phrase!("lowest {}", metric),
                    Fold::Most => phrase!("highest {}", metric),
                    Fold::Last => phrase!("last {}", metric),
                }
            }
            Self::Rule(at, share) => {
                let id = rule_id(at);
                match share {
                    Share::Given => phrase!("candidates given to {id}", id),
                    Share::Left => phrase!("candidates left by {id}", id),
                    Share::Decided => phrase!("decisions in which {id} dropped any", id),
                    Share::LeftOne => phrase!("decisions in which {id} left one", id),
                    Share::Settled => phrase!("ties broken by {id}", id),
                }
            }
            Self::MachineOfVm(vm) => phrase!("machine of VM {vm}", vm),
        }
    }

    /// The unit of its value; empty for counts, or if the title contains it.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Total(at) if total(at).1.contains(FIGURES[at].unit) => "",
            Self::Total(at) => FIGURES[at].unit,
            Self::Chart(at, _) => METRICS[at].unit,
            Self::Rule(..) => "%",
            Self::MachineOfVm(_) => "",
        }
    }

    /// Its value in a finished run; `None` if the run has none.
    #[must_use]
    pub fn of(self, world: &World) -> Option<f64> {
        let value = match self {
            Self::Total(at) => FIGURES[at].value(&world.summary(), world.plan()),
            Self::Chart(at, fold) => fold.of(world.series().values(at)),
            Self::Rule(at, share) => {
                let summary = world.summary();
                summary.rule_shares.iter().find(|rule| rule.rule == rule_id(at)).map(|rule| share.of(rule))
            }
            Self::MachineOfVm(name) => {
                let vm = world.plan().workload().find(name)?;
                world.placement(vm).map(|(machine, _)| f64::from(machine.0))
            }
        };
        value.filter(|value| value.is_finite())
    }
}

impl Fold {
    fn of(self, samples: &[f64]) -> Option<f64> {
        let mut told = samples.iter().copied().filter(|sample| sample.is_finite());
        match self {
            Self::Mean => {
                let (sum, count) = told.fold((0.0, 0.0), |(sum, count), sample| (sum + sample, count + 1.0));
                (count > 0.0).then_some(sum / count)
            }
            Self::Least => told.reduce(f64::min),
            Self::Most => told.reduce(f64::max),
            Self::Last => told.next_back(),
        }
    }
}

impl Share {
    fn of(self, rule: &RuleShare) -> f64 {
        100.0
            * match self {
                Self::Given => rule.before,
                Self::Left => rule.after,
                Self::Decided => rule.decided,
                Self::LeftOne => rule.left_one,
                Self::Settled => rule.settled,
            }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Total(at) => f.write_str(total(*at).0),
            Self::Chart(at, fold) => write!(f, "{}.{}", METRICS[*at].declaration.id, word(&FOLDS, fold)),
            Self::Rule(at, share) => write!(f, "{}.{}", rule_id(*at), word(&SHARES, share)),
            Self::MachineOfVm(vm) => write!(f, "{MACHINE_OF_VM}{vm}"),
        }
    }
}

fn rule_id(at: usize) -> &'static str {
    RULES[at].declaration.id
}

fn word<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> &'static str {
    words.iter().find(|(_, other)| other == value).map_or("", |(word, _)| word)
}

/// Why a name is not a measure: what was expected, and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAMeasure {
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub got: String,
}

impl fmt::Display for NotAMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, got {}", self.expected, self.got)
    }
}

impl FromStr for Measure {
    type Err = NotAMeasure;

    fn from_str(name: &str) -> Result<Self, NotAMeasure> {
        if let Some(vm) = name.strip_prefix(MACHINE_OF_VM).and_then(|vm| vm.parse().ok()) {
            return Ok(Self::MachineOfVm(vm));
        }
        let no_such = |expected: String| NotAMeasure { expected, got: quoted(name) };
        let Some((owner, part)) = name.split_once('.') else {
            let found = totals().find(|(_, id, _)| *id == name).map(|(at, ..)| Self::Total(at));
            let ids = totals().map(|(_, id, _)| id);
            return found.ok_or_else(|| no_such(format!("{}, METRIC.mean or RULE.left", one_of(ids))));
        };
        if let Some(at) = index_of(owner) {
            let fold = FOLDS.iter().find(|(word, _)| *word == part).map(|(_, fold)| *fold);
            let words = FOLDS.iter().map(|(word, _)| *word);
            return fold
                .map(|fold| Self::Chart(at, fold))
                .ok_or_else(|| no_such(format!("{owner}. with {}", one_of(words))));
        }
        let Some(at) = RULES.iter().position(|entry| entry.declaration.id == owner) else {
            return Err(no_such("the id of a metric or a rule before the dot".into()));
        };
        let share = SHARES.iter().find(|(word, _)| *word == part).map(|(_, share)| *share);
        let words = SHARES.iter().map(|(word, _)| *word);
        share.map(|share| Self::Rule(at, share)).ok_or_else(|| no_such(format!("{owner}. with {}", one_of(words))))
    }
}

impl TryFrom<String> for Measure {
    type Error = NotAMeasure;

    fn try_from(name: String) -> Result<Self, NotAMeasure> {
        name.parse()
    }
}

impl From<Measure> for String {
    fn from(measure: Measure) -> Self {
        measure.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_is_read_back_from_its_name() {
        let totals = totals().map(|(at, ..)| Measure::Total(at));
        let charts = (0..METRICS.len()).flat_map(|at| FOLDS.map(|(_, fold)| Measure::Chart(at, fold)));
        let rules = (0..RULES.len()).flat_map(|at| SHARES.map(|(_, share)| Measure::Rule(at, share)));
        let mut titles = std::collections::BTreeSet::new();
        let mut all = 0;
        for measure in totals.chain(charts).chain(rules).chain([Measure::MachineOfVm(u64::MAX)]) {
            assert_eq!(measure.to_string().parse(), Ok(measure));
            titles.insert(measure.title().to_string());
            all += 1;
        }
        assert_eq!(titles.len(), all, "no two are called alike");
    }

    #[test]
    fn what_is_no_measure_says_what_is() {
        for (name, expected) in [
            ("beauty", "expected placements, rejections, conflicts"),
            ("EmptyHosts.sum", "expected EmptyHosts. with mean, least, most or last, got \"EmptyHosts.sum\""),
            ("BestFit.mean", "expected BestFit. with given, left, decided, left_one or settled"),
            ("Beauty.mean", "expected the id of a metric or a rule before the dot"),
            ("machine_of_vm_x", "expected placements"),
        ] {
            let told = name.parse::<Measure>().expect_err(name).to_string();
            assert!(told.starts_with(expected), "{told}");
        }
    }

    #[test]
    fn samples_that_say_nothing_do_not_count() {
        let samples = [f64::NAN, 3.0, 1.0, f64::NAN];
        let folded = [Fold::Mean, Fold::Least, Fold::Most, Fold::Last].map(|fold| fold.of(&samples));
        assert_eq!(folded, [Some(2.0), Some(1.0), Some(3.0), Some(1.0)]);
        assert_eq!(Fold::Mean.of(&[f64::NAN]), None);
    }
}
