//! The bar on top: the scenario, the run, undo and redo, sharing.

use std::convert::Infallible;

use tiebreak_app::{App, Edit, Message, Phase};
use tiebreak_engine::protocol::StepTo;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_scenario::PRESETS;
use web_sys::{Event, HtmlSelectElement};
use yew::prelude::*;

use super::field::Field;
use super::lesson::Lessons;
use super::panel::{Act, Link, Panel, Scene, Side};
use super::share::ShareMessage;
use crate::language::LANGUAGES;

/// The bar.
#[derive(Default)]
pub(crate) struct Toolbar;

impl Panel for Toolbar {
    type Message = Infallible;

    const ID: &'static str = "toolbar";

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        bar(link, scene)
    }
}

fn bar(link: &Link, scene: &Scene<'_>) -> Html {
    let Scene { app, theme, .. } = *scene;
    let (can_undo, can_redo) = app.can_undo_redo();
    let button = |label: &'static str, enabled: bool, message: fn() -> Message, class: &'static str| {
        // Not `disabled`: a button that goes off under the hand would take the focus with it.
        let onclick = link.batch_callback(move |_: MouseEvent| enabled.then(message));
        html! { <button {class} aria-disabled={(!enabled).to_string()} {onclick}>{ label }</button> }
    };
    let running = app.front.phase == Phase::Running;
    let rename = link.callback(|name| Message::Edit(Edit::Name(name)));
    html! {
        <header class="bar">
            <span class="brand">{ tr("Tiebreak") }</span>
            <Field class="name" label={tr("Scenario name")} maxlength="200" value={app.document.name.clone()} take={rename} />
            if app.lesson.is_none() {
                { super::compare::tabs(link, app) }
                { presets(link) }
            }
            { for scene.panels.get::<Lessons>().map(|lessons| lessons.menu(link)) }
            if app.lesson.is_none() { { super::my_trace::trace_file(link) } }
            <span class="group">
                { button(tr("Run"), !running, || Message::Run, "primary") }
                { button(tr("Pause"), running, || Message::Pause, "") }
                { button(tr("Step"), true, || Message::Step, "") }
                { step_to(link, app) }
            </span>
            <span class="group">
                { button(tr("Undo"), can_undo, || Message::Undo, "") }
                { button(tr("Redo"), can_redo, || Message::Redo, "") }
                { button(tr("Reset"), app.can_reset(), || Message::Reset, "") }
            </span>
            <button class="share" onclick={link.callback(|_| ShareMessage::Open(true))}>{ tr("Share") }</button>
            <span class="group drawers">
                <button onclick={link.callback(|_| Act::Drawer(Some(Side::Left)))}>{ tr("Rules") }</button>
                <button onclick={link.callback(|_| Act::Drawer(Some(Side::Right)))}>{ tr("Explain") }</button>
            </span>
            { language(link) }
            <button class="quiet theme" onclick={link.callback(|_| Act::Theme)}
                aria-label={say("Theme: {theme}", &[&tr(theme)])} title={say("Colours: as the system, light or dark; now {theme}", &[&tr(theme)])}>{ "◐" }</button>
        </header>
    }
}

/// The choice of a language; each is named as who speaks it does.
fn language(link: &Link) -> Html {
    let choose = link.callback(|event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        let chosen = select.value();
        // It shows the language in use; which that will be is not known before its texts are there.
        select.set_value(tiebreak_i18n::language());
        Act::Language(chosen)
    });
    let option = |(id, name): &(&'static str, &'static str)| {
        html! { <option value={*id} lang={*id} selected={*id == tiebreak_i18n::language()}>{ *name }</option> }
    };
    html! { <select class="language" aria-label={tr("Language")} ~value={tiebreak_i18n::language()} onchange={choose}>{ for LANGUAGES.iter().map(option) }</select> }
}

/// What a step goes on to.
fn step_to(link: &Link, app: &App) -> Html {
    const CHOICES: [(StepTo, &str); 3] =
        [(StepTo::Vm, mark("by VM")), (StepTo::Rule, mark("by rule")), (StepTo::Conflict, mark("by conflict"))];
    let choose = link.batch_callback(|event: Event| {
        let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
        let (to, _) = CHOICES.get(usize::try_from(chosen).ok()?)?;
        Some(Message::StepTo(*to))
    });
    let option =
        |(to, label): &(StepTo, &'static str)| html! { <option selected={app.step_to == *to}>{ tr(label) }</option> };
    html! { <select aria-label={tr("Step by")} onchange={choose}>{ for CHOICES.iter().map(option) }</select> }
}

fn presets(link: &Link) -> Html {
    let choose = link.batch_callback(|event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        let chosen = PRESETS.iter().find(|preset| preset.id == select.value());
        select.set_value("");
        chosen.map(|preset| Message::Preset(preset.id))
    });
    let preset = |preset: &tiebreak_scenario::Preset| {
        html! { <option value={preset.id} title={words::help(preset.help)}>{ tr(preset.title) }</option> }
    };
    html! {
        <select aria-label={tr("Open a preset")} onchange={choose}>
            <option value="" selected=true>{ tr("Open…") }</option>
            { for PRESETS.iter().map(preset) }
        </select>
    }
}
