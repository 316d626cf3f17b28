//! A scenario's changes from its preset, in words.

use tiebreak_app::{App, Change, since_preset};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::Preset;

/// The maximum number of listed changes.
const TOLD: usize = 5;

/// `Changed against "Two weeks of Azure": BestFit buckets 3 → 5`; `None` for an unchanged preset, or the user's own
/// scenario.
#[must_use]
pub fn changed(app: &App) -> Option<String> {
    since_preset(&app.document).map(|(preset, changes)| told(preset, &changes))
}

/// The same for the scenario of an opened link, until the user edits it.
#[must_use]
pub fn came_with(app: &App) -> Option<String> {
    let (preset, changes) = app.came_with.as_ref().filter(|_| app.document == app.opened)?;
    Some(told(preset, changes))
}

fn told(preset: &Preset, changes: &[Change]) -> String {
    let mut told: Vec<String> = changes.iter().take(TOLD).map(Change::told).collect();
    if changes.len() > TOLD {
        told.push(say("{} more", &[&words::count((changes.len() - TOLD) as f64)]));
    }
    say("Changed against \"{preset}\": {changes}", &[&tr(preset.title), &told.join("; ")])
}
