//! Predicted lifetimes during a run: the prediction for each VM, the resulting state of each machine, and when to
//! repredict (LAVA sections 3 to 5, G.3).
//!
//! Nothing here reads when a VM really ends; that arrives as an event, as elsewhere. A machine is repredicted when a
//! VM arrives or leaves, when it should have been free by now, and, as often as the settings say, when the prediction
//! for one of its VMs would differ.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_lifetime::{CurvePlace, Prediction, Predictions};
use tiebreak_model::{HostLife, MachineId, Occupancy, Phase, PredictedLife, RequestId, Time, VmId, Workload};
use tiebreak_placement::lifetime::{Host, Lifetimes, Turn};

use crate::system::{Arrival, Stay, System};

pub(crate) mod life_byte;

/// A machine that outlives every prediction is repredicted after this many seconds.
const PATIENCE_S: u32 = 60;

/// The number of turns stored per machine, normally and for runs that can be viewed in retrospect.
const TURNS_KEPT: usize = 16;
const TURNS_KEPT_TO_LOOK_BACK: usize = 1_000;

/// The predictions for the VMs of a plan, and the settings for their use.
#[derive(Clone)]
pub(crate) struct LifePredictions {
    pub(crate) terms: Lifetimes,
    pub(crate) predictions: Arc<Predictions>,
}

impl LifePredictions {
    /// A VM's predicted remaining lifetime, from a prediction now or, if first predictions stay in force, from the
    /// one at its arrival.
    pub(crate) fn remaining_s(&self, workload: &Workload, vm: VmId, now: Time) -> u32 {
        let (born_s, now_s) = (born_s(workload.at(workload.request_of(vm))), seconds(now));
        if self.terms.repredict {
            return self.predictions.remaining_s(vm, uptime_s(born_s, now_s)).max(1);
        }
        let first_s = born_s.max(0) as u32;
        let exit_s = first_s.saturating_add(self.predictions.remaining_s(vm, uptime_s(born_s, first_s)));
        exit_s.saturating_sub(now_s).max(1)
    }
}

/// One change of a machine's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnAt {
    /// When, in seconds since the trace began.
    pub at_s: u32,
    /// Why.
    pub turn: Turn,
    /// The class after it.
    pub class: u8,
    /// The number of arrivals of VMs on any machine by then; orders turns within a second.
    comings: u32,
}

/// A machine's lifetime state, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCard {
    /// Its state.
    pub host: Host,
    /// Its VMs, in arbitrary order.
    pub vms: Vec<ExpectedVm>,
    /// The last changes of its state, oldest first.
    pub turns: Vec<TurnAt>,
}

/// The prediction for a VM on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedVm {
    /// The VM.
    pub vm: VmId,
    /// When it is expected to leave, in seconds since the start of the trace.
    pub exit_s: u32,
    /// The same by the first prediction.
    pub first_exit_s: u32,
    /// Whether the machine is recycling and waits for it.
    pub residual: bool,
}

/// Counts of repredictions and of their effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifeCounts {
    /// Predictions for running VMs.
    pub repredictions: u64,
    /// Changes of machines' states, in the order of [`Turn::ALL`].
    pub turns: [u64; 5],
}

#[derive(Clone, Copy, Default)]
struct VmLife {
    /// When it was requested, in seconds; negative before the start of the trace.
    born_s: i32,
    /// The first prediction; 0 before that.
    first_s: u32,
    first_exit_s: u32,
    /// The sequence number of its last arrival on a machine.
    coming: u32,
}

/// A VM on a machine. All VMs of a machine are read when one of them leaves or is predicted again, so what is seldom
/// needed stands in [`VmLife`].
#[derive(Clone, Copy)]
struct Resident {
    vm: VmId,
    born_s: i32,
    /// Where its predictions stand.
    place: CurvePlace,
    latest: Latest,
}

/// The latest prediction for a VM, or for several.
#[derive(Clone, Copy)]
struct Latest {
    /// When it will leave, or the last of them.
    exit_s: u32,
    /// From this moment on a predicted exit may change; before it, the predictions are the same.
    changes_s: u32,
}

impl Default for Latest {
    /// For no VM.
    fn default() -> Self {
        Self { exit_s: 0, changes_s: u32::MAX }
    }
}

impl Latest {
    /// For one more VM.
    fn and(self, other: Self) -> Self {
        Self { exit_s: self.exit_s.max(other.exit_s), changes_s: self.changes_s.min(other.changes_s) }
    }
}

