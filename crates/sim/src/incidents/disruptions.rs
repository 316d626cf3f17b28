//! State that a run keeps for its incidents, and the effects of incidents and evictions on VMs.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Occupancy, Time, VmId};

use super::copies::Copies;
use super::holds::Holds;
use super::residents::Residents;
use super::{Incident, Planned};
use crate::record::disruption::{Disruption, Fate};
use crate::system::{Arrival, Stay, System};

/// State that a run keeps for its incidents, and the effects of incidents and evictions on VMs.
pub(crate) struct Disruptions {
    pub(crate) under_way: Vec<Box<dyn Incident>>,
    pub(crate) holds: Holds,
    pub(crate) residents: Residents,
    pub(crate) copies: Copies,
    pub(crate) fates: BTreeMap<VmId, Fate>,
    /// How far utilization limits were raised, in points.
    pub(crate) limits_raised: f64,
    /// Whether lifetime rules are still to be rolled out.
    pub(crate) lifetimes_off: bool,
    pub(crate) list: Vec<Disruption>,
}

impl Disruptions {
    /// No incident has happened yet, in a zone of this many machines; `lifetimes_off` says whether lifetime rules are
    /// still to be rolled out.
    pub(crate) fn new(planned: &[(Time, Planned)], machines: u32, lifetimes_off: bool) -> Self {
        Self {
            under_way: planned.iter().map(|(_, incident)| incident.begin()).collect(),
            holds: Holds::default(),
            residents: Residents::new(if planned.is_empty() { 0 } else { machines }),
            copies: Copies::default(),
            fates: BTreeMap::new(),
            limits_raised: 0.0,
            lifetimes_off,
            list: Vec::new(),
        }
    }

    /// VMs that were on a machine at this moment and left it early, and since when they had been there.
    pub(crate) fn once_on(&self, machine: MachineId, at: Time) -> impl Iterator<Item = (VmId, Time)> + '_ {
        let there = move |it: &&Disruption| it.from == machine && it.since <= at && at < it.time;
        self.list.iter().filter(there).map(|it| (it.vm, it.since))
    }
}

impl System for Disruptions {
    /// The number of migrating VMs.
    type Sample = u32;
    type Summary = ();

    fn come(&mut self, Arrival { stay, .. }: &Arrival<'_>) {
        self.residents.add(stay.machine, stay.vm);
    }

    fn leave(&mut self, stay: &Stay<'_>) {
        self.residents.remove(stay.machine, stay.vm);
        self.copies.note_left(stay.vm, stay.machine);
    }

    fn sample(&mut self, _: Time, _: &Occupancy) -> u32 {
        self.copies.count()
    }

    fn summary(&self) {}
}
