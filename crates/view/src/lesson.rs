//! A lesson's response to an answer: the number that decides it, the error of a guess, and what else changed.

use tiebreak_app::{App, Playing};
use tiebreak_engine::protocol::{Explained, RunResult};
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_lesson::{Question, Scale};
use tiebreak_placement::explain::KEPT;

/// Figures that are mentioned if they changed notably, by id, with the threshold: points for a share, otherwise a
/// fraction.
const TOLD: [(&str, Kind); 4] = [
    (
        "empty_hosts_pct_mean",
        Kind::Share(mark("Empty machines fell from {} to {} %."), mark("Empty machines rose from {} to {} %.")),
    ),
    (
        "packing_density_pct_mean",
        Kind::Share(
            mark("Used machines became less full: {} before, {} % now."),
            mark("Used machines became fuller: {} before, {} % now."),
        ),
    ),
    ("conflicts", Kind::Count(mark("Conflicts fell from {} to {}."), mark("Conflicts rose from {} to {}."))),
    ("rejections", Kind::Count(mark("Rejections fell from {} to {}."), mark("Rejections rose from {} to {}."))),
];

/// The notable change of a share, in points.
const POINTS: f64 = 3.0;

/// The notable change of a count: as a fraction, and the minimum.
const PART: f64 = 0.1;
const COUNT: f64 = 10.0;

/// How to word a figure that fell or rose.
#[derive(Clone, Copy)]
enum Kind {
    Share(&'static str, &'static str),
    Count(&'static str, &'static str),
}

/// The right answer with its number: `Answer: C, 12.8 % (28 % in the run it is compared with).`
#[must_use]
pub fn answer(playing: &Playing) -> Option<String> {
    let letter = char::from(b'A' + (playing.right()? % 26) as u8);
    let Some((measure, now, against)) = playing.number() else {
        return Some(say("Answer: {}.", &[&letter]));
    };
    let told = |value: f64| number(value, measure.unit());
    Some(match against {
        Some(against) => {
            say("Answer: {}, {} ({} in the run it is compared with).", &[&letter, &told(now), &told(against)])
        }
        None => say("Answer: {}, {}.", &[&letter, &told(now)]),
    })
}

/// The number to estimate, and the error of the guess: `Answer: 9.6 of 24. Your estimate is 3.4 too low.`
#[must_use]
pub fn estimate(scale: &Scale, truth: f64, guess: Option<f64>) -> String {
    let answer = say("Answer: {}.", &[&number(truth, &scale.unit)]);
    let Some(guess) = guess else { return answer };
    let distance = words::trimmed((guess - truth).abs(), 1);
    let told = match guess - truth {
        _ if distance == "0" => tr("Your estimate is right.").to_owned(),
        over if over > 0.0 => say("Your estimate is {} too high.", &[&distance]),
        _ => say("Your estimate is {} too low.", &[&distance]),
    };
    format!("{answer} {told}")
}

/// What changed notably from the run that the step's run is compared with, one sentence each. Excludes the subject of
/// the question, which the answer covers.
#[must_use]
pub fn moved(app: &App) -> Vec<String> {
    let Some(playing) = &app.lesson else { return Vec::new() };
    let (Some(now), Some(then)) = (app.front.result(), app.against().and_then(|lane| lane.result())) else {
        return Vec::new();
    };
    let asked: Vec<String> =
        playing.here().question.iter().flat_map(Question::measures).map(|(measure, _)| measure.to_string()).collect();
    TOLD.iter()
        .filter(|(id, _)| !asked.iter().any(|asked| asked == id))
        .filter_map(|told| moves(told, now, then))
        .collect()
}

fn moves((id, kind): &(&'static str, Kind), now: &RunResult, then: &RunResult) -> Option<String> {
    change(*kind, then.figure(id), now.figure(id))
}

/// A change in one sentence, if it is notable.
fn change(kind: Kind, then: f64, now: f64) -> Option<String> {
    let by = (now - then).abs();
    let sentence = |fell: &'static str, rose: &'static str| if now < then { fell } else { rose };
    match kind {
        Kind::Share(fell, rose) if by >= POINTS => {
            Some(say(sentence(fell, rose), &[&words::trimmed(then, 1), &words::trimmed(now, 1)]))
        }
        Kind::Count(fell, rose) if by >= COUNT && by >= PART * then => {
            Some(say(sentence(fell, rose), &[&words::count(then), &words::count(now)]))
        }
        _ => None,
    }
}

/// A machine to click in a question about a VM's machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Whether it was tied for best.
    pub is_best: bool,
    /// Whether the VM was placed on it.
    pub is_chosen: bool,
}

