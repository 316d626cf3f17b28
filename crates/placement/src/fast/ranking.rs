//! The candidates of one cluster in order, cell by cell: the sorted list of a rule evaluation (Protean section
//! 5.2.2), implemented as a tournament tree.
//!
//! Each cell has a flat tree over its machines in order of id, with up to 64 children per node ([`Fan`]). Every node
//! stores the best key below it and how many machines have that key. Most changes touch a machine that is not among
//! the best and stop after one comparison; the rest cost O(log n). In cells of at most two levels, as racks are, keys
//! are placed first and counted, and then each changed cell is settled once. The size of the best set is at the root,
//! and the i-th machine of the best set *in order of id* is found by one walk down. So, unlike in a sorted list or a
//! hash of sets, the result depends on the keys alone, never on the history of insertions.

use alloc::collections::BinaryHeap;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use tiebreak_model::bits::ones;

use super::packed::PackedKey;
use crate::policy::fields::Field;

/// The number of children of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fan {
    /// A rack is one node, or as few as possible.
    OfRacks = 64,
    /// A whole cluster has a tree of nodes. Small ones are compared again sooner.
    OfClusters = 16,
}

/// More levels than 2^32 machines need.
const LEVELS_MAX: usize = 9;

/// The best key of some machines, and how many of them have it.
pub(crate) type Best<K> = (K, u32);

/// The rules under which machines have to tie.
#[derive(Clone, Copy)]
pub(crate) enum TiedUnder {
    /// All rules.
    All,
    /// The rules above the one with this field.
    Above(Field),
}

impl TiedUnder {
    /// The part of a key from these rules.
    #[inline]
    pub(crate) fn of<K: PackedKey>(self, key: K) -> K {
        match self {
            Self::All => key,
            Self::Above(field) => key.above(field),
        }
    }
}

/// Each cell's best, including rules that do not rank within a cell, and the best overall.
#[derive(Clone, Debug)]
pub(crate) struct Bests<K> {
    pub(crate) cells: Vec<Best<K>>,
    /// No cell has a lower key. If no machine is counted that has it, it has to be found again.
    pub(crate) best: Best<K>,
}

impl<K: PackedKey> Bests<K> {
    /// For this many cells, all empty.
    pub(crate) fn none(cells: usize) -> Self {
        Self { cells: vec![(K::INVALID, 0); cells], best: (K::INVALID, 0) }
    }

    /// Changes a cell's best, without branches on what is hard to predict. The best overall has to be settled
    /// afterwards.
    #[inline]
    pub(crate) fn set(&mut self, cell: usize, after: Best<K>) {
        let before = core::mem::replace(&mut self.cells[cell], after);
        let (best, count) = self.best;
        let still = (count + tied(after, best)).wrapping_sub(tied(before, best));
        self.best = if after.0 < best { after } else { (best, still) };
    }

    /// Finds the best overall again, if none is left.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if self.best.1 == 0 {
            self.best = best_of_nodes(&self.cells);
        }
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Best<K>>()
    }
}

/// One tournament per cell of a cluster.
#[derive(Clone, Debug)]
pub(crate) struct Rankings<K> {
    /// The machines' keys.
    leaves: Vec<K>,
    /// Which of them are valid, as bits. Of most changed machines only this is asked, and for a class that is seldom
    /// requested the keys are far away in memory.
    valid: Vec<u64>,
    /// The nodes of each cell, level by level from the leaves up; the root is the last.
    nodes: Vec<Best<K>>,
    shape: Arc<Shape>,
}

/// Where the cells of a cluster have their leaves and nodes. All rankings of the cluster share it.
#[derive(Debug)]
pub(crate) struct Shape {
    cells: Vec<Cell>,
    /// The machines below each node that has no nodes below it: where they begin, and their number. Empty if a cell is
    /// not low.
    below: Vec<(u32, u32)>,
    leaves: usize,
    nodes: usize,
    /// The logarithm to base 2 of the number of children.
    fan_bits: u32,
    /// Whether no cell has more than a root and the nodes below it.
    is_low: bool,
}

