//! Drafts in the browser's storage, one per tab, so that no tab writes over another's.
//!
//! A reload finds the tab's own draft. When storage is forbidden or full the page works
//! on, and says once that drafts are not kept.

use gloo::storage::{LocalStorage, SessionStorage, Storage};
use serde::{Deserialize, Serialize};

const PREFIX: &str = "tiebreak.draft.";
const TAB: &str = "tiebreak.tab";

/// Drafts kept; the oldest make room.
const KEPT: usize = 8;

/// A draft as stored.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Draft {
    /// The document as JSON.
    pub(crate) document: String,
    /// When it was saved, in milliseconds since 1970.
    pub(crate) saved_at: f64,
}

/// This tab's name, made up when it has none.
fn tab() -> String {
    SessionStorage::get(TAB).unwrap_or_else(|_| {
        let mut bytes = [0; 8];
        let _ = getrandom::fill(&mut bytes);
        let name = format!("{:016x}", u64::from_le_bytes(bytes));
        let _ = SessionStorage::set(TAB, &name);
        name
    })
}

/// The draft of this tab, from before a reload.
pub(crate) fn own() -> Option<Draft> {
    let tab: String = SessionStorage::get(TAB).ok()?;
    LocalStorage::get(format!("{PREFIX}{tab}")).ok()
}

/// The latest draft of any tab.
pub(crate) fn latest() -> Option<Draft> {
    keys()
        .iter()
        .filter_map(|key| LocalStorage::get::<Draft>(key).ok())
        .max_by(|a, b| a.saved_at.total_cmp(&b.saved_at))
}

/// Keeps this tab's draft; whether it could be kept.
pub(crate) fn save(document: String) -> bool {
    let draft = Draft { document, saved_at: js_sys::Date::now() };
    let saved = LocalStorage::set(format!("{PREFIX}{}", tab()), draft).is_ok();
    drop_oldest();
    saved
}

/// From here on this tab has a draft of its own, and the one it had stays as it is.
pub(crate) fn begin_another() {
    SessionStorage::delete(TAB);
}

fn keys() -> Vec<String> {
    let storage = LocalStorage::raw();
    let count = storage.length().unwrap_or(0);
    let key = |index| storage.key(index).ok().flatten();
    (0..count).filter_map(key).filter(|key| key.starts_with(PREFIX)).collect()
}

fn drop_oldest() {
    let mut drafts: Vec<(f64, String)> = keys()
        .into_iter()
        .map(|key| (LocalStorage::get::<Draft>(&key).map_or(0.0, |draft| draft.saved_at), key))
        .collect();
    drafts.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, key) in drafts.iter().skip(KEPT) {
        LocalStorage::delete(key);
    }
}
