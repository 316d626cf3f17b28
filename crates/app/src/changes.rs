//! The differences between two variants, field by field.

use serde_json::{Map, Value};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::{Document, PRESETS, Preset};

/// One field in which two variants differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its path: `agents.count`.
    pub path: String,
    /// The value of the other variant, and of the active one; `-` if there is none.
    pub values: [String; 2],
}

impl Change {
    /// In short form: `BestFit buckets 3 → 5`.
    #[must_use]
    pub fn told(&self) -> String {
        let Self { path, values: [before, now] } = self;
        let path = path.strip_prefix("rules.").unwrap_or(path).replace(['.', '_'], " ");
        format!("{path} {before} → {now}")
    }
}

/// The preset from which a document was made, and the changes: the preset of the same name, or the closest one with
/// the same workload. `None` if nothing changed, or there is no such preset.
#[must_use]
pub fn since_preset(document: &Document) -> Option<(&'static Preset, Vec<Change>)> {
    let made = || PRESETS.iter().map(|preset| (preset, (preset.make)()));
    if made().any(|(_, it)| it == *document) {
        return None;
    }
    let told = |(preset, it): (&'static Preset, Document)| (preset, edits(&it, document));
    let workload = &document.active_variant().workload;
    let found = made().find(|(_, it)| it.name == document.name).map(told).or_else(|| {
        let alike = made().filter(|(_, it)| it.active_variant().workload == *workload);
        alike.map(told).min_by_key(|(_, changes)| changes.len())
    });
    found.filter(|(_, changes)| !changes.is_empty())
}

/// Every field in which two variants of a document differ, by path.
#[must_use]
pub fn changes(document: &Document, against: usize, front: usize) -> Vec<Change> {
    between((document, against), (document, front))
}

/// Every field in which the active variants of two documents differ, by path.
pub(crate) fn edits(then: &Document, now: &Document) -> Vec<Change> {
    between((then, then.active), (now, now.active))
}

fn between(then: (&Document, usize), now: (&Document, usize)) -> Vec<Change> {
    let [then, now] = [then, now].map(|(document, index)| {
        let whole: Value = serde_json::from_str(&document.to_json()).unwrap_or_default();
        whole["variants"].get(index).cloned().unwrap_or_default()
    });
    let mut changes = Vec::new();
    compare("", &then, &now, &mut changes);
    changes.retain(|change| change.path != "name");
    changes
}

fn compare(path: &str, then: &Value, now: &Value, changes: &mut Vec<Change>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (then, now) {
        _ if then == now => {}
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            for key in keys {
                compare(&below(key), a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null), changes);
            }
        }
        (Value::Array(a), Value::Array(b)) if path == "rules" => compare_rules(a, b, changes),
        (Value::Array(a), Value::Array(b)) => {
            for index in 0..a.len().max(b.len()) {
                let at = |list: &[Value]| list.get(index).cloned().unwrap_or_default();
                compare(&format!("{path}[{index}]"), &at(a), &at(b), changes);
            }
        }
        _ => changes.push(Change { path: path.to_owned(), values: [then, now].map(shown) }),
    }
}

/// Compares rules by name: first the settings of each, then the order of those that are on.
fn compare_rules(then: &[Value], now: &[Value], changes: &mut Vec<Change>) {
    let name = |rule: &Value| rule["rule"].as_str().unwrap_or_default().to_owned();
    for rule in now {
        let before = then.iter().find(|it| name(it) == name(rule)).unwrap_or(&Value::Null);
        compare(&format!("rules.{}", name(rule)), before, rule, changes);
    }
    let on = |rules: &[Value]| -> Vec<String> {
        rules.iter().filter(|rule| rule["on"] != Value::Bool(false)).map(name).collect()
    };
    let (then, now) = (on(then), on(now));
    let moved: Vec<&String> = now.iter().filter(|rule| then.contains(*rule)).collect();
    let before: Vec<&String> = then.iter().filter(|rule| now.contains(*rule)).collect();
    if moved != before {
        let apart = |one: &[&String], other: &[&String]| {
            let differ: Vec<&str> = one.iter().zip(other).filter(|(a, b)| a != b).map(|(a, _)| a.as_str()).collect();
            differ.join(", ")
        };
        changes.push(Change {
            path: tr("rules, in order").into(),
            values: [apart(&before, &moved), apart(&moved, &before)],
        });
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        Value::Object(fields) => part(fields),
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// A part that only one of them has: its kind, and its time.
fn part(fields: &Map<String, Value>) -> String {
    let when = fields.get("at_hours").and_then(Value::as_f64).map(words::day_and_time);
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    match (text("from"), text("incident").or_else(|| text("rule")).or_else(|| text("name")), when) {
        (Some(from), _, Some(when)) => say("from {from}, {when}", &[&from, &when]),
        (_, Some(name), Some(when)) => format!("{name}, {when}"),
        (_, Some(name), None) => name.to_owned(),
        _ => say("{} fields", &[&fields.len()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(changes: &[Change]) -> Vec<&str> {
        changes.iter().map(|change| change.path.as_str()).collect()
    }

    #[test]
    fn fields_that_differ_are_named_by_their_path() {
        let mut document = Document::default();
        let other = document.fork(0, None).expect("room");
        assert_eq!(changes(&document, 0, other), []);
        let variant = &mut document.variants[other];
        variant.agents.count = 7;
        variant.rules.iter_mut().find(|row| row.id == "BestFit").expect("BestFit").buckets = None;
        let found = changes(&document, 0, other);
        assert_eq!(paths(&found), ["agents.count", "rules.BestFit.buckets"]);
        assert_eq!(found[0].values[1], "7");
        assert_eq!(found[1].values[1], "-");
    }

    #[test]
    fn a_fork_and_an_event_are_told_in_a_few_words() {
        let mut document = Document::default();
        let other = document.fork(0, Some(120.0)).expect("room");
        let event = tiebreak_scenario::IncidentRow::plain("FailMachines", 12.5).expect("an event");
        document.variants[other].incidents.push(event);
        let told: Vec<_> = changes(&document, 0, other).into_iter().map(|change| change.values[1].clone()).collect();
        assert_eq!(told, ["FailMachines, day 0, 12:30", "from A, day 5, 00:00"]);
    }

    #[test]
    fn a_document_tells_what_was_changed_of_its_preset() {
        let preset = (PRESETS[0].make)();
        assert_eq!(since_preset(&preset).map(|(preset, _)| preset.id), None);
        let mut changed = preset.clone();
        let active = changed.active;
        let row = changed.variants[active].rules.iter_mut().find(|row| row.id == "BestFit").expect("BestFit");
        let before = row.buckets.map_or("-".into(), |buckets| buckets.to_string());
        row.buckets = Some(5);
        let told = |document: &Document| {
            let (preset, changes) = since_preset(document).expect("it was changed");
            (preset.id, changes.iter().map(Change::told).collect::<Vec<_>>())
        };
        let expected = (PRESETS[0].id, vec![format!("BestFit buckets {before} → 5")]);
        assert_eq!(told(&changed), expected);
        changed.name = "Another name".into();
        assert_eq!(told(&changed), expected, "it is known by its workload, too");
    }

    #[test]
    fn a_moved_rule_is_told_once() {
        let mut document = Document::default();
        let other = document.fork(0, None).expect("room");
        document.variants[other].move_rule("BestFit", 0);
        let found = changes(&document, 0, other);
        assert_eq!(paths(&found), ["rules, in order"]);
        assert!(found[0].values[1].starts_with("BestFit"), "{found:?}");
    }
}
