//! Converts VMs to keys: the bin of each feature.

use alloc::vec::Vec;

use super::bins::{Amounts, Categories};
use super::rows::Key;
use crate::{traits, uptimes};

/// Categories with fewer examples are merged into "other" (LAVA Appendix A).
const EXAMPLES_MIN: u32 = 10;

/// The bins of each VM feature.
pub(crate) struct Binning {
    features: Vec<Bins>,
    pub(crate) grid: Vec<u32>,
}

enum Bins {
    Amounts(Amounts),
    Categories(Categories),
}

impl Binning {
    /// Bins from the VMs of the training set, each with its uptimes and labels.
    pub(crate) fn of(learned: &[(traits::Traits, &Vec<(u32, i32)>)]) -> Self {
        let first_label = |life: &[(u32, i32)]| life.first().map_or(0, |(_, label)| *label);
        let bins = |feature: usize| {
            let values = learned.iter().map(|(traits, _)| traits.values[feature]);
            if traits::is_category(feature) {
                let labels = learned.iter().map(|(_, life)| first_label(life));
                Bins::Categories(Categories::of(&values.zip(labels).collect::<Vec<_>>(), EXAMPLES_MIN))
            } else {
                Bins::Amounts(Amounts::of(values.collect()))
            }
        };
        Self { features: (0..traits::TITLES.len()).map(bins).collect(), grid: uptimes::grid() }
    }

    /// The bins of a VM, with bin 0 for the uptime.
    pub(crate) fn key(&self, traits: &traits::Traits) -> Key {
        let places = self.features.iter().zip(traits.values).map(|(bins, value)| match bins {
            Bins::Amounts(amounts) => amounts.bin(value),
            Bins::Categories(categories) => categories.bin(value),
        });
        places.enumerate().fold(Key::default(), |key, (feature, bin)| key.with(feature, bin))
    }
}
