//! `WhyPlaced`: which rule put a VM on its machine.

use tiebreak_model::{MachineId, Phrase, VmId, declare, phrase};
use tiebreak_sim::World;

use super::{Of, Question, Subject, Told, Work};
use crate::explaining::Again;
use crate::protocol::{Answer, Exhibit};
use crate::words;

declare! {
    /// Which rule put a VM on a machine: everything before that decision is decided again, with the uncached reference.
    pub struct WhyPlaced as "WhyPlaced" {
        /// The VM, by its place in the workload.
        vm: u32 = 0, 0 => 4294967295_u32, "";
        /// The machine, from 0.
        machine: u32 = 0, 0 => 4294967295_u32, "";
    }
}

impl Question for WhyPlaced {
    const OF: &'static [Of] = &[Of::Run];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        let world = of.world()?;
        let vms = world.plan().workload().vm_count();
        if self.vm >= vms {
            return Err(phrase!("expected a VM below {vms}, got {}", vms, self.vm));
        }
        let again = Again::new(world, VmId(self.vm), None);
        Ok(Told::Later(Box::new(Deciding { again, vm: VmId(self.vm), machine: MachineId(self.machine) })))
    }
}

/// The replay of everything before the decision.
struct Deciding {
    again: Again,
    vm: VmId,
    machine: MachineId,
}

impl Work for Deciding {
    fn work(&mut self) -> Option<Answer> {
        let told = |said| Answer::shown(vec![Exhibit { said: vec![said], ..Exhibit::default() }]);
        self.again.work().then(|| told(why(&self.again.world, self.vm, self.machine)))
    }

    fn share_done(&self) -> f64 {
        self.again.share_done()
    }
}

/// The decision that put a VM on a machine, in one sentence.
fn why(world: &World, vm: VmId, machine: MachineId) -> Phrase {
    let chose = |explanation: &tiebreak_placement::explain::Explanation| {
        explanation.winner.as_ref().is_some_and(|card| card.machine == machine)
    };
    let decision = world.probed().iter().rfind(|probed| probed.vm == vm && chose(&probed.explanation));
    match decision {
        Some(probed) => phrase!(
            "VM {} was placed at {}: {}",
            world.plan().workload().name(vm),
            words::time(probed.time.0 as f64),
            probed.explanation.sentence(world.plan().fleet())
        ),
        None => phrase!("No rule placed it there: it was moved while it ran."),
    }
}
