//! One language's texts.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::filled;
use crate::pattern::{Piece, Place, matched, pieces, places, places_agree};

/// The entry that says how numbers are written: its second character stands between thousands, its sixth before
/// decimals.
const NUMBER: &str = "1,234.5";

/// How deep sentences are looked for in the places of others.
const DEPTH: usize = 6;

/// What stands between the parts of an enumeration.
const BETWEEN: [&str; 2] = ["; ", ", "];

/// The texts of one language by their English, in order.
pub(crate) struct Catalogue {
    pub(crate) language: &'static str,
    entries: Vec<(&'static str, &'static str)>,
    /// Entries with places, those first that say most themselves.
    patterns: Vec<Pattern>,
    /// Between thousands, and before decimals.
    marks: (char, char),
}

struct Pattern {
    english: &'static str,
    other: &'static str,
    pieces: Vec<Piece<'static>>,
    /// Characters outside its places.
    said: usize,
}

impl Catalogue {
    /// The catalogue in this text, if it is one. Entries that are empty, or whose places are others than those of
    /// their English, are left out.
    pub(crate) fn read(language: &str, json: &str) -> Option<Self> {
        let read: BTreeMap<String, String> = serde_json::from_str(json).ok()?;
        let whole = read.into_iter().filter(|(english, other)| !other.is_empty() && places_agree(english, other));
        let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let entries: Vec<_> = whole.map(|(english, other)| (leaked(english), leaked(other))).collect();
        let mut patterns: Vec<_> = entries.iter().filter_map(|entry| Pattern::of(*entry)).collect();
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.said));
        let mut catalogue = Self { language: leaked(language.to_owned()), entries, patterns, marks: (',', '.') };
        let number: Vec<char> = catalogue.find(NUMBER).unwrap_or(NUMBER).chars().collect();
        if let [_, thousands, _, _, _, decimals, _] = number[..] {
            catalogue.marks = (thousands, decimals);
        }
        Some(catalogue)
    }

    pub(crate) fn find(&self, english: &str) -> Option<&'static str> {
        let at = self.entries.binary_search_by(|(key, _)| (*key).cmp(english)).ok()?;
        Some(self.entries[at].1)
    }

    pub(crate) fn hear(&self, text: &str) -> String {
        self.hear_in(text, DEPTH)
    }

    fn hear_in(&self, text: &str, depth: usize) -> String {
        if let Some(found) = self.find(text) {
            return found.to_owned();
        }
        if depth == 0 || is_number(text) {
            return self.number(text);
        }
        let found = self.patterns.iter().find_map(|pattern| Some((pattern, matched(&pattern.pieces, text)?)));
        if let Some((pattern, values)) = found {
            return pattern.filled(|place| self.hear_in(values[place], depth - 1));
        }
        match BETWEEN.iter().find(|between| text.contains(**between)) {
            Some(between) => {
                let parts: Vec<_> = text.split(between).map(|part| self.hear_in(part, depth - 1)).collect();
                parts.join(between)
            }
            None => self.amount(text).unwrap_or_else(|| text.to_owned()),
        }
    }

    /// A number with its unit, or with what it counts.
    fn amount(&self, text: &str) -> Option<String> {
        let (number, unit) = text.split_once(' ').filter(|(number, _)| is_number(number))?;
        Some(format!("{} {}", self.number(number), self.find(unit).unwrap_or(unit)))
    }

    /// Numbers in a text that has nothing else: marks between digits become this language's.
    pub(crate) fn number(&self, english: &str) -> String {
        let (thousands, decimals) = self.marks;
        let is_digit = |at: usize| english.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        let marked = english.char_indices().map(|(at, letter)| match letter {
            ',' | '.' if at == 0 || !is_digit(at - 1) || !is_digit(at + 1) => letter,
            ',' => thousands,
            '.' => decimals,
            _ => letter,
        });
        marked.collect()
    }
}

impl Pattern {
    /// An entry as a pattern; none where it has no places, or no words outside them.
    fn of((english, other): (&'static str, &'static str)) -> Option<Self> {
        let pieces = pieces(english);
        let text = |piece: &Piece<'static>| if let Piece::Text(text) = piece { Some(*text) } else { None };
        let speaks = pieces.iter().filter_map(text).any(|text| text.contains(char::is_alphabetic));
        let said = pieces.iter().filter_map(text).map(str::len).sum();
        (speaks && pieces.len() > pieces.iter().filter_map(text).count()).then_some(Self {
            english,
            other,
            pieces,
            said,
        })
    }

    /// The translation; `value` gives what stands at the n-th place of the English.
    fn filled(&self, value: impl Fn(usize) -> String) -> String {
        let place = |piece: &Piece<'static>| if let Piece::Place(place) = piece { Some(*place) } else { None };
        let in_order: Vec<Place<'_>> = self.pieces.iter().filter_map(place).collect();
        let first = |place: &Place<'_>| in_order.iter().position(|it| it == place).unwrap_or(0);
        let values: Vec<String> = places(self.english).iter().map(|place| value(first(place))).collect();
        let values: Vec<&dyn Display> = values.iter().map(|value| value as &dyn Display).collect();
        filled(self.other, self.english, &values)
    }
}

fn is_number(text: &str) -> bool {
    text.contains(|letter: char| letter.is_ascii_digit())
        && text.chars().all(|letter| letter.is_ascii_digit() || " ,.%()+-\u{2212}±".contains(letter))
}
