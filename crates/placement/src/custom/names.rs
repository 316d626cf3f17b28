//! The names that an expression may read: each with its unit, its help and its source, in one table.

use tiebreak_expression::Kind;
use tiebreak_model::{ClusterView, MachineView, Phase, RackView, Readiness, Resource, VmRequest};

use super::Subject;

/// What a name describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The VM to place and its tenant's size; these form the rule's key.
    Vm,
    /// The machine that the rule judges.
    Machine,
    /// The rack that the rule judges.
    Rack,
    /// The cluster that the rule judges.
    Cluster,
    /// The VM's tenant on that machine.
    TenantOnMachine,
    /// The VM's tenant in that rack.
    TenantOnRack,
    /// The VM's tenant in that cluster.
    TenantOnCluster,
}

impl About {
    /// The word in lists.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Vm => "VM",
            Self::Machine => "machine",
            Self::Rack => "rack",
            Self::Cluster => "cluster",
            Self::TenantOnMachine => "tenant on the machine",
            Self::TenantOnRack => "tenant in the rack",
            Self::TenantOnCluster => "tenant in the cluster",
        }
    }

    /// What rules that read it must judge; every rule may read names of the VM.
    #[must_use]
    pub const fn subject(self) -> Option<Subject> {
        match self {
            Self::Vm => None,
            Self::Machine | Self::TenantOnMachine => Some(Subject::Machine),
            Self::Rack | Self::TenantOnRack => Some(Subject::Rack),
            Self::Cluster | Self::TenantOnCluster => Some(Subject::Cluster),
        }
    }
}

