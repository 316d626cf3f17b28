//! Evaluates a model in slices: compares its predictions with the true lifetimes.

use alloc::vec::Vec;

use tiebreak_model::phrase::mark;
use tiebreak_model::{Time, VmId, Workload};

use crate::concordance::{self, Pair};
use crate::order;
use crate::predictions::Predictions;
use crate::quality::{Counts, Detection, Errors, LongLives, Quality, QualityTerms, Tenth};
use crate::spells::seconds_between;
use crate::training::{Learned, Trained};
use crate::traits;

/// The number of points in each lifetime at which it is repredicted.
const SHARES: u32 = 20;

/// VMs evaluated in one step.
const VMS_A_STEP: usize = 512;

/// The known facts about a lifetime.
#[derive(Clone, Copy, Debug)]
struct Truth {
    vm: VmId,
    lived_s: u32,
    ended: bool,
}

/// The evaluation of a model, in slices.
pub(crate) struct Judging {
    predictions: Predictions,
    threshold_h: f64,
    threshold_s: u32,
    vms: Vec<Truth>,
    next: usize,
    pairs: Vec<Pair>,
    first_errors: Errors,
    reprediction_errors: Errors,
    first: Confusion,
    by_share: [Confusion; SHARES as usize],
    quality: Quality,
}

impl Judging {
    pub(crate) fn new(learned: Learned, workload: &Workload, terms: QualityTerms) -> Self {
        let vms = later(workload, learned.cut);
        let quality = Quality {
            counts: Counts {
                trained_on: learned.trained_on,
                trained_censored: learned.trained_censored,
                tested_on: vms.len() as u32,
                tested_censored: vms.iter().filter(|vm| !vm.ended).count() as u32,
            },
            c_index: None,
            long_lives: None,
            first_errors: None,
            reprediction_errors: None,
            calibration: Vec::new(),
            influence: learned.influence,
            unanswered: Vec::new(),
        };
        Self {
            predictions: learned.predictions,
            threshold_h: terms.threshold,
            threshold_s: libm::ceil(terms.threshold * 3_600.0) as u32,
            vms,
            next: 0,
            pairs: Vec::new(),
            first_errors: Errors::default(),
            reprediction_errors: Errors::default(),
            first: Confusion::default(),
            by_share: [Confusion::default(); SHARES as usize],
            quality,
        }
    }

    pub(crate) fn step(&mut self) -> Option<u32> {
        let until = self.vms.len().min(self.next + VMS_A_STEP);
        for place in self.next..until {
            self.look_at(self.vms[place]);
        }
        let looked = until - core::mem::replace(&mut self.next, until);
        (looked > 0).then_some(looked as u32 * 2)
    }

    pub(crate) fn share_done(&self) -> f32 {
        self.next as f32 / self.vms.len().max(1) as f32
    }

    fn look_at(&mut self, Truth { vm, lived_s, ended }: Truth) {
        let predicted_s = self.predictions.remaining_s(vm, 0);
        self.pairs.push(Pair { predicted_s, lived_s, ended });
        let is_long = lived_s >= self.threshold_s;
        if is_long || ended {
            self.first.add(is_long, predicted_s >= self.threshold_s);
        }
        if !ended {
            return;
        }
        self.first_errors.add(predicted_s, lived_s);
        for (share, confusion) in (0..SHARES).zip(&mut self.by_share) {
            let uptime_s = (u64::from(lived_s) * u64::from(share) / u64::from(SHARES)) as u32;
            let remaining_s = self.predictions.remaining_s(vm, uptime_s);
            self.reprediction_errors.add(remaining_s, lived_s - uptime_s);
            confusion.add(is_long, uptime_s.saturating_add(remaining_s) >= self.threshold_s);
        }
    }

    pub(crate) fn finish(mut self) -> Trained {
        self.answer();
        Trained { predictions: self.predictions, quality: self.quality }
    }

    fn answer(&mut self) {
        let mut unanswered = Vec::new();
        self.quality.calibration = self.calibration();
        if self.vms.is_empty() {
            unanswered.push(mark("No VM arrives after the part of the trace used for training; train on less of it."));
        } else {
            self.quality.c_index = concordance::index(&self.pairs);
            if self.quality.c_index.is_none() {
                unanswered.push(mark(
                    "No evaluated VM is known to have outlived another one, so there is no order to \
                         predict.",
                ));
            }
            if self.first.long() == 0 {
                unanswered.push(mark("No evaluated VM is known to live as long as the threshold; choose a lower one."));
            } else {
                self.quality.long_lives = Some(self.long_lives());
            }
            if self.first_errors.counts.is_empty() {
                unanswered.push(mark(
                    "The trace does not contain the end of any evaluated VM, so errors cannot be measured.",
                ));
            } else {
                self.quality.first_errors = Some(core::mem::take(&mut self.first_errors));
                self.quality.reprediction_errors = Some(core::mem::take(&mut self.reprediction_errors));
            }
        }
        self.quality.unanswered = unanswered;
    }

