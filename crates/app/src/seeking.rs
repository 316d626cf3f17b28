//! The search for a better list on the page: the search of `tiebreak search`, with its runs in the pool of engines.
//!
//! An engine of its own knows the search ([`FindList`]); the page keeps only its log. So after a reload, or when an
//! engine dies, the log continues, and at most the runs in work are made again.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tiebreak_engine::protocol::{Answer, Exhibit, Found, ListSearch};
use tiebreak_engine::questions::find_list::{FindList, STOP, line};
use tiebreak_i18n::{mark, tr};
use tiebreak_model::Phrase;
use tiebreak_scenario::Document;

use super::pool::{Gathered, Job, POOL, Purpose};
use super::{App, Asking, ENGINE_VERSION, Effect, Then};

/// The lane of the engine that knows the search.
pub(crate) const SEEKER: u32 = POOL - 1;

/// The bounds of the number of runs.
pub const RUNS: (u64, u64) = (100, 5_000);

/// The bounds of the number of seeds, which is even.
pub const SEEDS: (u64, u64) = (8, 64);

/// How often the engine of a search, or of its runs, may end before the search fails.
const DEATHS_MAX: u32 = 5;

/// A figure to improve or to limit.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// The figure.
    pub measure: &'static str,
    /// Whether more of it is better.
    pub more: bool,
    /// What improves it.
    pub title: &'static str,
    /// What limits it to its present value.
    pub limit: &'static str,
}

/// The figures that the page offers; a plan for `tiebreak search` may name any.
pub const GOALS: [Goal; 6] = [
    goal("empty_hosts_pct_mean", true, mark("More empty hosts"), mark("No fewer empty hosts")),
    goal("packing_density_pct_mean", true, mark("Higher packing density"), mark("No lower packing density")),
    goal("rejections", false, mark("Fewer rejections"), mark("No more rejections")),
    goal("conflicts", false, mark("Fewer conflicts"), mark("No more conflicts")),
    goal("migrations", false, mark("Fewer migrations"), mark("No more migrations")),
    goal("stranded_cores_pct_mean", false, mark("Fewer stranded cores"), mark("No more stranded cores")),
];

const fn goal(measure: &'static str, more: bool, title: &'static str, limit: &'static str) -> Goal {
    Goal { measure, more, title, limit }
}

/// The request.
#[derive(Clone, Debug, PartialEq)]
pub struct SeekWish {
    /// What to improve: indices into [`GOALS`], the first for sure.
    pub objectives: [Option<usize>; 2],
    /// What must not get worse than now, by index.
    pub limits: [bool; GOALS.len()],
    /// After how many runs no race begins.
    pub runs: u64,
    /// The number of seeds, half of which are held out.
    pub seeds: u64,
    /// The seed of the search's own draws.
    pub seed: u64,
}

impl Default for SeekWish {
    fn default() -> Self {
        let limits = [false, false, true, true, false, false];
        Self { objectives: [Some(0), None], limits, runs: 1_000, seeds: 32, seed: 1 }
    }
}

impl SeekWish {
    /// The same within its bounds.
    #[must_use]
    pub fn within_bounds(self) -> Self {
        let seeds = self.seeds.clamp(SEEDS.0, SEEDS.1);
        let first = self.objectives[0].or(Some(0));
        let objectives = [first, self.objectives[1].filter(|second| first != Some(*second))];
        Self { objectives, runs: self.runs.clamp(RUNS.0, RUNS.1), seeds: seeds - seeds % 2, ..self }
    }

    /// The plan for the active variant of a document, as `tiebreak search` reads it.
    #[must_use]
    pub fn plan(&self, document: &Document) -> String {
        let variants = vec![document.active_variant().clone()];
        let alone = Document { variants, active: 0, ..document.clone() };
        let scenario: Value = serde_json::from_str(&alone.to_json()).unwrap_or_default();
        let objective = |at: &usize| {
            let Goal { measure, more, .. } = GOALS[*at];
            json!({ "measure": measure, "goal": if more { "more" } else { "less" } })
        };
        let objectives: Vec<Value> = self.objectives.iter().flatten().map(objective).collect();
        let limit = |(at, goal): (usize, &Goal)| {
            let is_wanted = self.limits[at] && !self.objectives.contains(&Some(at));
            is_wanted.then(|| json!({ "measure": goal.measure, if goal.more { "at_least" } else { "at_most" }: "now" }))
        };
        let limits: Vec<Value> = GOALS.iter().enumerate().filter_map(limit).collect();
        let Self { runs, seeds, seed, .. } = self;
        let plan = json!({
            "scenario": scenario, "objectives": objectives, "limits": limits, "seeds": seeds, "runs": runs, "seed": seed
        });
        plan.to_string()
    }
}

