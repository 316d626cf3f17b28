//! The power state of a run: which VMs are on which server, what chassis draw, and what their controllers did.
//!
//! Utilization is constant within a slot. So a chassis is evaluated once per slot, and whenever one of its VMs
//! arrives or leaves. Below its budget this costs one sum. Above it, the chassis is simulated poll by poll until its
//! controllers no longer change anything ([`Chassis::span`]).

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::random::Seed;
use tiebreak_model::{ChassisId, Fleet, Load, MachineId, Occupancy, Resource, Time, VmId, Workload};
use tiebreak_power::{Capping, Chassis, Part, ServerPower};

use super::deviation::Deviation;
use super::events::{CappingEvent, EVENTS_MAX, PowerCounters, PowerSample, PowerSummary, Throttled};
use super::usage::{Pattern, Patterns};
use super::{CappingKind, PowerTerms};
use crate::system::{Arrival, Stay, System};

/// The maximum number of stored draw readings over all chassis; if there would be more, only every n-th slot is
/// stored.
const READINGS_MAX: u64 = 4 << 20;

/// The power state of a run.
pub(crate) struct PowerBook {
    terms: Arc<PowerTerms>,
    fleet: Arc<Fleet>,
    patterns: Patterns,
    chassis: Vec<Held>,
    /// The load of each machine's VMs, and of each chassis'.
    loads: Vec<Balance>,
    chassis_loads: Vec<u64>,
    /// The scores of chassis and of servers: now, and summed over samples.
    scores: [Vec<f64>; 2],
    score_sums: [Vec<f64>; 2],
    samples: u32,
    counters: PowerCounters,
    at_last_sample: PowerCounters,
    events: Vec<CappingEvent>,
    throttled: BTreeMap<VmId, Throttled>,
    slots_a_reading: u64,
    parts: Vec<Part>,
}

/// One chassis.
struct Held {
    machines: core::ops::Range<u32>,
    power: ServerPower,
    capping: Capping,
    budget_w: f64,
    alert_w: f64,
    /// The time up to which it has been simulated.
    now: Time,
    /// Whether its VMs or their utilization have changed since the last sum.
    stale: bool,
    servers: Vec<Vec<Resident>>,
    /// What its servers draw without throttling.
    wanted_w: Vec<f64>,
    wanted: f64,
    /// Its controllers, during a capping event.
    control: Option<Chassis>,
    event: Option<CappingEvent>,
    /// Its unthrottled draw at the start of each slot, in watts.
    readings: Vec<f32>,
}

/// A VM on a server.
#[derive(Clone, Copy)]
struct Resident {
    vm: VmId,
    cores_milli: u32,
    /// The prediction at its arrival, which controllers use.
    taken_for_user_facing: bool,
    user_facing: bool,
    pattern: Pattern,
    /// In the slot of the last sum.
    utilization: f64,
}

/// The actual 95th percentile utilization of a machine's VMs: user-facing ones and batch ones.
#[derive(Clone, Copy, Default)]
struct Balance([u64; 2]);

impl PowerBook {
    /// For an empty fleet, for a run until this horizon.
    pub(crate) fn new(terms: Arc<PowerTerms>, fleet: &Arc<Fleet>, horizon: Time, seed: Seed) -> Self {
        let (fleet, patterns) = (fleet.clone(), Patterns::new(&terms.settings, seed));
        let machines = fleet.machine_count() as usize;
        let chassis: Vec<_> = (0..fleet.chassis_count()).map(|id| Held::idle(&terms, &fleet, ChassisId(id))).collect();
        let readings = (patterns.slot_of(horizon) + 1) * chassis.len() as u64;
        let sums = [vec![0.0; chassis.len()], vec![0.0; machines]];
        let mut book = Self {
            scores: sums.clone(),
            score_sums: sums,
            loads: vec![Balance::default(); machines],
            chassis_loads: vec![0; chassis.len()],
            samples: 0,
            counters: PowerCounters::default(),
            at_last_sample: PowerCounters::default(),
            events: Vec::new(),
            throttled: BTreeMap::new(),
            slots_a_reading: readings.div_ceil(READINGS_MAX).max(1),
            parts: Vec::new(),
            chassis,
            patterns,
            fleet,
            terms,
        };
        (0..machines).map(MachineId::of).for_each(|machine| book.score(machine));
        book
    }

