//! Why no machine is valid for a VM: which machines each validator excludes, and what would make the VM feasible
//! (Protean section 3.4, "Interpretability").
//!
//! Every validator judges every machine of the zone, including machines that an earlier one excluded, so that each
//! validator's own effect is known. This costs one verdict per machine and validator, and runs only for refusals.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{ClusterId, MachineId, Phrase, RackId, Resource, Resources, Scene, VmRequest};

use crate::network::Blocked;
use crate::network::gate::{Gate, blocked};
use crate::policy::ranked::RankedValidator;
use crate::policy::{Policy, REQUIRED_RULE};
use crate::rule::erased::BoundValidator;

/// Why no machine of the zone is valid for a VM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusalByRule {
    /// The number of machines in the zone.
    pub machines: u32,
    /// Every validator of the policy, stage by stage in order, including those that exclude no machine.
    pub rules: Vec<Refuser>,
    /// Of the machines that lack only free capacity, the one that lacks least; `None` if there is no such machine.
    pub closest: Option<Shortage>,
    /// What even an empty machine of the best-suited cluster lacks; `None` if an empty machine of some cluster could
    /// hold the VM.
    pub too_large: Option<TooLarge>,
    /// What blocks the VM's links, if machines have room but the network does not.
    pub blocked: Option<Blocked>,
    /// The objections of admission rules in the first cluster that does not admit the VM's deployment.
    pub objection: Option<Objected>,
}

/// An admission rule that does not admit a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objected {
    /// The rule.
    pub rule: &'static str,
    /// The cluster.
    pub cluster: ClusterId,
    /// Why; continues a sentence that starts with "it".
    pub why: Phrase,
}

/// The machines that one validator excludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refuser {
    /// The validator.
    pub rule: &'static str,
    /// The number of machines it excludes.
    pub machines: u32,
    /// Of these, those that no earlier validator excludes. Summed over all validators, this counts every machine
    /// once.
    pub first: u32,
    /// Of these, those that no other validator excludes: without this rule they would be valid.
    pub alone: u32,
}

/// What a machine lacks for a VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The machine.
    pub machine: MachineId,
    /// What it lacks; nothing of a resource that it has enough of.
    pub short: Resources,
}

/// What every machine of the zone lacks for a VM, even if empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The cluster whose machines lack least.
    pub cluster: ClusterId,
    /// What they lack.
    pub short: Resources,
}

impl RefusalByRule {
    /// The validator whose removal would make most machines valid; `None` if no validator excludes any machine alone.
    #[must_use]
    pub fn most_to_blame(&self) -> Option<&Refuser> {
        self.rules.iter().filter(|rule| rule.alone > 0).reduce(
            |most, rule| {
                if rule.alone > most.alone { rule } else { most }
            },
        )
    }
}

/// Evaluates every validator on every machine.
pub(crate) fn refusal_by_rule(policy: &Policy, scene: Scene<'_>, vm: &VmRequest) -> RefusalByRule {
    let mut survey = Survey::new(policy, scene, vm);
    let fleet = scene.occupancy.fleet();
    for (cluster, it) in fleet.clusters().iter().enumerate() {
        survey.look_at_cluster(ClusterId::of(cluster), it.racks());
    }
    let is_bound_by_network = policy.guards_bandwidth() && survey.rules.last().is_some_and(|last| last.alone > 0);
    let is_any_left = survey.is_any_left;
    RefusalByRule {
        machines: fleet.machine_count(),
        rules: survey.rules,
        closest: survey.closest.map(|(_, shortage)| shortage),
        too_large: too_large(scene, vm),
        blocked: blocked(scene, || is_any_left).filter(|_| is_bound_by_network),
        objection: objection(policy, scene),
    }
}

/// The first objection of an admission rule, cluster by cluster.
fn objection(policy: &Policy, scene: Scene<'_>) -> Option<Objected> {
    let clusters = (0..scene.occupancy.fleet().clusters().len()).map(ClusterId::of);
    let mut objected =
        clusters.filter_map(|cluster| Some((cluster, policy.objections(scene, cluster).into_iter().next()?)));
    objected.next().map(|(cluster, (rule, why))| Objected { rule, cluster, why })
}

/// What a machine lacks for a VM. Capacity of low-priority VMs counts as free if this VM may evict them.
pub(crate) fn shortage(policy: &Policy, scene: Scene<'_>, vm: &VmRequest, machine: MachineId) -> Resources {
    let view = scene.occupancy.machine(machine);
    let short = view.free().shortage(vm.shape.demand);
    if policy.lets_evict(&vm.shape) { view.evictable().shortage(short) } else { short }
}

/// The largest share of the demand for one resource that is missing, 0 to 1.
fn largest_share(short: Resources, demand: Resources) -> f64 {
    let share = |resource| f64::from(short[resource]) / f64::from(demand[resource].max(1));
    Resource::ALL.into_iter().map(share).fold(0.0, f64::max)
}

