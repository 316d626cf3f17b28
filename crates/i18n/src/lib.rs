//! The page in other languages: the source is English, and a catalogue says the same otherwise.
//!
//! A catalogue is one flat JSON object, English to the other language (`web/strings/de.json`). Where it has no entry, or
//! where none is loaded, English stays. What stands in braces is a place for a value: `{done} of {all} runs`. An
//! entry has the same places as its English, in whatever order its language wants.
//!
//! Texts are of three kinds: [`tr`] for one that is whole, [`say`] for one with places, and [`heard`] for one that
//! somebody else has put together, who knows of no languages: the engine in its worker.

mod catalogue;
mod pattern;

use std::cell::Cell;
use std::fmt::{Display, Write};

use catalogue::Catalogue;
pub use pattern::places_agree;
use pattern::{Piece, pieces, places};

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

/// A text that is translated where it is shown: `cargo xtask strings` finds it by this mark.
#[must_use]
pub const fn mark(text: &'static str) -> &'static str {
    text
}

/// The text with values in its places: in the order in which its English has them, each name once.
///
/// ```
/// assert_eq!(tiebreak_i18n::say("{done} of {all} runs", &[&3, &"8"]), "3 of 8 runs");
/// ```
#[must_use]
pub fn say(english: &str, values: &[&dyn Display]) -> String {
    filled(tr(english), english, values)
}

fn filled(text: &str, english: &str, values: &[&dyn Display]) -> String {
    let places = places(english);
    let mut filled = String::with_capacity(text.len() + 16);
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Place(place) => {
                let value = places.iter().position(|it| *it == place).and_then(|at| values.get(at));
                // Writing to a string cannot fail.
                let _ = value.map(|value| write!(filled, "{value}"));
            }
        }
    }
    filled
}

/// What the engine said in English, in the language in use: its sentence is looked for among the English ones of the
/// catalogue, and so is what stands in its places.
#[must_use]
pub fn heard(text: &str) -> String {
    NOW.get().map_or_else(|| text.to_owned(), |catalogue| catalogue.hear(text))
}

/// A number that was written as English has it, `1,234.5`, as the language in use has it.
#[must_use]
pub fn number(english: String) -> String {
    match NOW.get() {
        Some(catalogue) => catalogue.number(&english),
        None => english,
    }
}

/// The digits of a whole number in groups of three, as English has them: `1,234`.
#[must_use]
pub fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
