//! The contents of a zone: machines with resources, requests for VMs, and the journal of changes. Nothing here
//! depends on rules or on the passing of time.
//!
//! Source: Protean (Hadary et al., OSDI 2020), sections 2 and 5.2.4.
//!
//! Start with [`fleet`] (the machines) and [`occupancy`] (what is in use); [`workload`] holds the requests as
//! columns; [`declare`] is how every rule, metric and setting describes itself once for page, file, link and program.

#![no_std]

extern crate alloc;

pub mod bits;
pub mod chassis;
pub mod declare;
pub mod earlier;
pub mod exits;
pub mod fleet;
pub mod growth;
pub mod ids;
pub mod journal;
pub mod life;
pub mod mix;
pub mod network;
pub mod occupancy;
pub mod outliers;
pub mod phrase;
pub mod random;
pub mod resources;
pub mod sample;
pub mod sort;
pub mod table;
pub mod tenant;
pub mod time;
mod titles;
pub mod usage;
pub mod workload;

pub use chassis::{ChassisView, MachineLoad};
pub use declare::{Declaration, Declared, Param, ParamKind};
pub use earlier::{Earlier, History};
pub use exits::{Exits, ExpectedExit};
pub use fleet::{ClusterSpec, Fleet, FleetError, HardwareView, Readiness};
pub use growth::{Ahead, ClusterForecast, Expected, Growth, Newcomer};
pub use ids::{ChassisId, ClusterId, MachineId, RackId, RequestId, ShapeId, VmId};
pub use life::{HostLife, Phase, PredictedLife, VmAffinity};
pub use mix::ShapeMix;
pub use network::{Bottleneck, Bounds, Cut, Links, Member, Needs, Network, Peer, Topology, Uplinks};
pub use occupancy::{
    ClusterView, HostView, LastUse, MachineRecord, MachineView, MixedView, Occupancy, RackView, Scene, TenantView,
    UsedView,
};
pub use outliers::Outliers;
pub use phrase::Phrase;
pub use resources::{Resource, Resources};
pub use sample::{Sample, SampledBy};
pub use tenant::{Footprint, Scope, TenantSize, TenantTerms, VmRequest};
pub use time::{Millis, Time};
pub use usage::{Load, Usage};
pub use workload::{VmRow, VmShape, Workload, WorkloadBuilder};
