//! `TemporalCost`: NILAS (LAVA section 4.2, Algorithm 2).

use tiebreak_model::{ExpectedExit, Phrase, PredictedLife, declare, phrase};

use crate::lifetime::{Exit, Steps, TemporalPreference};
use crate::rule::quantities::span;

declare! {
    /// Prefers machines that the VM would not keep busy longer than their other VMs do (NILAS).
    ///
    /// The temporal cost is how much later the VM is expected to exit than the last VM on the machine, in steps: 0
    /// if it exits earlier, or later by less than the first bound. An empty machine is free now. Every VM is
    /// repredicted while it runs, so a machine whose VMs outlive their predictions no longer counts as free soon.
    /// Put this rule just above the packing rule, as the paper does; higher up it decides more. Bounds are sorted
    /// by size. (LAVA section 4.2; Algorithm 2)
    pub struct TemporalCost as "Least extra busy time first" {
        /// From this value on, the cost is 1.
        bound_1_min: f64 = 30, 0 => 1000000, "min";
        /// From this value on, the cost is 2.
        bound_2_min: f64 = 60, 0 => 1000000, "min";
        /// From this value on, the cost is 3.
        bound_3_min: f64 = 90, 0 => 1000000, "min";
        /// From this value on, the cost is 4.
        bound_4_min: f64 = 120, 0 => 1000000, "min";
        /// From this value on, the cost is 5.
        bound_5_min: f64 = 180, 0 => 1000000, "min";
        /// From this value on, the cost is 6.
        bound_6_min: f64 = 240, 0 => 1000000, "min";
        /// From this value on, the cost is 7.
        bound_7_min: f64 = 360, 0 => 1000000, "min";
        /// From this value on, the cost is 8.
        bound_8_min: f64 = 720, 0 => 1000000, "min";
        /// From this value on, the cost is 9.
        bound_9_min: f64 = 1440, 0 => 1000000, "min";
        /// From this value on, the cost is 10.
        bound_10_min: f64 = 10080, 0 => 1000000, "min";
    }
}

impl TemporalCost {
    /// Its bounds in seconds, ascending.
    fn bounds_s(&self) -> [u32; 10] {
        let mut bounds = [
            self.bound_1_min,
            self.bound_2_min,
            self.bound_3_min,
            self.bound_4_min,
            self.bound_5_min,
            self.bound_6_min,
            self.bound_7_min,
            self.bound_8_min,
            self.bound_9_min,
            self.bound_10_min,
        ]
        .map(|minutes| (minutes * 60.0) as u32);
        bounds.sort_unstable();
        bounds
    }
}

impl TemporalPreference for TemporalCost {
    const LEVELS: u32 = 11;

    fn steps(&self, vm: &PredictedLife) -> Steps {
        // The cost is below k if the machine's expected exit is later than the VM's exit minus the k-th bound.
        let bounds = self.bounds_s();
        let cost_of_free_now = bounds.iter().filter(|bound| **bound <= vm.remaining_s).count();
        let all = Steps::level_everywhere(Exit::Newest, cost_of_free_now as u32);
        (0..cost_of_free_now).rev().fold(all, |steps, cost| {
            steps.then((vm.exit_s().saturating_sub(bounds[cost])).saturating_add(1), cost as u32)
        })
    }

    fn words(&self, vm: &PredictedLife, expected: ExpectedExit) -> Phrase {
        let step = self.steps(vm).level(expected);
        match vm.exit_s().saturating_sub(Exit::Newest.of(expected).max(vm.now_s)) {
            0 => phrase!("would not be busy longer (step {step})", step),
            later_s => phrase!("would be busy {} longer (step {step})", span(later_s), step),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use tiebreak_model::Declared;

    /// The bucket of `max(vm_exit - host_exit, 0)` as the paper writes it.
    fn cost_as_written(vm: &PredictedLife, host_exit_s: u32) -> u32 {
        let host_exit_s = host_exit_s.max(vm.now_s);
        let later_min = f64::from(vm.exit_s().saturating_sub(host_exit_s)) / 60.0;
        let bounds = [0.0, 30.0, 60.0, 90.0, 120.0, 180.0, 240.0, 360.0, 720.0, 1_440.0, 10_080.0];
        bounds.iter().filter(|bound| **bound <= later_min).count() as u32 - 1
    }

    #[test]
    fn its_steps_are_the_buckets_of_the_paper() {
        let rule = TemporalCost::from_values(&[]);
        for remaining_s in [0, 1, 1_799, 1_800, 4_200, 5_400, 100_000, 900_000, u32::MAX] {
            let vm = PredictedLife { now_s: 50_000, remaining_s, ..PredictedLife::NONE };
            let steps = rule.steps(&vm);
            for exit_s in (0..1_000_000).step_by(599).chain([0, 49_999, 50_000, 50_001, 54_200, 54_201, u32::MAX]) {
                let life = ExpectedExit { newest_s: exit_s, first_s: 0 };
                let expected = cost_as_written(&vm, exit_s);
                assert_eq!(steps.level(life), expected, "VM lives {remaining_s} s, machine free at {exit_s} s");
            }
        }
    }

    #[test]
    fn the_example_of_the_paper_costs_2() {
        let vm = PredictedLife { now_s: 0, remaining_s: 4_200, ..PredictedLife::NONE };
        let empty = TemporalCost::from_values(&[]).steps(&vm).level(ExpectedExit::default());
        assert_eq!(empty, 2, "70 minutes later than a machine that is free now");
        let words =
            |newest_s| TemporalCost::from_values(&[]).words(&vm, ExpectedExit { newest_s, first_s: 0 }).to_string();
        assert_eq!(words(0), "would be busy 70 min longer (step 2)");
        assert_eq!(words(4_200), "would not be busy longer (step 0)");
    }

    #[test]
    fn bounds_in_any_order_are_taken_by_size() {
        let vm = PredictedLife { now_s: 0, remaining_s: 4_200, ..PredictedLife::NONE };
        let turned = TemporalCost::from_values(&[90.0, 60.0, 30.0]);
        assert_eq!(turned.steps(&vm), TemporalCost::from_values(&[]).steps(&vm));
    }
}
