//! What page and engine say to each other.
//!
//! Numbers that may pass 2^53 (digests, fingerprints, names of VMs) travel as text.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tiebreak_lesson::{Lesson, Measure, Unlocks};
use tiebreak_model::Phrase;

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
    /// Find what admission rules may believe of the deployments of the active variant's workload.
    Fit {
        /// The document, as JSON.
        document: String,
    },
    /// Say what a deployment is expected to grow to, by what the active variant of a document believes.
    Forecast {
        /// The document, as JSON.
        document: String,
        /// The deployment.
        ask: ForecastAsk,
    },
    /// Say everything there is to say of power in a run.
    Power {
        /// The run.
        run: u32,
    },
    /// Say how low budgets may be by a file of draws, for chassis like those of a run, or who is user-facing by a file
    /// of CPU readings.
    Draws {
        /// The run.
        run: u32,
        /// The file.
        file: Vec<u8>,
    },
    /// Read a list of machines.
    Nodes {
        /// The file.
        file: Vec<u8>,
    },
    /// Say what the workload of the active variant of a document looks like.
    Profile {
        /// The document, as JSON.
        document: String,
    },
    /// Say how many machines the workload of the active variant of a document needs at least.
    Needs {
        /// The document, as JSON.
        document: String,
        /// Of the kind that the workload suggests, instead of the variant's.
        is_suggested: bool,
        /// How many VMs may be rejected, in percent.
        reject_pct: f64,
    },
    /// Try capping on servers, by the active variant of a document.
    TryCapping {
        /// The document, as JSON.
        document: String,
        /// On which, and how.
        ask: PowerAsk,
    },
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
}

/// A file for other programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Save {
    /// What is in it.
    pub saved: Saved,
    /// How it is written.
    pub form: Form,
    /// The document of whose active variant the workload is, as JSON.
    pub document: String,
}

/// What a file for other programs has, a row a VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Saved {
    /// Who asked for what, and when.
    Workload,
    /// The same, and what became of it in a run.
    Vms {
        /// The run.
        run: u32,
    },
}

/// How such a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Text.
    Csv,
    /// Parquet.
    Parquet,
    /// Our own; workloads only.
    Compact,
}

impl Save {
    /// What the file is called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match (self.saved, self.form) {
            (Saved::Workload, Form::Csv) => "tiebreak-workload.csv",
            (Saved::Workload, Form::Parquet) => "tiebreak-workload.parquet",
            (Saved::Workload, Form::Compact) => "tiebreak-workload.columns",
            (Saved::Vms { .. }, Form::Parquet) => "tiebreak-vms.parquet",
            (Saved::Vms { .. }, _) => "tiebreak-vms.csv",
        }
    }
}

/// A state of the page that becomes a lesson's step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frozen {
    /// The step's title.
    pub title: String,
    /// Its text, as Markdown.
    pub text: String,
    /// The scenario as JSON, of which the variant in front runs.
    pub document: String,
    /// That of the variant it is compared with.
    pub against: Option<String>,
    /// What people see.
    pub unlocks: Unlocks,
    /// The metric whose curve people draw first, by id.
    pub curve: Option<String>,
    /// Why it goes as it does, as Markdown: shown after the run, where something is drawn.
    pub why: String,
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
    /// How far a fit has come, and at the end what it found, or why it could not.
    Fitting {
        /// How much of it is done, 0 to 1.
        share: f64,
        /// What came out, at the end.
        result: Option<Result<Box<FitCard>, Phrase>>,
    },
    /// What a deployment is expected to grow to, or why that cannot be told.
    Forecast(Result<Box<Forecast>, Phrase>),
    /// What there is to say of power in a run.
    Power {
        /// The run.
        run: u32,
        /// As it is to be shown.
        exhibits: Vec<Exhibit>,
    },
    /// The machines of a list, or what is wrong with it.
    Nodes(Result<Vec<Machines>, Phrase>),
    /// What the workload looks like, or why that cannot be told.
    Profile(Result<Box<Profiled>, Phrase>),
    /// How many machines the workload needs at least, or why that cannot be told.
    Needs(Result<Needs, Phrase>),
    /// What a file of draws or CPU readings says, or why that cannot be told.
    Drawn(Result<Box<Exhibit>, Phrase>),
    /// What came of trying capping, or why it cannot be tried.
    Tried(Result<Box<Exhibit>, Phrase>),
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
        /// In order of their requests, at most [`DIFFERENCES_MAX`](crate::engine::DIFFERENCES_MAX).
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
        /// A line about the machine.
        about: Phrase,
        /// What lifetime rules make of it, in words.
        life: Option<HostLife>,
        /// Its VMs.
        vms: Vec<VmCard>,
    },
}

