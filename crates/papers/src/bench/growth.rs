//! How the time of a placement grows with machines, with classes of requests and with agents.

use std::fs;

use serde::Serialize;
use tiebreak_chart::{Caption, Panel, Plot, Role, Series, Style, Theme, panels_file};

use super::case::{Case, Runner, engine, in_turns};
use super::figure;
use super::zone::Zone;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Opt;
use tiebreak_console::shown::{count, table};

pub(crate) const GROWTH: Opt =
    Opt { name: "growth", value: None, help: "only how a placement's time grows with machines, classes and agents" };

pub(crate) const DRAWING: Opt =
    Opt { name: "drawing", value: Some("FILE.svg"), help: "with --growth: draws the three curves into this file" };

/// The zones of each curve.
pub(super) struct Extent {
    /// Machines, and days that give enough placements.
    pub(super) machines: &'static [(u32, f64)],
    pub(super) classes: &'static [u32],
    /// The zone of the curve over classes.
    pub(super) classed: (u32, f64),
    pub(super) agents: &'static [u32],
    /// The zone of the curve over agents.
    pub(super) shared: (u32, f64),
}

/// The time of a placement over one quantity.
#[derive(Serialize)]
pub(super) struct Curve {
    /// What grows: machines, classes or agents.
    over: &'static str,
    points: Vec<Point>,
    /// The exponent with which the time grows, over the whole curve.
    exponent: f64,
}

#[derive(Serialize)]
struct Point {
    number: u32,
    placement_us: f64,
    placements_per_second: f64,
    /// The exponent from the point before to this one.
    exponent: Option<f64>,
    placements: u64,
}

/// Measures the three curves; the cases of a curve take turns.
pub(super) fn curves(extent: &Extent, runs: u32) -> Result<Vec<Curve>, Failure> {
    let by_machines = extent.machines.iter().map(|size| Ok((size.0, Zone::of(*size)?)));
    let plain = Zone::of(extent.classed)?;
    let by_classes = extent.classes.iter().map(|classes| Ok((*classes, plain.with_classes(*classes)?)));
    let shared = Zone::of(extent.shared)?;
    let by_agents = extent.agents.iter().map(|agents| Ok((*agents, shared.with_agents(*agents)?)));
    Ok(vec![
        Curve::of("machines", &by_machines.collect::<Result<Vec<_>, Failure>>()?, runs)?,
        Curve::of("classes", &by_classes.collect::<Result<Vec<_>, Failure>>()?, runs)?,
        Curve::of("agents", &by_agents.collect::<Result<Vec<_>, Failure>>()?, runs)?,
    ])
}

impl Curve {
    fn of(over: &'static str, zones: &[(u32, Zone)], runs: u32) -> Result<Self, Failure> {
        let runners: Vec<Runner<'_>> =
            zones.iter().map(|(number, zone)| engine(format!("{number} {over}"), zone, true)).collect();
        let cases = in_turns(runs, &runners)?;
        let numbers = || zones.iter().map(|(number, _)| *number);
        Ok(Self {
            over,
            points: points(numbers().zip(&cases)),
            exponent: figure::growth(&times(numbers().zip(&cases))),
        })
    }

    fn rows(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        self.points.iter().map(|point| {
            vec![
                format!("{} {}", count(point.number.into()), self.over),
                count(point.placements),
                count(point.placements_per_second.round() as u64),
                format!("{:.2}", point.placement_us),
                point.exponent.map_or(String::new(), |exponent| format!("{exponent:.2}")),
            ]
        })
    }

    fn panel(&self) -> Panel {
        let points = self.points.iter().map(|point| (f64::from(point.number), point.placement_us)).collect();
        Panel::Plot(Plot {
            title: format!("Time of a placement over {}", self.over),
            unit: "µs".into(),
            across: self.over.into(),
            across_is_log: true,
            up_is_log: true,
            series: vec![Series::new("default list", Role::Live, Style::Line, points)],
        })
    }
}

fn times<'a>(cases: impl Iterator<Item = (u32, &'a Case)>) -> Vec<(f64, f64)> {
    cases.map(|(number, case)| (f64::from(number), 1e6 / case.placements_per_second)).collect()
}

fn points<'a>(cases: impl Iterator<Item = (u32, &'a Case)> + Clone) -> Vec<Point> {
    let times = times(cases.clone());
    let steps = std::iter::once(None).chain(times.windows(2).map(|two| Some(figure::growth(two))));
    let point = |(number, case): (u32, &Case), placement_us, exponent| {
        let (placements_per_second, placements) = (case.placements_per_second, case.placements);
        Point { number, placement_us, placements_per_second, exponent, placements }
    };
    cases.zip(&times).zip(steps).map(|((case, time), exponent)| point(case, time.1, exponent)).collect()
}

/// The table of all curves.
pub(super) fn text(curves: &[Curve]) -> String {
    let head = ["", "placements", "a second", "µs each", "exponent"].map(String::from).to_vec();
    let whole = curves.iter().map(|curve| format!("{} {:.2}", curve.over, curve.exponent));
    let whole: Vec<_> = whole.collect();
    let rows: Vec<_> = std::iter::once(head).chain(curves.iter().flat_map(Curve::rows)).collect();
    format!("{}\nExponents over whole curves: {}.\n", table(&rows), whole.join(", "))
}

/// Writes the drawing of all curves.
pub(super) fn draw(curves: &[Curve], file: &str) -> Result<(), Failure> {
    let panels: Vec<_> = curves.iter().map(Curve::panel).collect();
    let caption = Caption { text: "tiebreak bench --growth", link: "" };
    let svg = panels_file(&panels, (640, 260), Theme::Light, caption);
    fs::write(file, svg).map_err(|error| {
        Failure(format!("expected to write {file}, got: {error}; choose a file in a folder that you may write to"))
    })
}
