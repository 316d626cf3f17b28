//! Sets of numbers below 64, as the bits of a word.

/// The positions of the one bits, ascending.
#[inline]
pub fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros());
        bits &= bits.wrapping_sub(1);
        place
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_are_found_in_order() {
        assert!(ones(0).eq([]));
        assert!(ones(1 << 63 | 0b1011).eq([0, 1, 3, 63]));
        assert!(ones(u64::MAX).eq(0..64));
    }
}
