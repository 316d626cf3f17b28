//! What the world tells of requests where rules ask what deployments will grow to.

use tiebreak_model::{Growth, RequestId};

use super::World;
use crate::agents::job::Job;

impl World {
    /// Before a job is decided: whether it begins a deployment, and what that would grow to.
    pub(super) fn meet(&mut self, job: Job) {
        let Job::Place(request) = job else { return };
        let Some(deployments) = &mut self.systems.deployments else { return };
        if self.rules.policy.asks_for_growth() {
            deployments.meet(request, &self.plan.workload, self.now);
            self.asking.is_new = true;
        }
    }

    /// A request has its answer: that of a new deployment, or of one that wants to grow.
    pub(super) fn note_answer(&mut self, request: RequestId, placed: bool) {
        let Some(deployments) = &mut self.systems.deployments else { return };
        let grows = deployments.answer(request, placed, &self.plan.workload, self.now);
        let counters = &mut self.observed.counters;
        let counted = match (grows, placed) {
            (false, true) => &mut counters.deployments,
            (false, false) => &mut counters.deployments_refused,
            (true, true) => &mut counters.scale_outs,
            (true, false) => &mut counters.scale_outs_failed,
        };
        *counted += 1;
    }

    /// What every cluster's deployments have now and are expected to have, as the next decision finds it but
    /// for those that are to be thought over before; none where no rule asks.
    #[must_use]
    pub fn growth(&self) -> Option<&Growth> {
        self.systems.growth()
    }
}
