//! A sweep on the page: the active variant over values of one or two of its fields and over seeds, as a plan that
//! `tiebreak sweep` also accepts.

use tiebreak_i18n::{say, tr};
use tiebreak_model::{Declared, Param, ParamKind, Phrase};
use tiebreak_scenario::document::{REQUIRED_RULE, VariantSettings};
use tiebreak_scenario::sweep::every_measure;
use tiebreak_scenario::{
    ClusterRow, Document, GROUPS, PRESETS, SweepError, SweepParameter, SweepPlan, SweepRow, SweepScenario, SweepSeeds,
    SweepSubject, SweepTable, Variant, WorkloadRef,
};
use tiebreak_sim::GeneratedWorkload;

use super::pool::{Gathered, Job, Purpose};
use tiebreak_engine::protocol::RunResult;

/// The maximum number of runs in a sweep on the page; `tiebreak sweep` accepts more.
pub const RUNS_MAX: u64 = 400;

/// The maximum number of seeds per point.
pub const SEEDS_MAX: u64 = 30;

/// The number of fields that the page can sweep together.
pub const AXES: usize = 2;

/// One field and its values, as typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The field's path; empty for none.
    pub path: String,
    /// Its values, as [`SweepParameter::parse`] reads them.
    pub values: String,
}

/// The settings of the next sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The fields.
    pub axes: [Axis; AXES],
    /// The seeds of every point.
    pub seeds: SweepSeeds,
    /// The columns of its rows.
    pub measures: Vec<String>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { axes: Default::default(), seeds: SweepSeeds::Count(1), measures: every_measure(SweepSubject::Workload) }
    }
}

/// A change of those settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// Another field for an axis.
    Field(usize, String),
    /// Other values for it.
    Values(usize, String),
    /// This many seeds, starting with the scenario's own.
    Seeds(u64),
}

impl Wanted {
    pub(super) fn take(&mut self, wish: Wish, variant: &Variant) {
        match wish {
            Wish::Field(axis, path) => {
                let values = fields(variant).into_iter().find(|field| field.path == path).map(|field| field.values);
                self.axes[axis] = Axis { path, values: values.unwrap_or_default() };
            }
            Wish::Values(axis, values) => self.axes[axis].values = values,
            Wish::Seeds(count) => self.seeds = SweepSeeds::Count(count.clamp(1, SEEDS_MAX)),
        }
    }

