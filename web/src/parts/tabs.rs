//! Tabs of which one is shown, chosen with the pointer or with the arrow keys, as is standard for tab lists.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::prelude::*;

use super::around;

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
    html! { <div class={classes!("tablist", of)} role="tablist" aria-label={label}
    onclick={Callback::from(|event: MouseEvent| reveal(&event))} onkeydown={Callback::from(|event: KeyboardEvent| move_focus(&event))}>{ for tabs.map(tab) }</div> }
}

/// Scrolls a list that is wider than its place until the tab is in sight.
fn reveal(event: &MouseEvent) {
    if let Some(tab) = around(event, "[role=tab]") {
        let options = ScrollIntoViewOptions::new();
        options.set_inline(ScrollLogicalPosition::Nearest);
        options.set_block(ScrollLogicalPosition::Nearest);
        tab.scroll_into_view_with_scroll_into_view_options(&options);
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
