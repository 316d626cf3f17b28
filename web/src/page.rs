//! The whole page: the application's state, the parts that show it, and the browser's
//! side of every effect.

use std::collections::BTreeMap;
use std::rc::Rc;

use gloo::events::EventListener;
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_lab::app::{Edit, Lane, Notice, Phase};
use tiebreak_lab::protocol::{Command, Reply};
use tiebreak_lab::view::embed::Embed;
use tiebreak_lab::{App, Effect, FirstRun, Message};
use tiebreak_lesson::Control;
use tiebreak_model::Declared;
use tiebreak_scenario::{Document, PRESETS, SweepPlan, TraceSettings, link};
use tiebreak_trace::Limits;
use wasm_bindgen::prelude::*;
use web_sys::{DragEvent, File, HtmlElement, ResizeObserver};
use yew::prelude::*;

use crate::drafts;
use crate::engine_link::{EngineLink, Said};
use crate::language;
use crate::offline::Offline;
use crate::parts::admission::{AdmissionMessage, AdmissionPanel};
use crate::parts::events::{Done, Events, EventsMessage};
use crate::parts::exhibits::{ExhibitMessage, Exhibits};
use crate::parts::fleet_map::Colouring;
use crate::parts::lesson::{self, LessonMessage, Lessons};
use crate::parts::lifetimes::{Panel, PanelMessage};
use crate::parts::network::{NetworkMessage, NetworkPanel};
use crate::parts::own_lesson::{self, OwnLesson, OwnMessage};
use crate::parts::player::{Player, PlayerMessage};
use crate::parts::power::{PowerMessage, PowerPanel};
use crate::parts::rules::{List, ListMessage};
use crate::parts::share::{Share, ShareMessage};
use crate::parts::sizing::{SizeMessage, SizePanel};
use crate::parts::sweep::{SweepMessage, SweepPanel};
use crate::parts::{
    anatomy,
    charts::Charts,
    columns, compare, embed, explain,
    fleet_map::{FleetMap, Frames},
    notices, profile, runs, timeline, toolbar, workload,
};
use crate::places;
use crate::workers::Workers;

/// Where the choice of colours is kept.
const THEME: &str = "tiebreak.theme";

/// Engines beside those on screen, at most: each has the trace in its memory.
const ENGINES_MAX: usize = 6;

/// What an address with a lesson begins with; behind it the lesson's id, and perhaps `/` and a step
/// from 1.
const LESSON: &str = "#lesson=";

