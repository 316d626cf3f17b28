//! The whole page: the application's state, the panels that show it, and the browser's side of every effect.

mod drawers;
mod effects;
mod files;
mod focus;
mod keeping;
mod listeners;
mod opening;
mod theme;
mod usage;
mod view;

use std::cell::Cell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use tiebreak_app::{App, Message, Notice};
use tiebreak_engine::FirstRun;
use tiebreak_i18n::tr;
use tiebreak_view::embed::Embed;
use web_sys::{Element, File, HtmlElement, KeyboardEvent};
use yew::html::Scope;
use yew::prelude::*;

use self::files::Reading;
use self::listeners::Resize;
pub(crate) use self::opening::Opened;
use self::theme::Theme;
use crate::engine_link::Said;
use crate::parts::panel::{Act, Link, News, Scene, Sent, Side, View};
use crate::parts::panels::Panels;
use crate::parts::{embed, tabs};
use crate::workers::Workers;
use crate::{drafts, language};

/// All events of the page.
pub(crate) enum PageMessage {
    /// Sent by panels.
    Sent(Vec<Sent>),
    /// A worker's message.
    Engine(u32, Said),
    /// The precomputed first run; `None` if it could not be loaded.
    FirstRun(Option<FirstRun>),
    /// A text file was read.
    Text(File, String),
    /// The width of the charts changed.
    Width(u32),
    /// A key was pressed.
    Key(KeyboardEvent),
    /// A click, with its target; `None` if Escape was pressed.
    Left(Option<Element>),
    /// Whether the texts of the chosen language could be loaded.
    Spoken(bool),
    /// The address names another scenario, or a lesson.
    Address(String),
    /// The first drawing is on screen.
    Begun,
    /// Draws what earlier messages changed.
    Draw,
}

/// What the static page contained, and the state to open with.
#[derive(Clone, yew::Properties)]
pub(crate) struct Properties {
    /// The picture in index.html, shown until the live one replaces it.
    pub(crate) picture: AttrValue,
    /// The run in index.html, the baseline of the first comparison.
    pub(crate) without: AttrValue,
    /// Taken when the page is created.
    pub(crate) opened: Rc<Cell<Option<Opened>>>,
}