impl Shape {
    /// For cells of these sizes.
    pub(crate) fn of(fan: Fan, sizes: impl Iterator<Item = usize>) -> Self {
        let fan_bits = (fan as usize).ilog2();
        let mut shape = Self { cells: Vec::new(), below: Vec::new(), leaves: 0, nodes: 0, fan_bits, is_low: true };
        for size in sizes {
            let (first_leaf, first_node) = (shape.leaves as u32, shape.nodes as u32);
            let mut cell = Cell { first_leaf, leaves: size as u32, first_node, root: first_node };
            cell.root = shape.levels(cell).last().map_or(first_node, |(root, _)| root as u32);
            shape.is_low &= shape.levels(cell).count() <= 2;
            let fan = shape.fan();
            shape.below.extend((0..size).step_by(fan).map(|at| (first_leaf + at as u32, fan.min(size - at) as u32)));
            shape.leaves += size;
            shape.nodes = cell.root as usize + 1;
            shape.below.resize(shape.nodes, (0, 0));
            shape.cells.push(cell);
        }
        if !shape.is_low {
            shape.below = Vec::new();
        }
        shape
    }

    /// The number of children of a node.
    const fn fan(&self) -> usize {
        1 << self.fan_bits
    }

    /// A cell's levels, from the leaves up: where its nodes begin, and their number.
    #[inline]
    fn levels(&self, cell: Cell) -> impl Iterator<Item = (usize, usize)> + use<> {
        let fan_bits = self.fan_bits;
        let parents = move |children: usize| (children + (1 << fan_bits) - 1) >> fan_bits;
        let first = (cell.first_node as usize, parents(cell.leaves as usize));
        core::iter::successors(Some(first), move |(level, width)| {
            (*width > 1).then(|| (level + width, parents(*width)))
        })
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>() + self.below.capacity() * size_of::<(u32, u32)>()
    }
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    first_leaf: u32,
    leaves: u32,
    first_node: u32,
    root: u32,
}

impl<K: PackedKey> Rankings<K> {
    /// Rankings without a valid machine.
    pub(crate) fn empty(shape: Arc<Shape>) -> Self {
        Self {
            leaves: vec![K::INVALID; shape.leaves],
            valid: vec![0; shape.leaves.div_ceil(64)],
            nodes: vec![(K::INVALID, 0); shape.nodes],
            shape,
        }
    }

    /// Changes the key of the `index`-th machine of a cell. Returns whether the cell's best changed.
    #[inline]
    pub(crate) fn set(&mut self, cell: usize, index: usize, key: K) -> bool {
        let span = self.shape.cells[cell];
        let before = self.exchange(span.first_leaf as usize + index, key);
        let best = self.nodes[span.first_node as usize + (index >> self.shape.fan_bits)].0;
        // Most machines are not among the best, before and after.
        let is_never_best = before > best && key > best;
        !is_never_best && before != key && self.lift(span, index, single(before), single(key))
    }

    /// Whether cells have so few nodes that [`Self::place`] is faster than [`Self::set`].
    pub(crate) fn is_low(&self) -> bool {
        self.shape.is_low
    }

    /// Changes the key of the machine at this position in the cluster, in this cell. Returns the node above it, and
    /// whether that node's best is known, without branches on what is hard to predict. Nodes whose best is not known
    /// have to be settled afterwards, and then the root of the cell.
    #[inline]
    pub(crate) fn place(&mut self, cell: usize, at: usize, key: K) -> (usize, bool) {
        let Cell { first_leaf, first_node, .. } = self.shape.cells[cell];
        let node = first_node as usize + ((at - first_leaf as usize) >> self.shape.fan_bits);
        let before = self.exchange(at, key);
        let (best, count) = self.nodes[node];
        // Without a valid machine, the best is invalid, and none is counted that has it.
        let still = (count + u32::from(key == best)).wrapping_sub(u32::from(before == best));
        let is_better = key < best;
        self.nodes[node] = if is_better { (key, 1) } else { (best, still) };
        (node, is_better || still > 0)
    }

