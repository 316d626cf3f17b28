//! The film of a decision: the machines left after each step, on the map of the machines.

mod reel;
mod stage;

use std::cell::RefCell;
use std::rc::Rc;

use tiebreak_app::{App, Message, Notice};
use tiebreak_engine::protocol::Explained;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_view::film::{self, At, Film, Shot};
use tiebreak_view::naming::title;
use tiebreak_view::{animation, strip};
use web_sys::{Element, Event, FocusEvent, HtmlCanvasElement, HtmlSelectElement, KeyboardEvent, MouseEvent};
use yew::prelude::*;

use self::reel::{Reel, may_move};
use self::stage::Stage;
use super::explain::Explain;
use super::fleet_map::Fleet;
use super::panel::{Link, News, Own, Panel, Scene, Sent};
use super::{around, is_inside, media, save};

/// Messages of the film.
pub(crate) enum FilmMessage {
    /// Continue or pause.
    Toggle,
    /// Play it from the start.
    Replay,
    /// Go to the next shot.
    Step,
    /// Go to the previous shot.
    Back,
    /// Go to the end of a step.
    Show(u8),
    /// Look at the machines left after this step, or stop looking.
    Look(Option<u8>),
    /// Show another decision about the same VM, by index.
    Attempt(usize),
    /// The table is opened or closed.
    Table,
    /// Save it as one picture.
    Save(Picture),
    /// The shot changed, or the film is over.
    Moved,
}

/// A picture of the film to save.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Picture {
    /// The stills next to each other.
    Stills,
    /// An animation.
    Animation,
}

impl Own for FilmMessage {}

/// The panel.
#[derive(Default)]
pub(crate) struct Decision {
    canvas: NodeRef,
    reel: Rc<Reel>,
    /// The answer that the film shows.
    of: Option<Answered>,
    /// Counts answers.
    version: u32,
    /// Which decision about the VM.
    attempt: usize,
    table_open: bool,
    /// The inputs of the current stage, to avoid setting it again.
    set: RefCell<Option<Set>>,
    /// The fill level of every machine at that time, one byte each.
    fullness: RefCell<Vec<u8>>,
}

/// The inputs of a stage.
#[derive(PartialEq)]
struct Set {
    answer: u32,
    attempt: usize,
    run: u32,
    frames: u32,
    width: i32,
    theme: String,
}

impl Panel for Decision {
    type Message = FilmMessage;

    const ID: &'static str = "film";
    const TITLE: &'static str = mark("Decision");

    /// Hidden while the user steps through the rules one by one: it would give away the result.
    fn is_shown(app: &App) -> bool {
        Explain::is_shown(app) && app.rules_shown.is_none() && !app.front.answer.attempts.is_empty()
    }

    fn update(&mut self, message: FilmMessage, link: &Link, app: &App) -> Vec<Sent> {
        let Some(film) = self.decision(app).map(Film::of) else { return Vec::new() };
        let now = self.reel.elapsed_ms();
        if !matches!(message, FilmMessage::Moved | FilmMessage::Table | FilmMessage::Save(_)) {
            self.reel.looked_at.set(None);
        }
        match message {
            FilmMessage::Toggle if self.reel.is_playing() => self.reel.stop(),
            FilmMessage::Toggle => {
                if now >= film.length_ms() {
                    self.reel.hold(start_ms(&film));
                }
                self.reel.play(link);
            }
            FilmMessage::Replay => {
                self.reel.hold(start_ms(&film));
                self.reel.play(link);
            }
            FilmMessage::Step => self.reel.hold(film.next_ms(now, may_move())),
            FilmMessage::Back => self.reel.hold(film.previous_ms(now, may_move())),
            FilmMessage::Show(step) => self.reel.hold(film.after_ms(step).unwrap_or(now)),
            FilmMessage::Look(step) => self.reel.looked_at.set(step),
            FilmMessage::Attempt(attempt) => {
                self.attempt = attempt;
                self.begin(link, app);
            }
            FilmMessage::Table => self.table_open = !self.table_open,
            FilmMessage::Save(picture) => return self.save(app, picture).into_iter().collect(),
            FilmMessage::Moved => {}
        }
        Vec::new()
    }

