//! How the world notifies the deployments system of requests, if rules read forecasts.

use tiebreak_model::{Growth, RequestId};

use super::World;
use crate::agents::job::Job;

impl World {
    /// Called before a job is decided: whether it starts a deployment, and that deployment's forecast.
    pub(super) fn meet(&mut self, job: Job) {
        let Job::Place(request) = job else { return };
        let Some(deployments) = &mut self.systems.deployments else { return };
        if self.rules.policy.asks_for_growth() {
            deployments.meet(request, &self.plan.workload, self.now);
            self.asking.is_new = true;
        }
    }

    /// Called when a request is answered, for a new deployment or a scale-out.
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

    /// Each cluster's current cores and forecast, as the next decision finds them except for stale entries; `None` if
    /// no rule reads them.
    #[must_use]
    pub fn growth(&self) -> Option<&Growth> {
        self.systems.growth()
    }
}
