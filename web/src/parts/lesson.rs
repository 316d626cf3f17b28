//! A lesson: its text, its question, and the answer of the run.

use std::collections::BTreeMap;

use serde::Deserialize;
use tiebreak_app::{App, Given, Message, Notice, Playing};
use tiebreak_engine::protocol::Reply;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_lesson::{Block, Question, Scale, Span};
use tiebreak_scenario::link;
use tiebreak_sim::{METRICS, MachineByte};
use tiebreak_view::lesson as told;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::around;
use super::field::{Field, NumberRange};
use super::fleet_map::Fleet;
use super::own_lesson::{INSIDE, OwnMessage};
use super::panel::{Act, Link, News, Own, Panel, Scene, Sent, View, focus};
use super::share::{Copied, ShareMessage};
use crate::places;

/// Number of points at which a curve can be entered as numbers.
const MOMENTS: usize = 5;

/// The heading of the step, and the feedback on the answer.
const STEP: &str = "#lesson-step";
const VERDICT: &str = "#lesson-verdict";

/// With at most this many machines, each can be clicked; with more, the user types a number.
const CELLS_MAX: usize = 200;

/// The prefix of an address with a lesson; after it the lesson's id, and optionally `/` and a step, starting at 1.
const NAMED: &str = "#lesson=";

/// An entry in the list of lessons.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Listed {
    id: String,
    title: String,
    minutes: Option<String>,
    about: Option<String>,
    /// Its title and subject in other languages.
    #[serde(default, rename = "in")]
    translations: BTreeMap<String, Words>,
}

/// The words of an entry in another language.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Words {
    title: String,
    about: Option<String>,
}

impl Listed {
    /// Its title and subject in the page's language, if translated, and whether they are.
    fn words(&self) -> (&str, Option<&str>, bool) {
        match self.translations.get(tiebreak_i18n::language()) {
            Some(words) => (&words.title, words.about.as_deref(), true),
            None => (&self.title, self.about.as_deref(), false),
        }
    }

    /// The language to mark its words with, if the page has another language.
    fn language(&self) -> Option<&'static str> {
        if self.words().2 { None } else { english() }
    }
}

/// Messages of the lessons.
pub(crate) enum LessonMessage {
    /// Open the lesson with this id from the list, at this step, starting at 0.
    Fetch(String, usize),
    /// The text of a lesson, the step it opens at, and its id if it is from the list.
    Text(String, usize, Option<String>),
    /// Show the list of lessons instead of the lesson.
    ShowList,
    /// There is no lesson with this id.
    NoSuch(String),
    /// A packed lesson from a link, optionally with `/` and a step, starting at 1.
    Packed(String),
    /// The list of lessons was loaded.
    List(Vec<Listed>),
    /// The pointer draws at this time and value; the flag marks the start of a stroke.
    Draw(f64, f64, bool),
    /// The pointer is up.
    Drawn,
    /// A value of the curve, entered as a number.
    Value(usize, f64),
    /// Predictions of a class were pasted.
    Pasted(String),
}

impl Own for LessonMessage {}

/// The page's state of lessons, besides the application's state.
#[derive(Default)]
pub(crate) struct Lessons {
    listed: Vec<Listed>,
    is_list_asked: bool,
    /// The lesson that is open, by its id in the list.
    open: Option<String>,
    /// The step at which the lesson being loaded opens.
    opens_at: usize,
    /// The step of the drawing, and the drawing.
    step: usize,
    drawn: Vec<(f64, f64)>,
    /// The last point drawn, while the pointer is down.
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
                fetch(link, self.listed.iter().find(|lesson| lesson.id == id), &id, step);
                None
            }
            LessonMessage::Text(text, step, id) => {
                (self.opens_at, self.open) = (step, id);
                Some(Message::LessonText(text))
            }
            LessonMessage::ShowList => {
                return vec![Message::LeaveLesson.into(), Act::View(View::Learn).into(), focus(".lesson-card")];
            }
            LessonMessage::NoSuch(id) => {
                self.open = None;
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
            News::Reply { reply: Reply::Lesson(_), .. } => {
                let step = std::mem::take(&mut self.opens_at);
                let go = (step > 0).then(|| Message::LessonStep(step).into());
                go.into_iter().chain([focus(STEP)]).collect()
            }
            // The page is live, so this is the time for deferred loading.
            News::Reply { reply: Reply::Finished { .. }, .. } => {
                if !std::mem::replace(&mut self.is_list_asked, true) {
                    fetch_list(link);
                }
                Vec::new()
            }
            News::Key(event) => app.lesson.as_ref().and_then(|playing| present(event, playing)).unwrap_or_default(),
            News::Address(fragment) => at_address(fragment).map(Sent::from).into_iter().collect(),
            News::File { name, text } if name.ends_with(".md") => {
                vec![LessonMessage::Text(text.to_owned(), 0, None).into()]
            }
            _ => Vec::new(),
        }
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        self.step(link, scene)
    }
}

