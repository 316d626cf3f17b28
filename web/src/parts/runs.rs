//! The log of runs, to reopen, star and compare them.

use std::convert::Infallible;

use tiebreak_app::{App, Logged, Message};
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tell, tr};
use yew::prelude::*;

use super::charts::Charts;
use super::panel::{Act, Frame, Link, Panel, Scene, Sent};

/// The log.
#[derive(Default)]
pub(crate) struct Runs;

impl Panel for Runs {
    type Message = Infallible;

    const ID: &'static str = "runs";
    const TITLE: &'static str = mark("Log of runs");
    const FRAME: Frame = Frame::Region(mark("Log"));

    fn is_shown(app: &App) -> bool {
        app.log.runs().next().is_some() && app.lesson.is_none()
    }

    fn summary(app: &App) -> String {
        let runs = words::counted(app.log.runs().count() as f64, "run", "runs");
        say(" {runs}: reopen, keep or compare them", &[&runs])
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        html! {
            <div class="table" tabindex="0" role="region" aria-label={tr("Runs so far")}><table>
                <thead><tr><td></td><th scope="col">{ tr("Run") }</th><th scope="col">{ tr("Tried") }</th><th scope="col">{ tr("Empty hosts") }</th>
                    <th scope="col">{ tr("Packing density") }</th><th scope="col">{ tr("Conflicts") }</th><th scope="col">{ tr("VMs rejected") }</th><td></td></tr></thead>
                <tbody>{ for scene.app.log.runs().map(|run| row(link, run)) }</tbody>
            </table></div>
        }
    }
}

fn row(link: &Link, run: &Logged) -> Html {
    let number = run.number;
    let compare = link
        .batch_callback(move |_: MouseEvent| [Message::CompareWith(number).into(), Sent::from(Act::Open(Charts::ID))]);
    let does = |message: fn(u32) -> Message| link.callback(move |_: MouseEvent| message(number));
    let result = &run.result;
    let star = if run.starred { "\u{2605}" } else { "\u{2606}" };
    html! {
        <tr>
            <td><button class="quiet" aria-pressed={run.starred.to_string()} aria-label={say("Keep run {number}", &[&number])} onclick={does(Message::Star)}>{ star }</button></td>
            <th scope="row">{ number }</th>
            <td class="tried">{ tell(&run.tried) }</td>
            <td>{ format!("{} %", words::fixed(result.figure("empty_hosts_pct_mean"), 1)) }</td>
            <td>{ format!("{} %", words::fixed(result.figure("packing_density_pct_mean"), 1)) }</td>
            <td>{ words::count(result.figure("conflicts")) }</td>
            <td>{ words::count(result.figure("rejections")) }</td>
            <td>
                <button class="quiet" aria-label={say("Go back to run {number}", &[&number])} onclick={does(Message::Reopen)}>{ tr("Reopen") }</button>
                <button class="quiet" aria-label={say("Compare with run {number}", &[&number])} onclick={compare}>{ tr("Compare") }</button>
            </td>
        </tr>
    }
}
