//! The parts of the page, and the table of its panels.
//!
//! A panel is one file and one line of the table. Everything else here is shared by several panels: fields, forms,
//! exhibits, files to save.

use panel::Place;
use panels::Entry;
use tiebreak_i18n::mark;

pub(crate) mod admission;
pub(crate) mod agents;
pub(crate) mod anatomy;
pub(crate) mod charts;
pub(crate) mod columns;
pub(crate) mod compare;
pub(crate) mod decisions;
pub(crate) mod differences;
pub(crate) mod embed;
pub(crate) mod events;
pub(crate) mod exhibits;
pub(crate) mod explain;
pub(crate) mod field;
pub(crate) mod film;
pub(crate) mod fleet_map;
pub(crate) mod form;
pub(crate) mod imported;
pub(crate) mod lesson;
pub(crate) mod lesson_list;
pub(crate) mod lifetimes;
pub(crate) mod machines;
pub(crate) mod menu;
pub(crate) mod my_trace;
pub(crate) mod network;
pub(crate) mod notices;
pub(crate) mod own_lesson;
pub(crate) mod panel;
pub(crate) mod panels;
pub(crate) mod player;
pub(crate) mod power;
pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod rule_editor;
pub(crate) mod rules;
pub(crate) mod runs;
pub(crate) mod save;
pub(crate) mod seeking;
pub(crate) mod share;
pub(crate) mod sizing;
pub(crate) mod status;
pub(crate) mod sweep;
pub(crate) mod tabs;
pub(crate) mod timeline;
pub(crate) mod toolbar;
pub(crate) mod welcome;
pub(crate) mod workload;

/// The panels with their places. Panels in one place appear in this order, and tabs in the order of their first
/// panels.
static PANELS: &[Entry] = &[
    Entry::of::<toolbar::Toolbar>(Place::Bar),
    Entry::of::<welcome::Welcome>(Place::Welcome),
    Entry::of::<lesson_list::LessonList>(Place::Learn),
    Entry::of::<rules::List>(Place::Left(RULES)),
    Entry::of::<machines::MachinesPanel>(Place::Left(FLEET)),
    Entry::of::<agents::AgentsPanel>(Place::Left(AGENTS)),
    Entry::of::<status::Status>(Place::Headline),
    Entry::of::<notices::Notices>(Place::Above),
    Entry::of::<columns::Columns>(Place::Above),
    Entry::of::<imported::ImportedPanel>(Place::Above),
    Entry::of::<my_trace::MyTrace>(Place::Trace),
    Entry::of::<lesson::Lessons>(Place::Above),
    Entry::of::<fleet_map::Fleet>(Place::Centre),
    Entry::of::<timeline::Timeline>(Place::Centre),
    Entry::of::<compare::Compare>(Place::Under(CHARTS)),
    Entry::of::<charts::Charts>(Place::Under(CHARTS)),
    Entry::of::<differences::Differences>(Place::Under(CHARTS)),
    Entry::of::<decisions::DecisionsPanel>(Place::Under(mark("Decisions"))),
    Entry::of::<workload::WorkloadPanel>(Place::Under(WORKLOAD)),
    Entry::of::<profile::ProfilePanel>(Place::Under(WORKLOAD)),
    Entry::of::<sweep::SweepPanel>(Place::Under(mark("Sweep"))),
    Entry::of::<seeking::SeekPanel>(Place::Under(mark("Find a better list"))),
    Entry::of::<runs::Runs>(Place::Under(mark("Runs"))),
    Entry::of::<lifetimes::LifetimesPanel>(Place::Under(mark("Lifetimes"))),
    Entry::of::<network::NetworkPanel>(Place::Under(mark("Network"))),
    Entry::of::<admission::AdmissionPanel>(Place::Under(mark("Admission"))),
    Entry::of::<power::PowerPanel>(Place::Under(mark("Power"))),
    Entry::of::<anatomy::AnatomyPanel>(Place::Under(mark("Caches"))),
    Entry::of::<rule_editor::RuleEditor>(Place::Right),
    Entry::of::<film::Decision>(Place::Right),
    Entry::of::<explain::Explain>(Place::Right),
    Entry::of::<share::Share>(Place::Over),
    Entry::of::<own_lesson::OwnLesson>(Place::Over),
    Entry::of::<report::Report>(Place::Over),
];

/// Tabs with several panels, or that other parts of the page open.
const RULES: &str = mark("Rules");
pub(crate) const FLEET: &str = mark("Fleet");
const AGENTS: &str = mark("Agents and seed");
pub(crate) const CHARTS: &str = mark("Charts");
pub(crate) const WORKLOAD: &str = mark("Workload");

/// Whether a target is inside an element that matches the selector; `false` without a target.
pub(crate) fn is_inside(target: Option<&web_sys::Element>, selector: &str) -> bool {
    target.is_some_and(|target| matches!(target.closest(selector), Ok(Some(_))))
}

/// Whether a media query holds.
pub(crate) fn media(query: &str) -> bool {
    gloo::utils::window().match_media(query).ok().flatten().is_some_and(|query| query.matches())
}

/// The closest ancestor of an event's target that matches. (Yew listens at the root of the page, so an event's
/// current target is the whole page.)
pub(crate) fn around(event: &web_sys::Event, selector: &str) -> Option<web_sys::Element> {
    use wasm_bindgen::JsCast;
    event.target()?.dyn_into::<web_sys::Element>().ok()?.closest(selector).ok()?
}
