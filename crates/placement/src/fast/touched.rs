//! The cells of one cluster whose best may have changed, each once.

use alloc::vec::Vec;

use super::ranking::ones;

/// A set of cells of one cluster, as bits: machines that change together are often in one cell.
#[derive(Default)]
pub(crate) struct Touched(Vec<u64>);

const BITS: usize = u64::BITS as usize;

impl Touched {
    /// Makes room for this many cells.
    pub(crate) fn fit(&mut self, cells: usize) {
        let words = cells.div_ceil(BITS);
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
    }

    /// Adds one.
    #[inline]
    pub(crate) fn add(&mut self, cell: usize) {
        self.0[cell / BITS] |= 1 << (cell % BITS);
    }

    /// Calls `visit` with each, ascending.
    #[inline]
    pub(crate) fn each(&self, mut visit: impl FnMut(usize)) {
        for (word, bits) in self.0.iter().enumerate() {
            ones(*bits).for_each(|bit| visit(word * BITS + bit as usize));
        }
    }

    /// Removes each and calls `visit` with it, ascending.
    #[inline]
    pub(crate) fn drain(&mut self, mut visit: impl FnMut(usize)) {
        for (word, bits) in self.0.iter_mut().enumerate() {
            ones(core::mem::take(bits)).for_each(|bit| visit(word * BITS + bit as usize));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec;

    #[test]
    fn each_is_visited_once() {
        let mut touched = Touched::default();
        for (cells, added) in [(1, vec![0, 0]), (200, vec![199, 3, 64, 3, 63]), (65, vec![]), (64, vec![63])] {
            touched.fit(cells);
            added.iter().for_each(|it| touched.add(*it));
            let expected: BTreeSet<_> = added.into_iter().collect();
            let (mut visited, mut drained) = (Vec::new(), Vec::new());
            touched.each(|it| visited.push(it));
            touched.drain(|it| drained.push(it));
            assert_eq!((&visited, &drained), (&expected.into_iter().collect(), &visited));
            touched.each(|it| panic!("{it} was removed"));
        }
    }
}