#[derive(Clone, Default)]
struct MachineLives {
    host: Host,
    residents: Vec<Resident>,
    /// Their latest predictions together.
    latest: Latest,
    /// The latest first predicted exit and the longest first predicted lifetime among them.
    first_exit_s: u32,
    longest_s: u32,
    /// A recycling machine waits for the VMs whose arrival has a smaller number.
    waits_for: u32,
    /// When its VMs were last repredicted.
    checked_s: u32,
}

impl MachineLives {
    /// Whether it waits for a VM on it.
    fn waits(&self, vm: &VmLife) -> bool {
        self.host.phase == Phase::Recycling && vm.coming < self.waits_for
    }

    /// A VM arrived.
    fn push(&mut self, it: Resident, vm: &VmLife) {
        self.residents.push(it);
        self.latest = self.latest.and(it.latest);
        (self.first_exit_s, self.longest_s) = (self.first_exit_s.max(vm.first_exit_s), self.longest_s.max(vm.first_s));
    }

    /// A VM left.
    fn remove(&mut self, vm: VmId, vms: &[VmLife]) {
        let at = self.residents.iter().position(|it| it.vm == vm).expect("a VM leaves the machine it joined");
        let Resident { latest, .. } = self.residents.swap_remove(at);
        if latest.exit_s == self.latest.exit_s || latest.changes_s == self.latest.changes_s {
            self.join_latest();
        }
        let left = &vms[vm.index()];
        if left.first_exit_s == self.first_exit_s || left.first_s == self.longest_s {
            let first = self.residents.iter().map(|it| &vms[it.vm.index()]);
            (self.first_exit_s, self.longest_s) =
                first.fold((0, 0), |(exit_s, longest_s), it| (exit_s.max(it.first_exit_s), longest_s.max(it.first_s)));
        }
    }

    /// Repredicts the VMs whose prediction has changed by now.
    fn repredict(&mut self, predictions: &Predictions, now_s: u32) {
        if self.latest.changes_s <= now_s {
            for it in self.residents.iter_mut().filter(|it| it.latest.changes_s <= now_s) {
                (_, it.latest) = predict(predictions, (it.vm, it.born_s), &mut it.place, now_s);
            }
            self.join_latest();
        }
    }

    fn join_latest(&mut self) {
        self.latest = self.residents.iter().fold(Latest::default(), |latest, it| latest.and(it.latest));
    }
}

/// When a machine is due, and when the queue will say so; 0 means never.
#[derive(Clone, Copy, Default)]
struct Due {
    due_s: u32,
    scheduled_s: u32,
}

/// Predicted lifetimes at a sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LifeSample {
    /// Repredictions since the previous sample.
    pub(crate) repredictions: u64,
    /// How many machines are open and how many are recycling; `None` before agents see predictions.
    pub(crate) phases: Option<[u32; 2]>,
}

/// The predicted lifetimes of a run.
pub(crate) struct Lives {
    terms: Lifetimes,
    /// When agents start to see predictions.
    shown_from: Time,
    predictions: Arc<Predictions>,
    vms: Vec<VmLife>,
    machines: Vec<MachineLives>,
    /// How many machines are in each phase, in the order of [`Phase::ALL`].
    phases: [u32; Phase::ALL.len()],
    /// Kept in addition to the queue, because most entries in the queue are out of date when they come up.
    dues: Vec<Due>,
    turns: Vec<Vec<TurnAt>>,
    counts: LifeCounts,
    /// Repredictions up to the last sample.
    repredictions_sampled: u64,
    turns_kept: usize,
    comings: u32,
    /// The number of VMs alive when the trace begins; these come first.
    vms_at_start: u32,
}

impl Lives {
    /// For a workload of which no VM is placed yet, and this many machines.
    pub(crate) fn new(
        life_predictions: &LifePredictions,
        workload: &Workload,
        machines: u32,
        shown_from: Time,
    ) -> Self {
        let requests = (0..workload.request_count()).map(RequestId);
        let born = requests.flat_map(|it| workload.vms_of(it).map(move |_| born_s(workload.at(it))));
        Self {
            terms: life_predictions.terms,
            shown_from,
            predictions: life_predictions.predictions.clone(),
            vms: born.map(|born_s| VmLife { born_s, ..VmLife::default() }).collect(),
            machines: vec![MachineLives::default(); machines as usize],
            phases: Phase::ALL.map(|phase| if phase == Phase::default() { machines } else { 0 }),
            dues: vec![Due::default(); machines as usize],
            turns: vec![Vec::new(); machines as usize],
            counts: LifeCounts::default(),
            repredictions_sampled: 0,
            turns_kept: TURNS_KEPT,
            comings: 0,
            vms_at_start: (0..workload.warm_count()).map(|it| workload.vms_of(RequestId(it)).len() as u32).sum(),
        }
    }

