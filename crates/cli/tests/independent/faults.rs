//! Simulators that are wrong in one thing each, as a bug could make them, and what is to be said of the records they leave.

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
    /// Of several best machines it is always the first.
    FirstOfTies,
    /// Agents read changes before they are published.
    ViewTooFresh,
    /// Agents read changes twice as late.
    ViewTooStale,
    /// Agents do not see their own choices that are on their way to the store.
    OwnChoicesForgotten,
    /// VMs do not see those of their request that were decided before.
    RequestForgotten,
    /// Some VMs never leave.
    DepartureMissed,
    /// After a conflict the agent is not told how the machines are.
    NoticeLost,
    /// The store takes what does not fit.
    OverCommitted,
    /// A store that merges does not, and the reverse.
    OtherDetection,
    OneRetryMore,
    NewestRequestFirst,
    /// An agent takes the next request while it still decides.
    TwoAtOnce,
    /// A request takes as long as one VM.
    TimeOfOneVm,
    /// Means are taken from the beginning of the trace.
    MeansFromTheStart,
}

impl Fault {
    /// All of them, with what gives them away.
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

/// What a simulator, with a fault or without one, leaves behind of the workload and the zone of a record.
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

/// Changes a record, if it has a place for it.
type Edit = fn(&mut Record) -> Option<()>;

/// What can be wrong with a record of the program itself, and what gives it away.
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

/// A row of the second half of this kind.
fn one(record: &mut Record, wanted: impl Fn(&Row) -> bool) -> Option<&mut Row> {
    let half = record.rows.len() / 2;
    record.rows[half..].iter_mut().find(|row| wanted(row))
}

/// The first VM of a request for several that was placed.
fn half(record: &mut Record) -> Option<&mut Row> {
    let placed = |row: &Row| row.outcome == Outcome::Placed && row.agent.is_some();
    let at = record.rows.windows(2).position(|two| two[0].request == two[1].request && placed(&two[0]))?;
    record.rows.get_mut(at)
}
