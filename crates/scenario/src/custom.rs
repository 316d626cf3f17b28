//! Rules of one's own in documents: a row of the list that carries its rule. Reading them leniently, writing them, and
//! keeping what they say of themselves.

use std::sync::{Mutex, PoisonError};

use tiebreak_model::{Param, ParamKind};
use tiebreak_placement::custom::{Bounds, Custom, Definition, Parameter, Subject, entry_of};
use tiebreak_placement::custom::{NAME_MAX as IDENTIFIER_MAX, SOURCE_MAX};
use tiebreak_placement::rules::{self, RuleEntry};

use crate::cursor::Cursor;
use crate::document::{REQUIRED_RULE, RuleRow, Variant};
use crate::gallery;
use crate::issue::{one_of, quoted};

/// Rules of one's own that one list may hold.
pub const CUSTOM_MAX: usize = 32;

/// Parameters that one of them may have.
pub const PARAMETERS_MAX: usize = 16;

/// Letters that its help, and that of a parameter, may have.
pub const HELP_MAX: usize = 400;

/// How far its numbers go.
pub const NUMBER_MAX: f64 = 1e12;

/// Names that stand for something else where a rule's field is set.
const TAKEN: [&str; 5] = ["on", "buckets", "weight", "position", "expression"];

/// What such rules say of themselves, as long as the program runs: built-in rules say it in constants. There is one for
/// each rule of another name, help or parameters, however often its expression is changed.
static KEPT: Mutex<Vec<&'static RuleEntry>> = Mutex::new(Vec::new());

/// A rule with this name and definition.
#[must_use]
pub fn custom(name: &str, definition: Definition) -> Custom {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = kept.iter().copied().find(|entry| says(entry, name, &definition)).unwrap_or_else(|| {
        let entry = entry_of(name, &definition);
        kept.push(entry);
        entry
    });
    Custom::new(definition, entry)
}

fn says(entry: &RuleEntry, name: &str, definition: &Definition) -> bool {
    let same = |(param, own): (&Param, &Parameter)| {
        (param.name, param.help, param.unit) == (&*own.name, &*own.help, &*own.unit)
            && [param.default, param.min, param.max] == [own.default, own.min, own.max]
    };
    let declaration = entry.declaration;
    (declaration.id, declaration.help, entry.group) == (name, &*definition.help, definition.group())
        && declaration.params.len() == definition.parameters.len()
        && declaration.params.iter().zip(&definition.parameters).all(same)
}

/// Whether a text can name a custom rule: a letter, then letters, digits and `_`.
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.len() <= IDENTIFIER_MAX
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a text can name a parameter of a custom rule: a name that no rule's field has.
#[must_use]
pub fn is_parameter_name(text: &str) -> bool {
    is_name(text) && !TAKEN.contains(&text)
}

/// The rule that a row of the list carries. What cannot be read of it has a default, but its name, its kind and its
/// expression have none.
pub(crate) fn read(name: &Cursor<'_>, cursor: &Cursor<'_>) -> Option<Custom> {
    let id = name.value.as_str().filter(|id| is_name(id) && *id != REQUIRED_RULE);
    let Some(id) = id else {
        let expected = format!("a name of letters, digits and _, at most {IDENTIFIER_MAX} and not {REQUIRED_RULE}");
        name.issue(expected, "dropped the row");
        return None;
    };
    cursor.object(&["help", "kind", "of", "params", "expression", "from", "to", "better"])?;
    let scores = match cursor.field("kind").and_then(|kind| kind.value.as_str().map(ToOwned::to_owned)).as_deref() {
        Some("preference") => true,
        Some("validator") => false,
        _ => {
            cursor.issue("a field kind, preference or validator", "dropped the row");
            return None;
        }
    };
    let definition = Definition {
        help: line(cursor, "help"),
        of: subject(cursor),
        parameters: cursor.field("params").map_or_else(Vec::new, |list| parameters(&list)),
        expression: expression(cursor)?,
        bounds: scores.then(|| bounds(cursor)),
    };
    Some(custom(id, definition))
}

/// Tells what is wrong with a rule's expression; whether nothing is.
pub(crate) fn stands(custom: &Custom, cursor: &Cursor<'_>) -> bool {
    let Err(fault) = custom.definition().program() else { return true };
    let place = cursor.field("expression");
    let advice = if fault.advice.is_empty() { String::new() } else { format!(": {}", fault.advice) };
    let got = format!("{} (line {}, column {})", fault.got, fault.at.line, fault.at.column);
    place.as_ref().unwrap_or(cursor).issue_of(fault.expected, got, format!("switched the rule off{advice}"));
    false
}

