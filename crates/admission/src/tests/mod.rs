//! The moments compared with independent values, and under invalid inputs.

mod reference;

use alloc::vec::Vec;

use crate::ahead::{Ahead, Moments};
use crate::belief::Belief;
use crate::closed;
use crate::gamma::{Gamma, SizeMoments};
use crate::path::Pace;
use crate::prior::{Deaths, Model, Prior, Stop};
use crate::seen::Seen;
use reference::{BeliefCase, CASES, GIVEN, KnownCase};

fn model(case: &BeliefCase) -> Model {
    let [a, b, c, d, e, f, stop, power] = case.prior;
    let gamma = |shape, rate| Gamma { shape, rate };
    let prior = Prior { death: gamma(a, b), scale_out: gamma(c, d), size: gamma(e, f), stop, power };
    Model { prior, deaths: case.deaths, stop: case.stop }
}

fn seen(case: &BeliefCase) -> Seen {
    let [cores, squares, deaths, exposure, scale_outs, hours, extra, requests] = case.seen;
    Seen { cores, squares, blocks: 2.0, deaths, exposure, scale_outs, hours, extra, requests }
}

fn believed(case: &BeliefCase, nodes: usize) -> Moments {
    let mut moments = Vec::new();
    Belief::new(&model(case), &seen(case), nodes).moments(&seen(case), &[case.hours], &mut moments);
    moments[0]
}

/// The larger of the two relative errors.
fn error(found: Moments, mean: f64, variance: f64) -> f64 {
    (found.mean / mean - 1.0).abs().max((found.variance / variance - 1.0).abs())
}

#[test]
fn many_nodes_give_the_reference_values() {
    for case in CASES {
        let error = error(believed(case, 400), case.mean, case.variance);
        assert!(error < 1e-6, "{error:e}: {case:?}");
    }
}

#[test]
fn few_nodes_give_nearly_the_same() {
    for case in CASES {
        let error = error(believed(case, Belief::NODES), case.mean, case.variance);
        assert!(error < 1e-4, "{error:e}: {case:?}");
    }
}

#[test]
fn few_nodes_reach_three_years_ahead() {
    // There the variance comes from the few deployments with the longest-lived cores.
    for case in CASES {
        let far = BeliefCase { hours: 26_280.0, ..*case };
        let (few, many) = (believed(&far, Belief::NODES), believed(&far, 2_000));
        let near = |one: f64, other: f64| (one - other).abs() < 1e-3 * other + 1e-3;
        assert!(near(few.mean, many.mean) && near(few.variance, many.variance), "{few:?} {many:?}: {case:?}");
    }
}

#[test]
fn the_closed_form_is_exact_where_it_says_so() {
    let exact = |case: &&BeliefCase| case.stop == Stop::Hard && (case.prior[7] == 0.0 || case.seen[5] == 0.0);
    assert!(CASES.iter().filter(exact).count() > 10);
    for case in CASES.iter().filter(exact) {
        let found = closed::moments(&model(case), &seen(case), case.hours).expect("a hard stop");
        let error = error(found, case.mean, case.variance);
        assert!(error < 1e-6, "{error:e}: {case:?}");
    }
}

#[test]
fn elsewhere_the_closed_form_is_near() {
    for case in CASES.iter().filter(|case| case.stop == Stop::Hard) {
        let found = closed::moments(&model(case), &seen(case), case.hours).expect("a hard stop");
        // If hardly a core is left, its relative error does not matter.
        assert!((found.mean - case.mean).abs() < 0.15 * case.mean + 0.05, "{found:?}: {case:?}");
    }
    assert_eq!(closed::moments(&Model { stop: Stop::Soft, ..model(&CASES[0]) }, &seen(&CASES[0]), 1.0), None);
}

#[test]
fn one_known_deployment_has_the_conditional_moments() {
    for given in GIVEN {
        let KnownCase { mu, lambda, sigma, cores, hours, nu, stop, mean, variance } = *given;
        let mut ahead = Ahead::default();
        let pace = Pace::new(mu, nu);
        ahead.add(&pace.path(hours, pace.ended(hours), stop), 1.0, [lambda, 1.0, lambda * lambda]);
        let size = SizeMoments {
            mean: 1.0 + sigma,
            pairs: 2.0 * sigma + sigma * sigma,
            across: (1.0 + sigma) * (1.0 + sigma),
        };
        let error = error(ahead.moments(cores, 0.0, &size, Deaths::Cores), mean, variance);
        assert!(error < 1e-6, "{error:e}: {given:?}");
    }
}

