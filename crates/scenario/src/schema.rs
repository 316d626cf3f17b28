//! The JSON Schema (2020-12) of a document, generated from the declarations, for editors that complete and check
//! text.
//!
//! It is committed as `docs/scenario.schema.json`; a test compares the two.

use serde_json::{Map, Value, json};
use tiebreak_lifetime::{PREDICTORS, PredictorEntry};
use tiebreak_model::{Declaration, Declared, Param, ParamKind};
use tiebreak_placement::custom::{NAME_MAX as NAME_MAX_OF_RULES, SOURCE_MAX, Subject};
use tiebreak_placement::{RULES, RuleEntry};
use tiebreak_sim::{GeneratedWorkload, INCIDENTS, IncidentEntry};

use crate::custom::{HELP_MAX, NUMBER_MAX, PARAMETERS_MAX};
use crate::document::{
    BUCKETS, CLUSTERS_MAX, ClusterSettings, NAME_MAX, REQUIRED_RULE, TraceSettings, VARIANTS_MAX, VariantSettings,
    WEIGHT,
};
use crate::fork::ForkSettings;
use crate::groups::GROUPS;
use crate::incident::{AT_HOURS, INCIDENTS_MAX};
use crate::version::CURRENT_VERSION;

/// The schema of the version that is written.
#[must_use]
pub fn schema() -> Value {
    let mut schema = object(
        "A scenario of Tiebreak: variants of a zone to compare.",
        json!({
            "version": { "const": CURRENT_VERSION },
            "name": name("The display name."),
            "active": { "type": "integer", "minimum": 0, "maximum": VARIANTS_MAX - 1, "default": 0,
                "description": "Index of the active variant." },
            "variants": { "type": "array", "items": variant(), "minItems": 1, "maxItems": VARIANTS_MAX },
            "result": result(),
        }),
        &["version", "variants"],
    );
    schema["$defs"] = json!({ "rules": rules(), "fork": fork() });
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("Tiebreak scenario");
    schema
}

