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
use crate::parts::embed;
use crate::parts::panel::{Act, Link, News, Scene, Sent, Side, View};
use crate::parts::panels::Panels;
use crate::workers::Workers;
use crate::{drafts, language};

/// Everything that happens on the page.
pub(crate) enum PageMessage {
    /// Panels sent this.
    Sent(Vec<Sent>),
    /// A worker spoke.
    Engine(u32, Said),
    /// What comes of the first run is there, or is not to be had.
    FirstRun(Option<FirstRun>),
    /// A text file was read: the file and its text.
    Text(File, String),
    /// The charts have this width now.
    Width(u32),
    /// A key was pressed.
    Key(KeyboardEvent),
    /// A hand clicked here; none when it pressed Escape.
    Left(Option<Element>),
    /// The language that was chosen is spoken now, or could not be had.
    Spoken(bool),
    /// The address has another scenario, or a lesson.
    Address(String),
    /// What was drawn first is on screen.
    Begun,
    /// What was taken in is to be drawn.
    Draw,
}

/// What the page was before it was alive, and what it opens with.
#[derive(Clone, yew::Properties)]
pub(crate) struct Properties {
    /// The picture that index.html came with: it stays until there is a live one.
    pub(crate) picture: AttrValue,
    /// The run that came with it, to be compared with.
    pub(crate) without: AttrValue,
    /// Taken when the page is made.
    pub(crate) opened: Rc<Cell<Option<Opened>>>,
}

impl PartialEq for Properties {
    /// The page is made once, and keeps what it was made with.
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
    /// The only thing shown, inside another page.
    embed: Option<Embed>,
    theme: Theme,
    drawer: Option<Side>,
    /// Somebody wants to ask about a VM.
    asks_why: bool,
    /// What the page is used for, where nothing else says so.
    view: View,
    centre: NodeRef,
    /// What gets the focus once the page is drawn.
    focus: Option<focus::Wanted>,
    is_to_print: bool,
    /// Whether the sides are drawn, too. They come second, so that no task takes long on a slow machine.
    has_sides: bool,
    drafts_kept: bool,
    reading: Reading,
    _listeners: Vec<EventListener>,
    _resize: Option<Resize>,
    /// The middle whose width that tells.
    measured: Option<HtmlElement>,
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
        // The middle of the page is another one after a view without it.
        let centre = self.centre.cast::<HtmlElement>();
        if centre.is_some() && centre != self.measured {
            self._resize = listeners::observe(&self.scope, &self.centre);
            self.measured = centre;
        }
        self.panels.rendered(&self.scene());
        self.give_focus();
        if std::mem::take(&mut self.is_to_print) {
            // Fails only where the page may not print; then nothing is printed.
            let _ = gloo::utils::window().print();
        }
    }
}

impl Page {
    /// What panels see.
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

    /// Does what panels sent, in its order, each with all that comes of it.
    fn obey(&mut self, sent: Vec<Sent>) {
        for sent in sent {
            let next = match sent {
                // Inside another page there is nothing to undo but the opening of its link.
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

    /// Lets the panels follow what changed.
    fn follow(&mut self) {
        self.play_first_film();
        let sent = self.panels.hear(&News::Changed, &self.link, &self.app);
        self.obey(sent);
    }

    /// What only the page can do; what comes of it.
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

    /// Closes what was open for a moment.
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

    /// Opens what the address says: what a panel knows, else a scenario.
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
