//! What to search for, as specified in a text.

use serde_json::Value;

use crate::cursor::Cursor;
use crate::issue::{Issue, Issues, quoted};
use crate::read::parsed;
use crate::sweep::{
    DONE, SWEEP_MEASURES, SweepError, SweepMeasure, SweepScenario, SweepSubject, every_measure, scenario, tell,
};

/// The kinds of changes that a search may make, by their names in a plan.
pub(super) const CHANGES: [&str; 5] = ["order", "on", "buckets", "parameters", "weights"];

/// The default number of seeds, half of which are held out.
const SEEDS: u64 = 32;

/// The default number of runs on the searched seeds.
const RUNS: u64 = 2_000;

/// A search as specified in its text.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchPlan {
    /// The scenario.
    pub scenario: SweepScenario,
    /// The name of its variant; `None` is the active one.
    pub variant: Option<String>,
    /// What to improve, the most important first; never empty.
    pub objectives: Vec<SearchObjective>,
    /// What must not become worse.
    pub limits: Vec<SearchLimit>,
    /// The kinds of changes, of "order", "on", "buckets", "parameters" and "weights".
    pub change: Vec<String>,
    /// The preferences that may change; `None` for all that need no predictions which the list does not use already.
    pub rules: Option<Vec<String>>,
    /// The number of seeds, starting with the scenario's. The second half is held out.
    pub seeds: u64,
    /// The number of runs on searched seeds after which no further race begins.
    pub runs: u64,
    /// The seed of the search's own draws.
    pub seed: u64,
}

/// A figure to improve.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchObjective {
    /// The figure.
    pub measure: String,
    /// Its better direction.
    pub goal: SearchGoal,
    /// Its weight among several objectives, which count by their relative changes.
    pub weight: f64,
}

/// The better direction of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchGoal {
    /// Larger is better.
    More,
    /// Smaller is better.
    Less,
}

impl SearchGoal {
    /// 1 if larger is better, otherwise -1.
    pub(super) fn sign(self) -> f64 {
        if self == Self::More { 1.0 } else { -1.0 }
    }
}

/// A figure that must keep a limit, on average over the seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchLimit {
    /// The figure.
    pub measure: String,
    /// [`SearchGoal::Less`] for an upper limit.
    pub goal: SearchGoal,
    /// The limit; `None` is the value of the list that the search starts from, seed by seed.
    pub value: Option<f64>,
}

impl SearchPlan {
    /// Reads a plan.
    ///
    /// # Errors
    /// If the text is unreadable, or anything in it is not valid.
    pub fn read(json: &str) -> Result<Self, SweepError> {
        let value = parsed(json).map_err(SweepError::Unreadable)?;
        let issues = Issues::default();
        let read = plan(&Cursor::top(&value, &issues));
        match (read, issues.into_list()) {
            (Some(plan), issues) if issues.is_empty() => Ok(plan),
            (_, issues) => Err(SweepError::Faulty(issues)),
        }
    }

    /// Every measure that it names.
    pub(super) fn measures(&self) -> impl Iterator<Item = &'static SweepMeasure> {
        let ids = self.objectives.iter().map(|it| &it.measure).chain(self.limits.iter().map(|it| &it.measure));
        ids.filter_map(|id| SWEEP_MEASURES.iter().find(|measure| measure.id == *id))
    }
}

fn plan(top: &Cursor<'_>) -> Option<SearchPlan> {
    top.object(&["scenario", "variant", "objectives", "limits", "change", "rules", "seeds", "runs", "seed"])?;
    let scenario = match top.field("scenario") {
        Some(field) => scenario(&field),
        None => tell(top, "a field scenario: a document, a preset or a file"),
    };
    let objectives = match top.field("objectives") {
        Some(field) => objectives(&field),
        None => tell(top, "a field objectives: a list such as [{\"measure\": \"empty_hosts_pct_mean\"}]"),
    };
    let now = || SearchLimit { measure: "rejections".into(), goal: SearchGoal::Less, value: None };
    let limits = top.field("limits").map_or_else(|| Some(vec![now()]), |field| limits(&field));
    let change = top.field("change").map_or_else(|| Some(CHANGES.map(String::from).into()), |field| change(&field));
    let rules = top.field("rules").map_or(Some(None), |field| names(&field).map(Some));
    let seeds = whole(top, "seeds", 8, 128, SEEDS).filter(|seeds| {
        let is_even = seeds % 2 == 0;
        is_even || top.field("seeds").and_then(|field| tell::<()>(&field, "an even number: half is held out")).is_some()
    });
    let runs = whole(top, "runs", 1, 1_000_000, RUNS);
    let seed = whole(top, "seed", 0, u64::from(u32::MAX), 1);
    let variant = top.field("variant").and_then(|field| field.name());
    let (scenario, objectives, limits, change, rules) = (scenario?, objectives?, limits?, change?, rules?);
    Some(SearchPlan { scenario, variant, objectives, limits, change, rules, seeds: seeds?, runs: runs?, seed: seed? })
}

