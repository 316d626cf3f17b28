//! Tracks low-priority VMs per machine, and chooses which of them to evict for a VM of the highest priority: as few
//! as possible (Protean section 2.1).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, MachineRecord, VmId, VmShape};

/// The low-priority VMs on each machine, in order of arrival. Only tracked if the policy allows evictions.
#[derive(Clone, Debug)]
pub(crate) struct Evictable {
    kept: bool,
    on: BTreeMap<MachineId, Vec<(VmId, VmShape)>>,
}

impl Evictable {
    /// For an empty zone; tracks VMs only if they can be evicted.
    pub(crate) fn new(kept: bool) -> Self {
        Self { kept, on: BTreeMap::new() }
    }

    /// A VM arrived.
    pub(crate) fn add(&mut self, machine: MachineId, vm: VmId, shape: &VmShape) {
        if self.kept && shape.is_evictable() {
            self.on.entry(machine).or_default().push((vm, *shape));
        }
    }

    /// A VM left.
    pub(crate) fn remove(&mut self, machine: MachineId, vm: VmId, shape: &VmShape) {
        if !self.kept || !shape.is_evictable() {
            return;
        }
        if let Some(vms) = self.on.get_mut(&machine) {
            vms.retain(|(other, _)| *other != vm);
            if vms.is_empty() {
                self.on.remove(&machine);
            }
        }
    }

    /// The machine with this VM added and others evicted: the latest first until there is room, except those that
    /// turn out to be unnecessary. `None` if that is not enough.
    pub(crate) fn make_room(
        &self,
        machine: MachineId,
        record: MachineRecord,
        vm: &VmShape,
        victims: &mut Vec<(MachineId, VmId)>,
    ) -> Option<MachineRecord> {
        let gone = |other: &VmId| victims.contains(&(machine, *other));
        let here: Vec<_> = self.on.get(&machine)?.iter().rev().filter(|(other, _)| !gone(other)).collect();
        let mut chosen = Vec::new();
        let mut left = record;
        for (other, shape) in here {
            if left.free.covers(vm.demand) {
                break;
            }
            left = left.without(shape);
            chosen.push((*other, *shape));
        }
        chosen.retain(|(_, shape)| match left.with(shape).filter(|kept| kept.free.covers(vm.demand)) {
            Some(kept) => {
                left = kept;
                false
            }
            None => true,
        });
        let after = left.with(vm)?;
        victims.extend(chosen.into_iter().map(|(other, _)| (machine, other)));
        Some(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::{Readiness, Resources};

    fn spot(cores: u32) -> VmShape {
        VmShape { priority: 1, ..VmShape::plain(Resources::new(cores, 0, 0, 0)) }
    }

    #[test]
    fn as_few_as_will_do_are_put_out_the_latest_first() {
        for (cores, wanted, expected) in [
            (&[1, 2, 4][..], 3, Some(&[2][..])),
            (&[4, 2, 1], 3, Some(&[1, 2])),
            (&[4, 1, 1], 4, Some(&[0])),
            (&[1, 1, 1], 4, None),
        ] {
            let machine = MachineId(0);
            let (mut evictable, mut victims) = (Evictable::new(true), Vec::new());
            let total: u32 = cores.iter().sum();
            let mut record = MachineRecord::empty(Resources::new(total, 0, 0, 0), Readiness::Ready);
            for (id, cores) in (0..).zip(cores) {
                evictable.add(machine, VmId(id), &spot(*cores));
                record = record.with(&spot(*cores)).expect("it fits");
            }
            let vm = VmShape::plain(Resources::new(wanted, 0, 0, 0));
            let after = evictable.make_room(machine, record, &vm, &mut victims);
            assert_eq!(after.is_some(), expected.is_some(), "{cores:?}, {wanted}");
            let mut out: Vec<_> = victims.iter().map(|(_, vm)| vm.0).collect();
            out.sort_unstable();
            assert_eq!(out, expected.unwrap_or_default(), "{cores:?}, {wanted}");
        }
    }
}
