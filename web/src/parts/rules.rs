//! The list of rules: drag a row by its handle, or open the handle's menu.
//!
//! One ordered list, stage by stage. A row shows whether its rule is on, its buckets or weight, how many candidates
//! it left in the last run, and its parameters. Rules not used since the document was opened are collapsed below
//! their stage.

use std::collections::BTreeSet;
use std::rc::Rc;

use tiebreak_app::custom::can_be_copied;
use tiebreak_app::{App, Edit, Message};
use tiebreak_engine::protocol::Share;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_lesson::Control;
use tiebreak_placement::Group;
use tiebreak_scenario::RuleRow;
use tiebreak_scenario::document::{REQUIRED_RULE, WEIGHT};
use tiebreak_view::list;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent, PointerEvent};
use yew::prelude::*;

use super::panel::{Act, Link, News, Own, Panel, Scene, Sent, Side, focus};
use super::{around, form, is_inside};

/// A drag in progress.
#[derive(Clone, PartialEq)]
pub(crate) struct Drag {
    rule: String,
    began_at_y: i32,
    /// Where the rule would land; `None` until the pointer has really moved.
    to: Option<usize>,
}

/// Messages of the list, besides edits.
pub(crate) enum ListMessage {
    /// A handle was pressed.
    Press(String, i32),
    /// The pointer moved while a handle was held.
    Move(i32),
    /// The pointer was let go.
    Release,
    /// The drag was cancelled.
    Abandon,
    /// A handle's menu was opened, or closed.
    Menu(Option<String>),
    /// The section with this name was expanded for the first time.
    Unfold(String),
}

impl Own for ListMessage {}

/// Private state of the list.
#[derive(Default)]
pub(crate) struct List {
    drag: Option<Drag>,
    menu: Option<String>,
    /// Set while a click follows a drag; that click must not open the menu.
    dragged: bool,
    /// The sections that were ever expanded. The others are not rendered: they are most of the list.
    unfolded: BTreeSet<String>,
}

/// Pixels a pointer moves before a press becomes a drag.
const DRAG_FROM: i32 = 5;

/// The choices for the number of buckets.
const CHOICES: [u32; 14] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 32, 50, 100];

impl Panel for List {
    type Message = ListMessage;

    const ID: &'static str = "rules";
    const TITLE: &'static str = mark("Rules");

    fn update(&mut self, message: ListMessage, _: &Link, app: &App) -> Vec<Sent> {
        let edit = self.take(message, app).map(|edit| Message::Edit(edit).into());
        let item = self.menu.as_ref().map(|_| focus(".menu [role=menuitem]:not(:disabled)"));
        edit.into_iter().chain(item).collect()
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, _: &App) -> Vec<Sent> {
        match *news {
            // If no menu is open, nothing may be rendered again: that would reset a clicked checkbox before its
            // change is reported.
            News::Left(target) if self.menu.is_some() && !is_inside(target, ".handle, .menu") => {
                vec![ListMessage::Menu(None).into()]
            }
            _ => Vec::new(),
        }
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        self.region(link, scene.app)
    }
}

impl List {
    /// Handles a message; returns an edit if a rule was dropped in another place.
    fn take(&mut self, message: ListMessage, app: &App) -> Option<Edit> {
        match message {
            ListMessage::Press(rule, began_at_y) => {
                self.drag = Some(Drag { rule, began_at_y, to: None });
                self.dragged = false;
            }
            ListMessage::Move(y) => {
                if let Some(drag) = &mut self.drag
                    && (drag.to.is_some() || (y - drag.began_at_y).abs() >= DRAG_FROM)
                {
                    drag.to = Some(landing(&drag.rule, y));
                    self.menu = None;
                }
            }
            ListMessage::Release => {
                let drag = self.drag.take()?;
                let to = drag.to?;
                self.dragged = true;
                return moved(app, &drag.rule, to);
            }
            ListMessage::Abandon => self.drag = None,
            ListMessage::Menu(Some(_)) if self.dragged => self.dragged = false,
            ListMessage::Menu(rule) => self.menu = rule,
            ListMessage::Unfold(name) => drop(self.unfolded.insert(name)),
        }
        None
    }