    /// Changes the key of the machine at this position in the cluster, and returns the one before.
    #[inline]
    fn exchange(&mut self, at: usize, key: K) -> K {
        let (word, bit) = (&mut self.valid[at / 64], at % 64);
        *word = *word & !(1 << bit) | u64::from(key != K::INVALID) << bit;
        core::mem::replace(&mut self.leaves[at], key)
    }

    /// Finds the best of a node above machines again.
    #[inline]
    pub(crate) fn settle(&mut self, node: usize) {
        let (first, many) = self.shape.below[node];
        self.nodes[node] = best_of_keys(&self.leaves[first as usize..][..many as usize]);
    }

    /// Whether any cell has a root above other nodes.
    pub(crate) fn has_roots(&self) -> bool {
        self.nodes.len() > self.shape.cells.len()
    }

    /// Finds the best of a cell again from the nodes above its machines, if it has several.
    #[inline]
    pub(crate) fn settle_root(&mut self, cell: usize) {
        let Cell { first_node, root, .. } = self.shape.cells[cell];
        if first_node < root {
            self.nodes[root as usize] = best_of_nodes(&self.nodes[first_node as usize..root as usize]);
        }
    }

    /// Propagates a machine's change upwards while anything changes. Returns whether it reached the root.
    fn lift(&mut self, span: Cell, index: usize, mut before: Best<K>, mut after: Best<K>) -> bool {
        let Self { leaves, nodes: all, shape, .. } = self;
        let leaves = &leaves[span.first_leaf as usize..];
        let (mut width, mut child, mut children) = (span.leaves as usize, index, None);
        for (level, nodes) in shape.levels(span) {
            let parent = child >> shape.fan_bits;
            let node = all[level + parent];
            let changed = match exchanged(node, before, after) {
                Some(changed) => changed,
                None => {
                    let first = parent << shape.fan_bits;
                    let range = first..width.min(first + shape.fan());
                    match children {
                        None => best_of_keys(&leaves[range]),
                        Some(level) => best_of_nodes(&all[level..][range]),
                    }
                }
            };
            if changed == node {
                return false;
            }
            all[level + parent] = changed;
            (before, after) = (node, changed);
            (width, child, children) = (nodes, parent, Some(level));
        }
        true
    }

    /// A cell's best key and how many machines have it; invalid and 0 when no machine is valid.
    #[inline]
    pub(crate) fn best(&self, cell: usize) -> Best<K> {
        self.nodes[self.shape.cells[cell].root as usize]
    }

    /// The machines of a small cell that tie with its best, as bits.
    pub(crate) fn tied_bits(&self, cell: usize, under: TiedUnder) -> u64 {
        let (best, many) = self.best(cell);
        let best = under.of(best);
        if many == 0 { 0 } else { self.those(cell, |key| key != K::INVALID && under.of(key) == best) }
    }

    /// The best key of some machines of a small cell, given as bits, and how many have it.
    #[inline]
    pub(crate) fn best_of(&self, cell: usize, machines: u64) -> Best<K> {
        let keys = ones(machines).map(|at| single(self.key(cell, at as usize)));
        keys.fold((K::INVALID, 0), joined)
    }

    /// The machines of a small cell with such a key, as bits.
    pub(crate) fn those(&self, cell: usize, is_one: impl Fn(K) -> bool) -> u64 {
        those(self.leaves_of(self.shape.cells[cell]), is_one)
    }

