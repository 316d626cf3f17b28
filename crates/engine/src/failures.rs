//! Where commits failed, for the fleet map: recently while a run is under way, and frame by frame when it has ended.

use std::collections::VecDeque;

use tiebreak_sim::Frames;
use tiebreak_sim::frames::FAILED_MAX;

use crate::protocol::Failed;

/// The number of progress reports that count as recent: about half a second, to avoid flicker.
const REPORTS: usize = 6;

/// The number of frames at the last reports.
#[derive(Default)]
pub(super) struct Lately(VecDeque<usize>);

impl Lately {
    /// Where commits failed recently; for a run that is stepped, since the previous step.
    pub(super) fn failed(&mut self, frames: &Frames, stepped: bool) -> Failed {
        let kept = if stepped { 1 } else { REPORTS };
        self.0.drain(..self.0.len().saturating_sub(kept));
        let from = self.0.front().copied().unwrap_or(0);
        self.0.push_back(frames.failed().len());
        merged(frames.failed()[from..].iter().chain([&frames.failing()]))
    }
}

/// Where commits failed between each frame and the previous one.
pub(super) fn by_frame(frames: &Frames) -> Vec<Failed> {
    frames.failed().iter().map(|it| merged([it])).collect()
}

/// Merges several lists into one, up to the limit; what does not fit is thinned evenly, as in each of them.
fn merged<'a>(lists: impl IntoIterator<Item = &'a tiebreak_sim::Failed>) -> Failed {
    let (mut machines, mut left_out) = (Vec::new(), 0);
    for list in lists {
        machines.extend(list.machines.iter().map(|machine| machine.reverse_bits()));
        left_out = list.left_out.max(left_out);
    }
    machines.sort_unstable();
    machines.dedup();
    left_out += machines.len().saturating_sub(FAILED_MAX) as u32;
    machines.truncate(FAILED_MAX);
    machines.iter_mut().for_each(|bits: &mut u32| *bits = bits.reverse_bits());
    Failed { machines, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_one_that_is_not_too_long() {
        let list =
            |machines: std::ops::Range<u32>, left_out| tiebreak_sim::Failed { machines: machines.collect(), left_out };
        for (lists, named, left_out) in [
            (vec![], 0, 0),
            (vec![list(3..5, 0), list(4..9, 0)], 6, 0),
            (vec![list(0..200, 7), list(100..300, 0)], 200, 107),
        ] {
            let all = merged(&lists);
            assert_eq!((all.machines.len(), all.left_out), (named, left_out));
        }
    }
}
