//! The fleet map: one cell per machine, rack by rack. Fuller machines are darker, or colours show the lifetime class,
//! the reserved share of uplinks or the power draw; an outline marks a recently failed commit. The links of the
//! explained VM are drawn on top.
//!
//! The map is painted pixel by pixel into one image, so that the cost for a hundred thousand machines depends only on
//! the size of the canvas. Cells are as large as possible so that all fit.

mod colouring;
pub(super) mod colours;
mod frames;
mod legend;
pub(super) mod map;
pub(super) mod painting;
pub(super) mod plan;
mod table;
mod tip;
mod words;

use std::collections::BTreeMap;

use tiebreak_app::{App, Lane, Message};
use tiebreak_engine::protocol::Reply;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_lesson::Control;
use yew::prelude::*;

use self::colouring::Colouring;
use self::frames::Frames;
use self::map::FleetMap;
use super::media;
use super::panel::{Act, Link, News, Own, Panel, Scene, Sent, Side};
use super::rule_editor;

/// Pixels between two maps next to each other.
const MAPS_APART: u32 = 16;

/// Two maps are next to each other from this width on, in CSS pixels; below it, one is above the other.
const SIDE_BY_SIDE: u32 = 660;

/// Messages of the maps.
pub(crate) enum MapMessage {
    /// The user clicked the map of a variant, in its own pixels.
    Click(String, u32, u32),
    /// Select the machine at this point of the active variant's map.
    Select(u32, u32),
    /// Look at the machines left after this step of the explanation, or stop looking.
    Left(Option<u8>),
    /// Open or close the tables.
    Table,
    /// Change the quantity that colours show.
    Colours(Colouring),
    /// The states of machines at the sampled moments of a run.
    Frames { lane: u32, run: u32, bytes: Vec<u8> },
}

impl Own for MapMessage {}

/// The map of the active variant; next to it, the other variant's if two are compared.
#[derive(Default)]
pub(crate) struct Fleet {
    /// The map of each lane.
    maps: BTreeMap<u32, FleetMap>,
    colours: Colouring,
    /// The step of the explanation that the user looks at.
    left: Option<u8>,
}

impl Panel for Fleet {
    type Message = MapMessage;

    const ID: &'static str = "fleet";
    const TITLE: &'static str = mark("Fleet map");
    const CONTROL: Option<Control> = Some(Control::Map);

    fn update(&mut self, message: MapMessage, _: &Link, app: &App) -> Vec<Sent> {
        match message {
            MapMessage::Click(variant, x, y) => {
                return vec![Message::Front(variant).into(), MapMessage::Select(x, y).into()];
            }
            MapMessage::Select(x, y) => {
                let map = self.maps.get(&app.front.id);
                let machine = app.front.live.as_ref().and_then(|live| map?.machine_at(live, x, y));
                let explain = machine.map(|_| Act::Reveal(Side::Right).into());
                return explain.into_iter().chain([Message::Machine(machine).into()]).collect();
            }
            MapMessage::Left(step) => self.left = step,
            MapMessage::Table => self.maps.values_mut().for_each(FleetMap::toggle_table),
            MapMessage::Colours(colours) => {
                self.colours = colours;
                self.maps.values_mut().for_each(|map| map.colours = colours);
            }
            MapMessage::Frames { lane, run, bytes } => {
                let live = lanes(app).find(|it| it.id == lane).and_then(|lane| lane.live.as_ref());
                if let Some(live) = live.filter(|live| live.run == run) {
                    self.map(lane).frames.replace(bytes, &live.layout);
                }
            }
        }
        Vec::new()
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, app: &App) -> Vec<Sent> {
        match *news {
            News::Changed => {
                self.left = self.left.filter(|_| !app.front.answer.attempts.is_empty());
                self.maps.retain(|id, _| lanes(app).any(|lane| lane.id == *id));
                if let Some(map) = self.maps.get(&app.front.id) {
                    map.tip.rate(rule_editor::value_of(app));
                }
                for lane in lanes(app) {
                    self.map(lane.id);
                }
            }
            News::Forget(lane) => self.map(lane).frames = Frames::default(),
            News::Reply { lane, reply, bytes } => return self.hear_engine(lane, reply, || bytes.take()),
            _ => {}
        }
        Vec::new()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let app = scene.app;
        let (lanes, width) = (app.shown_lanes(), width(scene));
        let name = |lane: &Lane| match lane.id == app.front.id {
            true => tr(Self::TITLE).to_owned(),
            false => say("Fleet map of {}", &[&lane.variant]),
        };
        let map = |lane: &&Lane| {
            let map = self.maps.get(&lane.id)?;
            Some(html! {
                <div class="of-variant" key={lane.id}>
                    if lanes.len() > 1 { <h2 class="variant-name">{ &lane.variant }</h2> }
                    { map.view(link, app, lane, (&name(lane), width), scene.moment()) }
                </div>
            })
        };
        html! { <div class={classes!("fleets", are_side_by_side(scene).then_some("two"))}>{ for lanes.iter().filter_map(map) }</div> }
    }

    fn rendered(&self, scene: &Scene<'_>) {
        let theme = format!("{} {}", scene.theme, media("(prefers-color-scheme: dark)"));
        let may_move = !media("(prefers-reduced-motion: reduce)");
        let width = width(scene);
        for lane in scene.app.shown_lanes() {
            if let Some(map) = self.maps.get(&lane.id) {
                let left = self.left.filter(|_| lane.id == scene.app.front.id);
                map.paint(scene.app, lane, (scene.moment(), left), width, &theme, may_move);
            }
        }
    }
}

impl Fleet {
    /// Handles an engine's reply about the states of machines.
    fn hear_engine(&mut self, lane: u32, reply: &Reply, bytes: impl FnOnce() -> Option<Vec<u8>>) -> Vec<Sent> {
        let run = match reply {
            Reply::Progress(progress) => progress.run,
            Reply::Finished { run, .. } => *run,
            Reply::Moment { time_ms, .. } => {
                bytes().into_iter().for_each(|bytes| self.map(lane).frames.told(*time_ms, bytes));
                return Vec::new();
            }
            _ => return Vec::new(),
        };
        // The application knows the positions on the map after it has handled this reply.
        bytes().map(|bytes| MapMessage::Frames { lane, run, bytes }.into()).into_iter().collect()
    }

    /// The fill level of every machine of a lane at a sampled moment, one byte each, and a number that changes with
    /// them.
    pub(in crate::parts) fn fullness(&self, lane: &Lane, time_ms: f64) -> (&[u8], u32) {
        let told = self.maps.get(&lane.id).zip(lane.live.as_ref());
        told.map_or((&[], 0), |(map, live)| (map.frames.at(&live.frame_times, time_ms).fullness, map.frames.version))
    }

    fn map(&mut self, lane: u32) -> &mut FleetMap {
        let colours = self.colours;
        self.maps.entry(lane).or_insert_with(|| FleetMap::new(colours))
    }
}

/// Width of a map in CSS pixels.
fn width(scene: &Scene<'_>) -> u32 {
    if are_side_by_side(scene) { (scene.width - MAPS_APART) / 2 } else { scene.width }
}

fn are_side_by_side(scene: &Scene<'_>) -> bool {
    scene.app.shown_lanes().len() > 1 && scene.width >= SIDE_BY_SIDE
}

/// The active lane and those next to it.
fn lanes(app: &App) -> impl Iterator<Item = &Lane> {
    std::iter::once(&app.front).chain(&app.aside)
}
