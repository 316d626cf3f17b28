//! The colour theme: the system's, light or dark.

use tiebreak_i18n::mark;

use crate::drafts;

/// The key under which the choice is stored.
const KEPT: &str = "tiebreak.theme";

/// The chosen theme.
pub(super) struct Theme(String);

impl Theme {
    /// The theme last chosen in this browser, applied to the page.
    pub(super) fn kept() -> Self {
        let theme = Self(drafts::get(drafts::local, KEPT).unwrap_or_else(|| "system".into()));
        theme.apply();
        theme
    }

    /// Its name in English.
    pub(super) fn name(&self) -> &str {
        &self.0
    }

    /// Changes to the next theme.
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
