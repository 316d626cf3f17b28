//! A decision about a VM, explained; and the VMs of a machine.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

use super::network::Company;

/// A decision about a VM, explained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// One sentence: where it went and what decided, or why it was refused.
    pub sentence: Phrase,
    /// What the VM asked for.
    pub vm: Phrase,
    /// When, by whom, which attempt, what the cache did.
    pub circumstances: Phrase,
    /// Whether it had lost its machine.
    pub is_reallocation: bool,
    /// What was predicted of its life, in a sentence.
    pub life: Option<Phrase>,
    /// Candidates rule by rule.
    pub funnel: Vec<FunnelStep>,
    /// Where every machine dropped out, a byte each by id: the number of its step in the funnel, 255 for the machines
    /// tied for best.
    pub dropped_at: Vec<u8>,
    /// When the agent decided, in simulated milliseconds.
    pub at_ms: f64,
    /// Why its commit failed, where it did.
    pub collision: Option<Collision>,
    /// The machine chosen.
    pub winner: Option<u32>,
    /// The next best machine.
    pub runner_up: Option<u32>,
    /// The rule that decided between them.
    pub decided_by: Option<String>,
    /// Rule by rule: winner, runner-up, and the machine asked about.
    pub scores: Vec<ScoreRow>,
    /// About the machine asked about.
    pub asked: Option<Phrase>,
    /// Why no machine takes it, when none does.
    pub refusal: Option<Refusal>,
    /// The VMs it is linked with, where it is with any.
    pub company: Option<Box<Company>>,
}

/// Why a commit failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collision {
    /// The agent whose commit it was.
    pub agent: u32,
    /// The machine in the way: the one chosen, or that of another VM of the request.
    pub machine: u32,
    /// The VMs for whose sake the machine could not take this one, as far as they are known; the last to come is the last.
    pub rivals: Vec<Rival>,
    /// All of it in words.
    pub sentence: Phrase,
}

/// A VM that another agent placed on the same machine first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    /// Its number in the trace, or the hash of its name.
    pub vm: String,
    /// The agent.
    pub agent: u32,
}

/// Why no machine takes a VM, rule by rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// Machines of the zone.
    pub machines: u32,
    /// The rules that refuse any, in the order of the list.
    pub rules: Vec<Refuser>,
    /// A sentence about the machine that lacks least room, when there is one that lacks nothing
    /// else.
    pub closest: Option<Phrase>,
}

/// A rule that refuses machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refuser {
    /// The rule.
    pub rule: String,
    /// Machines it refuses.
    pub machines: u32,
    /// Of these, the ones that no rule before it refuses.
    pub first: u32,
    /// What there would be without it, in a few words; none when others refuse the same
    /// machines.
    pub without: Option<Phrase>,
}

/// One row of the funnel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunnelStep {
    /// The rule.
    pub rule: String,
    /// "clusters" or "machines".
    pub of: String,
    /// Candidates it was given.
    pub before: u32,
    /// Candidates it left.
    pub after: u32,
    /// Whether it says where the VM may go at all; else where it had best go.
    pub validates: bool,
}

/// One rule's verdicts side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreRow {
    /// The rule.
    pub rule: String,
    /// Verdicts in words, for the winner, the runner-up and the machine asked about.
    pub verdicts: Vec<Phrase>,
}

/// A VM on a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VmCard {
    /// Its number in the trace, or the hash of its name.
    pub vm: String,
    /// What it asked for.
    pub demand: Phrase,
    /// When it was placed.
    pub since_ms: f64,
    /// When it ends by the trace, in words.
    pub ends: Phrase,
    /// When it is expected to leave, in words; none where no rule asks for lifetimes.
    pub expected: Option<Phrase>,
    /// Whether the machine, recycling, waits for it.
    pub residual: bool,
}

/// Why a machine is not empty: the VM that holds it longest by the trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// Its number in the trace, or the hash of its name.
    pub vm: String,
    /// Its place in the workload.
    pub id: u32,
    /// Until when it holds the machine, how long alone, and what would free it: a sentence each.
    pub said: Vec<Phrase>,
}

/// What lifetime rules make of a machine, in words (LAVA section 4.3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostLife {
    /// What it takes, waits for, and when it should be free.
    pub state: Phrase,
    /// The last changes of that, the newest first, each with its reason.
    pub turns: Vec<Phrase>,
}

/// A VM that two runs place differently.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Its number in the trace, or the hash of its name.
    pub vm: String,
    /// When it was asked for.
    pub at_ms: f64,
    /// Its machine in this run and in the other; none where it has none.
    pub machines: [Option<u32>; 2],
}
