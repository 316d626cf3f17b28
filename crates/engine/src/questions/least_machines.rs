//! `LeastMachines`: the machines with which a search for their number starts.

use tiebreak_model::{Phrase, declare};
use tiebreak_profile::sizing::{Bound, Mix};
use tiebreak_scenario::ClusterSettings;

use super::{Of, Question, Subject, Told};
use crate::protocol::{Answer, Found, Machines, Needs};

declare! {
    /// How many machines a workload needs however well its VMs are packed.
    pub struct LeastMachines as "LeastMachines" {
        /// How many VMs may be rejected; more is a weaker demand.
        reject_pct: f64 = 0.1, 0 => 99, "%";
        /// Machines of the kind that the workload suggests, instead of those that the variant has.
        is_suggested: bool = true, 0 => 1, "";
    }
}

impl Question for LeastMachines {
    const OF: &'static [Of] = &[Of::Document];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        let variant = of.variant()?;
        let workload = of.workload(&variant)?;
        let facts = of.facts(&workload);
        let suggested = facts.load.suggested();
        let kinds = match self.is_suggested {
            true => {
                vec![Machines { machines: 1, cores: suggested.cores.into(), memory_gib: suggested.memory_gib.into() }]
            }
            false => variant.clusters.iter().map(|it| machines(it.settings)).collect(),
        };
        let kind = |it: &Machines| (it.machines.into(), Mix::machine(it.cores, it.memory_gib));
        let mix = Mix::new(kinds.iter().map(kind));
        mix.can_hold(&workload, self.reject_pct / 100.0)?;
        let Bound { machines, by } = mix.bound(&facts.load);
        let needs = Needs { kinds, bound: machines, bound_by: by.title().to_owned(), told: mix.told() };
        Ok(Told::Now(Answer::found(Found::Needs(needs))))
    }
}

fn machines(settings: ClusterSettings) -> Machines {
    Machines { machines: settings.machines, cores: settings.cores, memory_gib: settings.memory_gib }
}