    /// Stores more turns, for [`Lives::card_at`].
    pub(crate) fn look_back(&mut self) {
        self.turns_kept = TURNS_KEPT_TO_LOOK_BACK;
    }

    /// When agents start to see predictions.
    pub(crate) fn shown_from(&self) -> Time {
        self.shown_from
    }

    /// Whether agents see predictions by then.
    pub(crate) fn is_shown(&self, now: Time) -> bool {
        now >= self.shown_from
    }

    /// A machine's lifetime state with its history.
    pub(crate) fn card(&self, machine: MachineId) -> HostCard {
        let at = &self.machines[machine.index()];
        let expected = |it: &Resident| {
            let life = &self.vms[it.vm.index()];
            let (exit_s, first_exit_s) = (it.latest.exit_s, life.first_exit_s);
            ExpectedVm { vm: it.vm, exit_s, first_exit_s, residual: at.waits(life) }
        };
        let vms = at.residents.iter().map(expected).collect();
        HostCard { host: at.host, vms, turns: self.turns[machine.index()].clone() }
    }

    /// The same at an earlier moment, for these VMs with their start times on the machine. States follow from the
    /// turns up to then; residual are the VMs that were there at the last turn that made VMs residual. `None` if
    /// those turns are no longer stored.
    pub(crate) fn card_at(
        &self,
        machine: MachineId,
        at: Time,
        vms: impl Iterator<Item = (VmId, Time)>,
    ) -> Option<HostCard> {
        let (at_s, all) = (seconds(at), &self.turns[machine.index()]);
        let turns = &all[..all.partition_point(|turn| turn.at_s <= at_s)];
        if turns.is_empty() && all.len() == self.turns_kept {
            return None;
        }
        let waits_since = turns.iter().rev().find(|it| it.turn.makes_residual());
        let mut host =
            turns.iter().fold(Host::default(), |host, it| host.after(it.turn, it.at_s, it.class, &self.terms));
        let expected = |(vm, since): (VmId, Time)| {
            let VmLife { born_s, first_exit_s, coming, .. } = self.vms[vm.index()];
            let remaining_s = || self.predictions.remaining_s(vm, uptime_s(born_s, at_s)).max(1);
            let exit_s = if self.terms.repredict { at_s.saturating_add(remaining_s()) } else { first_exit_s };
            let was_there = |turn: &TurnAt| (seconds(since), coming) < (turn.at_s, turn.comings);
            let residual = host.phase == Phase::Recycling && waits_since.is_some_and(was_there);
            ExpectedVm { vm, exit_s, first_exit_s, residual }
        };
        let vms: Vec<_> = vms.map(expected).collect();
        host.vms = vms.len() as u32;
        host.residual = vms.iter().filter(|vm| vm.residual).count() as u32;
        Some(HostCard { host, vms, turns: turns.to_vec() })
    }

    /// The prediction for a VM that needs a machine.
    pub(crate) fn predicted_life(&self, vm: VmId, now: Time) -> PredictedLife {
        let now_s = seconds(now);
        let (remaining_s, _) = self.latest(vm, &mut self.predictions.begin(vm), now_s);
        let known = self.vms[vm.index()];
        let (first_s, first_exit_s) = match known.first_s {
            0 => (remaining_s, now_s.saturating_add(remaining_s)),
            first_s => (first_s, known.first_exit_s),
        };
        let class = self.terms.class_of(remaining_s);
        PredictedLife { now_s, remaining_s, first_s, first_exit_s, class, ..PredictedLife::NONE }
    }

