//! Plans with incidents: looks up their kinds, and adds the VMs that they request to the workload, so that a run
//! cannot fail.

use alloc::vec::Vec;

use tiebreak_model::Time;

use super::{Plan, PlanError};
use crate::incidents::{ADDED_VMS_MAX, AddedDemand, AddedVm, IncidentUse, Planned};

impl Plan {
    /// The same plan with these incidents instead of its own. Incidents of one instant happen in this order.
    ///
    /// # Errors
    /// If an id is unknown, or they request too many VMs.
    pub fn with_incidents(mut self, asked: &[IncidentUse]) -> Result<Self, PlanError> {
        let planned = asked.iter().map(planned).collect::<Result<Vec<_>, _>>()?;
        let added = added_vms(&planned, self.trace.horizon())?;
        (self.workload, self.luck) = (self.trace.clone(), None);
        if !added.is_empty() {
            let too_many = PlanError::TooMuchDemand { vms: added.len() };
            let AddedDemand { workload, luck } = AddedDemand::new(&self.trace, &added).ok_or(too_many)?;
            (self.workload, self.luck) = (workload, Some(luck));
        }
        self.incidents = planned;
        Ok(self)
    }
}

fn planned(asked: &IncidentUse) -> Result<(Time, Planned), PlanError> {
    let planned = Planned::of(asked).ok_or_else(|| PlanError::UnknownIncident { id: asked.id.clone() })?;
    Ok((asked.at, planned))
}

/// The VMs that all incidents within the trace's time request.
fn added_vms(planned: &[(Time, Planned)], horizon: Time) -> Result<Vec<AddedVm>, PlanError> {
    let mut all = Vec::new();
    for (at, incident) in planned.iter().filter(|(at, _)| (Time::ZERO..=horizon).contains(at)) {
        all.extend(incident.begin().added_demand(*at).into_iter().filter(|vm| vm.start <= horizon));
        if all.len() > ADDED_VMS_MAX {
            return Err(PlanError::TooMuchDemand { vms: all.len() });
        }
    }
    Ok(all)
}
