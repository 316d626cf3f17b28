//! The fleet: clusters of one hardware generation each, split into racks (fault domains) of machines. It does not
//! change during a run; what is in use is [`Occupancy`](crate::Occupancy).
//!
//! Machines are numbered chassis by chassis, chassis rack by rack and racks cluster by cluster, so each of
//! these is a range of ids. Source: Protean section 2.1; chassis: power oversubscription, section II-A.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::ids::{ChassisId, ClusterId, MachineId, RackId};
use crate::resources::{Resource, Resources};

/// The maximum number of machines in a zone, so that no id or sum can overflow.
pub const MACHINES_MAX: u32 = 1_000_000;

/// Whether a machine accepts new VMs (Protean section 3.1, "ready" state).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Readiness {
    /// Accepts new VMs.
    #[default]
    Ready,
    /// Keeps its VMs and accepts no new ones: draining, updating, suspected.
    Unready,
    /// Failed: holds no VMs and accepts none.
    Failed,
}

/// The specification of one cluster: its machines, their capacity, and its racks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterSpec {
    /// Display name.
    pub name: String,
    /// Machines in the cluster.
    pub machines: u32,
    /// Racks that the machines are spread over; if uneven, earlier racks get one more.
    pub racks: u32,
    /// The capacity of each machine.
    pub capacity: Resources,
    /// How many of them, the last ones, accept no new VMs from the start.
    pub unready: u32,
    /// The number of its datacenter; any number.
    pub datacenter: u32,
    /// Chassis that each rack's machines are spread over, at least 1; if uneven, earlier ones get one more.
    pub chassis: u32,
}

/// Why a fleet cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FleetError {
    /// The zone has no machines.
    NoMachines,
    /// The sum over all clusters is over [`MACHINES_MAX`].
    TooManyMachines {
        /// Requested machines.
        machines: u64,
    },
    /// A cluster has no rack, or more racks than machines.
    Racks {
        /// Index of the cluster.
        cluster: usize,
        /// Its machines.
        machines: u32,
        /// Its racks.
        racks: u32,
    },
    /// A rack has no chassis, or one of its chassis would have no machine.
    Chassis {
        /// Index of the cluster.
        cluster: usize,
        /// Machines of its smallest rack.
        machines: u32,
        /// Chassis per rack.
        chassis: u32,
    },
    /// The machines have no cores.
    NoCores {
        /// Index of the cluster.
        cluster: usize,
    },
}

impl fmt::Display for FleetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMachines => write!(f, "expected at least 1 machine, got 0; add a cluster with machines"),
            Self::TooManyMachines { machines } => {
                write!(f, "expected at most {MACHINES_MAX} machines, got {machines}; use fewer or split the zone")
            }
            Self::Racks { cluster, machines, racks } => {
                write!(f, "cluster {cluster}: expected 1 to {machines} racks for {machines} machines, got {racks}")
            }
            Self::Chassis { cluster, machines, chassis } => write!(
                f,
                "cluster {cluster}: expected 1 to {machines} chassis for racks of {machines} machines, got {chassis}; \
                 use fewer, so that none is empty"
            ),
            Self::NoCores { cluster } => write!(f, "cluster {cluster}: expected more than 0 cores per machine, got 0"),
        }
    }
}

impl core::error::Error for FleetError {}

/// A cluster as built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Display name.
    pub name: String,
    /// The capacity of each machine.
    pub capacity: Resources,
    /// How many of its machines, the last ones, accept no new VMs from the start.
    pub unready: u32,
    /// The number of its datacenter.
    pub datacenter: u32,
    machines: Range<u32>,
    racks: Range<u32>,
}

impl Cluster {
    /// Ids of its machines.
    #[must_use]
    pub fn machines(&self) -> Range<u32> {
        self.machines.clone()
    }

    /// Ids of its racks.
    #[inline]
    #[must_use]
    pub fn racks(&self) -> Range<u32> {
        self.racks.clone()
    }

    /// Whether one of its machines accepts new VMs at the start.
    #[must_use]
    pub fn readiness_at_start(&self, machine: MachineId) -> Readiness {
        if machine.0 >= self.machines.end.saturating_sub(self.unready) { Readiness::Unready } else { Readiness::Ready }
    }