/// One name.
#[derive(Debug)]
pub struct Name {
    /// How it is written.
    pub id: &'static str,
    /// Its unit; empty when it has none.
    pub unit: &'static str,
    /// What it means.
    pub help: &'static str,
    /// Its type.
    pub kind: Kind,
    /// What it describes.
    pub of: About,
    pub(super) read: Read,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Read {
    Vm(fn(&VmRequest) -> f64),
    Machine(fn(MachineView<'_>) -> f64),
    Rack(fn(RackView<'_>) -> f64),
    Cluster(fn(ClusterView<'_>) -> f64),
    /// The tenant's VMs on or in the subject of the rule.
    Tenant,
    /// The tenant's VMs in the datacenter of the cluster that the rule judges.
    TenantInDatacenter,
}

impl Read {
    /// Whether it sees the requesting tenant's VMs.
    pub(super) fn sees_tenant(self) -> bool {
        matches!(self, Self::Tenant | Self::TenantInDatacenter)
    }
}

macro_rules! names {
    ($($of:ident $read:expr, $id:literal, $unit:literal, $kind:ident, $help:literal;)+) => {
        /// Every name, in display order. Documents refer to names, so none may be removed.
        pub static NAMES: &[Name] = &[$(
            Name { id: $id, unit: $unit, help: $help, kind: Kind::$kind, of: About::$of, read: $read },
        )+];
    };
}

/// What a custom rule cannot read, and the built-in rules that do.
pub(super) const ELSEWHERE: &[(&str, &str)] = &[
    ("now", "the clock advances without placements; built-in rules such as TemporalCost use it"),
    ("machine.free_in", "it moves with the clock; put TemporalCost or LifetimeAlignment above or below this rule"),
    ("machine.uplink_left", "it changes with other machines' links; put LeastLoadedUplink above or below this rule"),
    ("machine.chassis_draw", "it changes with the whole chassis; put PowerBalance above or below this rule"),
];

names! {
    Vm Read::Vm(|vm| cores(vm.shape.demand[Resource::Cores])), "vm.cores", "cores", Number, "Requested by the VM.";
    Vm Read::Vm(|vm| f64::from(vm.shape.demand[Resource::Cores])), "vm.millicores", "1/1000 core", Number,
        "Requested by the VM, as stored: shares calculated from it are exact.";
    Vm Read::Vm(|vm| gib(vm.shape.demand[Resource::Memory])), "vm.memory", "GiB", Number, "Requested by the VM.";
    Vm Read::Vm(|vm| f64::from(vm.shape.demand[Resource::Ssd])), "vm.ssd", "GiB", Number, "Requested by the VM.";
    Vm Read::Vm(|vm| f64::from(vm.shape.demand[Resource::Network])), "vm.network", "Mbit/s", Number,
        "Requested by the VM.";
    Vm Read::Vm(|vm| f64::from(vm.shape.priority)), "vm.priority", "", Number,
        "0 is the highest; spot VMs, which may be evicted, have 1.";
    Vm Read::Vm(|vm| truth(vm.shape.load.user_facing)), "vm.user_facing", "", Truth,
        "Whether the VM is predicted to be user-facing at its arrival.";
    Vm Read::Vm(|vm| f64::from(vm.shape.load.p95_pct) / 100.0), "vm.expected_use", "", Number,
        "The predicted 95th percentile of the VM's core utilization, 0 to 1.";
    Vm Read::Vm(|vm| life_hours(vm.life.remaining_s)), "vm.life", "h", Number,
        "The VM's remaining lifetime, by the scenario's predictor, rounded down by at most 1.6 %, so that VMs with \
         nearly the same lifetime share cached verdicts.";
    Vm Read::Vm(|vm| f64::from(vm.life.class)), "vm.lifetime_class", "", Number,
        "The VM's lifetime class: how many of the bounds between classes its predicted lifetime reaches.";
    Vm Read::Vm(|vm| f64::from(vm.tenant.placed)), "tenant.vms", "VMs", Number,
        "VMs that the tenant already has; 0 for a tenant without placement terms.";
    Vm Read::Vm(|vm| f64::from(vm.tenant.wanted)), "tenant.vms_wanted", "VMs", Number,
        "VMs that the tenant has once its whole request is placed; 0 for a tenant without placement terms.";
    Machine Read::Machine(|at| cores(at.capacity()[Resource::Cores])), "machine.cores", "cores", Number,
        "Capacity of the machine.";
    Machine Read::Machine(|at| f64::from(at.capacity()[Resource::Cores])), "machine.millicores", "1/1000 core", Number,
        "Capacity of the machine, as stored: shares calculated from it are exact.";
    Machine Read::Machine(|at| gib(at.capacity()[Resource::Memory])), "machine.memory", "GiB", Number,
        "Capacity of the machine.";
    Machine Read::Machine(|at| f64::from(at.capacity()[Resource::Ssd])), "machine.ssd", "GiB", Number,
        "Capacity of the machine.";
    Machine Read::Machine(|at| f64::from(at.capacity()[Resource::Network])), "machine.network", "Mbit/s", Number,
        "Capacity of the machine.";
    Machine Read::Machine(|at| cores(at.free()[Resource::Cores])), "machine.cores_free", "cores", Number,
        "Free capacity before placing the VM.";
    Machine Read::Machine(|at| f64::from(at.free()[Resource::Cores])), "machine.millicores_free", "1/1000 core", Number,
        "Free capacity before placing the VM, as stored.";
    Machine Read::Machine(|at| gib(at.free()[Resource::Memory])), "machine.memory_free", "GiB", Number,
        "Free capacity before placing the VM.";
    Machine Read::Machine(|at| f64::from(at.free()[Resource::Ssd])), "machine.ssd_free", "GiB", Number,
        "Free capacity before placing the VM.";
    Machine Read::Machine(|at| f64::from(at.free()[Resource::Network])), "machine.network_free", "Mbit/s", Number,
        "Free capacity before placing the VM.";
    Machine Read::Machine(|at| used(at, Resource::Cores)), "machine.cores_used", "", Number,
        "Allocated share of the machine's cores before placing the VM, 0 to 1.";
    Machine Read::Machine(|at| used(at, Resource::Memory)), "machine.memory_used", "", Number,
        "Allocated share of the machine's memory before placing the VM, 0 to 1.";
    Machine Read::Machine(|at| cores(at.evictable()[Resource::Cores])), "machine.cores_evictable", "cores", Number,
        "Capacity of low-priority VMs, available by evicting them.";
    Machine Read::Machine(|at| gib(at.evictable()[Resource::Memory])), "machine.memory_evictable", "GiB", Number,
        "Capacity of low-priority VMs, available by evicting them.";
    Machine Read::Machine(|at| f64::from(at.vms())), "machine.vms", "VMs", Number, "VMs on the machine.";
    Machine Read::Machine(|at| truth(at.host().readiness == Readiness::Ready)), "machine.ready", "", Truth,
        "Whether the machine is ready: not drained, being updated or failed.";
    Machine Read::Machine(|at| truth(at.is_isolated())), "machine.isolated", "", Truth,
        "Whether the machine's tenant requires isolation.";
    Machine Read::Machine(|at| f64::from(at.host().host_version)), "machine.host_version", "", Number,
        "The machine's host environment version; larger is newer.";
    Machine Read::Machine(|at| f64::from(at.host().risk)), "machine.risk", "%", Number,
        "How likely the machine is to fail soon.";
    Machine Read::Machine(|at| f64::from(at.lifetime_class().1)), "machine.lifetime_class", "", Number,
        "The machine's lifetime class: that of its first VM, until it drops or rises (LAVA section 4.3).";
    Machine Read::Machine(|at| truth(at.lifetime_class().0 == Phase::Open)), "machine.open", "", Truth,
        "Whether the machine is open for VMs of its own lifetime class (LAVA section 4.3).";
    Machine Read::Machine(|at| truth(at.lifetime_class().0 == Phase::Recycling)), "machine.recycling", "", Truth,
        "Whether the machine takes only VMs of lower lifetime classes (LAVA section 4.3).";
    Machine Read::Machine(|at| f64::from(at.longest_life_s()) / 3_600.0), "machine.longest_life", "h", Number,
        "The longest first prediction of a lifetime among the machine's VMs.";
    Machine Read::Machine(|at| f64::from(at.id.0)), "machine.number", "", Number,
        "The machine's number in the zone, from 0.";
    TenantOnMachine Read::Tenant, "tenant.vms_on_machine", "VMs", Number, "VMs that the tenant has on the machine.";
    Rack Read::Rack(|at| f64::from(at.machines)), "rack.machines", "machines", Number, "Machines in the rack.";
    Rack Read::Rack(|at| at.used_share(Resource::Cores)), "rack.cores_used", "", Number,
        "Allocated share of the rack's cores, 0 to 1.";
    Rack Read::Rack(|at| at.used_share(Resource::Memory)), "rack.memory_used", "", Number,
        "Allocated share of the rack's memory, 0 to 1.";
    Rack Read::Rack(|at| cores_of(at.free(Resource::Cores))), "rack.cores_free", "cores", Number,
        "Free capacity of all machines of the rack together.";
    Rack Read::Rack(|at| gib_of(at.free(Resource::Memory))), "rack.memory_free", "GiB", Number,
        "Free capacity of all machines of the rack together.";
    Rack Read::Rack(|at| at.empty_share()), "rack.empty", "", Number,
        "Share of the rack's machines without a VM, 0 to 1.";
    TenantOnRack Read::Tenant, "tenant.vms_in_rack", "VMs", Number, "VMs that the tenant has in the rack.";
    Cluster Read::Cluster(|at| f64::from(at.machines())), "cluster.machines", "machines", Number,
        "Machines in the cluster.";
    Cluster Read::Cluster(|at| cores(at.machine_capacity()[Resource::Cores])), "cluster.machine_cores", "cores", Number,
        "Capacity of each machine of the cluster.";
    Cluster Read::Cluster(|at| gib(at.machine_capacity()[Resource::Memory])), "cluster.machine_memory", "GiB", Number,
        "Capacity of each machine of the cluster.";
    Cluster Read::Cluster(|at| at.used_share(Resource::Cores)), "cluster.cores_used", "", Number,
        "Allocated share of the cluster's cores, 0 to 1.";
    Cluster Read::Cluster(|at| at.used_share(Resource::Memory)), "cluster.memory_used", "", Number,
        "Allocated share of the cluster's memory, 0 to 1.";
    Cluster Read::Cluster(|at| cores_of(at.free(Resource::Cores))), "cluster.cores_free", "cores", Number,
        "Free capacity of all machines of the cluster together.";
    Cluster Read::Cluster(|at| gib_of(at.free(Resource::Memory))), "cluster.memory_free", "GiB", Number,
        "Free capacity of all machines of the cluster together.";
    Cluster Read::Cluster(|at| at.empty_share()), "cluster.empty", "", Number,
        "Share of the cluster's machines without a VM, 0 to 1.";
    TenantOnCluster Read::Tenant, "tenant.vms_in_cluster", "VMs", Number, "VMs that the tenant has in the cluster.";
    TenantOnCluster Read::TenantInDatacenter, "tenant.vms_in_datacenter", "VMs", Number,
        "VMs that the tenant has in the cluster's datacenter.";
}

fn cores(stored: u32) -> f64 {
    f64::from(stored) / 1_000.0
}

fn gib(stored: u32) -> f64 {
    f64::from(stored) / 1_024.0
}

fn cores_of(stored: u64) -> f64 {
    stored as i64 as f64 / 1_000.0
}

fn gib_of(stored: u64) -> f64 {
    stored as i64 as f64 / 1_024.0
}

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// The allocated share; 0 if the machine has none of the resource.
fn used(machine: MachineView<'_>, resource: Resource) -> f64 {
    let (free, capacity) = (machine.free()[resource], machine.capacity()[resource]);
    if capacity == 0 { 0.0 } else { f64::from(capacity - free) / f64::from(capacity) }
}

/// Seconds in hours, with seven binary digits.
fn life_hours(seconds: u32) -> f64 {
    let below = u32::BITS - seconds.leading_zeros();
    let dropped = below.saturating_sub(7);
    f64::from(seconds >> dropped << dropped) / 3_600.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn every_name_says_what_it_is() {
        let ids: BTreeSet<_> = NAMES.iter().map(|name| name.id).collect();
        assert_eq!(ids.len(), NAMES.len(), "names are unique");
        assert!(ELSEWHERE.iter().all(|(id, why)| !ids.contains(id) && why.len() > 40));
        for name in NAMES {
            assert!(name.help.len() > 15 && name.help.ends_with('.'), "{} needs help", name.id);
            let reads = matches!(
                (name.of, name.read),
                (About::Vm, Read::Vm(_))
                    | (About::Machine, Read::Machine(_))
                    | (About::Rack, Read::Rack(_))
                    | (About::Cluster, Read::Cluster(_))
                    | (About::TenantOnMachine | About::TenantOnRack | About::TenantOnCluster, Read::Tenant)
                    | (About::TenantOnCluster, Read::TenantInDatacenter)
            );
            assert!(reads, "{} is read where it says", name.id);
        }
    }

    #[test]
    fn lives_are_rounded_down_by_less_than_a_sixtieth() {
        for seconds in (0..40_000).chain([86_400, 604_799, 31_536_000, u32::MAX]) {
            let (exact, rounded) = (f64::from(seconds) / 3_600.0, life_hours(seconds));
            assert!(rounded <= exact && rounded >= exact * (1.0 - 1.0 / 64.0), "{seconds}");
        }
    }
}
