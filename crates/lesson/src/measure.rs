//! What a claim can say of a run, by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tiebreak_model::{Bottleneck, Millis};
use tiebreak_placement::RULES;
use tiebreak_sim::metrics::{METRICS, index_of};
use tiebreak_sim::power::events::PowerSummary;
use tiebreak_sim::{RuleShare, Summary, World};

use crate::issue::{one_of, quoted};

/// Which of the two runs of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Run {
    /// The step's scenario.
    Now,
    /// What it is compared with.
    Against,
}

impl Run {
    /// Its word in a claim.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Against => "against",
        }
    }
}

/// Something that a finished run has one number for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Measure {
    /// A figure of the whole run, by its place in [`TOTALS`].
    Total(usize),
    /// A metric over its samples, by its place in [`METRICS`].
    Chart(usize, Fold),
    /// What a rule did on average over sampled decisions, by its place in [`RULES`].
    Rule(usize, Share),
    /// The machine that a VM, by its number in the trace, was placed on last.
    MachineOfVm(u64),
}

/// How the samples of a metric become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Their mean, those that say nothing left out.
    Mean,
    /// The lowest.
    Least,
    /// The highest.
    Most,
    /// The last.
    Last,
}

/// What is asked of a rule, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Of its stage's first candidates, those that it was given.
    Given,
    /// Of its stage's first candidates, those that it left.
    Left,
    /// Of the decisions, those in which it dropped any candidate.
    Decided,
    /// Of the decisions, those in which it left exactly one of several.
    LeftOne,
    /// Of the decisions, those in which it broke the tie.
    Settled,
}

/// A figure of a whole run.
#[derive(Clone, Copy, Debug)]
pub struct Total {
    /// Its name, as in the `summary.json` of `tiebreak run`.
    pub id: &'static str,
    /// Its name in a sentence.
    pub title: &'static str,
    /// The unit behind the number, with nothing for things that are counted.
    pub unit: &'static str,
    value: fn(&Summary) -> Option<f64>,
}

const fn total(id: &'static str, title: &'static str, unit: &'static str, value: fn(&Summary) -> Option<f64>) -> Total {
    Total { id, title, unit, value }
}

fn count(number: u64) -> Option<f64> {
    Some(number as f64)
}

fn refused(run: &Summary, by: Bottleneck) -> Option<f64> {
    count(run.counters.refused_by_network[by as usize])
}

fn drawn(run: &Summary) -> Option<&PowerSummary> {
    run.power.as_ref().filter(|power| power.counted.readings > 0)
}

/// Core-hours of user-facing VMs (0) or of others (1) that were slowed down.
fn slowed(run: &Summary, kind: usize) -> Option<f64> {
    drawn(run).map(|power| power.counted.throttled_core_ms[kind] / Millis::HOUR.0 as f64)
}

/// How unlike chassis (0) or servers (1) are, in percent.
fn deviation(run: &Summary, which: usize) -> Option<f64> {
    run.power.as_ref().map(|power| 100.0 * power.deviations[which])
}

