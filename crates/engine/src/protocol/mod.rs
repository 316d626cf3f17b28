//! What page and engine say to each other.
//!
//! Numbers that may pass 2^53 (digests, fingerprints, names of VMs) travel as text.

mod admission;
mod asking;
mod decisions;
mod explained;
mod importing;
mod learned;
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
    /// A trace's bytes follow.
    TraceBegin {
        /// Its file name, by which formats are recognised first.
        name: String,
        /// Its size in bytes.
        bytes: f64,
        /// What is kept of it, by the values of `TraceSettings`.
        sample: Vec<f64>,
        /// Whether the file is what was kept of it before.
        is_sampled: bool,
        /// What its columns are, where somebody says so; else they are found.
        columns: Vec<String>,
        /// Whether a comma stands before decimals, where somebody says so; else the first row tells.
        decimal_commas: Option<bool>,
    },
    /// Stop reading the trace.
    TraceCancel,
    /// Draw a workload from what was fitted to a trace; it is loaded as a trace is.
    Generate(Generate),
    /// Run the active variant of a document; replaces whatever runs.
    Run {
        /// Names the run in replies.
        run: u32,
        /// The document, as JSON.
        document: String,
        /// Begin paused, to be stepped.
        paused: bool,
    },
    /// Make the run of which [`Reply::Costly`] told, whatever it takes.
    RunAnyway {
        /// The run.
        run: u32,
    },
    /// Hold the run.
    Pause,
    /// Go on.
    Resume,
    /// Go on for one step.
    Step {
        /// Until when.
        to: StepTo,
    },
    /// Explain a VM's decisions in the last run.
    Explain {
        /// The run whose document is explained.
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
    /// Put what is on the page behind the last step of a lesson.
    Freeze {
        /// The lesson's Markdown so far; empty begins one.
        lesson: String,
        /// The step.
        step: Box<Frozen>,
    },
    /// Follow the cluster over years, with the admission rules of the active variant of a document; replaces
    /// whatever runs.
    Years {
        /// Names the run in replies.
        run: u32,
        /// The document, as JSON.
        document: String,
    },
    /// Answer a question.
    Ask(Ask),
    /// Give what is measured of a run that is over.
    Measures {
        /// The run.
        run: u32,
        /// What.
        measures: Vec<Measure>,
    },
    /// Give the machine of every VM, as bytes beside the reply.
    Placements {
        /// The run.
        run: u32,
    },
    /// Name the first VMs that stand elsewhere in another run; its placements come as bytes beside
    /// the command.
    Differ {
        /// The run.
        run: u32,
        /// The other one.
        other: u32,
    },
    /// Say how every machine stood at a moment of the run, as bytes beside the reply.
    Moment {
        /// The run.
        run: u32,
        /// The moment.
        time_ms: f64,
    },
    /// Make a file for other programs; it comes beside the reply.
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
    /// Make of a cluster or a scheduler's configuration, which comes as a file beside the command, what it becomes in
    /// a document.
    Import {
        /// The file's name.
        name: String,
        /// The document, as JSON.
        document: String,
    },
    /// Make a file of what stands elsewhere for each rule of a document.
    Twins {
        /// The document, as JSON.
        document: String,
    },
}

/// What a step goes on to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepTo {
    /// The next decision about a VM.
    #[default]
    Vm,
    /// The next rule of such a decision; the page shows one after the other.
    Rule,
    /// The next commit that fails.
    Conflict,
}

