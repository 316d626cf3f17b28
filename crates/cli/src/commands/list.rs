//! `tiebreak list`: the declarations of rules, settings and other parts.

use serde::Serialize;
use serde_json::Value;
use tiebreak_lifetime::PREDICTORS;
use tiebreak_model::{Declaration, Declared, Param, ParamKind};
use tiebreak_placement::RULES;
use tiebreak_placement::custom::{NAMES, Name};
use tiebreak_scenario::document::{BUCKETS, ClusterSettings, VariantSettings, WEIGHT};
use tiebreak_scenario::gallery::{BUILT_IN, GALLERY, GalleryRule};
use tiebreak_scenario::incident::AT_HOURS;
use tiebreak_scenario::{GROUPS, PRESETS, Preset, RuleRow};
use tiebreak_sim::{GeneratedWorkload, INCIDENTS, METRICS};
use tiebreak_trace::FORMATS;

use tiebreak_import::{TWINS, Twin};

use crate::files::{FILES, Field, FileOf};
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::Given;
use tiebreak_console::shown::{one_line, wrapped};

/// The argument that chooses a list; without it, the command lists the lists.
pub(crate) const WORDS: &str = "[LIST]";

/// A list by name, with what applies to all its rows.
struct List {
    name: &'static str,
    title: &'static str,
    rows: Box<dyn Fn() -> Vec<ListRow>>,
    foot: fn() -> String,
}

/// All lists in display order. A second group of the same name ("admission_lab" after "admission") joins the list of
/// the first.
fn lists() -> Vec<List> {
    let before = [
        List::new("rules", "Rules", rules).with_foot(of_scores),
        List::new("default", "The default list of rules", default_list),
        List::new("names", "Names that custom rules may read", names),
        List::new("gallery", "Known rules as expressions", gallery).with_foot(of_gallery),
        List::new("twins", "Our rules, and what stands for them elsewhere", twins).with_foot(of_twins),
        List::new("incidents", "Incidents", incidents).with_foot(of_incidents),
        List::new("metrics", "Metrics", metrics),
        List::new("workloads", "Workload", || vec![row(&GeneratedWorkload::DECLARATION)]),
        List::new("formats", "Trace formats", formats),
        List::new("presets", "Presets", presets),
        List::new("predictors", "Lifetime predictors", predictors),
    ];
    let groups = GROUPS.chunk_by(|first, next| next.id.starts_with(first.id));
    let groups = groups.map(|groups| {
        let Declaration { title, .. } = groups[0].declaration;
        List::new(groups[0].id, title, move || groups.iter().map(|group| row(&group.declaration)).collect())
    });
    let behind = [
        List::new("clusters", "Machines", || vec![row(&ClusterSettings::DECLARATION)]),
        List::new("run", "The run", || vec![row(&VariantSettings::DECLARATION)]),
        List::new("files", "The files of a run", files),
    ];
    before.into_iter().chain(groups).chain(behind).collect()
}

impl List {
    fn new(name: &'static str, title: &'static str, rows: impl Fn() -> Vec<ListRow> + 'static) -> Self {
        Self { name, title, rows: Box::new(rows), foot: String::new }
    }

    fn with_foot(self, foot: fn() -> String) -> Self {
        Self { foot, ..self }
    }
}

#[derive(Default, Serialize)]
struct ListRow {
    id: &'static str,
    title: &'static str,
    help: String,
    params: Vec<ParamRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    /// For a name: what it describes and its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// For a rule of the gallery: its definition as a row of a policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<Value>,
    /// For a twin: the plugin of Kubernetes and the filter or weigher of Nova.
    #[serde(skip_serializing_if = "Option::is_none")]
    kubernetes: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nova: Option<&'static str>,
    /// For a file: its names and meanings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<Field>,
}

#[derive(Serialize)]
struct ParamRow {
    name: &'static str,
    help: String,
    default: f64,
    min: f64,
    max: f64,
    unit: &'static str,
    kind: &'static str,
    /// The words of a choice, in order.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    words: &'static [&'static str],
}

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let lists = lists();
    let Some(name) = given.words.first() else { return Ok(overview(given, &lists)) };
    let list = lists.iter().find(|list| list.name == name).ok_or_else(|| {
        let names: Vec<_> = lists.iter().map(|list| list.name).collect();
        Failure(format!("expected a list ({}), got \"{name}\"; write one of these", names.join("|")))
    })?;
    let rows = (list.rows)();
    let text = || rows.iter().map(ListRow::text).collect::<Vec<_>>().join("\n") + &(list.foot)();
    Ok(Answer::either(given, &rows, text))
}

/// The lists.
fn overview(given: &Given, lists: &[List]) -> Answer {
    #[derive(Serialize)]
    struct Named {
        id: &'static str,
        title: &'static str,
    }
    let named: Vec<_> = lists.iter().map(|list| Named { id: list.name, title: list.title }).collect();
    let line = |list: &Named| format!("{:<12}{}\n", list.id, list.title);
    Answer::either(given, &named, || named.iter().map(line).collect::<String>())
}

fn row(declaration: &'static Declaration) -> ListRow {
    let Declaration { id, title, help, params } = *declaration;
    ListRow { id, title, help: one_line(help), params: params.iter().map(param).collect(), ..ListRow::default() }
}

fn param(param: &Param) -> ParamRow {
    let Param { name, help, kind, default, min, max, unit } = *param;
    let kind = match kind {
        ParamKind::Integer => "integer",
        ParamKind::Number => "number",
        ParamKind::Flag => "flag",
        ParamKind::Choice(_) => "choice",
    };
    let words = if let ParamKind::Choice(words) = param.kind { words } else { &[] };
    ParamRow { name, help: one_line(help), default, min, max, unit, kind, words }
}

