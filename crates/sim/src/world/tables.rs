//! The decisions and the samples of a run, as tables.

use alloc::vec::Vec;
use core::ops::Range;

use tiebreak_model::table::{Column, Table, Values};
use tiebreak_model::{Bottleneck, Time};
use tiebreak_placement::CacheUse;

use super::World;
use crate::observation::metrics::METRICS;
use crate::record::{Decision, Outcome};

/// Every decision of a run that keeps them ([`World::keep_decisions`]) as a row, in the order of the store's answers.
///
/// `vm` is the VM's name in the trace; `bottleneck` is what the network lacked although machines had room.
#[derive(Clone, Copy, Debug)]
pub struct Placements<'a>(pub &'a World);

impl Table for Placements<'_> {
    fn rows(&self) -> u32 {
        self.0.decisions().len() as u32
    }

    fn columns(&self, rows: Range<u32>) -> Vec<Column<'_>> {
        let Self(world) = self;
        let from = rows.start;
        let decisions = &world.decisions()[rows.start as usize..rows.end as usize];
        let whole = |name, of: &dyn Fn(&Decision) -> Option<u64>| Column {
            name,
            values: Values::Whole(decisions.iter().map(of).collect()),
        };
        let word = |name, of: &dyn Fn(&Decision) -> Option<&'static str>| Column {
            name,
            values: Values::Word(decisions.iter().map(of).collect()),
        };
        let fleet = world.plan().fleet();
        let refused = |it: &Decision| it.outcome == Outcome::Refused;
        Vec::from([
            Column { name: "seq", values: Values::Whole((from..rows.end).map(|seq| Some(seq.into())).collect()) },
            whole("time_ms", &|it| since_start(it.time)),
            whole("request", &|it| Some(it.request.0.into())),
            whole("vm", &|it| Some(world.plan().workload().name(it.vm))),
            word("outcome", &|it| Some(it.outcome.word())),
            whole("machine", &|it| it.machine.map(|machine| machine.0.into())),
            whole("cluster", &|it| it.machine.map(|machine| fleet.cluster_of(machine).0.into())),
            whole("best_set_size", &|it| Some(it.best_set.into())),
            word("cache", &|it| it.cache.map(CacheUse::word)),
            whole("agent", &|it| it.agent.map(u64::from)),
            whole("attempt", &|it| Some(it.attempt.into())),
            word("cause", &|it| Some(it.cause.word())),
            word("bottleneck", &|it| world.bottleneck(it.vm).filter(|_| refused(it)).map(Bottleneck::word)),
        ])
    }
}

/// The samples of a run: the time and every metric, empty where a metric has nothing to say.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a>(pub &'a World);

impl Table for Samples<'_> {
    fn rows(&self) -> u32 {
        self.0.series().times().len() as u32
    }

    fn columns(&self, rows: Range<u32>) -> Vec<Column<'_>> {
        let series = self.0.series();
        let rows = || rows.start as usize..rows.end as usize;
        let times = series.times()[rows()].iter().map(|time| since_start(*time)).collect();
        let metric = |(index, name)| {
            let values = series.values(index).get(rows()).unwrap_or_default();
            Column {
                name,
                values: Values::Number(values.iter().map(|it| Some(*it).filter(|it| it.is_finite())).collect()),
            }
        };
        let metrics = METRICS.iter().map(|metric| metric.declaration.id).enumerate().map(metric);
        core::iter::once(Column { name: "time_ms", values: Values::Whole(times) }).chain(metrics).collect()
    }
}

/// Milliseconds from the beginning of the trace, where a run begins.
fn since_start(time: Time) -> Option<u64> {
    u64::try_from(time.0).ok()
}
