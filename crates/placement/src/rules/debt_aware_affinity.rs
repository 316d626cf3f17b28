//! `DebtAwareAffinity`: DVLA's choice of machines by the distance of lifetime classes (DVLA, Equation 5).

use tiebreak_model::{MachineView, VmAffinity, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

/// Steps of the score: every distance of up to six classes, times whole percentages, is one of them.
const STEPS: u32 = 6_000;

declare! {
    /// Prefers machines whose lifetime class is near that of the VM (DVLA): the score falls with the distance of the
    /// two classes, and further where the VM lives longer than the machine's VMs.
    ///
    /// A long-lived VM keeps a machine in use after all short-lived ones have left. The rule therefore keeps
    /// long-lived VMs together on few machines: every machine that they hold beyond those that they need is placement
    /// debt. The class of a machine is the mean of its VMs' classes, weighted by cores, mapped to the classes that are
    /// common in its cluster. The settings of affinity groups say how classes and groups are formed. A machine without
    /// VMs has no class and comes last. The equation is a picture in our copy of the paper, so its form is inferred
    /// from the text. (DVLA, OSDI 2026, Equation 5; Algorithm 2)
    pub struct DebtAwareAffinity as "Match lifetime class (DVLA)" {}
}

impl Preference for DebtAwareAffinity {
    type Reach = OfMachine;
    type Key = VmAffinity;
    const LEVELS: Option<u32> = Some(STEPS + 1);

    fn key(&self, vm: &VmRequest) -> VmAffinity {
        vm.life.affinity
    }

    #[inline]
    fn score(&self, vm: &VmAffinity, machine: MachineView<'_>) -> f64 {
        1.0 - f64::from(affinity(vm, machine.affinity_class())) / f64::from(STEPS)
    }
}

/// The paper's score in steps, larger for nearer classes: (1 - |L_vm - L_pm| / K), times omega if L_vm > L_pm.
fn affinity(vm: &VmAffinity, machine: u8) -> u32 {
    let VmAffinity { class, classes, omega_pct } = *vm;
    if class == 0 || machine == 0 || classes == 0 {
        return 0;
    }
    let near = u32::from(classes.saturating_sub(class.abs_diff(machine)));
    let omega_pct = if class > machine { u32::from(omega_pct.min(100)) } else { 100 };
    near * omega_pct * (STEPS / 100) / u32::from(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_falls_with_the_distance_and_more_where_the_vm_lives_longer() {
        let general = |class| VmAffinity { class, classes: 6, omega_pct: 80 };
        let long = |class| VmAffinity { class, classes: 6, omega_pct: 20 };
        for (vm, machine, score) in [
            (general(3), 3, 1.0),
            (general(3), 4, 5.0 / 6.0),
            (general(3), 2, 0.8 * 5.0 / 6.0),
            (general(1), 6, 1.0 / 6.0),
            (long(5), 5, 1.0),
            (long(5), 6, 5.0 / 6.0),
            (long(5), 4, 0.2 * 5.0 / 6.0),
            (long(6), 1, 0.2 / 6.0),
            (general(3), 0, 0.0),
            (VmAffinity::NONE, 3, 0.0),
            (VmAffinity { class: 2, classes: 5, omega_pct: 33 }, 1, 0.33 * 4.0 / 5.0),
        ] {
            let steps = f64::from(affinity(&vm, machine));
            assert!((steps / f64::from(STEPS) - score).abs() < 1e-12, "{vm:?} on {machine}: {steps}");
        }
    }
}
