//! The whole page: the application's state, the parts that show it, and the browser's
//! side of every effect.

use std::rc::Rc;

use gloo::events::EventListener;
use tiebreak_lab::app::{Edit, Notice, Phase};
use tiebreak_lab::protocol::{Command, Reply};
use tiebreak_lab::{App, Effect, Message};
use tiebreak_scenario::{Document, PRESETS};
use wasm_bindgen::prelude::*;
use web_sys::{DragEvent, File, HtmlElement, ResizeObserver};
use yew::prelude::*;

use crate::drafts;
use crate::engine_link::{EngineLink, Said};
use crate::parts::events::{Done, Events, EventsMessage};
use crate::parts::lifetimes::{Panel, PanelMessage};
use crate::parts::rules::{List, ListMessage};
use crate::parts::{
    anatomy,
    charts::Charts,
    explain,
    fleet_map::{FleetMap, Frames},
    notices, share, timeline, toolbar, workload,
};

/// Where the choice of colours is kept.
const THEME: &str = "tiebreak.theme";

/// Files above this are refused before they are read; the page's memory is finite.
const FILE_BYTES_MAX: f64 = 2e9;

/// A side that is a drawer on narrow screens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The rules, left.
    Rules,
    /// The explanation, right.
    Explain,
}

/// Everything that happens on the page.
pub(crate) enum PageMessage {
    /// Something for the application.
    App(Message),
    /// The worker spoke.
    Engine(Said),
    /// A file was chosen or dropped.
    File(File),
    /// A scenario file was read: its name and text.
    Scenario(String, String),
    /// Of the next trace, keep one tenant in this many.
    Sample(u32),
    /// The pointer is over this moment of the charts.
    Hover(Option<f64>),
    /// The charts have this width now.
    Width(u32),
    /// The list of rules.
    List(ListMessage),
    /// The events on the timeline.
    Events(EventsMessage),
    /// Give the focus to what this finds.
    Focus(&'static str),
    /// Give the focus back to a part of a rule's row.
    FocusRow(String, &'static str),
    /// A chart's table.
    Table(usize),
    /// The map's table.
    MapTable,
    /// Colour the map by lifetime class, or by cores in use.
    MapByClass(bool),
    /// The region with lifetimes.
    Panel(PanelMessage),
    /// The region with caches and agents.
    Anatomy,
    /// A click on the map, in its own pixels.
    MapClick(u32, u32),
    /// The share dialog.
    Share(bool),
    /// Put the link on the clipboard.
    Copy(String),
    /// It is there.
    Copied,
    /// The next choice of colours.
    Theme,
    /// A drawer was opened, or closed.
    Drawer(Option<Side>),
    /// A seed nobody chose.
    FreshSeed,
    /// The address has another scenario.
    Address(String),
}

/// What the page was before it was alive.
#[derive(Clone, PartialEq, yew::Properties)]
pub(crate) struct Properties {
    /// The picture that index.html came with: it stays until there is a live one.
    pub(crate) picture: AttrValue,
}

/// The page.
pub(crate) struct Page {
    app: App,
    engine: Option<EngineLink>,
    list: List,
    charts: Charts,
    map: FleetMap,
    events: Events,
    lifetimes: Panel,
    anatomy_open: bool,
    width: u32,
    hover: Option<f64>,
    dialog: NodeRef,
    sharing: bool,
    copied: bool,
    theme: String,
    drawer: Option<Side>,
    fields: (NodeRef, NodeRef),
    centre: NodeRef,
    focus: Option<String>,
    drafts_kept: bool,
    restarts: u32,
    /// When the trace being read was begun, in the browser's own milliseconds.
    reading_since: f64,
    one_tenant_in: u32,
    _listeners: Vec<EventListener>,
    _resize: Option<(ResizeObserver, Closure<dyn FnMut()>)>,
}

impl Component for Page {
    type Message = PageMessage;
    type Properties = Properties;

    fn create(context: &Context<Self>) -> Self {
        let engine = start_engine(context);
        let (app, effects) = open();
        let mut page = Self {
            app,
            engine,
            list: List::default(),
            charts: Charts::default(),
            map: FleetMap::default(),
            events: Events::default(),
            lifetimes: Panel::default(),
            anatomy_open: false,
            width: 640,
            hover: None,
            dialog: NodeRef::default(),
            sharing: false,
            copied: false,
            theme: drafts::get(drafts::local, THEME).unwrap_or_else(|| "system".into()),
            drawer: None,
            fields: Default::default(),
            centre: NodeRef::default(),
            focus: None,
            drafts_kept: true,
            restarts: 0,
            reading_since: 0.0,
            one_tenant_in: 1,
            _listeners: listeners(context),
            _resize: None,
        };
        page.apply_theme();
        page.carry_out(effects);
        page
    }

    fn update(&mut self, context: &Context<Self>, message: PageMessage) -> bool {
        match message {
            PageMessage::App(message) => self.tell(message),
            PageMessage::Engine(said) => self.hear(context, said),
            PageMessage::File(file) if file.name().ends_with(".json") => read_text(context, &file),
            PageMessage::File(file) => self.read(&file),
            PageMessage::Scenario(name, text) => self.open_file(&name, &text),
            PageMessage::Sample(one_in) => self.one_tenant_in = one_in,
            PageMessage::Hover(time) => self.hover = time,
            PageMessage::Width(width) => self.width = width,
            // A click anywhere closes the menu. When none is open nothing may be drawn again: that
            // would set a clicked checkbox back before its change is told.
            PageMessage::List(ListMessage::Menu(None)) if self.list.open_menu().is_none() => return false,
            PageMessage::List(message) => {
                if let Some(edit) = self.list.update(message, &self.app) {
                    self.tell(Message::Edit(edit));
                }
                self.focus = self.list.open_menu().map(|_| ".menu [role=menuitem]:not(:disabled)".to_owned());
            }
            PageMessage::Events(EventsMessage::Menu(false)) if !self.events.is_menu_open() => return false,
            PageMessage::Events(message) => {
                let Done { edit, focus } = self.events.update(message, &self.app);
                edit.into_iter().for_each(|edit| self.tell(Message::Edit(edit)));
                self.focus = focus;
            }
            PageMessage::Focus(target) => self.focus = Some(target.to_owned()),
            PageMessage::FocusRow(rule, part) => self.focus = Some(format!("[data-rule=\"{rule}\"] {part}")),
            PageMessage::Table(metric) => self.charts.toggle_table(metric),
            PageMessage::MapTable => self.map.toggle_table(),
            PageMessage::MapByClass(by_class) => self.map.by_class = by_class,
            PageMessage::Panel(message) => self.lifetimes.update(&message),
            PageMessage::Anatomy => self.anatomy_open = !self.anatomy_open,
            PageMessage::MapClick(x, y) => {
                let machine = self.app.live.as_ref().and_then(|live| self.map.machine_at(live, x, y));
                if machine.is_some() && is_narrow() {
                    self.drawer = Some(Side::Explain);
                }
                self.tell(Message::Machine(machine));
            }
            PageMessage::Share(open) => (self.sharing, self.copied) = (open, false),
            PageMessage::Copy(text) => copy(context, &text),
            PageMessage::Copied => self.copied = true,
            PageMessage::Theme => {
                self.theme = match self.theme.as_str() {
                    "system" => "light".into(),
                    "light" => "dark".into(),
                    _ => "system".into(),
                };
                self.apply_theme();
            }
            PageMessage::Drawer(None) if self.drawer.is_none() => return false,
            PageMessage::Drawer(side) => {
                let left = std::mem::replace(&mut self.drawer, side);
                self.focus = match (side, left) {
                    (Some(_), _) => Some(".side.open .close".to_owned()),
                    (None, Some(Side::Rules)) => Some(".drawers :first-child".to_owned()),
                    (None, _) => Some(".drawers :last-child".to_owned()),
                };
            }
            PageMessage::FreshSeed => self.fresh_seed(),
            PageMessage::Address(fragment) => {
                drafts::begin_another();
                self.tell(Message::Link(fragment));
            }
        }
        true
    }

    fn view(&self, context: &Context<Self>) -> Html {
        let (link, app) = (context.link(), &self.app);
        let moment = self.hover.unwrap_or_else(|| app.moment());
        let side =
            |side: Side, name: &'static str| classes!("side", name, (self.drawer == Some(side)).then_some("open"));
        let shut = link.callback(|_: MouseEvent| PageMessage::Drawer(None));
        let close = html! { <button class="close" onclick={shut.clone()}>{ "Close" }</button> };
        html! {
            <>
                { toolbar::view(link, app, &self.theme) }
                <div class="columns">
                    <aside class={side(Side::Rules, "rules-side")} aria-label="Rules and settings">
                        { close.clone() }
                        { self.list.view(link, app) }
                        { workload::view(link, app, self.one_tenant_in) }
                    </aside>
                    <main class="centre" ref={&self.centre}>
                        <div class="headline">
                            <h1 class="lead">{ "How does a cloud choose a machine for your VM?" }</h1>
                            { toolbar::status(link, app, (js_sys::Date::now() - self.reading_since) / 1_000.0) }
                        </div>
                        { notices::view(link, app) }
                        { self.middle(context, moment) }
                        <footer class="muted">{ footer(app) }</footer>
                    </main>
                    <aside class={side(Side::Explain, "explain-side")} aria-label="Explanations">{ close }{ explain::view(link, app, &self.fields.0, &self.fields.1) }</aside>
                    if self.drawer.is_some() { <div class="backdrop" onclick={shut}></div> }
                </div>
                { share::view(link, app, &self.dialog, self.sharing, self.copied) }
            </>
        }
    }

    fn rendered(&mut self, context: &Context<Self>, first: bool) {
        if first {
            self._resize = observe(context, &self.centre);
        }
        let moment = self.hover.unwrap_or_else(|| self.app.moment());
        let theme = format!("{} {}", self.theme, prefers_dark());
        self.map.paint(&self.app, moment, self.width, &theme, !matches("(prefers-reduced-motion: reduce)"));
        share::sync(&self.dialog, self.sharing);
        if let Some(target) = self.focus.take() {
            let found = gloo::utils::document().query_selector(&target).ok().flatten();
            if let Some(element) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
                let _ = element.focus();
            }
        }
    }
}

impl Page {
    /// Map, timeline and charts; before there is anything to show, the picture the page came
    /// with, as long as it is of this scenario.
    fn middle(&self, context: &Context<Self>, moment: f64) -> Html {
        let (link, app) = (context.link(), &self.app);
        let picture = &context.props().picture;
        let none_yet = app.live.as_ref().is_none_or(|live| live.result.is_none()) && app.baseline.is_none();
        let of_this = PRESETS.first().is_some_and(|preset| (preset.make)() == app.document);
        if none_yet && of_this && app.phase == Phase::Running && !picture.is_empty() {
            return Html::from_html_unchecked(picture.clone());
        }
        html! {
            <>
                { self.map.view(link, app, moment) }
                { timeline::view(link, app, &self.events, self.width) }
                { self.charts.view(link, app, self.width, self.hover) }
                { self.lifetimes.view(link, app, self.width) }
                { anatomy::view(link, app, self.anatomy_open) }
            </>
        }
    }

