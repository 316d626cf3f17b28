//! What the page stores in the browser besides the engine's files: the draft, starred runs, the lesson being written.

use tiebreak_app::{Message, Notice};
use tiebreak_i18n::tr;
use wasm_bindgen::JsValue;

use super::Page;
use crate::drafts;

/// The key for starred runs.
pub(super) const RUNS: &str = "tiebreak.runs";

/// The key for the lesson being written.
pub(super) const LESSON: &str = "tiebreak.lesson";

/// What was last stored under this key; empty if nothing.
pub(super) fn kept(place: &str) -> String {
    drafts::get(drafts::local, place).unwrap_or_default()
}

/// The keys of a search's lines, each followed by the line's number. A tab has its own search.
const SEARCH: &str = "tiebreak.search.";

/// The lines of this tab's search; none if there is no search.
pub(super) fn kept_search() -> Vec<String> {
    (0..).map_while(|at| drafts::get(drafts::session, &format!("{SEARCH}{at}"))).collect()
}

/// Deletes the lines of this tab's search.
pub(super) fn forget_search() {
    for at in 0..kept_search().len() {
        drafts::delete(drafts::session, &format!("{SEARCH}{at}"));
    }
}

impl Page {
    pub(super) fn keep_search(&mut self, at: usize, text: &str) {
        if at == 0 {
            forget_search();
        }
        if !drafts::set(drafts::session, &format!("{SEARCH}{at}"), &text) {
            self.not_kept();
        }
    }

    pub(super) fn keep(&mut self, place: &str, text: &str) {
        if !drafts::set(drafts::local, place, &text) {
            self.not_kept();
        }
    }

    /// Saves the draft. A document from the address starts its own draft, so that the previous one stays unchanged.
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

    /// Says, once, that this browser stores nothing.
    fn not_kept(&mut self) {
        if std::mem::replace(&mut self.drafts_kept, false) {
            let line =
                tr("The browser's storage is full or disabled. Use Share to keep your work as a link or a file.");
            self.tell(Message::Notice(Notice::bad(tr("Drafts are not saved in this browser"), vec![line.into()])));
        }
    }
}
