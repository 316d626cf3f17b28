//! What the workload asks of machines and agents: counted once for each workload.

use std::sync::{Arc, Weak};

use tiebreak_model::{Phrase, Workload};
use tiebreak_profile::Facts;
use tiebreak_profile::sizing::{Bound, Mix};
use tiebreak_scenario::Variant;

use crate::protocol::{Machines, Needs};

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

/// The machines that a search for their number begins with: of the kind that the workload suggests, or of the variant's.
pub(super) fn needs(
    (facts, workload): (&Facts, &Workload),
    variant: &Variant,
    is_suggested: bool,
    reject_pct: f64,
) -> Result<Needs, Phrase> {
    let suggested = facts.load.suggested();
    let kinds = match is_suggested {
        true => vec![Machines { machines: 1, cores: suggested.cores.into(), memory_gib: suggested.memory_gib.into() }],
        false => variant.clusters.iter().map(|it| machines(it.settings)).collect(),
    };
    let mix = Mix::new(kinds.iter().map(|it: &Machines| (it.machines.into(), Mix::machine(it.cores, it.memory_gib))));
    mix.can_hold(workload, reject_pct / 100.0)?;
    let Bound { machines, by } = mix.bound(&facts.load);
    Ok(Needs { kinds, bound: machines, bound_by: by.title().to_owned(), told: mix.told() })
}

fn machines(settings: tiebreak_scenario::ClusterSettings) -> Machines {
    Machines { machines: settings.machines, cores: settings.cores, memory_gib: settings.memory_gib }
}
