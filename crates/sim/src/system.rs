//! A system: a part of the simulation outside the core that tracks VMs on machines and reports on them.
//!
//! The core decides and commits. Lifetimes, deployments, the network and power are separate systems, each in its own
//! folder, and present only if needed. They are notified of every VM that arrives on a machine or leaves it, and of
//! the passing of time, and they report at every sample and at the end. What rules read from a system is its own
//! interface.

use tiebreak_model::{Fleet, MachineId, MachineRecord, Occupancy, RequestId, Time, VmId, VmShape, Workload};

/// A VM on a machine, when it arrives or leaves.
#[derive(Clone, Copy)]
pub(crate) struct Stay<'a> {
    pub(crate) vm: VmId,
    pub(crate) machine: MachineId,
    pub(crate) now: Time,
    /// The VM's number in random streams.
    pub(crate) luck: u64,
    pub(crate) workload: &'a Workload,
    /// The actual usage before the change.
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

/// A VM that arrives on a machine.
#[derive(Clone, Copy)]
pub(crate) struct Arrival<'a> {
    pub(crate) stay: Stay<'a>,
    /// The machine's state with all VMs that arrive together.
    pub(crate) after: &'a MachineRecord,
    /// Whether this is its first machine.
    pub(crate) is_first: bool,
}

/// A system outside the core.
pub(crate) trait System {
    /// What it reports at a sample.
    type Sample;
    /// What it reports for the whole run.
    type Summary;

    /// A VM arrives on a machine.
    fn come(&mut self, arrival: &Arrival<'_>);

    /// A VM leaves its machine.
    fn leave(&mut self, stay: &Stay<'_>);

    /// Time has passed, with or without events.
    fn pass(&mut self, _now: Time) {}

    /// Takes a sample of the zone in its current state.
    fn sample(&mut self, now: Time, zone: &Occupancy) -> Self::Sample;

    /// The report on the run so far.
    fn summary(&self) -> Self::Summary;
}

/// An optional system.
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
