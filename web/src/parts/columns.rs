//! The column types of a file whose header does not define them: chosen by the user for each column, above its first
//! lines.

use std::convert::Infallible;

use tiebreak_app::{App, Message};
use tiebreak_engine::protocol::Unknown;
use tiebreak_i18n::{mark, say, tr};
use web_sys::{Event, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::panel::{Act, Link, Panel, Scene};

/// The region, while there is such a file.
#[derive(Default)]
pub(crate) struct Columns;

impl Panel for Columns {
    type Message = Infallible;

    const ID: &'static str = "columns";
    const TITLE: &'static str = mark("Columns of the file");

    fn is_shown(app: &App) -> bool {
        app.unknown.is_some()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        scene.app.unknown.as_ref().map(|unknown| asked(link, unknown, scene.app.reading.is_some())).unwrap_or_default()
    }
}

fn asked(link: &Link, unknown: &Unknown, is_read: bool) -> Html {
    let read = link.batch_callback(move |_: MouseEvent| (!is_read).then_some(Act::Columns));
    let commas = link
        .callback(|event: Event| Message::DecimalCommas(event.target_unchecked_into::<HtmlInputElement>().checked()));
    let cell = |text: &String| html! { <td>{ text }</td> };
    html! {
        <section class="notice" aria-label={tr(Columns::TITLE)}>
            <div class="notice-head"><strong>{ tr("What are the columns of this file?") }</strong>
                <button class="quiet" aria-label={tr("Discard this file")} onclick={link.callback(|_| Message::NoColumns)}>{ "×" }</button></div>
            <p class="hint">{ tr("Required columns: cores, memory and start. Unassigned columns are ignored. Without an end or a duration, VMs never end.") }</p>
            <div class="table" tabindex="0" role="region" aria-label={tr("First lines of the file")}><table>
                <thead><tr>{ for (0..unknown.rows.first().map_or(0, Vec::len)).map(|column| choice(link, unknown, column)) }</tr></thead>
                <tbody>{ for unknown.rows.iter().map(|row| html! { <tr>{ for row.iter().map(cell) }</tr> }) }</tbody>
            </table></div>
            <p class="hint">{ tr("Dates: iso is 2026-03-01 10:00, dmy is 01.03.2026 10:00, mdy is 3/1/2026 10:00. Dates without an offset are UTC.") }</p>
            <p><label><input type="checkbox" checked={unknown.has_decimal_commas} onchange={commas} />{ tr("A comma stands before decimals: 3,5") }</label></p>
            <p class="group"><button class="primary" aria-disabled={is_read.to_string()} onclick={read}>{ tr("Read with these columns") }</button></p>
        </section>
    }
}

fn choice(link: &Link, unknown: &Unknown, column: usize) -> Html {
    let chosen = unknown.columns.get(column).map_or("", String::as_str);
    let onchange = link.callback(move |event: Event| {
        Message::Column(column, event.target_unchecked_into::<HtmlSelectElement>().value())
    });
    let option = |name: &String| html! { <option value={name.clone()} selected={chosen == name}>{ name }</option> };
    html! {
        <th scope="col"><select aria-label={say("Column {}", &[&(column + 1)])} {onchange}>
            <option value="" selected={chosen.is_empty()}>{ tr("ignored") }</option>
            { for unknown.offered.iter().map(option) }
        </select></th>
    }
}
