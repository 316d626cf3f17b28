//! Placement debt: how scattered long-lived VMs are, by their true lifetimes (DVLA, OSDI 2026, its measures).
//!
//! A VM is long-lived if it runs for at least as long as the settings of affinity groups say, from its arrival to its
//! end; one that the trace does not see end is, too. So the measures are the same for every list and predictor.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Millis, Occupancy, Resource, Time, VmId, Workload};

use super::measures::Measures;

/// The share of a customer's VMs that are close together is of customers with this many VMs or more.
const CUSTOMER_VMS_MIN: u32 = 2;

/// The placement debt of a zone at a moment, or means over moments. NaN where there is nothing to divide by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Debt {
    /// Cores of long-lived VMs over the cores of machines with at least one of them, in percent.
    pub long_density_pct: f64,
    /// The machines with long-lived VMs less those that would do at the target density.
    pub machines: f64,
    /// Machines with a VM that has long to go and with less than half of their cores in use, in percent of machines
    /// in use.
    pub stranded_pct: f64,
    /// VMs on a machine with more than a threshold of their customer's VMs, in percent of the VMs of customers with
    /// at least two.
    pub vrar_pct: f64,
}

impl Debt {
    fn numbers(&self) -> [f64; 4] {
        [self.long_density_pct, self.machines, self.stranded_pct, self.vrar_pct]
    }

    const fn of([long_density_pct, machines, stranded_pct, vrar_pct]: [f64; 4]) -> Self {
        Self { long_density_pct, machines, stranded_pct, vrar_pct }
    }
}

/// What counts.
#[derive(Clone, Copy, Debug)]
struct Terms {
    long: Millis,
    /// The target density rho and the threshold theta, 0 to 1.
    target: f64,
    together: f64,
}

/// The measurements of a run.
#[derive(Clone, Debug)]
pub(crate) struct Debts {
    measures: Measures,
    terms: Terms,
    /// When the next one is due.
    due: Time,
    last: Option<Debt>,
    /// Sums over the counted measurements, and how many gave each.
    sums: [(f64, u32); 4],
}

impl Debts {
    /// With measurements as often as `measures` say, of VMs that run for this many days.
    pub(crate) fn new(measures: Measures, long_days: f64) -> Self {
        let long = Millis((long_days * Millis::DAY.0 as f64) as u64);
        let terms = Terms { long, target: measures.debt_density_pct / 100.0, together: measures.vrar_pct / 100.0 };
        Self { measures, terms, due: Time::ZERO, last: None, sums: [(0.0, 0); 4] }
    }

    /// Whether a measurement is due.
    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.measures.debt_every().is_some() && now >= self.due
    }

    /// Measures the zone with these running VMs on it.
    pub(crate) fn measure(
        &mut self,
        now: Time,
        zone: &Occupancy,
        running: impl Iterator<Item = (VmId, MachineId)>,
        workload: &Workload,
    ) {
        let Some(every) = self.measures.debt_every() else { return };
        self.due = self.due + Millis(every.0 * (now.since(self.due).0 / every.0 + 1));
        let debt = measured(&self.terms, now, zone, running, workload);
        self.last = Some(debt);
        if now >= self.measures.measured_from() {
            for ((sum, count), value) in self.sums.iter_mut().zip(debt.numbers()) {
                if !value.is_nan() {
                    (*sum, *count) = (*sum + value, *count + 1);
                }
            }
        }
    }

    /// The last measurement; `None` before the first.
    pub(crate) fn last(&self) -> Option<Debt> {
        self.last
    }

    /// The means over all measurements; `None` if there are none.
    pub(crate) fn means(&self) -> Option<Debt> {
        self.last.map(|_| Debt::of(self.sums.map(|(sum, count)| sum / f64::from(count))))
    }
}

/// What a machine holds.
#[derive(Clone, Copy, Default)]
struct Held {
    long_cores: u64,
    has_long: bool,
    /// Whether one of its VMs has long to go.
    stays_long: bool,
}