    /// A VM's predicted remaining lifetime, and the prediction that is in force.
    fn latest(&self, vm: VmId, place: &mut CurvePlace, now_s: u32) -> (u32, Latest) {
        let VmLife { born_s, first_s, first_exit_s, .. } = self.vms[vm.index()];
        if self.terms.repredict || first_s == 0 {
            let (remaining_s, latest) = predict(&self.predictions, (vm, born_s), place, now_s);
            let changes_s = if self.terms.repredict { latest.changes_s } else { u32::MAX };
            return (remaining_s, Latest { changes_s, ..latest });
        }
        let remaining_s = first_exit_s.saturating_sub(now_s).max(1);
        (remaining_s, Latest { exit_s: now_s.saturating_add(remaining_s), changes_s: u32::MAX })
    }

    /// A VM arrived on a machine, which now has this share of its cores or memory in use.
    fn join(&mut self, vm: VmId, machine: MachineId, now: Time, used_share: f64) {
        let now_s = seconds(now);
        let mut place = self.predictions.begin(vm);
        let (remaining_s, latest) = self.latest(vm, &mut place, now_s);
        let life = &mut self.vms[vm.index()];
        if life.first_s == 0 {
            life.first_s = remaining_s.saturating_add(uptime_s(life.born_s, now_s));
            life.first_exit_s = latest.exit_s;
        }
        life.coming = self.comings;
        self.comings += 1;
        self.machines[machine.index()].push(Resident { vm, born_s: life.born_s, place, latest }, life);
        let class = self.terms.class_of(remaining_s);
        let full = self.terms.is_full(used_share);
        self.turn(machine, now_s, |host, terms, turns| host.joined(now_s, class, full, terms, turns));
        if vm.0 < self.vms_at_start && now <= Time::ZERO {
            self.begin_with(machine, now_s, class);
        }
    }

    /// A machine has a VM of this class when the trace begins. If this raises its class, that is not a turn: it had
    /// the class from the beginning.
    fn begin_with(&mut self, machine: MachineId, now_s: u32, class: u8) {
        if self.machines[machine.index()].host.begins_with(now_s, class, &self.terms) {
            self.turns[machine.index()].iter_mut().for_each(|turn| turn.class = class);
        }
    }

    /// A VM left a machine.
    fn part(&mut self, vm: VmId, machine: MachineId, now: Time) {
        let at = &mut self.machines[machine.index()];
        let residual = at.waits(&self.vms[vm.index()]);
        at.remove(vm, &self.vms);
        let now_s = seconds(now);
        self.turn(machine, now_s, |host, terms, turns| host.left(now_s, residual, terms, turns));
    }

    /// Updates a machine's state, and records the turns.
    fn turn(
        &mut self,
        machine: MachineId,
        now_s: u32,
        change: impl FnOnce(&mut Host, &Lifetimes, &mut dyn FnMut(Turn, &Host)),
    ) {
        let MachineLives { host, waits_for, .. } = &mut self.machines[machine.index()];
        let turns = &mut self.turns[machine.index()];
        let (counts, kept, comings) = (&mut self.counts, self.turns_kept, self.comings);
        let before = host.phase;
        change(host, &self.terms, &mut |turn, host| {
            counts.turns[turn as usize] += 1;
            if turns.len() == kept {
                turns.remove(0);
            }
            turns.push(TurnAt { at_s: now_s, turn, class: host.class, comings });
            if turn.makes_residual() {
                *waits_for = comings;
            }
        });
        self.phases[before as usize] -= 1;
        self.phases[host.phase as usize] += 1;
    }

    /// Checks whether a machine's deadline has passed.
    pub(crate) fn wait(&mut self, machine: MachineId, now: Time) {
        let now_s = seconds(now);
        self.turn(machine, now_s, |host, terms, turns| host.waited(now_s, terms, turns));
    }

    /// Repredicts a machine's VMs. Returns its state, and when it is due next if the queue does not know that yet.
    pub(crate) fn rate(&mut self, machine: MachineId, now: Time) -> (HostLife, Option<u32>) {
        let now_s = seconds(now);
        let Self { terms, predictions, machines, counts, .. } = self;
        let at = &mut machines[machine.index()];
        at.repredict(predictions, now_s);
        at.checked_s = now_s;
        let MachineLives { host, latest: Latest { exit_s, changes_s }, first_exit_s, longest_s, .. } = *at;
        let life =
            HostLife { exit_s, first_exit_s, longest_s, class: host.class, phase: host.phase, ..HostLife::EMPTY };
        counts.repredictions += if terms.repredict { at.residents.len() as u64 } else { 0 };
        let due = self.due_s(machine, exit_s, changes_s);
        (life, due)
    }

