//! Claims of a lesson about its runs, which a test can check:
//! `empty_hosts_pct_mean(now) > empty_hosts_pct_mean(against) + 2`.
//!
//! Both sides are sums of numbers and measures, each with an optional factor:
//! `rejections(now) < 0.5 * rejections(against)`. A measure without a run refers to the step's own run.

use std::fmt;

use serde::{Deserialize, Serialize};
use tiebreak_model::phrase::mark;
use tiebreak_model::{Phrase, phrase};

use crate::issue::quoted;
use crate::measure::{Measure, Run};

/// The most comparisons in one claim.
const COMPARISONS_MAX: usize = 8;

/// The most terms on one side.
const TERMS_MAX: usize = 8;

/// Numbers in claims are smaller than this, so that they are written as they were read.
const NUMBER_MAX: f64 = 1e12;

/// Two numbers nearer than this are equal.
const EQUAL_WITHIN: f64 = 1e-9;

/// A claim about a step's runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The runs that it covers.
    pub scope: Scope,
    /// The condition.
    pub test: Test,
}

/// The runs that a claim covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The seed shown and the seeds around it.
    Always,
    /// Only the run shown.
    Here,
}

/// Comparisons that must all hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Test(Vec<Comparison>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Comparison {
    left: Sum,
    relation: Relation,
    right: Sum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Relation {
    More,
    AtLeast,
    Less,
    AtMost,
    Equal,
    Other,
}

/// Longer signs first, so that the parser does not match a shorter one.
const RELATIONS: [(&str, Relation); 6] = [
    ("!=", Relation::Other),
    (">=", Relation::AtLeast),
    ("<=", Relation::AtMost),
    (">", Relation::More),
    ("<", Relation::Less),
    ("=", Relation::Equal),
];

/// A sum of numbers and measures: one side of a comparison, or the target of an estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sum(Vec<Term>);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Term {
    factor: f64,
    /// The measure that the factor multiplies; `None` for a bare number.
    of: Option<(Measure, Run)>,
}

/// Why a text is not a claim: what was expected, and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAClaim {
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub got: String,
}

impl Test {
    /// Reads one.
    ///
    /// # Errors
    /// If it is not a claim; the error says what was expected.
    pub fn read(text: &str) -> Result<Self, NotAClaim> {
        let comparisons: Vec<_> = text.split(" and ").map(Comparison::read).collect::<Result<_, _>>()?;
        let expected = || format!("at most {COMPARISONS_MAX} comparisons joined by `and`");
        if comparisons.len() > COMPARISONS_MAX {
            return Err(NotAClaim { expected: expected(), got: comparisons.len().to_string() });
        }
        Ok(Self(comparisons))
    }

    /// The measures that it needs, each with its run.
    pub fn measures(&self) -> impl Iterator<Item = (Measure, Run)> + '_ {
        self.0.iter().flat_map(|it| it.left.measures().chain(it.right.measures()))
    }

    /// Whether it needs the comparison run.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.measures().any(|(_, run)| run == Run::Against)
    }

    /// Whether it holds for the caller's values. A comparison with a missing value does not hold.
    pub fn holds(&self, value: impl Fn(Run, Measure) -> Option<f64>) -> bool {
        self.0.iter().all(|comparison| comparison.holds(&value))
    }

    /// One sentence for each comparison that does not hold.
    pub fn failures(&self, value: impl Fn(Run, Measure) -> Option<f64>) -> Vec<Phrase> {
        self.0.iter().filter(|it| !it.holds(&value)).map(|it| it.failure(&value)).collect()
    }
}

impl Comparison {
    fn read(text: &str) -> Result<Self, NotAClaim> {
        let no_comparison = || NotAClaim {
            expected: "a comparison like conflicts(now) > conflicts(against) + 2, with >, >=, <, <=, = or !=".into(),
            got: quoted(text.trim()),
        };
        let found = RELATIONS.iter().find_map(|(sign, relation)| {
            let (left, right) = text.split_once(sign)?;
            Some((left, *relation, right))
        });
        let (left, relation, right) = found.ok_or_else(no_comparison)?;
        Ok(Self { left: Sum::read(left)?, relation, right: Sum::read(right)? })
    }

