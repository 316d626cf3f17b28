//! The log of runs: reopened, starred, compared.

use tiebreak_lab::app::Logged;
use tiebreak_lab::view::words;
use tiebreak_lab::{App, Message};
use yew::html::Scope;
use yew::prelude::*;

use crate::drafts;
use crate::page::{Page, PageMessage};

/// Where runs with a star are kept in this browser.
const KEPT: &str = "tiebreak.runs";

/// The runs with a star as they were left in this browser.
pub(crate) fn kept() -> Option<String> {
    drafts::get(drafts::local, KEPT)
}

/// Keeps them; whether they could be kept.
pub(crate) fn keep(runs: &str) -> bool {
    drafts::set(drafts::local, KEPT, &runs)
}

/// The panel.
pub(crate) fn view(link: &Scope<Page>, app: &App) -> Html {
    let count = app.log.runs().count();
    if count == 0 || app.lesson.is_some() {
        return Html::default();
    }
    let runs = words::counted(count as f64, "run", "runs");
    html! {
        <details class="sweep">
            <summary>{ "Log" }<span class="muted">{ format!(" {runs}: go back to one, keep it, compare with it") }</span></summary>
            <section aria-label="Log of runs">
                <div class="table" tabindex="0" role="region" aria-label="Runs so far"><table>
                    <thead><tr><td></td><th scope="col">{ "Run" }</th><th scope="col">{ "Tried" }</th><th scope="col">{ "Empty hosts" }</th>
                        <th scope="col">{ "Packing density" }</th><th scope="col">{ "Conflicts" }</th><th scope="col">{ "VMs rejected" }</th><td></td></tr></thead>
                    <tbody>{ for app.log.runs().map(|run| row(link, run)) }</tbody>
                </table></div>
            </section>
        </details>
    }
}

fn row(link: &Scope<Page>, run: &Logged) -> Html {
    let number = run.number;
    let tell = |message: fn(u32) -> Message| link.callback(move |_: MouseEvent| PageMessage::App(message(number)));
    let result = &run.result;
    let star = if run.starred { "\u{2605}" } else { "\u{2606}" };
    html! {
        <tr>
            <td><button class="quiet" aria-pressed={run.starred.to_string()} aria-label={format!("Keep run {number}")} onclick={tell(Message::Star)}>{ star }</button></td>
            <th scope="row">{ number }</th>
            <td class="tried">{ &run.tried }</td>
            <td>{ format!("{:.1} %", result.empty_hosts_pct) }</td>
            <td>{ format!("{:.1} %", result.packing_density_pct) }</td>
            <td>{ words::count(result.conflicts) }</td>
            <td>{ words::count(result.rejections) }</td>
            <td>
                <button class="quiet" aria-label={format!("Go back to run {number}")} onclick={tell(Message::Reopen)}>{ "Reopen" }</button>
                <button class="quiet" aria-label={format!("Compare with run {number}")} onclick={tell(Message::CompareWith)}>{ "Compare" }</button>
            </td>
        </tr>
    }
}
