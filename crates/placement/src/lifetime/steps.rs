//! Levels that depend on a machine's expected exit, as a step function.

use core::ops::Range;

use tiebreak_model::{Exits, ExpectedExit};

/// Which expected exit of a machine a rule reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By the newest predictions.
    Newest,
    /// By the first prediction of each VM.
    First,
}

impl Exit {
    /// This exit of a machine.
    #[inline]
    #[must_use]
    pub const fn of(self, expected: ExpectedExit) -> u32 {
        match self {
            Self::Newest => expected.newest_s,
            Self::First => expected.first_s,
        }
    }

    /// This exit of some machines, in order of id.
    #[inline]
    pub(crate) fn column(self, exits: &Exits, machines: Range<u32>) -> &[u32] {
        match self {
            Self::Newest => exits.newest(machines),
            Self::First => exits.first(machines),
        }
    }
}

/// The maximum number of steps of any rule.
const STEPS_MAX: usize = 12;

/// The levels of a rule for one request, as a function of a machine's expected exit: each level holds from an exit
/// on. Exit 0 means an empty machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    exit: Exit,
    /// Where steps begin, ascending; unused entries are the end of time.
    from: [u32; STEPS_MAX],
    /// The level before the first step, and the level of each step.
    levels: [u32; STEPS_MAX + 1],
    /// The lowest level up to there.
    least: [u32; STEPS_MAX + 1],
    count: usize,
}

impl Steps {
    /// This level for every exit.
    #[must_use]
    pub const fn level_everywhere(exit: Exit, level: u32) -> Self {
        let levels = [level; STEPS_MAX + 1];
        Self { exit, from: [u32::MAX; STEPS_MAX], levels, least: levels, count: 0 }
    }

    /// Changes the level from this exit on, which must not be before the previous one.
    ///
    /// # Panics
    /// With more than twelve steps; no rule has that many.
    #[must_use]
    pub fn then(mut self, exit_s: u32, level: u32) -> Self {
        self.from[self.count] = exit_s;
        self.count += 1;
        self.levels[self.count] = level;
        self.least[self.count] = self.least[self.count - 1].min(level);
        self
    }

    /// Replaces each level by a number; `number` must not decrease as the level rises.
    pub(crate) fn map(mut self, number: impl Fn(u32) -> u32) -> Self {
        let used = 0..=self.count;
        self.levels[used.clone()].iter_mut().chain(&mut self.least[used]).for_each(|level| *level = number(*level));
        self
    }

    /// The level of a machine.
    #[inline]
    #[must_use]
    pub fn level(&self, expected: ExpectedExit) -> u32 {
        self.levels[self.place(self.exit.of(expected))]
    }

    /// The lowest level that a machine can have if it is expected to be free no later than these exits (one of each
    /// kind).
    #[inline]
    pub(crate) fn least(&self, latest: ExpectedExit) -> u32 {
        self.least[self.place(self.exit.of(latest))]
    }

    #[inline]
    fn place(&self, exit_s: u32) -> usize {
        // Compares all entries, so that the fixed-length loop vectorizes.
        let place: usize = self.from.iter().map(|from| usize::from(exit_s >= *from)).sum();
        place.min(self.count)
    }

    /// Which exit the levels depend on.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// The exits with this level; `None` if no exit has it, or if they form more than two ranges.
    pub(crate) fn span(&self, level: u32) -> Option<Span> {
        let mut span: Option<Span> = None;
        for place in (0..=self.count).filter(|place| self.levels[*place] == level) {
            let from = if place == 0 { 0 } else { self.from[place - 1] };
            let before = if place == self.count { Some(u32::MAX) } else { self.from[place].checked_sub(1) };
            let Some(to) = before.filter(|to| from <= *to) else { continue };
            span = Some(match span {
                None => Span { exit: self.exit, from, to, hole: None },
                Some(it) if it.to + 1 == from => Span { to, ..it },
                Some(it) if it.hole.is_none() => Span { to, hole: Some((it.to + 1, from - 1)), ..it },
                Some(_) => return None,
            });
        }
        span
    }

    /// The lowest level, and the second lowest.
    pub(crate) fn two_least(&self) -> (u32, Option<u32>) {
        let levels = &self.levels[..=self.count];
        let least = self.least[self.count];
        (least, levels.iter().copied().filter(|level| *level != least).min())
    }

    /// The level, if it is the same for all machines.
    pub(crate) fn constant(&self) -> Option<u32> {
        self.levels[..=self.count].iter().all(|level| *level == self.levels[0]).then_some(self.levels[0])
    }
}

