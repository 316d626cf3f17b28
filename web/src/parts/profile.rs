//! What the workload looks like, below the charts.

use tiebreak_i18n::{say, tell, tr};
use tiebreak_lab::app::Edit;
use tiebreak_lab::protocol::{Machines, Profiled};
use tiebreak_lab::view::words;
use tiebreak_lab::{App, Message};
use yew::html::Scope;
use yew::prelude::*;

use super::exhibits::Exhibits;
use crate::page::{Page, PageMessage};

/// The region: a line in short, and below it, when it is open, everything.
pub(crate) fn view(link: &Scope<Page>, app: &App, exhibits: &Exhibits, width: u32) -> Html {
    let open = app.shows_profile;
    let fold = link.callback(move |_| PageMessage::App(Message::Profile(!open)));
    let opened = link.callback(PageMessage::Profile);
    let told = |profiled: &Profiled| {
        html! {
            <>
                { machines(link, profiled) }
                { for profiled.exhibits.iter().enumerate().map(|(at, exhibit)| exhibits.view(&opened, at, exhibit, width)) }
            </>
        }
    };
    html! {
        <section class="anatomy" aria-label={tr("Profile")}>
            <h2><button class="fold" aria-expanded={open.to_string()} onclick={fold}>{ tr("Profile of the workload") }</button>
                <span class="muted">{ tr("sizes, lives, arrivals, tenants, and the machines it takes") }</span></h2>
            if open {
                { match &app.profile {
                    Some(Ok(profiled)) => told(profiled),
                    Some(Err(why)) => html! { <p class="notice">{ tell(why) }</p> },
                    None => html! { <p class="hint">{ tr("Counting ...") }</p> },
                } }
            }
        </section>
    }
}

/// The machines it could run on, and the offer to take them.
fn machines(link: &Scope<Page>, profiled: &Profiled) -> Html {
    let suggested = profiled.machines;
    let Machines { machines, cores, memory_gib } = suggested;
    let onclick = link.callback(move |_: MouseEvent| PageMessage::App(Message::Edit(Edit::Machines(vec![suggested]))));
    let label = say(
        "Use {machines} machines of {cores} cores and {memory_gib} GiB",
        &[&words::count(machines.into()), &cores, &memory_gib],
    );
    html! {
        <p class="group"><button {onclick}>{ label }</button>
            <span class="muted">{ tr("of a usual size, 15 % more than the least; one cluster in place of all") }</span>{ super::sizing::find(link) }</p>
    }
}
