//! A sweep: one scenario run over values of some of its fields and over seeds, to draw a frontier.
//!
//! A [`SweepPlan`] is the content of a text. Applied to its scenario it becomes a [`Sweep`], whose runs are all known
//! to be valid. They are numbered from 0; the last parameter varies faster than those before it, and the seeds
//! fastest of all. If parameters vary one at a time, the unchanged scenario comes first, then the values of each
//! parameter in turn. A run depends on its number alone, so shards on other machines and workers of a page produce
//! the same rows.

use std::fmt;

use serde_json::Value;
use tiebreak_model::Declared;

use crate::cursor::Cursor;
use crate::document::{Document, Variant, VariantSettings};
use crate::issue::{Issue, Issues, quoted};
use crate::read::{ReadError, parsed, read_value};
use crate::version::CURRENT_VERSION;

mod measures;
mod rows;
mod text;
mod values;

pub use measures::{SWEEP_MEASURES, SweepMeasure, SweepSubject};
pub use rows::{SweepRow, SweepTable};
pub use values::{SweepRange, SweepStep, SweepValues};

/// The maximum number of runs in a sweep.
pub const RUNS_MAX: u64 = 100_000;

/// The maximum number of parameters in a sweep.
pub const PARAMETERS_MAX: usize = 4;

/// What was done about a fault: a sweep runs as specified or not at all.
pub(crate) const DONE: &str = "nothing was run";

/// A sweep as specified in its text.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPlan {
    /// The scenario.
    pub scenario: SweepScenario,
    /// The name of its variant; `None` is the active one.
    pub variant: Option<String>,
    /// What to run.
    pub subject: SweepSubject,
    /// What to change, at most [`PARAMETERS_MAX`].
    pub parameters: Vec<SweepParameter>,
    /// Whether parameters vary one at a time, with the others as in the scenario; otherwise in all combinations.
    pub one_at_a_time: bool,
    /// The seeds.
    pub seeds: SweepSeeds,
    /// The ids of the requested figures, from [`SWEEP_MEASURES`].
    pub measures: Vec<String>,
}

/// The scenario of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub enum SweepScenario {
    /// A preset's id, or a file next to the plan.
    Named(String),
    /// Contained in the plan.
    Inline(Box<Document>),
}

/// One field and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepParameter {
    /// Which field, as [`Variant::set`] names it.
    pub path: String,
    /// Its values.
    pub values: SweepValues,
}

/// The seeds of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SweepSeeds {
    /// This many, starting with the scenario's own.
    Count(u64),
    /// These.
    List(Vec<u64>),
}

/// Why there is no sweep.
#[derive(Clone, Debug, PartialEq)]
pub enum SweepError {
    /// The text is unreadable.
    Unreadable(ReadError),
    /// The faults, field by field; never empty.
    Faulty(Vec<Issue>),
    /// Every value is valid, but there are too many in total.
    TooMany {
        /// Requested runs or values.
        runs: u128,
        /// The maximum number of runs.
        most: u64,
    },
}

impl SweepError {
    /// All faults, one sentence each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        match self {
            Self::Faulty(issues) => issues.iter().map(ToString::to_string).collect(),
            other => vec![other.to_string()],
        }
    }
}

impl fmt::Display for SweepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::Faulty(issues) => {
                let others = issues.len().saturating_sub(1);
                issues.first().map_or(Ok(()), |first| first.fmt(f))?;
                if others > 0 { write!(f, " ({others} more)") } else { Ok(()) }
            }
            Self::TooMany { runs, most } => write!(
                f,
                "parameters: expected at most {most} runs: fewer values or seeds, or several plans, got {runs} runs; {DONE}"
            ),
        }
    }
}

impl std::error::Error for SweepError {}

/// A sweep whose runs are all valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    name: String,
    variant: Variant,
    paths: Vec<String>,
    values: Vec<Vec<String>>,
    one_at_a_time: bool,
    seeds: Vec<u64>,
}

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepRun {
    /// The number, from 0.
    pub number: u64,
    /// The value of each parameter, in order; empty if it is as in the scenario.
    pub values: Vec<String>,
    /// The seed.
    pub seed: u64,
    /// The scenario with these values and this seed as its only variant.
    pub document: Document,
}