impl PartialEq for Properties {
    /// Always equal: they are used only when the page is created.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The page.
pub(crate) struct Page {
    app: App,
    workers: Workers,
    panels: Panels,
    scope: Scope<Self>,
    /// The panels' way to `scope`.
    link: Link,
    width: u32,
    hover: Option<f64>,
    /// The only part shown if the page is embedded in another one.
    embed: Option<Embed>,
    theme: Theme,
    drawer: Option<Side>,
    /// Whether the user is about to ask about a VM.
    asks_why: bool,
    /// The view that was chosen; a lesson or a comparison overrides it.
    view: View,
    centre: NodeRef,
    /// The element to focus once the page is drawn.
    focus: Option<focus::Wanted>,
    is_to_print: bool,
    /// Whether to draw the sides. They follow in a second task, to keep tasks short on a slow machine.
    has_sides: bool,
    drafts_kept: bool,
    reading: Reading,
    _listeners: Vec<EventListener>,
    _resize: Option<Resize>,
    /// The element whose width is observed.
    measured: Option<HtmlElement>,
    /// The view and the tabs that were selected when the page was last rendered.
    selected: Option<(View, [&'static str; 2])>,
}

impl Component for Page {
    type Message = PageMessage;
    type Properties = Properties;

    fn create(context: &Context<Self>) -> Self {
        let Properties { without, opened, .. } = context.props();
        Self::open(opened.take().unwrap_or_else(Opened::now), context.link().clone(), without)
    }

    fn update(&mut self, _: &Context<Self>, message: PageMessage) -> bool {
        let sent = match message {
            PageMessage::Sent(sent) => sent,
            PageMessage::Engine(lane, said) => {
                if !self.hear(lane, said) {
                    return false;
                }
                Vec::new()
            }
            PageMessage::FirstRun(run) => {
                self.show_first(run);
                return false;
            }
            PageMessage::Draw => Vec::new(),
            PageMessage::Text(file, text) => self.open_text(&file, &text),
            PageMessage::Width(width) => {
                self.width = width;
                Vec::new()
            }
            PageMessage::Key(event) => match self.panels.hear(&News::Key(&event), &self.link, &self.app) {
                sent if sent.is_empty() => return false,
                sent => sent,
            },
            PageMessage::Left(target) => match self.leave(target.as_ref()) {
                sent if sent.is_empty() => return false,
                sent => sent,
            },
            PageMessage::Spoken(spoken) => self.spoken(spoken),
            PageMessage::Address(fragment) => self.go_to(fragment),
            PageMessage::Begun => {
                self.has_sides = true;
                Vec::new()
            }
        };
        self.obey(sent);
        self.follow();
        true
    }

    fn view(&self, context: &Context<Self>) -> Html {
        match &self.embed {
            Some(embed) => embed::view(&self.link, &self.scene(), embed, &self.centre),
            None => self.whole(&context.props().picture),
        }
    }

    fn rendered(&mut self, _: &Context<Self>, is_first: bool) {
        if is_first {
            let scope = self.scope.clone();
            Timeout::new(0, move || scope.send_message(PageMessage::Begun)).forget();
        }
        // The element is replaced when a view without it was shown.
        let centre = self.centre.cast::<HtmlElement>();
        if centre.is_some() && centre != self.measured {
            self._resize = listeners::observe(&self.scope, &self.centre);
            self.measured = centre;
        }
        let selected = Some((self.shown_view(), self.panels.open_tabs()));
        if self.selected != selected {
            self.selected = selected;
            tabs::reveal();
        }
        self.panels.rendered(&self.scene());
        self.give_focus();
        if std::mem::take(&mut self.is_to_print) {
            // Fails only if the page may not print; then nothing is printed.
            let _ = gloo::utils::window().print();
        }
    }
}

impl Page {
    /// The scene that panels draw.
    fn scene(&self) -> Scene<'_> {
        Scene {
            app: &self.app,
            panels: &self.panels,
            width: self.width,
            hover: self.hover,
            sample: self.reading.sample,
            reading_s: self.reading.seconds(),
            theme: self.theme.name(),
            view: self.shown_view(),
        }
    }

    /// Carries out what panels sent, in order, including what follows from each.
    fn obey(&mut self, sent: Vec<Sent>) {
        for sent in sent {
            let next = match sent {
                // An embedded page has nothing to undo except the opening of its link.
                Sent::App(Message::Undo | Message::Redo) if self.embed.is_some() => Vec::new(),
                Sent::App(message) => {
                    self.leave_for(&message);
                    self.tell(message);
                    Vec::new()
                }
                Sent::Own(message) => self.panels.update(message, &self.link, &self.app),
                Sent::Page(act) => self.act(act),
            };
            self.obey(next);
        }
    }

    /// Notifies the panels of changes.
    fn follow(&mut self) {
        self.play_first_film();
        let sent = self.panels.hear(&News::Changed, &self.link, &self.app);
        self.obey(sent);
    }

    /// Carries out an act of the page itself, and returns what follows from it.
    fn act(&mut self, act: Act) -> Vec<Sent> {
        match act {
            Act::Open(id) => return self.panels.open(id, &self.link, &self.app),
            Act::Tab(tabs, name) => return self.open_tab(tabs, name),
            Act::View(view) => return self.use_for(view),
            Act::Focus(target) => self.want_focus(target),
            Act::Drawer(side) => return self.draw(side),
            Act::Reveal(side) => self.reveal(side),
            Act::File(file) => self.take_file(&file),
            Act::Columns => self.read_with_columns(),
            Act::Sample(change) => change(&mut self.reading.sample),
            Act::LeaveOutOutliers => self.leave_out_outliers(),
            Act::Hover(time) => self.hover = time,
            Act::Theme => self.theme.next(),
            Act::Language(language) => {
                let scope = self.scope.clone();
                language::choose(language, move |spoken| scope.send_message(PageMessage::Spoken(spoken)));
            }
            Act::Print => self.is_to_print = true,
        }
        Vec::new()
    }

    /// Closes temporary elements such as menus.
    fn leave(&mut self, target: Option<&Element>) -> Vec<Sent> {
        let mut sent = self.panels.hear(&News::Left(target), &self.link, &self.app);
        if target.is_none() && self.drawer.is_some() {
            sent.push(Act::Drawer(None).into());
        }
        sent
    }

    fn spoken(&mut self, spoken: bool) -> Vec<Sent> {
        if spoken {
            return self.panels.hear(&News::Language, &self.link, &self.app);
        }
        let line = tr("The server did not deliver its texts.").into();
        vec![Message::Notice(Notice::bad(tr("The language could not be changed"), vec![line])).into()]
    }

    /// Opens the content of the address: for a panel that recognizes it, otherwise a scenario.
    fn go_to(&mut self, fragment: String) -> Vec<Sent> {
        let sent = self.panels.hear(&News::Address(&fragment), &self.link, &self.app);
        if !sent.is_empty() {
            return sent;
        }
        if self.embed.is_none() {
            drafts::begin_another();
        }
        vec![Message::Link(fragment).into()]
    }
}