fn too_large(scene: Scene<'_>, vm: &VmRequest) -> Option<TooLarge> {
    let demand = vm.shape.demand;
    let clusters = scene.occupancy.fleet().clusters().iter().enumerate();
    let lacks = clusters.map(|(id, cluster)| (ClusterId::of(id), cluster.capacity.shortage(demand)));
    let share = |(_, short): &(ClusterId, Resources)| largest_share(*short, demand);
    let (cluster, short) = lacks.reduce(|least, next| if share(&next) < share(&least) { next } else { least })?;
    (short != Resources::NONE).then_some(TooLarge { cluster, short })
}

type Bound<Id> = Vec<Box<dyn BoundValidator<Id>>>;

/// The validators bound to a request, and their counts so far.
struct Survey<'a> {
    policy: &'a Policy,
    scene: Scene<'a>,
    vm: &'a VmRequest,
    of_cluster: Bound<ClusterId>,
    of_rack: Bound<RackId>,
    of_machine: Bound<MachineId>,
    gate: Option<Gate<'a>>,
    of_machines_alone: Option<Gate<'a>>,
    /// Whether any machine would be left if only the uplinks of machines limited bandwidth.
    is_any_left: bool,
    /// In the order of the three lists above.
    rules: Vec<Refuser>,
    /// Indices in `rules` of those that exclude the machine under consideration.
    refusing: Vec<usize>,
    closest: Option<(f64, Shortage)>,
}

impl<'a> Survey<'a> {
    fn new(policy: &'a Policy, scene: Scene<'a>, vm: &'a VmRequest) -> Self {
        let mut rules = Vec::new();
        let of_cluster = bind(&policy.cluster_validators, vm, &mut rules);
        let of_rack = bind(&policy.rack_validators, vm, &mut rules);
        let of_machine = bind(&policy.machine_validators, vm, &mut rules);
        rules.extend(policy.bandwidth.map(|rule| Refuser { rule, machines: 0, first: 0, alone: 0 }));
        Self {
            of_cluster,
            of_rack,
            of_machine,
            gate: policy.gate(scene),
            of_machines_alone: policy.gate(scene).as_ref().map(Gate::of_machines_alone),
            is_any_left: false,
            policy,
            scene,
            vm,
            rules,
            refusing: Vec::new(),
            closest: None,
        }
    }

    fn look_at_cluster(&mut self, cluster: ClusterId, racks: core::ops::Range<u32>) {
        self.refusing.clear();
        refuse(&self.of_cluster, self.scene, cluster, 0, &mut self.refusing);
        let by_cluster = self.refusing.len();
        for rack in racks.map(RackId) {
            self.refusing.truncate(by_cluster);
            refuse(&self.of_rack, self.scene, rack, self.of_cluster.len(), &mut self.refusing);
            self.look_at_machines(rack);
        }
    }

    fn look_at_machines(&mut self, rack: RackId) {
        let (by_rack, before) = (self.refusing.len(), self.of_cluster.len() + self.of_rack.len());
        for machine in self.scene.occupancy.fleet().machines_of_rack(rack).map(MachineId) {
            self.refusing.truncate(by_rack);
            refuse(&self.of_machine, self.scene, machine, before, &mut self.refusing);
            self.refuse_by_bandwidth(machine);
            self.count(machine);
        }
    }

    fn refuse_by_bandwidth(&mut self, machine: MachineId) {
        if self.gate.as_ref().is_some_and(|gate| !gate.admits(machine)) {
            let alone = self.of_machines_alone.as_ref();
            self.is_any_left |= self.refusing.is_empty() && alone.is_some_and(|gate| gate.admits(machine));
            self.refusing.push(self.rules.len() - 1);
        }
    }

    fn count(&mut self, machine: MachineId) {
        for at in &self.refusing {
            self.rules[*at].machines += 1;
        }
        let Some(first) = self.refusing.first() else { return };
        self.rules[*first].first += 1;
        if self.refusing.len() == 1 {
            self.rules[*first].alone += 1;
            if self.rules[*first].rule == REQUIRED_RULE {
                self.lacks_only_room(machine);
            }
        }
    }

    /// Machines come in order of id, so of equal shortages the first is kept.
    fn lacks_only_room(&mut self, machine: MachineId) {
        let short = shortage(self.policy, self.scene, self.vm, machine);
        let share = largest_share(short, self.vm.shape.demand);
        if self.closest.is_none_or(|(least, _)| share < least) {
            self.closest = Some((share, Shortage { machine, short }));
        }
    }
}

fn bind<Id>(validators: &[RankedValidator<Id>], vm: &VmRequest, rules: &mut Vec<Refuser>) -> Bound<Id> {
    let nothing = |ranked: &RankedValidator<Id>| Refuser { rule: ranked.id, machines: 0, first: 0, alone: 0 };
    rules.extend(validators.iter().map(nothing));
    validators.iter().map(|ranked| ranked.rule.bind(vm)).collect()
}

fn refuse<Id: Copy>(bound: &Bound<Id>, scene: Scene<'_>, id: Id, before: usize, refusing: &mut Vec<usize>) {
    let refused = bound.iter().enumerate().filter(|(_, rule)| !rule.is_valid(scene, id));
    refusing.extend(refused.map(|(at, _)| before + at));
}