    /// The `nth` machine of a cell's best set, in order of id.
    pub(crate) fn nth_best(&self, cell: usize, mut nth: u32) -> usize {
        let span = self.shape.cells[cell];
        let best = self.nodes[span.root as usize].0;
        let (mut levels, mut below_root) = ([(0, 0); LEVELS_MAX], 0);
        for level in self.shape.levels(span).filter(|(level, _)| *level < span.root as usize) {
            levels[below_root] = level;
            below_root += 1;
        }
        let mut child = 0;
        for (level, width) in levels[..below_root].iter().rev() {
            let first = child << self.shape.fan_bits;
            let nodes = &self.nodes[*level..][first..(*width).min(first + self.shape.fan())];
            child = first + skip(nodes.iter().map(|node| if node.0 == best { node.1 } else { 0 }), &mut nth);
        }
        let first = child << self.shape.fan_bits;
        let leaves = &self.leaves_of(span)[first..(span.leaves as usize).min(first + self.shape.fan())];
        let at = ones(those(leaves, |key| key == best)).nth(nth as usize);
        first + at.expect("so many were counted") as usize
    }

    fn leaves_of(&self, span: Cell) -> &[K] {
        &self.leaves[span.first_leaf as usize..(span.first_leaf + span.leaves) as usize]
    }

    /// The position of a cell's first machine in the cluster, and the keys of all its machines.
    pub(crate) fn leaves(&self, cell: usize) -> (usize, &[K]) {
        let span = self.shape.cells[cell];
        (span.first_leaf as usize, self.leaves_of(span))
    }

    /// The number of machines.
    pub(crate) fn machines(&self) -> usize {
        self.leaves.len()
    }

    /// The number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The number of cells.
    pub(crate) fn len(&self) -> usize {
        self.shape.cells.len()
    }

    /// The key of the `index`-th machine of a cell.
    pub(crate) fn key(&self, cell: usize, index: usize) -> K {
        self.leaves[self.shape.cells[cell].first_leaf as usize + index]
    }

    /// The key of the machine at this position in the cluster: its cells follow each other in order of id.
    #[inline]
    pub(crate) fn leaf(&self, at: usize) -> K {
        self.leaves[at]
    }

    /// Whether the machine at this position in the cluster is valid.
    #[inline]
    pub(crate) fn is_valid(&self, at: usize) -> bool {
        self.valid[at / 64] >> (at % 64) & 1 == 1
    }

    /// The valid machines of a cell, in order of id, with their keys.
    pub(crate) fn valid(&self, cell: usize) -> impl Iterator<Item = (usize, K)> + '_ {
        let leaves = self.leaves_of(self.shape.cells[cell]).iter().copied().enumerate();
        leaves.filter(|(_, key)| *key != K::INVALID)
    }

    /// The machines of a cell in order of id, one chunk per node; the first machine has id `first`. Skips nodes
    /// without a valid machine.
    #[inline]
    pub(crate) fn chunks(&self, cell: usize, first: u32) -> impl Iterator<Item = Chunk<'_, K>> {
        let (span, leaves) = (self.shape.cells[cell], self.leaves_of(self.shape.cells[cell]));
        let (fan, fan_bits) = (self.shape.fan(), self.shape.fan_bits);
        let nodes = self.nodes[span.first_node as usize..].iter().take((leaves.len() + fan - 1) >> fan_bits);
        nodes.enumerate().filter(|(_, (best, _))| *best != K::INVALID).map(move |(nth, (best, tied))| {
            let from = nth << fan_bits;
            let keys = &leaves[from..leaves.len().min(from + fan)];
            Chunk { first: first + from as u32, keys, best: *best, tied: *tied }
        })
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        let of_machines = self.leaves.capacity() * size_of::<K>() + self.valid.capacity() * size_of::<u64>();
        of_machines + self.nodes.capacity() * size_of::<Best<K>>()
    }
}

/// Keys of 16 bits in a vector of every processor.
const LANES: usize = 8;