fn whole(top: &Cursor<'_>, name: &str, least: u64, most: u64, usual: u64) -> Option<u64> {
    let Some(field) = top.field(name) else { return Some(usual) };
    let number = field.value.as_u64().filter(|number| (least..=most).contains(number));
    number.or_else(|| tell(&field, &format!("a whole number from {least} to {most}")))
}

fn measure(item: &Cursor<'_>) -> Option<String> {
    let every = every_measure(SweepSubject::Workload);
    let Some(field) = item.field("measure") else { return tell(item, "a field measure, such as empty_hosts_pct_mean") };
    let id = field.value.as_str().filter(|id| every.iter().any(|other| other == id));
    id.map(String::from).or_else(|| tell(&field, &format!("a measure: {}", every.join(", "))))
}

fn objectives(list: &Cursor<'_>) -> Option<Vec<SearchObjective>> {
    let items = list.items(4);
    if items.is_empty() {
        return if list.value.is_array() { tell(list, "at least 1 objective") } else { None };
    }
    let objective = |item: &Cursor<'_>| {
        item.object(&["measure", "goal", "weight"])?;
        let goal = match item.field("goal") {
            None => Some(SearchGoal::More),
            Some(field) => match field.value.as_str() {
                Some("more") => Some(SearchGoal::More),
                Some("less") => Some(SearchGoal::Less),
                _ => tell(&field, "more or less"),
            },
        };
        let weight = match item.field("weight") {
            None => Some(1.0),
            Some(field) => field
                .value
                .as_f64()
                .filter(|it| (0.001..=1_000.0).contains(it))
                .or_else(|| tell(&field, "a number from 0.001 to 1000")),
        };
        Some(SearchObjective { measure: measure(item)?, goal: goal?, weight: weight? })
    };
    items.iter().map(objective).collect()
}

fn limits(list: &Cursor<'_>) -> Option<Vec<SearchLimit>> {
    let limit = |item: &Cursor<'_>| {
        item.object(&["measure", "at_most", "at_least"])?;
        let (field, goal) = match (item.field("at_most"), item.field("at_least")) {
            (Some(field), None) => (field, SearchGoal::Less),
            (None, Some(field)) => (field, SearchGoal::More),
            _ => return tell(item, "either at_most or at_least"),
        };
        let value = match field.value {
            Value::String(word) if word == "now" => Some(None),
            other => other.as_f64().filter(|it| it.is_finite()).map(Some),
        };
        let value = value.or_else(|| tell(&field, "a number, or \"now\""));
        Some(SearchLimit { measure: measure(item)?, goal, value: value? })
    };
    if !list.value.is_array() {
        return tell(list, "a list of limits");
    }
    list.items(8).iter().map(limit).collect()
}

fn names(list: &Cursor<'_>) -> Option<Vec<String>> {
    if !list.value.is_array() || list.value.as_array().is_some_and(Vec::is_empty) {
        return tell(list, "a list of rules");
    }
    list.items(256).iter().map(|item| item.value.as_str().map(String::from).or_else(|| tell(item, "a rule"))).collect()
}

fn change(list: &Cursor<'_>) -> Option<Vec<String>> {
    let known = |item: &Cursor<'_>| {
        let name = item.value.as_str().filter(|name| CHANGES.contains(name));
        name.map(String::from).or_else(|| tell(item, &CHANGES.join(", ")))
    };
    if !list.value.is_array() || list.value.as_array().is_some_and(Vec::is_empty) {
        return tell(list, "a list of kinds of changes");
    }
    list.items(CHANGES.len()).iter().map(known).collect()
}

/// A rule that a plan names and that cannot change.
pub(super) fn no_such_rule(at: usize, id: &str, known: &[String]) -> SweepError {
    let expected = format!("a preference of the list: {}", known.join(", "));
    SweepError::Faulty(vec![Issue { path: format!("rules[{at}]"), expected, got: quoted(id), done: DONE.into() }])
}
