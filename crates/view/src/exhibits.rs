//! Plots of the engine's exhibits.

use tiebreak_chart::{Plot, Role, Series, Style};
use tiebreak_engine::protocol::{Exhibit, ExhibitPlot};
use tiebreak_i18n::tell;

/// The plot of an exhibit.
#[must_use]
pub fn plot(exhibit: &Exhibit) -> Option<Plot> {
    let ExhibitPlot { unit, across, across_is_log, lines } = exhibit.plot.as_ref()?;
    let mut series = Vec::new();
    for ((name, points), at) in lines.iter().zip(0..) {
        let role = if at == 0 { Role::Live } else { Role::Variant(at) };
        series.push(Series::new(tell(name), role, Style::Line, points.clone()));
    }
    let (unit, across) = (tell(unit), tell(across));
    Some(Plot { title: tell(&exhibit.title), unit, across, across_is_log: *across_is_log, up_is_log: false, series })
}
