//! Drafts in the browser's storage, one per tab, so that no tab overwrites another tab's draft.
//!
//! A reload finds the tab's own draft. If storage is forbidden or full, the page keeps working and says once that
//! drafts are not kept.

use std::cell::RefCell;

use gloo::utils::window;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use web_sys::Storage;

const PREFIX: &str = "tiebreak.draft.";

/// The draft that this tab shows after a reload. A duplicated tab gets a copy of it.
const SHOWN: &str = "tiebreak.shown";

/// The draft that this tab writes. It is stored only while no page is open in the tab, so that a duplicated tab does
/// not inherit it and starts its own draft.
const OWNED: &str = "tiebreak.owned";

/// The expression being typed in this tab while it is invalid, and therefore in no document.
const TYPED: &str = "tiebreak.typed";

/// Number of drafts to keep; the oldest are deleted.
const KEPT: usize = 8;

thread_local! {
    static TAB: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A draft as stored.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Draft {
    /// The document as JSON.
    pub(crate) document: String,
    /// When it was saved, in milliseconds since 1970.
    saved_at: Number,
}

impl Draft {
    /// When it was saved, in milliseconds since 1970.
    pub(crate) fn saved_at(&self) -> f64 {
        self.saved_at.as_f64().unwrap_or(0.0)
    }
}

/// The browser's storage, unless it is switched off.
pub(crate) fn local() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

/// The browser's storage for this tab, unless it is switched off.
pub(crate) fn session() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

/// The value stored under this key, if there is one and it can be read.
pub(crate) fn get<T: for<'a> Deserialize<'a>>(storage: fn() -> Option<Storage>, key: &str) -> Option<T> {
    let text = storage()?.get_item(key).ok().flatten()?;
    serde_json::from_str(&text).ok()
}

/// Stores a value; returns whether that succeeded.
pub(crate) fn set(storage: fn() -> Option<Storage>, key: &str, value: &impl Serialize) -> bool {
    let text = serde_json::to_string(value).ok();
    let kept = storage().zip(text).map(|(storage, text)| storage.set_item(key, &text).is_ok());
    kept.unwrap_or(false)
}

/// Deletes what is stored under this key.
pub(crate) fn delete(storage: fn() -> Option<Storage>, key: &str) {
    // Without storage there is nothing to delete.
    let _ = storage().map(|storage| storage.remove_item(key));
}

/// An expression as typed, before it was valid.
#[derive(Serialize, Deserialize)]
struct Typed {
    /// The custom rule.
    rule: String,
    /// The expression in the document at that time.
    over: String,
    text: String,
}

/// The text that was typed for this rule over this expression before the page was reloaded.
pub(crate) fn typed(rule: &str, over: &str) -> Option<String> {
    get::<Typed>(session, TYPED).filter(|typed| typed.rule == rule && typed.over == over).map(|typed| typed.text)
}

/// Stores the text typed for this rule over this expression; deletes it if there is no text.
pub(crate) fn keep_typed(rule: &str, over: &str, text: Option<&str>) {
    match text {
        // Without storage a reload loses it, like the whole draft. The page has already said so.
        Some(text) => {
            set(session, TYPED, &Typed { rule: rule.into(), over: over.into(), text: text.into() });
        }
        None => delete(session, TYPED),
    }
}

/// Takes over the draft that the previous page in this tab wrote.
pub(crate) fn take_over() {
    TAB.set(get(session, OWNED));
    delete(session, OWNED);
}

/// Leaves the draft to the next page in this tab.
pub(crate) fn hand_over() {
    if let Some(tab) = TAB.with_borrow(Clone::clone) {
        set(session, OWNED, &tab);
    }
}

/// The name of the draft that this tab writes; generated if there is none.
fn tab() -> String {
    let name = TAB.with_borrow(Clone::clone).unwrap_or_else(|| {
        let mut bytes = [0; 8];
        let _ = getrandom::fill(&mut bytes);
        format!("{:016x}", u64::from_le_bytes(bytes))
    });
    TAB.set(Some(name.clone()));
    name
}

/// The draft of this tab, from before a reload.
pub(crate) fn own() -> Option<Draft> {
    let tab: String = get(session, SHOWN)?;
    get(local, &format!("{PREFIX}{tab}"))
}

/// The latest draft of any tab.
pub(crate) fn latest() -> Option<Draft> {
    keys().iter().filter_map(|key| get::<Draft>(local, key)).max_by(|a, b| a.saved_at().total_cmp(&b.saved_at()))
}

/// Saves this tab's draft; returns whether that succeeded.
pub(crate) fn save(document: String) -> bool {
    let draft = Draft { document, saved_at: Number::from(js_sys::Date::now() as u64) };
    let tab = tab();
    let saved = set(local, &format!("{PREFIX}{tab}"), &draft) && set(session, SHOWN, &tab);
    drop_oldest();
    saved
}

/// Starts a new draft in this tab; the previous one stays unchanged.
pub(crate) fn begin_another() {
    TAB.set(None);
    delete(session, SHOWN);
}

fn keys() -> Vec<String> {
    let Some(storage) = local() else { return Vec::new() };
    let count = storage.length().unwrap_or(0);
    let key = |index| storage.key(index).ok().flatten();
    (0..count).filter_map(key).filter(|key| key.starts_with(PREFIX)).collect()
}

fn drop_oldest() {
    let mut drafts: Vec<(f64, String)> =
        keys().into_iter().map(|key| (get::<Draft>(local, &key).map_or(0.0, |draft| draft.saved_at()), key)).collect();
    drafts.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, key) in drafts.iter().skip(KEPT) {
        delete(local, key);
    }
}
