//! `LifetimeAlignmentBinary`: LA-Binary (LAVA sections 2.4 and 5.3, on Barbalho et al.).

use tiebreak_model::phrase::mark;
use tiebreak_model::{ExpectedExit, MachineView, Phrase, PredictedLife, VmRequest, choices, declare};

use crate::lifetime::temporal::SometimesTemporal;
use crate::lifetime::{Exit, Steps, TemporalPreference};
use crate::rule::{OfMachine, Preference};

declare! {
    /// Keeps short-lived and long-lived VMs on different machines (LA-Binary): machines of the VM's class first,
    /// then other used machines, then empty ones.
    ///
    /// There are two classes, short and long, and a VM gets its class from the prediction at its arrival. A machine
    /// is long as long as any of its VMs has long to go by its first prediction. With the packing rule below it,
    /// this is the best of the published one-shot algorithms, and the one that NILAS and LAVA are compared with.
    /// (LAVA sections 2.4 and 5.3, on Barbalho et al., MLSys 2023)
    pub struct LifetimeAlignmentBinary as "Separate short and long lifetimes" {
        /// VMs with a predicted lifetime of at least this long count as long-lived.
        threshold_hours: f64 = 2, 0 => 10000, "h";
        /// What makes a machine long: the longest time that any of its VMs has left by its first prediction
        /// (remaining_time), as the paper describes it, so that a long machine becomes short when that time runs
        /// out; or the longest lifetime that was first predicted of any of its VMs (first_lifetime), as long as that
        /// VM is there.
        machine_class: MachineClass = 0, 0 => 1, "";
    }
}

/// What makes a machine long-lived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MachineClass {
    /// The longest remaining time of any VM by its first prediction (LAVA section 2.4).
    #[default]
    RemainingTime,
    /// The longest first predicted lifetime of any VM.
    FirstLifetime,
}

choices! { MachineClass: RemainingTime = "remaining_time", FirstLifetime = "first_lifetime" }

impl LifetimeAlignmentBinary {
    fn threshold_s(&self) -> u32 {
        libm::ceil(self.threshold_hours * 3_600.0) as u32
    }

    fn is_long(&self, life_s: u32) -> bool {
        life_s >= self.threshold_s()
    }
}

impl SometimesTemporal for LifetimeAlignmentBinary {
    fn is_temporal(&self) -> bool {
        self.machine_class == MachineClass::RemainingTime
    }
}

/// By the remaining time of first predictions.
impl TemporalPreference for LifetimeAlignmentBinary {
    const LEVELS: u32 = 3;

    fn steps(&self, vm: &PredictedLife) -> Steps {
        const SAME: u32 = 0;
        const OTHER: u32 = 1;
        const EMPTY: u32 = 2;
        let is_long = self.is_long(vm.first_exit_s.saturating_sub(vm.now_s));
        let (short, long) = if is_long { (OTHER, SAME) } else { (SAME, OTHER) };
        // A machine in use has an exit after 0, even if that is long past.
        let long_from_s = vm.now_s.saturating_add(self.threshold_s()).max(1);
        Steps::level_everywhere(Exit::First, EMPTY).then(1, short).then(long_from_s, long)
    }

    fn words(&self, vm: &PredictedLife, expected: ExpectedExit) -> Phrase {
        let words = [mark("has the VM's class"), mark("has the other class"), mark("is empty")];
        Phrase::text(words[TemporalPreference::steps(self, vm).level(expected) as usize])
    }
}

/// By first predictions alone.
impl Preference for LifetimeAlignmentBinary {
    type Reach = OfMachine;
    type Key = bool;
    const LEVELS: Option<u32> = Some(<Self as TemporalPreference>::LEVELS);

    fn key(&self, vm: &VmRequest) -> bool {
        self.is_long(vm.life.first_s)
    }

    fn score(&self, long: &bool, machine: MachineView<'_>) -> f64 {
        if machine.vms() == 0 {
            1.0
        } else if self.is_long(machine.longest_life_s()) == *long {
            0.0
        } else {
            0.5
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use tiebreak_model::Declared;

    const HOUR: u32 = 3_600;

    #[test]
    fn a_machine_is_long_while_one_of_its_vms_has_long_to_go() {
        let rule = LifetimeAlignmentBinary::from_values(&[]);
        assert!(rule.is_temporal() && !LifetimeAlignmentBinary::from_values(&[2.0, 1.0]).is_temporal());
        let now_s = 100 * HOUR;
        let level = |vm_h: u32, host_exit_h: i64| {
            let vm = PredictedLife { now_s, first_exit_s: now_s + vm_h * HOUR, ..PredictedLife::NONE };
            let first_s = (i64::from(now_s) + host_exit_h * i64::from(HOUR)) as u32;
            rule.steps(&vm).level(ExpectedExit { newest_s: 0, first_s })
        };
        for (vm_h, host_exit_h, expected) in
            [(1, 1, 0), (1, 2, 1), (1, -50, 0), (2, 2, 0), (2, 1, 1), (50, 500, 0), (50, -1, 1)]
        {
            assert_eq!(level(vm_h, host_exit_h), expected, "VM {vm_h} h, machine {host_exit_h} h");
        }
        let vm = PredictedLife { now_s, first_exit_s: now_s + HOUR, ..PredictedLife::NONE };
        let words = |first_s| rule.words(&vm, ExpectedExit { newest_s: 0, first_s }).to_string();
        assert_eq!([0, 1, u32::MAX].map(words), ["is empty", "has the VM's class", "has the other class"]);
    }

    #[test]
    fn without_a_threshold_all_machines_in_use_are_long() {
        let rule = LifetimeAlignmentBinary::from_values(&[0.0]);
        let vm = PredictedLife { now_s: 0, first_exit_s: 5, ..PredictedLife::NONE };
        let level = |first_s| rule.steps(&vm).level(ExpectedExit { newest_s: 0, first_s });
        assert_eq!([0, 1, 9].map(level), [2, 0, 0]);
    }
}
