//! What a run sees of every deployment, and whom it lets in.
//!
//! A deployment begins with a tenant's first VM in a cluster and ends with the last. VMs that one
//! request asked for are a block of it. A VM that loses its machine, or moves, says nothing about
//! how long deployments live.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_admission::{Deaths, Seen};
use tiebreak_model::{ClusterId, Growth, MachineId, RequestId, Resource, VmId};

use super::Terms;
use super::expectations::Expectations;
use crate::job::Job;
use crate::world::{IS_WHOLE, World};

/// A tenant in a cluster.
type Key = (u64, ClusterId);

/// The VMs of one request that stand in one cluster.
struct Block {
    request: RequestId,
    cores: f64,
    vms: u32,
}

/// Every deployment of a run.
pub(crate) struct Deployments {
    terms: Arc<Terms>,
    book: Expectations<Key>,
    blocks: BTreeMap<Key, Vec<Block>>,
}

impl Deployments {
    pub(crate) fn new(terms: Arc<Terms>) -> Self {
        Self { terms, book: Expectations::new(), blocks: BTreeMap::new() }
    }

    /// The clusters that a tenant has VMs in.
    fn homes(&self, tenant: u64) -> impl Iterator<Item = ClusterId> + '_ {
        self.blocks
            .range((tenant, ClusterId::of(0))..)
            .take_while(move |(key, _)| key.0 == tenant)
            .map(|(key, _)| key.1)
    }

    /// A VM comes: one that was asked for just now, or one that stood elsewhere before, which is no scale-out.
    fn come(
        &mut self,
        key: Key,
        (request, cores): (RequestId, f64),
        (times, is_asked): ((i64, i64), bool),
        growth: &mut Growth,
    ) {
        let Some(blocks) = self.blocks.get_mut(&key) else {
            self.blocks.insert(key, vec![Block { request, cores, vms: 1 }]);
            return self.book.begin(key, key.1, vec![Seen::started(cores)], times, growth);
        };
        if let Some(block) = blocks.iter_mut().find(|block| block.request == request) {
            let before = block.cores;
            (block.cores, block.vms) = (before + cores, block.vms + 1);
            let squares = block.cores * block.cores - before * before;
            self.book.see(key, times.1, &self.terms, growth, |seen| {
                seen.cores += cores;
                seen.extra += if is_asked { cores } else { 0.0 };
                seen.squares += squares;
            });
            return;
        }
        blocks.push(Block { request, cores, vms: 1 });
        self.book.see(key, times.1, &self.terms, growth, |seen| {
            if is_asked {
                return seen.scale_out(cores, true);
            }
            seen.cores += cores;
            seen.squares += cores * cores;
            seen.blocks += 1.0;
        });
    }

    fn leave(
        &mut self,
        key: Key,
        (request, cores): (RequestId, f64),
        (now_ms, ends): (i64, bool),
        growth: &mut Growth,
    ) {
        let blocks = self.blocks.get_mut(&key).expect("its VMs are counted");
        let at = blocks.iter().position(|block| block.request == request).expect("its request is counted");
        let block = &mut blocks[at];
        let before = block.cores;
        (block.cores, block.vms) = (before - cores, block.vms - 1);
        let (squares, is_last) = (before * before - block.cores * block.cores, block.vms == 0);
        if is_last {
            blocks.swap_remove(at);
        }
        if blocks.is_empty() {
            self.blocks.remove(&key);
            return self.book.end(key, growth);
        }
        let deaths = match self.terms.model().deaths {
            Deaths::Blocks => f64::from(u8::from(is_last && ends)),
            Deaths::Cores if ends => cores,
            Deaths::Cores => 0.0,
        };
        self.book.see(key, now_ms, &self.terms, growth, |seen| {
            seen.cores -= cores;
            seen.squares -= squares;
            seen.blocks -= f64::from(u8::from(is_last));
            seen.deaths += deaths;
        });
    }
}

impl World {
    /// The deployment that a VM belongs to on a machine, and what it is of it.
    fn deployed(&self, vm: VmId, machine: MachineId) -> (Key, (RequestId, f64)) {
        let workload = &self.plan.workload;
        let request = workload.request_of(vm);
        let key = (workload.tenant(request), self.plan.fleet.cluster_of(machine));
        (key, (request, self.cores_of(vm)))
    }

    fn cores_of(&self, vm: VmId) -> f64 {
        let milli = self.plan.workload.shape_of_vm(vm).demand[Resource::Cores];
        f64::from(milli) / Resource::Cores.unit().1
    }

