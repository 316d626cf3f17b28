//! Reads a document leniently: one function per shape, each of which uses what it can, takes defaults for the rest,
//! and reports what it did.

use std::fmt;

use serde_json::Value;
use tiebreak_model::fleet::MACHINES_MAX;
use tiebreak_model::{Declaration, Declared, Param};
use tiebreak_placement::{RULES, RuleEntry};
use tiebreak_sim::{GeneratedWorkload, IncidentEntry};

use crate::cursor::{Cursor, known};
use crate::custom::{self, CUSTOM_MAX};
use crate::document::{
    BUCKETS, CLUSTERS_MAX, ClusterRow, ClusterSettings, Document, REQUIRED_RULE, RuleRow, TraceSettings, VARIANTS_MAX,
    Variant, VariantSettings, WEIGHT, WorkloadRef, default_list, letter, sort_by_stage,
};
use crate::fork::{FORKS_MAX, Fork, ForkSettings};
use crate::groups;
use crate::incident::{AT_HOURS, INCIDENTS_MAX, IncidentRow};
use crate::issue::{Issue, Issues, quoted, range, shown};
use crate::predictor::PredictorRow;
use crate::version::{CURRENT_VERSION, upgrade};
use crate::write::Stamp;

/// The maximum size of a document's text, in bytes.
pub const TEXT_MAX: usize = 1 << 20;

/// The maximum number of values in a document's text: about as many as the largest document has within [`TEXT_MAX`].
/// In memory a value takes up to 600 bytes, so a text of short values would take a thousand times its own size.
pub const VALUES_MAX: usize = 100_000;

/// The result of reading a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// Everything readable, with defaults for the rest.
    pub document: Document,
    /// The run from which it was shared, if the text has it.
    pub stamp: Option<Stamp>,
    /// What was not used as it was.
    pub issues: Vec<Issue>,
    /// Whether a newer Tiebreak wrote it, so that the original should be kept.
    pub newer: bool,
}

/// Why nothing could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// Longer than [`TEXT_MAX`].
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// More than [`VALUES_MAX`] values.
    TooMany {
        /// The number of values.
        values: usize,
    },
    /// Nested deeper than any document.
    TooDeep,
    /// Not JSON.
    NotJson {
        /// Line of the first fault, from 1.
        line: usize,
        /// Column of the first fault, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// JSON, but not an object.
    NotADocument {
        /// Its kind.
        got: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes } => {
                write!(f, "expected a scenario of at most {TEXT_MAX} bytes, got {bytes}; is this a trace?")
            }
            Self::TooMany { values } => {
                write!(f, "expected a scenario of at most {VALUES_MAX} values, got {values}; it was not read")
            }
            Self::TooDeep => {
                write!(f, "expected a scenario, got brackets nested deeper than {DEPTH_MAX}; it was not read")
            }
            Self::NotJson { line, column, message } => {
                write!(f, "expected JSON, got something else at line {line}, column {column}: {message}")
            }
            Self::NotADocument { got } => write!(f, "expected a scenario as a JSON object, got {got}"),
        }
    }
}

impl std::error::Error for ReadError {}

impl ReadError {
    /// Whether the text is truncated but was JSON up to that point.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        matches!(self, Self::NotJson { message, .. } if message.starts_with("EOF"))
    }
}

impl Document {
    /// Reads a document of any version, using whatever is readable.
    ///
    /// # Errors
    /// If the text is too long, not JSON or not an object.
    pub fn read(json: &str) -> Result<Read, ReadError> {
        Self::read_as(json, CURRENT_VERSION)
    }

    /// Reads a document; `version` applies if it has none.
    pub(crate) fn read_as(json: &str, version: u32) -> Result<Read, ReadError> {
        read_value(parsed(json)?, version)
    }
}

/// The JSON of a text of at most [`TEXT_MAX`] bytes and [`VALUES_MAX`] values.
pub(crate) fn parsed(json: &str) -> Result<Value, ReadError> {
    if json.len() > TEXT_MAX {
        return Err(ReadError::TooLong { bytes: json.len() });
    }
    bounded(json)?;
    serde_json::from_str(json.trim_start_matches('\u{feff}')).map_err(|error| not_json(&error))
}

