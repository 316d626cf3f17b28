//! `MarkAtRisk` (Protean section 3.1, "likely to fail in the near future").

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Time, declare};

use super::holds::Hold;
use super::zone::Zone;
use super::{Incident, Kind, hours};

declare! {
    /// Machines become likely to fail soon. They keep their VMs and may take more.
    ///
    /// The rules decide what happens to them: a preference for healthier machines avoids them while others are
    /// available. (Protean section 3.1)
    pub struct MarkAtRisk as "Machines at risk" {
        /// How many machines, drawn at random from the whole zone.
        machines: u32 = 10, 1 => 1000000, "machines";
        /// How likely these machines are to fail soon.
        risk: u32 = 80, 1 => 100, "%";
        /// How long they stay at risk.
        hours: f64 = 24, 0 => 10000, "h";
    }
}

impl Kind for MarkAtRisk {
    fn begin(self) -> Box<dyn Incident> {
        Box::new(Suspicion { terms: self, suspected: None })
    }
}

struct Suspicion {
    terms: MarkAtRisk,
    suspected: Option<Vec<MachineId>>,
}

impl Incident for Suspicion {
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        if let Some(suspected) = self.suspected.take() {
            suspected.into_iter().for_each(|machine| zone.release(machine));
            return None;
        }
        let drawn = zone.draw_machines(self.terms.machines);
        for machine in &drawn {
            zone.hold(*machine, Hold::at_risk(self.terms.risk as u8));
        }
        self.suspected = Some(drawn);
        Some(zone.now() + hours(self.terms.hours))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::trial::{Trial, incident};

    #[test]
    fn machines_are_at_risk_for_a_while_and_as_much_as_the_worst_says() {
        let trial = Trial::new(5, 1).vms(8, 2, (30, 500));
        let incidents = [
            incident(60, &MarkAtRisk { machines: 3, risk: 80, hours: 1.0 }),
            incident(90, &MarkAtRisk { machines: 5, risk: 30, hours: 1.0 }),
        ];
        for (at, high, low) in [(50, 0, 0), (70, 3, 0), (100, 3, 2), (125, 0, 5), (155, 0, 0)] {
            let world = trial.at(at, &incidents);
            let with = |risk| (0..5).filter(|id| world.occupancy().record(MachineId(*id)).risk == risk).count();
            assert_eq!((with(80), with(30)), (high, low), "minute {at}");
        }
    }

    #[test]
    fn rules_that_do_not_look_at_it_decide_as_before() {
        let trial = Trial::new(5, 1).vms(8, 2, (30, 500)).vms(4, 1, (70, 500));
        let with = trial.run(&[incident(60, &MarkAtRisk { machines: 9, risk: 80, hours: 1.0 })]);
        assert_eq!(with.summary().digest, trial.run(&[]).summary().digest);
    }
}
