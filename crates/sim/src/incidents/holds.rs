//! Holds that incidents put on machines; several incidents may hold the same machine.
//!
//! A machine that fails during an update is not ready again when only one of the two is over. So each incident holds
//! a machine separately, and the worst hold applies.

use alloc::collections::BTreeMap;

use tiebreak_model::{MachineId, Readiness};

/// One incident's hold on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hold {
    /// Whether the machine accepts VMs.
    pub(crate) readiness: Readiness,
    /// How likely it is to fail soon, in percent.
    pub(crate) risk: u8,
}

impl Hold {
    pub(crate) const FAILED: Self = Self { readiness: Readiness::Failed, risk: 0 };
    pub(crate) const UNREADY: Self = Self { readiness: Readiness::Unready, risk: 0 };

    /// A machine that may fail soon but still accepts VMs.
    pub(crate) const fn at_risk(risk: u8) -> Self {
        Self { readiness: Readiness::Ready, risk }
    }

    fn worse(self, other: Self) -> Self {
        Self { readiness: self.readiness.max(other.readiness), risk: self.risk.max(other.risk) }
    }
}

/// All holds, by machine and incident.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holds {
    by: BTreeMap<(MachineId, u32), Hold>,
}

impl Holds {
    /// Sets an incident's hold on a machine, replacing its earlier one.
    pub(crate) fn set(&mut self, machine: MachineId, incident: u32, hold: Hold) {
        self.by.insert((machine, incident), hold);
    }

    /// Removes an incident's hold on a machine.
    pub(crate) fn lift(&mut self, machine: MachineId, incident: u32) {
        self.by.remove(&(machine, incident));
    }

    /// The worst hold on a machine with this initial readiness.
    pub(crate) fn worst(&self, machine: MachineId, at_start: Readiness) -> Hold {
        let said = self.by.range((machine, 0)..=(machine, u32::MAX)).map(|(_, hold)| *hold);
        said.fold(Hold { readiness: at_start, risk: 0 }, Hold::worse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_as_bad_as_the_worst_that_is_said_of_it() {
        let (machine, mut holds) = (MachineId(4), Holds::default());
        let check = |holds: &Holds, at_start, readiness, risk| {
            assert_eq!(holds.worst(machine, at_start), Hold { readiness, risk }, "{holds:?}");
        };
        holds.set(MachineId(5), 0, Hold::FAILED);
        check(&holds, Readiness::Ready, Readiness::Ready, 0);
        check(&holds, Readiness::Unready, Readiness::Unready, 0);
        holds.set(machine, 1, Hold::UNREADY);
        holds.set(machine, 2, Hold::FAILED);
        holds.set(machine, 3, Hold::at_risk(80));
        holds.set(machine, 9, Hold::at_risk(30));
        check(&holds, Readiness::Ready, Readiness::Failed, 80);
        holds.lift(machine, 2);
        check(&holds, Readiness::Ready, Readiness::Unready, 80);
        holds.lift(machine, 1);
        holds.lift(machine, 3);
        check(&holds, Readiness::Ready, Readiness::Ready, 30);
    }
}