    /// Tenths, by prediction, of the VMs whose end is known.
    fn calibration(&self) -> Vec<Tenth> {
        let ended: Vec<&Pair> = self.pairs.iter().filter(|pair| pair.ended).collect();
        if ended.len() < 10 {
            return Vec::new();
        }
        let rising = order::rising(ended.iter().map(|pair| pair.predicted_s.into()));
        let middle = |values: Vec<u64>| order::sorted(values.clone())[values.len() / 2] as u32;
        let tenth = |at: usize| {
            let places = &rising[ended.len() * at / 10..ended.len() * (at + 1) / 10];
            let of =
                |value: fn(&Pair) -> u32| middle(places.iter().map(|it| value(ended[*it as usize]).into()).collect());
            Tenth { predicted_s: of(|pair| pair.predicted_s), lived_s: of(|pair| pair.lived_s) }
        };
        (0..10).map(tenth).collect()
    }

    fn long_lives(&self) -> LongLives {
        let (best_cut_s, best) = self.best_cut();
        LongLives {
            threshold_h: self.threshold_h,
            long: self.first.long(),
            short: self.first.short(),
            at_threshold: self.first.detection(),
            at_best_cut: best.detection(),
            best_cut_h: f64::from(best_cut_s) / 3_600.0,
            f1_by_share: self.by_share.iter().map(|confusion| confusion.detection().f1).collect(),
        }
    }

    /// The predicted lifetime that best separates long lifetimes from short ones; of equally good ones the longest.
    fn best_cut(&self) -> (u32, Confusion) {
        let is_long = |pair: &Pair| pair.lived_s >= self.threshold_s;
        let known: Vec<&Pair> = self.pairs.iter().filter(|pair| is_long(pair) || pair.ended).collect();
        let places = order::rising(known.iter().map(|pair| u128::from(!pair.predicted_s)));
        let known: Vec<&Pair> = places.iter().map(|place| known[*place as usize]).collect();
        let mut called =
            Confusion { missed: self.first.long(), rightly_short: self.first.short(), ..Confusion::default() };
        let mut best = (u32::MAX, called);
        for same in known.chunk_by(|one, next| one.predicted_s == next.predicted_s) {
            same.iter().for_each(|pair| called.call_long(is_long(pair)));
            if called.detection().f1 > best.1.detection().f1 {
                best = (same[0].predicted_s, called);
            }
        }
        best
    }
}

/// The test set: VMs that arrive at the cut or later.
fn later(workload: &Workload, cut: Time) -> Vec<Truth> {
    let coming = traits::of(workload).filter(|traits| traits.start > Time::ZERO && traits.start >= cut);
    let known = coming.filter_map(|traits| {
        let ended = workload.end(traits.vm) != Time::NEVER;
        let until = if ended { workload.end(traits.vm) } else { workload.horizon() };
        let lived_s = seconds_between(traits.start, until);
        (ended || lived_s > 0).then_some(Truth { vm: traits.vm, lived_s: lived_s.max(1), ended })
    });
    known.collect()
}

/// Counts of predicted and actual classes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Confusion {
    rightly_long: u32,
    wrongly_long: u32,
    missed: u32,
    rightly_short: u32,
}

impl Confusion {
    fn add(&mut self, is_long: bool, is_called_long: bool) {
        match (is_long, is_called_long) {
            (true, true) => self.rightly_long += 1,
            (false, true) => self.wrongly_long += 1,
            (true, false) => self.missed += 1,
            (false, false) => self.rightly_short += 1,
        }
    }

    /// Changes one VM from predicted short to predicted long.
    fn call_long(&mut self, is_long: bool) {
        if is_long {
            self.missed -= 1;
        } else {
            self.rightly_short -= 1;
        }
        self.add(is_long, true);
    }

    fn long(&self) -> u32 {
        self.rightly_long + self.missed
    }

    fn short(&self) -> u32 {
        self.wrongly_long + self.rightly_short
    }