fn rules() -> Vec<ListRow> {
    RULES.iter().map(|entry| ListRow { stage: Some(entry.group.title()), ..row(&entry.declaration) }).collect()
}

/// The rules of the default policy, in order.
fn default_list() -> Vec<ListRow> {
    let document = (PRESETS[0].make)();
    let on = document.active_variant().rules.iter().filter(|rule| rule.on);
    let row = |rule: &RuleRow| {
        let entry = rule.entry()?;
        let compared = match rule.buckets {
            _ if !rule.scores() => "filters".into(),
            Some(1) => "compares in 1 bucket".into(),
            Some(buckets) => format!("compares in {buckets} buckets"),
            None => "compares exactly".into(),
        };
        Some(ListRow { title: entry.group.title(), help: compared, params: Vec::new(), ..row(&entry.declaration) })
    };
    on.filter_map(row).collect()
}

fn names() -> Vec<ListRow> {
    let row = |name: &Name| ListRow {
        id: name.id,
        title: name.id,
        help: name.help.into(),
        unit: Some(name.unit),
        of: Some(name.of.word()),
        kind: Some(name.kind.words()),
        ..ListRow::default()
    };
    NAMES.iter().map(row).collect()
}

/// Each rule of the gallery with its row in a file for `--rule` or in a document.
fn gallery() -> Vec<ListRow> {
    let row = |of: &GalleryRule| {
        let rule = of.row();
        let entry = rule.entry()?;
        let json = serde_json::from_str(&rule.to_json()).ok();
        Some(ListRow { stage: Some(entry.group.title()), rule: json, ..row(&entry.declaration) })
    };
    GALLERY.iter().filter_map(row).collect()
}

/// Each rule with its twins in Kubernetes and in Nova.
fn twins() -> Vec<ListRow> {
    let row = |twin: &'static Twin| ListRow {
        id: twin.rule,
        title: twin.rule,
        help: twin.differs.into(),
        kubernetes: Some(twin.kubernetes),
        nova: Some(twin.nova),
        ..ListRow::default()
    };
    TWINS.iter().map(row).collect()
}

fn of_twins() -> String {
    "\n`tiebreak check --import FILE` lists what of a configuration has no twin.\n".into()
}

fn of_gallery() -> String {
    let built_in: String = BUILT_IN.iter().map(|(id, source)| format!("    {id}: {source}\n")).collect();
    let head = "`tiebreak run --rule NAME` adds one to the list; `tiebreak list gallery --json` prints each as a rule for a file.";
    format!("\n{head}\nBuilt in, because an expression cannot read what they need:\n{built_in}")
}

fn incidents() -> Vec<ListRow> {
    INCIDENTS.iter().map(|entry| row(&entry.declaration)).collect()
}

fn predictors() -> Vec<ListRow> {
    PREDICTORS.iter().map(|entry| row(&entry.declaration)).collect()
}

fn metrics() -> Vec<ListRow> {
    METRICS.iter().map(|metric| ListRow { unit: Some(metric.unit), ..row(&metric.declaration) }).collect()
}

fn formats() -> Vec<ListRow> {
    FORMATS.iter().map(|format| row(format.declaration())).collect()
}

fn presets() -> Vec<ListRow> {
    let row = |it: &Preset| ListRow { id: it.id, title: it.title, help: one_line(it.help), ..ListRow::default() };
    PRESETS.iter().map(row).collect()
}

fn files() -> Vec<ListRow> {
    let row = |it: &FileOf| ListRow {
        id: it.name,
        title: it.name,
        help: it.help.into(),
        fields: it.fields(),
        ..ListRow::default()
    };
    FILES.iter().map(row).collect()
}

fn of_scores() -> String {
    format!("\nEvery preference also takes\n{}{}", param(&BUCKETS).text(), param(&WEIGHT).text())
}

fn of_incidents() -> String {
    format!("\nEvery incident also takes\n{}", param(&AT_HOURS).text())
}

impl ListRow {
    fn text(&self) -> String {
        let fields: String = self.fields.iter().map(|(name, help)| format!("    - {name}: {help}\n")).collect();
        let asides = [self.of, self.stage, self.unit, self.kind.filter(|_| self.unit == Some(""))];
        let asides: Vec<_> = asides.into_iter().flatten().filter(|aside| !aside.is_empty()).collect();
        let aside = if asides.is_empty() { String::new() } else { format!(" ({})", asides.join(", ")) };
        let expression = self.rule.as_ref().and_then(|rule| rule["custom"]["expression"].as_str()).unwrap_or_default();
        let expression: String = expression.lines().map(|line| format!("        {line}\n")).collect();
        let title = if self.title == self.id { String::new() } else { format!(": {}", self.title) };
        let params: String = self.params.iter().map(ParamRow::text).collect();
        let twins = [("Kubernetes", self.kubernetes), ("Nova", self.nova)];
        let twins = twins.into_iter().filter_map(|(of, twin)| Some((of, twin.filter(|twin| !twin.is_empty())?)));
        let twins: String = twins.map(|(of, twin)| wrapped(&format!("{of}: {twin}"), "    ")).collect();
        format!("{}{title}{aside}\n{twins}{}{params}{expression}{fields}", self.id, wrapped(&self.help, "    "))
    }
}

impl ParamRow {
    fn text(&self) -> String {
        let Self { name, help, default, min, max, unit, kind, words } = self;
        let space = if unit.is_empty() { "" } else { " " };
        let range = match *kind {
            "flag" => format!("true or false, default {}", *default != 0.0),
            "choice" => format!("{}, default {}", words.join(" or "), words[*default as usize]),
            _ => format!("{min} to {max}{space}{unit}, default {default}"),
        };
        format!("    - {name} ({range})\n{}", wrapped(help, "        "))
    }
}
