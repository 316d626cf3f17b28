//! Translations of the page: the source is English, and a catalogue translates it.
//!
//! A catalogue is one flat JSON object, from English to the other language (`web/strings/de.json`). Without an entry
//! or a loaded catalogue, the English text is used. Braces mark a placeholder: `{done} of {all} runs`. A translation
//! has the same placeholders as its English, in any order.
//!
//! There are three kinds of texts: [`tr`] for a complete one, [`say`] for one with placeholders, and [`tell`] for a
//! [`Phrase`] from code that knows no languages: the engine in its worker.

mod catalogue;

use std::cell::Cell;
use std::fmt::{Display, Write};

use catalogue::Catalogue;
use tiebreak_model::Phrase;
use tiebreak_model::phrase::{Tongue, fill, places};
pub use tiebreak_model::phrase::{grouped, mark};

thread_local! {
    static NOW: Cell<Option<&'static Catalogue>> = const { Cell::new(None) };
    static LOADED: Cell<Option<&'static Catalogue>> = const { Cell::new(None) };
}

/// The language of the source.
pub const ENGLISH: &str = "en";

/// The current language, as an HTML `lang` value.
#[must_use]
pub fn language() -> &'static str {
    NOW.get().map_or(ENGLISH, |catalogue| catalogue.language)
}

/// Loads and selects a catalogue; returns whether it is valid. Its texts stay in memory for as long as the program
/// runs.
pub fn load(language: &str, json: &str) -> bool {
    let Some(catalogue) = Catalogue::read(language, json) else { return false };
    let catalogue: &'static Catalogue = Box::leak(Box::new(catalogue));
    LOADED.set(Some(catalogue));
    NOW.set(Some(catalogue));
    true
}

/// Switches to a language; false if it is not loaded yet.
pub fn speak(language: &str) -> bool {
    let known = LOADED.get().filter(|loaded| loaded.language == language);
    if known.is_none() && language != ENGLISH {
        return false;
    }
    NOW.set(known);
    true
}

/// Runs this in English, whatever the current language.
pub fn in_english<T>(work: impl FnOnce() -> T) -> T {
    let now = NOW.take();
    let done = work();
    NOW.set(now);
    done
}

/// The text in the current language.
#[must_use]
pub fn tr(text: &str) -> &str {
    NOW.get().and_then(|catalogue| catalogue.find(text)).unwrap_or(text)
}

/// The text with its placeholders filled: values are in the order of the English text, each name once.
///
/// ```
/// assert_eq!(tiebreak_i18n::say("{done} of {all} runs", &[&3, &"8"]), "3 of 8 runs");
/// ```
#[must_use]
pub fn say(english: &str, values: &[&dyn Display]) -> String {
    let mut said = String::with_capacity(english.len() + 16);
    let mut value = |place: usize, to: &mut dyn Write| values.get(place).map_or(Ok(()), |value| write!(to, "{value}"));
    // Writing to a string cannot fail.
    let _ = fill(tr(english), english, &mut said, &mut value);
    said
}

/// A phrase in the current language.
#[must_use]
pub fn tell(phrase: &Phrase) -> String {
    let Some(catalogue) = NOW.get() else { return phrase.to_string() };
    let mut told = String::new();
    let _ = phrase.say_in(catalogue, &mut told);
    told
}

/// Whether a translation has exactly the placeholders of its English.
#[must_use]
pub fn places_agree(english: &str, other: &str) -> bool {
    let (these, those) = (places(english), places(other));
    these.len() == those.len() && these.iter().all(|place| those.contains(place))
}

/// A number in English format, `1,234.5`, converted to the current language.
#[must_use]
pub fn number(english: String) -> String {
    match NOW.get() {
        Some(catalogue) => catalogue.number(&english).into_owned(),
        None => english,
    }
}

#[cfg(test)]
mod tests;
