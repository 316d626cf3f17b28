//! Finds the best machines where rules depend on the clock.

use tiebreak_model::random::pick;
use tiebreak_model::{ClusterId, Exits, MachineId, Occupancy};

use super::super::ahead::{Ahead, Bounds};
use super::super::fields::Moment;
use super::super::objects::Books;
use super::super::packed::PackedKey;
use super::super::ranking::{Best, Chunk, ones, skip};
use super::cells::{CellPlace, Cells, Tied};
use super::{Evaluation, Found, Kit};
use crate::lifetime::steps::Span;
use crate::policy::fields::Field;

/// Racks that are compared at once.
pub(super) const BLOCK: usize = 32;

impl<K: PackedKey> Evaluation<K> {
    /// The best machines where rules depend on the clock. Ranked keys leave the fields of these rules empty; the
    /// latest exits of the machines below a node bound the values of those fields. So most nodes are skipped, and
    /// only machines that may be among the best are evaluated.
    pub(super) fn choose_at_moment(
        &mut self,
        occupancy: &Occupancy,
        clusters: &[ClusterId],
        number: u64,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) -> Option<Found> {
        let Kit { moment, tied, tied_in_racks, now_s, ahead, .. } = kit;
        let (exits, fleet) = (occupancy.exits(), occupancy.fleet());
        if let (Some(ahead), [(steps, _)]) = (&mut *ahead, &**moment) {
            ahead.refresh(occupancy, steps.exit(), *now_s);
        }
        let ahead = ahead.as_ref();
        let mut search = Search::new(exits, moment, ahead);
        // Start with the cell of this class's last result: its best is the initial bound.
        let (hint, at) = self.found_last;
        if let Some(cells) = self.cells[hint.index()].as_ref().filter(|_| clusters.contains(&hint)) {
            search.look_into(cells, &self.cell(fleet, hint, at));
        }
        for cluster in clusters {
            let Some(cells) = &self.cells[cluster.index()] else { continue };
            books.counters.cells_compared += cells.bests.cells.len() as u64;
            if !search.may_beat(cells.bests.best.0) {
                continue;
            }
            for (at, (key, _)) in (0..).zip(&cells.bests.cells) {
                if search.may_beat(*key) && search.look_into(cells, &self.cell(fleet, *cluster, at)) {
                    self.found_last = (*cluster, at);
                }
            }
        }
        if search.best == K::INVALID {
            return None;
        }
        tied.clear();
        tied_in_racks.clear();
        let (mut count, terms) = (0, search.terms());
        for cluster in clusters {
            let cells = self.cells[cluster.index()].as_ref().filter(|cells| cells.bests.best.0 <= terms.alone);
            let Some(cells) = cells else { continue };
            let racks = fleet.cluster(*cluster).racks().start as usize;
            for (cell, bests) in (0..).step_by(BLOCK).zip(cells.bests.cells.chunks(BLOCK)) {
                let mut of_racks = [0; BLOCK];
                for at in ones(terms.count_by_bits(bests, (cells, cell, racks), &mut of_racks)) {
                    let place = self.cell(fleet, *cluster, cell as u32 + at);
                    of_racks[at as usize] = search.count_tied(&terms, cells, &place);
                }
                let many = of_racks.iter().sum();
                tied.push(Tied { cluster: *cluster, cell: cell as u32, many });
                tied_in_racks.push(of_racks);
                count += many;
            }
        }
        let mut nth = pick(number, count);
        let block = skip(tied.iter().map(|tied| tied.many), &mut nth);
        let Tied { cluster, cell, .. } = tied[block];
        let cell = cell + skip(tied_in_racks[block].iter().copied(), &mut nth) as u32;
        let cells = self.cells[cluster.index()].as_ref().expect("it was searched");
        Some((MachineId(search.nth_tied(&terms, cells, &self.cell(fleet, cluster, cell), nth)), count))
    }
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
    /// Counts the machines of each rack of a block that are tied for best, if this follows without evaluating any.
    /// Returns the other racks, as bits.
    ///
    /// Which racks tie is hard to predict, so the loop has no branches on it.
    fn count_by_bits(
        &self,
        bests: &[Best<K>],
        (cells, first, racks): (&Cells<K>, usize, usize),
        tied: &mut [u32; BLOCK],
    ) -> u64 {
        let Some(bounds) = &self.bounds else {
            return (0..).zip(bests).fold(0, |bits, (at, (key, _))| bits | u64::from(*key <= self.alone) << at);
        };
        let (mut surely, mut maybe) = ([0; BLOCK], [0; BLOCK]);
        bounds.of(racks + first, &mut surely[..bests.len()], &mut maybe[..bests.len()]);
        let mut unsure = 0;
        let known = cells.bits[first..].iter().zip(surely.iter_mut().zip(&maybe));
        for (at, ((key, _), (bits, (surely, maybe)))) in bests.iter().zip(known).enumerate() {
            let bits = bits & u64::from(*key == self.alone).wrapping_neg();
            let is_unsure = (*key < self.alone) | (bits & maybe & !*surely != 0);
            unsure |= u64::from(is_unsure) << at;
            *surely &= bits;
        }
        // Apart, so that processors count several racks at once.
        tied.iter_mut().zip(surely).for_each(|(tied, surely)| *tied = surely.count_ones());
        unsure
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

    /// Searches a cell for a better machine. Returns whether there is one.
    fn look_into(&mut self, cells: &Cells<K>, cell: &CellPlace) -> bool {
        let before = self.best;
        if let Some(Favoured { field, least, next, bounds: Some(bounds), .. }) = &self.favoured {
            let (key, (surely, maybe)) = (cells.bests.cells[cell.at].0, bounds.of_rack(cell.rack));
            if cells.bits[cell.at] & surely != 0 {
                self.best = before.min(key.with(*field, *least));
                return self.best < before;
            }
            // A better machine has an exit of the lowest level, or is better without it.
            if cells.valid[cell.at] & maybe == 0 && key.with(*field, *next) >= before {
                return false;
            }
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

/// A machine's key with the current fields of rules that depend on the clock.
#[inline]
pub(super) fn at_moment<K: PackedKey>(exits: &Exits, moment: &[Moment], machine: u32, key: K) -> K {
    let exit = exits.of(MachineId(machine));
    moment.iter().fold(key, |key, (steps, field)| key.with(*field, u64::from(steps.level(exit))))
}
