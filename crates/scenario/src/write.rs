//! Writes a document: fields in a fixed order, numbers as short as possible, so that equal documents are equal texts.
//!
//! The full form, for files, contains everything. The short form, for links, omits declared defaults; both contain
//! every row of the rules, because order matters.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;
use tiebreak_model::{Declared, Param, ParamKind};
use tiebreak_placement::custom::{Bounds, Definition, Parameter};
use tiebreak_sim::GeneratedWorkload;

use crate::document::{ClusterRow, Document, RuleRow, Variant, WorkloadRef};
use crate::fork::Fork;
use crate::groups::{self, GROUPS};
use crate::incident::{AT_HOURS, IncidentRow};
use crate::predictor::PredictorRow;
use crate::sweep::{
    SweepParameter, SweepPlan, SweepRange, SweepScenario, SweepSeeds, SweepStep, SweepSubject, SweepValues,
};
use crate::version::CURRENT_VERSION;

/// A link's reference to the run from which it was shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Version of the engine that ran it.
    pub engine: String,
    /// Digest of the active variant's run.
    pub digest: u64,
}

impl Document {
    /// The whole document for a file: indented, nothing omitted.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&document(self, None, Form::Full)).expect("a tree of text and finite numbers")
    }

    /// The document for a link: one line, without default values.
    #[must_use]
    pub fn to_short_json(&self, stamp: Option<&Stamp>) -> String {
        serde_json::to_string(&document(self, stamp, Form::Short)).expect("a tree of text and finite numbers")
    }
}

impl RuleRow {
    /// The row for a separate file.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&rule(self, Form::Full)).expect("a tree of text and finite numbers")
    }
}

impl SweepPlan {
    /// The plan for a file: indented, nothing omitted.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&plan(self)).expect("a tree of text and finite numbers")
    }
}

fn plan(of: &SweepPlan) -> Node {
    let texts = |texts: &[String]| Node::List(texts.iter().map(|it| text(it)).collect());
    let scenario = match &of.scenario {
        SweepScenario::Named(name) => text(name),
        SweepScenario::Inline(inline) => document(inline, None, Form::Full),
    };
    let mut fields = vec![("scenario", scenario)];
    fields.extend(of.variant.iter().map(|name| ("variant", text(name))));
    if of.subject != SweepSubject::default() {
        fields.push(("of", text(of.subject.id())));
    }
    fields.push(("parameters", Node::List(of.parameters.iter().map(parameter).collect())));
    if of.one_at_a_time {
        fields.push(("one_at_a_time", Node::Flag(true)));
    }
    let seeds = match &of.seeds {
        SweepSeeds::Count(count) => Node::Number(*count as f64),
        SweepSeeds::List(seeds) => Node::List(seeds.iter().map(|seed| Node::Number(*seed as f64)).collect()),
    };
    fields.extend([("seeds", seeds), ("measures", texts(&of.measures))]);
    Node::Object(fields)
}

fn parameter(of: &SweepParameter) -> Node {
    let mut fields = vec![("path", text(&of.path))];
    match &of.values {
        SweepValues::List(values) => fields.push(("values", Node::List(values.iter().map(|it| given(it)).collect()))),
        SweepValues::Range(SweepRange { from, to, by }) => {
            fields.extend([("from", Node::Number(*from)), ("to", Node::Number(*to))]);
            fields.extend(match by {
                SweepStep::Step(step) => vec![("step", Node::Number(*step))],
                SweepStep::Linear(count) => vec![("count", Node::Number(f64::from(*count)))],
                SweepStep::Log(count) => vec![("count", Node::Number(f64::from(*count))), ("scale", text("log"))],
            });
        }
    }
    Node::Object(fields)
}

