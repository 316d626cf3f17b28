//! Small workloads for tests, with lifetimes in seconds.

use alloc::sync::Arc;

use tiebreak_model::{Resources, Time, VmRow, VmShape, Workload, WorkloadBuilder};

/// One VM of a small workload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Life {
    cores: u32,
    tenant: u64,
    start_s: i64,
    end_s: Option<i64>,
}

impl Life {
    /// A VM with its own tenant; without an end it outlives the trace.
    pub(crate) fn new(cores: u32, start_s: i64, end_s: Option<i64>) -> Self {
        Self { cores, tenant: 0, start_s, end_s }
    }

    /// The same VM with this tenant; 0 means its own tenant.
    pub(crate) fn of_tenant(self, tenant: u64) -> Self {
        Self { tenant, ..self }
    }
}

/// A workload of these VMs. Rows are sorted by their start.
pub(crate) fn workload(lives: &[Life], horizon_s: i64) -> Arc<Workload> {
    let mut builder = WorkloadBuilder::new();
    for (name, life) in lives.iter().enumerate() {
        let shape = VmShape::plain(Resources::new(life.cores * 1_000, 1_024, 0, 0));
        let start = Time(life.start_s * 1_000);
        let end = life.end_s.map_or(Time::NEVER, |end_s| Time(end_s * 1_000));
        let tenant = if life.tenant == 0 { 1_000_000 + name as u64 } else { life.tenant };
        builder.push(VmRow { name: name as u64, tenant, shape, start, end });
    }
    Arc::new(builder.finish(Time(horizon_s * 1_000)).expect("a workload"))
}

/// A reproducible sequence of numbers below `below`.
pub(crate) fn numbers(seed: u64, below: u32) -> impl Iterator<Item = u32> {
    let stream = tiebreak_model::random::Seed(seed).stream("trial");
    (0..).map(move |what| tiebreak_model::random::pick(stream.draw(what, 0), below))
}
