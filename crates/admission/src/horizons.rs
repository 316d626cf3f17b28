//! How far ahead a forecast looks: the paper's five look-aheads, and a short grid.
//!
//! Source: section 5.2, where each of five look-aheads has 600 steps.

use alloc::vec::Vec;

use tiebreak_model::sort;

/// The five look-aheads, in hours: a day, a week, a month, a year, three years.
pub const LOOK_AHEADS: [f64; 5] = [24.0, 168.0, 730.0, 8_760.0, 26_280.0];

/// Steps of each look-ahead.
pub const STEPS: u32 = 600;

/// All steps of all look-aheads, in hours, ascending, without duplicates.
#[must_use]
pub fn look_aheads() -> Vec<f64> {
    let mut hours: Vec<f64> = LOOK_AHEADS
        .iter()
        .flat_map(|last| (1..=STEPS).map(move |step| last * f64::from(step) / f64::from(STEPS)))
        .collect();
    sort::seldom(&mut hours, |one, other| one < other);
    hours.dedup_by(|one, other| (*one - *other).abs() < 1e-9 * *other);
    hours
}

/// Hours from `first_hours` to at least `last_hours`, each later by the same factor; `per_doubling` of them (at least
/// 1) double the time. Empty unless `first_hours` is above 0.
#[must_use]
pub fn geometric(first_hours: f64, last_hours: f64, per_doubling: u32) -> Vec<f64> {
    let mut hours = Vec::new();
    if !(first_hours > 0.0 && last_hours.is_finite()) {
        return hours;
    }
    let per = per_doubling.clamp(1, 1_000);
    for step in 0_u32.. {
        // Doublings are exact, so that grids of different fineness share points.
        let part = libm::exp2(f64::from(step % per) / f64::from(per));
        hours.push(first_hours * libm::exp2(f64::from(step / per)) * part);
        if hours.last().is_none_or(|last| last_hours <= *last * (1.0 + 1e-12)) {
            break;
        }
    }
    hours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_look_aheads_are_sorted_and_without_repeats() {
        let hours = look_aheads();
        assert!(hours.is_sorted_by(|one, next| one < next));
        assert!(LOOK_AHEADS.iter().all(|last| hours.contains(last)));
        assert_eq!((hours[0], hours.last().copied()), (0.04, Some(26_280.0)));
        assert_eq!(hours.len(), 2_663);
    }

    #[test]
    fn a_geometric_grid_doubles_and_covers_the_last_hour() {
        assert_eq!(geometric(1.0, 9.0, 1), [1.0, 2.0, 4.0, 8.0, 16.0]);
        assert_eq!(geometric(0.5, 2.0, 2).len(), 5);
        assert_eq!(geometric(3.0, 1.0, 4), [3.0]);
        for (first, last) in [(0.0, 5.0), (-1.0, 5.0), (f64::NAN, 5.0), (1.0, f64::INFINITY)] {
            assert_eq!(geometric(first, last, 1), Vec::<f64>::new());
        }
    }
}
