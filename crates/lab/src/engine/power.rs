//! Power behind the page: what a run says of it, ready to be shown as it stands, and a chassis to try capping on.

use tiebreak_criticality::series::SLOTS_PER_DAY;
use tiebreak_criticality::template::{Scores, THRESHOLD};
use tiebreak_criticality::{Quality, Series, Template};
use tiebreak_model::random::Seed;
use tiebreak_model::{Resource, VmId};
use tiebreak_placement::words::span;
use tiebreak_power::slowdown::{CPU_BOUND, latency, running_time};
use tiebreak_power::{APPROACHES, Budget, Capping, Chassis, History, Mix, Part, PowerFault, Site, Terms};
use tiebreak_scenario::Variant;
use tiebreak_sim::power::events::{CappingEvent, Throttled};
use tiebreak_sim::{PowerSettings, World};
use tiebreak_trace::{Draws, DrawsFault, ReadingsParser, VmReadings};

use crate::protocol::{Exhibit, ExhibitPlot, ExhibitRow, PowerAsk};
use crate::view::words;

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
    let budgets = world.power_settings().and_then(|settings| budgets(world, &settings));
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
        let energy = words::count((power.counted.energy_j / 3.6e6).round());
        let over = words::fixed(100.0 * power.counted.readings_over as f64 / power.counted.readings as f64, 2);
        said.push(format!(
            "All servers together drew {energy} kWh. In {over} % of all readings a chassis wanted more than its budget."
        ));
        let hours = power.counted.throttled_core_ms.map(|ms| words::trimmed(ms / 3.6e6, 1));
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

/// How low the budget may be by this run's draws, for all ways to provision. (Power oversubscription, section III-E)
fn budgets(world: &World, settings: &PowerSettings) -> Option<Exhibit> {
    let draws: Vec<f64> = world.power_readings().flatten().map(|watts| f64::from(*watts)).collect();
    (!draws.is_empty()).then(|| walked(draws, &terms(world, settings), settings, "this run"))
}

/// What a file says: how low budgets may be, where it has draws of chassis like those of the run; or which VMs are
/// user-facing, where it has CPU readings.
pub(super) fn of_file(world: &World, file: &[u8]) -> Result<Exhibit, String> {
    match Draws::read(file) {
        Ok(draws) => of_draws(world, draws),
        Err(fault @ (DrawsFault::Line { .. } | DrawsFault::SeveralWatts(_))) => Err(fault.to_string()),
        Err(_) => criticality(file),
    }
}

/// VMs of a file of CPU readings that are told.
const READ_TOLD: usize = 100;

/// Which VMs of CPU readings are user-facing, by the template of their typical day. (Section III-B)
fn criticality(file: &[u8]) -> Result<Exhibit, String> {
    let mut parser = ReadingsParser::new();
    parser.push(file).map_err(|error| error.to_string())?;
    let readings = parser.finish().map_err(|error| error.to_string())?;
    let mut template = Template::default();
    let mut user_facing = 0;
    let judge = |vm: &VmReadings| {
        let first = vm.first_half_hour() as usize;
        let series = Series::new(vm.half_hours()).starting_at(first % SLOTS_PER_DAY);
        let scores = template.scores(&series);
        let is_user_facing = scores.map_or(true, |scores| scores.is_user_facing());
        user_facing += usize::from(is_user_facing);
        let score = |of: fn(Scores) -> f64| scores.map_or("-".into(), |scores| words::fixed(of(scores), 2));
        let verdict = if is_user_facing { "user-facing" } else { "not user-facing" };
        let cells = vec![
            vm.name.clone(),
            words::count(series.values().len() as f64),
            score(|scores| scores.compare8),
            score(|scores| scores.compare12),
            verdict.into(),
        ];
        ExhibitRow { cells, more: scores.err().map(|why| why.to_string()).into_iter().collect() }
    };
    let all: Vec<_> = readings.vms.iter().map(judge).collect();
    let vms = words::counted(all.len() as f64, "VM", "VMs");
    let said = vec![
        format!("Of {vms} with readings, {user_facing} are user-facing, or cannot be classified and count as such."),
        format!(
            "A VM is user-facing where the template of a day fits it better than one of 8 hours: Compare8 below {THRESHOLD}."
        ),
    ];
    let head = ["VM", "Half-hours", "Compare8", "Compare12", "It is"].map(String::from).into();
    Ok(Exhibit {
        title: "Who is user-facing".into(),
        said,
        head,
        rows: all.into_iter().take(READ_TOLD).collect(),
        plot: None,
    })
}

fn of_draws(world: &World, draws: Draws) -> Result<Exhibit, String> {
    let settings = world
        .power_settings()
        .ok_or("expected a run with power, got one without; choose what is done about it first")?;
    Ok(walked(draws.watts, &terms(world, &settings), &settings, "the file"))
}

