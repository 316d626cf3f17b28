//! `LifetimeAlignment`: LA with classes that are powers of two (LAVA section 2.4, on Barbalho et al.).

use tiebreak_model::phrase::mark;
use tiebreak_model::{ExpectedExit, Phrase, PredictedLife, declare};

use crate::lifetime::{Exit, Steps, TemporalPreference};

declare! {
    /// Prefers machines of the VM's own lifetime class (LA), then other used machines, then empty ones.
    ///
    /// Classes are below 2 units, 2 to 4, 4 to 8 and so on. A VM gets its class from the prediction at its arrival
    /// and keeps it. A machine has the class of the longest time that any of its VMs has left by those first
    /// predictions. Once that time has passed, the machine counts as nearly free, however long its VMs still run.
    /// This is why one wrong prediction can cost a machine, and what repredictions correct: compare with
    /// TemporalCost. (LAVA section 2.4, on Barbalho et al., MLSys 2023)
    pub struct LifetimeAlignment as "End with the machine (NILAS)" {
        /// The unit of the classes; a larger unit means fewer classes.
        unit_min: f64 = 1, 0.1 => 100000, "min";
    }
}

impl TemporalPreference for LifetimeAlignment {
    const LEVELS: u32 = 3;

    fn steps(&self, vm: &PredictedLife) -> Steps {
        const SAME: u32 = 0;
        const OTHER: u32 = 1;
        const EMPTY: u32 = 2;
        let unit_s = self.unit_s();
        let left_s = vm.first_exit_s.saturating_sub(vm.now_s);
        let class = (left_s / unit_s).max(1).ilog2();
        let until = |power: u32| vm.now_s.saturating_add(unit_s.saturating_mul(1_u32.checked_shl(power).unwrap_or(0)));
        let steps = Steps::level_everywhere(Exit::First, EMPTY);
        let steps = if class == 0 { steps.then(1, SAME) } else { steps.then(1, OTHER).then(until(class), SAME) };
        steps.then(until(class + 1), OTHER)
    }

    fn unit_s(&self) -> u32 {
        ((self.unit_min * 60.0) as u32).max(1)
    }

    fn words(&self, vm: &PredictedLife, expected: ExpectedExit) -> Phrase {
        let words = [mark("has the VM's class"), mark("has another class"), mark("is empty")];
        Phrase::text(words[self.steps(vm).level(expected) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use tiebreak_model::Declared;

    #[test]
    fn machines_of_the_same_power_of_two_come_first() {
        let level = |vm_min: u32, host_min: i64| {
            let now_s = 100_000;
            let vm = PredictedLife { now_s, first_exit_s: now_s + vm_min * 60, ..PredictedLife::NONE };
            let first_exit_s = (i64::from(now_s) + host_min * 60) as u32;
            LifetimeAlignment::from_values(&[]).steps(&vm).level(ExpectedExit { newest_s: 0, first_s: first_exit_s })
        };
        for (vm_min, host_min, expected) in [
            (5, 4, 0),
            (5, 7, 0),
            (5, 8, 1),
            (5, 3, 1),
            (0, 1, 0),
            (1, 1, 0),
            (1, 2, 1),
            (2, 1, 1),
            (1, -30, 0),
            (100, -30, 1),
            (4_000, 4_095, 0),
        ] {
            assert_eq!(level(vm_min, host_min), expected, "VM {vm_min} min, machine {host_min} min");
        }
        let vm = PredictedLife { now_s: 10, first_exit_s: 20, ..PredictedLife::NONE };
        assert_eq!(
            LifetimeAlignment::from_values(&[]).steps(&vm).level(ExpectedExit::default()),
            2,
            "an empty machine"
        );
        let words = LifetimeAlignment::from_values(&[]).words(&vm, ExpectedExit::default());
        assert_eq!(words.to_string(), "is empty");
    }

    #[test]
    fn the_longest_lives_have_a_class_too() {
        let vm = PredictedLife { now_s: 10, first_exit_s: u32::MAX, ..PredictedLife::NONE };
        let steps = LifetimeAlignment::from_values(&[0.1]).steps(&vm);
        assert!(steps.level(ExpectedExit { newest_s: 0, first_s: 50 }) == 1);
    }
}
