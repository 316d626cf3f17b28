//! How far in the future machines are expected to be free, as bits: for each rack, which of its machines have an exit
//! at least 1, 2, 4, 8 ... units from now.
//!
//! For any span of exits this gives the machines that are certainly in it and those that may be, with a few
//! operations per rack. It is exact if the span begins and ends at powers of two, as the spans of LA do. A machine is
//! visited again when its exit changes or when the current power of the unit has passed. The further its exit lies
//! ahead, the rarer that is.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use tiebreak_model::{MachineId, Occupancy, RackId};

use crate::lifetime::steps::{Exit, Span};

/// The maximum number of machines in a rack for bits.
pub(crate) const MACHINES_MAX: usize = 64;

/// Steps: every machine, those with any exit, those with an exit at least a power of the unit ahead, and none.
const EVERY: usize = 0;
const ANY: usize = 1;
const POWERS: usize = 2;
const NONE: usize = POWERS + 32;

/// Racks that are checked for changes at once.
const BLOCK: usize = 16;

/// The racks as bits.
pub(crate) struct Ahead {
    unit_s: u32,
    now_s: u32,
    /// The changes of exits that the bits reflect.
    changes: u64,
    /// For each rack, the time until which its bits hold.
    until_s: Vec<u32>,
    machines: Vec<MachineExit>,
    /// For each step from `EVERY` to `NONE`, the machines of each rack.
    steps: Vec<u64>,
}

/// A machine: its exit, the last step that includes it, and the time until which that holds.
#[derive(Clone, Copy)]
struct MachineExit {
    exit_s: u32,
    step: u32,
    until_s: u32,
}

impl Ahead {
    /// With powers of this unit in seconds, at least 1.
    pub(crate) const fn new(unit_s: u32) -> Self {
        // Later than any moment, so that the first refresh visits everything.
        Self { unit_s, now_s: u32::MAX, changes: 0, until_s: Vec::new(), machines: Vec::new(), steps: Vec::new() }
    }

    /// Brings it up to date.
    pub(crate) fn refresh(&mut self, occupancy: &Occupancy, exit: Exit, now_s: u32) {
        let (fleet, exits) = (occupancy.fleet(), occupancy.exits());
        let racks = fleet.rack_count() as usize;
        if self.until_s.is_empty() {
            self.until_s = vec![0; racks];
            let machine = MachineExit { exit_s: 0, step: EVERY as u32, until_s: u32::MAX };
            self.machines = vec![machine; fleet.machine_count() as usize];
            self.steps = vec![0; racks * (NONE + 1)];
            self.steps[..racks].fill(u64::MAX);
        }
        let turned_back = now_s < self.now_s;
        self.now_s = now_s;
        let seen = core::mem::replace(&mut self.changes, exits.changes());
        let Some(changed) = exits.changed_since(seen).filter(|_| !turned_back) else {
            return (0..racks).for_each(|rack| self.refresh_rack(occupancy, exit, rack, true));
        };
        for machine in changed {
            let exit_s = exit.of(exits.of(machine));
            if self.machines[machine.index()].exit_s != exit_s {
                let rack = fleet.rack_of(machine);
                let at = machine.0 - fleet.machines_of_rack(rack).start;
                self.move_to(rack.index(), (at as usize, machine.index()), exit_s);
                let until_s = &mut self.until_s[rack.index()];
                *until_s = (*until_s).min(self.machines[machine.index()].until_s);
            }
        }
        for first in (0..racks).step_by(BLOCK) {
            let block = first..racks.min(first + BLOCK);
            // Few racks are old. Without branches, all of a block are compared at once.
            if self.until_s[block.clone()].iter().fold(false, |any, until_s| any | (*until_s < now_s)) {
                for rack in block {
                    if self.until_s[rack] < now_s {
                        self.refresh_rack(occupancy, exit, rack, false);
                    }
                }
            }
        }
    }

    /// Brings a rack up to date: all its machines, or those whose bits hold no longer.
    fn refresh_rack(&mut self, occupancy: &Occupancy, exit: Exit, rack: usize, all: bool) {
        let mut least_s = u32::MAX;
        for (at, machine) in occupancy.fleet().machines_of_rack(RackId(rack as u32)).enumerate() {
            if all || self.machines[machine as usize].until_s < self.now_s {
                let exit_s = exit.of(occupancy.exits().of(MachineId(machine)));
                self.move_to(rack, (at, machine as usize), exit_s);
            }
            least_s = least_s.min(self.machines[machine as usize].until_s);
        }
        self.until_s[rack] = least_s;
    }

    /// Moves a machine to the bits of this exit.
    fn move_to(&mut self, rack: usize, (at, machine): (usize, usize), exit_s: u32) {
        let ahead_s = exit_s.saturating_sub(self.now_s);
        let (step, until_s) = match (ahead_s / self.unit_s).checked_ilog2() {
            Some(power) => (POWERS + power as usize, exit_s - (self.unit_s << power)),
            None => (if exit_s > 0 { ANY } else { EVERY }, u32::MAX),
        };
        let before =
            core::mem::replace(&mut self.machines[machine], MachineExit { exit_s, step: step as u32, until_s });
        let before = before.step as usize;
        for changed in before.min(step) + 1..=before.max(step) {
            self.steps[changed * self.until_s.len() + rack] ^= 1 << at;
        }
    }

