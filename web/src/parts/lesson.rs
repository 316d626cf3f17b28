//! A lesson: its text, its question, and what the run says of the answer.

use std::collections::BTreeMap;

use serde::Deserialize;
use tiebreak_app::{App, Given, Message, Notice, Playing};
use tiebreak_engine::protocol::Reply;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_lesson::{Block, Question, Span};
use tiebreak_scenario::link;
use tiebreak_sim::METRICS;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::around;
use super::field::{Field, NumberRange};
use super::own_lesson::{INSIDE, OwnMessage};
use super::panel::{Link, News, Own, Panel, Scene, Sent, focus};
use super::share::{Copied, ShareMessage};
use crate::places;

/// Moments at which a curve can be given in numbers.
const MOMENTS: usize = 5;

/// What an address with a lesson begins with; behind it the lesson's id, and perhaps `/` and a step
/// from 1.
const NAMED: &str = "#lesson=";

/// A lesson as the list of lessons has it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Listed {
    id: String,
    title: String,
    minutes: Option<String>,
    about: Option<String>,
}

/// What happens to lessons on the page.
pub(crate) enum LessonMessage {
    /// A lesson of the list is wanted, by id, and the step it opens at, from 0.
    Fetch(String, usize),
    /// The text of a lesson, and the step it opens at.
    Text(String, usize),
    /// There is none of this id.
    NoSuch(String),
    /// A lesson that a link holds, packed, and perhaps `/` and a step from 1.
    Packed(String),
    /// The list of lessons came.
    List(Vec<Listed>),
    /// The pointer draws at this time and value; or begins to.
    Draw(f64, f64, bool),
    /// The pointer is up.
    Drawn,
    /// A value of the curve in numbers.
    Value(usize, f64),
    /// Predictions of a class were pasted.
    Pasted(String),
}

impl Own for LessonMessage {}

/// What the page keeps of lessons beside the application's state.
#[derive(Default)]
pub(crate) struct Lessons {
    listed: Vec<Listed>,
    is_list_asked: bool,
    /// The step at which the lesson that is being read opens.
    opens_at: usize,
    /// The step that is drawn on, and what was drawn.
    step: usize,
    drawn: Vec<(f64, f64)>,
    /// Where the pointer drew last, while it is down.
    pen: Option<f64>,
    values: [Option<f64>; MOMENTS],
    pasted: String,
}

impl Panel for Lessons {
    type Message = LessonMessage;

    const ID: &'static str = "lesson";
    const TITLE: &'static str = mark("Lesson");

    fn is_shown(app: &App) -> bool {
        app.lesson.is_some()
    }

    fn update(&mut self, message: LessonMessage, link: &Link, app: &App) -> Vec<Sent> {
        if let Some(step) = app.lesson.as_ref().map(|playing| playing.step).filter(|step| *step != self.step) {
            (self.step, self.pen, self.values) = (step, None, Default::default());
            (self.drawn, self.pasted) = Default::default();
        }
        let told = match message {
            LessonMessage::Fetch(id, step) => {
                fetch(link, &id, step);
                None
            }
            LessonMessage::Text(text, step) => {
                self.opens_at = step;
                Some(Message::LessonText(text))
            }
            LessonMessage::NoSuch(id) => {
                let line = say("Expected a lesson from the list, got \"{id}\".", &[&id]);
                Some(Message::Notice(Notice::bad(tr("Unknown lesson"), vec![line])))
            }
            LessonMessage::Packed(packed) => Some(self.unpacked(&packed)),
            drawing => self.draw(drawing, app),
        };
        told.map(Sent::from).into_iter().collect()
    }

    fn hear(&mut self, news: &News<'_>, link: &Link, app: &App) -> Vec<Sent> {
        match *news {
            News::Reply { reply: Reply::Lesson(_), .. } if self.opens_at > 0 => {
                vec![Message::LessonStep(std::mem::take(&mut self.opens_at)).into()]
            }
            // The page is live: what may come later comes now.
            News::Reply { reply: Reply::Finished { .. }, .. } => {
                if !std::mem::replace(&mut self.is_list_asked, true) {
                    fetch_list(link);
                }
                Vec::new()
            }
            News::Key(event) => app.lesson.as_ref().and_then(|playing| present(event, playing)).unwrap_or_default(),
            News::Address(fragment) => at_address(fragment).map(Sent::from).into_iter().collect(),
            News::File { name, text } if name.ends_with(".md") => {
                vec![LessonMessage::Text(text.to_owned(), 0).into()]
            }
            _ => Vec::new(),
        }
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        self.step(link, scene.app)
    }
}