impl SweepPlan {
    /// Whether a text is meant as a plan: an object with parameters, which a document does not have.
    #[must_use]
    pub fn is_meant(json: &str) -> bool {
        parsed(json).is_ok_and(|value| value.get("parameters").is_some())
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// If the text is unreadable, or anything in it is not valid.
    pub fn read(json: &str) -> Result<Self, SweepError> {
        let value = parsed(json).map_err(SweepError::Unreadable)?;
        let issues = Issues::default();
        let plan = plan(&Cursor::top(&value, &issues));
        match (plan, issues.into_list()) {
            (Some(plan), issues) if issues.is_empty() => Ok(plan),
            (_, issues) => Err(SweepError::Faulty(issues)),
        }
    }

    /// Applies the plan to its scenario and checks every value there, except seeds.
    ///
    /// # Errors
    /// If there is no such variant, a field does not accept a value, or there are too many runs.
    pub fn over(&self, document: &Document) -> Result<Sweep, SweepError> {
        self.over_at_most(document, RUNS_MAX)
    }

    /// The same with a limit on the number of runs. The limit is checked before any value, and before long lists are
    /// made.
    ///
    /// # Errors
    /// See [`Self::over`].
    pub fn over_at_most(&self, document: &Document, most: u64) -> Result<Sweep, SweepError> {
        let few = |runs: u128| if runs > u128::from(most) { Err(SweepError::TooMany { runs, most }) } else { Ok(()) };
        let variant = match &self.variant {
            None => document.active_variant(),
            Some(name) => named(document, name)?,
        };
        for parameter in &self.parameters {
            few(parameter.values.count().into())?;
        }
        few(self.seeds.count().into())?;
        let values = self.parameters.iter().enumerate().map(|(at, it)| it.texts(at, variant));
        let sweep = Sweep {
            name: document.name.clone(),
            variant: variant.clone(),
            paths: self.parameters.iter().map(|parameter| parameter.path.clone()).collect(),
            values: values.collect::<Result<_, _>>()?,
            one_at_a_time: self.one_at_a_time,
            seeds: self.seeds.of(variant.seed)?,
        };
        few(sweep.runs_asked_for())?;
        match sweep.one_at_a_time {
            true => (0..sweep.paths.len()).try_for_each(|at| sweep.check_alone(at))?,
            false => sweep.check(&sweep.variant, 0, &mut Vec::new())?,
        }
        Ok(sweep)
    }
}

pub(crate) fn named<'a>(document: &'a Document, name: &str) -> Result<&'a Variant, SweepError> {
    document.variants.iter().find(|variant| variant.name == name).ok_or_else(|| {
        let names: Vec<_> = document.variants.iter().map(|variant| variant.name.as_str()).collect();
        fault("variant".into(), format!("a variant of the scenario: {}", names.join(", ")), quoted(name))
    })
}

pub(crate) fn fault(path: String, expected: String, got: String) -> SweepError {
    SweepError::Faulty(vec![Issue { path, expected, got, done: DONE.into() }])
}

impl SweepParameter {
    /// Its values as [`Variant::set`] accepts them.
    fn texts(&self, at: usize, variant: &Variant) -> Result<Vec<String>, SweepError> {
        let range = match &self.values {
            SweepValues::List(values) => return Ok(values.clone()),
            SweepValues::Range(range) => range,
        };
        let none = || fault(format!("parameters[{at}]"), "a range".into(), "one without values".into());
        let mut numbers = range.numbers().ok_or_else(none)?;
        if numbers.iter().any(|number| self.wants_whole(variant, *number)) {
            numbers.iter_mut().for_each(|number| *number = number.round());
            numbers.dedup();
        }
        Ok(numbers.iter().map(f64::to_string).collect())
    }

    /// Whether the field would accept the nearest integer, but not this number.
    fn wants_whole(&self, variant: &Variant, number: f64) -> bool {
        let takes = |number: f64| variant.clone().set(&self.path, &number.to_string()).is_ok();
        number.fract() != 0.0 && !takes(number) && takes(number.round())
    }
}

impl SweepSeeds {
    /// The number of seeds.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            Self::Count(count) => *count,
            Self::List(seeds) => seeds.len() as u64,
        }
    }

    fn of(&self, own: u64) -> Result<Vec<u64>, SweepError> {
        match self {
            Self::List(seeds) => Ok(seeds.clone()),
            Self::Count(count) if own + (count - 1) <= seed_max() => Ok((own..own + count).collect()),
            Self::Count(count) => {
                let expected = format!("seeds of at most {}", seed_max());
                Err(fault("seeds".into(), expected, format!("{count} from {own} on")))
            }
        }
    }
}

pub(crate) fn seed_max() -> u64 {
    let seed = VariantSettings::DECLARATION.params.iter().find(|param| param.name == "seed");
    seed.map_or(0, |seed| seed.max as u64)
}

impl Sweep {
    /// The changed fields, in order.
    #[must_use]
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// The values of each changed field.
    #[must_use]
    pub fn values(&self) -> &[Vec<String>] {
        &self.values
    }

