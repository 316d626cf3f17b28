//! What becomes of newcomers, one by one, to compare forecasts with it.
//!
//! Each deployment is drawn from the prior and followed alone, with room for every scale-out, until it has no core left
//! or the last horizon. (Cluster admission, section 2.1)

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_admission::{Deaths, Model, Stop};
use tiebreak_model::random::Seed;

use super::years::{exponential, request, truth, unit};

/// A deployment from its arrival on.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// The cores that it first requested.
    pub first: u32,
    /// Its cores at each horizon; 0 once it has ended.
    pub cores: Vec<f64>,
}

/// This many deployments at these horizons, in hours from their arrival, ascending.
#[must_use]
pub fn followed(model: &Model, hours: &[f64], count: u32, seed: Seed) -> Vec<Followed> {
    let mut draws = seed.stream("newcomers").generator();
    let mut one = || {
        let truth = truth(model, &mut draws);
        let first = request(truth.size, &mut draws);
        // Units that end: cores, or blocks.
        let mut units = match model.deaths {
            Deaths::Blocks => vec![first],
            Deaths::Cores => vec![1; first as usize],
        };
        let (mut now, mut grows, mut cores) = (0.0, true, vec![0.0; hours.len()]);
        while !units.is_empty() {
            let ends = units.len() as f64 * truth.death;
            let (scales, stops) = if grows { (truth.scale_out, model.prior.stop * truth.death) } else { (0.0, 0.0) };
            let next = now + exponential(&mut draws, ends + scales + stops);
            let held = units.iter().map(|unit| f64::from(*unit)).sum::<f64>();
            for (hours, cores) in hours.iter().zip(&mut cores) {
                if (now..next).contains(hours) {
                    *cores = held;
                }
            }
            now = next;
            if hours.last().is_none_or(|last| *last < now) {
                break;
            }
            let which = unit(&mut draws) * (ends + scales + stops);
            if which < ends {
                let at = (unit(&mut draws) * units.len() as f64) as usize;
                units.swap_remove(at.min(units.len() - 1));
            } else if which < ends + stops {
                grows = false;
                if model.stop == Stop::Hard {
                    units.clear();
                }
            } else {
                let more = request(truth.size, &mut draws);
                match model.deaths {
                    Deaths::Blocks => units.push(more),
                    Deaths::Cores => units.resize(units.len() + more as usize, 1),
                }
            }
        }
        Followed { first, cores }
    };
    (0..count).map(|_| one()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::{AdmissionSettings, Terms, WhenEmpty};
    use tiebreak_admission::Seen;

    /// The ratio of the sum of forecasts to the sum of actual cores, at each of the terms' moments up to a week.
    fn ratios(when_empty: WhenEmpty) -> Vec<(f64, f64)> {
        // Without a long tail, so that thousands are enough.
        let settings = AdmissionSettings {
            death_shape: 3.0,
            death_rate: 20.0,
            size_rate: 0.4,
            when_empty,
            ..AdmissionSettings::default()
        };
        let terms = Terms::new(&settings, true).expect("terms");
        let hours: Vec<f64> = terms.hours().iter().copied().filter(|hours| *hours <= 100.0).collect();
        let (mut forecast, mut actual) = (vec![0.0; hours.len()], vec![0.0; hours.len()]);
        for it in followed(terms.model(), &hours, 60_000, Seed(3)) {
            let moments = terms.moments(&[Seen::started(f64::from(it.first))]);
            forecast.iter_mut().zip(moments).for_each(|(sum, moments)| *sum += moments.mean);
            actual.iter_mut().zip(it.cores).for_each(|(sum, cores)| *sum += cores);
        }
        hours
            .iter()
            .zip(forecast.iter().zip(actual))
            .map(|(hours, (forecast, actual))| (*hours, forecast / actual))
            .collect()
    }

    #[test]
    fn forecasts_fit_newcomers_only_if_an_empty_deployment_is_gone() {
        for (hours, ratio) in ratios(WhenEmpty::Ends) {
            assert!((ratio - 1.0).abs() < 0.08, "{hours} h: {ratio}");
        }
        assert!(ratios(WhenEmpty::Grows).iter().any(|(_, ratio)| *ratio > 1.1));
    }
}
