//! The anatomy of a run, below the charts: its cache layers from top to bottom, each with a switch and its effect,
//! and its agents.

use std::convert::Infallible;

use tiebreak_app::{App, Edit, Message};
use tiebreak_engine::words;
use tiebreak_i18n::{mark, tr};
use tiebreak_lesson::Control;
use tiebreak_model::Declared;
use tiebreak_placement::Caches;
use tiebreak_view::anatomy::{self, AgentRow, HitsAndMisses, LAYERS, LayerRow};
use web_sys::{Event, HtmlInputElement};
use yew::prelude::*;

use super::form;
use super::panel::{Frame, Link, Panel, Scene};

/// The tables of layers and agents.
#[derive(Default)]
pub(crate) struct AnatomyPanel;

impl Panel for AnatomyPanel {
    type Message = Infallible;

    const ID: &'static str = "anatomy";
    const TITLE: &'static str = mark("Anatomy");
    const FRAME: Frame = Frame::Region(mark("Anatomy of caches and agents"));
    const CONTROL: Option<Control> = Some(Control::Anatomy);

    fn is_needed(_: &App) -> bool {
        false
    }

    fn summary(app: &App) -> String {
        app.front.live.as_ref().and_then(anatomy::in_short).unwrap_or_default()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let app = scene.app;
        html! {
            <>
                <p class="hint">{ anatomy::about_layers(app.variant()) }</p>
                { layers(link, app) }
                { sizes(link, app) }
                { agents(app) }
            </>
        }
    }
}

fn table(label: &'static str, caption: &'static str, heads: Html, body: Html) -> Html {
    html! {
        <div class="table" tabindex="0" role="region" aria-label={label}><table>
            <caption>{ caption }</caption>
            <thead><tr>{ heads }</tr></thead>
            { body }
        </table></div>
    }
}

fn layers(link: &Link, app: &App) -> Html {
    let rows = anatomy::layers(app.variant(), app.front.live.as_ref());
    let heads = html! {
        <>
            <th scope="col">{ tr("Layer") }</th>
            { for [tr("Hits"), tr("Misses"), tr("Hit ratio")].iter().map(|head| html! { <th scope="col" class="number">{ *head }</th> }) }
            <th scope="col" colspan="2">{ tr("Updated") }</th>
            { for [tr("Kept"), tr("Size")].iter().map(|head| html! { <th scope="col" class="number">{ *head }</th> }) }
        </>
    };
    let body = html! { <tbody>{ for rows.iter().enumerate().map(|(index, row)| layer(link, index, row)) }</tbody> };
    table(tr("Cache layers"), tr("Cache layers of all agents, since the start of the run"), heads, body)
}

fn layer(link: &Link, index: usize, row: &LayerRow) -> Html {
    let onchange = link.callback(move |event: Event| {
        let on = event.target_unchecked_into::<HtmlInputElement>().checked();
        Message::Edit(Edit::param("caches.", &Caches::DECLARATION.params[index], f64::from(u8::from(on))))
    });
    let (work, counted_in) = row.work.clone().unzip();
    let by_rule = |(rule, counts): &(String, HitsAndMisses)| {
        html! { <tr class="by-rule"><th scope="row">{ rule }</th>{ counted(counts) }<td colspan="4"></td></tr> }
    };
    html! {
        <>
            <tr class={(!row.on).then_some("off")}>
                <th scope="row"><label title={row.help.clone()}><input type="checkbox" checked={row.on} {onchange} />{ row.title }</label></th>
                { counted(&row.counts) }
                <td class="number">{ work }</td><td class="counted-in">{ counted_in }</td>
                <td class="number">{ row.entries.clone() }</td>
                <td class="number">{ row.bytes.clone() }</td>
            </tr>
            { for row.rules.iter().map(by_rule) }
        </>
    }
}

fn counted(counts: &HitsAndMisses) -> Html {
    html! {
        <>
            <td class="number">{ counts.hits.clone() }</td>
            <td class="number">{ counts.misses.clone() }</td>
            { ratio(counts.hit_pct) }
        </>
    }
}

/// A hit ratio as a bar and a number.
fn ratio(percent: Option<f64>) -> Html {
    let shown = percent.map(|percent| {
        html! {
            <><span class="left-bar" aria-hidden="true"><span style={format!("width:{percent:.1}%")}></span></span>
                <span class="percent">{ format!("{} %", words::fixed(percent, 1)) }</span></>
        }
    });
    html! { <td class="ratio">{ shown }</td> }
}

/// The sizes of the caches: those of their parameters that are not switches.
fn sizes(link: &Link, app: &App) -> Html {
    let params = Caches::DECLARATION.params;
    let values = app.variant().caches.to_values();
    let edit = form::at("caches.".into(), params);
    html! {
        <details class="about"><summary>{ tr("Share kept") }</summary>
            { form::fields_in(link, tr("caches"), (params, LAYERS.len()..params.len()), &values, edit) }
        </details>
    }
}

fn agents(app: &App) -> Html {
    let Some(live) = &app.front.live else { return Html::default() };
    let heads = [tr("VMs decided"), tr("Failed commits"), tr("Behind the store"), tr("Cache hits")];
    let heads = html! {
        <>
            <th scope="col">{ tr("Agent") }</th><th scope="col">{ tr("Activity") }</th>
            { for heads.iter().map(|head| html! { <th scope="col" class="number">{ *head }</th> }) }
        </>
    };
    let row = |(number, row): (usize, AgentRow)| {
        html! {
            <tr><th scope="row">{ number }</th><td>{ row.doing }</td>
                <td class="number">{ row.decided }</td><td class="number">{ row.conflicts }</td>
                <td class="number">{ row.behind }</td>{ ratio(row.hit_pct) }</tr>
        }
    };
    let body = html! { <tbody>{ for anatomy::agents(live).into_iter().enumerate().map(row) }</tbody> };
    table(tr("Allocation agents"), tr("Allocation agents, each with its own view"), heads, body)
}
