//! Rules about chassis.
//!
//! Such a rule sees two numbers: the share of a chassis' cores that its VMs are expected to use, and the mix of VMs
//! on the machine. A VM that arrives or leaves changes the scores of all machines of its chassis, for both kinds of
//! VMs. So these rules stay outside all caches, like those that depend on the clock: the other rules are ranked and
//! cached as usual, and the chassis scores are added where they matter.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::bits::ones;
use tiebreak_model::{ChassisView, Declared, MachineId, Occupancy, RackId, Scene, VmRequest};

use crate::rule::erased::{AnyPreference, BoundPreference};
use crate::rule::quantize::Quantizer;

/// A soft constraint on the expected draw of chassis and machines.
pub trait ChassisPreference: Declared + Copy + Send + Sync + 'static {
    /// A chassis' part of a score, at least 0, if this share of its cores is expected to be used, 0 to 1. See
    /// [`ChassisView`](tiebreak_model::ChassisView).
    fn of_chassis(&self, used_share: f64) -> f64;

    /// A machine's part, at least 0, for a user-facing or a batch VM. `slowable_share` is the share of its cores used
    /// by batch VMs minus that of user-facing ones, -1 to 1. The sum of both parts is from 0 (best) to 1 (worst).
    fn of_machine(&self, user_facing: bool, slowable_share: f64) -> f64;
}

/// A chassis preference as an `AnyPreference`.
#[derive(Clone, Copy)]
pub(crate) struct Chassis<T>(T);

impl<T: ChassisPreference> Chassis<T> {
    pub(crate) fn shared(rule: T) -> Arc<dyn AnyChassis> {
        Arc::new(Self(rule))
    }

    #[inline]
    fn score(&self, user_facing: bool, view: ChassisView) -> f64 {
        self.0.of_chassis(view.used_share) + self.0.of_machine(user_facing, view.slowable_share)
    }
}

/// A chassis preference with its type erased.
pub(crate) trait AnyChassis: AnyPreference<MachineId> {
    /// The bucket of one machine.
    fn bucket(&self, asker: &Asker<'_>, machine: MachineId) -> u64;
    /// The lowest bucket of the given machines of a rack (at least one), and those that have it, as bits.
    fn least(&self, asker: &Asker<'_>, rack: RackId, machines: u64) -> (u64, u64);
}

impl<T: ChassisPreference> AnyChassis for Chassis<T> {
    fn bucket(&self, asker: &Asker<'_>, machine: MachineId) -> u64 {
        asker.quantizer.bucket(self.score(asker.user_facing, asker.occupancy.chassis_of(machine)))
    }

    fn least(&self, asker: &Asker<'_>, rack: RackId, machines: u64) -> (u64, u64) {
        let Asker { quantizer, occupancy, user_facing } = *asker;
        let first = occupancy.fleet().machines_of_rack(rack).start;
        // A loop without branches on what it sees, so that the processor waits for several machines at once.
        let (mut buckets, mut least) = ([0; u64::BITS as usize], u64::MAX);
        for (at, bucket) in ones(machines).zip(&mut buckets) {
            *bucket = quantizer.bucket(self.score(user_facing, occupancy.chassis_of(MachineId(first + at))));
            least = least.min(*bucket);
        }
        let those = ones(machines).zip(&buckets).map(|(at, bucket)| u64::from(*bucket == least) << at);
        (least, those.fold(0, |those, bit| those | bit))
    }
}

impl<T: ChassisPreference> AnyPreference<MachineId> for Chassis<T> {
    /// Its verdicts are never cached, so it does not distinguish classes.
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

/// The context in which such rules are evaluated for one decision, and their quantization.
#[derive(Clone, Copy)]
pub(crate) struct Asker<'a> {
    pub(crate) quantizer: Quantizer,
    pub(crate) occupancy: &'a Occupancy,
    /// Whether the VM is user-facing.
    pub(crate) user_facing: bool,
}