/// The maximum nesting of brackets; the JSON reader has the same limit.
const DEPTH_MAX: usize = 127;

/// Rejects too many values and brackets before memory is allocated for them.
fn bounded(json: &str) -> Result<(), ReadError> {
    let (mut values, mut depth, mut in_string, mut escaped) = (0, 0_usize, false, false);
    for byte in json.bytes() {
        match byte {
            b'"' if !escaped => in_string = !in_string,
            b'[' | b'{' if !in_string => (values, depth) = (values + 1, depth + 1),
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            b',' if !in_string => values += 1,
            _ => {}
        }
        escaped = in_string && byte == b'\\' && !escaped;
        if depth > DEPTH_MAX {
            return Err(ReadError::TooDeep);
        }
    }
    if values > VALUES_MAX { Err(ReadError::TooMany { values }) } else { Ok(()) }
}

fn not_json(error: &serde_json::Error) -> ReadError {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().into();
    ReadError::NotJson { line: error.line(), column: error.column(), message }
}

/// Reads a document that is already parsed.
pub(crate) fn read_value(value: Value, unless_said: u32) -> Result<Read, ReadError> {
    if !value.is_object() {
        return Err(ReadError::NotADocument { got: shown(&value) });
    }
    let issues = Issues::default();
    let version = version(&Cursor::top(&value, &issues), unless_said);
    let value = upgrade(value, version);
    let top = Cursor::top(&value, &issues);
    let stamp = top.field("result").and_then(|cursor| stamp(&cursor));
    let newer = version > CURRENT_VERSION;
    if newer {
        let engine = stamp.as_ref().map(|stamp| format!(" by engine {}", quoted(&stamp.engine))).unwrap_or_default();
        issues.push(newer_issue(&format!("version {version}{engine}")));
    }
    let document = document(&top);
    Ok(Read { document, stamp, issues: issues.into_list(), newer })
}

/// An issue for something from a newer Tiebreak.
pub(crate) fn newer_issue(got: &str) -> Issue {
    Issue {
        path: "version".into(),
        expected: format!("version {CURRENT_VERSION} or older"),
        got: got.into(),
        done: "it is newer than this page: the readable part was read, and the original text is kept".into(),
    }
}

fn version(top: &Cursor<'_>, unless_said: u32) -> u32 {
    let Some(cursor) = top.field("version") else {
        top.issue("a field version", format!("read as version {unless_said}"));
        return unless_said;
    };
    match cursor.value.as_u64() {
        Some(version @ 1..) => u32::try_from(version).unwrap_or(u32::MAX),
        _ => {
            cursor.issue("a version, 1 or more", format!("read as version {unless_said}"));
            unless_said
        }
    }
}

fn stamp(cursor: &Cursor<'_>) -> Option<Stamp> {
    cursor.object(&["engine", "digest"])?;
    let engine = cursor.field("engine")?.name()?;
    let digest = cursor.field("digest")?;
    let number = digest.value.as_str().and_then(|text| hex(text, 16));
    if number.is_none() {
        digest.issue("16 hexadecimal digits", "treated it as unstamped");
    }
    Some(Stamp { engine, digest: number? as u64 })
}

/// A number of exactly this many hexadecimal digits.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

fn document(top: &Cursor<'_>) -> Document {
    top.object(&["version", "name", "active", "variants", "result"]);
    let name = top.name_field(Document::default().name);
    let variants = variants(top);
    let active = top.field("active").and_then(|cursor| active(&cursor, variants.len())).unwrap_or(0);
    Document { name, variants, active }
}

fn active(cursor: &Cursor<'_>, variants: usize) -> Option<usize> {
    let index = cursor.value.as_u64().and_then(|index| usize::try_from(index).ok()).filter(|index| *index < variants);
    if index.is_none() {
        cursor.issue(format!("the index of a variant, 0 to {}", variants - 1), "used 0");
    }
    index
}

/// The variants; at least one, whatever the text contains.
fn variants(top: &Cursor<'_>) -> Vec<Variant> {
    let Some(cursor) = top.field("variants") else {
        top.issue("a field variants", "used the default variant");
        return vec![Variant::default()];
    };
    let items = cursor.items(VARIANTS_MAX);
    if items.is_empty() && cursor.value.is_array() {
        cursor.issue("at least 1 variant", "used the default variant");
    }
    let variants: Vec<_> = items.iter().enumerate().map(|(index, item)| variant(item, index)).collect();
    if variants.is_empty() { vec![Variant::default()] } else { variants }
}

