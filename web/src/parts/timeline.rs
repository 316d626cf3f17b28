//! The timeline: which moment the fleet map, the machine list and the charts' cursor show, and
//! what happens to the zone when.

use tiebreak_lab::{App, Message, view::words};
use web_sys::{HtmlInputElement, InputEvent};
use yew::html::Scope;
use yew::prelude::*;

use super::events::Events;
use super::player::Player;
use crate::page::{Page, PageMessage};

/// Pixels of the charts' width that are left and right of their time axis.
const BESIDE_THE_AXIS: f64 = 144.0;

/// The region at the bottom.
pub(crate) fn view(link: &Scope<Page>, app: &App, events: &Events, player: &Player, width: u32) -> Html {
    let horizon = app.front.live.as_ref().map_or(1.0, |live| live.horizon_ms.max(1.0));
    let step =
        app.front.live.as_ref().and_then(|live| Some(live.times.get(1)? - live.times.first()?)).unwrap_or(1.0).max(1.0);
    let moment = app.moment();
    let scrub = link.callback(|event: InputEvent| {
        let value = event.target_unchecked_into::<HtmlInputElement>().value_as_number();
        PageMessage::App(Message::Cursor(Some(value)))
    });
    let latest = link.callback(|_| PageMessage::App(Message::Cursor(None)));
    html! {
        <section class="timeline" aria-label="Timeline">
            <input type="range" aria-label="Moment" min="0" max={horizon.to_string()} step={step.to_string()}
                value={moment.to_string()} aria-valuetext={words::time(moment)} oninput={scrub} />
            <button disabled={app.cursor_ms.is_none()} onclick={latest}>{ "Latest" }</button>
            { events.lane(link, app, f64::from(width) - BESIDE_THE_AXIS) }
            { events.adder(link, app) }
            { events.editor(link, app) }
            <div class="moves">{ player.view(link, app) }{ super::compare::branch_here(link, app) }</div>
        </section>
    }
}
