//! A workload as a sequence of events: requests and exits in time order, for predictors that keep learning. Their
//! predictions for a request depend only on earlier events.

use alloc::vec::Vec;

use tiebreak_model::{RequestId, Time, VmId, Workload};

use crate::order;

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A request arrives.
    Asked(RequestId),
    /// A VM ends.
    Left(VmId),
}

/// The events of a workload, one after another.
pub(crate) struct Moments {
    /// VMs by their end.
    leaving: Vec<VmId>,
    left: usize,
    asked: u32,
}

impl Moments {
    pub(crate) fn of(workload: &Workload) -> Self {
        let ends = (0..workload.vm_count()).map(VmId).filter(|vm| workload.end(*vm) != Time::NEVER);
        let ends: Vec<VmId> = ends.filter(|vm| is_seen(workload, *vm)).collect();
        // Ascending as unsigned numbers.
        let by_end = order::rising(ends.iter().map(|vm| u128::from(left_at(workload, *vm).0 as u64 ^ 1 << 63)));
        Self { leaving: by_end.iter().map(|place| ends[*place as usize]).collect(), left: 0, asked: 0 }
    }

    /// The next event, up to the last request. A VM that ends at the instant of a request ends before it.
    pub(crate) fn next(&mut self, workload: &Workload) -> Option<Moment> {
        let request = RequestId(self.asked);
        if self.asked == workload.request_count() {
            return None;
        }
        match self.leaving.get(self.left) {
            Some(vm) if left_at(workload, *vm) <= workload.at(request) => {
                self.left += 1;
                Some(Moment::Left(*vm))
            }
            _ => {
                self.asked += 1;
                Some(Moment::Asked(request))
            }
        }
    }

    /// The share of requests so far, 0 to 1.
    pub(crate) fn share_done(&self, workload: &Workload) -> f32 {
        self.asked as f32 / workload.request_count().max(1) as f32
    }
}

/// Whether it was running when the trace began, or arrived later.
pub(crate) fn is_seen(workload: &Workload, vm: VmId) -> bool {
    workload.at(workload.request_of(vm)) > Time::ZERO || workload.end(vm) > Time::ZERO
}

/// When a VM ends: after its request, even if its lifetime is zero.
fn left_at(workload: &Workload, vm: VmId) -> Time {
    let start = workload.at(workload.request_of(vm));
    workload.end(vm).max(Time(start.0 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{Life, workload};

    #[test]
    fn who_leaves_goes_before_who_comes_then_and_what_ended_before_the_trace_is_not_seen() {
        let lives = [
            Life::new(1, -500, Some(20)),
            Life::new(1, -9, Some(-3)),
            Life::new(1, 20, Some(20)),
            Life::new(1, 30, Some(90)),
            Life::new(1, 90, None),
        ];
        let workload = workload(&lives, 200);
        let mut moments = Moments::of(&workload);
        let seen: Vec<Moment> = core::iter::from_fn(|| moments.next(&workload)).collect();
        let (asked, left) = (|at| Moment::Asked(RequestId(at)), |vm| Moment::Left(VmId(vm)));
        assert_eq!(seen, [asked(0), asked(1), left(0), asked(2), left(2), asked(3), left(3), asked(4)]);
    }
}
