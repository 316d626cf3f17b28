//! Lifetimes behind the page: predictors that learn in slices before a run begins, what is kept of
//! them, and what they say in words.

use std::sync::Arc;

use tiebreak_lifetime::{Detection, Errors, Forecasts, Quality, Training};
use tiebreak_model::{Outlook, Phase};
use tiebreak_placement::lifetime::CLASS_MAX;
use tiebreak_placement::words::span;
use tiebreak_placement::{Lifetimes, lifetime::Turn};
use tiebreak_scenario::Variant;
use tiebreak_sim::{ExpectedVm, HostCard, Plan, Summary, TurnAt};

use crate::protocol::{HostLife, Learned, LongLives};
use crate::view::words;

/// What one slice of learning may take, in microseconds of a present computer: in a browser about
/// twice as long.
const SLICE_US: u32 = 2_000;

/// Predictors kept; the one used longest ago makes room.
const KEPT: usize = 4;

/// Turns of a machine that are told.
const TURNS_TOLD: usize = 6;

/// What a trained predictor depends on.
#[derive(Clone, Debug, PartialEq)]
struct Lesson {
    workload: u128,
    predictor: String,
    values: Vec<f64>,
    seed: u64,
}

/// A trained predictor.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) forecasts: Arc<Forecasts>,
    pub(super) learned: Box<Learned>,
}

/// Trained predictors, so that an edit of a rule trains none again.
#[derive(Default)]
pub(super) struct Shelf(Vec<(Lesson, Known)>);

impl Shelf {
    fn find(&mut self, lesson: &Lesson) -> Option<Known> {
        let at = self.0.iter().position(|(kept, _)| kept == lesson)?;
        let found = self.0.remove(at);
        let known = found.1.clone();
        self.0.push(found);
        Some(known)
    }

    fn keep(&mut self, lesson: Lesson, known: Known) {
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        self.0.push((lesson, known));
    }
}

/// A plan whose predictor learns.
pub(super) struct Learning {
    pub(super) run: u32,
    plan: Plan,
    lifetimes: Lifetimes,
    lesson: Lesson,
    training: Training,
    /// Whether it is held.
    pub(super) paused: bool,
    /// What the run does first.
    pub(super) then: Beginning,
}

/// How a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// It runs.
    Runs,
    /// It is held.
    Held,
    /// It makes one step.
    Steps,
}

/// What there is to run: at once, or when a predictor has learned.
pub(super) enum Ready {
    Now(Box<Plan>, Option<Known>),
    Later(Box<Learning>),
}

/// Looks for what a plan's rules ask to be predicted.
pub(super) fn prepare(run: u32, variant: &Variant, plan: Plan, shelf: &mut Shelf, then: Beginning) -> Ready {
    if !plan.asks_for_lifetimes() {
        return Ready::Now(Box::new(plan), None);
    }
    let row = &variant.predictor;
    let (predictor, values) = (row.id.clone(), row.values.clone());
    let lesson = Lesson { workload: plan.workload().fingerprint(), predictor, values, seed: variant.seed };
    if let Some(known) = shelf.find(&lesson) {
        let plan = plan.with_forecasts(variant.lifetimes, known.forecasts.clone());
        return Ready::Now(Box::new(plan), Some(known));
    }
    let training = row.train(plan.workload().clone(), variant.seed);
    Ready::Later(Box::new(Learning { run, plan, lifetimes: variant.lifetimes, lesson, training, paused: false, then }))
}

impl Learning {
    /// Learns a little; whether all is learned.
    pub(super) fn work(&mut self) -> bool {
        self.training.work(SLICE_US)
    }

    pub(super) fn share_done(&self) -> f64 {
        f64::from(self.training.share_done())
    }

    /// What is to be run, and what it knows, which is kept.
    pub(super) fn finish(self, shelf: &mut Shelf) -> (Plan, Known) {
        let trained = self.training.finish();
        let learned = Box::new(learned(&self.lesson.predictor, trained.quality));
        let known = Known { forecasts: Arc::new(trained.forecasts), learned };
        shelf.keep(self.lesson, known.clone());
        (self.plan.with_forecasts(self.lifetimes, known.forecasts.clone()), known)
    }
}

