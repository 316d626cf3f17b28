//! Finds the best machines where some properties are evaluated for each decision: link bandwidth, uplinks, chassis.

use alloc::vec::Vec;
use core::ops::Range;

use tiebreak_model::bits::ones;
use tiebreak_model::random::pick;
use tiebreak_model::{ClusterId, Cut, Fleet, MachineId, Occupancy};

use super::super::fields::{ChassisField, Moment, UplinkField};
use super::super::objects::Books;
use super::super::packed::PackedKey;
use super::super::ranking::{Chunk, joined, skip};
use super::cells::{CellPlace, Cells, Tied};
use super::moment::at_moment;
use super::{Evaluation, Found, Kit};
use crate::network::gate::{Gate, Pass};

impl<K: PackedKey> Evaluation<K> {
    /// The best machines where links need bandwidth or rules look at uplinks or chassis. Skips blocks of machines
    /// that lack bandwidth or cannot beat the best so far. If a whole block has bandwidth and no rule adds to the
    /// keys, its best key is known.
    pub(super) fn choose_joined(
        &self,
        occupancy: &Occupancy,
        clusters: &[ClusterId],
        number: u64,
        gate: Option<&Gate<'_>>,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) -> Option<Found> {
        let mut tied = core::mem::take(&mut kit.tied);
        tied.clear();
        let (fleet, live) = (occupancy.fleet(), Live::new(occupancy, gate, kit));
        let mut search = Search::new(&live);
        // The best of the cell that is ranked first is the initial bound: most other cells are skipped.
        if let Some((cluster, at)) = self.ranked_first(clusters) {
            let cells = self.cells[cluster.index()].as_ref().expect("it is ranked");
            search.look_into(cells, &self.cell(fleet, cluster, at), u64::MAX);
        }
        for cluster in clusters {
            let Some(cells) = &self.cells[cluster.index()] else { continue };
            books.counters.cells_compared += cells.bests.cells.len() as u64;
            for (at, (ranked, count)) in (0..).zip(&cells.bests.cells) {
                if *count == 0 || *ranked > search.best {
                    continue;
                }
                let cell = self.cell(fleet, *cluster, at);
                let candidates = search.candidates(cells, &cell);
                if candidates == 0 {
                    continue;
                }
                let before = search.best;
                let many = search.look_into(cells, &cell, candidates);
                if search.best < before {
                    tied.clear();
                }
                if many > 0 {
                    tied.push(Tied { cluster: *cluster, cell: at, many });
                }
            }
        }
        let count = tied.iter().map(|tied| tied.many).sum();
        let found = (count > 0).then(|| {
            let mut nth = pick(number, count);
            let Tied { cluster, cell, .. } = tied[skip(tied.iter().map(|tied| tied.many), &mut nth)];
            let cells = self.cells[cluster.index()].as_ref().expect("it was searched");
            (MachineId(live.nth_of_cell(cells, &self.cell(fleet, cluster, cell), search.best, nth)), count)
        });
        kit.tied = tied;
        found
    }

    /// The cell whose machines are ranked first, regardless of bandwidth.
    fn ranked_first(&self, clusters: &[ClusterId]) -> Option<(ClusterId, u32)> {
        let mut first = (K::INVALID, None);
        for cluster in clusters {
            let Some(cells) = self.cells[cluster.index()].as_ref().filter(|cells| cells.bests.best.0 < first.0) else {
                continue;
            };
            let at = cells.bests.cells.iter().position(|(key, count)| *count > 0 && *key == cells.bests.best.0);
            first = (cells.bests.best.0, at.map(|at| (*cluster, at as u32)));
        }
        first.1
    }

    /// Conflict avoidance where rules depend on the clock, on uplinks or on chassis.
    pub(super) fn choose_near_best_at_moment(
        &self,
        fleet: &Fleet,
        clusters: &[ClusterId],
        number: u64,
        among: u32,
        live: &Live<'_>,
    ) -> Option<Found> {
        let mut near: Vec<(K, u32)> = Vec::new();
        for it in clusters.iter().flat_map(|cluster| self.cells_of(fleet, *cluster)) {
            let valid = it.rankings.valid(it.cell).map(|(at, key)| (it.first + at as u32, it.rack.plus(key)));
            near.extend(valid.filter_map(|(machine, key)| Some((live.key(machine, key)?, machine))));
        }
        near.sort_unstable();
        near.truncate(among as usize);
        let count = near.len() as u32;
        (count > 0).then(|| (MachineId(near[pick(number, count) as usize].1), count))
    }
}

