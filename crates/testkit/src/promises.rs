//! Promises to a tenant hold whenever one of its VMs is placed (Protean section 2.1).
//!
//! They are checked on the actual placement, not on any rule's view. Each promise counts only if its rule is in the
//! list.

use std::collections::BTreeSet;

use tiebreak_model::{MachineId, Scope, TenantTerms, VmId};
use tiebreak_placement::custom::{About, Custom};

use crate::ledger::Ledger;
use crate::stand::Stand;

/// The promises that a list of rules makes to the tenants of a run.
pub(crate) struct Promises<'a> {
    ledger: &'a Ledger,
    isolation: bool,
    per_machine: bool,
    per_rack: bool,
    /// The number of VMs of a VDC that a machine may host, if every list has a limit: the largest one.
    colocated: Option<u32>,
    /// For each part of the zone, whether a rule keeps tenants together in it if they ask for that.
    scopes: [(Scope, bool); 3],
    /// Tenants whose VMs have different terms: their promises are unknown.
    mixed: BTreeSet<u64>,
    /// Whether a custom validator reads tenants: only its expression defines its promise.
    has_custom: bool,
}

impl<'a> Promises<'a> {
    pub(crate) fn of(ledger: &'a Ledger) -> Self {
        Self {
            ledger,
            isolation: ledger.has_rule("RespectsIsolation"),
            per_machine: ledger.has_rule("CapsTenantPerMachine"),
            per_rack: ledger.has_rule("SpreadsOverFaultDomains"),
            colocated: ledger.widest("CapsColocation"),
            scopes: [
                (Scope::Datacenter, ledger.has_rule("SharesTenantDatacenter")),
                (Scope::Cluster, ledger.has_rule("SharesTenantCluster")),
                (Scope::Rack, ledger.has_rule("SharesTenantRack")),
            ],
            mixed: mixed(ledger),
            has_custom: ledger.rules.iter().any(|rule| rule.custom.as_ref().is_some_and(promises)),
        }
    }

    /// Whether the promises to every tenant are known.
    pub(crate) fn are_clear(&self) -> bool {
        self.mixed.is_empty() && !self.has_custom
    }

    /// Whether there is any promise, to a tenant or to a VDC. The store always evaluates a custom validator that reads
    /// tenants again.
    pub(crate) fn are_given(&self) -> bool {
        let bounds_vdcs = self.colocated.is_some() || self.ledger.has_rule("BandwidthAvailable");
        let to_vdcs = self.ledger.links.is_some() && bounds_vdcs;
        self.has_custom || to_vdcs || self.ledger.workload.shapes().iter().any(|shape| !shape.terms.is_none())
    }

    /// Whether a promise depends, or may depend, on the tenant's number of VMs, so that a VM that leaves during
    /// another's decision can break it.
    pub(crate) fn depend_on_size(&self) -> bool {
        let spreads = |terms: &TenantTerms| terms.fault_domains > 1;
        self.has_custom || (self.per_rack && self.ledger.workload.shapes().iter().any(|shape| spreads(&shape.terms)))
    }

    /// The first broken promise, if any, after the VMs of one request were placed. Before, their tenant had `before`
    /// VMs.
    pub(crate) fn broken(&self, stand: &Stand<'_>, placed: &[(VmId, MachineId)], before: usize) -> Option<String> {
        let wanted = before + placed.len();
        placed.iter().find_map(|(vm, machine)| {
            let broken = self.broken_on(stand, *vm, *machine, wanted as u32)?;
            Some(format!("VM {vm} on machine {machine}: {broken}"))
        })
    }

    fn broken_on(&self, stand: &Stand<'_>, vm: VmId, machine: MachineId, wanted: u32) -> Option<&'static str> {
        if self.isolation && self.isolation_is_broken(stand, machine) {
            return Some("a tenant that was promised isolation shares its machine");
        }
        let (fleet, tenant) = (&self.ledger.fleet, self.ledger.tenant(vm));
        let terms = self.ledger.workload.shape_of_vm(vm).terms;
        let mates = stand.of_tenant(tenant);
        let alike = |is: &dyn Fn(MachineId) -> bool| mates.iter().filter(|mate| is(**mate)).count() as u32;
        let is_alone = terms.is_none() && self.ledger.links.is_none();
        if !is_alone && self.colocated.is_some_and(|vms| alike(&|mate| mate == machine) > vms) {
            return Some("more VMs of a virtual datacenter on one machine than the list allows");
        }
        if terms.is_none() || self.mixed.contains(&tenant) {
            return None;
        }
        let (rack, cluster) = (fleet.rack_of(machine), fleet.cluster_of(machine));
        let datacenter = |mate: MachineId| fleet.cluster(fleet.cluster_of(mate)).datacenter;
        let on_rack = alike(&|mate| fleet.rack_of(mate) == rack);
        let on_machine = alike(&|mate| mate == machine);
        if self.per_machine && terms.per_machine > 0 && on_machine > u32::from(terms.per_machine) {
            return Some("more of the tenant's VMs on one machine than it allows");
        }
        if self.per_rack && terms.rack_cap(wanted).is_some_and(|cap| on_rack > cap) {
            return Some("more of the tenant's VMs in one rack than its share");
        }
        let apart = |scope: Scope| match scope {
            Scope::Zone => false,
            Scope::Datacenter => mates.iter().any(|mate| datacenter(*mate) != datacenter(machine)),
            Scope::Cluster => mates.iter().any(|mate| fleet.cluster_of(*mate) != cluster),
            Scope::Rack => mates.iter().any(|mate| fleet.rack_of(*mate) != rack),
        };
        let is_kept = |(scope, kept): &(Scope, bool)| !kept || terms.scope < *scope || !apart(*scope);
        (!self.scopes.iter().all(is_kept)).then_some("the tenant's VMs stand further apart than it allows")
    }

    /// Whether a VM of a tenant with promised isolation shares this machine with another tenant's VM.
    fn isolation_is_broken(&self, stand: &Stand<'_>, machine: MachineId) -> bool {
        let here = stand.on(machine);
        let isolated = here.iter().any(|vm| self.ledger.workload.shape_of_vm(*vm).terms.isolated);
        isolated && here.iter().any(|vm| self.ledger.tenant(*vm) != self.ledger.tenant(here[0]))
    }
}

/// Whether a rule filters by the places of the tenant's VMs.
fn promises(rule: &Custom) -> bool {
    let definition = rule.definition();
    let reads = definition.program().map(|program| definition.names(&program)).unwrap_or_default();
    let of_tenant = |about| matches!(about, About::TenantOnMachine | About::TenantOnRack | About::TenantOnCluster);
    definition.bounds.is_none() && reads.iter().any(|name| of_tenant(name.of))
}

fn mixed(ledger: &Ledger) -> BTreeSet<u64> {
    let mut first = std::collections::BTreeMap::new();
    let vms = (0..ledger.workload.vm_count()).map(VmId);
    let all = vms.map(|vm| (ledger.tenant(vm), ledger.workload.shape_of_vm(vm).terms));
    all.filter(|(tenant, terms)| first.entry(*tenant).or_insert(*terms) != terms).map(|(tenant, _)| tenant).collect()
}