impl Lessons {
    /// The text of a lesson in a link; otherwise, what is wrong with the link.
    fn unpacked(&mut self, packed: &str) -> Message {
        let (packed, step) = packed.split_once('/').unwrap_or((packed, "1"));
        match link::unpack(packed) {
            Ok(text) => {
                (self.opens_at, self.open) = (step_of(step), None);
                Message::LessonText(text)
            }
            Err(error) => Message::Notice(Notice::bad(tr("This lesson could not be opened"), vec![error.to_string()])),
        }
    }

    /// Handles a curve that was drawn, entered or pasted; returns the prediction if there is one now.
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

    /// The lessons to choose from, and the button to write one.
    pub(crate) fn cards(&self, link: &Link) -> Html {
        let card = |lesson: &Listed| {
            let id = lesson.id.clone();
            let open = link.callback(move |_: MouseEvent| LessonMessage::Fetch(id.clone(), 0));
            let minutes = lesson.minutes.as_ref().map(|minutes| say("{minutes} min", &[&minutes]));
            let (title, about, _) = lesson.words();
            html! {
                <li key={lesson.id.clone()}><button class="lesson-card" onclick={open}>
                    <strong lang={lesson.language()}>{ title }</strong>
                    if let Some(about) = about { <span lang={lesson.language()}>{ about }</span> }
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
    fn step(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let app = scene.app;
        let Some(playing) = &app.lesson else { return Html::default() };
        let (step, last) = (playing.step, playing.lesson.steps.len() - 1);
        let here = playing.here();
        let lang = text_language(playing);
        let go =
            |to: usize| link.batch_callback(move |_: MouseEvent| vec![Message::LessonStep(to).into(), focus(STEP)]);
        let leave = link.callback(|_: MouseEvent| Message::LeaveLesson);
        let is_over = step == last && playing.is_revealed;
        html! {
            <section class="lesson" aria-label={tr(Self::TITLE)}>
                <p class="muted">{ say("{}: step {} of {}", &[&playing.lesson.title, &(step + 1), &(last + 1)]) }</p>
                <h2 tabindex="-1" id="lesson-step" lang={lang.clone()}>{ &here.title }</h2>
                if step == 0 { { blocks(&playing.lesson.opening, &lang) } }
                { blocks(&here.before, &lang) }
                { self.question(link, scene, playing) }
                if playing.is_revealed {
                    { verdict(link, app, playing) }
                    { blocks(&here.after, &lang) }
                }
                <p class="group">
                    if step > 0 { <button onclick={go(step - 1)}>{ tr("Back") }</button> }
                    if step < last { <button class={if playing.is_revealed { "primary" } else { "quiet" }} onclick={go(step + 1)}>{ if playing.is_revealed { tr("Next") } else { tr("Skip this step") } }</button> }
                    if !is_over { <button class="quiet" onclick={leave.clone()}>{ tr("Exit lesson") }</button> }
                </p>
                if is_over { { self.end(link, playing, leave) } }
            </section>
        }
    }

    /// The end of a lesson: the next one, and the way back to the list.
    fn end(&self, link: &Link, playing: &Playing, leave: Callback<MouseEvent>) -> Html {
        let place = self.open.as_ref().and_then(|id| self.listed.iter().position(|lesson| lesson.id == *id));
        let next = place.and_then(|place| self.listed.get(place + 1)).map(|lesson| {
            let id = lesson.id.clone();
            let open = link.callback(move |_: MouseEvent| LessonMessage::Fetch(id.clone(), 0));
            html! { <button class="primary" lang={lesson.language()} onclick={open}>{ say("Next lesson: {}", &[&lesson.words().0]) }</button> }
        });
        let all = link.callback(|_: MouseEvent| LessonMessage::ShowList);
        html! {
            <div class="lesson-end">
                <h3>{ say("You have finished \"{}\".", &[&playing.lesson.title]) }</h3>
                <p class="group">
                    { for next }
                    <button onclick={all}>{ tr("Back to all lessons") }</button>
                    <button class="quiet" onclick={leave}>{ tr("Finish") }</button>
                </p>
            </div>
        }
    }

    fn question(&self, link: &Link, scene: &Scene<'_>, playing: &Playing) -> Html {
        let Some(question) = &playing.here().question else { return Html::default() };
        let app = scene.app;
        let reveal = link.batch_callback(|_: MouseEvent| vec![Message::Reveal.into(), focus(VERDICT)]);
        let (label, is_ready) = match question {
            Question::Drag { .. } if app.changed_step() => (tr("Run and see"), true),
            Question::Drag { .. } => (tr("Show a solution"), false),
            _ if playing.given.is_some() => (tr("Run and see"), true),
            _ => (tr("Run without predicting"), false),
        };
        html! {
            <div class="question">
                { match question {
                    Question::Pick { ask, choices, .. } => pick(link, playing, ask, choices),
                    Question::Curve { ask, metric } => self.curve(link, app, playing, ask, metric),
                    Question::Estimate { ask, scale, .. } => estimate(link, playing, ask, scale),
                    Question::Machine { ask, .. } => machine(link, scene, playing, ask),
                    Question::Drag { ask, .. } => drag(playing, ask),
                } }
                if !playing.is_revealed {
                    <p class="group"><button class={if is_ready { "primary" } else { "" }} onclick={reveal}>{ label }</button></p>
                }
                if let Question::Pick { choices, .. } = question { { self.class(link, playing, choices.len()) } }
            </div>
        }
    }

    fn curve(&self, link: &Link, app: &App, playing: &Playing, ask: &str, metric: &str) -> Html {
        let entry = tiebreak_sim::metrics::index_of(metric).map(|index| (index, &METRICS[index]));
        let (Some((index, entry)), Some(live)) = (entry, &app.front.live) else {
            return html! { <p lang={text_language(playing)}>{ ask }</p> };
        };
        let most = live
            .values
            .get(index)
            .map_or(1.0, |values| values.iter().copied().filter(|it| it.is_finite()).fold(0.0, f64::max));
        let top = entry.ceiling().unwrap_or_else(|| round_up(1.4 * most));
        let end = live.horizon_ms.max(1.0);
        let drawn = if playing.step == self.step { &self.drawn[..] } else { &[] };
        let point = |time: f64, value: f64| {
            format!("{:.1},{:.1}", 600.0 * time / end, 200.0 * (1.0 - (value / top).clamp(0.0, 1.0)))
        };
        let line = drawn.iter().map(|(time, value)| point(*time, *value)).collect::<Vec<_>>().join(" ");
        let samples = live.times.iter().zip(live.values.get(index).map_or(&[][..], |values| values));
        let told = samples.filter(|(_, value)| value.is_finite());
        let truth = told.map(|(time, value)| point(*time, *value)).collect::<Vec<_>>().join(" ");
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
                <p class="ask" lang={text_language(playing)}>{ ask }</p>
                if !playing.is_revealed {
                    <p class="hint">{ say("Draw {} over the whole run, or enter numbers below.", &[&words::inside(entry.declaration.title)]) }</p>
                    <div class="canvas" onpointerdown={draws(true)} onpointermove={draws(false)} onpointerup={up.clone()} onpointercancel={up}>
                        { curves(&[("", &line)]) }
                        <span class="top">{ format!("{} {unit}", words::trimmed(top, 1)) }</span><span class="bottom">{ "0" }</span>
                    </div>
                    <div class="fields moments">{ for (0..MOMENTS).map(field) }</div>
                } else if live.result.is_some() {
                    <div class="canvas is-over">
                        { curves(&[("guess", &line), ("truth", &truth)]) }
                        <span class="top">{ format!("{} {unit}", words::trimmed(top, 1)) }</span><span class="bottom">{ "0" }</span>
                    </div>
                    <p class="hint">{ tr("Dashed: your curve. Solid: the run.") }</p>
                }
            </>
        }
    }

    /// How a class predicted: the answers that the teacher received, pasted.
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

/// A presenter's keys: forward and back.
fn present(event: &KeyboardEvent, playing: &Playing) -> Option<Vec<Sent>> {
    const TAKES_KEYS: &str = "[role=tab], input, select, textarea, canvas, .menu, .handle, .table, .event, .film";
    let message = match event.key().as_str() {
        _ if around(event, TAKES_KEYS).is_some() => return None,
        "ArrowRight" | "PageDown" if !playing.is_revealed => Message::Reveal,
        "ArrowRight" | "PageDown" => Message::LessonStep(playing.step + 1),
        "ArrowLeft" | "PageUp" => Message::LessonStep(playing.step.saturating_sub(1)),
        _ => return None,
    };
    let to = if matches!(message, Message::Reveal) { VERDICT } else { STEP };
    Some(vec![message.into(), focus(to)])
}

/// A link past the bar to the lesson's text, for keyboard users.
pub(crate) fn skip_link(link: &Link, app: &App) -> Html {
    if app.lesson.is_none() {
        return Html::default();
    }
    let go = link.callback(|event: MouseEvent| {
        event.prevent_default();
        focus(STEP)
    });
    html! { <a class="lesson-skip" href={STEP} onclick={go}>{ tr("Skip to the lesson") }</a> }
}

/// The lesson that an address names or contains.
fn at_address(fragment: &str) -> Option<LessonMessage> {
    if let Some(packed) = fragment.strip_prefix(INSIDE) {
        return Some(LessonMessage::Packed(packed.to_owned()));
    }
    let named = fragment.strip_prefix(NAMED)?;
    let (id, step) = named.split_once('/').unwrap_or((named, "1"));
    Some(LessonMessage::Fetch(id.to_owned(), step_of(step)))
}

/// The step in an address, converted from starting at 1 to starting at 0.
fn step_of(text: &str) -> usize {
    text.parse().map_or(0, |step: usize| step.saturating_sub(1))
}

/// Extends the curve from the previous point to this one. A curve has one value per time, so older points between the
/// two are removed.
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

/// The number of lines that end with each answer, and of lines that end with none.
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
                <span>
                    <span lang={text_language(playing)}>{ format!("{}. {}", letter(index), choice.text) }</span>
                    if right == Some(index) { <strong>{ tr(" (the result of the run)") }</strong> }
                </span>
            </label>
        }
    };
    html! { <fieldset><legend class="ask" lang={text_language(playing)}>{ ask }</legend>{ for choices.iter().enumerate().map(choice) }</fieldset> }
}

