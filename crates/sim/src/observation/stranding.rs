//! Stranded capacity: free, but unusable for the VMs that are requested (LAVA section 2.3).
//!
//! A copy of the zone is filled with a mix of the workload's VMs until none of them fits. The mix is drawn from all
//! VMs of the workload, so a shape's share of it follows its share of requests. It is placed in rounds, each VM on
//! the fullest machine with room; fullness is measured once, before the first round. A machine without room for a VM
//! never gets room again. So for each shape the machines before its last one need not be checked again, and a fill
//! takes one step per VM placed plus one per shape and machine.

use alloc::vec::Vec;

use tiebreak_model::random::{Seed, Stream, pick};
use tiebreak_model::{MachineId, Millis, Occupancy, Readiness, Resource, Resources, Time, VmId, Workload};

use super::measures::Measures;

/// The number of VMs in a mix: shapes rarer than about one in this many are mostly missing.
const MIX_SIZE: u64 = 256;

/// A representative sample of requested VMs.
#[derive(Clone, Debug)]
pub(crate) struct Mix {
    demands: Vec<Resources>,
    /// The VMs of a round, as indices into the demands.
    round: Vec<usize>,
}

/// Stranded capacity, in percent of the zone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stranded {
    pub(crate) cores_pct: f64,
    pub(crate) memory_pct: f64,
}

impl Mix {
    /// VMs drawn from a workload, with their demands.
    pub(crate) fn draw(workload: &Workload, stream: &Stream) -> Self {
        let vm = |draw| VmId(pick(stream.draw(draw, 0), workload.vm_count()));
        Self::of((0..MIX_SIZE).map(|draw| workload.shape_of_vm(vm(draw)).demand))
    }

    fn of(vms: impl Iterator<Item = Resources>) -> Self {
        let mut demands = Vec::new();
        let place = |demand: Resources| {
            demands.iter().position(|other| *other == demand).unwrap_or_else(|| {
                demands.push(demand);
                demands.len() - 1
            })
        };
        let round = vms.filter(|demand| *demand != Resources::NONE).map(place).collect();
        Self { demands, round }
    }

    /// Fills a copy of the zone, round after round, until a round placed less than this share of the mix, or nothing,
    /// and measures what is left. Machines that accept no VMs are not filled, and their free capacity is not
    /// stranded.
    pub(crate) fn fill(&self, occupancy: &Occupancy, while_pct: f64) -> Stranded {
        let mut free = by_fullness(occupancy);
        let mut first = alloc::vec![0; self.demands.len()];
        let mut round = self.round.clone();
        let least = while_pct / 100.0 * self.round.len() as f64;
        while !round.is_empty() && round.len() as f64 >= least {
            round.retain(|demand| take(&mut free, &mut first[*demand], self.demands[*demand]));
        }
        let left = |resource: Resource| free.iter().map(|left| u64::from(left[resource])).sum::<u64>() as f64;
        let clusters = occupancy.fleet().clusters();
        let pct = |resource| {
            let all: u64 = clusters.iter().map(|cluster| cluster.total(resource)).sum();
            if all == 0 { 0.0 } else { 100.0 * left(resource) / all as f64 }
        };
        Stranded { cores_pct: pct(Resource::Cores), memory_pct: pct(Resource::Memory) }
    }
}

/// The fills of a run.
#[derive(Clone, Debug)]
pub(crate) struct Fills {
    measures: Measures,
    mix: Option<Mix>,
    /// When the next fill is due.
    due: Time,
    /// Stranded cores and memory at the last fill, in percent; NaN before the first.
    pub(crate) last: [f64; 2],
    /// Sums over the counted fills, and their number.
    sums: [f64; 2],
    counted: u32,
}

impl Fills {
    /// For a zone and this workload, with fills as often as `measures` say.
    pub(crate) fn new(measures: Measures, workload: &Workload, seed: Seed) -> Self {
        let wanted = measures.fill_every().is_some();
        let mix = wanted.then(|| Mix::draw(workload, &seed.stream("stranding mix")));
        Self { measures, mix, due: Time::ZERO, last: [f64::NAN; 2], sums: [0.0; 2], counted: 0 }
    }

