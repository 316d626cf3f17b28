//! A tooltip about the machine under the pointer. It is updated directly, without rendering the page again.

use std::cell::RefCell;

use tiebreak_engine::protocol::Layout;
use tiebreak_engine::words;
use tiebreak_sim::MachineByte;
use tiebreak_view::machines;
use web_sys::{HtmlCanvasElement, HtmlElement, MouseEvent};
use yew::prelude::*;

use super::plan::Plan;

/// Pixels between the pointer and the tooltip.
const AWAY: f64 = 14.0;

/// The tooltip and its data.
#[derive(Default)]
pub(super) struct Tip {
    node: NodeRef,
    map: RefCell<Option<Map>>,
    /// The rule being edited, and its value for every machine.
    values: RefCell<Option<(String, Vec<f64>)>>,
}

/// What the canvas shows.
struct Map {
    plan: Plan,
    layout: Layout,
    /// The fill level of every machine, one byte each.
    fullness: Vec<u8>,
}

impl Tip {
    /// The tooltip element. Its content is also available elsewhere, for users without a pointer.
    pub(super) fn view(&self) -> Html {
        html! { <div class="tip" ref={&self.node} hidden=true aria-hidden="true"></div> }
    }

    /// Updates the data after the canvas was painted.
    pub(super) fn set(&self, plan: Plan, layout: &Layout, fullness: &[u8]) {
        self.map.replace(Some(Map { plan, layout: layout.clone(), fullness: fullness.to_vec() }));
    }

    /// Sets the values of the rule being edited; `None` if there is none.
    pub(super) fn rate(&self, values: Option<(&str, &[f64])>) {
        self.values.replace(values.map(|(rule, values)| (rule.to_owned(), values.to_vec())));
    }

    fn value(&self, machine: u32) -> Option<String> {
        let values = self.values.borrow();
        let (rule, values) = values.as_ref()?;
        Some(format!("; {rule}: {}", words::trimmed(*values.get(machine as usize)?, 3)))
    }

    /// Follows the pointer to this pixel of the canvas.
    pub(super) fn follow(&self, canvas: &HtmlCanvasElement, event: &MouseEvent, (x, y): (u32, u32)) {
        let Some(node) = self.node.cast::<HtmlElement>() else { return };
        let map = self.map.borrow();
        let told = map.as_ref().and_then(|map| {
            let machine = map.plan.machine_at(x, y)?;
            let about = machines::about(&map.layout, machine, MachineByte(*map.fullness.get(machine as usize)?));
            Some(about + &self.value(machine).unwrap_or_default())
        });
        node.set_hidden(told.is_none());
        let Some(told) = told else { return };
        if node.text_content().as_deref() != Some(told.as_str()) {
            node.set_text_content(Some(&told));
        }
        let shape = canvas.get_bounding_client_rect();
        let at = (f64::from(event.client_x()) - shape.left(), f64::from(event.client_y()) - shape.top());
        let wide = f64::from(node.offset_width());
        let left = (at.0 + AWAY).min(shape.width() - wide).max(0.0);
        let _ = node.style().set_property("transform", &format!("translate({left:.0}px, {:.0}px)", at.1 + AWAY));
    }

    /// Hides the tooltip when the pointer leaves the canvas.
    pub(super) fn hide(&self) {
        if let Some(node) = self.node.cast::<HtmlElement>() {
            node.set_hidden(true);
        }
    }
}
