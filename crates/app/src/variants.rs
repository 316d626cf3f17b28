//! Variants beside each other: which is in front, which it is compared with, and where they come from.

use tiebreak_engine::Command;
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::document::VARIANTS_MAX;
use tiebreak_scenario::fork::FORKS_MAX;
use tiebreak_scenario::{Document, Variant};

use super::{App, Differing, Effect, Lane, Mode, Notice, Phase};

impl App {
    /// The runs of the variant that the one in front is compared with.
    #[must_use]
    pub fn against(&self) -> Option<&Lane> {
        let named = self.aside.iter().find(|lane| Some(&lane.variant) == self.against.as_ref());
        named.or_else(|| self.aside.first())
    }

    /// The name that the next fork gets.
    #[must_use]
    pub fn next_variant(&self) -> String {
        self.document.free_letter()
    }

    /// The lanes that are shown: that of the variant in front, and where two are compared the other
    /// one; in the order of the document.
    #[must_use]
    pub fn shown_lanes(&self) -> Vec<&Lane> {
        let against = (self.mode == Mode::Compare).then(|| self.against()).flatten();
        let mut lanes: Vec<_> = std::iter::once(&self.front).chain(against).collect();
        lanes.sort_by_key(|lane| self.document.variants.iter().position(|variant| variant.name == lane.variant));
        lanes
    }

    /// What is compared follows what is on screen.
    pub(crate) fn keep_comparing(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        let stale = self.paired.as_ref().is_some_and(|paired| {
            let against =
                self.against().and_then(|lane| self.document.variants.iter().find(|it| it.name == lane.variant));
            against.is_none_or(|against| [self.variant(), against] != [&paired.variants[0], &paired.variants[1]])
        });
        if stale {
            effects.extend(self.forget_pairs());
        }
        let runs = (self.mode == Mode::Compare)
            .then(|| self.against())
            .flatten()
            .filter(|against| against.phase == Phase::Finished && self.front.phase == Phase::Finished)
            .map(|against| (self.front.run, against.run));
        let Some(runs) = runs else { return effects };
        if self.differing.as_ref().is_none_or(|known| known.runs != runs) {
            self.differing = Some(Differing { runs, ..Differing::default() });
            effects.extend(self.against().map(|against| against.send(Command::Placements { run: runs.1 })));
        }
        effects
    }

    /// Another variant to the front. Nothing is lost by it, so it is no step to undo.
    pub(crate) fn bring_to_front(&mut self, variant: &str) -> Vec<Effect> {
        let Some(index) = self.document.variants.iter().position(|it| it.name == variant) else { return Vec::new() };
        if index == self.document.active {
            return Vec::new();
        }
        self.against = Some(self.front.variant.clone());
        self.last_edit = None;
        let document = Document { active: index, ..self.document.clone() };
        let mut effects = self.change_to(document);
        effects.extend(self.ask_machine());
        effects.extend(self.ask_decisions());
        effects
    }

    /// The variant in front once more, beside it, from the start or from a moment on; the new one is
    /// in front then, and both are kept.
    pub(crate) fn fork(&mut self, at_hours: Option<f64>) -> Vec<Effect> {
        let mut document = self.document.clone();
        if document.variants.len() >= VARIANTS_MAX {
            let line = say("Expected at most {VARIANTS_MAX} variants; close one to fork again.", &[&VARIANTS_MAX]);
            self.notices.push(Notice::bad(tr("No more variants possible"), vec![line]));
            return Vec::new();
        }
        let Some(forked) = document.fork(document.active, at_hours) else {
            let line = say("Expected at most {FORKS_MAX} forks in a row; fork from the start instead.", &[&FORKS_MAX]);
            self.notices.push(Notice::bad(tr("No more forks possible"), vec![line]));
            return Vec::new();
        };
        document.active = forked;
        self.against = Some(self.front.variant.clone());
        self.mode = Mode::Compare;
        self.replace(document)
    }

    pub(crate) fn close(&mut self, variant: &str) -> Vec<Effect> {
        let mut document = self.document.clone();
        let Some(index) = document.variants.iter().position(|it| it.name == variant) else { return Vec::new() };
        if document.variants.len() == 1 {
            return Vec::new();
        }
        document.variants.remove(index);
        document.active -= usize::from(document.active > index || document.active == document.variants.len());
        if document.variants.len() == 1 {
            self.mode = Mode::Explore;
        }
        self.replace(document)
    }

    /// A point of the sweep beside what is on screen, as a variant of its own.
    pub(crate) fn open_point(&mut self, number: usize) -> Vec<Effect> {
        let Some(variant) = self.sweep.as_ref().and_then(|sweep| sweep.variant(number)) else { return Vec::new() };
        self.open_beside(variant)
    }

    /// A variant beside those on screen, in front of them.
    pub(crate) fn open_beside(&mut self, mut variant: Variant) -> Vec<Effect> {
        let mut document = self.document.clone();
        if document.variants.len() >= VARIANTS_MAX {
            let line = say("Expected at most {VARIANTS_MAX} variants; close one to open another.", &[&VARIANTS_MAX]);
            self.notices.push(Notice::bad(tr("No more variants possible"), vec![line]));
            return Vec::new();
        }
        variant.name = document.free_letter();
        document.variants.push(variant);
        document.active = document.variants.len() - 1;
        self.against = Some(self.front.variant.clone());
        self.mode = Mode::Compare;
        self.replace(document)
    }
}