fn walked(draws: Vec<f64>, terms: &Terms, settings: &PowerSettings, whose: &str) -> Exhibit {
    let title = format!("How low budgets may be, by {whose}");
    let found = History::new(draws).and_then(|history| {
        let rows: Result<Vec<_>, _> = APPROACHES.iter().map(|it| Ok((it, it.budget(&history, terms)?))).collect();
        rows.map(|rows| (history.readings() as f64, rows))
    });
    let (readings, found) = match found {
        Ok(found) => found,
        Err(fault) => return Exhibit { title, said: vec![fault.to_string()], ..Exhibit::default() },
    };
    let site = Site { megawatts: settings.site_mw, dollars_per_watt: settings.dollars_per_watt };
    let row = |(approach, budget): &(&tiebreak_power::Approach, Option<Budget>)| {
        let delta = budget.as_ref().map_or(0.0, |budget| budget.delta);
        let watts = budget.as_ref().map_or(terms.provisioned_w, |budget| budget.budget_w);
        let cells = vec![
            approach.title.to_owned(),
            format!("{} W", words::count(watts.round())),
            format!("{} %", words::fixed(100.0 * delta, 1)),
            format!("{} %", words::fixed(approach.paper_delta_pct, 1)),
            format!("${}M", words::fixed(site.saved_dollars(delta) / 1e6, 1)),
        ];
        let more = budget.iter().map(|budget| {
            format!(
                "At {} W without the buffer there would have been {} in {} readings; no lower, because {}.",
                words::count(budget.lowest.budget_w.round()),
                words::counted(budget.lowest.events as f64, "event", "events"),
                words::count(readings),
                budget.stop.words()
            )
        });
        ExhibitRow { cells, more: more.collect() }
    };
    let rows = found.iter().map(row).collect();
    let last = found.iter().rev().find_map(|(_, budget)| budget.as_ref());
    let plot = last.map(|budget| ExhibitPlot {
        unit: "% of readings".into(),
        across: "budget in watts".into(),
        lines: vec![
            ("events".into(), curve(budget, |it| it.events as f64 / readings)),
            ("user-facing hit".into(), curve(budget, |it| it.user_facing as f64 / readings)),
        ],
    });
    let head = ["Who may be slowed down", "Budget", "Lower by", "In the paper", "Worth"].map(String::from);
    let said = vec![
        format!(
            "Found from {} readings, with {} of the cores user-facing, used to {} at their 95th percentile, the others to {}, and a \
             buffer of {} %. What is saved could feed more servers; a site of {} MW at ${} a watt.",
            words::count(readings),
            pct(terms.mix.user_facing),
            pct(terms.mix.user_facing_busy),
            pct(terms.mix.batch_busy),
            words::trimmed(settings.buffer_pct, 1),
            words::trimmed(settings.site_mw, 1),
            words::trimmed(settings.dollars_per_watt, 2)
        ),
        "The curve is that of the last row: as the budget falls, events come more often.".into(),
    ];
    Exhibit { title, said, head: head.into(), rows, plot }
}

