//! Power, in words.

use tiebreak_app::App;
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_sim::CappingKind;

/// The rule that balances power.
const RULE: &str = "PowerBalance";

/// Whether a rule balances power or chassis have a budget.
#[must_use]
pub fn is_asked(app: &App) -> bool {
    has_rule(app) || app.variant().power.capping != CappingKind::Off
}

fn has_rule(app: &App) -> bool {
    app.variant().rules.iter().any(|row| row.id == RULE && row.on)
}

/// A short summary for the closed panel.
#[must_use]
pub fn in_short(app: &App) -> String {
    let has_rule = has_rule(app);
    let power = app.variant().power;
    let budget = words::trimmed(power.budget_pct, 1);
    match (power.capping, has_rule) {
        (CappingKind::Off, false) => tr("off: no rule needs it, and draws are not measured").into(),
        (CappingKind::Off, true) => say("{}, draws are not measured", &[&RULE]),
        (_, false) => say("budget {} % of the maximum draw, no balancing rule", &[&budget]),
        (_, true) => say("budget {} % of the maximum draw, balanced by {}", &[&budget, &RULE]),
    }
}
