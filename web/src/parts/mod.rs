//! The parts of the page: each a function from the state to HTML.

pub(crate) mod admission;
pub(crate) mod anatomy;
pub(crate) mod charts;
pub(crate) mod columns;
pub(crate) mod compare;
pub(crate) mod embed;
pub(crate) mod events;
pub(crate) mod exhibits;
pub(crate) mod explain;
pub(crate) mod field;
pub(crate) mod fleet_map;
pub(crate) mod form;
pub(crate) mod lesson;
pub(crate) mod lifetimes;
pub(crate) mod network;
pub(crate) mod notices;
pub(crate) mod own_lesson;
pub(crate) mod player;
pub(crate) mod power;
pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod runs;
pub(crate) mod save;
pub(crate) mod share;
pub(crate) mod sizing;
pub(crate) mod sweep;
pub(crate) mod timeline;
pub(crate) mod toolbar;
pub(crate) mod workload;

/// A rule's name that may break between its words.
pub(crate) fn name(rule: &str) -> yew::Html {
    use yew::prelude::*;
    let letters = rule.chars().enumerate().map(|(index, letter)| {
        html! { <>if index > 0 && letter.is_uppercase() { <wbr /> }{ letter }</> }
    });
    html! { { for letters } }
}

/// The element around an event's target that matches. (Yew listens at the root of the page,
/// so an event's current target is the whole page.)
pub(crate) fn around(event: &web_sys::Event, selector: &str) -> Option<web_sys::Element> {
    use wasm_bindgen::JsCast;
    event.target()?.dyn_into::<web_sys::Element>().ok()?.closest(selector).ok()?
}