fn expression(cursor: &Cursor<'_>) -> Option<String> {
    let Some(field) = cursor.field("expression") else {
        cursor.issue("a field expression", "dropped the row");
        return None;
    };
    let is_text = |text: &str| text.len() <= SOURCE_MAX && !text.contains(|it: char| it.is_control() && it != '\n');
    let text =
        field.value.as_str().map(|text| text.replace("\r\n", "\n").replace('\t', " ")).filter(|text| is_text(text));
    if text.is_none() {
        field.issue(format!("an expression of at most {SOURCE_MAX} bytes"), "dropped the row");
    }
    text
}

/// A line of text, empty where there is none.
fn line(cursor: &Cursor<'_>, name: &str) -> String {
    cursor.field(name).and_then(|field| field.line(HELP_MAX)).unwrap_or_default()
}

fn subject(cursor: &Cursor<'_>) -> Subject {
    let Some(field) = cursor.field("of") else { return Subject::Machine };
    let word = field.value.as_str();
    Subject::ALL.into_iter().find(|subject| word == Some(subject.word())).unwrap_or_else(|| {
        field.issue(one_of(&Subject::ALL.map(Subject::word)), "used machine");
        Subject::Machine
    })
}

fn number(name: &'static str, default: f64) -> Param {
    let (min, max) = (-NUMBER_MAX, NUMBER_MAX);
    Param { name, help: "", kind: ParamKind::Number, default, min, max, unit: "" }
}

fn bounds(cursor: &Cursor<'_>) -> Bounds {
    let (from, to) = (cursor.number_field(&number("from", 0.0)), cursor.number_field(&number("to", 1.0)));
    let higher_is_better = match cursor.field("better").as_ref().map(|field| (field, field.value.as_str())) {
        None | Some((_, Some("lower"))) => false,
        Some((_, Some("higher"))) => true,
        Some((field, _)) => {
            field.issue("lower or higher", "used lower");
            false
        }
    };
    if from < to {
        return Bounds { from, to, higher_is_better };
    }
    cursor.issue("a field from below the field to", "used 0 and 1");
    Bounds { from: 0.0, to: 1.0, higher_is_better }
}

fn parameters(list: &Cursor<'_>) -> Vec<Parameter> {
    let mut read: Vec<Parameter> = Vec::new();
    for item in list.items(PARAMETERS_MAX) {
        let Some(parameter) = parameter(&item) else { continue };
        if read.iter().any(|other| other.name == parameter.name) {
            item.issue("each parameter once", "dropped the second one");
        } else {
            read.push(parameter);
        }
    }
    read
}

fn parameter(cursor: &Cursor<'_>) -> Option<Parameter> {
    cursor.object(&["name", "help", "unit", "default", "min", "max"])?;
    let name = cursor.field("name");
    let name = name.as_ref().and_then(|field| field.value.as_str());
    let Some(name) = name.filter(|name| is_parameter_name(name)) else {
        cursor.issue("a field name: letters, digits and _, not used by rules for something else", "dropped it");
        return None;
    };
    let (min, max) = (cursor.number_field(&number("min", 0.0)), cursor.number_field(&number("max", 1.0)));
    let default = cursor.number_field(&number("default", min));
    if !(min <= default && default <= max) {
        cursor.issue("min, default and max in this order", "dropped it");
        return None;
    }
    Some(Parameter { name: name.into(), help: line(cursor, "help"), unit: line(cursor, "unit"), default, min, max })
}

impl RuleRow {
    /// A row of the list that carries this rule, switched on, with its defaults.
    #[must_use]
    pub fn of_custom(custom: Custom) -> Self {
        let declaration = custom.entry().declaration;
        let (id, values) = (declaration.id.into(), declaration.defaults());
        Self { id, on: true, buckets: None, weight: None, values, custom: Some(custom) }
    }

    /// Puts the row where it belongs: in place of the one of its name, of which it keeps the buckets, the weight and the
    /// values of like parameters where it says nothing of them itself, or at the end of its stage.
    pub fn put_into(self, rows: &mut Vec<Self>) {
        let Some(at) = rows.iter().position(|row| row.id == self.id) else { return self.put_last(rows) };
        let before = rows.remove(at);
        let row = self.after(&before);
        if row.group() == before.group() { rows.insert(at, row) } else { row.put_last(rows) }
    }

    fn put_last(self, rows: &mut Vec<Self>) {
        rows.push(self);
        crate::document::sort_by_stage(rows);
    }