    /// Computes the scores of a machine and of its chassis, because its load changed.
    fn score(&mut self, machine: MachineId) {
        let chassis = self.fleet.chassis_of(machine);
        let machines = self.fleet.machines_of_chassis(chassis).len() as f64;
        let (full, used) = (full_load(&self.fleet, machine), self.chassis_loads[chassis.index()]);
        self.scores[0][chassis.index()] = 1.0 - used as i64 as f64 / (full * machines);
        let [user_facing, other] = self.loads[machine.index()].0.map(|load| load as i64 as f64);
        self.scores[1][machine.index()] = (1.0 + (other - user_facing) / full) / 2.0;
    }

    /// Whether draws are measured.
    pub(crate) fn measures(&self) -> bool {
        self.terms.settings.capping != CappingKind::Off
    }

    /// A VM arrives on a machine; `number` is its number in random streams.
    fn join(&mut self, (vm, number): (VmId, u64), machine: MachineId, workload: &Workload, now: Time) {
        let (shape, usage) = (workload.shape_of_vm(vm), self.terms.usages[vm.index()]);
        let cores_milli = shape.demand[Resource::Cores];
        let Load { user_facing, .. } = usage.load;
        let load = usage.load.of_cores(cores_milli);
        self.loads[machine.index()].0[usize::from(!user_facing)] += load;
        self.chassis_loads[self.fleet.chassis_of(machine).index()] += load;
        self.score(machine);
        if !self.measures() || cores_milli == 0 {
            return;
        }
        let pattern = self.patterns.of(usage, number, workload.tenant(workload.request_of(vm)));
        let resident = Resident {
            vm,
            cores_milli,
            taken_for_user_facing: shape.load.user_facing,
            user_facing,
            pattern,
            utilization: 0.0,
        };
        self.change(machine, now, |residents| residents.push(resident));
    }

    /// The VM leaves.
    fn part(&mut self, vm: VmId, machine: MachineId, workload: &Workload, now: Time) {
        let usage = self.terms.usages[vm.index()];
        let cores_milli = workload.shape_of_vm(vm).demand[Resource::Cores];
        let load = usage.load.of_cores(cores_milli);
        self.loads[machine.index()].0[usize::from(!usage.load.user_facing)] -= load;
        self.chassis_loads[self.fleet.chassis_of(machine).index()] -= load;
        self.score(machine);
        if self.measures() && cores_milli > 0 {
            self.change(machine, now, |residents| {
                let at = residents.iter().position(|resident| resident.vm == vm).expect("it stood there");
                residents.remove(at);
            });
        }
    }

    fn change(&mut self, machine: MachineId, now: Time, change: impl FnOnce(&mut Vec<Resident>)) {
        let chassis = self.fleet.chassis_of(machine);
        self.follow(chassis, now);
        let held = &mut self.chassis[chassis.index()];
        change(&mut held.servers[(machine.0 - held.machines.start) as usize]);
        held.stale = true;
    }

    /// Simulates all chassis up to a moment.
    fn follow_all(&mut self, now: Time) {
        if self.measures() {
            (0..self.chassis.len()).for_each(|at| self.follow(ChassisId::of(at), now));
        }
    }

    /// Simulates one chassis up to a moment, slot by slot.
    fn follow(&mut self, id: ChassisId, until: Time) {
        while self.chassis[id.index()].now < until {
            let held = &mut self.chassis[id.index()];
            let slot = self.patterns.slot_of(held.now);
            let begins = self.patterns.begin(slot) == held.now;
            if begins || held.stale {
                held.add_up(&self.patterns, slot);
                let over = held.take_control(&mut self.parts);
                self.events.extend(over.filter(|_| self.events.len() < EVENTS_MAX));
            }
            if begins {
                self.counters.readings += 1;
                self.counters.readings_over += u64::from(held.wanted > held.budget_w);
                if slot.is_multiple_of(self.slots_a_reading) {
                    held.readings.push(held.wanted as f32);
                }
            }
            let end = self.patterns.begin(slot + 1).min(until);
            held.pass(id, end, &mut self.counters, &mut self.throttled);
        }
    }

