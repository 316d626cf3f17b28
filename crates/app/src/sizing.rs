//! How many machines the workload needs: the search of `tiebreak size`, over a few seeds, in all engines in parallel,
//! for the active variant's list or for those of all variants side by side.

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
    /// Whether the lists of the other variants are compared, too.
    pub is_beside: bool,
}

impl Default for SizeWish {
    fn default() -> Self {
        Self { reject_pct: 0.1, seeds: 3, is_suggested: true, is_beside: false }
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
    /// List by list: that of the active variant, then those of the others.
    pub lists: Vec<SizedList>,
    /// Why there is no result.
    pub failure: Option<Phrase>,
    bare: Document,
}

/// The search with one list.
#[derive(Clone, Debug)]
pub struct SizedList {
    /// The name of its variant.
    pub name: String,
    /// The variant with this list.
    of: Variant,
    /// Seed by seed.
    pub seeds: Vec<OfSeed>,
}

impl SizedList {
    /// What each seed needs, once all searches have succeeded.
    #[must_use]
    pub fn each(&self) -> Option<Vec<u64>> {
        self.seeds.iter().map(|it| it.search.least()).collect()
    }
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
        let others = document.variants.iter().filter(|other| wish.is_beside && other.name != of.name);
        let variants = std::iter::once(&of).chain(others);
        let list = |it: &Variant| SizedList { name: it.name.clone(), of: of.with_list_of(it), seeds: Vec::new() };
        let lists = variants.map(list).collect();
        Self { wish, of, needs: None, lists, failure: None, bare }
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
                for list in &mut self.lists {
                    let seeds = (0..self.wish.seeds).map(|nth| self.of.seed.wrapping_add(nth));
                    let of_seed = |seed| OfSeed { seed, search: search.clone(), runs: 0, enough: None };
                    list.seeds = seeds.map(of_seed).collect();
                }
                self.needs = Some(needs);
                // The other seeds start from what the first one needs.
                (0..self.lists.len()).filter_map(|list| self.job(list, 0)).collect()
            }
            Err(why) => {
                self.failure = Some(why);
                Vec::new()
            }
        }
    }

    fn job(&self, list: usize, seed: usize) -> Option<Job> {
        let sized = self.lists.get(list)?;
        let of_seed = sized.seeds.get(seed)?;
        let machines = of_seed.search.wanted()?;
        let mut variant = Variant { seed: of_seed.seed, ..sized.of.clone() };
        variant.replace_machines(self.mix()?.of(machines));
        let document = Document { variants: vec![variant], ..self.bare.clone() };
        Some(Job { purpose: Purpose::Size { list, seed }, document })
    }

    fn mix(&self) -> Option<Mix> {
        let kind = |it: &Machines| (it.machines.into(), Mix::machine(it.cores, it.memory_gib));
        Some(Mix::new(self.needs.as_ref()?.kinds.iter().map(kind)))
    }

    /// Handles the result of a run of a list with a seed. Returns the next runs.
    pub(super) fn take(&mut self, list: usize, seed: usize, gathered: Gathered) -> Vec<Job> {
        let result = match gathered.result {
            Some(Ok(result)) => result,
            Some(Err(why)) => {
                self.failure = Some(why);
                return Vec::new();
            }
            None => return Vec::new(),
        };
        let most = self.wish.reject_pct / 100.0 * result.placed()[1];
        let Some(sized) = self.lists.get_mut(list) else { return Vec::new() };
        let Some(of_seed) = sized.seeds.get_mut(seed) else { return Vec::new() };
        let is_enough = result.figure("rejections") <= most;
        of_seed.runs += 1;
        of_seed.search.tell(is_enough);
        if is_enough {
            of_seed.enough = Some(result);
        }
        if seed > 0 || of_seed.search.wanted().is_some() {
            return self.job(list, seed).into_iter().collect();
        }
        let (bound, least) = (self.needs.as_ref().map_or(1, |needs| needs.bound), of_seed.search.least());
        for other in sized.seeds.iter_mut().skip(1) {
            other.search = least.map_or_else(|| Search::from(bound), |least| Search::near(bound, least));
        }
        (1..sized.seeds.len()).filter_map(|seed| self.job(list, seed)).collect()
    }

    /// Every seed of every list.
    pub fn seeds(&self) -> impl Iterator<Item = &OfSeed> {
        self.lists.iter().flat_map(|list| &list.seeds)
    }

    /// Whether more runs are to come.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        let searches = || self.seeds().any(|it| it.search.wanted().is_some());
        self.failure.is_none() && (self.needs.is_none() || searches())
    }

    /// The seed with which the active variant's list needs most machines, once its searches have succeeded.
    #[must_use]
    pub fn worst(&self) -> Option<&OfSeed> {
        let seeds = &self.lists.first()?.seeds;
        let all_found = seeds.iter().all(|it| it.search.least().is_some());
        seeds.iter().filter(|_| all_found).max_by_key(|it| it.search.least())
    }

    /// The smallest number of machines that keeps the level with every seed, by kind.
    #[must_use]
    pub fn machines(&self) -> Option<Vec<Machines>> {
        let least = self.worst()?.search.least()?;
        let kind = |(machines, cores, memory_gib)| Machines { machines, cores, memory_gib };
        Some(self.mix()?.of(least).into_iter().map(kind).collect())
    }
}
