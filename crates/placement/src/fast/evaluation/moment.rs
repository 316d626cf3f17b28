//! Finds the best machines where rules depend on the clock.

use core::ops::Range;

use tiebreak_model::bits::ones;
use tiebreak_model::random::pick;
use tiebreak_model::{ClusterId, Exits, Fleet, MachineId, Occupancy, RackId};

use super::super::ahead::{Ahead, Bounds};
use super::super::fields::Moment;
use super::super::objects::Books;
use super::super::packed::PackedKey;
use super::super::ranking::{Best, Chunk, skip};
use super::cells::{CellPlace, Cells, Tied};
use super::{Evaluation, Found, Kit};
use crate::lifetime::steps::Span;
use crate::policy::fields::Field;

/// Cells that are compared at once.
const BLOCK: usize = 32;

impl<K: PackedKey> Evaluation<K> {
    /// The best machines where rules depend on the clock. Ranked keys leave the fields of these rules empty; the
    /// latest exits of the machines below a node bound the values of those fields. So most nodes are skipped, and
    /// only machines that may be among the best are evaluated.
    #[inline(never)]
    pub(super) fn choose_at_moment(
        &mut self,
        occupancy: &Occupancy,
        clusters: &[ClusterId],
        number: u64,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) -> Option<Found> {
        let Kit { moment, tied, now_s, ahead, .. } = kit;
        let (exits, fleet) = (occupancy.exits(), occupancy.fleet());
        if let (Some(ahead), [(steps, _)]) = (&mut *ahead, &**moment) {
            ahead.refresh(occupancy, steps.exit(), *now_s);
        }
        let ahead = ahead.as_ref();
        let mut search = Search::new(exits, moment, ahead);
        // Start with the cell of this class's last result: its best is the initial bound.
        let (hint, at) = self.found_last;
        if let Some(cells) = self.cells[hint.index()].as_ref().filter(|_| clusters.contains(&hint))
            && search.may_beat(cells.bests.cells[at as usize].0)
        {
            search.look_into(cells, &self.cell(fleet, hint, at));
        }
        for cluster in clusters {
            let Some(cells) = &self.cells[cluster.index()] else { continue };
            books.counters.cells_compared += cells.bests.cells.len() as u64;
            if !search.may_beat(cells.bests.best.0) {
                continue;
            }
            for block in blocks(fleet, *cluster, cells) {
                let cells_that_may = if search.may_be_in(&block) { block.cells() } else { 0..0 };
                for at in cells_that_may {
                    let may_beat = search.may_beat(cells.bests.cells[at].0);
                    if may_beat && search.look_into(cells, &self.cell(fleet, *cluster, at as u32)) {
                        self.found_last = (*cluster, at as u32);
                    }
                }
            }
        }
        if search.best == K::INVALID {
            return None;
        }
        tied.clear();
        let (mut count, terms) = (0, search.terms());
        for cluster in clusters {
            let cells = self.cells[cluster.index()].as_ref().filter(|cells| cells.bests.best.0 <= terms.alone);
            let Some(cells) = cells else { continue };
            for block in blocks(fleet, *cluster, cells) {
                let many = match terms.count_by_bits(&block, exits) {
                    Some(many) => many,
                    None => {
                        self.tied_cells(fleet, *cluster, block.cells(), (&search, &terms)).map(|(_, many)| many).sum()
                    }
                };
                tied.push(Tied { cluster: *cluster, cell: block.first as u32, many });
                count += many;
            }
        }
        let mut nth = pick(number, count);
        let Tied { cluster, cell, .. } = tied[skip(tied.iter().map(|tied| tied.many), &mut nth)];
        let cells = self.cells[cluster.index()].as_ref().expect("it was searched");
        for (cell, many) in self.tied_cells(fleet, cluster, cell as usize..cells.bests.cells.len(), (&search, &terms)) {
            match nth.checked_sub(many) {
                Some(left) => nth = left,
                None => return Some((MachineId(search.nth_tied(&terms, cells, &cell, nth)), count)),
            }
        }
        unreachable!("they were counted")
    }

