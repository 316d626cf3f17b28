//! The menu at the end of the bar, for what is needed occasionally.

use tiebreak_app::{Message, Phase};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::PRESETS;
use web_sys::{Event, HtmlSelectElement};
use yew::prelude::*;

use super::my_trace;
use super::own_lesson::OwnMessage;
use super::panel::{Act, Link, Own, Scene, Sent, View};
use crate::language::LANGUAGES;

/// The menu is opened, or closed.
pub(crate) struct MenuMessage(pub(super) bool);

impl Own for MenuMessage {}

/// The state of the menu.
#[derive(Default)]
pub(super) struct Menu {
    pub(super) is_open: bool,
}

impl Menu {
    /// The button and the menu. A closed menu stays in the page, so that its file control can receive a trace.
    pub(super) fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let (app, is_open) = (scene.app, self.is_open);
        let toggle = link.callback(move |_: MouseEvent| MenuMessage(!is_open));
        let item = |label: &'static str, enabled: bool, message: fn() -> Sent| {
            let onclick = link.batch_callback(move |_: MouseEvent| {
                let sent = enabled.then(|| [MenuMessage(false).into(), message()]);
                sent.into_iter().flatten().collect::<Vec<Sent>>()
            });
            html! { <button aria-disabled={(!enabled).to_string()} {onclick}>{ label }</button> }
        };
        html! {
            <div class="more">
                <button aria-expanded={self.is_open.to_string()} aria-controls="more-menu" onclick={toggle}>{ tr("More") }</button>
                <div id="more-menu" class="more-menu" hidden={!self.is_open}>
                    if app.lesson.is_none() {
                        <label>{ tr("Preset") }{ presets(link) }</label>
                        if scene.view != View::Trace || !my_trace::asks(app) { { my_trace::trace_file(link) } }
                        { item(tr("Reset"), app.can_reset(), || Message::Reset.into()) }
                        { item(tr("Run again"), app.front.phase != Phase::Running, || Message::Run.into()) }
                        { item(tr("Write a lesson…"), true, || OwnMessage::Open(true).into()) }
                    }
                    <label>{ tr("Language") }{ language(link) }</label>
                    <label>{ tr("Colours") }
                        <button onclick={link.callback(|_| Act::Theme)} aria-label={say("Theme: {theme}", &[&tr(scene.theme)])}>{ tr(scene.theme) }</button></label>
                </div>
            </div>
        }
    }
}

/// The selection of a language; each has its own name for itself.
fn language(link: &Link) -> Html {
    let choose = link.callback(|event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        let chosen = select.value();
        // Shows the current language; whether the chosen one is available is not known before its texts are loaded.
        select.set_value(tiebreak_i18n::language());
        Act::Language(chosen)
    });
    let option = |(id, name): &(&'static str, &'static str)| {
        html! { <option value={*id} lang={*id} selected={*id == tiebreak_i18n::language()}>{ *name }</option> }
    };
    html! { <select aria-label={tr("Language")} ~value={tiebreak_i18n::language()} onchange={choose}>{ for LANGUAGES.iter().map(option) }</select> }
}

fn presets(link: &Link) -> Html {
    let choose = link.batch_callback(|event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        let chosen = PRESETS.iter().find(|preset| preset.id == select.value());
        select.set_value("");
        let sent = chosen.map(|preset| [MenuMessage(false).into(), Sent::from(Message::Preset(preset.id))]);
        sent.into_iter().flatten().collect::<Vec<_>>()
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
