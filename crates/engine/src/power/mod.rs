//! Power behind the page: what a run says of it, ready to be shown as it stands; how low budgets may be ([`budgets`]); who is user-facing
//! by CPU readings ([`readings`]).

mod budgets;
mod readings;

use tiebreak_criticality::Quality;
use tiebreak_model::VmId;
use tiebreak_placement::words::span;
use tiebreak_sim::World;
use tiebreak_sim::power::events::{CappingEvent, Throttled};
use tiebreak_trace::{Draws, DrawsFault};

use crate::protocol::{Exhibit, ExhibitRow};
use crate::words;

/// Events and VMs that are told, those that were hit hardest first.
const EVENTS_TOLD: usize = 40;
const VMS_TOLD: usize = 20;

/// VMs of one event that are named.
const NAMED: usize = 4;

/// Everything a run says of power, in the order in which it is shown; nothing where nobody asks for power.
pub(super) fn exhibits(world: &World, foretold: Option<&Quality>) -> Vec<Exhibit> {
    if world.plan().usages().is_none() {
        return Vec::new();
    }
    let budgets = world.power_settings().and_then(|settings| budgets::of_run(world, &settings));
    let all = [Some(balance(world)), foretold.map(told), events(world), slowed(world), budgets];
    all.into_iter().flatten().collect()
}

/// What VMs draw, and how evenly it is spread.
fn balance(world: &World) -> Exhibit {
    let power = world.summary().power.unwrap_or_default();
    let [chassis, servers] = power.deviations.map(|it| words::fixed(100.0 * it, 2));
    let mut said = vec![format!(
        "Standard deviations of the scores, by what VMs really use: {chassis} % of the cores over chassis, {servers} % over \
         servers. Less is better balanced."
    )];
    if power.counted.readings > 0 {
        let energy = words::count(power.energy_kwh().round());
        let over = words::fixed(100.0 * power.counted.readings_over as f64 / power.counted.readings as f64, 2);
        said.push(format!(
            "All servers together drew {energy} kWh. In {over} % of all readings a chassis wanted more than its budget."
        ));
        let hours = power.slowed_core_hours().map(|hours| words::trimmed(hours, 1));
        let [user_facing, others] = power.throttled_vms.map(|vms| words::counted(vms as f64, "VM", "VMs"));
        said.push(format!(
            "Slowed down were {user_facing} that people wait for, {} core-hours, and {others} of the others, {} core-hours.",
            hours[0], hours[1]
        ));
    }
    Exhibit { title: "Balance and draw".into(), said, ..Exhibit::default() }
}

/// How good what is foretold of VMs is.
fn told(quality: &Quality) -> Exhibit {
    let pct = |share: f64| if share.is_nan() { "-".into() } else { format!("{} %", words::fixed(100.0 * share, 0)) };
    let of = |name: &str, model: &tiebreak_criticality::ModelQuality, class: usize| {
        let cells = [name.to_owned(), pct(model.confusion.recall(class)), pct(model.confusion.precision(class))];
        ExhibitRow { cells: cells.into(), more: Vec::new() }
    };
    let mut rows = vec![of("user-facing", &quality.criticality, 1), of("not user-facing", &quality.criticality, 0)];
    let mut said = vec![format!(
        "The forests are sure of {} of the VMs, and right of {} of those whether they are user-facing.",
        pct(quality.criticality.share_confident()),
        pct(quality.criticality.confusion.accuracy())
    )];
    if let Some(p95) = &quality.p95 {
        rows.extend(
            ["0 to 25 %", "26 to 50 %", "51 to 75 %", "76 to 100 %"]
                .iter()
                .zip(0..)
                .map(|(name, class)| of(name, p95, class)),
        );
        said.push(format!(
            "Of what VMs use at their 95th percentile they are sure of {}, and right of {} of those.",
            pct(p95.share_confident()),
            pct(p95.confusion.accuracy())
        ));
    }
    said.push("Where they are not sure, a VM counts as user-facing and as using all of its cores.".into());
    let head = ["What is foretold", "Found of all", "Right of those foretold"].map(String::from).into();
    Exhibit { title: "Who foretells, and how well".into(), said, head, rows, plot: None }
}

/// Capping events, those that took most first.
fn events(world: &World) -> Option<Exhibit> {
    let mut events: Vec<_> = world.capping_events().collect();
    world.summary().power.filter(|power| power.counted.readings > 0)?;
    let many = words::counted(events.len() as f64, "event", "events");
    if events.is_empty() {
        let said = vec!["No chassis came too near to its budget, so nobody was slowed down.".into()];
        return Some(Exhibit { title: "Capping events".into(), said, ..Exhibit::default() });
    }
    let depth = |event: &CappingEvent| event.vms.values().map(|it| it.depth_ms).sum::<f64>();
    events.sort_by(|one, other| depth(other).total_cmp(&depth(one)));
    let rows = events.iter().take(EVENTS_TOLD).map(|event| row(world, event)).collect();
    let head = ["Chassis", "Begin", "Took", "Wanted", "Budget", "User-facing", "Others", "Slowest"].map(String::from);
    let said = vec![format!("{many}; those that slowed VMs down most stand first. Open one to see why.")];
    Some(Exhibit { title: "Capping events".into(), said, head: head.into(), rows, plot: None })
}