    /// The finished events in order of their ends, then those under way.
    pub(crate) fn events(&self) -> impl Iterator<Item = &CappingEvent> {
        self.events.iter().chain(self.chassis.iter().filter_map(|held| held.event.as_ref()))
    }

    /// Throttled VMs, and by how much.
    pub(crate) fn throttled(&self) -> &BTreeMap<VmId, Throttled> {
        &self.throttled
    }

    /// The draw of each chassis at the start of each slot without throttling, in watts.
    pub(crate) fn readings(&self) -> impl Iterator<Item = &[f32]> {
        self.chassis.iter().map(|held| held.readings.as_slice())
    }

    /// Every server's draw as a share of its budget, by id; 1 is the whole budget.
    pub(crate) fn shares(&self) -> impl Iterator<Item = f64> {
        self.chassis.iter().flat_map(|held| {
            let share_w = held.budget_w / held.servers.len() as f64;
            let draw = move |server| held.control.as_ref().map_or(held.wanted_w[server], |it| it.server_w(server));
            (0..held.servers.len()).map(move |server| draw(server) / share_w)
        })
    }

    /// The utilization of a VM's cores at a moment, from 0 to 1; `number` as in [`join`](Self::join).
    pub(crate) fn utilization(&self, (vm, number): (VmId, u64), workload: &Workload, at: Time) -> f64 {
        let tenant = workload.tenant(workload.request_of(vm));
        let pattern = self.patterns.of(self.terms.usages[vm.index()], number, tenant);
        self.patterns.utilization(&pattern, self.patterns.slot_of(at))
    }

    /// The time up to which a chassis has been simulated, the unthrottled draw of each of its servers, and the actual
    /// draw of the whole.
    pub(crate) fn chassis_draw(&self, id: ChassisId) -> (Time, &[f64], f64) {
        let held = &self.chassis[id.index()];
        (held.now, &held.wanted_w, held.control.as_ref().map_or(held.wanted, Chassis::draw_w))
    }
}

impl System for PowerBook {
    type Sample = PowerSample;
    type Summary = PowerSummary;

    fn come(&mut self, Arrival { stay, .. }: &Arrival<'_>) {
        self.join((stay.vm, stay.luck), stay.machine, stay.workload, stay.now);
    }

    fn leave(&mut self, stay: &Stay<'_>) {
        self.part(stay.vm, stay.machine, stay.workload, stay.now);
    }

    fn pass(&mut self, now: Time) {
        self.follow_all(now);
    }

    /// The current power, and the counters since the last sample.
    fn sample(&mut self, now: Time, _: &Occupancy) -> PowerSample {
        self.follow_all(now);
        self.samples += 1;
        let mut deviations = [Deviation::default(); 2];
        for ((scores, sums), deviation) in self.scores.iter().zip(&mut self.score_sums).zip(&mut deviations) {
            for (score, sum) in scores.iter().zip(sums) {
                *sum += score;
                deviation.add(*score);
            }
        }
        let counted = self.counters.since(&self.at_last_sample);
        self.at_last_sample = self.counters;
        let draw = |held: &Held| held.control.as_ref().map_or(held.wanted, Chassis::draw_w);
        let fullest = self.chassis.iter().map(|held| draw(held) / held.budget_w).fold(0.0, f64::max);
        PowerSample {
            draw_w: self.measures().then(|| self.chassis.iter().map(draw).sum()),
            fullest,
            counted,
            deviations: deviations.map(Deviation::get),
        }
    }

    /// The power summary so far.
    fn summary(&self) -> PowerSummary {
        let mean = |sum: &f64| sum / f64::from(self.samples.max(1));
        let of = |kind: bool| {
            let is = |vm: &VmId| self.terms.usages[vm.index()].load.user_facing == kind;
            self.throttled.keys().filter(|vm| is(vm)).count() as u64
        };
        PowerSummary {
            counted: self.counters,
            deviations: core::array::from_fn(|which| Deviation::of(self.score_sums[which].iter().map(mean))),
            throttled_vms: [of(true), of(false)],
        }
    }
}

/// The load of a machine with all its cores in use.
fn full_load(fleet: &Fleet, machine: MachineId) -> f64 {
    f64::from(fleet.capacity(machine)[Resource::Cores]) * 100.0
}

