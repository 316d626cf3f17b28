//! The run that the page opens with, made when the page is built.
//!
//! The same engine gives the same run wherever it is made, so what it tells of this one is a file that comes with the
//! page ([`FirstRun`]). The page is live with that, before any engine has been loaded; the engine then makes the run
//! once more, and the page holds it to the digest.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tiebreak_profile::Facts;
use tiebreak_scenario::{PRESETS, WorkloadRef};
use tiebreak_trace::Parsed;

use super::run::Run;
use super::trace_card::trace_card;
use crate::protocol::Reply;

/// What an engine tells of the page's first run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstRun {
    /// From the trace to the end of the run, in order.
    pub said: Vec<Reply>,
    /// How every machine stood, frame by frame.
    pub frames: Vec<u8>,
}

impl FirstRun {
    /// The number that the application gives the first run that it asks for.
    pub const RUN: u32 = 1;

    /// Runs the scenario that the page opens with on its trace.
    ///
    /// # Errors
    /// When the trace is another one, or the scenario cannot run on it.
    pub fn make(trace: Parsed) -> Result<Self, String> {
        let document = (PRESETS[0].make)();
        let variant = document.active_variant();
        let WorkloadRef::Trace { fingerprint, name, .. } = &variant.workload else {
            return Err("the page's own scenario runs on no trace".into());
        };
        let card = trace_card(name.clone(), Vec::new(), *fingerprint, &trace);
        if trace.workload.fingerprint() != *fingerprint {
            return Err("the page's own trace is another than its scenario was made for".into());
        }
        let facts = Arc::new(Facts::of(&trace.workload));
        let plan = variant.untrained_plan(Arc::new(trace.workload)).map_err(|error| error.to_string())?;
        let (mut run, started) = Run::begin(Self::RUN, (plan, facts), false, (None, None, None));
        let mut said = vec![Reply::TraceLoaded(card), started];
        while run.is_moving() {
            said.extend(run.work(false));
        }
        Ok(Self { said, frames: run.frame_bytes() })
    }

    /// The digest of what was decided.
    #[must_use]
    pub fn digest(&self) -> Option<&str> {
        self.said.iter().find_map(|reply| match reply {
            Reply::Finished { result, .. } => Some(result.digest.as_str()),
            _ => None,
        })
    }
}
