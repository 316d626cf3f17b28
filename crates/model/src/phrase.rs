//! Text for people: English that can be translated into any language.
//!
//! A [`Phrase`] is a template with values in its places. The template is its key. Printing the phrase gives English.
//! Given a [`Tongue`], the phrase looks up the translated template, formats numbers for that language, and translates
//! phrases inside it. So a sentence can be passed on as it is, and nothing has to parse its English text.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display, Write};

/// A text for people: a template and the values of its places, in the order of the English text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Phrase {
    template: Cow<'static, str>,
    values: Vec<Value>,
}

/// The value of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Value {
    /// Equal in every language: a name, an id, a time of day.
    Text(String),
    /// A number in English format: `1,234.5`.
    Number(String),
    /// A nested phrase.
    Phrase(Phrase),
}

/// A phrase: its template, and the values of its places in order, each place once.
///
/// A place may have a name; numbers may have a number of decimals.
///
/// ```
/// use tiebreak_model::phrase;
///
/// let (rule, left, share) = ("BestFit", 12, 62.51);
/// let said = phrase!("{rule} left {left} machines, {share:.1} %", rule, left, share);
/// assert_eq!(said.to_string(), "BestFit left 12 machines, 62.5 %");
/// ```
#[macro_export]
macro_rules! phrase {
    ($template:literal $(, $value:expr)* $(,)?) => {{
        const { assert!($crate::phrase::is_filled_by($template, <[&str]>::len(&[$(stringify!($value)),*])), "a value a place") }
        $crate::Phrase::new($template, &[$(&$value),*])
    }};
}

/// Whether this is the number of values that a template needs; each place counts once.
#[doc(hidden)]
#[must_use]
pub const fn is_filled_by(template: &str, values: usize) -> bool {
    let (mut at, mut places) = (0, 0);
    while at < template.len() {
        places += (template.as_bytes()[at] == b'{') as usize;
        at += 1;
    }
    places == values
}

/// Marks a text that later becomes a [`Phrase::text`], so that `cargo xtask strings` finds it.
#[must_use]
pub const fn mark(text: &'static str) -> &'static str {
    text
}

impl Phrase {
    /// From a template and the values of its places; [`phrase!`] checks them.
    #[must_use]
    pub fn new(template: &'static str, values: &[&dyn Say]) -> Self {
        let places = pieces(template).into_iter().filter_map(|piece| match piece {
            Piece::Place(_, decimals) => Some(decimals),
            Piece::Text(_) => None,
        });
        let values = values.iter().zip(places).map(|(value, decimals)| value.say(decimals)).collect();
        Self { template: template.into(), values }
    }

    /// A whole text, which stays as it is if no translation exists: one that is [`mark`]ed or declared elsewhere, or
    /// a text from outside.
    #[must_use]
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Self { template: text.into(), values: Vec::new() }
    }

    /// A list of phrases: `a, b and c`.
    #[must_use]
    pub fn listed(phrases: impl IntoIterator<Item = Self>) -> Self {
        let mut phrases: Vec<Self> = phrases.into_iter().collect();
        match phrases.pop() {
            Some(last) if !phrases.is_empty() => phrase!("{} and {last}", Self::joined(phrases, "{}, {}"), last),
            last => last.unwrap_or_default(),
        }
    }

    /// Joins phrases with a template of two places: `{}, {}`.
    #[must_use]
    pub fn joined(phrases: impl IntoIterator<Item = Self>, by: &'static str) -> Self {
        phrases.into_iter().reduce(|all, next| Self::new(by, &[&all, &next])).unwrap_or_default()
    }

    /// The same with other names: replaces every text that is a value, or the whole phrase, by the result of
    /// `rename`.
    #[must_use]
    pub fn renamed(&self, rename: &dyn Fn(&str) -> Option<Self>) -> Self {
        if self.values.is_empty() {
            return rename(&self.template).unwrap_or_else(|| self.clone());
        }
        let value = |value: &Value| match value {
            Value::Text(text) => rename(text).map_or_else(|| value.clone(), Value::Phrase),
            Value::Number(_) => value.clone(),
            Value::Phrase(phrase) => Value::Phrase(phrase.renamed(rename)),
        };
        Self { template: self.template.clone(), values: self.values.iter().map(value).collect() }
    }

    /// Writes it in a language.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn say_in(&self, tongue: &dyn Tongue, to: &mut dyn Write) -> fmt::Result {
        if self.values.is_empty() {
            return to.write_str(tongue.template(&self.template));
        }
        fill(tongue.template(&self.template), &self.template, to, &mut |place, to| match self.values.get(place) {
            Some(Value::Text(text)) => to.write_str(text),
            Some(Value::Number(number)) => to.write_str(&tongue.number(number)),
            Some(Value::Phrase(phrase)) => phrase.say_in(tongue, to),
            None => Ok(()),
        })
    }
}

