//! One column of a trace and the unit of its numbers; every number is checked here.

use tiebreak_model::{Scope, Time};

use crate::dates::DateOrder;
use crate::records::Record;
use crate::report::{Correction, Fault, FaultKind, Tally};

/// A VM with more cores is a mistake; Azure's largest had 1,792 in 2026.
pub(crate) const CORES_MILLI_MAX: f64 = 10_000.0 * 1_000.0;
/// A VM with more than 256 TiB of memory is a mistake.
pub(crate) const MEMORY_MIB_MAX: f64 = 256.0 * 1_024.0 * 1_024.0;
/// Two hundred years: enough for Unix times in seconds or milliseconds, but not for a wrong unit.
pub(crate) const TIME_MS_MAX: f64 = 200.0 * 365.25 * 86_400_000.0;

/// Milliseconds per second, hour and day.
pub(crate) const SECOND: f64 = 1_000.0;
pub(crate) const HOUR: f64 = 3_600_000.0;
pub(crate) const DAY: f64 = 86_400_000.0;

/// The largest signed and unsigned numbers of 32 and 64 bits: programs write them for a missing time.
const NO_TIMES: [&str; 4] = ["2147483647", "4294967295", "9223372036854775807", "18446744073709551615"];

/// The position of a column, its display name, and the number of our units in one of its units.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) index: usize,
    pub(crate) name: String,
    pub(crate) unit: f64,
    /// The order of its dates, if its times are dates.
    pub(crate) dates: Option<DateOrder>,
    /// Whether decimals follow a comma: 3,5 is three and a half.
    pub(crate) has_decimal_commas: bool,
}

impl Column {
    pub(crate) fn new(index: usize, name: &str, unit: f64) -> Self {
        Self { index, name: name.into(), unit, dates: None, has_decimal_commas: false }
    }

