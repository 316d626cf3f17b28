//! Opening the page: with the scenario of the address, this tab's draft, or the default, and with the engines for it.

use std::cell::OnceCell;
use std::rc::Rc;

use gloo::timers::future::TimeoutFuture;
use tiebreak_app::{App, Effect, Message, Notice};
use tiebreak_engine::FirstRun;
use tiebreak_engine::protocol::Reply;
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::{Document, PRESETS};
use tiebreak_view::embed::Embed;
use tiebreak_view::naming;
use wasm_bindgen_futures::spawn_local;
use yew::html::Scope;
use yew::prelude::*;

use super::files::Reading;
use super::theme::Theme;
use super::{Page, PageMessage, keeping, listeners};
use crate::engine_link::EngineLink;
use crate::parts::embed;
use crate::parts::panel::{Link, News, Sent, View};
use crate::parts::panels::Panels;
use crate::workers::Workers;
use crate::{drafts, places};

/// The maximum number of engines in addition to the displayed ones; each holds the trace in memory.
const ENGINES_MAX: usize = 6;

/// The window width from which the rules are beside the charts, the width they take, and the margins of the charts, in
/// CSS pixels, as in the style sheet.
const SIDES_FROM: u32 = 1181;
const SIDE: u32 = 356;
const MARGINS: u32 = 32;

/// The state to open with, prepared before the first drawing.
pub(crate) struct Opened {
    app: App,
    effects: Vec<Effect>,
    embed: Option<Embed>,
    panels: Panels,
    /// The panels' way to the page, which sets `scope` once it exists.
    link: Link,
    scope: Rc<OnceCell<Scope<Page>>>,
    /// The panels' reaction to the address.
    sent: Vec<Sent>,
    has_address: bool,
}

impl Opened {
    /// Reads the address, or this tab's draft.
    pub(crate) fn now() -> Self {
        let (embed, scope) = (embed::asked(), Rc::new(OnceCell::<Scope<Page>>::new()));
        let to = scope.clone();
        let link = Link::new(move |sent| {
            if let Some(scope) = to.get() {
                scope.send_message(PageMessage::Sent(sent));
            }
        });
        let (app, first) = App::open(PRESETS.first().map_or_else(Document::default, |preset| (preset.make)()));
        let fragment = gloo::utils::window().location().hash().unwrap_or_default();
        let mut panels = Panels::new();
        let sent = panels.hear(&News::Address(&fragment), &link, &app);
        let has_address = fragment.len() > 1;
        let (mut app, mut effects) = match embed {
            Some(_) => open_link(app, first, fragment),
            None => open_own(app, first, if sent.is_empty() { fragment } else { String::new() }),
        };
        app.use_engines(engines());
        app.restore_runs(&keeping::kept(keeping::RUNS));
        app.own_lesson.text = keeping::kept(keeping::LESSON);
        if embed.is_none() {
            effects.extend(app.restore_search(&keeping::kept_search()));
        }
        Self { app, effects, embed, panels, link, scope, sent, has_address }
    }
}

impl Page {
    pub(super) fn open(opened: Opened, scope: Scope<Self>, without: &str) -> Self {
        let Opened { app, effects, embed, panels, link, scope: to, sent, has_address } = opened;
        to.get_or_init(|| scope.clone());
        let mut page = Self {
            app,
            workers: workers(&scope, &link),
            panels,
            link,
            width: width(),
            hover: None,
            embed,
            theme: Theme::kept(),
            drawer: None,
            asks_why: false,
            view: View::Experiment,
            centre: NodeRef::default(),
            focus: None,
            is_to_print: false,
            has_sides: false,
            drafts_kept: true,
            reading: Reading::default(),
            _listeners: listeners::all(&scope),
            _resize: None,
            measured: None,
            selected: None,
            scope,
        };
        page.view = page.first_view(has_address);
        page.begin(effects, without);
        page.follow();
        if !sent.is_empty() {
            page.scope.send_message(PageMessage::Sent(sent));
        }
        page
    }

