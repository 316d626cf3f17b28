//! Two variants run with the same seeds, in pairs, so that random differences cancel out.

use tiebreak_model::Phrase;
use tiebreak_scenario::effect::SEEDS_MAX;
use tiebreak_scenario::{Document, Variant};

use super::pool::{Gathered, Job, Purpose};

/// The number of seeds that a comparison starts with.
pub const SEEDS: usize = 8;

/// The runs of one comparison.
#[derive(Clone, Debug)]
pub struct Paired {
    /// The active variant, and the one it is compared with, as they are run.
    pub variants: [Variant; 2],
    document: Document,
    /// The results of both, seed by seed.
    pub pairs: Vec<Pair>,
}

/// The results of two variants with one seed.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// The seed.
    pub seed: u64,
    /// That of the active variant, and that of the other.
    pub runs: [Option<Gathered>; 2],
}

impl Paired {
    /// No runs yet, for these two variants of a document: the active one first.
    #[must_use]
    pub(super) fn new(document: &Document, front: usize, against: usize) -> Self {
        let variants = [document.variants[front].clone(), document.variants[against].clone()];
        Self { variants, document: Document { variants: Vec::new(), active: 0, ..document.clone() }, pairs: Vec::new() }
    }

    /// Jobs for this many more seeds, counted up from the document's seed.
    pub(super) fn more(&mut self, seeds: usize) -> Vec<Job> {
        let first = self.variants[0].seed;
        let room = SEEDS_MAX.saturating_sub(self.pairs.len());
        let mut jobs = Vec::new();
        for _ in 0..seeds.min(room) {
            let place = self.pairs.len();
            let seed = first.wrapping_add(place as u64);
            self.pairs.push(Pair { seed, ..Pair::default() });
            for (variant, front) in self.variants.iter().zip([true, false]) {
                let variant = Variant { seed, ..variant.clone() };
                let document = Document { variants: vec![variant], ..self.document.clone() };
                jobs.push(Job { purpose: Purpose::Pair { seed: place, front }, document });
            }
        }
        jobs
    }

    pub(super) fn take(&mut self, seed: usize, front: bool, gathered: Gathered) {
        if let Some(pair) = self.pairs.get_mut(seed) {
            pair.runs[usize::from(!front)] = Some(gathered);
        }
    }

    /// The number of finished runs, and the total.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let done = self.pairs.iter().flat_map(|pair| &pair.runs).flatten().count();
        (done, 2 * self.pairs.len())
    }

    /// The pairs with both runs finished.
    pub fn complete(&self) -> impl Iterator<Item = [&Gathered; 2]> {
        self.pairs.iter().filter_map(|pair| {
            let [front, against] = &pair.runs;
            let both = [front.as_ref()?, against.as_ref()?];
            both.iter().all(|run| run.outcome().is_some()).then_some(both)
        })
    }

    /// Why a run failed, if any did.
    #[must_use]
    pub fn failure(&self) -> Option<&Phrase> {
        let runs = self.pairs.iter().flat_map(|pair| &pair.runs).flatten();
        runs.filter_map(|run| run.result.as_ref()?.as_ref().err()).next()
    }
}