/// From the engine to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The engine is there.
    Ready,
    /// How far reading a trace has come.
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
        /// What was expected, what came, what to do.
        message: Phrase,
        /// The first lines of a table whose columns are not known, and what each of them may be.
        unknown: Option<Unknown>,
    },
    /// A run needs a trace that is not loaded; it begins as soon as it is.
    TraceNeeded {
        /// The run.
        run: u32,
        /// Its fingerprint, 32 hex digits.
        fingerprint: String,
        /// The file name it had.
        name: String,
        /// What is kept of it, by the values of `TraceSettings`.
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
    /// A predictor of lifetimes learns before a run begins.
    Learning {
        /// The run.
        run: u32,
        /// How much is done, 0 to 1.
        share: f64,
        /// Whether it is held.
        paused: bool,
    },
    /// A run has begun.
    Started {
        /// The run.
        run: u32,
        /// Where everything stands.
        layout: Layout,
        /// When the trace ends.
        horizon_ms: f64,
        /// What cannot go well, whatever the rules.
        warning: Option<Phrase>,
        /// What will not go well on these machines, a sentence each.
        doubts: Vec<Phrase>,
        /// Which VMs start years from all others, in a sentence.
        outliers: Option<Phrase>,
        /// What was learned of lifetimes, if any rule asks for them.
        learned: Option<Box<Learned>>,
        /// What its virtual datacenters are like, if VMs are linked.
        vdcs: Option<Box<VdcProfile>>,
    },
    /// More samples, and how far the run has come.
    Progress(Progress),
    /// A run has ended.
    Finished {
        /// The run.
        run: u32,
        /// What came out.
        result: RunResult,
        /// When each frame of the fleet map was taken.
        frame_times: Vec<f64>,
        /// Where commits failed before each frame and since the one before it.
        failed: Vec<Failed>,
    },
    /// A run cannot be done.
    Failed {
        /// The run.
        run: u32,
        /// What was expected, what came, what to do.
        message: Phrase,
    },
    /// How far a cluster over years has come, and at the end what came out.
    Years {
        /// The run.
        run: u32,
        /// How much of it is done, 0 to 1.
        share: f64,
        /// What came out, at the end.
        result: Option<Box<YearsResult>>,
    },
    /// How far the answer to a question has come, and at the end what it is, or why there is none.
    Answer {
        /// The question's number.
        number: u32,
        /// How much of it is done, 0 to 1.
        share: f64,
        /// The answer, at the end.
        told: Option<Result<Box<Answer>, Phrase>>,
    },
    /// A VM's decisions, one per attempt; the last is the one that counts. One that lost its
    /// machine was decided again.
    Explained {
        /// The run.
        run: u32,
        /// The VM as asked for.
        vm: String,
        /// Empty when the VM was never decided.
        attempts: Vec<Explained>,
        /// What became of it after it had a machine, a sentence each.
        story: Vec<Phrase>,
        /// Why there is none.
        message: Option<Phrase>,
    },
    /// A lesson was read.
    Lesson(Box<Lesson>),
    /// A lesson has one step more, or why it has not.
    Frozen(Result<String, Vec<String>>),
    /// A lesson could not be read.
    NoLesson {
        /// Everything that is wrong with it, by line.
        issues: Vec<String>,
    },
    /// A file could not be made; why, and what to do.
    NotSaved(String),
    /// What was measured of a run; none where it says nothing.
    Measures {
        /// The run.
        run: u32,
        /// What.
        measures: Vec<Measure>,
        /// One value for each.
        values: Vec<Option<f64>>,
    },
    /// How every machine stood at a moment, as bytes beside this.
    Moment {
        /// The run.
        run: u32,
        /// The moment.
        time_ms: f64,
    },
    /// The machine of every VM, as bytes beside this.
    Placements {
        /// The run.
        run: u32,
    },
    /// The first VMs that stand elsewhere in another run.
    Differences {
        /// The run.
        run: u32,
        /// The other one.
        other: u32,
        /// In order of their requests, at most [`DIFFERENCES_MAX`](crate::DIFFERENCES_MAX).
        first: Vec<Difference>,
        /// How many VMs differ, of how many.
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
        /// Whether there is such a machine.
        is_there: bool,
        /// A line about the machine, or which machines there are.
        about: Phrase,
        /// What lifetime rules make of it, in words.
        life: Option<HostLife>,
        /// Its VMs.
        vms: Vec<VmCard>,
        /// Why it is not empty; none where it is.
        holder: Option<Holder>,
    },
    /// A cluster or a scheduler's configuration was read; its VMs are loaded.
    Imported(Box<Imported>),
    /// It was not; what was expected, what came, what to do.
    NotImported {
        /// The file.
        name: String,
        /// A sentence.
        why: String,
    },
}

impl Reply {
    /// The run it is about, if it is about one.
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