    fn hear(&mut self, news: &News<'_>, link: &Link, app: &App) -> Vec<Sent> {
        if matches!(news, News::Changed) {
            let of = Answered::of(app);
            if self.of != of {
                self.attempt = app.front.answer.attempts.len().saturating_sub(1);
                self.of = of;
                self.version += 1;
                self.begin(link, app);
            }
        }
        Vec::new()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        self.decision(scene.app).map_or_else(Html::default, |decision| self.region(link, scene.app, decision))
    }

    fn rendered(&self, scene: &Scene<'_>) {
        if Self::is_shown(scene.app) {
            self.set_stage(scene);
            self.reel.paint();
        } else {
            self.reel.stop();
            self.reel.set_stage(None);
            self.set.take();
        }
    }
}

/// The parts of an answer that require another film: the VM, and for each of its decisions the time, where each
/// machine dropped out, the chosen machine, and whether the commit failed.
#[derive(PartialEq)]
struct Answered(String, Vec<(f64, Vec<u8>, Option<u32>, bool)>);

impl Answered {
    /// The answer of the active variant, if its film can be shown.
    fn of(app: &App) -> Option<Self> {
        let decision = |it: &Explained| (it.at_ms, it.dropped_at.clone(), it.winner, it.collision.is_some());
        let decisions = || app.front.answer.attempts.iter().map(decision).collect();
        Decision::is_shown(app).then(|| Self(app.selection.vm.clone(), decisions()))
    }
}

/// The starting moment: without animation, the first still.
fn start_ms(film: &Film) -> f64 {
    if may_move() { 0.0 } else { film.next_ms(0.0, false) }
}

