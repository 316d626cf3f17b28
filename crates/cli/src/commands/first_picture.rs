//! `tiebreak first-picture`: what the page shows before any WebAssembly has arrived.
//!
//! It is drawn by the same engine from the scenario the page opens with, so the live page
//! computes the same picture again.

use tiebreak_chart::{Role, Series, Style, TimeChart, summary, svg};
use tiebreak_scenario::PRESETS;
use tiebreak_sim::{METRICS, Metric, World};

use crate::answer::{Answer, Failure};
use crate::given::Given;
use crate::shown::count;
use crate::trace::source;

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
    let figures: String = SHOWN.iter().map(|id| figure(world, id)).collect();
    format!("<p class=\"verdict\">{}</p>\n<div class=\"charts\">\n{figures}</div>\n", sentence(world))
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
    let (drawing, _) = svg(&chart, 640, 170, &summary(&chart));
    format!("<figure class=\"chart\">{drawing}</figure>\n")
}

fn chart(world: &World, index: usize, metric: &Metric) -> TimeChart {
    let times = world.series().times().iter().map(|time| time.0 as f64);
    let points: Vec<_> = times.zip(world.series().values(index).iter().copied()).collect();
    let counts = metric.unit.contains("per minute");
    let style = if counts { Style::Bars } else { Style::Steps };
    TimeChart {
        title: metric.declaration.title.into(),
        unit: metric.unit.into(),
        time_range: (0.0, world.plan().workload().horizon().0 as f64),
        series: vec![Series::new("now", Role::Live, style, points)],
        y_from_zero: counts,
        y_max: (metric.unit == "%").then_some(100.0),
    }
}
