//! What a rule is.
//!
//! A rule turns a request into a key, once, and never sees the request again. It sees a place only through a view,
//! whose reach is a type. So no dependency of a cached verdict can be forgotten: the key and the reach declare them
//! all. Source: Protean sections 3.2, 5.2.1.

pub(crate) mod erased;
pub(crate) mod quantities;
pub(crate) mod quantize;

use alloc::vec::Vec;

use tiebreak_model::{
    ClusterId, ClusterView, Declared, HardwareView, HostView, MachineId, MachineView, MixedView, RackId, RackView,
    Resource, Resources, Scene, TenantTerms, TenantView, UsedView, VmAffinity, VmRequest,
};

/// How far a rule can see.
pub trait Reach: Sized + 'static {
    /// What it looks at.
    type Id: Copy;
    /// All it can see of that.
    type View<'a>: Copy;

    /// Whether it sees the requesting tenant's VMs. Cached verdicts then hold for a tenant without VMs, and are
    /// recomputed for a decision if the tenant has some.
    const SEES_TENANT: bool = false;

    /// Whether everything it sees, except the requesting tenant's VMs, is constant during a run, so that a verdict
    /// never changes.
    const SEES_WHAT_STAYS: bool = false;

    /// Whether it sees only a machine's condition, so that machines in the same condition get the same verdict.
    const SEES_HOST_ALONE: bool = false;

    /// Whether it sees the mix of VM sizes, which is counted only if a rule reads it.
    const SEES_MIX: bool = false;

    /// Whether it sees the order in which machines were used; placements are counted only if a rule reads it.
    const SEES_USES: bool = false;

    /// The view of one id.
    fn view(scene: Scene<'_>, id: Self::Id) -> Self::View<'_>;
}

/// The reach of a rule about one machine.
#[derive(Clone, Copy, Debug)]
pub enum OfMachine {}

/// The reach of a rule about one machine's condition, whatever VMs are on it.
#[derive(Clone, Copy, Debug)]
pub enum OfHost {}

/// The reach of a rule about one machine and the mix of VM sizes, which never changes during a run.
#[derive(Clone, Copy, Debug)]
pub enum OfMachineAndMix {}

/// The reach of a rule about one machine and when it was last used.
#[derive(Clone, Copy, Debug)]
pub enum OfUsedMachine {}

/// The reach of a rule about a whole rack; the rule treats all its machines alike.
#[derive(Clone, Copy, Debug)]
pub enum OfRack {}

/// The reach of a rule about a whole cluster, used to select clusters.
#[derive(Clone, Copy, Debug)]
pub enum OfCluster {}

/// The reach of a rule about a cluster's hardware, which never changes.
#[derive(Clone, Copy, Debug)]
pub enum OfHardware {}

/// The reach of a rule about a machine and the requesting tenant's VMs on it.
#[derive(Clone, Copy, Debug)]
pub enum OfTenantOnMachine {}

/// The reach of a rule about a rack and the requesting tenant's VMs in it.
#[derive(Clone, Copy, Debug)]
pub enum OfTenantOnRack {}

/// The reach of a rule about a cluster's hardware and the requesting tenant's VMs in it.
#[derive(Clone, Copy, Debug)]
pub enum OfTenantOnCluster {}

/// The reach of a rule about a cluster's hardware and the requesting tenant's VMs in its datacenter.
#[derive(Clone, Copy, Debug)]
pub enum OfTenantOnDatacenter {}

impl Reach for OfMachine {
    type Id = MachineId;
    type View<'a> = MachineView<'a>;

    #[inline]
    fn view(scene: Scene<'_>, id: MachineId) -> MachineView<'_> {
        scene.occupancy.machine(id)
    }
}

impl Reach for OfHost {
    type Id = MachineId;
    type View<'a> = HostView;
    const SEES_HOST_ALONE: bool = true;

    #[inline]
    fn view(scene: Scene<'_>, id: MachineId) -> HostView {
        scene.occupancy.host(id)
    }
}

impl Reach for OfMachineAndMix {
    type Id = MachineId;
    type View<'a> = MixedView<'a>;
    const SEES_MIX: bool = true;

    #[inline]
    fn view(scene: Scene<'_>, id: MachineId) -> MixedView<'_> {
        scene.occupancy.mixed(id)
    }
}

impl Reach for OfUsedMachine {
    type Id = MachineId;
    type View<'a> = UsedView<'a>;
    const SEES_USES: bool = true;

    #[inline]
    fn view(scene: Scene<'_>, id: MachineId) -> UsedView<'_> {
        scene.occupancy.used(id)
    }
}

impl Reach for OfRack {
    type Id = RackId;
    type View<'a> = RackView<'a>;

    fn view(scene: Scene<'_>, id: RackId) -> RackView<'_> {
        scene.occupancy.rack(id)
    }
}

impl Reach for OfCluster {
    type Id = ClusterId;
    type View<'a> = ClusterView<'a>;

    fn view(scene: Scene<'_>, id: ClusterId) -> ClusterView<'_> {
        scene.occupancy.cluster(id)
    }
}

impl Reach for OfHardware {
    type Id = ClusterId;
    type View<'a> = HardwareView<'a>;
    const SEES_WHAT_STAYS: bool = true;

