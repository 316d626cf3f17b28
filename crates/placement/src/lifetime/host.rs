//! The lifetime state of a host: LAVA's states and all transitions between them.
//!
//! A machine is *empty*, *open* to VMs of its class, or *recycling*: it accepts only shorter-lived VMs until its
//! residual VMs, the ones it waits for, have left. The transitions are plain functions of the machine's state; the
//! caller counts VMs and watches the clock. Source: LAVA section 4.3, Figure 5.

use tiebreak_model::Phase;
use tiebreak_model::phrase::mark;

use super::{CLASS_MAX, Lifetimes, StartClass};

/// Why a machine's state changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It was empty and got its first VM. It takes that VM's class.
    Opened,
    /// It became full, and waits for its current VMs.
    Filled,
    /// The VMs it waited for left before its deadline. Its class drops by one, and it waits for its current VMs.
    Dropped,
    /// Its deadline has passed: some lifetime was predicted too short. Its class rises by one, and it waits for its
    /// current VMs.
    Raised,
    /// Its last VM left.
    Emptied,
}

impl Turn {
    /// All of them, in counting order.
    pub const ALL: [Self; 5] = [Self::Opened, Self::Filled, Self::Dropped, Self::Raised, Self::Emptied];

    /// Display text.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Opened => mark("opened for the class of its first VM"),
            Self::Filled => mark("full: recycles and waits for its VMs"),
            Self::Dropped => mark("the VMs it waited for have exited: class drops"),
            Self::Raised => mark("missed its deadline: class rises"),
            Self::Emptied => mark("empty"),
        }
    }

    /// Whether all VMs on the machine become residual, so that it waits for them.
    #[must_use]
    pub const fn makes_residual(self) -> bool {
        matches!(self, Self::Filled | Self::Dropped | Self::Raised)
    }
}

/// A machine's state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// Which VMs it accepts.
    pub phase: Phase,
    /// Its class.
    pub class: u8,
    /// When it should be free; 0 if it is empty, and the maximum if it has no deadline.
    pub deadline_s: u32,
    /// The number of residual VMs on it; 0 if it is open.
    pub residual: u32,
    /// The number of VMs on it.
    pub vms: u32,
}

impl Host {
    /// A VM arrived. `full` says whether the machine is full with it.
    pub fn joined(&mut self, now_s: u32, class: u8, full: bool, terms: &Lifetimes, turns: &mut dyn FnMut(Turn, &Self)) {
        self.vms += 1;
        if self.phase == Phase::Empty {
            (self.phase, self.class, self.deadline_s) = (Phase::Open, class, terms.opening_deadline_s(now_s, class));
            turns(Turn::Opened, self);
        }
        if self.phase == Phase::Open && full {
            self.phase = Phase::Recycling;
            self.deadline_s = terms.filling_deadline_s(now_s, self.class, self.deadline_s);
            self.turn(Turn::Filled, turns);
        }
    }

    /// The machine has a VM of this class when the trace begins. Returns whether its own class rises to that.
    pub fn begins_with(&mut self, now_s: u32, class: u8, terms: &Lifetimes) -> bool {
        let rises = terms.start_class == StartClass::Highest && class > self.class;
        if rises {
            let opening_s = terms.opening_deadline_s(now_s, class);
            self.class = class;
            self.deadline_s = match self.phase {
                Phase::Recycling => terms.filling_deadline_s(now_s, class, opening_s),
                Phase::Open | Phase::Empty => opening_s,
            };
        }
        rises
    }

    /// A VM left; `residual` says whether it was residual.
    pub fn left(&mut self, now_s: u32, residual: bool, terms: &Lifetimes, turns: &mut dyn FnMut(Turn, &Self)) {
        self.vms -= 1;
        self.residual -= u32::from(residual);
        if self.vms == 0 {
            *self = Self::default();
            turns(Turn::Emptied, self);
        } else if self.phase == Phase::Recycling && self.residual == 0 {
            self.class = self.class.saturating_sub(1);
            self.deadline_s = terms.deadline_s(now_s, self.class);
            self.turn(Turn::Dropped, turns);
        }
    }

    /// Time passed.
    pub fn waited(&mut self, now_s: u32, terms: &Lifetimes, turns: &mut dyn FnMut(Turn, &Self)) {
        if self.phase != Phase::Empty && now_s >= self.deadline_s {
            self.phase = Phase::Recycling;
            self.class = (self.class + 1).min(CLASS_MAX);
            self.deadline_s = terms.deadline_s(now_s, self.class);
            self.turn(Turn::Raised, turns);
        }
    }

