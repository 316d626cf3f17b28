//! The systems outside the core, each present if needed, and the order in which they are notified.

use tiebreak_model::{Footprint, Growth, Occupancy, Time};

use crate::admission::deployments::Deployments;
use crate::affinity::Affinity;
use crate::agents::tenants::Tenants;
use crate::incidents::disruptions::Disruptions;
use crate::lifetimes::{LifeCounts, LifeSample, Lives};
use crate::network::links::{LinkBook, LinkSample};
use crate::plan::Plan;
use crate::power::book::PowerBook;
use crate::power::events::{PowerSample, PowerSummary};
use crate::system::{Arrival, Stay, System};

/// All systems of a run.
pub(crate) struct Systems {
    /// Deployments, if any rule reads forecasts.
    pub(crate) deployments: Option<Deployments>,
    /// Predicted lifetimes, if any rule reads them.
    pub(crate) lives: Option<Lives>,
    /// Affinity groups, if any rule reads them.
    pub(crate) affinity: Option<Affinity>,
    /// Power, if it is part of the run.
    pub(crate) power: Option<PowerBook>,
    /// Links and the location of linked VMs, if VMs are linked.
    pub(crate) network: Option<LinkBook>,
    /// The location of each tenant's VMs, if VMs are not linked.
    pub(crate) tenants: Option<Tenants>,
    /// Incidents, and VMs that lost their machine.
    pub(crate) incidents: Disruptions,
}

/// The reports of all systems at a sample; `None` for a system that is not present.
pub(crate) struct SystemsSample {
    pub(crate) expected_peak: Option<f64>,
    pub(crate) lives: Option<LifeSample>,
    pub(crate) power: Option<PowerSample>,
    pub(crate) links: Option<LinkSample>,
    pub(crate) migrating: u32,
}

impl Systems {
    /// The systems that a plan needs.
    pub(crate) fn new(plan: &Plan) -> Self {
        let (workload, fleet) = (plan.workload(), plan.fleet());
        let lives = |it| Lives::new(it, workload, fleet.machine_count(), plan.lifetimes_from());
        Self {
            deployments: plan.admission().map(|terms| Deployments::new(terms.clone(), fleet.clusters().len())),
            lives: plan.predictions_for_rules().map(lives),
            affinity: plan
                .affinity()
                .map(|(terms, predictions)| Affinity::new(terms, predictions.clone(), fleet, plan.affinity_from())),
            power: plan.power().map(|terms| PowerBook::new(terms.clone(), fleet, workload.horizon(), plan.seed)),
            network: plan.links().map(|links| LinkBook::new(links, workload)),
            tenants: plan.links().is_none().then(Tenants::default),
            incidents: Disruptions::new(&plan.incidents, fleet.machine_count(), plan.rolls_out_lifetimes()),
        }
    }

    /// A VM arrives on a machine.
    pub(crate) fn come(&mut self, arrival: &Arrival<'_>) {
        self.deployments.come(arrival);
        self.lives.come(arrival);
        self.affinity.come(arrival);
        self.power.come(arrival);
        self.network.come(arrival);
        self.tenants.come(arrival);
        self.incidents.come(arrival);
    }

    /// A VM leaves its machine.
    pub(crate) fn leave(&mut self, stay: &Stay<'_>) {
        self.deployments.leave(stay);
        self.lives.leave(stay);
        self.affinity.leave(stay);
        self.power.leave(stay);
        self.network.leave(stay);
        self.tenants.leave(stay);
        self.incidents.leave(stay);
    }

    /// Time has passed.
    pub(crate) fn pass(&mut self, now: Time) {
        self.deployments.pass(now);
        self.lives.pass(now);
        self.affinity.pass(now);
        self.power.pass(now);
        self.network.pass(now);
        self.tenants.pass(now);
        self.incidents.pass(now);
    }

    /// Takes a sample.
    pub(crate) fn sample(&mut self, now: Time, zone: &Occupancy) -> SystemsSample {
        SystemsSample {
            expected_peak: self.deployments.sample(now, zone),
            lives: self.lives.sample(now, zone),
            power: self.power.sample(now, zone),
            links: self.network.sample(now, zone).flatten(),
            migrating: self.incidents.sample(now, zone),
        }
    }

    /// The reports on lifetimes and power so far.
    pub(crate) fn summary(&self) -> (LifeCounts, Option<PowerSummary>) {
        (self.lives.summary().unwrap_or_default(), self.power.summary())
    }

    /// The actual location of a tenant's VMs, if any is tracked.
    pub(crate) fn footprint(&self, tenant: u64) -> Option<&Footprint> {
        let linked = self.network.as_ref().and_then(|it| it.footprint(tenant));
        linked.or_else(|| self.tenants.as_ref().and_then(|it| it.footprint(tenant)))
    }

    /// The forecasts of deployments, for agents.
    pub(crate) fn growth(&self) -> Option<&Growth> {
        self.deployments.as_ref().map(Deployments::growth)
    }

    /// Every server's draw as a share of its power budget, for the fleet map; empty if power is not part of the run.
    pub(crate) fn draws(&self) -> impl Iterator<Item = f64> + '_ {
        self.power.iter().flat_map(PowerBook::shares)
    }
}
