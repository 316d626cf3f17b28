//! The page in other languages: the source is English, and a catalogue says the same otherwise.
//!
//! A catalogue is one flat JSON object, English to the other language (`web/strings/de.json`). Where it has no entry, or
//! where none is loaded, English stays. What stands in braces is a place for a value: `{done} of {all} runs`. An
//! entry has the same places as its English, in whatever order its language wants.
//!
//! Texts are of three kinds: [`tr`] for one that is whole, [`say`] for one with places, and [`tell`] for a [`Phrase`] of
//! somebody who knows of no languages: the engine in its worker.

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

/// The language in use, as HTML names it.
#[must_use]
pub fn language() -> &'static str {
    NOW.get().map_or(ENGLISH, |catalogue| catalogue.language)
}

/// Puts a catalogue to use; whether it is one. Its texts are kept for as long as the program runs.
pub fn load(language: &str, json: &str) -> bool {
    let Some(catalogue) = Catalogue::read(language, json) else { return false };
    let catalogue: &'static Catalogue = Box::leak(Box::new(catalogue));
    LOADED.set(Some(catalogue));
    NOW.set(Some(catalogue));
    true
}

/// Goes on in a language; false where it would have to be loaded first.
pub fn speak(language: &str) -> bool {
    let known = LOADED.get().filter(|loaded| loaded.language == language);
    if known.is_none() && language != ENGLISH {
        return false;
    }
    NOW.set(known);
    true
}

/// Does this in English, whatever the language.
pub fn in_english<T>(work: impl FnOnce() -> T) -> T {
    let now = NOW.take();
    let done = work();
    NOW.set(now);
    done
}

/// The text in the language in use.
#[must_use]
pub fn tr(text: &str) -> &str {
    NOW.get().and_then(|catalogue| catalogue.find(text)).unwrap_or(text)
}

/// The text with values in its places: in the order in which its English has them, each name once.
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

/// A phrase in the language in use.
#[must_use]
pub fn tell(phrase: &Phrase) -> String {
    let Some(catalogue) = NOW.get() else { return phrase.to_string() };
    let mut told = String::new();
    let _ = phrase.say_in(catalogue, &mut told);
    told
}

/// Whether a translation has the same places as its English, none more and none less.
#[must_use]
pub fn places_agree(english: &str, other: &str) -> bool {
    let (these, those) = (places(english), places(other));
    these.len() == those.len() && these.iter().all(|place| those.contains(place))
}

/// A number that was written as English has it, `1,234.5`, as the language in use has it.
#[must_use]
pub fn number(english: String) -> String {
    match NOW.get() {
        Some(catalogue) => catalogue.number(&english).into_owned(),
        None => english,
    }
}

#[cfg(test)]
mod tests;
