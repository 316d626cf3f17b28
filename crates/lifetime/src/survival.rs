//! The Kaplan-Meier estimator: the share of VMs that survive, from partly observed lifetimes.
//!
//! At each age at which a VM ended, the share that survives is 1 - ended / at risk. At risk are the VMs observed just
//! before that age, so those still running at the cut count as long as they were observed (censoring), and those
//! running when the trace began only from their uptime then (left truncation).

use alloc::vec::Vec;

use crate::order;
use crate::spells::Spell;

/// An age at which VMs ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    pub(crate) age_s: u32,
    pub(crate) ended: u32,
    pub(crate) at_risk: u32,
}

/// The endings of these spells, by age.
pub(crate) fn endings(spells: &[Spell]) -> Vec<Ending> {
    let mut watched = Watched::new(spells);
    let ages = spells.iter().filter(|spell| spell.ended).map(|spell| spell.exit_s.into());
    let ages = order::sorted(ages.collect());
    let ages = ages.chunk_by(|one, next| one == next).map(|same| (same[0] as u32, same.len() as u32));
    ages.map(|(age_s, ended)| Ending { age_s, ended, at_risk: watched.at_risk(age_s) }).collect()
}

/// The endings of a stratum at ages at which at least `least` of its VMs were at risk, and those of a coarser
/// stratum, which contains it, at all other ages.
pub(crate) fn refined(spells: &[Spell], coarser: &[Ending], least: u32) -> Vec<Ending> {
    let mut watched = Watched::new(spells);
    let mut own = endings(spells).into_iter().peekable();
    let mut all = Vec::new();
    // A coarser stratum has an ending at each age at which a finer one has.
    for ending in coarser {
        let mine = own.next_if(|mine| mine.age_s == ending.age_s);
        if watched.at_risk(ending.age_s) >= least { all.extend(mine) } else { all.push(*ending) }
    }
    all
}

/// Counts VMs at risk at ascending ages.
struct Watched {
    entries: Vec<u64>,
    exits: Vec<u64>,
    entered: usize,
    left: usize,
}

impl Watched {
    fn new(spells: &[Spell]) -> Self {
        let entries = order::sorted(spells.iter().map(|spell| spell.entry_s.into()).collect());
        let exits = order::sorted(spells.iter().map(|spell| spell.exit_s.into()).collect());
        Self { entries, exits, entered: 0, left: 0 }
    }

    /// The number of VMs observed just before this age: entered before it, and not ended before it.
    fn at_risk(&mut self, age_s: u32) -> u32 {
        while self.entries.get(self.entered).is_some_and(|entry| *entry < age_s.into()) {
            self.entered += 1;
        }
        while self.exits.get(self.left).is_some_and(|exit| *exit < age_s.into()) {
            self.left += 1;
        }
        (self.entered - self.left) as u32
    }
}

/// The surviving share as a function of age, and its integral.
#[derive(Clone, Debug)]
pub(crate) struct Survival {
    /// Each piece begins where all VMs at risk have ended; later data say nothing about earlier ages.
    pieces: Vec<SurvivalPiece>,
}

#[derive(Clone, Debug, Default)]
struct SurvivalPiece {
    from_s: u32,
    ages_s: Vec<u32>,
    /// The share of VMs running at `from_s` that survives each age.
    alive: Vec<f64>,
    /// The mean seconds they lived from `from_s` up to each age.
    lived_s: Vec<f64>,
}

impl Survival {
    pub(crate) fn of(endings: &[Ending]) -> Self {
        let mut pieces = Vec::new();
        let mut piece = SurvivalPiece::default();
        for Ending { age_s, ended, at_risk } in endings {
            piece.push(*age_s, 1.0 - f64::from(*ended) / f64::from(*at_risk));
            if ended == at_risk {
                pieces
                    .push(core::mem::replace(&mut piece, SurvivalPiece { from_s: *age_s, ..SurvivalPiece::default() }));
            }
        }
        pieces.push(piece);
        Self { pieces }
    }

    /// The share that survives this age, from the start on; 0 once all at risk have ended.
    pub(crate) fn alive_after(&self, age_s: u32) -> f64 {
        self.pieces[0].alive_after(f64::from(age_s))
    }

    /// The first age at which at most this share survives.
    pub(crate) fn age_at(&self, alive: f64) -> Option<u32> {
        let piece = &self.pieces[0];
        piece.ages_s.get(piece.alive.partition_point(|share| *share > alive)).copied()
    }

    /// The mean remaining lifetime of a VM running at this age, in seconds, counting at most `cap_s` of each:
    /// E[min(remaining, cap) | uptime]. After the last ending no VM is observed to end.
    pub(crate) fn mean_remaining_s(&self, age_s: u32, cap_s: u32) -> f64 {
        let place = self.pieces.partition_point(|piece| piece.from_s <= age_s) - 1;
        let until_s = f64::from(age_s) + f64::from(cap_s);
        let end_s = self.pieces.get(place + 1).map_or(until_s, |next| until_s.min(f64::from(next.from_s)));
        let piece = &self.pieces[place];
        (piece.lived_s(end_s) - piece.lived_s(f64::from(age_s))) / piece.alive_after(f64::from(age_s))
    }
}