/// Everything about machines that is evaluated for each decision: their expected exits, the free bandwidth of their
/// uplinks, the expected draw of their chassis, and whether the network has capacity for the VM's links.
pub(super) struct Live<'a> {
    occupancy: &'a Occupancy,
    moment: &'a [Moment],
    uplinks: &'a [UplinkField],
    chassis: &'a [ChassisField],
    user_facing: bool,
    gate: Option<&'a Gate<'a>>,
}

impl<'a> Live<'a> {
    pub(super) fn new<K>(occupancy: &'a Occupancy, gate: Option<&'a Gate<'a>>, kit: &'a Kit<K>) -> Self {
        let Kit { moment, uplinks, chassis, user_facing, .. } = kit;
        Self { occupancy, moment, uplinks, chassis, user_facing: *user_facing, gate }
    }

    /// Whether a machine's key is as it was ranked, and every machine is admitted.
    pub(super) fn adds_nothing(&self) -> bool {
        self.ranked_says_all() && self.gate.is_none()
    }

    fn ranked_says_all(&self) -> bool {
        self.moment.is_empty() && self.uplinks.is_empty() && self.chassis.is_empty()
    }

    /// A machine's key with all of that; `None` if the network has no capacity.
    #[inline]
    pub(super) fn key<K: PackedKey>(&self, machine: u32, key: K) -> Option<K> {
        self.admits(machine).then(|| self.key_admitted(machine, key))
    }

    #[inline]
    fn admits(&self, machine: u32) -> bool {
        self.gate.is_none_or(|gate| gate.admits(MachineId(machine)))
    }

    #[inline]
    fn key_admitted<K: PackedKey>(&self, machine: u32, key: K) -> K {
        self.beside_uplinks(machine, key.plus(self.of_uplinks(machine)))
    }

    /// The capacity and the free bandwidth of a machine's uplinks, in kbit/s; 0 without a network.
    #[inline]
    fn bandwidth(&self, machine: u32) -> (u64, i64) {
        let cut = Cut::Machine(MachineId(machine));
        let network = self.occupancy.network();
        network.map_or((0, 0), |network| (network.capacity_kbps(cut), network.free_kbps(cut)))
    }

    /// A machine's buckets under the rules about uplinks.
    #[inline]
    fn of_uplinks<K: PackedKey>(&self, machine: u32) -> K {
        let network = self.occupancy.network();
        self.uplinks.iter().fold(K::ZERO, |key, it| it.apply(network, MachineId(machine), key))
    }

    /// A key with the buckets that depend on the clock and on chassis.
    #[inline]
    fn beside_uplinks<K: PackedKey>(&self, machine: u32, key: K) -> K {
        let Self { occupancy, user_facing, .. } = *self;
        let key = if self.moment.is_empty() { key } else { at_moment(occupancy.exits(), self.moment, machine, key) };
        self.chassis.iter().fold(key, |key, it| it.asked(occupancy, user_facing).apply(MachineId(machine), key))
    }

    /// A lower bound of the keys of machines under a node.
    fn bound<K: PackedKey>(&self, chunk: &Chunk<'_, K>, rack: K) -> K {
        let occupancy = self.occupancy;
        let mut bound = rack.plus(chunk.best);
        if !self.moment.is_empty() {
            let latest = occupancy.exits().latest(chunk.machines());
            let least = |key: K, (steps, field): &Moment| key.with(*field, u64::from(steps.least(latest)));
            bound = self.moment.iter().fold(bound, least);
        }
        self.uplinks.iter().fold(bound, |key, it| it.least(occupancy.network(), chunk.machines(), key))
    }

    fn pass(&self, machines: Range<u32>) -> Pass {
        self.gate.map_or(Pass::All, |gate| gate.pass(machines))
    }

    /// The `nth` machine of a cell with this key.
    fn nth_of_cell<K: PackedKey>(&self, cells: &Cells<K>, cell: &CellPlace, best: K, mut nth: u32) -> u32 {
        let rack = cells.rack_part(cell.at);
        for chunk in cells.rankings.chunks(cell.at, cell.first) {
            if self.bound(&chunk, rack) > best || self.pass(chunk.machines()) == Pass::None {
                continue;
            }
            for (machine, key) in (chunk.first..).zip(chunk.keys) {
                let key = rack.plus(*key);
                let is_tied = key <= best && self.key(machine, key) == Some(best);
                match nth.checked_sub(u32::from(is_tied)) {
                    Some(left) => nth = left,
                    None => return machine,
                }
            }
        }
        unreachable!("they were counted")
    }
}