    fn view(scene: Scene<'_>, id: ClusterId) -> HardwareView<'_> {
        scene.occupancy.fleet().hardware(id)
    }
}

macro_rules! tenant_reaches {
    ($($reach:ident of $place:ident: $id:ty, $view:ident, |$scene:ident, $at:ident| $vms:expr;)+) => {$(
        impl Reach for $reach {
            type Id = $id;
            type View<'a> = TenantView<$view<'a>>;
            const SEES_TENANT: bool = true;
            const SEES_WHAT_STAYS: bool = $place::SEES_WHAT_STAYS;

            #[inline]
            fn view($scene: Scene<'_>, $at: $id) -> TenantView<$view<'_>> {
                TenantView { place: $place::view($scene, $at), tenant_vms: $vms }
            }
        }
    )+};
}

tenant_reaches! {
    OfTenantOnMachine of OfMachine: MachineId, MachineView, |scene, id| scene.footprint.on_machine(id);
    OfTenantOnRack of OfRack: RackId, RackView, |scene, id| scene.footprint.on_rack(scene.occupancy.fleet(), id);
    OfTenantOnCluster of OfHardware: ClusterId, HardwareView,
        |scene, id| scene.footprint.on_cluster(scene.occupancy.fleet(), id);
    OfTenantOnDatacenter of OfHardware: ClusterId, HardwareView,
        |scene, id| scene.footprint.on_datacenter(scene.occupancy.fleet(), id);
}

/// The part of a request that a rule depends on. Requests with equal keys are one
/// class to that rule and share its cached verdicts.
pub trait Key: Copy + Send + 'static {
    /// Writes the key, so that different keys give different words, and equal types the same number of words.
    fn write(self, words: &mut Vec<u64>);
}

impl Key for () {
    fn write(self, _: &mut Vec<u64>) {}
}

impl Key for bool {
    fn write(self, words: &mut Vec<u64>) {
        words.push(u64::from(self));
    }
}

impl Key for u32 {
    fn write(self, words: &mut Vec<u64>) {
        words.push(u64::from(self));
    }
}

impl Key for VmAffinity {
    fn write(self, words: &mut Vec<u64>) {
        words.push(u64::from_le_bytes([self.class, self.classes, self.omega_pct, 0, 0, 0, 0, 0]));
    }
}

impl<K: Key> Key for Option<K>
where
    K: Default,
{
    fn write(self, words: &mut Vec<u64>) {
        words.push(u64::from(self.is_some()));
        self.unwrap_or_default().write(words);
    }
}

impl<A: Key, B: Key> Key for (A, B) {
    fn write(self, words: &mut Vec<u64>) {
        self.0.write(words);
        self.1.write(words);
    }
}

impl Key for Resources {
    fn write(self, words: &mut Vec<u64>) {
        words.extend(Resource::ALL.map(|resource| u64::from(self[resource])));
    }
}

/// A hard constraint: a place that it refuses is no longer a candidate.
pub trait Validator: Declared + Copy + Send + Sync + 'static {
    /// How far it sees.
    type Reach: Reach;
    /// The type of the part of the request it depends on.
    type Key: Key;

    /// The part of the request it depends on.
    fn key(&self, vm: &VmRequest) -> Self::Key;

    /// Whether it can refuse anything to requests with this key. A rule about a rare placement term returns false for
    /// most keys, so that it costs the other requests nothing.
    fn concerns(&self, key: &Self::Key) -> bool {
        let _ = key;
        true
    }

    /// What must be free on a machine: it refuses every machine with less, which is then not evaluated at all. A rule
    /// that asks for no such thing keeps the default, nothing.
    fn must_be_free(&self, key: &Self::Key) -> Resources {
        let _ = key;
        Resources::NONE
    }

    /// Whether a tenant with these placement terms relies on the rule. If no tenant of a run does, the rule refuses
    /// nothing in it.
    fn serves(&self, terms: &TenantTerms) -> bool {
        let _ = terms;
        true
    }

    /// Whether the VM may be placed there.
    fn is_valid(&self, key: &Self::Key, view: <Self::Reach as Reach>::View<'_>) -> bool;
}

/// A soft constraint: it keeps the candidates with the lowest score.
pub trait Preference: Declared + Copy + Send + Sync + 'static {
    /// How far it sees.
    type Reach: Reach;
    /// The type of the part of the request it depends on.
    type Key: Key;

    /// The number of different scores it can give (0, 1/(n-1), ..., 1), if there are few.
    const LEVELS: Option<u32> = None;

    /// The part of the request it depends on.
    fn key(&self, vm: &VmRequest) -> Self::Key;

    /// From 0 (best) to 1 (worst); values outside are clamped, and NaN counts as 1. It may be called for places that
    /// a validator refuses (for example, a machine too full for the VM) and must not panic; the result is then
    /// unused.
    fn score(&self, key: &Self::Key, view: <Self::Reach as Reach>::View<'_>) -> f64;
}
