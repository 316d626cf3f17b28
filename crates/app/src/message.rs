//! The application's messages, and the effects that it requests from the page.

use tiebreak_scenario::Document;

use super::lesson::Given;
use super::own::Freeze;
use super::seeking::SeekWish;
use super::shown::Mode;
use super::sizing::SizeWish;
use super::study::StudyWish;
use tiebreak_placement::Group;

use super::sweep::Wish;
use super::{Asking, DecisionsWish, Edit};
use tiebreak_engine::protocol::{Command, Form, Reply, StepTo};

/// A change to the settings of the next generated workload.
#[derive(Clone, Debug, PartialEq)]
pub enum Like {
    /// Its model: the name of a preset, or the fingerprint of a loaded trace.
    What(String),
    /// The factor on the number of requests.
    Rate(f64),
    /// Its length in days; 0 for the length of the original.
    Days(f64),
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The document was changed.
    Edit(Edit),
    /// Undo.
    Undo,
    /// Redo.
    Redo,
    /// Return to the opened document.
    Reset,
    /// A whole document was chosen.
    Open(Document),
    /// A scenario was chosen by its name.
    Preset(&'static str),
    /// A link with a scenario was opened.
    Link(String),
    /// Run again from the start, or continue.
    Run,
    /// Pause.
    Pause,
    /// Continue by one step.
    Step,
    /// The engine answered.
    Engine(Box<Reply>),
    /// An engine ended.
    EngineEnded {
        /// The lane it runs.
        lane: u32,
        /// What is known about the reason, in the current language.
        reason: String,
        /// Whether it had started; then it was started again.
        had_begun: bool,
    },
    /// A file is being read.
    TraceChosen {
        /// Its name.
        name: String,
        /// Its size.
        bytes: f64,
    },
    /// Names a column of the unreadable table; an empty name ignores the column.
    Column(usize, String),
    /// Whether decimals follow a comma in that table.
    DecimalCommas(bool),
    /// Do not read that table.
    NoColumns,
    /// Change the next generated workload.
    Like(Like),
    /// Generate it.
    Generate,
    /// Stop reading the trace.
    TraceCancel,
    /// The selected moment; `None` is the latest.
    Cursor(Option<f64>),
    /// Move it by this many milliseconds.
    CursorBy(f64),
    /// A machine was clicked.
    Machine(Option<u32>),
    /// A VM was asked about.
    Vm(String),
    /// Edit another custom rule, or none.
    Rule(Option<String>),
    /// Add a custom rule to a stage.
    NewRule(Group),
    /// Replace a built-in rule by an equivalent custom rule.
    CopyRule(String),
    /// "Why not this machine?"
    Ask(Option<u32>),
    /// Make another variant active, by name.
    Front(String),
    /// Add a copy of the active variant.
    Fork {
        /// From when on they may differ; `None` is from the start.
        at_hours: Option<f64>,
    },
    /// Close a variant, by name.
    CloseVariant(String),
    /// Choose the variant to compare with the active one.
    Against(String),
    /// Choose the end of steps.
    StepTo(StepTo),
    /// Choose what the page shows.
    Mode(Mode),
    /// A lesson's Markdown was loaded.
    LessonText(String),
    /// Another step of the lesson, from 0.
    LessonStep(usize),
    /// The user's prediction for the step's run.
    Predict(Given),
    /// Show the run, and the right answer.
    Reveal,
    /// Change the rules of the lesson's step as its question requires.
    Solve,
    /// End the lesson, and reopen the previous document.
    LeaveLesson,
    /// Star or unstar a run of the log, by number.
    Star(u32),
    /// Reopen that run's document.
    Reopen(u32),
    /// Compare with it.
    CompareWith(u32),
    /// Append the state of the page as the last step of the user's own lesson.
    Freeze(Freeze),
    /// The text of that lesson was edited.
    WriteLesson(String),
    /// Run the two compared variants with this many more seeds.
    Seeds(usize),
    /// Change the next sweep.
    Wish(Wish),
    /// A file with a sweep plan was opened: its name and text.
    Plan {
        /// The file's name.
        name: String,
        /// Its text.
        text: String,
    },
    /// Sweep the active variant.
    Sweep,
    /// Stop the sweep, and keep its results.
    StopSweep,
    /// Stop the sweep, and drop its results.
    NoSweep,
    /// Open a point of the sweep as a variant, by its number.
    SweepPoint(usize),
    /// Find how many machines the workload needs.
    Size(SizeWish),
    /// Stop that search, and drop it.
    NoSize,
    /// Search for a better list.
    Seek(SeekWish),
    /// End its races, and judge what it has.
    StopSeek,
    /// Stop the search, and drop it.
    NoSeek,
    /// Open a list that it found as a variant, by its number.
    FoundList(usize),
    /// Start a study of the admission lab.
    Study(StudyWish),
    /// Stop it, and keep its results.
    StopStudy,
    /// A question to the engine.
    Question(Asking),
    /// Save a file for other programs, with the VMs' outcomes or only the workload.
    Save {
        /// Whether it includes the outcomes.
        is_of_run: bool,
        /// Its format.
        form: Form,
    },
    /// Change which decisions are listed, or list none.
    Decisions(DecisionsWish),
    /// Show or hide the profile of the workload.
    Profile(bool),
    /// Stop running seeds, and drop the results.
    NoSeeds,
    /// Use the displayed run as the baseline.
    Baseline,
    /// The fourth chart.
    ExtraMetric(usize),
    /// Close a notice.
    Dismiss(usize),
    /// Show a notice.
    Notice(Notice),
    /// Close the report on an import.
    ForgetImport,
    /// Save a file with the counterparts of each rule of the list in other schedulers.
    Twins,
}

/// What the page must do in addition to showing the state.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send a command to the engine of a lane, which starts with its first command.
    Send {
        /// Which lane.
        lane: u32,
        /// The command.
        command: Command,
    },
    /// Close a lane and its engine.
    Close {
        /// Which lane.
        lane: u32,
    },
    /// Save the draft.
    SaveDraft(String),
    /// Save the starred runs.
    SaveRuns(String),
    /// Save the user's own lesson.
    SaveLesson(String),
    /// Save a line of the search for a better list, after the one before it; line 0 begins another search.
    KeepSearch {
        /// Which line.
        at: usize,
        /// The line.
        text: String,
    },
    /// Drop all lines of that search.
    ForgetSearch,
    /// Drop the page's copy of a lane's frames.
    ForgetFrames {
        /// Which lane.
        lane: u32,
    },
}

/// A message to the user, with an optional action.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// A few words.
    pub title: String,
    /// One line each.
    pub lines: Vec<String>,
    /// Whether something went wrong.
    pub bad: bool,
    /// A document to offer.
    pub offer: Option<Document>,
}

impl Notice {
    /// Reports an error.
    #[must_use]
    pub fn bad(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { title: title.into(), lines, bad: true, offer: None }
    }

    /// Reports information.
    #[must_use]
    pub fn good(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { title: title.into(), lines, bad: false, offer: None }
    }
}
