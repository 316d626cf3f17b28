//! The messages between page and engine.
//!
//! Numbers that may exceed 2^53 (digests, fingerprints, names of VMs) are sent as text.

mod admission;
mod asking;
mod decisions;
mod explained;
mod importing;
mod learned;
mod lists;
mod network;
mod run;
mod saving;
mod trace;

use serde::{Deserialize, Serialize};
use tiebreak_lesson::{Lesson, Measure};
use tiebreak_model::Phrase;

pub use self::admission::{Agreed, FitCard, Forecast, ForecastPoint, RefusedThen, YearsResult, YearsSpan};
pub use self::asking::{Answer, Ask, Exhibit, ExhibitPlot, ExhibitRow, Found, Machines, Needs};
pub use self::decisions::{Decided, Decisions, Which};
pub use self::explained::{
    Collision, Difference, Explained, FunnelStep, Holder, HostLife, Refusal, Refuser, Rival, ScoreRow, VmCard,
};
pub use self::importing::{Imported, WithoutTwin};
pub use self::learned::{Learned, LongLives};
pub use self::lists::ListSearch;
pub use self::network::{Company, VDC_SIZES, VdcProfile};
pub use self::run::{
    AgentCounts, Anatomy, ClusterLayout, Failed, Hint, LayerCounts, Layout, ObjectCounts, Progress, RunResult, Share,
};
pub use self::saving::{Form, Frozen, Picked, Save, Saved};
pub use self::trace::{FITTED, FaultyRow, Generate, TraceCard, Unknown};

/// From the page to the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// A trace follows as bytes.
    TraceBegin {
        /// Its file name, the first hint for recognising the format.
        name: String,
        /// Its size in bytes.
        bytes: f64,
        /// Which part to keep, as the values of `TraceSettings`.
        sample: Vec<f64>,
        /// Whether the file is already that part.
        is_sampled: bool,
        /// Its column names, if the user gives them; otherwise they are detected.
        columns: Vec<String>,
        /// Whether decimals follow a comma, if the user says so; otherwise the first row decides.
        decimal_commas: Option<bool>,
    },
    /// Stop reading the trace.
    TraceCancel,
    /// Generate a workload from a model fitted to a trace; it is loaded like a trace.
    Generate(Generate),
    /// Run the active variant of a document; replaces the current run.
    Run {
        /// Identifies the run in replies.
        run: u32,
        /// The document, as JSON.
        document: String,
        /// Start paused, for stepping.
        paused: bool,
    },
    /// Start the run of [`Reply::Costly`], whatever its cost.
    RunAnyway {
        /// The run.
        run: u32,
    },
    /// Pause the run.
    Pause,
    /// Continue.
    Resume,
    /// Continue for one step.
    Step {
        /// The end of the step.
        to: StepTo,
    },
    /// Explain a VM's decisions in the last run.
    Explain {
        /// The run to explain.
        run: u32,
        /// The VM's number in the trace, or the hash of its name.
        vm: String,
        /// A machine to compare with.
        asked: Option<u32>,
    },
    /// Read a lesson.
    ReadLesson {
        /// Its Markdown.
        text: String,
    },
    /// Append the state of the page to a lesson as its last step.
    Freeze {
        /// The lesson's Markdown so far; empty starts a new one.
        lesson: String,
        /// The step.
        step: Box<Frozen>,
    },
    /// Simulate the cluster over years, with the admission rules of the active variant of a document; replaces the
    /// current run.
    Years {
        /// Identifies the run in replies.
        run: u32,
        /// The document, as JSON.
        document: String,
    },
    /// Answer a question.
    Ask(Ask),
    /// Return measures of a finished run.
    Measures {
        /// The run.
        run: u32,
        /// The measures.
        measures: Vec<Measure>,
    },
    /// Return the machine of every VM, as bytes with the reply.
    Placements {
        /// The run.
        run: u32,
    },
    /// List the first VMs that another run placed elsewhere; its placements come as bytes with the command.
    Differ {
        /// The run.
        run: u32,
        /// The other one.
        other: u32,
    },
    /// Return the state of every machine at a moment of the run, as bytes with the reply.
    Moment {
        /// The run.
        run: u32,
        /// The moment.
        time_ms: f64,
    },
    /// Make a file for other programs, returned with the reply.
    Save(Save),
    /// List the VMs on a machine at a moment of the run.
    Machine {
        /// The run.
        run: u32,
        /// The machine.
        machine: u32,
        /// The moment.
        time_ms: f64,
    },
    /// Convert a cluster or a scheduler's configuration, which comes as a file with the command, to a document.
    Import {
        /// The file's name.
        name: String,
        /// The document, as JSON.
        document: String,
    },
    /// Make a file with the counterparts of each rule of a document in other schedulers.
    Twins {
        /// The document, as JSON.
        document: String,
    },
}

