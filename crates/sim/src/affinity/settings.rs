//! The settings of affinity groups: classes of lifetimes, how machines get theirs, and when a cluster's group changes.

use tiebreak_model::{Millis, VmAffinity, choices, declare};

/// The largest number of lifetime classes.
pub(crate) const CLASSES_MAX: usize = 6;

const DAY_S: f64 = 86_400.0;

declare! {
    /// How VMs and machines get the lifetime classes that `DebtAwareAffinity` compares, and when a cluster changes its
    /// affinity group, the classes that its machines may have.
    ///
    /// These settings affect only lists with that rule, except for long_days, which also says which VMs the placement
    /// debt counts. Classes go by the predicted remaining lifetime, and bounds are sorted by size. Once per day every
    /// cluster notes how its used cores are shared between the classes. A detector compares this vector with its
    /// moving average. After an alarm it only observes, and if the drift lasts, the group becomes the classes that now
    /// hold most cores. (DVLA, OSDI 2026)
    pub struct AffinitySettings as "Affinity groups" {
        /// Lower bound of the second class; 0 is no bound, and then there is one class less.
        class_2_hours: f64 = 1, 0 => 1000000, "h";
        /// Lower bound of the third class; 0 is no bound.
        class_3_hours: f64 = 24, 0 => 1000000, "h";
        /// Lower bound of the fourth class; 0 is no bound.
        class_4_hours: f64 = 168, 0 => 1000000, "h";
        /// Lower bound of the fifth class; 0 is no bound.
        class_5_hours: f64 = 720, 0 => 1000000, "h";
        /// Lower bound of the sixth class; 0 is no bound.
        class_6_hours: f64 = 8760, 0 => 1000000, "h";
        /// A VM is long-lived if it is predicted to stay at least this long from now; a month in the paper. A shorter
        /// time lets shorter traces show the same.
        long_days: f64 = 30, 0 => 100000, "days";
        /// What the score of a machine is multiplied by if the VM's class is longer than the machine's. To a
        /// hundredth. (DVLA, Equation 5)
        omega: f64 = 0.8, 0 => 1, "";
        /// The same for a long-lived VM.
        omega_long: f64 = 0.2, 0 => 1, "";
        /// The class of a machine: the mean of its VMs' classes, weighted by their cores (weighted); the longest of
        /// them (max); or the longest in a cluster that had no VMs at the start of the trace until it first changes
        /// its group, and the weighted mean elsewhere and from then on (hybrid). All three are then mapped to the
        /// nearest class of the cluster's group; of two, to the longer. (DVLA, Algorithm 2)
        machine_class: MachineClass = 0, 0 => 2, "";
        /// Change a cluster's group when the detector finds that its lifetimes have drifted. If off, the group holds
        /// all classes, as it does until the first change. The paper does not say with which group a cluster begins.
        dynamic_groups: bool = true, 0 => 1, "";
        /// Predict the remaining lifetimes of running VMs again once per day, and form the classes of all machines
        /// from them. If off, a VM keeps the class that it had on arrival at its machine.
        daily_update: bool = true, 0 => 1, "";
        /// Form the class of a machine at once when its first VM arrives, when its last VM leaves, and when its last
        /// long-lived VM migrates away. If off, machines change class only once per day.
        event_updates: bool = true, 0 => 1, "";
        /// The length of a day for these updates and for the detector. A shorter one lets shorter traces show the same.
        day_hours: f64 = 24, 0.1 => 10000, "h";
        /// The weight of the newest day in the detector's moving average of vectors. Not in the text of the paper.
        alpha: f64 = 0.2, 0 => 1, "";
        /// The weight of the newest day in the moving averages of the vector's distance from that average, and of the
        /// deviation of this distance. Not in the text of the paper.
        beta: f64 = 0.2, 0 => 1, "";
        /// How many days the detector learns before it can raise an alarm. Not in the text of the paper.
        warm_up_days: u32 = 7, 1 => 1000, "days";
        /// A day with a drift score above this raises an alarm: a larger value is less sensitive.
        theta_alarm: f64 = 2, 0 => 1000, "";
        /// How many days a cluster is observed after an alarm, without learning.
        observation_days: u32 = 20, 1 => 1000, "days";
        /// The group changes if the mean drift score of the observed days is at least this.
        theta_confirm: f64 = 3, 0 => 1000, "";
        /// How many days after a change without alarms. Not in the text of the paper; it says that clusters spent 43.3 %
        /// of the time in observation and 33.3 % in cool-down, which 14 days come near to.
        cool_down_days: u32 = 14, 0 => 1000, "days";
        /// A new group takes the classes with most cores until it covers this share of the cores.
        coverage_pct: f64 = 95, 0 => 100, "%";
        /// The fewest classes of a group. Not in the text of the paper.
        classes_min: u32 = 2, 1 => 6, "classes";
    }
}

