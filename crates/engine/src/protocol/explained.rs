//! An explained decision about a VM; and the VMs of a machine.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

use super::network::Company;

/// An explained decision about a VM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// One sentence: where it was placed and which rule decided, or why it was refused.
    pub sentence: Phrase,
    /// What the VM requested.
    pub vm: Phrase,
    /// When, by which agent, which attempt, how the cache served it.
    pub circumstances: Phrase,
    /// Whether it had lost its machine.
    pub is_reallocation: bool,
    /// Its predicted lifetime, in a sentence.
    pub life: Option<Phrase>,
    /// Candidates after each rule.
    pub funnel: Vec<FunnelStep>,
    /// The step at which each machine dropped out, one byte per machine id: the step's number in the funnel, 255 for
    /// the machines tied for best.
    pub dropped_at: Vec<u8>,
    /// When the agent decided, in simulated milliseconds.
    pub at_ms: f64,
    /// Why its commit failed, if it did.
    pub collision: Option<Collision>,
    /// The machine chosen.
    pub winner: Option<u32>,
    /// The next best machine.
    pub runner_up: Option<u32>,
    /// The rule that decided between them.
    pub decided_by: Option<String>,
    /// Rule by rule: winner, runner-up, and the machine in question.
    pub scores: Vec<ScoreRow>,
    /// About the machine in question.
    pub asked: Option<Phrase>,
    /// Why no machine is valid, if none is.
    pub refusal: Option<Refusal>,
    /// The VMs it is linked with, if any.
    pub company: Option<Box<Company>>,
}

/// Why a commit failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collision {
    /// The agent of the commit.
    pub agent: u32,
    /// The machine that caused it: the chosen one, or that of another VM of the request.
    pub machine: u32,
    /// The VMs that had used the machine's capacity, as far as known, in order of arrival.
    pub rivals: Vec<Rival>,
    /// The whole explanation in words.
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

/// Why no machine is valid for a VM, rule by rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// Machines of the zone.
    pub machines: u32,
    /// The rules that exclude any machine, in policy order.
    pub rules: Vec<Refuser>,
    /// A sentence about the machine that lacks the least capacity, if any machine lacks nothing else.
    pub closest: Option<Phrase>,
}

/// A rule that excludes machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refuser {
    /// The rule.
    pub rule: String,
    /// The number of machines it excludes.
    pub machines: u32,
    /// Of these, those that no earlier rule excludes.
    pub first: u32,
    /// The effect of removing it, in a few words; `None` if other rules exclude the same machines.
    pub without: Option<Phrase>,
}

/// One row of the funnel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunnelStep {
    /// The rule.
    pub rule: String,
    /// "clusters" or "machines".
    pub of: String,
    /// The number of candidates before it.
    pub before: u32,
    /// The number of candidates that it left.
    pub after: u32,
    /// Whether it is a validator; otherwise a preference.
    pub validates: bool,
}

/// One rule's verdicts on the compared machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreRow {
    /// The rule.
    pub rule: String,
    /// Verdicts in words, for the winner, the runner-up and the machine in question.
    pub verdicts: Vec<Phrase>,
}

/// A VM on a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VmCard {
    /// Its number in the trace, or the hash of its name.
    pub vm: String,
    /// What it requested.
    pub demand: Phrase,
    /// When it was placed.
    pub since_ms: f64,
    /// When it ends according to the trace, in words.
    pub ends: Phrase,
    /// When it is expected to leave, in words; `None` if no rule reads predicted lifetimes.
    pub expected: Option<Phrase>,
    /// Whether the machine is recycling and waits for it.
    pub residual: bool,
}

/// Why a machine is not empty: the VM that holds it longest according to the trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// Its number in the trace, or the hash of its name.
    pub vm: String,
    /// Its index in the workload.
    pub id: u32,
    /// Until when it holds the machine, how long alone, and what would free it: one sentence each.
    pub said: Vec<Phrase>,
}

/// A machine's lifetime state in words (LAVA section 4.3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostLife {
    /// Which VMs it accepts, which it waits for, and when it should be free.
    pub state: Phrase,
    /// The last changes of its state, newest first, each with its reason.
    pub turns: Vec<Phrase>,
}

/// A VM that two runs place differently.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Its number in the trace, or the hash of its name.
    pub vm: String,
    /// When it was requested.
    pub at_ms: f64,
    /// Its machine in this run and in the other; `None` if it has none.
    pub machines: [Option<u32>; 2],
}