    /// The sum of one resource over its machines, in stored units.
    #[must_use]
    pub fn total(&self, resource: Resource) -> u64 {
        u64::from(self.capacity[resource]) * self.machines.len() as u64
    }
}

/// The constant properties of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct HardwareView<'a> {
    /// Display name.
    pub name: &'a str,
    /// The capacity of each machine.
    pub machine_capacity: Resources,
    /// The number of its datacenter.
    pub datacenter: u32,
}

/// The location of every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fleet {
    clusters: Vec<Cluster>,
    rack_machines: Vec<Range<u32>>,
    cluster_of_rack: Vec<ClusterId>,
    rack_of_machine: Vec<RackId>,
    chassis_machines: Vec<Range<u32>>,
    chassis_of_machine: Vec<ChassisId>,
}

impl Fleet {
    /// Numbers the machines of these clusters.
    ///
    /// # Errors
    /// The first invalid property: see [`FleetError`].
    pub fn build(specs: &[ClusterSpec]) -> Result<Self, FleetError> {
        let machines: u64 = specs.iter().map(|spec| u64::from(spec.machines)).sum();
        if machines == 0 {
            return Err(FleetError::NoMachines);
        }
        if machines > u64::from(MACHINES_MAX) {
            return Err(FleetError::TooManyMachines { machines });
        }
        let mut fleet = Self {
            clusters: Vec::new(),
            rack_machines: Vec::new(),
            cluster_of_rack: Vec::new(),
            rack_of_machine: Vec::new(),
            chassis_machines: Vec::new(),
            chassis_of_machine: Vec::new(),
        };
        for (index, spec) in specs.iter().enumerate() {
            fleet.add_cluster(index, spec)?;
        }
        Ok(fleet)
    }

    fn add_cluster(&mut self, index: usize, spec: &ClusterSpec) -> Result<(), FleetError> {
        let ClusterSpec { machines, racks, chassis, capacity, .. } = *spec;
        if machines == 0 {
            return Ok(());
        }
        if racks == 0 || racks > machines {
            return Err(FleetError::Racks { cluster: index, machines, racks });
        }
        if chassis == 0 || chassis > machines / racks {
            return Err(FleetError::Chassis { cluster: index, machines: machines / racks, chassis });
        }
        if capacity.cores_milli() == 0 {
            return Err(FleetError::NoCores { cluster: index });
        }
        let cluster = ClusterId::of(self.clusters.len());
        let (first_machine, first_rack) = (self.machine_count(), self.rack_machines.len() as u32);
        for rack in 0..racks {
            let size = machines / racks + u32::from(rack < machines % racks);
            let start = self.machine_count();
            self.rack_of_machine.extend((0..size).map(|_| RackId(first_rack + rack)));
            self.rack_machines.push(start..start + size);
            self.add_chassis(start, size, chassis);
            self.cluster_of_rack.push(cluster);
        }
        self.clusters.push(Cluster {
            name: spec.name.clone(),
            capacity,
            unready: spec.unready,
            datacenter: spec.datacenter,
            machines: first_machine..first_machine + machines,
            racks: first_rack..first_rack + racks,
        });
        Ok(())
    }

    /// Spreads the machines of a rack over its chassis.
    fn add_chassis(&mut self, mut start: u32, size: u32, chassis: u32) {
        for at in 0..chassis {
            let machines = size / chassis + u32::from(at < size % chassis);
            let id = ChassisId::of(self.chassis_machines.len());
            self.chassis_of_machine.extend((0..machines).map(|_| id));
            self.chassis_machines.push(start..start + machines);
            start += machines;
        }
    }

    /// The number of machines.
    #[inline]
    #[must_use]
    pub fn machine_count(&self) -> u32 {
        self.rack_of_machine.len() as u32
    }

    /// The number of racks.
    #[must_use]
    pub fn rack_count(&self) -> u32 {
        self.rack_machines.len() as u32
    }

    /// All clusters, by id.
    #[must_use]
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// One cluster.
    #[inline]
    #[must_use]
    pub fn cluster(&self, id: ClusterId) -> &Cluster {
        &self.clusters[id.index()]
    }

    /// Ids of a rack's machines.
    #[inline]
    #[must_use]
    pub fn machines_of_rack(&self, rack: RackId) -> Range<u32> {
        self.rack_machines[rack.index()].clone()
    }

