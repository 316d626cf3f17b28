//! Power, in words.

use tiebreak_app::App;
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_sim::CappingKind;

/// The rule that spreads what VMs draw.
const RULE: &str = "PowerBalance";

/// The whole in a few words, for who does not open it.
#[must_use]
pub fn in_short(app: &App) -> String {
    let has_rule = app.variant().rules.iter().any(|row| row.id == RULE && row.on);
    let power = app.variant().power;
    let budget = words::trimmed(power.budget_pct, 1);
    match (power.capping, has_rule) {
        (CappingKind::Off, false) => tr("off: no rule asks for it, and draws are not measured").into(),
        (CappingKind::Off, true) => say("{}, draws are not measured", &[&RULE]),
        (_, false) => say("chassis may draw {} % of the most, nobody spreads it", &[&budget]),
        (_, true) => say("chassis may draw {} % of the most, {} spreads it", &[&budget, &RULE]),
    }
}
