//! The search itself: races of moves, restarts, and the runs on seeds that were held out.
//!
//! A race runs lists that are one move away from the current one, on 4 of the searched seeds, then on twice as many,
//! up to all. After each round a list is dropped if it changes nothing, is certainly worse than the current list,
//! certainly misses a limit, or is in the worse half and certainly worse than the leader ("certainly": the 95 %
//! interval of paired differences excludes 0). The current list moves to the best of those that are certainly better
//! on all searched seeds. Where no move is, the search starts again from the best list after three random moves.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tiebreak_model::random::{Seed, Stream, pick};

use super::judge::{Figures, Judge, is_above, is_below, mean};
use super::moves::Moves;
use super::plan::SearchPlan;
use crate::document::{Document, RuleRow, Variant};
use crate::issue::Issue;
use crate::sweep::{DONE, SWEEP_MEASURES, SweepError, SweepMeasure, named, seed_max};

/// The number of lists in a race.
const RACERS: usize = 12;

/// The number of seeds in the first round of a race.
const FIRST_ROUND: usize = 4;

/// The number of random moves at a restart.
const KICKS: usize = 3;

/// The number of restarts in a row that may lead to no new run.
const IDLE_MAX: u64 = 8;

/// The maximum number of points of a frontier that are judged on the held-out seeds.
const FRONTIER_MAX: usize = 8;

/// A run that a search wants: a list, and one of the seeds, each by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SearchRun {
    /// The list; 0 is the one that the search starts from.
    pub list: usize,
    /// The seed's index.
    pub seed: usize,
}

/// A list that was looked at.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) variant: Variant,
    pub(super) figures: Figures,
    has_failed: bool,
}

#[derive(Clone, Debug)]
enum Stage {
    Start,
    Race { left: Vec<usize>, seeds: usize },
    Restart { from: usize },
    Trim { without: Vec<usize> },
    Held,
    Done,
}

/// A search under way, or finished.
#[derive(Clone, Debug)]
pub struct Search {
    pub(super) document: Document,
    pub(super) judge: Judge,
    pub(super) lists: Vec<Listed>,
    /// The best list so far.
    pub(super) best: usize,
    /// The lists that are judged on the held-out seeds: the best, the frontier, then the best without each change.
    pub(super) frontier: Vec<usize>,
    pub(super) alone: Vec<(String, usize)>,
    /// The number of runs on searched seeds.
    pub(super) spent: u64,
    pub(super) races: u64,
    pub(super) restarts: u64,
    first_seed: u64,
    seeds: usize,
    budget: u64,
    moves: Moves,
    known: BTreeMap<String, usize>,
    /// The keys of lists that were in a race, since the last restart if there are several objectives.
    raced: BTreeSet<String>,
    /// Restarts in a row without a new run, and the runs before the last one.
    idle: u64,
    spent_before: u64,
    /// The list whose neighbours are raced.
    at: usize,
    pool: Vec<Variant>,
    draws: Stream,
    drawn: u64,
    stage: Stage,
    pending: BTreeSet<SearchRun>,
    failure: Option<String>,
}

impl Search {
    /// Applies a plan to its scenario.
    ///
    /// # Errors
    /// If there is no such variant or rule, or the seeds are too large.
    pub fn new(plan: &SearchPlan, document: &Document) -> Result<Self, SweepError> {
        let variant = match &plan.variant {
            None => document.active_variant(),
            Some(name) => named(document, name)?,
        };
        if variant.seed.saturating_add(plan.seeds) > seed_max() {
            let (path, expected) = ("seeds".into(), format!("seeds of at most {}", seed_max()));
            let got = format!("{} from {} on", plan.seeds, variant.seed);
            return Err(SweepError::Faulty(vec![Issue { path, expected, got, done: DONE.into() }]));
        }
        let mut measures: Vec<&'static SweepMeasure> = plan.measures().collect();
        let compared = tiebreak_sim::figures::compared().into_iter().map(|(at, _)| tiebreak_sim::FIGURES[at].id);
        measures.extend(compared.filter_map(|id| SWEEP_MEASURES.iter().find(|measure| measure.id == id)));
        let mut ids = BTreeSet::new();
        measures.retain(|measure| ids.insert(measure.id));
        let (objectives, limits) = (plan.objectives.clone(), plan.limits.clone());
        let judge = Judge { measures, scales: vec![1.0; objectives.len()], objectives, limits };
        let mut search = Self {
            document: Document { variants: Vec::new(), active: 0, ..document.clone() },
            judge,
            lists: Vec::new(),
            best: 0,
            frontier: Vec::new(),
            alone: Vec::new(),
            spent: 0,
            races: 0,
            restarts: 0,
            first_seed: variant.seed,
            seeds: plan.seeds as usize,
            budget: plan.runs,
            moves: Moves::of(plan, variant)?,
            known: BTreeMap::new(),
            raced: BTreeSet::new(),
            idle: 0,
            spent_before: 0,
            at: 0,
            pool: Vec::new(),
            draws: Seed(plan.seed).stream("search"),
            drawn: 0,
            stage: Stage::Start,
            pending: BTreeSet::new(),
            failure: None,
        };
        search.list(variant.clone());
        search.want(&[0], search.searched());
        Ok(search)
    }

