//! What a system beside the core is: something that follows who stands where, and has its say.
//!
//! The core decides and commits. Lifetimes, deployments, the network and power each sit beside it, in a folder of
//! their own, where anybody asks for them. They are told of every VM that comes to a machine or leaves it, and that time
//! has passed; they say what they know at every sample and at the end. What rules read of them each offers by itself.

use tiebreak_model::{Fleet, MachineId, MachineRecord, Occupancy, RequestId, Time, VmId, VmShape, Workload};

/// A VM on a machine, at the moment at which it comes there or leaves.
#[derive(Clone, Copy)]
pub(crate) struct Stay<'a> {
    pub(crate) vm: VmId,
    pub(crate) machine: MachineId,
    pub(crate) now: Time,
    /// The number by which chance knows the VM.
    pub(crate) luck: u64,
    pub(crate) workload: &'a Workload,
    /// What is really in use, as it was before.
    pub(crate) zone: &'a Occupancy,
}

impl<'a> Stay<'a> {
    pub(crate) fn fleet(&self) -> &'a Fleet {
        self.zone.fleet()
    }

    pub(crate) fn shape(&self) -> &'a VmShape {
        self.workload.shape_of_vm(self.vm)
    }

    pub(crate) fn request(&self) -> RequestId {
        self.workload.request_of(self.vm)
    }

    pub(crate) fn tenant(&self) -> u64 {
        self.workload.tenant(self.request())
    }
}

/// A VM that comes to a machine.
#[derive(Clone, Copy)]
pub(crate) struct Arrival<'a> {
    pub(crate) stay: Stay<'a>,
    /// The machine when all VMs that come with it stand there.
    pub(crate) after: &'a MachineRecord,
    /// Whether it has stood nowhere before.
    pub(crate) is_first: bool,
}

/// A system beside the core.
pub(crate) trait System {
    /// What it says at a sample.
    type Sample;
    /// What it says of the whole run.
    type Summary;

    /// A VM comes to a machine.
    fn come(&mut self, arrival: &Arrival<'_>);

    /// A VM leaves its machine.
    fn leave(&mut self, stay: &Stay<'_>);

    /// Time has passed, whether anything happened in it or not.
    fn pass(&mut self, _now: Time) {}

    /// A sample is taken of a zone that is like this now.
    fn sample(&mut self, now: Time, zone: &Occupancy) -> Self::Sample;

    /// What it has to say of the run so far.
    fn summary(&self) -> Self::Summary;
}

/// One that is there only where anybody asks for it.
impl<S: System> System for Option<S> {
    type Sample = Option<S::Sample>;
    type Summary = Option<S::Summary>;

    fn come(&mut self, arrival: &Arrival<'_>) {
        self.iter_mut().for_each(|system| system.come(arrival));
    }

    fn leave(&mut self, stay: &Stay<'_>) {
        self.iter_mut().for_each(|system| system.leave(stay));
    }

    fn pass(&mut self, now: Time) {
        self.iter_mut().for_each(|system| system.pass(now));
    }

    fn sample(&mut self, now: Time, zone: &Occupancy) -> Self::Sample {
        self.as_mut().map(|system| system.sample(now, zone))
    }

    fn summary(&self) -> Self::Summary {
        self.as_ref().map(System::summary)
    }
}
