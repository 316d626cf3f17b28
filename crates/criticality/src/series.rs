//! A VM's mean CPU utilization in every half-hour, and the normalization of days before the search for a pattern.

use std::fmt;

use tiebreak_model::{Millis, Phrase, Time, phrase};

/// Half-hours in a day.
pub const SLOTS_PER_DAY: usize = 48;
/// Weekdays that a series must span to be classified. (Section III-B)
pub const WEEKDAYS_MIN: usize = 5;
/// The least number of readings for each half-hour of the day: a median of fewer is not a typical value. Our choice.
pub const READINGS_MIN: usize = 3;
/// A day's mean counts as at least this share of the whole series', so that an idle day does not inflate the next.
/// Our choice.
const FLOOR_SHARE: f64 = 0.1;
/// A series whose standard deviation is below this share of its mean counts as constant, despite rounding errors.
const CONSTANT_SHARE: f64 = 1e-9;

/// The length of a half-hour.
const HALF_HOUR: i64 = Millis::HOUR.0 as i64 / 2;

/// The span of readings that classifies a VM which starts at this time, if it lives long enough: from its first whole
/// half-hour until it has been read on five weekdays. Time 0 is a Monday's midnight.
#[must_use]
pub fn readings_needed(start: Time) -> (Time, Time) {
    let first = -(-start.0).div_euclid(HALF_HOUR);
    let (mut end, mut left) = (first, WEEKDAYS_MIN * SLOTS_PER_DAY);
    while left > 0 {
        left -= usize::from(weekday(end) < 5);
        end += 1;
    }
    (Time(first * HALF_HOUR), Time(end * HALF_HOUR))
}

/// The day of the week of a half-hour, 0 for Monday.
fn weekday(half_hour: i64) -> usize {
    half_hour.div_euclid(SLOTS_PER_DAY as i64).rem_euclid(7) as usize
}

/// The mean CPU utilization of one VM in each half-hour, in percent of its cores.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// NaN for a missing reading.
    values: Vec<f64>,
    first_slot: usize,
    first_weekday: Option<usize>,
}

/// Why a series cannot be classified. Its VM then counts as user-facing, to be cautious. (Section III-B)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclassified {
    /// It has fewer than five weekdays.
    TooShort {
        /// The number of half-hours on weekdays.
        slots: usize,
    },
    /// A half-hour of the day has readings on too few days.
    Gaps {
        /// The half-hour, counted from midnight.
        slot: usize,
        /// The number of days with a reading.
        readings: usize,
    },
}

impl Unclassified {
    /// The message.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::TooShort { slots } => {
                let needed = WEEKDAYS_MIN * SLOTS_PER_DAY;
                phrase!(
                    "expected {needed} half-hours of weekdays, got {slots}; observe it for five weekdays",
                    needed,
                    slots
                )
            }
            Self::Gaps { slot, readings } => phrase!(
                "expected readings for every half-hour on at least {READINGS_MIN} days, got {readings} at {}; observe \
                 it for longer",
                READINGS_MIN,
                readings,
                format!("{:02}:{:02}", slot / 2, slot % 2 * 30)
            ),
        }
    }
}

impl fmt::Display for Unclassified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

impl Series {
    /// Readings of consecutive half-hours, the first at midnight. An invalid utilization (NaN, infinite, negative) is
    /// a gap.
    #[must_use]
    pub fn new(mut values: Vec<f64>) -> Self {
        for value in &mut values {
            if !value.is_finite() || *value < 0.0 {
                *value = f64::NAN;
            }
        }
        Self { values, first_slot: 0, first_weekday: None }
    }

    /// Readings of consecutive half-hours from this time on, which begins one.
    #[must_use]
    pub fn from(start: Time, values: Vec<f64>) -> Self {
        let first = start.0.div_euclid(HALF_HOUR);
        Self::new(values).starting_at(first.rem_euclid(SLOTS_PER_DAY as i64) as usize).on_weekday(weekday(first))
    }

    /// The same with the first reading at this half-hour of the day: 0 to 47.
    ///
    /// # Panics
    /// If the day has no such half-hour.
    #[must_use]
    pub fn starting_at(mut self, slot: usize) -> Self {
        assert!(slot < SLOTS_PER_DAY, "a day has {SLOTS_PER_DAY} half-hours");
        self.first_slot = slot;
        self
    }

