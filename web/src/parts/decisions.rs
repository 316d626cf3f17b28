//! The outcome of every VM of the active run: searched, filtered, one page at a time. Choosing a VM explains it.

use tiebreak_app::{App, DecisionsWish, Message};
use tiebreak_engine::protocol::{Decided, Decisions, Which};
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_view::decisions;
use yew::prelude::*;

use super::field::Field;
use super::panel::{Act, Frame, Link, News, Own, Panel, Scene, Sent, Side};

/// The columns of the table; number columns are marked.
const HEADS: [(&str, bool); 8] = [
    (mark("VM"), false),
    (mark("Requested"), true),
    (mark("Size"), false),
    (mark("Tenant"), true),
    (mark("Outcome"), false),
    (mark("Machine"), true),
    (mark("Tries"), true),
    (mark("Wait"), true),
];

/// The list.
#[derive(Default)]
pub(crate) struct DecisionsPanel;

/// Messages of the list.
pub(crate) enum DecisionsMessage {
    /// Open the list with these VMs, from any panel.
    Show(Which),
    /// List the VMs whose number, or whose tenant's number, starts with this.
    Search(String),
    /// Show another page.
    Page(u32),
}

impl Own for DecisionsMessage {}

impl Panel for DecisionsPanel {
    type Message = DecisionsMessage;

    const ID: &'static str = "decisions";
    const TITLE: &'static str = mark("Decisions");
    const FRAME: Frame = Frame::Region(mark("Decisions"));

    fn is_shown(app: &App) -> bool {
        app.lesson.is_none()
    }

    fn summary(_: &App) -> String {
        tr("what became of each VM, and why").into()
    }

    fn update(&mut self, message: DecisionsMessage, _: &Link, app: &App) -> Vec<Sent> {
        let wish = DecisionsWish { page: 0, is_shown: true, ..app.wants_decisions.clone() };
        match message {
            // Opens with the requested list, so that it does not request another one first.
            DecisionsMessage::Show(which) => {
                let wish = DecisionsWish { which, search: String::new(), ..wish };
                vec![Message::Decisions(wish).into(), Act::Open(Self::ID).into()]
            }
            DecisionsMessage::Search(search) => vec![Message::Decisions(DecisionsWish { search, ..wish }).into()],
            DecisionsMessage::Page(page) => vec![Message::Decisions(DecisionsWish { page, ..wish }).into()],
        }
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, app: &App) -> Vec<Sent> {
        match *news {
            News::Opened(is_shown) if app.wants_decisions.is_shown != is_shown => {
                vec![Message::Decisions(DecisionsWish { is_shown, ..app.wants_decisions.clone() }).into()]
            }
            _ => Vec::new(),
        }
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let app = scene.app;
        let (wish, listed) = (&app.wants_decisions, app.decisions());
        let search = link.callback(|text: String| DecisionsMessage::Search(text.trim().to_owned()));
        html! {
            <div class="decisions">
                <div class="decisions-head">
                    <div class="group tabs" role="group" aria-label={tr("Outcome")}>{ for Which::ALL.map(|which| filter(link, wish, listed, which)) }</div>
                    <label class="why-not">{ tr("Search") }<Field label={tr("Search by VM or tenant")} inputmode="numeric" maxlength="20" value={wish.search.clone()} placeholder={tr("VM or tenant")} take={search} /></label>
                </div>
                if let Some(hint) = decisions::hint(app) { <p class="hint">{ hint }</p> }
                if let Some(listed) = listed { { table(link, listed) } { pager(link, listed, wish.which) } }
            </div>
        }
    }
}

fn filter(link: &Link, wish: &DecisionsWish, listed: Option<&Decisions>, which: Which) -> Html {
    let onclick = {
        let wish = DecisionsWish { which, page: 0, is_shown: true, ..wish.clone() };
        link.callback(move |_: MouseEvent| Message::Decisions(wish.clone()))
    };
    let count = listed.map(|listed| words::count(decisions::count(listed, which).into()));
    html! {
        <button aria-pressed={(wish.which == which).to_string()} {onclick}>{ decisions::title(which) }
            if let Some(count) = count { <span class="muted">{ format!(" {count}") }</span> }</button>
    }
}

fn table(link: &Link, listed: &Decisions) -> Html {
    if listed.rows.is_empty() {
        return Html::default();
    }
    let head = |(head, is_number): (&str, bool)| {
        html! { <th scope="col" class={is_number.then_some("number")}>{ tr(head).to_owned() }</th> }
    };
    html! {
        <div class="table" tabindex="0" role="region" aria-label={tr("Table of decisions")}><table>
            <thead><tr>{ for HEADS.map(head) }</tr></thead>
            <tbody>{ for listed.rows.iter().map(|decided| row(link, decided)) }</tbody>
        </table></div>
    }
}

fn row(link: &Link, decided: &Decided) -> Html {
    let explain = {
        let vm = decided.vm.clone();
        link.batch_callback(move |_: MouseEvent| {
            vec![Message::Vm(vm.clone()).into(), Sent::from(Act::Reveal(Side::Right))]
        })
    };
    let machine = decided.machine.map(|machine| {
        let look = link.batch_callback(move |_: MouseEvent| {
            vec![Message::Machine(Some(machine)).into(), Sent::from(Act::Reveal(Side::Right))]
        });
        html! { <button class="vm" aria-label={say("Machine {machine}", &[&machine])} onclick={look}>{ machine }</button> }
    });
    let none = || html! { "–" };
    html! {
        <tr key={decided.vm.clone()}>
            <th scope="row"><button class="vm" title={tr("Explain this VM")} onclick={explain}>{ say("VM {}", &[&decided.vm]) }</button></th>
            <td class="number">{ decisions::asked_at(decided) }</td>
            <td>{ tell(&decided.demand) }</td>
            <td class="number" title={decided.tenant.clone()}>{ decisions::tenant(decided) }</td>
            <td class="outcome">{ tell(&decided.outcome) }</td>
            <td class="number">{ machine.unwrap_or_else(none) }</td>
            <td class="number">{ decided.tries }</td>
            <td class="number">{ decided.waited_ms.map_or_else(none, |waited| words::duration(waited).into()) }</td>
        </tr>
    }
}

fn pager(link: &Link, listed: &Decisions, which: Which) -> Html {
    let page = listed.page;
    if listed.rows.is_empty() {
        let show_all = link.callback(|_: MouseEvent| DecisionsMessage::Show(Which::All));
        return html! {
            <div class="group pager"><span aria-live="polite">{ decisions::position(listed, which) }</span><button onclick={show_all}>{ tr("Show all VMs") }</button></div>
        };
    }
    let button = |label: &'static str, to: Option<u32>| {
        let onclick = link.batch_callback(move |_: MouseEvent| to.map(DecisionsMessage::Page));
        html! { <button disabled={to.is_none()} {onclick}>{ label }</button> }
    };
    html! {
        <div class="group pager">
            { button(tr("Previous"), page.checked_sub(1)) }
            <span aria-live="polite">{ decisions::position(listed, which) }</span>
            { button(tr("Next"), decisions::has_next(listed, which).then_some(page + 1)) }
        </div>
    }
}
