//! `SurvivalForest`: a random survival forest on what is known of a VM when it is requested.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::random::Seed;
use tiebreak_model::{Millis, RequestId, Time, VmId, Workload, declare};

use super::{Kind, Lesson, seconds};
use crate::circumstances::{Circumstances, FEATURES, Known, TITLES, scaled};
use crate::curve::Curve;
use crate::forest::{Example, Forest, ForestTerms, Growing};
use crate::hazards::{self, Hazards, Seen, Told};
use crate::order;
use crate::predictions::Predictions;
use crate::quality::Influence;
use crate::spells::{self, Spell};
use crate::training::{Learned, Learner};

declare! {
    /// Predicts with a random survival forest: many trees, each of which groups VMs by what was known when they were
    /// requested. A VM is predicted from those that were grouped with it.
    ///
    /// Known are the request, the hour, and what the tenant's VMs, those of the same type and all VMs have done so far:
    /// their latest lifetimes, how many run and for how long, how many came lately. VMs that are still running count
    /// with the time that they have been running. Like a cloud, it learns anew from time to time, from all that has
    /// happened by then. It knows the whole distribution, so a VM that outlives its prediction gets a new one.
    pub struct SurvivalForest as "Survival forest" {
        /// Share of the trace's time used for the first training.
        train_share: f64 = 50, 0 => 100, "%";
        /// Longer remaining lifetimes count as this long.
        cap: f64 = 168, 1 => 10000, "h";
        /// How many trees; more trees vary less and take longer.
        trees: u32 = 50, 1 => 1000, "trees";
        /// How many examples a leaf must have; a larger value is more cautious.
        leaf_examples: u32 = 20, 1 => 100000, "examples";
        /// Maximum number of VMs to learn from; a random sample is taken of more.
        vms: u32 = 50000, 100 => 10000000, "VMs";
        /// How often it learns anew from all VMs so far; 0 means never.
        again_hours: f64 = 24, 0 => 10000, "h";
        /// Which remaining lifetime is predicted: the one that this share of VMs does not exceed, or the mean with 0.
        quantile: f64 = 50, 0 => 99, "%";
    }
}

/// In every leaf, all VMs together count as this many.
const PRIOR: f64 = 1.0;

/// Events, and curves, in one step.
const EVENTS_A_STEP: u32 = 64;

impl Kind for SurvivalForest {
    fn begin(self, lesson: Lesson) -> Box<dyn Learner> {
        let cut = lesson.cut(self.train_share);
        let Lesson { workload, seed, .. } = lesson;
        Box::new(Learning {
            terms: self,
            seed,
            cut,
            first_cut: cut,
            stage: ForestStage::Watching(Box::new(Circumstances::of(&workload))),
            workload,
            known: Vec::new(),
            grid: hazards::grid(),
            all: [0.0; hazards::STEPS],
            curves: Vec::new(),
            curve_of: Vec::new(),
            next: 0,
            round: 0,
            trained: None,
            gains: [0.0; FEATURES],
        })
    }
}

struct Learning {
    terms: SurvivalForest,
    workload: Arc<Workload>,
    seed: Seed,
    stage: ForestStage,
    /// What the current forest may learn from, and the first one.
    cut: Time,
    first_cut: Time,
    known: Vec<Known>,
    grid: Vec<u32>,
    /// The hazards of all VMs up to the cut.
    all: Hazards,
    /// The first curve is that of VMs outside of the workload.
    curves: Vec<Curve>,
    curve_of: Vec<u32>,
    /// The next request to predict.
    next: u32,
    /// How many forests there were before this one.
    round: u64,
    /// VMs of the first training, and those of them that were still running.
    trained: Option<(u32, u32)>,
    gains: [f64; FEATURES],
}

enum ForestStage {
    Watching(Box<Circumstances>),
    Growing(Box<Growing>),
    /// Predicting the VMs that are requested before the next forest.
    Applying(Box<Forest>),
    Done,
}

/// The part of the progress for watching; the rest is for forests and predictions.
const WATCHING: f32 = 0.1;

/// The part of a round's progress for growing; the rest is for predictions.
const GROWING: f32 = 0.8;

impl Learner for Learning {
    fn step(&mut self) -> Option<u32> {
        match &mut self.stage {
            ForestStage::Watching(circumstances) => {
                for _ in 0..EVENTS_A_STEP {
                    if !circumstances.step(&self.workload) {
                        return Some(self.pass_on());
                    }
                }
                Some(2 * EVENTS_A_STEP)
            }
            ForestStage::Growing(growing) => match growing.step() {
                Some(spent) => Some(spent),
                None => Some(self.pass_on()),
            },
            ForestStage::Applying(_) => {
                for _ in 0..EVENTS_A_STEP {
                    if !self.apply() {
                        return Some(self.pass_on());
                    }
                }
                Some(EVENTS_A_STEP * (self.terms.trees / 10 + 5))
            }
            ForestStage::Done => None,
        }
    }

    fn share_done(&self) -> f32 {
        let in_round = match &self.stage {
            ForestStage::Watching(circumstances) => return WATCHING * circumstances.share_done(&self.workload),
            ForestStage::Growing(growing) => GROWING * growing.share_done(),
            ForestStage::Applying(_) => GROWING,
            ForestStage::Done => return 1.0,
        };
        WATCHING + (1.0 - WATCHING) * (self.round as f32 + in_round) / self.rounds() as f32
    }

