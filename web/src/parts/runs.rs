//! The log of runs: reopened, starred, compared.

use tiebreak_i18n::{say, tell, tr};
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
            <summary>{ tr("Log") }<span class="muted">{ say(" {runs}: go back to one, keep it, compare with it", &[&runs]) }</span></summary>
            <section aria-label={tr("Log of runs")}>
                <div class="table" tabindex="0" role="region" aria-label={tr("Runs so far")}><table>
                    <thead><tr><td></td><th scope="col">{ tr("Run") }</th><th scope="col">{ tr("Tried") }</th><th scope="col">{ tr("Empty hosts") }</th>
                        <th scope="col">{ tr("Packing density") }</th><th scope="col">{ tr("Conflicts") }</th><th scope="col">{ tr("VMs rejected") }</th><td></td></tr></thead>
                    <tbody>{ for app.log.runs().map(|run| row(link, run)) }</tbody>
                </table></div>
            </section>
        </details>
    }
}

fn row(link: &Scope<Page>, run: &Logged) -> Html {
    let number = run.number;
    let does = |message: fn(u32) -> Message| link.callback(move |_: MouseEvent| PageMessage::App(message(number)));
    let result = &run.result;
    let star = if run.starred { "\u{2605}" } else { "\u{2606}" };
    html! {
        <tr>
            <td><button class="quiet" aria-pressed={run.starred.to_string()} aria-label={say("Keep run {number}", &[&number])} onclick={does(Message::Star)}>{ star }</button></td>
            <th scope="row">{ number }</th>
            <td class="tried">{ tell(&run.tried) }</td>
            <td>{ format!("{} %", words::fixed(result.empty_hosts_pct, 1)) }</td>
            <td>{ format!("{} %", words::fixed(result.packing_density_pct, 1)) }</td>
            <td>{ words::count(result.conflicts) }</td>
            <td>{ words::count(result.rejections) }</td>
            <td>
                <button class="quiet" aria-label={say("Go back to run {number}", &[&number])} onclick={does(Message::Reopen)}>{ tr("Reopen") }</button>
                <button class="quiet" aria-label={say("Compare with run {number}", &[&number])} onclick={does(Message::CompareWith)}>{ tr("Compare") }</button>
            </td>
        </tr>
    }
}
