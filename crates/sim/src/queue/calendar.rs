//! Machines that are due at a given second, the next one first.
//!
//! Most entries are far in the future, and out of date when they come up. So they are kept in buckets of time,
//! unordered, and only the current bucket is a heap.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use tiebreak_model::MachineId;

/// Seconds per bucket.
const STRETCH_S: u32 = 300;

/// A machine and its second in one number, the fastest form to compare.
fn packed(at_s: u32, machine: MachineId) -> u64 {
    u64::from(at_s) << 32 | u64::from(machine.0)
}

/// Entries of machines and seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calendar {
    /// Everything before the first bucket of `later` that is not opened yet.
    soon: BinaryHeap<Reverse<u64>>,
    later: Vec<Vec<u64>>,
    opened: usize,
}

impl Calendar {
    /// Adds a machine at a second. A machine may be added more than once.
    pub(crate) fn note(&mut self, at_s: u32, machine: MachineId) {
        let stretch = (at_s / STRETCH_S) as usize;
        if stretch < self.opened {
            return self.soon.push(Reverse(packed(at_s, machine)));
        }
        if stretch >= self.later.len() {
            self.later.resize_with(stretch + 1, Vec::new);
        }
        self.later[stretch].push(packed(at_s, machine));
    }

    /// The next second and machine; at equal seconds the lower id first.
    pub(crate) fn first(&mut self) -> Option<(u32, MachineId)> {
        while self.soon.is_empty() && self.opened < self.later.len() {
            self.soon.extend(core::mem::take(&mut self.later[self.opened]).into_iter().map(Reverse));
            self.opened += 1;
        }
        self.soon.peek().map(|Reverse(it)| ((it >> 32) as u32, MachineId(*it as u32)))
    }

    /// Removes the next entry.
    pub(crate) fn strike(&mut self) {
        self.soon.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::random::{Seed, pick};

    #[test]
    fn it_tells_by_second_and_then_by_id() {
        let (mut calendar, mut heap) = (Calendar::default(), BinaryHeap::new());
        let stream = Seed(1).stream("calendar test");
        let mut now_s = 0;
        for step in 0..20_000 {
            let ahead_s = pick(stream.draw(step, 0), [2, 100, 5_000][step as usize % 3]);
            let machine = MachineId(pick(stream.draw(step, 1), 50));
            calendar.note(now_s + ahead_s, machine);
            heap.push(Reverse((now_s + ahead_s, machine)));
            if step % 5 > 1 {
                let Reverse(expected) = heap.pop().expect("more was noted than struck out");
                assert_eq!(calendar.first(), Some(expected), "step {step}");
                calendar.strike();
                now_s = expected.0;
            }
        }
    }
}