    /// The same with the first reading on this day of the week, 0 for Monday to 6 for Sunday; weekends are then
    /// excluded.
    ///
    /// # Panics
    /// If the week has no such day.
    #[must_use]
    pub fn on_weekday(mut self, weekday: usize) -> Self {
        assert!(weekday < 7, "a week has 7 days");
        self.first_weekday = Some(weekday);
        self
    }

    /// The readings as given, NaN for missing ones.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Half-hours without a reading.
    #[must_use]
    pub fn gaps(&self) -> usize {
        self.values.iter().filter(|value| value.is_nan()).count()
    }

    /// Writes the readings of weekdays into `days`, gaps as NaN; returns the half-hour of the day of the first of
    /// them.
    fn weekdays(&self, days: &mut Vec<f64>) -> usize {
        days.clear();
        let Some(first) = self.first_weekday else {
            days.extend_from_slice(&self.values);
            return self.first_slot;
        };
        let is_weekday = |index: usize| (first + (self.first_slot + index) / SLOTS_PER_DAY) % 7 < 5;
        let kept = |(index, value): (usize, &f64)| is_weekday(index).then_some(*value);
        days.extend(self.values.iter().enumerate().filter_map(kept));
        if is_weekday(0) { self.first_slot } else { 0 }
    }
}

/// A series with comparable days: weekdays only, without trend, in units of its standard deviation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prepared {
    /// NaN for a missing reading.
    pub(crate) values: Vec<f64>,
    /// The half-hour of the day of the first value.
    pub(crate) first_slot: usize,
    raw: Vec<f64>,
}

impl Prepared {
    /// Selects weekdays, scales each reading by the mean of the 24 hours before, and divides by the standard
    /// deviation. Returns whether the series varies at all: a constant one has no deviation to divide by.
    ///
    /// The first 24 hours are scaled by their own mean. (Section III-B, step 1; the first day is our choice)
    pub(crate) fn set(&mut self, series: &Series) -> Result<bool, Unclassified> {
        self.first_slot = series.weekdays(&mut self.raw);
        self.check()?;
        self.scale_by_day();
        Ok(self.divide_by_deviation())
    }

    fn check(&self) -> Result<(), Unclassified> {
        let slots = self.raw.len();
        if slots < WEEKDAYS_MIN * SLOTS_PER_DAY {
            return Err(Unclassified::TooShort { slots });
        }
        let mut readings = [0_usize; SLOTS_PER_DAY];
        for (index, value) in self.raw.iter().enumerate() {
            readings[(self.first_slot + index) % SLOTS_PER_DAY] += usize::from(!value.is_nan());
        }
        match (0..).zip(readings).find(|(_, readings)| *readings < READINGS_MIN) {
            Some((slot, readings)) => Err(Unclassified::Gaps { slot, readings }),
            None => Ok(()),
        }
    }

    fn scale_by_day(&mut self) {
        let raw = &self.raw;
        let whole = Window::over(raw).mean();
        let floor = whole * FLOOR_SHARE;
        let mut window = Window::over(&raw[..SLOTS_PER_DAY]);
        self.values.clear();
        for (index, value) in raw.iter().enumerate() {
            if index > SLOTS_PER_DAY {
                window.remove(raw[index - SLOTS_PER_DAY - 1]);
                window.add(raw[index - 1]);
            }
            let before = if window.count == 0 { whole } else { window.mean().max(floor) };
            // All zero: nothing to scale.
            self.values.push(if before > 0.0 { value / before } else { *value });
        }
    }

    fn divide_by_deviation(&mut self) -> bool {
        let mean = Window::over(&self.values).mean();
        let mut squares = Window::default();
        self.values.iter().for_each(|value| squares.add((value - mean) * (value - mean)));
        let deviation = squares.mean().sqrt();
        let varies = deviation > mean * CONSTANT_SHARE;
        if varies {
            self.values.iter_mut().for_each(|value| *value /= deviation);
        }
        varies
    }
}

/// A sum that skips gaps.
#[derive(Clone, Copy, Default)]
struct Window {
    sum: f64,
    count: u32,
}

impl Window {
    fn over(values: &[f64]) -> Self {
        let mut window = Self::default();
        values.iter().for_each(|value| window.add(*value));
        window
    }

    fn add(&mut self, value: f64) {
        if !value.is_nan() {
            self.sum += value;
            self.count += 1;
        }
    }

