//! What the workload asks of machines and agents: counted once for each workload.

use std::sync::{Arc, Weak};

use tiebreak_model::Workload;
use tiebreak_profile::Facts;

/// The facts of the workload that was asked about last.
#[derive(Default)]
pub(super) struct Known {
    of: Weak<Workload>,
    facts: Option<Arc<Facts>>,
}

impl Known {
    /// Those of this workload.
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
