//! One chart, or the film of one decision, embedded in another page, with a link to the whole page.

use tiebreak_i18n::tr;
use tiebreak_view::embed::{Embed, Piece, sentence};
use tiebreak_view::naming;
use yew::prelude::*;

use super::charts::Charts;
use super::film::Decision;
use super::notices;
use super::panel::{Link, Panel, Scene};

/// What this page's address embeds; `None` for the whole page.
pub(crate) fn asked() -> Option<Embed> {
    Embed::asked(&gloo::utils::window().location().search().unwrap_or_default())
}

/// The content shown instead of the page. The width of the charts is taken from `centre`.
pub(crate) fn view(link: &Link, scene: &Scene<'_>, embed: &Embed, centre: &NodeRef) -> Html {
    let app = scene.app;
    let (label, body) = match embed.piece {
        Piece::Chart(metric) => {
            let charts = scene.panels.get::<Charts>().filter(|_| app.front.live.is_some());
            (tr("Chart"), charts.map(|charts| charts.card(link, scene, metric)))
        }
        Piece::Film => {
            let film = scene.panels.get::<Decision>().filter(|_| Decision::is_shown(app));
            (tr("Film of a decision"), film.map(|film| film.alone(link, scene)))
        }
    };
    let here = gloo::utils::window().location();
    let whole = format!("{}{}", here.pathname().unwrap_or_default(), here.hash().unwrap_or_default());
    html! {
        <main class="embedded" aria-label={label}>
            <h1 class="muted" ref={centre}>{ naming::scenario(&app.document.name) }</h1>
            { notices::view(link, app) }
            if let Some(note) = &embed.note { <p class="notice" role="note">{ note }</p> }
            // Always one child, so that those before it keep their identity.
            { body.unwrap_or_default() }
            <p class="verdict">{ sentence(app, embed.piece) }</p>
            <p class="embed-foot">
                <a class="button" href={whole} target="_blank" rel="noopener">{ tr("Open in Tiebreak") }</a>
                <span class="muted" role="status" aria-label={tr("Run status")}>{ app.status() }</span>
            </p>
        </main>
    }
}