    /// The seeds of each combination.
    #[must_use]
    pub fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    /// The number of runs.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.runs_asked_for() as u64
    }

    fn runs_asked_for(&self) -> u128 {
        let lengths = self.values.iter().map(|values| values.len() as u128);
        let points = if self.one_at_a_time { 1 + lengths.sum::<u128>() } else { lengths.product() };
        points * self.seeds.len() as u128
    }

    /// All runs, in the order of their numbers.
    pub fn runs(&self) -> impl Iterator<Item = SweepRun> + '_ {
        (0..self.count()).filter_map(|number| self.run(number))
    }

    /// The run of this number, if there is one.
    #[must_use]
    pub fn run(&self, number: u64) -> Option<SweepRun> {
        if number >= self.count() {
            return None;
        }
        let seed = self.seeds[(number % self.seeds.len() as u64) as usize];
        let point = number / self.seeds.len() as u64;
        let values = if self.one_at_a_time { self.alone(point) } else { self.each_with_each(point) };
        let mut variant = Variant { seed, ..self.variant.clone() };
        for (path, value) in self.paths.iter().zip(&values).filter(|(_, value)| !value.is_empty()) {
            variant.set(path, value).expect("every value was tried");
        }
        let document = Document { name: self.name.clone(), variants: vec![variant], active: 0 };
        Some(SweepRun { number, values, seed, document })
    }

    /// The values of a point, with the last parameter fastest.
    fn each_with_each(&self, point: u64) -> Vec<String> {
        let mut rest = point;
        let mut take = |values: &Vec<String>| {
            let value = &values[(rest % values.len() as u64) as usize];
            rest /= values.len() as u64;
            value.clone()
        };
        let mut values: Vec<_> = self.values.iter().rev().map(&mut take).collect();
        values.reverse();
        values
    }

    /// The one value that a point changes; none at the first.
    fn alone(&self, point: u64) -> Vec<String> {
        let mut next = 1;
        let mut take = |values: &Vec<String>| {
            let first = next;
            next += values.len() as u64;
            point.checked_sub(first).and_then(|at| values.get(at as usize)).cloned().unwrap_or_default()
        };
        self.values.iter().map(&mut take).collect()
    }

    /// Checks the values of one parameter, with the others as in the scenario.
    fn check_alone(&self, at: usize) -> Result<(), SweepError> {
        self.values[at].iter().enumerate().try_for_each(|(place, value)| {
            let tried = self.variant.clone().set(&self.paths[at], value);
            tried.map_err(|issue| self.refused((at, place), issue, &[]))
        })
    }

    /// Checks all combinations of the parameters from this one on.
    fn check(&self, variant: &Variant, at: usize, before: &mut Vec<(usize, String)>) -> Result<(), SweepError> {
        let (Some(path), Some(values)) = (self.paths.get(at), self.values.get(at)) else { return Ok(()) };
        for (place, value) in values.iter().enumerate() {
            let mut changed = variant.clone();
            changed.set(path, value).map_err(|issue| self.refused((at, place), issue, before))?;
            before.push((at, value.clone()));
            self.check(&changed, at + 1, before)?;
            before.pop();
        }
        Ok(())
    }

    /// A value that its field does not accept, or an unknown path.
    fn refused(&self, (at, place): (usize, usize), issue: Issue, before: &[(usize, String)]) -> SweepError {
        let value = &self.values[at][place];
        if issue.got != quoted(value) {
            return fault(format!("parameters[{at}].path"), issue.expected, issue.got);
        }
        let path = &self.paths[at];
        let others = before.iter().map(|(at, value)| format!(" with {}={value}", self.paths[*at]));
        fault(
            format!("parameters[{at}].values[{place}]"),
            issue.expected,
            format!("{path}={value}{}", others.collect::<String>()),
        )
    }
}

fn plan(top: &Cursor<'_>) -> Option<SweepPlan> {
    top.object(&["scenario", "variant", "of", "parameters", "one_at_a_time", "seeds", "measures"])?;
    let scenario = match top.field("scenario") {
        Some(field) => scenario(&field),
        None => tell(top, "a field scenario: a document, a preset or a file"),
    };
    let parameters = match top.field("parameters") {
        Some(field) => parameters(&field),
        None => tell(top, "a field parameters"),
    };
    let seeds = top.field("seeds").map_or(Some(SweepSeeds::Count(1)), |field| seeds(&field));
    let subject = top.field("of").map_or(Some(SweepSubject::default()), |field| subject(&field));
    let of = subject.unwrap_or_default();
    let measures = top.field("measures").map_or_else(|| Some(every_measure(of)), |field| measures(&field, of));
    let variant = top.field("variant").and_then(|field| field.name());
    let one_at_a_time = top.field("one_at_a_time").map_or(Some(false), |field| flag(&field));
    let (scenario, subject, parameters) = (scenario?, subject?, parameters?);
    let (one_at_a_time, seeds, measures) = (one_at_a_time?, seeds?, measures?);
    Some(SweepPlan { scenario, variant, subject, parameters, one_at_a_time, seeds, measures })
}