/// What a fit of deployments found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitCard {
    /// Deployments that came while the trace ran.
    pub deployments: u32,
    /// Their scale-outs.
    pub scale_outs: u32,
    /// Cores, or requests, that ended.
    pub ends: f64,
    /// Deployments that outlived the trace.
    pub outlived: u32,
    /// Settings by name, with their values.
    pub settings: Vec<(String, f64)>,
    /// How well it agrees with what was seen: sizes of first requests, lives, times of first scale-outs.
    pub agreements: Vec<Option<Agreed>>,
    /// What the trace cannot say, a sentence each.
    pub cannot_say: Vec<Phrase>,
}

/// Two curves side by side: the share up to a value, as seen and as fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreed {
    /// The largest distance between them.
    pub kolmogorov_smirnov: f64,
    /// Their mean squared distance.
    pub cramer_von_mises: f64,
    /// Value, share as seen, share as fitted.
    pub points: Vec<[f64; 3]>,
}

/// What came of a cluster over years.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct YearsResult {
    /// What makes it the same as another, as 16 hex digits.
    pub digest: String,
    /// Cores of the cluster.
    pub cores: u32,
    /// Month by month.
    pub months: Vec<YearsSpan>,
    /// All of it.
    pub total: YearsSpan,
    /// The most deployments that were in at a time.
    pub most_live: u32,
    /// The newcomer that was refused last, if one was.
    pub refused: Option<Box<RefusedThen>>,
}

/// What came of a span of time of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct YearsSpan {
    /// Its hours.
    pub hours: f64,
    /// Cores in use, in percent.
    pub utilization_pct: f64,
    /// Scale-outs asked for, and failed.
    pub scale_outs: f64,
    /// See there.
    pub failed: f64,
    /// Deployments that asked to be let in, and were.
    pub arrivals: f64,
    /// See there.
    pub admitted: f64,
}

/// A newcomer that a cluster did not let in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefusedThen {
    /// When, in hours from the beginning.
    pub at_hours: f64,
    /// Cores in use then.
    pub used: u32,
    /// Cores it asked for.
    pub asked: f64,
    /// Which rules refused it, and why, to go on from "it".
    pub why: Vec<(String, Phrase)>,
    /// What the cluster was expected to hold with it.
    pub ahead: Vec<ForecastPoint>,
}

/// What is expected at a moment ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForecastPoint {
    /// Hours from now.
    pub hours: f64,
    /// Cores on average.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

/// A deployment to forecast: what was seen of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForecastAsk {
    /// Cores it has had from the beginning.
    pub cores: f64,
    /// Hours since it came.
    pub hours: f64,
    /// Scale-outs seen in that time, each of as many cores as the first request, all of which are gone.
    pub scale_outs: f64,
    /// Observations of each kind that the price of variance is based on.
    pub observations: u32,
}

/// What it is expected to grow to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// Before anything was seen of it but its size.
    pub fresh: Vec<ForecastPoint>,
    /// After all that was.
    pub seen: Vec<ForecastPoint>,
    /// The variances a day ahead that users with two kinds of deployments are charged for, in squared cores: labelled
    /// and not; for some users drawn by the seed, by the former ascending.
    pub charged: Vec<(f64, f64)>,
}

