//! Random scenarios, and the laws that hold in all of them.
//!
//! A failure prints its number; this replays it alone:
//! `TIEBREAK_CASE=<number> cargo test -p tiebreak-tests --test laws`.
//! A soak: `TIEBREAK_CASES=100000 cargo test --release -p tiebreak-tests --test laws`.

use tiebreak_sim::{Outcome, World};
use tiebreak_testkit::{Case, laws};

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|value| value.parse().ok())
}

#[test]
fn every_law_holds_in_random_scenarios() {
    let cases = match number_from("TIEBREAK_CASE") {
        Some(number) => number..number + 1,
        None => 0..number_from("TIEBREAK_CASES").unwrap_or(300),
    };
    for number in cases {
        if let Err(broken) = laws::check(&Case::random(number)) {
            panic!("{broken}\nreplay: TIEBREAK_CASE={number} cargo test -p tiebreak-tests --test laws");
        }
    }
}

#[test]
fn random_scenarios_are_not_all_easy() {
    let (mut conflicts, mut refused, mut retried_out, mut warm_refused) = (0, 0, 0, 0);
    for number in 0..100 {
        let mut world = World::new(Case::random(number).plan(true));
        world.keep_decisions();
        world.run();
        let ended = |outcome| world.decisions().iter().filter(|decision| decision.outcome == outcome).count();
        conflicts += ended(Outcome::Conflict);
        refused += ended(Outcome::Refused);
        retried_out += ended(Outcome::OutOfRetries);
        warm_refused += world.summary().warm_rejections;
    }
    assert!(conflicts > 100 && refused > 1_000 && retried_out > 10 && warm_refused > 100);
}
