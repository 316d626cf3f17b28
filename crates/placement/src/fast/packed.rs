//! Scores in strict order, packed into one number that compares the same way.
//!
//! Every preference has a field, so comparing two candidates under all rules is one integer comparison: the
//! order-preserving encoding of Protean section 3.3. In keys of 16 bits, fields are the digits of a number, because
//! whole bits waste too many; wider keys have bits for each. The default list fits 16 bits, most others 32. One exact
//! preference takes 53 bits, so policies with one fit 64 or 128. Wider keys serve the rest.

use crate::policy::fields::{Field, WORDS_MAX};

/// A key of some width. Fields never cross a 64-bit word.
pub(crate) trait PackedKey: Copy + Ord + core::fmt::Debug {
    /// All fields zero: better than any other valid key.
    const ZERO: Self;
    /// Worse than any valid key: not a candidate.
    const INVALID: Self;

    /// With this field set; it was zero before.
    fn with(self, field: Field, bucket: u64) -> Self;

    /// With the fields of another key added; the two have no common fields.
    fn plus(self, other: Self) -> Self;

    /// Without the fields of another key; no machine's key if it does not have them.
    fn less(self, other: Self) -> Self;

    /// The value of this field.
    fn bucket(self, field: Field) -> u64;

    /// Only the fields above this one.
    fn above(self, field: Field) -> Self;

    /// With this field zero.
    fn without(self, field: Field) -> Self {
        self.less(Self::ZERO.with(field, self.bucket(field)))
    }
}

impl PackedKey for u16 {
    const ZERO: Self = 0;
    const INVALID: Self = Self::MAX;

    #[inline]
    fn with(self, field: Field, bucket: u64) -> Self {
        self.saturating_add(bucket as Self * field.unit)
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }

    #[inline]
    fn less(self, other: Self) -> Self {
        // One less than invalid is no machine's key.
        self.checked_sub(other).unwrap_or(Self::MAX - 1)
    }

    fn bucket(self, field: Field) -> u64 {
        u64::from(self / field.unit % field.buckets)
    }

    fn above(self, field: Field) -> Self {
        if self == Self::INVALID { self } else { self - self % (field.unit * field.buckets) }
    }
}

impl PackedKey for u32 {
    const ZERO: Self = 0;
    const INVALID: Self = Self::MAX;

    #[inline]
    fn with(self, field: Field, bucket: u64) -> Self {
        self | (bucket as Self) << field.shift
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self | other
    }

    fn less(self, other: Self) -> Self {
        self ^ other
    }

    fn bucket(self, field: Field) -> u64 {
        field.of(u64::from(self))
    }

    #[inline]
    fn above(self, field: Field) -> Self {
        self & Self::MAX << (field.shift + field.bits)
    }
}

impl PackedKey for u64 {
    const ZERO: Self = 0;
    const INVALID: Self = Self::MAX;

    #[inline]
    fn with(self, field: Field, bucket: u64) -> Self {
        self | bucket << field.shift
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self | other
    }

    fn less(self, other: Self) -> Self {
        self ^ other
    }

    fn bucket(self, field: Field) -> u64 {
        field.of(self)
    }

    #[inline]
    fn above(self, field: Field) -> Self {
        self & field.mask_above()
    }
}

impl PackedKey for u128 {
    const ZERO: Self = 0;
    const INVALID: Self = Self::MAX;

    #[inline]
    fn with(self, field: Field, bucket: u64) -> Self {
        self | Self::from(bucket) << (field.shift + 64 * (1 - field.word))
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self | other
    }

    fn less(self, other: Self) -> Self {
        self ^ other
    }

    fn bucket(self, field: Field) -> u64 {
        field.of((self >> (64 * (1 - field.word))) as u64)
    }

    #[inline]
    fn above(self, field: Field) -> Self {
        let below = 64 * (1 - field.word);
        // All words above its own.
        let words = if field.word == 0 { 0 } else { Self::MAX << 64 };
        self & (words | Self::from(field.mask_above()) << below)
    }
}

/// Room for as many fields as any policy has.
pub(crate) type Wide = [u64; WORDS_MAX as usize];

impl<const N: usize> PackedKey for [u64; N] {
    const ZERO: Self = [0; N];
    const INVALID: Self = [u64::MAX; N];

    #[inline]
    fn with(mut self, field: Field, bucket: u64) -> Self {
        self[field.word as usize] |= bucket << field.shift;
        self
    }

    fn plus(self, other: Self) -> Self {
        core::array::from_fn(|word| self[word] | other[word])
    }

    fn less(self, other: Self) -> Self {
        core::array::from_fn(|word| self[word] ^ other[word])
    }

    fn bucket(self, field: Field) -> u64 {
        field.of(self[field.word as usize])
    }