    /// The rack of a machine.
    #[inline]
    #[must_use]
    pub fn rack_of(&self, machine: MachineId) -> RackId {
        self.rack_of_machine[machine.index()]
    }

    /// The cluster of a rack.
    #[inline]
    #[must_use]
    pub fn cluster_of_rack(&self, rack: RackId) -> ClusterId {
        self.cluster_of_rack[rack.index()]
    }

    /// The number of chassis.
    #[must_use]
    pub fn chassis_count(&self) -> u32 {
        self.chassis_machines.len() as u32
    }

    /// Ids of a chassis' machines.
    #[inline]
    #[must_use]
    pub fn machines_of_chassis(&self, chassis: ChassisId) -> Range<u32> {
        self.chassis_machines[chassis.index()].clone()
    }

    /// The chassis of a machine.
    #[inline]
    #[must_use]
    pub fn chassis_of(&self, machine: MachineId) -> ChassisId {
        self.chassis_of_machine[machine.index()]
    }

    /// The cluster of a machine.
    #[inline]
    #[must_use]
    pub fn cluster_of(&self, machine: MachineId) -> ClusterId {
        self.cluster_of_rack(self.rack_of(machine))
    }

    /// The constant properties of a cluster.
    #[must_use]
    pub fn hardware(&self, id: ClusterId) -> HardwareView<'_> {
        let cluster = self.cluster(id);
        HardwareView { name: &cluster.name, machine_capacity: cluster.capacity, datacenter: cluster.datacenter }
    }

    /// The capacity of a machine.
    #[inline]
    #[must_use]
    pub fn capacity(&self, machine: MachineId) -> Resources {
        self.cluster(self.cluster_of(machine)).capacity
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn spec(machines: u32, racks: u32, cores: u32) -> ClusterSpec {
        ClusterSpec {
            name: "c".into(),
            machines,
            racks,
            capacity: Resources::new(cores, 1, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        }
    }

    #[test]
    fn racks_and_clusters_are_ranges_that_cover_all_machines() {
        let fleet = Fleet::build(&[spec(7, 3, 1), spec(2, 2, 1)]).expect("a fleet");
        let racks: Vec<_> = (0..fleet.rack_count()).map(|rack| fleet.machines_of_rack(RackId(rack))).collect();
        assert_eq!(racks, vec![0..3, 3..5, 5..7, 7..8, 8..9]);
        assert_eq!(fleet.cluster_of(MachineId(8)), ClusterId(1));
        assert_eq!(fleet.rack_of(MachineId(4)), RackId(1));
        let fleet = Fleet::build(&[ClusterSpec { chassis: 2, ..spec(7, 3, 1) }, spec(2, 2, 1)]).expect("a fleet");
        let chassis = (0..fleet.chassis_count()).map(|id| fleet.machines_of_chassis(ChassisId(id)));
        assert_eq!(chassis.collect::<Vec<_>>(), vec![0..2, 2..3, 3..4, 4..5, 5..6, 6..7, 7..8, 8..9]);
        assert_eq!(fleet.chassis_of(MachineId(2)), ChassisId(1));
    }

    #[test]
    fn what_cannot_stand_is_named() {
        for (specs, error) in [
            (vec![], FleetError::NoMachines),
            (vec![spec(0, 0, 1)], FleetError::NoMachines),
            (vec![spec(2, 0, 1)], FleetError::Racks { cluster: 0, machines: 2, racks: 0 }),
            (vec![spec(2, 3, 1)], FleetError::Racks { cluster: 0, machines: 2, racks: 3 }),
            (
                vec![ClusterSpec { chassis: 4, ..spec(7, 2, 1) }],
                FleetError::Chassis { cluster: 0, machines: 3, chassis: 4 },
            ),
            (
                vec![ClusterSpec { chassis: 0, ..spec(7, 2, 1) }],
                FleetError::Chassis { cluster: 0, machines: 3, chassis: 0 },
            ),
            (vec![spec(1, 1, 0)], FleetError::NoCores { cluster: 0 }),
            (vec![spec(u32::MAX, 1, 1), spec(1, 1, 1)], FleetError::TooManyMachines { machines: 1 << 32 }),
        ] {
            assert_eq!(Fleet::build(&specs), Err(error));
        }
    }
}
