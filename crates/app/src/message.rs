//! What happens to the application, and what it asks of the page.

use tiebreak_scenario::Document;

use super::lesson::Given;
use super::own::Freeze;
use super::shown::Mode;
use super::sizing::SizeWish;
use super::study::StudyWish;
use tiebreak_placement::Group;

use super::sweep::Wish;
use super::{Asking, DecisionsWish, Edit};
use tiebreak_engine::protocol::{Command, Form, Reply, StepTo};

/// What changes of the workload that is generated next.
#[derive(Clone, Debug, PartialEq)]
pub enum Like {
    /// What it is like: the name of a preset, or the fingerprint of a loaded trace.
    What(String),
    /// How many times as many requests come.
    Rate(f64),
    /// How many days it is long; 0 for as many as what it is like.
    Days(f64),
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The document was changed.
    Edit(Edit),
    /// One step back.
    Undo,
    /// One step forward.
    Redo,
    /// Back to what was opened.
    Reset,
    /// A whole document was chosen.
    Open(Document),
    /// A scenario was chosen by its name.
    Preset(&'static str),
    /// An address with a scenario was followed.
    Link(String),
    /// Run again from the beginning, or go on.
    Run,
    /// Hold.
    Pause,
    /// One VM further.
    Step,
    /// The engine answered.
    Engine(Box<Reply>),
    /// An engine ended.
    EngineEnded {
        /// The lane it runs.
        lane: u32,
        /// What is known of the reason, in the language in use.
        reason: String,
        /// Whether it had begun; then it was started again.
        had_begun: bool,
    },
    /// A file is being read.
    TraceChosen {
        /// Its name.
        name: String,
        /// Its size.
        bytes: f64,
    },
    /// A column of the table that could not be read is this; an empty name leaves it aside.
    Column(usize, String),
    /// Whether a comma stands before decimals in that table.
    DecimalCommas(bool),
    /// That table is not to be read.
    NoColumns,
    /// The next generated workload is to be another.
    Like(Like),
    /// It is to be drawn.
    Generate,
    /// Stop reading it.
    TraceCancel,
    /// The moment people look at; none is the latest.
    Cursor(Option<f64>),
    /// That far from it, in milliseconds.
    CursorBy(f64),
    /// A machine was clicked.
    Machine(Option<u32>),
    /// A VM was asked about.
    Vm(String),
    /// Another custom rule is edited, or none.
    Rule(Option<String>),
    /// A new custom rule of a stage.
    NewRule(Group),
    /// A custom rule that says what a built-in one says, in its place.
    CopyRule(String),
    /// "Why not this machine?"
    Ask(Option<u32>),
    /// Another variant to the front, by name.
    Front(String),
    /// The variant in front once more beside it.
    Fork {
        /// From when on they may differ; none is from the start.
        at_hours: Option<f64>,
    },
    /// One variant less, by name.
    CloseVariant(String),
    /// Which variant the one in front is compared with.
    Against(String),
    /// What a step goes on to from now on.
    StepTo(StepTo),
    /// What the page shows.
    Mode(Mode),
    /// A lesson's Markdown was given.
    LessonText(String),
    /// Another step of the lesson, from 0.
    LessonStep(usize),
    /// What somebody expects of the step's run.
    Predict(Given),
    /// Show the run, and what is right.
    Reveal,
    /// Change the rules of the lesson's step as its question asks.
    Solve,
    /// The lesson is over; what was open before is open again.
    LeaveLesson,
    /// Keep a run of the log, by number; or no longer.
    Star(u32),
    /// Go back to what ran then.
    Reopen(u32),
    /// Compare with it.
    CompareWith(u32),
    /// The page as it is becomes the last step of the lesson that is being written.
    Freeze(Freeze),
    /// That lesson's text was written.
    WriteLesson(String),
    /// Run the two variants that are compared over so many more seeds.
    Seeds(usize),
    /// The next sweep is to be another.
    Wish(Wish),
    /// A file with the plan of a sweep was given: its name and text.
    Plan {
        /// The file's name.
        name: String,
        /// What stands in it.
        text: String,
    },
    /// Run the variant in front as the next sweep is to be.
    Sweep,
    /// Stop that, and keep what it gave.
    StopSweep,
    /// Stop that, and forget what it gave.
    NoSweep,
    /// A point of the sweep as a variant, by its number.
    SweepPoint(usize),
    /// Find how many machines the workload needs.
    Size(SizeWish),
    /// Stop that, and forget it.
    NoSize,
    /// Begin a study of the admission lab.
    Study(StudyWish),
    /// Stop it, and keep what it gave.
    StopStudy,
    /// A question to the engine.
    Question(Asking),
    /// A file for other programs is asked for: of what became of the VMs, or of the workload alone.
    Save {
        /// Whether it says what became of them.
        is_of_run: bool,
        /// How it is written.
        form: Form,
    },
    /// Other decisions are to be listed, or none.
    Decisions(DecisionsWish),
    /// What the workload looks like is to be shown, or no longer.
    Profile(bool),
    /// Stop running over seeds, and forget what that gave.
    NoSeeds,
    /// Compare with the run on screen from now on.
    Baseline,
    /// The fourth chart.
    ExtraMetric(usize),
    /// A notice was read.
    Dismiss(usize),
    /// Something to tell.
    Notice(Notice),
    /// What is told of an imported file was read.
    ForgetImport,
    /// A file is asked for of what stands elsewhere for each rule of the list.
    Twins,
}

/// What the page has to do besides showing the state.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Tell the engine of a lane, which begins with the first command.
    Send {
        /// Which lane.
        lane: u32,
        /// What to tell.
        command: Command,
    },
    /// A lane is gone, and its engine with it.
    Close {
        /// Which lane.
        lane: u32,
    },
    /// Keep the draft.
    SaveDraft(String),
    /// Keep the runs with a star.
    SaveRuns(String),
    /// Keep the lesson that is being written.
    SaveLesson(String),
    /// Throw the page's copy of a lane's frames away.
    ForgetFrames {
        /// Which lane.
        lane: u32,
    },
}

/// Something to tell, with what can be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// In a few words.
    pub title: String,
    /// One line each.
    pub lines: Vec<String>,
    /// Whether something went wrong.
    pub bad: bool,
    /// A document that can be opened instead.
    pub offer: Option<Document>,
}

impl Notice {
    /// Something went wrong.
    #[must_use]
    pub fn bad(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { title: title.into(), lines, bad: true, offer: None }
    }

    /// Something to know.
    #[must_use]
    pub fn good(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { title: title.into(), lines, bad: false, offer: None }
    }
}
