//! The profile of the workload, below the charts.

use tiebreak_app::{App, Edit, Message};
use tiebreak_engine::protocol::{Answer, Found, Machines};
use tiebreak_engine::questions::profile_workload::ProfileWorkload;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_lesson::Control;
use yew::prelude::*;

use super::exhibits::{ExhibitMessage, Exhibits};
use super::panel::{Frame, Link, News, Own, Panel, Scene, Sent};

/// Which of its exhibits are open.
#[derive(Default)]
pub(crate) struct ProfilePanel {
    exhibits: Exhibits,
}

/// A part of an exhibit is opened or closed.
pub(crate) struct ProfileMessage(ExhibitMessage);

impl Own for ProfileMessage {}

impl Panel for ProfilePanel {
    type Message = ProfileMessage;

    const ID: &'static str = "profile";
    const TITLE: &'static str = mark("Profile");
    const FRAME: Frame = Frame::Region(mark("Profile of the workload"));
    const CONTROL: Option<Control> = Some(Control::Workload);

    fn summary(_: &App) -> String {
        tr("sizes, lifetimes, arrivals, tenants, and the machines it needs").into()
    }

    fn update(&mut self, ProfileMessage(message): ProfileMessage, _: &Link, _: &App) -> Vec<Sent> {
        self.exhibits.update(&message);
        Vec::new()
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, _: &App) -> Vec<Sent> {
        match news {
            News::Opened(open) => vec![Message::Profile(*open).into()],
            _ => Vec::new(),
        }
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let told = scene.app.answers.told::<ProfileWorkload>();
        html! {
            <>
                if told.is_none() { <p class="hint">{ tr("Counting ...") }</p> }
                { for told.and_then(|told| machines(link, told.as_ref().ok()?)) }
                { self.exhibits.told(&link.callback(ProfileMessage), 0, told, scene.width) }
            </>
        }
    }
}

/// The machines that could run it, and the button that uses them.
fn machines(link: &Link, profile: &Answer) -> Option<Html> {
    let Some(Found::Machines(found)) = &profile.found else { return None };
    let suggested = *found.first()?;
    let Machines { machines, cores, memory_gib } = suggested;
    let onclick = link.callback(move |_: MouseEvent| Message::Edit(Edit::Machines(vec![suggested])));
    let label = say(
        "Use {machines} machines of {cores} cores and {memory_gib} GiB",
        &[&words::count(machines.into()), &cores, &memory_gib],
    );
    Some(html! {
        <p class="group"><button {onclick}>{ label }</button>
            <span class="muted">{ tr("a common size, 15 % more than the minimum; replaces all clusters with one") }</span>{ super::sizing::find(link) }</p>
    })
}