    /// What is known about the machines in a span.
    pub(crate) fn bounds(&self, span: &Span) -> Bounds<'_> {
        Bounds {
            from: self.edge(span.from.into()),
            after: (span.to < u32::MAX).then(|| self.edge(u64::from(span.to) + 1)),
            hole: span.hole.map(|(hole, end)| (self.edge(hole.into()), self.edge(u64::from(end) + 1))),
        }
    }

    /// The machines with an exit at or after that time.
    fn edge(&self, exit_s: u64) -> Edge<'_> {
        let (surely, maybe) = match exit_s {
            0 => (EVERY, EVERY),
            1 => (ANY, ANY),
            _ if exit_s > u32::MAX.into() => (NONE, NONE),
            _ => {
                let ahead_s = exit_s.saturating_sub(self.now_s.into());
                let unit_s = u64::from(self.unit_s);
                let power = |units: u64| units.checked_ilog2().map(|power| POWERS + power as usize);
                let surely = power(ahead_s.div_ceil(unit_s).next_power_of_two()).unwrap_or(POWERS);
                (surely.min(NONE), power(ahead_s / unit_s).unwrap_or(ANY))
            }
        };
        let column = |step: usize| &self.steps[step * self.until_s.len()..][..self.until_s.len()];
        Edge { surely: column(surely), maybe: column(maybe) }
    }
}

#[derive(Clone, Copy)]
struct Edge<'a> {
    surely: &'a [u64],
    maybe: &'a [u64],
}

/// The machines in a span, rack by rack: those from its beginning on, without those after it and those in its hole.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<'a> {
    from: Edge<'a>,
    after: Option<Edge<'a>>,
    hole: Option<(Edge<'a>, Edge<'a>)>,
}

impl Bounds<'_> {
    /// Calls `see` with each of these racks: its machines that are certainly in the span, those that may be, and what
    /// stands `beside` it.
    #[inline]
    pub(crate) fn each<T>(
        &self,
        racks: Range<usize>,
        beside: impl Iterator<Item = T>,
        mut see: impl FnMut(u64, u64, T),
    ) {
        // Most spans have no end. A loop for them alone is a few operations for several racks at once.
        if self.after.is_none() && self.hole.is_none() {
            let Edge { surely, maybe } = self.from;
            let bits = surely[racks.clone()].iter().zip(&maybe[racks]);
            bits.zip(beside).for_each(|((surely, maybe), beside)| see(*surely, *maybe, beside));
        } else {
            let bits = racks.map(|rack| self.of_rack(rack));
            bits.zip(beside).for_each(|((surely, maybe), beside)| see(surely, maybe, beside));
        }
    }

    /// Those of one rack.
    #[inline]
    pub(crate) fn of_rack(&self, rack: usize) -> (u64, u64) {
        let (mut surely, mut maybe) = (self.from.surely[rack], self.from.maybe[rack]);
        if let Some(after) = &self.after {
            (surely, maybe) = (surely & !after.maybe[rack], maybe & !after.surely[rack]);
        }
        if let Some((hole, end)) = &self.hole {
            surely &= !(hole.maybe[rack] & !end.surely[rack]);
            maybe &= !(hole.surely[rack] & !end.maybe[rack]);
        }
        (surely, maybe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::sync::Arc;
    use tiebreak_model::random::{Seed, pick};
    use tiebreak_model::{ClusterSpec, Fleet, HostLife, MachineRecord, Resources};

    fn zone() -> Occupancy {
        let spec = ClusterSpec {
            name: "c".into(),
            machines: 110,
            racks: 3,
            capacity: Resources::new(1, 1, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        Occupancy::empty(Arc::new(Fleet::build(&[spec]).expect("a fleet")))
    }

    #[test]
    fn who_is_in_a_span_for_sure_is_in_it_and_who_is_in_it_may_be() {
        let (mut occupancy, mut ahead) = (zone(), Ahead::new(7));
        let stream = Seed(1).stream("ahead test");
        let (mut now_s, mut exact) = (100, 0);
        for step in 0..3_000 {
            let draw = |what, options| pick(stream.draw(step, what), options);
            now_s = if draw(0, 500) == 0 { 50 } else { now_s + draw(1, 20) };
            let machine = MachineId(draw(2, 110));
            let exit_s = if draw(3, 4) == 0 { 0 } else { 1 + (now_s + draw(4, 2_000)).saturating_sub(200) };
            let record = occupancy.record(machine);
            let life = HostLife { exit_s, ..record.life };
            occupancy.set(machine, MachineRecord { life, ..record });
            if draw(5, 3) > 0 {
                continue;
            }
            ahead.refresh(&occupancy, Exit::Newest, now_s);
            let on_grid = [0, 1, now_s + 7, now_s + 28, now_s + 448];
            let from = if draw(6, 2) == 0 { draw(7, now_s + 900) } else { on_grid[draw(8, 5) as usize] };
            let to = if draw(9, 2) == 0 { u32::MAX } else { from + draw(10, 3_000) };
            let hole =
                (draw(11, 2) == 0 && to - from > 60).then(|| (from + 1 + draw(12, 30), from + 31 + draw(13, 20)));
            let span = Span { exit: Exit::Newest, from, to, hole };
            let bounds = ahead.bounds(&span);
            let mut seen = Vec::new();
            bounds.each(0..3, 0.., |surely, maybe, rack| seen.push((rack, (surely, maybe))));
            assert_eq!(seen, [0, 1, 2].map(|rack| (rack, bounds.of_rack(rack))));
            for (rack, (surely, maybe)) in seen {
                for (at, id) in occupancy.fleet().machines_of_rack(RackId(rack as u32)).enumerate() {
                    let is_in = span.has(occupancy.exits().of(MachineId(id)));
                    assert!(surely >> at & 1 == 0 || is_in, "step {step}: machine {id} is not in {span:?}");
                    assert!(maybe >> at & 1 == 1 || !is_in, "step {step}: machine {id} is in {span:?}");
                }
                exact += u32::from(surely == maybe);
            }
        }
        assert!(exact > 300, "{exact} racks were known exactly");
    }
}
