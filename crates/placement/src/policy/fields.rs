//! The positions of a policy's preferences in one number: each has a field as wide as its buckets need, the most
//! important first (the order-preserving encoding of Protean section 3.3).

use alloc::vec::Vec;

/// The maximum number of 64-bit words for fields: enough for sixteen exact preferences.
pub(crate) const WORDS_MAX: u32 = 16;

/// The position of a preference's bucket in a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) word: u32,
    pub(crate) shift: u32,
    pub(crate) bits: u32,
}

impl Field {
    /// The field's part of its word.
    #[inline]
    pub(crate) fn of(self, word: u64) -> u64 {
        if self.bits == 0 { 0 } else { word >> self.shift & (u64::MAX >> (64 - self.bits)) }
    }

    /// The part of its word above it.
    #[inline]
    pub(crate) fn mask_above(self) -> u64 {
        u64::MAX.checked_shl(self.shift + self.bits).unwrap_or(0)
    }
}

/// The fields of keys with these widths in bits, most important first, and the number of words they need: 0 if half a
/// word is enough. The very first bit stays zero, so that no valid key equals the invalid one.
pub(crate) fn layout(widths: &[u32]) -> (Vec<Field>, u32) {
    let half = widths.iter().sum::<u32>() <= 31;
    let (mut word, mut left) = (0, if half { 31 } else { 63 });
    let fields = widths
        .iter()
        .map(|width| {
            if *width > left {
                word += 1;
                left = 64;
            }
            left -= width;
            Field { word, shift: left, bits: *width }
        })
        .collect();
    (fields, if half { 0 } else { word + 1 })
}
