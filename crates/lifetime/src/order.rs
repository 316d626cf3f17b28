//! Sorting for this whole crate: sorting each type separately would add another copy of the sort to the page.

use alloc::vec::Vec;

/// These values in ascending order.
pub(crate) fn sorted(mut values: Vec<u64>) -> Vec<u64> {
    values.sort_unstable();
    values
}

/// The indices of these numbers in ascending order; equal numbers keep their order.
pub(crate) fn rising(numbers: impl Iterator<Item = u128>) -> Vec<u32> {
    let mut placed: Vec<(u128, u32)> = numbers.zip(0..).collect();
    sort_placed(&mut placed);
    placed.into_iter().map(|(_, place)| place).collect()
}

fn sort_placed(placed: &mut [(u128, u32)]) {
    placed.sort_unstable();
}

/// An integer with the same order as this float, as in [`f64::total_cmp`].
pub(crate) fn of_float(number: f64) -> u128 {
    let bits = number.to_bits();
    let flipped = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    flipped.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_rise_and_equal_ones_keep_their_order() {
        assert_eq!(rising([5, 1, 5, 0, 1].into_iter()), [3, 1, 4, 0, 2]);
        let floats = [-1e9, -2.5, -0.0, 0.0, 1e-300, 7.0, f64::INFINITY];
        assert!(floats.map(of_float).is_sorted_by(|one, next| one < next));
    }
}
