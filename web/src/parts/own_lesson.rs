//! The user's own lesson: states of the page frozen as steps, shared as a file or a link.
//!
//! The lesson is its Markdown. Freezing adds a step to it; everything else (questions with answers, claims, the
//! order of steps) is written in the text itself.

use tiebreak_app::{App, Freeze, Message};
use tiebreak_engine::protocol::Picked;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_lesson::{Control, Unlocks};
use tiebreak_scenario::link::pack;
use tiebreak_sim::METRICS;
use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::field::Field;
use super::lesson::LessonMessage;
use super::panel::{Link, Own, Panel, Scene, Sent};
use super::share::{self, Copied, Share};
use super::{charts, save};

/// The prefix of an address that contains a lesson; the packed text follows.
pub(crate) const INSIDE: &str = "#lesson-text=";

/// The controls that a new step shows by default.
const AT_FIRST: [Control; 4] = [Control::Map, Control::Timeline, Control::Explain, Control::Buckets];

/// Messages of the dialog.
pub(crate) enum OwnMessage {
    /// The dialog was opened, or closed.
    Open(bool),
    /// The next step's title.
    Title(String),
    /// The next step's text.
    Text(String),
    /// What readers do first.
    Asks(Asks),
    /// The multiple-choice question.
    Ask(String),
    /// Its answers, one per line.
    Options(String),
    /// The explanation of the result.
    Why(String),
    /// Show or hide a control.
    Shows(Control, bool),
    /// Which rules are shown.
    Rules(Rules),
    /// Freeze the page as that step.
    Freeze,
    /// Play the lesson.
    Play,
    /// Save it as a file.
    Save,
}

impl Own for OwnMessage {}

/// What readers do before the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Nothing.
    #[default]
    Nothing,
    /// Choose an answer.
    Pick,
    /// Draw the curve of the metric at this index in the list.
    Curve(usize),
}

/// The value of "choose an answer" in the list of what readers do first.
const PICK: &str = "pick";

/// The rules that a step shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rules {
    /// The rules that are on.
    #[default]
    On,
    /// All rules.
    All,
    /// None: the list is hidden.
    None,
}

/// The lesson being written, and its next step.
pub(crate) struct OwnLesson {
    dialog: NodeRef,
    is_open: bool,
    title: String,
    text: String,
    asks: Asks,
    ask: String,
    options: String,
    why: String,
    controls: Vec<Control>,
    rules: Rules,
    /// The length of the lesson when the step was frozen.
    frozen_at: Option<usize>,
}

impl Default for OwnLesson {
    fn default() -> Self {
        Self {
            dialog: NodeRef::default(),
            is_open: false,
            title: String::new(),
            text: String::new(),
            asks: Asks::Nothing,
            ask: String::new(),
            options: String::new(),
            why: String::new(),
            controls: AT_FIRST.to_vec(),
            rules: Rules::On,
            frozen_at: None,
        }
    }
}

impl Panel for OwnLesson {
    type Message = OwnMessage;

    const ID: &'static str = "own-lesson";
    const TITLE: &'static str = mark("Your own lesson");

    fn update(&mut self, message: OwnMessage, link: &Link, app: &App) -> Vec<Sent> {
        match message {
            OwnMessage::Open(open) => self.is_open = open,
            OwnMessage::Title(title) => self.title = title,
            OwnMessage::Text(text) => self.text = text,
            OwnMessage::Asks(asks) => self.asks = asks,
            OwnMessage::Ask(ask) => self.ask = ask,
            OwnMessage::Options(options) => self.options = options,
            OwnMessage::Why(why) => self.why = why,
            OwnMessage::Rules(rules) => self.rules = rules,
            OwnMessage::Shows(control, shown) => {
                self.controls.retain(|it| *it != control);
                self.controls.extend(shown.then_some(control));
            }
            OwnMessage::Freeze => {
                self.frozen_at = Some(app.own_lesson.text.len());
                let unlocks = Unlocks {
                    rules: self.rules(app),
                    controls: Control::EVERY.iter().filter(|it| self.controls.contains(it)).copied().collect(),
                    charts: charts::shown(app)
                        .into_iter()
                        .map(|metric| METRICS[metric].declaration.id.to_owned())
                        .collect(),
                };
                let (title, text, why) = (self.title.clone(), self.text.clone(), self.why.clone());
                let curve = if let Asks::Curve(metric) = self.asks { Some(metric) } else { None };
                let pick = (self.asks == Asks::Pick).then(|| picked(&self.ask, &self.options));
                return vec![Message::Freeze(Freeze { title, text, unlocks, curve, pick, why }).into()];
            }
            OwnMessage::Play => {
                self.is_open = false;
                return vec![LessonMessage::Text(app.own_lesson.text.clone(), 0, None).into()];
            }
            OwnMessage::Save => {
                if let Err(error) = save::text("lesson.md", "text/markdown", &app.own_lesson.text) {
                    share::tell(link, tr("The file could not be saved"), &error);
                }
            }
        }
        Vec::new()
    }