impl Decision {
    fn decision<'a>(&self, app: &'a App) -> Option<&'a Explained> {
        app.front.answer.attempts.get(self.attempt)
    }

    /// Starts over; plays at once if animation is allowed.
    fn begin(&mut self, link: &Link, app: &App) {
        let film = self.decision(app).filter(|_| self.of.is_some()).map(Film::of);
        self.reel.hold(film.as_ref().map_or(0.0, start_ms));
        self.reel.looked_at.set(None);
        if film.is_some() && may_move() {
            self.reel.play(link);
        }
    }

    /// Saves a picture; returns the browser's message if that fails.
    fn save(&self, app: &App, picture: Picture) -> Option<Sent> {
        let (vm, decision, fullness) = (&app.selection.vm, self.decision(app)?, self.fullness.borrow());
        let (name, svg) = match picture {
            Picture::Stills => (format!("vm-{vm}.svg"), strip::svg(decision, vm, &fullness)),
            Picture::Animation => (format!("vm-{vm}-film.svg"), animation::svg(decision, vm, &fullness)),
        };
        let error = save::text(&name, "image/svg+xml", &svg).err()?;
        Some(Message::Notice(Notice::bad(tr("The file could not be saved"), vec![format!("{error:?}")])).into())
    }

    fn shown(&self, film: &Film) -> At {
        let now = self.reel.elapsed_ms();
        if may_move() { film.at(now) } else { film.still_at(now) }
    }

    /// Recreates the stage if any of its inputs changed.
    fn set_stage(&self, scene: &Scene<'_>) {
        let lane = &scene.app.front;
        let canvas = self.canvas.cast::<HtmlCanvasElement>();
        let (Some(canvas), Some(live), Some(decision)) = (canvas, &lane.live, self.decision(scene.app)) else { return };
        let told = scene.panels.get::<Fleet>().map(|fleet| fleet.fullness(lane, decision.at_ms));
        let (fullness, frames) = told.unwrap_or((&[], 0));
        let set = Set {
            answer: self.version,
            attempt: self.attempt,
            run: live.run,
            frames,
            width: canvas.client_width(),
            theme: format!("{} {}", scene.theme, media("(prefers-color-scheme: dark)")),
        };
        if self.set.borrow().as_ref() == Some(&set) {
            return;
        }
        // In a closed sheet it has no width: the film waits until the sheet is opened.
        if set.width == 0 {
            self.reel.set_stage(None);
            self.set.take();
            return;
        }
        self.fullness.replace(fullness.to_vec());
        let stage = Stage::new(canvas, &live.layout, decision, fullness.to_vec(), f64::from(set.width));
        self.reel.set_stage(stage);
        self.set.replace(Some(set));
    }

    /// The film without its steps and its table.
    pub(super) fn brief(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let Some(decision) = self.decision(scene.app) else { return Html::default() };
        let film = Film::of(decision);
        let vm = &scene.app.selection.vm;
        let caption = film::caption(&film, decision, vm, self.shown(&film).shot);
        html! {
            <section class="film" aria-label={tr(Self::TITLE)}>
                { self.picture(vm) }
                { self.caption(caption) }
                <div class="film-controls">{ self.moves(link) }</div>
            </section>
        }
    }

    /// The film with its controls, for a page that shows nothing else.
    pub(super) fn alone(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let Some(decision) = self.decision(scene.app) else { return Html::default() };
        let film = Film::of(decision);
        let vm = &scene.app.selection.vm;
        let caption = film::caption(&film, decision, vm, self.shown(&film).shot);
        html! {
            <section class="film" aria-label={tr(Self::TITLE)} tabindex="0" onkeydown={keys(link)}>
                { self.attempts(link, scene.app) }
                { self.picture(vm) }
                { self.caption(caption) }
                <div class="film-controls">{ self.moves(link) }{ button(link, tr("Step"), || FilmMessage::Step) }</div>
            </section>
        }
    }

    fn picture(&self, vm: &str) -> Html {
        html! { <div class="fleet"><canvas ref={&self.canvas} role="img" aria-label={say("Machines that can take VM {vm}", &[&vm])} aria-describedby="film-caption"></canvas></div> }
    }

    fn caption(&self, caption: String) -> Html {
        let live = if self.reel.is_playing() { "off" } else { "polite" };
        html! { <p class="sentence" id="film-caption" aria-live={live}>{ caption }</p> }
    }

    fn region(&self, link: &Link, app: &App, decision: &Explained) -> Html {
        let film = Film::of(decision);
        let (at, vm) = (self.shown(&film), &app.selection.vm);
        let caption = film::caption(&film, decision, vm, at.shot);
        html! {
            <section class="panel film" aria-label={tr(Self::TITLE)} tabindex="0" onkeydown={keys(link)}>
                <h2>{ tr("Decision") }</h2>
                { self.attempts(link, app) }
                { self.picture(vm) }
                { self.caption(caption) }
                { self.controls(link) }
                { steps(link, &film, decision, at.shot) }
                if self.table_open { { table(&film, decision, vm) } }
            </section>
        }
    }

    /// The choice between several decisions about a VM.
    fn attempts(&self, link: &Link, app: &App) -> Html {
        let attempts = &app.front.answer.attempts;
        if attempts.len() < 2 {
            return Html::default();
        }
        let choose = link.callback(|event: Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            FilmMessage::Attempt(usize::try_from(chosen).unwrap_or(0))
        });
        let option = |(index, attempt): (usize, &Explained)| {
            html! { <option selected={index == self.attempt}>{ tell(&attempt.circumstances) }</option> }
        };
        html! {
            <select aria-label={tr("Which decision")} onchange={choose}>{ for attempts.iter().enumerate().map(option) }</select>
        }
    }

    fn controls(&self, link: &Link) -> Html {
        let table = if self.table_open { tr("Hide data table") } else { tr("Show data table") };
        html! {
            <div class="film-controls">
                { self.moves(link) }
                { button(link, tr("Step"), || FilmMessage::Step) }
                { saves(link, tr("Stills (SVG)"), Picture::Stills) }
                { saves(link, tr("Animation (SVG)"), Picture::Animation) }
                <button class="quiet" aria-expanded={self.table_open.to_string()} onclick={link.callback(|_: MouseEvent| FilmMessage::Table)}>{ table }</button>
            </div>
        }
    }

    fn moves(&self, link: &Link) -> Html {
        let toggle = if self.reel.is_playing() { tr("Pause") } else { tr("Play") };
        html! { <>{ button(link, tr("Replay decision"), || FilmMessage::Replay) }{ button(link, toggle, || FilmMessage::Toggle) }</> }
    }
}

