//! Versions of the document, and upgrades of old ones.
//!
//! A version's defaults are frozen, because links omit them. Changing a default, a name or a meaning needs a new
//! version and one upgrader that writes the old meaning explicitly. Adding a rule or a parameter that changes nothing
//! when absent needs no version.
//!
//! | version | what is new |
//! |---|---|
//! | 1 | |
//! | 2 | a variant without `rules` means a longer list of rules |
//! | 3 | a `NoisyOracle` that says no `error` has one factor for each VM, and a `LifetimeAlignmentBinary` that says no \
//! `machine_class` looks at remaining time |

use serde_json::{Map, Value, json};

use crate::document::VARIANTS_MAX;
use crate::fork::FORKS_MAX;

/// The version that is written.
pub const CURRENT_VERSION: u32 = 3;

/// Turns a document of one version into the next.
type Upgrader = fn(Value) -> Value;

/// The upgrader at index `n` converts version `n + 1`; a missing one does not compile.
static UPGRADERS: [Upgrader; CURRENT_VERSION as usize - 1] = [write_rules_of_version_1, write_readings_of_version_2];

/// The variants of a document; those beyond the maximum are dropped anyway.
fn variants(document: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let variants = document.get_mut("variants").and_then(Value::as_array_mut);
    variants.into_iter().flatten().take(VARIANTS_MAX).filter_map(Value::as_object_mut)
}

/// Writes version 1's default list into every variant without one.
fn write_rules_of_version_1(mut document: Value) -> Value {
    for variant in variants(&mut document) {
        variant.entry("rules").or_insert_with(rules_of_version_1);
    }
    document
}

/// The rules that version 1 had on by default. It must not follow the current default list.
fn rules_of_version_1() -> Value {
    json!([
        { "rule": "IsTypeSupported" },
        { "rule": "IsClusterBelowLimit" },
        { "rule": "PreferEmptierClusters" },
        { "rule": "AreNodeResourcesValid" },
        { "rule": "IsMachineReady" },
        { "rule": "PreferNonEmptyMachines" },
        { "rule": "BestFit", "buckets": 3 },
        { "rule": "PreferLeastUsedRack", "buckets": 4 },
    ])
}

/// Writes version 2's interpretations of LAVA into variants, and into their forks, that use them.
fn write_readings_of_version_2(mut document: Value) -> Value {
    for variant in variants(&mut document) {
        if let Some(predictor) = variant.get_mut("predictor") {
            write_value(predictor, ("predictor", "NoisyOracle"), ("error", "drawn_again"));
        }
        let mut held = Some(variant);
        for _ in 0..=FORKS_MAX {
            let Some(one) = held.take() else { break };
            let rules = one.get_mut("rules").and_then(Value::as_array_mut);
            // A rule that is off decided nothing.
            let is_on = |rule: &&mut Value| rule.get("on").and_then(Value::as_bool) != Some(false);
            for rule in rules.into_iter().flatten().filter(is_on) {
                write_value(rule, ("rule", "LifetimeAlignmentBinary"), ("machine_class", "first_lifetime"));
            }
            let before = if one.contains_key("fork") { "fork" } else { "before" };
            held = one.get_mut(before).and_then(Value::as_object_mut);
        }
    }
    document
}

/// Sets this value in a thing of this kind and id, if it is missing.
fn write_value(thing: &mut Value, (kind, id): (&str, &str), (name, value): (&str, &str)) {
    if thing.get(kind).and_then(Value::as_str) != Some(id) {
        return;
    }
    let values = thing.as_object_mut().map(|thing| thing.entry("values").or_insert_with(|| json!({})));
    if let Some(values) = values.and_then(Value::as_object_mut) {
        values.entry(name).or_insert_with(|| value.into());
    }
}

/// Upgrades a document of this version to [`CURRENT_VERSION`]; newer ones stay as they are.
#[must_use]
pub fn upgrade(value: Value, version: u32) -> Value {
    upgrade_by(&UPGRADERS, value, version)
}

fn upgrade_by(upgraders: &[Upgrader], value: Value, version: u32) -> Value {
    upgraders.iter().skip(version.saturating_sub(1) as usize).fold(value, |value, upgrader| upgrader(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_older_version_has_an_upgrader() {
        assert_eq!(UPGRADERS.len(), CURRENT_VERSION as usize - 1);
    }

    #[test]
    fn upgraders_run_in_order_from_the_version_on() {
        fn log(mut value: Value, step: &str) -> Value {
            value["log"] = json!(format!("{} {step}", value["log"].as_str().unwrap_or_default()));
            value
        }
        let upgraders: [Upgrader; 2] = [|value| log(value, "1 to 2"), |value| log(value, "2 to 3")];
        for (version, expected) in [(1, " 1 to 2 2 to 3"), (2, " 2 to 3"), (3, ""), (999, "")] {
            assert_eq!(upgrade_by(&upgraders, json!({"log": ""}), version)["log"], expected, "version {version}");
        }
    }
}