fn variant(cursor: &Cursor<'_>, index: usize) -> Variant {
    let mut own = vec!["name", "inventory", "workload", "rules"];
    own.extend(groups::names());
    own.extend(["incidents", "fork"]);
    cursor.object(&known(&own, VariantSettings::DECLARATION.params));
    let mut variant = Variant {
        name: cursor.name_field(letter(index)),
        clusters: cursor.field("inventory").map_or_else(Vec::new, |inventory| clusters(&inventory)),
        workload: cursor.field("workload").map_or_else(WorkloadRef::default, |field| workload(&field)),
        rules: cursor.field("rules").map_or_else(default_list, |field| rules(&field)),
        ..Variant::default()
    };
    for (name, field) in groups::names().filter_map(|name| Some((name, cursor.field(name)?))) {
        match groups::find(name) {
            Some(group) => group.put(&mut variant, &own_values(&field, group.declaration.params)),
            None => variant.predictor = predictor(&field),
        }
    }
    variant.incidents = cursor.field("incidents").map_or_else(Vec::new, |field| incidents(&field));
    variant.fork = cursor.field("fork").and_then(|field| fork(&field, FORKS_MAX));
    variant.apply_settings(cursor.declared());
    if variant.clusters.is_empty() {
        variant.clusters.push(ClusterRow::numbered(0));
    }
    variant
}

/// The values of an object that consists of one declared group of settings.
fn own_values(cursor: &Cursor<'_>, params: &[Param]) -> Vec<f64> {
    cursor.object(&known(&[], params));
    cursor.values(params)
}

fn predictor(cursor: &Cursor<'_>) -> PredictorRow {
    cursor.object(&["predictor", "values"]);
    let Some(id) = cursor.field("predictor") else {
        cursor.issue("a field predictor with the id of a predictor", "used the default predictor");
        return PredictorRow::default();
    };
    let Some(entry) = id.value.as_str().and_then(tiebreak_lifetime::find) else {
        id.issue("the id of a predictor of this version", "used the default predictor");
        return PredictorRow::default();
    };
    PredictorRow { id: entry.declaration.id.into(), values: values(cursor, &entry.declaration) }
}

/// The incidents of known kinds.
fn incidents(list: &Cursor<'_>) -> Vec<IncidentRow> {
    list.items(INCIDENTS_MAX).iter().filter_map(incident).collect()
}

fn incident(cursor: &Cursor<'_>) -> Option<IncidentRow> {
    cursor.object(&["incident", AT_HOURS.name, "values"])?;
    let declaration = incident_entry(cursor)?.declaration;
    let values = values(cursor, &declaration);
    Some(IncidentRow { id: declaration.id.into(), at_hours: cursor.number_field(&AT_HOURS), values })
}

fn incident_entry(cursor: &Cursor<'_>) -> Option<&'static IncidentEntry> {
    let Some(id) = cursor.field("incident") else {
        cursor.issue("a field incident with the id of an incident", "dropped the row");
        return None;
    };
    let entry = id.value.as_str().and_then(tiebreak_sim::incidents::find);
    if entry.is_none() {
        id.issue("the id of an incident of this version", "dropped the row");
    }
    entry
}

/// The parameters in a row's field `values`.
fn values(row: &Cursor<'_>, declaration: &Declaration) -> Vec<f64> {
    let Some(values) = row.field("values") else { return declaration.defaults() };
    own_values(&values, declaration.params)
}

/// The valid clusters; those that would exceed [`MACHINES_MAX`] in total are omitted.
fn clusters(inventory: &Cursor<'_>) -> Vec<ClusterRow> {
    inventory.object(&["clusters"]);
    let Some(list) = inventory.field("clusters") else { return Vec::new() };
    let items = list.items(CLUSTERS_MAX);
    if items.is_empty() && list.value.is_array() {
        list.issue("at least 1 cluster", "used the default cluster");
    }
    let mut machines = 0;
    let mut rows = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let row = cluster(item, index);
        if machines + row.settings.machines > MACHINES_MAX {
            item.issue(format!("at most {MACHINES_MAX} machines in all clusters together"), "dropped it");
        } else {
            machines += row.settings.machines;
            rows.push(row);
        }
    }
    rows
}

