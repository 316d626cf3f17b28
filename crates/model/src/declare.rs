//! Self-description of rules, metrics and settings, declared once.
//!
//! A rule, a metric, a workload or a group of settings is declared with the
//! [`declare!`](crate::declare!) macro; its doc comment is its help text. From that one
//! declaration come the form in the page, the check of a document, the reference
//! page, the program's listing and the conformance cases.

use alloc::vec::Vec;

/// The kind of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A whole number.
    Integer,
    /// Any finite number.
    Number,
    /// On (1) or off (0).
    Flag,
    /// One of these words; the value is the word's index.
    Choice(&'static [&'static str]),
}

/// One parameter: its name, meaning, default, range and unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Stable name in documents and links.
    pub name: &'static str,
    /// Its meaning, and the meaning of larger values.
    pub help: &'static str,
    /// The kind of its value.
    pub kind: ParamKind,
    /// The default value.
    pub default: f64,
    /// Smallest allowed value.
    pub min: f64,
    /// Largest allowed value.
    pub max: f64,
    /// Display unit; empty if it has none.
    pub unit: &'static str,
}

impl Param {
    /// Whether a value is of this parameter's kind and inside its range.
    #[must_use]
    pub fn allows(&self, value: f64) -> bool {
        let whole = self.kind == ParamKind::Number || value == (value as i64) as f64;
        value.is_finite() && whole && value >= self.min && value <= self.max
    }

    /// The word of a value, if values have words.
    #[must_use]
    pub fn word(&self, value: f64) -> Option<&'static str> {
        match self.kind {
            ParamKind::Choice(words) => words.get(value as usize).copied(),
            ParamKind::Flag => Some(if value == 0.0 { "false" } else { "true" }),
            ParamKind::Integer | ParamKind::Number => None,
        }
    }

    /// The value of a word, if values have words.
    #[must_use]
    pub fn value_of_word(&self, word: &str) -> Option<f64> {
        match self.kind {
            ParamKind::Choice(words) => words.iter().position(|other| *other == word).map(|place| place as f64),
            ParamKind::Flag | ParamKind::Integer | ParamKind::Number => None,
        }
    }

    /// The display name, in lower case and without its unit: `cores_weight` is "cores weight", `decision_ms` is
    /// "decision time".
    #[must_use]
    pub fn title(&self) -> alloc::string::String {
        crate::titles::title(self.name)
    }
}

/// A declaration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Declaration {
    /// Stable id in documents and links; never changes once shared.
    pub id: &'static str,
    /// Display name.
    pub title: &'static str,
    /// Help for the learner, and the source.
    pub help: &'static str,
    /// Its parameters, in display order.
    pub params: &'static [Param],
}

impl Declaration {
    /// The default of every parameter.
    #[must_use]
    pub fn defaults(&self) -> Vec<f64> {
        self.params.iter().map(|param| param.default).collect()
    }
}

/// A type that carries its own declaration.
pub trait Declared: Sized {
    /// Its declaration.
    const DECLARATION: Declaration;

    /// Builds it from one value per parameter, in declared order; a missing or
    /// disallowed value is the default.
    fn from_values(values: &[f64]) -> Self;

    /// One value per parameter, in declared order.
    fn to_values(&self) -> Vec<f64>;
}

/// A field type that a parameter can have.
pub trait ParamValue: Copy {
    /// Its kind.
    const KIND: ParamKind;
    /// Converts a stored number that [`Param::allows`].
    fn from_number(number: f64) -> Self;
    /// Converts to the stored number.
    fn to_number(self) -> f64;
}

macro_rules! param_values {
    ($($type:ty: $kind:ident;)+) => {$(
        impl ParamValue for $type {
            const KIND: ParamKind = ParamKind::$kind;
            fn from_number(number: f64) -> Self {
                number as $type
            }
            #[allow(clippy::cast_lossless, reason = "one body for every numeric type")]
            fn to_number(self) -> f64 {
                self as f64
            }
        }
    )+};
}

param_values! { f64: Number; u32: Integer; u64: Integer; }

