//! Events on the timeline: a menu of kinds to click or drag from, marks to move, and an editor for the open one.

use tiebreak_app::{App, Edit, Message};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::IncidentRow;
use tiebreak_scenario::incident::{AT_HOURS, INCIDENTS_MAX};
use tiebreak_sim::{INCIDENTS, IncidentEntry};
use tiebreak_view::timeline::{self, Mark};
use web_sys::{Element, KeyboardEvent, MouseEvent, PointerEvent};
use yew::prelude::*;

use super::panel::{Link, Sent, focus};
use super::rules::move_focus;
use super::{around, form, is_inside};

/// Width of one mark in pixels, with a gap.
const MARK_PX: f64 = 30.0;

/// Height of a row of marks in pixels.
const ROW_PX: usize = 28;

/// How far above or below the lane a drop still counts.
const REACH_PX: f64 = 48.0;

/// Pixels a pointer moves before a press becomes a drag.
const DRAG_FROM: i32 = 5;

/// Number of steps of a long keyboard move.
const LONG: f64 = 10.0;

/// What the pointer holds.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Held {
    /// A kind in the menu, by its id.
    Kind(&'static str),
    /// A mark, by its incident's index in the list.
    Mark(usize),
}

/// Messages of the events, besides edits of their fields.
#[derive(Clone, Copy)]
pub(crate) enum EventsMessage {
    /// The menu was opened, or closed.
    Menu(bool),
    /// A kind or a mark was pressed.
    Press(Held, i32, i32),
    /// The pointer moved while it was held.
    Move(i32, i32),
    /// The pointer was let go.
    Release,
    /// The drag was cancelled.
    Abandon,
    /// A kind or a mark was clicked, with the pointer or the keyboard.
    Click(Held, bool),
    /// Move a mark by this many steps.
    Nudge(usize, f64),
    /// Remove an event.
    Remove(usize),
    /// The editor was closed.
    Close,
}

/// A drag in progress.
struct Drag {
    held: Held,
    began: (i32, i32),
    /// Whether the pointer has really moved.
    moved: bool,
    /// The time of the event if it were dropped here, in hours; `None` outside of the lane.
    at_hours: Option<f64>,
}

/// Private state of the events.
#[derive(Default)]
pub(crate) struct Events {
    menu: bool,
    /// The incident whose editor is open.
    open: Option<usize>,
    drag: Option<Drag>,
    /// Set while a click follows a drag; that click must not open the editor.
    dragged: bool,
}

impl Events {
    /// Closes the menu if it is open and the user clicked elsewhere.
    pub(super) fn leave(&self, target: Option<&Element>) -> Vec<Sent> {
        let left = self.menu && !is_inside(target, ".adder");
        left.then(|| EventsMessage::Menu(false).into()).into_iter().collect()
    }

    /// Handles a message; returns the effects.
    pub(super) fn update(&mut self, message: EventsMessage, app: &App) -> Vec<Sent> {
        match message {
            EventsMessage::Menu(open) => {
                self.menu = open && can_add(app);
                return done(None, self.menu.then(|| ".events-menu [role=menuitem]".into()));
            }
            EventsMessage::Press(held, x, y) => {
                self.drag = Some(Drag { held, began: (x, y), moved: false, at_hours: None });
                self.dragged = false;
            }
            EventsMessage::Move(x, y) => self.drag_to(x, y, app),
            EventsMessage::Release => return self.drop(app),
            EventsMessage::Abandon => self.drag = None,
            EventsMessage::Click(_, true) if std::mem::take(&mut self.dragged) => {}
            EventsMessage::Click(Held::Kind(id), _) => return self.add(id, timeline::time_for_new(app), app),
            EventsMessage::Click(Held::Mark(incident), _) => {
                self.open = (self.open != Some(incident)).then_some(incident);
            }
            EventsMessage::Nudge(incident, steps) => return nudge(incident, steps, app),
            EventsMessage::Remove(incident) => return self.remove(incident, app),
            EventsMessage::Close => {
                return done(None, self.open.take().map(mark_of));
            }
        }
        Vec::new()
    }

