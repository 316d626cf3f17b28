//! The agreement of a fitted distribution with the observations: both curves, and two distances.
//!
//! Partly observed values count for as long as they were observed: the curve is the cumulative incidence of Aalen and
//! Johansen (1978), which is 1 minus Kaplan-Meier without competing events.

use alloc::vec::Vec;

use tiebreak_model::sort;

/// The most points in a plot.
const POINTS: usize = 64;

/// A distribution as observed and as fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// Points of both curves, ascending; at most 64.
    pub points: Vec<AgreementPoint>,
    /// The largest distance of the two curves, 0 to 1 (Kolmogorov and Smirnov).
    pub kolmogorov_smirnov: f64,
    /// The mean squared distance over the observations, 0 to 1 (Cramer and von Mises).
    pub cramer_von_mises: f64,
    /// The number of complete observations.
    pub seen: u32,
    /// The number of censored observations.
    pub censored: u32,
}

/// The shares up to a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgreementPoint {
    /// The value: cores, or hours.
    pub at: f64,
    /// Its observed share, 0 to 1.
    pub seen: f64,
    /// Its fitted share, 0 to 1.
    pub fitted: f64,
}

/// How an observation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchEnd {
    /// With the event of interest.
    Event,
    /// With another event after which it cannot happen any more.
    Other,
    /// Censored.
    Censored,
}

/// A value at which the observed curve may rise.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rise {
    at: f64,
    before: f64,
    after: f64,
}

/// Compares observations with a fitted distribution; `None` if nothing happened. `below` is the fitted share below a
/// value, if it differs from that up to it.
pub(super) fn agreement(
    watched: Vec<(f64, WatchEnd)>,
    up_to: impl Fn(f64) -> f64,
    below: impl Fn(f64) -> f64,
) -> Option<Agreement> {
    let count = |outcome| watched.iter().filter(|one| one.1 == outcome).count() as u32;
    let (seen, censored) = (count(WatchEnd::Event), count(WatchEnd::Censored));
    if seen == 0 {
        return None;
    }
    let (mut largest, mut squares, mut mass) = (0.0_f64, 0.0, 0.0);
    let rises = rises(watched);
    for Rise { at, before, after } in &rises {
        let (low, high) = (before - below(*at), after - up_to(*at));
        largest = largest.max(low.abs()).max(high.abs());
        squares += (after - before) * (low + high) * (low + high) / 4.0;
        mass += after - before;
    }
    let every = rises.len().div_ceil(POINTS);
    // From the end, so that the last one is always included.
    let shown = rises.iter().rev().step_by(every).rev();
    let points = shown.map(|rise| AgreementPoint { at: rise.at, seen: rise.after, fitted: up_to(rise.at) }).collect();
    Some(Agreement { points, kolmogorov_smirnov: largest, cramer_von_mises: squares / mass, seen, censored })
}

/// The cumulative incidence, at every value with an event, and the last one observed.
fn rises(mut watched: Vec<(f64, WatchEnd)>) -> Vec<Rise> {
    sort::seldom(&mut watched, |one, other| one.0 < other.0);
    let (mut at_risk, mut left, mut share) = (watched.len() as f64, 1.0, 0.0);
    let mut rises = Vec::new();
    let groups = watched.chunk_by(|one, next| one.0 == next.0);
    for (at, group) in groups.map(|group| (group[0].0, group)) {
        let count = |outcome| group.iter().filter(|one| one.1 == outcome).count() as f64;
        let (events, others) = (count(WatchEnd::Event), count(WatchEnd::Other));
        let before = share;
        share += left * events / at_risk;
        left *= 1.0 - (events + others) / at_risk;
        at_risk -= group.len() as f64;
        if events > 0.0 || at_risk < 0.5 {
            rises.push(Rise { at, before, after: share });
        }
    }
    rises
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn a_curve_that_fits_is_near_and_another_one_is_not() {
        let watched: Vec<(f64, WatchEnd)> =
            (0..1_000).map(|n| ((f64::from(n) + 0.5) / 1_000.0, WatchEnd::Event)).collect();
        let same = |x: f64| x;
        let fits = agreement(watched.clone(), same, same).expect("events");
        assert!(fits.kolmogorov_smirnov < 0.001 && fits.cramer_von_mises < 1e-6, "{fits:?}");
        assert!(fits.points.len() <= 64 && fits.seen == 1_000);
        assert_eq!(fits.points.last().map(|point| point.at), Some(0.9995));
        let square = |x: f64| x * x;
        let apart = agreement(watched, square, square).expect("events");
        // x - x^2 is at most 1/4, and its mean square 1/30.
        assert!((apart.kolmogorov_smirnov - 0.25).abs() < 0.001 && (apart.cramer_von_mises - 1.0 / 30.0).abs() < 1e-4);
    }

    #[test]
    fn what_was_seen_in_part_counts_as_long_as_it_was_seen() {
        let watched = vec![
            (1.0, WatchEnd::Event),
            (2.0, WatchEnd::Censored),
            (3.0, WatchEnd::Other),
            (4.0, WatchEnd::Event),
            (5.0, WatchEnd::Censored),
        ];
        // 1/5; then of the remaining 4/5, 1/3 ends otherwise; then half of the rest.
        let found = rises(watched.clone());
        let third = 0.2 + 0.8 * (2.0 / 3.0) / 2.0;
        let expected = [(1.0, 0.2), (4.0, third), (5.0, third)];
        assert_eq!(found.len(), 3);
        for (rise, (at, after)) in found.iter().zip(expected) {
            assert!(rise.at == at && (rise.after - after).abs() < 1e-12, "{found:?}");
        }
        let agreement = agreement(watched, |_| 0.5, |_| 0.5).expect("events");
        assert_eq!((agreement.seen, agreement.censored), (2, 2));
    }

    #[test]
    fn where_nothing_happened_there_is_nothing_to_compare() {
        assert_eq!(agreement(vec![(1.0, WatchEnd::Censored), (2.0, WatchEnd::Other)], |_| 0.5, |_| 0.5), None);
        assert_eq!(agreement(Vec::new(), |_| 0.5, |_| 0.5), None);
    }
}
