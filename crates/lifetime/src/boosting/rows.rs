//! Training examples as bins of their features.

use alloc::vec::Vec;

use super::bins::BINS;
use crate::{order, traits};

/// The number of features of an example: those of the VM, and its uptime.
pub(crate) const FEATURES: usize = traits::TITLES.len() + 1;

/// The index of the uptime.
pub(crate) const UPTIME: usize = FEATURES - 1;

const BITS: u32 = BINS.ilog2();

const _: () = assert!(FEATURES as u32 * BITS <= u64::BITS, "a key has room for all features");

/// The bins of all features of an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Key(pub(crate) u64);

impl Key {
    pub(crate) fn with(self, feature: usize, bin: u8) -> Self {
        Self(self.0 | u64::from(bin) << (feature as u32 * BITS))
    }

    #[inline]
    pub(crate) fn bin(self, feature: usize) -> u8 {
        (self.0 >> (feature as u32 * BITS)) as u8 & (BINS - 1) as u8
    }
}

/// Examples with the same bin in every feature: no tree can distinguish them, so they are one row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) key: Key,
    /// The number of examples.
    pub(crate) weight: u32,
    /// The sum over them of the label minus the current prediction.
    pub(crate) residual: i64,
}

/// All examples.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    examples: Vec<(Key, i32)>,
}

impl Rows {
    pub(crate) fn push(&mut self, key: Key, label: i32) {
        self.examples.push((key, label));
    }

    /// One row for each distinct key.
    pub(crate) fn merged(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for place in order::rising(self.examples.iter().map(|(key, _)| key.0.into())) {
            let (key, label) = self.examples[place as usize];
            match rows.last_mut().filter(|row| row.key == key) {
                Some(row) => (row.weight, row.residual) = (row.weight + 1, row.residual + i64::from(label)),
                None => rows.push(Row { key, weight: 1, residual: label.into() }),
            }
        }
        rows
    }
}