    fn tell(&mut self, message: Message) {
        let effects = self.app.update(message);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send(command) => self.send(&command, None),
                Effect::SaveDraft(document) => self.save_draft(document),
                Effect::ForgetFrames => self.map.frames = Frames::default(),
            }
        }
    }

    fn send(&mut self, command: &Command, file: Option<&File>) {
        if let Some(engine) = &mut self.engine {
            engine.send(command, file);
        }
    }

    fn hear(&mut self, context: &Context<Self>, said: Said) {
        match said {
            Said::Reply(reply, frames) => {
                if let (Reply::Ready, Some(engine)) = (&*reply, &mut self.engine) {
                    engine.ready();
                }
                let run = match &*reply {
                    Reply::Progress(progress) => Some(progress.run),
                    Reply::Finished { run, .. } => Some(*run),
                    _ => None,
                };
                self.tell(Message::Engine(reply));
                let live = self.app.live.as_ref().filter(|live| Some(live.run) == run);
                if let (Some(live), Some(frames)) = (live, frames) {
                    self.map.frames.replace(frames, &live.layout);
                }
            }
            Said::Died(reason) => {
                self.restarts += 1;
                self.engine = if self.restarts < 5 { start_engine(context) } else { None };
                self.tell(Message::EngineRestarted { reason });
            }
        }
    }

    /// Opens a scenario file; what it replaces can be had back with undo.
    fn open_file(&mut self, name: &str, text: &str) {
        match Document::read(text) {
            Ok(read) => {
                if !read.issues.is_empty() {
                    let lines = read.issues.iter().map(ToString::to_string).collect();
                    self.tell(Message::Notice(Notice::bad(format!("Part of {name} could not be read"), lines)));
                }
                self.tell(Message::Open(read.document));
            }
            Err(error) => {
                let notice = Notice::bad(format!("{name} is no scenario"), vec![error.to_string()]);
                self.tell(Message::Notice(notice));
            }
        }
    }

    /// Gives a trace to the engine.
    fn read(&mut self, file: &File) {
        let (name, bytes) = (file.name(), file.size());
        let one_tenant_in = match self.app.phase {
            Phase::NeedsTrace { one_tenant_in, .. } => one_tenant_in,
            _ => self.one_tenant_in,
        };
        if bytes > FILE_BYTES_MAX && one_tenant_in == 1 {
            let line = format!(
                "Expected at most {:.0} GB, got {:.1} GB; compress it with gzip, or keep one tenant in several \
                 (under Workload) and give it again.",
                FILE_BYTES_MAX / 1e9,
                bytes / 1e9
            );
            return self.tell(Message::Notice(Notice::bad(format!("{name} is too large"), vec![line])));
        }
        self.reading_since = js_sys::Date::now();
        self.tell(Message::TraceChosen { name: name.clone(), bytes });
        self.send(&Command::TraceBegin { name, bytes, one_tenant_in }, Some(file));
    }

    /// Keeps the draft. A document that came with the address begins a draft of its own, so
    /// that the one before stays as it was.
    fn save_draft(&mut self, document: String) {
        let location = gloo::utils::window().location();
        if location.hash().is_ok_and(|hash| !hash.is_empty()) {
            let path = location.pathname().unwrap_or_default();
            let history = gloo::utils::window().history();
            let _ = history.and_then(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(&path)));
        }
        if !drafts::save(document) && self.drafts_kept {
            self.drafts_kept = false;
            let line =
                "The browser's storage is full or switched off. Use Share to keep your work as a link or a file.";
            self.tell(Message::Notice(Notice::bad("Drafts are not kept in this browser", vec![line.into()])));
        }
    }

    fn fresh_seed(&mut self) {
        let mut bytes = [0; 4];
        if getrandom::fill(&mut bytes).is_ok() {
            let value = f64::from(u32::from_le_bytes(bytes));
            self.tell(Message::Edit(Edit::Setting { index: 0, value }));
        }
    }

    fn apply_theme(&self) {
        // Only the choice is stored; a browser that forbids storage follows the system.
        drafts::set(drafts::local, THEME, &self.theme);
        if let Some(root) = gloo::utils::document().document_element() {
            let _ = root.set_attribute("data-theme", &self.theme);
        }
    }
}