    /// Whether any field is chosen.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.axes.iter().any(|axis| !axis.path.is_empty())
    }

    /// The plan, with the active variant as its scenario.
    ///
    /// # Errors
    /// Its faults, one sentence each.
    pub fn plan(&self, document: &Document) -> Result<SweepPlan, Vec<String>> {
        let (mut parameters, mut faults) = (Vec::new(), Vec::new());
        for axis in self.axes.iter().filter(|axis| !axis.path.is_empty()) {
            match SweepParameter::parse(&axis.path, &axis.values) {
                Ok(parameter) => parameters.push(parameter),
                Err(error) => faults.extend(error.lines()),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let variants = vec![document.active_variant().clone()];
        let plan = SweepPlan {
            scenario: SweepScenario::Inline(Box::new(Document { variants, active: 0, name: document.name.clone() })),
            variant: None,
            subject: SweepSubject::Workload,
            parameters,
            one_at_a_time: false,
            seeds: self.seeds.clone(),
            measures: self.measures.clone(),
        };
        // As read from the file.
        SweepPlan::read(&plan.to_json()).map_err(|error| error.lines())
    }
}

/// A plan opened from a file.
pub(super) struct OpenedPlan {
    /// Its scenario, with its variant active.
    pub(super) document: Document,
    /// The part that the page sweeps.
    pub(super) wanted: Wanted,
    /// The parts that the page omits, one sentence each.
    pub(super) left_out: Vec<String>,
}

/// Reads a plan's file.
///
/// # Errors
/// Its faults, one sentence each.
pub(super) fn open(text: &str) -> Result<OpenedPlan, Vec<String>> {
    let mut plan = SweepPlan::read(text).map_err(|error| error.lines())?;
    if plan.subject == SweepSubject::AdmissionLab {
        let told =
            tr("of: expected a sweep of the workload, got one of the admission lab; run it with tiebreak sweep, or \
             compare policies in the Admission panel");
        return Err(vec![told.into()]);
    }
    let mut document = match &plan.scenario {
        SweepScenario::Inline(document) => (**document).clone(),
        SweepScenario::Named(name) => match PRESETS.iter().find(|preset| preset.id == *name) {
            Some(preset) => (preset.make)(),
            None => {
                let ids: Vec<_> = PRESETS.iter().map(|preset| preset.id).collect();
                return Err(vec![say(
                    "scenario: expected a whole document in the plan, or a preset ({}), got \"{name}\"; the page \
                     cannot read other files",
                    &[&ids.join(", "), &name],
                )]);
            }
        },
    };
    let mut left_out = Vec::new();
    if std::mem::take(&mut plan.one_at_a_time) {
        left_out.push(
            tr("one_at_a_time: expected all combinations of values on the page; tiebreak sweep can vary one at a time")
                .into(),
        );
    }
    if plan.parameters.len() > AXES {
        let paths: Vec<_> = plan.parameters[AXES..].iter().map(|parameter| parameter.path.as_str()).collect();
        let count = plan.parameters.len();
        left_out.push(say(
            "parameters: expected at most {AXES} on the page, got {count}; dropped {}, which tiebreak sweep supports",
            &[&AXES, &count, &paths.join(", ")],
        ));
        plan.parameters.truncate(AXES);
    }
    if plan.seeds.count() > SEEDS_MAX {
        let count = plan.seeds.count();
        left_out.push(say(
            "seeds: expected at most {SEEDS_MAX} on the page, got {count}; dropped the others",
            &[&SEEDS_MAX, &count],
        ));
        match &mut plan.seeds {
            SweepSeeds::Count(count) => *count = SEEDS_MAX,
            SweepSeeds::List(seeds) => seeds.truncate(SEEDS_MAX as usize),
        }
    }
    match plan.over_at_most(&document, RUNS_MAX) {
        Ok(_) => {}
        // The user can correct it in the panel.
        Err(error @ SweepError::TooMany { .. }) => left_out.extend(error.lines()),
        Err(error) => return Err(error.lines()),
    }
    let place = |name: &String| document.variants.iter().position(|variant| variant.name == *name);
    document.active = plan.variant.as_ref().and_then(place).unwrap_or(document.active);
    let mut axes: [Axis; AXES] = Default::default();
    for (axis, parameter) in axes.iter_mut().zip(&plan.parameters) {
        *axis = Axis { path: parameter.path.clone(), values: parameter.values.to_string() };
    }
    Ok(OpenedPlan { document, wanted: Wanted { axes, seeds: plan.seeds, measures: plan.measures }, left_out })
}

/// A sweep under way, or finished.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The plan, including the scenario.
    pub plan: SweepPlan,
    /// Its runs.
    runs: tiebreak_scenario::Sweep,
    /// The result of each run, by number, or why there is none; `None` while it waits or runs.
    results: Vec<Option<Result<RunResult, Phrase>>>,
    /// Whether it was stopped before all runs had ended.
    pub is_stopped: bool,
}

/// One combination of values, with its run for each seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Point<'a> {
    /// A value for each field.
    pub values: Vec<String>,
    /// The results, seed by seed.
    pub results: &'a [Option<Result<RunResult, Phrase>>],
}

/// A figure over the seeds of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// The number of seeds.
    pub seeds: usize,
}

impl Sweep {
    /// A sweep of a document's active variant.
    ///
    /// # Errors
    /// Its faults, one sentence each.
    pub fn new(document: &Document, wanted: &Wanted) -> Result<Self, Vec<String>> {
        let plan = wanted.plan(document)?;
        let runs = plan.over_at_most(document, RUNS_MAX).map_err(|error| match error {
            SweepError::TooMany { .. } => {
                let more = tr("Save plan writes a file that tiebreak sweep runs on one or more computers.");
                vec![error.to_string(), more.into()]
            }
            error => error.lines(),
        })?;
        let results = vec![None; runs.count() as usize];
        Ok(Self { plan, runs, results, is_stopped: false })
    }

    /// The fields, in order.
    #[must_use]
    pub fn paths(&self) -> &[String] {
        self.runs.paths()
    }

