//! A trace of one's own without a scenario for it.

use tiebreak_model::Workload;
use tiebreak_profile::begins_late_at_hours;
use tiebreak_scenario::{Variant, presets};

/// The variant fitted to a trace: one's own runs with the machines and the policy of the first preset, but is not slowed
/// down by agents made for another load.
#[must_use]
pub fn unslowed(mut variant: Variant, workload: &Workload) -> Variant {
    presets::fit_to_trace(&mut variant, workload.fingerprint());
    variant
}

/// Measures from the first request on if a trace begins late and the variant says nothing else; the hour, if it did.
pub fn measure_late(variant: &mut Variant, workload: &Workload) -> Option<f64> {
    let hours = begins_late_at_hours(workload).filter(|_| variant.measures.measured_from_hours == 0.0)?;
    variant.measures.measured_from_hours = hours;
    Some(hours)
}
