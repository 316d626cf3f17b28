//! The interface of a panel: what it shows, what it receives, and what it can send.
//!
//! [`super::PANELS`] lists the panels. A panel knows the application's state ([`Scene`]) and a channel for its
//! messages ([`Link`]), and nothing about the rest of the page.

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

/// A part of the page with a place in the table: its state, the handling of its messages, and its view.
pub(crate) trait Panel: Default + 'static {
    /// Its messages. The type identifies the panel, so no two panels share one; [`std::convert::Infallible`] for a
    /// panel without messages of its own.
    type Message: 'static;

    /// Its name in the table.
    const ID: &'static str;

    /// Its accessible name, in English; empty if it is not a separate region.
    const TITLE: &'static str = "";

    /// Its frame.
    const FRAME: Frame = Frame::Bare;

    /// The control with which a lesson's step unlocks it; without one it is always shown.
    const CONTROL: Option<Control> = None;

    /// Whether it is shown at all.
    fn is_shown(app: &App) -> bool {
        Self::CONTROL.is_none_or(|control| shows(app, control))
    }

    /// Whether it is needed now. Other panels are opened from a list next to the tabs.
    fn is_needed(_: &App) -> bool {
        true
    }

    /// The text next to its heading.
    fn summary(_: &App) -> String {
        String::new()
    }

    /// Its content, inside the frame.
    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html;

    /// Handles one of its own messages; the results are carried out in this order.
    fn update(&mut self, _: Self::Message, _: &Link, _: &App) -> Vec<Sent> {
        Vec::new()
    }

    /// Handles news from around it. A panel that is not affected returns nothing, and nothing is rendered again.
    fn hear(&mut self, _: &News<'_>, _: &Link, _: &App) -> Vec<Sent> {
        Vec::new()
    }

    /// Runs after the page is rendered, for what HTML cannot express.
    fn rendered(&self, _: &Scene<'_>) {}
}

/// The frame of a panel.
#[derive(Clone, Copy)]
pub(crate) enum Frame {
    /// None: it renders its own region.
    Bare,
    /// A region with this heading, and the summary next to it.
    Region(&'static str),
}

/// The place of a panel on the page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Across the top.
    Bar,
    /// The whole page below the bar, for new visitors.
    Welcome,
    /// The whole page below the bar: the lessons to choose from.
    Learn,
    /// In the middle, above everything else, while the page shows the user's own trace.
    Trace,
    /// In a tab of this name on the left; on narrow screens in a sheet at the bottom.
    Left(&'static str),
    /// Next to the page's headline.
    Headline,
    /// In the middle, above the results of the run; shown before any run too.
    Above,
    /// In the middle: the results of the run.
    Centre,
    /// In a tab of this name below the results.
    Under(&'static str),
    /// The side on the right; a sheet on narrow screens.
    Right,
    /// On top of the page, or instead of it on paper.
    Over,
}

/// A side, which is a sheet at the bottom on narrow screens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The side of [`Place::Left`].
    Left,
    /// The side of [`Place::Right`].
    Right,
}

/// A set of tabs, of which one is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tabs {
    /// The tabs of [`Place::Left`].
    Left,
    /// The tabs of [`Place::Under`].
    Under,
}

impl Place {
    /// The set of tabs that contains this place, and the name of its tab.
    pub(crate) fn tab(self) -> Option<(Tabs, &'static str)> {
        match self {
            Self::Left(name) => Some((Tabs::Left, name)),
            Self::Under(name) => Some((Tabs::Under, name)),
            _ => None,
        }
    }
}

/// The views of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// One idea, for new visitors.
    Welcome,
    /// Lessons.
    Learn,
    /// A scenario and all its settings.
    Experiment,
    /// The same, compared with another variant.
    Compare,
    /// The same, with information about the user's own trace.
    Trace,
}

/// What a panel sees when it is rendered.
pub(crate) struct Scene<'a> {
    pub(crate) app: &'a App,
    /// The other panels, for a panel that shows a part of one.
    pub(crate) panels: &'a Panels,
    /// Width of the middle in CSS pixels.
    pub(crate) width: u32,
    /// The moment under the pointer, in simulated milliseconds.
    pub(crate) hover: Option<f64>,
    /// Which part of the next trace to keep.
    pub(crate) sample: TraceSettings,
    /// For how many seconds a trace has been read.
    pub(crate) reading_s: f64,
    /// The colour theme: `system`, `light` or `dark`.
    pub(crate) theme: &'a str,
    /// The view of the page.
    pub(crate) view: View,
}

