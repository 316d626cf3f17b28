//! The parts of the state that the page shows.

use tiebreak_model::Phrase;
use tiebreak_scenario::{Document, TraceSettings};

use tiebreak_engine::protocol::{
    Anatomy, Difference, Exhibit, Explained, Failed, Holder, HostLife, Layout, Learned, RunResult, VdcProfile, VmCard,
};

/// What the page shows besides the run in front.
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

/// What a run has given so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The run.
    pub run: u32,
    /// What ran.
    pub document: Document,
    /// Where machines stand.
    pub layout: Layout,
    /// When the trace ends.
    pub horizon_ms: f64,
    /// When samples were taken.
    pub times: Vec<f64>,
    /// Per metric, a value per sample.
    pub values: Vec<Vec<f64>>,
    /// When frames were taken.
    pub frame_times: Vec<f64>,
    /// Where commits failed before each frame and since the one before it.
    pub failed: Vec<Failed>,
    /// Where they failed lately, while it runs.
    pub failing: Failed,
    /// What agents and caches did so far.
    pub anatomy: Anatomy,
    /// What was learned of lifetimes, if any rule asks for them.
    pub learned: Option<Box<Learned>>,
    /// What its virtual datacenters are like, if VMs are linked.
    pub vdcs: Option<Box<VdcProfile>>,
    /// What there is to say of power, where anybody asks for it and the run is over.
    pub power: Vec<Exhibit>,
    /// What cannot go well, whatever the rules.
    pub warning: Option<Phrase>,
    /// What will not go well on its machines, a sentence each.
    pub doubts: Vec<Phrase>,
    /// Which VMs start years from all others, in a sentence.
    pub outliers: Option<Phrase>,
    /// What came out; none while it runs.
    pub result: Option<RunResult>,
    /// Whether it came with the page, to be compared with before there is another.
    pub is_example: bool,
}

/// Where the run stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Phase {
    /// Nothing asked of the engine yet.
    #[default]
    Idle,
    /// Under way.
    Running,
    /// Held, to be stepped or resumed.
    Paused,
    /// Done.
    Finished,
    /// Waiting for a file.
    NeedsTrace {
        /// 32 hex digits.
        fingerprint: String,
        /// The file's name.
        name: String,
        /// What is to be kept of it.
        sample: TraceSettings,
    },
    /// Estimated to take long or much memory, and waiting for somebody to say that it may.
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
    /// Whether it is drawn, and not read from a file.
    pub is_drawn: bool,
}

/// What people look at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The custom rule that is edited.
    pub rule: Option<String>,
    /// The VM asked about.
    pub vm: String,
    /// The machine asked about.
    pub asked: Option<u32>,
    /// The machine clicked.
    pub machine: Option<u32>,
    /// Whether the run has such a machine, as far as is known.
    pub is_there: bool,
    /// A line about it, or which machines there are.
    pub about: Phrase,
    /// What lifetime rules make of it.
    pub life: Option<HostLife>,
    /// Its VMs.
    pub vms: Vec<VmCard>,
    /// Why it is not empty.
    pub holder: Option<Holder>,
    /// The run, and the VM and machine in it, of which was asked which rule brought them together.
    pub(super) asked_why: Option<(u32, u32, u32)>,
}

/// What a run says of the VM asked about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// Its decisions.
    pub attempts: Vec<Explained>,
    /// What became of it later, a sentence each.
    pub story: Vec<Phrase>,
    /// Why there are no decisions.
    pub message: Option<Phrase>,
}

/// Where two runs first part ways.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Differing {
    /// The run in front, and the other.
    pub runs: (u32, u32),
    /// The first VMs that stand elsewhere.
    pub first: Vec<Difference>,
    /// How many VMs do, of how many; none until that is known.
    pub count: Option<(u32, u32)>,
}