    fn holds(&self, value: impl Fn(Run, Measure) -> Option<f64>) -> bool {
        let (Some(left), Some(right)) = (self.left.value(&value), self.right.value(&value)) else { return false };
        match self.relation {
            Relation::More => left > right,
            Relation::AtLeast => left >= right,
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::Equal => (left - right).abs() < EQUAL_WITHIN,
            Relation::Other => (left - right).abs() >= EQUAL_WITHIN,
        }
    }

    /// `empty hosts: 12.3 % now, 11 % against; expected more than 2 % more`.
    fn failure(&self, value: impl Fn(Run, Measure) -> Option<f64>) -> Phrase {
        let mut told: Vec<(Measure, Vec<Phrase>)> = Vec::new();
        for (measure, run) in self.left.0.iter().chain(&self.right.0).filter_map(|term| term.of) {
            let no_value = || Phrase::text(mark("no value"));
            let number = value(run, measure).map_or_else(no_value, |value| amount(value, measure.unit()));
            let number = match run {
                Run::Now => phrase!("{} now", number),
                Run::Against => phrase!("{} against", number),
            };
            match told.iter_mut().find(|(other, _)| *other == measure) {
                Some((_, numbers)) if numbers.contains(&number) => {}
                Some((_, numbers)) => numbers.push(number),
                None => told.push((measure, vec![number])),
            }
        }
        let told = told.into_iter().map(|(it, all)| phrase!("{}: {}", it.title(), Phrase::joined(all, "{}, {}")));
        let expected = self.expected().unwrap_or_else(|| Phrase::text(self.to_string()));
        phrase!("{}; expected {expected}", Phrase::joined(told, "{}; {}"), expected)
    }