/// Every figure of a whole run.
pub static TOTALS: &[Total] = &[
    total("placements", "VMs placed", "", |run| count(run.placements)),
    total("rejections", "VMs rejected", "", |run| count(run.rejections)),
    total("conflicts", "conflicts", "", |run| count(run.conflicts)),
    total("commits", "commits", "", |run| count(run.counters.commits)),
    total("retries", "retries", "", |run| count(run.counters.retries)),
    total("reallocations", "VMs reallocated", "", |run| count(run.counters.reallocations)),
    total("lost_vms", "VMs lost", "", |run| count(run.counters.lost_vms)),
    total("evictions", "VMs put out", "", |run| count(run.counters.evictions)),
    total("migrations", "migrations made", "", |run| count(run.counters.migrations)),
    total("migrations_scheduled", "migrations scheduled", "", |run| count(run.counters.migrations_scheduled)),
    total("migrations_saved", "migrations saved", "", |run| count(run.counters.migrations_saved)),
    total("repredictions", "repredictions", "", |run| count(run.lives.repredictions)),
    total("conflicts_per_minute_p99", "conflicts in a busy minute", "", |run| Some(run.conflicts_per_minute_p99)),
    total("empty_hosts_pct_mean", "empty hosts", "%", |run| Some(run.empty_hosts_pct_mean)),
    total("packing_density_pct_mean", "packing density", "%", |run| Some(run.packing_density_pct_mean)),
    total("empty_to_free_pct_mean", "empty-to-free ratio", "%", |run| Some(run.empty_to_free_pct_mean)),
    total("stranded_cores_pct_mean", "stranded cores", "%", |run| run.stranded_pct_mean.map(|[cores, _]| cores)),
    total("stranded_memory_pct_mean", "stranded memory", "%", |run| run.stranded_pct_mean.map(|[_, memory]| memory)),
    // Its last twelve digits, which a float holds.
    total("digest", "digest", "", |run| count(run.digest & 0xffff_ffff_ffff)),
    total("cache_hits", "cache hits", "", |run| count(run.counters.cache_hits)),
    total("cache_misses", "cache misses", "", |run| count(run.counters.cache_misses)),
    total("machines_ranked", "machines ranked again", "", |run| count(run.counters.refreshed)),
    total("latency_p50_ms", "median latency", "ms", |run| Some(run.answers.p50_ms)),
    total("latency_p99_ms", "99th percentile latency", "ms", |run| Some(run.answers.p99_ms)),
    // VMs rejected, by what was in the way; where no VMs are linked none of these counts.
    total("refused_by_room", "VMs refused for want of room", "", |run| count(run.counters.refused_by_room)),
    total("refused_by_link", "VMs refused by a link", "", |run| refused(run, Bottleneck::Link)),
    total("refused_by_peering", "VMs refused by peering", "", |run| refused(run, Bottleneck::Peering)),
    total("refused_by_colocation", "VMs refused by co-location", "", |run| refused(run, Bottleneck::Colocation)),
    total("refused_elsewhere", "VMs refused by racks' uplinks", "", |run| refused(run, Bottleneck::Elsewhere)),
    // Requests, where a rule asks what deployments will grow to; where none does nothing is counted.
    total("deployments", "deployments let in", "", |run| count(run.counters.deployments)),
    total("deployments_refused", "deployments not let in", "", |run| count(run.counters.deployments_refused)),
    total("scale_outs", "scale-outs placed", "", |run| count(run.counters.scale_outs)),
    total("scale_outs_failed", "scale-outs failed", "", |run| count(run.counters.scale_outs_failed)),
    // Power, where draws are measured; imbalance also where a rule asks for loads.
    total("capping_events", "capping events", "", |run| drawn(run).map(|power| power.counted.events as f64)),
    total("rapl_engagements", "times the last resort took hold", "", |run| {
        drawn(run).map(|power| power.counted.rapl as f64)
    }),
    total("user_facing_slowed", "user-facing core-hours slowed down", "", |run| slowed(run, 0)),
    total("others_slowed", "other core-hours slowed down", "", |run| slowed(run, 1)),
    total("chassis_deviation_pct", "imbalance of chassis", "%", |run| deviation(run, 0)),
    total("server_deviation_pct", "imbalance of servers", "%", |run| deviation(run, 1)),
];

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
    /// What it is called in a sentence.
    #[must_use]
    pub fn title(self) -> String {
        match self {
            Self::Total(at) => TOTALS[at].title.into(),
            Self::Chart(at, fold) => {
                let how = match fold {
                    Fold::Mean => "mean of ",
                    Fold::Least => "lowest ",
                    Fold::Most => "highest ",
                    Fold::Last => "last ",
                };
                format!("{how}{}", METRICS[at].declaration.title.to_ascii_lowercase())
            }
            Self::Rule(at, share) => {
                let id = rule_id(at);
                match share {
                    Share::Given => format!("candidates given to {id}"),
                    Share::Left => format!("candidates left by {id}"),
                    Share::Decided => format!("decisions in which {id} dropped any"),
                    Share::LeftOne => format!("decisions in which {id} left one"),
                    Share::Settled => format!("ties broken by {id}"),
                }
            }
            Self::MachineOfVm(vm) => format!("machine of VM {vm}"),
        }
    }

    /// The unit of its value; nothing where things are counted.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Total(at) => TOTALS[at].unit,
            Self::Chart(at, _) => METRICS[at].unit,
            Self::Rule(..) => "%",
            Self::MachineOfVm(_) => "",
        }
    }

    /// Its value in a run that is over; none where the run says nothing of it.
    #[must_use]
    pub fn of(self, world: &World) -> Option<f64> {
        let value = match self {
            Self::Total(at) => (TOTALS[at].value)(&world.summary()),
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
            Self::Total(at) => f.write_str(TOTALS[*at].id),
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

/// Why a name is no measure: what was expected and what came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAMeasure {
    /// What could stand there.
    pub expected: String,
    /// What stands there.
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
            let found = TOTALS.iter().position(|total| total.id == name).map(Self::Total);
            let ids = TOTALS.iter().map(|total| total.id);
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
            return Err(no_such("the id of a metric or of a rule before the dot".into()));
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
        let totals = (0..TOTALS.len()).map(Measure::Total);
        let charts = (0..METRICS.len()).flat_map(|at| FOLDS.map(|(_, fold)| Measure::Chart(at, fold)));
        let rules = (0..RULES.len()).flat_map(|at| SHARES.map(|(_, share)| Measure::Rule(at, share)));
        let mut titles = std::collections::BTreeSet::new();
        let mut all = 0;
        for measure in totals.chain(charts).chain(rules).chain([Measure::MachineOfVm(u64::MAX)]) {
            assert_eq!(measure.to_string().parse(), Ok(measure));
            titles.insert(measure.title());
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
            ("Beauty.mean", "expected the id of a metric or of a rule before the dot"),
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
