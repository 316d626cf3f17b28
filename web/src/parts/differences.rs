//! The differences between two compared variants: in their settings, and where their runs diverge.

use std::convert::Infallible;

use tiebreak_app::{App, Message, Mode};
use tiebreak_engine::protocol::Difference;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use yew::prelude::*;

use super::panel::{Act, Link, Panel, Scene, Sent, Side};

/// Both tables.
#[derive(Default)]
pub(crate) struct Differences;

impl Panel for Differences {
    type Message = Infallible;

    const ID: &'static str = "differences";
    const TITLE: &'static str = mark("Differences");

    fn is_shown(app: &App) -> bool {
        app.mode == Mode::Compare && app.against().is_some()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let app = scene.app;
        let Some(against) = app.against() else { return Html::default() };
        html! {
            <section class="compare" aria-label={tr(Self::TITLE)}>
                { changes(app, &against.variant) }
                { differing(link, app, &against.variant) }
            </section>
        }
    }
}

fn changes(app: &App, against: &str) -> Html {
    let Some(other) = app.document.variants.iter().position(|variant| variant.name == against) else {
        return Html::default();
    };
    let changes = tiebreak_app::changes(&app.document, other, app.document.active);
    if changes.is_empty() {
        return html! { <p class="hint">{ say("No settings differ yet. Change a rule of {}, and only its future changes.", &[&app.front.variant]) }</p> };
    }
    let row = |change: &tiebreak_app::Change| {
        html! { <tr><th scope="row">{ &change.path }</th>{ for change.values.iter().map(|value| html! { <td>{ value }</td> }) }</tr> }
    };
    html! {
        <details open=true>
            <summary>{ say("Differing settings ({})", &[&changes.len()]) }</summary>
            <div class="table flat"><table>
                <thead><tr><th scope="col">{ tr("Field") }</th><th scope="col">{ against }</th><th scope="col">{ &app.front.variant }</th></tr></thead>
                <tbody>{ for changes.iter().map(row) }</tbody>
            </table></div>
        </details>
    }
}

fn differing(link: &Link, app: &App, against: &str) -> Html {
    let Some(differing) = app.differing.as_ref() else { return Html::default() };
    let Some((count, vms)) = differing.count.filter(|_| differing.runs.0 == app.front.run) else {
        return Html::default();
    };
    if count == 0 {
        return Html::default();
    }
    let front = &app.front.variant;
    let machine =
        |machine: Option<u32>| machine.map_or(tr("none").into(), |machine| say("machine {machine}", &[&machine]));
    let row = |it: &Difference| {
        let (vm, at_ms) = (it.vm.clone(), it.at_ms);
        let explain = link.batch_callback(move |_: MouseEvent| {
            vec![
                Message::Cursor(Some(at_ms)).into(),
                Message::Vm(vm.clone()).into(),
                Sent::from(Act::Reveal(Side::Right)),
            ]
        });
        html! {
            <tr><td>{ words::time(it.at_ms) }</td>
                <td><button class="quiet" onclick={explain} title={tr("Explain in both")}>{ say("VM {}", &[&it.vm]) }</button></td>
                <td>{ machine(it.machines[1]) }</td><td>{ machine(it.machines[0]) }</td></tr>
        }
    };
    html! {
        <details open=true>
            <summary>{ say("{} of {} VMs are on different machines; the first ones", &[&words::count(f64::from(count)), &words::count(f64::from(vms))]) }</summary>
            <div class="table" tabindex="0" role="region" aria-label={tr("First placements that differ")}><table>
                <thead><tr><th scope="col">{ tr("When") }</th><th scope="col">{ tr("VM") }</th><th scope="col">{ say("In {against}", &[&against]) }</th><th scope="col">{ say("In {front}", &[&front]) }</th></tr></thead>
                <tbody>{ for differing.first.iter().map(row) }</tbody>
            </table></div>
        </details>
    }
}
