//! The curves of a workload's VMs as one list of steps.
//!
//! VMs are predicted in no order, so a prediction is as slow as the memory that it reads: a VM's place in the list, and
//! one or two neighbouring steps. A VM that is predicted again and again keeps its place, and is found without a
//! search.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::VmId;

use crate::curve::{Curve, CurveStep, Prediction};

/// Stands behind the last step of each curve.
const END: CurveStep = CurveStep { from_s: u32::MAX, remaining_s: 0 };

/// A VM's place in the list: a step of its curve that began at or before the uptimes that it will be asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurvePlace(u32);

/// The curves, and where the curve of each VM begins.
#[derive(Debug, PartialEq)]
pub(crate) struct Curves {
    steps: Vec<CurveStep>,
    /// The number of curves; at least one. The first is for VMs outside of the workload.
    count: u32,
    begins: Vec<CurvePlace>,
}

impl Curves {
    /// These curves, of which each VM has one. The first is for VMs outside of the workload.
    pub(crate) fn new(curves: Vec<Curve>, curve_of: Vec<u32>) -> Self {
        let (mut steps, mut begins, count) = (Vec::new(), Vec::new(), curves.len() as u32);
        for curve in curves {
            begins.push(CurvePlace(steps.len() as u32));
            steps.extend_from_slice(curve.steps());
            steps.push(END);
        }
        steps.shrink_to_fit();
        Self { steps, count, begins: curve_of.into_iter().map(|curve| begins[curve as usize]).collect() }
    }

    /// Where the curve of a VM begins.
    #[inline]
    pub(crate) fn begin(&self, vm: VmId) -> CurvePlace {
        self.begins.get(vm.index()).copied().unwrap_or_default()
    }

    /// The prediction at an uptime for a VM that stands at this place, which becomes the step of that uptime.
    #[inline]
    pub(crate) fn follow(&self, place: &mut CurvePlace, uptime_s: u32) -> Prediction {
        let mut at = place.0 as usize;
        let next_from_s = loop {
            match self.steps[at + 1] {
                END => break None,
                next if next.from_s > uptime_s => break Some(next.from_s),
                _ => at += 1,
            }
        };
        *place = CurvePlace(at as u32);
        self.steps[at].predict(next_from_s, uptime_s)
    }

    /// The steps of the curve that begins at a place.
    fn steps_from(&self, CurvePlace(begin): CurvePlace) -> impl Iterator<Item = &CurveStep> {
        self.steps[begin as usize..].iter().take_while(|step| **step != END)
    }

    /// The curve of VMs outside of the workload.
    pub(crate) fn average(&self) -> Curve {
        Curve::of(self.steps_from(CurvePlace::default()).map(|step| (step.from_s, step.remaining_s)))
    }

    /// Those of some VMs, renumbered in this order. Curves that none of them use are dropped, except the one for VMs
    /// outside of the workload.
    pub(crate) fn of_part(&self, vms: &[VmId]) -> Self {
        let mut part = Self { steps: Vec::new(), count: 0, begins: Vec::with_capacity(vms.len()) };
        let mut moved = BTreeMap::new();
        let mut move_curve = |part: &mut Self, begin: CurvePlace| {
            *moved.entry(begin.0).or_insert_with(|| {
                let moved = CurvePlace(part.steps.len() as u32);
                part.steps.extend(self.steps_from(begin).chain([&END]));
                part.count += 1;
                moved
            })
        };
        move_curve(&mut part, CurvePlace::default());
        for vm in vms {
            let begin = move_curve(&mut part, self.begin(*vm));
            part.begins.push(begin);
        }
        part
    }

    /// The number of curves.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&*self.steps) + size_of_val(&*self.begins)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vm_that_keeps_its_place_is_predicted_as_one_that_is_searched() {
        let lists = [&[(0, 100)][..], &[(0, 7), (10, 3), (20, 40), (50, 11)], &[(0, 9), (u32::MAX, 5)]];
        let curves: Vec<_> = lists.iter().map(|pairs| Curve::of(pairs.iter().copied())).collect();
        let of_vms = [2, 0, 1, 1];
        let packed = Curves::new(curves.clone(), of_vms.into());
        let part = packed.of_part(&[VmId(3), VmId(1)]);
        assert_eq!((packed.count(), part.count()), (3, 2), "the first curve is kept, and the second used");
        assert_eq!(packed.average(), curves[0]);
        for (vm, curve) in of_vms.into_iter().chain([0]).enumerate() {
            let mut place = packed.begin(VmId(vm as u32));
            for uptime_s in (0..200).step_by(3).chain([u32::MAX - 1, u32::MAX]) {
                let expected = curves[curve as usize].predict(uptime_s);
                let fresh = packed.follow(&mut packed.begin(VmId(vm as u32)), uptime_s);
                assert_eq!((packed.follow(&mut place, uptime_s), fresh), (expected, expected), "VM {vm}, {uptime_s} s");
            }
        }
        for uptime_s in 0..200 {
            let of_part = |vm| part.follow(&mut part.begin(VmId(vm)), uptime_s);
            assert_eq!([0, 1, 2].map(of_part), [1, 0, 0].map(|curve: usize| curves[curve].predict(uptime_s)));
        }
    }
}
