//! The template algorithm: does a typical day describe most days better than a typical third or half of a day?
//!
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms", section III-B.

use tiebreak_model::Time;

use crate::learning::TelemetryLabel;
use crate::series::{Prepared, SLOTS_PER_DAY, Series, Unclassified, readings_needed};

/// `Compare8` below which a VM is user-facing. (Section IV-B, Figure 3)
pub const THRESHOLD: f64 = 0.72;
/// The largest deviations, one in this many, are left out. (Section III-B, step 3: 20 %)
const LEFT_OUT: usize = 5;
/// The lengths of the templates, in half-hours: 24, 8 and 12 hours.
pub(crate) const PERIODS: [usize; 3] = [SLOTS_PER_DAY, SLOTS_PER_DAY / 3, SLOTS_PER_DAY / 2];

/// How well a 24-hour template fits compared with shorter ones: near 0 it fits much better, at 1 no better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// The average deviation from the 24-hour template over that from the 8-hour one.
    pub compare8: f64,
    /// The same over that from the 12-hour one.
    pub compare12: f64,
}

impl Scores {
    /// For a series without a pattern: no template is better than another.
    pub(crate) const NO_PATTERN: Self = Self { compare8: 1.0, compare12: 1.0 };

    /// From the deviations that remain for templates of the lengths [`PERIODS`].
    pub(crate) fn of([day, third, half]: [f64; 3]) -> Self {
        // If a shorter pattern fits perfectly, a 24-hour one cannot be better.
        let compare = |shorter: f64| if shorter > 0.0 { day / shorter } else { 1.0 };
        Self { compare8: compare(third), compare12: compare(half) }
    }

    /// Whether the VM is user-facing.
    #[must_use]
    pub fn is_user_facing(self) -> bool {
        self.compare8 < THRESHOLD
    }
}

/// Classifies series one after the other, without allocating for each.
#[derive(Clone, Debug, Default)]
pub struct Template {
    prepared: Prepared,
    /// The readings of one time of day.
    same_time: Vec<f64>,
    deviations: Vec<f64>,
}

impl Template {
    /// The scores of a series. A constant one, including all zero, has no pattern and scores 1.
    ///
    /// # Errors
    /// If the series is too short or has too many gaps.
    pub fn scores(&mut self, series: &Series) -> Result<Scores, Unclassified> {
        if !self.prepared.set(series)? {
            return Ok(Scores::NO_PATTERN);
        }
        Ok(Scores::of(PERIODS.map(|period| self.deviation(period))))
    }

    /// Whether the VM is user-facing; one that cannot be classified counts as user-facing. (Section III-B)
    pub fn is_user_facing(&mut self, series: &Series) -> bool {
        self.scores(series).map_or(true, Scores::is_user_facing)
    }

    /// The label of a VM that runs from `start` to `end`. `readings` gives the mean CPU utilization of each half-hour of
    /// a span, and is asked only if the VM lives long enough.
    pub fn label(&mut self, start: Time, end: Time, readings: impl FnOnce(Time, Time) -> Vec<f64>) -> TelemetryLabel {
        let (first, classified) = readings_needed(start);
        if end < classified {
            return TelemetryLabel { at: end, user_facing: None };
        }
        let scores = self.scores(&Series::from(first, readings(first, classified)));
        TelemetryLabel { at: classified, user_facing: scores.ok().map(Scores::is_user_facing) }
    }

    /// The average deviation of the readings from the medians of their times, without the largest 20 %. (Steps 2 and
    /// 3)
    fn deviation(&mut self, period: usize) -> f64 {
        let Self { prepared, same_time, deviations } = self;
        deviations.clear();
        for first in 0..period {
            same_time.clear();
            same_time.extend(prepared.values[first..].iter().step_by(period).filter(|value| !value.is_nan()));
            let typical = median(same_time);
            deviations.extend(same_time.iter().map(|value| (value - typical).abs()));
        }
        let kept = deviations.len() - deviations.len() / LEFT_OUT;
        if kept < deviations.len() {
            deviations.select_nth_unstable_by(kept, f64::total_cmp);
        }
        deviations[..kept].iter().sum::<f64>() / kept as f64
    }
}