/// What is done where there is nothing to learn from.
const NOBODY_LEFT: &str = "Nobody was seen to leave in the part of the trace that was learned from, so all VMs are \
                           expected to live alike, as long as predictions reach, and rules that ask find them all alike.";

fn learned(predictor: &str, quality: Quality) -> Learned {
    let counts = quality.counts;
    let histogram = |errors: Option<Errors>| errors.map_or(Vec::new(), |errors| errors.counts);
    let detection = |it: &Detection| [it.precision, it.recall, it.f1];
    let entry = tiebreak_lifetime::find(predictor);
    let title = entry.map_or(predictor, |entry| entry.declaration.title);
    // Oracles learn from nobody.
    let learns = entry.is_some_and(|entry| entry.declaration.params.iter().any(|param| param.name == "train_share"));
    let nobody_left = (learns && counts.trained_on == counts.trained_censored).then_some(NOBODY_LEFT);
    Learned {
        predictor: title.to_owned(),
        trained_on: (counts.trained_on, counts.trained_censored),
        tested_on: (counts.tested_on, counts.tested_censored),
        c_index: quality.c_index,
        long_lives: quality.long_lives.map(|long| LongLives {
            threshold_h: long.threshold_h,
            vms: (long.long, long.short),
            at_threshold: detection(&long.at_threshold),
            at_best_cut: detection(&long.at_best_cut),
            best_cut_h: long.best_cut_h,
            f1_by_share: long.f1_by_share,
        }),
        first_errors: histogram(quality.first_errors),
        reprediction_errors: histogram(quality.reprediction_errors),
        influence: quality.influence.iter().map(|it| (it.feature.to_owned(), it.share)).collect(),
        unanswered: nobody_left.into_iter().chain(quality.unanswered).map(ToOwned::to_owned).collect(),
    }
}

/// The names of lifetime classes, the shortest first.
pub(super) fn classes(terms: &Lifetimes) -> Vec<String> {
    (0..=CLASS_MAX).map(|class| terms.class_words(class)).collect()
}

/// How often machines' states changed, and why.
pub(super) fn turns(summary: &Summary) -> Vec<(String, f64)> {
    let counted = Turn::ALL.iter().zip(summary.lives.turns);
    counted.map(|(turn, times)| (turn.words().to_owned(), times as f64)).collect()
}

/// What was predicted of a VM when a machine was looked for.
pub(super) fn outlook(outlook: &Outlook, terms: &Lifetimes) -> String {
    let class = terms.class_words(outlook.class);
    format!("It was expected to live {} from then on, which is the class {class}.", span(outlook.remaining_s))
}

/// What lifetime rules make of a machine.
pub(super) fn host(card: &HostCard, terms: &Lifetimes) -> HostLife {
    let host = &card.host;
    let class = terms.class_words(host.class);
    let state = match host.phase {
        Phase::Empty => "Empty: it opens for the class of its first VM.".to_owned(),
        Phase::Open => format!("Open for VMs of the class {class}, until it is full."),
        Phase::Recycling => format!(
            "Recycling, class {class}: it waits for {} of its {}, and takes VMs that live shorter.",
            words::count(f64::from(host.residual)),
            words::counted(f64::from(host.vms), "VM", "VMs")
        ),
    };
    let last = card.vms.iter().map(|vm| vm.exit_s).max();
    let state = last.map_or(state.clone(), |exit_s| {
        let (last, free) = (at(exit_s), at(host.deadline_s));
        format!("{state} Its last VM is expected to leave at {last}; it should be free by {free}.")
    });
    let turn = |it: &TurnAt| match it.turn {
        Turn::Emptied => format!("{}: {}", at(it.at_s), it.turn.words()),
        _ => format!("{}: {} ({})", at(it.at_s), it.turn.words(), terms.class_words(it.class)),
    };
    let turns = card.turns.iter().rev().take(TURNS_TOLD).map(turn).collect();
    HostLife { state, turns }
}

/// When a VM on a machine is expected to leave.
pub(super) fn expected(vm: &ExpectedVm) -> String {
    let changed = vm.exit_s.abs_diff(vm.first_exit_s) > 60;
    let first = changed.then(|| format!(", at first {}", at(vm.first_exit_s)));
    format!("expected to leave at {}{}", at(vm.exit_s), first.unwrap_or_default())
}

fn at(seconds: u32) -> String {
    words::time(f64::from(seconds) * 1_000.0)
}
