//! Where commits failed, as shown on the fleet map (Protean section 5.3).

use tiebreak_app::Outcome;
use tiebreak_engine::protocol::Failed;
use tiebreak_engine::words;
use tiebreak_i18n::say;

/// Where commits failed shortly before a moment of a finished run; recently, for one under way.
#[must_use]
pub fn at(live: &Outcome, moment: f64) -> Option<&Failed> {
    if live.result.is_none() {
        return Some(&live.failing);
    }
    let frame = live.frame_times.partition_point(|taken| *taken <= moment).saturating_sub(1);
    live.failed.get(frame)
}

/// On how many machines; `None` if there are none.
#[must_use]
pub fn in_words(failed: &Failed) -> Option<String> {
    let named = failed.machines.len();
    match (named, failed.left_out) {
        (0, _) => None,
        (_, 0) => Some(named.to_string()),
        (_, left_out) => Some(say("{named} of {}", &[&named, &words::count(named as f64 + f64::from(left_out))])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_cut_says_so() {
        for (named, left_out, expected) in [(0, 0, None), (6, 0, Some("6")), (200, 1_107, Some("200 of 1,307"))] {
            let failed = Failed { machines: (0..named).collect(), left_out };
            assert_eq!(in_words(&failed).as_deref(), expected);
        }
    }
}
