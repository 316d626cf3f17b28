//! Lifetimes for the page: the quality of predictors, and their predictions in words.

use tiebreak_lifetime::{Detection, Errors, Quality};
use tiebreak_model::phrase::mark;
use tiebreak_model::{Phase, Phrase, PredictedLife, phrase};
use tiebreak_placement::lifetime::CLASS_MAX;
use tiebreak_placement::words::span;
use tiebreak_placement::{Lifetimes, lifetime::Turn};
use tiebreak_sim::{ExpectedVm, HostCard, Summary, TurnAt};

use crate::protocol::{HostLife, Learned, LongLives};
use crate::said;
use crate::words;

/// The maximum number of turns shown per machine.
const TURNS_TOLD: usize = 6;

/// Shown if there is no data to learn from.
const NOBODY_LEFT: &str = mark(
    "No VM exits in the part of the trace used for training. So all VMs get the same, longest possible prediction, \
     and lifetime rules cannot distinguish them.",
);

/// The result of a predictor's training.
pub(super) fn learned(predictor: &str, quality: Quality) -> Learned {
    let counts = quality.counts;
    let histogram = |errors: Option<Errors>| errors.map_or(Vec::new(), |errors| errors.counts);
    let detection = |it: &Detection| [it.precision, it.recall, it.f1];
    let entry = tiebreak_lifetime::find(predictor);
    let title = entry.map_or(predictor, |entry| entry.declaration.title);
    // Oracles do not learn.
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
        calibration: quality.calibration.iter().map(|tenth| (tenth.predicted_s, tenth.lived_s)).collect(),
        influence: quality.influence.iter().map(|it| (it.feature.to_owned(), it.share)).collect(),
        unanswered: nobody_left.into_iter().chain(quality.unanswered).map(ToOwned::to_owned).collect(),
    }
}

/// The names of lifetime classes, the shortest first.
pub(super) fn classes(terms: &Lifetimes) -> Vec<Phrase> {
    (0..=CLASS_MAX).map(|class| terms.class_words(class)).collect()
}

/// How often machines' states changed, by reason.
pub(super) fn turns(summary: &Summary) -> Vec<(String, f64)> {
    let counted = Turn::ALL.iter().zip(summary.lives.turns);
    counted.map(|(turn, times)| (turn.words().to_owned(), times as f64)).collect()
}

/// The prediction for a VM when it was placed.
pub(super) fn predicted_life(life: &PredictedLife, terms: &Lifetimes) -> Phrase {
    let class = terms.class_words(life.class);
    phrase!(
        "From then on its predicted remaining lifetime was {}, which is class {class}.",
        span(life.remaining_s),
        class
    )
}

/// A machine's lifetime state.
pub(super) fn host(card: &HostCard, terms: &Lifetimes) -> HostLife {
    let host = &card.host;
    let class = terms.class_words(host.class);
    let state = match host.phase {
        Phase::Empty => phrase!("Empty: opens for the class of its first VM."),
        Phase::Open => phrase!("Open for VMs of class {class} until it is full.", class),
        Phase::Recycling => phrase!(
            "Recycling, class {class}: waits for {} of its {} and takes shorter-lived VMs.",
            class,
            said::count(f64::from(host.residual)),
            said::counted(f64::from(host.vms), "VM", "VMs")
        ),
    };
    let last = card.vms.iter().map(|vm| vm.exit_s).max();
    let state = last.map_or(state.clone(), |exit_s| match (at(exit_s), host.deadline_s) {
        (last, u32::MAX) => {
            phrase!(
                "{state} Its last VM is expected to exit at {last}; it has no deadline until it is full.",
                state,
                last
            )
        }
        (last, deadline_s) => {
            let free = at(deadline_s);
            phrase!(
                "{state} Its last VM is expected to exit at {last}; the machine's deadline is {free}.",
                state,
                last,
                free
            )
        }
    });
    let turn = |it: &TurnAt| match it.turn {
        Turn::Emptied => phrase!("{}: {}", at(it.at_s), Phrase::text(it.turn.words())),
        _ => phrase!("{}: {} ({})", at(it.at_s), Phrase::text(it.turn.words()), terms.class_words(it.class)),
    };
    let turns = card.turns.iter().rev().take(TURNS_TOLD).map(turn).collect();
    HostLife { state, turns }
}

/// When a VM on a machine is expected to leave.
pub(super) fn expected(vm: &ExpectedVm) -> Phrase {
    let changed = vm.exit_s.abs_diff(vm.first_exit_s) > 60;
    let first = changed.then(|| phrase!(", initially {}", at(vm.first_exit_s)));
    phrase!("expected to leave at {}{}", at(vm.exit_s), first)
}

fn at(seconds: u32) -> String {
    words::time(f64::from(seconds) * 1_000.0)
}