/// The best of the machines below one node.
#[inline]
fn best_of_keys<K: PackedKey>(keys: &[K]) -> Best<K> {
    // Whole vectors of keys, so that none of them is compared alone.
    let (vectors, rest) = keys.as_chunks::<LANES>();
    let mut least = [K::INVALID; LANES];
    for keys in vectors {
        least = core::array::from_fn(|lane| least[lane].min(keys[lane]));
    }
    let best = least.iter().chain(rest).fold(K::INVALID, |best, key| best.min(*key));
    // Processors count as many keys at once as fit into a vector, if counters are as wide as the keys.
    let many = if size_of::<K>() == size_of::<u16>() {
        let mut counts = [0_u16; LANES];
        for keys in vectors {
            counts = core::array::from_fn(|lane| counts[lane] + u16::from(keys[lane] == best));
        }
        counts.into_iter().chain(rest.iter().map(|key| u16::from(*key == best))).sum::<u16>().into()
    } else {
        keys.iter().map(|key| u32::from(*key == best)).sum()
    };
    (best, if best == K::INVALID { 0 } else { many })
}

/// At most 64 machines with such a key, as bits.
#[inline]
fn those<K: PackedKey>(keys: &[K], is_one: impl Fn(K) -> bool) -> u64 {
    // By halves, because two vectors hold the bits of 8 keys of 32 bits at a time.
    let halves = keys.chunks(u32::BITS as usize).enumerate();
    halves.fold(0, |bits, (half, keys)| bits | u64::from(those_of_half(keys, &is_one)) << (half as u32 * u32::BITS))
}

/// At most 32 machines with such a key, as bits.
#[inline]
fn those_of_half<K: PackedKey>(keys: &[K], is_one: impl Fn(K) -> bool) -> u32 {
    let (vectors, rest) = keys.as_chunks::<LANES>();
    let mut lanes = [0_u32; LANES];
    for (nth, keys) in vectors.iter().enumerate() {
        lanes = core::array::from_fn(|lane| lanes[lane] | u32::from(is_one(keys[lane])) << (nth * LANES));
    }
    let of_vectors = lanes.iter().enumerate().fold(0, |bits, (lane, those)| bits | those << lane);
    let rest = (vectors.len() * LANES..).zip(rest);
    rest.fold(of_vectors, |bits, (at, key)| bits | u32::from(is_one(*key)) << at)
}

/// The best of the nodes below one node.
fn best_of_nodes<K: PackedKey>(nodes: &[Best<K>]) -> Best<K> {
    nodes.iter().fold((K::INVALID, 0), |best, node| joined(best, *node))
}

/// The best of one machine.
#[inline]
fn single<K: PackedKey>(key: K) -> Best<K> {
    (key, u32::from(key != K::INVALID))
}

/// The best of two sets together.
#[inline]
pub(crate) fn joined<K: PackedKey>(one: Best<K>, other: Best<K>) -> Best<K> {
    let best = one.0.min(other.0);
    (best, tied(one, best) + tied(other, best))
}

/// How many of these machines have this key.
#[inline]
pub(crate) fn tied<K: PackedKey>((key, count): Best<K>, best: K) -> u32 {
    count * u32::from(key == best)
}

/// A node after one of its children changed; `None` if all its children must be compared again.
#[inline]
pub(crate) fn exchanged<K: PackedKey>(node: Best<K>, before: Best<K>, after: Best<K>) -> Option<Best<K>> {
    let left = if before.0 == node.0 { node.1 - before.1 } else { node.1 };
    if after.0 < node.0 {
        return Some(after);
    }
    let with = if after.0 == node.0 { left + after.1 } else { left };
    (with > 0 || node.0 == K::INVALID).then_some((node.0, with))
}

/// The index at which these counts exceed `nth`; subtracts the earlier counts from `nth`.
pub(crate) fn skip(counts: impl Iterator<Item = u32>, nth: &mut u32) -> usize {
    let mut last = 0;
    for (place, count) in counts.enumerate() {
        last = place;
        if *nth < count {
            break;
        }
        *nth -= count;
    }
    last
}

