//! Several variants: which one is active, which one it is compared with, and their origins.

use tiebreak_engine::Command;
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::document::VARIANTS_MAX;
use tiebreak_scenario::fork::FORKS_MAX;
use tiebreak_scenario::{Document, Variant};

use super::{App, Differing, Effect, Lane, Mode, Notice, Phase};

impl App {
    /// The runs of the variant that the active one is compared with.
    #[must_use]
    pub fn against(&self) -> Option<&Lane> {
        let named = self.aside.iter().find(|lane| Some(&lane.variant) == self.against.as_ref());
        named.or_else(|| self.aside.first())
    }

    /// The name of the next fork.
    #[must_use]
    pub fn next_variant(&self) -> String {
        self.document.free_letter()
    }

    /// The displayed lanes: that of the active variant and, in a comparison, the other one; in document order.
    #[must_use]
    pub fn shown_lanes(&self) -> Vec<&Lane> {
        let against = (self.mode == Mode::Compare).then(|| self.against()).flatten();
        let mut lanes: Vec<_> = std::iter::once(&self.front).chain(against).collect();
        lanes.sort_by_key(|lane| self.document.variants.iter().position(|variant| variant.name == lane.variant));
        lanes
    }

    /// Updates the comparison to the displayed variants.
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

    /// Makes another variant active. This loses nothing, so it is not a step to undo.
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

    /// Adds a copy of the active variant, from the start or from a moment on; the copy becomes active, and both are
    /// kept.
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

    /// Adds a point of the sweep as a separate variant.
    pub(crate) fn open_point(&mut self, number: usize) -> Vec<Effect> {
        let Some(variant) = self.sweep.as_ref().and_then(|sweep| sweep.variant(number)) else { return Vec::new() };
        self.open_beside(variant)
    }

    /// Adds a variant and makes it active.
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