/// Servers to try capping on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerAsk {
    /// A chassis of 12; else one server.
    pub whole_chassis: bool,
    /// Whether each server of it has VMs of both kinds.
    pub balanced: bool,
    /// The budget for each server, in watts.
    pub budget_w: f64,
}

/// Something that the engine found out, to be shown as it stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exhibit {
    /// Its name.
    pub title: Phrase,
    /// What is to be known, a sentence or two each.
    pub said: Vec<Phrase>,
    /// The heads of its columns; none where it has no table.
    pub head: Vec<Phrase>,
    /// Its rows.
    pub rows: Vec<ExhibitRow>,
    /// Its drawing.
    pub plot: Option<ExhibitPlot>,
}

/// A row of an exhibit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExhibitRow {
    /// Column by column; the first names the row.
    pub cells: Vec<Phrase>,
    /// What there is to say to who opens it.
    pub more: Vec<Phrase>,
}

/// A drawing of an exhibit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExhibitPlot {
    /// What stands up the side.
    pub unit: Phrase,
    /// What stands along the bottom.
    pub across: Phrase,
    /// Whether what stands along the bottom grows by factors.
    pub across_is_log: bool,
    /// Its lines: a name, and points from left to right.
    pub lines: Vec<(Phrase, Vec<(f64, f64)>)>,
}

/// What a workload looks like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profiled {
    /// Its parts, in the order in which they are shown.
    pub exhibits: Vec<Exhibit>,
    /// Machines that it could run on.
    pub machines: Machines,
}

/// The machines that a search for their number begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Needs {
    /// Kinds of machines in their proportions.
    pub kinds: Vec<Machines>,
    /// The same in words.
    pub told: Phrase,
    /// As many are needed however well VMs are packed.
    pub bound: u64,
    /// What fills them.
    pub bound_by: String,
}

/// Machines that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machines {
    /// How many.
    pub machines: u32,
    /// Cores of each.
    pub cores: f64,
    /// Memory of each, in GiB.
    pub memory_gib: f64,
}

/// Presets that workloads can be drawn from, by name; the engine has what they hold.
pub const FITTED: [&str; 3] = ["azure-2020", "azure-2019", "azure-2017"];

/// A workload to draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generate {
    /// What it is like: the name of a preset, or the fingerprint of a loaded trace.
    pub like: String,
    /// How many times as many requests come.
    pub rate: f64,
    /// How long it is; 0 for as long as what it is like.
    pub days: f64,
    /// What all chance comes from.
    pub seed: u64,
}

impl Default for Generate {
    fn default() -> Self {
        Self { like: "azure-2020".into(), rate: 1.0, days: 0.0, seed: 1 }
    }
}

/// A table whose columns are not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Unknown {
    /// The fields of its first lines.
    pub rows: Vec<Vec<String>>,
    /// What each column is taken for, by a name on offer; empty for those left aside.
    pub columns: Vec<String>,
    /// The names on offer.
    pub offered: Vec<String>,
}

/// A loaded trace in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceCard {
    /// File name.
    pub name: String,
    /// 32 hex digits.
    pub fingerprint: String,
    /// What was kept of it, by the values of `TraceSettings`.
    pub sample: Vec<f64>,
    /// The format's title.
    pub format: String,
    /// Where files of this format come from, and their licence.
    pub source: String,
    /// VMs kept.
    pub vms: f64,
    /// Rows read.
    pub rows: f64,
    /// Rows refused.
    pub faulty: f64,
    /// The first refused rows, a sentence each.
    pub faults: Vec<Phrase>,
    /// What was corrected and what to know.
    pub notes: Vec<Phrase>,
    /// What this trace cannot answer.
    pub cannot_answer: Vec<String>,
    /// Most cores in use at once, if all VMs are placed.
    pub peak_cores: f64,
    /// Alive when the trace began.
    pub warm: f64,
    /// Days it spans.
    pub days: f64,
    /// When its first request comes, in hours, where that is late.
    pub begins_late_at_hours: Option<f64>,
}

