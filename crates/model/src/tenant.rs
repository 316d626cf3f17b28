//! Tenants: their placement terms, and where their VMs are.
//!
//! Source: Protean section 2.1 (service model) and section 5.3 (anti-co-location).

use alloc::vec::Vec;
use core::ops::Range;

use crate::fleet::Fleet;
use crate::ids::{ClusterId, MachineId, RackId};
use crate::life::PredictedLife;
use crate::network::{Member, Peer};
use crate::workload::VmShape;

/// The part of the zone that all VMs of a tenant must share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Anywhere.
    #[default]
    Zone,
    /// All in one datacenter.
    Datacenter,
    /// All in one cluster.
    Cluster,
    /// All in one rack.
    Rack,
}

impl Scope {
    /// All scopes, the widest first; documents and traces use the index.
    pub const ALL: [Self; 4] = [Self::Zone, Self::Datacenter, Self::Cluster, Self::Rack];

    /// The word in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Zone => "zone",
            Self::Datacenter => "datacenter",
            Self::Cluster => "cluster",
            Self::Rack => "rack",
        }
    }
}

/// A tenant's placement terms: what it requires about the placement of its VMs relative to each other (Protean
/// section 2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantTerms {
    /// Racks that its VMs must be spread over as evenly as possible; 0 and 1 mean no requirement.
    pub fault_domains: u16,
    /// The part of the zone they must share.
    pub scope: Scope,
    /// How many of its VMs one machine may host; 0 means any number.
    pub per_machine: u16,
    /// How many of its VMs one rack may host; 0 means any number.
    pub per_rack: u16,
    /// Whether no other tenant may have a VM on its machines.
    pub isolated: bool,
}

impl TenantTerms {
    /// A tenant without terms.
    pub const NONE: Self = Self { fault_domains: 0, scope: Scope::Zone, per_machine: 0, per_rack: 0, isolated: false };

    /// Whether it has no terms, so that the location of its VMs does not matter.
    #[inline]
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// How many VMs of a tenant of this size one rack may host: enough racks, evenly filled. `None` means any number.
    #[must_use]
    pub fn rack_cap(&self, tenant_vms: u32) -> Option<u32> {
        let spread = (self.fault_domains > 1).then(|| tenant_vms.div_ceil(u32::from(self.fault_domains)).max(1));
        let asked = (self.per_rack > 0).then_some(u32::from(self.per_rack));
        spread.into_iter().chain(asked).min()
    }
}

/// A tenant's size while one of its requests is decided. Both are 0 if the tenant has no terms, so that all such
/// tenants are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TenantSize {
    /// VMs it has, including those of the request that were already decided.
    pub placed: u32,
    /// VMs it will have when the whole request is placed.
    pub wanted: u32,
}

/// A VM as rules see it: its shape, its tenant, and its predicted lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VmRequest {
    /// What the VM requests.
    pub shape: VmShape,
    /// The size of its tenant.
    pub tenant: TenantSize,
    /// Its predicted lifetime.
    pub life: PredictedLife,
}

impl VmRequest {
    /// A VM of a tenant without other VMs.
    #[must_use]
    pub const fn alone(shape: VmShape) -> Self {
        Self { shape, tenant: TenantSize { placed: 0, wanted: 0 }, life: PredictedLife::NONE }
    }
}

/// The location of one tenant's VMs: machines in order of id, each with a count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    vms: Vec<(MachineId, u32)>,
    /// Its linked VMs, in order of their machines.
    members: Vec<Member>,
}

impl Footprint {
    /// A tenant without VMs.
    pub const NONE: &'static Self = &Self { vms: Vec::new(), members: Vec::new() };

