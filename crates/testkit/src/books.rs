//! A second and much simpler book-keeping than the simulator's own: it walks the record
//! of decisions and lets VMs leave when their time has come. It knows no rules, agents
//! or views.

use std::collections::BTreeMap;

use tiebreak_model::{Fleet, MachineId, Resource, Resources, Time, VmId, Workload};

/// What is held where, and what that adds up to over time.
pub(crate) struct Books<'a> {
    workload: &'a Workload,
    fleet: &'a Fleet,
    held: BTreeMap<MachineId, (Resources, u32)>,
    leaving: BTreeMap<(Time, VmId), MachineId>,
    at: Time,
    /// Milliseconds, and those times the share of empty machines.
    empty: (f64, f64),
    /// Milliseconds with a busy machine, and those times the packing density.
    dense: (f64, f64),
}

impl<'a> Books<'a> {
    pub(crate) fn new(workload: &'a Workload, fleet: &'a Fleet) -> Self {
        let none = (0.0, 0.0);
        Self {
            workload,
            fleet,
            held: BTreeMap::new(),
            leaving: BTreeMap::new(),
            at: Time::ZERO,
            empty: none,
            dense: none,
        }
    }

    fn demand(&self, vm: VmId) -> Resources {
        self.workload.shape(self.workload.shape_of(vm)).demand
    }

    /// Whether these VMs fit on these machines, all together, now.
    pub(crate) fn fit(&self, vms: &[(VmId, MachineId)]) -> bool {
        let mut held = self.held.clone();
        vms.iter().all(|(vm, machine)| {
            let (sum, _) = held.entry(*machine).or_default();
            match sum.checked_add(self.demand(*vm)) {
                Some(more) => *sum = more,
                None => return false,
            }
            self.fleet.capacity(*machine).covers(*sum)
        })
    }

    /// Everything that happens up to `time`, departures at that very instant included.
    /// Nobody leaves after the horizon.
    pub(crate) fn advance(&mut self, time: Time) {
        while let Some((&(end, vm), &machine)) = self.leaving.first_key_value() {
            if end > time.min(self.workload.horizon()) {
                break;
            }
            self.hold_until(end);
            self.leaving.remove(&(end, vm));
            self.give_back(vm, machine);
        }
        self.hold_until(time);
    }

    /// Puts a VM on a machine; one whose time is over already is gone at once.
    pub(crate) fn place(&mut self, vm: VmId, machine: MachineId, now: Time) -> Result<(), String> {
        let demand = self.demand(vm);
        let (sum, vms) = self.held.entry(machine).or_default();
        *sum = sum
            .checked_add(demand)
            .filter(|sum| self.fleet.capacity(machine).covers(*sum))
            .ok_or_else(|| format!("machine {machine} is over-committed at {} ms by VM {vm}", now.0))?;
        *vms += 1;
        if self.workload.end(vm) > now || now == Time::ZERO {
            self.leaving.insert((self.workload.end(vm), vm), machine);
        } else {
            self.give_back(vm, machine);
        }
        Ok(())
    }

    fn give_back(&mut self, vm: VmId, machine: MachineId) {
        let demand = self.demand(vm);
        let (sum, vms) = self.held.get_mut(&machine).expect("a VM leaves where it was placed");
        *sum = sum.checked_sub(demand).expect("a VM gives back what it took");
        *vms -= 1;
    }

    fn hold_until(&mut self, time: Time) {
        let time = time.min(self.workload.horizon());
        let held = time.since(self.at).0 as f64;
        if held == 0.0 {
            return;
        }
        self.at = time;
        let machines = f64::from(self.fleet.machine_count());
        self.empty = (self.empty.0 + held, self.empty.1 + held * self.empty_hosts() / machines);
        let busy: u64 = self.busy().map(|machine| u64::from(self.fleet.capacity(machine).cores_milli())).sum();
        if busy > 0 {
            self.dense = (self.dense.0 + held, self.dense.1 + held * self.cores_milli() as f64 / busy as f64);
        }
    }

    fn busy(&self) -> impl Iterator<Item = MachineId> {
        self.held.iter().filter(|(_, (_, vms))| *vms > 0).map(|(machine, _)| *machine)
    }

    fn cores_milli(&self) -> u64 {
        self.held.values().map(|(sum, _)| u64::from(sum[Resource::Cores])).sum()
    }

    pub(crate) fn empty_hosts(&self) -> f64 {
        f64::from(self.fleet.machine_count() - self.busy().count() as u32)
    }

    pub(crate) fn live_vms(&self) -> f64 {
        f64::from(self.held.values().map(|(_, vms)| vms).sum::<u32>())
    }

    /// What a machine holds, and how many VMs that is.
    pub(crate) fn on(&self, machine: MachineId) -> (Resources, u32) {
        self.held.get(&machine).copied().unwrap_or_default()
    }

    /// Time-weighted means so far, in percent: empty hosts and packing density.
    pub(crate) fn means_pct(&self) -> (f64, f64) {
        let mean = |(weight, sum): (f64, f64)| if weight > 0.0 { 100.0 * sum / weight } else { 0.0 };
        (mean(self.empty), mean(self.dense))
    }
}