/// Where machines stand, for the fleet map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Clusters by id.
    pub clusters: Vec<ClusterLayout>,
    /// Machines in all.
    pub machines: u32,
    /// Names of lifetime classes, from the shortest; none where no rule asks for lifetimes. Where
    /// there are any, a frame has a second byte for each machine, behind all first ones.
    pub classes: Vec<Phrase>,
    /// Whether VMs are linked, so that a frame has another byte for each machine behind all others: what is
    /// reserved of its uplinks.
    pub has_uplinks: bool,
    /// Whether anybody asks for power; and whether draws are measured, so that a frame has another byte for each
    /// machine behind all others: what it draws of its share of the budget.
    pub has_power: bool,
    /// See there.
    pub has_draws: bool,
}

/// One cluster of the fleet map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterLayout {
    /// Its name.
    pub name: String,
    /// Its racks: first machine, and how many.
    pub racks: Vec<(u32, u32)>,
    /// Chassis that each of them is spread over, earlier ones with one machine more where it does not divide.
    pub chassis: u32,
}

impl Reply {
    /// The run it is about, if it is about one.
    #[must_use]
    pub fn run(&self) -> Option<u32> {
        match self {
            Self::Lesson(_) | Self::Frozen(_) | Self::NoLesson { .. } => None,
            Self::Forecast(_)
            | Self::Fitting { .. }
            | Self::Tried(_)
            | Self::Drawn(_)
            | Self::Profile(_)
            | Self::Needs(_)
            | Self::NotSaved(_)
            | Self::Nodes(_) => None,
            Self::Ready | Self::TraceProgress { .. } | Self::TraceLoaded(_) | Self::TraceFailed { .. } => None,
            Self::Progress(progress) => Some(progress.run),
            Self::TraceNeeded { run, .. }
            | Self::Costly { run, .. }
            | Self::Learning { run, .. }
            | Self::Power { run, .. }
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

/// Samples that were not sent before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The run.
    pub run: u32,
    /// Simulated time reached.
    pub time_ms: f64,
    /// VMs decided.
    pub decided: u32,
    /// VMs in all.
    pub vms: u32,
    /// Index of the first sample below.
    pub from: u32,
    /// When they were taken.
    pub times: Vec<f64>,
    /// Per metric of the list, one value each.
    pub values: Vec<Vec<f64>>,
    /// Whether the run waits to be stepped or resumed.
    pub paused: bool,
    /// The VM decided last, when stepping.
    pub stepped: Option<String>,
    /// Where commits failed lately: in the last few reports, or in the step just made.
    pub failed: Failed,
    /// What agents and caches did.
    pub anatomy: Anatomy,
}

/// A run in one screenful.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// 16 hex digits.
    pub digest: String,
    /// VMs placed.
    pub placements: f64,
    /// Of these, VMs that had ended before they were placed.
    pub ended_before_placed: f64,
    /// VMs rejected.
    pub rejections: f64,
    /// Of these, by cause: alive when the trace began and without room then; no machine had room; rules refused those
    /// that had; commits kept failing.
    pub rejected_by: [f64; 4],
    /// From a request to its answer, in milliseconds: what half of them took at most, and 99 in 100; none of none.
    pub waits_ms: Option<(f64, f64)>,
    /// What is wrong where agents were slow for the workload.
    pub slow_agents: Option<Phrase>,
    /// Commits that failed.
    pub conflicts: f64,
    /// VMs that lost their machine and were placed on another.
    pub reallocations: f64,
    /// VMs that lost their machine and found no other.
    pub lost_vms: f64,
    /// Time-weighted mean share of empty hosts, percent.
    pub empty_hosts_pct: f64,
    /// Time-weighted mean packing density, percent.
    pub packing_density_pct: f64,
    /// Share of decisions that found a rule evaluation, percent.
    pub cache_hit_pct: f64,
    /// How aggressive each rule was.
    pub rule_shares: Vec<Share>,
    /// Sampled decisions in which weights set by hand went in a circle, of how many.
    pub circles: (u32, u32),
    /// Migrations that emptying machines would have taken, and those of them saved because the VM
    /// ended before it was its turn.
    pub migrations: (f64, f64),
    /// How often VMs that ran were predicted again.
    pub repredictions: f64,
    /// Changes of machines' states in words, with how often they happened; none where no rule asks
    /// for lifetimes.
    pub turns: Vec<(String, f64)>,
    /// What a sweep says of it, in the order of [`SWEEP_MEASURES`](tiebreak_scenario::SWEEP_MEASURES).
    pub measures: Vec<Option<f64>>,
    /// How long it took, in milliseconds of real time; filled in by whoever has a clock.
    pub wall_ms: f64,
}

impl RunResult {
    /// The figures that people compare runs by, as JSON.
    pub(crate) fn brief(&self) -> Value {
        json!({
            "digest": self.digest,
            "placements": self.placements,
            "rejections": self.rejections,
            "conflicts": self.conflicts,
            "empty_hosts_pct": self.empty_hosts_pct,
            "packing_density_pct": self.packing_density_pct,
        })
    }

