//! The run that the page opens with, made when the page is built.
//!
//! The same engine gives the same run everywhere, so its replies for this run are a file that is part of the page
//! ([`FirstRun`]). The page works with that file before any engine is loaded. The engine then repeats the run, and
//! the page compares the digest.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tiebreak_profile::Facts;
use tiebreak_scenario::{PRESETS, WorkloadRef};
use tiebreak_trace::Parsed;

use super::run::Run;
use super::trace_card::trace_card;
use crate::protocol::Reply;

/// An engine's replies for the page's first run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstRun {
    /// From loading the trace to the end of the run, in order.
    pub said: Vec<Reply>,
    /// The state of every machine, frame by frame.
    pub frames: Vec<u8>,
}

impl FirstRun {
    /// The number of the application's first run.
    pub const RUN: u32 = 1;

    /// Runs the initial scenario of the page on its trace.
    ///
    /// # Errors
    /// If the trace is another one, or the scenario cannot run on it.
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

    /// The digest of the run.
    #[must_use]
    pub fn digest(&self) -> Option<&str> {
        self.said.iter().find_map(|reply| match reply {
            Reply::Finished { result, .. } => Some(result.digest.as_str()),
            _ => None,
        })
    }
}