    /// A VM stands on a machine from now on.
    pub(crate) fn note_deployed(&mut self, vm: VmId, machine: MachineId) {
        if self.deployments.is_none() || !IS_WHOLE {
            return;
        }
        let (key, what) = self.deployed(vm, machine);
        let came = self.plan.workload.at(what.0).min(self.now);
        let is_asked = !self.has_stood(vm);
        if let (Some(deployments), Some(growth)) = (&mut self.deployments, &mut self.asking.growth) {
            deployments.come(key, what, ((came.0, self.now.0), is_asked), growth);
        }
    }

    /// A VM stands there no more.
    pub(crate) fn note_undeployed(&mut self, vm: VmId, machine: MachineId) {
        if self.deployments.is_none() || !IS_WHOLE {
            return;
        }
        let (key, what) = self.deployed(vm, machine);
        let ends = self.plan.workload.end(vm) <= self.now;
        if let (Some(deployments), Some(growth)) = (&mut self.deployments, &mut self.asking.growth) {
            deployments.leave(key, what, (self.now.0, ends), growth);
        }
    }

    /// Before a job is decided: whether it begins a deployment, and what that would grow to.
    pub(crate) fn meet(&mut self, job: Job) {
        let (Job::Place(request), true) = (job, IS_WHOLE) else { return };
        let (Some(deployments), Some(growth)) = (&mut self.deployments, &mut self.asking.growth) else { return };
        if !self.policy.asks_for_growth() {
            return;
        }
        deployments.book.bring_up_to_date(self.now.0, &deployments.terms, growth);
        let tenant = self.plan.workload.tenant(request);
        let at_home = deployments.homes(tenant).collect();
        let demand = |vm: u32| self.plan.workload.shape_of_vm(VmId(vm)).demand[Resource::Cores];
        let milli: u64 = job.vms(&self.plan.workload).map(|vm| u64::from(demand(vm))).sum();
        let cores = milli as f64 / Resource::Cores.unit().1;
        growth.newcomer = deployments.terms.newcomer(cores, &[Seen::started(cores)]);
        growth.newcomer.at_home = at_home;
        self.asking.is_new = true;
    }

    /// A request has its answer: that of a new deployment, or of one that wants to grow.
    pub(crate) fn note_answer(&mut self, request: RequestId, placed: bool) {
        let Some(deployments) = self.deployments.as_mut().filter(|_| IS_WHOLE) else { return };
        let tenant = self.plan.workload.tenant(request);
        let homes: Vec<_> = deployments.homes(tenant).collect();
        let counted = match (homes.is_empty(), placed) {
            (true, true) => &mut self.counters.deployments,
            (true, false) => &mut self.counters.deployments_refused,
            (false, true) => &mut self.counters.scale_outs,
            (false, false) => &mut self.counters.scale_outs_failed,
        };
        *counted += 1;
        if placed {
            return;
        }
        let demand = |vm: u32| self.plan.workload.shape_of_vm(VmId(vm)).demand[Resource::Cores];
        let milli: u64 = self.plan.workload.vms_of(request).map(|vm| u64::from(demand(vm))).sum();
        let cores = milli as f64 / Resource::Cores.unit().1;
        let Some(growth) = &mut self.asking.growth else { return };
        for cluster in homes {
            let asked = |seen: &mut Seen| seen.scale_out(cores, false);
            deployments.book.see((tenant, cluster), self.now.0, &deployments.terms, growth, asked);
        }
    }

    /// What every cluster's deployments have now and are expected to have, as the next decision finds it but
    /// for those that are to be thought over before; none where no rule asks.
    #[must_use]
    pub fn growth(&self) -> Option<&Growth> {
        self.asking.growth.as_ref()
    }

    /// The largest share of any cluster's cores that is expected at any moment ahead, 0 to 1 and more;
    /// none where no rule asks.
    pub(crate) fn expected_peak(&mut self) -> Option<f64> {
        let deployments = self.deployments.as_mut().filter(|_| IS_WHOLE)?;
        let growth = self.asking.growth.as_mut()?;
        deployments.book.bring_up_to_date(self.now.0, &deployments.terms, growth);
        let share = |(cluster, prospect): (usize, &tiebreak_model::Prospect)| {
            let milli = self.plan.fleet.cluster(ClusterId::of(cluster)).total(Resource::Cores);
            let cores = milli as f64 / Resource::Cores.unit().1;
            prospect.sums().iter().map(|sum| sum.mean() / cores).fold(0.0, f64::max)
        };
        Some(growth.clusters.iter().enumerate().map(share).fold(0.0, f64::max))
    }
}
