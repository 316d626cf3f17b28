//! What the page shows before WebAssembly has loaded.
//!
//! The same engine draws it from the scenario with which the page opens, so the live page computes the same picture
//! again. The dashed lines show the same scenario without one rule, so that there is something to see without a
//! click; the page takes that run from here, as JSON in the picture. The build runs this as WebAssembly in Node
//! (`web/src/bin/picture.rs`), so that the engine is compiled only once.

pub mod welcome;

use std::sync::Arc;

use tiebreak_chart::{Role, Series, Style, TimeChart, summary, svg};
use tiebreak_i18n::{grouped, mark};
use tiebreak_model::{MachineId, RackId, Workload};
use tiebreak_scenario::{Document, PRESETS, presets};
use tiebreak_sim::{METRICS, MachineByte, Metric, PlanError, Summary, World};

/// What the dashed lines are, and what to try first.
pub const PROMPT: &str = mark(
    "Dashed: the same without \u{201c}Fill used machines first\u{201d}. Try this: switch that rule off. Which hosts stay empty?",
);

/// The metrics of the picture.
const SHOWN: [&str; 3] = ["EmptyHosts", "PackingDensity", "Conflicts"];

/// The first sentence of the welcome. The number of machines is in braces.
pub const LEAD: &str = mark(
    "A cloud must pick one of {machines} machines for every VM. The order of its rules decides how many stay empty.",
);

/// The titles of the two maps of the welcome before any input.
pub const MAPS: [&str; 2] = [mark("With \u{201c}fill used machines first\u{201d}"), mark("Without")];

/// The least effect on empty hosts, in points, of the change that the welcome suggests.
const ACTS_BY: f64 = 5.0;

/// The HTML shown before WebAssembly has loaded.
pub struct First {
    /// For first-time visitors.
    pub welcome: String,
    /// For returning visitors.
    pub picture: String,
}

/// Both, for the trace of the page's own scenario.
///
/// # Errors
/// If that scenario cannot run on this trace, or the change that the welcome suggests has hardly any effect.
pub fn html(trace: &Arc<Workload>) -> Result<First, String> {
    let run = |document: &Document| ran(document, trace).map_err(|error| error.to_string());
    let (world, without) = (run(&(PRESETS[0].make)())?, run(&presets::first_without())?);
    let effect = world.summary().empty_hosts_pct_mean - without.summary().empty_hosts_pct_mean;
    if effect.abs() < ACTS_BY {
        return Err(format!(
            "expected that empty hosts change by {ACTS_BY} points at least without {}, got {effect:.1}; let the welcome \
             invite to another change",
            presets::FIRST_WITHOUT
        ));
    }
    Ok(First { welcome: welcome_html(&world, &without), picture: picture(&world, &without) })
}

fn welcome_html(world: &World, without: &World) -> String {
    let lead = LEAD.replace("{machines}", &count(world.plan().fleet().machine_count().into()));
    let figure = |title: &str, world: &World| {
        let shades = shades(world);
        let map = welcome::Map { title: title.into(), shades: &shades };
        welcome::figure(&map, &format!("{} empty", map.empty()))
    };
    format!(
        "<h1>{lead}</h1>\n<div class=\"welcome-maps\">{}{}</div>\n<div class=\"welcome-row\"></div>\n",
        figure(MAPS[0], world),
        figure(MAPS[1], without)
    )
}

/// The shade of every machine at the end.
fn shades(world: &World) -> Vec<u8> {
    (0..world.plan().fleet().machine_count()).map(|machine| shade(world, MachineId(machine))).collect()
}

fn ran(document: &Document, trace: &Arc<Workload>) -> Result<World, PlanError> {
    let mut world = World::new(document.active_variant().plan(trace.clone())?);
    world.run();
    Ok(world)
}

fn picture(world: &World, without: &World) -> String {
    let charts: String = SHOWN.iter().map(|id| figure(world, without, id)).collect();
    format!(
        "{map}\n{numbers}\n<p class=\"verdict\">{sentence}</p>\n<p class=\"prompt\">{PROMPT}</p>\n<div class=\"charts\">\n{charts}</div>\n\
         <script type=\"application/json\" id=\"first-without\">{data}</script>\n",
        map = fleet_map(world),
        numbers = numbers(world, without),
        sentence = sentence(world, without),
        data = data(world, without),
    )
}

/// The data of the run without the rule, for the page.
fn data(with: &World, world: &World) -> serde_json::Value {
    let summary = world.summary();
    let rounded = |value: &f64| (value * 1_000.0).round() / 1_000.0;
    let series = SHOWN.iter().filter_map(|id| {
        let values = world.series().values(tiebreak_sim::metrics::index_of(id)?);
        Some(((*id).to_owned(), values.iter().map(rounded).collect::<Vec<_>>().into()))
    });
    serde_json::json!({
        "horizon_ms": world.plan().workload().horizon().0,
        "times": world.series().times().iter().map(|time| time.0).collect::<Vec<_>>(),
        "values": series.collect::<serde_json::Map<_, _>>(),
        "shades": [shades(with), shades(world)],
        "digest": format!("{:016x}", summary.digest),
        "placements": summary.placements,
        "rejections": summary.rejections,
        "conflicts": summary.conflicts,
        "empty_hosts_pct": summary.empty_hosts_pct_mean,
        "packing_density_pct": summary.packing_density_pct_mean,
    })
}

