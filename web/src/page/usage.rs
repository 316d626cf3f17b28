//! The view of the page, and what each one shows.

use tiebreak_app::{Message, Mode, Phase};

use super::Page;
use crate::drafts;
use crate::parts::CHARTS;
use crate::parts::panel::{Sent, Tabs, View};
use tiebreak_scenario::presets::FIRST_FILM;

/// The key for the last view.
const KEPT: &str = "tiebreak.view";

/// The names under which views are stored.
const NAMES: [(View, &str); 5] = [
    (View::Welcome, "welcome"),
    (View::Learn, "learn"),
    (View::Experiment, "experiment"),
    (View::Compare, "compare"),
    (View::Trace, "trace"),
];

impl Page {
    /// The initial view: a link and an embedded chart show their scenario; a returning visitor gets the last view.
    pub(super) fn first_view(&self, has_address: bool) -> View {
        if has_address || self.embed.is_some() {
            return View::Experiment;
        }
        let kept: Option<String> = drafts::get(drafts::local, KEPT);
        let known = NAMES.iter().find(|(_, name)| kept.as_deref() == Some(name));
        known.map_or(View::Welcome, |(view, _)| *view)
    }

    /// The current view: a lesson only while one is open, two variants only while they are compared.
    pub(super) fn shown_view(&self) -> View {
        match self.view {
            _ if self.app.lesson.is_some() => View::Learn,
            View::Experiment | View::Compare if self.app.mode == Mode::Compare => View::Compare,
            View::Compare => View::Experiment,
            view => view,
        }
    }

    /// Changes the view.
    pub(super) fn use_for(&mut self, view: View) -> Vec<Sent> {
        if view == self.shown_view() {
            return Vec::new();
        }
        if self.app.lesson.is_some() {
            self.tell(Message::LeaveLesson);
        }
        if self.view == View::Welcome {
            // The film shown in that view.
            self.tell(Message::Vm(String::new()));
        }
        match view {
            View::Compare => {
                if self.app.document.variants.len() == 1 {
                    self.tell(Message::Fork { at_hours: None });
                }
                self.tell(Message::Mode(Mode::Compare));
            }
            View::Experiment => self.tell(Message::Mode(Mode::Explore)),
            View::Welcome | View::Learn | View::Trace => {}
        }
        self.show(view);
        if view == View::Compare { self.panels.select(Tabs::Under, CHARTS, &self.link, &self.app) } else { Vec::new() }
    }

    /// Opens a tab, and the view that contains it.
    pub(super) fn open_tab(&mut self, tabs: Tabs, name: &'static str) -> Vec<Sent> {
        self.show_scenario();
        self.panels.select(tabs, name, &self.link, &self.app)
    }

    /// The film of a decision on the welcome view plays automatically once there is a run.
    pub(super) fn play_first_film(&mut self) {
        let is_over = self.app.front.phase == Phase::Finished && self.app.selection.vm.is_empty();
        if self.shown_view() == View::Welcome && is_over {
            self.tell(Message::Vm(FIRST_FILM.into()));
        }
    }

    /// Shows a scenario when it is opened.
    pub(super) fn leave_for(&mut self, message: &Message) {
        let opens = matches!(message, Message::Open(_) | Message::Preset(_) | Message::Link(_) | Message::Reopen(_));
        if opens {
            self.show_scenario();
        }
    }

    pub(super) fn show_scenario(&mut self) {
        if matches!(self.view, View::Welcome | View::Learn) {
            self.show(View::Experiment);
        }
    }

    pub(super) fn show(&mut self, view: View) {
        self.view = view;
        if let Some((_, name)) = NAMES.iter().find(|(it, _)| *it == view).filter(|_| self.embed.is_none()) {
            // A browser without storage opens with the welcome view again.
            let _ = drafts::set(drafts::local, KEPT, name);
        }
    }
}