    /// The cells among these that may have machines tied for best, and how many each has.
    fn tied_cells<'a>(
        &'a self,
        fleet: &'a Fleet,
        cluster: ClusterId,
        those: Range<usize>,
        (search, terms): (&'a Search<'_, K>, &'a TieConditions<'_, K>),
    ) -> impl Iterator<Item = (CellPlace, u32)> + 'a {
        let cells = self.cells[cluster.index()].as_ref().expect("it was searched");
        those.filter(|at| cells.bests.cells[*at].0 <= terms.alone).map(move |at| {
            let cell = self.cell(fleet, cluster, at as u32);
            let many = search.count_tied(terms, cells, &cell);
            (cell, many)
        })
    }
}

/// Some neighbouring cells of a cluster, which are racks if there are bits.
struct Block<'a, K> {
    fleet: &'a Fleet,
    cells: &'a Cells<K>,
    bests: &'a [Best<K>],
    /// Its first cell in the cluster, and its first rack in the zone.
    first: usize,
    first_rack: usize,
}

impl<K> Block<'_, K> {
    fn cells(&self) -> Range<usize> {
        self.first..self.first + self.bests.len()
    }

    fn racks(&self) -> Range<usize> {
        self.first_rack..self.first_rack + self.bests.len()
    }

    fn first_machine(&self, at: usize) -> u32 {
        self.fleet.machines_of_rack(RackId((self.first_rack + at) as u32)).start
    }
}

/// A cluster's cells in blocks.
fn blocks<'a, K>(
    fleet: &'a Fleet,
    cluster: ClusterId,
    cells: &'a Cells<K>,
) -> impl Iterator<Item = Block<'a, K>> + use<'a, K> {
    let racks = fleet.cluster(cluster).racks().start as usize;
    let blocks = (0..).step_by(BLOCK).zip(cells.bests.cells.chunks(BLOCK));
    blocks.map(move |(first, bests)| Block { fleet, cells, bests, first, first_rack: racks + first })
}

/// A search for the best machines at one moment.
struct Search<'a, K> {
    exits: &'a Exits,
    moment: &'a [Moment],
    ahead: Option<&'a Ahead>,
    favoured: Option<Favoured<'a>>,
    best: K,
}

/// For a single rule that depends on the clock: its lowest level, the next one, and the exits with the lowest level.
struct Favoured<'a> {
    field: Field,
    least: u64,
    next: u64,
    span: Span,
    bounds: Option<Bounds<'a>>,
}

/// The conditions to be tied for best: the best key without the fields of the moment, and the exits that give those
/// fields, if a single rule depends on the clock and its exits are at most two ranges.
struct TieConditions<'a, K> {
    alone: K,
    span: Option<Span>,
    bounds: Option<Bounds<'a>>,
}

impl<K: PackedKey> TieConditions<'_, K> {
    /// Counts the machines of a block that are tied for best, if its bits tell which these may be.
    ///
    /// Which racks tie is hard to predict, so the loop has no branches on it, and processors can handle several racks
    /// at once.
    #[inline(never)]
    fn count_by_bits(&self, block: &Block<'_, K>, exits: &Exits) -> Option<u32> {
        let (bounds, span) = self.bounds.as_ref().zip(self.span.as_ref())?;
        if block.cells.bests.best.0 != self.alone {
            return None;
        }
        let bits = block.bests.iter().zip(&block.cells.bits[block.cells()]);
        let (mut many, mut unsure, mut any_unsure) = (0, [0; BLOCK], 0);
        bounds.each(block.racks(), bits.zip(&mut unsure), |surely, maybe, (((key, _), bits), unsure)| {
            let bits = bits & mask(*key == self.alone);
            many += u64::from((bits & surely).count_ones());
            *unsure = bits & maybe & !surely;
            any_unsure |= *unsure;
        });
        if any_unsure != 0 {
            for (at, unsure) in unsure.iter().enumerate().filter(|(_, unsure)| **unsure != 0) {
                let first = block.first_machine(at);
                many += ones(*unsure).filter(|at| span.has(exits.of(MachineId(first + at)))).count() as u64;
            }
        }
        Some(many as u32)
    }

    /// The machines of a cell that are tied for best, as bits, if they are among its best regardless of the moment.
    #[inline]
    fn tied_by_bits(&self, exits: &Exits, cells: &Cells<K>, cell: &CellPlace) -> Option<u64> {
        let (bounds, span) = self.bounds.as_ref().zip(self.span.as_ref())?;
        if cells.bests.cells[cell.at].0 != self.alone {
            return None;
        }
        let (bits, (surely, maybe)) = (cells.bits[cell.at], bounds.of_rack(cell.rack));
        let unsure = ones(bits & maybe & !surely);
        let tied = unsure.filter(|at| span.has(exits.of(MachineId(cell.first + at))));
        Some(tied.fold(bits & surely, |tied, at| tied | 1 << at))
    }
}