/// Where a step ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepTo {
    /// The next decision about a VM.
    #[default]
    Vm,
    /// The next rule of such a decision; the page shows rules one after the other.
    Rule,
    /// The next failed commit.
    Conflict,
}

/// From the engine to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The engine is ready.
    Ready,
    /// The progress of reading a trace.
    TraceProgress {
        /// Bytes of the file read.
        bytes: f64,
        /// Rows read.
        rows: f64,
    },
    /// A trace was read.
    TraceLoaded(TraceCard),
    /// A trace could not be read.
    TraceFailed {
        /// What was expected, what was found, what to do.
        message: Phrase,
        /// The first lines of a table with unknown columns, and the possible meaning of each.
        unknown: Option<Unknown>,
    },
    /// A run needs a trace that is not loaded; it starts as soon as it is.
    TraceNeeded {
        /// The run.
        run: u32,
        /// Its fingerprint, 32 hex digits.
        fingerprint: String,
        /// The name of its file.
        name: String,
        /// Which part to keep, as the values of `TraceSettings`.
        sample: Vec<f64>,
    },
    /// A run is estimated to take long or much memory; it waits for [`Command::RunAnyway`].
    Costly {
        /// The run.
        run: u32,
        /// The estimate in a sentence.
        told: Phrase,
        /// Time natively.
        seconds: f64,
        /// Memory.
        bytes: f64,
    },
    /// A lifetime predictor is being trained before a run.
    Learning {
        /// The run.
        run: u32,
        /// The progress, 0 to 1.
        share: f64,
        /// Whether it is paused.
        paused: bool,
    },
    /// A run has started.
    Started {
        /// The run.
        run: u32,
        /// The layout of the machines.
        layout: Layout,
        /// When the trace ends.
        horizon_ms: f64,
        /// What must go wrong, whatever the rules.
        warning: Option<Phrase>,
        /// What will go wrong on these machines, one sentence each.
        doubts: Vec<Phrase>,
        /// Which VMs start years from all others, in one sentence.
        outliers: Option<Phrase>,
        /// The training result of the lifetime predictor, if any rule reads predictions.
        learned: Option<Box<Learned>>,
        /// A profile of its virtual datacenters, if VMs are linked.
        vdcs: Option<Box<VdcProfile>>,
    },
    /// New samples, and the progress of the run.
    Progress(Progress),
    /// A run has ended.
    Finished {
        /// The run.
        run: u32,
        /// The results.
        result: RunResult,
        /// The time of each frame of the fleet map.
        frame_times: Vec<f64>,
        /// Where commits failed between each frame and the previous one.
        failed: Vec<Failed>,
    },
    /// A run is not possible.
    Failed {
        /// The run.
        run: u32,
        /// What was expected, what was found, what to do.
        message: Phrase,
    },
    /// The progress of a cluster over years, and its results at the end.
    Years {
        /// The run.
        run: u32,
        /// The progress, 0 to 1.
        share: f64,
        /// The results, at the end.
        result: Option<Box<YearsResult>>,
    },
    /// The progress of an answer, and at the end the answer, or why there is none.
    Answer {
        /// The question's number.
        number: u32,
        /// The progress, 0 to 1.
        share: f64,
        /// The answer, at the end.
        told: Option<Result<Box<Answer>, Phrase>>,
    },
    /// A VM's decisions, one per attempt; the last is final. A VM that lost its machine was decided again.
    Explained {
        /// The run.
        run: u32,
        /// The VM as requested.
        vm: String,
        /// Empty if the VM was never decided.
        attempts: Vec<Explained>,
        /// Its history after its placement, one sentence each.
        story: Vec<Phrase>,
        /// Why there is none.
        message: Option<Phrase>,
    },
    /// A lesson was read.
    Lesson(Box<Lesson>),
    /// The lesson with one more step, or why it cannot be added.
    Frozen(Result<String, Vec<String>>),
    /// A lesson could not be read.
    NoLesson {
        /// Its faults, by line.
        issues: Vec<String>,
    },
    /// A file could not be made: why, and what to do.
    NotSaved(String),
    /// Measures of a run; `None` for those it does not have.
    Measures {
        /// The run.
        run: u32,
        /// The measures.
        measures: Vec<Measure>,
        /// One value per measure.
        values: Vec<Option<f64>>,
    },
    /// The state of every machine at a moment, as bytes with this reply.
    Moment {
        /// The run.
        run: u32,
        /// The moment.
        time_ms: f64,
    },
    /// The machine of every VM, as bytes with this reply.
    Placements {
        /// The run.
        run: u32,
    },
    /// The first VMs that another run placed elsewhere.
    Differences {
        /// The run.
        run: u32,
        /// The other one.
        other: u32,
        /// In order of their requests, at most [`DIFFERENCES_MAX`](crate::DIFFERENCES_MAX).
        first: Vec<Difference>,
        /// The number of VMs that differ, and the total.
        count: (u32, u32),
    },
    /// The VMs on a machine.
    Machine {
        /// The run.
        run: u32,
        /// The machine.
        machine: u32,
        /// The moment.
        time_ms: f64,
        /// Whether the machine exists.
        is_there: bool,
        /// A line about the machine, or the valid machine numbers.
        about: Phrase,
        /// Its lifetime state in words.
        life: Option<HostLife>,
        /// Its VMs.
        vms: Vec<VmCard>,
        /// Why it is not empty; `None` if it is.
        holder: Option<Holder>,
    },
    /// A cluster or a scheduler's configuration was read; its VMs are loaded.
    Imported(Box<Imported>),
    /// The import failed: what was expected, what was found, what to do.
    NotImported {
        /// The file.
        name: String,
        /// A sentence.
        why: String,
    },
}

impl Reply {
    /// The run of the reply, if it has one.
    #[must_use]
    pub fn run(&self) -> Option<u32> {
        match self {
            Self::Lesson(_) | Self::Frozen(_) | Self::NoLesson { .. } => None,
            Self::Answer { .. } | Self::NotSaved(_) | Self::Imported(_) | Self::NotImported { .. } => None,
            Self::Ready | Self::TraceProgress { .. } | Self::TraceLoaded(_) | Self::TraceFailed { .. } => None,
            Self::Progress(progress) => Some(progress.run),
            Self::TraceNeeded { run, .. }
            | Self::Costly { run, .. }
            | Self::Learning { run, .. }
            | Self::Started { run, .. }
            | Self::Finished { run, .. }
            | Self::Failed { run, .. }
            | Self::Explained { run, .. }
            | Self::Measures { run, .. }
            | Self::Placements { run }
            | Self::Moment { run, .. }
            | Self::Differences { run, .. }
            | Self::Years { run, .. }
            | Self::Machine { run, .. } => Some(*run),
        }
    }
}