/// A search under way, or finished.
#[derive(Clone, Debug)]
pub struct Seeking {
    /// Its plan, in one line.
    pub plan: String,
    /// What has happened, a line each.
    log: Vec<String>,
    /// What the engine said last.
    pub state: Option<ListSearch>,
    /// Tables and drawings about it.
    pub exhibits: Vec<Exhibit>,
    /// Why there is no result.
    pub failure: Option<Phrase>,
    /// The runs in work.
    open: BTreeSet<(u32, u32)>,
    /// Whether it was stopped early.
    pub is_stopped: bool,
    deaths: u32,
}

impl Seeking {
    fn new(plan: String, log: Vec<String>) -> Self {
        let is_stopped = log.iter().any(|line| line == STOP);
        Self {
            plan,
            log,
            state: None,
            exhibits: Vec::new(),
            failure: None,
            open: BTreeSet::new(),
            is_stopped,
            deaths: 0,
        }
    }

    /// The first line of what is kept of it: whose search it is.
    fn head(&self) -> String {
        format!("{ENGINE_VERSION} {}", self.plan)
    }

    /// The number of runs made.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.log.iter().filter(|line| *line != STOP).count()
    }

    /// Whether more runs are to come.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        self.failure.is_none() && self.state.as_ref().is_none_or(|state| !state.wanted.is_empty())
    }

    fn asking(&self) -> Asking {
        let text = std::iter::once(&self.plan).chain(&self.log).map(String::as_str).collect::<Vec<_>>().join("\n");
        Asking::new(&FindList {}).of_text(&text).then(Then::Seek)
    }

    fn job(&self, list: u32, seed: u32) -> Option<Job> {
        let state = self.state.as_ref()?;
        let (_, document) = state.lists.iter().find(|(number, _)| *number == list)?;
        let mut document = Document::read(document).ok()?.document;
        let active = document.active;
        document.variants[active].seed = state.first_seed.wrapping_add(seed.into());
        Some(Job { purpose: Purpose::List { list, seed }, document })
    }
}

impl App {
    /// Starts a search for a better list than that of the active variant.
    pub(crate) fn begin_seeking(&mut self, wish: SeekWish) -> Vec<Effect> {
        let mut effects = self.forget_seeking();
        let seeking = Seeking::new(wish.within_bounds().plan(&self.document), Vec::new());
        effects.push(Effect::KeepSearch { at: 0, text: seeking.head() });
        self.seeking = Some(seeking);
        effects.extend(self.ask_seeker());
        effects
    }

    /// Continues a search from what was kept of it, before the page was reloaded.
    pub fn restore_search(&mut self, kept: &[String]) -> Vec<Effect> {
        let Some((head, log)) = kept.split_first() else { return Vec::new() };
        let Some(plan) = head.strip_prefix(ENGINE_VERSION).and_then(|rest| rest.strip_prefix(' ')) else {
            return vec![Effect::ForgetSearch];
        };
        self.seeking = Some(Seeking::new(plan.to_owned(), log.to_vec()));
        self.ask_seeker().into_iter().collect()
    }

    /// Ends the races; what there is will be judged.
    pub(crate) fn stop_seeking(&mut self) -> Vec<Effect> {
        let mut effects = self.end_jobs(Purpose::is_of_list);
        let Some(seeking) = self.seeking.as_mut().filter(|it| it.is_under_way() && !it.is_stopped) else {
            return effects;
        };
        seeking.is_stopped = true;
        seeking.open.clear();
        effects.extend(self.log_seeking(STOP.into()));
        effects.extend(self.ask_seeker());
        effects
    }

