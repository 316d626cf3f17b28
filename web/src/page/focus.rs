//! Where the focus goes once the page is drawn.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::Page;

/// What is to get the focus, and what had it when that was decided.
pub(super) struct Wanted {
    target: String,
    from: Option<Element>,
}

impl Page {
    /// Once the page is drawn, the focus goes to what this selector names.
    pub(super) fn want_focus(&mut self, target: String) {
        self.focus = Some(Wanted { target, from: holder() });
    }

    /// Gives the focus, unless somebody has moved it meanwhile: a busy page is drawn some time before this is called.
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

/// What has the focus; none where nothing has, as after its removal.
fn holder() -> Option<Element> {
    gloo::utils::document().active_element().filter(|element| element.tag_name() != "BODY")
}
