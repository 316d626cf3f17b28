//! What the page keeps in the browser besides the engine's files: the draft, runs with a star, the lesson that is being
//! written.

use tiebreak_app::{Message, Notice};
use tiebreak_i18n::tr;
use wasm_bindgen::JsValue;

use super::Page;
use crate::drafts;

/// Where runs with a star are kept.
pub(super) const RUNS: &str = "tiebreak.runs";

/// Where the lesson is kept that is being written.
pub(super) const LESSON: &str = "tiebreak.lesson";

/// What is kept here, as it was left; empty where nothing is.
pub(super) fn kept(place: &str) -> String {
    drafts::get(drafts::local, place).unwrap_or_default()
}

impl Page {
    pub(super) fn keep(&mut self, place: &str, text: &str) {
        if !drafts::set(drafts::local, place, &text) {
            self.not_kept();
        }
    }

    /// Keeps the draft. A document that came with the address begins a draft of its own, so
    /// that the one before stays as it was.
    pub(super) fn save_draft(&mut self, document: String) {
        let location = gloo::utils::window().location();
        if location.hash().is_ok_and(|hash| !hash.is_empty()) {
            let path = location.pathname().unwrap_or_default();
            let history = gloo::utils::window().history();
            let _ = history.and_then(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(&path)));
        }
        if !drafts::save(document) {
            self.not_kept();
        }
    }

    /// Says, once, that this browser keeps nothing.
    fn not_kept(&mut self) {
        if std::mem::replace(&mut self.drafts_kept, false) {
            let line =
                tr("The browser's storage is full or disabled. Use Share to keep your work as a link or a file.");
            self.tell(Message::Notice(Notice::bad(tr("Drafts are not saved in this browser"), vec![line.into()])));
        }
    }
}
