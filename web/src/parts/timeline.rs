//! The timeline: the moment that the fleet map, the machine list and the charts' cursor show, and the events in the
//! zone; below its track, the forks of the variants.

use tiebreak_app::{App, Message, Mode};
use tiebreak_chart::Role;
use tiebreak_engine::protocol::StepTo;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, tr};
use tiebreak_lesson::Control;
use tiebreak_view::branches::{Branch, branches};
use web_sys::{HtmlInputElement, HtmlSelectElement, InputEvent};
use yew::prelude::*;

use super::events::{Events, EventsMessage};
use super::panel::{Link, News, Own, Panel, Scene, Sent, shows};
use super::player::{Player, PlayerMessage};

/// Pixels of the charts' width to the left and right of their time axis.
const BESIDE_THE_AXIS: f64 = 144.0;

/// Height of a branch's row in CSS pixels.
const BRANCH_PX: usize = 24;

/// A minute in milliseconds.
const MINUTE_MS: f64 = 60_000.0;

/// The events on the timeline, and the player of a run.
#[derive(Default)]
pub(crate) struct Timeline {
    events: Events,
    player: Player,
}

/// Messages of the timeline.
pub(crate) enum TimelineMessage {
    /// For the events.
    Events(EventsMessage),
    /// For the player.
    Player(PlayerMessage),
}

impl Own for TimelineMessage {}

impl From<EventsMessage> for Sent {
    fn from(message: EventsMessage) -> Self {
        TimelineMessage::Events(message).into()
    }
}

impl From<PlayerMessage> for Sent {
    fn from(message: PlayerMessage) -> Self {
        TimelineMessage::Player(message).into()
    }
}

impl Panel for Timeline {
    type Message = TimelineMessage;

    const ID: &'static str = "timeline";
    const TITLE: &'static str = mark("Timeline");

    fn is_shown(app: &App) -> bool {
        shows(app, Control::Timeline) || shows(app, Control::Events)
    }

    fn update(&mut self, message: TimelineMessage, link: &Link, app: &App) -> Vec<Sent> {
        match message {
            TimelineMessage::Events(message) => self.events.update(message, app),
            TimelineMessage::Player(message) => self.player.update(&message, link, app),
        }
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, _: &App) -> Vec<Sent> {
        match *news {
            News::Left(target) => self.events.leave(target),
            _ => Vec::new(),
        }
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        region(link, scene, &self.events, &self.player)
    }
}

fn region(link: &Link, scene: &Scene<'_>, events: &Events, player: &Player) -> Html {
    let Scene { app, width, .. } = *scene;
    let horizon = app.front.live.as_ref().map_or(1.0, |live| live.horizon_ms.max(1.0));
    let sample =
        app.front.live.as_ref().and_then(|live| Some(live.times.get(1)? - live.times.first()?)).unwrap_or(1.0).max(1.0);
    let moment = app.moment();
    let scrub = link.callback(|event: InputEvent| {
        let value = event.target_unchecked_into::<HtmlInputElement>().value_as_number();
        Message::Cursor(Some(value))
    });
    // The pointer selects any minute; the arrow keys move by samples, with Shift by minutes.
    let by_key = link.batch_callback(move |event: KeyboardEvent| {
        let by = if event.shift_key() { MINUTE_MS } else { sample };
        let by = match event.key().as_str() {
            "ArrowRight" | "ArrowUp" => by,
            "ArrowLeft" | "ArrowDown" => -by,
            _ => return None,
        };
        event.prevent_default();
        Some(Message::CursorBy(by))
    });
    let latest = link.callback(|_| Message::Cursor(None));
    html! {
        <section class="timeline" aria-label={tr(Timeline::TITLE)}>
            <input type="range" aria-label={tr("Moment")} min="0" max={horizon.to_string()} step={sample.min(MINUTE_MS).to_string()} onkeydown={by_key}
                value={moment.to_string()} aria-valuetext={words::time(moment)} oninput={scrub} />
            <button disabled={app.cursor_ms.is_none()} onclick={latest}>{ tr("Latest") }</button>
            if app.mode != Mode::Lesson { { tree(link, app) } }
            { events.lane(link, app, f64::from(width) - BESIDE_THE_AXIS) }
            { events.adder(link, app) }
            { events.editor(link, app) }
            <div class="moves">
                { player.view(link, app) }
                <span class="group"><button onclick={link.callback(|_: MouseEvent| Message::Step)}>{ tr("Step") }</button>{ step_to(link, app) }</span>
                { super::compare::branch_here(link, app) }
            </div>
        </section>
    }
}

/// The selection of what a step moves to.
fn step_to(link: &Link, app: &App) -> Html {
    const CHOICES: [(StepTo, &str); 3] =
        [(StepTo::Vm, mark("next VM")), (StepTo::Rule, mark("next rule")), (StepTo::Conflict, mark("next conflict"))];
    let choose = link.batch_callback(|event: Event| {
        let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
        let (to, _) = CHOICES.get(usize::try_from(chosen).ok()?)?;
        Some(Message::StepTo(*to))
    });
    let option =
        |(to, label): &(StepTo, &'static str)| html! { <option selected={app.step_to == *to}>{ tr(label) }</option> };
    html! { <select aria-label={tr("Step to")} onchange={choose}>{ for CHOICES.iter().map(option) }</select> }
}

/// The variants as branching lines, if any is a fork.
fn tree(link: &Link, app: &App) -> Html {
    let branches = branches(app);
    if branches.is_empty() {
        return Html::default();
    }
    let line = |(row, branch): (usize, &Branch)| {
        let front = link.callback({
            let variant = branch.variant.clone();
            move |_: MouseEvent| Message::Front(variant.clone())
        });
        let colour = match branch.role {
            Role::Variant(index) => format!("--branch:var(--chart-variant-{})", index % 4 + 1),
            _ => "--branch:var(--chart-live)".into(),
        };
        let (left, top) = (format!("left:{:.3}%", 100.0 * branch.share), row * BRANCH_PX);
        let stem = branch.from_row.map(|from| {
            let (from, to) = (from * BRANCH_PX + BRANCH_PX / 2, top + BRANCH_PX / 2);
            html! { <span class="stem" style={format!("{left};top:{from}px;height:{}px", to - from)}></span> }
        });
        html! {
            <li style={colour} key={branch.variant.clone()}>
                { for stem }
                if branch.is_orphan { <span class="past" style={format!("width:{:.3}%;top:{}px", 100.0 * branch.share, top + BRANCH_PX / 2)}></span> }
                <button class="branch" style={format!("{left};top:{top}px")} aria-pressed={branch.is_front.to_string()}
                    aria-label={branch.name.clone()} title={branch.name.clone()} onclick={front}><span>{ &branch.variant }</span></button>
            </li>
        }
    };
    html! {
        <ul class="branches" role="list" aria-label={tr("Forks")} style={format!("height:{}px", branches.len() * BRANCH_PX)}>
            { for branches.iter().enumerate().map(line) }
        </ul>
    }
}