fn cluster(cursor: &Cursor<'_>, index: usize) -> ClusterRow {
    cursor.object(&known(&["name"], ClusterSettings::DECLARATION.params));
    let name = cursor.name_field(ClusterRow::numbered(index).name);
    let mut settings: ClusterSettings = cursor.declared();
    if settings.racks > settings.machines {
        settings.racks = settings.machines;
        // A default that is too large is not the user's mistake.
        if let Some(racks) = cursor.field("racks") {
            racks.issue(format!("at most one rack for each of {} machines", settings.machines), "used as many");
        }
    }
    let most = settings.machines / settings.racks;
    if settings.chassis > most {
        settings.chassis = most;
        if let Some(chassis) = cursor.field("chassis") {
            chassis.issue(format!("at most one chassis for each of {most} machines of a rack"), "used as many");
        }
    }
    ClusterRow { name, settings }
}

fn workload(cursor: &Cursor<'_>) -> WorkloadRef {
    if cursor.object(&["trace", "generated"]).is_none() {
        return WorkloadRef::default();
    }
    match (cursor.field("trace"), cursor.field("generated")) {
        (Some(one), other) => {
            if let Some(other) = other {
                other.issue("either trace or generated", "used the trace");
            }
            trace(&one)
        }
        (None, Some(settings)) => generated(&settings),
        (None, None) => {
            cursor.issue("trace or generated", "used the default generated workload");
            WorkloadRef::default()
        }
    }
}

fn generated(cursor: &Cursor<'_>) -> WorkloadRef {
    WorkloadRef::Generated(GeneratedWorkload::from_values(&own_values(cursor, GeneratedWorkload::DECLARATION.params)))
}

/// A trace with an unreadable fingerprint keeps its name, so that people can find the file.
fn trace(cursor: &Cursor<'_>) -> WorkloadRef {
    cursor.object(&known(&["fingerprint", "name"], TraceSettings::DECLARATION.params));
    let name = cursor.name_field("");
    let fingerprint = match cursor.field("fingerprint") {
        None => {
            cursor.issue("a field fingerprint", "no trace matches; choose its file again");
            None
        }
        Some(field) => {
            let number = field.value.as_str().and_then(|text| hex(text, 32));
            if number.is_none() {
                field.issue("32 hexadecimal digits", "no trace matches; choose its file again");
            }
            number
        }
    };
    WorkloadRef::Trace { fingerprint: fingerprint.unwrap_or(0), name, settings: cursor.declared() }
}

/// A fork, if it has a moment; with at most `most` moments.
fn fork(cursor: &Cursor<'_>, most: usize) -> Option<Fork> {
    if most == 0 {
        cursor.issue(format!("at most {FORKS_MAX} changes of rules"), "dropped it");
        return None;
    }
    if !cursor.value.is_object() {
        cursor.issue("an object", "dropped the fork");
        return None;
    }
    cursor.object(&known(&["from", "rules", "before"], ForkSettings::DECLARATION.params));
    let Some(list) = cursor.field("rules") else {
        cursor.issue("a field rules with the list that held until then", "dropped the fork");
        return None;
    };
    let ForkSettings { at_hours, best_clusters, hand_weights, combining } = cursor.declared();
    let from = cursor.field("from").and_then(|field| field.name()).unwrap_or_default();
    let before = cursor.field("before").and_then(|field| earlier(&field, at_hours, most - 1));
    Some(Fork {
        from,
        at_hours,
        rules: rules(&list),
        best_clusters,
        hand_weights,
        combining,
        before: before.map(Box::new),
    })
}

/// The fork before that, if its moment is earlier.
fn earlier(cursor: &Cursor<'_>, at_hours: f64, most: usize) -> Option<Fork> {
    let before = fork(cursor, most)?;
    if before.at_hours < at_hours {
        return Some(before);
    }
    cursor.issue(format!("a fork before {at_hours} h"), "dropped it");
    None
}