/// What gives a machine its class (DVLA, Algorithm 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MachineClass {
    /// The longest class in a cluster that began without VMs, until its group changes; otherwise the weighted mean.
    #[default]
    Hybrid,
    /// The mean of its VMs' classes, weighted by cores.
    Weighted,
    /// The longest class of any of its VMs.
    Max,
}

choices! { MachineClass: Hybrid = "hybrid", Weighted = "weighted", Max = "max" }

impl AffinitySettings {
    /// The lower bounds of all classes but the first, in seconds, ascending, and how many there are.
    fn bounds_s(&self) -> ([u32; CLASSES_MAX - 1], usize) {
        let hours =
            [self.class_2_hours, self.class_3_hours, self.class_4_hours, self.class_5_hours, self.class_6_hours];
        let mut bounds = hours.map(|hours| if hours > 0.0 { (hours * 3_600.0) as u32 } else { u32::MAX });
        bounds.sort_unstable();
        (bounds, hours.iter().filter(|hours| **hours > 0.0).count())
    }

    /// The number of classes.
    #[must_use]
    pub fn classes(&self) -> u8 {
        1 + self.bounds_s().1 as u8
    }

    /// The class of a lifetime, from 1.
    #[must_use]
    pub fn class_of(&self, life_s: u32) -> u8 {
        let (bounds, count) = self.bounds_s();
        1 + bounds[..count].iter().filter(|bound| **bound <= life_s).count() as u8
    }

    /// Whether a VM with this remaining lifetime is long-lived.
    #[must_use]
    pub fn is_long(&self, life_s: u32) -> bool {
        f64::from(life_s) >= self.long_days * DAY_S
    }

    /// What the affinity score reads of a VM with this predicted remaining lifetime.
    pub(crate) fn of_vm(&self, life_s: u32) -> VmAffinity {
        let omega = if self.is_long(life_s) { self.omega_long } else { self.omega };
        let omega_pct = libm::round(100.0 * omega) as u8;
        VmAffinity { class: self.class_of(life_s), classes: self.classes(), omega_pct }
    }

    /// The length of a day.
    pub(crate) fn day(&self) -> Millis {
        Millis((self.day_hours * Millis::HOUR.0 as f64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::Declared;

    const HOUR: u32 = 3_600;
    const DAY: u32 = 24 * HOUR;

    #[test]
    fn classes_go_by_their_bounds_and_omega_by_how_long_is_long() {
        let usual = AffinitySettings::from_values(&[]);
        let lives = [0, HOUR - 1, HOUR, DAY, 7 * DAY, 30 * DAY, 364 * DAY, 365 * DAY, u32::MAX];
        assert_eq!(lives.map(|life_s| usual.class_of(life_s)), [1, 1, 2, 3, 4, 5, 5, 6, 6]);
        assert_eq!((usual.classes(), usual.of_vm(0).omega_pct, usual.of_vm(30 * DAY).omega_pct), (6, 80, 20));
        let fewer = AffinitySettings { class_2_hours: 24.0, class_3_hours: 0.0, class_6_hours: 0.0, ..usual };
        assert_eq!(lives.map(|life_s| fewer.class_of(life_s)), [1, 1, 1, 2, 3, 4, 4, 4, 4]);
        assert_eq!((fewer.classes(), fewer.of_vm(DAY)), (4, VmAffinity { class: 2, classes: 4, omega_pct: 80 }));
    }
}
