//! Power for the page: a run's power results, ready to display; the lowest possible budgets ([`budgets`]);
//! criticality from CPU readings ([`readings`]).

mod budgets;
mod readings;

use tiebreak_criticality::Quality;
use tiebreak_model::phrase::mark;
use tiebreak_model::{Phrase, VmId, phrase};
use tiebreak_placement::words::span;
use tiebreak_sim::World;
use tiebreak_sim::power::events::{CappingEvent, Throttled};
use tiebreak_trace::{Draws, DrawsFault};

use crate::protocol::{Exhibit, ExhibitRow};
use crate::said;
use crate::words;

/// The maximum number of listed events and VMs, the most affected first.
const EVENTS_TOLD: usize = 40;
const VMS_TOLD: usize = 20;

/// The maximum number of VMs named per event.
const NAMED: usize = 4;

/// A run's power results, in display order; empty if power is not part of the run.
pub(super) fn exhibits(world: &World, load_quality: Option<&Quality>) -> Vec<Exhibit> {
    if world.plan().usages().is_none() {
        return Vec::new();
    }
    let budgets = world.power_settings().and_then(|settings| budgets::of_run(world, &settings));
    let all = [Some(balance(world)), load_quality.map(told), events(world), slowed(world), budgets];
    all.into_iter().flatten().collect()
}

/// The draw of chassis, and how evenly it is spread.
fn balance(world: &World) -> Exhibit {
    let power = world.summary().power.unwrap_or_default();
    let [chassis, servers] = power.deviations.map(|it| said::fixed(100.0 * it, 2));
    let mut said = vec![phrase!(
        "Standard deviations of the scores, by actual utilization: {chassis} % of the cores over chassis, {servers} % \
         over servers. Lower is better balanced.",
        chassis,
        servers
    )];
    if power.counted.readings > 0 {
        let energy = said::count(power.energy_kwh().round());
        let over = said::fixed(100.0 * power.counted.readings_over as f64 / power.counted.readings as f64, 2);
        said.push(phrase!(
            "All servers together drew {energy} kWh. In {over} % of all readings, a chassis needed more than its \
             budget.",
            energy,
            over
        ));
        let hours = power.slowed_core_hours().map(|hours| said::trimmed(hours, 1));
        let [user_facing, others] = power.throttled_vms.map(|vms| said::counted(vms as f64, "VM", "VMs"));
        said.push(phrase!(
            "User-facing: {user_facing} throttled, {} core-hours. Batch: {others} throttled, {} core-hours.",
            user_facing,
            hours[0],
            others,
            hours[1]
        ));
    }
    Exhibit { title: phrase!("Balance and draw"), said, ..Exhibit::default() }
}

/// The quality of predictions for VMs.
fn told(quality: &Quality) -> Exhibit {
    let pct = |share: f64| if share.is_nan() { phrase!("-") } else { phrase!("{} %", said::fixed(100.0 * share, 0)) };
    let of = |name: &'static str, model: &tiebreak_criticality::ModelQuality, class: usize| {
        let cells = [Phrase::text(name), pct(model.confusion.recall(class)), pct(model.confusion.precision(class))];
        ExhibitRow { cells: cells.into(), more: Vec::new() }
    };
    let mut rows =
        vec![of(mark("user-facing"), &quality.criticality, 1), of(mark("not user-facing"), &quality.criticality, 0)];
    let mut said = vec![phrase!(
        "User-facing or not: the forests are confident for {} of the VMs, and right for {} of those.",
        pct(quality.criticality.share_confident()),
        pct(quality.criticality.confusion.accuracy())
    )];
    if let Some(p95) = &quality.p95 {
        rows.extend(
            [mark("0 to 25 %"), mark("26 to 50 %"), mark("51 to 75 %"), mark("76 to 100 %")]
                .into_iter()
                .zip(0..)
                .map(|(name, class)| of(name, p95, class)),
        );
        said.push(phrase!(
            "Utilization at the 95th percentile: they are confident for {} of the VMs, and right for {} of those.",
            pct(p95.share_confident()),
            pct(p95.confusion.accuracy())
        ));
    }
    said.push(phrase!("If they are not confident, a VM counts as user-facing and as using all of its cores."));
    let head = [mark("Prediction"), mark("Recall"), mark("Precision")].map(Phrase::text).into();
    Exhibit { title: phrase!("Predictor and accuracy"), said, head, rows, plot: None }
}