    /// When a machine has to be repredicted, unless that is already scheduled.
    fn due_s(&mut self, machine: MachineId, exit_s: u32, changes_s: u32) -> Option<u32> {
        let (at, due) = (&self.machines[machine.index()], &mut self.dues[machine.index()]);
        let MachineLives { host, checked_s, .. } = at;
        if host.vms == 0 {
            due.due_s = 0;
            return None;
        }
        let mut due_s = host.deadline_s;
        if self.terms.repredict {
            due_s = due_s.min(exit_s.max(checked_s.saturating_add(PATIENCE_S)));
            if changes_s < u32::MAX {
                let (age_s, every_s) = (changes_s.saturating_sub(*checked_s), self.terms.refresh_s());
                let wait_s = if every_s == 0 { age_s } else { age_s.div_ceil(every_s).saturating_mul(every_s) };
                due_s = due_s.min(checked_s.saturating_add(wait_s.max(1)));
            }
        }
        if due_s == u32::MAX {
            due.due_s = 0;
            return None;
        }
        due.due_s = due_s;
        due.schedule()
    }

    /// Handles a notice from the queue about a machine.
    pub(crate) fn told(&mut self, machine: MachineId, now: Time) -> DueNotice {
        let (due, now_s) = (&mut self.dues[machine.index()], seconds(now));
        if due.scheduled_s != now_s {
            return DueNotice::Nothing;
        }
        due.scheduled_s = 0;
        match due.due_s {
            0 => DueNotice::Nothing,
            due_s if due_s <= now_s => DueNotice::Due,
            _ => due.schedule().map_or(DueNotice::Nothing, DueNotice::Later),
        }
    }
}

impl System for Lives {
    type Sample = LifeSample;
    type Summary = LifeCounts;

    fn come(&mut self, Arrival { stay, after, .. }: &Arrival<'_>) {
        let used_share = after.used_share(stay.fleet().capacity(stay.machine));
        self.join(stay.vm, stay.machine, stay.now, used_share);
    }

    fn leave(&mut self, stay: &Stay<'_>) {
        self.part(stay.vm, stay.machine, stay.now);
    }

    fn sample(&mut self, now: Time, _: &Occupancy) -> LifeSample {
        let before = core::mem::replace(&mut self.repredictions_sampled, self.counts.repredictions);
        let [_, open, recycling] = self.phases;
        let phases = self.is_shown(now).then_some([open, recycling]);
        LifeSample { repredictions: self.counts.repredictions - before, phases }
    }

    fn summary(&self) -> LifeCounts {
        self.counts
    }
}

/// The meaning of a notice from the queue about a machine.
pub(crate) enum DueNotice {
    /// It was already handled.
    Nothing,
    /// The machine is due.
    Due,
    /// The machine is now due later.
    Later(u32),
}

impl Due {
    /// When to put a notice into the queue, unless an earlier one is there.
    fn schedule(&mut self) -> Option<u32> {
        if self.scheduled_s != 0 && self.scheduled_s <= self.due_s {
            return None;
        }
        self.scheduled_s = self.due_s;
        Some(self.due_s)
    }
}

/// The predicted remaining lifetime of a VM at `now_s`, and the prediction itself; one that never changes has a change
/// time at the end of time.
fn predict(predictions: &Predictions, (vm, born_s): (VmId, i32), place: &mut CurvePlace, now_s: u32) -> (u32, Latest) {
    let Prediction { remaining_s, next_change_s } = predictions.follow(vm, place, uptime_s(born_s, now_s));
    let (remaining_s, changes_s) =
        (remaining_s.max(1), next_change_s.map_or(u32::MAX, |next_s| moment_s(born_s, next_s)));
    (remaining_s, Latest { exit_s: now_s.saturating_add(remaining_s), changes_s })
}

/// When a VM was requested, in seconds since the start of the trace.
fn born_s(at: Time) -> i32 {
    at.0.div_euclid(1_000).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Whole seconds since the start of the trace.
fn seconds(now: Time) -> u32 {
    (now.0.max(0) / 1_000).min(i64::from(u32::MAX)) as u32
}

fn uptime_s(born_s: i32, now_s: u32) -> u32 {
    (i64::from(now_s) - i64::from(born_s)).max(0) as u32
}

/// The moment at which a VM reaches an uptime.
fn moment_s(born_s: i32, uptime_s: u32) -> u32 {
    (i64::from(born_s) + i64::from(uptime_s)).clamp(0, i64::from(u32::MAX)) as u32
}
