//! Power, in words.

use tiebreak_chart::{Plot, Role, Series, Style};
use tiebreak_sim::CappingKind;
use tiebreak_tongue::{heard, say, tr};

use crate::app::App;
use crate::protocol::{Exhibit, ExhibitPlot};
use crate::view::words;

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

/// What an exhibit draws.
#[must_use]
pub fn plot(exhibit: &Exhibit) -> Option<Plot> {
    let ExhibitPlot { unit, across, lines } = exhibit.plot.as_ref()?;
    let mut series = Vec::new();
    for ((name, points), at) in lines.iter().zip(0..) {
        let role = if at == 0 { Role::Live } else { Role::Variant(at) };
        series.push(Series::new(heard(name), role, Style::Line, points.clone()));
    }
    let (unit, across) = (heard(unit), heard(across));
    Some(Plot { title: heard(&exhibit.title), unit, across, across_is_log: false, up_is_log: false, series })
}
