//! Deployments by the decisions alone: who was new, who grew, and how many cores each cluster's have
//! (cluster admission, section 2.1).
//!
//! The simulator follows each deployment block by block; here tenants are looked up among the VMs that
//! stand somewhere, and cores are added up anew.

use tiebreak_model::Resource;
use tiebreak_sim::{Cause, Decision, Outcome};

use crate::ledger::Ledger;
use crate::stand::Stand;

/// A sum of parts of cores, each of which may be off by less than a millionth.
const NEAR: f64 = 1e-3;

/// What became of requests: new deployments let in and refused, scale-outs placed and failed.
pub(crate) struct Deployments<'a> {
    ledger: &'a Ledger,
    counted: [u64; 4],
}

impl<'a> Deployments<'a> {
    pub(crate) fn new(ledger: &'a Ledger) -> Self {
        Self { ledger, counted: [0; 4] }
    }

    /// A request has its answer, before which these VMs stood. Those of the warm start are no answers.
    pub(crate) fn note_answer(&mut self, one: &Decision, stand: &Stand<'_>) {
        if one.agent.is_none() || one.cause != Cause::Request || one.outcome == Outcome::Conflict {
            return;
        }
        let tenant = self.ledger.tenant(one.vm);
        let is_in = stand.vms().any(|vm| self.ledger.tenant(vm) == tenant);
        let place = 2 * usize::from(is_in) + usize::from(one.outcome != Outcome::Placed);
        self.counted[place] += 1;
    }

    /// What was counted is what the summary counts, and the cores at the end are those that rules about admission
    /// saw; nothing is counted where there are none.
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