    /// Fills the zone if a fill is due.
    pub(crate) fn look(&mut self, now: Time, occupancy: &Occupancy) {
        let (Some(mix), Some(every)) = (&self.mix, self.measures.fill_every()) else { return };
        if now < self.due {
            return;
        }
        let times = now.since(self.due).0 / every.0 + 1;
        self.due = self.due + Millis(every.0 * times);
        let Stranded { cores_pct, memory_pct } = mix.fill(occupancy, self.measures.fill_while_pct);
        self.last = [cores_pct, memory_pct];
        if now >= self.measures.measured_from() {
            self.sums = [self.sums[0] + cores_pct, self.sums[1] + memory_pct];
            self.counted += 1;
        }
    }

    /// Mean stranded capacity, in percent; `None` if the zone was never filled.
    pub(crate) fn means(&self) -> Option<[f64; 2]> {
        (self.counted > 0).then(|| self.sums.map(|sum| sum / f64::from(self.counted)))
    }
}

/// The free capacity of each machine that accepts VMs, the fullest first: by the mean used share of its cores and
/// memory, as in `BestFit`, ties by id.
fn by_fullness(occupancy: &Occupancy) -> Vec<Resources> {
    let fleet = occupancy.fleet();
    let ready = |machine: MachineId| {
        let (record, capacity) = (occupancy.record(machine), fleet.capacity(machine));
        let share = |of: Resource| match capacity[of] {
            0 => 0.0,
            all => f64::from(record.free[of]) / f64::from(all),
        };
        let free_share = share(Resource::Cores) + share(Resource::Memory);
        (record.readiness == Readiness::Ready).then_some((free_share, record.free))
    };
    let mut machines: Vec<_> = (0..fleet.machine_count()).map(MachineId).filter_map(ready).collect();
    machines.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    machines.into_iter().map(|(_, free)| free).collect()
}