/// Pixels between two maps side by side.
const MAPS_APART: u32 = 16;

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
    /// A worker spoke.
    Engine(u32, Said),
    /// What comes of the first run is there, or is not to be had.
    FirstRun(Option<FirstRun>),
    /// A file was chosen or dropped.
    File(File),
    /// It is to be read with the columns that were chosen.
    Columns,
    /// A scenario file was read: its name and text.
    Scenario(String, String),
    /// Of the next trace, keep another part.
    Sample(Box<dyn FnOnce(&mut TraceSettings)>),
    /// The trace is to be read again without VMs that start years from all others.
    LeaveOutOutliers,
    /// The pointer is over this moment of the charts.
    Hover(Option<f64>),
    /// The charts have this width now.
    Width(u32),
    /// The list of rules.
    List(ListMessage),
    /// The events on the timeline.
    Events(EventsMessage),
    /// A lesson of the page's list, by id, and the step it opens at, from 0.
    Lesson(String, usize),
    /// Its text is there.
    LessonText(String, usize),
    /// There is none of this id.
    NoLesson(String),
    /// A presenter's key: forward, or back.
    Present(bool),
    /// What people do in a lesson.
    Lessons(LessonMessage),
    /// The lesson that is being written.
    Own(OwnMessage),
    /// What people set for a sweep.
    Sweep(SweepMessage),
    /// What people want to know of how many machines it needs.
    Size(SizeMessage),
    /// The film of a run.
    Player(PlayerMessage),
    /// Give the focus to what this finds.
    Focus(&'static str),
    /// Give the focus back to a part of a rule's row.
    FocusRow(String, &'static str),
    /// A chart's table.
    Table(usize),
    /// The map's table.
    MapTable,
    /// Colour the map by something else.
    MapColours(Colouring),
    /// The region with lifetimes.
    Panel(PanelMessage),
    /// Something in the region with virtual datacenters.
    Network(NetworkMessage),
    /// Something in the region with admission.
    Admission(AdmissionMessage),
    /// Something in the region with power.
    Power(PowerMessage),
    /// Something of the workload's profile is opened or closed.
    Profile(ExhibitMessage),
    /// The region with caches and agents.
    Anatomy,
    /// A click on the map of a variant, in its own pixels.
    MapClick(String, u32, u32),
    /// A VM was asked about in the list of differences: it, and when it came.
    ExplainAt(String, f64),
    /// The share dialog, and what goes out from it.
    Share(ShareMessage),
    /// The next choice of colours.
    Theme,
    /// Another language.
    Language(String),
    /// It is spoken now, or could not be had.
    Spoken(bool),
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
    /// The run that came with it, to be compared with.
    pub(crate) without: AttrValue,
}

/// The page.
pub(crate) struct Page {
    app: App,
    workers: Workers,
    list: List,
    charts: Charts,
    /// A map for each lane.
    maps: BTreeMap<u32, FleetMap>,
    map_colours: Colouring,
    events: Events,
    player: Player,
    lifetimes: Panel,
    network: NetworkPanel,
    admission: AdmissionPanel,
    power: PowerPanel,
    profile: Exhibits,
    lessons: Lessons,
    own_lesson: OwnLesson,
    sweep: SweepPanel,
    size: SizePanel,
    /// The step at which the lesson that is being read opens.
    lesson_step: usize,
    /// Whether a run was over since the page opened.
    is_live: bool,
    anatomy_open: bool,
    width: u32,
    hover: Option<f64>,
    share: Share,
    /// The only thing shown, inside another page.
    embed: Option<Embed>,
    theme: String,
    drawer: Option<Side>,
    vm_field: NodeRef,
    centre: NodeRef,
    focus: Option<String>,
    drafts_kept: bool,
    /// When the trace being read was begun, in the browser's own milliseconds.
    reading_since: f64,
    sample: TraceSettings,
    /// The file that was read last, and what its columns were said to be.
    file: Option<(File, Vec<String>)>,
    _listeners: Vec<EventListener>,
    _resize: Option<(ResizeObserver, Closure<dyn FnMut()>)>,
}

impl Component for Page {
    type Message = PageMessage;
    type Properties = Properties;

    fn create(context: &Context<Self>) -> Self {
        let embed = embed::asked();
        let (app, effects) = open(embed.is_some());
        let mut page = Self {
            app,
            workers: workers(context),
            list: List::default(),
            charts: Charts::default(),
            maps: BTreeMap::new(),
            map_colours: Colouring::default(),
            events: Events::default(),
            player: Player::default(),
            lifetimes: Panel::default(),
            network: NetworkPanel::default(),
            admission: AdmissionPanel::default(),
            power: PowerPanel::default(),
            profile: Exhibits::default(),
            lessons: Lessons::default(),
            own_lesson: OwnLesson::default(),
            sweep: SweepPanel::default(),
            size: SizePanel::default(),
            lesson_step: 0,
            is_live: false,
            anatomy_open: false,
            width: 640,
            hover: None,
            share: Share::default(),
            embed,
            theme: drafts::get(drafts::local, THEME).unwrap_or_else(|| "system".into()),
            drawer: None,
            vm_field: NodeRef::default(),
            centre: NodeRef::default(),
            focus: None,
            drafts_kept: true,
            reading_since: 0.0,
            sample: TraceSettings::default(),
            file: None,
            _listeners: listeners(context),
            _resize: None,
        };
        page.apply_theme();
        page.app.use_engines(engines());
        page.app.restore_runs(&runs::kept().unwrap_or_default());
        page.app.own_lesson.text = own_lesson::kept().unwrap_or_default();
        page.map(page.app.front.id);
        page.begin(context.link(), effects, &context.props().without);
        let fragment = gloo::utils::window().location().hash().unwrap_or_default();
        if is_lesson(&fragment) {
            context.link().send_message(PageMessage::Address(fragment));
        }
        page
    }

    fn update(&mut self, context: &Context<Self>, message: PageMessage) -> bool {
        match message {
            // Inside another page there is nothing to undo but the opening of its link.
            PageMessage::App(Message::Undo | Message::Redo) if self.embed.is_some() => return false,
            PageMessage::App(message) => self.tell(message),
            PageMessage::Engine(lane, said) => return self.hear(context.link(), lane, said),
            PageMessage::FirstRun(run) => self.show_first(context.link(), run),
            PageMessage::File(file) if file.name().ends_with(".json") || file.name().ends_with(".md") => {
                read_text(context, &file);
            }
            PageMessage::File(file) => self.read(&file, Vec::new()),
            PageMessage::Columns => {
                let file = self.workers.reading.as_ref().map(|(file, _)| file.clone());
                let columns = self.app.unknown.as_ref().map(|unknown| unknown.columns.clone());
                if let (Some(file), Some(columns)) = (file, columns) {
                    self.read(&file, columns);
                }
            }
            PageMessage::Scenario(name, text) => self.open_file(&name, &text),
            PageMessage::Sample(change) => change(&mut self.sample),
            PageMessage::LeaveOutOutliers => self.leave_out_outliers(),
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
            PageMessage::Lesson(id, step) => lesson::fetch(context.link(), &id, step),
            PageMessage::LessonText(text, step) => {
                self.lesson_step = step;
                self.tell(Message::LessonText(text));
            }
            PageMessage::NoLesson(id) => {
                let line = say("Expected one of the list in the bar, got \"{id}\".", &[&id]);
                self.tell(Message::Notice(Notice::bad(tr("This page has no such lesson"), vec![line])));
            }
            PageMessage::Present(forward) => {
                let Some(playing) = &self.app.lesson else { return false };
                let message = match forward {
                    true if !playing.is_revealed => Message::Reveal,
                    true => Message::LessonStep(playing.step + 1),
                    false => Message::LessonStep(playing.step.saturating_sub(1)),
                };
                self.tell(message);
                self.focus = Some("#lesson-step".into());
            }
            PageMessage::Lessons(message) => {
                let told = self.lessons.update(message, &self.app);
                told.into_iter().for_each(|message| self.tell(message));
            }
            PageMessage::Own(message) => {
                let told = self.own_lesson.update(message, context.link(), &self.app);
                told.into_iter().for_each(|message| self.tell(message));
            }
            // Told of what is so already, when a plan has opened it.
            PageMessage::Sweep(SweepMessage::Fold(open)) if self.sweep.is_open == open => return false,
            PageMessage::Sweep(message) => {
                let told = self.sweep.update(&message, &self.app);
                told.into_iter().for_each(|message| self.tell(message));
            }
            PageMessage::Size(SizeMessage::Fold(open)) if self.size.is_open == open => return false,
            PageMessage::Size(message) => {
                if let Some(told) = self.size.update(&message) {
                    self.tell(told);
                    self.drawer = is_narrow().then_some(Side::Rules);
                    self.focus = Some("#machines-needed".into());
                }
            }
            PageMessage::Player(message) => {
                let told = self.player.update(&message, context.link(), &self.app);
                told.into_iter().for_each(|message| self.tell(message));
            }
            PageMessage::Focus(target) => self.focus = Some(target.to_owned()),
            PageMessage::FocusRow(rule, part) => self.focus = Some(format!("[data-rule=\"{rule}\"] {part}")),
            PageMessage::Table(metric) => self.charts.toggle_table(metric),
            PageMessage::MapTable => self.maps.values_mut().for_each(FleetMap::toggle_table),
            PageMessage::MapColours(colours) => {
                self.map_colours = colours;
                self.maps.values_mut().for_each(|map| map.colours = colours);
            }
            PageMessage::Network(message) => self.network.update(&message),
            PageMessage::Admission(message) => {
                let told = self.admission.update(&message, &self.app);
                told.into_iter().for_each(|message| self.tell(message));
            }
            PageMessage::Power(message) => {
                let told = self.power.update(&message, &self.app);
                told.into_iter().for_each(|message| self.tell(message));
            }
            PageMessage::Profile(message) => self.profile.update(&message),
            PageMessage::Panel(message) => self.lifetimes.update(&message),
            PageMessage::Anatomy => self.anatomy_open = !self.anatomy_open,
            PageMessage::MapClick(variant, x, y) => {
                self.tell(Message::Front(variant));
                let map = self.maps.get(&self.app.front.id);
                let machine = self.app.front.live.as_ref().and_then(|live| map?.machine_at(live, x, y));
                if machine.is_some() && is_narrow() {
                    self.drawer = Some(Side::Explain);
                }
                self.tell(Message::Machine(machine));
            }
            PageMessage::ExplainAt(vm, at_ms) => {
                self.tell(Message::Cursor(Some(at_ms)));
                self.tell(Message::Vm(vm));
                if is_narrow() {
                    self.drawer = Some(Side::Explain);
                }
            }
            PageMessage::Share(message) => self.focus = self.share.update(message, context.link(), &self.app),
            PageMessage::Theme => {
                self.theme = match self.theme.as_str() {
                    "system" => mark("light").into(),
                    "light" => mark("dark").into(),
                    _ => mark("system").into(),
                };
                self.apply_theme();
            }
            PageMessage::Language(language) => {
                let link = context.link().clone();
                language::choose(language, move |spoken| link.send_message(PageMessage::Spoken(spoken)));
            }
            PageMessage::Spoken(true) => {
                self.charts.redraw();
                self.lifetimes.redraw();
            }
            PageMessage::Spoken(false) => {
                let line = tr("Its texts come from the server, and the server did not give them.").into();
                self.tell(Message::Notice(Notice::bad(tr("The language could not be changed"), vec![line])));
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
            PageMessage::Address(fragment) if is_lesson(&fragment) => match fragment.strip_prefix(own_lesson::INSIDE) {
                Some(packed) => self.open_lesson_inside(packed),
                None => {
                    let (id, step) = lesson_of(&fragment);
                    lesson::fetch(context.link(), id, step);
                }
            },
            PageMessage::Address(fragment) => {
                if self.embed.is_none() {
                    drafts::begin_another();
                }
                self.tell(Message::Link(fragment));
            }
        }
        // What the region with admission shows follows the scenario.
        let told = self.admission.update(&AdmissionMessage::Changed, &self.app);
        told.into_iter().for_each(|message| self.tell(message));
        true
    }

    fn view(&self, context: &Context<Self>) -> Html {
        let (link, app) = (context.link(), &self.app);
        if let Some(embed) = &self.embed {
            return embed::view(link, app, embed, &self.charts, (&self.centre, self.width, self.hover));
        }
        let moment = self.hover.unwrap_or_else(|| app.moment());
        let side =
            |side: Side, name: &'static str| classes!("side", name, (self.drawer == Some(side)).then_some("open"));
        let shut = link.callback(|_: MouseEvent| PageMessage::Drawer(None));
        let shows_explain =
            app.lesson.as_ref().is_none_or(|playing| playing.is_revealed && playing.shows(Control::Explain));
        let close = html! { <button class="close" onclick={shut.clone()}>{ tr("Close") }</button> };
        html! {
            <>
                { toolbar::view(link, app, &self.lessons, &self.theme) }
                <div class={classes!("columns", (!shows_explain).then_some("without-explain"))}>
                    <aside class={side(Side::Rules, "rules-side")} aria-label={tr("Rules and settings")}>
                        { close.clone() }
                        { self.list.view(link, app) }
                        { workload::view(link, app, self.sample, &self.size) }
                    </aside>
                    <main class="centre" ref={&self.centre}>
                        <div class="headline">
                            <h1 class="lead">{ tr("How does a cloud choose a machine for your VM?") }</h1>
                            { toolbar::status(link, app, (js_sys::Date::now() - self.reading_since) / 1_000.0) }
                        </div>
                        <Offline is_live={self.workers.are_whole() && !matches!(app.front.phase, Phase::Idle | Phase::Running)} language={tiebreak_i18n::language()} />
                        { notices::view(link, app) }
                        { columns::view(link, app) }
                        { self.lessons.view(link, app) }
                        { self.middle(context, moment) }
                        <footer class="muted">{ footer(app) }</footer>
                    </main>
                    if shows_explain { <aside class={side(Side::Explain, "explain-side")} aria-label={tr("Explanations")}>{ close }{ explain::view(link, app, &self.vm_field) }</aside> }
                    if self.drawer.is_some() { <div class="backdrop" onclick={shut}></div> }
                </div>
                { self.share.view(link, app) }
                { self.own_lesson.view(link, app, self.share.copied()) }
                { self.share.report(link, app) }
            </>
        }
    }

    fn rendered(&mut self, context: &Context<Self>, first: bool) {
        if first {
            self._resize = observe(context, &self.centre);
        }
        let moment = self.hover.unwrap_or_else(|| self.app.moment());
        let theme = format!("{} {}", self.theme, prefers_dark());
        let may_move = !matches("(prefers-reduced-motion: reduce)");
        let lanes = self.app.shown_lanes();
        let width = if lanes.len() > 1 { (self.width - MAPS_APART) / 2 } else { self.width };
        for lane in lanes {
            if let Some(map) = self.maps.get_mut(&lane.id) {
                map.paint(&self.app, lane, moment, width, &theme, may_move);
            }
        }
        self.share.sync();
        self.own_lesson.sync();
        if let Some(target) = self.focus.take() {
            let found = gloo::utils::document().query_selector(&target).ok().flatten();
            if let Some(element) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
                let _ = element.focus();
            }
        }
        self.share.print();
    }
}

impl Page {
    /// Map, timeline and charts; before there is anything to show, the picture the page came
    /// with, as long as it is of this scenario.
    fn middle(&self, context: &Context<Self>, moment: f64) -> Html {
        let (link, app) = (context.link(), &self.app);
        let picture = &context.props().picture;
        // Its words are part of it.
        let is_english = tiebreak_i18n::language() == tiebreak_i18n::ENGLISH;
        let none_yet = app.front.live.as_ref().is_none_or(|live| live.result.is_none())
            && (app.front.baseline.is_none() || app.shows_example());
        let of_this = PRESETS.first().is_some_and(|preset| (preset.make)() == app.document);
        if none_yet && of_this && app.front.phase == Phase::Running && !picture.is_empty() && is_english {
            return Html::from_html_unchecked(picture.clone());
        }
        if app.hides_result() {
            return html! { <p class="hint before-run">{ tr("Predict first; then the run is shown.") }</p> };
        }
        let shows = |control: Control| app.lesson.as_ref().is_none_or(|playing| playing.shows(control));
        html! {
            <>
                if shows(Control::Map) { { self.fleet(link, moment) } }
                if shows(Control::Timeline) || shows(Control::Events) {
                    { timeline::view(link, app, &self.events, &self.player, self.width) }
                }
                { compare::view(link, app) }
                { self.charts.view(link, app, self.width, self.hover) }
                { compare::below(link, app) }
                { self.sweep.view(link, app, self.width) }
                { runs::view(link, app) }
                if shows(Control::Workload) { { profile::view(link, app, &self.profile, self.width) } }
                if shows(Control::Lifetimes) { { self.lifetimes.view(link, app, self.width) } }
                if shows(Control::Network) { { self.network.view(link, app) } }
                if shows(Control::Admission) { { self.admission.view(link, app, self.width) } }
                if shows(Control::Power) { { self.power.view(link, app, self.width) } }
                if shows(Control::Anatomy) { { anatomy::view(link, app, self.anatomy_open) } }
            </>
        }
    }

    /// The map of the variant in front; beside it that of the other one where two are compared.
    fn fleet(&self, link: &yew::html::Scope<Self>, moment: f64) -> Html {
        let lanes = self.app.shown_lanes();
        let name = |lane: &Lane| match lane.id == self.app.front.id {
            true => tr("Fleet map").to_owned(),
            false => say("Fleet map of {}", &[&lane.variant]),
        };
        let map = |lane: &&Lane| {
            let map = self.maps.get(&lane.id)?;
            Some(html! {
                <div class="of-variant" key={lane.id}>
                    if lanes.len() > 1 { <h2 class="variant-name">{ &lane.variant }</h2> }
                    { map.view(link, &self.app, lane, &name(lane), moment) }
                </div>
            })
        };
        html! { <div class={classes!("fleets", (lanes.len() > 1).then_some("two"))}>{ for lanes.iter().filter_map(map) }</div> }
    }

    fn map(&mut self, lane: u32) -> &mut FleetMap {
        let colours = self.map_colours;
        self.maps.entry(lane).or_insert_with(|| FleetMap::new(colours))
    }

    fn tell(&mut self, message: Message) {
        let effects = self.app.update(message);
        self.carry_out(effects);
        let lanes: Vec<u32> = std::iter::once(&self.app.front).chain(&self.app.aside).map(|lane| lane.id).collect();
        for lane in lanes {
            self.map(lane);
        }
    }

    /// The first effects. Where the page opens with its own scenario, what comes of it is in a file.
    fn begin(&mut self, link: &yew::html::Scope<Self>, mut effects: Vec<Effect>, without: &str) {
        let is_first = (PRESETS[0].make)() == self.app.document;
        if is_first && self.embed.is_none() {
            self.app.show_example(without);
        }
        if is_first
            && let Some(at) = effects.iter().position(|effect| matches!(effect, Effect::Send { .. }))
            && let Effect::Send { lane, command } = effects.remove(at)
        {
            self.workers.await_first(lane, command);
            link.send_future(async {
                let file = places::bytes("first").await;
                PageMessage::FirstRun(file.and_then(|bytes| postcard::from_bytes(&bytes).ok()))
            });
        }
        self.carry_out(effects);
    }

    fn show_first(&mut self, link: &yew::html::Scope<Self>, run: Option<FirstRun>) {
        let digest = run.as_ref().and_then(FirstRun::digest);
        let Some((lane, FirstRun { said, frames })) = self.workers.first_is_there(digest).zip(run) else { return };
        for reply in said {
            let frames = matches!(reply, Reply::Finished { .. }).then(|| frames.clone());
            self.take_in(link, lane, Box::new(reply), frames);
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send { lane, command } => self.workers.send(lane, &command, None),
                Effect::Close { lane } => {
                    self.workers.close(lane);
                    self.maps.remove(&lane);
                }
                Effect::SaveDraft(document) if self.embed.is_none() => self.save_draft(document),
                Effect::SaveDraft(_) => {}
                Effect::SaveRuns(text) => {
                    if !runs::keep(&text) {
                        self.not_kept();
                    }
                }
                Effect::SaveLesson(text) => {
                    if !own_lesson::keep(&text) {
                        self.not_kept();
                    }
                }
                Effect::ForgetFrames { lane } => self.map(lane).frames = Frames::default(),
            }
        }
    }

    /// A worker spoke; whether anything on the page changed by it.
    fn hear(&mut self, link: &yew::html::Scope<Self>, lane: u32, said: Said) -> bool {
        let were_whole = self.workers.are_whole();
        match self.workers.hear(lane, said, self.app.front.id) {
            Some(Said::Reply(reply, frames)) => self.take_in(link, lane, reply, frames),
            Some(Said::Died(reason)) => self.tell(Message::EngineEnded { lane, reason, had_begun: true }),
            Some(Said::NotBegun(reason)) => self.tell(Message::EngineEnded { lane, reason, had_begun: false }),
            None => return were_whole != self.workers.are_whole(),
        }
        true
    }

    /// What the engine of a lane has to say, with how full every machine is where that belongs to it.
    fn take_in(&mut self, link: &yew::html::Scope<Self>, lane: u32, reply: Box<Reply>, frames: Option<Vec<u8>>) {
        let run = match &*reply {
            Reply::Progress(progress) => Some(progress.run),
            Reply::Finished { run, .. } => Some(*run),
            _ => None,
        };
        if let (Reply::Placements { .. }, Some(bytes)) = (&*reply, &frames) {
            self.workers.placements.clone_from(bytes);
        }
        if let (Reply::Moment { time_ms, .. }, Some(bytes)) = (&*reply, &frames) {
            self.map(lane).frames.told(*time_ms, bytes.clone());
        }
        // The page is live: what may come later comes now.
        if matches!(*reply, Reply::Finished { .. }) && !std::mem::replace(&mut self.is_live, true) {
            lesson::fetch_list(link);
        }
        let is_lesson = matches!(*reply, Reply::Lesson(_));
        self.tell(Message::Engine(reply));
        if is_lesson && self.lesson_step > 0 {
            let step = std::mem::take(&mut self.lesson_step);
            self.tell(Message::LessonStep(step));
        }
        let shown = std::iter::once(&self.app.front).chain(&self.app.aside).find(|it| it.id == lane);
        let live = shown.and_then(|lane| lane.live.as_ref()).filter(|live| Some(live.run) == run);
        if let (Some(live), Some(frames), Some(map)) = (live, frames, self.maps.get_mut(&lane)) {
            map.frames.replace(frames, &live.layout);
        }
    }

    /// Opens a lesson that a link holds, at its step.
    fn open_lesson_inside(&mut self, packed: &str) {
        let (packed, step) = packed.split_once('/').unwrap_or((packed, "1"));
        match link::unpack(packed) {
            Ok(text) => {
                self.lesson_step = step_of(step);
                self.tell(Message::LessonText(text));
            }
            Err(error) => {
                let notice = Notice::bad(tr("This lesson could not be opened"), vec![error.to_string()]);
                self.tell(Message::Notice(notice));
            }
        }
    }

    /// Opens a scenario file, a sweep's plan or a lesson; what it replaces can be had back with undo.
    fn open_file(&mut self, name: &str, text: &str) {
        if name.ends_with(".md") {
            self.lesson_step = 0;
            return self.tell(Message::LessonText(text.to_owned()));
        }
        if SweepPlan::is_meant(text) {
            self.tell(Message::Plan { name: name.to_owned(), text: text.to_owned() });
            self.sweep.is_open |= self.app.wanted.is_ready();
            return;
        }
        match Document::read(text) {
            Ok(read) => {
                if !read.issues.is_empty() {
                    let lines = read.issues.iter().map(ToString::to_string).collect();
                    self.tell(Message::Notice(Notice::bad(say("Part of {name} could not be read", &[&name]), lines)));
                }
                self.tell(Message::Open(read.document));
            }
            Err(error) => {
                let notice = Notice::bad(say("{name} is no scenario", &[&name]), vec![error.to_string()]);
                self.tell(Message::Notice(notice));
            }
        }
    }

    /// Reads the file again that was read last; where the page was loaded since, it has to be chosen once more.
    fn leave_out_outliers(&mut self) {
        self.sample.without_outliers = true;
        match self.file.clone() {
            Some((file, columns)) => self.read(&file, columns),
            None => self.tell(Message::Notice(Notice::good(
                tr("Choose the file once more: it is then read without them."),
                Vec::new(),
            ))),
        }
    }

    /// Gives a trace to the engine; its columns are these, where somebody says so.
    fn read(&mut self, file: &File, columns: Vec<String>) {
        let (name, bytes) = (file.name(), file.size());
        self.file = Some((file.clone(), columns.clone()));
        let settings = match self.app.front.phase {
            Phase::NeedsTrace { sample, .. } => sample,
            _ => self.sample,
        };
        if let Err(why) = Limits::default().check_file(bytes as u64, &settings.sample()) {
            let notice = Notice::bad(say("{name} is too large", &[&name]), vec![tell(&why.phrase())]);
            return self.tell(Message::Notice(notice));
        }
        self.reading_since = js_sys::Date::now();
        self.tell(Message::TraceChosen { name: name.clone(), bytes });
        let sample = settings.to_values();
        let begin = Command::TraceBegin { name, bytes, sample, is_sampled: false, columns };
        self.workers.send(self.app.front.id, &begin, Some(file));
        // That was about this file.
        self.sample.without_outliers = false;
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
        if !drafts::save(document) {
            self.not_kept();
        }
    }

    /// Says, once, that this browser keeps nothing.
    fn not_kept(&mut self) {
        if std::mem::replace(&mut self.drafts_kept, false) {
            let line =
                tr("The browser's storage is full or switched off. Use Share to keep your work as a link or a file.");
            self.tell(Message::Notice(Notice::bad(tr("Drafts are not kept in this browser"), vec![line.into()])));
        }
    }

    fn fresh_seed(&mut self) {
        let mut bytes = [0; 4];
        if getrandom::fill(&mut bytes).is_ok() {
            self.tell(Message::Edit(Edit::set("seed", u32::from_le_bytes(bytes))));
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

/// What the page opens with: the address's scenario, else this tab's draft, else the default. Inside
/// another page it knows of no drafts.
fn open(embedded: bool) -> (App, Vec<Effect>) {
    let default = PRESETS.first().map_or_else(Document::default, |preset| (preset.make)());
    let fragment = gloo::utils::window().location().hash().unwrap_or_default();
    if embedded {
        let (mut app, first) = App::open(default);
        let effects = if fragment.len() > 1 { app.update(Message::Link(fragment)) } else { Vec::new() };
        return if effects.is_empty() { (app, first) } else { (app, effects) };
    }
    drafts::take_over();
    let draft = drafts::own();
    if fragment.len() > 1 && !is_lesson(&fragment) {
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
        let line = say("\"{}\", saved {} minutes ago. It stays where it is.", &[&read.document.name, &minutes.round()]);
        let mut notice = Notice::good(tr("You have a draft in this browser"), vec![line]);
        notice.offer = Some(read.document);
        app.update(Message::Notice(notice));
    }
}

/// The lesson that an address names, and its step from 0.
fn lesson_of(fragment: &str) -> (&str, usize) {
    let named = fragment.strip_prefix(LESSON).unwrap_or_default();
    let (id, step) = named.split_once('/').unwrap_or((named, "1"));
    (id, step_of(step))
}

/// Whether an address opens a lesson.
fn is_lesson(fragment: &str) -> bool {
    fragment.starts_with(LESSON) || fragment.starts_with(own_lesson::INSIDE)
}

/// A step from 0 as an address has it, from 1.
fn step_of(text: &str) -> usize {
    text.parse().map_or(0, |step: usize| step.saturating_sub(1))
}

fn workers(context: &Context<Page>) -> Workers {
    let link = context.link().clone();
    Workers::new(Box::new(move |lane| {
        let tell = link.clone();
        match EngineLink::start(move |said| tell.send_message(PageMessage::Engine(lane, said))) {
            Ok(engine) => Some(engine),
            Err(error) => {
                let error = format!("{error:?}");
                let line = say("The browser said: {error}. The page needs web workers and WebAssembly.", &[&error]);
                let notice = Notice::bad(tr("The engine could not be started"), vec![line]);
                link.send_message(PageMessage::App(Message::Notice(notice)));
                None
            }
        }
    }))
}

/// Engines that may work beside those on screen: one core is the page's own.
fn engines() -> usize {
    let cores = gloo::utils::window().navigator().hardware_concurrency();
    (cores as usize).saturating_sub(1).clamp(1, ENGINES_MAX)
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
        (command && !typing && event.key().eq_ignore_ascii_case("z")).then(|| {
            event.prevent_default();
            PageMessage::App(if event.shift_key() { Message::Redo } else { Message::Undo })
        })
    });
    let present = context.link().batch_callback(|event: web_sys::KeyboardEvent| {
        const TAKES_KEYS: &str = "input, select, textarea, canvas, .menu, .handle, .table, .event";
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        if target.is_some_and(|target| matches!(target.closest(TAKES_KEYS), Ok(Some(_)))) {
            return None;
        }
        match event.key().as_str() {
            "ArrowRight" | "PageDown" => Some(PageMessage::Present(true)),
            "ArrowLeft" | "PageUp" => Some(PageMessage::Present(false)),
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
            present.emit(event.clone());
        }),
    ]
}

/// Tells the page how wide its charts are, now and whenever that changes.
fn observe(context: &Context<Page>, centre: &NodeRef) -> Option<(ResizeObserver, Closure<dyn FnMut()>)> {
    let centre = centre.cast::<HtmlElement>()?;
    let (link, measured) = (context.link().clone(), centre.clone());
    let changed = Rc::new(std::cell::Cell::new(0));
    let closure = Closure::<dyn FnMut()>::new(move || {
        let Ok(inner @ 1..) = u32::try_from(measured.client_width()) else { return };
        let width = inner.max(260) - 32;
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
    let shown = app.front.live.as_ref().filter(|_| !app.hides_result());
    let digest = shown.and_then(|live| live.result.as_ref()).map(|result| result.digest.as_str());
    say(
        "Seed {}; digest {}; engine {}. Traces: Microsoft Azure, CC BY 4.0 (Hadary et al., OSDI 2020). Everything is computed in this browser.",
        &[&app.variant().seed, &digest.unwrap_or("…"), &tiebreak_lab::app::ENGINE_VERSION],
    )
}