    fn detection(&self) -> Detection {
        let share = |part: u32, of: u32| (of > 0).then(|| f64::from(part) / f64::from(of));
        Detection {
            precision: share(self.rightly_long, self.rightly_long + self.wrongly_long),
            recall: share(self.rightly_long, self.long()),
            f1: share(2 * self.rightly_long, 2 * self.rightly_long + self.wrongly_long + self.missed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Curve;
    use crate::trial::{Life, workload};

    const HOUR: i64 = 3_600;

    /// Evaluates predictions in hours, which restart when they are outlived, for lifetimes in hours.
    fn judged(vms: &[(u32, Option<i64>)], terms: QualityTerms) -> Quality {
        let lives: Vec<Life> =
            vms.iter().map(|(_, life_h)| Life::new(1, 10, life_h.map(|life_h| 10 + life_h * HOUR))).collect();
        let curves = vms.iter().map(|(predicted_h, _)| Curve::constant(predicted_h * 3_600)).collect();
        let curve_of = (0..vms.len() as u32).collect();
        let learned = Learned {
            predictions: Predictions::of_curves(curves, curve_of),
            cut: Time::ZERO,
            trained_on: 5,
            trained_censored: 2,
            influence: Vec::new(),
        };
        let mut judging = Judging::new(learned, &workload(&lives, 10 + 30 * HOUR), terms);
        while judging.step().is_some() {}
        judging.finish().quality
    }

    #[test]
    fn long_lives_errors_and_counts_agree_with_pen_and_paper() {
        // Long means 20 h. Predicted and true hours; the last two do not end within 30 h.
        let vms = [(24, Some(40)), (24, Some(2)), (8, Some(50)), (1, Some(1)), (80, None), (2, None)];
        let quality = judged(&vms, QualityTerms { threshold: 20.0 });
        assert_eq!(quality.counts, Counts { trained_on: 5, trained_censored: 2, tested_on: 6, tested_censored: 2 });
        let long = quality.long_lives.expect("long lives");
        // Long: 40, 50 and the two that never end. Predicted long: three, two of them correctly.
        assert_eq!((long.long, long.short), (4, 2));
        let thirds = Detection { precision: Some(2.0 / 3.0), recall: Some(0.5), f1: Some(4.0 / 7.0) };
        assert_eq!(long.at_threshold, thirds);
        // From 2 h on: 4 of 5 predicted long are long, and none is missed.
        assert_eq!(long.best_cut_h, 2.0);
        assert_eq!(long.at_best_cut, Detection { precision: Some(0.8), recall: Some(1.0), f1: Some(8.0 / 9.0) });
        // Of those with an end: at first one of two long ones and one short one are predicted long. The one of 50 h
        // has run for 12.5 h after a quarter, and is predicted to end at 16 h; after 40 % at 24 h.
        assert_eq!(long.f1_by_share[0], Some(0.5));
        assert_eq!(long.f1_by_share[5], Some(0.5));
        assert_eq!(long.f1_by_share[8], Some(0.8));
        // |log10|: 24/40 is 0.22, 24/2 is 1.08, 8/50 is 0.80, 1/1 is 0.
        let errors = quality.first_errors.expect("errors");
        let filled: Vec<usize> = (0..Errors::BINS).filter(|bin| errors.counts[*bin] > 0).collect();
        assert_eq!(filled, [0, 2, 7, 10]);
        assert_eq!(errors.share_within(10), 0.75);
        assert_eq!(quality.reprediction_errors.expect("errors").counts.iter().sum::<u32>(), 4 * SHARES);
        assert_eq!(quality.unanswered, [""; 0]);
    }

    #[test]
    fn tenths_hold_the_middles_of_what_was_said_and_what_became_of_it() {
        // Twenty VMs, two for each prediction, of which one lives twice as long as the other; and one that never
        // ends.
        let vms = (1..=10).flat_map(|hours| [(hours, Some(i64::from(hours))), (hours, Some(2 * i64::from(hours)))]);
        let quality = judged(&vms.chain([(5, None)]).collect::<Vec<_>>(), QualityTerms::default());
        let tenths: Vec<_> =
            quality.calibration.iter().map(|it| (it.predicted_s / 3_600, it.lived_s / 3_600)).collect();
        assert_eq!(tenths, (1..=10).map(|hours| (hours, 2 * hours)).collect::<Vec<_>>());
        assert!(judged(&[(5, Some(3)); 9], QualityTerms::default()).calibration.is_empty());
    }

    #[test]
    fn what_cannot_be_answered_is_said() {
        let terms = QualityTerms::default();
        let sentences = |vms: &[(u32, Option<i64>)]| judged(vms, terms).unanswered.len();
        assert_eq!(sentences(&[(5, Some(3)), (5, Some(30))]), 0);
        // A single VM forms no pair; none is long.
        assert_eq!(sentences(&[(5, Some(3))]), 2);
        // None ends, so they cannot be ordered; both are known to live long.
        let endless = judged(&[(5, None), (6, None)], terms);
        assert_eq!((endless.unanswered.len(), endless.c_index), (2, None));
        assert_eq!(endless.long_lives.map(|long| long.long), Some(2));
    }
}