    fn above(mut self, field: Field) -> Self {
        let word = field.word as usize;
        self[word] &= field.mask_above();
        self[word + 1..].fill(0);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::fields::{KeyWidth, layout};
    use alloc::vec::Vec;
    use tiebreak_model::random::{Seed, pick};

    fn pack<K: PackedKey>(fields: &[Field], buckets: &[u64]) -> K {
        fields.iter().zip(buckets).fold(K::ZERO, |key, (field, bucket)| key.with(*field, *bucket))
    }

    #[test]
    fn packed_keys_compare_like_the_list_of_buckets() {
        let widths = [1, 53, 3, 8, 53, 0, 20];
        let (fields, width) = layout(&largest(&widths));
        assert_eq!(width, KeyWidth::Words(3));
        let stream = Seed(1).stream("packed test");
        let buckets = |what: u64| -> Vec<u64> {
            let draw = |i: usize, width: u32| u64::from(pick(stream.draw(what, i as u64), 3)).min((1 << width) - 1);
            widths.iter().enumerate().map(|(i, width)| draw(i, *width)).collect()
        };
        for pair in 0..2_000 {
            let (a, b) = (buckets(2 * pair), buckets(2 * pair + 1));
            assert_eq!(pack::<Wide>(&fields, &a).cmp(&pack(&fields, &b)), a.cmp(&b));
            let small = [3, 20, 0, 8];
            let (half, width) = layout(&largest(&small));
            assert_eq!(width, KeyWidth::Half);
            let fit = |all: &[u64]| -> Vec<u64> { all.iter().zip(small).map(|(b, w)| b & ((1 << w) - 1)).collect() };
            assert_eq!(pack::<u32>(&half, &fit(&a)).cmp(&pack(&half, &fit(&b))), fit(&a).cmp(&fit(&b)));
            let (double, width) = layout(&largest(&widths[..5]));
            assert_eq!(width, KeyWidth::Words(2));
            assert_eq!(pack::<u128>(&double, &a[..5]).cmp(&pack(&double, &b[..5])), a[..5].cmp(&b[..5]));
            let unpacked: Vec<_> = double.iter().map(|field| pack::<u128>(&double, &a[..5]).bucket(*field)).collect();
            assert_eq!(unpacked, a[..5]);
            let narrow = layout(&largest(&widths[..3])).0;
            let unpacked: Vec<_> = fields.iter().map(|field| pack::<Wide>(&fields, &a).bucket(*field)).collect();
            assert_eq!(unpacked, a, "a key gives back what it was made of");
            assert_eq!(pack::<u64>(&narrow, &a[..3]).cmp(&pack(&narrow, &b[..3])), a[..3].cmp(&b[..3]));
        }
    }

    /// The largest buckets that fit these numbers of bits.
    fn largest(widths: &[u32]) -> Vec<u64> {
        widths.iter().map(|bits| (1 << bits) - 1).collect()
    }

    /// Splits off each field and the fields above it.
    fn takes_apart<K: PackedKey>(widths: &[u32], buckets: &[u64]) {
        let fields = layout(&largest(widths)).0;
        let whole: K = pack(&fields, buckets);
        for (at, field) in fields.iter().enumerate() {
            let only = |kept: &dyn Fn(usize) -> bool| -> K {
                let part: Vec<_> = buckets.iter().enumerate().map(|(i, it)| if kept(i) { *it } else { 0 }).collect();
                pack(&fields, &part)
            };
            let (above, rest) = (only(&|i| i < at), only(&|i| i >= at));
            assert_eq!(whole.above(*field), above, "above {at} of {widths:?}");
            assert_eq!(whole.without(*field), only(&|i| i != at), "without {at} of {widths:?}");
            assert_eq!((above.plus(rest), whole.less(above)), (whole, rest), "{at} of {widths:?}");
        }
    }

    #[test]
    fn keys_can_be_taken_apart() {
        takes_apart::<u16>(&[3, 5, 0, 6], &[5, 0x1D, 0, 0x37]);
        takes_apart::<u32>(&[3, 20, 0, 8], &[5, 0xA_BCDE, 0, 0x97]);
        takes_apart::<u64>(&[1, 53, 3], &[1, 0x1A_BCDE_F012_3457, 5]);
        takes_apart::<u128>(&[1, 53, 3, 8, 53], &[1, 0x1A_BCDE_F012_3457, 5, 0x97, 0x15_5555_5555_5555]);
        takes_apart::<Wide>(&[53, 53, 10, 53], &[0x1A_BCDE_F012_3457, 0x15_5555_5555_5555, 0x3A1, 0x1F_FFFF_0000_0001]);
    }

    /// A machine that is no candidate stays one, whatever is added, and equals none that is.
    #[test]
    fn digits_compare_like_buckets() {
        let largest = [100, 1, 3, 9, 4];
        let (fields, width) = layout(&largest);
        assert_eq!(width, KeyWidth::Quarter);
        let stream = Seed(2).stream("digits test");
        let buckets = |what: u64| -> Vec<u64> {
            largest.iter().zip(0..).map(|(most, i)| u64::from(pick(stream.draw(what, i), *most as u32 + 1))).collect()
        };
        for pair in 0..2_000 {
            let (a, b) = (buckets(2 * pair), buckets(2 * pair + 1));
            let (one, other) = (pack::<u16>(&fields, &a), pack::<u16>(&fields, &b));
            assert_eq!(one.cmp(&other), a.cmp(&b), "{a:?} and {b:?}");
            assert!(one < u16::MAX - 1 && one.less(other) != u16::INVALID);
            assert_eq!(fields.iter().map(|field| one.bucket(*field)).collect::<Vec<_>>(), a);
            assert_eq!((u16::INVALID.plus(one), u16::INVALID.with(fields[0], 7)), (u16::INVALID, u16::INVALID));
            for field in &fields {
                assert_eq!(one.above(*field).cmp(&other.above(*field)), {
                    let above = fields.iter().position(|it| it == field).expect("it is one of them");
                    a[..above].cmp(&b[..above])
                });
                assert!(u16::INVALID.above(*field) > one.above(*field));
            }
        }
    }

    #[test]
    fn the_largest_valid_key_is_below_invalid() {
        let (fields, width) = layout(&[(1 << 63) - 1]);
        assert_eq!(width, KeyWidth::Words(1));
        assert!(pack::<u64>(&fields, &[(1 << 63) - 1]) < u64::INVALID);
        let (fields, width) = layout(&[(1 << 63) - 1, u64::MAX]);
        assert_eq!(width, KeyWidth::Words(2));
        let places: Vec<_> = fields.iter().map(|field| (field.word, field.shift, field.bits)).collect();
        assert_eq!(places, [(0, 0, 63), (1, 0, 64)]);
    }
}