/// Exits with one level: a range, minus an optional hole in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) exit: Exit,
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) hole: Option<(u32, u32)>,
}

impl Span {
    /// How many of these machines, with consecutive ids from `first`, have an exit in the span and a key of this
    /// kind. For the usual kinds of spans the loop has no branch.
    #[inline]
    pub(crate) fn count<K: Copy>(&self, exits: &Exits, first: u32, keys: &[K], of_kind: impl Fn(K) -> bool) -> u32 {
        let exits = self.exit.column(exits, first..first + keys.len() as u32);
        let Self { from, to, .. } = *self;
        match self.hole {
            None if to == u32::MAX => both(keys, of_kind, exits, |exit| exit >= from),
            None => both(keys, of_kind, exits, |exit| exit.wrapping_sub(from) <= to - from),
            Some((hole, end)) => both(keys, of_kind, exits, |exit| {
                (exit.wrapping_sub(from) <= to - from) & (exit.wrapping_sub(hole) > end - hole)
            }),
        }
    }

    /// Whether an exit is in the span.
    #[inline]
    pub(crate) fn has(&self, expected: ExpectedExit) -> bool {
        let exit = self.exit.of(expected);
        (self.from..=self.to).contains(&exit) && !self.hole.is_some_and(|(hole, end)| (hole..=end).contains(&exit))
    }
}

/// How many machines have both a key of this kind and such an exit.
#[inline]
fn both<K: Copy>(keys: &[K], of_kind: impl Fn(K) -> bool, exits: &[u32], in_time: impl Fn(u32) -> bool) -> u32 {
    keys.iter().zip(exits).map(|(key, exit)| u32::from(of_kind(*key)) & u32::from(in_time(*exit))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::sync::Arc;
    use tiebreak_model::{ClusterSpec, Fleet, HostLife, MachineId, MachineRecord, Occupancy, Resources};

    /// A zone of machines with these expected exits.
    fn zone_with_exits(exits_s: core::ops::Range<u32>) -> Occupancy {
        let spec = ClusterSpec {
            name: "c".into(),
            machines: exits_s.len() as u32,
            racks: 1,
            capacity: Resources::new(1, 1, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let mut zone = Occupancy::empty(Arc::new(Fleet::build(&[spec]).expect("a fleet")));
        for (machine, exit_s) in (0..).map(MachineId).zip(exits_s) {
            let record = zone.record(machine);
            zone.set(machine, MachineRecord { life: HostLife { exit_s, ..record.life }, ..record });
        }
        zone
    }

    fn until(newest_s: u32) -> ExpectedExit {
        ExpectedExit { newest_s, first_s: 0 }
    }

    #[test]
    fn each_level_holds_from_its_exit_on() {
        let steps = Steps::level_everywhere(Exit::Newest, 5).then(10, 3).then(20, 0).then(20, 1);
        let levels = [0, 9, 10, 19, 20, 21].map(|exit| steps.level(until(exit)));
        assert_eq!(levels, [5, 5, 3, 3, 1, 1]);
        assert_eq!([0, 9, 10, 19, 20, 21].map(|exit| steps.least(until(exit))), [5, 5, 3, 3, 0, 0]);
        assert_eq!(steps.level(until(u32::MAX)), 1);
        assert_eq!(steps.constant(), None);
        assert_eq!(steps.map(|_| 7).constant(), Some(7));
    }

    #[test]
    fn a_span_has_the_exits_of_its_level() {
        let plain = Steps::level_everywhere(Exit::Newest, 2);
        let holed = plain.then(1, 1).then(10, 0).then(20, 1);
        let falling = plain.then(5, 1).then(5, 3).then(9, 0);
        let scattered = plain.then(1, 1).then(2, 2).then(3, 1).then(4, 2);
        let zone = zone_with_exits(0..30);
        let exits = zone.exits();
        for (steps, levels) in [(holed, 0..3), (falling, 0..4), (plain, 2..3), (plain.then(0, 1), 1..3)] {
            for level in levels {
                let those = |id: &u32| steps.level(until(*id)) == level;
                let expected = (0..30).filter(those).count() as u32;
                match steps.span(level) {
                    None => assert_eq!(expected, 0, "level {level} of {steps:?}"),
                    Some(span) => {
                        assert_eq!(span.count(exits, 0, &[(); 30], |()| true), expected, "level {level} of {steps:?}");
                        assert_eq!((0..30).filter(|id| span.has(until(*id))).count() as u32, expected);
                    }
                }
            }
        }
        assert_eq!(scattered.span(2), None, "three pieces");
        assert_eq!(holed.two_least(), (0, Some(1)));
        assert_eq!(plain.two_least(), (2, None));
    }
}
