//! Finds the best machines where some properties are evaluated for each decision: link bandwidth, uplinks, chassis.

use alloc::vec::Vec;

use tiebreak_model::random::pick;
use tiebreak_model::{ClusterId, Fleet, MachineId, Occupancy};

use super::super::fields::{ChassisField, Moment, UplinkField};
use super::super::objects::Books;
use super::super::packed::PackedKey;
use super::super::ranking::{Best, Chunk, joined, skip};
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
        // The best of the cell that is ranked first is the initial bound: most other cells are skipped.
        let mut best = self.ranked_first(clusters).map_or(K::INVALID, |(cluster, at)| {
            let cells = self.cells[cluster.index()].as_ref().expect("it is ranked");
            live.best_of_cell(cells, &self.cell(fleet, cluster, at), K::INVALID).0
        });
        for cluster in clusters {
            let Some(cells) = &self.cells[cluster.index()] else { continue };
            books.counters.cells_compared += cells.bests.cells.len() as u64;
            for (at, (ranked, count)) in (0..).zip(&cells.bests.cells) {
                if *count == 0 || *ranked > best {
                    continue;
                }
                let cell = self.cell(fleet, *cluster, at);
                let (key, many) = live.best_of_cell(cells, &cell, best);
                if key < best {
                    tied.clear();
                    best = key;
                }
                if many > 0 && key == best {
                    tied.push(Tied { cluster: *cluster, cell: at, many });
                }
            }
        }
        let count = tied.iter().map(|tied| tied.many).sum();
        let found = (count > 0).then(|| {
            let mut nth = pick(number, count);
            let Tied { cluster, cell, .. } = tied[skip(tied.iter().map(|tied| tied.many), &mut nth)];
            let cells = self.cells[cluster.index()].as_ref().expect("it was searched");
            (MachineId(live.nth_of_cell(cells, &self.cell(fleet, cluster, cell), best, nth)), count)
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
        let Self { occupancy, user_facing, .. } = *self;
        let key = at_moment(occupancy.exits(), self.moment, machine, key);
        let key = self.uplinks.iter().fold(key, |key, it| it.apply(occupancy.network(), MachineId(machine), key));
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

    fn pass<K: PackedKey>(&self, chunk: &Chunk<'_, K>) -> Pass {
        self.gate.map_or(Pass::All, |gate| gate.pass(chunk.machines()))
    }

    /// The best key of a cell's machines and how many have it, unless it is worse than `best`.
    fn best_of_cell<K: PackedKey>(&self, cells: &Cells<K>, cell: &CellPlace, best: K) -> Best<K> {
        let rack = cells.rack_part(cell.at);
        let ranked_says_all = self.ranked_says_all();
        let mut found = (best, 0);
        for chunk in cells.rankings.chunks(cell.at, cell.first) {
            if self.bound(&chunk, rack) > found.0 {
                continue;
            }
            match self.pass(&chunk) {
                Pass::None => {}
                Pass::All if ranked_says_all => found = joined(found, (rack.plus(chunk.best), chunk.tied)),
                _ => self.of_chunk(&chunk, rack, &mut found),
            }
        }
        found
    }

    fn of_chunk<K: PackedKey>(&self, chunk: &Chunk<'_, K>, rack: K, found: &mut Best<K>) {
        for (machine, key) in (chunk.first..).zip(chunk.keys) {
            let key = if *key == K::INVALID { continue } else { rack.plus(*key) };
            if key > found.0 {
                continue;
            }
            // Check the network last, and only for machines that would be better.
            let key = self.key_admitted(machine, key);
            if key <= found.0 && self.admits(machine) {
                *found = joined(*found, (key, 1));
            }
        }
    }

    /// The `nth` machine of a cell with this key.
    fn nth_of_cell<K: PackedKey>(&self, cells: &Cells<K>, cell: &CellPlace, best: K, mut nth: u32) -> u32 {
        let rack = cells.rack_part(cell.at);
        for chunk in cells.rankings.chunks(cell.at, cell.first) {
            if self.bound(&chunk, rack) > best || self.pass(&chunk) == Pass::None {
                continue;
            }
            for (machine, key) in (chunk.first..).zip(chunk.keys) {
                let is_tied = *key != K::INVALID && self.key(machine, rack.plus(*key)) == Some(best);
                match nth.checked_sub(u32::from(is_tied)) {
                    Some(left) => nth = left,
                    None => return machine,
                }
            }
        }
        unreachable!("they were counted")
    }
}
