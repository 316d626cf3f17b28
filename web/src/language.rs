//! The language of the page: chosen in the bar, kept in this browser, its texts fetched when it is chosen.

use tiebreak_i18n as i18n;
use wasm_bindgen_futures::spawn_local;

use crate::{drafts, places};

/// Languages to choose from, as HTML names them and as who speaks them does; all but English have a file of this
/// name in `web/strings/`.
pub(crate) const LANGUAGES: [(&str, &str); 2] = [(i18n::ENGLISH, "English"), ("de", "Deutsch")];

/// Where the choice is kept.
const KEY: &str = "tiebreak.language";

/// Goes on when the chosen language's texts are there, or when it is known that there are none: English stays then.
pub(crate) fn begin(then: impl FnOnce() + 'static) {
    let chosen: Option<String> = drafts::get(drafts::local, KEY);
    let known = LANGUAGES.iter().find(|(language, _)| chosen.as_deref() == Some(language));
    match known {
        Some((language, _)) if *language != i18n::ENGLISH => fetch(language, |_| then()),
        _ => then(),
    }
}

/// Changes to a language, and tells whether that was possible.
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

/// Only the choice is stored; a browser that forbids storage begins with English again.
fn keep(language: &str) {
    drafts::set(drafts::local, KEY, &language);
    tell_browser();
}

/// What reads the page out loud, and the tab's title.
fn tell_browser() {
    let document = gloo::utils::document();
    if let Some(root) = document.document_element() {
        let _ = root.set_attribute("lang", i18n::language());
    }
    document.set_title(i18n::tr("Tiebreak: how a cloud places virtual machines"));
}
