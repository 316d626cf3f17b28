//! What share of a workload's VMs lives on past an age.

use tiebreak_model::Workload;

use crate::spells::spells;
use crate::survival::{Survival, endings};

/// What was seen of the lives of a workload's VMs until its horizon.
#[derive(Clone, Debug)]
pub struct Survived {
    /// VMs whose end was seen.
    pub ended: u32,
    /// VMs that were alive at the horizon (censored).
    pub outlived: u32,
    /// VMs that were alive when the trace began, of whose age others had ended before (left truncation).
    pub began_before: u32,
    survival: Survival,
}

impl Survived {
    /// Of all VMs that were asked for before the horizon.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        let spells = spells(workload, workload.horizon());
        let count = |is_one: fn(bool, u32) -> bool| {
            spells.iter().filter(|spell| is_one(spell.ended, spell.entry_s)).count() as u32
        };
        Self {
            ended: count(|ended, _| ended),
            outlived: count(|ended, _| !ended),
            began_before: count(|_, entry_s| entry_s > 0),
            survival: Survival::of(&endings(&spells)),
        }
    }

    /// The share of VMs that lives longer than this, 0 to 1, by the estimator of Kaplan and Meier: beyond the longest life
    /// that was watched from its beginning on, that of the last ending.
    #[must_use]
    pub fn alive_after(&self, age_s: u32) -> f64 {
        self.survival.alive_after(age_s)
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
        // Of four that came one ends at 10 s, of the three then watched one at 15 s, of two one at 30 s.
        let shares = [9, 10, 15, 29, 30, 99].map(|age| survived.alive_after(age));
        let expected = [1.0, 0.75, 0.5, 0.5, 0.25, 0.25];
        assert!(shares.iter().zip(expected).all(|(share, expected)| (share - expected).abs() < 1e-12), "{shares:?}");
        assert_eq!(survived.alive_after(160), 0.0, "the one from before was the last that was watched");
    }
}
