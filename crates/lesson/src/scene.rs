//! A step's scenario: a start, and changes to it.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tiebreak_scenario::custom::CUSTOM_MAX;
use tiebreak_scenario::incident::{AT_HOURS, INCIDENTS_MAX};
use tiebreak_scenario::read::rule_of;
use tiebreak_scenario::{Document, IncidentRow, PRESETS, RuleRow, Variant, decode, encode, gallery, presets};
use tiebreak_sim::INCIDENTS;

use crate::entries::{Entry, entries};
use crate::issue::{Issues, one_of, quoted};

/// A scenario as written in a lesson, and the resulting document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    start: Start,
    changes: Vec<Change>,
    #[serde(with = "as_text")]
    document: Document,
}

/// The start of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Start {
    /// The previous scenario: for a step, that of the last step; for a comparison, the step's own.
    Before,
    /// A preset by id.
    Preset(String),
    /// A complete document.
    Whole(#[serde(with = "as_text")] Box<Document>),
}

/// One change; changes apply in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// One field, as for `tiebreak run --set`.
    Set {
        /// The field.
        path: String,
        /// The new value.
        value: String,
    },
    /// One more custom rule, at the end of its stage, or in place of the rule with the same name.
    Rule {
        /// The name of a gallery rule, or the rule as JSON on one line.
        rule: String,
    },
    /// One more event on the timeline, with its defaults.
    Event {
        /// The incident, by id.
        id: String,
        /// Its time, or its start.
        at_hours: f64,
    },
}

impl Scene {
    /// A complete scenario as it is, frozen.
    #[must_use]
    pub fn frozen(document: Document) -> Self {
        Self { start: Start::Whole(Box::new(document.clone())), changes: Vec::new(), document }
    }

    /// The scenario.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Its start.
    #[must_use]
    pub const fn start(&self) -> &Start {
        &self.start
    }

    /// Its changes.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Reads a block that starts at a line; `before` is the start if the block names none.
    pub(crate) fn read(text: &str, line: u32, before: Option<&Document>, issues: &Issues) -> Option<Self> {
        let skipped = text.lines().take_while(|content| content.trim().is_empty()).count() as u32;
        let (start, rest, line) = match text.trim_start().chars().next() {
            Some('#') => link(text.trim_start(), line + skipped, issues)?,
            Some('{') => json(text.trim_start(), line + skipped, issues)?,
            _ => (None, text, line),
        };
        let mut entries = entries(rest, line, issues);
        let start = match (start, entries.first()) {
            (Some(start), _) => start,
            (None, Some(first)) if first.key == "preset" => {
                let first = entries.remove(0);
                preset(&first, issues)?
            }
            (None, _) => Start::Before,
        };
        let mut document = match &start {
            Start::Before => before.cloned().or_else(|| {
                let advice = "start with a line like preset: small";
                issues.add(line, "a preset, a link or a document in the first scenario", "none", advice);
                None
            })?,
            Start::Preset(id) => in_front(&(presets::find(id)?.make)()),
            Start::Whole(document) => (**document).clone(),
        };
        let active = document.active;
        let variant = document.variants.get_mut(active)?;
        let changes = entries.iter().filter_map(|entry| change(entry, variant, issues)).collect();
        Some(Self { start, changes, document })
    }

    /// Its lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        let start = match &self.start {
            Start::Before => None,
            Start::Preset(id) => Some(format!("preset: {id}")),
            Start::Whole(document) => Some(format!("#{}", encode(document, None))),
        };
        start.into_iter().chain(self.changes.iter().map(Change::line)).collect()
    }
}

/// A document with the active variant only: a step defines its own comparison.
fn in_front(document: &Document) -> Document {
    Document { name: document.name.clone(), variants: vec![document.active_variant().clone()], active: 0 }
}

impl Change {
    fn line(&self) -> String {
        match self {
            Self::Set { path, value } => format!("set: {path} = {value}"),
            Self::Rule { rule } => format!("rule: {rule}"),
            Self::Event { id, at_hours } => format!("event: {id} at {at_hours} h"),
        }
    }
}

/// The start of a scenario, the rest of the block, and the line before the rest.
type Begun<'a> = (Option<Start>, &'a str, u32);

fn link<'a>(text: &'a str, line: u32, issues: &Issues) -> Option<Begun<'a>> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let opened = match decode(first.trim()) {
        Ok(opened) => opened,
        Err(error) => {
            issues.add(line + 1, "a scenario's link", format!("an invalid link: {error}"), "share it again");
            return None;
        }
    };
    say_all(&opened.issues, line + 1, issues);
    Some((Some(Start::Whole(Box::new(opened.document))), rest, line + 1))
}

