//! The cells of one cluster whose best may have changed, each once; and their nodes.

use alloc::vec::Vec;

use tiebreak_model::bits::ones;

/// A set of cells or nodes of one cluster, as bits: machines that change together are often in one of them.
#[derive(Default)]
pub(crate) struct Touched(Vec<u64>);

const BITS: usize = u64::BITS as usize;

impl Touched {
    /// Makes room for this many.
    pub(crate) fn fit(&mut self, many: usize) {
        let words = many.div_ceil(BITS);
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
    }

    /// Adds one, if `really`.
    #[inline]
    pub(crate) fn add_if(&mut self, one: usize, really: bool) {
        self.0[one / BITS] |= u64::from(really) << (one % BITS);
    }

    /// Adds one.
    #[inline]
    pub(crate) fn add(&mut self, one: usize) {
        self.add_if(one, true);
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
        for (many, added) in [(1, vec![0, 0]), (200, vec![199, 3, 64, 3, 63]), (65, vec![]), (64, vec![63])] {
            touched.fit(many);
            added.iter().for_each(|it| touched.add(*it));
            (0..many).for_each(|it| touched.add_if(it, false));
            let expected: BTreeSet<_> = added.into_iter().collect();
            let (mut visited, mut drained) = (Vec::new(), Vec::new());
            touched.each(|it| visited.push(it));
            touched.drain(|it| drained.push(it));
            assert_eq!((&visited, &drained), (&expected.into_iter().collect(), &visited));
            touched.each(|it| panic!("{it} was removed"));
        }
    }
}