    /// The values of each field.
    #[must_use]
    pub fn values(&self) -> &[Vec<String>] {
        self.runs.values()
    }

    /// The seeds of every point.
    #[must_use]
    pub fn seeds(&self) -> &[u64] {
        self.runs.seeds()
    }

    /// Every combination, with the last field fastest.
    pub fn points(&self) -> impl Iterator<Item = Point<'_>> {
        let seeds = self.seeds().len();
        self.results.chunks(seeds).enumerate().filter_map(move |(point, results)| {
            let run = self.runs.run((point * seeds) as u64)?;
            Some(Point { values: run.values, results })
        })
    }

    /// A point as a variant, with the first of its seeds.
    #[must_use]
    pub fn variant(&self, point: usize) -> Option<Variant> {
        let run = self.runs.run((point * self.seeds().len()) as u64)?;
        Some(run.document.active_variant().clone())
    }

    pub(super) fn jobs(&self) -> impl Iterator<Item = Job> {
        self.runs
            .runs()
            .map(|run| Job { purpose: Purpose::Sweep { number: run.number as usize }, document: run.document })
    }

    pub(super) fn take(&mut self, number: usize, gathered: Gathered) {
        if let Some(result) = self.results.get_mut(number) {
            *result = gathered.result;
        }
    }

    /// The number of finished runs, and the total.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.results.iter().flatten().count(), self.results.len())
    }

    /// Whether more runs are to come.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        let (done, all) = self.progress();
        done < all && !self.is_stopped
    }

    /// The runs with results, in the format of `tiebreak sweep`.
    #[must_use]
    pub fn rows(&self) -> String {
        let table = SweepTable::of(&self.plan, &self.runs);
        let row = |(run, result): (tiebreak_scenario::SweepRun, &Option<Result<RunResult, Phrase>>)| {
            let result = result.as_ref()?.as_ref().ok()?;
            let measured = table.measures.iter().map(|measure| *result.figures.get(measure.figure()?)?);
            let digest = u64::from_str_radix(&result.digest, 16).unwrap_or_default();
            let row = SweepRow {
                number: run.number,
                values: run.values,
                seed: run.seed,
                digest,
                measured: measured.collect(),
            };
            Some(table.line(&row))
        };
        std::iter::once(table.header()).chain(self.runs.runs().zip(&self.results).filter_map(row)).collect()
    }
}

impl Point<'_> {
    /// A figure over its finished seeds; `None` before the first.
    #[must_use]
    pub fn spread(&self, of: impl Fn(&RunResult) -> Option<f64>) -> Option<Spread> {
        let figures: Vec<f64> = self.results.iter().flatten().flatten().filter_map(of).collect();
        let low = figures.iter().copied().reduce(f64::min)?;
        let high = figures.iter().copied().reduce(f64::max)?;
        // Rounding may move the mean of equal figures outside their range.
        let mean = (figures.iter().sum::<f64>() / figures.len() as f64).clamp(low, high);
        Some(Spread { mean, low, high, seeds: figures.len() })
    }

    /// Why one of its runs has no result, if any.
    #[must_use]
    pub fn failure(&self) -> Option<&Phrase> {
        self.results.iter().flatten().find_map(|result| result.as_ref().err())
    }
}

/// A field that can be swept, with initial values.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its path.
    pub path: String,
    /// Display name.
    pub title: String,
    /// Initial values.
    pub values: String,
}