    fn drag_to(&mut self, x: i32, y: i32, app: &App) {
        let Some(drag) = &mut self.drag else { return };
        let far = (x - drag.began.0).abs().max((y - drag.began.1).abs());
        drag.moved |= far >= DRAG_FROM;
        if drag.moved {
            drag.at_hours = hours_under(x, y, app);
        }
    }

    fn drop(&mut self, app: &App) -> Vec<Sent> {
        let Some(drag) = self.drag.take().filter(|drag| drag.moved) else { return Vec::new() };
        match drag.held {
            Held::Kind(id) if drag.at_hours.is_some() => self.add(id, drag.at_hours, app),
            held => {
                self.dragged = true;
                let Held::Mark(incident) = held else { return Vec::new() };
                done(drag.at_hours.map(|at_hours| to_hours(incident, at_hours)), Some(mark_of(incident)))
            }
        }
    }

    /// Adds an event and opens its editor, because its defaults are only a starting point.
    fn add(&mut self, id: &str, at_hours: Option<f64>, app: &App) -> Vec<Sent> {
        self.menu = false;
        let Some(at_hours) = at_hours else { return Vec::new() };
        let incident = app.variant().incidents.len();
        self.open = Some(incident);
        done(Some(Edit::AddIncident { id: id.into(), at_hours }), Some(mark_of(incident)))
    }

    fn remove(&mut self, incident: usize, app: &App) -> Vec<Sent> {
        self.open = match self.open {
            Some(open) if open > incident => Some(open - 1),
            open => open.filter(|open| *open != incident),
        };
        let left = app.variant().incidents.len().saturating_sub(1);
        let next = if left == 0 { ".add-event".into() } else { mark_of(incident.min(left - 1)) };
        done(Some(Edit::RemoveIncident { incident }), Some(next))
    }

    /// The lane with its marks. The number of children is constant: otherwise Yew would recreate a mark during a
    /// drag, and the pointer would lose it.
    pub(crate) fn lane(&self, link: &Link, app: &App, width: f64) -> Html {
        let marks = timeline::marks(app, MARK_PX / width.max(MARK_PX));
        let rows = marks.iter().map(|mark| mark.level + 1).max().unwrap_or(1);
        let ghost = self.drag.as_ref().filter(|drag| drag.moved).and_then(|drag| ghost(drag, app));
        let aimed = self.drag.as_ref().is_some_and(|drag| drag.at_hours.is_some());
        html! {
            <div class={classes!("events-lane", aimed.then_some("aimed"))} style={format!("height:{}px", rows * ROW_PX)}>
                if marks.is_empty() && ghost.is_none() {
                    <p class="hint">{ tr("Add failures and demand spikes here.") }</p>
                }
                <ul role="list" aria-label={tr("Events")}>{ for marks.iter().map(|mark| self.mark(link, mark)) }</ul>
                { ghost.unwrap_or_default() }
                <span id="event-keys" class="unseen">{ tr("Enter opens it, the arrow keys move it, Delete removes it.") }</span>
            </div>
        }
    }

    fn mark(&self, link: &Link, mark: &Mark) -> Html {
        let incident = mark.incident;
        let held = Held::Mark(incident);
        let away = self.drag.as_ref().is_some_and(|drag| drag.moved && drag.held == held);
        let open = self.open == Some(incident);
        let place = format!("left:{:.3}%;top:{}px", 100.0 * mark.share, mark.level * ROW_PX);
        let side = if mark.share > 0.5 { "to-left" } else { "to-right" };
        let class = classes!("event", mark.is_beyond.then_some("beyond"), away.then_some("away"));
        let (press, shift, release, abandon) = drags(link, held);
        html! {
            <li style={place} key={incident}>
                <button {class} data-incident={incident.to_string()} aria-label={mark.name.clone()} aria-expanded={open.to_string()}
                    aria-describedby="event-keys" onclick={click(link, held)} onkeydown={mark_keys(link, incident)}
                    onpointerdown={press} onpointermove={shift} onpointerup={release} onpointercancel={abandon} data-letters={mark.letters.clone()}></button>
                <span class={classes!("event-name", side)} aria-hidden="true">{ &mark.title }</span>
            </li>
        }
    }

