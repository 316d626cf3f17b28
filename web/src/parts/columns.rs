//! What the columns of a file are, where its header does not say: chosen by the person, column by column, above its
//! first lines.

use tiebreak_app::{App, Message};
use tiebreak_engine::protocol::Unknown;
use tiebreak_i18n::{say, tr};
use web_sys::{Event, HtmlSelectElement};
use yew::html::Scope;
use yew::prelude::*;

use crate::page::{Page, PageMessage};

/// The region, while there is such a file.
pub(crate) fn view(link: &Scope<Page>, app: &App) -> Html {
    let Some(unknown) = app.unknown.as_ref().filter(|_| app.reading.is_none()) else { return Html::default() };
    let cell = |text: &String| html! { <td>{ text }</td> };
    html! {
        <section class="notice" aria-label={tr("Columns of the file")}>
            <div class="notice-head"><strong>{ tr("What are the columns of this file?") }</strong>
                <button class="quiet" aria-label={tr("Leave this file")} onclick={link.callback(|_| PageMessage::App(Message::NoColumns))}>{ "×" }</button></div>
            <p class="hint">{ tr("Needed are cores, memory and start. What stays empty is left aside; without an end or a duration VMs never end.") }</p>
            <div class="table" tabindex="0" role="region" aria-label={tr("First lines of the file")}><table>
                <thead><tr>{ for (0..unknown.rows.first().map_or(0, Vec::len)).map(|column| choice(link, unknown, column)) }</tr></thead>
                <tbody>{ for unknown.rows.iter().map(|row| html! { <tr>{ for row.iter().map(cell) }</tr> }) }</tbody>
            </table></div>
            <p class="group"><button class="primary" onclick={link.callback(|_| PageMessage::Columns)}>{ tr("Read it with these columns") }</button></p>
        </section>
    }
}

fn choice(link: &Scope<Page>, unknown: &Unknown, column: usize) -> Html {
    let chosen = unknown.columns.get(column).map_or("", String::as_str);
    let onchange = link.callback(move |event: Event| {
        PageMessage::App(Message::Column(column, event.target_unchecked_into::<HtmlSelectElement>().value()))
    });
    let option = |name: &String| html! { <option value={name.clone()} selected={chosen == name}>{ name }</option> };
    html! {
        <th scope="col"><select aria-label={say("Column {}", &[&(column + 1)])} {onchange}>
            <option value="" selected={chosen.is_empty()}>{ tr("left aside") }</option>
            { for unknown.offered.iter().map(option) }
        </select></th>
    }
}
