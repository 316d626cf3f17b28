//! The npm package `tiebreak`: the part of it that is WebAssembly, which `worker.mjs` calls.
//!
//! It decides nothing. Scenarios are documents of `crates/scenario`, runs are those of `crates/sim`, and what is asked
//! of them is answered by `crates/study`, as in the native program. What is wrong with the input is an `Error` in the
//! words of the program.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use js_sys::{Function, Object, Reflect};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_wasm_bindgen::{Serializer, from_value};
use tiebreak_model::Workload;
use tiebreak_profile::Facts;
use tiebreak_scenario::{Document, Variant};
use tiebreak_sim::figures::Part;
use tiebreak_sim::{METRICS, Summary, World};
use tiebreak_study::charts::drawn;
use tiebreak_study::compare::{Contender, compare as compared, planned};
use tiebreak_study::fields::set_all;
use tiebreak_study::figures::Figures;
use tiebreak_study::ready::{Ready, chosen, document};
use tiebreak_study::story::story;
use tiebreak_study::watch::Watch;
use tiebreak_study::{Failure, Workloads, traces, warnings, watch};
use tiebreak_trace::TraceParser;
use wasm_bindgen::prelude::*;

thread_local! {
    /// Hears how much is done and how much there is. A `Watch` may be used by several threads, a function of JavaScript
    /// by its own alone.
    static TELL: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Fields by their paths.
type Fields = BTreeMap<String, Value>;

/// What is asked for next to the scenario.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Asked {
    /// The variant's name; the active one without.
    variant: Option<String>,
    set: Fields,
    /// The name of the trace's file, by which its format is recognised.
    name: String,
    /// The reader's column names, and those of the table.
    columns: BTreeMap<String, String>,
    /// What to compare with: sets of fields, named plans, and over how many seeds.
    sets: Vec<Fields>,
    plans: Vec<String>,
    seeds: u64,
}

/// A scenario that is ready to run, and the trace that was given.
struct Given {
    asked: Asked,
    ready: Ready,
    trace: Option<Arc<Workload>>,
}

impl Given {
    fn of(scenario: JsValue, asked: JsValue, trace: Option<Vec<u8>>) -> Result<Self, Failure> {
        let asked: Asked = from_value(asked)?;
        let document = scenario_of(scenario)?;
        let variant = document.as_ref().map(|document| chosen(document, asked.variant.as_deref())).transpose()?;
        let trace = trace.map(|bytes| read(&bytes, &asked)).transpose()?;
        let fields = texts(&asked.set)?;
        let ready = Ready::of(variant, &borrowed(&fields), trace.as_ref())?;
        Ok(Self { asked, ready, trace })
    }
}

fn scenario_of(scenario: JsValue) -> Result<Option<Document>, Failure> {
    if scenario.is_undefined() || scenario.is_null() {
        return Ok(None);
    }
    if let Some(text) = scenario.as_string() {
        return document(&text).map(Some);
    }
    let value: Value = from_value(scenario)?;
    if !value.is_object() {
        let told = "scenario: expected a preset, a link or a document, got another value; write \"default\"";
        return Err(Failure(told.into()));
    }
    document(&value.to_string()).map(Some)
}

/// Fields as the texts that set them.
fn texts(set: &Fields) -> Result<Vec<(&str, String)>, Failure> {
    let text = |(path, value): (&'_ String, &Value)| match value {
        Value::Null => Ok("none".into()),
        Value::String(text) => Ok(text.clone()),
        Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        Value::Array(_) | Value::Object(_) => Err(Failure(format!(
            "set.{path}: expected a number, a text, true, false or null, got {value}; write one of these"
        ))),
    };
    set.iter().map(|(path, value)| Ok((path.as_str(), text((path, value))?))).collect()
}

fn borrowed<'a>(fields: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    fields.iter().map(|(path, value)| (*path, value.as_str())).collect()
}

/// Reads a trace: text, plain, gzip or zstd, or the compact format.
fn read(bytes: &[u8], asked: &Asked) -> Result<Arc<Workload>, Failure> {
    let mut parser = TraceParser::new(if asked.name.is_empty() { "table" } else { &asked.name });
    if !asked.columns.is_empty() {
        parser = parser.with_renamed(asked.columns.clone().into_iter().collect());
    }
    parser.push(bytes)?;
    Ok(Arc::new(parser.finish()?.workload))
}

/// Reports progress. A listener that throws stops the work, and what it threw is told.
fn tell(done: u64, all: u64) -> Result<(), Failure> {
    let Some(tell) = TELL.with_borrow(Option::clone) else { return Ok(()) };
    let told = tell.call2(&JsValue::NULL, &(done as f64).into(), &(all as f64).into());
    told.map(drop).map_err(|thrown| Failure(format!("progress: expected to be told on, got {thrown:?}; correct it")))
}

/// A finished run.
#[wasm_bindgen]
pub struct Run {
    ready: Ready,
    world: World,
    summary: Summary,
    warnings: Vec<String>,
}

/// Runs a scenario: a preset's name, a link, or a document. `progress` hears how many VMs are decided and how many there
/// are.
///
/// # Errors
/// With each problem and its field.
#[wasm_bindgen]
pub fn run(scenario: JsValue, asked: JsValue, trace: Option<Vec<u8>>, progress: Function) -> Result<Run, JsError> {
    TELL.set(Some(progress));
    made(scenario, asked, trace).map_err(error)
}

