//! What incidents say about machines, several of them perhaps about the same one.
//!
//! A machine that fails while it is being updated is not ready again when only one of the
//! two is over. So each incident holds a machine for itself, and the machine is as bad as
//! the worst that is said of it.

use alloc::collections::BTreeMap;

use tiebreak_model::{MachineId, Readiness};

/// What one incident says about a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hold {
    /// Whether it takes VMs.
    pub(crate) readiness: Readiness,
    /// How likely it is to fail soon, in percent.
    pub(crate) risk: u8,
}

impl Hold {
    pub(crate) const FAILED: Self = Self { readiness: Readiness::Failed, risk: 0 };
    pub(crate) const UNREADY: Self = Self { readiness: Readiness::Unready, risk: 0 };

    /// A machine that may fail soon and takes VMs all the same.
    pub(crate) const fn at_risk(risk: u8) -> Self {
        Self { readiness: Readiness::Ready, risk }
    }

    fn worse(self, other: Self) -> Self {
        Self { readiness: self.readiness.max(other.readiness), risk: self.risk.max(other.risk) }
    }
}

/// Everything that is said, by machine and incident.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holds {
    by: BTreeMap<(MachineId, u32), Hold>,
}

impl Holds {
    /// An incident says this of a machine, and nothing else any more.
    pub(crate) fn set(&mut self, machine: MachineId, incident: u32, hold: Hold) {
        self.by.insert((machine, incident), hold);
    }

    /// An incident says nothing of a machine any more.
    pub(crate) fn lift(&mut self, machine: MachineId, incident: u32) {
        self.by.remove(&(machine, incident));
    }

    /// The worst of what is said of a machine that was like this in the beginning.
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