/// Capping events, the most severe first.
fn events(world: &World) -> Option<Exhibit> {
    let mut events: Vec<_> = world.capping_events().collect();
    world.summary().power.filter(|power| power.counted.readings > 0)?;
    let many = said::counted(events.len() as f64, "event", "events");
    if events.is_empty() {
        let said = vec![phrase!("No chassis reached its power budget, so no VM was throttled.")];
        return Some(Exhibit { title: phrase!("Capping events"), said, ..Exhibit::default() });
    }
    let depth = |event: &CappingEvent| event.vms.values().map(|it| it.depth_ms).sum::<f64>();
    events.sort_by(|one, other| depth(other).total_cmp(&depth(one)));
    let rows = events.iter().take(EVENTS_TOLD).map(|event| row(world, event)).collect();
    let head = [
        mark("Chassis"),
        mark("Start"),
        mark("Duration"),
        mark("Demand"),
        mark("Budget"),
        mark("User-facing"),
        mark("Others"),
        mark("Slowest"),
    ]
    .map(Phrase::text);
    let said = vec![phrase!("{many}, ordered by how much they throttled VMs. Open one for details.", many)];
    Some(Exhibit { title: phrase!("Capping events"), said, head: head.into(), rows, plot: None })
}

fn row(world: &World, event: &CappingEvent) -> ExhibitRow {
    let kind = |user_facing: bool| event.vms.keys().filter(|vm| is_user_facing(world, **vm) == user_facing).count();
    let slowest = event.vms.values().map(|it| it.lowest).fold(1.0, f64::min);
    let cells = vec![
        phrase!("{}", event.chassis),
        phrase!("{}", words::time(event.begin.0 as f64)),
        took(event),
        phrase!("{} W", said::count(event.wanted_w.round())),
        phrase!("{} W", said::count(event.budget_w.round())),
        phrase!("{}", kind(true)),
        phrase!("{}", kind(false)),
        phrase!("{:.0} %", 100.0 * slowest),
    ];
    ExhibitRow { cells, more: why(world, event) }
}

fn took(event: &CappingEvent) -> Phrase {
    span((event.end.since(event.begin).0 / 1_000) as u32)
}

fn is_user_facing(world: &World, vm: VmId) -> bool {
    world.plan().usages().is_some_and(|usages| usages[vm.index()].load.user_facing)
}

