//! The language of the page: chosen in the bar, stored in this browser; its texts are fetched when it is chosen.

use tiebreak_i18n as i18n;
use wasm_bindgen_futures::spawn_local;

use crate::{drafts, places};

/// The languages, by their HTML code and their own name. All but English have a file of this name in `web/strings/`.
pub(crate) const LANGUAGES: [(&str, &str); 2] = [(i18n::ENGLISH, "English"), ("de", "Deutsch")];

/// The key under which the choice is stored.
const KEY: &str = "tiebreak.language";

/// Continues when the texts of the chosen language are loaded, or are known to be unavailable: then English stays.
pub(crate) fn begin(then: impl FnOnce() + 'static) {
    let chosen: Option<String> = drafts::get(drafts::local, KEY);
    let known = LANGUAGES.iter().find(|(language, _)| chosen.as_deref() == Some(language));
    match known {
        Some((language, _)) if *language != i18n::ENGLISH => fetch(language, |_| then()),
        _ => then(),
    }
}

/// Changes the language, and reports whether that succeeded.
pub(crate) fn choose(language: String, told: impl FnOnce(bool) + 'static) {
    if i18n::speak(&language) {
        keep(&language);
        return told(true);
    }
    fetch(&language.clone(), move |spoken| {
        if spoken {
            keep(&language);
        }
        told(spoken);
    });
}

fn fetch(language: &str, then: impl FnOnce(bool) + 'static) {
    let language = language.to_owned();
    spawn_local(async move {
        let texts = places::text("strings", &format!("{language}.json")).await;
        let spoken = texts.is_some_and(|texts| i18n::load(&language, &texts));
        tell_browser();
        then(spoken);
    });
}

/// Only the choice is stored; a browser that forbids storage starts in English again.
fn keep(language: &str) {
    drafts::set(drafts::local, KEY, &language);
    tell_browser();
}

/// Tells screen readers the language, and sets the tab's title.
fn tell_browser() {
    let document = gloo::utils::document();
    if let Some(root) = document.document_element() {
        let _ = root.set_attribute("lang", i18n::language());
    }
    document.set_title(i18n::tr("Tiebreak: how a cloud places virtual machines"));
}