/// Places a VM on the first machine with room, starting at `first`. Returns whether there is one.
fn take(free: &mut [Resources], first: &mut usize, demand: Resources) -> bool {
    let Some(at) = free[*first..].iter().position(|free| free.covers(demand)) else {
        *first = free.len();
        return false;
    };
    *first += at;
    free[*first] = free[*first].saturating_sub(demand);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::sync::Arc;
    use alloc::vec;
    use tiebreak_model::{ClusterSpec, Fleet, VmShape};

    fn demand(cores: u32, memory: u32) -> Resources {
        Resources::new(1_000 * cores, 1_024 * memory, 0, 0)
    }

    /// Machines of 10 cores and 10 GiB with this in use, the last `unready` of them not ready.
    fn zone(used: &[(u32, u32)], unready: u32) -> Occupancy {
        let machines = used.len() as u32;
        let capacity = demand(10, 10);
        let spec = ClusterSpec { name: "c".into(), machines, racks: 1, capacity, unready, datacenter: 0, chassis: 1 };
        let mut occupancy = Occupancy::empty(Arc::new(Fleet::build(&[spec]).expect("a fleet")));
        for (machine, (cores, memory)) in (0..).map(MachineId).zip(used) {
            let vm = VmShape::plain(demand(*cores, *memory));
            occupancy.set(machine, occupancy.record(machine).with(&vm).expect("it fits"));
        }
        occupancy
    }

    #[test]
    fn what_no_vm_of_the_mix_can_use_is_stranded() {
        let (even, small) = (demand(2, 2), demand(1, 1));
        for (used, unready, mix, while_pct, expected) in [
            // All can be used, or nothing of the rest.
            (&[(0, 0)][..], 0, vec![even], 0.0, (0.0, 0.0)),
            (&[(9, 9)], 0, vec![even], 0.0, (10.0, 10.0)),
            (&[(9, 9)], 0, vec![even, small], 0.0, (0.0, 0.0)),
            // The round in which one of two VMs no longer fits is the last one, or is not.
            (&[(4, 4)], 0, vec![demand(3, 3), small], 60.0, (10.0, 10.0)),
            (&[(4, 4)], 0, vec![demand(3, 3), small], 50.0, (0.0, 0.0)),
            // Memory without cores, and remainders.
            (&[(10, 4)], 0, vec![even, small], 0.0, (0.0, 60.0)),
            (&[(5, 0), (0, 0)], 0, vec![even], 0.0, (5.0, 30.0)),
            // The fullest machine gets the first VM, so the other has room for the second.
            (&[(0, 0), (7, 7)], 0, vec![demand(3, 3), demand(10, 10)], 0.0, (0.0, 0.0)),
            (&[(0, 0), (6, 6)], 0, vec![demand(3, 3), demand(10, 10)], 0.0, (5.0, 5.0)),
            // Machines that are not ready are not filled, and not stranded.
            (&[(0, 0), (9, 9)], 1, vec![even], 0.0, (0.0, 0.0)),
            // VMs that request more than there is, or nothing, fill nothing.
            (&[(5, 5)], 0, vec![demand(11, 1), Resources::NONE], 0.0, (50.0, 50.0)),
        ] {
            let Stranded { cores_pct, memory_pct } = Mix::of(mix.iter().copied()).fill(&zone(used, unready), while_pct);
            assert_eq!((cores_pct, memory_pct), expected, "{used:?}, {mix:?}");
        }
    }

    #[test]
    fn a_mix_is_what_is_asked_for_and_a_fill_ends_when_none_fits() {
        let workload = crate::workload::generate::GeneratedWorkload::default().generate(Seed(5));
        let mix = Mix::draw(&workload, &Seed(5).stream("stranding mix"));
        assert_eq!((mix.round.len() as u64, mix.demands.len() > 3), (MIX_SIZE, true));
        let of = |demand: Resources| {
            let vms = (0..workload.vm_count()).map(VmId);
            let alike = vms.filter(|vm| workload.shape_of_vm(*vm).demand == demand).count();
            let share = alike as f64 / f64::from(workload.vm_count());
            let place = mix.demands.iter().position(|other| *other == demand);
            let in_mix = mix.round.iter().filter(|at| Some(**at) == place).count() as f64 / MIX_SIZE as f64;
            (share, in_mix)
        };
        for demand in &mix.demands {
            let (share, in_mix) = of(*demand);
            assert!((share - in_mix).abs() < 0.1, "{demand:?}: {share} of the workload, {in_mix} of the mix");
        }
        let (mut free, mut first) = (vec![demand(64, 512); 20], vec![0; mix.demands.len()]);
        let mut round = mix.round.clone();
        while !round.is_empty() {
            round.retain(|at| take(&mut free, &mut first[*at], mix.demands[*at]));
        }
        assert!(mix.demands.iter().all(|demand| free.iter().all(|free| !free.covers(*demand))));
    }

    #[test]
    fn the_zone_is_filled_at_the_first_sample_of_each_span() {
        let trial = crate::world::trial::Trial::new(2, 1).vms(1, 1, (0, 10));
        for (measured_from_hours, stranding_hours, counted) in
            [(0.0, 0.0, 0), (0.0, 6.0, 5), (0.0, 7.0, 4), (0.0, 1e-7, 25), (7.0, 6.0, 3), (25.0, 6.0, 0)]
        {
            let measures = Measures { measured_from_hours, stranding_hours, ..Measures::default() };
            let plan = trial.plan(true, &[]).with_measures(measures);
            let occupancy = Occupancy::empty(plan.fleet().clone());
            let mut fills = Fills::new(plan.measures, plan.workload(), plan.seed);
            (0..=24).for_each(|hour| fills.look(crate::world::trial::minute(60 * hour), &occupancy));
            assert_eq!(fills.counted, counted, "every {stranding_hours} h, from {measured_from_hours} h");
            // VMs of 1 core and 1 GiB leave 12 of 16 GiB of each machine.
            let expected = (counted > 0).then_some([0.0, 75.0]);
            assert_eq!(fills.means(), expected);
        }
    }
}
