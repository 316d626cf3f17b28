//! The texts of one language.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tiebreak_model::phrase::Tongue;

use crate::places_agree;

/// The entry that defines the number format: its second character separates thousands, its sixth decimals.
const NUMBER: &str = "1,234.5";

/// The texts of one language, keyed by their English, in order.
pub(crate) struct Catalogue {
    pub(crate) language: &'static str,
    entries: Vec<(&'static str, &'static str)>,
    /// The separators of thousands and of decimals.
    marks: (char, char),
}

impl Catalogue {
    /// Parses a catalogue; `None` if the text is not one. Entries that are empty, or whose placeholders differ from
    /// the English ones, are skipped.
    pub(crate) fn read(language: &str, json: &str) -> Option<Self> {
        let read: BTreeMap<String, String> = serde_json::from_str(json).ok()?;
        let whole = read.into_iter().filter(|(english, other)| !other.is_empty() && places_agree(english, other));
        let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let entries: Vec<_> = whole.map(|(english, other)| (leaked(english), leaked(other))).collect();
        let mut catalogue = Self { language: leaked(language.to_owned()), entries, marks: (',', '.') };
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
}

impl Tongue for Catalogue {
    fn template<'a>(&'a self, english: &'a str) -> &'a str {
        self.find(english).unwrap_or(english)
    }

    /// A text that consists only of numbers: separators between digits become this language's.
    fn number<'a>(&self, english: &'a str) -> Cow<'a, str> {
        let (thousands, decimals) = self.marks;
        let is_digit = |at: usize| english.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        let marked = english.char_indices().map(|(at, letter)| match letter {
            ',' | '.' if at == 0 || !is_digit(at - 1) || !is_digit(at + 1) => letter,
            ',' => thousands,
            '.' => decimals,
            _ => letter,
        });
        marked.collect::<String>().into()
    }
}