/// Curves in the drawing frame, each with its class.
fn curves(lines: &[(&'static str, &str)]) -> Html {
    html! {
        <svg viewBox="0 0 600 200" preserveAspectRatio="none" aria-hidden="true">
            { for [0.0, 50.0, 100.0, 150.0, 200.0].iter().map(|y| html! { <line class="grid" x1="0" x2="600" y1={y.to_string()} y2={y.to_string()} /> }) }
            { for lines.iter().map(|(class, points)| html! { <polyline class={*class} points={(*points).to_owned()} /> }) }
        </svg>
    }
}

/// A number to estimate: a slider and a field; afterwards the estimate and the truth on the same scale.
fn estimate(link: &Link, playing: &Playing, ask: &str, scale: &Scale) -> Html {
    let guess = match playing.given {
        Some(Given::Number(number)) => Some(number),
        _ => None,
    };
    let lang = text_language(playing);
    let step = if scale.to - scale.from >= 20.0 { 1.0 } else { 0.1 };
    let slide = link.batch_callback(|event: InputEvent| {
        event
            .target_unchecked_into::<HtmlInputElement>()
            .value()
            .parse()
            .ok()
            .map(|number| Message::Predict(Given::Number(number)))
    });
    let take = link
        .batch_callback(|text: String| text.trim().parse().ok().map(|number| Message::Predict(Given::Number(number))));
    let pin = |class: &'static str, number: f64| html! { <i {class} style={format!("left:{:.2}%", 100.0 * scale.share(number))}></i> };
    let middle = scale.from + ((scale.to - scale.from) / 2.0 / step).round() * step;
    html! {
        <>
            <p class="ask" lang={lang.clone()}>{ ask }</p>
            if playing.is_revealed {
                <div class="lesson-scale is-over" aria-hidden="true">
                    { for guess.map(|guess| pin("guess", guess)) }
                    { for playing.truth().map(|truth| pin("truth", truth)) }
                </div>
            } else {
                <input class="lesson-scale" type="range" aria-label={ask.to_owned()} min={scale.from.to_string()} max={scale.to.to_string()}
                    step={step.to_string()} value={guess.unwrap_or(middle).to_string()} oninput={slide} />
            }
            <p class="lesson-ends muted"><span>{ words::trimmed(scale.from, 1) }</span><span>{ words::trimmed(scale.to, 1) }</span></p>
            if playing.is_revealed {
                <p class="hint">{ if guess.is_some() { tr("Ring: your estimate. Bar: the run.") } else { tr("Bar: the run.") } }</p>
            } else {
                <label class="lesson-number">{ tr("Your estimate") }
                    <Field label={tr("Your estimate")} number={NumberRange::any(scale.from, scale.to)} value={guess.map_or(String::new(), |guess| guess.to_string())} {take} />
                    <span lang={lang}>{ &scale.unit }</span></label>
            }
        </>
    }
}

/// The machines at the time of the agent's decision on the VM; the user clicks one or types its number.
fn machine(link: &Link, scene: &Scene<'_>, playing: &Playing, ask: &str) -> Html {
    let app = scene.app;
    let lang = text_language(playing);
    let cells = told::machines(app);
    let Some(decision) = told::decision(app) else {
        return html! { <><p class="ask" {lang}>{ ask }</p><p class="hint">{ tr("The run is in progress…") }</p></> };
    };
    let guess = match playing.given {
        Some(Given::Machine(machine)) => Some(machine),
        _ => None,
    };
    let full = scene.panels.get::<Fleet>().map_or(&[][..], |fleet| fleet.fullness(&app.front, scene.app.moment()).0);
    let cell = |(id, cell): (usize, &told::Cell)| {
        let percent = full.get(id).map(|byte| (100.0 * MachineByte(*byte).cores_in_use()).round());
        let label = match percent {
            Some(percent) => say("Machine {}: {} % full", &[&id, &percent]),
            None => say("Machine {}", &[&id]),
        };
        let take = link.callback(move |_: Event| Message::Predict(Given::Machine(id as u32)));
        let marks =
            playing.is_revealed.then(|| classes!(cell.is_best.then_some("best"), cell.is_chosen.then_some("chosen")));
        html! {
            <label class={classes!("lesson-machine", marks)} title={label.clone()}>
                <input type="radio" name={format!("machine-{}", playing.step)} aria-label={label} checked={guess == Some(id as u32)} disabled={playing.is_revealed} onchange={take} />
                <span aria-hidden="true"><i style={format!("height:{}%", percent.unwrap_or(0.0))}></i>{ id }</span>
            </label>
        }
    };
    let count = cells.len();
    let take = link.batch_callback(move |text: String| {
        let machine = text.trim().parse::<u32>().ok().filter(|machine| (*machine as usize) < count);
        machine.map(|machine| Message::Predict(Given::Machine(machine)))
    });
    html! {
        <>
            <p class="ask" {lang}>{ ask }</p>
            <p>{ tell(&decision.vm) }</p>
            if count <= CELLS_MAX {
                <fieldset class="lesson-machines"><legend class="hint">{ tr("The machines when its agent decided; the filled part is in use") }</legend>
                    { for cells.iter().enumerate().map(cell) }</fieldset>
            }
            if playing.is_revealed {
                <p class="hint">{ tr("Outlined: tied for best. Double outline: where the VM went.") }</p>
            } else {
                <label class="lesson-number">{ tr("Machine number") }
                    <Field label={tr("Machine number")} number={NumberRange::by(1.0, 0.0, count.saturating_sub(1) as f64)} value={guess.map_or(String::new(), |guess| guess.to_string())} {take} /></label>
            }
        </>
    }
}

/// Rules to change until the run meets the goal.
fn drag(playing: &Playing, ask: &str) -> Html {
    html! {
        <>
            <p class="ask" lang={text_language(playing)}>{ ask }</p>
            if !playing.is_revealed {
                <p class="hint">{ tr("Change the rules in the list: drag a rule by its handle, or move the focus to the handle and press Alt and an arrow key.") }</p>
            }
        </>
    }
}

/// What the run says about the answer, and what else changed.
fn verdict(link: &Link, app: &App, playing: &Playing) -> Html {
    let Some(question) = &playing.here().question else { return Html::default() };
    let under_way = || tr("The run is in progress…").to_owned();
    let text = match (question, &playing.given) {
        (Question::Curve { metric, .. }, Some(Given::Curve(_))) => {
            let unit = tiebreak_sim::metrics::index_of(metric).map_or("", |index| tr(METRICS[index].unit));
            let distance = app.front.live.as_ref().and_then(|live| playing.distance(live));
            distance.map_or_else(under_way, |distance| {
                say(
                    "Your curve differs from the run by {} {unit} on average; both are on the chart.",
                    &[&words::trimmed(distance, 1), &unit],
                )
            })
        }
        (Question::Curve { .. }, _) => String::new(),
        (Question::Pick { .. }, given) => match (told::answer(playing), given) {
            (None, _) => under_way(),
            (Some(answer), Some(Given::Choice(choice))) if playing.right() == Some(*choice) => {
                format!("{} {answer}", tr("Right."))
            }
            (Some(answer), _) => answer,
        },
        (Question::Estimate { scale, .. }, given) => {
            let guess = if let Some(Given::Number(number)) = given { Some(*number) } else { None };
            playing.truth().map_or_else(under_way, |truth| told::estimate(scale, truth, guess))
        }
        (Question::Machine { .. }, given) => {
            let guess = if let Some(Given::Machine(machine)) = given { Some(*machine) } else { None };
            if told::decision(app).is_some() { told::named(&told::machines(app), guess) } else { under_way() }
        }
        (Question::Drag { .. }, _) => match playing.reaches_goal() {
            None => under_way(),
            Some(true) => tr("This run reaches the goal.").into(),
            Some(false) => say("Not yet: {}. Change the rules; the run follows at once.", &[&tell(&playing.misses())]),
        },
    };
    let solve = link.callback(|_: MouseEvent| Message::Solve);
    html! {
        <>
            <p class="verdict" id="lesson-verdict" tabindex="-1" role="alert">{ text }</p>
            if playing.reaches_goal() == Some(false) { <p class="group"><button onclick={solve}>{ tr("Show a solution") }</button></p> }
            { for told::moved(app).into_iter().map(|moved| html! { <p class="lesson-moved">{ moved }</p> }) }
        </>
    }
}

/// English, if the page has another language.
fn english() -> Option<&'static str> {
    (tiebreak_i18n::language() != tiebreak_i18n::ENGLISH).then_some(tiebreak_i18n::ENGLISH)
}

/// The language of a lesson, if the page has another one.
fn text_language(playing: &Playing) -> Option<AttrValue> {
    let language = playing.lesson.language.as_deref().unwrap_or(tiebreak_i18n::ENGLISH);
    (tiebreak_i18n::language() != language).then(|| AttrValue::from(language.to_owned()))
}

/// The text of a lesson; never HTML.
fn blocks(blocks: &[Block], lang: &Option<AttrValue>) -> Html {
    let spans = |spans: &[Span]| -> Html {
        html! { { for spans.iter().map(span) } }
    };
    let block = |block: &Block| match block {
        Block::Paragraph(text) => html! { <p lang={lang.clone()}>{ spans(text) }</p> },
        Block::List { numbered: false, items } => {
            html! { <ul lang={lang.clone()}>{ for items.iter().map(|item| html! { <li>{ spans(item) }</li> }) }</ul> }
        }
        Block::List { items, .. } => {
            html! { <ol lang={lang.clone()}>{ for items.iter().map(|item| html! { <li>{ spans(item) }</li> }) }</ol> }
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

/// Requests the list of lessons from the page's server.
fn fetch_list(link: &Link) {
    let link = link.clone();
    wasm_bindgen_futures::spawn_local(async move {
        if let Some(listed) = list().await {
            link.send(LessonMessage::List(listed));
        }
    });
}

/// Requests a lesson from the page's server and opens it at a step, in the page's language if it is translated.
fn fetch(link: &Link, listed: Option<&Listed>, id: &str, step: usize) {
    let (link, id, listed) = (link.clone(), id.to_owned(), listed.cloned());
    wasm_bindgen_futures::spawn_local(async move {
        // A link may open a lesson before the list is loaded.
        let listed = match listed {
            Some(listed) => Some(listed),
            None => list().await.and_then(|listed| listed.into_iter().find(|lesson| lesson.id == id)),
        };
        let found = match listed {
            Some(listed) if listed.words().2 => text(&format!("{id}.{}.md", tiebreak_i18n::language())).await,
            Some(_) => text(&format!("{id}.md")).await,
            None => None,
        };
        match found {
            Some(text) => link.send(LessonMessage::Text(text, step, Some(id))),
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
