//! The choice of colours: as the system has them, light or dark.

use tiebreak_i18n::mark;

use crate::drafts;

/// Where the choice is kept.
const KEPT: &str = "tiebreak.theme";

/// See the module.
pub(super) struct Theme(String);

impl Theme {
    /// What was chosen last in this browser, put on the page.
    pub(super) fn kept() -> Self {
        let theme = Self(drafts::get(drafts::local, KEPT).unwrap_or_else(|| "system".into()));
        theme.apply();
        theme
    }

    /// Its name in English.
    pub(super) fn name(&self) -> &str {
        &self.0
    }

    /// Goes on to the next one.
    pub(super) fn next(&mut self) {
        self.0 = match self.0.as_str() {
            "system" => mark("light").into(),
            "light" => mark("dark").into(),
            _ => mark("system").into(),
        };
        self.apply();
    }

    fn apply(&self) {
        // Only the choice is stored; a browser that forbids storage follows the system.
        drafts::set(drafts::local, KEPT, &self.0);
        if let Some(root) = gloo::utils::document().document_element() {
            let _ = root.set_attribute("data-theme", &self.0);
        }
    }
}
