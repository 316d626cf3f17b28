//! Assigns values to at most 64 bins.

use alloc::vec::Vec;

use crate::order;

/// The maximum number of bins per feature.
pub(crate) const BINS: usize = 64;

/// Bins of a numeric feature, in its order and about equally full.
#[derive(Clone, Debug)]
pub(crate) struct Amounts {
    /// The smallest value of each bin except the first.
    from: Vec<u64>,
}

impl Amounts {
    /// Bins over which these values are spread evenly; one bin per value if there are few.
    pub(crate) fn of(values: Vec<u64>) -> Self {
        let values = order::sorted(values);
        let sizes: Vec<(u64, u64)> =
            values.chunk_by(|one, next| one == next).map(|same| (same[0], same.len() as u64)).collect();
        let places = spread(sizes.iter().map(|(_, size)| *size));
        let begins = (1..sizes.len()).filter(|at| places[*at] != places[at - 1]);
        Self { from: begins.map(|at| sizes[at].0).collect() }
    }

    pub(crate) fn bin(&self, value: u64) -> u8 {
        self.from.partition_point(|from| *from <= value) as u8
    }
}

/// Bins of a categorical feature, in order of the mean label of its examples, so that one threshold separates
/// categories that end early from those that end late.
#[derive(Clone, Debug)]
pub(crate) struct Categories {
    /// Ascending.
    names: Vec<u64>,
    /// The bin of each name, and last that of all others.
    bins: Vec<u8>,
}

impl Categories {
    /// Bins from pairs of category and label. Categories with fewer than `least` examples are merged into "other",
    /// which also holds categories not seen here.
    pub(crate) fn of(pairs: &[(u64, i32)], least: u32) -> Self {
        let by_name = order::rising(pairs.iter().map(|(name, _)| u128::from(*name)));
        let by_name: Vec<(u64, i32)> = by_name.iter().map(|place| pairs[*place as usize]).collect();
        let mut names = Vec::new();
        let mut known = Vec::new();
        let mut other = Category::default();
        for same in by_name.chunk_by(|one, next| one.0 == next.0) {
            let sum = same.iter().map(|(_, label)| i64::from(*label)).sum();
            let category = Category { sum, count: same.len() as u64 };
            if same.len() < least as usize {
                other = Category { sum: other.sum + sum, count: other.count + category.count };
            } else {
                names.push(same[0].0);
                known.push(category);
            }
        }
        known.push(other);
        let by_mean = order::rising(known.iter().map(|category| order::of_float(category.mean())));
        let places = spread(by_mean.iter().map(|place| known[*place as usize].count));
        let mut bins = alloc::vec![0; known.len()];
        by_mean.iter().zip(places).for_each(|(place, bin)| bins[*place as usize] = bin);
        Self { names, bins }
    }

    pub(crate) fn bin(&self, name: u64) -> u8 {
        self.bins[self.names.binary_search(&name).unwrap_or(self.names.len())]
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Category {
    sum: i64,
    count: u64,
}

impl Category {
    fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }
}

/// A bin for each of these sizes, ascending: bins are about equally full, and no number is skipped. Each size has its
/// own bin if there are enough bins.
fn spread(sizes: impl Iterator<Item = u64> + Clone) -> Vec<u8> {
    let count = sizes.clone().count();
    if count <= BINS {
        return (0..count as u8).collect();
    }
    let all: u64 = sizes.clone().sum();
    let (mut passed, mut bin, mut places) = (0, 0_u64, Vec::new());
    for size in sizes {
        // The bin of this size's middle in the total, but at most one after the last used bin.
        let wanted = (passed + size / 2) * BINS as u64 / all.max(1);
        bin = wanted.min(bin + u64::from(!places.is_empty())).max(bin).min(BINS as u64 - 1);
        places.push(bin as u8);
        passed += size;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_have_a_bin_each() {
        let amounts = Amounts::of([4, 4, 1, 9].into());
        assert_eq!([0, 1, 3, 4, 8, 9, 50].map(|value| amounts.bin(value)), [0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(Amounts::of(Vec::new()).bin(5), 0);
    }

    #[test]
    fn many_values_share_bins_evenly_and_in_order() {
        let amounts = Amounts::of((0..10_000).collect());
        let mut sizes = [0; BINS];
        (0..10_000).for_each(|value| sizes[usize::from(amounts.bin(value))] += 1);
        assert!(sizes.iter().all(|size| (100..=320).contains(size)), "{sizes:?}");
        assert!((1..10_000).all(|value| amounts.bin(value - 1) <= amounts.bin(value)));
    }

    #[test]
    fn categories_are_ordered_by_what_they_mean_and_rare_ones_are_other() {
        let mut pairs = Vec::new();
        for (name, label, count) in [(7, 900, 10), (8, 100, 12), (9, 500, 10), (1, 300, 9), (2, 700, 4)] {
            pairs.extend((0..count).map(|_| (name, label)));
        }
        let categories = Categories::of(&pairs, 10);
        // Other is 1 and 2: its mean is (9 * 300 + 4 * 700) / 13, between 8 and 9.
        assert_eq!([8, 1, 2, 55, 9, 7].map(|name| categories.bin(name)), [0, 1, 1, 1, 2, 3]);
    }
}