    /// What was expected, in words, if one measure is compared with a number or with itself in the other run.
    fn expected(&self) -> Option<Phrase> {
        let [Term { factor: 1.0, of: Some((measure, Run::Now)) }] = self.left.0[..] else { return None };
        let amount = |value| amount(value, measure.unit());
        match self.right.0[..] {
            [Term { factor, of: None }] => Some(self.relation.than(&amount(factor))),
            [Term { factor: 1.0, of: Some((other, Run::Against)) }] if other == measure => match self.relation {
                Relation::More => Some(Phrase::text(mark("more"))),
                Relation::Less => Some(Phrase::text(mark("less"))),
                relation => Some(relation.than(&Phrase::text(mark("as much")))),
            },
            [Term { factor: 1.0, of: Some((other, Run::Against)) }, Term { factor, of: None }] if other == measure => {
                match self.relation {
                    Relation::More if factor > 0.0 => Some(phrase!("more than {} more", amount(factor))),
                    Relation::Less if factor < 0.0 => Some(phrase!("more than {} less", amount(-factor))),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl Relation {
    /// `more than 15 %`.
    fn than(self, amount: &Phrase) -> Phrase {
        match self {
            Self::More => phrase!("more than {}", amount),
            Self::AtLeast => phrase!("at least {}", amount),
            Self::Less => phrase!("less than {}", amount),
            Self::AtMost => phrase!("at most {}", amount),
            Self::Equal => phrase!("exactly {}", amount),
            Self::Other => phrase!("other than {}", amount),
        }
    }
}

/// A number to a tenth, with its unit.
fn amount(value: f64, unit: &'static str) -> Phrase {
    let number = if format!("{value:.1}").ends_with(".0") { phrase!("{:.0}", value) } else { phrase!("{:.1}", value) };
    if unit.is_empty() { number } else { phrase!("{} {}", number, Phrase::text(unit)) }
}

impl Sum {
    pub(crate) fn read(text: &str) -> Result<Self, NotAClaim> {
        let mut terms = Vec::new();
        let mut rest = text.trim();
        let mut sign = 1.0;
        if let Some(behind) = rest.strip_prefix('-') {
            (sign, rest) = (-1.0, behind);
        }
        loop {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            let mut term = Term::read(rest[..end].trim())?;
            term.factor *= sign;
            terms.push(term);
            if terms.len() > TERMS_MAX {
                let expected = format!("at most {TERMS_MAX} numbers and measures per side");
                return Err(NotAClaim { expected, got: "more".into() });
            }
            let Some(operator) = rest[end..].chars().next() else { break };
            sign = if operator == '-' { -1.0 } else { 1.0 };
            rest = &rest[end + 1..];
        }
        Ok(Self(terms))
    }

    /// The measures that it needs, each with its run.
    pub fn measures(&self) -> impl Iterator<Item = (Measure, Run)> + '_ {
        self.0.iter().filter_map(|term| term.of)
    }

    /// The sum for the caller's values; `None` if one of them is missing.
    pub fn value(&self, value: impl Fn(Run, Measure) -> Option<f64>) -> Option<f64> {
        self.0.iter().try_fold(0.0, |sum, term| {
            let of = match term.of {
                Some((measure, run)) => value(run, measure)?,
                None => 1.0,
            };
            Some(sum + term.factor * of)
        })
    }
}

impl Term {
    fn read(text: &str) -> Result<Self, NotAClaim> {
        if let Some((factor, measure)) = text.split_once('*') {
            return Ok(Self { factor: number(factor)?, of: Some(measured(measure)?) });
        }
        if text.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            return Ok(Self { factor: number(text)?, of: None });
        }
        Ok(Self { factor: 1.0, of: Some(measured(text)?) })
    }
}

fn number(text: &str) -> Result<f64, NotAClaim> {
    let digits = text.trim().trim_end_matches('%').trim_end();
    let plain = digits.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    let number = digits.parse::<f64>().ok().filter(|number| plain && *number < NUMBER_MAX);
    number.ok_or_else(|| NotAClaim { expected: "a number like 2 or 0.5".into(), got: quoted(text.trim()) })
}

fn measured(text: &str) -> Result<(Measure, Run), NotAClaim> {
    let text = text.trim();
    let (name, run) = match text.split_once('(') {
        None => (text, Run::Now),
        Some((name, run)) => match run.trim_end().strip_suffix(')').map(str::trim) {
            Some("now") => (name, Run::Now),
            Some("against") => (name, Run::Against),
            _ => return Err(NotAClaim { expected: "(now) or (against) after a measure".into(), got: quoted(text) }),
        },
    };
    let measure =
        name.trim().parse::<Measure>().map_err(|error| NotAClaim { expected: error.expected, got: error.got });
    Ok((measure?, run))
}

impl fmt::Display for NotAClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, got {}", self.expected, self.got)
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, comparison) in self.0.iter().enumerate() {
            let joint = if at > 0 { " and " } else { "" };
            write!(f, "{joint}{comparison}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { left, relation, right } = self;
        let sign = RELATIONS.iter().find(|(_, other)| other == relation).map_or("", |(sign, _)| sign);
        write!(f, "{left} {sign} {right}")
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Term { factor, of }) in self.0.iter().enumerate() {
            let sign = match (at, factor.is_sign_negative()) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            let size = factor.abs();
            match of {
                None => write!(f, "{sign}{size}")?,
                Some((measure, run)) if size == 1.0 => write!(f, "{sign}{measure}({})", run.word())?,
                Some((measure, run)) => write!(f, "{sign}{size} * {measure}({})", run.word())?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Empty hosts 12.3 % now and 11 against; 3 conflicts now and none against; no value for migrations.
    fn value(run: Run, measure: Measure) -> Option<f64> {
        match (measure.to_string().as_str(), run) {
            ("empty_hosts_pct_mean", Run::Now) => Some(12.3),
            ("empty_hosts_pct_mean", Run::Against) => Some(11.0),
            ("conflicts", Run::Now) => Some(3.0),
            ("conflicts", Run::Against) => Some(0.0),
            _ => None,
        }
    }

    #[test]
    fn claims_hold_or_say_why_not() {
        for (text, failure) in [
            ("empty_hosts_pct_mean(now) > empty_hosts_pct_mean(against) + 1", ""),
            ("empty_hosts_pct_mean > 12 and conflicts = 3 and conflicts != conflicts(against)", ""),
            ("conflicts != 3", "conflicts: 3 now; expected other than 3"),
            ("empty_hosts_pct_mean(now) - empty_hosts_pct_mean(against) <= 1.4", ""),
            ("conflicts(now) >= 2 * conflicts(against) + 3 and conflicts(against) = 0", ""),
            (
                "empty_hosts_pct_mean(now) > empty_hosts_pct_mean(against) + 2",
                "empty hosts: 12.3 % now, 11 % against; expected more than 2 % more",
            ),
            ("conflicts < conflicts(against) - 1", "conflicts: 3 now, 0 against; expected more than 1 less"),
            ("conflicts < conflicts(against)", "conflicts: 3 now, 0 against; expected less"),
            ("conflicts = 0", "conflicts: 3 now; expected exactly 0"),
            ("empty_hosts_pct_mean >= 50%", "empty hosts: 12.3 % now; expected at least 50 %"),
            (
                "5 * conflicts < empty_hosts_pct_mean",
                "conflicts: 3 now; empty hosts: 12.3 % now; expected 5 * conflicts(now) < empty_hosts_pct_mean(now)",
            ),
            ("migrations > 0", "migrations made: no value now; expected more than 0"),
            ("migrations < 0 and conflicts = 3", "migrations made: no value now; expected less than 0"),
        ] {
            let test = Test::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let failures: Vec<_> = test.failures(value).iter().map(Phrase::to_string).collect();
            assert_eq!(failures.join("\n"), failure, "{text}");
            assert_eq!(test.holds(value), failure.is_empty(), "{text}");
            assert_eq!(Test::read(&test.to_string()).as_ref(), Ok(&test), "{test}");
        }
    }

    /// The page's German.
    struct German(std::collections::BTreeMap<String, String>);

    impl tiebreak_model::phrase::Tongue for German {
        fn template<'a>(&'a self, english: &'a str) -> &'a str {
            self.0.get(english).map_or(english, String::as_str)
        }

        fn number<'a>(&self, english: &'a str) -> std::borrow::Cow<'a, str> {
            english.replace('.', ",").into()
        }
    }

    #[test]
    fn what_is_missed_can_be_said_in_german() {
        let german = serde_json::from_str(include_str!("../../../web/strings/de.json")).expect("a catalogue");
        let german = German(german);
        for (text, said) in [
            ("empty_hosts_pct_mean >= 50%", "Leere Hosts: 12,3 % jetzt; erwartet: mindestens 50 %"),
            (
                "empty_hosts_pct_mean > empty_hosts_pct_mean(against) + 2",
                "Leere Hosts: 12,3 % jetzt, 11 % zum Vergleich; erwartet: mehr als 2 % mehr",
            ),
            ("migrations < 0", "ausgeführte Migrationen: kein Wert jetzt; erwartet: weniger als 0"),
            ("EmptyHosts.mean > 0", "Leere Hosts (Mittel): kein Wert jetzt; erwartet: mehr als 0 %"),
        ] {
            let mut told = String::new();
            let failures = Test::read(text).expect(text).failures(value);
            failures.iter().for_each(|it| it.say_in(&german, &mut told).expect("a string"));
            assert_eq!(told, said, "{text}");
        }
    }

    #[test]
    fn what_is_no_claim_says_what_is() {
        for (text, told) in [
            (
                "",
                "expected a comparison like conflicts(now) > conflicts(against) + 2, with >, >=, <, <=, = or !=, got \"\"",
            ),
            ("conflicts", "expected a comparison like"),
            ("conflicts(then) > 1", "expected (now) or (against) after a measure, got \"conflicts(then)\""),
            ("conflicts(now > 1", "expected (now) or (against) after a measure"),
            ("beauty(now) > 1", "expected placements, rejections"),
            ("conflicts > many", "expected placements, rejections"),
            ("conflicts > 1e3", "expected a number like 2 or 0.5, got \"1e3\""),
            ("conflicts > 1 +", "expected placements, rejections"),
            ("conflicts > 9999999999999", "expected a number like 2 or 0.5"),
            ("conflicts > x * conflicts", "expected a number like 2 or 0.5, got \"x\""),
        ] {
            let error = Test::read(text).expect_err(text).to_string();
            assert!(error.starts_with(told), "{text}: {error}");
        }
        let long = ["conflicts = 3"; 9].join(" and ");
        assert!(Test::read(&long).is_err() && Test::read(&format!("conflicts > 0{}", " + 1".repeat(8))).is_err());
    }
}