impl ParamValue for bool {
    const KIND: ParamKind = ParamKind::Flag;
    fn from_number(number: f64) -> Self {
        number != 0.0
    }
    fn to_number(self) -> f64 {
        if self { 1.0 } else { 0.0 }
    }
}

/// Lets a parameter be one of an enum's variants, each with its word in documents; the first is the default.
///
/// ```
/// #[derive(Clone, Copy, Debug, Default, PartialEq)]
/// enum Heat {
///     #[default]
///     Low,
///     High,
/// }
/// tiebreak_model::choices! { Heat: Low = "low", High = "high" }
/// use tiebreak_model::declare::ParamValue;
/// assert_eq!((Heat::from_number(1.0), Heat::High.to_number()), (Heat::High, 1.0));
/// ```
#[macro_export]
macro_rules! choices {
    ($choice:ident: $($variant:ident = $word:literal),+ $(,)?) => {
        impl $crate::declare::ParamValue for $choice {
            const KIND: $crate::declare::ParamKind = $crate::declare::ParamKind::Choice(&[$($word),+]);

            fn from_number(number: f64) -> Self {
                [$(Self::$variant),+].get(number as usize).copied().unwrap_or_default()
            }

            fn to_number(self) -> f64 {
                [$(Self::$variant),+].iter().position(|other| *other == self).unwrap_or(0) as f64
            }
        }
    };
}

/// The value at `index` if the parameter allows it, else its default.
#[must_use]
pub fn value_or_default(params: &[Param], values: &[f64], index: usize) -> f64 {
    let param = &params[index];
    values.get(index).copied().filter(|value| param.allows(*value)).unwrap_or(param.default)
}

/// Declares a struct whose fields are parameters.
///
/// ```
/// tiebreak_model::declare! {
///     /// Prefers the warmer soup.
///     pub struct WarmSoup as "Warm soup" {
///         /// How much warmth counts; larger counts more.
///         warmth: f64 = 1.0, 0.0 => 10.0, "";
///     }
/// }
/// use tiebreak_model::Declared;
/// assert_eq!(WarmSoup::DECLARATION.id, "WarmSoup");
/// assert_eq!(WarmSoup::from_values(&[99.0]).warmth, 1.0);
/// ```
#[macro_export]
macro_rules! declare {
    (
        $(#[doc = $doc:literal])+
        $visibility:vis struct $name:ident as $title:literal {
            $(
                $(#[doc = $field_doc:literal])+
                $field:ident: $type:ty = $default:tt, $min:expr => $max:tt, $unit:literal;
            )*
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq)]
        $visibility struct $name {
            $($(#[doc = $field_doc])+ pub $field: $type,)*
        }

        impl $crate::declare::Declared for $name {
            const DECLARATION: $crate::declare::Declaration = $crate::declare::Declaration {
                id: stringify!($name),
                title: $title,
                help: concat!($($doc, "\n"),+),
                params: &[$($crate::declare::Param {
                    name: stringify!($field),
                    help: concat!($($field_doc, "\n"),+),
                    kind: <$type as $crate::declare::ParamValue>::KIND,
                    default: $crate::declare!(@number $default),
                    min: $min as f64,
                    max: $max as f64,
                    unit: $unit,
                }),*],
            };

            fn from_values(values: &[f64]) -> Self {
                let _ = values;
                let mut index = 0;
                $(
                    let $field = <$type as $crate::declare::ParamValue>::from_number(
                        $crate::declare::value_or_default(Self::DECLARATION.params, values, index),
                    );
                    index += 1;
                )*
                let _ = index;
                Self { $($field),* }
            }

            fn to_values(&self) -> $crate::declare::Values {
                [$(<$type as $crate::declare::ParamValue>::to_number(self.$field)),*].into()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                <Self as $crate::declare::Declared>::from_values(&[])
            }
        }
    };
    (@number true) => { 1.0 };
    (@number false) => { 0.0 };
    (@number $value:tt) => { $value as f64 };
}

/// The values of a declared thing, in declared order.
pub type Values = Vec<f64>;