/// What the page opens with: the address's scenario, else this tab's draft, else the default.
fn open() -> (App, Vec<Effect>) {
    drafts::take_over();
    let default = PRESETS.first().map_or_else(Document::default, |preset| (preset.make)());
    let fragment = gloo::utils::window().location().hash().unwrap_or_default();
    let draft = drafts::own();
    if fragment.len() > 1 {
        drafts::begin_another();
        let (mut app, first) = App::open(default);
        let effects = app.update(Message::Link(fragment));
        offer_draft(&mut app, draft.or_else(drafts::latest));
        return if effects.is_empty() { (app, first) } else { (app, effects) };
    }
    let restored = draft.and_then(|draft| Document::read(&draft.document).ok());
    match restored {
        Some(read) => {
            let (mut app, _) = App::open(default);
            let effects = app.update(Message::Open(read.document));
            (app, effects)
        }
        None => {
            let (mut app, effects) = App::open(default);
            offer_draft(&mut app, drafts::latest());
            (app, effects)
        }
    }
}

/// Tells of a draft that is not open, when it differs from what is.
fn offer_draft(app: &mut App, draft: Option<drafts::Draft>) {
    let Some(draft) = draft else { return };
    let Ok(read) = Document::read(&draft.document) else { return };
    if read.document != app.document {
        let minutes = (js_sys::Date::now() - draft.saved_at()) / 60_000.0;
        let line = format!("\"{}\", saved {} minutes ago. It stays where it is.", read.document.name, minutes.round());
        let mut notice = Notice::good("You have a draft in this browser", vec![line]);
        notice.offer = Some(read.document);
        app.update(Message::Notice(notice));
    }
}

