//! The agents that place VMs, the seed, and other settings of the whole run.

use std::convert::Infallible;

use tiebreak_app::{App, Edit, Message};
use tiebreak_engine::words::help;
use tiebreak_i18n::tr;
use tiebreak_lesson::Control;
use tiebreak_model::Declared;
use tiebreak_scenario::document::VariantSettings;
use tiebreak_sim::Agents;
use yew::prelude::*;

use super::form;
use super::panel::{Link, Panel, Scene, shows};

/// The two regions.
#[derive(Default)]
pub(crate) struct AgentsPanel;

impl Panel for AgentsPanel {
    type Message = Infallible;

    const ID: &'static str = "agents";

    fn is_shown(app: &App) -> bool {
        shows(app, Control::Agents) || shows(app, Control::Seed)
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let variant = scene.app.variant();
        let params = VariantSettings::DECLARATION.params;
        let settings =
            || form::fields(link, tr("run"), params, &variant.settings().to_values(), form::at(String::new(), params));
        html! {
            <>
                if shows(scene.app, Control::Agents) {
                    <section class="panel" aria-label={tr("Agents")}><h2>{ tr("Agents") }</h2>
                        { form::group(link, tr("agents"), variant, "agents") }
                        <p class="hint">{ help(Agents::DECLARATION.help) }</p>
                    </section>
                }
                if shows(scene.app, Control::Seed) {
                    <section class="panel" aria-label={tr("Seed")}><h2>{ tr("Seed and clusters") }</h2>
                        { settings() }
                        <button onclick={another_seed(link)}>{ tr("Another seed") }</button>
                    </section>
                }
            </>
        }
    }
}

/// Sets a random seed.
fn another_seed(link: &Link) -> Callback<MouseEvent> {
    link.batch_callback(|_: MouseEvent| {
        let mut bytes = [0; 4];
        getrandom::fill(&mut bytes).ok()?;
        Some(Message::Edit(Edit::set("seed", u32::from_le_bytes(bytes))))
    })
}
