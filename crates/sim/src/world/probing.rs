//! Decisions explained as they are made.

use alloc::vec::Vec;

use tiebreak_model::{Footprint, MachineId, Needs, PredictedLife, Time, VmId, VmRequest};
use tiebreak_placement::CacheUse;
use tiebreak_placement::explain::{Explanation, Question, explain};

use super::World;
use super::collisions::{Arrivals, Collision};
use crate::record::Cause;

/// Which decisions to explain as they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The VM; none explains every one.
    pub vm: Option<VmId>,
    /// A machine to compare with, if any.
    pub asked: Option<MachineId>,
}

/// A probed decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Probed {
    /// The VM.
    pub vm: VmId,
    /// When the agent decided.
    pub time: Time,
    /// Why it was decided.
    pub cause: Cause,
    /// The agent; `None` for a VM alive when the trace began.
    pub agent: Option<u32>,
    /// 0 for the first attempt.
    pub attempt: u32,
    /// How the caches served it.
    pub cache: CacheUse,
    /// Its predicted lifetime; `None` if no rule reads predicted lifetimes.
    pub life: Option<PredictedLife>,
    /// Where the other VMs of its virtual datacenter were, and the bandwidth of its links to them; `None` if VMs are
    /// not linked.
    pub company: Option<(Footprint, Needs)>,
    /// The explanation.
    pub explanation: Explanation,
    /// Why the store rejected it, if it did.
    pub collision: Option<Collision>,
}

/// Which decisions to explain, and the explained ones.
#[derive(Default)]
pub(super) struct Probes {
    probe: Option<Probe>,
    probed: Vec<Probed>,
    pub(super) arrivals: Arrivals,
}

impl Probes {
    /// Whether any decisions are explained.
    pub(super) fn is_on(&self) -> bool {
        self.probe.is_some()
    }

    /// The store rejected an explained decision.
    pub(super) fn collided(&mut self, vm: VmId, cause: Cause, attempt: u32, collision: Collision) {
        let is_it = |it: &&mut Probed| it.vm == vm && it.cause == cause && it.attempt == attempt;
        if let Some(probed) = self.probed.iter_mut().rfind(is_it) {
            probed.collision = Some(collision);
        }
    }
}

impl World {
    /// The probed VM's decisions so far.
    #[must_use]
    pub fn probed(&self) -> &[Probed] {
        &self.probes.probed
    }

    /// Explains decisions from now on, or stops and clears the explanations.
    pub fn set_probe(&mut self, probe: Option<Probe>) {
        self.probes.probe = probe;
        if probe.is_none() {
            self.probes = Probes::default();
        }
    }

    /// Drops explanations of requests that are answered, and keeps those under way.
    pub fn forget_answered(&mut self) {
        let mut probed = core::mem::take(&mut self.probes.probed);
        probed.retain(|probed| {
            let nowhere = self.placement(probed.vm).is_none() && !self.is_gone(probed.vm);
            nowhere && self.record.rejection(self.plan.workload.request_of(probed.vm)).is_none()
        });
        self.probes.probed = probed;
    }

    /// Whether decisions about a VM are explained.
    pub(super) fn is_probed(&self, vm: VmId) -> bool {
        self.probes.probe.is_some_and(|probe| probe.vm.is_none_or(|probed| probed == vm))
    }

    /// Explains the last decision about a VM; without an agent, at the warm start.
    pub(super) fn explain(
        &mut self,
        agent: Option<u32>,
        cause: Cause,
        attempt: u32,
        vm: VmId,
        winner: Option<MachineId>,
        cache: CacheUse,
    ) {
        let life = self.predicted_life(vm);
        let view = self.team[agent.unwrap_or(0)].allocator.view();
        let request = VmRequest { life, ..self.asking.request(*self.plan.workload.shape_of_vm(vm)) };
        let asked = self.probes.probe.and_then(|probe| probe.asked);
        let scene = self.asking.scene(view, &request.shape, self.systems.growth());
        // The draw is indexed by VM and attempt, so repeating it gives the same result as for the decision.
        let avoided = agent.and_then(|_| self.avoids(vm, attempt));
        let explanation = explain(&self.rules.policy, scene, &request, Question { winner, asked, avoided });
        let life = self.shows_lives().then_some(life);
        let company = self.systems.network.as_ref().map(|_| self.asking.company());
        self.probes.probed.push(Probed {
            vm,
            time: self.now,
            cause,
            agent,
            attempt,
            cache,
            life,
            company,
            explanation,
            collision: None,
        });
    }
}