    /// The state after a turn that gave it this class, as far as the turn determines it: it does not count VMs.
    #[must_use]
    pub fn after(self, turn: Turn, at_s: u32, class: u8, terms: &Lifetimes) -> Self {
        let deadline_s = terms.deadline_s(at_s, class);
        match turn {
            Turn::Emptied => Self::default(),
            Turn::Opened => {
                let deadline_s = terms.opening_deadline_s(at_s, class);
                Self { phase: Phase::Open, class, deadline_s, ..Self::default() }
            }
            Turn::Filled => {
                let deadline_s = terms.filling_deadline_s(at_s, class, self.deadline_s);
                Self { phase: Phase::Recycling, class, deadline_s, ..self }
            }
            Turn::Dropped | Turn::Raised => Self { phase: Phase::Recycling, class, deadline_s, ..self },
        }
    }

    fn turn(&mut self, turn: Turn, turns: &mut dyn FnMut(Turn, &Self)) {
        self.residual = self.vms;
        turns(turn, self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifetime::DeadlineFrom;
    use alloc::vec;
    use alloc::vec::Vec;
    use tiebreak_model::Declared;

    const HOUR: u32 = 3_600;

    /// An event on a machine in a test.
    #[derive(Clone, Copy, Debug)]
    enum What {
        /// A VM of a class arrives; full with it or not.
        Comes(u8, bool),
        /// A residual VM leaves.
        ResidualLeaves,
        /// Another VM leaves.
        OtherLeaves,
        /// This many hours pass.
        Hours(u32),
    }

    type Stands = (Phase, u8, u32, u32);

    /// A path through the states: each step with the machine's state after it (phase, class, residual VMs, VMs) and
    /// the turns it caused.
    type Way = Vec<(What, Stands, Vec<Turn>)>;

    fn walk(name: &str, way: Way) {
        let terms = Lifetimes::from_values(&[]);
        let (mut host, mut now_s, mut told) = (Host::default(), 1_000, Host::default());
        for (step, (what, stands, expected)) in way.into_iter().enumerate() {
            let mut seen = Vec::new();
            let mut note = |turn, host: &Host| seen.push((turn, host.class));
            match what {
                What::Comes(class, full) => host.joined(now_s, class, full, &terms, &mut note),
                What::ResidualLeaves => host.left(now_s, true, &terms, &mut note),
                What::OtherLeaves => host.left(now_s, false, &terms, &mut note),
                What::Hours(hours) => {
                    now_s += hours * HOUR;
                    host.waited(now_s, &terms, &mut note);
                }
            }
            assert_eq!((host.phase, host.class, host.residual, host.vms), stands, "{name}, step {step}: {what:?}");
            let turns: Vec<_> = seen.iter().map(|(turn, _)| *turn).collect();
            assert_eq!(turns, expected, "{name}, step {step}: {what:?}");
            told = seen.iter().fold(told, |told, (turn, class)| told.after(*turn, now_s, *class, &terms));
            let stands = |host: &Host| (host.phase, host.class, host.deadline_s);
            assert_eq!(stands(&told), stands(&host), "{name}, step {step}: told by its turns");
        }
    }

    #[test]
    fn every_transition_is_walked() {
        use Phase::{Empty, Open, Recycling};
        use Turn::{Dropped, Emptied, Filled, Opened, Raised};
        use What::{Comes, Hours, OtherLeaves, ResidualLeaves};
        walk(
            "opens, stays open for another class, and empties",
            vec![
                (Comes(2, false), (Open, 2, 0, 1), vec![Opened]),
                (Comes(2, false), (Open, 2, 0, 2), vec![]),
                (Comes(3, false), (Open, 2, 0, 3), vec![]),
                (OtherLeaves, (Open, 2, 0, 2), vec![]),
                (OtherLeaves, (Open, 2, 0, 1), vec![]),
                (OtherLeaves, (Empty, 0, 0, 0), vec![Emptied]),
            ],
        );
        walk(
            "recycles down its classes",
            vec![
                (Comes(2, false), (Open, 2, 0, 1), vec![Opened]),
                (Comes(2, true), (Recycling, 2, 2, 2), vec![Filled]),
                (ResidualLeaves, (Recycling, 2, 1, 1), vec![]),
                (Comes(1, true), (Recycling, 2, 1, 2), vec![]),
                (Comes(0, true), (Recycling, 2, 1, 3), vec![]),
                (ResidualLeaves, (Recycling, 1, 2, 2), vec![Dropped]),
                (Comes(0, false), (Recycling, 1, 2, 3), vec![]),
                (OtherLeaves, (Recycling, 1, 2, 2), vec![]),
                (ResidualLeaves, (Recycling, 1, 1, 1), vec![]),
                (Comes(0, false), (Recycling, 1, 1, 2), vec![]),
                (ResidualLeaves, (Recycling, 0, 1, 1), vec![Dropped]),
                (Comes(0, false), (Recycling, 0, 1, 2), vec![]),
                (ResidualLeaves, (Recycling, 0, 1, 1), vec![Dropped]),
                (ResidualLeaves, (Empty, 0, 0, 0), vec![Emptied]),
            ],
        );
        walk(
            "one VM fills it at once",
            vec![
                (Comes(1, true), (Recycling, 1, 1, 1), vec![Opened, Filled]),
                (ResidualLeaves, (Empty, 0, 0, 0), vec![Emptied]),
            ],
        );
        walk(
            "outlives its deadlines, open and recycling, up to the highest class",
            vec![
                (Comes(0, false), (Open, 0, 0, 1), vec![Opened]),
                (Hours(1), (Open, 0, 0, 1), vec![]),
                (Hours(1), (Recycling, 1, 1, 1), vec![Raised]),
                (Comes(0, false), (Recycling, 1, 1, 2), vec![]),
                (Hours(10), (Recycling, 1, 1, 2), vec![]),
                (Hours(2), (Recycling, 2, 2, 2), vec![Raised]),
                (Hours(111), (Recycling, 3, 2, 2), vec![Raised]),
                (Hours(1_101), (Recycling, 4, 2, 2), vec![Raised]),
                (Hours(10_000), (Recycling, 4, 2, 2), vec![]),
                (Hours(1_001), (Recycling, 4, 2, 2), vec![Raised]),
            ],
        );
        walk("an empty machine has no deadline", vec![(Hours(100_000), (Empty, 0, 0, 0), vec![])]);
    }

    #[test]
    fn a_deadline_counts_from_opening_or_from_filling() {
        let none = &mut |_: Turn, _: &Host| ();
        for (deadline_from, open_s, full_s) in
            [(DeadlineFrom::Opening, 11 * HOUR, 11 * HOUR), (DeadlineFrom::Filling, u32::MAX, 18 * HOUR)]
        {
            let terms = Lifetimes { deadline_from, ..Lifetimes::from_values(&[]) };
            let mut host = Host::default();
            host.joined(0, 1, false, &terms, none);
            assert_eq!(host.deadline_s, open_s, "1.1 times 10 hours, {deadline_from:?}");
            host.waited(7 * HOUR, &terms, none);
            host.joined(7 * HOUR, 1, true, &terms, none);
            assert_eq!((host.phase, host.deadline_s), (Phase::Recycling, full_s), "{deadline_from:?}");
            host.waited(12 * HOUR, &terms, none);
            assert_eq!(host.class, 1 + u8::from(deadline_from == DeadlineFrom::Opening), "{deadline_from:?}");
        }
    }

    #[test]
    fn a_machine_begins_with_its_first_class_or_its_highest() {
        let none = &mut |_: Turn, _: &Host| ();
        for (start_class, class) in [(StartClass::First, 1), (StartClass::Highest, 3)] {
            let terms = Lifetimes { start_class, ..Lifetimes::from_values(&[]) };
            let mut host = Host::default();
            for (next, full) in [(1, false), (3, true), (2, true)] {
                host.joined(0, next, full, &terms, none);
                host.begins_with(0, next, &terms);
            }
            assert_eq!((host.class, host.deadline_s), (class, terms.deadline_s(0, class)), "{start_class:?}");
        }
    }

    #[test]
    fn a_drop_gives_a_new_deadline() {
        let terms = Lifetimes::from_values(&[]);
        let (mut host, mut none) = (Host::default(), |_: Turn, _: &Host| ());
        host.joined(0, 2, true, &terms, &mut none);
        assert_eq!(host.deadline_s, 110 * HOUR, "1.1 times 100 hours");
        host.joined(50 * HOUR, 1, true, &terms, &mut none);
        assert_eq!(host.deadline_s, 110 * HOUR, "a VM that joins moves no deadline");
        host.left(60 * HOUR, true, &terms, &mut none);
        assert_eq!((host.class, host.deadline_s), (1, 71 * HOUR), "11 hours from the drop");
    }
}
