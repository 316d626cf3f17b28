//! The rules by their definitions in docs/RULES.md, evaluated for every machine in whole numbers and fractions.

use std::ops::Range;

use crate::faults::Fault;
use crate::record::{Name, Record, Rule, Scope, Size, Vm};

/// The constant part of a machine.
pub(crate) struct Machine {
    pub(crate) cluster: usize,
    rack: usize,
    pub(crate) size: Size,
    is_ready: bool,
}

/// The state of a machine, as an agent or the store knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct State {
    pub(crate) used: Size,
    pub(crate) vms: u32,
    /// The tenant that has the machine to itself.
    pub(crate) closed_for: Option<u64>,
}

impl State {
    pub(crate) fn with(self, vm: &Vm) -> Self {
        let closed_for = if vm.isolated > 0 { Some(vm.tenant) } else { self.closed_for };
        Self { used: self.used.plus(vm.size), vms: self.vms + 1, closed_for }
    }

    pub(crate) fn without(self, vm: &Vm) -> Self {
        let closed_for = self.closed_for.filter(|_| self.vms > 1);
        Self { used: self.used.minus(vm.size), vms: self.vms - 1, closed_for }
    }
}

/// A VM that needs a machine.
pub(crate) struct Asking<'a> {
    pub(crate) vm: &'a Vm,
    /// One machine per VM that its tenant has, or has chosen for the same request, if the tenant has terms.
    pub(crate) own: &'a [usize],
    /// The number of VMs that the tenant will have.
    pub(crate) wanted: u32,
}

/// A score from 0 (best) to 1, as a fraction.
type Fraction = (i128, i128);

/// The machines and the rules.
pub(crate) struct Zone<'a> {
    record: &'a Record,
    rules: Vec<&'a Rule>,
    pub(crate) machines: Vec<Machine>,
    racks: Vec<Range<usize>>,
    clusters: Vec<Range<usize>>,
    pub(crate) fault: Option<Fault>,
}

