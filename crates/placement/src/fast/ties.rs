//! Ties that a rule about chassis breaks.
//!
//! All other rules are ranked and cached as usual, with this rule's field of the key empty. Its verdict is added cell
//! by cell: of the machines of a rack that tie under the rules above it, only those in its lowest bucket matter, and
//! among them the rules below it decide. A chassis is in one rack, and its expected use changes only with one of its
//! machines. So a cell is evaluated again only when the journal names one of its machines, as for rules about racks
//! (Protean section 5.2.5), and only if no other cell is better under the rules above.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::RackId;
use tiebreak_model::bits::ones;

use super::fields::AskedChassis;
use super::packed::PackedKey;
use super::ranking::{Bests, Rankings};
use crate::policy::fields::Field;

/// The cells of one cluster where a rule about chassis breaks ties.
pub(crate) struct Ties<K> {
    field: Field,
    /// For batch VMs and for user-facing ones.
    kinds: [CellsOfKind<K>; 2],
}

/// The cells of one cluster for one kind of VM.
struct CellsOfKind<K> {
    /// The part of the best cells' keys from the rules above, when they were last evaluated.
    above: K,
    /// The best of each cell that was evaluated since it changed; invalid for the others.
    bests: Bests<K>,
    /// Cells that changed, as bits, and of these the ones that wait until no cell is better under the rules above.
    changed: Vec<u64>,
    waiting: Vec<u64>,
}

impl<K: PackedKey> Ties<K> {
    /// For this many cells; the rule with this field breaks the ties.
    pub(crate) fn new(field: Field, cells: usize) -> Self {
        let (mut changed, waiting) = (vec![0; cells.div_ceil(64)], vec![0; cells.div_ceil(64)]);
        (0..cells).for_each(|cell| changed[cell / 64] |= 1 << (cell % 64));
        let kind = || {
            let (above, bests) = (K::INVALID, Bests::none(cells));
            CellsOfKind { above, bests, changed: changed.clone(), waiting: waiting.clone() }
        };
        Self { field, kinds: [kind(), kind()] }
    }

    /// Records that the tie breaking of this cell may change.
    #[inline]
    pub(crate) fn change(&mut self, cell: usize) {
        self.kinds.iter_mut().for_each(|kind| kind.changed[cell / 64] |= 1 << (cell % 64));
    }

    /// The bests for one kind of VM, as last settled.
    pub(crate) fn bests(&self, kind: usize) -> &Bests<K> {
        &self.kinds[kind].bests
    }

    /// Evaluates changed cells; the first cell is the rack `first`. `ranked` has their best without this rule, and
    /// `tied` the machines of each cell that tie with its best under the rules above, as bits.
    pub(crate) fn settle(
        &mut self,
        (rankings, ranked, tied): (&Rankings<K>, &Bests<K>, &[u64]),
        first: RackId,
        asked: &AskedChassis<'_>,
    ) {
        let Self { field, kinds } = self;
        let CellsOfKind { above, bests, changed, waiting } = &mut kinds[asked.kind()];
        let best_above = ranked.best.0.above(*field);
        let is_another = core::mem::replace(above, best_above) != best_above;
        for (word, (changed, waiting)) in changed.iter_mut().zip(waiting).enumerate() {
            let waited = if is_another { core::mem::take(waiting) } else { 0 };
            for bit in ones(core::mem::take(changed) | waited) {
                let cell = 64 * word + bit as usize;
                let (key, _) = ranked.cells[cell];
                if key == K::INVALID || key.above(*field) > best_above {
                    *waiting |= 1 << bit;
                    bests.set(cell, (K::INVALID, 0));
                    continue;
                }
                let alone = rankings.best(cell).0;
                let (bucket, those) = asked.least(RackId(first.0 + cell as u32), tied[cell]);
                // If there are no rules below, all remaining machines tie.
                let (below, count) = match asked.field.is_last {
                    true => (alone, those.count_ones()),
                    false => rankings.best_of(cell, those),
                };
                bests.set(cell, (key.less(alone).plus(below).with(*field, bucket), count));
            }
        }
        bests.settle();
    }

    /// The index in its cell (a rack) of the `nth` machine whose key is the best there, including this rule; `tied` are
    /// those that tie under the rules above.
    pub(crate) fn nth_best(
        (rankings, cell, tied): (&Rankings<K>, usize, u64),
        rack: RackId,
        asked: &AskedChassis<'_>,
        nth: u32,
    ) -> u32 {
        let (_, those) = asked.least(rack, tied);
        let (best, _) = rankings.best_of(cell, those);
        let mut tied = ones(those).filter(|at| rankings.key(cell, *at as usize) == best);
        tied.nth(nth as usize).expect("they were counted")
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        let words = |kind: &CellsOfKind<K>| kind.changed.capacity() + kind.waiting.capacity();
        let of_kind = |kind: &CellsOfKind<K>| kind.bests.bytes() + words(kind) * size_of::<u64>();
        self.kinds.iter().map(of_kind).sum()
    }
}
