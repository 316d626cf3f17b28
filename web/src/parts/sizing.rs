//! The search for the number of machines that the workload needs, part of the settings of machines.

use tiebreak_app::sizing::SEEDS_MAX;
use tiebreak_app::{App, Edit, Message, SizeWish, Sizing};
use tiebreak_i18n::{mark, tell, tr};
use tiebreak_view::sizing;
use web_sys::{Event, HtmlSelectElement};
use yew::prelude::*;

use super::FLEET;
use super::field::{Field, NumberRange, number};
use super::panel::{Act, Link, Own, Sent, Side, Tabs, focus};

/// The source of the machine types.
const KINDS: [&str; 2] = [mark("suggested by the trace"), mark("as above")];

/// Messages of the panel.
pub(crate) enum SizeMessage {
    /// It is opened or closed.
    Fold(bool),
    /// Change the settings of the next search.
    Wish(Box<dyn Fn(&mut SizeWish)>),
    /// Start the search.
    Find,
}

impl Own for SizeMessage {}

/// The panel's own state.
#[derive(Default)]
pub(crate) struct SizePanel {
    is_open: bool,
    wish: SizeWish,
}

impl SizePanel {
    /// Handles a message; returns the effects.
    pub(super) fn update(&mut self, message: SizeMessage) -> Vec<Sent> {
        match message {
            SizeMessage::Fold(open) => self.is_open = open,
            SizeMessage::Wish(change) => {
                change(&mut self.wish);
                self.wish = self.wish.within_bounds();
            }
            SizeMessage::Find => {
                self.is_open = true;
                let find = Message::Size(self.wish).into();
                let tab = Act::Tab(Tabs::Left, FLEET).into();
                return vec![find, tab, Act::Reveal(Side::Left).into(), focus("#machines-needed")];
            }
        }
        Vec::new()
    }

    /// The panel.
    pub(crate) fn view(&self, link: &Link, app: &App) -> Html {
        let fold = toggled(link, self.is_open, SizeMessage::Fold);
        html! {
            <details class="about" open={self.is_open} ontoggle={fold}>
                <summary>{ tr("How many machines does it need?") }</summary>
                <section id="machines-needed" tabindex="-1" aria-label={tr("Machines needed")}>
                    { self.wishes(link, app) }
                    { for app.sizing.as_ref().filter(|sizing| sizing.is_under_way()).map(|sizing| under_way(link, sizing)) }
                    if !app.sizing.as_ref().is_some_and(Sizing::is_under_way) { { find(link) } }
                    { for app.sizing.as_ref().map(|sizing| result(link, app, sizing)) }
                </section>
            </details>
        }
    }

    fn wishes(&self, link: &Link, app: &App) -> Html {
        let SizeWish { reject_pct, seeds, is_suggested, is_beside } = self.wish;
        let beside = link.callback(move |_: MouseEvent| SizeMessage::Wish(Box::new(|wish| wish.is_beside ^= true)));
        let wish = |change: Box<dyn Fn(&mut SizeWish)>| SizeMessage::Wish(change);
        let reject = link.batch_callback(move |text: String| {
            let share = number(&text)?;
            Some(wish(Box::new(move |wish| wish.reject_pct = share)))
        });
        let many = link.batch_callback(move |text: String| {
            let seeds = number(&text)? as u64;
            Some(wish(Box::new(move |wish| wish.seeds = seeds)))
        });
        let kind = link.callback(move |event: Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            wish(Box::new(move |wish| wish.is_suggested = chosen == 0))
        });
        let option = |(at, name): (usize, &&'static str)| html! { <option selected={(at == 0) == is_suggested}>{ tr(name) }</option> };
        html! {
            <div class="fields">
                <label class="field"><span>{ tr("Kind of machine") }</span><select onchange={kind} aria-label={tr("Kind of machine")}>{ for KINDS.iter().enumerate().map(option) }</select></label>
                <label class="field"><span>{ tr("Maximum share of VMs rejected") }</span><span class="entry">
                    <Field label={tr("Maximum share of VMs rejected")} number={NumberRange::any(0.0, 99.0)} value={reject_pct.to_string()} take={reject} /><span class="unit">{ "%" }</span></span></label>
                <label class="field"><span>{ tr("Seeds") }</span><span class="entry">
                    <Field label={tr("Seeds of the search")} number={NumberRange::by(1.0, 1.0, SEEDS_MAX as f64)} value={seeds.to_string()} take={many} /><span class="unit"></span></span></label>
                if app.document.variants.len() > 1 {
                    <label class="field flag"><input type="checkbox" checked={is_beside} onclick={beside} />{ " " }{ tr("The lists of all variants, side by side") }</label>
                }
            </div>
        }
    }
}

/// The button that starts the search.
pub(crate) fn find(link: &Link) -> Html {
    let onclick = link.callback(|_: MouseEvent| SizeMessage::Find);
    html! { <button {onclick}>{ tr("Find how many machines it needs") }</button> }
}

fn under_way(link: &Link, sizing: &Sizing) -> Html {
    let cancel = link.callback(|_: MouseEvent| Message::NoSize);
    html! {
        <p class="group"><progress aria-label={tr("Search")}></progress>
            <span class="muted" role="status">{ sizing::so_far(sizing) }</span>
            <button class="quiet" onclick={cancel}>{ tr("Cancel") }</button></p>
    }
}

fn result(link: &Link, app: &App, sizing: &Sizing) -> Html {
    let take = sizing.machines().filter(|_| !sizing.is_under_way()).map(|machines| {
        let label = sizing::offer(&machines);
        let onclick = link.callback(move |_: MouseEvent| Message::Edit(Edit::Machines(machines.clone())));
        html! { <p><button class="primary" {onclick}>{ label }</button></p> }
    });
    html! {
        <>
            if let Some(why) = &sizing.failure { <p class="notice" role="alert">{ tell(why) }</p> }
            if sizing::is_old(app, sizing) { <p class="notice">{ tr("Rules or settings have changed since; search again.") }</p> }
            { for sizing::found(sizing).iter().enumerate().map(|(at, line)| html! { <p class={(at > 0).then_some("hint")}>{ line }</p> }) }
            { side_by_side(sizing) }
            { for take }
        </>
    }
}

/// The machines that several lists need.
fn side_by_side(sizing: &Sizing) -> Html {
    let rows = sizing::side_by_side(sizing);
    if rows.is_empty() {
        return Html::default();
    }
    let head = [mark("List of"), mark("Machines needed"), mark("Mean (95 % interval)"), mark("More than the first")];
    let row = |row: &sizing::SizedRow| html! { <tr><th scope="row">{ &row.name }</th><td class="number">{ &row.machines }</td><td class="number">{ &row.mean }</td><td class="number">{ &row.more }</td></tr> };
    html! {
        <div class="table" tabindex="0" role="region" aria-label={tr("Machines needed, list by list")}><table>
            <thead><tr>{ for head.iter().map(|head| html! { <th scope="col">{ tr(head) }</th> }) }</tr></thead>
            <tbody>{ for rows.iter().map(row) }</tbody>
        </table></div>
    }
}

/// Sends a message when the user opens or closes a disclosure. One opened by the page fires the event too; then
/// nothing is sent.
fn toggled<M: Into<Sent>>(link: &Link, is_open: bool, make: impl Fn(bool) -> M + 'static) -> Callback<Event> {
    link.batch_callback(move |event: Event| {
        let open = event.target_unchecked_into::<web_sys::Element>().has_attribute("open");
        (open != is_open).then(|| make(open))
    })
}