fn pct(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn curve(budget: &Budget, of: impl Fn(&tiebreak_power::Candidate) -> f64) -> Vec<(f64, f64)> {
    let mut points: Vec<_> = budget.walked.iter().map(|it| (it.budget_w, 100.0 * of(it))).collect();
    points.reverse();
    points
}

/// Steps 1 and 2 of the five: who stood where on average, and what servers draw.
fn terms(world: &World, settings: &PowerSettings) -> Terms {
    let (workload, fleet) = (world.plan().workload(), world.plan().fleet());
    let usages = world.plan().usages();
    let (mut cores, mut busy) = ([0.0; 2], [0.0; 2]);
    for (vm, usage) in (0..).map(VmId).zip(usages.iter().flat_map(|usages| usages.iter())) {
        let of_vm = f64::from(workload.shape_of_vm(vm).demand[Resource::Cores]);
        let kind = usize::from(!usage.load.user_facing);
        cores[kind] += of_vm;
        busy[kind] += of_vm * f64::from(usage.load.p95_pct) / 100.0;
    }
    let mean = |kind: usize| if cores[kind] > 0.0 { busy[kind] / cores[kind] } else { 0.0 };
    let first = fleet.clusters()[0].capacity;
    let power = settings.server(first[Resource::Cores].div_ceil(1_000));
    let servers = fleet.machines_of_chassis(tiebreak_model::ChassisId(0)).len() as u32;
    let all = cores[0] + cores[1];
    Terms {
        power,
        servers,
        provisioned_w: f64::from(servers) * power.full_w,
        mix: Mix {
            user_facing: if all > 0.0 { cores[0] / all } else { 0.0 },
            user_facing_busy: mean(0),
            batch_busy: mean(1),
        },
        buffer: settings.buffer_pct / 100.0,
    }
}

/// How long the chassis to try capping on is followed, and how often its load changes.
const TRIED_MS: u64 = 120_000;
const LOAD_MS: u64 = 1_000;

/// What its VMs use of their cores: those that people wait for, and the others; and how far a second lies from that.
const BUSY: [f64; 2] = [0.6, 0.95];
const UNSTEADY: f64 = 0.12;

/// One server, or a chassis of 12, with two kinds of VMs under a budget: what it draws, and what that costs whom.
/// (Power oversubscription, sections IV-C and IV-D)
pub(super) fn tried(variant: &Variant, ask: &PowerAsk) -> Result<Exhibit, String> {
    let settings = variant.power;
    settings.check().map_err(|fault| fault.to_string())?;
    let servers = if ask.whole_chassis { 12 } else { 1 };
    let controllers = |per_vm: Option<bool>| Capping {
        budget_w: if per_vm.is_some() { ask.budget_w * servers as f64 } else { f64::MAX },
        per_vm: per_vm.unwrap_or(true),
        ..settings.controllers(servers as u32)
    };
    let cases = [("no cap", None), ("full server", Some(false)), ("per VM", Some(true))];
    let (mut lines, mut rows) = (Vec::new(), Vec::new());
    for (name, per_vm) in cases {
        let tried = follow(&settings, &controllers(per_vm), (servers, ask.balanced), Seed(variant.seed));
        let Tried { draws, slowdown } = tried.map_err(|fault| fault.to_string())?;
        let peak = draws.iter().map(|point| point.1).fold(0.0, f64::max);
        let times = |by: f64| if by.is_finite() { format!("{} x", words::fixed(by, 2)) } else { "never ends".into() };
        let cells =
            vec![name.into(), format!("{} W", words::count(peak.round())), times(slowdown[0]), times(slowdown[1])];
        rows.push(ExhibitRow { cells, more: Vec::new() });
        lines.push((name.to_owned(), draws));
    }
    let head = ["Capping", "Highest draw", "Tail latency of user-facing VMs", "Running time of the others"];
    let what = if ask.whole_chassis { "A chassis of 12 servers" } else { "One server" };
    let spread = match (ask.whole_chassis, ask.balanced) {
        (true, true) => "each server has both kinds of VMs",
        (true, false) => "half of the servers have VMs of one kind, half of the other",
        (false, _) => "half of its cores belong to each kind",
    };
    let said = vec![format!(
        "{what} under {} W a server: {spread}. Latency and running time are proxies, against no cap.",
        words::count(ask.budget_w.round())
    )];
    Ok(Exhibit {
        title: "Try it on servers".into(),
        said,
        head: head.map(String::from).into(),
        rows,
        plot: Some(ExhibitPlot { unit: "W".into(), across: "seconds".into(), lines }),
    })
}

/// What a chassis drew second by second, and how much slower both kinds of VMs were.
struct Tried {
    draws: Vec<(f64, f64)>,
    slowdown: [f64; 2],
}

/// Cores of its servers: half and half, or all of one kind.
const CORES: u32 = 40;

/// The kinds of VMs on a server, and their cores.
fn held_by(both: bool, first_half: bool) -> &'static [(usize, u32)] {
    match (both, first_half) {
        (true, _) => &[(0, CORES / 2), (1, CORES / 2)],
        (false, true) => &[(0, CORES)],
        (false, false) => &[(1, CORES)],
    }
}

fn follow(
    settings: &PowerSettings,
    capping: &Capping,
    (servers, balanced): (usize, bool),
    seed: Seed,
) -> Result<Tried, PowerFault> {
    let held = |server: usize| held_by(balanced || servers == 1, server < servers / 2);
    let mut chassis = Chassis::new(&settings.server(CORES), capping, servers)?;
    let noise = seed.stream("load of a chassis to try");
    let (mut draws, mut felt, mut count) = (Vec::new(), [0.0; 2], 0.0);
    for at_ms in (0..TRIED_MS).step_by(LOAD_MS as usize) {
        for server in 0..servers {
            let part = |(kind, cores): &(usize, u32)| {
                let off =
                    (noise.draw(server as u64, at_ms * 2 + *kind as u64) >> 40) as f64 / (1_u64 << 24) as f64 - 0.5;
                let utilization = (BUSY[*kind] + 2.0 * UNSTEADY * off).clamp(0.0, 1.0);
                Part { cores_milli: cores * 1_000, utilization, user_facing: *kind == 0 }
            };
            let parts: Vec<_> = held(server).iter().map(part).collect();
            chassis.set_parts(server, &parts)?;
        }
        let report = chassis.span(LOAD_MS);
        draws.push((at_ms as f64 / 1_000.0, report.energy_j / (LOAD_MS as f64 / 1_000.0)));
        let parts = report.parts.iter().enumerate().flat_map(|(server, parts)| held(server).iter().zip(parts));
        let mut missing = [(0.0, 0.0); 2];
        for ((kind, _), part) in parts {
            missing[*kind].0 += part.depth_ms / LOAD_MS as f64;
            missing[*kind].1 += 1.0;
        }
        for (felt, (missing, parts)) in felt.iter_mut().zip(missing) {
            *felt += missing / f64::max(parts, 1.0);
        }
        count += 1.0;
    }
    let [user_facing, others] = felt.map(|missing| 1.0 - missing / count);
    let slowdown = [latency(CORES / 2, BUSY[0], user_facing, CPU_BOUND), running_time(others, CPU_BOUND)];
    Ok(Tried { draws, slowdown })
}
