//! Power derived from placement alone: the draw of each server, the draw of its chassis, and the VMs that capping
//! throttles (power oversubscription, sections II and III).
//!
//! The simulator updates each chassis change by change; here the VMs of a machine are looked up among all that were
//! ever on it, and their utilization is summed from scratch.

use tiebreak_model::{ChassisId, MachineId, Millis, Resource, Time};
use tiebreak_sim::power::events::CappingEvent;
use tiebreak_sim::{CappingKind, Plan, PowerSettings, World};

use crate::case::Case;
use crate::draws::Chance;

/// The tolerance in watts of two sums of the same parts.
const NEAR_W: f64 = 1e-6;

/// The power checks of a case; `digest` is that of its run without power.
///
/// # Errors
/// The first law that is broken, in a sentence.
pub(crate) fn check(case: &Case, digest: u64) -> Result<(), String> {
    if case.number % 2 == 1 {
        return Ok(());
    }
    let settings = case.power;
    let (watched, whole) = (watched(case, settings)?, run(case));
    same_draws("one slice and many", &whole, &watched)?;
    for event in whole.capping_events() {
        event_adds_up(event, &settings, whole.plan())?;
    }
    let told = whole.summary().digest;
    if told != digest {
        return Err(format!("placements depend on power settings: {digest:016x} without, {told:016x} with"));
    }
    Ok(())
}

/// The run of a case with its power settings.
#[must_use]
pub fn run(case: &Case) -> World {
    let mut world = World::new(plan(case, case.power));
    world.run();
    world
}

fn plan(case: &Case, power: PowerSettings) -> Plan {
    case.plan(true).with_power(&power).expect("what servers draw is sound")
}

/// A run in small slices. After each, every server whose power record has advanced is summed from scratch.
fn watched(case: &Case, settings: PowerSettings) -> Result<World, String> {
    let mut draws = Chance::Number(case.number).draws("random slices");
    let mut world = World::new(plan(case, settings));
    let mut seen = vec![Time::ZERO; world.plan().fleet().chassis_count() as usize];
    loop {
        let is_done = world.advance(1 + draws.below(8)).done;
        let moved: Vec<_> = world.chassis_draws().zip(&seen).map(|((now, ..), before)| now > *before).collect();
        for (id, _) in moved.iter().enumerate().filter(|(_, moved)| **moved) {
            servers_add_up(&world, ChassisId::of(id), &settings)?;
        }
        seen = world.chassis_draws().map(|(now, ..)| now).collect();
        if is_done {
            return Ok(world);
        }
    }
}

/// The recorded draw of a chassis matches the sum over the VMs on it just before, server by server. Unthrottled it
/// draws that sum, and it never draws more.
fn servers_add_up(world: &World, id: ChassisId, settings: &PowerSettings) -> Result<(), String> {
    let (now, servers_w, draw_w) = world.chassis_draws().nth(id.index()).expect("a chassis of the fleet");
    let machines = world.plan().fleet().machines_of_chassis(id).map(MachineId);
    let expected: Vec<_> = machines.map(|machine| server_w(world, machine, now, settings)).collect();
    draws_agree(&expected, servers_w).map_err(|differ| format!("{id:?} before {now:?}: {differ}"))?;
    let all: f64 = expected.iter().sum();
    let is_slowed = matches!(settings.capping, CappingKind::FullServer | CappingKind::PerVm);
    let holds = if is_slowed { draw_w <= all + NEAR_W } else { (draw_w - all).abs() < NEAR_W };
    if holds { Ok(()) } else { Err(format!("{id:?} before {now:?} draws {draw_w} W, its servers {all} W")) }
}

/// Two calculations of the servers' draw agree.
///
/// # Errors
/// The first server in which they differ.
pub fn draws_agree(expected: &[f64], told: &[f64]) -> Result<(), String> {
    let apart = |(one, other): (&f64, &f64)| (one - other).abs() > NEAR_W;
    if expected.len() != told.len() {
        return Err(format!("{} servers are told, there are {}", told.len(), expected.len()));
    }
    match expected.iter().zip(told).position(apart) {
        Some(at) => Err(format!("server {at} is told to draw {} W, its VMs give {} W", told[at], expected[at])),
        None => Ok(()),
    }
}

/// The unthrottled draw of a server in the slot before a moment: idle, plus the share of its busy cores.
fn server_w(world: &World, machine: MachineId, now: Time, settings: &PowerSettings) -> f64 {
    let (fleet, workload) = (world.plan().fleet(), world.plan().workload());
    let before = now - Millis(1);
    let busy: f64 = world
        .vms_on(machine, before)
        .map(|(vm, _)| {
            let cores = f64::from(workload.shape_of_vm(vm).demand[Resource::Cores]) / 1_000.0;
            cores * world.utilization(vm, before).expect("draws are measured")
        })
        .sum();
    let cores = fleet.capacity(machine)[Resource::Cores].div_ceil(1_000);
    settings.idle_w + (settings.full_w - settings.idle_w) * busy / f64::from(cores)
}

/// The servers of an event sum to the demand of the chassis, which exceeds its budget less the margins. Unless the
/// last resort took effect, per-VM capping throttles no VM that was predicted to be user-facing.
///
/// # Errors
/// What is wrong with the event.
pub fn event_adds_up(event: &CappingEvent, settings: &PowerSettings, plan: &Plan) -> Result<(), String> {
    let CappingEvent { chassis, begin, end, wanted_w, servers_w, budget_w, .. } = event;
    let all: f64 = servers_w.iter().sum();
    if (all - wanted_w).abs() > NEAR_W {
        return Err(format!("the servers of {chassis:?} wanted {all} W at {begin:?}, the event says {wanted_w} W"));
    }
    let alert_w = budget_w - settings.controllers(servers_w.len() as u32).margin_w;
    if begin > end || *wanted_w <= alert_w {
        return Err(format!(
            "{chassis:?} was capped from {begin:?} to {end:?} for {wanted_w} W, alerts begin at {alert_w} W"
        ));
    }
    let minded = |vm: &&tiebreak_model::VmId| plan.workload().shape_of_vm(**vm).load.user_facing;
    let wrong = event.vms.keys().find(minded).filter(|_| settings.capping == CappingKind::PerVm && event.rapl == 0);
    match wrong {
        Some(vm) => Err(format!("{vm:?} was taken for user-facing and slowed down at {begin:?} without need")),
        None => Ok(()),
    }
}

/// Two runs of a case have the same draws, capping and throttling, bit for bit.
fn same_draws(what: &str, one: &World, other: &World) -> Result<(), String> {
    let power = |world: &World| world.summary().power;
    if power(one) != power(other) {
        return Err(format!("{what} draw unlike: {:?} and {:?}", power(one), power(other)));
    }
    let alike = one.capping_events().eq(other.capping_events())
        && one.throttled().eq(other.throttled())
        && one.power_readings().eq(other.power_readings());
    if alike { Ok(()) } else { Err(format!("{what} cap unlike")) }
}
