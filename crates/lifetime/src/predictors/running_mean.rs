//! `RunningMean`: the baseline that uses only the tenant's latest lifetimes.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{VmId, Workload, declare};

use super::{AtOnce, Kind, Lesson, seconds};
use crate::curve::Curve;
use crate::history::Histories;
use crate::moments::{Moment, Moments};
use crate::predictions::Predictions;
use crate::spells;
use crate::training::{Learned, Learner};

declare! {
    /// Predicts the geometric mean of the tenant's last ten lifetimes that ended before the VM was requested, and the
    /// same again once that has passed.
    ///
    /// A tenant of whose VMs none has ended gets the geometric mean of the VM type, or of all VMs, up to that moment. It
    /// goes on learning during the whole trace, always from what is over.
    pub struct RunningMean as "Tenant's last lifetimes" {
        /// Share of the trace's time before evaluation begins.
        train_share: f64 = 50, 0 => 100, "%";
        /// Maximum lifetime; longer lifetimes count as this long.
        cap: f64 = 168, 1 => 10000, "h";
    }
}

impl Kind for RunningMean {
    fn begin(self, lesson: Lesson) -> Box<dyn Learner> {
        let (cut, workload) = (lesson.cut(self.train_share), lesson.workload);
        AtOnce::boxed(move || {
            let seen = spells::spells(&workload, cut);
            Learned {
                predictions: predictions(&workload, seconds(self.cap)),
                cut,
                trained_on: seen.len() as u32,
                trained_censored: seen.iter().filter(|spell| !spell.ended).count() as u32,
                influence: Vec::new(),
            }
        })
    }
}

fn predictions(workload: &Workload, cap_s: u32) -> Predictions {
    let (mut histories, mut moments) = (Histories::default(), Moments::of(workload));
    // The first is for VMs outside of the workload.
    let (mut curves, mut curve_of) = (Vec::from([Curve::constant(cap_s)]), Vec::new());
    while let Some(moment) = moments.next(workload) {
        match moment {
            Moment::Left(vm) => histories.left(workload, vm),
            Moment::Asked(request) => {
                for vm in workload.vms_of(request).map(VmId) {
                    let log = histories.usual(workload.tenant(request), workload.shape_of(vm));
                    let life_s = log.map_or(f64::from(cap_s), |log| libm::round(libm::pow(10.0, log)));
                    let curve = Curve::constant(life_s.min(f64::from(cap_s)) as u32);
                    if curves.last() != Some(&curve) {
                        curves.push(curve);
                    }
                    curve_of.push(curves.len() as u32 - 1);
                }
            }
        }
    }
    Predictions::of_curves(curves, curve_of)
}