/// Why an event happened, and its effects on VMs.
fn why(world: &World, event: &CappingEvent) -> Vec<Phrase> {
    let (workload, fleet) = (world.plan().workload(), world.plan().fleet());
    let servers = event.servers_w.len().max(1) as f64;
    let share = event.budget_w / servers;
    let first = fleet.machines_of_chassis(event.chassis).start;
    let over: Vec<_> =
        (first..).zip(&event.servers_w).filter(|(_, watts)| **watts > share).map(|(id, _)| id.to_string()).collect();
    let mut said = vec![phrase!(
        "The peak demand of chassis {} was {} W. Its budget is {} W: {} W for each of {servers} servers. These \
         servers were above their share: {}.",
        event.chassis,
        said::count(event.wanted_w.round()),
        said::count(event.budget_w.round()),
        said::fixed(share, 0),
        servers,
        over.join(", ")
    )];
    said.push(phrase!(
        "The chassis manager raised an alert {}, and the chassis drew at most {} W meanwhile.",
        said::counted(event.alerts as f64, "time", "times"),
        said::count(event.peak_w.round())
    ));
    let name = |(vm, it): &(&VmId, &Throttled)| {
        phrase!(
            "VM {} ({}) for {}, {:.0} % slower on average, at worst {:.0} % of its frequency",
            workload.name(**vm).to_string(),
            said::resources(workload.shape_of_vm(**vm).demand),
            span((it.ms / 1_000) as u32),
            100.0 * it.depth(),
            100.0 * it.lowest
        )
    };
    for user_facing in [false, true] {
        let mut hit: Vec<_> = event.vms.iter().filter(|(vm, _)| is_user_facing(world, **vm) == user_facing).collect();
        hit.sort_by(|one, other| other.1.depth_ms.total_cmp(&one.1.depth_ms));
        let named: Vec<_> = hit.iter().take(NAMED).map(name).collect();
        let (count, named) = (said::counted(hit.len() as f64, "VM", "VMs"), Phrase::joined(named, "{}; {}"));
        match (user_facing, hit.is_empty()) {
            (false, false) => {
                said.push(phrase!("Batch: {count} throttled, most of all: {named}.", count, named));
            }
            (false, true) => said.push(phrase!("No batch VMs were available to throttle.")),
            (true, false) => {
                said.push(phrase!("User-facing: {count} throttled, most of all: {named}.", count, named));
            }
            (true, true) => said.push(phrase!("No user-facing VM was throttled.")),
        }
    }
    said.push(match event.rapl {
        0 => phrase!("The controllers were enough: the last resort was not needed."),
        rapl => phrase!(
            "That was not enough, or came too late: the last resort, which throttles all cores of a server equally, \
             acted {}.",
            said::counted(rapl as f64, "time", "times")
        ),
    });
    said
}

/// The most throttled VMs.
fn slowed(world: &World) -> Option<Exhibit> {
    let workload = world.plan().workload();
    let mut all: Vec<_> = world.throttled().collect();
    if all.is_empty() {
        return None;
    }
    all.sort_by(|one, other| other.1.depth_ms.total_cmp(&one.1.depth_ms));
    let row = |(vm, it): &(VmId, Throttled)| {
        let kind = |user_facing| if user_facing { phrase!("user-facing") } else { phrase!("not user-facing") };
        let cells = vec![
            phrase!("{}", workload.name(*vm).to_string()),
            kind(is_user_facing(world, *vm)),
            kind(workload.shape_of_vm(*vm).load.user_facing),
            span((it.ms / 1_000) as u32),
            phrase!("{:.0} %", 100.0 * it.depth()),
            phrase!("{:.0} %", 100.0 * it.lowest),
        ];
        ExhibitRow { cells, more: Vec::new() }
    };
    let head = [
        mark("VM"),
        mark("It is"),
        mark("Predicted as"),
        mark("Throttled for"),
        mark("Slower on average"),
        mark("Slowest"),
    ]
    .map(Phrase::text);
    let said = vec![phrase!(
        "{} were throttled, ordered by how much they lost.",
        said::counted(all.len() as f64, "VM", "VMs")
    )];
    let rows = all.iter().take(VMS_TOLD).map(row).collect();
    Some(Exhibit { title: phrase!("Throttled VMs"), said, head: head.into(), rows, plot: None })
}

/// The result for a file: the lowest possible budgets if it has draws of chassis like those of the run, or which VMs
/// are user-facing if it has CPU readings.
pub(super) fn of_file(world: &World, file: &[u8]) -> Result<Exhibit, Phrase> {
    match Draws::read(file) {
        Ok(draws) => budgets::of_draws(world, draws),
        Err(fault @ (DrawsFault::Line { .. } | DrawsFault::SeveralWatts(_))) => Err(Phrase::text(fault.to_string())),
        Err(_) => readings::criticality(file),
    }
}