impl<'a, K: PackedKey> Search<'a, K> {
    fn new(exits: &'a Exits, moment: &'a [Moment], ahead: Option<&'a Ahead>) -> Self {
        let favoured = match moment {
            [(steps, field)] => {
                let (least, next) = steps.two_least();
                steps.span(least).zip(next).map(|(span, next)| Favoured {
                    field: *field,
                    least: least.into(),
                    next: next.into(),
                    span,
                    bounds: ahead.map(|ahead| ahead.bounds(&span)),
                })
            }
            _ => None,
        };
        Self { exits, moment, ahead, favoured, best: K::INVALID }
    }

    /// Whether a machine of a cell with this best key may beat the best so far.
    #[inline]
    fn may_beat(&self, key: K) -> bool {
        match &self.favoured {
            Some(it) => key.with(it.field, it.least) < self.best,
            None => key < self.best,
        }
    }

    /// Whether a cell of a block may hold a better machine.
    fn may_be_in(&self, block: &Block<'_, K>) -> bool {
        let Some(Favoured { field, least, next, bounds: Some(bounds), .. }) = &self.favoured else { return true };
        let valid = block.bests.iter().zip(&block.cells.valid[block.cells()]);
        let mut any = 0;
        bounds.each(block.racks(), valid, |_, maybe, ((key, _), valid)| {
            let is_better_anyway = key.with(*field, *next) < self.best;
            any |= (valid & maybe | mask(is_better_anyway)) & mask(key.with(*field, *least) < self.best);
        });
        any != 0
    }

    /// Searches a cell that may hold a better machine. Returns whether it does.
    fn look_into(&mut self, cells: &Cells<K>, cell: &CellPlace) -> bool {
        let before = self.best;
        if let Some(Favoured { field, least, next, span, bounds: Some(bounds) }) = &self.favoured {
            let (key, (surely, maybe)) = (cells.bests.cells[cell.at].0, bounds.of_rack(cell.rack));
            if cells.bits[cell.at] & surely != 0 {
                self.best = before.min(key.with(*field, *least));
                return self.best < before;
            }
            // A better machine has an exit of the lowest level, or is better without it.
            let (rack, valid) = (cells.rack_part(cell.at), cells.valid[cell.at]);
            let key_of = |at: u32| rack.plus(cells.rankings.key(cell.at, at as usize));
            let is_favoured = |at: &u32| surely >> at & 1 == 1 || span.has(self.exits.of(MachineId(cell.first + at)));
            let favoured = ones(valid & maybe).filter(is_favoured).map(key_of).min();
            let mut best = favoured.map_or(before, |favoured| before.min(favoured.with(*field, *least)));
            if key.with(*field, *next) < best {
                for at in ones(valid) {
                    if key_of(at).with(*field, *next) < best {
                        best = best.min(at_moment(self.exits, self.moment, cell.first + at, key_of(at)));
                    }
                }
            }
            self.best = best;
            return best < before;
        }
        let rack = cells.rack_part(cell.at);
        for chunk in cells.rankings.chunks(cell.at, cell.first) {
            if !self.may_hold_better(&chunk, rack) {
                continue;
            }
            for (machine, key) in (chunk.first..).zip(chunk.keys) {
                let key = rack.plus(*key);
                if key < self.best {
                    self.best = self.best.min(at_moment(self.exits, self.moment, machine, key));
                }
            }
        }
        self.best < before
    }

