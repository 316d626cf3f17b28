//! Quantities in words, as in explanations.

use alloc::borrow::ToOwned;
use alloc::format;

use tiebreak_model::phrase::Value;
use tiebreak_model::{Phrase, phrase};

/// `12 Gbit/s`, `350 Mbit/s`.
#[must_use]
pub fn bandwidth(kbps: u64) -> Phrase {
    let mbps = kbps as f64 / 1_000.0;
    if mbps < 1_000.0 { phrase!("{} Mbit/s", trimmed(mbps)) } else { phrase!("{} Gbit/s", trimmed(mbps / 1_000.0)) }
}

/// `70 min`, `3.5 h`, `12 d`: a duration in the largest suitable unit.
#[must_use]
pub fn span(seconds: u32) -> Phrase {
    let of = |size: f64| {
        let text = format!("{:.1}", f64::from(seconds) / size);
        Value::Number(text.trim_end_matches(".0").to_owned())
    };
    match seconds {
        0..60 => phrase!("{seconds} s", seconds),
        60..5_400 => phrase!("{:.0} min", f64::from(seconds) / 60.0),
        5_400..172_800 => phrase!("{} h", of(3_600.0)),
        _ => phrase!("{} d", of(86_400.0)),
    }
}

/// A number with at most three decimals and no trailing zeros.
pub(crate) fn trimmed(number: f64) -> Value {
    let text = format!("{number:.3}");
    Value::Number(text.trim_end_matches('0').trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn numbers_as_people_write_them() {
        for (kbps, words) in [
            (350, "0.35 Mbit/s"),
            (350_000, "350 Mbit/s"),
            (999_900, "999.9 Mbit/s"),
            (1_000_000, "1 Gbit/s"),
            (12_500_000, "12.5 Gbit/s"),
        ] {
            assert_eq!(bandwidth(kbps).to_string(), words);
        }
        for (seconds, words) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (5_399, "90 min"),
            (5_400, "1.5 h"),
            (7_200, "2 h"),
            (172_799, "48 h"),
            (172_800, "2 d"),
            (216_000, "2.5 d"),
        ] {
            assert_eq!(span(seconds).to_string(), words);
        }
    }
}