    /// The button that adds an event, and its menu.
    pub(crate) fn adder(&self, link: &Link, app: &App) -> Html {
        let (open, able) = (self.menu, can_add(app));
        let toggle = link.callback(move |_: MouseEvent| EventsMessage::Menu(!open));
        html! {
            <div class="adder">
                <button class="add-event" aria-label={tr("Add event")} aria-haspopup="menu" aria-expanded={open.to_string()}
                    aria-disabled={(!able).to_string()} onclick={toggle}>{ tr("Add") }<span class="wide">{ tr(" event") }</span></button>
                if open { { menu(link, app) } }
            </div>
        }
    }

    /// The open event's fields.
    pub(crate) fn editor(&self, link: &Link, app: &App) -> Html {
        let Some(incident) = self.open else { return Html::default() };
        let Some(row) = app.variant().incidents.get(incident) else { return Html::default() };
        let Some(entry) = row.entry() else { return Html::default() };
        let remove = link.callback(move |_: MouseEvent| EventsMessage::Remove(incident));
        let close = link.callback(|_: MouseEvent| EventsMessage::Close);
        let keys =
            link.batch_callback(|event: KeyboardEvent| (event.key() == "Escape").then_some(EventsMessage::Close));
        html! {
            <div class="event-editor" role="group" aria-label={format!("{} {}", row.id, incident + 1)} onkeydown={keys} key={incident}>
                <div class="event-head">
                    <strong>{ tr(entry.declaration.title) }</strong>
                    <span class="muted">{ when(row, app) }</span>
                    <button onclick={remove}>{ tr("Remove") }</button>
                    <button class="quiet" onclick={close}>{ tr("Close") }</button>
                </div>
                <div class="event-fields">
                    { form::fields(link, &row.id, std::slice::from_ref(&AT_HOURS), &[row.at_hours],
                        move |_, at_hours| to_hours(incident, at_hours)) }
                    { form::fields(link, &row.id, entry.declaration.params, &row.values,
                        form::at(format!("incidents.{incident}."), entry.declaration.params)) }
                </div>
                <p class="hint">{ first_paragraph(entry.declaration.help) }</p>
            </div>
        }
    }
}

/// An edit of the document, and the element to focus after it.
fn done(edit: Option<Edit>, target: Option<String>) -> Vec<Sent> {
    edit.map(|edit| Message::Edit(edit).into()).into_iter().chain(target.map(focus)).collect()
}

/// Moves an event to another time.
fn to_hours(incident: usize, at_hours: f64) -> Edit {
    Edit::param(&format!("incidents.{incident}."), &AT_HOURS, at_hours)
}

/// The selector of a mark.
fn mark_of(incident: usize) -> String {
    format!("[data-incident=\"{incident}\"]")
}

/// Whether there is a trace to add an event to, and the limit is not reached.
fn can_add(app: &App) -> bool {
    timeline::horizon_hours(app).is_some() && app.variant().incidents.len() < INCIDENTS_MAX
}

fn nudge(incident: usize, steps: f64, app: &App) -> Vec<Sent> {
    let row = app.variant().incidents.get(incident);
    let moved = row.zip(timeline::horizon_hours(app)).map(|(row, end)| timeline::moved(row.at_hours, steps, end));
    done(moved.map(|at_hours| to_hours(incident, at_hours)), Some(mark_of(incident)))
}

/// The time at a point of the page; `None` unless the point is on or near the lane.
fn hours_under(x: i32, y: i32, app: &App) -> Option<f64> {
    let horizon = timeline::horizon_hours(app)?;
    let lane = gloo::utils::document().query_selector(".events-lane").ok().flatten()?.get_bounding_client_rect();
    let (x, y) = (f64::from(x), f64::from(y));
    let near = (lane.left() - REACH_PX..lane.right() + REACH_PX).contains(&x)
        && (lane.top() - REACH_PX..lane.bottom() + REACH_PX).contains(&y);
    let share = ((x - lane.left()) / lane.width().max(1.0)).clamp(0.0, 1.0);
    near.then(|| timeline::snapped(share * horizon, horizon))
}