fn json<'a>(text: &'a str, line: u32, issues: &Issues) -> Option<Begun<'a>> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<de::IgnoredAny>();
    let end = match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        _ => text.len(),
    };
    let (json, rest) = text.split_at_checked(end)?;
    match Document::read(json) {
        Ok(read) => {
            say_all(&read.issues, line + 1, issues);
            // Text after the last bracket belongs to the line of that bracket.
            let lines = json.matches('\n').count() as u32;
            Some((Some(Start::Whole(Box::new(read.document))), rest, line + lines))
        }
        Err(error) => {
            issues.add(line + 1, "a whole scenario", error.to_string(), "save it again from the page");
            None
        }
    }
}

fn say_all(found: &[tiebreak_scenario::Issue], line: u32, issues: &Issues) {
    for issue in found {
        let expected = format!("{} in {}", issue.expected, issue.path);
        issues.add(line, expected, issue.got.clone(), "fix it; a lesson must match its text");
    }
}

fn preset(entry: &Entry<'_>, issues: &Issues) -> Option<Start> {
    if presets::find(entry.value).is_some() {
        return Some(Start::Preset(entry.value.into()));
    }
    let ids = PRESETS.iter().map(|preset| preset.id);
    issues.add(entry.line, one_of(ids), quoted(entry.value), "`tiebreak list presets` says what each is");
    None
}

fn change(entry: &Entry<'_>, variant: &mut Variant, issues: &Issues) -> Option<Change> {
    match entry.key {
        "set" => {
            let Some((path, value)) = entry.value.split_once('=') else {
                issues.add(entry.line, "PATH = VALUE", quoted(entry.value), "write, for instance, set: seed = 7");
                return None;
            };
            let (path, value) = (path.trim().to_owned(), value.trim().to_owned());
            match variant.set(&path, &value) {
                Ok(()) => Some(Change::Set { path, value }),
                Err(issue) => {
                    issues.add(entry.line, issue.expected, issue.got, "the paths are those of `tiebreak run --set`");
                    None
                }
            }
        }
        "event" => event(entry, variant, issues),
        "rule" => rule(entry, variant, issues),
        "preset" => {
            issues.add(entry.line, "preset: once and first", "it here", "move it up, and remove the others");
            None
        }
        other => {
            let expected = "preset, set, event or rule, or a link or a document in the first line";
            issues.add(entry.line, expected, quoted(other), "write, for instance, set: seed = 7");
            None
        }
    }
}

fn rule(entry: &Entry<'_>, variant: &mut Variant, issues: &Issues) -> Option<Change> {
    let row = match gallery::find(entry.value) {
        Some(known) => Some(known.row()),
        None => own_rule(entry, issues)?,
    };
    let Some(row) = row.filter(|row| row.custom.is_some()) else {
        let advice = "`tiebreak list gallery --json` prints rules as JSON";
        issues.add(
            entry.line,
            "the name of a rule of the gallery, or a custom rule as JSON",
            quoted(entry.value),
            advice,
        );
        return None;
    };
    let id = row.id.clone();
    if !variant.put_custom(&id, &row) {
        let expected = format!("a name that no built-in rule has, and at most {CUSTOM_MAX} custom rules");
        issues.add(entry.line, expected, quoted(&id), "give it another name, or remove some");
        return None;
    }
    Some(Change::Rule { rule: entry.value.into() })
}

/// A rule as JSON: `Some(None)` if the value is not JSON, `None` if the rule has issues.
fn own_rule(entry: &Entry<'_>, issues: &Issues) -> Option<Option<RuleRow>> {
    let Ok((row, found)) = rule_of(entry.value) else { return Some(None) };
    say_all(&found, entry.line, issues);
    found.is_empty().then_some(row)
}

fn event(entry: &Entry<'_>, variant: &mut Variant, issues: &Issues) -> Option<Change> {
    let told = entry.value.split_once(" at ").and_then(|(id, at)| {
        let at_hours = at.trim().trim_end_matches('h').trim_end().parse::<f64>().ok()?;
        AT_HOURS.allows(at_hours).then_some((id.trim(), at_hours))
    });
    let Some((id, at_hours)) = told else {
        let expected = format!("an event and an hour from 0 to {}", AT_HOURS.max);
        issues.add(entry.line, expected, quoted(entry.value), "write, for instance, event: FailMachines at 12 h");
        return None;
    };
    let Some(row) = IncidentRow::plain(id, at_hours) else {
        let ids = INCIDENTS.iter().map(|incident| incident.declaration.id);
        issues.add(entry.line, one_of(ids), quoted(id), "`tiebreak list incidents` says what each does");
        return None;
    };
    if variant.incidents.len() >= INCIDENTS_MAX {
        issues.add(entry.line, format!("at most {INCIDENTS_MAX} events"), "one more", "remove some");
        return None;
    }
    variant.incidents.push(row);
    Some(Change::Event { id: id.into(), at_hours })
}

/// A document as its own short text.
mod as_text {
    use super::{Deserialize, Deserializer, Document, Serializer, de};

    pub(super) fn serialize<S: Serializer>(document: &Document, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&document.to_short_json(None))
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>, T: From<Document>>(deserializer: D) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        Document::read(&text).map(|read| read.document.into()).map_err(de::Error::custom)
    }
}