    fn region(&self, link: &Link, app: &App) -> Html {
        let stage = |group: Group| self.stage(link, app, group);
        let variant = app.variant();
        let hinted = variant.rules.iter().any(|row| {
            row.on
                && !app.idle_rules().contains(&row.id)
                && app.share(&row.id).is_some_and(|share| share.hint.is_some())
        });
        let circles = app.front.live.as_ref().filter(|_| variant.hand_weights).and_then(list::about_circles);
        html! {
            <section class="panel" aria-label={tr(Self::TITLE)}>
                <h2>{ tr("Rules") }</h2>
                <p class="hint">{ list::about_order(variant) }{ circles.map(|circles| format!(" {circles}")) }</p>
                <ol class="rules" aria-label={tr("Rules")} role="list">
                    { for Group::ALL.into_iter().map(stage) }
                    <li class="stage">{ tr("Tie-break") }</li>
                    <li class="rule fixed"><span class="rule-name">{ tr("Random choice") }</span>
                        <span class="muted">{ tr("among the tied machines") }</span></li>
                </ol>
                if hinted {
                    <p class="hint" aria-hidden="true"><span class="rule-hint"></span>{ tr(" had no effect, or left no choice to the rules below") }</p>
                }
            </section>
        }
    }

    fn stage(&self, link: &Link, app: &App, group: Group) -> Html {
        let stage = list::Stage::new(app.variant(), group, &app.used_rules, app.idle_rules());
        let stage = list::Stage { listed: stage.listed.into_iter().filter(|row| shows(app, row)).collect(), ..stage };
        if stage.listed.is_empty() && app.lesson.is_some() {
            return Html::default();
        }
        let row = |row: &&RuleRow| self.row(link, app, group, row, stage.rows_around(&row.id));
        let more = stage.folded_in_words();
        let title = format!("{more}: {}", tr(group.title()));
        let rest = || html! { <ol class="rules" role="list" aria-label={title.clone()}>{ for stage.folded.iter().map(row) }</ol> };
        html! {
            <>
                <li class="stage"><span>{ tr(group.title()) }{ add(link, app, group) }</span>{ heads(app, group, &stage.listed) }</li>
                { for stage.listed.iter().map(row) }
                if !stage.folded.is_empty() && app.lesson.is_none() {
                    <li class="folded" key={group.title()}><details ontoggle={self.unfold(link, group.title())}>
                        <summary aria-label={title.clone()}>{ &more }</summary>
                        if self.unfolded.contains(group.title()) { { rest() } }
                    </details></li>
                }
            </>
        }
    }

    fn row(&self, link: &Link, app: &App, group: Group, row: &RuleRow, rows: &[&RuleRow]) -> Html {
        let id = row.id.clone();
        let Some(entry) = row.entry() else { return Html::default() };
        let (place, count) = list::place(rows, &id);
        let drag = self.drag.as_ref().filter(|drag| drag.to.is_some());
        let dragged = drag.is_some_and(|drag| drag.rule == id);
        let mark = drag.and_then(|drag| marker(rows, drag, place));
        let required = id == REQUIRED_RULE;
        let has_buckets = app.lesson.as_ref().is_none_or(|playing| playing.shows(Control::Buckets));
        let share = app.share(&id).filter(|_| row.on);
        let weighted = group.scores() && app.variant().hand_weights;
        html! {
            <li key={id.clone()} class={classes!("rule", (!row.on).then_some("off"), dragged.then_some("dragged"), mark)}
                data-rule={id.clone()} data-rows={rows.first().map(|row| row.id.clone())}>
                <div class="rule-line">
                    { self.handle(link, app, &id, (place, count)) }
                    <input type="checkbox" aria-label={say("Use {id}", &[&id])} checked={row.on} disabled={required} onchange={toggle(link, &id)}
                        title={if required { tr("Always on: without it machines would be over-committed") } else { "" }} />
                    <span class="rule-name" title={id.clone()}>{ tr(entry.declaration.title) }</span>
                    if let Some(share) = share { { left(share) } }
                    if weighted { { weight(link, row) } }
                    if group.scores() && has_buckets { { buckets(link, row) } }
                </div>
                <details class="about" ontoggle={self.unfold(link, &id)}>
                    <summary aria-label={say("About {id}", &[&id])}></summary>
                    if self.unfolded.contains(&id) { { about(link, app, row, share) } }
                </details>
                if self.menu.as_deref() == Some(id.as_str()) { { menu(link, app, &id, (place, count)) } }
            </li>
        }
    }

    fn unfold(&self, link: &Link, name: &str) -> Option<Callback<Event>> {
        let name = (!self.unfolded.contains(name)).then(|| name.to_owned())?;
        Some(link.callback(move |_: Event| ListMessage::Unfold(name.clone())))
    }