/// The median; this sorts the values.
fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let (low, high) = ((values.len() - 1) / 2, values.len() / 2);
    (values[low] + values[high]) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(values: impl Iterator<Item = f64>) -> Scores {
        Template::default().scores(&Series::new(values.collect())).expect("long enough")
    }

    fn office(slot: usize) -> f64 {
        if (18..36).contains(&(slot % SLOTS_PER_DAY)) { 60.0 } else { 12.0 }
    }

    fn pulses(period: usize) -> impl Fn(usize) -> f64 {
        move |slot| if slot % period < period.div_ceil(3) { 70.0 } else { 20.0 }
    }

    #[test]
    fn a_day_that_repeats_is_user_facing() {
        let day = scores((0..240).map(office));
        assert_eq!(day, Scores { compare8: 0.0, compare12: 0.0 });
    }

    #[test]
    fn an_interruption_does_not_hide_it() {
        let interrupted = scores((0..240).map(|slot| if (100..130).contains(&slot) { 35.0 } else { office(slot) }));
        assert!(interrupted.is_user_facing(), "{interrupted:?}");
    }

    #[test]
    fn trend_and_varying_peaks_do_not_hide_it() {
        let peaks = [1.0, 1.5, 0.8, 1.9, 1.2];
        let varied = scores((0..240).map(|slot| peaks[slot / SLOTS_PER_DAY] * office(slot)));
        let growing = scores((0..480).map(|slot| office(slot) * (1.0 + slot as f64 / 160.0)));
        assert!(varied.is_user_facing() && growing.is_user_facing(), "{varied:?} {growing:?}");
    }

    #[test]
    fn divisors_of_8_hours_are_told_from_days() {
        for hours in [1, 2, 4, 8] {
            let machine = scores((0..240).map(pulses(2 * hours)));
            assert!(!machine.is_user_facing(), "every {hours} h: {machine:?}");
        }
    }

    /// A period of 6 hours divides 12 but not 8: `Compare8` alone mistakes it for a daily one, `Compare12` does not.
    #[test]
    fn six_hours_pass_compare8() {
        let six = scores((0..240).map(pulses(12)));
        assert!(six.is_user_facing() && six.compare12 == 1.0, "{six:?}");
    }

    #[test]
    fn what_has_no_pattern_is_no_days() {
        for level in [0.0, 50.0] {
            assert_eq!(scores((0..240).map(|_| level)), Scores::NO_PATTERN);
        }
        // The golden ratio's multiples are spread evenly and never repeat.
        let scattered = scores((0..240).map(|slot| 100.0 * (f64::from(slot) * 0.618_033_988_749).fract()));
        assert!(!scattered.is_user_facing(), "{scattered:?}");
    }

    #[test]
    fn what_cannot_be_classified_is_user_facing() {
        let mut template = Template::default();
        for values in [vec![], vec![5.0], vec![50.0; 239], vec![f64::NAN; 240]] {
            assert!(template.scores(&Series::new(values.clone())).is_err());
            assert!(template.is_user_facing(&Series::new(values)));
        }
        assert!(!template.is_user_facing(&Series::new(vec![50.0; 240])));
    }

    #[test]
    fn a_vm_is_labelled_after_five_weekdays_and_not_before() {
        let (hour, day) = (3_600_000, 86_400_000);
        // It starts on a Thursday at 9:00; its fifth weekday ends on the next Thursday at 9:00.
        let (start, at) = (Time(3 * day + 9 * hour), Time(10 * day + 9 * hour));
        let office =
            |from: Time, to: Time| (from.0 * 2 / hour..to.0 * 2 / hour).map(|slot| office(slot as usize)).collect();
        let label = |end| Template::default().label(start, Time(end), office);
        assert_eq!(label(11 * day), TelemetryLabel { at, user_facing: Some(true) });
        let steady = |from: Time, to: Time| vec![30.0; ((to.0 - from.0) * 2 / hour) as usize];
        assert_eq!(Template::default().label(start, Time(11 * day), steady).user_facing, Some(false));
        for end in [at.0 - 1, start.0 + 60_000] {
            assert_eq!(label(end), TelemetryLabel { at: Time(end), user_facing: None });
        }
    }

    #[test]
    fn gaps_and_the_hour_of_the_start_change_little() {
        let gappy = scores((0..240).map(|slot| if slot % 17 == 0 { f64::NAN } else { office(slot) }));
        assert!(gappy.is_user_facing(), "{gappy:?}");
        let shifted: Vec<f64> = (13..300).map(office).collect();
        let shifted = Series::new(shifted).starting_at(13).on_weekday(0);
        assert!(Template::default().is_user_facing(&shifted));
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