/// Uplinks with the same buckets under the rules about them: of this capacity, and with at least and at most so much
/// free bandwidth. More free bandwidth never gives a higher bucket.
#[derive(Clone, Copy)]
struct Uplinks<K> {
    capacity_kbps: u64,
    free_kbps: (i64, i64),
    buckets: K,
}

impl<K: PackedKey> Uplinks<K> {
    #[inline]
    fn has(&self, free_kbps: i64) -> bool {
        let (least, most) = self.free_kbps;
        (least <= free_kbps) & (free_kbps <= most)
    }

    /// Both, if their buckets are the same; else the other.
    fn and(self, other: Self) -> Self {
        let ((least, most), (other_least, other_most)) = (self.free_kbps, other.free_kbps);
        let are_same = (self.capacity_kbps, self.buckets) == (other.capacity_kbps, other.buckets);
        if are_same { Self { free_kbps: (least.min(other_least), most.max(other_most)), ..other } } else { other }
    }
}

/// A search for the best machines, cell by cell.
struct Search<'a, K> {
    live: &'a Live<'a>,
    best: K,
    /// The uplinks of the last machines that were at least as good as the best.
    winner: Option<Uplinks<K>>,
    /// The last machine that lost: one with the same capacity and no more free bandwidth has no lower buckets.
    loser: Option<Uplinks<K>>,
}

impl<'a, K: PackedKey> Search<'a, K> {
    fn new(live: &'a Live<'a>) -> Self {
        Self { live, best: K::INVALID, winner: None, loser: None }
    }

    /// The machines of a cell that may be among the best, as bits; all if cells have no bits.
    #[inline]
    fn candidates(&self, cells: &Cells<K>, cell: &CellPlace) -> u64 {
        let Some(tied) = cells.bits.get(cell.at) else { return u64::MAX };
        let (ranked, under) = (cells.bests.cells[cell.at].0, cells.tied_under);
        // The others lose under rules above those about uplinks.
        let those = if under.of(ranked) == under.of(self.best) { *tied } else { cells.valid[cell.at] };
        let (Some(lost_kbps), Some(network)) = (self.lost_up_to(cell.first, ranked), self.live.occupancy.network())
        else {
            return those;
        };
        // Most have lost. A loop that looks at nothing else passes over them sooner.
        ones(those).fold(0, |left, at| {
            let free_kbps = network.free_kbps(Cut::Machine(MachineId(cell.first + at)));
            left | u64::from(free_kbps > lost_kbps) << at
        })
    }

    /// Searches the candidates of a cell for machines that are at least as good as the best so far, and returns how many
    /// of the best it has.
    fn look_into(&mut self, cells: &Cells<K>, cell: &CellPlace, candidates: u64) -> u32 {
        let (ranked_says_all, mut many) = (self.live.ranked_says_all(), 0);
        if ranked_says_all && self.live.pass(cells.machines(cell)) == Pass::All {
            let (key, count) = cells.bests.cells[cell.at];
            self.count(key, count, &mut many);
            return many;
        }
        let rack = cells.rack_part(cell.at);
        for chunk in cells.rankings.chunks(cell.at, cell.first) {
            if cells.bits.is_empty() && !self.may_hold_best(&chunk, rack) {
                continue;
            }
            match self.live.pass(chunk.machines()) {
                Pass::None => {}
                Pass::All if ranked_says_all => self.count(rack.plus(chunk.best), chunk.tied, &mut many),
                pass => {
                    let mut candidates = candidates & u64::MAX >> (u64::BITS as usize - chunk.keys.len());
                    if pass == Pass::All {
                        candidates = self.count_winners(&chunk, candidates, rack, &mut many);
                    }
                    if candidates != 0 {
                        self.look_into_chunk(&chunk, candidates, rack, &mut many);
                    }
                }
            }
        }
        many
    }