    /// A result of which only [`Self::brief`] was told; what is missing there is 0.
    pub(crate) fn told(brief: &Value) -> Self {
        let number = |name: &str| brief[name].as_f64().unwrap_or_default();
        Self {
            digest: brief["digest"].as_str().unwrap_or_default().to_owned(),
            placements: number("placements"),
            rejections: number("rejections"),
            conflicts: number("conflicts"),
            empty_hosts_pct: number("empty_hosts_pct"),
            packing_density_pct: number("packing_density_pct"),
            ..Self::default()
        }
    }
}

/// What a rule did to its stage's candidates, on average over sampled decisions; 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The rule.
    pub rule: String,
    /// What it was given.
    pub before: f64,
    /// What it left.
    pub after: f64,
    /// How often it dropped any candidate.
    pub decided: f64,
    /// How often it left one of several.
    pub left_one: f64,
    /// What to know of it.
    pub hint: Option<Hint>,
}

/// What to know of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hint {
    /// In two or three words.
    pub label: Phrase,
    /// As a sentence.
    pub sentence: Phrase,
}

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

/// The virtual datacenter of a VM when that was decided (Gridiron section III).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Company {
    /// What it is linked with and what that takes, in a sentence.
    pub sentence: Phrase,
    /// Machines that hold VMs of the VDC, this VM's own among them, and how many.
    pub machines: Vec<(u32, u32)>,
    /// Links between machines, those of one pair together: both machines, Mbit/s, and whether this VM is at an end.
    pub links: Vec<(u32, u32, f64, bool)>,
    /// Machines behind an uplink that had no room for the VM's links: the first, and how many.
    pub behind_full: Option<(u32, u32)>,
}

/// The virtual datacenters of a workload, and what the network carries (Gridiron sections III-B and III-E).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VdcProfile {
    /// VDCs, and how many VMs they have over the whole run.
    pub vdcs: u32,
    /// See `vdcs`.
    pub vms: u32,
    /// The most VMs at a time that half of the VDCs have at most, nine in ten, and all.
    pub peaks: [u32; 3],
    /// VDCs by the most VMs they have at a time, in the classes of [`crate::view::network::SIZES`].
    pub by_size: Vec<u32>,
    /// Cores of the largest VM that is linked, in thousandths.
    pub largest_cores_milli: u32,
    /// The most that the uplinks of a machine carry, in Mbit/s.
    pub uplink_mbps: f64,
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
    /// When it is expected to leave, in words; none where no rule asks for lifetimes.
    pub expected: Option<Phrase>,
    /// Whether the machine, recycling, waits for it.
    pub residual: bool,
}

