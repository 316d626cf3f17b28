//! `ProfileWorkload`: the profile of a workload.

use tiebreak_model::phrase::{Value, mark};
use tiebreak_model::{Phrase, Resource, Workload, declare, phrase};
use tiebreak_profile::{
    Arrivals, Inventory, LIFE_BOUNDS_S, LifeBin, Lives, Load, Profile, Quantiles, Reuse, Size, Tenants,
};

use super::{Of, Question, Subject, Told};
use crate::generated;
use crate::protocol::{Answer, Exhibit, ExhibitPlot, ExhibitRow, Found, Machines};
use crate::said;

/// The number of listed sizes; the others are counted together.
const SIZES_LISTED: usize = 10;

/// The number of listed reuse distances, each twice the previous one.
const DISTANCES_LISTED: usize = 7;

declare! {
    /// Sizes, lives, arrivals, tenants, reuse and load, and the machines it could run on. One that was fitted to a loaded
    /// trace is laid beside that.
    pub struct ProfileWorkload as "ProfileWorkload" {}
}

impl Question for ProfileWorkload {
    const OF: &'static [Of] = &[Of::Document];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        let workload = of.workload(&of.variant()?)?;
        let mut answer = profile(&workload);
        if let Some(trace) = of.fitted_to(&workload) {
            answer.exhibits.splice(..0, generated::beside(&trace, &workload));
        }
        Ok(Told::Now(answer))
    }
}

/// The profile, and machines on which the workload could run.
fn profile(workload: &Workload) -> Answer {
    let Profile { sizes, lives, arrivals, tenants, reuse, load } = Profile::of(workload);
    let Inventory { cores, memory_gib, machines, at_least } = load.suggested();
    let mut exhibits = vec![
        used(
            &load,
            &phrase!(
                "{} machines of {cores} cores and {memory_gib} GiB",
                said::count(at_least as f64),
                cores,
                memory_gib
            ),
        ),
        came(&arrivals),
        of_day(&arrivals),
    ];
    exhibits.extend(arrivals.of_week.map(|of_week| {
        let days = (0..).map(|day: u32| f64::from(day)).zip(of_week).collect();
        drawn(phrase!("Arrivals by day of the week"), phrase!("VMs per day"), phrase!("days"), days)
    }));
    exhibits.extend([sized(&sizes), alive(&lives), lived(&lives), owned(&tenants), reused(&reuse)]);
    let machines = u32::try_from(machines).unwrap_or(u32::MAX);
    let machines = Machines { machines, cores: cores.into(), memory_gib: memory_gib.into() };
    Answer { exhibits, found: Some(Found::Machines(vec![machines])) }
}

fn used(load: &Load, machines: &Phrase) -> Exhibit {
    let peak = |resource: Resource| said::count((load.peak[resource as usize] as f64 / resource.unit().1).round());
    let mean = load.hourly.iter().map(|hour| hour.cores).sum::<f64>() / load.hourly.len().max(1) as f64;
    let said = vec![
        phrase!(
            "Cores in use: {} on average, {} at the peak. Memory in use: {} GiB at the peak.",
            said::count(mean.round()),
            peak(Resource::Cores),
            peak(Resource::Memory)
        ),
        phrase!("Even with perfect packing, this takes at least {machines}.", machines),
    ];
    let hours = |of: fn(&tiebreak_profile::Hour) -> f64| {
        load.hourly.iter().zip(0_u32..).map(|(hour, at)| (f64::from(at), of(hour))).collect::<Vec<_>>()
    };
    let mut exhibit =
        drawn(phrase!("Cores in use per hour"), phrase!("cores"), phrase!("hours"), hours(|hour| hour.cores));
    exhibit.said = said;
    exhibit
}

fn came(arrivals: &Arrivals) -> Exhibit {
    let hours = arrivals.hourly.iter().zip(0_u32..).map(|(vms, at)| (f64::from(at), f64::from(*vms))).collect();
    let mut exhibit = drawn(phrase!("Arrivals per hour"), phrase!("VMs per hour"), phrase!("hours"), hours);
    exhibit.said = vec![
        phrase!(
            "{} arrive in {} during the trace.",
            said::counted(f64::from(arrivals.vms), "VM", "VMs"),
            said::counted(f64::from(arrivals.requests), "request", "requests")
        ),
        phrase!(
            "In bursts: the ratio of variance to mean per 5 minutes is {} for VMs and {} for requests. For random \
             arrivals it is 1.",
            said::fixed(arrivals.dispersion, 1),
            said::fixed(arrivals.request_dispersion, 1)
        ),
    ];
    exhibit
}

fn of_day(arrivals: &Arrivals) -> Exhibit {
    let hours = (0..).map(|hour: u32| f64::from(hour)).zip(arrivals.of_day).collect();
    drawn(phrase!("Arrivals by hour of the day"), phrase!("VMs per hour"), phrase!("hours"), hours)
}

fn sized(sizes: &[Size]) -> Exhibit {
    let vms: f64 = sizes.iter().map(|size| f64::from(size.vms)).sum();
    let hours: f64 = sizes.iter().map(|size| size.core_hours).sum();
    let row = |name: Phrase, of: &[Size]| {
        let count: f64 = of.iter().map(|size| f64::from(size.vms)).sum();
        let core_hours = of.iter().map(|size| size.core_hours).sum();
        cells([name, number(&said::count(count)), percent(count, vms), percent(core_hours, hours)])
    };
    let (listed, others) = sizes.split_at(sizes.len().min(SIZES_LISTED));
    let mut rows: Vec<_> =
        listed.iter().map(|size| row(said::resources(size.demand), core::slice::from_ref(size))).collect();
    if !others.is_empty() {
        rows.push(row(phrase!("{} other sizes", said::count(others.len() as f64)), others));
    }
    table(phrase!("Sizes"), [mark("Size"), mark("VMs"), mark("% of VMs"), mark("% of core-hours")], rows)
}