/// A value as on a command line; a number or a flag if that reads back as the same text.
fn given(value: &str) -> Node {
    match (value, value.parse::<f64>()) {
        ("true" | "false", _) => Node::Flag(value == "true"),
        (_, Ok(number)) if number.is_finite() && number.to_string() == value && value != "-0" => Node::Number(number),
        _ => text(value),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Full,
    Short,
}

/// A JSON tree whose fields keep their order. (serde_json's own does so only if some crate in the build enables that,
/// and a document must not depend on it.)
enum Node {
    Null,
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(&'static str, Node)>),
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Number(number) => match *number as i64 {
                whole if whole as f64 == *number => serializer.serialize_i64(whole),
                // As in the standard library: the shortest text that reads back as the same number.
                _ => Number::from_string_unchecked(number.to_string()).serialize(serializer),
            },
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                fields.iter().try_for_each(|(name, node)| map.serialize_entry(name, node))?;
                map.end()
            }
        }
    }
}

fn text(text: &str) -> Node {
    Node::Text(text.into())
}

fn document(document: &Document, stamp: Option<&Stamp>, form: Form) -> Node {
    let mut fields = vec![("version", Node::Number(f64::from(CURRENT_VERSION))), ("name", text(&document.name))];
    if form == Form::Full || document.active != 0 {
        fields.push(("active", Node::Number(document.active as f64)));
    }
    fields.push(("variants", Node::List(document.variants.iter().map(|each| variant(each, form)).collect())));
    if let Some(Stamp { engine, digest }) = stamp {
        let result = vec![("engine", text(engine)), ("digest", Node::Text(format!("{digest:016x}")))];
        fields.push(("result", Node::Object(result)));
    }
    Node::Object(fields)
}

fn variant(variant: &Variant, form: Form) -> Node {
    let mut fields = vec![("name", text(&variant.name))];
    fields.extend(declared(&variant.settings(), form));
    let clusters = variant.clusters.iter().map(|row| cluster(row, form)).collect();
    fields.push(("inventory", Node::Object(vec![("clusters", Node::List(clusters))])));
    fields.push(("workload", workload(&variant.workload, form)));
    fields.push(("rules", Node::List(variant.rules.iter().map(|row| rule(row, form)).collect())));
    let told = form == Form::Full || variant.predictor != PredictorRow::default();
    for group in GROUPS {
        if told && groups::comes_after_predictor(group) {
            fields.push((groups::PREDICTOR, predictor(&variant.predictor, form)));
        }
        push_unless_empty(&mut fields, group.id, values(group.declaration.params, &group.values(variant), form));
    }
    if form == Form::Full || !variant.incidents.is_empty() {
        fields.push(("incidents", Node::List(variant.incidents.iter().map(|row| incident(row, form)).collect())));
    }
    // Absent in both forms if there is none, because a variant is rarely a fork.
    fields.extend(variant.fork.iter().map(|it| ("fork", fork(it, form))));
    Node::Object(fields)
}

fn fork(of: &Fork, form: Form) -> Node {
    let mut fields = vec![("from", text(&of.from))];
    fields.extend(declared(&of.settings(), form));
    fields.push(("rules", Node::List(of.rules.iter().map(|row| rule(row, form)).collect())));
    fields.extend(of.before.iter().map(|it| ("before", fork(it, form))));
    Node::Object(fields)
}

fn predictor(row: &PredictorRow, form: Form) -> Node {
    let mut fields = vec![("predictor", text(&row.id))];
    push_unless_empty(&mut fields, "values", values(row.params(), &row.values, form));
    Node::Object(fields)
}

fn incident(row: &IncidentRow, form: Form) -> Node {
    let mut fields = vec![("incident", text(&row.id))];
    fields.extend(values(std::slice::from_ref(&AT_HOURS), &[row.at_hours], form));
    push_unless_empty(&mut fields, "values", values(row.params(), &row.values, form));
    Node::Object(fields)
}

fn cluster(row: &ClusterRow, form: Form) -> Node {
    let mut fields = vec![("name", text(&row.name))];
    fields.extend(declared(&row.settings, form));
    Node::Object(fields)
}