fn made(scenario: JsValue, asked: JsValue, trace: Option<Vec<u8>>) -> Result<Run, Failure> {
    let ready = Given::of(scenario, asked, trace)?.ready;
    let (plan, facts) = (ready.plan()?, Facts::of(&ready.workload));
    let mut warnings = warnings::before(&ready.variant, &plan, &facts, "A trace without them");
    let mut world = World::new(plan);
    watch::run(&mut world, &Watch::by(&tell))?;
    let summary = world.summary();
    warnings.extend(warnings::after(&ready.variant, &summary, &facts));
    Ok(Run { ready, world, summary, warnings })
}

/// What other fields would change, over paired seeds.
///
/// # Errors
/// With each problem and its field.
#[wasm_bindgen]
pub fn compare(
    scenario: JsValue,
    asked: JsValue,
    trace: Option<Vec<u8>>,
    progress: Function,
) -> Result<JsValue, JsError> {
    TELL.set(Some(progress));
    let Given { asked, ready, trace } = Given::of(scenario, asked, trace).map_err(error)?;
    let found = contenders(&ready.variant, &asked).and_then(|contenders| {
        let source = |variant: &Variant| traces::workload(variant, trace.as_ref());
        let workloads = Workloads::of(source, trace.is_some());
        compared(&workloads, &ready.variant, &contenders, asked.seeds, &Watch::by(&tell))
    });
    let found = found.map_err(error)?;
    with_text(&found, &found.text())
}

fn contenders(base: &Variant, asked: &Asked) -> Result<Vec<Contender>, Failure> {
    let mut contenders = Vec::new();
    for set in &asked.sets {
        let (mut variant, fields) = (base.clone(), texts(set)?);
        set_all(&mut variant, &borrowed(&fields))?;
        let name: Vec<_> = fields.iter().map(|(path, value)| format!("{path}={value}")).collect();
        contenders.push(Contender { name: name.join(","), variant });
    }
    for plan in &asked.plans {
        contenders.extend(planned(base, plan)?);
    }
    if contenders.is_empty() {
        let told = "expected something to compare with, got nothing; pass sets or plans";
        return Err(Failure(told.into()));
    }
    Ok(contenders)
}

/// Every metric over time; `None` where there is no value.
#[derive(Serialize)]
struct SeriesOut {
    time_ms: Vec<f64>,
    values: BTreeMap<&'static str, Vec<Option<f64>>>,
}

#[wasm_bindgen]
impl Run {
    /// A number that two runs share only if all their decisions are the same.
    #[must_use]
    pub fn digest(&self) -> String {
        format!("{:016x}", self.summary.digest)
    }

    /// Every figure by its id.
    ///
    /// # Errors
    /// If a count is too large for JavaScript.
    pub fn figures(&self) -> Result<JsValue, JsError> {
        let all = Object::new();
        for part in Part::ALL {
            let figures = out(&Figures(part, &self.summary, self.world.plan()))?;
            Object::assign(&all, figures.unchecked_ref());
        }
        Ok(all.into())
    }

    /// What makes the figures doubtful, one sentence each.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Every metric over time.
    ///
    /// # Errors
    /// If JavaScript has no memory left.
    pub fn series(&self) -> Result<JsValue, JsError> {
        let series = self.world.series();
        let finite = |values: &[f64]| values.iter().map(|value| Some(*value).filter(|it| it.is_finite())).collect();
        let values = METRICS.iter().enumerate();
        let values = values.map(|(index, metric)| (metric.declaration.id, finite(series.values(index)))).collect();
        out(&SeriesOut { time_ms: series.times().iter().map(|time| time.0 as f64).collect(), values })
    }

    /// A metric over time, as an SVG of this size in px.
    ///
    /// # Errors
    /// If there is no metric of this id.
    pub fn chart(&self, metric: &str, width: u32, height: u32) -> Result<String, JsError> {
        drawn(&self.world, metric, (width, height)).map_err(error)
    }

    /// The story of a VM, with its words under `text`.
    ///
    /// # Errors
    /// If there is no such VM or machine.
    pub fn explain(&self, vm: f64, machine: Option<f64>) -> Result<JsValue, JsError> {
        let (vm, machine) = (vm as u64, machine.map(|machine| machine as u64));
        let story = self.ready.plan().and_then(|plan| story(plan, vm, machine, &Watch::nobody())).map_err(error)?;
        with_text(&story, &story.text())
    }
}

fn error(Failure(why): Failure) -> JsError {
    JsError::new(&why)
}

/// A finding, with its words under `text`.
fn with_text(found: &impl Serialize, text: &str) -> Result<JsValue, JsError> {
    let told = out(found)?;
    Reflect::set(&told, &"text".into(), &text.into()).map_err(|_| JsError::new("expected an object for a finding"))?;
    Ok(told)
}

/// A value for JavaScript: objects rather than maps, null for what is missing.
fn out(value: &impl Serialize) -> Result<JsValue, JsError> {
    Ok(value.serialize(&Serializer::json_compatible())?)
}
