//! Ties that a rule about chassis breaks.
//!
//! All rules but that one are ranked and kept as ever, its field of the key empty. What it says joins cell by
//! cell: of a rack's machines that no rule above it tells apart, only those in the least of its buckets matter, and
//! among them what the rules below it say. A chassis stands in one rack, and what is expected of it changes only
//! with one of its machines. So a cell is looked at again when the journal names one of its machines, as for rules
//! about racks (Protean section 5.2.5), and only if no other cell is better by the rules above.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tiebreak_model::RackId;

use super::fields::AskedChassis;
use super::packed::PackedKey;
use super::ranking::{Bests, Rankings, ones};
use crate::policy::fields::Field;

/// The cells of one cluster where a rule about chassis breaks ties.
pub(crate) struct Ties<K> {
    field: Field,
    /// The machines of each cell that no rule above tells from its best, as bits; 0 where that is not known.
    tied: Vec<u64>,
    /// For VMs that are not user-facing, and for those that are.
    kinds: [CellsOfKind<K>; 2],
}

/// The cells of one cluster for one kind of VMs.
struct CellsOfKind<K> {
    /// What the rules above said of the best cells when they were looked at last.
    above: K,
    /// The best of each cell that was looked at since it changed; of others, none.
    bests: Bests<K>,
    /// Cells that changed, as bits, and of those the ones that wait until no cell is better by the rules above.
    changed: Vec<u64>,
    waiting: Vec<u64>,
}

impl<K: PackedKey> Ties<K> {
    /// Of so many cells, broken by the rule of this field.
    pub(crate) fn new(field: Field, cells: usize) -> Self {
        let (mut changed, waiting) = (vec![0; cells.div_ceil(64)], vec![0; cells.div_ceil(64)]);
        (0..cells).for_each(|cell| changed[cell / 64] |= 1 << (cell % 64));
        let kind = || {
            let (above, bests) = (K::INVALID, Bests::none(cells));
            CellsOfKind { above, bests, changed: changed.clone(), waiting: waiting.clone() }
        };
        Self { field, tied: vec![0; cells], kinds: [kind(), kind()] }
    }

    /// A machine of a cell has another key, and the cell this best, which was another `before`.
    #[inline]
    pub(crate) fn set_key(&mut self, cell: usize, index: usize, key: K, (before, best): (K, K)) {
        let (key, before, best) = (key.above(self.field), before.above(self.field), best.above(self.field));
        let (tied, bit) = (&mut self.tied[cell], 1 << index);
        *tied = match best.cmp(&before) {
            Ordering::Less => bit,
            Ordering::Equal if *tied == 0 => 0,
            Ordering::Equal if key == best => *tied | bit,
            Ordering::Equal => *tied & !bit,
            Ordering::Greater => 0,
        };
    }

    /// Something that ties of this cell may be broken by is another.
    #[inline]
    pub(crate) fn change(&mut self, cell: usize) {
        self.kinds.iter_mut().for_each(|kind| kind.changed[cell / 64] |= 1 << (cell % 64));
    }

    /// What is best for one kind of VMs, as it was settled last.
    pub(crate) fn bests(&self, kind: usize) -> &Bests<K> {
        &self.kinds[kind].bests
    }

    /// Looks at cells again, the first of which is the rack `first`. `ranked` has their best without the rule.
    pub(crate) fn settle(
        &mut self,
        (rankings, ranked): (&Rankings<K>, &Bests<K>),
        first: RackId,
        asked: &AskedChassis<'_>,
    ) {
        let Self { field, tied, kinds } = self;
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
                if tied[cell] == 0 {
                    tied[cell] = rankings.those(cell, |key| key.above(*field) == alone.above(*field));
                }
                let (bucket, those) = asked.least(RackId(first.0 + cell as u32), tied[cell]);
                // What only the rules below tell apart is alike where there are none.
                let (below, count) = match asked.field.is_last {
                    true => (alone, those.count_ones()),
                    false => rankings.best_of(cell, those),
                };
                bests.set(cell, (key.less(alone).plus(below).with(*field, bucket), count));
            }
        }
    }

    /// The place in its cell, a rack, of the `nth` machine whose key is the best there with what the rule says.
    pub(crate) fn nth_best(
        &self,
        (rankings, cell): (&Rankings<K>, usize),
        rack: RackId,
        asked: &AskedChassis<'_>,
        nth: u32,
    ) -> u32 {
        let (_, those) = asked.least(rack, self.tied[cell]);
        let (best, _) = rankings.best_of(cell, those);
        let mut tied = ones(those).filter(|at| rankings.key(cell, *at as usize) == best);
        tied.nth(nth as usize).expect("they were counted")
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        let words = |kind: &CellsOfKind<K>| kind.changed.capacity() + kind.waiting.capacity();
        let of_kind = |kind: &CellsOfKind<K>| kind.bests.bytes() + words(kind) * size_of::<u64>();
        self.kinds.iter().map(of_kind).sum::<usize>() + self.tied.capacity() * size_of::<u64>()
    }
}