fn variant() -> Value {
    let mut properties = json!({
        "name": name("The display name: A, B."),
        "inventory": inventory(),
        "workload": workload(),
        "rules": reference("rules"),
        "predictor": { "oneOf": PREDICTORS.iter().map(predictor).collect::<Vec<_>>(),
            "description": "The predictor of VM lifetimes, for rules that use them." },
        "incidents": { "type": "array", "items": { "oneOf": INCIDENTS.iter().map(incident).collect::<Vec<_>>() },
            "maxItems": INCIDENTS_MAX, "default": [],
            "description": "Events in the zone during the run. Events at the same time happen in this order." },
        "fork": reference("fork"),
    });
    let groups = GROUPS.iter().map(|it| (it.id.to_owned(), group(&it.declaration)));
    extend(&mut properties, groups.collect::<Map<_, _>>().into());
    extend(&mut properties, params(VariantSettings::DECLARATION.params));
    object("Everything one run depends on.", properties, &[])
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn rules() -> Value {
    let rows: Vec<_> = RULES.iter().map(rule).chain([own_rule()]).collect();
    json!({ "type": "array", "items": { "oneOf": rows },
        "description": "Stage by stage in order; a preference decides only the ties that those above it leave. \
            Rules that are absent are off." })
}

fn fork() -> Value {
    let mut fork = group(&ForkSettings::DECLARATION);
    fork["properties"]["from"] = name("The name of the variant it forked from.");
    fork["properties"]["rules"] = reference("rules");
    fork["properties"]["before"] = reference("fork");
    fork["required"] = json!(["rules"]);
    fork
}

fn inventory() -> Value {
    let mut cluster = group(&ClusterSettings::DECLARATION);
    cluster["properties"]["name"] = name("The display name.");
    let clusters = json!({ "type": "array", "items": cluster, "minItems": 1, "maxItems": CLUSTERS_MAX });
    object("The machines of the zone.", json!({ "clusters": clusters }), &["clusters"])
}

fn workload() -> Value {
    let mut trace = object(
        "A trace, by name; its rows are never included.",
        json!({
            "fingerprint": { "type": "string", "pattern": "^[0-9a-f]{32}$",
                "description": "128-bit fingerprint of the requests in the trace." },
            "name": name("The file's name."),
        }),
        &["fingerprint"],
    );
    extend(&mut trace["properties"], params(TraceSettings::DECLARATION.params));
    json!({ "oneOf": [
        object("Requests of a trace.", json!({ "trace": trace }), &["trace"]),
        object("Generated requests.", json!({ "generated": group(&GeneratedWorkload::DECLARATION) }), &["generated"]),
    ]})
}

fn rule(entry: &RuleEntry) -> Value {
    let Declaration { id, help, params: own, .. } = entry.declaration;
    let on = if id == REQUIRED_RULE { json!({ "const": true }) } else { json!({ "type": "boolean" }) };
    let of_scores = |of: &Param| match entry.group.scores() {
        true => json!({ "oneOf": [param(of), { "type": "null" }], "default": null }),
        false => json!({ "type": "null" }),
    };
    let (buckets, weight) = (of_scores(&BUCKETS), of_scores(&WEIGHT));
    let values = object("Its parameters.", params(own), &[]);
    let properties =
        json!({ "rule": { "const": id }, "on": on, "buckets": buckets, "weight": weight, "values": values });
    let mut rule = object(help, properties, &["rule"]);
    rule["title"] = json!(entry.declaration.title);
    rule["properties"]["on"]["default"] = json!(true);
    rule
}

/// A row with a custom rule. What a validator does not have is null or absent.
fn own_rule() -> Value {
    let identifier = json!({ "type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]*$", "maxLength": NAME_MAX_OF_RULES,
        "not": { "const": REQUIRED_RULE } });
    let line = |help: &str| json!({ "type": "string", "maxLength": HELP_MAX, "description": help, "default": "" });
    let number =
        |help: &str| json!({ "type": "number", "minimum": -NUMBER_MAX, "maximum": NUMBER_MAX, "description": help });
    let parameter = object(
        "A parameter: a number that the expression reads by its name.",
        json!({ "name": identifier, "help": line("What it means."), "unit": line("Its unit."),
            "default": number("Its default value."), "min": number("Smallest allowed value."),
            "max": number("Largest allowed value.") }),
        &["name", "default", "min", "max"],
    );
    let custom = object(
        "A custom rule.",
        json!({
            "kind": { "enum": ["preference", "validator"],
                "description": "Whether it is a preference or a validator." },
            "of": { "enum": Subject::ALL.map(Subject::word), "default": "machine", "description": "What it is about: \
                 machines, racks or clusters." },
            "help": line("What it does, in a line."),
            "params": { "type": "array", "items": parameter, "maxItems": PARAMETERS_MAX, "default": [] },
            "expression": { "type": "string", "maxLength": SOURCE_MAX,
                "description": "A number for a preference, true or false for a validator; `tiebreak list names` lists \
                     the names it may read." },
            "from": number("The lowest value of a preference that is distinguished; 0 by default."),
            "to": number("The highest value of a preference that is distinguished; 1 by default."),
            "better": { "enum": ["lower", "higher"], "default": "lower", "description": "Which values of a preference are better." },
        }),
        &["kind", "expression"],
    );
    let of_scores = |of: &Param| json!({ "oneOf": [param(of), { "type": "null" }], "default": null });
    let values =
        json!({ "type": "object", "additionalProperties": { "type": "number" }, "description": "Its parameters." });
    let on = json!({ "type": "boolean", "default": true });
    let properties = json!({ "rule": identifier, "custom": custom, "on": on, "buckets": of_scores(&BUCKETS),
        "weight": of_scores(&WEIGHT), "values": values });
    let mut rule =
        object("A custom rule; it replaces the built-in rule of the same name.", properties, &["rule", "custom"]);
    rule["title"] = json!("A custom rule");
    rule
}

fn predictor(entry: &PredictorEntry) -> Value {
    let Declaration { id, title, help, params: own } = entry.declaration;
    let properties = json!({ "predictor": { "const": id }, "values": object("Its parameters.", params(own), &[]) });
    let mut predictor = object(help, properties, &["predictor"]);
    predictor["title"] = json!(title);
    predictor
}

fn incident(entry: &IncidentEntry) -> Value {
    let Declaration { id, title, help, params: own } = entry.declaration;
    let mut properties = json!({ "incident": { "const": id }, "values": object("Its parameters.", params(own), &[]) });
    extend(&mut properties, params(std::slice::from_ref(&AT_HOURS)));
    let mut incident = object(help, properties, &["incident"]);
    incident["title"] = json!(title);
    incident
}

fn result() -> Value {
    object(
        "The run it was shared from.",
        json!({
            "engine": name("Version of the engine."),
            "digest": { "type": "string", "pattern": "^[0-9a-f]{16}$", "description": "Digest of the active variant's run." },
        }),
        &["engine", "digest"],
    )
}

fn object(description: &str, properties: Value, required: &[&str]) -> Value {
    let description = one_line(description);
    let mut object = json!({ "type": "object", "description": description, "additionalProperties": false });
    object["properties"] = properties;
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn name(description: &str) -> Value {
    json!({ "type": "string", "maxLength": NAME_MAX, "description": description })
}

fn group(declaration: &Declaration) -> Value {
    let mut group = object(declaration.help, params(declaration.params), &[]);
    group["title"] = json!(declaration.title);
    group
}

fn params(params: &[Param]) -> Value {
    params.iter().map(|each| (each.name.to_owned(), param(each))).collect::<Map<_, _>>().into()
}

fn param(param: &Param) -> Value {
    let unit = if param.unit.is_empty() { String::new() } else { format!(" Unit: {}.", param.unit) };
    let description = format!("{}{unit}", one_line(param.help));
    match param.kind {
        ParamKind::Flag => json!({ "type": "boolean", "default": param.default != 0.0, "description": description }),
        ParamKind::Choice(words) => json!({ "enum": words, "default": words[param.default as usize],
            "description": description }),
        ParamKind::Integer => json!({ "type": "integer", "minimum": param.min as i64, "maximum": param.max as i64,
            "default": param.default as i64, "description": description }),
        ParamKind::Number => json!({ "type": "number", "minimum": param.min, "maximum": param.max,
            "default": param.default, "description": description }),
    }
}

fn extend(properties: &mut Value, more: Value) {
    if let (Value::Object(properties), Value::Object(more)) = (properties, more) {
        properties.extend(more);
    }
}

/// Help as one paragraph: doc comments are wrapped in the source.
fn one_line(help: &str) -> String {
    help.split_whitespace().collect::<Vec<_>>().join(" ")
}