/// What lifetime rules make of a machine, in words (LAVA section 4.3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostLife {
    /// What it takes, waits for, and when it should be free.
    pub state: Phrase,
    /// The last changes of that, the newest first, each with its reason.
    pub turns: Vec<Phrase>,
}

/// What a predictor of lifetimes learned, and how good it is on VMs that came later: as
/// `tiebreak_lifetime::Quality` has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The predictor.
    pub predictor: String,
    /// VMs learned from, and those of them still alive at the cut.
    pub trained_on: (u32, u32),
    /// VMs judged on, and those of them whose end the trace does not know.
    pub tested_on: (u32, u32),
    /// Of two VMs, how often the one that was predicted to live longer did.
    pub c_index: Option<f64>,
    /// How well long lives are told from short ones.
    pub long_lives: Option<LongLives>,
    /// Errors of first predictions: how many in each tenth of a decade, from 0.
    pub first_errors: Vec<u32>,
    /// The same of predictions made again at 0, 5, ... 95 % of each life.
    pub reprediction_errors: Vec<u32>,
    /// Features and their share of what all splits gained, 0 to 1, the largest first.
    pub influence: Vec<(String, f64)>,
    /// A sentence for everything that the trace cannot answer.
    pub unanswered: Vec<String>,
}

/// How well long lives are told from short ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LongLives {
    /// A life is long from so many hours on.
    pub threshold_h: f64,
    /// Judged VMs that live long, and those that do not.
    pub vms: (u32, u32),
    /// Precision, recall and F1 where a VM counts as predicted long whose first prediction reaches
    /// the threshold.
    pub at_threshold: [Option<f64>; 3],
    /// The same where it must reach `best_cut_h`, which is chosen with hindsight.
    pub at_best_cut: [Option<f64>; 3],
    /// See `at_best_cut`.
    pub best_cut_h: f64,
    /// F1 when 0, 5, ... 95 % of each life are over.
    pub f1_by_share: Vec<Option<f64>>,
}

/// Machines on which commits failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// At most [`tiebreak_sim::frames::FAILED_MAX`].
    pub machines: Vec<u32>,
    /// Further machines that are not named.
    pub left_out: u32,
}

/// What agents and their caches did since the run began, and what they hold (Protean sections 4
/// and 5.2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Anatomy {
    /// The cache layers of all agents together, in the order of [`crate::view::anatomy::LAYERS`].
    pub layers: Vec<LayerCounts>,
    /// What the rule objects of each rule did.
    pub objects: Vec<ObjectCounts>,
    /// One by one.
    pub agents: Vec<AgentCounts>,
}

/// What one cache layer did; none where it has no such count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LayerCounts {
    /// Uses that found what they needed.
    pub hits: Option<f64>,
    /// Uses that had to make it.
    pub misses: Option<f64>,
    /// Machines brought up to date; of cells, cells compared.
    pub work: Option<f64>,
    /// Things kept.
    pub entries: Option<f64>,
    /// Bytes they take.
    pub bytes: Option<f64>,
}

/// What the rule objects of one rule did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectCounts {
    /// The rule.
    pub rule: String,
    /// Uses that found an object.
    pub hits: f64,
    /// Uses that had to make one.
    pub misses: f64,
}

/// What one agent does, and did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentCounts {
    /// Whether it has nothing to decide.
    pub is_idle: bool,
    /// Its decisions on their way to the store, the one it is making among them.
    pub in_flight: u32,
    /// VMs it decided, tries counted.
    pub decided: f64,
    /// Its commits that failed.
    pub conflicts: f64,
    /// Changes in the store that it has not read yet.
    pub behind: f64,
    /// Decisions that found an evaluation.
    pub hits: f64,
    /// Decisions that had to make one.
    pub misses: f64,
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
