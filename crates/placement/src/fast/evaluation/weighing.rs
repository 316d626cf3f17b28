//! Chooses by manual weights: compares groups of machines with equal keys instead of machines.
//!
//! A cluster's groups are counted once and then updated, so a decision costs the number of groups and of machines that
//! changed, and one look along the keys to find the machine that is drawn. If some rules are evaluated for each
//! decision, all candidates are grouped again.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::bits::ones;
use tiebreak_model::random::pick;
use tiebreak_model::{ClusterId, Fleet, MachineId};

use super::super::judges::together;
use super::super::packed::PackedKey;
use super::super::ranking::{Bests, Rankings, skip};
use super::super::request::Draw;
use super::super::weights::{Groups, best, in_order};
use super::cells::Cells;
use super::live::Live;
use super::{Evaluation, Found};

/// Machines whose keys are compared at once.
const BLOCK: usize = 64;

/// How many machines of a cluster have each key, including the rack's part.
pub(super) struct Tally<K> {
    /// Every machine's key as counted; invalid if it is no candidate.
    keys: Vec<K>,
    machines_by_key: BTreeMap<K, u32>,
    /// What the rack of each cell adds, as counted; invalid if none of its machines is a candidate.
    racks: Vec<K>,
    /// Cells whose rack may add something else now.
    changed: Touched,
}

impl<K: PackedKey> Tally<K> {
    /// Nothing is counted yet.
    fn new(rankings: &Rankings<K>) -> Self {
        let mut changed = Touched::default();
        changed.mark(0..rankings.len());
        Self {
            keys: vec![K::INVALID; rankings.machines()],
            machines_by_key: BTreeMap::new(),
            racks: vec![K::INVALID; rankings.len()],
            changed,
        }
    }

    /// Counts a machine's new key.
    pub(super) fn set_key(&mut self, cell: usize, at: usize, key: K) {
        let key = together(self.racks[cell], key);
        let before = core::mem::replace(&mut self.keys[at], key);
        if before == key {
            return;
        }
        if let Some(machines) = self.machines_by_key.get_mut(&before) {
            *machines -= 1;
            if *machines == 0 {
                self.machines_by_key.remove(&before);
            }
        }
        if key != K::INVALID {
            *self.machines_by_key.entry(key).or_default() += 1;
        }
    }

    /// Records that the rack of this cell may add something else.
    pub(super) fn change_rack(&mut self, cell: usize) {
        self.changed.mark(core::iter::once(cell));
    }

    /// Counts the cells whose rack changed.
    fn settle(&mut self, rankings: &Rankings<K>, bests: &Bests<K>) {
        let mut changed = core::mem::take(&mut self.changed);
        for cell in changed.drain() {
            let (best, count) = bests.cells[cell];
            let rack = if count > 0 { best.less(rankings.best(cell).0) } else { K::INVALID };
            if core::mem::replace(&mut self.racks[cell], rack) != rack {
                let (first, keys) = rankings.leaves(cell);
                keys.iter().enumerate().for_each(|(at, key)| self.set_key(cell, first + at, *key));
            }
        }
        self.changed = changed;
    }

    /// Bytes it holds, roughly.
    pub(super) fn bytes(&self) -> usize {
        let keys = self.keys.capacity() + self.racks.capacity();
        keys * size_of::<K>() + self.machines_by_key.len() * size_of::<(K, u32)>()
    }
}

/// A set of cells of one cluster, as bits.
#[derive(Default)]
struct Touched {
    words: Vec<u64>,
}

impl Touched {
    /// Adds cells, by index.
    #[inline]
    fn mark(&mut self, cells: impl Iterator<Item = usize>) {
        for cell in cells {
            let word = cell / u64::BITS as usize;
            if word >= self.words.len() {
                self.words.resize(word + 1, 0);
            }
            self.words[word] |= 1 << (cell % u64::BITS as usize);
        }
    }

    /// Takes all of them out, ascending.
    #[inline]
    fn drain(&mut self) -> impl Iterator<Item = usize> + '_ {
        let words = (0..).step_by(u64::BITS as usize).zip(self.words.drain(..));
        words.flat_map(|(first, word): (usize, u64)| ones(word).map(move |bit| first + bit as usize))
    }
}

