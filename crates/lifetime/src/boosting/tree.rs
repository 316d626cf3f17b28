//! One regression tree over bins.

use alloc::vec::Vec;

use super::bins::BINS;
use super::rows::{Key, UPTIME};

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Node {
    /// Examples whose bin of the feature is at most `up_to` go to `low`, the others to `high`.
    Split { feature: u8, up_to: u8, low: u16, high: u16 },
    /// The value added to the prediction here.
    Leaf(i32),
}

/// A tree; its root is the first node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
}

impl Tree {
    /// Adds the tree's predictions for a VM at every uptime bin, as differences from one bin to the next.
    pub(crate) fn add_over_uptimes(&self, vm: Key, differences: &mut [i32; BINS + 1]) {
        self.add_below(0, vm, 0..BINS, differences);
    }

    fn add_below(&self, node: u16, vm: Key, bins: core::ops::Range<usize>, differences: &mut [i32; BINS + 1]) {
        match self.nodes[usize::from(node)] {
            Node::Leaf(value) => {
                differences[bins.start] += value;
                differences[bins.end] -= value;
            }
            Node::Split { feature, up_to, low, high } if usize::from(feature) == UPTIME => {
                let middle = (usize::from(up_to) + 1).clamp(bins.start, bins.end);
                if bins.start < middle {
                    self.add_below(low, vm, bins.start..middle, differences);
                }
                if middle < bins.end {
                    self.add_below(high, vm, middle..bins.end, differences);
                }
            }
            Node::Split { feature, up_to, low, high } => {
                let next = if vm.bin(usize::from(feature)) <= up_to { low } else { high };
                self.add_below(next, vm, bins, differences);
            }
        }
    }
}