fn flag(cursor: &Cursor<'_>) -> Option<bool> {
    cursor.value.as_bool().or_else(|| tell(cursor, "true or false"))
}

fn subject(cursor: &Cursor<'_>) -> Option<SweepSubject> {
    let named = SweepSubject::ALL.into_iter().find(|subject| cursor.value.as_str() == Some(subject.id()));
    named.or_else(|| tell(cursor, &SweepSubject::ALL.map(SweepSubject::id).join(" or ")))
}

pub(crate) fn scenario(cursor: &Cursor<'_>) -> Option<SweepScenario> {
    match cursor.value {
        Value::String(name) => Some(SweepScenario::Named(name.clone())),
        Value::Object(_) => {
            let read = read_value(cursor.value.clone(), CURRENT_VERSION).ok()?;
            let inside = |issue: Issue| Issue { path: format!("scenario.{}", issue.path), done: DONE.into(), ..issue };
            read.issues.into_iter().map(inside).for_each(|issue| cursor.pass_on(issue));
            Some(SweepScenario::Inline(Box::new(read.document)))
        }
        _ => tell(cursor, "a document, or the name of a preset or a file"),
    }
}

fn parameters(list: &Cursor<'_>) -> Option<Vec<SweepParameter>> {
    let items = list.items(PARAMETERS_MAX);
    if items.is_empty() {
        return if list.value.is_array() { tell(list, "at least 1 parameter") } else { None };
    }
    let parameters = items.iter().map(parameter).collect::<Option<Vec<_>>>()?;
    let plain = |at: usize| parameters[at].path.replace('[', ".").replace(']', "");
    match (1..parameters.len()).find(|at| (0..*at).any(|before| plain(before) == plain(*at))) {
        Some(twice) => tell(&items[twice], "each path once"),
        None => Some(parameters),
    }
}

fn parameter(cursor: &Cursor<'_>) -> Option<SweepParameter> {
    cursor.object(&["path", "values", "from", "to", "step", "count", "scale"])?;
    let values = values::read(cursor);
    let Some(path) = cursor.field("path") else { return tell(cursor, "a field path") };
    match path.value.as_str() {
        Some("seed") => tell(&path, "a field other than the seed: seeds has a field of its own"),
        Some(text) => Some(SweepParameter { path: text.into(), values: values? }),
        None => tell(&path, "a path as after --set"),
    }
}

fn seeds(cursor: &Cursor<'_>) -> Option<SweepSeeds> {
    if let Some(count) = cursor.value.as_u64() {
        return match count {
            1..=RUNS_MAX => Some(SweepSeeds::Count(count)),
            _ => tell(cursor, &format!("from 1 to {RUNS_MAX} seeds, or a list of them")),
        };
    }
    if !cursor.value.is_array() {
        return tell(cursor, "a list of seeds, or how many");
    }
    let items = cursor.items(RUNS_MAX as usize);
    if items.is_empty() {
        return tell(cursor, "at least 1 seed");
    }
    let seed = |item: &Cursor<'_>| {
        let seed = item.value.as_u64().filter(|seed| *seed <= seed_max());
        seed.or_else(|| tell(item, &format!("a whole number from 0 to {}", seed_max())))
    };
    let seeds = items.iter().map(seed).collect::<Option<Vec<_>>>()?;
    let mut sorted = seeds.clone();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
    if let Some(pair) = twice {
        let again = seeds.iter().rposition(|seed| *seed == pair[0]).unwrap_or(0);
        return tell(&items[again], "each seed once");
    }
    Some(SweepSeeds::List(seeds))
}

/// The ids of all [`SWEEP_MEASURES`] of a subject, for a plan that names none.
#[must_use]
pub fn every_measure(of: SweepSubject) -> Vec<String> {
    SWEEP_MEASURES.iter().filter(|measure| measure.subject() == of).map(|measure| measure.id.into()).collect()
}

fn measures(list: &Cursor<'_>, of: SweepSubject) -> Option<Vec<String>> {
    let items = list.items(SWEEP_MEASURES.len());
    let every = every_measure(of);
    let known = |item: &Cursor<'_>| {
        let id = item.value.as_str().filter(|id| every.iter().any(|measure| measure == id));
        id.map(String::from).or_else(|| tell(item, &format!("a measure: {}", every.join(", "))))
    };
    if !list.value.is_array() {
        return None;
    }
    let ids = items.iter().map(known).collect::<Option<Vec<_>>>()?;
    match (1..ids.len()).find(|at| ids[..*at].contains(&ids[*at])) {
        Some(twice) => tell(&items[twice], "each measure once"),
        None => Some(ids),
    }
}

pub(crate) fn tell<T>(cursor: &Cursor<'_>, expected: &str) -> Option<T> {
    cursor.issue(expected, DONE);
    None
}
