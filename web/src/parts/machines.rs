//! The machines, cluster by cluster, and how many a workload needs.

use tiebreak_app::{App, Asking, Edit, Message, Then};
use tiebreak_engine::questions::read_machines::ReadMachines;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_lesson::Control;
use tiebreak_model::Declared;
use tiebreak_scenario::ClusterSettings;
use yew::prelude::*;

use super::form;
use super::panel::{Link, Panel, Scene, Sent};
use super::sizing::{SizeMessage, SizePanel};

/// The region.
#[derive(Default)]
pub(crate) struct MachinesPanel {
    size: SizePanel,
}

impl Panel for MachinesPanel {
    type Message = SizeMessage;

    const ID: &'static str = "machines";
    const TITLE: &'static str = mark("Machines");
    const CONTROL: Option<Control> = Some(Control::Machines);

    fn update(&mut self, message: SizeMessage, _: &Link, _: &App) -> Vec<Sent> {
        self.size.update(message)
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        html! {
            <section class="panel" aria-label={tr(Self::TITLE)}><h2>{ tr("Machines") }</h2>
                { machines(link, scene.app) }
                { self.size.view(link, scene.app) }
            </section>
        }
    }
}

fn machines(link: &Link, app: &App) -> Html {
    let many = app.variant().clusters.len() > 1;
    let cluster = |(cluster, row): (usize, &tiebreak_scenario::ClusterRow)| {
        let remove = link.callback(move |_: MouseEvent| Message::Edit(Edit::RemoveCluster { cluster }));
        let fields = form::long_form(
            link,
            &row.name,
            ClusterSettings::DECLARATION.params,
            &row.settings.to_values(),
            move |index, value| Edit::Cluster { cluster, index, value },
        );
        let summary = say(
            "{}: {} × {} cores",
            &[&row.name, &words::count(f64::from(row.settings.machines)), &words::trimmed(row.settings.cores, 3)],
        );
        html! {
            <details class="about cluster" open={!many}>
                <summary>{ summary }</summary>
                { fields }
                if many { <button onclick={remove}>{ say("Remove {}", &[&row.name]) }</button> }
            </details>
        }
    };
    html! {
        <>
            { for app.variant().clusters.iter().enumerate().map(cluster) }
            <button onclick={link.callback(|_| Message::Edit(Edit::AddCluster))}>{ tr("Add a cluster") }</button>
            <p class="group">{ form::file_field(link, tr("Machines from a list"), tr("List of machines"), take_machines) }
                <span class="muted">{ tr("a CSV with the cores and memory of each machine, or openb's nodes; equal machines become a cluster") }</span></p>
        </>
    }
}

/// Uses a list of machines as the inventory.
fn take_machines(list: Vec<u8>) -> Sent {
    Message::Question(Asking::new(&ReadMachines {}).of_file(list).then(Then::TakeMachines)).into()
}