    /// Whether it has no VM.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vms.is_empty()
    }

    /// Removes all VMs.
    pub fn clear(&mut self) {
        self.vms.clear();
        self.members.clear();
    }

    /// Copies another footprint, reusing memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.vms.clone_from(&other.vms);
        self.members.clone_from(&other.members);
    }

    /// Adds a VM on a machine.
    pub fn add(&mut self, machine: MachineId) {
        match self.vms.binary_search_by_key(&machine, |(id, _)| *id) {
            Ok(at) => self.vms[at].1 += 1,
            Err(at) => self.vms.insert(at, (machine, 1)),
        }
    }

    /// Removes a VM from a machine.
    ///
    /// # Panics
    /// If it has none there, which is a bug of ours.
    pub fn remove(&mut self, machine: MachineId) {
        let at = self.vms.binary_search_by_key(&machine, |(id, _)| *id).expect("a VM that leaves stood here");
        self.vms[at].1 -= 1;
        if self.vms[at].1 == 0 {
            self.vms.remove(at);
        }
    }

    /// Adds a VM of a virtual datacenter on a machine.
    pub fn join(&mut self, machine: MachineId, peer: Peer) {
        self.add(machine);
        let member = Member { machine, peer };
        let at = self.members.partition_point(|other| *other < member);
        self.members.insert(at, member);
    }

    /// Removes a VM of a virtual datacenter from a machine.
    ///
    /// # Panics
    /// If it is not there, which is a bug of ours.
    pub fn part(&mut self, machine: MachineId, peer: Peer) {
        self.remove(machine);
        let at = self.members.binary_search(&Member { machine, peer }).expect("a VM that leaves stood here");
        self.members.remove(at);
    }

    /// Its linked VMs, in order of their machines.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The machines that host one of its VMs, by id.
    pub fn machines(&self) -> impl Iterator<Item = MachineId> + '_ {
        self.vms.iter().map(|(machine, _)| *machine)
    }

    /// All its VMs.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.vms.iter().map(|(_, vms)| vms).sum()
    }

    /// Its VMs on one machine.
    #[inline]
    #[must_use]
    pub fn on_machine(&self, machine: MachineId) -> u32 {
        self.vms.binary_search_by_key(&machine, |(id, _)| *id).map_or(0, |at| self.vms[at].1)
    }

    /// Its VMs in one rack.
    #[must_use]
    pub fn on_rack(&self, fleet: &Fleet, rack: RackId) -> u32 {
        self.on(fleet.machines_of_rack(rack))
    }

    /// Its VMs in one cluster.
    #[must_use]
    pub fn on_cluster(&self, fleet: &Fleet, cluster: ClusterId) -> u32 {
        self.on(fleet.cluster(cluster).machines())
    }

    /// Its VMs in the datacenter of a cluster.
    #[must_use]
    pub fn on_datacenter(&self, fleet: &Fleet, cluster: ClusterId) -> u32 {
        let datacenter = fleet.cluster(cluster).datacenter;
        let there = |machine: MachineId| fleet.cluster(fleet.cluster_of(machine)).datacenter == datacenter;
        self.vms.iter().filter(|(machine, _)| there(*machine)).map(|(_, vms)| vms).sum()
    }

    /// The machines in a range of ids that host one of its VMs.
    pub fn machines_in(&self, ids: Range<u32>) -> impl Iterator<Item = MachineId> + '_ {
        self.range(ids).iter().map(|(machine, _)| *machine)
    }

    fn on(&self, ids: Range<u32>) -> u32 {
        self.range(ids).iter().map(|(_, vms)| vms).sum()
    }

    fn range(&self, ids: Range<u32>) -> &[(MachineId, u32)] {
        let first = self.vms.partition_point(|(machine, _)| machine.0 < ids.start);
        let end = self.vms.partition_point(|(machine, _)| machine.0 < ids.end);
        &self.vms[first..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::ClusterSpec;
    use crate::resources::Resources;

    #[test]
    fn a_footprint_counts_by_machine_rack_cluster_and_datacenter() {
        let cluster = |datacenter| ClusterSpec {
            name: "c".into(),
            machines: 4,
            racks: 2,
            capacity: Resources::new(8, 8, 0, 0),
            unready: 0,
            datacenter,
            chassis: 1,
        };
        let fleet = Fleet::build(&[cluster(1), cluster(2), cluster(1)]).expect("a fleet");
        let mut footprint = Footprint::default();
        for machine in [9, 0, 3, 3, 6] {
            footprint.add(MachineId(machine));
        }
        assert_eq!(footprint.total(), 5);
        assert_eq!(footprint.on_machine(MachineId(3)), 2);
        assert_eq!(footprint.on_rack(&fleet, RackId(1)), 2);
        assert_eq!(footprint.on_cluster(&fleet, ClusterId(0)), 3);
        assert_eq!(footprint.on_datacenter(&fleet, ClusterId(0)), 4);
        assert_eq!(footprint.machines_in(0..4).count(), 2);
        footprint.remove(MachineId(3));
        footprint.remove(MachineId(3));
        assert_eq!(footprint.on_rack(&fleet, RackId(1)), 0);
    }

    #[test]
    fn fault_domains_become_a_cap_on_each_rack() {
        for (fault_domains, per_rack, vms, cap) in [
            (0, 0, 9, None),
            (1, 0, 9, None),
            (3, 0, 9, Some(3)),
            (3, 0, 10, Some(4)),
            (5, 1, 10, Some(1)),
            (9, 0, 2, Some(1)),
        ] {
            let terms = TenantTerms { fault_domains, per_rack, ..TenantTerms::NONE };
            assert_eq!(terms.rack_cap(vms), cap, "{fault_domains} fault domains, {per_rack} a rack, {vms} VMs");
        }
    }
}
