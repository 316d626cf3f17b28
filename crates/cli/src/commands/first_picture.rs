//! `tiebreak first-picture`: what the page shows before any WebAssembly has arrived.
//!
//! It is drawn by the same engine from the scenario the page opens with, so the live page
//! computes the same picture again.

use tiebreak_chart::{Role, Series, Style, TimeChart, summary, svg};
use tiebreak_model::{MachineId, RackId};
use tiebreak_scenario::PRESETS;
use tiebreak_sim::{METRICS, Metric, World};

use crate::answer::{Answer, Failure};
use crate::given::Given;
use crate::shown::count;
use crate::trace::source;

/// What to try first.
const PROMPT: &str =
    "Try this: switch off PreferNonEmptyMachines, or drag another rule above it. Which hosts stay empty?";

/// The metrics of the picture.
const SHOWN: [&str; 3] = ["EmptyHosts", "PackingDensity", "Conflicts"];

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let document = (PRESETS[0].make)();
    let variant = document.active_variant();
    let mut world = World::new(variant.plan(source(variant, given)?.workload)?);
    world.run();
    let html = picture(&world);
    Ok(Answer::either(given, &serde_json::json!({ "html": html }), || html.clone()))
}

fn picture(world: &World) -> String {
    let charts: String = SHOWN.iter().map(|id| figure(world, id)).collect();
    format!(
        "{map}\n{numbers}\n<p class=\"verdict\">{sentence}</p>\n<p class=\"prompt\">{PROMPT}</p>\n<div class=\"charts\">\n{charts}</div>\n",
        map = fleet_map(world),
        numbers = numbers(world),
        sentence = sentence(world),
    )
}

/// The four numbers people look at first.
fn numbers(world: &World) -> String {
    let summary = world.summary();
    let number = |(title, value): (&str, String)| {
        format!(
            "<div class=\"figure\"><span class=\"figure-title\">{title}</span><span class=\"figure-value\">{value}</span></div>"
        )
    };
    let numbers = [
        ("Empty hosts, mean", format!("{:.1} %", summary.empty_hosts_pct_mean)),
        ("Packing density, mean", format!("{:.1} %", summary.packing_density_pct_mean)),
        ("Conflicts", count(summary.conflicts)),
        ("VMs rejected", count(summary.rejections)),
    ];
    format!("<div class=\"figures\">{}</div>", numbers.into_iter().map(number).collect::<String>())
}

/// The fleet as it stands at the end: a square per machine, rack by rack, in five shades.
fn fleet_map(world: &World) -> String {
    const RACK_HEIGHT: u32 = 5;
    const CELL: u32 = 23;
    const GAP: u32 = 7;
    let fleet = world.plan().fleet();
    let (mut left, mut squares) = (0, String::new());
    for rack in 0..fleet.rack_count() {
        let machines = fleet.machines_of_rack(RackId(rack));
        for (nth, id) in machines.clone().enumerate() {
            let (x, y) = (left + nth as u32 / RACK_HEIGHT * CELL, nth as u32 % RACK_HEIGHT * CELL);
            let size = CELL - 1;
            let shade = shade(world, MachineId(id));
            squares += &format!("<path class=\"m{shade}\" d=\"M{x} {y}h{size}v{size}h-{size}z\"/>");
        }
        left += (machines.len() as u32).div_ceil(RACK_HEIGHT) * CELL + GAP;
    }
    let height = RACK_HEIGHT * CELL;
    format!(
        "<figure class=\"fleet\"><svg viewBox=\"0 0 {left} {height}\" aria-hidden=\"true\">{squares}</svg></figure>"
    )
}

/// 0 for an empty machine, else 1 to 4 by the share of its cores in use.
fn shade(world: &World, machine: MachineId) -> u32 {
    let view = world.occupancy().machine(machine);
    let (free, all) = (view.free().cores_milli(), view.capacity().cores_milli());
    if view.vms() == 0 { 0 } else { 1 + (4 * u64::from(all - free) / (u64::from(all) + 1)) as u32 }
}

fn sentence(world: &World) -> String {
    let summary = world.summary();
    let (placed, vms) = (count(summary.placements), count(world.plan().workload().vm_count().into()));
    let (empty, full) = (summary.empty_hosts_pct_mean, summary.packing_density_pct_mean);
    format!(
        "{placed} of {vms} VMs placed. On average {empty:.1} % of the hosts stood empty, and the others were {full:.1} % full."
    )
}

fn figure(world: &World, id: &str) -> String {
    let index = tiebreak_sim::metrics::index_of(id).expect("a metric of the list");
    let chart = chart(world, index, &METRICS[index]);
    let (drawing, _) = svg(&chart, 716, 150, &summary(&chart));
    format!("<figure class=\"chart\">{drawing}</figure>\n")
}

fn chart(world: &World, index: usize, metric: &Metric) -> TimeChart {
    let times = world.series().times().iter().map(|time| time.0 as f64);
    let points: Vec<_> = times.zip(world.series().values(index).iter().copied()).collect();
    let counts = metric.is_rate();
    let style = if counts { Style::Bars } else { Style::Steps };
    TimeChart {
        title: metric.declaration.title.into(),
        unit: metric.unit.into(),
        time_range: (0.0, world.plan().workload().horizon().0 as f64),
        series: vec![Series::new("now", Role::Live, style, points)],
        y_from_zero: counts,
        y_max: metric.ceiling(),
        moments: Vec::new(),
    }
}