    fn handle(&self, link: &Link, app: &App, id: &str, (place, count): (usize, usize)) -> Html {
        let open = self.menu.as_deref() == Some(id);
        let press = {
            let id = id.to_owned();
            link.batch_callback(move |event: PointerEvent| {
                if event.button() != 0 {
                    return None;
                }
                if let Some(handle) = around(&event, ".handle") {
                    let _ = handle.set_pointer_capture(event.pointer_id());
                }
                Some(ListMessage::Press(id.clone(), event.client_y()))
            })
        };
        let click = {
            let id = id.to_owned();
            link.callback(move |_: MouseEvent| ListMessage::Menu((!open).then(|| id.clone())))
        };
        let keys = {
            let id = id.to_owned();
            let (up, down) = (moved(app, &id, place.saturating_sub(1)), moved(app, &id, (place + 1).min(count - 1)));
            link.batch_callback(move |event: KeyboardEvent| {
                let edit = match event.key().as_str() {
                    "ArrowUp" if event.alt_key() => up.clone(),
                    "ArrowDown" if event.alt_key() => down.clone(),
                    _ => return Vec::new(),
                };
                event.prevent_default();
                // The row is removed and inserted again, so it loses the focus.
                let edit = edit.map(|edit| Message::Edit(edit).into());
                std::iter::once(focus_row(&id, ".handle")).chain(edit).collect()
            })
        };
        let list = |message: fn(PointerEvent) -> ListMessage| link.callback(message);
        html! {
            <button class="handle" aria-label={say("Move {id}", &[&id])} aria-haspopup="menu" aria-expanded={open.to_string()}
                title={tr("Drag to move, or click for a menu")} onclick={click} onkeydown={keys} onpointerdown={press}
                onpointermove={list(|event| ListMessage::Move(event.client_y()))}
                onpointerup={list(|_| ListMessage::Release)} onpointercancel={list(|_| ListMessage::Abandon)}>
                <svg viewBox="0 0 10 16" width="10" height="16" aria-hidden="true"><path d="M2 3h2v2H2zM6 3h2v2H6zM2 7h2v2H2zM6 7h2v2H6zM2 11h2v2H2zM6 11h2v2H6z"/></svg>
            </button>
        }
    }
}

/// A rule's code name, parameters and help, and its effect in the run.
fn about(link: &Link, app: &App, row: &RuleRow, share: Option<&Share>) -> Html {
    let Some(entry) = row.entry() else { return Html::default() };
    let params = entry.declaration.params;
    html! {
        <>
            <p><code>{ &row.id }</code></p>
            { form::fields(link, &row.id, params, &row.values, form::at(format!("rules.{}.", row.id), params)) }
            { for words::paragraphs(entry.declaration.help).iter().map(|part| html! { <p>{ part }</p> }) }
            if let Some(share) = share { { aggressiveness(share) } }
            { own(link, app, row) }
        </>
    }
}

/// Moves the focus to a part of a rule's row.
fn focus_row(rule: &str, part: &str) -> Sent {
    focus(format!("[data-rule=\"{rule}\"] {part}"))
}

/// Whether a rule is shown: in a lesson, only if the step unlocks it.
fn shows(app: &App, row: &RuleRow) -> bool {
    app.lesson.as_ref().is_none_or(|playing| playing.shows_rule(row))
}

/// The edit that moves a rule to a position among the rows it is shown with.
fn moved(app: &App, id: &str, to: usize) -> Option<Edit> {
    let group = app.variant().rules.iter().find(|row| row.id == id)?.group()?;
    let stage = list::Stage::new(app.variant(), group, &app.used_rules, app.idle_rules());
    let to = list::place_in_stage(app.variant(), group, stage.rows_around(id), id, to);
    Some(Edit::MoveRule { id: id.to_owned(), to })
}

/// Switches a rule on or off. A rule in a collapsed section moves out of it, and keeps the focus.
fn toggle(link: &Link, id: &str) -> Callback<Event> {
    let id = id.to_owned();
    link.batch_callback(move |event: Event| {
        let on = event.target_unchecked_into::<HtmlInputElement>().checked();
        let edit = Edit::use_rule(&id, on);
        vec![focus_row(&id, "[type=checkbox]"), Message::Edit(edit).into()]
    })
}