fn workload(workload: &WorkloadRef, form: Form) -> Node {
    let field = match workload {
        WorkloadRef::Trace { fingerprint, name, settings } => {
            let mut fields = vec![("fingerprint", Node::Text(format!("{fingerprint:032x}"))), ("name", text(name))];
            fields.extend(declared(settings, form));
            ("trace", Node::Object(fields))
        }
        WorkloadRef::Generated(settings) => ("generated", Node::Object(declared::<GeneratedWorkload>(settings, form))),
    };
    Node::Object(vec![field])
}

fn rule(row: &RuleRow, form: Form) -> Node {
    let mut fields = vec![("rule", text(&row.id))];
    fields.extend(row.custom.iter().map(|it| ("custom", custom(it.definition()))));
    if form == Form::Full || !row.on {
        fields.push(("on", Node::Flag(row.on)));
    }
    match (row.buckets, form) {
        (Some(buckets), _) => fields.push(("buckets", Node::Number(f64::from(buckets)))),
        (None, Form::Full) => fields.push(("buckets", Node::Null)),
        (None, Form::Short) => {}
    }
    match (row.weight, form) {
        (Some(weight), _) => fields.push(("weight", Node::Number(weight))),
        (None, Form::Full) if row.scores() => fields.push(("weight", Node::Null)),
        (None, _) => {}
    }
    let params = row.entry().map_or(&[][..], |entry| entry.declaration.params);
    push_unless_empty(&mut fields, "values", values(params, &row.values, form));
    Node::Object(fields)
}

/// A custom rule; the same in both forms, because its values have no declared defaults.
fn custom(of: &Definition) -> Node {
    let kind = if of.bounds.is_some() { "preference" } else { "validator" };
    let mut fields = vec![("kind", text(kind)), ("of", text(of.of.word()))];
    fields.extend(said("help", &of.help));
    if !of.parameters.is_empty() {
        fields.push(("params", Node::List(of.parameters.iter().map(parameter_of).collect())));
    }
    fields.push(("expression", text(&of.expression)));
    if let Some(Bounds { from, to, higher_is_better }) = of.bounds {
        let better = if higher_is_better { "higher" } else { "lower" };
        fields.extend([("from", Node::Number(from)), ("to", Node::Number(to)), ("better", text(better))]);
    }
    Node::Object(fields)
}

fn parameter_of(of: &Parameter) -> Node {
    let mut fields = vec![("name", text(&of.name))];
    fields.extend(said("help", &of.help));
    fields.extend(said("unit", &of.unit));
    let numbers = [("default", of.default), ("min", of.min), ("max", of.max)];
    fields.extend(numbers.map(|(name, number)| (name, Node::Number(number))));
    Node::Object(fields)
}

/// A text that is omitted if empty.
fn said(name: &'static str, words: &str) -> Option<(&'static str, Node)> {
    (!words.is_empty()).then(|| (name, text(words)))
}

fn push_unless_empty(fields: &mut Vec<(&'static str, Node)>, name: &'static str, inner: Vec<(&'static str, Node)>) {
    if !inner.is_empty() {
        fields.push((name, Node::Object(inner)));
    }
}

fn declared<T: Declared>(settings: &T, form: Form) -> Vec<(&'static str, Node)> {
    values(T::DECLARATION.params, &settings.to_values(), form)
}

fn values(params: &'static [Param], values: &[f64], form: Form) -> Vec<(&'static str, Node)> {
    let pairs = params.iter().zip(values).filter(|(param, value)| form == Form::Full || param.default != **value);
    pairs.map(|(param, value)| (param.name, value_of(param, *value))).collect()
}

fn value_of(param: &Param, value: f64) -> Node {
    match param.kind {
        ParamKind::Flag => Node::Flag(value != 0.0),
        ParamKind::Choice(words) => Node::Text(words[value as usize].into()),
        ParamKind::Integer | ParamKind::Number => Node::Number(value),
    }
}
