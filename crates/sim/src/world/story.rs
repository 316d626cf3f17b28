//! The history of a VM after its placement, in words: where it was, why it left, where it went (Protean sections 2.1
//! and 6.3).

use alloc::vec::Vec;

use tiebreak_model::{MachineId, Phrase, Time, VmId, phrase};

use super::World;
use crate::record::Rejection;
use crate::record::disruption::{Disruption, Fate, Reason};

/// One event in a VM's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// When.
    pub at: Time,
    /// What happened; continues a sentence that starts with "it": `lost machine 7`.
    pub what: Phrase,
    /// What to say after the time: `, which failed`.
    pub why: Phrase,
    /// Whether an incident caused it, and so before any other event of that instant.
    pub by_incident: bool,
}

impl Turn {
    fn new(at: Time, what: Phrase, why: Phrase) -> Self {
        Self { at, what, why, by_incident: false }
    }

    /// The same event, caused by an incident.
    fn by_incident(self) -> Self {
        Self { by_incident: true, ..self }
    }

    /// As a sentence, with the time in the caller's format.
    #[must_use]
    pub fn sentence(&self, at: &str) -> Phrase {
        phrase!("It {} at {at}{}.", self.what, at, self.why)
    }
}

impl World {
    /// A VM's history after its first placement, in order; empty if it stayed on its machine.
    #[must_use]
    pub fn story(&self, vm: VmId) -> Vec<Turn> {
        let left: Vec<_> = self.disruptions().iter().filter(|it| it.vm == vm).collect();
        let next = |index: usize| match left.get(index + 1) {
            Some(next) => Some((next.from, next.since)),
            None => self.placement(vm),
        };
        let turns = |(index, it): (usize, &&Disruption)| self.turns(it, next(index));
        left.iter().enumerate().flat_map(turns).collect()
    }

    /// When a VM last lost its machine, if it ever did.
    #[must_use]
    pub fn lost_machine_at(&self, vm: VmId) -> Option<Time> {
        let lost = |it: &&Disruption| it.vm == vm && why_lost(it.reason).is_some();
        self.disruptions().iter().rfind(lost).map(|it| it.time)
    }

    /// How a VM left a machine, and what followed; `next` is its location after that.
    fn turns(&self, left: &Disruption, next: Option<(MachineId, Time)>) -> Vec<Turn> {
        let Disruption { time, vm, from, reason, .. } = *left;
        let Some(why) = why_lost(reason) else { return [kept_on(left)].into() };
        let found = next.map(|(machine, since)| {
            Turn::new(since, phrase!("was reallocated to machine {machine}", machine), Phrase::default())
        });
        let waits = found.is_none() && matches!(self.fate(vm), Some(Fate::Waiting { .. }));
        let why = if waits { phrase!("{why}, and waits for another machine", why) } else { why };
        let lost = Turn::new(time, phrase!("lost machine {from}", from), why).by_incident();
        [lost].into_iter().chain(found.or_else(|| self.end_of(vm))).collect()
    }

    /// The end of a VM that found no other machine.
    fn end_of(&self, vm: VmId) -> Option<Turn> {
        match self.fate(vm)? {
            Fate::Lost { at, because: Rejection::Refused(_), .. } => {
                Some(Turn::new(at, phrase!("was lost"), phrase!(", because no machine had room for it")))
            }
            Fate::Lost { at, because: Rejection::OutOfRetries, .. } => {
                Some(Turn::new(at, phrase!("was lost"), phrase!(", because its last retry ended in a conflict")))
            }
            Fate::Ended { at, .. } => {
                Some(Turn::new(at, phrase!("ended"), phrase!(", before another machine was found")))
            }
            _ => None,
        }
    }
}

/// Why a VM has to find another machine; `None` if it already has one, or needs none.
fn why_lost(reason: Reason) -> Option<Phrase> {
    match reason {
        Reason::Failed => Some(phrase!(", which failed")),
        Reason::Maintenance => Some(phrase!(", which was due for an update")),
        Reason::Decommissioned => Some(phrase!(", which went out of service")),
        Reason::Evicted | Reason::Migrated(_) => None,
    }
}

/// How a VM left a machine without needing another.
fn kept_on(left: &Disruption) -> Turn {
    let Disruption { time, from, reason, held_until, .. } = *left;
    match reason {
        Reason::Migrated(to) => {
            let what = phrase!("was migrated from machine {from} to machine {to}", from, to);
            let emptied = held_until > time;
            let why = if emptied {
                phrase!(", because its machine was emptied")
            } else {
                phrase!(
                    ", where it packs more \
                     densely"
                )
            };
            Turn::new(time, what, why).by_incident()
        }
        _ => Turn::new(time, phrase!("was evicted"), phrase!(" to make room for a VM of higher priority")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidents::IncidentUse;
    use crate::world::trial::{Trial, minute};
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec;

    fn fail(at: i64, machines: f64, down_minutes: f64) -> IncidentUse {
        IncidentUse { values: vec![machines, 0.0, down_minutes], ..IncidentUse::plain("FailMachines", minute(at)) }
    }

    /// The history of VM 0, with whole minutes.
    fn told(world: &World) -> Vec<String> {
        let minutes = |turn: &Turn| turn.at.since(Time::ZERO).0 / 60_000;
        world.story(VmId(0)).iter().map(|turn| turn.sentence(&format!("{}", minutes(turn))).to_string()).collect()
    }

    #[test]
    fn a_vm_is_followed_from_machine_to_machine() {
        let trial = Trial::new(2, 1).vms(1, 1, (0, 500));
        let both = [fail(60, 2.0, 30.0)];
        let first = |world: &World| world.disruptions().first().map_or(9, |it| it.from.0);
        for (at, end) in [(0, 0), (60, 1), (1_000, 2)] {
            let world = trial.at(at, &both);
            let from = first(&world);
            let story = told(&world);
            let lost = if at == 60 { ", which failed, and waits for another machine." } else { ", which failed." };
            let expected = [
                format!("It lost machine {from} at 60{lost}"),
                "It was lost at 60, because no machine had room for it.".into(),
            ];
            assert_eq!(story, expected[..end], "minute {at}");
        }
        let world = trial.run(&[fail(60, 1.0, 30.0), fail(120, 1.0, 30.0), fail(180, 2.0, 600.0)]);
        let story = told(&world);
        assert!(story.iter().any(|turn| turn.contains(" was reallocated to machine ")), "{story:?}");
        assert_eq!(story.last().map(String::as_str), Some("It was lost at 180, because no machine had room for it."));
        assert_eq!(world.lost_machine_at(VmId(0)), Some(minute(180)));
    }

    #[test]
    fn who_stayed_has_no_story_and_who_moved_says_where() {
        let trial = Trial::new(4, 1).vms(2, 1, (0, 500));
        assert_eq!(told(&trial.run(&[fail(900, 4.0, 1.0)])), [""; 0]);
        let to_3 = Reason::Migrated(MachineId(3));
        for (reason, held_until, expected) in [
            (to_3, 5, "It was migrated from machine 1 to machine 3 at 5, where it packs more densely."),
            (to_3, 25, "It was migrated from machine 1 to machine 3 at 5, because its machine was emptied."),
            (Reason::Evicted, 5, "It was evicted at 5 to make room for a VM of higher priority."),
        ] {
            let (vm, from, held_until) = (VmId(0), MachineId(1), minute(held_until));
            let turn = kept_on(&Disruption { time: minute(5), vm, from, since: minute(0), reason, held_until });
            assert_eq!(turn.sentence("5").to_string(), expected);
        }
    }
}