    /// The dialog is always in the page; `rendered` shows it.
    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let close = link.callback(|_: Event| OwnMessage::Open(false));
        let copied = scene.panels.get::<Share>().and_then(Share::copied);
        html! {
            <dialog class="share-dialog" ref={&self.dialog} aria-label={tr(Self::TITLE)} onclose={close}>
                if self.is_open { { self.inside(link, scene.app, copied) } }
            </dialog>
        }
    }

    /// Opens or closes the dialog according to the state.
    fn rendered(&self, _: &Scene<'_>) {
        share::show(&self.dialog, self.is_open);
    }
}

impl OwnLesson {
    fn rules(&self, app: &App) -> Vec<String> {
        match self.rules {
            Rules::All => Unlocks::all().rules,
            Rules::On => app.variant().rules.iter().filter(|row| row.on).map(|row| row.id.clone()).collect(),
            Rules::None => Vec::new(),
        }
    }

    fn inside(&self, link: &Link, app: &App, copied: Option<Copied>) -> Html {
        let tell = |message: fn() -> OwnMessage| link.callback(move |_: MouseEvent| message());
        let own = &app.own_lesson;
        let grown = self.frozen_at.is_some_and(|before| before < own.text.len());
        html! {
            <>
                <h2>{ tr("Your own lesson") }</h2>
                <p>{ tr("Save the current state of the page as a step: its scenario, the comparison, and the controls to show. The link of a one-step lesson hides everything else.") }</p>
                { self.step(link) }
                <div class="group">
                    <button class="primary" onclick={tell(|| OwnMessage::Freeze)}>{ tr("Freeze as step") }</button>
                    <span role="status" class="muted">{ if grown && own.faults.is_empty() { tr("The step was added at the end of the lesson.") } else { "" } }</span>
                </div>
                if !own.faults.is_empty() {
                    <div class="notice bad" role="alert"><strong>{ tr("The step was not added") }</strong><ul>{ for own.faults.iter().take(4).map(|fault| html! { <li>{ fault }</li> }) }</ul></div>
                }
                if !own.text.trim().is_empty() { { whole(link, own, copied) } }
                <div class="group"><button onclick={tell(|| OwnMessage::Open(false))}>{ tr("Close") }</button></div>
            </>
        }
    }

