//! The log of runs: what was tried, the results, and the way back.

use std::collections::VecDeque;
use tiebreak_model::{Phrase, phrase};

use serde_json::{Value, json};
use tiebreak_i18n::{in_english, say, tr};
use tiebreak_scenario::{Document, presets};

use super::changes::{Change, edits};
use super::{App, Effect, Mode, Notice};
use tiebreak_engine::protocol::RunResult;

/// The maximum number of unstarred runs; the oldest is dropped.
const KEPT: usize = 12;

/// The maximum number of starred runs, which are kept in the browser's storage.
const STARS_MAX: usize = 12;

/// The maximum number of changes named in a line.
const NAMED: usize = 2;

/// A run of the active variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    /// Its number, from 1.
    pub number: u32,
    /// What ran.
    pub document: Document,
    /// The changes from the previous run, in short form.
    pub tried: Phrase,
    /// The results.
    pub result: RunResult,
    /// Whether it is starred.
    pub starred: bool,
}

/// The log of runs.
#[derive(Clone, Debug, Default)]
pub struct RunLog {
    /// The newest first.
    runs: VecDeque<Logged>,
    ever: u32,
}

impl RunLog {
    /// The runs, newest first.
    pub fn runs(&self) -> impl Iterator<Item = &Logged> {
        self.runs.iter()
    }

    fn of(&self, number: u32) -> Option<&Logged> {
        self.runs.iter().find(|run| run.number == number)
    }

    fn add(&mut self, document: &Document, result: &RunResult) {
        let last = self.runs.front();
        if last.is_some_and(|last| last.document == *document && last.result.digest == result.digest) {
            return;
        }
        let tried = last.map_or_else(|| named(document), |last| in_english(|| tried(&last.document, document)));
        self.push(document.clone(), tried, RunResult::told(&result.brief()), false);
        if self.runs.iter().filter(|run| !run.starred).count() > KEPT
            && let Some(oldest) = self.runs.iter().rposition(|run| !run.starred)
        {
            self.runs.remove(oldest);
        }
    }

    fn push(&mut self, document: Document, tried: Phrase, result: RunResult, starred: bool) {
        self.ever += 1;
        self.runs.push_front(Logged { number: self.ever, document, tried, result, starred });
    }

    /// The starred runs, as text to store.
    fn stored(&self) -> String {
        let stored = |run: &Logged| json!({ "document": run.document.to_json(), "tried": run.tried.to_string(), "result": run.result.brief() });
        Value::Array(self.runs.iter().filter(|run| run.starred).map(stored).collect()).to_string()
    }
}

impl App {
    /// Restores the runs that were starred when the page was last open; unreadable ones are omitted.
    pub fn restore_runs(&mut self, stored: &str) {
        let stored: Value = serde_json::from_str(stored).unwrap_or_default();
        let runs = stored.as_array().map_or(&[][..], Vec::as_slice);
        for run in runs.iter().take(STARS_MAX).rev() {
            let [document, tried] = ["document", "tried"].map(|name| run[name].as_str().unwrap_or_default());
            if let Ok(read) = Document::read(document) {
                self.log.push(read.document, Phrase::text(tried.to_owned()), RunResult::told(&run["result"]), true);
            }
        }
    }

    /// Logs the displayed run when it has ended.
    pub(super) fn log_run(&mut self) {
        // A lesson's runs are not logged.
        if self.lesson.is_none()
            && let Some(live) = &self.front.live
            && let Some(result) = &live.result
        {
            self.log.add(&live.document, result);
        }
    }

    /// Stars or unstars a run.
    pub(super) fn star(&mut self, number: u32) -> Vec<Effect> {
        let stars = self.log.runs.iter().filter(|run| run.starred).count();
        let Some(run) = self.log.runs.iter_mut().find(|run| run.number == number) else { return Vec::new() };
        if !run.starred && stars >= STARS_MAX {
            let line = say(
                "Expected at most {STARS_MAX} starred runs; remove the star from another one first.",
                &[&STARS_MAX],
            );
            self.notices.push(Notice::bad(tr("Too many stars"), vec![line]));
            return Vec::new();
        }
        run.starred = !run.starred;
        vec![Effect::SaveRuns(self.log.stored())]
    }

    /// Reopens the document of a run; this can be undone.
    pub(super) fn reopen(&mut self, number: u32) -> Vec<Effect> {
        let document = self.log.of(number).map(|run| run.document.clone());
        document.map_or_else(Vec::new, |document| self.replace(document))
    }

    /// Adds the document of a run as a variant next to the current one.
    pub(super) fn compare_with(&mut self, number: u32) -> Vec<Effect> {
        let variant = self.log.of(number).map(|run| run.document.active_variant().clone());
        let effects = variant.map_or_else(Vec::new, |variant| self.open_beside(variant));
        if !effects.is_empty() {
            self.mode = Mode::Compare;
        }
        effects
    }
}

/// The scenario's name; a preset's can be translated.
fn named(document: &Document) -> Phrase {
    presets::titled(&document.name).map_or_else(|| phrase!("{}", document.name), |preset| Phrase::text(preset.title))
}

/// The differences, in short form.
fn tried(then: &Document, now: &Document) -> Phrase {
    let changes = edits(then, now);
    let told = |change: &Change| {
        let [then, now] = &change.values;
        phrase!("{}: {then} \u{2192} {now}", change.path, then, now)
    };
    match changes.len() {
        0 if then.name == now.name => phrase!("the same again"),
        0 => named(now),
        1..=NAMED => Phrase::joined(changes.iter().map(told), "{}, {}"),
        many => phrase!("{}, and {} more changes", told(&changes[0]), many - 1),
    }
}
