//! Custom rules in documents: a row of the list that contains its rule. Reads them leniently, writes them, and keeps
//! their declarations.

use std::sync::{Mutex, PoisonError};

use tiebreak_model::{Param, ParamKind};
use tiebreak_placement::custom::{Bounds, Custom, Definition, Parameter, Subject, entry_of};
use tiebreak_placement::custom::{NAME_MAX as IDENTIFIER_MAX, SOURCE_MAX};
use tiebreak_placement::rules::{self, RuleEntry};

use crate::cursor::Cursor;
use crate::document::{REQUIRED_RULE, RuleRow, Variant};
use crate::gallery;
use crate::issue::{one_of, quoted};

/// The maximum number of custom rules in one list.
pub const CUSTOM_MAX: usize = 32;

/// The maximum number of parameters of one rule.
pub const PARAMETERS_MAX: usize = 16;

/// The maximum length of its help, and of a parameter's.
pub const HELP_MAX: usize = 400;

/// The maximum magnitude of its numbers.
pub const NUMBER_MAX: f64 = 1e12;

/// Names that mean something else in the path of a rule's field.
const TAKEN: [&str; 5] = ["on", "buckets", "weight", "position", "expression"];

/// The declarations of custom rules, kept for the lifetime of the program, because built-in rules declare themselves
/// in constants. There is one for each distinct name, help and parameters, however often the expression changes.
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

/// The rule in a row of the list. Unreadable parts get default values, except its name, its kind and its expression,
/// which have none.
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

/// Reports faults in a rule's expression. Returns whether there are none.
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

/// A line of text; empty if missing.
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
    /// A row of the list with this rule, switched on, with default values.
    #[must_use]
    pub fn of_custom(custom: Custom) -> Self {
        let declaration = custom.entry().declaration;
        let (id, values) = (declaration.id.into(), declaration.defaults());
        Self { id, on: true, buckets: None, weight: None, values, custom: Some(custom) }
    }

    /// Adds the row to a list: it replaces the row of the same name, and keeps that row's buckets, weight and values
    /// of equal parameters unless it sets them itself; otherwise it goes to the end of its stage.
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

    /// Changes the expression of a custom rule.
    ///
    /// # Errors
    /// If the expression has a fault, or the row's rule is built-in.
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
    /// Replaces the custom rule of this name, and keeps its position, switch, buckets, weight and parameter values;
    /// adds the rule at the end of its stage if there is none. Returns whether it did: it does not if the expression
    /// has a fault, another rule has the name, or the list is full.
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

    /// Whether it has the maximum number of custom rules.
    fn is_full(&self) -> bool {
        self.rules.iter().filter(|row| row.custom.is_some()).count() >= CUSTOM_MAX
    }

    /// Adds a custom rule of this name after a built-in rule that has an expression in the gallery, with the same
    /// settings, and switches the built-in rule off. Returns whether it did.
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

    /// Removes a custom rule from the list. A built-in rule of the same name reappears, switched off.
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
    /// The row with the settings of an earlier version. A parameter that had its default gets the new default.
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

/// The built-in rule of this name, unless the row contains a custom rule.
pub(crate) fn entry(row: &RuleRow) -> Option<&'static RuleEntry> {
    row.custom.as_ref().map_or_else(|| rules::find(&row.id), |custom| Some(custom.entry()))
}
