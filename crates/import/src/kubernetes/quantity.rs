//! Quantities as Kubernetes defines them: a decimal number with a binary or decimal suffix, or an exponent.
//!
//! Source: k8s.io/apimachinery/pkg/api/resource. Values are exact. As there, fractions are rounded up in requests and
//! down in capacities.

/// A quantity: a number of units of `10^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quantity {
    digits: u128,
    exponent: i32,
}

/// Suffixes that are powers of 1024, and their powers.
const BINARY: [(&str, u32); 6] = [("Ki", 1), ("Mi", 2), ("Gi", 3), ("Ti", 4), ("Pi", 5), ("Ei", 6)];

/// Suffixes that are powers of 10, and their exponents.
const DECIMAL: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];

/// The maximum number of digits.
const DIGITS_MAX: usize = 18;

impl Quantity {
    /// Parses a quantity that is not negative; `None` if the text is not one.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.strip_prefix('+').unwrap_or(text);
        let end = text.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let is_number = !(whole.is_empty() && fraction.is_empty() || fraction.contains('.'));
        if !is_number || whole.len() + fraction.len() > DIGITS_MAX {
            return None;
        }
        let digits: u128 = format!("0{whole}{fraction}").parse().ok()?;
        let below = -i32::try_from(fraction.len()).ok()?;
        if let Some((_, power)) = BINARY.iter().find(|(name, _)| *name == suffix) {
            return Some(Self { digits: digits << (10 * power), exponent: below });
        }
        let exponent = match DECIMAL.iter().find(|(name, _)| *name == suffix) {
            Some((_, exponent)) => *exponent,
            None => suffix.strip_prefix(['e', 'E'])?.parse().ok().filter(|it| (-18..=18).contains(it))?,
        };
        Some(Self { digits, exponent: exponent + below })
    }

    /// The number of units of `10^exponent * 2^shift`, rounded up or down.
    fn count(self, exponent: i32, shift: u32, is_up: bool) -> Option<u64> {
        let scale = self.exponent - exponent;
        let power = 10_u128.checked_pow(scale.unsigned_abs())?;
        let (above, below) = if scale < 0 { (self.digits, power) } else { (self.digits.checked_mul(power)?, 1) };
        let below = below << shift;
        let count = if is_up { above.div_ceil(below) } else { above / below };
        u64::try_from(count).ok()
    }

    /// Thousandths, rounded up; for requests.
    pub(crate) fn milli_up(self) -> Option<u64> {
        self.count(-3, 0, true)
    }

    /// Thousandths, rounded down; for capacities.
    pub(crate) fn milli_down(self) -> Option<u64> {
        self.count(-3, 0, false)
    }

    /// Bytes, rounded up.
    pub(crate) fn bytes_up(self) -> Option<u64> {
        self.count(0, 0, true)
    }

    /// MiB from a number of bytes, rounded down; for capacities.
    pub(crate) fn mib_down(self) -> Option<u64> {
        self.count(0, 20, false)
    }

    /// Ones, rounded down.
    pub(crate) fn ones(self) -> Option<u64> {
        self.count(0, 0, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_what_kubernetes_says() {
        for (text, milli, bytes) in [
            ("3920m", 3_920_u128, 4),
            ("4", 4_000, 4),
            ("0.1", 100, 1),
            ("1.5", 1_500, 2),
            (".5", 500, 1),
            ("5.", 5_000, 5),
            ("+2", 2_000, 2),
            ("100u", 1, 1),
            ("1n", 1, 1),
            ("16Gi", 17_179_869_184_000, 17_179_869_184),
            ("15Ki", 15_360_000, 15_360),
            ("1.5Gi", 1_610_612_736_000, 1_610_612_736),
            ("128974848", 128_974_848_000, 128_974_848),
            ("129e6", 129_000_000_000, 129_000_000),
            ("129M", 129_000_000_000, 129_000_000),
            ("128974848000m", 128_974_848_000, 128_974_848),
            ("123Mi", 128_974_848_000, 128_974_848),
            ("1E", 1_000_000_000_000_000_000_000, 1_000_000_000_000_000_000),
            ("0", 0, 0),
            ("1e3", 1_000_000, 1_000),
            ("1E3", 1_000_000, 1_000),
            ("12e-1", 1_200, 2),
        ] {
            let quantity = Quantity::read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(quantity.milli_up(), u64::try_from(milli).ok(), "{text}");
            assert_eq!(quantity.bytes_up(), Some(bytes), "{text}");
        }
        assert_eq!(Quantity::read("32812248Ki").and_then(Quantity::mib_down), Some(32_043));
        assert_eq!(Quantity::read("3999999u").and_then(Quantity::milli_down), Some(3_999));
    }

    #[test]
    fn what_is_no_quantity_is_none() {
        for text in ["", "-1", "m", "1 Gi", "1gi", "1.2.3", "1KB", "1e99", "Inf", "1234567890123456789", "1Gi2", "1e"] {
            assert_eq!(Quantity::read(text), None, "{text}");
        }
        assert_eq!(Quantity::read("999999999999999999E").and_then(Quantity::bytes_up), None, "too many");
    }
}
