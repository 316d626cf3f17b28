//! Where commits failed, for the fleet map (Protean section 5.3).

use tiebreak_sim::frames::FAILED_MAX;

use crate::app::Outcome;
use crate::protocol::Failed;

/// Several lists as one, as long as one may be; what does not fit is left out evenly, as
/// [`tiebreak_sim::Frames`] does.
#[must_use]
pub fn merged<'a>(lists: impl IntoIterator<Item = &'a Failed>) -> Failed {
    let (mut machines, mut left_out) = (Vec::new(), 0);
    for list in lists {
        machines.extend(&list.machines);
        left_out = list.left_out.max(left_out);
    }
    machines.sort_unstable();
    machines.dedup();
    left_out += machines.len().saturating_sub(FAILED_MAX) as u32;
    machines.sort_unstable_by_key(|machine: &u32| machine.reverse_bits());
    machines.truncate(FAILED_MAX);
    machines.sort_unstable();
    Failed { machines, left_out }
}

/// Where commits failed shortly before a moment of a finished run, or shortly before now.
#[must_use]
pub fn at(live: &Outcome, moment: f64) -> Failed {
    if live.result.is_none() {
        return merged(&live.failing);
    }
    let frame = live.frame_times.partition_point(|taken| *taken <= moment).saturating_sub(1);
    live.failed.get(frame).cloned().unwrap_or_default()
}

/// How many machines that are, in words; nothing of none.
#[must_use]
pub fn in_words(failed: &Failed) -> Option<String> {
    let named = failed.machines.len();
    match (named, failed.left_out) {
        (0, _) => None,
        (_, 0) => Some(named.to_string()),
        (_, left_out) => Some(format!("{named} of {}", crate::view::words::count(named as f64 + f64::from(left_out)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_one_that_is_not_too_long() {
        let list = |machines: std::ops::Range<u32>, left_out| Failed { machines: machines.collect(), left_out };
        for (lists, named, words) in [
            (vec![], 0, None),
            (vec![list(3..5, 0), list(4..9, 0)], 6, Some("6")),
            (vec![list(0..200, 7), list(100..300, 0)], 200, Some("200 of 307")),
        ] {
            let all = merged(&lists);
            assert_eq!((all.machines.len(), in_words(&all).as_deref()), (named, words));
            assert!(all.machines.is_sorted());
        }
    }
}
