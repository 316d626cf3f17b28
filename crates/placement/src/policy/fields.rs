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
    /// In keys of 16 bits: what one bucket adds, and the number of buckets.
    pub(crate) unit: u16,
    pub(crate) buckets: u16,
}

/// How wide keys must be for their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyWidth {
    /// 16 bits, as a number with a digit for each field.
    Quarter,
    /// 32 bits.
    Half,
    /// This many words of 64 bits.
    Words(u32),
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

/// The fields of preferences with these largest buckets, most important first, and the width of their keys. No valid
/// key is as large as the invalid one or one less: in keys of bits, the very first bit stays zero.
pub(crate) fn layout(largest: &[u64]) -> (Vec<Field>, KeyWidth) {
    let widths = || largest.iter().map(|largest| u64::BITS - largest.leading_zeros());
    let half = widths().sum::<u32>() <= 31;
    let (mut word, mut left) = (0, if half { 31 } else { 63 });
    let fields = widths().map(|bits| {
        if bits > left {
            word += 1;
            left = 64;
        }
        left -= bits;
        Field { word, shift: left, bits, unit: 0, buckets: 0 }
    });
    let mut fields: Vec<_> = fields.collect();
    let width = if half { KeyWidth::Half } else { KeyWidth::Words(word + 1) };
    let mut unit: u16 = 1;
    for (field, largest) in fields.iter_mut().zip(largest).rev() {
        let buckets = u16::try_from(largest.saturating_add(1)).ok();
        let Some((buckets, next)) = buckets.and_then(|buckets| Some((buckets, unit.checked_mul(buckets)?))) else {
            return (fields, width);
        };
        (field.unit, field.buckets, unit) = (unit, buckets, next);
    }
    (fields, if unit < u16::MAX { KeyWidth::Quarter } else { width })
}