#[test]
fn a_fresh_deployment_costs_one_ahead_for_all() {
    let model = model(&CASES[0]);
    let fresh = Belief::new(&model, &Seen::default(), 400).ahead(&[24.0])[0];
    for cores in [1.0, 7.0, 300.0] {
        let seen = Seen::started(cores);
        let size = SizeMoments::of(&model.prior.size.updated(cores - 1.0, 1.0));
        let mut own = Vec::new();
        Belief::new(&model, &seen, 400).moments(&seen, &[24.0], &mut own);
        assert_eq!(own, [fresh.moments(cores, cores * cores, &size, model.deaths)]);
    }
}

#[test]
fn a_grid_gives_what_its_horizons_give_one_by_one() {
    let grid = [3.0, 1.0, 2.0, 2.0, 4.0, 6.0, 8.0, 0.0, 0.0, 5_000.0, 10_000.0];
    for case in CASES {
        let mut together = Vec::new();
        Belief::new(&model(case), &seen(case), Belief::NODES).moments(&seen(case), &grid, &mut together);
        for (hours, found) in grid.into_iter().zip(together) {
            let alone = believed(&BeliefCase { hours, ..*case }, Belief::NODES);
            let near = |one: f64, other: f64| (one - other).abs() <= 1e-9 * (1.0 + other);
            assert!(near(found.mean, alone.mean) && near(found.variance, alone.variance), "{hours} h: {case:?}");
        }
    }
}

#[test]
fn survival_and_rates_are_those_of_the_lomax_form() {
    let model = Model { prior: Prior { power: 0.0, ..model(&CASES[0]).prior }, ..model(&CASES[0]) };
    let seen = Seen { deaths: 3.0, exposure: 90.0, scale_outs: 2.0, hours: 15.0, ..Seen::started(8.0) };
    let belief = Belief::new(&model, &seen, 200);
    let (shape, rate) = (5.5, 20.0 + 90.0 + 1.5);
    for (found, expected) in [
        (belief.survival(48.0), libm::pow(rate / (rate + 0.1 * 48.0), shape)),
        (belief.mean_death_rate(), shape / rate),
        (belief.mean_scale_out_rate(), 3.2 / 45.0),
    ] {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} instead of {expected}");
    }
}

#[test]
fn at_horizon_zero_there_are_the_cores_of_now() {
    for case in CASES {
        let at_once = believed(&BeliefCase { hours: 0.0, ..*case }, Belief::NODES);
        assert_eq!(at_once, Moments { mean: case.seen[0], variance: 0.0 }, "{case:?}");
    }
}

#[test]
fn whatever_comes_moments_are_numbers() {
    let numbers = [0.0, 1e-300, 1.0, 1e9, 1e300];
    let gammas = [(1e-6, 1e-6), (1e-6, 1e12), (1.0, 1.0), (1e12, 1e-6), (1e12, 1e12)];
    let mut asked = 0;
    for (place, (shape, rate)) in gammas.into_iter().enumerate() {
        for power in [-4.0, -1e-7, 0.0, 0.5, 4.0] {
            let (death, other) = (Gamma { shape, rate }, gammas[(place + 2) % gammas.len()]);
            let other = Gamma { shape: other.0, rate: other.1 };
            let stop = [0.0, 1.0, 1e4][place % 3];
            let prior = Prior { death, scale_out: other, size: death, stop, power };
            for (deaths, stop) in [(Deaths::Cores, Stop::Hard), (Deaths::Blocks, Stop::Soft)] {
                let model = Model { prior, deaths, stop };
                if model.check().is_err() {
                    continue;
                }
                for first in numbers {
                    for second in numbers {
                        let mut seen = Seen::started(first);
                        seen.pass(second, deaths);
                        seen.scale_out(second, true);
                        seen.death(first, deaths);
                        let belief = Belief::new(&model, &seen, Belief::NODES);
                        for hours in numbers {
                            let mut out = Vec::new();
                            belief.moments(&seen, &[hours], &mut out);
                            let Moments { mean, variance } = out[0];
                            assert!(!mean.is_nan() && !variance.is_nan(), "{model:?} {seen:?} {hours}: {out:?}");
                            assert!((0.0..=1.0 + 1e-9).contains(&belief.survival(hours)), "{model:?} {seen:?}");
                            asked += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(asked > 3_000, "{asked}");
}
