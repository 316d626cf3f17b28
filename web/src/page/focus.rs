//! Moves the focus once the page is rendered.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::Page;

/// The element to focus, and the element that had the focus when that was decided.
pub(super) struct Wanted {
    target: String,
    from: Option<Element>,
}

impl Page {
    /// Moves the focus to the element with this selector once the page is rendered.
    pub(super) fn want_focus(&mut self, target: String) {
        self.focus = Some(Wanted { target, from: holder() });
    }

    /// Moves the focus, unless the user has moved it in the meantime: on a busy page, this may run long after
    /// rendering.
    pub(super) fn give_focus(&mut self) {
        let Some(Wanted { target, from }) = self.focus.take() else { return };
        let now = holder();
        if now.is_some() && now != from {
            return;
        }
        let found = gloo::utils::document().query_selector(&target).ok().flatten();
        if let Some(element) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
            let _ = element.focus();
        }
    }
}

/// The focused element; `None` if there is none, for example after its removal.
fn holder() -> Option<Element> {
    gloo::utils::document().active_element().filter(|element| element.tag_name() != "BODY")
}
