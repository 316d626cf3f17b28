//! Facts about a workload's demand on machines and agents, computed once per workload.

use std::sync::{Arc, Weak};

use tiebreak_model::Workload;
use tiebreak_profile::Facts;

/// The facts of the last workload.
#[derive(Default)]
pub(super) struct Known {
    of: Weak<Workload>,
    facts: Option<Arc<Facts>>,
}

impl Known {
    /// The facts of this workload.
    pub(super) fn facts(&mut self, workload: &Arc<Workload>) -> Arc<Facts> {
        match &self.facts {
            Some(facts) if Weak::as_ptr(&self.of) == Arc::as_ptr(workload) => facts.clone(),
            _ => {
                let facts = Arc::new(Facts::of(workload));
                (self.of, self.facts) = (Arc::downgrade(workload), Some(facts.clone()));
                facts
            }
        }
    }
}
