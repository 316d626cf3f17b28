//! The list of decisions: which ones to request, and when.

use tiebreak_engine::protocol::{Decisions, Found, Which};
use tiebreak_engine::questions::list_decisions::ListDecisions;

use super::{App, Asking, Effect, Phase};

/// Which decisions the user wants to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionsWish {
    /// Whether the list is visible; otherwise nothing is requested.
    pub is_shown: bool,
    /// The filter.
    pub which: Which,
    /// The first digits of a VM's or a tenant's number; empty for all.
    pub search: String,
    /// The page, from 0.
    pub page: u32,
}

impl App {
    /// The last listed decisions, of any run.
    #[must_use]
    pub fn decisions(&self) -> Option<&Decisions> {
        match &self.answers.last::<ListDecisions>()?.as_ref().ok()?.found {
            Some(Found::Decisions(decisions)) => Some(decisions),
            _ => None,
        }
    }

    /// Whether the run of the active variant can list its decisions: it has ended, or is paused.
    #[must_use]
    pub fn lists_decisions(&self) -> bool {
        self.front.live.as_ref().is_some_and(|live| live.run == self.front.run && !live.is_example)
            && matches!(self.front.phase, Phase::Finished | Phase::Paused)
    }

    /// Requests the decisions that the user wants to see, of the active variant's run.
    pub(crate) fn ask_decisions(&mut self) -> Option<Effect> {
        if !self.wants_decisions.is_shown || !self.lists_decisions() {
            return None;
        }
        let DecisionsWish { which, search, page, .. } = &self.wants_decisions;
        let which = Which::ALL.iter().position(|it| it == which).unwrap_or(0) as u32;
        let asking = Asking::new(&ListDecisions { which, page: *page }).of_text(search);
        self.ask(asking)
    }
}
