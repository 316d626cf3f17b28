//! The result of importing a cluster or a scheduler's configuration, and the parts without a counterpart.

use std::convert::Infallible;

use tiebreak_app::{App, Message};
use tiebreak_engine::protocol::{Imported, WithoutTwin};
use tiebreak_i18n::{say, tr};
use tiebreak_view::importing;
use yew::prelude::*;

use super::panel::{Link, Panel, Scene};

/// The list, until the user closes it.
#[derive(Default)]
pub(crate) struct ImportedPanel;

impl Panel for ImportedPanel {
    type Message = Infallible;

    const ID: &'static str = "imported";

    fn is_shown(app: &App) -> bool {
        app.lesson.is_none()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        scene.app.imported.as_ref().map_or_else(Html::default, |imported| view(link, imported))
    }
}

/// Messages about files are in English; field names are as in the file.
fn view(link: &Link, imported: &Imported) -> Html {
    let close = link.callback(|_: MouseEvent| Message::ForgetImport);
    let twins = link.callback(|_: MouseEvent| Message::Twins);
    let title = say("Imported: {}", &[&imported.file]);
    let head = [tr("Field"), tr("Times"), tr("Value"), tr("Reason")];
    let row = |it: &WithoutTwin| {
        let [path, often, value, why] = importing::row(it);
        html! { <tr><th scope="row"><code>{ path }</code></th><td>{ often }</td><td><code>{ value }</code></td><td lang="en">{ why }</td></tr> }
    };
    let items = |lines: &[String]| html! { { for lines.iter().map(|line| html! { <li lang="en">{ line }</li> }) } };
    html! {
        <section class="notice imported" aria-label={title.clone()}>
            <div class="notice-head">
                <strong>{ &title }</strong>
                <button onclick={twins}>{ tr("Save the list with its counterparts (CSV)") }</button>
                <button class="quiet" onclick={close} aria-label={say("Dismiss: {}", &[&title])}>{ "×" }</button>
            </div>
            <ul>{ items(&imported.told) }</ul>
            <p>{ importing::heading(imported) }</p>
            if !imported.without_twin.is_empty() {
                <div class="table" tabindex="0" role="region" aria-label={tr("Fields without a counterpart")}><table>
                    <thead><tr>{ for head.iter().map(|title| html! { <th scope="col">{ *title }</th> }) }</tr></thead>
                    <tbody>{ for imported.without_twin.iter().map(row) }</tbody>
                </table></div>
            }
            if !imported.aside.is_empty() {
                <details class="about"><summary>{ say("{} fields do not concern placement", &[&imported.aside.len()]) }</summary>
                    <ul>{ items(&imported.aside) }</ul></details>
            }
        </section>
    }
}