fn measured(
    terms: &Terms,
    now: Time,
    zone: &Occupancy,
    running: impl Iterator<Item = (VmId, MachineId)>,
    workload: &Workload,
) -> Debt {
    let fleet = zone.fleet();
    let mut machines = vec![Held::default(); fleet.machine_count() as usize];
    let mut customers: BTreeMap<u64, Vec<MachineId>> = BTreeMap::new();
    for (vm, machine) in running {
        let (request, end) = (workload.request_of(vm), workload.end(vm));
        customers.entry(workload.tenant(request)).or_default().push(machine);
        let held = &mut machines[machine.index()];
        held.stays_long |= end.since(now) >= terms.long;
        if end.since(workload.at(request)) >= terms.long {
            held.has_long = true;
            held.long_cores += u64::from(workload.shape_of_vm(vm).demand.cores_milli());
        }
    }
    let (mut held, mut all, mut debt, mut stranded) = (0, 0, 0.0, 0_u32);
    for cluster in fleet.clusters() {
        let cores = u64::from(cluster.capacity.cores_milli());
        let of_cluster = || cluster.machines().map(|id| (MachineId(id), &machines[id as usize]));
        let count = of_cluster().filter(|(_, it)| it.has_long).count() as u64;
        let long_cores: u64 = of_cluster().map(|(_, it)| it.long_cores).sum();
        (held, all) = (held + long_cores, all + count * cores);
        let needed = libm::ceil(long_cores as f64 / (terms.target * cores as f64));
        debt += (count as f64 - needed).max(0.0);
        let half_empty = |id| 2 * u64::from(zone.record(id).free[Resource::Cores]) > cores;
        stranded += of_cluster().filter(|(id, it)| it.stays_long && half_empty(*id)).count() as u32;
    }
    let pct = |part: f64, whole: f64| if whole > 0.0 { 100.0 * part / whole } else { f64::NAN };
    let together = together(customers, terms.together);
    Debt {
        long_density_pct: pct(held as f64, all as f64),
        machines: debt,
        stranded_pct: pct(f64::from(stranded), f64::from(zone.zone().busy)),
        vrar_pct: pct(f64::from(together.0), f64::from(together.1)),
    }
}

/// The VMs on a machine with more than this share of their customer's VMs, and all VMs of these customers.
fn together(customers: BTreeMap<u64, Vec<MachineId>>, share: f64) -> (u32, u32) {
    let (mut close, mut all) = (0, 0);
    for mut on in customers.into_values().filter(|on| on.len() as u32 >= CUSTOMER_VMS_MIN) {
        on.sort_unstable();
        let limit = share * on.len() as f64;
        all += on.len() as u32;
        close += on.chunk_by(|one, other| one == other).map(<[_]>::len).filter(|vms| *vms as f64 > limit).sum::<usize>()
            as u32;
    }
    (close, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affinity::settings::AffinitySettings;
    use crate::world::World;
    use crate::world::trial::Trial;

    /// Four machines of 4 cores, filled in order.
    fn measured_at(minute: i64, long_days: f64) -> Debt {
        let mut trial = Trial::new(4, 1).rule("IsClusterBelowLimit", &[100.0]).rule("FirstFit", &[]);
        trial = trial.vdc(1, 3, 1, (0, 30)).vms(1, 1, (0, 1_400)).vdc(2, 2, 2, (0, 1_400)).vms(1, 4, (0, 20));
        trial = trial.vms(1, 1, (0, 1_400));
        let measures = Measures { debt_hours: 0.01, debt_density_pct: 100.0, ..Measures::default() };
        let affinity = AffinitySettings { long_days, ..AffinitySettings::default() };
        let mut world = World::new(trial.plan(true, &[]).with_measures(measures).with_affinity(&affinity));
        world.warm_up();
        while world.progress().time <= crate::world::trial::minute(minute) {
            world.advance(1);
        }
        world.debt().expect("it is measured")
    }

    #[test]
    fn scattered_long_lived_vms_are_debt() {
        // Machine 0 holds three short VMs and a long one of 1 core, machine 1 two long ones of 2 cores, machine 2 a short
        // one, and machine 3 a long one of 1 core.
        let debt = measured_at(10, 0.5);
        assert_eq!(debt.long_density_pct, 50.0);
        assert_eq!(debt.machines, 1.0, "two machines have 6 cores");
        assert_eq!(debt.stranded_pct, 25.0, "machine 3");
        // Customer 1 has all three on machine 0 and customer 2 both on machine 1; the others have one VM.
        assert_eq!(debt.vrar_pct, 100.0);
        let later = measured_at(60, 0.5);
        assert_eq!((later.long_density_pct, later.stranded_pct), (50.0, 200.0 / 3.0), "machine 0, too");
        let none = measured_at(10, 5.0);
        assert!(none.long_density_pct.is_nan() && none.machines == 0.0 && none.stranded_pct == 0.0);
    }

    #[test]
    fn vms_are_together_where_a_machine_has_more_than_the_share_of_their_customer() {
        let on = |machines: &[u32]| machines.iter().copied().map(MachineId).collect::<Vec<_>>();
        let of = |machines: &[u32], share| together(BTreeMap::from([(1, on(machines))]), share);
        assert_eq!(of(&[1], 0.0), (0, 0), "one VM is always together");
        assert_eq!((of(&[1, 2], 0.5), of(&[1, 1], 0.5)), ((0, 2), (2, 2)));
        assert_eq!((of(&[2, 1, 2, 3], 0.4), of(&[2, 1, 2, 3], 0.5)), ((2, 4), (0, 4)));
    }
}