fn start_engine(context: &Context<Page>) -> Option<EngineLink> {
    let link = context.link().clone();
    match EngineLink::start(move |said| link.send_message(PageMessage::Engine(said))) {
        Ok(engine) => Some(engine),
        Err(error) => {
            let line = format!("The browser said: {error:?}. The page needs web workers and WebAssembly.");
            let notice = Notice::bad("The engine could not be started", vec![line]);
            context.link().send_message(PageMessage::App(Message::Notice(notice)));
            None
        }
    }
}

fn listeners(context: &Context<Page>) -> Vec<EventListener> {
    let window = gloo::utils::window();
    let document = gloo::utils::document();
    let address = context.link().batch_callback(|_: ()| {
        let fragment = gloo::utils::window().location().hash().unwrap_or_default();
        (fragment.len() > 1).then_some(PageMessage::Address(fragment))
    });
    let dropped = context.link().batch_callback(|event: DragEvent| {
        let file = event.data_transfer()?.files()?.get(0)?;
        Some(PageMessage::File(file))
    });
    let close_menu = context.link().callback(|()| PageMessage::List(ListMessage::Menu(None)));
    let close_menu_by_key = close_menu.clone();
    let close_events = context.link().callback(|()| PageMessage::Events(EventsMessage::Menu(false)));
    let close_events_by_key = close_events.clone();
    let close_drawer = context.link().callback(|()| PageMessage::Drawer(None));
    let undo = context.link().batch_callback(|event: web_sys::KeyboardEvent| {
        let typing = event.target().is_some_and(|target| target.has_type::<web_sys::HtmlInputElement>());
        let command = event.ctrl_key() || event.meta_key();
        match event.key().to_lowercase().as_str() {
            "z" if command && !typing => {
                event.prevent_default();
                Some(PageMessage::App(if event.shift_key() { Message::Redo } else { Message::Undo }))
            }
            _ => None,
        }
    });
    let active = gloo::events::EventListenerOptions::enable_prevent_default();
    vec![
        EventListener::new(&window, "pagehide", |_| drafts::hand_over()),
        EventListener::new(&window, "hashchange", move |_| address.emit(())),
        EventListener::new_with_options(&document, "dragover", active, |event| event.prevent_default()),
        EventListener::new_with_options(&document, "drop", active, move |event| {
            event.prevent_default();
            dropped.emit(event.clone().unchecked_into());
        }),
        EventListener::new(&document, "click", move |event| {
            let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            let outside =
                |menu: &str| target.as_ref().is_none_or(|target| !matches!(target.closest(menu), Ok(Some(_))));
            if outside(".handle, .menu") {
                close_menu.emit(());
            }
            if outside(".adder") {
                close_events.emit(());
            }
        }),
        EventListener::new_with_options(&document, "keydown", active, move |event| {
            let event: &web_sys::KeyboardEvent = event.unchecked_ref();
            if event.key() == "Escape" {
                close_menu_by_key.emit(());
                close_events_by_key.emit(());
                close_drawer.emit(());
            }
            undo.emit(event.clone());
        }),
    ]
}