    fn finish(self: Box<Self>) -> Learned {
        let (trained_on, trained_censored) = self.trained.unwrap_or_default();
        Learned {
            predictions: Predictions::of_curves(self.curves, self.curve_of),
            cut: self.first_cut,
            trained_on,
            trained_censored,
            influence: influence(&self.gains),
        }
    }
}

impl Learning {
    /// From the end of one stage to the start of the next; returns the approximate cost in microseconds.
    fn pass_on(&mut self) -> u32 {
        match core::mem::replace(&mut self.stage, ForestStage::Done) {
            ForestStage::Watching(circumstances) => {
                self.known = circumstances.finish();
                self.learn()
            }
            ForestStage::Growing(growing) => {
                let forest = growing.finish();
                if self.round == 0 {
                    self.gains = forest.gains;
                }
                self.stage = ForestStage::Applying(Box::new(forest));
                1
            }
            ForestStage::Applying(_) => match self.next_cut() {
                Some(cut) => {
                    (self.cut, self.round) = (cut, self.round + 1);
                    self.learn()
                }
                None => 1,
            },
            ForestStage::Done => 1,
        }
    }

    /// How long after a forest the next one follows, in milliseconds; 0 for never.
    fn again_ms(&self) -> i64 {
        (self.terms.again_hours * Millis::HOUR.0 as f64) as i64
    }

    /// Up to when the next forest learns; `None` if there is none.
    fn next_cut(&self) -> Option<Time> {
        let next = Time(self.cut.0 + self.again_ms());
        (next > self.cut && next < self.workload.horizon()).then_some(next)
    }

    /// How many forests there are.
    fn rounds(&self) -> u64 {
        let left_ms = (self.workload.horizon().0 - self.first_cut.0).max(1) as u64;
        let again_ms = self.again_ms() as u64;
        if again_ms == 0 { 1 } else { left_ms.div_ceil(again_ms).max(1) }
    }

    /// Starts a forest with what has happened up to the cut.
    fn learn(&mut self) -> u32 {
        let workload = &self.workload;
        let seen = spells::spells(workload, self.cut);
        let mut all = Seen::NOTHING;
        seen.iter().for_each(|it| all.add(&self.grid, it.entry_s, it.exit_s, it.ended));
        self.all = all.alone();
        let censored = seen.iter().filter(|spell| !spell.ended).count();
        self.trained.get_or_insert((seen.len() as u32, censored as u32));
        if self.curves.is_empty() {
            self.curves.push(self.told().curve(&self.grid, &self.all));
        }
        // Nothing is known of the past of those that were running at first.
        let came = |spell: &Spell| workload.at(workload.request_of(spell.vm)) > Time::ZERO;
        let came: Vec<Spell> = seen.into_iter().filter(came).collect();
        let example = |it: Spell| {
            let known = self.known[it.vm.index()];
            Example { known, lived_s: it.exit_s, ended: it.ended, label: scaled(it.exit_s) }
        };
        let examples: Vec<Example> = self.drawn(came).into_iter().map(example).collect();
        let cost = workload.vm_count() / 20;
        let SurvivalForest { trees, leaf_examples, .. } = self.terms;
        let draws = self.seed.stream("survival forest: examples and features");
        let growing = Growing::new(examples, self.grid.clone(), ForestTerms { trees, leaf_examples }, draws);
        self.stage = ForestStage::Growing(Box::new(growing));
        cost
    }

    /// As many of them as there may be, at random.
    fn drawn(&self, seen: Vec<Spell>) -> Vec<Spell> {
        let most = self.terms.vms as usize;
        if seen.len() <= most {
            return seen;
        }
        let draws = self.seed.stream("survival forest: VMs to learn from");
        let drawn = order::rising(seen.iter().map(|spell| draws.draw(spell.vm.0.into(), 0).into()));
        drawn[..most].iter().map(|place| seen[*place as usize]).collect()
    }

    fn told(&self) -> Told {
        Told { cap_s: seconds(self.terms.cap), quantile: self.terms.quantile }
    }

    /// Predicts the VMs of the next request; false if there is none, or if it comes when the next forest has learned.
    fn apply(&mut self) -> bool {
        let ForestStage::Applying(forest) = &self.stage else { return false };
        let request = RequestId(self.next);
        let is_over = |cut| self.workload.at(request) >= cut;
        if self.next == self.workload.request_count() || self.next_cut().is_some_and(is_over) {
            return false;
        }
        let told = self.told();
        let mut before = None;
        for vm in self.workload.vms_of(request).map(VmId) {
            let known = &self.known[vm.index()];
            if before != Some(known) {
                before = Some(known);
                let hazards = forest.seen(known).hazards(&self.all, PRIOR * forest.trees().max(1) as f64);
                let curve = told.curve(&self.grid, &hazards);
                if self.curves.last() != Some(&curve) {
                    self.curves.push(curve);
                }
            }
            self.curve_of.push(self.curves.len() as u32 - 1);
        }
        self.next += 1;
        true
    }
}

/// The share of each feature in the total gain of all splits of the first forest, the largest first.
fn influence(gains: &[f64; FEATURES]) -> Vec<Influence> {
    let all: f64 = gains.iter().sum();
    let gained = TITLES.into_iter().zip(gains).filter(|(_, gain)| **gain > 0.0);
    let gained: Vec<_> = gained.map(|(feature, gain)| Influence { feature, share: gain / all }).collect();
    let falling = order::rising(gained.iter().map(|influence| order::of_float(-influence.share)));
    falling.iter().map(|place| gained[*place as usize]).collect()
}
