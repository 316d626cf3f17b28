//! Incidents of a run in a document: which kind, when, how much.

use tiebreak_model::{Millis, Param, ParamKind, Time};
use tiebreak_sim::{IncidentEntry, IncidentUse, incidents};

/// The maximum number of incidents in a variant.
pub const INCIDENTS_MAX: usize = 100;

/// When an incident happens, or begins.
pub static AT_HOURS: Param = Param {
    name: "at_hours",
    help: "When it happens or starts, in hours from the start of the trace. After the end of the trace it has no \
         effect.",
    kind: ParamKind::Number,
    default: 0.0,
    min: 0.0,
    max: 10_000.0,
    unit: "h",
};

/// One incident of a variant.
#[derive(Clone, Debug, PartialEq)]
pub struct IncidentRow {
    /// Which kind.
    pub id: String,
    /// See [`AT_HOURS`].
    pub at_hours: f64,
    /// One value per declared parameter.
    pub values: Vec<f64>,
}

impl IncidentRow {
    /// An incident with its defaults; `None` if no kind has this id.
    #[must_use]
    pub fn plain(id: &str, at_hours: f64) -> Option<Self> {
        let entry = incidents::find(id)?;
        Some(Self { id: id.into(), at_hours, values: entry.declaration.defaults() })
    }

    /// The declaration of its kind; `None` if no kind has this id.
    #[must_use]
    pub fn entry(&self) -> Option<&'static IncidentEntry> {
        incidents::find(&self.id)
    }

    /// Its declared parameters.
    #[must_use]
    pub fn params(&self) -> &'static [Param] {
        self.entry().map_or(&[], |entry| entry.declaration.params)
    }

    /// When it happens.
    #[must_use]
    pub fn at(&self) -> Time {
        Time((self.at_hours * Millis::HOUR.0 as f64).round() as i64)
    }

    /// What a simulation is given of it.
    #[must_use]
    pub fn incident_use(&self) -> IncidentUse {
        IncidentUse { id: self.id.clone(), at: self.at(), values: self.values.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Variant;
    use std::sync::Arc;
    use tiebreak_sim::{PlanError, World};

    /// A generated day on 100 machines with these incidents.
    fn plan(rows: Vec<IncidentRow>) -> Result<tiebreak_sim::Plan, PlanError> {
        let mut variant = Variant { incidents: rows, ..Variant::default() };
        variant.set("workload.days", "1").expect("a field");
        let workload = variant.generate().expect("a generated workload");
        variant.plan(Arc::new(workload))
    }

    #[test]
    fn hours_count_from_the_beginning_of_the_trace() {
        let row =
            IncidentRow { values: vec![7.0, 0.0, 600.0], ..IncidentRow::plain("FailMachines", 6.5).expect("it is") };
        let mut world = World::new(plan(vec![row]).expect("a plan"));
        world.run();
        let unready = tiebreak_sim::metrics::index_of("UnreadyMachines").expect("a metric");
        let series = world.series();
        let begun = series.times().iter().zip(series.values(unready)).find(|(_, unready)| **unready > 0.0);
        let (time, machines) = begun.expect("machines failed");
        let late = time.since(Time(6 * 3_600_000 + 1_800_000));
        assert!(*machines == 7.0 && late < Millis(600_000), "{machines} at {time:?}");
    }

    #[test]
    fn what_cannot_be_planned_says_what_can() {
        let spike = IncidentRow { values: vec![100_000.0], ..IncidentRow::plain("DemandSpike", 1.0).expect("it is") };
        let error = plan(vec![spike; 11]).expect_err("too many VMs").to_string();
        assert!(error.starts_with("expected at most 1000000 VMs from demand spikes, got 1100000"), "{error}");
        let unknown = IncidentRow { id: "Meteor".into(), at_hours: 0.0, values: Vec::new() };
        let error = plan(vec![unknown]).expect_err("no such kind").to_string();
        assert!(error.starts_with("expected an incident of FailMachines, "), "{error}");
    }
}