impl Held {
    fn idle(terms: &PowerTerms, fleet: &Fleet, id: ChassisId) -> Self {
        let machines = fleet.machines_of_chassis(id);
        let cores = fleet.capacity(MachineId(machines.start))[Resource::Cores].div_ceil(1_000);
        let power = terms.settings.server(cores);
        let capping = terms.settings.controllers(machines.len() as u32);
        Self {
            alert_w: if terms.settings.caps() { capping.budget_w - capping.margin_w } else { f64::INFINITY },
            budget_w: capping.budget_w,
            now: Time::ZERO,
            stale: true,
            servers: vec![Vec::new(); machines.len()],
            wanted_w: vec![power.idle_w; machines.len()],
            wanted: power.idle_w * machines.len() as f64,
            machines,
            power,
            capping,
            control: None,
            event: None,
            readings: Vec::new(),
        }
    }

    /// Computes the unthrottled draw of its servers in this slot.
    fn add_up(&mut self, patterns: &Patterns, slot: u64) {
        let a_core = (self.power.full_w - self.power.idle_w) / f64::from(self.power.cores);
        self.wanted = 0.0;
        for (residents, watts) in self.servers.iter_mut().zip(&mut self.wanted_w) {
            let mut busy = 0.0;
            for resident in residents {
                resident.utilization = patterns.utilization(&resident.pattern, slot);
                busy += f64::from(resident.cores_milli) / 1_000.0 * resident.utilization;
            }
            *watts = self.power.idle_w + a_core * busy;
            self.wanted += *watts;
        }
        self.stale = false;
    }

    /// Starts its controllers and passes them the servers' loads, or stops them. Returns an event that has ended.
    fn take_control(&mut self, parts: &mut Vec<Part>) -> Option<CappingEvent> {
        let is_needed = self.wanted > self.alert_w || self.control.as_ref().is_some_and(Chassis::is_capped);
        if !is_needed {
            self.control = None;
            return self.event.take();
        }
        let fresh = || Chassis::new(&self.power, &self.capping, self.servers.len()).expect("the settings were checked");
        let control = self.control.get_or_insert_with(fresh);
        for (server, residents) in self.servers.iter().enumerate() {
            parts.clear();
            parts.extend(residents.iter().map(Resident::part));
            control.set_parts(server, parts).expect("what stands on a machine fits it");
        }
        None
    }

    /// Advances time with constant VM utilization.
    fn pass(
        &mut self,
        id: ChassisId,
        end: Time,
        counters: &mut PowerCounters,
        throttled: &mut BTreeMap<VmId, Throttled>,
    ) {
        let (begin, ms) = (self.now, end.since(self.now).0);
        self.now = end;
        let Some(control) = &mut self.control else {
            counters.energy_j += self.wanted * ms as f64 / 1_000.0;
            if self.wanted > self.budget_w {
                counters.over_ms += ms;
            }
            return;
        };
        let report = control.span(ms);
        counters.energy_j += report.energy_j;
        counters.over_ms += report.over_ms;
        counters.alerts += report.events;
        counters.rapl += report.rapl;
        if self.event.is_none() && report.events > 0 {
            counters.events += 1;
            self.event = Some(CappingEvent::at(id, begin, self.budget_w));
        }
        let mut event = self.event.as_mut();
        for (resident, part) in self.servers.iter().flatten().zip(report.parts.iter().flatten()) {
            if part.throttled_ms == 0 {
                continue;
            }
            let cores = f64::from(resident.cores_milli) / 1_000.0;
            let kind = usize::from(!resident.user_facing);
            counters.throttled_core_ms[kind] += cores * part.throttled_ms as f64;
            counters.depth_core_ms[kind] += cores * part.depth_ms;
            let more = Throttled { ms: part.throttled_ms, depth_ms: part.depth_ms, lowest: part.lowest };
            throttled.entry(resident.vm).or_insert(Throttled::NOT).add(more);
            if let Some(event) = &mut event {
                event.vms.entry(resident.vm).or_insert(Throttled::NOT).add(more);
            }
        }
        if let Some(event) = event {
            event.go_on(end, &report, &self.wanted_w);
        }
    }
}

impl Resident {
    fn part(&self) -> Part {
        Part { cores_milli: self.cores_milli, utilization: self.utilization, user_facing: self.taken_for_user_facing }
    }
}