impl<'a> Zone<'a> {
    pub(crate) fn new(record: &'a Record, fault: Option<Fault>) -> Self {
        let (mut machines, mut racks, mut clusters) = (Vec::new(), Vec::new(), Vec::new());
        for (cluster, it) in record.clusters.iter().enumerate() {
            let first = machines.len();
            for rack in 0..it.racks {
                let start = machines.len();
                let size = it.machines / it.racks + usize::from(rack < it.machines % it.racks);
                let machine = || Machine { cluster, rack: racks.len(), size: it.machine_size(), is_ready: true };
                machines.extend(std::iter::repeat_with(machine).take(size));
                racks.push(start..start + size);
            }
            clusters.push(first..machines.len());
            machines.iter_mut().rev().take(it.unready).for_each(|machine| machine.is_ready = false);
        }
        let mut rules: Vec<_> = record.rules.iter().collect();
        match fault {
            Some(Fault::LowerRulesFirst) => rules.reverse(),
            Some(Fault::LastRuleForgotten) => drop(rules.pop()),
            _ => {}
        }
        Self { record, rules, machines, racks, clusters, fault }
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// The machines tied for best, by number: those of the best clusters, or of the next best if none of these is
    /// valid.
    pub(crate) fn best_set(&self, view: &[State], asking: &Asking) -> Vec<usize> {
        let among = self.record.best_clusters + usize::from(self.has(Fault::OneClusterMore));
        for clusters in self.ordered_clusters(view, asking).chunks(among) {
            let admitted =
                |machine: &usize| self.rules.iter().all(|rule| self.admits(rule.name, view, asking, *machine));
            let machines = clusters.iter().flat_map(|cluster| self.clusters[*cluster].clone());
            let mut best: Vec<usize> = machines.filter(admitted).collect();
            best.sort_unstable();
            for rule in &self.rules {
                self.keep_best(rule, &mut best, |machine| self.machine_score(rule, view, asking, machine));
            }
            if !best.is_empty() {
                return best;
            }
        }
        Vec::new()
    }

    /// The valid clusters, best first.
    fn ordered_clusters(&self, view: &[State], asking: &Asking) -> Vec<usize> {
        let all = 0..self.record.clusters.len();
        let mut rest: Vec<_> =
            all.filter(|id| self.rules.iter().all(|rule| self.admits_cluster(rule, view, asking, *id))).collect();
        let mut ordered = Vec::new();
        while !rest.is_empty() {
            let mut best = rest.clone();
            for rule in self.rules.iter().filter(|rule| rule.name == Name::PreferEmptierClusters) {
                self.keep_best(rule, &mut best, |id| Some(self.cores_in_use(view, &self.clusters[id])));
            }
            ordered.push(best[0]);
            rest.retain(|id| *id != best[0]);
        }
        ordered
    }

    fn admits_cluster(&self, rule: &Rule, view: &[State], asking: &Asking, cluster: usize) -> bool {
        let Asking { vm, own, .. } = asking;
        let bound = |scope: Scope| vm.scope >= scope && !own.is_empty();
        match rule.name {
            Name::IsTypeSupported => vm.size.fits_into(self.record.clusters[cluster].machine_size()),
            Name::IsClusterBelowLimit => {
                let (used, all) = self.cores_in_use(view, &self.clusters[cluster]);
                self.has(Fault::LimitIgnored) || used * 100_000 < rule.milli("limit") * all
            }
            Name::SharesTenantDatacenter => {
                let datacenter = |cluster: usize| self.record.clusters[cluster].datacenter;
                let home = |machine: &usize| datacenter(self.machines[*machine].cluster);
                !bound(Scope::Datacenter) || own.iter().any(|machine| home(machine) == datacenter(cluster))
            }
            Name::SharesTenantCluster => {
                !bound(Scope::Cluster) || own.iter().any(|machine| self.machines[*machine].cluster == cluster)
            }
            _ => true,
        }
    }

    /// Whether a machine validator, or the tenant's term behind it, admits the VM to a machine.
    fn admits(&self, rule: Name, view: &[State], asking: &Asking, id: usize) -> bool {
        let (vm, machine, state) = (asking.vm, &self.machines[id], &view[id]);
        let own_in_rack = || asking.own.iter().filter(|own| self.machines[**own].rack == machine.rack).count() as u32;
        let own_here = || asking.own.iter().filter(|own| **own == id).count() as u32;
        match rule {
            Name::AreNodeResourcesValid if self.has(Fault::MemoryIgnored) => {
                vm.size.cores <= machine.size.cores - state.used.cores
            }
            Name::AreNodeResourcesValid => vm.size.fits_into(machine.size.minus(state.used)),
            Name::IsMachineReady => machine.is_ready || self.has(Fault::UnreadyUsed),
            Name::SharesTenantRack => vm.scope < Scope::Rack || asking.own.is_empty() || own_in_rack() > 0,
            Name::SpreadsOverFaultDomains => {
                let share = (vm.fault_domains > 1).then(|| asking.wanted.div_ceil(vm.fault_domains));
                let limit = (vm.per_rack > 0).then_some(vm.per_rack);
                share.into_iter().chain(limit).all(|most| own_in_rack() < most)
            }
            Name::CapsTenantPerMachine => vm.per_machine == 0 || own_here() < vm.per_machine,
            Name::RespectsIsolation if vm.isolated > 0 => state.vms <= own_here(),
            Name::RespectsIsolation => state.closed_for.is_none_or(|tenant| tenant == vm.tenant),
            _ => true,
        }
    }

    /// Whether placing a VM on a machine keeps all tenants' terms in the true state.
    pub(crate) fn keeps_promises(&self, truth: &[State], asking: &Asking, machine: usize) -> bool {
        let cluster = self.machines[machine].cluster;
        self.rules.iter().all(|rule| match rule.name {
            Name::SharesTenantDatacenter | Name::SharesTenantCluster => {
                self.admits_cluster(rule, truth, asking, cluster)
            }
            Name::SharesTenantRack
            | Name::SpreadsOverFaultDomains
            | Name::CapsTenantPerMachine
            | Name::RespectsIsolation => self.admits(rule.name, truth, asking, machine),
            _ => true,
        })
    }

    /// A machine preference's score of a machine; `None` for other rules.
    fn machine_score(&self, rule: &Rule, view: &[State], asking: &Asking, id: usize) -> Option<Fraction> {
        let rack = &self.racks[self.machines[id].rack];
        match rule.name {
            Name::PreferNonEmptyMachines => Some((i128::from(view[id].vms == 0), 1)),
            Name::BestFit => Some(self.share_left(rule, view, asking.vm, id)),
            Name::WorstFit => {
                let (left, all) = self.share_left(rule, view, asking.vm, id);
                Some((all - left, all))
            }
            Name::PreferLeastUsedRack => Some(self.cores_in_use(view, rack)),
            Name::FdEmptyNodes => {
                let busy = view[rack.clone()].iter().filter(|state| state.vms > 0).count();
                Some((busy as i128, rack.len() as i128))
            }
            Name::SpreadTenantOverRacks => {
                let own = asking.own.iter().filter(|own| rack.contains(own)).count() as i128;
                Some((own, own + 1))
            }
            Name::FirstFit => Some((id as i128, view.len() as i128)),
            _ => None,
        }
    }

    /// The weighted mean of the shares of cores and memory that stay free with the VM.
    fn share_left(&self, rule: &Rule, view: &[State], vm: &Vm, id: usize) -> Fraction {
        let size = self.machines[id].size;
        let left = size.minus(view[id].used).minus(vm.size);
        let (cores, memory) = (rule.milli("cores_weight"), rule.milli("memory_weight"));
        let (all_cores, all_memory) = (i128::from(size.cores), i128::from(size.memory));
        let weighed = cores * i128::from(left.cores) * all_memory + memory * i128::from(left.memory) * all_cores;
        (weighed, (cores + memory) * all_cores * all_memory)
    }

    /// Cores in use and all cores of some machines.
    fn cores_in_use(&self, view: &[State], machines: &Range<usize>) -> Fraction {
        let sum = |cores: &dyn Fn(usize) -> i64| machines.clone().map(|id| i128::from(cores(id))).sum();
        (sum(&|id| view[id].used.cores), sum(&|id| self.machines[id].size.cores))
    }

    /// Keeps the ids with the lowest score, rounded up to the rule's buckets.
    fn keep_best(&self, rule: &Rule, ids: &mut Vec<usize>, score: impl Fn(usize) -> Option<Fraction>) {
        let step = |(part, all): Fraction| match rule.buckets {
            Some(buckets) if self.has(Fault::BucketsRoundedDown) => (part * buckets / all, 1),
            Some(buckets) => ((part * buckets + all - 1) / all, 1),
            None => (part, all),
        };
        let scores: Option<Vec<Fraction>> = ids.iter().map(|id| score(*id).map(step)).collect();
        let is_less = |one: &Fraction, other: &Fraction| one.0 * other.1 < other.0 * one.1;
        let Some(scores) = scores else { return };
        let best = scores.iter().copied().reduce(|best, it| if is_less(&it, &best) { it } else { best });
        let mut scores = scores.iter();
        ids.retain(|_| scores.next().zip(best.as_ref()).is_some_and(|(it, best)| !is_less(best, it)));
    }
}
