//! The outcomes of a cluster's runs over years that exhibits of this process have had. Several exhibits of one paper show
//! the same runs, so that reproducing all of them makes each run once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tiebreak_model::Declared;
use tiebreak_model::random::Seed;
use tiebreak_placement::RuleUse;
use tiebreak_sim::admission::frontier::Outcome;
use tiebreak_sim::{AdmissionSettings, ClusterYears};

static KNOWN: Mutex<BTreeMap<Key, Outcome>> = Mutex::new(BTreeMap::new());

/// All that a run depends on, numbers as bits.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    settings: Vec<u64>,
    years: Vec<u64>,
    rule: String,
    values: Vec<u64>,
    seed: u64,
}

/// The outcome of the run under this rule, which `run` makes unless it is known.
pub(super) fn of<E>(
    (settings, years, seed): (&AdmissionSettings, &ClusterYears, Seed),
    rule: &RuleUse,
    run: impl FnOnce() -> Result<Outcome, E>,
) -> Result<Outcome, E> {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect();
    let key = Key {
        settings: bits(&settings.to_values()),
        years: bits(&years.to_values()),
        rule: rule.id.clone(),
        values: bits(&rule.values),
        seed: seed.0,
    };
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(outcome) = known().get(&key) {
        return Ok(*outcome);
    }
    // Not locked during the run: other threads make theirs.
    let outcome = run()?;
    known().insert(key, outcome);
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_made_once_and_another_one_is_not_taken_for_it() {
        let rule = |id: &str, value: f64| RuleUse { values: vec![value], ..RuleUse::plain(id, None) };
        let (settings, years) = (AdmissionSettings::default(), ClusterYears { years: 7.5, ..ClusterYears::default() });
        let wide = AdmissionSettings { tolerance: 7.5, ..settings };
        let long = ClusterYears { observations: 3, ..years };
        let first = rule("FirstMomentAdmission", 7.5);
        let cases = [
            (&settings, &years, 1, &first),
            (&wide, &years, 1, &first),
            (&settings, &long, 1, &first),
            (&settings, &years, 2, &first),
            (&settings, &years, 1, &rule("FirstMomentAdmission", 8.5)),
            (&settings, &years, 1, &rule("ZerothMomentAdmission", 7.5)),
        ];
        for (used, (settings, years, seed, rule)) in (1_u32..).zip(cases) {
            let outcome = Outcome { used: f64::from(used), ..Outcome::default() };
            let ran = |run: &dyn Fn() -> Result<Outcome, ()>| of((settings, years, Seed(seed)), rule, run);
            assert_eq!(ran(&|| Err(())), Err(()), "a failed run is not kept");
            assert_eq!(ran(&|| Ok(outcome)), Ok(outcome));
            assert_eq!(ran(&|| unreachable!("it is known")), Ok(outcome));
        }
    }
}