/// One cell of several: the rankings of its cluster, its index there, what its rack adds to every key, and the id of
/// its first machine.
#[derive(Clone, Copy)]
pub(crate) struct CellOf<'a, K> {
    pub(crate) rankings: &'a Rankings<K>,
    pub(crate) cell: usize,
    pub(crate) rack: K,
    pub(crate) first: u32,
}

/// Neighbouring machines under one node.
pub(crate) struct Chunk<'a, K> {
    /// The id of the first.
    pub(crate) first: u32,
    pub(crate) keys: &'a [K],
    /// Their best key.
    pub(crate) best: K,
    /// How many of them have it.
    pub(crate) tied: u32,
}

impl<K: PackedKey> Chunk<'_, K> {
    /// The ids of its machines.
    pub(crate) fn machines(&self) -> core::ops::Range<u32> {
        self.first..self.first + self.keys.len() as u32
    }
}

/// A node still to be expanded: its best key, the id of the first machine below it, its cell, its height and its
/// index at that height.
type Standing<K> = (K, u32, usize, usize, usize);

/// The best few machines of several cells that have a valid machine, in order of key and id.
pub(crate) fn best_keys<'a, K: PackedKey + 'a>(
    cells: impl Iterator<Item = CellOf<'a, K>>,
    many: usize,
) -> impl Iterator<Item = u32> {
    let cells: Vec<_> = cells.collect();
    // A node represents the machines below it; nodes with equal keys come in order of id. Height 0 is a machine.
    let mut nodes: BinaryHeap<Reverse<Standing<K>>> = BinaryHeap::new();
    for (at, it) in cells.iter().enumerate() {
        let key = it.rack.plus(it.rankings.best(it.cell).0);
        let shape = &it.rankings.shape;
        nodes.push(Reverse((key, it.first, at, shape.levels(shape.cells[it.cell]).count(), 0)));
    }
    core::iter::from_fn(move || {
        loop {
            let Reverse((_, first, at, height, place)) = nodes.pop()?;
            if height == 0 {
                return Some(first);
            }
            let it = &cells[at];
            let shape = &it.rankings.shape;
            let (span, fan) = (shape.cells[it.cell], shape.fan());
            // The children, if they are nodes.
            let below = height.checked_sub(2).and_then(|level| shape.levels(span).nth(level));
            let width = below.map_or(span.leaves as usize, |(_, width)| width);
            // The number of machines below one child.
            let step = fan.pow(height as u32 - 1);
            for child in place * fan..width.min((place + 1) * fan) {
                let key = match below {
                    None => it.rankings.leaves_of(span)[child],
                    Some((level, _)) => it.rankings.nodes[level + child].0,
                };
                if key != K::INVALID {
                    nodes.push(Reverse((it.rack.plus(key), it.first + (child * step) as u32, at, height - 1, child)));
                }
            }
        }
    })
    .take(many)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec;
    use tiebreak_model::random::{Seed, pick};

    fn best_set(keys: &[u64]) -> Vec<usize> {
        let best = *keys.iter().min().expect("not empty");
        (0..keys.len()).filter(|i| keys[*i] == best && best != u64::MAX).collect()
    }

    /// Placing keys and then settling cells gives the same bests as setting keys one by one.
    #[test]
    fn settled_cells_are_as_if_their_keys_had_been_set() {
        let stream = Seed(6).stream("settling test");
        let sizes = [3, 40, 64, 65, 400];
        let shape = Arc::new(Shape::of(Fan::OfRacks, sizes.into_iter()));
        let mut set: Rankings<u16> = Rankings::empty(shape.clone());
        let (mut settled, mut unsettled) = (set.clone(), BTreeSet::new());
        for step in 0..6_000 {
            let cell = pick(stream.draw(step, 0), sizes.len() as u32) as usize;
            let index = pick(stream.draw(step, 1), sizes[cell] as u32) as usize;
            let key = pick(stream.draw(step, 2), 5) as u16;
            let key = if key == 4 { u16::MAX } else { key };
            let (first, _) = set.leaves(cell);
            set.set(cell, index, key);
            let (node, is_settled) = settled.place(cell, first + index, key);
            if !is_settled {
                unsettled.insert(node);
            }
            if pick(stream.draw(step, 3), 5) == 0 {
                core::mem::take(&mut unsettled).into_iter().for_each(|node| settled.settle(node));
                (0..sizes.len()).for_each(|cell| settled.settle_root(cell));
                assert_eq!((&settled.nodes, &settled.valid), (&set.nodes, &set.valid), "step {step}");
            }
        }
        let is_low = |size| Shape::of(Fan::OfRacks, [1, size].into_iter()).is_low;
        assert_eq!([64, 65, 64 * 64, 64 * 64 + 1].map(is_low), [true, true, true, false]);
    }

    #[test]
    fn it_agrees_with_looking_at_all_of_them() {
        let stream = Seed(5).stream("ranking test");
        for (size, kinds, steps) in
            [(1, 4, 200), (2, 4, 400), (13, 4, 400), (64, 9, 600), (65, 9, 600), (5_000, 60, 300), (5_001, 60, 300)]
        {
            // Two cells, the first of them small, to check that they are independent.
            let mut keys = vec![u64::MAX; size + 3];
            let fan = if size % 2 == 0 { Fan::OfRacks } else { Fan::OfClusters };
            let shape = Arc::new(Shape::of(fan, [3, size].into_iter()));
            let mut rankings = Rankings::empty(shape.clone());
            for step in 0..steps {
                let index = pick(stream.draw(step, 0), size as u32) as usize;
                let key = u64::from(pick(stream.draw(step, 1), kinds));
                keys[3 + index] = if key == 3 { u64::MAX } else { key };
                rankings.set(1, index, keys[3 + index]);
                let cell = &keys[3..];
                let expected = best_set(cell);
                assert_eq!(rankings.best(1).1 as usize, expected.len(), "size {size}, step {step}");
                let is_valid = |at: usize| cell[at] != u64::MAX;
                assert!((0..size).all(|at| rankings.is_valid(3 + at) == is_valid(at)), "size {size}, step {step}");
                if size <= 64 {
                    let bits = expected.iter().fold(0, |bits, at| bits | 1 << at);
                    assert_eq!(rankings.tied_bits(1, TiedUnder::All), bits, "size {size}, step {step}");
                }
                let seen: Vec<_> = (0..expected.len()).map(|nth| rankings.nth_best(1, nth as u32)).collect();
                assert_eq!(seen, expected, "size {size}, step {step}");
                let mut anew = Rankings::empty(shape.clone());
                for (at, key) in cell.iter().enumerate().rev() {
                    let before = anew.best(1);
                    assert_eq!(anew.set(1, at, *key), anew.best(1) != before, "it says whether the best changed");
                }
                assert_eq!(anew.nodes, rankings.nodes, "the history does not matter");
                let mut sorted: Vec<_> =
                    (0..size).filter(|at| cell[*at] != u64::MAX).map(|at| (cell[at], at)).collect();
                sorted.sort_unstable();
                let all = CellOf { rankings: &rankings, cell: 1, rack: 0, first: 100 };
                let near: Vec<_> = best_keys([all].into_iter().filter(|_| rankings.best(1).1 > 0), 5).collect();
                let expected: Vec<_> = sorted.iter().take(5).map(|(_, at)| 100 + *at as u32).collect();
                assert_eq!(near, expected, "the best five, size {size}, step {step}");
            }
            assert_eq!(rankings.best(0), (u64::MAX, 0));
        }
    }
}
