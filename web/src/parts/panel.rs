//! What a panel of the page is: what it shows, what it is told, and what it can send.
//!
//! [`super::PANELS`] lists them. A panel knows the application's state ([`Scene`]) and a way out ([`Link`]); it knows
//! nothing of the page around it.

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

use tiebreak_app::{App, Message};
use tiebreak_engine::protocol::Reply;
use tiebreak_lesson::Control;
use tiebreak_scenario::TraceSettings;
use web_sys::{Element, File, KeyboardEvent};
use yew::{Callback, Html};

use super::panels::Panels;

/// A part of the page with a place in the table: its own state, what it makes of its own messages, and what it shows.
pub(crate) trait Panel: Default + 'static {
    /// What happens in it. The type says whose message it is, so no two panels have the same;
    /// [`std::convert::Infallible`] where nothing happens but what the application hears.
    type Message: 'static;

    /// Names it in the table.
    const ID: &'static str;

    /// Its accessible name, in English; empty where it is no region of its own.
    const TITLE: &'static str = "";

    /// What it is drawn in.
    const FRAME: Frame = Frame::Bare;

    /// The control that a lesson's step unlocks it by; without one it is always shown.
    const CONTROL: Option<Control> = None;

    /// Whether it is shown at all.
    fn is_shown(app: &App) -> bool {
        Self::CONTROL.is_none_or(|control| shows(app, control))
    }

    /// Whether anything asks for it now. What nothing asks for is opened from a list beside the tabs.
    fn is_needed(_: &App) -> bool {
        true
    }

    /// What stands beside its heading.
    fn summary(_: &App) -> String {
        String::new()
    }

    /// What it shows, inside its frame.
    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html;

    /// Takes in one of its own messages; what comes of it is done in this order.
    fn update(&mut self, _: Self::Message, _: &Link, _: &App) -> Vec<Sent> {
        Vec::new()
    }

    /// Hears what happened around it. Whoever has nothing to do with it sends nothing: then nothing is drawn again.
    fn hear(&mut self, _: &News<'_>, _: &Link, _: &App) -> Vec<Sent> {
        Vec::new()
    }

    /// The page was drawn: what of it no HTML can say.
    fn rendered(&self, _: &Scene<'_>) {}
}

/// What a panel is drawn in.
#[derive(Clone, Copy)]
pub(crate) enum Frame {
    /// Nothing: it draws its own region.
    Bare,
    /// A region with this heading, and the summary beside it.
    Region(&'static str),
}

/// Where a panel stands on the page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Across the top.
    Bar,
    /// The whole page below the bar, for who comes for the first time.
    Welcome,
    /// The whole page below the bar: the lessons to choose from.
    Learn,
    /// In the middle, above all else, while the page is about a trace of one's own.
    Trace,
    /// In a tab of this name on the left; on narrow screens in a sheet at the bottom.
    Left(&'static str),
    /// Beside the page's headline.
    Headline,
    /// In the middle, above what the run shows, and there before any run.
    Above,
    /// In the middle: what the run shows.
    Centre,
    /// In a tab of this name below that.
    Under(&'static str),
    /// The side on the right; a sheet on narrow screens.
    Right,
    /// Over the page, or in its place on paper.
    Over,
}

/// A side, which is a sheet at the bottom on narrow screens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// That of [`Place::Left`].
    Left,
    /// That of [`Place::Right`].
    Right,
}

/// Tabs of which one is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tabs {
    /// Those of [`Place::Left`].
    Left,
    /// Those of [`Place::Under`].
    Under,
}

impl Place {
    /// The tabs in which it is, and which of them.
    pub(crate) fn tab(self) -> Option<(Tabs, &'static str)> {
        match self {
            Self::Left(name) => Some((Tabs::Left, name)),
            Self::Under(name) => Some((Tabs::Under, name)),
            _ => None,
        }
    }
}

/// What the page is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// One idea, for who comes for the first time.
    Welcome,
    /// Lessons.
    Learn,
    /// A scenario and all that can be changed about it.
    Experiment,
    /// The same, with another variant beside it.
    Compare,
    /// The same, with what there is to know of a trace of one's own.
    Trace,
}

/// What a panel sees when it is drawn.
pub(crate) struct Scene<'a> {
    pub(crate) app: &'a App,
    /// The other panels, for who shows a piece of one.
    pub(crate) panels: &'a Panels,
    /// Width of the middle in CSS pixels.
    pub(crate) width: u32,
    /// The moment under the pointer, in simulated milliseconds.
    pub(crate) hover: Option<f64>,
    /// What is to be kept of the next trace.
    pub(crate) sample: TraceSettings,
    /// For how many seconds a trace has been read.
    pub(crate) reading_s: f64,
    /// The choice of colours: `system`, `light` or `dark`.
    pub(crate) theme: &'a str,
    /// What the page is used for.
    pub(crate) view: View,
}