/// The position, among the rows it is shown with, of a rule dropped at this height.
fn landing(rule: &str, y: i32) -> usize {
    let document = gloo::utils::document();
    let own = document.query_selector(&format!("[data-rule=\"{rule}\"]")).ok().flatten();
    let Some(rows) = own.and_then(|row| row.get_attribute("data-rows")) else { return 0 };
    let Ok(rows) = document.query_selector_all(&format!("[data-rows=\"{rows}\"]")) else { return 0 };
    (0..rows.length())
        .filter_map(|index| rows.item(index)?.dyn_into::<Element>().ok())
        .filter(|row| row.get_attribute("data-rule").as_deref() != Some(rule))
        .filter(|row| {
            let shape = row.get_bounding_client_rect();
            shape.top() + shape.height() / 2.0 < f64::from(y)
        })
        .count()
}

/// Whether the dragged rule would land directly before or after this row.
fn marker(rows: &[&RuleRow], drag: &Drag, place: usize) -> Option<&'static str> {
    let from = rows.iter().position(|row| row.id == drag.rule)?;
    let last = rows.len() - 1;
    let to = drag.to?.min(last);
    if place == from {
        return None;
    }
    let place_without = place - usize::from(place > from);
    if place_without == to {
        Some("drop-before")
    } else if to == last && place_without + 1 == to {
        Some("drop-after")
    } else {
        None
    }
}

fn menu(link: &Link, app: &App, id: &str, (place, count): (usize, usize)) -> Html {
    let item = |label: &'static str, to: usize, enabled: bool| {
        let edit = moved(app, id, to);
        let id = id.to_owned();
        let onclick = link.batch_callback(move |_: MouseEvent| {
            let edit = edit.clone().map(|edit| Message::Edit(edit).into());
            let close = [ListMessage::Menu(None).into(), focus_row(&id, ".handle")];
            close.into_iter().chain(edit).collect::<Vec<_>>()
        });
        html! { <button role="menuitem" disabled={!enabled} {onclick}>{ label }</button> }
    };
    let keys = {
        let id = id.to_owned();
        link.batch_callback(move |event: KeyboardEvent| {
            event.stop_propagation();
            match event.key().as_str() {
                "Escape" | "Tab" => {
                    vec![ListMessage::Menu(None).into(), focus_row(&id, ".handle")]
                }
                key @ ("ArrowDown" | "ArrowUp" | "Home" | "End") => {
                    event.prevent_default();
                    move_focus(&event, key);
                    Vec::new()
                }
                _ => Vec::new(),
            }
        })
    };
    html! {
        <div class="menu" role="menu" aria-label={say("Move {id}", &[&id])} onkeydown={keys}>
            { item(tr("Move up"), place.saturating_sub(1), place > 0) }
            { item(tr("Move down"), place + 1, place + 1 < count) }
            { item(tr("Move to top"), 0, place > 0) }
            { item(tr("Move to bottom"), count - 1, place + 1 < count) }
        </div>
    }
}

pub(super) fn move_focus(event: &KeyboardEvent, key: &str) {
    let Some(menu) = around(event, ".menu") else { return };
    let Ok(items) = menu.query_selector_all("[role=menuitem]:not(:disabled)") else { return };
    let items: Vec<HtmlElement> = (0..items.length()).filter_map(|index| items.item(index)?.dyn_into().ok()).collect();
    let focused = gloo::utils::document().active_element();
    let at = items.iter().position(|item| Some(item.unchecked_ref::<Element>()) == focused.as_ref());
    let next = match (key, at) {
        ("Home", _) | ("ArrowDown", None) => 0,
        ("ArrowDown", Some(at)) => (at + 1) % items.len().max(1),
        ("ArrowUp", Some(at)) if at > 0 => at - 1,
        _ => items.len().saturating_sub(1),
    };
    if let Some(item) = items.get(next) {
        let _ = item.focus();
    }
}

/// A new custom rule for a stage.
fn add(link: &Link, app: &App, group: Group) -> Html {
    if app.lesson.is_some() {
        return Html::default();
    }
    let add = link.batch_callback(move |_: MouseEvent| edited(Message::NewRule(group)));
    let label = say("New rule among {stage}", &[&tr(group.title())]);
    html! { <button class="quiet add-rule" aria-label={label.clone()} title={label} onclick={add}>{ "+" }</button> }
}