fn row(world: &World, event: &CappingEvent) -> ExhibitRow {
    let kind = |user_facing: bool| event.vms.keys().filter(|vm| is_user_facing(world, **vm) == user_facing).count();
    let slowest = event.vms.values().map(|it| it.lowest).fold(1.0, f64::min);
    let cells = vec![
        event.chassis.to_string(),
        words::time(event.begin.0 as f64),
        took(event),
        format!("{} W", words::count(event.wanted_w.round())),
        format!("{} W", words::count(event.budget_w.round())),
        kind(true).to_string(),
        kind(false).to_string(),
        format!("{:.0} %", 100.0 * slowest),
    ];
    ExhibitRow { cells, more: why(world, event) }
}

fn took(event: &CappingEvent) -> String {
    span((event.end.since(event.begin).0 / 1_000) as u32)
}

fn is_user_facing(world: &World, vm: VmId) -> bool {
    world.plan().usages().is_some_and(|usages| usages[vm.index()].load.user_facing)
}

/// Why an event was, and what it did to whom.
fn why(world: &World, event: &CappingEvent) -> Vec<String> {
    let (workload, fleet) = (world.plan().workload(), world.plan().fleet());
    let servers = event.servers_w.len().max(1) as f64;
    let share = event.budget_w / servers;
    let first = fleet.machines_of_chassis(event.chassis).start;
    let over: Vec<_> =
        (first..).zip(&event.servers_w).filter(|(_, watts)| **watts > share).map(|(id, _)| id.to_string()).collect();
    let mut said = vec![format!(
        "Chassis {} wanted {} W at most, its budget is {} W: {} W for each of {servers} servers. Over their share were the servers {}.",
        event.chassis,
        words::count(event.wanted_w.round()),
        words::count(event.budget_w.round()),
        words::fixed(share, 0),
        over.join(", ")
    )];
    said.push(format!(
        "The manager raised the alarm {}, and the chassis drew at most {} W meanwhile.",
        words::counted(event.alerts as f64, "time", "times"),
        words::count(event.peak_w.round())
    ));
    let name = |(vm, it): &(&VmId, &Throttled)| {
        format!(
            "VM {} ({}) for {}, {:.0} % slower on average, {:.0} % of its frequency at worst",
            workload.name(**vm),
            words::resources(workload.shape_of_vm(**vm).demand),
            span((it.ms / 1_000) as u32),
            100.0 * it.depth(),
            100.0 * it.lowest
        )
    };
    for user_facing in [false, true] {
        let mut hit: Vec<_> = event.vms.iter().filter(|(vm, _)| is_user_facing(world, **vm) == user_facing).collect();
        hit.sort_by(|one, other| other.1.depth_ms.total_cmp(&one.1.depth_ms));
        let named: Vec<_> = hit.iter().take(NAMED).map(name).collect();
        let (count, named) = (words::counted(hit.len() as f64, "VM", "VMs"), named.join("; "));
        match (user_facing, hit.is_empty()) {
            (false, false) => {
                said.push(format!("Slowed down were {count} that nobody waits for, most of all: {named}."));
            }
            (false, true) => said.push("There was nobody to slow down whom nobody waits for.".into()),
            (true, false) => said.push(format!("Slowed down were {count} that people wait for, most of all: {named}.")),
            (true, true) => said.push("Nobody that people wait for was slowed down.".into()),
        }
    }
    said.push(match event.rapl {
        0 => "The controllers sufficed: the last resort was not needed.".into(),
        rapl => format!(
            "That did not suffice, or came too late: the last resort, which slows all cores of a server alike, took hold {}.",
            words::counted(rapl as f64, "time", "times")
        ),
    });
    said
}

/// The VMs that were slowed down most.
fn slowed(world: &World) -> Option<Exhibit> {
    let workload = world.plan().workload();
    let mut all: Vec<_> = world.throttled().collect();
    if all.is_empty() {
        return None;
    }
    all.sort_by(|one, other| other.1.depth_ms.total_cmp(&one.1.depth_ms));
    let row = |(vm, it): &(VmId, Throttled)| {
        let kind = if is_user_facing(world, *vm) { "user-facing" } else { "not user-facing" };
        let taken = if workload.shape_of_vm(*vm).load.user_facing { "user-facing" } else { "not user-facing" };
        let cells = vec![
            workload.name(*vm).to_string(),
            kind.into(),
            taken.into(),
            span((it.ms / 1_000) as u32),
            format!("{:.0} %", 100.0 * it.depth()),
            format!("{:.0} %", 100.0 * it.lowest),
        ];
        ExhibitRow { cells, more: Vec::new() }
    };
    let head = ["VM", "It is", "Taken for", "Slowed down for", "Slower on average", "Slowest"].map(String::from);
    let said = vec![format!(
        "{} were slowed down; those that lost most stand first.",
        words::counted(all.len() as f64, "VM", "VMs")
    )];
    let rows = all.iter().take(VMS_TOLD).map(row).collect();
    Some(Exhibit { title: "Who was slowed down".into(), said, head: head.into(), rows, plot: None })
}

/// What a file says: how low budgets may be, where it has draws of chassis like those of the run; or which VMs are
/// user-facing, where it has CPU readings.
pub(super) fn of_file(world: &World, file: &[u8]) -> Result<Exhibit, String> {
    match Draws::read(file) {
        Ok(draws) => budgets::of_draws(world, draws),
        Err(fault @ (DrawsFault::Line { .. } | DrawsFault::SeveralWatts(_))) => Err(fault.to_string()),
        Err(_) => readings::criticality(file),
    }
}