    /// Whether a machine under a node may beat the best so far: by the latest exits below it, or by whether any
    /// machine has an exit of the lowest level.
    fn may_hold_better(&self, chunk: &Chunk<'_, K>, rack: K) -> bool {
        let latest = self.exits.latest(chunk.machines());
        let bound = |key: K, (steps, field): &Moment| key.with(*field, u64::from(steps.least(latest)));
        if self.moment.iter().fold(rack.plus(chunk.best), bound) >= self.best {
            return false;
        }
        let Some(Favoured { field, least, next, span, .. }) = &self.favoured else { return true };
        if rack.plus(chunk.best).with(*field, *next) < self.best {
            return true;
        }
        let favoured = rack.with(*field, *least);
        span.count(self.exits, chunk.first, chunk.keys, |key| favoured.plus(key) < self.best) > 0
    }

    /// How many machines of a cell have the best key.
    fn count_tied(&self, terms: &TieConditions<'_, K>, cells: &Cells<K>, cell: &CellPlace) -> u32 {
        if let Some(tied) = terms.tied_by_bits(self.exits, cells, cell) {
            return tied.count_ones();
        }
        let rack = cells.rack_part(cell.at);
        let alone = terms.alone.less(rack);
        let chunks = cells.rankings.chunks(cell.at, cell.first).filter(|chunk| chunk.best <= alone);
        let many = |chunk: Chunk<'_, K>| match &terms.span {
            Some(span) => span.count(self.exits, chunk.first, chunk.keys, |key| key == alone),
            None => self.are_tied(terms, &chunk, rack).map(u32::from).sum(),
        };
        chunks.map(many).sum()
    }

    fn terms(&self) -> TieConditions<'a, K> {
        let alone = self.moment.iter().fold(self.best, |key, (_, field)| key.without(*field));
        if let Some(it) = self.favoured.as_ref().filter(|it| self.best.bucket(it.field) == it.least) {
            return TieConditions { alone, span: Some(it.span), bounds: it.bounds };
        }
        let span = match self.moment {
            [(steps, field)] => steps.span(self.best.bucket(*field) as u32),
            _ => None,
        };
        TieConditions { alone, span, bounds: self.ahead.zip(span).map(|(ahead, span)| ahead.bounds(&span)) }
    }

    /// Which machines under a node have the best key, in order.
    fn are_tied<'c>(
        &'c self,
        terms: &'c TieConditions<'_, K>,
        chunk: &'c Chunk<'_, K>,
        rack: K,
    ) -> impl Iterator<Item = bool> + 'c {
        let alone = terms.alone.less(rack);
        let of_the_moment = move |machine| match &terms.span {
            Some(span) => span.has(self.exits.of(MachineId(machine))),
            None => at_moment(self.exits, self.moment, machine, rack.plus(alone)) == self.best,
        };
        (chunk.first..).zip(chunk.keys).map(move |(machine, key)| *key == alone && of_the_moment(machine))
    }

    /// The `nth` of them in a cell.
    fn nth_tied(&self, terms: &TieConditions<'_, K>, cells: &Cells<K>, cell: &CellPlace, mut nth: u32) -> u32 {
        if let Some(tied) = terms.tied_by_bits(self.exits, cells, cell) {
            let at = ones(tied).nth(nth as usize).expect("they were counted");
            return cell.first + at;
        }
        let rack = cells.rack_part(cell.at);
        for chunk in cells.rankings.chunks(cell.at, cell.first) {
            for (machine, is_tied) in (chunk.first..).zip(self.are_tied(terms, &chunk, rack)) {
                match nth.checked_sub(u32::from(is_tied)) {
                    Some(left) => nth = left,
                    None => return machine,
                }
            }
        }
        unreachable!("they were counted")
    }
}

/// All bits or none.
#[inline]
fn mask(all: bool) -> u64 {
    u64::from(all).wrapping_neg()
}

/// A machine's key with the current fields of rules that depend on the clock.
#[inline]
pub(super) fn at_moment<K: PackedKey>(exits: &Exits, moment: &[Moment], machine: u32, key: K) -> K {
    let exit = exits.of(MachineId(machine));
    moment.iter().fold(key, |key, (steps, field)| key.with(*field, u64::from(steps.level(exit))))
}
