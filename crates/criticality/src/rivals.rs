//! The two usual ways to find a period, with the same preparation and the same comparison with shorter periods as the
//! templates: the Fourier transform and autocorrelation.
//!
//! Both measure how much of a series' variance a period leaves unexplained, and divide the value for a day by those
//! for 8 and 12 hours. The paper does not say how it turns either into a score; this is the reading closest to its
//! "same methods".
//!
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms", sections III-B and IV-B, Table II.

use std::fmt;
use std::sync::Arc;

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

use crate::series::{Prepared, SLOTS_PER_DAY, Series, Unclassified};
use crate::template::{PERIODS, Scores};

/// Finds periods by the Fourier transform: a period explains the share of power at its frequency.
///
/// Its sines are the platform's: the last bits of its scores differ between the program and the page. Everything else
/// here is identical.
#[derive(Default)]
pub struct Fourier {
    prepared: Prepared,
    spectrum: Vec<Complex<f64>>,
    plan: Option<Arc<dyn Fft<f64>>>,
}

impl fmt::Debug for Fourier {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Fourier").field("prepared", &self.prepared).finish_non_exhaustive()
    }
}

impl Fourier {
    /// The power that a day's frequency leaves unexplained over that of shorter periods; near 0 for a sine of 24
    /// hours.
    ///
    /// Only whole days are transformed, so that the frequencies in question are among those of the transform.
    ///
    /// # Errors
    /// If the series is too short or has too many gaps.
    pub fn scores(&mut self, series: &Series) -> Result<Scores, Unclassified> {
        if !self.prepared.set(series)? {
            return Ok(Scores::NO_PATTERN);
        }
        let values = whole_days(&self.prepared.values);
        let filled = centred(values);
        self.spectrum.clear();
        self.spectrum.extend(filled.map(|re| Complex { re, im: 0.0 }));
        let length = self.spectrum.len();
        if self.plan.as_ref().is_none_or(|plan| plan.len() != length) {
            self.plan = Some(FftPlanner::new().plan_fft_forward(length));
        }
        if let Some(plan) = &self.plan {
            plan.process(&mut self.spectrum);
        }
        let power = |bin: usize| self.spectrum[bin].norm_sqr();
        let all: f64 = (1..=length / 2).map(power).sum();
        Ok(Scores::of(PERIODS.map(|period| 1.0 - power(length / period) / all)))
    }
}

/// Finds periods by autocorrelation: a period explains the correlation of a series with itself at that lag.
#[derive(Clone, Debug, Default)]
pub struct Autocorrelation {
    prepared: Prepared,
    centred: Vec<f64>,
}

impl Autocorrelation {
    /// The variance that a day's lag leaves unexplained over that of shorter lags; near 0 if each day is like the day
    /// before.
    ///
    /// # Errors
    /// If the series is too short or has too many gaps.
    pub fn scores(&mut self, series: &Series) -> Result<Scores, Unclassified> {
        if !self.prepared.set(series)? {
            return Ok(Scores::NO_PATTERN);
        }
        self.centred.clear();
        self.centred.extend(centred(&self.prepared.values));
        Ok(Scores::of(PERIODS.map(|period| 1.0 - correlation(&self.centred, period))))
    }
}

/// The correlation of a series around 0 with itself at this lag: 1 if it repeats, 0 if there is no relation.
fn correlation(values: &[f64], lag: usize) -> f64 {
    let mean_product = |lag: usize| {
        let products = values.iter().zip(&values[lag..]).map(|(now, later)| now * later);
        products.sum::<f64>() / (values.len() - lag) as f64
    };
    mean_product(lag) / mean_product(0)
}

fn whole_days(values: &[f64]) -> &[f64] {
    &values[..values.len() / SLOTS_PER_DAY * SLOTS_PER_DAY]
}

/// The values minus their mean; gaps become 0.
fn centred(values: &[f64]) -> impl Iterator<Item = f64> {
    let known = values.iter().filter(|value| !value.is_nan());
    let (sum, count) = known.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    let mean = sum / f64::from(count);
    values.iter().map(move |value| if value.is_nan() { 0.0 } else { value - mean })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(values: impl Iterator<Item = f64>) -> (Scores, Scores) {
        let series = Series::new(values.collect());
        let fourier = Fourier::default().scores(&series).expect("long enough");
        (fourier, Autocorrelation::default().scores(&series).expect("long enough"))
    }

    fn wave(hours: f64) -> impl Fn(usize) -> f64 {
        move |slot| 50.0 + 20.0 * libm::sin(slot as f64 / (2.0 * hours) * core::f64::consts::TAU)
    }

    #[test]
    fn a_sine_of_a_day_is_found_by_both() {
        let (fourier, autocorrelation) = scores((0..240).map(wave(24.0)));
        assert!(fourier.compare8 < 0.01, "{fourier:?}");
        assert!(autocorrelation.compare8 < 0.1, "{autocorrelation:?}");
    }

    #[test]
    fn a_sine_of_eight_hours_is_no_days() {
        let (fourier, autocorrelation) = scores((0..240).map(wave(8.0)));
        assert!(!fourier.is_user_facing(), "{fourier:?}");
        assert!(!autocorrelation.is_user_facing(), "{autocorrelation:?}");
    }

    #[test]
    fn constants_have_no_period_and_short_series_no_score() {
        assert_eq!(scores((0..240).map(|_| 7.0)), (Scores::NO_PATTERN, Scores::NO_PATTERN));
        assert!(Fourier::default().scores(&Series::new(vec![1.0; 100])).is_err());
        assert!(Autocorrelation::default().scores(&Series::new(vec![1.0; 100])).is_err());
    }

    #[test]
    fn gaps_are_no_readings() {
        let (fourier, _) = scores((0..240).map(|slot| if slot % 11 == 3 { f64::NAN } else { wave(24.0)(slot) }));
        assert!(fourier.compare8 < 0.3, "{fourier:?}");
    }
}
