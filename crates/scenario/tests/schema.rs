//! The committed schema equals the declared one, and every document that we write conforms to it.

use std::path::Path;

use serde_json::Value;
use tiebreak_scenario::{Fork, IncidentRow, PRESETS, schema};

#[test]
fn the_committed_schema_is_the_declared_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenario.schema.json");
    let declared = schema();
    if std::env::var_os("UPDATE").is_some() {
        let text = serde_json::to_string_pretty(&declared).expect("JSON");
        std::fs::write(&path, text + "\n").expect("docs/ can be written");
    }
    let committed: Value =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap_or_default()).unwrap_or_default();
    assert_eq!(committed, declared, "docs/scenario.schema.json is old: run `UPDATE=1 cargo test -p tiebreak-scenario`");
}

/// Every field of a value is a property of its schema: enough to notice a shape that only one of them has.
fn covers(schema: &Value, value: &Value) -> bool {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.strip_prefix("#/$defs/").expect("a definition of this schema");
        return covers(&self::schema()["$defs"][name], value);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        return choices.iter().filter(|choice| covers(choice, value)).count() == 1;
    }
    if let Some(constant) = schema.get("const") {
        return constant == value;
    }
    match value {
        Value::Object(fields) => {
            let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
            let others = schema.get("additionalProperties").filter(|others| others.is_object());
            let of = |name: &str| schema["properties"].get(name).or(others);
            required.iter().all(|name| fields.contains_key(name.as_str().unwrap_or_default()))
                && fields.iter().all(|(name, field)| of(name).is_some_and(|of| covers(of, field)))
        }
        Value::Array(items) => schema["type"] == "array" && items.iter().all(|item| covers(&schema["items"], item)),
        Value::Number(number) if schema["type"] == "integer" => number.is_i64(),
        Value::Number(_) => schema["type"] == "number",
        Value::Bool(_) => schema["type"] == "boolean",
        Value::String(_) => {
            schema["type"] == "string" || schema["enum"].as_array().is_some_and(|words| words.contains(value))
        }
        Value::Null => schema["type"] == "null",
    }
}

#[test]
fn what_is_written_is_inside_the_schema() {
    for preset in PRESETS {
        let mut document = (preset.make)();
        let rows = tiebreak_sim::INCIDENTS.iter().map(|entry| IncidentRow::plain(entry.declaration.id, 1.5));
        document.variants[0].incidents = rows.map(|row| row.expect("a kind of incident")).collect();
        document.variants[0].fork = Fork::of(&document.variants[0], 1.5);
        document.variants[0].fork = Fork::of(&document.variants[0], 3.0);
        for json in [document.to_json(), document.to_short_json(None)] {
            let value = serde_json::from_str(&json).expect("JSON");
            assert!(covers(&schema(), &value), "{}: {json}", preset.id);
        }
    }
    assert!(!covers(&schema(), &serde_json::json!({"version": 1, "variants": [{"moods": []}]})));
}