/// The arrow keys move between shots.
fn keys(link: &Link) -> Callback<KeyboardEvent> {
    link.batch_callback(|event: KeyboardEvent| {
        let message = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => FilmMessage::Step,
            "ArrowLeft" | "ArrowUp" => FilmMessage::Back,
            _ => return None,
        };
        if around(&event, "select, .table").is_some() {
            return None;
        }
        event.prevent_default();
        Some(message)
    })
}

fn saves(link: &Link, label: &'static str, picture: Picture) -> Html {
    html! { <button class="quiet" onclick={link.callback(move |_: MouseEvent| FilmMessage::Save(picture))}>{ label }</button> }
}

fn button(link: &Link, label: &'static str, message: fn() -> FilmMessage) -> Html {
    html! { <button onclick={link.callback(move |_: MouseEvent| message())}>{ label }</button> }
}

/// The steps that dropped machines. Pointing at or focusing one shows the machines left after it.
fn steps(link: &Link, film: &Film, decision: &Explained, shot: Shot) -> Html {
    let look = |event: &Event| {
        let step = around(event, "[data-step]")?.get_attribute("data-step")?.parse().ok()?;
        Some(FilmMessage::Look(Some(step)))
    };
    // Moving from one step to another is reported by the other one.
    let away = |to: Option<Element>| (!is_inside(to.as_ref(), "[data-step]")).then_some(FilmMessage::Look(None));
    let row = |(step, left): (u8, u32)| {
        let is_now = shot == Shot::Drops(step);
        let rule = decision.funnel.get(usize::from(step)).map_or("", |step| step.rule.as_str());
        let show = link.callback(move |_: MouseEvent| FilmMessage::Show(step));
        html! {
            <li key={step}><button class="film-step" data-step={step.to_string()} aria-current={is_now.then_some("step")} onclick={show}>
                <span title={rule.to_owned()}>{ title(rule) }</span><span class="number">{ say("{} left", &[&words::count(f64::from(left))]) }</span>
            </button></li>
        }
    };
    let idle = film::idle(film, decision);
    html! {
        <>
            <ol class="film-steps" aria-label={tr("Rules that removed machines")}
                onmouseover={link.batch_callback(move |event: MouseEvent| look(&event))}
                onmouseout={link.batch_callback(move |event: MouseEvent| away(event.related_target().and_then(element)))}
                onfocusin={link.batch_callback(move |event: FocusEvent| look(&event))}
                onfocusout={link.batch_callback(move |event: FocusEvent| away(event.related_target().and_then(element)))}>
                { for film.drops().map(row) }
            </ol>
            if !idle.is_empty() {
                <details class="about"><summary>{ words::counted(idle.len() as f64, mark("rule changed nothing"), mark("rules changed nothing")) }</summary>
                    <p class="muted">{ idle.iter().map(|rule| title(rule)).collect::<Vec<_>>().join(", ") }</p></details>
            }
        </>
    }
}

/// The target element of an event.
pub(super) fn element(target: web_sys::EventTarget) -> Option<Element> {
    use wasm_bindgen::JsCast;
    target.dyn_into().ok()
}

/// The film as a table.
fn table(film: &Film, decision: &Explained, vm: &str) -> Html {
    let mut before = decision.dropped_at.len() as u32;
    let row = |(step, left): (u8, u32)| {
        let dropped = before - left;
        before = left;
        let rule = decision.funnel.get(usize::from(step)).map_or("", |step| step.rule.as_str());
        html! { <tr><th scope="row">{ title(rule) }</th><td>{ words::count(f64::from(dropped)) }</td><td>{ words::count(f64::from(left)) }</td></tr> }
    };
    let end = film.at(film.length_ms()).shot;
    let heads = [tr("Step"), tr("Removed"), tr("Machines left")];
    html! {
        <div class="table" tabindex="0" role="region" aria-label={tr("Decision: data table")}><table>
            <caption>{ film::caption(film, decision, vm, end) }</caption>
            <thead><tr>{ for heads.iter().map(|head| html! { <th scope="col">{ *head }</th> }) }</tr></thead>
            <tbody>{ for film.drops().map(row) }</tbody>
        </table></div>
    }
}