    /// The figures of a run, in the order in which [`Self::tell`] takes them.
    #[must_use]
    pub fn measures(&self) -> &[&'static SweepMeasure] {
        &self.judge.measures
    }

    /// The runs that are wanted now, in order; none when the search is over. More come once all are told.
    pub fn wanted(&self) -> impl Iterator<Item = SearchRun> + '_ {
        self.pending.iter().copied()
    }

    /// What to run.
    #[must_use]
    pub fn variant(&self, run: SearchRun) -> Variant {
        Variant { seed: self.seed(run.seed), ..self.lists[run.list].variant.clone() }
    }

    /// A text that two runs share if they are the same, in whatever search.
    #[must_use]
    pub fn key(&self, run: SearchRun) -> String {
        format!("{} {}", self.seed(run.seed), key(&self.lists[run.list].variant))
    }

    /// The figures of a wanted run, or why it failed. A list that fails is dropped; if it is the first, the search
    /// ends.
    pub fn tell(&mut self, run: SearchRun, figures: Result<Vec<Option<f64>>, String>) {
        if !self.pending.remove(&run) {
            return;
        }
        self.spent += u64::from(self.searched().contains(&run.seed));
        match figures {
            Ok(figures) => self.lists[run.list].figures[run.seed] = Some(figures),
            Err(why) => {
                self.lists[run.list].has_failed = true;
                self.pending.retain(|other| other.list != run.list);
                if run.list == 0 {
                    self.failure = Some(why);
                }
            }
        }
        while self.pending.is_empty() && !matches!(self.stage, Stage::Done) {
            self.advance();
        }
    }

    /// Why there is no result, if there is none.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The number of runs on searched seeds, and after how many no race begins.
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.spent, self.budget)
    }

    /// The number of lists that were looked at so far, and of races.
    #[must_use]
    pub fn effort(&self) -> (usize, u64) {
        (self.lists.len(), self.races)
    }

    /// Begins no further race: what is wanted next judges the best list so far. Before the runs of the first list are
    /// told there is none to judge, and the search ends without a result.
    pub fn finish(&mut self) {
        match self.stage {
            Stage::Start => {
                self.pending.clear();
                self.failure = Some("expected the runs of the present list, got a stop; search for longer".into());
                self.stage = Stage::Done;
            }
            Stage::Race { .. } | Stage::Restart { .. } => {
                self.pending.clear();
                self.begin_trim();
                while self.pending.is_empty() && !self.is_over() {
                    self.advance();
                }
            }
            // It judges already, or has judged.
            Stage::Trim { .. } | Stage::Held | Stage::Done => {}
        }
    }

    /// By how much the best list is better so far, on the searched seeds.
    #[must_use]
    pub fn lead(&self) -> f64 {
        mean(&self.better(0, self.best, self.searched(), None))
    }

    /// A document of this variant alone, as the search runs it.
    #[must_use]
    pub fn document(&self, variant: Variant) -> Document {
        Document { variants: vec![variant], active: 0, ..self.document.clone() }
    }

    /// Whether no further race begins: the best list is being judged, or was.
    #[must_use]
    pub fn is_judging(&self) -> bool {
        matches!(self.stage, Stage::Trim { .. } | Stage::Held | Stage::Done)
    }

    /// Whether the search is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Done)
    }

    pub(super) fn searched(&self) -> Range<usize> {
        0..self.seeds / 2
    }

    pub(super) fn held_out(&self) -> Range<usize> {
        self.seeds / 2..self.seeds
    }

    pub(super) fn seed(&self, index: usize) -> u64 {
        self.first_seed + index as u64
    }

    fn better(&self, now: usize, other: usize, seeds: Range<usize>, emphasis: Option<usize>) -> Vec<f64> {
        self.judge.better(&self.lists[now].figures, &self.lists[other].figures, seeds, emphasis)
    }

    /// The number of a list, which is new if it was not looked at before.
    fn list(&mut self, variant: Variant) -> usize {
        let next = self.lists.len();
        let number = *self.known.entry(key(&variant)).or_insert(next);
        if number == next {
            self.lists.push(Listed { variant, figures: vec![None; self.seeds], has_failed: false });
        }
        number
    }

    fn want(&mut self, lists: &[usize], seeds: Range<usize>) {
        for list in lists.iter().filter(|list| !self.lists[**list].has_failed) {
            let open = seeds.clone().filter(|seed| self.lists[*list].figures[*seed].is_none());
            self.pending.extend(open.map(|seed| SearchRun { list: *list, seed }));
        }
    }

    fn advance(&mut self) {
        if self.failure.is_some() {
            self.stage = Stage::Done;
            return;
        }
        match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Start => self.begin(),
            Stage::Race { left, seeds } => self.round(left, seeds),
            Stage::Restart { from } => {
                let keeps = self.judge.keeps(&self.lists[0].figures, &self.lists[from].figures, &self.searched());
                self.at = if self.lists[from].has_failed || !keeps { self.best } else { from };
                self.race();
            }
            Stage::Trim { without } => self.trim(&without),
            Stage::Held | Stage::Done => {}
        }
    }

    /// The figures of the first list are there.
    fn begin(&mut self) {
        let start = &self.lists[0].figures;
        for (at, objective) in self.judge.objectives.iter().enumerate() {
            let values: Vec<f64> =
                self.searched().filter_map(|seed| self.judge.value(start, seed, &objective.measure)).collect();
            if values.len() < self.searched().len() {
                let id = &objective.measure;
                self.failure = Some(format!(
                    "expected a figure {id} of every run, got none; choose another objective, or measure it"
                ));
                return;
            }
            let usual = mean(&values).abs();
            if self.judge.objectives.len() > 1 && usual > 0.0 {
                self.judge.scales[at] = usual;
            }
        }
        self.race();
    }

    /// Begins a race among moves from the current list, or a restart if there are none.
    fn race(&mut self) {
        if self.spent >= self.budget {
            return self.begin_trim();
        }
        if self.pool.is_empty() {
            let mut around = self.moves.around(&self.lists[self.at].variant);
            let mut seen = BTreeSet::new();
            around.retain(|other| !self.raced.contains(&key(other)) && seen.insert(key(other)));
            for last in (1..around.len()).rev() {
                around.swap(last, self.draw(last + 1));
            }
            self.pool = around;
        }
        if self.pool.is_empty() {
            return self.restart();
        }
        let racers = self.pool.split_off(self.pool.len().saturating_sub(RACERS));
        self.races += 1;
        self.raced.extend(racers.iter().map(key));
        let left: Vec<usize> = racers.into_iter().map(|variant| self.list(variant)).collect();
        let seeds = FIRST_ROUND.min(self.searched().end);
        self.want(&left, 0..seeds);
        self.stage = Stage::Race { left, seeds };
    }

    /// Drops lists after a round, and begins the next one.
    fn round(&mut self, mut left: Vec<usize>, seeds: usize) {
        let (emphasis, so_far) = (self.emphasis(), 0..seeds);
        left.retain(|list| {
            let (it, at) = (&self.lists[*list], &self.lists[self.at].figures);
            !it.has_failed
                && !Judge::are_equal(at, &it.figures, so_far.clone())
                && !is_below(&self.better(self.at, *list, so_far.clone(), emphasis))
                && !self.judge.misses(&self.lists[0].figures, &it.figures, &so_far)
        });
        let lead = |list: &usize| mean(&self.better(self.at, *list, so_far.clone(), emphasis));
        left.sort_by(|one, other| lead(other).total_cmp(&lead(one)).then(one.cmp(other)));
        if let Some(leader) = left.first().copied() {
            let half = left.len().div_ceil(2);
            let mut place = 0;
            left.retain(|list| {
                place += 1;
                place <= half || !is_below(&self.better(leader, *list, so_far.clone(), emphasis))
            });
        }
        if left.is_empty() {
            return self.race();
        }
        if seeds < self.searched().end {
            let seeds = (2 * seeds).min(self.searched().end);
            self.want(&left, 0..seeds);
            self.stage = Stage::Race { left, seeds };
            return;
        }
        let start = &self.lists[0].figures;
        let winner = left.into_iter().find(|list| {
            let keeps = self.judge.keeps(start, &self.lists[*list].figures, &so_far);
            keeps && is_above(&self.better(self.at, *list, so_far.clone(), emphasis))
        });
        if let Some(winner) = winner {
            self.at = winner;
            self.pool.clear();
            if is_above(&self.better(self.best, winner, self.searched(), None)) {
                self.best = winner;
            }
        }
        self.race();
    }

    /// The objective that counts alone, if any: with several objectives they take turns after the first climb.
    fn emphasis(&self) -> Option<usize> {
        let many = self.judge.objectives.len();
        let turn = self.restarts as usize % (many + 1);
        if many > 1 { turn.checked_sub(1) } else { None }
    }

    /// Starts again from the best list after a few random moves. The search ends if these lead nowhere new.
    fn restart(&mut self) {
        self.restarts += 1;
        self.idle = if self.spent == self.spent_before { self.idle + 1 } else { 0 };
        self.spent_before = self.spent;
        if self.idle > IDLE_MAX {
            return self.begin_trim();
        }
        if self.judge.objectives.len() > 1 {
            // Another objective counts now.
            self.raced.clear();
        }
        for _ in 0..20 {
            let mut variant = self.lists[self.best].variant.clone();
            for _ in 0..KICKS {
                let around = self.moves.around(&variant);
                if !around.is_empty() {
                    let nth = self.draw(around.len());
                    variant = around[nth].clone();
                }
            }
            if self.raced.insert(key(&variant)) {
                let from = self.list(variant);
                self.want(&[from], self.searched());
                self.stage = Stage::Restart { from };
                return;
            }
        }
        self.begin_trim();
    }

    /// Looks for changes of the best list that have no effect.
    fn begin_trim(&mut self) {
        let mut without = self.without_each(self.best);
        let own = key(&self.lists[self.best].variant);
        while let Some((_, variant)) = without.iter().find(|(_, variant)| key(variant) == own) {
            // A change among rules that are off.
            self.lists[self.best].variant = variant.clone();
            without = self.without_each(self.best);
        }
        let numbers: Vec<usize> = without.into_iter().map(|(_, variant)| self.list(variant)).collect();
        self.want(&numbers, self.searched());
        self.stage = Stage::Trim { without: numbers };
    }

    /// Takes back a change that had no effect, and looks again; otherwise goes on to the held-out seeds.
    fn trim(&mut self, without: &[usize]) {
        let best = &self.lists[self.best];
        let same = without.iter().find(|other| {
            let it = &self.lists[**other];
            !it.has_failed && Judge::are_equal(&best.figures, &it.figures, self.searched())
        });
        if let Some(same) = same {
            self.best = *same;
            return self.begin_trim();
        }
        self.frontier = self.undominated();
        let without = self.without_each(self.best);
        self.alone = without.into_iter().map(|(change, variant)| (change, self.list(variant))).collect();
        let judged: Vec<usize> = [0, self.best]
            .into_iter()
            .chain(self.frontier.iter().copied())
            .chain(self.alone.iter().map(|(_, list)| *list))
            .collect();
        self.want(&judged, self.held_out());
        self.stage = Stage::Held;
    }

    /// The list without each of its changes from the first list.
    fn without_each(&self, list: usize) -> Vec<(String, Variant)> {
        super::report::changes(&self.lists[0].variant, &self.lists[list].variant)
    }

    /// The lists that no other is better than in all objectives, by their means on all searched seeds.
    fn undominated(&self) -> Vec<usize> {
        let many = self.judge.objectives.len();
        if many < 2 {
            return Vec::new();
        }
        let whole = |list: &usize| self.searched().all(|seed| self.lists[*list].figures[seed].is_some());
        let start = &self.lists[0].figures;
        let keeps = |list: &usize| self.judge.keeps(start, &self.lists[*list].figures, &self.searched());
        let means = |list: usize| -> Vec<f64> {
            (0..many).map(|at| mean(&self.better(0, list, self.searched(), Some(at)))).collect()
        };
        let all: Vec<(usize, Vec<f64>)> =
            (0..self.lists.len()).filter(whole).filter(keeps).map(|list| (list, means(list))).collect();
        let is_under =
            |one: &[f64], other: &[f64]| one != other && one.iter().zip(other).all(|(one, other)| one <= other);
        let mut points: Vec<&(usize, Vec<f64>)> = Vec::new();
        for point in &all {
            let is_dominated = all.iter().any(|(_, other)| is_under(&point.1, other));
            if !is_dominated && !points.iter().any(|other| other.1 == point.1) {
                points.push(point);
            }
        }
        points.sort_by(|one, other| one.1[0].total_cmp(&other.1[0]));
        let last = points.len().saturating_sub(1);
        let kept = points.len().min(FRONTIER_MAX);
        let spread = |nth: usize| points[if kept > 1 { nth * last / (kept - 1) } else { 0 }].0;
        (0..kept).map(spread).collect()
    }

    fn draw(&mut self, below: usize) -> usize {
        self.drawn += 1;
        pick(self.draws.draw(self.drawn, 0), below as u32) as usize
    }
}

/// What decides: the rules that are on, in order. Two lists with the same key decide alike.
fn key(variant: &Variant) -> String {
    let one = |row: &RuleRow| {
        let expression = row.custom.as_ref().map(|_| row.to_json()).unwrap_or_default();
        format!("{} {:?} {:?} {:?} {expression}", row.id, row.buckets, row.weight, row.values)
    };
    variant.rules.iter().filter(|row| row.on).map(one).collect::<Vec<_>>().join("; ")
}
