//! What happens to the application, and what it asks of the page.

use tiebreak_scenario::Document;

use super::Edit;
use crate::protocol::{Command, Reply};

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
    /// The engine died and was started again.
    EngineRestarted {
        /// What is known of the reason.
        reason: String,
    },
    /// A file is being read.
    TraceChosen {
        /// Its name.
        name: String,
        /// Its size.
        bytes: f64,
    },
    /// Stop reading it.
    TraceCancel,
    /// The moment people look at; none is the latest.
    Cursor(Option<f64>),
    /// A machine was clicked.
    Machine(Option<u32>),
    /// A VM was asked about.
    Vm(String),
    /// "Why not this machine?"
    Ask(Option<u32>),
    /// Compare with the run on screen from now on.
    Baseline,
    /// The fourth chart.
    ExtraMetric(usize),
    /// A notice was read.
    Dismiss(usize),
    /// Something to tell.
    Notice(Notice),
}

/// What the page has to do besides showing the state.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Tell the engine.
    Send(Command),
    /// Keep the draft.
    SaveDraft(String),
    /// Throw the page's copy of frames away.
    ForgetFrames,
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