/// The fields of a variant that can be swept: rules that are on, agents, predictors, settings, the generated
/// workload.
#[must_use]
pub fn fields(variant: &Variant) -> Vec<Field> {
    let mut fields = Vec::new();
    for row in variant.rules.iter().filter(|row| row.on) {
        let Some(entry) = row.entry() else { continue };
        let rule = |field: &str, title: &str, values: &str| Field {
            path: format!("rules.{}.{field}", row.id),
            title: format!("{}: {title}", row.id),
            values: values.to_owned(),
        };
        if row.scores() {
            fields.push(rule("buckets", tr("buckets"), "1, 2, 3, 4, 6, 8, 12, none"));
            let last = row.group().map_or(0, |group| variant.rules_of(group).count().saturating_sub(1));
            if last > 0 {
                fields.push(rule("position", tr("place in its stage"), &format!("0..{}", last.min(6))));
            }
        }
        if row.id != REQUIRED_RULE {
            fields.push(rule("on", tr("on or off"), "true, false"));
        }
        fields
            .extend(entry.declaration.params.iter().map(|param| rule(param.name, tr(&param.title()), &around(param))));
    }
    let group = |group: &'static str, params: &'static [Param]| {
        params.iter().map(move |param| Field {
            path: if group.is_empty() { param.name.into() } else { format!("{group}.{}", param.name) },
            title: if group.is_empty() {
                tr(&param.title()).to_owned()
            } else {
                format!("{}: {}", tr(&group.replace('_', " ")), tr(&param.title()))
            },
            values: around(param),
        })
    };
    // Seeds are not a field, because every point runs with all of them.
    fields.extend(group("", VariantSettings::DECLARATION.params).filter(|field| field.path != "seed"));
    fields.extend((0..).zip(&variant.clusters).map(|(at, cluster): (usize, _)| machines(at, cluster)));
    fields.extend(group("predictor", variant.predictor.params()));
    fields.extend(GROUPS.iter().flat_map(|it| group(it.id, it.declaration.params)));
    if let WorkloadRef::Generated(_) = variant.workload {
        fields.extend(group("workload", GeneratedWorkload::DECLARATION.params));
    }
    fields
}

