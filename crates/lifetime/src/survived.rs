//! The share of a workload's VMs that survive an age.

use alloc::vec::Vec;

use tiebreak_model::{Time, VmId, Workload};

use crate::spells::{Spell, spells};
use crate::survival::{Ending, Survival, endings, refined};

/// The observed lifetimes of a workload's VMs up to its horizon, or another moment.
#[derive(Clone, Debug)]
pub struct Survived {
    /// VMs whose end was observed.
    pub ended: u32,
    /// VMs that were running at the horizon (censored).
    pub outlived: u32,
    /// VMs that were running when the trace began; others of their age had ended before (left truncation).
    pub began_before: u32,
    endings: Vec<Ending>,
    survival: Survival,
}

impl Survived {
    /// For all VMs that were requested before the horizon.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        Self::until(workload, workload.horizon())
    }

    /// For all VMs that were requested before this moment, observed until then.
    #[must_use]
    pub fn until(workload: &Workload, cut: Time) -> Self {
        let spells = spells(workload, cut);
        let endings = endings(&spells);
        Self::told(&spells, endings)
    }

    /// For some of the VMs, observed until the same moment as all of them. At ages at which fewer than `least` of
    /// them were observed, the data of all VMs is used instead.
    #[must_use]
    pub fn of_some(workload: &Workload, cut: Time, all: &Self, least: u32, keep: impl Fn(VmId) -> bool) -> Self {
        let mut spells = spells(workload, cut);
        spells.retain(|spell| keep(spell.vm));
        let endings = refined(&spells, &all.endings, least);
        Self::told(&spells, endings)
    }

    fn told(spells: &[Spell], endings: Vec<Ending>) -> Self {
        let count = |is_one: fn(bool, u32) -> bool| {
            spells.iter().filter(|spell| is_one(spell.ended, spell.entry_s)).count() as u32
        };
        Self {
            ended: count(|ended, _| ended),
            outlived: count(|ended, _| !ended),
            began_before: count(|_, entry_s| entry_s > 0),
            survival: Survival::of(&endings),
            endings,
        }
    }

    /// The share of VMs that survives this age, 0 to 1, by the Kaplan-Meier estimator. Beyond the longest lifetime
    /// observed from its start, it is that of the last ending.
    #[must_use]
    pub fn alive_after(&self, age_s: u32) -> f64 {
        self.survival.alive_after(age_s)
    }

    /// The first age at which at most this share, 0 to 1, survives; `None` if more than that is never observed to
    /// end.
    #[must_use]
    pub fn age_at(&self, alive: f64) -> Option<u32> {
        self.survival.age_at(alive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{Life, workload};

    #[test]
    fn lives_that_were_seen_in_part_count_for_as_long() {
        let lives = [
            Life::new(1, 10, Some(20)),
            Life::new(1, 10, Some(40)),
            Life::new(1, 50, None),
            Life::new(1, 60, Some(75)),
            Life::new(1, -100, Some(60)),
        ];
        let survived = Survived::of(&workload(&lives, 90));
        assert_eq!((survived.ended, survived.outlived, survived.began_before), (4, 1, 1));
        // Of four that started, one ends at 10 s; of the three then observed, one at 15 s; of two, one at 30 s.
        let shares = [9, 10, 15, 29, 30, 99].map(|age| survived.alive_after(age));
        let expected = [1.0, 0.75, 0.5, 0.5, 0.25, 0.25];
        assert!(shares.iter().zip(expected).all(|(share, expected)| (share - expected).abs() < 1e-12), "{shares:?}");
        assert_eq!(survived.alive_after(160), 0.0, "the one from before was the last that was watched");
    }

    #[test]
    fn some_are_told_apart_where_enough_of_them_are_watched() {
        let lives = [10, 20, 30, 40].map(|end| Life::new(1, 0, Some(end)));
        let workload = workload(&lives, 90);
        let all = Survived::until(&workload, workload.horizon());
        let ages = |it: &Survived| [0.8, 0.5, 0.2, 0.0].map(|alive| it.age_at(alive));
        assert_eq!(ages(&all), [Some(10), Some(20), Some(40), Some(40)]);
        let short = |least| Survived::of_some(&workload, workload.horizon(), &all, least, |vm| vm.0 < 2);
        assert_eq!(ages(&short(1)), [Some(10), Some(10), Some(20), Some(20)], "the two that end at 10 and 20");
        assert_eq!(short(1).ended, 2);
        assert_eq!(ages(&short(9)), ages(&all));
        assert_eq!(Survived::until(&workload, Time(15_000)).age_at(0.5), None, "three outlive 15 s");
    }
}