    pub(crate) fn text<'a>(&self, record: &Record<'a>) -> &'a [u8] {
        record.field(self.index)
    }

    /// Cores in thousandths, at least one.
    pub(crate) fn cores_milli(&self, record: &Record<'_>) -> Result<u32, Fault> {
        self.size(record, "cores above 0 and at most 10,000", CORES_MILLI_MAX)
    }

    /// Memory in MiB, at least one.
    pub(crate) fn memory_mib(&self, record: &Record<'_>) -> Result<u32, Fault> {
        self.size(record, "memory above 0 and at most 256 TiB", MEMORY_MIB_MAX)
    }

    /// An instant; one after the beginning stays after it when rounded.
    pub(crate) fn time(&self, record: &Record<'_>) -> Result<Time, Fault> {
        if let Some(order) = self.dates {
            let ms = std::str::from_utf8(self.text(record)).ok().and_then(|text| order.read(text));
            let ms = ms.ok_or_else(|| self.fault(record, FaultKind::NotADate, order.title()))?;
            let is_within = (1.0..=TIME_MS_MAX).contains(&(ms as f64));
            let out_of_range = || self.fault(record, FaultKind::OutOfRange, "a date between 1970 and 2169");
            return if is_within { Ok(Time(ms)) } else { Err(out_of_range()) };
        }
        let number = self.finite(record).ok_or_else(|| {
            let no_date = if is_like_a_date(self.text(record)) { ", no date," } else { "" };
            self.fault(record, FaultKind::NotANumber, &format!("a number of {}{no_date}", time_unit(self.unit)))
        })?;
        if is_no_time(self.text(record)) {
            return Err(self.fault(record, FaultKind::NoTime, "a time, not the largest number there is,"));
        }
        let ms = rounded(self.in_range(record, number, "a time within 200 years", TIME_MS_MAX)?);
        Ok(Time(if number > 0.0 { ms.max(1) } else { ms }))
    }

    /// An instant, or never if the field is empty or says so; the largest number of an integer type also means never.
    pub(crate) fn time_or_never(&self, record: &Record<'_>, tally: &mut Tally) -> Result<Time, Fault> {
        const NEVER: [&str; 8] = ["", "inf", "+inf", "infinity", "never", "null", "none", "-"];
        let text = self.text(record);
        if NEVER.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes())) {
            return Ok(Time::NEVER);
        }
        if is_no_time(text) {
            tally.correct(Correction::NoEnd);
            return Ok(Time::NEVER);
        }
        self.time(record)
    }

    /// 0 to 100 percent.
    pub(crate) fn percent(&self, record: &Record<'_>) -> Result<f64, Fault> {
        let number = self.number(record)?;
        let fits = (0.0..=100.0).contains(&number);
        if fits { Ok(number) } else { Err(self.fault(record, FaultKind::OutOfRange, "0 to 100 percent")) }
    }

    /// 0 to 255; empty means 0, and `spot` or `low` mean 1.
    pub(crate) fn priority(&self, record: &Record<'_>) -> Result<u8, Fault> {
        let text = self.text(record);
        let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
        if is(&["", "regular", "normal", "high"]) {
            return Ok(0);
        }
        if is(&["spot", "low", "evictable", "preemptible"]) {
            return Ok(1);
        }
        let number = self.number(record)?;
        let whole = number >= 0.0 && number <= f64::from(u8::MAX) && number.fract() == 0.0;
        if whole { Ok(number as u8) } else { Err(self.fault(record, FaultKind::OutOfRange, "0 to 255")) }
    }

    /// 0 to 65,535; empty means 0.
    pub(crate) fn count(&self, record: &Record<'_>) -> Result<u16, Fault> {
        if self.text(record).is_empty() {
            return Ok(0);
        }
        let number = self.number(record)?;
        let whole = number >= 0.0 && number <= f64::from(u16::MAX) && number.fract() == 0.0;
        if whole { Ok(number as u16) } else { Err(self.fault(record, FaultKind::OutOfRange, "0 to 65535")) }
    }

    /// A scope by word or number; empty means the zone.
    pub(crate) fn scope(&self, record: &Record<'_>) -> Result<Scope, Fault> {
        let text = self.text(record);
        let means = |(number, scope): &(u8, Scope)| {
            text.eq_ignore_ascii_case(scope.word().as_bytes()) || *text == [b'0' + number]
        };
        let known = (0..).zip(Scope::ALL).find(means).map(|(_, scope)| scope);
        let scope = known.or_else(|| text.is_empty().then_some(Scope::Zone));
        scope.ok_or_else(|| self.fault(record, FaultKind::UnknownWord, "zone, datacenter, cluster or rack"))
    }

    /// 1 or 0, or equivalent words; empty means 0.
    pub(crate) fn flag(&self, record: &Record<'_>) -> Result<bool, Fault> {
        let text = self.text(record);
        let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
        match (is(&["1", "true", "yes"]), is(&["", "0", "false", "no"])) {
            (false, false) => Err(self.fault(record, FaultKind::UnknownWord, "1 or 0, yes or no")),
            (flag, _) => Ok(flag),
        }
    }

    /// The number that a text represents, or a hash of the text.
    pub(crate) fn name(&self, record: &Record<'_>) -> u64 {
        let text = self.text(record);
        let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        number.unwrap_or_else(|| hash(text))
    }

    /// A finite number.
    fn number(&self, record: &Record<'_>) -> Result<f64, Fault> {
        self.finite(record).ok_or_else(|| {
            let has_separators = is_number_with_separators(self.text(record));
            let how = if has_separators { " with a point before decimals and no other separators" } else { "" };
            self.fault(record, FaultKind::NotANumber, &format!("a number{how}"))
        })
    }

    fn finite(&self, record: &Record<'_>) -> Option<f64> {
        let text = self.text(record);
        let number = number_of(text).or_else(|| self.has_decimal_commas.then(|| with_decimal_comma(text)).flatten());
        number.filter(|number: &f64| number.is_finite())
    }

    fn size(&self, record: &Record<'_>, expected: &str, max: f64) -> Result<u32, Fault> {
        let number = self.number(record)?;
        if number == 0.0 {
            return Err(self.fault(record, FaultKind::ZeroSize, expected));
        }
        if number < 0.0 {
            return Err(self.fault(record, FaultKind::OutOfRange, expected));
        }
        Ok(rounded(self.in_range(record, number, expected, max)?).max(1) as u32)
    }

    fn in_range(&self, record: &Record<'_>, number: f64, expected: &str, max: f64) -> Result<f64, Fault> {
        let ours = number * self.unit;
        if ours.abs() <= max { Ok(ours) } else { Err(self.fault(record, FaultKind::OutOfRange, expected)) }
    }

    /// A fault in this column.
    pub(crate) fn fault(&self, record: &Record<'_>, kind: FaultKind, expected: &str) -> Fault {
        record.fault(kind, format!("{expected} in column {}", self.name), self.text(record))
    }
}