impl<K: PackedKey> Evaluation<K> {
    /// The machine that manual weights choose; the clusters are in order of id.
    pub(super) fn choose_weighted(
        &mut self,
        fleet: &Fleet,
        clusters: &[ClusterId],
        draw: Draw,
        live: &Live<'_>,
    ) -> Option<Found> {
        let keys = if live.adds_nothing() { self.tally(clusters) } else { self.keys_at_moment(fleet, clusters, live) };
        let mut groups = Groups::default();
        for (key, machines) in &keys {
            groups.push(self.fields.iter().map(|field| key.bucket(*field)), *machines);
        }
        let weights = self.weights.as_ref()?;
        let (chosen, count, nth) = match draw.among {
            None => {
                let tied: Vec<_> = best(weights, &groups).into_iter().map(|group| keys[group]).collect();
                let count = tied.iter().map(|(_, machines)| machines).sum();
                (tied.into_iter().map(|(key, _)| key).collect(), count, pick_one(draw.number, count)?)
            }
            Some(among) => {
                let count = among.min(keys.iter().map(|(_, machines)| machines).sum());
                let mut nth = pick_one(draw.number, count)?;
                let order = in_order(weights, &groups, among as usize);
                let group = order[skip(order.iter().map(|(_, machines)| *machines), &mut nth)].0;
                (vec![keys[group].0], count, nth)
            }
        };
        let found = if live.adds_nothing() {
            self.nth_counted(fleet, clusters, &chosen, nth)
        } else {
            self.candidates(fleet, clusters, live).filter(|(_, key)| is_one_of(&chosen, key)).nth(nth as usize)?.0
        };
        Some((MachineId(found), count))
    }

    /// The keys of these clusters' candidates in ascending order, each with its number of machines.
    fn tally(&mut self, clusters: &[ClusterId]) -> Vec<(K, u32)> {
        let mut all: Vec<(K, u32)> = Vec::new();
        for cluster in clusters {
            if let Some(Cells { tally, rankings, bests, .. }) = &mut self.cells[cluster.index()] {
                let tally = tally.get_or_insert_with(|| Tally::new(rankings));
                tally.settle(rankings, bests);
                all.extend(tally.machines_by_key.iter().map(|(key, machines)| (*key, *machines)));
            }
        }
        if clusters.len() > 1 {
            all.sort_unstable();
            all.dedup_by(|(key, more), (same, machines)| {
                let is_same = key == same;
                *machines += if is_same { *more } else { 0 };
                is_same
            });
        }
        all
    }

    /// The same where rules are evaluated for each decision.
    fn keys_at_moment(&self, fleet: &Fleet, clusters: &[ClusterId], live: &Live<'_>) -> Vec<(K, u32)> {
        let mut all: Vec<K> = self.candidates(fleet, clusters, live).map(|(_, key)| key).collect();
        all.sort_unstable();
        all.chunk_by(|one, next| one == next).map(|same| (same[0], same.len() as u32)).collect()
    }

    /// The candidates of these clusters, with their keys at the moment.
    fn candidates<'a>(
        &'a self,
        fleet: &'a Fleet,
        clusters: &'a [ClusterId],
        live: &'a Live<'_>,
    ) -> impl Iterator<Item = (u32, K)> + 'a {
        let cells = clusters.iter().flat_map(|cluster| self.cells_of(fleet, *cluster));
        cells.flat_map(move |it| {
            let machines = it.rankings.valid(it.cell).map(move |(at, key)| (it.first + at as u32, it.rack.plus(key)));
            machines.filter_map(|(machine, key)| Some((machine, live.key(machine, key)?)))
        })
    }

    /// The `nth` machine with one of these keys (ascending), as counted.
    fn nth_counted(&self, fleet: &Fleet, clusters: &[ClusterId], chosen: &[K], mut nth: u32) -> u32 {
        for cluster in clusters {
            let Some(Cells { tally: Some(tally), .. }) = &self.cells[cluster.index()] else { continue };
            let here = chosen.iter().filter_map(|key| tally.machines_by_key.get(key)).sum();
            if nth >= here {
                nth -= here;
                continue;
            }
            let count = |keys: &[K]| keys.iter().map(|key| u32::from(is_one_of(chosen, key))).sum();
            let block = skip(tally.keys.chunks(BLOCK).map(count), &mut nth) * BLOCK;
            let at = skip(tally.keys[block..].iter().map(|key| u32::from(is_one_of(chosen, key))), &mut nth);
            return fleet.cluster(*cluster).machines().start + (block + at) as u32;
        }
        unreachable!("they were counted")
    }
}

/// Whether a key is among these, which are ascending.
#[inline]
fn is_one_of<K: PackedKey>(chosen: &[K], key: &K) -> bool {
    match chosen {
        [only] => only == key,
        _ => chosen.binary_search(key).is_ok(),
    }
}

/// A number below `count`, from a draw; `None` if there is none.
fn pick_one(number: u64, count: u32) -> Option<u32> {
    (count > 0).then(|| pick(number, count))
}