impl Lessons {
    /// The text that a link holds; what is wrong with it, where it holds none.
    fn unpacked(&mut self, packed: &str) -> Message {
        let (packed, step) = packed.split_once('/').unwrap_or((packed, "1"));
        match link::unpack(packed) {
            Ok(text) => {
                self.opens_at = step_of(step);
                Message::LessonText(text)
            }
            Err(error) => Message::Notice(Notice::bad(tr("This lesson could not be opened"), vec![error.to_string()])),
        }
    }

    /// Takes in what was drawn, given in numbers or pasted; the prediction, where there is one now.
    fn draw(&mut self, message: LessonMessage, app: &App) -> Option<Message> {
        match message {
            LessonMessage::List(listed) => self.listed = listed,
            LessonMessage::Pasted(text) => self.pasted = text,
            LessonMessage::Draw(time, value, begins) => {
                if begins {
                    self.pen = Some(time);
                }
                if let Some(from) = self.pen {
                    draw(&mut self.drawn, from, time, value);
                    self.pen = Some(time);
                }
            }
            LessonMessage::Drawn => {
                self.pen = None;
                return (self.drawn.len() > 1).then(|| Message::Predict(Given::Curve(self.drawn.clone())));
            }
            LessonMessage::Value(at, value) => {
                self.values[at] = Some(value).filter(|value| value.is_finite());
                let end = app.front.live.as_ref().map_or(0.0, |live| live.horizon_ms);
                let time = |at: usize| end * at as f64 / (MOMENTS - 1) as f64;
                self.drawn = (0..MOMENTS).filter_map(|at| Some((time(at), self.values[at]?))).collect();
                return (self.drawn.len() > 1).then(|| Message::Predict(Given::Curve(self.drawn.clone())));
            }
            _ => {}
        }
        None
    }

    /// The lessons to choose from, and the way to one of one's own.
    pub(crate) fn cards(&self, link: &Link) -> Html {
        let card = |lesson: &Listed| {
            let id = lesson.id.clone();
            let open = link.callback(move |_: MouseEvent| LessonMessage::Fetch(id.clone(), 0));
            let minutes = lesson.minutes.as_ref().map(|minutes| say("{minutes} min", &[&minutes]));
            html! {
                <li key={lesson.id.clone()}><button class="lesson-card" onclick={open}>
                    <strong lang={english()}>{ &lesson.title }</strong>
                    if let Some(about) = &lesson.about { <span lang={english()}>{ about }</span> }
                    if let Some(minutes) = minutes { <small class="muted">{ minutes }</small> }
                </button></li>
            }
        };
        let own = link.callback(|_: MouseEvent| OwnMessage::Open(true));
        html! {
            <>
                if self.listed.is_empty() { <p class="muted">{ tr("Loading the lessons…") }</p> }
                <ol class="lesson-cards" role="list">{ for self.listed.iter().map(card) }</ol>
                <p><button onclick={own}>{ tr("Write a lesson…") }</button></p>
            </>
        }
    }

    /// The step on screen.
    fn step(&self, link: &Link, app: &App) -> Html {
        let Some(playing) = &app.lesson else { return Html::default() };
        let (step, last) = (playing.step, playing.lesson.steps.len() - 1);
        let here = playing.here();
        let go = |to: usize| link.callback(move |_: MouseEvent| Message::LessonStep(to));
        let leave = link.callback(|_: MouseEvent| Message::LeaveLesson);
        html! {
            <section class="lesson" aria-label={tr(Self::TITLE)}>
                <p class="muted">{ say("{}: step {} of {}", &[&playing.lesson.title, &(step + 1), &(last + 1)]) }</p>
                <h2 tabindex="-1" id="lesson-step" lang={english()}>{ &here.title }</h2>
                if step == 0 { { blocks(&playing.lesson.opening) } }
                { blocks(&here.before) }
                { self.question(link, app, playing) }
                if playing.is_revealed {
                    { verdict(app, playing) }
                    { blocks(&here.after) }
                }
                <p class="group">
                    if step > 0 { <button onclick={go(step - 1)}>{ tr("Back") }</button> }
                    if step < last { <button class={if playing.is_revealed { "primary" } else { "quiet" }} onclick={go(step + 1)}>{ if playing.is_revealed { tr("Next") } else { tr("Skip this step") } }</button> }
                    <button class="quiet" onclick={leave}>{ if step == last && playing.is_revealed { tr("Finish") } else { tr("Exit lesson") } }</button>
                </p>
            </section>
        }
    }

