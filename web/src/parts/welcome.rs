//! The page for new visitors: one sentence, two fleets under two lists of rules, the film of one decision, and three
//! rules to switch.

use std::cell::RefCell;
use std::convert::Infallible;

use tiebreak_app::{App, Edit, Message, Phase};
use tiebreak_i18n::{mark, say, tr};
use tiebreak_picture::welcome::{Map, figure};
use tiebreak_picture::{LEAD, MAPS};
use tiebreak_scenario::RuleRow;
use tiebreak_scenario::presets::FIRST_WITHOUT;
use tiebreak_sim::MachineByte;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::film::Decision;
use super::fleet_map::Fleet;
use super::panel::{Act, Link, Panel, Scene, View};

/// The rules to switch; all of them are preferences, in this order.
const CARDS: [&str; 3] = [FIRST_WITHOUT, "BestFit", "PreferLeastUsedRack"];

/// The welcome page.
#[derive(Default)]
pub(crate) struct Welcome {
    runs: RefCell<Runs>,
}

/// The machines at the end of the run on screen and of the previous one, if there are any.
#[derive(Default)]
struct Runs {
    now: Option<(u32, Vec<u8>)>,
    before: Option<Vec<u8>>,
}

impl Panel for Welcome {
    type Message = Infallible;

    const ID: &'static str = "welcome";

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let film = scene.panels.get::<Decision>().filter(|_| Decision::is_shown(scene.app));
        html! {
            <>
                <h1>{ say(LEAD, &[&machines(scene.app)]) }</h1>
                <div class="welcome-maps" aria-live="polite">{ for self.maps(scene).iter().map(map) }</div>
                <div class="welcome-row">
                    { cards(link, scene.app) }
                    <div class="welcome-film">{ for film.map(|film| film.brief(link, scene)) }</div>
                </div>
            </>
        }
    }
}

impl Welcome {
    /// The current fleet, and the fleet before the last change; without a change yet, the fleet without the first
    /// rule.
    fn maps(&self, scene: &Scene<'_>) -> [(String, Vec<u8>); 2] {
        let app = scene.app;
        let [with, without] = &app.example_shades;
        let mut runs = self.runs.borrow_mut();
        runs.take(scene);
        let now = runs.now.as_ref().map_or(with, |(_, shades)| shades).clone();
        match &runs.before {
            Some(before) => [(tr("Now").into(), now), (tr("Before your change").into(), before.clone())],
            None => [(tr(MAPS[0]).into(), now), (tr(MAPS[1]).into(), without.clone())],
        }
    }
}

impl Runs {
    /// Stores the run on screen once it is finished.
    fn take(&mut self, scene: &Scene<'_>) {
        let lane = &scene.app.front;
        let Some(live) = lane.live.as_ref().filter(|_| lane.phase == Phase::Finished) else { return };
        let told = scene.panels.get::<Fleet>().map_or(&[][..], |fleet| fleet.fullness(lane, live.horizon_ms).0);
        if told.is_empty() || self.now.as_ref().is_some_and(|(run, _)| *run == live.run) {
            return;
        }
        let shades = told.iter().map(|byte| MachineByte(*byte).shade()).collect();
        self.before = self.now.replace((live.run, shades)).map(|(_, shades)| shades);
    }
}

fn machines(app: &App) -> String {
    app.variant().clusters.iter().map(|cluster| cluster.settings.machines).sum::<u32>().to_string()
}

fn map((title, shades): &(String, Vec<u8>)) -> Html {
    let map = Map { title: title.clone(), shades };
    let count = say("{} empty", &[&map.empty()]);
    html! { <div key={title.clone()}>{ Html::from_html_unchecked(figure(&map, &count).into()) }</div> }
}

/// The rules, the suggested first change, and the link to all rules.
fn cards(link: &Link, app: &App) -> Html {
    let rows = &app.variant().rules;
    let row = |id: &&str| rows.iter().find(|row| row.id == *id);
    let is_on = rows.iter().any(|row| row.id == FIRST_WITHOUT && row.on);
    let switch = link.callback(move |_: MouseEvent| Message::Edit(Edit::use_rule(FIRST_WITHOUT, !is_on)));
    let all = link.callback(|_: MouseEvent| Act::View(View::Experiment));
    let invitation = if is_on { mark("Switch the first rule off") } else { mark("Switch the first rule on") };
    html! {
        <div class="welcome-rules">
            <ol class="cards" aria-label={tr("Rules")}>{ for CARDS.iter().filter_map(row).map(|row| card(link, row)) }</ol>
            <p class="group"><button class="primary" onclick={switch}>{ tr(invitation) }</button>
                <button onclick={all}>{ tr("All rules") }</button></p>
        </div>
    }
}

fn card(link: &Link, row: &RuleRow) -> Html {
    let id = row.id.clone();
    let toggle = link.callback({
        let id = id.clone();
        move |event: Event| {
            let on = event.target_unchecked_into::<HtmlInputElement>().checked();
            Message::Edit(Edit::use_rule(&id, on))
        }
    });
    let title = row.entry().map_or(id.as_str(), |entry| tr(entry.declaration.title)).to_owned();
    html! {
        <li key={id.clone()} class={classes!("card", (!row.on).then_some("off"))}>
            <label><input type="checkbox" aria-label={say("Use {id}", &[&id])} checked={row.on} onchange={toggle} />
                <span><strong>{ title }</strong><small>{ id }</small></span></label>
        </li>
    }
}
