//! Events in the zone during a run: one file each, one line here.
//!
//! Machines fail, are updated and are decommissioned, demand spikes, and operators change a limit (Protean sections
//! 2.1, 3.1 and 6.3). An incident is part of the plan's data: what, when, how much. The same seed makes the same
//! machines fail, whatever the rules are.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use tiebreak_model::{Declaration, Declared, Millis, Time};

use zone::Zone;

mod added_demand;
pub(crate) mod copies;
mod decommission_cluster;
mod defragment_machines;
mod demand_spike;
pub(crate) mod disruptions;
mod evacuation;
pub(crate) mod fail_machines;
pub(crate) mod holds;
pub(crate) mod maintain_by_migration;
mod maintain_machines;
mod mark_at_risk;
mod migrate_recommended;
pub(crate) mod raise_cluster_limit;
mod rectify_placement_debt;
mod residents;
mod roll_out_host_environment;
pub(crate) mod roll_out_lifetimes;
pub(crate) mod zone;

pub(crate) use added_demand::{ADDED_VMS_MAX, AddedDemand, AddedVm};
pub(crate) use raise_cluster_limit::with_limit_raised;

/// Expands to two lists in the same order. The declarations are separate from the constructors, so that the page,
/// which only shows them, does not include the incidents' code.
macro_rules! incidents {
    ($($kind:ty,)+) => {
        /// Every kind of incident, in display order.
        pub static INCIDENTS: &[IncidentEntry] = &[$(IncidentEntry { declaration: <$kind>::DECLARATION }),+];

        static BEGINNINGS: &[fn(&[f64]) -> Box<dyn Incident>] = &[$(|values| <$kind>::from_values(values).begin()),+];
    };
}

incidents! {
    fail_machines::FailMachines,
    maintain_machines::MaintainMachines,
    decommission_cluster::DecommissionCluster,
    mark_at_risk::MarkAtRisk,
    roll_out_host_environment::RollOutHostEnvironment,
    roll_out_lifetimes::RollOutLifetimes,
    demand_spike::DemandSpike,
    raise_cluster_limit::RaiseClusterLimit,
    migrate_recommended::MigrateRecommended,
    defragment_machines::DefragmentMachines,
    maintain_by_migration::MaintainByMigration,
    rectify_placement_debt::RectifyPlacementDebt,
}

/// The kind of incident of this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static IncidentEntry> {
    INCIDENTS.iter().find(|entry| entry.declaration.id == id)
}

/// One incident of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct IncidentUse {
    /// Which kind.
    pub id: String,
    /// When it happens or begins; before the start or after the end of the trace, it never does.
    pub at: Time,
    /// One value per declared parameter; a missing or disallowed value is the default.
    pub values: Vec<f64>,
}

impl IncidentUse {
    /// An incident with its defaults.
    #[must_use]
    pub fn plain(id: &str, at: Time) -> Self {
        Self { id: id.into(), at, values: Vec::new() }
    }
}

/// An entry in the list of incidents.
#[derive(Clone, Copy, Debug)]
pub struct IncidentEntry {
    /// Its declaration.
    pub declaration: Declaration,
}

/// An incident of a plan, from which any number of runs can begin it.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// Its index in the list.
    kind: usize,
    values: Vec<f64>,
}

impl Planned {
    /// The incident requested here, if its kind exists.
    pub(crate) fn of(asked: &IncidentUse) -> Option<Self> {
        let kind = INCIDENTS.iter().position(|entry| entry.declaration.id == asked.id)?;
        Some(Self { kind, values: asked.values.clone() })
    }

    /// Whether lifetime rules only take effect with it.
    pub(crate) fn rolls_out_lifetimes(&self) -> bool {
        INCIDENTS[self.kind].declaration.id == roll_out_lifetimes::RollOutLifetimes::DECLARATION.id
    }

    /// Whether it needs predicted lifetimes.
    pub(crate) fn asks_for_lifetimes(&self) -> bool {
        self.begin().asks_for_lifetimes()
    }

    /// A new instance.
    pub(crate) fn begin(&self) -> Box<dyn Incident> {
        BEGINNINGS[self.kind](&self.values)
    }
}

/// An incident in a run.
pub(crate) trait Incident: Send {
    /// Starts or continues it. Returns when it wants to continue next, if ever.
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time>;

    /// Whether it needs predicted lifetimes.
    fn asks_for_lifetimes(&self) -> bool {
        false
    }

    /// VMs that it requests in addition to those of the trace.
    fn added_demand(&self, _: Time) -> Vec<AddedVm> {
        Vec::new()
    }
}

/// A kind of incident: its declared parameters, and its constructor.
trait Kind: Declared {
    /// A new instance.
    fn begin(self) -> Box<dyn Incident>;
}

/// This many minutes, to the millisecond.
fn minutes(minutes: f64) -> Millis {
    Millis((minutes * Millis::MINUTE.0 as f64) as u64)
}

/// This many hours, to the millisecond.
fn hours(hours: f64) -> Millis {
    Millis((hours * Millis::HOUR.0 as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn every_incident_says_what_it_is() {
        let ids: BTreeSet<_> = INCIDENTS.iter().map(|entry| entry.declaration.id).collect();
        assert_eq!(ids.len(), INCIDENTS.len(), "ids are unique");
        for entry in INCIDENTS {
            let Declaration { id, help, params, .. } = entry.declaration;
            assert!(help.len() > 40, "{id} needs help that teaches");
            for param in params {
                assert!(param.allows(param.default), "{id}.{}: the default is in range", param.name);
                assert!(param.help.len() > 10, "{id}.{} needs help", param.name);
            }
        }
    }
}