    fn question(&self, link: &Link, app: &App, playing: &Playing) -> Html {
        let Some(question) = &playing.here().question else { return Html::default() };
        let reveal = link.callback(|_: MouseEvent| Message::Reveal);
        html! {
            <div class="question">
                { match question {
                    Question::Pick { ask, choices, .. } => pick(link, playing, ask, choices),
                    Question::Curve { ask, metric } => self.curve(link, app, playing, ask, metric),
                } }
                if !playing.is_revealed {
                    <p class="group">
                        <button class={if playing.given.is_some() { "primary" } else { "" }} onclick={reveal}>{ if playing.given.is_some() { tr("Run and see") } else { tr("Run without predicting") } }</button>
                    </p>
                }
                if let Question::Pick { choices, .. } = question { { self.class(link, playing, choices.len()) } }
            </div>
        }
    }

    fn curve(&self, link: &Link, app: &App, playing: &Playing, ask: &str, metric: &str) -> Html {
        let entry = tiebreak_sim::metrics::index_of(metric).map(|index| (index, &METRICS[index]));
        let (Some((index, entry)), Some(live)) = (entry, &app.front.live) else {
            return html! { <p lang={english()}>{ ask }</p> };
        };
        let most = live
            .values
            .get(index)
            .map_or(1.0, |values| values.iter().copied().filter(|it| it.is_finite()).fold(0.0, f64::max));
        let top = entry.ceiling().unwrap_or_else(|| round_up(1.4 * most));
        let end = live.horizon_ms.max(1.0);
        let drawn = if playing.step == self.step { &self.drawn[..] } else { &[] };
        let line: Vec<String> = drawn
            .iter()
            .map(|(time, value)| format!("{:.1},{:.1}", 600.0 * time / end, 200.0 * (1.0 - value / top)))
            .collect();
        let at = move |event: &PointerEvent| {
            let shape = around(event, ".canvas")?.get_bounding_client_rect();
            let x = (f64::from(event.client_x()) - shape.left()) / shape.width().max(1.0);
            let y = (f64::from(event.client_y()) - shape.top()) / shape.height().max(1.0);
            Some((x.clamp(0.0, 1.0) * end, (1.0 - y.clamp(0.0, 1.0)) * top))
        };
        let draws = |begins: bool| {
            link.batch_callback(move |event: PointerEvent| {
                if begins && let Some(canvas) = around(&event, ".canvas") {
                    let _ = canvas.set_pointer_capture(event.pointer_id());
                }
                let (time, value) = at(&event)?;
                Some(LessonMessage::Draw(time, value, begins))
            })
        };
        let up = link.callback(|_: PointerEvent| LessonMessage::Drawn);
        let unit = tr(entry.unit);
        let field = |index: usize| {
            let take =
                link.callback(move |text: String| LessonMessage::Value(index, text.trim().parse().unwrap_or(f64::NAN)));
            let time = words::time(end * index as f64 / (MOMENTS - 1) as f64);
            let value = self.values[index].filter(|_| playing.step == self.step);
            let label = say("at {time}", &[&time]);
            html! { <label>{ &label }<Field {label} number={NumberRange::any(0.0, top)} value={value.map_or(String::new(), |value| value.to_string())} {take} /></label> }
        };
        html! {
            <>
                <p class="ask" lang={english()}>{ ask }</p>
                if !playing.is_revealed {
                    <p class="hint">{ say("Draw {} over the whole run, or enter numbers below.", &[&words::inside(entry.declaration.title)]) }</p>
                    <div class="canvas" onpointerdown={draws(true)} onpointermove={draws(false)} onpointerup={up.clone()} onpointercancel={up}>
                        <svg viewBox="0 0 600 200" preserveAspectRatio="none" aria-hidden="true">
                            { for [0.0, 50.0, 100.0, 150.0, 200.0].iter().map(|y| html! { <line class="grid" x1="0" x2="600" y1={y.to_string()} y2={y.to_string()} /> }) }
                            <polyline points={line.join(" ")} />
                        </svg>
                        <span class="top">{ format!("{} {unit}", words::trimmed(top, 1)) }</span><span class="bottom">{ "0" }</span>
                    </div>
                    <div class="fields moments">{ for (0..MOMENTS).map(field) }</div>
                }
            </>
        }
    }