impl SurvivalPiece {
    fn push(&mut self, age_s: u32, live_on: f64) {
        let (before, lived_s) = (self.alive.last().copied().unwrap_or(1.0), self.lived_s(f64::from(age_s)));
        self.ages_s.push(age_s);
        self.alive.push(before * live_on);
        self.lived_s.push(lived_s);
    }

    fn passed(&self, age_s: f64) -> usize {
        self.ages_s.partition_point(|age| f64::from(*age) <= age_s)
    }

    fn alive_after(&self, age_s: f64) -> f64 {
        self.passed(age_s).checked_sub(1).map_or(1.0, |last| self.alive[last])
    }

    fn lived_s(&self, age_s: f64) -> f64 {
        match self.passed(age_s).checked_sub(1) {
            None => age_s - f64::from(self.from_s),
            Some(last) => self.lived_s[last] + self.alive[last] * (age_s - f64::from(self.ages_s[last])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::VmId;

    fn spell(entry_s: u32, exit_s: u32, ended: bool) -> Spell {
        Spell { vm: VmId(0), entry_s, exit_s, ended }
    }

    fn table(endings: &[Ending]) -> Vec<(u32, u32, u32)> {
        endings.iter().map(|ending| (ending.age_s, ending.ended, ending.at_risk)).collect()
    }

    #[test]
    fn without_censoring_it_is_the_plain_mean_of_what_is_left() {
        let spells = [10, 20, 20, 50].map(|exit| spell(0, exit, true));
        let endings = endings(&spells);
        assert_eq!(table(&endings), [(10, 1, 4), (20, 2, 3), (50, 1, 1)]);
        let survival = Survival::of(&endings);
        // (10 + 20 + 20 + 50) / 4; then (10 + 10 + 40) / 3; then the last one.
        for (age, mean) in [(0, 25.0), (10, 20.0), (20, 30.0), (45, 5.0)] {
            assert!((survival.mean_remaining_s(age, 1_000) - mean).abs() < 1e-9, "at {age} s");
        }
        // At most 15 s each: (10 + 15 + 15 + 15) / 4.
        assert!((survival.mean_remaining_s(0, 15) - 13.75).abs() < 1e-9);
    }

    #[test]
    fn those_still_alive_at_the_cut_count_as_long_as_they_were_seen() {
        // Ends at 10 and 30; one was last observed running at 20.
        let endings = endings(&[spell(0, 10, true), spell(0, 20, false), spell(0, 30, true)]);
        assert_eq!(table(&endings), [(10, 1, 3), (30, 1, 1)]);
        // 10 s for all, then 2/3 of them 20 s more.
        let survival = Survival::of(&endings);
        assert!((survival.mean_remaining_s(0, 1_000) - (10.0 + 20.0 * 2.0 / 3.0)).abs() < 1e-9);
        assert!((survival.mean_remaining_s(10, 1_000) - 20.0).abs() < 1e-9);
    }

    #[test]
    fn those_alive_when_the_trace_began_count_from_their_uptime_then() {
        // Two from their start, two that were 15 and 40 when observation began.
        let spells = [spell(0, 10, true), spell(0, 20, true), spell(15, 50, true), spell(40, 60, true)];
        let endings = endings(&spells);
        assert_eq!(table(&endings), [(10, 1, 2), (20, 1, 2), (50, 1, 2), (60, 1, 1)]);
        // 10 * 1 + 10 * 1/2 + 30 * 1/4 + 10 * 1/8, and from 45 on: 5 + 10 / 2.
        let survival = Survival::of(&endings);
        assert!((survival.mean_remaining_s(0, 1_000) - 23.75).abs() < 1e-9);
        assert!((survival.mean_remaining_s(45, 1_000) - 10.0).abs() < 1e-9);
    }

    #[test]
    fn what_comes_after_all_at_risk_ended_is_a_story_of_its_own() {
        // The only VM observed at 10 ends at that age; two others are observed from 100 on.
        let survival = Survival::of(&endings(&[spell(0, 10, true), spell(100, 140, true), spell(100, 160, true)]));
        assert!((survival.mean_remaining_s(0, 1_000) - 10.0).abs() < 1e-9);
        assert!((survival.mean_remaining_s(100, 1_000) - 50.0).abs() < 1e-9);
        // No VM was observed in between, and beyond 160 none is observed to end: the cap.
        assert!((survival.mean_remaining_s(160, 1_000) - 1_000.0).abs() < 1e-9);
        assert!((Survival::of(&[]).mean_remaining_s(7, 1_000) - 1_000.0).abs() < 1e-9);
    }

    #[test]
    fn a_stratum_asks_the_coarser_one_where_it_has_too_few_at_risk() {
        let own = [spell(0, 10, true), spell(0, 30, true)];
        let all = [own[0], own[1], spell(0, 20, true), spell(0, 40, true)];
        let coarser = endings(&all);
        assert_eq!(table(&coarser), [(10, 1, 4), (20, 1, 3), (30, 1, 2), (40, 1, 1)]);
        // Two at risk up to 10, one up to 30, then none.
        assert_eq!(table(&refined(&own, &coarser, 2)), [(10, 1, 2), (20, 1, 3), (30, 1, 2), (40, 1, 1)]);
        assert_eq!(table(&refined(&own, &coarser, 1)), [(10, 1, 2), (30, 1, 1), (40, 1, 1)]);
    }
}