impl Scene<'_> {
    /// The moment on screen: the pointer's, otherwise the timeline's.
    pub(crate) fn moment(&self) -> f64 {
        self.hover.unwrap_or_else(|| self.app.moment())
    }
}

/// Whether a control is available: in a lesson, only if the step unlocks it.
pub(crate) fn shows(app: &App, control: Control) -> bool {
    app.lesson.as_ref().is_none_or(|playing| playing.shows(control))
}

/// News from around a panel.
pub(crate) enum News<'a> {
    /// The panel's tab was opened, or closed.
    Opened(bool),
    /// Something was done that may have changed the application's state.
    Changed,
    /// An engine replied. The application handles the reply after this call and before what the panel sends.
    Reply {
        /// The engine's lane.
        lane: u32,
        reply: &'a Reply,
        /// The bytes of the reply: the machines' fill levels. For the one panel that shows them.
        bytes: &'a Cell<Option<Vec<u8>>>,
    },
    /// What was known about the machines of a lane is no longer valid.
    Forget(u32),
    /// A key was pressed anywhere.
    Key(&'a KeyboardEvent),
    /// The user clicked this element, or pressed Escape (`None`). A panel closes its open menu.
    Left(Option<&'a Element>),
    /// The address has this fragment. A panel that handles it sends something.
    Address(&'a str),
    /// A text file was opened. A panel that handles it sends something.
    File { name: &'a str, text: &'a str },
    /// The language changed: cached renderings are out of date.
    Language,
}

/// What a panel can send.
pub(crate) enum Sent {
    /// For the application, which may send commands to the engine.
    App(Message),
    /// For the panel with this message type.
    Own(Box<dyn Any>),
    /// For the page.
    Page(Act),
}

/// Actions of the page on behalf of its panels.
pub(crate) enum Act {
    /// Opens the tab that contains the panel with this id.
    Open(&'static str),
    /// Opens a tab.
    Tab(Tabs, &'static str),
    /// Changes the view.
    View(View),
    /// Moves the focus to the element with this selector.
    Focus(String),
    /// Opens a side, or closes the open one.
    Drawer(Option<Side>),
    /// Opens a side if sides are sheets.
    Reveal(Side),
    /// Reads a file that was chosen.
    File(File),
    /// Reads the current file with the chosen columns.
    Columns,
    /// Changes which part of the next trace to keep.
    Sample(Box<dyn FnOnce(&mut TraceSettings)>),
    /// Reads the trace again without VMs that start years apart from all others.
    LeaveOutOutliers,
    /// The pointer is over this moment of the charts.
    Hover(Option<f64>),
    /// Changes to the next colour theme.
    Theme,
    /// Changes the language.
    Language(String),
    /// Prints the page once it is rendered.
    Print,
}

/// Moves the focus to the element with a selector.
pub(crate) fn focus(selector: impl Into<String>) -> Sent {
    Act::Focus(selector.into()).into()
}

/// A panel's own message; the marker trait that allows sending it.
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

/// The channel from a panel to the page.
#[derive(Clone)]
pub(crate) struct Link(Rc<dyn Fn(Vec<Sent>)>);

impl Link {
    /// A channel to a receiver that carries out everything in order, before anything is rendered.
    pub(crate) fn new(to: impl Fn(Vec<Sent>) + 'static) -> Self {
        Self(Rc::new(to))
    }

    /// Sends this.
    pub(crate) fn send(&self, sent: impl Into<Sent>) {
        (self.0)(vec![sent.into()]);
    }

    /// Sends the function's result for an event.
    pub(crate) fn callback<F, IN, M>(&self, make: F) -> Callback<IN>
    where
        F: Fn(IN) -> M + 'static,
        M: Into<Sent>,
    {
        let link = self.clone();
        Callback::from(move |event| link.send(make(event)))
    }

    /// Sends all results of the function for an event, if there are any.
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
