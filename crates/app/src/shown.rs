//! The displayed parts of the state.

use tiebreak_model::Phrase;
use tiebreak_scenario::{Document, TraceSettings};

use tiebreak_engine::protocol::{
    Anatomy, Difference, Exhibit, Explained, Failed, Holder, HostLife, Layout, Learned, RunResult, VdcProfile, VmCard,
};
use tiebreak_engine::questions::Question;

/// What the page shows in addition to the active variant's run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Everything that can be changed.
    #[default]
    Explore,
    /// Two variants side by side.
    Compare,
    /// A lesson, step by step.
    Lesson,
}

/// The results of a run so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The run.
    pub run: u32,
    /// What ran.
    pub document: Document,
    /// The layout of the machines.
    pub layout: Layout,
    /// The end of the trace.
    pub horizon_ms: f64,
    /// The times of the samples.
    pub times: Vec<f64>,
    /// The samples of each metric.
    pub values: Vec<Vec<f64>>,
    /// The times of the frames.
    pub frame_times: Vec<f64>,
    /// Where commits failed between each frame and the previous one.
    pub failed: Vec<Failed>,
    /// Where they failed recently, during the run.
    pub failing: Failed,
    /// Counters of agents and caches so far.
    pub anatomy: Anatomy,
    /// The training result of the lifetime predictor, if any rule reads predictions.
    pub learned: Option<Box<Learned>>,
    /// A profile of its virtual datacenters, if VMs are linked.
    pub vdcs: Option<Box<VdcProfile>>,
    /// What the run says of itself once it has ended: exhibits by question.
    pub told: Vec<(&'static str, Vec<Exhibit>)>,
    /// What must go wrong, whatever the rules.
    pub warning: Option<Phrase>,
    /// What will go wrong on its machines, one sentence each.
    pub doubts: Vec<Phrase>,
    /// Which VMs start years from all others, in one sentence.
    pub outliers: Option<Phrase>,
    /// The results; `None` during the run.
    pub result: Option<RunResult>,
    /// Whether it is the included baseline, for comparison before there is another one.
    pub is_example: bool,
}

impl Outcome {
    /// What the run says to a question; empty until it is answered, and if it was not asked.
    #[must_use]
    pub fn exhibits<Q: Question>(&self) -> &[Exhibit] {
        let told = self.told.iter().rfind(|(id, _)| *id == Q::DECLARATION.id);
        told.map_or(&[], |(_, exhibits)| exhibits)
    }
}

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Phase {
    /// Nothing requested from the engine yet.
    #[default]
    Idle,
    /// Under way.
    Running,
    /// Paused, to be stepped or resumed.
    Paused,
    /// Done.
    Finished,
    /// Waiting for a file.
    NeedsTrace {
        /// 32 hex digits.
        fingerprint: String,
        /// The file's name.
        name: String,
        /// Which part of it to keep.
        sample: TraceSettings,
    },
    /// Estimated to take long or much memory, and waiting for confirmation.
    Costly {
        /// The estimate in a sentence.
        told: Phrase,
        /// Time natively.
        seconds: f64,
        /// Memory.
        bytes: f64,
    },
    /// Not possible.
    Failed(Phrase),
}

/// A trace being read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// File name.
    pub name: String,
    /// Its size in bytes.
    pub total: f64,
    /// Bytes read.
    pub bytes: f64,
    /// Rows read.
    pub rows: f64,
    /// Whether it is generated, not read from a file.
    pub is_drawn: bool,
}

/// What the user looks at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The custom rule being edited.
    pub rule: Option<String>,
    /// The VM in question.
    pub vm: String,
    /// The machine in question.
    pub asked: Option<u32>,
    /// The machine clicked.
    pub machine: Option<u32>,
    /// Whether the run has such a machine, as far as is known.
    pub is_there: bool,
    /// A line about it, or the valid machine numbers.
    pub about: Phrase,
    /// Its lifetime state.
    pub life: Option<HostLife>,
    /// Its VMs.
    pub vms: Vec<VmCard>,
    /// Why it is not empty.
    pub holder: Option<Holder>,
    /// The run, VM and machine of the last question about which rule placed the VM there.
    pub(super) asked_why: Option<(u32, u32, u32)>,
}

/// A run's explanation of the VM in question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// Its decisions.
    pub attempts: Vec<Explained>,
    /// Its later history, one sentence each.
    pub story: Vec<Phrase>,
    /// Why there are no decisions.
    pub message: Option<Phrase>,
}

/// Where two runs first differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Differing {
    /// The active variant's run, and the other.
    pub runs: (u32, u32),
    /// The first VMs that are placed elsewhere.
    pub first: Vec<Difference>,
    /// How many VMs differ, and the total; `None` until that is known.
    pub count: Option<(u32, u32)>,
}
