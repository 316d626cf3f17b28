//! Dates and times of day: the order of day, month and year, and the instant that a text means.
//!
//! A date with an offset (`2026-03-01T10:00:00+01:00`, RFC 3339) is an instant; one without is read as UTC. The calendar
//! is chrono's.

use chrono::{DateTime, NaiveDateTime};

/// A date with a time of day, with and without an offset; seconds are optional.
const WITH_OFFSET: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f%:z", "%Y-%m-%dT%H:%M%:z"];
const PLAIN: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"];

/// The order of day, month and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateOrder {
    /// 2026-03-01 as in ISO 8601; also 2026/03/01.
    Ymd,
    /// 01.03.2026, or 1/3/2026 for 1 March.
    Dmy,
    /// 3/1/2026 for 1 March.
    Mdy,
}

/// What one text implies about the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    /// It is not a date.
    NoDate,
    /// It is valid only in this order.
    Certain(DateOrder),
    /// It is valid with the day first and, as another date, with the month first.
    DayOrMonth,
}

impl DateOrder {
    /// Display text.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Ymd => "dates, year first",
            Self::Dmy => "dates, day first",
            Self::Mdy => "dates, month first",
        }
    }

    /// Milliseconds since 1970-01-01T00:00:00Z; `None` if the text is not a date in this order.
    pub(crate) fn read(self, text: &str) -> Option<i64> {
        let Parts { fields, time, .. } = Parts::of(text)?;
        let [year, month, day] = match (self, fields) {
            (Self::Ymd, [year, month, day]) => [year, month, day],
            (Self::Dmy, [day, month, year]) => [year, month, day],
            (Self::Mdy, [month, day, year]) => [year, month, day],
        };
        // A two-digit year has no century.
        if year.len() != 4 {
            return None;
        }
        // Pad an hour of one digit with a zero.
        let zero = if time.find(':') == Some(1) { "0" } else { "" };
        let time = if time.is_empty() { "00:00" } else { time };
        let iso = format!("{year}-{month:0>2}-{day:0>2}T{zero}{time}");
        let iso = iso.strip_suffix(['Z', 'z']).map_or_else(|| iso.clone(), |utc| format!("{utc}+00:00"));
        let instant = WITH_OFFSET.iter().find_map(|format| DateTime::parse_from_str(&iso, format).ok());
        let instant = instant.map(|instant| instant.timestamp_millis());
        let plain = || PLAIN.iter().find_map(|format| NaiveDateTime::parse_from_str(&iso, format).ok());
        instant.or_else(|| Some(plain()?.and_utc().timestamp_millis()))
    }
}

impl Guess {
    /// Dots occur only in dates with the day first; with slashes both orders are in use.
    pub(crate) fn of(text: &str) -> Self {
        let reads = |order: DateOrder| order.read(text).is_some();
        let has_dots = Parts::of(text).is_some_and(|parts| parts.separator == '.');
        match [DateOrder::Ymd, DateOrder::Dmy, DateOrder::Mdy].map(reads) {
            [true, ..] => Self::Certain(DateOrder::Ymd),
            [_, true, true] if !has_dots => Self::DayOrMonth,
            [_, true, _] => Self::Certain(DateOrder::Dmy),
            [_, _, true] => Self::Certain(DateOrder::Mdy),
            [false, false, false] => Self::NoDate,
        }
    }
}

/// The three numbers of a date, and the text after them.
struct Parts<'a> {
    fields: [&'a str; 3],
    separator: char,
    time: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (date, time) = text.split_once([' ', 'T', 't']).unwrap_or((text, ""));
        let separator = date.chars().find(|letter| matches!(letter, '-' | '/' | '.'))?;
        let mut fields = date.split(separator);
        let fields = [fields.next()?, fields.next()?, fields.next().filter(|_| fields.next().is_none())?];
        let is_number = |field: &str| (1..=4).contains(&field.len()) && field.bytes().all(|byte| byte.is_ascii_digit());
        fields.iter().all(|field| is_number(field)).then(|| Self { fields, separator, time: time.trim() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-03-01T10:00:00Z.
    const MARCH: i64 = 1_772_359_200_000;
    /// 2026-01-03T10:00:00Z.
    const JANUARY: i64 = 1_767_434_400_000;

    #[test]
    fn a_date_is_the_same_instant_in_every_order() {
        for (order, text) in [
            (DateOrder::Ymd, "2026-03-01T10:00:00Z"),
            (DateOrder::Ymd, "2026-03-01 10:00"),
            (DateOrder::Ymd, "2026/3/1 10:00:00"),
            (DateOrder::Ymd, "2026-03-01T11:30:00+01:30"),
            (DateOrder::Ymd, "2026-03-01t10:00:00.000"),
            (DateOrder::Dmy, "01.03.2026 10:00"),
            (DateOrder::Dmy, "1/3/2026 10:00:00"),
            (DateOrder::Dmy, "1-3-2026 10:00"),
            (DateOrder::Mdy, "3/1/2026 10:00"),
        ] {
            assert_eq!(order.read(text), Some(MARCH), "{text}");
        }
        assert_eq!(DateOrder::Mdy.read("1/3/2026 10:00"), Some(JANUARY));
        assert_eq!(DateOrder::Dmy.read("1/3/2026 9:00"), Some(MARCH - 3_600_000));
        assert_eq!(DateOrder::Dmy.read("01.03.2026"), Some(MARCH - 36_000_000));
    }

    #[test]
    fn what_is_no_date_in_an_order_is_not_read_in_it() {
        for (order, text) in [
            (DateOrder::Ymd, "01.03.2026"),
            (DateOrder::Dmy, "2026-03-01"),
            (DateOrder::Dmy, "31.02.2026"),
            (DateOrder::Dmy, "1/3/26"),
            (DateOrder::Mdy, "13/1/2026"),
            (DateOrder::Ymd, "2026-03-01T25:00"),
            (DateOrder::Ymd, "2026-03"),
            (DateOrder::Ymd, "1772359200"),
            (DateOrder::Ymd, "10:30"),
            (DateOrder::Ymd, ""),
        ] {
            assert_eq!(order.read(text), None, "{text}");
        }
    }

    #[test]
    fn the_order_is_guessed_where_it_is_certain() {
        for (text, guess) in [
            ("2026-03-01T10:00:00Z", Guess::Certain(DateOrder::Ymd)),
            ("01.03.2026 10:00", Guess::Certain(DateOrder::Dmy)),
            ("13/3/2026", Guess::Certain(DateOrder::Dmy)),
            ("3/13/2026", Guess::Certain(DateOrder::Mdy)),
            ("1/3/2026", Guess::DayOrMonth),
            ("01-03-2026", Guess::DayOrMonth),
            ("3600", Guess::NoDate),
            ("0.5", Guess::NoDate),
            ("13/13/2026", Guess::NoDate),
        ] {
            assert_eq!(Guess::of(text), guess, "{text}");
        }
    }
}
