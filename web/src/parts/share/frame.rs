//! One chart for another page, as the HTML to paste there.

use tiebreak_app::App;
use tiebreak_i18n::tr;
use tiebreak_sim::METRICS;
use tiebreak_view::embed;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::parts::panel::Link;

use super::{Copied, ShareMessage, copy_button, field};

/// The chart to choose, and its frame.
pub(super) fn view(link: &Link, app: &App, address: &str, metric: usize, copied: Option<Copied>) -> Html {
    let html = embed::frame(metric, &app.document.name, address);
    let choose = link.batch_callback(|event: Event| {
        let metric = event.target_unchecked_into::<HtmlSelectElement>().value().parse().ok();
        metric.map(ShareMessage::Frame)
    });
    let option = |(index, it): (usize, &tiebreak_sim::Metric)| {
        html! { <option value={index.to_string()} selected={index == metric}>{ tr(it.declaration.title) }</option> }
    };
    html! {
        <section aria-label={tr("Embed one chart in another page")}><h3>{ tr("Embed one chart in another page") }</h3>
            <div class="group">
                <select aria-label={tr("Chart to embed")} onchange={choose}>{ for METRICS.iter().enumerate().map(option) }</select>
                { copy_button(link, tr("Copy HTML"), Copied::Frame, html.clone(), copied) }
            </div>
            { field("HTML", html) }
        </section>
    }
}