impl Scene<'_> {
    /// The moment on screen: the pointer's, else that of the timeline.
    pub(crate) fn moment(&self) -> f64 {
        self.hover.unwrap_or_else(|| self.app.moment())
    }
}

/// Whether a control is there: in a lesson, where the step unlocks it.
pub(crate) fn shows(app: &App, control: Control) -> bool {
    app.lesson.as_ref().is_none_or(|playing| playing.shows(control))
}

/// What happens around a panel.
pub(crate) enum News<'a> {
    /// The tab in which it is was opened, or closed.
    Opened(bool),
    /// Something was done; what a panel shows may follow from another state of the application now.
    Changed,
    /// An engine spoke. The application takes it in after this and before what is sent in answer.
    Reply {
        /// Whose engine.
        lane: u32,
        reply: &'a Reply,
        /// What came with it: how machines stand. For the one panel that shows them.
        bytes: &'a Cell<Option<Vec<u8>>>,
    },
    /// What was known of how the machines of a lane stand holds no more.
    Forget(u32),
    /// A key was pressed anywhere.
    Key(&'a KeyboardEvent),
    /// A hand clicked here; none when it pressed Escape. What a panel has open for a moment is closed by it.
    Left(Option<&'a Element>),
    /// The address says this behind its `#`. Who takes it sends something.
    Address(&'a str),
    /// A file of text was given. Who takes it sends something.
    File { name: &'a str, text: &'a str },
    /// The page speaks another language: whatever was drawn and kept is old.
    Language,
}

/// What a panel can send.
pub(crate) enum Sent {
    /// For the application, which may have commands for the engine.
    App(Message),
    /// For the panel whose message it is.
    Own(Box<dyn Any>),
    /// For the page.
    Page(Act),
}

/// What the page does for its panels.
pub(crate) enum Act {
    /// Opens the tab in which a panel is, by the panel's id.
    Open(&'static str),
    /// Opens a tab.
    Tab(Tabs, &'static str),
    /// Uses the page for this.
    View(View),
    /// Gives the focus to what this selector finds.
    Focus(String),
    /// Opens a side, or closes the one that is open.
    Drawer(Option<Side>),
    /// Opens a side where sides are sheets.
    Reveal(Side),
    /// Reads a file that was chosen.
    File(File),
    /// Reads the file on hand with the columns that were chosen.
    Columns,
    /// Keeps another part of the next trace.
    Sample(Box<dyn FnOnce(&mut TraceSettings)>),
    /// Reads the trace again without VMs that start years from all others.
    LeaveOutOutliers,
    /// The pointer is over this moment of the charts.
    Hover(Option<f64>),
    /// Takes the next choice of colours.
    Theme,
    /// Speaks another language.
    Language(String),
    /// Prints, once the page is drawn.
    Print,
}

/// Gives the focus to what a selector finds.
pub(crate) fn focus(selector: impl Into<String>) -> Sent {
    Act::Focus(selector.into()).into()
}

/// A panel's own message; the mark with which it may be sent.
pub(crate) trait Own: 'static {}

impl From<Message> for Sent {
    fn from(message: Message) -> Self {
        Self::App(message)
    }
}

impl From<Act> for Sent {
    fn from(act: Act) -> Self {
        Self::Page(act)
    }
}

impl<M: Own> From<M> for Sent {
    fn from(message: M) -> Self {
        Self::Own(Box::new(message))
    }
}

/// The way out of a panel.
#[derive(Clone)]
pub(crate) struct Link(Rc<dyn Fn(Vec<Sent>)>);

impl Link {
    /// A way to whoever does what is sent, in its order and before anything is drawn.
    pub(crate) fn new(to: impl Fn(Vec<Sent>) + 'static) -> Self {
        Self(Rc::new(to))
    }

    /// Sends this.
    pub(crate) fn send(&self, sent: impl Into<Sent>) {
        (self.0)(vec![sent.into()]);
    }

    /// Sends what the function makes of an event.
    pub(crate) fn callback<F, IN, M>(&self, make: F) -> Callback<IN>
    where
        F: Fn(IN) -> M + 'static,
        M: Into<Sent>,
    {
        let link = self.clone();
        Callback::from(move |event| link.send(make(event)))
    }

    /// Sends all that the function makes of an event, if it makes anything.
    pub(crate) fn batch_callback<F, IN, M>(&self, make: F) -> Callback<IN>
    where
        F: Fn(IN) -> M + 'static,
        M: IntoIterator,
        M::Item: Into<Sent>,
    {
        let to = self.0.clone();
        Callback::from(move |event| {
            let sent: Vec<Sent> = make(event).into_iter().map(Into::into).collect();
            if !sent.is_empty() {
                to(sent);
            }
        })
    }
}