/// The button that opens a rule as an expression: a custom rule, or a copy of a rule with an expression.
fn own(link: &Link, app: &App, row: &RuleRow) -> Html {
    let (words, message): (_, fn(String) -> Message) = match row.custom {
        Some(_) if app.edits_rules() => (tr("Edit this rule"), |id| Message::Rule(Some(id))),
        None if app.lesson.is_none() && can_be_copied(&row.id) => {
            (tr("Edit a copy as an expression"), Message::CopyRule)
        }
        _ => return Html::default(),
    };
    let id = row.id.clone();
    let open = link.batch_callback(move |_: MouseEvent| edited(message(id.clone())));
    html! { <p><button onclick={open}>{ words }</button></p> }
}

/// Opens a rule in the editor and moves the focus there.
fn edited(message: Message) -> Vec<Sent> {
    vec![message.into(), Act::Reveal(Side::Right).into(), focus(".rule-editor textarea")]
}

/// The column headings of a stage.
fn heads(app: &App, group: Group, rows: &[&RuleRow]) -> Html {
    let weighted = group.scores() && app.variant().hand_weights;
    let shares = rows.iter().any(|row| row.on && app.share(&row.id).is_some());
    html! {
        <span class="heads" aria-hidden="true">
            if shares { <span class="left" title={tr(LEFT)}>{ tr("% left") }</span> }
            if weighted { <span class="weight">{ tr("weight") }</span> }
            if group.scores() { <span class="buckets">{ tr("buckets") }</span> }
        </span>
    }
}

const LEFT: &str =
    mark("Average share of the stage's candidates that this rule left, over the sampled decisions of the last run");

/// The candidates that a rule left, as a number and a bar, and whether there is more to know.
fn left(share: &Share) -> Html {
    let left = 100.0 * share.after;
    let percent = words::trimmed(left, if left < 9.95 { 1 } else { 0 });
    html! {
        <>
            if let Some(hint) = &share.hint {
                <span class="rule-hint" title={format!("{}: {}", tell(&hint.label), tell(&hint.sentence))}><span class="unseen">{ tell(&hint.label) }</span></span>
            }
            <span class="left" title={tr(LEFT)}>
                <span aria-hidden="true">{ &percent }</span>
                <span class="unseen">{ say("left {percent} % of candidates", &[&percent]) }</span>
                <span class="left-bar" aria-hidden="true"><span style={format!("width:{left:.1}%")}></span></span>
            </span>
        </>
    }
}

/// The weight of a preference, if weights are manual.
fn weight(link: &Link, row: &RuleRow) -> Html {
    let (id, value) = (row.id.clone(), row.weight.unwrap_or(WEIGHT.default));
    let label = say("Weight of {id}", &[&id]);
    // Without a weight, the default applies.
    let edit = Rc::new(move |weight: f64| {
        let path = format!("rules.{id}.weight");
        if weight == WEIGHT.default { Edit::set(path, "none") } else { Edit::set(path, weight) }
    });
    html! { <span class="weight" title={words::help(WEIGHT.help)}>{ form::number_field(link, &label, &WEIGHT, value, edit) }</span> }
}

/// How often a rule decided in the run on screen, and a note on it.
fn aggressiveness(share: &Share) -> Html {
    let percent = |share: f64| words::trimmed(100.0 * share, 1);
    let (decided, left_one) = (percent(share.decided), percent(share.left_one));
    html! {
        <p>
            { say("In the last run it removed candidates in {decided} % of the sampled decisions, and left only one \
                 in {left_one} %.", &[&decided, &left_one]) }
            if let Some(hint) = &share.hint { { format!(" {}", tell(&hint.sentence)) } }
        </p>
    }
}

fn buckets(link: &Link, row: &RuleRow) -> Html {
    let id = row.id.clone();
    let onchange = link.callback(move |event: Event| {
        let buckets = event.target_unchecked_into::<HtmlSelectElement>().value();
        Message::Edit(Edit::set(format!("rules.{id}.buckets"), &*buckets))
    });
    let unusual = row.buckets.filter(|buckets| !CHOICES.contains(buckets));
    let option = |buckets: u32| {
        html! { <option value={buckets.to_string()} selected={row.buckets == Some(buckets)}>{ buckets }</option> }
    };
    html! {
        <label class="buckets" title={tr("Scores are rounded up to this many steps; equal steps are a tie. None compares scores exactly.")}>
            <select aria-label={say("Buckets for {}", &[&row.id])} ~value={row.buckets.map_or_else(|| "none".into(), |it| it.to_string())} {onchange}>
                <option value="none" selected={row.buckets.is_none()}>{ tr("none") }</option>
                { for CHOICES.into_iter().chain(unusual).map(option) }
            </select>
        </label>
    }
}