/// The nearest whole number of one below 2^52; halves away from zero. `f64::round` is a call, also in WebAssembly.
fn rounded(number: f64) -> i64 {
    let whole = number as i64;
    let rest = number - whole as f64;
    whole + i64::from(rest >= 0.5) - i64::from(rest <= -0.5)
}

/// A 64-bit hash of a name: xxh3.
pub(crate) fn hash(name: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(name)
}

/// Checks that a VM ends after it starts and after the beginning; one that ends at the instant it starts gets the
/// trace's smallest time span, `smallest_ms`.
pub(crate) fn checked_end(
    record: &Record<'_>,
    column: &Column,
    start: Time,
    end: Time,
    smallest_ms: i64,
    tally: &mut Tally,
) -> Result<Time, Fault> {
    if end < start {
        return Err(column.fault(record, FaultKind::ReversedTimes, "an end at or after the start"));
    }
    if end < Time::ZERO || (end == Time::ZERO && start < end) {
        return Err(column.fault(record, FaultKind::NegativeTime, "an end after the start, 0,"));
    }
    if end == start {
        tally.correct(Correction::NoLifetime);
        return Ok(Time(end.0 + smallest_ms));
    }
    Ok(end)
}

fn is_no_time(text: &[u8]) -> bool {
    let whole = text.strip_suffix(b".0").unwrap_or(text);
    whole.len() >= NO_TIMES[0].len() && NO_TIMES.iter().any(|number| whole == number.as_bytes())
}

/// A unit of time by its milliseconds, in words.
pub(crate) fn time_unit(ms: f64) -> &'static str {
    match ms as u64 {
        1 => "milliseconds",
        60_000 => "minutes",
        3_600_000 => "hours",
        86_400_000 => "days",
        _ => "seconds",
    }
}

/// Whether a text that is not a number begins like a date or a time of day.
fn is_like_a_date(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=4).contains(&digits) && text.get(digits).is_some_and(|byte| b"-/:.".contains(byte))
}

/// The number of a text with one decimal comma.
pub(crate) fn with_decimal_comma(text: &[u8]) -> Option<f64> {
    let (whole, decimals) = std::str::from_utf8(text).ok()?.split_once(',')?;
    let are_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let has_point_alone = are_digits(whole.trim_start_matches(['-', '+'])) && are_digits(decimals);
    has_point_alone.then(|| format!("{whole}.{decimals}").parse().ok()).flatten()
}

/// Whether a text is a number except for digit separators: 1,024 and 1'024 and 1 024.
fn is_number_with_separators(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let digits: String =
        text.chars().filter(|c| !matches!(c, ',' | '\'' | '_' | '\u{2019}') && !c.is_whitespace()).collect();
    digits.len() < text.len() && digits.parse::<f64>().is_ok()
}

/// The number of a text, to the last bit as the standard library reads it, which would check first that it is UTF-8.
fn number_of(text: &[u8]) -> Option<f64> {
    fast_float2::parse(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_standard_library_does() {
        let parts: [&[u8]; 20] = [
            b"0",
            b"1",
            b"25",
            b"300",
            b"9007199254740993",
            b"4.35",
            b".",
            b".0",
            b"e",
            b"E-",
            b"e30",
            b"e-324",
            b"-",
            b"+",
            b"inf",
            b"Infinity",
            b"NaN",
            b"_",
            b" ",
            b"\xff",
        ];
        let of = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<f64>().ok();
        let mut numbers = 0;
        for seed in 0..40_000_u64 {
            let part = |place: u64| {
                parts[(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (place * 9 + 20)) as usize % parts.len()]
            };
            let text = (0..1 + seed % 4).map(part).collect::<Vec<_>>().concat();
            assert_eq!(
                number_of(&text).map(f64::to_bits),
                of(&text).map(f64::to_bits),
                "{}",
                String::from_utf8_lossy(&text)
            );
            numbers += u64::from(of(&text).is_some());
        }
        assert!(numbers > 5_000, "{numbers}");
    }

    #[test]
    fn numbers_are_rounded_as_the_standard_library_does() {
        let near_halves = (-20..=20).flat_map(|halves| {
            let half = f64::from(halves) / 2.0;
            [half, half.next_up(), half.next_down()]
        });
        for number in near_halves.chain([TIME_MS_MAX, TIME_MS_MAX - 0.5, -TIME_MS_MAX + 0.49]) {
            assert_eq!(rounded(number), number.round() as i64, "{number:?}");
        }
    }
}