    /// Whether a chunk may hold a machine that is at least as good as the best.
    fn may_hold_best(&self, chunk: &Chunk<'_, K>, rack: K) -> bool {
        let Live { occupancy, moment, .. } = self.live;
        match (self.lost_up_to(chunk.first, rack.plus(chunk.best)), occupancy.network()) {
            (Some(lost_kbps), Some(network)) if moment.is_empty() => network.range_kbps(chunk.machines()).1 > lost_kbps,
            _ => self.live.bound(chunk, rack) <= self.best,
        }
    }

    /// Counts the candidates of a chunk whose uplinks are like those of the last winners, if nothing else adds to keys,
    /// and returns the others. Every machine of the chunk is admitted.
    #[inline(never)]
    fn count_winners(&mut self, chunk: &Chunk<'_, K>, candidates: u64, rack: K, many: &mut u32) -> u64 {
        let Live { occupancy, moment, chassis, .. } = self.live;
        let winner = self.winner.filter(|it| {
            let (capacity_kbps, _) = self.live.bandwidth(chunk.first);
            moment.is_empty() && chassis.is_empty() && it.capacity_kbps == capacity_kbps
        });
        let (Some(winner), Some(network)) = (winner, occupancy.network()) else { return candidates };
        let (free_kbps, added) = (network.free_of_machines(chunk.machines()), rack.plus(winner.buckets));
        let (mut best, mut left) = ((self.best, *many), 0);
        for at in ones(candidates) {
            if winner.has(free_kbps[at as usize]) {
                best = joined(best, (added.plus(chunk.keys[at as usize]), 1));
            } else {
                left |= 1 << at;
            }
        }
        (self.best, *many) = best;
        left
    }

    #[inline(never)]
    fn look_into_chunk(&mut self, chunk: &Chunk<'_, K>, candidates: u64, rack: K, many: &mut u32) {
        let best_of_chunk = rack.plus(chunk.best);
        let mut lost_up_to = self.lost_up_to(chunk.first, best_of_chunk);
        for at in ones(candidates) {
            let (machine, key) = (chunk.first + at, rack.plus(chunk.keys[at as usize]));
            let free_kbps = self.live.bandwidth(machine).1;
            // Until a machine is found, those that are no candidates are not worse than the best.
            let is_worse = lost_up_to.is_some_and(|lost| free_kbps <= lost) || key > self.best || key == K::INVALID;
            if is_worse || self.has_lost(machine, key) {
                continue;
            }
            let uplinks = self.uplinks(machine);
            let key = self.live.beside_uplinks(machine, key.plus(uplinks.buckets));
            // Check the network last, and only for machines that would be better.
            if key > self.best {
                self.loser = Some(uplinks);
            } else if self.live.admits(machine) {
                self.winner = Some(self.winner.map_or(uplinks, |winner| winner.and(uplinks)));
                self.count(key, 1, many);
            }
            lost_up_to = self.lost_up_to(chunk.first, best_of_chunk);
        }
    }

    /// With no more free bandwidth than this, every machine loses that is of the same cluster as `machine` and ranked
    /// no better than `ranked`.
    #[inline]
    fn lost_up_to(&self, machine: u32, ranked: K) -> Option<i64> {
        let loser = self.loser.as_ref()?;
        // The machines of a cluster have the same capacity.
        let (capacity_kbps, _) = self.live.bandwidth(machine);
        let all_lose = capacity_kbps == loser.capacity_kbps && ranked.plus(loser.buckets) > self.best;
        all_lose.then_some(loser.free_kbps.1)
    }

    fn count(&mut self, key: K, machines: u32, many: &mut u32) {
        (self.best, *many) = joined((self.best, *many), (key, machines));
    }

    #[inline]
    fn has_lost(&self, machine: u32, key: K) -> bool {
        let Some(loser) = &self.loser else { return false };
        let (capacity_kbps, free_kbps) = self.live.bandwidth(machine);
        free_kbps <= loser.free_kbps.1 && capacity_kbps == loser.capacity_kbps && key.plus(loser.buckets) > self.best
    }

    #[inline]
    fn uplinks(&self, machine: u32) -> Uplinks<K> {
        let (capacity_kbps, free_kbps) = self.live.bandwidth(machine);
        let buckets = match &self.winner {
            Some(it) if it.capacity_kbps == capacity_kbps && it.has(free_kbps) => it.buckets,
            _ => self.live.of_uplinks(machine),
        };
        Uplinks { capacity_kbps, free_kbps: (free_kbps, free_kbps), buckets }
    }
}