/// A language.
pub trait Tongue {
    /// The translation of an English template.
    fn template<'a>(&'a self, english: &'a str) -> &'a str;

    /// The translation of a number in English format.
    fn number<'a>(&self, english: &'a str) -> Cow<'a, str>;
}

struct English;

impl Tongue for English {
    fn template<'a>(&'a self, english: &'a str) -> &'a str {
        english
    }

    fn number<'a>(&self, english: &'a str) -> Cow<'a, str> {
        english.into()
    }
}

impl Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.say_in(&English, f)
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::Number(text) => f.write_str(text),
            Self::Phrase(phrase) => phrase.fmt(f),
        }
    }
}

/// A type that can be the value of a place.
pub trait Say {
    /// The value, with this many decimals if it is a number and its place gives them.
    fn say(&self, decimals: Option<usize>) -> Value;
}

impl<T: Say + ?Sized> Say for &T {
    fn say(&self, decimals: Option<usize>) -> Value {
        (*self).say(decimals)
    }
}

impl Say for str {
    fn say(&self, _: Option<usize>) -> Value {
        Value::Text(self.to_string())
    }
}

impl Say for String {
    fn say(&self, _: Option<usize>) -> Value {
        Value::Text(self.clone())
    }
}

impl Say for Phrase {
    fn say(&self, _: Option<usize>) -> Value {
        Value::Phrase(self.clone())
    }
}

/// Empty for `None`.
impl Say for Option<Phrase> {
    fn say(&self, _: Option<usize>) -> Value {
        Value::Phrase(self.clone().unwrap_or_default())
    }
}

impl Say for Value {
    fn say(&self, _: Option<usize>) -> Value {
        self.clone()
    }
}

impl Say for f64 {
    fn say(&self, decimals: Option<usize>) -> Value {
        Value::Number(decimals.map_or_else(|| self.to_string(), |decimals| format!("{self:.decimals$}")))
    }
}

macro_rules! say_whole {
    ($($number:ty),*) => {$(
        impl Say for $number {
            fn say(&self, _: Option<usize>) -> Value {
                Value::Number(self.to_string())
            }
        }
    )*};
}

say_whole!(u8, i32, u32, i64, u64, usize, crate::MachineId, crate::RackId, crate::ChassisId);

/// A number with thousands separators: `13,521`.
#[must_use]
pub fn count(number: u64) -> Value {
    Value::Number(grouped(&number.to_string()))
}