/// Tells the page how wide its charts are, now and whenever that changes.
fn observe(context: &Context<Page>, centre: &NodeRef) -> Option<(ResizeObserver, Closure<dyn FnMut()>)> {
    let centre = centre.cast::<HtmlElement>()?;
    let (link, measured) = (context.link().clone(), centre.clone());
    let changed = Rc::new(std::cell::Cell::new(0));
    let closure = Closure::<dyn FnMut()>::new(move || {
        let width = measured.client_width().max(260) as u32 - 32;
        if changed.replace(width) != width {
            link.send_message(PageMessage::Width(width));
        }
    });
    let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
    observer.observe(&centre);
    Some((observer, closure))
}

fn read_text(context: &Context<Page>, file: &File) {
    let (name, promise, link) = (file.name(), file.text(), context.link().clone());
    wasm_bindgen_futures::spawn_local(async move {
        let text = wasm_bindgen_futures::JsFuture::from(promise).await;
        let text = text.ok().and_then(|text| text.as_string()).unwrap_or_default();
        link.send_message(PageMessage::Scenario(name, text));
    });
}

fn copy(context: &Context<Page>, text: &str) {
    let promise = gloo::utils::window().navigator().clipboard().write_text(text);
    let link = context.link().clone();
    wasm_bindgen_futures::spawn_local(async move {
        let message = match wasm_bindgen_futures::JsFuture::from(promise).await {
            Ok(_) => PageMessage::Copied,
            Err(_) => {
                let line =
                    "The browser does not let this page write to the clipboard; select the link and copy it by hand.";
                PageMessage::App(Message::Notice(Notice::bad("The link was not copied", vec![line.into()])))
            }
        };
        link.send_message(message);
    });
}

fn prefers_dark() -> bool {
    matches("(prefers-color-scheme: dark)")
}

/// Whether the sides are drawers, as the style sheet has it.
fn is_narrow() -> bool {
    matches("(max-width: 1180px)")
}

fn matches(media: &str) -> bool {
    gloo::utils::window().match_media(media).ok().flatten().is_some_and(|query| query.matches())
}

fn footer(app: &App) -> String {
    let digest = app.live.as_ref().and_then(|live| live.result.as_ref()).map(|result| result.digest.as_str());
    format!(
        "Seed {}; digest {}; engine {}. Traces: Microsoft Azure, CC BY 4.0 (Hadary et al., OSDI 2020). Everything is computed in this browser.",
        app.variant().seed,
        digest.unwrap_or("…"),
        tiebreak_lab::app::ENGINE_VERSION
    )
}