    /// How a class predicted: what people sent the teacher, pasted.
    fn class(&self, link: &Link, playing: &Playing, choices: usize) -> Html {
        let paste = link.callback(|event: InputEvent| {
            LessonMessage::Pasted(event.target_unchecked_into::<HtmlTextAreaElement>().value())
        });
        let mine = match &playing.given {
            Some(Given::Choice(choice)) => {
                Some(format!("{} {}: {}", playing.lesson.title, playing.step + 1, letter(*choice)))
            }
            _ => None,
        };
        let (votes, unread) = tally(&self.pasted, choices);
        let most = votes.values().copied().max().unwrap_or(1).max(1);
        html! {
            <details class="class-view">
                <summary>{ tr("Class vote") }</summary>
                if let Some(mine) = mine {
                    <p class="hint">{ tr("Send this to your teacher: ") }<code>{ &mine }</code>
                        <button class="quiet" onclick={link.callback(move |_| ShareMessage::Copy(Copied::Answer, mine.clone()))}>{ tr("Copy") }</button></p>
                }
                <label>{ tr("Predictions, one per line, each ending with a letter") }
                    <textarea rows="4" oninput={paste} value={self.pasted.clone()} /></label>
                if !votes.is_empty() {
                    <table class="votes"><tbody>{ for (0..choices).map(|choice| {
                        let count = votes.get(&choice).copied().unwrap_or(0);
                        html! { <tr><th scope="row">{ letter(choice) }</th>
                            <td class="bar-cell"><span class="left-bar" aria-hidden="true"><span style={format!("width:{:.0}%", 100.0 * count as f64 / most as f64)}></span></span></td>
                            <td>{ count }</td></tr> }
                    }) }</tbody></table>
                }
                if unread > 0 { <p class="hint">{ say("{} not counted: expected a letter from A to {} at the end.", &[&words::counted(unread as f64, "line was", "lines were"), &letter(choices.saturating_sub(1))]) }</p> }
            </details>
        }
    }
}

/// A presenter's key: forward, or back.
fn present(event: &KeyboardEvent, playing: &Playing) -> Option<Vec<Sent>> {
    const TAKES_KEYS: &str = "[role=tab], input, select, textarea, canvas, .menu, .handle, .table, .event, .film";
    let message = match event.key().as_str() {
        _ if around(event, TAKES_KEYS).is_some() => return None,
        "ArrowRight" | "PageDown" if !playing.is_revealed => Message::Reveal,
        "ArrowRight" | "PageDown" => Message::LessonStep(playing.step + 1),
        "ArrowLeft" | "PageUp" => Message::LessonStep(playing.step.saturating_sub(1)),
        _ => return None,
    };
    Some(vec![message.into(), focus("#lesson-step")])
}

/// The lesson that an address names or holds.
fn at_address(fragment: &str) -> Option<LessonMessage> {
    if let Some(packed) = fragment.strip_prefix(INSIDE) {
        return Some(LessonMessage::Packed(packed.to_owned()));
    }
    let named = fragment.strip_prefix(NAMED)?;
    let (id, step) = named.split_once('/').unwrap_or((named, "1"));
    Some(LessonMessage::Fetch(id.to_owned(), step_of(step)))
}

/// A step from 0 as an address has it, from 1.
fn step_of(text: &str) -> usize {
    text.parse().map_or(0, |step: usize| step.saturating_sub(1))
}

/// Adds a point to which the pointer came from another; a curve has one value at a time, so what was drawn before
/// between the two goes.
fn draw(drawn: &mut Vec<(f64, f64)>, from: f64, time: f64, value: f64) {
    let (low, high) = (from.min(time), from.max(time));
    drawn.retain(|(at, _)| *at < low || *at > high || (*at == from && from != time));
    let place = drawn.partition_point(|(at, _)| *at < time);
    drawn.insert(place, (time, value));
    if drawn.len() > 300 {
        drawn.remove(0);
    }
}

fn round_up(value: f64) -> f64 {
    let size = 10_f64.powf(value.max(1e-9).log10().floor());
    (value / size).ceil() * size
}

fn letter(choice: usize) -> char {
    char::from(b'A' + (choice % 26) as u8)
}

/// How often each answer stands at the end of a line, and how many lines end with none.
fn tally(pasted: &str, choices: usize) -> (BTreeMap<usize, usize>, usize) {
    let (mut votes, mut unread) = (BTreeMap::new(), 0);
    for line in pasted.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let last = line.rsplit(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
        let choice = last.bytes().next().map(|byte| usize::from(byte.to_ascii_uppercase().wrapping_sub(b'A')));
        match choice.filter(|choice| last.len() == 1 && *choice < choices) {
            Some(choice) => *votes.entry(choice).or_insert(0) += 1,
            None => unread += 1,
        }
    }
    (votes, unread)
}