    fn remove(&mut self, value: f64) {
        if !value.is_nan() {
            self.sum -= value;
            self.count -= 1;
        }
    }

    fn mean(self) -> f64 {
        self.sum / f64::from(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(series: &Series) -> Result<(Vec<f64>, usize, bool), Unclassified> {
        let mut prepared = Prepared::default();
        let varies = prepared.set(series)?;
        Ok((prepared.values, prepared.first_slot, varies))
    }

    #[test]
    fn five_weekdays_take_five_to_seven_days() {
        let (hour, day) = (Millis::HOUR.0 as i64, Millis::DAY.0 as i64);
        for (start, first, end) in [
            (0, 0, 5 * day),
            (1, hour / 2, 7 * day + hour / 2),
            (2 * day + 3 * hour, 2 * day + 3 * hour, 9 * day + 3 * hour),
            (5 * day + hour, 5 * day + hour, 12 * day),
            (-day, -day, 5 * day),
        ] {
            assert_eq!(readings_needed(Time(start)), (Time(first), Time(end)), "{start}");
            let readings = vec![1.0; ((end - first) / HALF_HOUR) as usize];
            let mut kept = Vec::new();
            Series::from(Time(first), readings).weekdays(&mut kept);
            assert_eq!(kept.len(), WEEKDAYS_MIN * SLOTS_PER_DAY);
        }
    }

    #[test]
    fn weekends_are_left_out_and_the_time_of_day_stays() {
        let days = 9;
        let values = (0..days * SLOTS_PER_DAY).map(|slot| (slot / SLOTS_PER_DAY) as f64).collect();
        let mut kept = Vec::new();
        // Friday, the weekend, five weekdays, Saturday.
        let first = Series::new(values).on_weekday(4).weekdays(&mut kept);
        let mut days: Vec<f64> = kept.clone();
        days.dedup();
        assert_eq!((first, days), (0, vec![0.0, 3.0, 4.0, 5.0, 6.0, 7.0]));
        let from_sunday_noon = Series::new(vec![1.0; 30]).on_weekday(6).starting_at(24);
        assert_eq!((from_sunday_noon.weekdays(&mut kept), kept.len()), (0, 6));
    }

    #[test]
    fn a_trend_is_taken_out() {
        let rising = |slot: usize| (1.0 + (slot / SLOTS_PER_DAY) as f64) * (10.0 + (slot % SLOTS_PER_DAY) as f64);
        let (values, ..) = prepared(&Series::new((0..480).map(rising).collect())).expect("ten days");
        let mean = |day: usize| Window::over(&values[day * SLOTS_PER_DAY..][..SLOTS_PER_DAY]).mean();
        assert!(mean(9) / mean(1) < 1.1, "{} against {}", mean(9), mean(1));
    }

    #[test]
    fn what_cannot_be_classified_says_why() {
        let short = Series::new(vec![1.0; 239]);
        assert_eq!(prepared(&short), Err(Unclassified::TooShort { slots: 239 }));
        assert_eq!(prepared(&Series::new(vec![1.0])), Err(Unclassified::TooShort { slots: 1 }));
        let mut values = vec![1.0; 240];
        for day in 0..3 {
            values[day * SLOTS_PER_DAY + 19] = f64::NAN;
        }
        let gappy = prepared(&Series::new(values)).expect_err("a half-hour read twice");
        assert_eq!(gappy, Unclassified::Gaps { slot: 19, readings: 2 });
        assert!(gappy.to_string().contains("got 2 at 09:30"), "{gappy}");
        let nothing = Series::new(vec![f64::NAN; 240]);
        assert_eq!(prepared(&nothing), Err(Unclassified::Gaps { slot: 0, readings: 0 }));
    }

    #[test]
    fn a_series_that_does_not_vary_is_constant() {
        for level in [0.0, 33.3, 100.0] {
            let (values, _, varies) = prepared(&Series::new(vec![level; 300])).expect("long enough");
            assert!(!varies && values.iter().all(|value| value.is_finite()), "{level}");
        }
    }

    #[test]
    fn an_idle_day_does_not_blow_up_the_next() {
        let values = (0..240).map(|slot| if slot / SLOTS_PER_DAY == 2 { 0.0 } else { 50.0 }).collect();
        let (values, _, varies) = prepared(&Series::new(values)).expect("five days");
        assert!(varies && values.iter().all(|value| value.is_finite()), "{values:?}");
    }
}
