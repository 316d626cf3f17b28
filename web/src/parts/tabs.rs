//! Tabs of which one is shown, chosen with the pointer or with the arrow keys, as is standard for tab lists.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::around;

/// Pixels beside a tab that is scrolled into sight: rows fade out at their edge.
const MARGIN: f64 = 24.0;

/// One tab.
pub(crate) struct Tab {
    pub(crate) label: &'static str,
    pub(crate) is_selected: bool,
    pub(crate) select: Callback<MouseEvent>,
}

/// The list. `label` is its accessible name, and `of` is the prefix of the ids of each tab and its panel.
pub(crate) fn list(label: &'static str, of: &'static str, tabs: impl Iterator<Item = Tab>) -> Html {
    let tab = |Tab { label, is_selected, select }: Tab| {
        html! {
            <button role="tab" key={label} aria-selected={is_selected.to_string()} tabindex={if is_selected { "0" } else { "-1" }}
                id={is_selected.then(|| format!("{of}-tab"))} onclick={select}>{ label }</button>
        }
    };
    html! { <div class={classes!("tablist", of)} role="tablist" aria-label={label} onkeydown={Callback::from(|event: KeyboardEvent| move_focus(&event))}>{ for tabs.map(tab) }</div> }
}

/// Scrolls the rows of tabs that are wider than their place until the selected tabs are in sight.
pub(crate) fn reveal() {
    let Ok(selected) = gloo::utils::document().query_selector_all("[role=tab][aria-selected=true]") else { return };
    for tab in (0..selected.length()).filter_map(|at| selected.get(at)?.dyn_into::<Element>().ok()) {
        let Some(row) = tab.closest(".views, .tabs-row").ok().flatten() else { continue };
        let (inner, outer) = (tab.get_bounding_client_rect(), row.get_bounding_client_rect());
        // A list of more tabs may stay over the end of the row.
        let more = row.query_selector("select").ok().flatten();
        let end = more.map_or(f64::INFINITY, |more| more.get_bounding_client_rect().left()).min(outer.right());
        let (before, after) = (inner.left() - outer.left() - MARGIN, inner.right() - end + MARGIN);
        let by = if before < 0.0 { before } else { after.max(0.0) };
        row.set_scroll_left(row.scroll_left() + by as i32);
    }
}

/// The arrow keys move to the adjacent tab and wrap around; Home and End move to the first and last.
fn move_focus(event: &KeyboardEvent) {
    let Some(tab) = around(event, "[role=tab]") else { return };
    let list = tab.parent_element();
    let edge = |first: bool| {
        list.as_ref().and_then(|list| if first { list.first_element_child() } else { list.last_element_child() })
    };
    let next: Option<Element> = match event.key().as_str() {
        "ArrowRight" => tab.next_element_sibling().or_else(|| edge(true)),
        "ArrowLeft" => tab.previous_element_sibling().or_else(|| edge(false)),
        "Home" => edge(true),
        "End" => edge(false),
        _ => return,
    };
    event.prevent_default();
    if let Some(next) = next.and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
        // Fails only for an element that cannot have the focus.
        let _ = next.focus();
        next.click();
    }
}
