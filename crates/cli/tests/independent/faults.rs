//! Simulators with one fault each, as a bug could cause it, and the fault that the check must find in their records.

use crate::guide::{Dice, RecordFault};
use crate::record::{Outcome, Record, Row};
use crate::simulator::Simulator;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    BucketsRoundedDown,
    MemoryIgnored,
    LimitIgnored,
    UnreadyUsed,
    /// The machine stage looks at k + 1 clusters.
    OneClusterMore,
    LowerRulesFirst,
    LastRuleForgotten,
    /// Always takes the first of several best machines.
    FirstOfTies,
    /// Agents read changes before they are published.
    ViewTooFresh,
    /// Agents read changes after twice the delay.
    ViewTooStale,
    /// Agents do not see their own choices that have not reached the store.
    OwnChoicesForgotten,
    /// VMs do not see earlier VMs of the same request.
    RequestForgotten,
    /// Some VMs never leave.
    DepartureMissed,
    /// After a conflict the agent does not learn the state of the machines.
    NoticeLost,
    /// The store accepts VMs that do not fit.
    OverCommitted,
    /// Detects conflicts by the opposite of the scenario's method: merging instead of not merging, or the reverse.
    OtherDetection,
    OneRetryMore,
    NewestRequestFirst,
    /// An agent takes the next request while it is still deciding.
    TwoAtOnce,
    /// A request takes as long as one VM.
    TimeOfOneVm,
    /// Means include the time from the start of the trace.
    MeansFromTheStart,
}

impl Fault {
    /// All faults, each with the complaint that it must cause.
    pub(crate) const ALL: [(Self, RecordFault); 21] = [
        (Self::BucketsRoundedDown, RecordFault::Machine),
        (Self::MemoryIgnored, RecordFault::Machine),
        (Self::LimitIgnored, RecordFault::Machine),
        (Self::UnreadyUsed, RecordFault::BestSet),
        (Self::OneClusterMore, RecordFault::BestSet),
        (Self::LowerRulesFirst, RecordFault::Machine),
        (Self::LastRuleForgotten, RecordFault::Machine),
        (Self::FirstOfTies, RecordFault::Draw),
        (Self::ViewTooFresh, RecordFault::Machine),
        (Self::ViewTooStale, RecordFault::Machine),
        (Self::OwnChoicesForgotten, RecordFault::Machine),
        (Self::RequestForgotten, RecordFault::Machine),
        (Self::DepartureMissed, RecordFault::Machine),
        (Self::NoticeLost, RecordFault::Machine),
        (Self::OverCommitted, RecordFault::Outcome),
        (Self::OtherDetection, RecordFault::Outcome),
        (Self::OneRetryMore, RecordFault::Outcome),
        (Self::NewestRequestFirst, RecordFault::Machine),
        (Self::TwoAtOnce, RecordFault::Agent),
        (Self::TimeOfOneVm, RecordFault::Order),
        (Self::MeansFromTheStart, RecordFault::Summary),
    ];
}

/// The record of a simulator, with or without a fault, on another record's workload and zone.
pub(crate) fn record_with(record: &Record, fault: Option<Fault>) -> Record {
    let mut dice = Dice { always_first: fault == Some(Fault::FirstOfTies) };
    let out = Simulator::run(record, &mut dice, fault).expect("dice do not complain");
    let mut made = record.clone();
    for (vm, (outcome, place)) in made.vms.iter_mut().zip(out.fates) {
        (vm.outcome, vm.machine, vm.placed) = (outcome, place.map(|it| it.0), place.map(|it| it.1));
    }
    made.summary = out.summary.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    made.rows = out.rows;
    made
}

/// Changes a record; `None` if it has no suitable place.
type Edit = fn(&mut Record) -> Option<()>;

/// Possible errors in a record of the program, each with the complaint that it must cause.
pub(crate) const EDITS: [(&str, Edit, RecordFault); 11] = [
    (
        "a best set that is one smaller",
        |it| one(it, |row| row.best_set_size > 2).map(|row| row.best_set_size -= 1),
        RecordFault::BestSet,
    ),
    (
        "the machine next door",
        |it| one(it, |row| row.best_set_size == 1).map(|row| row.machine = row.machine.map(|id| id ^ 1)),
        RecordFault::Machine,
    ),
    (
        "a conflict called placed",
        |it| one(it, |row| row.outcome == Outcome::Conflict).map(|row| row.outcome = Outcome::Placed),
        RecordFault::Outcome,
    ),
    (
        "a conflict where there was none",
        |it| {
            one(it, |row| row.outcome == Outcome::Placed && row.agent.is_some())
                .map(|row| row.outcome = Outcome::Conflict)
        },
        RecordFault::Outcome,
    ),
    (
        "an answer a millisecond early",
        |it| one(it, |row| row.agent.is_some()).map(|row| row.time_ms -= 1),
        RecordFault::Time,
    ),
    ("another agent", |it| one(it, |row| row.agent == Some(1)).map(|row| row.agent = Some(0)), RecordFault::Agent),
    (
        "half a request",
        |it| half(it).map(|row| (row.outcome, row.machine) = (Outcome::Refused, None)),
        RecordFault::Refusal,
    ),
    ("an answer given twice", |it| it.rows.last().cloned().map(|row| it.rows.push(row)), RecordFault::Order),
    ("an answer missing", |it| it.rows.pop().map(drop), RecordFault::Order),
    (
        "a conflict not counted",
        |it| it.summary.get_mut("conflicts").map(|it| *it = (it.as_u64().unwrap_or(0) - 1).into()),
        RecordFault::Summary,
    ),
    (
        "a VM on another machine",
        |it| it.vms.iter_mut().find_map(|vm| vm.machine.as_mut()).map(|id| *id ^= 1),
        RecordFault::Fate,
    ),
];

/// A row of this kind in the second half.
fn one(record: &mut Record, wanted: impl Fn(&Row) -> bool) -> Option<&mut Row> {
    let half = record.rows.len() / 2;
    record.rows[half..].iter_mut().find(|row| wanted(row))
}

/// The first placed VM of a request for several VMs.
fn half(record: &mut Record) -> Option<&mut Row> {
    let placed = |row: &Row| row.outcome == Outcome::Placed && row.agent.is_some();
    let at = record.rows.windows(2).position(|two| two[0].request == two[1].request && placed(&two[0]))?;
    record.rows.get_mut(at)
}
