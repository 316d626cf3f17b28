//! The open document: edits, undo and redo, and opening other documents.

use std::collections::BTreeSet;

use tiebreak_i18n::tr;
use tiebreak_scenario::{Document, Opened, PRESETS, Stamp};

use super::edit::{apply, field_of, rules_of};
use super::{App, Edit, Effect, Lane, Notice, Selection, since_preset};

/// The maximum number of steps to undo.
const HISTORY_MAX: usize = 200;

impl App {
    /// Whether there is a step to undo, and one to redo.
    #[must_use]
    pub fn can_undo_redo(&self) -> (bool, bool) {
        (!self.past.is_empty(), !self.future.is_empty())
    }

    /// Whether reset would change anything.
    #[must_use]
    pub fn can_reset(&self) -> bool {
        self.document != self.opened
    }

    /// The rules without effect in the first run of the open document; empty in a lesson.
    #[must_use]
    pub fn idle_rules(&self) -> &BTreeSet<String> {
        const NONE: &BTreeSet<String> = &BTreeSet::new();
        if self.lesson.is_some() { NONE } else { &self.idle_rules }
    }

    /// Determines which rules had no effect, when the first run has ended.
    pub(crate) fn judge_idle(&mut self) {
        let Some(result) = self.front.live.as_ref().and_then(|live| live.result.as_ref()) else { return };
        if std::mem::take(&mut self.judges_idle) {
            let idle = result.rule_shares.iter().filter(|share| share.hint.is_some() && share.decided == 0.0);
            self.idle_rules = idle.map(|share| share.rule.clone()).collect();
        }
    }

    pub(crate) fn edit(&mut self, edit: &Edit) -> Vec<Effect> {
        let mut next = self.document.clone();
        let active = next.active;
        apply(edit, &mut next, active, &self.traces);
        if next == self.document {
            return Vec::new();
        }
        self.follow_rule(edit);
        self.idle_rules.retain(|idle| rules_of(edit).all(|rule| rule != idle));
        let field = field_of(edit);
        if field.is_none() || field != self.last_edit || self.past.is_empty() {
            self.remember();
        }
        self.last_edit = field;
        self.future.clear();
        self.change_to(next)
    }

    fn remember(&mut self) {
        self.past.push(self.document.clone());
        if self.past.len() > HISTORY_MAX {
            self.past.remove(0);
        }
    }

    pub(crate) fn travel(&mut self, back: bool) -> Vec<Effect> {
        let (from, to) = if back { (&mut self.past, &mut self.future) } else { (&mut self.future, &mut self.past) };
        let Some(document) = from.pop() else { return Vec::new() };
        to.push(self.document.clone());
        self.last_edit = None;
        self.change_to(document)
    }

    pub(crate) fn replace(&mut self, document: Document) -> Vec<Effect> {
        if document == self.document {
            return Vec::new();
        }
        self.remember();
        self.last_edit = None;
        self.future.clear();
        self.change_to(document)
    }

    pub(crate) fn change_to(&mut self, document: Document) -> Vec<Effect> {
        self.document = document;
        self.used_rules.extend(used_rules(&self.document));
        let mut effects = vec![Effect::SaveDraft(self.document.to_json())];
        effects.extend(self.run_changed());
        effects
    }

    /// Opens another document: reset returns to it, and opening it can be undone.
    pub(crate) fn open_document(&mut self, document: Document, promised: Option<Stamp>) -> Vec<Effect> {
        self.opened = document.clone();
        self.used_rules = used_rules(&document);
        self.idle_rules.clear();
        self.judges_idle = true;
        self.promised = promised;
        self.came_with = None;
        self.prompt = None;
        std::iter::once(&mut self.front).chain(&mut self.aside).for_each(Lane::forget);
        self.selection = Selection::default();
        self.cursor_ms = None;
        if document == self.document {
            return self.run_changed();
        }
        let mut effects = self.replace(document);
        effects.retain(|effect| !matches!(effect, Effect::SaveDraft(_)));
        effects
    }

    pub(crate) fn preset(&mut self, id: &str) -> Vec<Effect> {
        match PRESETS.iter().find(|preset| preset.id == id) {
            Some(preset) => {
                let effects = self.open_document((preset.make)(), None);
                self.prompt = Some(preset.help);
                effects
            }
            None => Vec::new(),
        }
    }

    pub(crate) fn follow(&mut self, text: &str) -> Vec<Effect> {
        let (text, vm) = text.split_once(OF_VM).unwrap_or((text, ""));
        match tiebreak_scenario::decode(text) {
            Ok(Opened { document, issues, stamp, newer }) => {
                self.as_it_came = newer.then(|| text.to_owned());
                if !issues.is_empty() {
                    let title = if newer {
                        tr("This link comes from a newer version")
                    } else {
                        tr("Part of the link could not be read")
                    };
                    let lines = issues.iter().map(ToString::to_string).collect();
                    self.notices.push(Notice::bad(title, lines));
                }
                let effects = self.open_document(document, stamp);
                self.came_with = since_preset(&self.opened);
                // The VM is explained when the run has ended.
                vm.clone_into(&mut self.selection.vm);
                effects
            }
            Err(error) => {
                self.notices.push(Notice::bad(tr("This link could not be opened"), vec![error.to_string()]));
                Vec::new()
            }
        }
    }
}

/// Separates a link from the number of a VM to explain.
pub const OF_VM: &str = "&vm=";

/// The rules that a document uses.
pub(crate) fn used_rules(document: &Document) -> BTreeSet<String> {
    document.active_variant().rules.iter().filter(|row| row.on).map(|row| row.id.clone()).collect()
}
