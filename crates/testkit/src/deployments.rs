//! Deployments derived from the decisions alone: new deployments, scale-outs, and the cores of each cluster's
//! deployments (cluster admission, section 2.1).
//!
//! The simulator updates each deployment block by block; here tenants are looked up among the placed VMs, and cores
//! are summed from scratch.

use tiebreak_model::Resource;
use tiebreak_sim::{Cause, Decision, Outcome};

use crate::ledger::Ledger;
use crate::stand::Stand;

/// The tolerance of a sum of fractional cores, each of which may be off by less than a millionth.
const NEAR: f64 = 1e-3;

/// Counts of request outcomes: new deployments admitted and refused, scale-outs placed and failed.
pub(crate) struct Deployments<'a> {
    ledger: &'a Ledger,
    counted: [u64; 4],
}

impl<'a> Deployments<'a> {
    pub(crate) fn new(ledger: &'a Ledger) -> Self {
        Self { ledger, counted: [0; 4] }
    }

    /// Counts the answer to a request; `stand` is the state before it. The warm start does not count.
    pub(crate) fn note_answer(&mut self, one: &Decision, stand: &Stand<'_>) {
        if one.agent.is_none() || one.cause != Cause::Request || one.outcome == Outcome::Conflict {
            return;
        }
        let tenant = self.ledger.tenant(one.vm);
        let is_in = stand.vms().any(|vm| self.ledger.tenant(vm) == tenant);
        let place = 2 * usize::from(is_in) + usize::from(one.outcome != Outcome::Placed);
        self.counted[place] += 1;
    }

    /// Checks that these counts match the summary, and the cores at the end those that admission rules saw; without
    /// admission rules nothing is counted.
    pub(crate) fn end_as_recorded(&self, stand: &Stand<'_>) -> Result<(), String> {
        let counters = &self.ledger.summary.counters;
        let told =
            [counters.deployments, counters.deployments_refused, counters.scale_outs, counters.scale_outs_failed];
        let Some(deployed) = &self.ledger.deployed else {
            return if told == [0; 4] { Ok(()) } else { Err(format!("{told:?} deployments counted unasked")) };
        };
        if told != self.counted {
            return Err(format!("the summary counts deployments as {told:?}, the record as {:?}", self.counted));
        }
        let expected = self.cores(stand);
        let apart = |(one, other): (&f64, &f64)| (one - other).abs() > NEAR;
        if deployed.len() != expected.len() || deployed.iter().zip(&expected).any(apart) {
            return Err(format!("clusters' deployments have {deployed:?} cores, the record gives {expected:?}"));
        }
        Ok(())
    }

    /// Cores of the VMs in each cluster.
    fn cores(&self, stand: &Stand<'_>) -> Vec<f64> {
        let Ledger { fleet, workload, .. } = self.ledger;
        let mut cores = vec![0.0; fleet.clusters().len()];
        for (vm, machine) in stand.places() {
            let milli = workload.shape_of_vm(vm).demand[Resource::Cores];
            cores[fleet.cluster_of(machine).index()] += f64::from(milli) / 1_000.0;
        }
        cores
    }
}
