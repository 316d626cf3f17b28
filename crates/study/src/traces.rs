//! The requests of a variant: generated, of the built-in trace, or of a trace that was given.

use std::sync::Arc;

use tiebreak_model::{Sample, Workload};
use tiebreak_scenario::presets::PACKING_CUT_FINGERPRINT;
use tiebreak_scenario::{Variant, WorkloadRef};
use tiebreak_trace::{Parsed, TraceError, TraceParser};

use crate::Failure;

/// The built-in trace, which presets replay.
pub const BUILT_IN_NAME: &str = "packing-cut.csv.gz";

/// Its file.
pub static BUILT_IN: &[u8] = include_bytes!("../../trace/fixtures/packing-cut.csv.gz");

/// The built-in trace, or a part of it.
///
/// # Errors
/// Those of reading; there are none.
pub fn built_in(sample: Sample) -> Result<Parsed, TraceError> {
    let mut parser = TraceParser::new(BUILT_IN_NAME).sampled(sample);
    parser.push(BUILT_IN)?;
    parser.finish()
}

/// The requests of a variant, or those of `given` instead.
///
/// # Errors
/// If the variant names a trace that is not built in, and none was given.
pub fn workload(variant: &Variant, given: Option<&Arc<Workload>>) -> Result<Arc<Workload>, Failure> {
    match (given, &variant.workload) {
        (Some(given), _) => Ok(given.clone()),
        (None, WorkloadRef::Generated(_)) => Ok(Arc::new(variant.generate().expect("a generated workload"))),
        (None, WorkloadRef::Trace { fingerprint, settings, .. }) if *fingerprint == PACKING_CUT_FINGERPRINT => {
            Ok(Arc::new(built_in(settings.sample())?.workload))
        }
        (None, WorkloadRef::Trace { fingerprint, name, .. }) => Err(Failure(format!(
            "trace: expected the trace \"{name}\" (fingerprint {fingerprint:032x}), got none; pass its file as trace"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_trace_is_the_one_that_presets_name() {
        let fingerprint = built_in(Sample::default()).expect("it reads").workload.fingerprint();
        assert_eq!(format!("{fingerprint:032x}"), format!("{PACKING_CUT_FINGERPRINT:032x}"));
    }
}