    pub(crate) fn forget_seeking(&mut self) -> Vec<Effect> {
        if self.seeking.take().is_none() {
            return Vec::new();
        }
        self.answers.forget_open_in(SEEKER);
        let mut effects = self.end_jobs(Purpose::is_of_list);
        effects.extend([Effect::Close { lane: SEEKER }, Effect::ForgetSearch]);
        effects
    }

    fn log_seeking(&mut self, line: String) -> Option<Effect> {
        let seeking = self.seeking.as_mut()?;
        seeking.log.push(line.clone());
        Some(Effect::KeepSearch { at: seeking.log.len(), text: line })
    }

    fn ask_seeker(&mut self) -> Option<Effect> {
        let asking = self.seeking.as_ref()?.asking();
        Some(self.ask_of(SEEKER, 0, String::new(), asking))
    }

    /// Handles what the search wants next.
    pub(crate) fn seek_on(&mut self, told: Result<Box<Answer>, Phrase>) -> Vec<Effect> {
        let Some(seeking) = &mut self.seeking else { return Vec::new() };
        match told.map(|answer| (answer.found, answer.exhibits)) {
            Ok((Some(Found::Lists(state)), exhibits)) => {
                seeking.open = state.wanted.iter().copied().collect();
                (seeking.state, seeking.exhibits) = (Some(*state), exhibits);
            }
            Ok(_) => return Vec::new(),
            Err(why) => seeking.failure = Some(why),
        }
        if !seeking.is_under_way() {
            return vec![Effect::Close { lane: SEEKER }];
        }
        let jobs: Vec<Job> = seeking.open.iter().filter_map(|(list, seed)| seeking.job(*list, *seed)).collect();
        self.pool.add(jobs, &mut self.next_run)
    }

    /// Handles the result of a run of the search.
    pub(crate) fn take_of_list(&mut self, list: u32, seed: u32, gathered: &Gathered) -> Vec<Effect> {
        let Some(seeking) = self.seeking.as_mut().filter(|it| it.open.contains(&(list, seed))) else {
            return Vec::new();
        };
        if gathered.has_died {
            seeking.deaths += 1;
            let job = if seeking.deaths < DEATHS_MAX { seeking.job(list, seed) } else { None };
            if job.is_some() {
                return self.pool.add(job, &mut self.next_run);
            }
        }
        let figures = match &gathered.result {
            Some(Ok(result)) => {
                let measures = seeking.state.iter().flat_map(|state| &state.measures);
                Ok(measures.map(|at| result.figures.get(*at as usize).copied().flatten()).collect())
            }
            Some(Err(why)) => Err(why.to_string()),
            None => return Vec::new(),
        };
        seeking.open.remove(&(list, seed));
        let is_whole = seeking.open.is_empty();
        let mut effects: Vec<Effect> = self.log_seeking(line(list, seed, &figures)).into_iter().collect();
        if is_whole {
            effects.extend(self.ask_seeker());
        }
        effects
    }

    /// The engine that knows the search has ended: another one replays its log.
    pub(crate) fn seeker_ended(&mut self, reason: &str) -> Vec<Effect> {
        let was_asked = self.answers.forget_open_in(SEEKER);
        let Some(seeking) = self.seeking.as_mut().filter(|it| was_asked && it.is_under_way()) else {
            return Vec::new();
        };
        seeking.deaths += 1;
        if seeking.deaths < DEATHS_MAX {
            return self.ask_seeker().into_iter().collect();
        }
        seeking.failure = Some(Phrase::text(reason.to_owned()));
        self.end_jobs(Purpose::is_of_list)
    }

    /// Opens one of the lists that were found as a variant.
    pub(crate) fn open_found(&mut self, point: usize) -> Vec<Effect> {
        let state = self.seeking.as_ref().and_then(|seeking| seeking.state.as_ref());
        let document = state.and_then(|state| Document::read(&state.points.get(point)?.1).ok());
        document.map_or_else(Vec::new, |read| self.open_beside(read.document.active_variant().clone()))
    }
}

/// What the button says that stops a search.
#[must_use]
pub fn stop_label(seeking: &Seeking) -> &'static str {
    let is_judging = seeking.state.as_ref().is_some_and(|state| state.is_judging);
    if is_judging || seeking.is_stopped { tr("Discard") } else { tr("Stop and judge") }
}