    /// The settings of the next step.
    fn step(&self, link: &Link) -> Html {
        let title = link
            .callback(|event: InputEvent| OwnMessage::Title(event.target_unchecked_into::<HtmlInputElement>().value()));
        let text = link.callback(|event: InputEvent| {
            OwnMessage::Text(event.target_unchecked_into::<HtmlTextAreaElement>().value())
        });
        let why = link.callback(|event: InputEvent| {
            OwnMessage::Why(event.target_unchecked_into::<HtmlTextAreaElement>().value())
        });
        let curve = link.callback(|event: Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().value();
            OwnMessage::Asks(match chosen.as_str() {
                PICK => Asks::Pick,
                metric => metric.parse().map_or(Asks::Nothing, Asks::Curve),
            })
        });
        let ask = link
            .callback(|event: InputEvent| OwnMessage::Ask(event.target_unchecked_into::<HtmlInputElement>().value()));
        let options = link.callback(|event: InputEvent| {
            OwnMessage::Options(event.target_unchecked_into::<HtmlTextAreaElement>().value())
        });
        let rules = link.callback(|event: Event| {
            OwnMessage::Rules(match event.target_unchecked_into::<HtmlSelectElement>().selected_index() {
                0 => Rules::On,
                1 => Rules::All,
                _ => Rules::None,
            })
        });
        let metric = |(index, metric): (usize, &tiebreak_sim::Metric)| html! { <option value={index.to_string()} selected={self.asks == Asks::Curve(index)}>{ tr(metric.declaration.title) }</option> };
        let shown = |control: &Control| {
            let control = *control;
            let toggle = link.callback(move |event: Event| {
                OwnMessage::Shows(control, event.target_unchecked_into::<HtmlInputElement>().checked())
            });
            html! { <label><input type="checkbox" checked={self.controls.contains(&control)} onchange={toggle} />{ tr(control.word()) }</label> }
        };
        html! {
            <>
                <label class="link-field">{ tr("Title of the step") }<input type="text" maxlength="80" value={self.title.clone()} oninput={title} /></label>
                <label class="link-field">{ tr("Text: paragraphs, lists, *emphasis*") }<textarea rows="3" oninput={text} value={self.text.clone()} /></label>
                <label class="field"><span>{ tr("Question to predict") }</span><select onchange={curve}>
                    <option value="" selected={self.asks == Asks::Nothing}>{ tr("nothing") }</option>
                    <option value={PICK} selected={self.asks == Asks::Pick}>{ tr("a question with answers") }</option>
                    { for METRICS.iter().enumerate().map(metric) }</select></label>
                if self.asks == Asks::Pick {
                    <label class="link-field">{ tr("Question") }<input type="text" maxlength="200" value={self.ask.clone()} oninput={ask} /></label>
                    <label class="link-field">{ tr("Answers, one a line, each with the claim that makes it right: Fewer | conflicts(now) < 100") }<textarea rows="3" oninput={options} value={self.options.clone()} /></label>
                }
                if self.asks != Asks::Nothing {
                    <label class="link-field">{ tr("The reason, shown after the run") }<textarea rows="2" oninput={why} value={self.why.clone()} /></label>
                }
                <label class="field"><span>{ tr("Rules shown") }</span><select onchange={rules}>
                    { for [tr("the active ones"), tr("all"), tr("none")].iter().zip([Rules::On, Rules::All, Rules::None]).map(|(word, rules)| html! { <option selected={self.rules == rules}>{ *word }</option> }) }</select></label>
                <fieldset class="shown"><legend>{ tr("Also shown") }</legend>{ for Control::EVERY.iter().map(shown) }</fieldset>
            </>
        }
    }
}

/// A question with its answers: one per line, followed after a bar by the claim that makes it right.
fn picked(ask: &str, options: &str) -> Picked {
    let option = |line: &str| {
        let (text, claim) = line.split_once('|').unwrap_or((line, ""));
        (text.trim().to_owned(), claim.trim().to_owned())
    };
    let options = options.lines().filter(|line| !line.trim().is_empty()).map(option).collect();
    Picked { ask: ask.trim().to_owned(), options }
}

/// The lesson so far, and the ways to share it.
fn whole(link: &Link, own: &tiebreak_app::OwnLesson, copied: Option<Copied>) -> Html {
    let write = link.callback(Message::WriteLesson);
    let tell = |message: fn() -> OwnMessage| link.callback(move |_: MouseEvent| message());
    let address = format!("{}{INSIDE}{}", share::here(), pack(&own.text));
    let size = say("The link has {} characters and contains the whole lesson.", &[&address.len()]);
    let forget = link.callback(|_: MouseEvent| Message::WriteLesson(String::new()));
    html! {
        <>
            <label class="link-field">{ tr("The lesson so far, as Markdown") }<Field class="markdown" label={tr("The lesson so far, as Markdown")} lines=8 value={own.text.clone()} take={write} /></label>
            <p class="hint">{ tr("Multiple-choice questions and claims are written in the file; see docs/LESSONS.md. ") }{ size }</p>
            <div class="group">
                <button onclick={tell(|| OwnMessage::Play)}>{ tr("Try it") }</button>
                <button onclick={tell(|| OwnMessage::Save)}>{ tr("Save as .md") }</button>
                { share::copy_button(link, tr("Copy link"), Copied::Lesson, address, copied) }
                <button class="quiet" onclick={forget}>{ tr("Start over") }</button>
            </div>
        </>
    }
}
