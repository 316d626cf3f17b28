//! How many machines the workload needs: the search of `tiebreak size`, over a few seeds, in all engines in parallel.

use tiebreak_model::Phrase;
use tiebreak_profile::sizing::{Mix, Search};
use tiebreak_scenario::{Document, Variant};

use super::pool::{Gathered, Job, Purpose};
use tiebreak_engine::protocol::{Machines, Needs, RunResult};

/// The maximum number of seeds with which the level must be kept.
pub const SEEDS_MAX: u64 = 16;

/// The request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeWish {
    /// The share of VMs that may be rejected, in percent.
    pub reject_pct: f64,
    /// The number of seeds, starting with the variant's own.
    pub seeds: u64,
    /// Whether to use the kind of machine that the workload suggests; otherwise the kinds that the variant has.
    pub is_suggested: bool,
}

impl Default for SizeWish {
    fn default() -> Self {
        Self { reject_pct: 0.1, seeds: 3, is_suggested: true }
    }
}

impl SizeWish {
    /// The same within its bounds.
    #[must_use]
    pub fn within_bounds(self) -> Self {
        Self { reject_pct: self.reject_pct.clamp(0.0, 99.0), seeds: self.seeds.clamp(1, SEEDS_MAX), ..self }
    }
}

/// A search under way, or finished.
#[derive(Clone, Debug)]
pub struct Sizing {
    /// The request.
    pub wish: SizeWish,
    /// The variant at that time.
    pub of: Variant,
    /// The kinds of machines and the bound; `None` before the engine has returned them.
    pub needs: Option<Needs>,
    /// Seed by seed.
    pub seeds: Vec<OfSeed>,
    /// Why there is no result.
    pub failure: Option<Phrase>,
    bare: Document,
}

/// The search with one seed.
#[derive(Clone, Debug)]
pub struct OfSeed {
    /// The seed.
    pub seed: u64,
    /// Its state.
    pub search: Search,
    /// The number of runs made.
    pub runs: u32,
    /// The result of the run with the smallest sufficient number of machines so far.
    pub enough: Option<RunResult>,
}

impl Sizing {
    /// For the active variant of a document.
    #[must_use]
    pub(super) fn new(document: &Document, wish: SizeWish) -> Self {
        let bare = Document { variants: Vec::new(), active: 0, ..document.clone() };
        let (wish, of) = (wish.within_bounds(), document.active_variant().clone());
        Self { wish, of, needs: None, seeds: Vec::new(), failure: None, bare }
    }

    /// The document with the workload.
    pub(super) fn document(&self) -> Document {
        Document { variants: vec![self.of.clone()], ..self.bare.clone() }
    }

    /// The engine has returned the minimum needs. Returns the runs that start the search.
    pub(super) fn begin(&mut self, needs: Result<Needs, Phrase>) -> Vec<Job> {
        match needs {
            Ok(needs) => {
                let search = Search::from(needs.bound);
                let seeds = (0..self.wish.seeds).map(|nth| self.of.seed.wrapping_add(nth));
                let of_seed = |seed| OfSeed { seed, search: search.clone(), runs: 0, enough: None };
                self.seeds = seeds.map(of_seed).collect();
                self.needs = Some(needs);
                (0..self.seeds.len()).filter_map(|seed| self.job(seed)).collect()
            }
            Err(why) => {
                self.failure = Some(why);
                Vec::new()
            }
        }
    }

    fn job(&self, seed: usize) -> Option<Job> {
        let of_seed = self.seeds.get(seed)?;
        let machines = of_seed.search.wanted()?;
        let mut variant = Variant { seed: of_seed.seed, ..self.of.clone() };
        variant.replace_machines(self.mix()?.of(machines));
        let document = Document { variants: vec![variant], ..self.bare.clone() };
        Some(Job { purpose: Purpose::Size { seed }, document })
    }

    fn mix(&self) -> Option<Mix> {
        let kind = |it: &Machines| (it.machines.into(), Mix::machine(it.cores, it.memory_gib));
        Some(Mix::new(self.needs.as_ref()?.kinds.iter().map(kind)))
    }

    /// Handles the result of a seed's run. Returns the next run, if one is needed.
    pub(super) fn take(&mut self, seed: usize, gathered: Gathered) -> Option<Job> {
        let result = match gathered.result? {
            Ok(result) => result,
            Err(why) => {
                self.failure = Some(why);
                return None;
            }
        };
        let most = self.wish.reject_pct / 100.0 * result.placed()[1];
        let of_seed = self.seeds.get_mut(seed)?;
        let is_enough = result.figure("rejections") <= most;
        of_seed.runs += 1;
        of_seed.search.tell(is_enough);
        if is_enough {
            of_seed.enough = Some(result);
        }
        self.job(seed)
    }

    /// Whether more runs are to come.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        let searches = || self.seeds.iter().any(|it| it.search.wanted().is_some());
        self.failure.is_none() && (self.needs.is_none() || searches())
    }

    /// The seed that needs most machines, once all searches have succeeded.
    #[must_use]
    pub fn worst(&self) -> Option<&OfSeed> {
        let all_found = self.seeds.iter().all(|it| it.search.least().is_some());
        self.seeds.iter().filter(|_| all_found).max_by_key(|it| it.search.least())
    }

    /// The smallest number of machines that keeps the level with every seed, by kind.
    #[must_use]
    pub fn machines(&self) -> Option<Vec<Machines>> {
        let least = self.worst()?.search.least()?;
        let kind = |(machines, cores, memory_gib)| Machines { machines, cores, memory_gib };
        Some(self.mix()?.of(least).into_iter().map(kind).collect())
    }
}