    fn after(mut self, before: &Self) -> Self {
        if !self.scores() || !before.scores() {
            return self;
        }
        (self.buckets, self.weight) = (self.buckets.or(before.buckets), self.weight.or(before.weight));
        let params = |row: &Self| row.entry().map_or(&[][..], |entry| entry.declaration.params);
        for (param, value) in
            params(&self).iter().zip(&mut self.values).filter(|(param, value)| **value == param.default)
        {
            let place = params(before).iter().position(|other| other.name == param.name);
            let kept = place.and_then(|place| before.values.get(place)).filter(|kept| param.allows(**kept));
            *value = kept.copied().unwrap_or(*value);
        }
        self
    }

    /// Gives a rule of one's own another expression.
    ///
    /// # Errors
    /// What is wrong with it, or that the row's rule is a built-in one.
    pub fn set_expression(&mut self, expression: &str) -> Result<(), String> {
        let built_in = || format!("a custom rule; {} is a built-in one", quoted(&self.id));
        let definition = self.custom.as_ref().ok_or_else(built_in)?.definition().clone();
        let definition = Definition { expression: expression.into(), ..definition };
        definition.program().map_err(|fault| fault.to_string())?;
        self.custom = Some(custom(&self.id, definition));
        Ok(())
    }
}

impl Variant {
    /// Puts a custom rule in place of the custom rule of this name, of which it keeps the place, the switch, the buckets,
    /// the weight and what was set of its parameters; or at the end of its stage where there is none. Whether it did: not
    /// where its expression is wrong, another rule has its name, or the list is full.
    pub fn put_custom(&mut self, id: &str, row: &RuleRow) -> bool {
        let at = self.rules.iter().position(|other| other.id == id && other.custom.is_some());
        let is_taken = self.rules.iter().enumerate().any(|(index, other)| other.id == row.id && Some(index) != at);
        let stands = row.custom.as_ref().is_some_and(|rule| rule.definition().program().is_ok());
        if !stands || is_taken || (at.is_none() && self.is_full()) {
            return false;
        }
        let rows = &mut self.rules;
        let before = at.map(|at| rows.remove(at));
        let row = before.as_ref().map_or_else(|| row.clone(), |before| row.in_place_of(before));
        match at.filter(|_| row.group() == before.and_then(|before| before.group())) {
            Some(at) => rows.insert(at, row),
            None => row.put_last(rows),
        }
        true
    }

    /// Whether it has as many custom rules as a list may hold.
    fn is_full(&self) -> bool {
        self.rules.iter().filter(|row| row.custom.is_some()).count() >= CUSTOM_MAX
    }

    /// Puts a custom rule of this name behind a built-in rule of which the gallery knows an expression, used as that one
    /// is, and switches that one off. Whether it did.
    pub fn copy_as_custom(&mut self, id: &str, name: &str) -> bool {
        let place = |id: &str| self.rules.iter().position(|row| row.id == id);
        let Some((at, known)) = place(id).zip(gallery::find(id)) else { return false };
        if place(name).is_some() || self.is_full() {
            return false;
        }
        let copy = RuleRow::of_custom(custom(name, known.definition())).in_place_of(&self.rules[at]);
        self.rules[at].on = id == REQUIRED_RULE;
        self.rules.insert(at + 1, copy);
        true
    }

    /// Takes a custom rule out of the list. A built-in rule of its name is there again, switched off.
    pub fn remove_custom(&mut self, id: &str) {
        let rows = &mut self.rules;
        let Some(at) = rows.iter().position(|row| row.id == id && row.custom.is_some()) else { return };
        rows.remove(at);
        if let Some(entry) = rules::find(id) {
            RuleRow::unused(entry).put_last(rows);
        }
    }
}

impl RuleRow {
    /// The same, used as an earlier version of it was. A parameter that had its default has the new one.
    fn in_place_of(&self, before: &Self) -> Self {
        let params = |row: &Self| row.entry().map_or(&[][..], |entry| entry.declaration.params);
        let set = |param: &Param| {
            let place = params(before).iter().position(|other| other.name == param.name)?;
            let value = *before.values.get(place)?;
            (value != params(before)[place].default && param.allows(value)).then_some(value)
        };
        let values = params(self).iter().map(|param| set(param).unwrap_or(param.default)).collect();
        let scores = self.scores();
        let (buckets, weight) = (before.buckets.filter(|_| scores), before.weight.filter(|_| scores));
        Self { on: before.on, buckets, weight, values, ..self.clone() }
    }
}

/// The built-in rule of a name, unless the row carries its own.
pub(crate) fn entry(row: &RuleRow) -> Option<&'static RuleEntry> {
    row.custom.as_ref().map_or_else(|| rules::find(&row.id), |custom| Some(custom.entry()))
}