/// The list as given, followed by every rule it does not name, so that a document older than a rule opens with that
/// rule off.
fn rules(list: &Cursor<'_>) -> Vec<RuleRow> {
    if !list.value.is_array() {
        list.issue("a list", "used the default rules");
        return default_list();
    }
    let mut rows: Vec<RuleRow> = Vec::new();
    for item in list.items(usize::MAX) {
        let Some(row) = rule(&item) else { continue };
        let own = || rows.iter().filter(|other| other.custom.is_some()).count();
        if rows.iter().any(|other| other.id == row.id) {
            item.issue(format!("{} once", row.id), "dropped the second one");
        } else if row.custom.is_some() && own() == CUSTOM_MAX {
            item.issue(format!("at most {CUSTOM_MAX} custom rules"), "dropped it");
        } else {
            rows.push(row);
        }
    }
    let absent = RULES.iter().filter(|entry| !rows.iter().any(|row| row.id == entry.declaration.id));
    let absent: Vec<_> = absent.map(RuleRow::unused).collect();
    rows.extend(absent);
    sort_by_stage(&mut rows);
    rows
}

/// One row of a list from a separate file, if it is readable, and what was not used as it was.
///
/// # Errors
/// If the text is too long or not JSON.
pub fn rule_of(json: &str) -> Result<(Option<RuleRow>, Vec<Issue>), ReadError> {
    let value = parsed(json)?;
    let issues = Issues::default();
    let row = rule(&Cursor::top(&value, &issues));
    Ok((row, issues.into_list()))
}

fn rule(cursor: &Cursor<'_>) -> Option<RuleRow> {
    cursor.object(&["rule", "on", "buckets", "weight", "values", "custom"])?;
    let own = cursor.field("custom");
    let custom = match &own {
        Some(own) => Some(custom::read(&cursor.field("rule")?, own)?),
        None => None,
    };
    let entry = custom.as_ref().map_or_else(|| rule_entry(cursor), |custom| Some(custom.entry()))?;
    let on = cursor.field("on").and_then(|field| rule_on(&field, entry)).unwrap_or(true);
    let buckets = cursor.field("buckets").and_then(|field| buckets(&field, entry));
    let weight = cursor.field("weight").and_then(|field| weight(&field, entry));
    let values = values(cursor, &entry.declaration);
    // A rule that is off may have faults, because it is not evaluated.
    let on = on && custom.as_ref().zip(own).is_none_or(|(custom, own)| custom::stands(custom, &own));
    Some(RuleRow { id: entry.declaration.id.into(), on, buckets, weight, values, custom })
}

fn rule_entry(cursor: &Cursor<'_>) -> Option<&'static RuleEntry> {
    let Some(id) = cursor.field("rule") else {
        cursor.issue("a field rule with the id of a rule", "dropped the row");
        return None;
    };
    let entry = id.value.as_str().and_then(tiebreak_placement::rules::find);
    if entry.is_none() {
        id.issue("the id of a rule of this version", "dropped the row");
    }
    entry
}

fn rule_on(cursor: &Cursor<'_>, entry: &RuleEntry) -> Option<bool> {
    match cursor.value.as_bool() {
        None => cursor.issue("true or false", "used true"),
        Some(false) if entry.declaration.id == REQUIRED_RULE => {
            cursor.issue("true: without this rule machines would be over-committed", "left it on");
        }
        given => return given,
    }
    None
}

fn buckets(cursor: &Cursor<'_>, entry: &RuleEntry) -> Option<u32> {
    if cursor.value.is_null() {
        return None;
    }
    if !entry.group.scores() {
        cursor.issue("no buckets: a validator has no scores", "dropped them");
        return None;
    }
    let number = cursor.value.as_f64().filter(|number| BUCKETS.allows(*number));
    if number.is_none() {
        cursor.issue(format!("{} or null", range(&BUCKETS)), "scores are compared exactly");
    }
    number.map(|number| number as u32)
}

fn weight(cursor: &Cursor<'_>, entry: &RuleEntry) -> Option<f64> {
    if cursor.value.is_null() {
        return None;
    }
    if !entry.group.scores() {
        cursor.issue("no weight: a validator only filters", "dropped it");
        return None;
    }
    let number = cursor.value.as_f64().filter(|number| WEIGHT.allows(*number));
    if number.is_none() {
        cursor.issue(format!("{} or null", range(&WEIGHT)), "dropped it");
    }
    number
}
