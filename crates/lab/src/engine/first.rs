//! The engine that makes the page live.
//!
//! It runs the scenario that the page opens with, on the trace that comes with it, and nothing
//! else: no documents are read, no predictor learns, nothing is explained. So it is small, and is
//! there before the whole [`Engine`](super::Engine), which the page puts in its place afterwards.

use std::sync::Arc;

use tiebreak_scenario::{PRESETS, WorkloadRef};
use tiebreak_trace::read_compact;

use super::run::Run;
use super::trace_card::trace_card;
use crate::protocol::Reply;

/// See the module.
#[derive(Default)]
pub struct First {
    run: Option<Run>,
}

impl core::fmt::Debug for First {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("First").finish_non_exhaustive()
    }
}

impl First {
    /// Begins the run of the scenario that the page opens with; its trace is a compact file.
    pub fn begin(&mut self, run: u32, trace: &[u8]) -> Vec<Reply> {
        let failed = |message: String| vec![Reply::Failed { run, message }];
        let document = (PRESETS[0].make)();
        let variant = document.active_variant();
        let WorkloadRef::Trace { fingerprint, name, .. } = &variant.workload else {
            return failed("the page's own scenario runs on no trace".into());
        };
        let parsed = match read_compact(trace) {
            Ok(parsed) if parsed.workload.fingerprint() == *fingerprint => parsed,
            Ok(_) => return failed("the page's own trace is another than its scenario was made for".into()),
            Err(error) => return failed(error.to_string()),
        };
        let card = trace_card(name.clone(), Vec::new(), *fingerprint, &parsed);
        match variant.untrained_plan(Arc::new(parsed.workload)) {
            Ok(plan) => {
                let (begun, started) = Run::begin(run, plan, false, (None, None));
                self.run = Some(begun);
                vec![Reply::TraceLoaded(card), started]
            }
            Err(error) => failed(error.to_string()),
        }
    }

    /// Whether there is more to do.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.run.as_ref().is_some_and(Run::is_moving)
    }

    /// Runs one slice; tells what is new when `tell` is set or the run ends.
    pub fn work(&mut self, tell: bool) -> Vec<Reply> {
        self.run.as_mut().filter(|run| run.is_moving()).map_or_else(Vec::new, |run| run.work(tell))
    }

    /// How every machine stands now, or the frames of the finished run.
    #[must_use]
    pub fn frame_bytes(&self) -> Vec<u8> {
        self.run.as_ref().map_or_else(Vec::new, Run::frame_bytes)
    }
}