/// The number of machines in a cluster, from fewer to more than now.
fn machines(at: usize, cluster: &ClusterRow) -> Field {
    let now = f64::from(cluster.settings.machines);
    let mut values = [0.8, 0.9, 1.0, 1.1, 1.25].map(|by| (now * by).round().max(1.0)).to_vec();
    values.dedup();
    Field {
        path: format!("inventory.clusters.{at}.machines"),
        title: say("{}: machines", &[&cluster.name]),
        values: values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// Values around a parameter's default.
fn around(param: &Param) -> String {
    match param.kind {
        ParamKind::Flag => "false, true".into(),
        ParamKind::Choice(words) => words.join(", "),
        ParamKind::Integer | ParamKind::Number => {
            let base = if param.default == 0.0 { param.max.min(4.0) } else { param.default };
            let whole = |value: f64| if param.kind == ParamKind::Integer { value.round() } else { value };
            let mut values: Vec<f64> = [0.25, 0.5, 1.0, 2.0, 4.0].iter().map(|by| whole(base * by)).collect();
            values.retain(|value| param.allows(*value));
            values.dedup();
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(axes: [(&str, &str); AXES], seeds: u64) -> Wanted {
        let axes = axes.map(|(path, values)| Axis { path: path.into(), values: values.into() });
        Wanted { axes, seeds: SweepSeeds::Count(seeds), ..Wanted::default() }
    }

    fn one(path: &str, values: &str) -> Wanted {
        wanted([(path, values), ("", "")], 1)
    }

    #[test]
    fn every_combination_is_a_point_with_a_run_for_each_seed() {
        let wanted = wanted([("agents.count", "1, 4"), ("rules.BestFit.buckets", "2..4")], 2);
        let sweep = Sweep::new(&Document::default(), &wanted).expect("a sweep");
        let values: Vec<_> = sweep.points().map(|point| point.values.join(" ")).collect();
        assert_eq!(values, ["1 2", "1 3", "1 4", "4 2", "4 3", "4 4"]);
        assert_eq!((sweep.progress(), sweep.seeds()), ((0, 12), &[1, 2][..]));
        let last = sweep.variant(5).expect("the sixth");
        let best_fit = last.rules.iter().find(|row| row.id == "BestFit").expect("BestFit");
        assert_eq!((last.agents.count, best_fit.buckets, last.seed), (4, Some(4), 1));
        assert_eq!(sweep.variant(6), None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (path, values, told) in [
            ("agents.count", "", "agents.count: expected values"),
            ("agents.count", "4..", "agents.count: expected a range"),
            (
                "agents.count",
                "0, 1",
                "parameters[0].values[0]: expected a whole number from 1 to 64, got agents.count=0",
            ),
            ("agents.cuont", "1", "parameters[0].path: expected count, decision_ms"),
            ("agents.count", "1..1000000", "agents.count: expected at most 100000 values"),
            ("agents.count", "1..1000", "parameters: expected at most 400 runs: fewer values or seeds"),
        ] {
            let faults = Sweep::new(&Document::default(), &one(path, values)).expect_err(values);
            assert!(faults[0].contains(told), "{path} = {values}: {faults:?}");
        }
        let many = wanted([("agents.count", "1..30"), ("best_clusters", "1..30")], 1);
        let faults = Sweep::new(&Document::default(), &many).expect_err("too many");
        assert!(faults[0].contains("got 900 runs") && faults[1].contains("tiebreak sweep"), "{faults:?}");
        let twice = wanted([("agents.count", "1"), ("agents.count", "2")], 1);
        let faults = Sweep::new(&Document::default(), &twice).expect_err("one field twice");
        assert!(faults[0].contains("parameters[1]: expected each path once"), "{faults:?}");
    }

    #[test]
    fn every_field_offered_takes_the_values_offered() {
        let variant = Variant::default();
        let fields = fields(&variant);
        assert!(fields.len() > 30);
        for field in fields {
            let sweep = Sweep::new(&Document::default(), &one(&field.path, &field.values));
            assert!(sweep.is_ok(), "{field:?}: {sweep:?}");
        }
    }

    #[test]
    fn a_plan_is_opened_as_it_was_saved() {
        let mut document = Document::default();
        document.fork(0, None).expect("room");
        document.active = 1;
        document.variants[1].agents.count = 3;
        let wanted = wanted([("agents.publish_ms", "1..64 count 4 log"), ("rules.BestFit.on", "true, false")], 3);
        let plan = wanted.plan(&document).expect("a plan");
        let opened = open(&plan.to_json()).unwrap_or_else(|faults| panic!("{faults:?}"));
        assert_eq!((opened.wanted, opened.left_out), (wanted, Vec::<String>::new()));
        assert_eq!(opened.document.variants, [document.variants[1].clone()]);
    }

    #[test]
    fn what_the_page_leaves_out_of_a_plan_is_said() {
        let plan = |parameters: &str, seeds: &str| {
            format!(
                r#"{{"scenario": "small", "parameters": [{parameters}], "seeds": {seeds}, "measures": ["conflicts"]}}"#
            )
        };
        let field = |path: &str| format!(r#"{{"path": "{path}", "values": [1, 2]}}"#);
        let three = ["agents.count", "best_clusters", "rules.BestFit.buckets"].map(field).join(",");
        let opened = open(&plan(&three, "31")).unwrap_or_else(|faults| panic!("{faults:?}"));
        assert_eq!(opened.wanted.axes.each_ref().map(|axis| axis.path.as_str()), ["agents.count", "best_clusters"]);
        assert_eq!(opened.wanted.axes[0].values, "1, 2");
        assert_eq!((opened.wanted.seeds, opened.wanted.measures), (SweepSeeds::Count(30), vec!["conflicts".into()]));
        let [parameters, seeds] = &opened.left_out[..] else { panic!("two sentences: {:?}", opened.left_out) };
        assert!(parameters.contains("expected at most 2 on the page, got 3; dropped rules.BestFit.buckets"));
        assert!(seeds.contains("expected at most 30 on the page, got 31"));
        let long = r#"{"path": "agents.publish_ms", "from": 1, "to": 1000, "step": 1}"#;
        let opened = open(&plan(long, "1")).unwrap_or_else(|faults| panic!("{faults:?}"));
        assert!(opened.left_out[0].contains("expected at most 400 runs"), "{:?}", opened.left_out);
        assert_eq!(opened.wanted.axes[0].values, "1..1000");
        for (text, told) in [
            (plan(&field("agents.cuont"), "1"), "parameters[0].path: expected count, decision_ms"),
            (plan(&field("agents.count"), "0"), "seeds: expected from 1 to 100000 seeds"),
            (plan(&field("agents.count"), "1").replace("small", "night.json"), "scenario: expected a whole document"),
            ("{".to_owned(), "expected JSON"),
        ] {
            let faults = open(&text).err().expect("no plan");
            assert!(faults[0].contains(told), "{text}: {faults:?}");
        }
    }
}