fn pick(link: &Link, playing: &Playing, ask: &str, choices: &[tiebreak_lesson::Choice]) -> Html {
    let right = playing.right().filter(|_| playing.is_revealed);
    let choice = |(index, choice): (usize, &tiebreak_lesson::Choice)| {
        let given = playing.given == Some(Given::Choice(index));
        let predict = link.callback(move |_: Event| Message::Predict(Given::Choice(index)));
        html! {
            <label class={classes!("choice", (right == Some(index)).then_some("right"), (given && right.is_some_and(|right| right != index)).then_some("wrong"))}>
                <input type="radio" name={format!("step-{}", playing.step)} checked={given} disabled={playing.is_revealed} onchange={predict} />
                <span lang={english()}>{ format!("{}. {}", letter(index), choice.text) }</span>
                if right == Some(index) { <strong>{ tr(" (the result of the run)") }</strong> }
            </label>
        }
    };
    html! { <fieldset><legend class="ask" lang={english()}>{ ask }</legend>{ for choices.iter().enumerate().map(choice) }</fieldset> }
}

fn verdict(app: &App, playing: &Playing) -> Html {
    let Some(question) = &playing.here().question else { return Html::default() };
    let text = match (question, &playing.given) {
        (Question::Curve { metric, .. }, Some(Given::Curve(_))) => {
            let unit = tiebreak_sim::metrics::index_of(metric).map_or("", |index| tr(METRICS[index].unit));
            let distance = app.front.live.as_ref().and_then(|live| playing.distance(live));
            distance.map(|distance| {
                say(
                    "Your curve differs from the run by {} {unit} on average; both are on the chart.",
                    &[&words::trimmed(distance, 1), &unit],
                )
            })
        }
        (Question::Pick { .. }, given) => match (playing.right(), given) {
            (None, _) => Some(tr("The run is in progress…").into()),
            (Some(right), Some(Given::Choice(choice))) if right == *choice => Some(tr("Right.").into()),
            (Some(right), Some(Given::Choice(_))) => Some(say("The run's value is {}.", &[&letter(right)])),
            (Some(right), _) => Some(say("The run's value is {}.", &[&letter(right)])),
        },
        _ => None,
    };
    html! { <p class="verdict" role="alert">{ text.unwrap_or_default() }</p> }
}

/// The language of lessons, where the page speaks another.
fn english() -> Option<&'static str> {
    (tiebreak_i18n::language() != tiebreak_i18n::ENGLISH).then_some(tiebreak_i18n::ENGLISH)
}

/// Text of a lesson; never HTML.
fn blocks(blocks: &[Block]) -> Html {
    let spans = |spans: &[Span]| -> Html {
        html! { { for spans.iter().map(span) } }
    };
    let block = |block: &Block| match block {
        Block::Paragraph(text) => html! { <p lang={english()}>{ spans(text) }</p> },
        Block::List { numbered: false, items } => {
            html! { <ul lang={english()}>{ for items.iter().map(|item| html! { <li>{ spans(item) }</li> }) }</ul> }
        }
        Block::List { items, .. } => {
            html! { <ol lang={english()}>{ for items.iter().map(|item| html! { <li>{ spans(item) }</li> }) }</ol> }
        }
    };
    html! { { for blocks.iter().map(block) } }
}

fn span(span: &Span) -> Html {
    match span {
        Span::Text(text) => html! { { text } },
        Span::Emphasis(text) => html! { <em>{ text }</em> },
        Span::Strong(text) => html! { <strong>{ text }</strong> },
        Span::Code(text) => html! { <code>{ text }</code> },
        Span::Link { text, address } => {
            html! { <a href={address.clone()} target="_blank" rel="noopener noreferrer">{ text }</a> }
        }
    }
}

/// Asks the page's server for the list of lessons.
fn fetch_list(link: &Link) {
    let link = link.clone();
    wasm_bindgen_futures::spawn_local(async move {
        if let Some(listed) = list().await {
            link.send(LessonMessage::List(listed));
        }
    });
}

/// Asks the page's server for a lesson, and opens it at a step.
fn fetch(link: &Link, id: &str, step: usize) {
    let (link, id) = (link.clone(), id.to_owned());
    wasm_bindgen_futures::spawn_local(async move {
        let is_listed = list().await.is_some_and(|listed| listed.iter().any(|lesson| lesson.id == id));
        match if is_listed { text(&format!("{id}.md")).await } else { None } {
            Some(text) => link.send(LessonMessage::Text(text, step)),
            None => link.send(LessonMessage::NoSuch(id)),
        }
    });
}

async fn list() -> Option<Vec<Listed>> {
    serde_json::from_str(&text("index.json").await?).ok()
}

async fn text(file: &str) -> Option<String> {
    places::text("lessons", file).await
}
