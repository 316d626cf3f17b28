//! Answers and conflicts in each second of a run.

use tiebreak_sim::{Decision, Outcome, World};

/// The requests in one second.
#[derive(Clone, Copy, Default)]
pub(super) struct Second {
    /// Requests placed or rejected.
    pub(super) answered: u32,
    /// Commits that failed.
    pub(super) conflicts: u32,
}

/// The seconds of a run until its last answer.
pub(super) struct Rates {
    pub(super) seconds: Vec<Second>,
    /// When the last request was answered, in seconds.
    pub(super) done_s: f64,
    /// VMs that were not placed, in percent.
    pub(super) rejected_pct: f64,
}

impl Rates {
    /// From a run that kept its decisions.
    pub(super) fn of(world: &World) -> Self {
        let mut seconds = Vec::new();
        let arrived = world.decisions().iter().filter(|decision| decision.agent.is_some());
        let arrived: Vec<&Decision> = arrived.collect();
        // VMs of one request that were decided together have one answer.
        for together in arrived.chunk_by(|one, other| (one.request, one.attempt) == (other.request, other.attempt)) {
            note(&mut seconds, together[0]);
        }
        let summary = world.summary();
        let vms = (summary.counters.placements + summary.counters.rejections) as f64;
        Self {
            seconds,
            done_s: summary.answered_at.0 as f64 / 1_000.0,
            rejected_pct: 100.0 * summary.counters.rejections as f64 / vms,
        }
    }

    /// The 99th percentile of conflicts per second, over seconds with an answer or a conflict.
    pub(super) fn conflicts_p99(&self) -> f64 {
        p99(self.busy().map(|second| second.conflicts))
    }

    /// The same for answers.
    pub(super) fn answered_p99(&self) -> f64 {
        p99(self.busy().map(|second| second.answered))
    }

    /// Mean answers per second, over seconds with an answer or a conflict.
    pub(super) fn answered_mean(&self) -> f64 {
        let answered: u32 = self.seconds.iter().map(|second| second.answered).sum();
        f64::from(answered) / self.busy().count() as f64
    }

    /// The maximum number of answers in one second.
    pub(super) fn answered_most(&self) -> f64 {
        self.seconds.iter().map(|second| f64::from(second.answered)).fold(0.0, f64::max)
    }

    /// All conflicts.
    pub(super) fn conflicts(&self) -> f64 {
        self.seconds.iter().map(|second| f64::from(second.conflicts)).sum()
    }

    fn busy(&self) -> impl Iterator<Item = &Second> {
        self.seconds.iter().filter(|second| second.answered + second.conflicts > 0)
    }
}

fn note(seconds: &mut Vec<Second>, decision: &Decision) {
    let at = (decision.time.0 / 1_000) as usize;
    if at >= seconds.len() {
        seconds.resize(at + 1, Second::default());
    }
    match decision.outcome {
        Outcome::Conflict => seconds[at].conflicts += 1,
        Outcome::OutOfRetries => {
            seconds[at].conflicts += 1;
            seconds[at].answered += 1;
        }
        Outcome::Placed | Outcome::Refused => seconds[at].answered += 1,
    }
}

/// The smallest number that 99 % do not exceed; 0 for an empty list.
fn p99(numbers: impl Iterator<Item = u32>) -> f64 {
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort_unstable();
    let place = (numbers.len() * 99).div_ceil(100);
    place.checked_sub(1).map_or(0.0, |place| f64::from(numbers[place]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_numbers() {
        assert_eq!(p99(std::iter::empty()), 0.0);
        assert_eq!(p99([7].into_iter()), 7.0);
        assert_eq!(p99(1..=100), 99.0);
        assert_eq!(p99(1..=1_000), 990.0);
    }
}
