//! The parts of the page that a step shows beside its text: rules, charts and other controls, by name.

use serde::{Deserialize, Serialize};
use tiebreak_placement::{RULES, rules};
use tiebreak_scenario::GALLERY;
use tiebreak_sim::METRICS;

use crate::entries::Entry;
use crate::issue::{Issues, one_of, quoted};

/// The word for all items of a kind.
const ALL: &str = "all";

/// A part of the page that is neither a rule nor a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Control {
    /// The fleet map, one cell a machine.
    Map,
    /// Moving through the run.
    Timeline,
    /// Events on the timeline: failures, spikes, maintenance.
    Events,
    /// The explanation of a VM's placement.
    Explain,
    /// Buckets of the displayed rules.
    Buckets,
    /// Weights of the displayed rules.
    Weights,
    /// The agents' settings.
    Agents,
    /// The cache layers.
    Caches,
    /// Statistics of caches and agents.
    Anatomy,
    /// The machines.
    Machines,
    /// The workload's settings.
    Workload,
    /// Predictors, lifetime settings, and prediction quality.
    Lifetimes,
    /// Virtual datacenters, the network, and the bounds on links.
    Network,
    /// Beliefs about deployments, and the cluster over years.
    Admission,
    /// Power budgets, throttled VMs, and the lowest possible budgets.
    Power,
    /// The seed.
    Seed,
    /// Custom rules and their editor.
    Editor,
}

impl Control {
    /// Every control, in writing order.
    pub const EVERY: &'static [Self] = &[
        Self::Map,
        Self::Timeline,
        Self::Events,
        Self::Explain,
        Self::Buckets,
        Self::Weights,
        Self::Agents,
        Self::Caches,
        Self::Anatomy,
        Self::Machines,
        Self::Workload,
        Self::Lifetimes,
        Self::Network,
        Self::Admission,
        Self::Power,
        Self::Seed,
        Self::Editor,
    ];

    /// Its name in a lesson.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::Timeline => "timeline",
            Self::Events => "events",
            Self::Explain => "explain",
            Self::Buckets => "buckets",
            Self::Weights => "weights",
            Self::Agents => "agents",
            Self::Caches => "caches",
            Self::Anatomy => "anatomy",
            Self::Machines => "machines",
            Self::Workload => "workload",
            Self::Lifetimes => "lifetimes",
            Self::Network => "network",
            Self::Admission => "admission",
            Self::Power => "power",
            Self::Seed => "seed",
            Self::Editor => "editor",
        }
    }
}

/// Everything that a step shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlocks {
    /// Rules by id, in the order written; the page has its own order.
    pub rules: Vec<String>,
    /// Other controls.
    pub controls: Vec<Control>,
    /// Charts by the id of their metric, topmost first.
    pub charts: Vec<String>,
}

impl Unlocks {
    /// Everything.
    #[must_use]
    pub fn all() -> Self {
        Self {
            rules: rule_ids().map(String::from).collect(),
            controls: Control::EVERY.to_vec(),
            charts: metric_ids().map(String::from).collect(),
        }
    }

    /// Reads the lines of a block.
    pub(crate) fn read(entries: &[Entry<'_>], issues: &Issues) -> Self {
        let mut unlocks = Self::default();
        for entry in entries {
            match entry.key {
                "rules" => take(&mut unlocks.rules, entry, rule_ids, String::from, issues),
                "charts" => take(&mut unlocks.charts, entry, metric_ids, String::from, issues),
                "controls" => {
                    let words = || Control::EVERY.iter().map(|control| control.word());
                    take(&mut unlocks.controls, entry, words, control, issues);
                }
                other => {
                    let advice = "write, for instance, rules: BestFit";
                    issues.add(entry.line, "rules, controls or charts", quoted(other), advice);
                }
            }
        }
        unlocks
    }

    /// Its lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        let everything = Self::all();
        let words: Vec<_> = self.controls.iter().map(|control| control.word().to_owned()).collect();
        [
            ("rules", &self.rules, self.rules == everything.rules),
            ("controls", &words, self.controls == everything.controls),
            ("charts", &self.charts, self.charts == everything.charts),
        ]
        .into_iter()
        .filter(|(_, names, _)| !names.is_empty())
        .map(|(key, names, all)| format!("{key}: {}", if all { ALL.into() } else { names.join(", ") }))
        .collect()
    }
}

/// Built-in rules, then gallery rules that are not built in.
fn rule_ids() -> impl Iterator<Item = &'static str> {
    let known = GALLERY.iter().map(|rule| rule.name).filter(|name| rules::find(name).is_none());
    RULES.iter().map(|entry| entry.declaration.id).chain(known)
}

fn metric_ids() -> impl Iterator<Item = &'static str> {
    METRICS.iter().map(|metric| metric.declaration.id)
}

fn control(word: &str) -> Control {
    let found = Control::EVERY.iter().find(|control| control.word() == word);
    *found.expect("a word of a control")
}

/// Adds the names of one line without duplicates; all must be known.
fn take<T: PartialEq, I: Iterator<Item = &'static str>>(
    taken: &mut Vec<T>,
    entry: &Entry<'_>,
    known: impl Fn() -> I,
    make: impl Fn(&'static str) -> T,
    issues: &Issues,
) {
    let mut add = |name: &'static str| {
        let item = make(name);
        if !taken.contains(&item) {
            taken.push(item);
        }
    };
    if entry.value == ALL {
        return known().for_each(add);
    }
    for name in entry.value.split(',').map(str::trim) {
        match known().find(|other| *other == name) {
            Some(name) => add(name),
            None => issues.add(
                entry.line,
                one_of(known()),
                quoted(name),
                "separate names with commas; `all` selects \
                 all",
            ),
        }
    }
}
