//! Items of a few of many machines, found by machine in constant time.

use alloc::vec::Vec;

use tiebreak_model::MachineId;

/// At most one item per machine, in a list, and for each machine the place in the list where its item would be. A place
/// counts only if the item there is of that machine, so the places of items that are gone need not be cleared. Source:
/// Briggs and Torczon, "An Efficient Representation for Sparse Sets" (1993).
#[derive(Clone, Debug)]
pub(crate) struct ByMachine<T> {
    items: Vec<(MachineId, T)>,
    places: Vec<u32>,
}

impl<T> Default for ByMachine<T> {
    fn default() -> Self {
        Self { items: Vec::new(), places: Vec::new() }
    }
}

impl<T> ByMachine<T> {
    fn place(&self, machine: MachineId) -> Option<usize> {
        let place = *self.places.get(machine.index())? as usize;
        self.items.get(place).is_some_and(|(of, _)| *of == machine).then_some(place)
    }

    /// A machine's item.
    #[inline]
    pub(crate) fn get(&self, machine: MachineId) -> Option<&T> {
        self.place(machine).map(|place| &self.items[place].1)
    }

    /// A machine's item, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, machine: MachineId) -> Option<&mut T> {
        self.place(machine).map(|place| &mut self.items[place].1)
    }

    /// A machine's item, which is added if there is none.
    #[inline]
    pub(crate) fn get_or_add(&mut self, machine: MachineId, item: impl FnOnce() -> T) -> &mut T {
        let place = self.place(machine).unwrap_or_else(|| {
            if self.places.len() <= machine.index() {
                self.places.resize(machine.index() + 1, 0);
            }
            self.places[machine.index()] = self.items.len() as u32;
            self.items.push((machine, item()));
            self.items.len() - 1
        });
        &mut self.items[place].1
    }

    /// Removes a machine's item; the last one takes its place in the list.
    pub(crate) fn remove(&mut self, machine: MachineId) {
        let Some(place) = self.place(machine) else { return };
        self.items.swap_remove(place);
        if let Some((moved, _)) = self.items.get(place) {
            self.places[moved.index()] = place as u32;
        }
    }

    /// Removes all items.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
    }

    /// The items in the order of the list.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (MachineId, &T)> {
        self.items.iter().map(|(machine, item)| (*machine, item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use tiebreak_model::random::{Seed, pick};

    #[test]
    fn it_is_like_a_map() {
        let stream = Seed(1).stream("items by machine");
        let (mut items, mut expected) = (ByMachine::default(), BTreeMap::new());
        for step in 0..5_000_u64 {
            let machine = MachineId(pick(stream.draw(step, 0), 20));
            match pick(stream.draw(step, 1), 50) {
                0 => {
                    items.clear();
                    expected.clear();
                }
                1..20 => {
                    items.remove(machine);
                    expected.remove(&machine);
                }
                20..30 => {
                    if let Some(item) = items.get_mut(machine) {
                        *item += 1;
                        *expected.get_mut(&machine).expect("both have it") += 1;
                    }
                }
                _ => assert_eq!(items.get_or_add(machine, || step), expected.entry(machine).or_insert(step)),
            }
            assert!((0..20).map(MachineId).all(|machine| items.get(machine) == expected.get(&machine)), "step {step}");
            assert_eq!(items.iter().collect::<BTreeMap<_, _>>(), expected.iter().map(|(key, it)| (*key, it)).collect());
        }
    }
}
