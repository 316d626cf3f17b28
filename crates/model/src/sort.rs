//! Sorting for lists that are short or rarely sorted.
//!
//! The standard library's sorts are the fastest, but each item type sorted with one makes the page 4 to 18 kB larger.
//! These add a few hundred bytes. Long lists in decisions or traces stay with the standard library.

/// Heap sort: any length, equal items in any order.
#[inline(never)]
pub fn seldom<T>(items: &mut [T], is_before: impl Fn(&T, &T) -> bool) {
    let (mut top, mut end) = (items.len() / 2, items.len());
    while end > 1 {
        if top > 0 {
            top -= 1;
        } else {
            end -= 1;
            items.swap(0, end);
        }
        let mut at = top;
        while 2 * at + 1 < end {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let later = if right < end && is_before(&items[left], &items[right]) { right } else { left };
            if !is_before(&items[at], &items[later]) {
                break;
            }
            items.swap(at, later);
            at = later;
        }
    }
}

/// Insertion sort for a short list: equal items keep their order.
#[inline(never)]
pub fn short<T>(items: &mut [T], is_before: impl Fn(&T, &T) -> bool) {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 && is_before(&items[at], &items[at - 1]) {
            items.swap(at, at - 1);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::random::{Seed, pick};

    #[test]
    fn both_sort_and_short_keeps_the_order_of_equals() {
        let stream = Seed(3).stream("sort tests");
        for length in 0..200 {
            let drawn = (0..length).map(|index| (pick(stream.draw(length, index), 1 + length as u32 / 2), index));
            let drawn: Vec<(u32, u64)> = drawn.collect();
            let mut expected = drawn.clone();
            expected.sort_by_key(|(number, _)| *number);
            let (mut by_short, mut by_seldom) = (drawn.clone(), drawn);
            short(&mut by_short, |one, other| one.0 < other.0);
            seldom(&mut by_seldom, |one, other| one < other);
            assert_eq!((&by_short, &by_seldom), (&expected, &expected), "{length} items");
        }
    }
}
