//! `LavaHostClass`: LAVA's choice of hosts by lifetime class (LAVA section 4.3, Algorithm 3).

use tiebreak_model::{MachineView, Phase, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

declare! {
    /// Fills recycling machines with shorter-lived VMs (LAVA): first recycling machines of a higher lifetime class,
    /// the closest class first; then open machines of the same class; then other used machines; then empty ones.
    ///
    /// A VM that lives much shorter than those already on the machine does not keep it busy longer, even if its
    /// prediction is wrong. An empty machine opens for the class of its first VM. Once it is full, it recycles.
    /// When the VMs that it waits for have exited, its class drops. When it passes its deadline, its class rises.
    /// The classes, and when a machine counts as full, are set next to the predictor. Put TemporalCost just below:
    /// it breaks the ties, as in the paper. (LAVA section 4.3; Algorithm 3)
    pub struct LavaHostClass as "Match lifetime class (LAVA)" {}
}

impl Preference for LavaHostClass {
    type Reach = OfMachine;
    type Key = u32;
    const LEVELS: Option<u32> = Some(7);

    fn key(&self, vm: &VmRequest) -> u32 {
        u32::from(vm.life.class)
    }

    fn score(&self, class: &u32, machine: MachineView<'_>) -> f64 {
        let (phase, host) = machine.lifetime_class();
        let host = u32::from(host);
        let level = match phase {
            // There are five classes, so a higher one is one to four above.
            Phase::Recycling if host > *class => (host - class - 1).min(3),
            Phase::Open if host == *class => 4,
            _ if machine.vms() > 0 => 5,
            _ => 6,
        };
        f64::from(level) / 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::sync::Arc;
    use tiebreak_model::{ClusterSpec, Fleet, HostLife, MachineId, MachineRecord, Occupancy, Resources};

    /// For a VM of class 1: recycling hosts of higher classes (the lower the better), then open ones of its own
    /// class, then any in use, then empty ones.
    #[test]
    fn hosts_are_preferred_in_this_order() {
        let spec = ClusterSpec {
            name: "c".into(),
            machines: 1,
            racks: 1,
            capacity: Resources::new(8, 8, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let mut zone = Occupancy::empty(Arc::new(Fleet::build(&[spec]).expect("a fleet")));
        for (vms, phase, class, level) in [
            (1, Phase::Recycling, 2, 0.0),
            (1, Phase::Recycling, 3, 1.0),
            (1, Phase::Recycling, 4, 2.0),
            (1, Phase::Recycling, 5, 3.0),
            (1, Phase::Open, 1, 4.0),
            (1, Phase::Open, 2, 5.0),
            (1, Phase::Recycling, 1, 5.0),
            (0, Phase::Open, 0, 6.0),
        ] {
            let record = zone.record(MachineId(0));
            let life = HostLife { phase, class, ..record.life };
            zone.set(MachineId(0), MachineRecord { vms, life, ..record });
            let score = LavaHostClass {}.score(&1, zone.machine(MachineId(0)));
            assert_eq!(score, level / 6.0, "{phase:?} {class}");
        }
    }
}