/// The four most important numbers, and their differences from those without the rule.
fn numbers(world: &World, without: &World) -> String {
    let (now, then) = (world.summary(), without.summary());
    let number = |(title, value, change): (&str, String, String)| {
        format!(
            "<div class=\"figure\"><span class=\"figure-title\">{title}</span><span class=\"figure-value\">{value}</span>\
             <span class=\"figure-change\">{change}</span></div>"
        )
    };
    let share = |title, of: fn(&Summary) -> f64| {
        // Rounded first, so that the change matches the displayed values.
        let shown = |value: f64| (value * 10.0).round() / 10.0;
        let change = signed(shown(of(&now)) - shown(of(&then)), 1, " points");
        (title, format!("{:.1} %", of(&now)), change)
    };
    let whole =
        |title, of: fn(&Summary) -> u64| (title, count(of(&now)), signed(of(&now) as f64 - of(&then) as f64, 0, ""));
    let numbers = [
        share("Empty hosts, mean", |it| it.empty_hosts_pct_mean),
        share("Packing density, mean", |it| it.packing_density_pct_mean),
        whole("Conflicts", |it| it.conflicts),
        whole("VMs rejected", |it| it.rejections),
    ];
    format!("<div class=\"figures\">{}</div>", numbers.into_iter().map(number).collect::<String>())
}

/// The fleet at the end: a square per machine, rack by rack, in five shades.
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

/// The shade that the live page gives the machine.
fn shade(world: &World, machine: MachineId) -> u8 {
    let capacity = world.plan().fleet().capacity(machine);
    MachineByte::of(&world.occupancy().record(machine), capacity).shade()
}

/// `+1.2 points`, `−3`, `±0`.
fn signed(change: f64, decimals: usize, unit: &str) -> String {
    let size = format!("{:.decimals$}", change.abs());
    let sign = match size.chars().all(|digit| digit == '0' || digit == '.') {
        true => "±",
        false if change > 0.0 => "+",
        false => "\u{2212}",
    };
    format!("{sign}{size}{unit}")
}

/// The page's sentence about the two runs (`verdict::sentence` of the lab), so that nothing changes when it goes
/// live.
fn sentence(world: &World, without: &World) -> String {
    let (now, then) = (world.summary(), without.summary());
    let (placed, vms) = (count(now.placements), count(world.plan().workload().vm_count().into()));
    let share = (now.empty_hosts_pct_mean - then.empty_hosts_pct_mean) / 100.0;
    let hosts = format!("{:.1}", (share * f64::from(world.plan().fleet().machine_count())).abs());
    let hosts = hosts.trim_end_matches(".0");
    let more = if share >= 0.0 { "more" } else { "fewer" };
    let plural = if hosts == "1" { "" } else { "s" };
    format!(
        "{placed} of {vms} VMs placed. Compared with the dashed run, {hosts} {more} host{plural} stayed empty on \
         average, used machines were {}, and there were {} conflicts (before: {}).",
        fuller(now.packing_density_pct_mean - then.packing_density_pct_mean),
        count(now.conflicts),
        count(then.conflicts),
    )
}

/// `17.6 points fuller`, `2.0 points less full`, `equally full`.
fn fuller(points: f64) -> String {
    let size = format!("{:.1}", points.abs());
    match size.as_str() {
        "0.0" => "equally full".to_owned(),
        size => format!("{size} points {}", if points > 0.0 { "fuller" } else { "less full" }),
    }
}

fn figure(world: &World, without: &World, id: &str) -> String {
    let index = tiebreak_sim::metrics::index_of(id).expect("a metric of the list");
    let chart = chart(world, without, index, &METRICS[index]);
    let (drawing, _) = svg(&chart, 716, 150, &summary(&chart));
    format!("<figure class=\"chart\">{drawing}</figure>\n")
}

fn chart(world: &World, without: &World, index: usize, metric: &Metric) -> TimeChart {
    let points = |world: &World| -> Vec<_> {
        let times = world.series().times().iter().map(|time| time.0 as f64);
        times.zip(world.series().values(index).iter().copied()).collect()
    };
    let counts = metric.is_rate();
    let style = if counts { Style::Bars } else { Style::Steps };
    TimeChart {
        title: metric.declaration.title.into(),
        unit: metric.unit.into(),
        time_range: (0.0, world.plan().workload().horizon().0 as f64),
        series: vec![
            Series::new("without", Role::Ghost, style, points(without)),
            Series::new("now", Role::Live, style, points(world)),
        ],
        y_from_zero: counts,
        y_max: metric.ceiling(),
        moments: Vec::new(),
    }
}

/// `1,234,567`.
fn count(number: u64) -> String {
    grouped(&number.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tiebreak_trace::TraceParser;

    use super::*;

    #[test]
    fn it_is_one_sentence_and_three_charts() {
        let mut parser = TraceParser::new("packing-cut.csv.gz");
        parser.push(include_bytes!("../../trace/fixtures/packing-cut.csv.gz")).expect("the page's own trace");
        let First { welcome, picture: html } =
            html(&Arc::new(parser.finish().expect("it reads").workload)).expect("it runs");
        assert!(welcome.contains("first\u{201d}: <strong>42 empty</strong>"), "{welcome}");
        assert!(welcome.contains("Without: <strong>4 empty</strong>"), "{welcome}");
        assert!(html.contains("<p class=\"verdict\">"));
        assert_eq!(html.matches("<figure class=\"chart\"><svg").count(), 3);
        assert!(html.contains("Compared with the dashed run, 36.7 more hosts stayed empty on average"), "{html}");
        let (_, data) = html.split_once("id=\"first-without\">").expect("the run it is compared with");
        let data: Value = serde_json::from_str(data.trim_end().trim_end_matches("</script>")).expect("JSON");
        assert_eq!(data["times"].as_array().map(Vec::len), data["values"]["EmptyHosts"].as_array().map(Vec::len));
        assert!(html.len() < 80_000, "{} bytes", html.len());
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1_000, 13_521, 1_234_567].map(count), ["0", "999", "1,000", "13,521", "1,234,567"]);
    }
}