/// The Kaplan-Meier curve, from the first age on.
fn alive(lives: &Lives) -> Exhibit {
    let ages = LIFE_BOUNDS_S.iter().map(|age_s| f64::from(*age_s) / 3_600.0);
    let curve = ages.zip(lives.alive_after.map(|share| 100.0 * share)).collect();
    let mut exhibit = drawn(phrase!("VMs that live longer"), phrase!("% of VMs"), phrase!("hours"), curve);
    if let Some(plot) = &mut exhibit.plot {
        plot.across_is_log = true;
    }
    let [ended, outlived, before] =
        [lives.ended, lives.outlived, lives.began_before].map(|vms| said::count(f64::from(vms)));
    exhibit.said = vec![
        phrase!(
            "{ended} VMs end within the trace, {outlived} outlive it, and {before} were running at its start.",
            ended,
            outlived,
            before
        ),
        phrase!(
            "Survival is estimated with Kaplan-Meier: a VM whose exit is not observed counts for as long as it is \
             observed."
        ),
    ];
    exhibit
}

fn lived(lives: &Lives) -> Exhibit {
    let vms = lives.bins.iter().map(|bin| f64::from(bin.vms)).sum();
    let hours = lives.bins.iter().map(|bin| bin.core_hours).sum();
    let row = |bin: &LifeBin| {
        let share = percent(f64::from(bin.vms), vms);
        cells([life(bin.up_to_s), number(&said::count(f64::from(bin.vms))), share, percent(bin.core_hours, hours)])
    };
    let head = [mark("Lifetime"), mark("VMs with a known end"), mark("% of VMs"), mark("% of core-hours")];
    table(phrase!("Lifetimes and core-hours"), head, lives.bins.iter().map(row).collect())
}

fn owned(tenants: &Tenants) -> Exhibit {
    let row = |name: Phrase, of: &Quantiles| {
        let numbers = [of.p50, of.p90, of.p99, of.max].map(|it| number(&said::count(it)));
        cells([vec![name, number(&said::fixed(of.mean, 1))], numbers.into()].concat())
    };
    let rows = vec![row(phrase!("VMs of a tenant"), &tenants.vms), row(phrase!("VMs of a request"), &tenants.batch)];
    let mut exhibit = table(
        phrase!("Tenants and requests"),
        [mark("What"), mark("mean"), mark("median"), mark("90 %"), mark("99 %"), mark("all")],
        rows,
    );
    exhibit.said = vec![phrase!(
        "{}; the largest tenth of them has {} % of all VMs.",
        said::counted(f64::from(tenants.count), "tenant", "tenants"),
        said::count((100.0 * tenants.of_largest_tenth).round())
    )];
    exhibit
}

fn reused(reuse: &Reuse) -> Exhibit {
    let row = |(below, share): (u32, f64)| {
        let name = if below == 1 { phrase!("none") } else { phrase!("fewer than {below}", below) };
        cells([name, number(&said::fixed(100.0 * share, 1))])
    };
    let distances = (0..).map(|power| 1_u32 << power);
    let rows = distances.zip(reuse.shares()).take(DISTANCES_LISTED).map(row).collect();
    let mut exhibit =
        table(phrase!("How soon a size is requested again"), [mark("Other sizes in between"), mark("% of VMs")], rows);
    exhibit.said = vec![phrase!(
        "Recently requested sizes are requested again, which is why rule caches pay off. {} are the first of their \
         size.",
        said::counted(f64::from(reuse.first), "VM", "VMs")
    )];
    exhibit
}

fn life(up_to_s: Option<u32>) -> Phrase {
    let of = |s: u32| match s {
        s if s < 3_600 => phrase!("{} min", s / 60),
        s if s < 86_400 => phrase!("{} h", s / 3_600),
        s => said::counted(f64::from(s / 86_400), "day", "days"),
    };
    match up_to_s {
        Some(up_to_s) => phrase!("up to {}", of(up_to_s)),
        None => phrase!("over {}", of(LIFE_BOUNDS_S[LIFE_BOUNDS_S.len() - 1])),
    }
}

fn percent(part: f64, whole: f64) -> Phrase {
    if whole == 0.0 { phrase!("-") } else { number(&said::fixed(100.0 * part / whole, 1)) }
}

fn cells(cells: impl Into<Vec<Phrase>>) -> ExhibitRow {
    ExhibitRow { cells: cells.into(), more: Vec::new() }
}

/// A single number.
fn number(number: &Value) -> Phrase {
    phrase!("{}", number)
}

fn table<const N: usize>(title: Phrase, head: [&'static str; N], rows: Vec<ExhibitRow>) -> Exhibit {
    Exhibit { title, head: head.map(Phrase::text).into(), rows, ..Exhibit::default() }
}

fn drawn(title: Phrase, unit: Phrase, across: Phrase, points: Vec<(f64, f64)>) -> Exhibit {
    let lines = vec![(unit.clone(), points)];
    let plot = ExhibitPlot { unit, across, across_is_log: false, lines };
    Exhibit { title, plot: Some(plot), ..Exhibit::default() }
}