/// A preview of the event if it were dropped now.
fn ghost(drag: &Drag, app: &App) -> Option<Html> {
    let (at_hours, horizon) = (drag.at_hours?, timeline::horizon_hours(app)?);
    let share = at_hours / horizon;
    let side = if share > 0.5 { "to-left" } else { "to-right" };
    Some(html! {
        <div class="event-ghost" style={format!("left:{:.3}%", 100.0 * share)} aria-hidden="true">
            <span class={classes!("event-name", side)}>{ words::day_and_time(at_hours) }</span>
        </div>
    })
}

fn when(row: &IncidentRow, app: &App) -> String {
    let at = words::day_and_time(row.at_hours);
    match timeline::horizon_hours(app).filter(|end| row.at_hours > *end) {
        Some(end) => say("{at}: no effect, because the trace ends at {}", &[&at, &words::day_and_time(end)]),
        None => at,
    }
}

fn first_paragraph(help: &str) -> String {
    words::paragraphs(help).swap_remove(0)
}

fn menu(link: &Link, app: &App) -> Html {
    let at = timeline::time_for_new(app).map_or_else(String::new, words::day_and_time);
    let keys = link.batch_callback(|event: KeyboardEvent| {
        event.stop_propagation();
        match event.key().as_str() {
            "Escape" | "Tab" => {
                event.prevent_default();
                vec![EventsMessage::Menu(false).into(), focus(".add-event")]
            }
            key @ ("ArrowDown" | "ArrowUp" | "Home" | "End") => {
                event.prevent_default();
                move_focus(&event, key);
                Vec::new()
            }
            _ => Vec::new(),
        }
    });
    html! {
        <div class="menu events-menu" onkeydown={keys}>
            <p class="hint">{ say("Click to add it at {at}, or drag it onto the timeline.", &[&at]) }</p>
            <div role="menu" aria-label={tr("Add event")}>{ for INCIDENTS.iter().map(|entry| kind(link, entry)) }</div>
        </div>
    }
}

fn kind(link: &Link, entry: &'static IncidentEntry) -> Html {
    let held = Held::Kind(entry.declaration.id);
    let (press, shift, release, abandon) = drags(link, held);
    html! {
        <button role="menuitem" title={first_paragraph(entry.declaration.help)} onclick={click(link, held)}
            onpointerdown={press} onpointermove={shift} onpointerup={release} onpointercancel={abandon}>{ tr(entry.declaration.title) }</button>
    }
}

type OnPointer = Callback<PointerEvent>;

/// The handlers that make an element draggable: press, move, release, cancel.
fn drags(link: &Link, held: Held) -> (OnPointer, OnPointer, OnPointer, OnPointer) {
    let press = link.batch_callback(move |event: PointerEvent| {
        if event.button() != 0 {
            return None;
        }
        // The element keeps receiving pointer events wherever the pointer goes.
        if let Some(button) = around(&event, "button") {
            let _ = button.set_pointer_capture(event.pointer_id());
        }
        Some(EventsMessage::Press(held, event.client_x(), event.client_y()))
    });
    let shift = link.callback(|event: PointerEvent| EventsMessage::Move(event.client_x(), event.client_y()));
    let release = link.callback(|_: PointerEvent| EventsMessage::Release);
    let abandon = link.callback(|_: PointerEvent| EventsMessage::Abandon);
    (press, shift, release, abandon)
}

fn click(link: &Link, held: Held) -> Callback<MouseEvent> {
    link.callback(move |event: MouseEvent| EventsMessage::Click(held, event.detail() > 0))
}

fn mark_keys(link: &Link, incident: usize) -> Callback<KeyboardEvent> {
    link.batch_callback(move |event: KeyboardEvent| {
        let long = if event.shift_key() { LONG } else { 1.0 };
        let message = match event.key().as_str() {
            "ArrowRight" | "ArrowUp" => EventsMessage::Nudge(incident, long),
            "ArrowLeft" | "ArrowDown" => EventsMessage::Nudge(incident, -long),
            "PageUp" => EventsMessage::Nudge(incident, LONG),
            "PageDown" => EventsMessage::Nudge(incident, -LONG),
            "Home" => EventsMessage::Nudge(incident, f64::MIN),
            "End" => EventsMessage::Nudge(incident, f64::MAX),
            "Delete" | "Backspace" => EventsMessage::Remove(incident),
            _ => return None,
        };
        event.prevent_default();
        Some(message)
    })
}
