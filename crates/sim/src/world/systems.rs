//! The systems beside the core, each where anybody asks for it, and in which order they are told of what happens.

use tiebreak_model::{Footprint, Growth, Occupancy, Time};

use crate::admission::deployments::Deployments;
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
    /// What is seen of every deployment, where any rule asks what they will grow to.
    pub(crate) deployments: Option<Deployments>,
    /// What is predicted of VMs and machines, where any rule asks.
    pub(crate) lives: Option<Lives>,
    /// Who draws what, where anybody asks.
    pub(crate) power: Option<PowerBook>,
    /// Who is linked with whom and where they stand, where VMs are linked.
    pub(crate) network: Option<LinkBook>,
    /// Where the VMs of each tenant stand, where they are not.
    pub(crate) tenants: Option<Tenants>,
    /// What happens to the zone, and what became of VMs that lost their machine.
    pub(crate) incidents: Disruptions,
}

/// What all systems say at a sample; none where there is no such system.
pub(crate) struct SystemsSample {
    pub(crate) expected_peak: Option<f64>,
    pub(crate) lives: Option<LifeSample>,
    pub(crate) power: Option<PowerSample>,
    pub(crate) links: Option<LinkSample>,
    pub(crate) migrating: u32,
}

impl Systems {
    /// Those that a plan asks for.
    pub(crate) fn new(plan: &Plan) -> Self {
        let (workload, fleet) = (plan.workload(), plan.fleet());
        let lives = |it| Lives::new(it, workload, fleet.machine_count(), plan.lifetimes_from());
        Self {
            deployments: plan.admission().map(|terms| Deployments::new(terms.clone(), fleet.clusters().len())),
            lives: plan.predictions_for_rules().map(lives),
            power: plan.power().map(|terms| PowerBook::new(terms.clone(), fleet, workload.horizon(), plan.seed)),
            network: plan.links().map(|links| LinkBook::new(links, workload)),
            tenants: plan.links().is_none().then(Tenants::default),
            incidents: Disruptions::new(&plan.incidents, fleet.machine_count(), plan.rolls_out_lifetimes()),
        }
    }

    /// A VM comes to a machine.
    pub(crate) fn come(&mut self, arrival: &Arrival<'_>) {
        self.deployments.come(arrival);
        self.lives.come(arrival);
        self.power.come(arrival);
        self.network.come(arrival);
        self.tenants.come(arrival);
        self.incidents.come(arrival);
    }

    /// A VM leaves its machine.
    pub(crate) fn leave(&mut self, stay: &Stay<'_>) {
        self.deployments.leave(stay);
        self.lives.leave(stay);
        self.power.leave(stay);
        self.network.leave(stay);
        self.tenants.leave(stay);
        self.incidents.leave(stay);
    }

    /// Time has passed.
    pub(crate) fn pass(&mut self, now: Time) {
        self.deployments.pass(now);
        self.lives.pass(now);
        self.power.pass(now);
        self.network.pass(now);
        self.tenants.pass(now);
        self.incidents.pass(now);
    }

    /// A sample is taken.
    pub(crate) fn sample(&mut self, now: Time, zone: &Occupancy) -> SystemsSample {
        SystemsSample {
            expected_peak: self.deployments.sample(now, zone),
            lives: self.lives.sample(now, zone),
            power: self.power.sample(now, zone),
            links: self.network.sample(now, zone).flatten(),
            migrating: self.incidents.sample(now, zone),
        }
    }

    /// What lifetimes and power have to say of the run so far.
    pub(crate) fn summary(&self) -> (LifeCounts, Option<PowerSummary>) {
        (self.lives.summary().unwrap_or_default(), self.power.summary())
    }

    /// Where a tenant's VMs really stand, if any that matters does.
    pub(crate) fn footprint(&self, tenant: u64) -> Option<&Footprint> {
        let linked = self.network.as_ref().and_then(|it| it.footprint(tenant));
        linked.or_else(|| self.tenants.as_ref().and_then(|it| it.footprint(tenant)))
    }

    /// What deployments are expected to grow to, for agents to read.
    pub(crate) fn growth(&self) -> Option<&Growth> {
        self.deployments.as_ref().map(Deployments::growth)
    }

    /// What every server draws of its share of the power budget, for the fleet map; nothing where nobody asks.
    pub(crate) fn draws(&self) -> impl Iterator<Item = f64> + '_ {
        self.power.iter().flat_map(PowerBook::shares)
    }
}
