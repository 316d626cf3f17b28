//! Ids are dense indices, so a column indexed by one needs no map.

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as a column index.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of a column index.
            ///
            /// # Panics
            /// When a column is longer than 2^32 rows, which no builder allows.
            #[must_use]
            pub const fn of(index: usize) -> Self {
                assert!(index <= u32::MAX as usize, "ids are 32 bits wide");
                Self(index as u32)
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

ids! {
    /// A physical machine (Borg: machine, Kubernetes: node, OpenStack: compute host).
    MachineId;
    /// A rack: a fault domain inside one cluster.
    RackId;
    /// A chassis: machines of one rack that share power supplies.
    ChassisId;
    /// A cluster: machines of one hardware generation.
    ClusterId;
    /// One VM of a workload, as an index into the workload's columns.
    VmId;
    /// One service request: the VMs that a tenant requested at one instant.
    RequestId;
    /// One distinct combination of request traits in a workload.
    ShapeId;
}
