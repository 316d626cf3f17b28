//! One chart, or the film of the decision on screen, as the HTML to paste into another page.

use tiebreak_app::App;
use tiebreak_i18n::{say, tr};
use tiebreak_sim::METRICS;
use tiebreak_view::embed::{self, Piece};
use tiebreak_view::naming;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::parts::panel::Link;

use super::{Copied, ShareMessage, copy_button, field};

/// The choice of the piece, and its frame.
pub(super) fn view(link: &Link, app: &App, address: &str, piece: Piece, copied: Option<Copied>) -> Html {
    let vm = embed::vm_of_film(app);
    let html = embed::frame(piece, vm.unwrap_or_default(), naming::scenario(&app.document.name), address);
    let choose = link.callback(|event: Event| {
        let chosen = event.target_unchecked_into::<HtmlSelectElement>().value();
        ShareMessage::Frame(chosen.parse().map_or(Piece::Film, Piece::Chart))
    });
    let option = |(index, it): (usize, &tiebreak_sim::Metric)| {
        html! { <option value={index.to_string()} selected={piece == Piece::Chart(index)}>{ tr(it.declaration.title) }</option> }
    };
    html! {
        <section aria-label={tr("Embed in another page")}><h3>{ tr("Embed in another page") }</h3>
            <div class="group">
                <select aria-label={tr("What to embed")} onchange={choose}>
                    { for METRICS.iter().enumerate().map(option) }
                    if let Some(vm) = vm { <option value="film" selected={piece == Piece::Film}>{ say("Film: how VM {vm} was placed", &[&vm]) }</option> }
                </select>
                { copy_button(link, tr("Copy HTML"), Copied::Frame, html.clone(), copied) }
            </div>
            if vm.is_none() { <p class="hint">{ tr("To embed the film of a decision, explain a VM first.") }</p> }
            { field("HTML", html) }
        </section>
    }
}
