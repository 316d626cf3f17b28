//! Compares forecasts with the simulated model: a small version of the example `monte_carlo`.

#![allow(clippy::disallowed_methods, reason = "a test's own numbers may differ in the last digit between machines")]

mod simulation;

use simulation::{Luck, trial};

#[test]
fn forecasts_agree_with_simulated_futures() {
    for seed in 0..20 {
        let mut luck = Luck::new(seed);
        let trial = trial(&mut luck, seed % 2 == 0);
        for gap in trial.gaps(&mut luck, 100_000) {
            assert!(!gap.is_wrong(), "seed {seed}: {gap:?} of {trial:?}");
            assert!(gap.z().abs() < 6.0, "seed {seed}: {gap:?} of {trial:?}");
        }
    }
}