    /// Carries out the first effects. The run of the page's own scenario is loaded from a file.
    fn begin(&mut self, mut effects: Vec<Effect>, without: &str) {
        let is_first = (PRESETS[0].make)() == self.app.document;
        if is_first && self.embed.is_none() {
            self.app.show_example(without);
        }
        if is_first
            && let Some(at) = effects.iter().position(|effect| matches!(effect, Effect::Send { .. }))
            && let Effect::Send { lane, command } = effects.remove(at)
        {
            self.workers.await_first(lane, command);
            spawn_local(fetch_first(self.scope.clone()));
        }
        self.carry_out(effects);
    }

    pub(super) fn show_first(&mut self, run: Option<FirstRun>) {
        let digest = run.as_ref().and_then(FirstRun::digest);
        let Some((lane, FirstRun { said, frames })) = self.workers.first_is_there(digest).zip(run) else { return };
        for reply in said {
            let frames = matches!(reply, Reply::Finished { .. }).then(|| frames.clone());
            self.take_in(lane, Box::new(reply), frames);
        }
    }
}

/// Loads the precomputed first run. Reading the file, handling the run and drawing it are separate tasks, so that a
/// slow machine can respond to input in between.
async fn fetch_first(scope: Scope<Page>) {
    let file = places::bytes("first").await;
    let run = file.and_then(|bytes| postcard::from_bytes(&bytes).ok());
    for message in [PageMessage::FirstRun(run), PageMessage::Draw] {
        TimeoutFuture::new(0).await;
        scope.send_message(message);
    }
}

/// The scenario of the address, or what is already open.
fn open_link(mut app: App, first: Vec<Effect>, fragment: String) -> (App, Vec<Effect>) {
    let effects = if fragment.len() > 1 { app.update(Message::Link(fragment)) } else { Vec::new() };
    let effects = if effects.is_empty() { first } else { effects };
    (app, effects)
}

/// The scenario of the address or of a draft. An embedded page ignores drafts.
fn open_own(mut app: App, first: Vec<Effect>, fragment: String) -> (App, Vec<Effect>) {
    drafts::take_over();
    let draft = drafts::own();
    if fragment.len() > 1 {
        drafts::begin_another();
        let (mut app, effects) = open_link(app, first, fragment);
        offer_draft(&mut app, draft.or_else(drafts::latest));
        return (app, effects);
    }
    if let Some(read) = draft.and_then(|draft| Document::read(&draft.document).ok()) {
        let effects = app.update(Message::Open(read.document));
        return (app, effects);
    }
    offer_draft(&mut app, drafts::latest());
    (app, first)
}

/// Offers a draft that differs from the open document.
fn offer_draft(app: &mut App, draft: Option<drafts::Draft>) {
    let Some(draft) = draft else { return };
    let Ok(read) = Document::read(&draft.document) else { return };
    if read.document != app.document {
        let minutes = (js_sys::Date::now() - draft.saved_at()) / 60_000.0;
        let line = say(
            "\"{}\", saved {} minutes ago. It stays where it is.",
            &[&naming::scenario(&read.document.name), &minutes.round()],
        );
        let mut notice = Notice::good(tr("You have a draft in this browser"), vec![line]);
        notice.offer = Some(read.document);
        app.update(Message::Notice(notice));
    }
}

fn workers(scope: &Scope<Page>, link: &Link) -> Workers {
    let (scope, link) = (scope.clone(), link.clone());
    Workers::new(Box::new(move |lane| {
        let tell = scope.clone();
        match EngineLink::start(move |said| tell.send_message(PageMessage::Engine(lane, said))) {
            Ok(engine) => Some(engine),
            Err(error) => {
                let error = format!("{error:?}");
                let line = say("The browser said: {error}. The page needs web workers and WebAssembly.", &[&error]);
                link.send(Message::Notice(Notice::bad(tr("The engine could not start"), vec![line])));
                None
            }
        }
    }))
}

/// The expected width of the charts, so that nothing shifts once it is measured.
fn width() -> u32 {
    let root = gloo::utils::document().document_element().map_or(0, |root| root.client_width());
    let window = u32::try_from(root).unwrap_or(0);
    let side = if window >= SIDES_FROM { SIDE } else { 0 };
    window.saturating_sub(side).max(260) - MARGINS
}

/// The number of additional engines: one core is reserved for the page.
fn engines() -> usize {
    let cores = gloo::utils::window().navigator().hardware_concurrency();
    (cores as usize).saturating_sub(1).clamp(1, ENGINES_MAX)
}