/// The digits of an integer in groups of three, as in English: `1,234`.
#[must_use]
pub fn grouped(digits: &str) -> String {
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// The parts of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Literal text.
    Text(&'a str),
    /// The place of a value, and its number of decimals if it is a number.
    Place(Place<'a>, Option<usize>),
}

/// A place by its name, or by its index among those without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// `{name}`
    Named(&'a str),
    /// `{}`, or `{1}`
    Numbered(usize),
}

/// The pieces of a template.
#[must_use]
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest, mut unnamed) = (Vec::new(), text, 0);
    while let Some((before, from)) = rest.split_once('{') {
        let Some((inside, behind)) = from.split_once('}') else { break };
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        let (name, format) = inside.split_once(':').unwrap_or((inside, ""));
        let place = match name.parse() {
            Ok(number) => Place::Numbered(number),
            Err(_) if name.is_empty() => Place::Numbered(unnamed),
            Err(_) => Place::Named(name),
        };
        pieces.push(Piece::Place(place, format.strip_prefix('.').and_then(|digits| digits.parse().ok())));
        unnamed += usize::from(name.is_empty());
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// The places of a template in order, each once.
#[must_use]
pub fn places(text: &str) -> Vec<Place<'_>> {
    let mut places = Vec::new();
    for piece in pieces(text) {
        if let Piece::Place(place, _) = piece
            && !places.contains(&place)
        {
            places.push(place);
        }
    }
    places
}

/// Writes a template; at each place, calls `value` with the place's index in the English template.
///
/// # Errors
/// Errors of the writer.
pub fn fill(
    template: &str,
    english: &str,
    to: &mut dyn Write,
    value: &mut dyn FnMut(usize, &mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    let places = places(english);
    for piece in pieces(template) {
        match piece {
            Piece::Text(text) => to.write_str(text)?,
            Piece::Place(place, _) => {
                if let Some(at) = places.iter().position(|it| *it == place) {
                    value(at, to)?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A nonsense language that shows what was translated.
    struct Odd;

    impl Tongue for Odd {
        fn template<'a>(&'a self, english: &'a str) -> &'a str {
            match english {
                "{rule} left {n} of {all:.1}, {why}" => "{all}: {why} {rule}-{n}",
                "it {}" => "ES {}",
                "cores" => "Kerne",
                other => other,
            }
        }

        fn number<'a>(&self, english: &'a str) -> Cow<'a, str> {
            english.replace('.', ";").into()
        }
    }

    fn both(phrase: &Phrase) -> (String, String) {
        let mut odd = String::new();
        phrase.say_in(&Odd, &mut odd).expect("a string takes all");
        (phrase.to_string(), odd)
    }

    #[test]
    fn a_phrase_is_english_and_every_tongue_says_it_its_own_way() {
        let why = phrase!("it {}", Phrase::text("cores"));
        let said = phrase!("{rule} left {n} of {all:.1}, {why}", "Best.Fit", 3_u32, 2.25, why);
        assert_eq!(both(&said), ("Best.Fit left 3 of 2.2, it cores".into(), "2;2: ES Kerne Best.Fit-3".into()));
        assert_eq!(both(&phrase!("{} of {}", 0.5, count(1_234))), ("0.5 of 1,234".into(), "0;5 of 1,234".into()));
    }

    #[test]
    fn a_text_stays_whatever_is_in_it() {
        for text in ["", "{}", "{a} {", "100 %"] {
            assert_eq!(both(&Phrase::text(text)), (text.into(), text.into()));
        }
        let hostile = phrase!("it {}", "{why} {}");
        assert_eq!(both(&hostile), ("it {why} {}".into(), "ES {why} {}".into()));
    }

    #[test]
    fn phrases_are_listed() {
        let listed = |words: &[&'static str]| Phrase::listed(words.iter().map(|word| Phrase::text(*word))).to_string();
        assert_eq!([listed(&[]), listed(&["a"])], ["", "a"]);
        assert_eq!([listed(&["a", "b"]), listed(&["a", "b", "cores"])], ["a and b", "a, b and cores"]);
    }

    #[test]
    fn each_place_has_a_value() {
        assert!(is_filled_by("{a} of {b:.1}", 2) && is_filled_by("none", 0));
        assert!(!is_filled_by("{a} of {b:.1}", 1) && !is_filled_by("none", 1));
    }

    #[test]
    fn numbers_are_grouped() {
        let counts = [0, 12, 999, 1_000, 13_521, 1_234_567].map(|number| count(number).to_string());
        assert_eq!(counts, ["0", "12", "999", "1,000", "13,521", "1,234,567"]);
    }
}