/// The machines of the decision that the lesson's step asks about, by id; empty until they are known.
#[must_use]
pub fn machines(app: &App) -> Vec<Cell> {
    let Some(decision) = decision(app) else { return Vec::new() };
    let cell = |(machine, dropped_at): (u32, &u8)| Cell {
        is_best: *dropped_at == KEPT,
        is_chosen: decision.winner == Some(machine),
    };
    (0..).zip(&decision.dropped_at).map(cell).collect()
}

/// The decision that the lesson's step asks about: the one that placed the VM.
#[must_use]
pub fn decision(app: &App) -> Option<&Explained> {
    let Some(Question::Machine { vm, .. }) = app.lesson.as_ref()?.here().question else { return None };
    let asked = app.selection.vm == vm.to_string();
    app.front.answer.attempts.last().filter(|_| asked)
}

/// The response to a guessed machine: whether it is among the best, and which ones were.
#[must_use]
pub fn named(cells: &[Cell], guess: Option<u32>) -> String {
    let best: Vec<String> =
        (0..).zip(cells).filter(|(_, cell)| cell.is_best).map(|(id, _): (u32, _)| id.to_string()).collect();
    let chosen = cells.iter().position(|cell| cell.is_chosen);
    let answer = match (chosen, best.len()) {
        (Some(chosen), 0 | 1) => say("Answer: machine {}.", &[&chosen]),
        (Some(chosen), _) => {
            say("Answer: machine {}, drawn from those tied for best: {}.", &[&chosen, &best.join(", ")])
        }
        (None, _) => tr("Answer: no machine.").into(),
    };
    match guess {
        Some(guess) if cells.get(guess as usize).is_some_and(|cell| cell.is_best) => {
            format!("{} {answer}", tr("Right."))
        }
        _ => answer,
    }
}

/// A number with suitable precision and its unit.
fn number(value: f64, unit: &str) -> String {
    let number = match value.abs() {
        size if size >= 1_000.0 || size.fract() == 0.0 => words::count(value),
        size if size < 1.0 => words::trimmed(value, 2),
        _ => words::trimmed(value, 1),
    };
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_told_with_its_distance() {
        let scale = Scale { from: 0.0, to: 24.0, unit: "of 24 machines".into() };
        for (truth, guess, told) in [
            (9.63, Some(6.2), "Answer: 9.6 of 24 machines. Your estimate is 3.4 too low."),
            (9.63, Some(12.0), "Answer: 9.6 of 24 machines. Your estimate is 2.4 too high."),
            (9.63, Some(9.61), "Answer: 9.6 of 24 machines. Your estimate is right."),
            (2_199.0, None, "Answer: 2,199 of 24 machines."),
        ] {
            assert_eq!(estimate(&scale, truth, guess), told);
        }
    }

    #[test]
    fn only_what_moved_notably_is_told() {
        let kind = |id: &str| TOLD.iter().find(|(told, _)| *told == id).expect("a figure that is told").1;
        for (id, then, now, told) in [
            ("rejections", 352.0, 552.0, Some("Rejections rose from 352 to 552.")),
            ("rejections", 552.0, 520.0, None),
            ("rejections", 0.0, 9.0, None),
            ("conflicts", 2_199.0, 149.0, Some("Conflicts fell from 2,199 to 149.")),
            ("empty_hosts_pct_mean", 27.92, 12.84, Some("Empty machines fell from 27.9 to 12.8 %.")),
            ("empty_hosts_pct_mean", 27.9, 26.0, None),
            ("packing_density_pct_mean", 40.0, 60.2, Some("Used machines became fuller: 40 before, 60.2 % now.")),
        ] {
            assert_eq!(change(kind(id), then, now).as_deref(), told, "{id}: {then} to {now}");
        }
    }

    #[test]
    fn any_of_the_best_machines_is_right() {
        let cell = |is_best, is_chosen| Cell { is_best, is_chosen };
        let cells = [cell(false, false), cell(true, true), cell(true, false)];
        let tied = "Answer: machine 1, drawn from those tied for best: 1, 2.";
        assert_eq!(named(&cells, Some(2)), format!("Right. {tied}"));
        assert_eq!(named(&cells, Some(0)), tied);
        assert_eq!(named(&cells[..2], None), "Answer: machine 1.");
        assert_eq!(named(&cells[..1], Some(9)), "Answer: no machine.");
    }
}
