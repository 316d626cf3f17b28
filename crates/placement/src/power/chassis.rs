//! Rules about chassis.
//!
//! Such a rule sees two numbers: how much of a chassis' cores its VMs are expected to use, and the mix of VMs on the machine.
//! One VM that comes or goes changes what is said of all machines of its chassis, to both kinds of VMs. So these
//! rules stand outside all caches, like those that move with the clock: what the other rules say is ranked and
//! kept as ever, and what is said of chassis joins where it matters.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{ChassisView, Declared, MachineId, Occupancy, RackId, Scene, VmRequest};

use crate::rule::erased::{AnyPreference, BoundPreference};
use crate::rule::quantize::Quantizer;

/// A soft constraint on what chassis and machines are expected to draw.
pub trait ChassisPreference: Declared + Copy + Send + Sync + 'static {
    /// What a chassis adds to a score, at least 0, if this share of its cores is expected to be used, 0 to 1. See
    /// [`ChassisView`](tiebreak_model::ChassisView).
    fn of_chassis(&self, used_share: f64) -> f64;

    /// What a machine adds for a VM that is user-facing or not, at least 0, if its VMs that can be slowed down use
    /// so much more of its cores than its user-facing ones, -1 to 1. Together the two are from 0 (best)
    /// to 1 (worst).
    fn of_machine(&self, user_facing: bool, slowable_share: f64) -> f64;
}

/// Such a rule behind the seam of all preferences.
#[derive(Clone, Copy)]
pub(crate) struct Chassis<T>(T);

impl<T: ChassisPreference> Chassis<T> {
    pub(crate) fn shared(rule: T) -> Arc<dyn AnyChassis> {
        Arc::new(Self(rule))
    }

    #[inline]
    fn score(&self, user_facing: bool, view: ChassisView) -> f64 {
        self.0.of_chassis(view.used_share()) + self.0.of_machine(user_facing, view.slowable_share())
    }
}

/// A chassis preference whose type is forgotten.
pub(crate) trait AnyChassis: AnyPreference<MachineId> {
    /// The bucket of one machine.
    fn bucket(&self, asker: &Asker<'_>, machine: MachineId) -> u64;
    /// The least bucket of some machines of a rack, at least one, and those that have it, as bits.
    fn least(&self, asker: &Asker<'_>, rack: RackId, machines: u64) -> (u64, u64);
}

impl<T: ChassisPreference> AnyChassis for Chassis<T> {
    fn bucket(&self, asker: &Asker<'_>, machine: MachineId) -> u64 {
        asker.quantizer.bucket(self.score(asker.user_facing, asker.occupancy.chassis_of(machine)))
    }

    fn least(&self, asker: &Asker<'_>, rack: RackId, mut machines: u64) -> (u64, u64) {
        let Asker { quantizer, occupancy, user_facing } = *asker;
        let fleet = occupancy.fleet();
        let (first, mut least, mut those) = (fleet.machines_of_rack(rack).start, u64::MAX, 0);
        while machines != 0 {
            let one = MachineId(first + machines.trailing_zeros());
            let (chassis, view) = (fleet.machines_of_chassis(fleet.chassis_of(one)), occupancy.chassis_of(one));
            let mut beside = machines & u64::MAX >> (64 - (chassis.end - first));
            machines ^= beside;
            let of_chassis = self.0.of_chassis(view.used_share());
            if quantizer.bucket(of_chassis) > least {
                continue;
            }
            while beside != 0 {
                let at = beside.trailing_zeros();
                beside &= beside - 1;
                let slowable_share = view.beside(occupancy, MachineId(first + at)).slowable_share();
                let bucket = quantizer.bucket(of_chassis + self.0.of_machine(user_facing, slowable_share));
                if bucket < least {
                    (least, those) = (bucket, 0);
                }
                those |= u64::from(bucket == least) << at;
            }
        }
        (least, those)
    }
}

impl<T: ChassisPreference> AnyPreference<MachineId> for Chassis<T> {
    /// Nothing of it is kept, so it tells no classes apart.
    fn write_key(&self, _: &VmRequest, _: &mut Vec<u64>) {}

    fn bind(&self, vm: &VmRequest) -> Box<dyn BoundPreference<MachineId>> {
        Box::new(BoundChassis { rule: *self, user_facing: vm.shape.load.user_facing })
    }

    fn sees_tenant(&self) -> bool {
        false
    }

    fn sees_what_stays(&self) -> bool {
        false
    }
}

struct BoundChassis<T> {
    rule: Chassis<T>,
    user_facing: bool,
}

impl<T: ChassisPreference> BoundPreference<MachineId> for BoundChassis<T> {
    fn score(&self, scene: Scene<'_>, id: MachineId) -> f64 {
        self.rule.score(self.user_facing, scene.occupancy.chassis_of(id))
    }
}

/// Who asks such rules for one decision, and how finely.
#[derive(Clone, Copy)]
pub(crate) struct Asker<'a> {
    pub(crate) quantizer: Quantizer,
    pub(crate) occupancy: &'a Occupancy,
    /// Whether the VM is user-facing.
    pub(crate) user_facing: bool,
}
