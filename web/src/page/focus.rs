//! Where the focus goes once the page is drawn.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::Page;

impl Page {
    pub(super) fn give_focus(&mut self) {
        let Some(target) = self.focus.take() else { return };
        let found = gloo::utils::document().query_selector(&target).ok().flatten();
        if let Some(element) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
            let _ = element.focus();
        }
    }
}
