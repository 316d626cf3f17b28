//! `tiebreak run`: replays a scenario and reports the results.

use std::path::Path;
use std::thread;
use std::time::Instant;

use serde::Serialize;
use tiebreak_import::Import;
use tiebreak_model::Bottleneck;
use tiebreak_profile::Facts;
use tiebreak_scenario::{Document, Variant, WorkloadRef};
use tiebreak_sim::figures::Part;
use tiebreak_sim::metrics::Counters;
use tiebreak_sim::{AffinityDay, Fates, Placements, Plan, RuleHint, RuleShare, Samples, Summary, World, hints};
use tiebreak_study::figures::Figures;
use tiebreak_study::{own, warnings};
use tiebreak_tables::parquet;
use tiebreak_trace::compact::{self, Origin};

use super::trace::csv;
use crate::files::{AFFINITY, FILES};
use tiebreak_console::answer::{Answer, Failure, json, note};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::imports::{self, Told};
use tiebreak_console::shown::{by_cause, bytes, count, duration, table};
use tiebreak_console::trace::Source;
use tiebreak_console::whole::Folder;
use tiebreak_console::{progress, scenario};

pub(crate) const OUT: Opt = Opt {
    name: "out",
    value: Some("DIR"),
    help: "a folder for the results: scenario.json, which can be run again, summary.json, series.csv, placements.csv \
         with every decision, and vms.csv and vms.parquet with one row per VM",
};

/// The imported VMs, in the compact format.
const IMPORTED: &str = "imported.vms";

/// The report on imported files.
const IMPORT_FILE: &str = "import.json";

/// The content of vms.csv as Parquet.
const VMS_AS_PARQUET: &str = "vms.parquet";

pub(crate) const VERBOSE: Opt =
    Opt { name: "verbose", value: None, help: "also shows rules that refused nothing, caches and conflicts" };

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let folder = given.one("out").map(begin).transpose()?;
    let import = imports::read(given)?;
    let (mut variant, mut source) = scenario::with_import(given, import.as_ref())?;
    if let (Some(place), Some(trace)) = (given.one("out").filter(|_| import.is_some()), &mut source.trace) {
        let path = trace
            .path
            .take()
            .map_or_else(|| std::path::absolute(Path::new(place).join(IMPORTED)), |it| Ok(it.into()))?;
        trace.path = Some(path.to_string_lossy().into_owned());
    }
    let is_own = scenario::is_about_own_trace(given);
    let skipped = is_own.then(|| own::measure_late(&mut variant, &source.workload)).flatten();
    let plan = variant.plan(source.workload.clone())?;
    // The facts take a tenth of a short run, which need not wait for them.
    let ((facts, doubts), (world, stopped, wall_ms)) = thread::scope(|scope| {
        let facts = scope.spawn(|| look_at(&variant, &plan));
        let ran = run_plan(plan.clone(), folder.is_some());
        (facts.join().expect("facts do not panic"), ran)
    });
    let summary = world.summary();
    let mut report = SummaryFile::of((&variant, &source), (&summary, world.plan(), &facts), wall_ms);
    report.warnings.extend(doubts.iter().cloned());
    report.told = doubts;
    report.measured_late = skipped.is_some();
    if stopped {
        report.warnings.push(stopped_early(&world, folder.is_some()));
    } else if let Some(folder) = folder {
        write_files(&folder, &world, &report)?;
        if let Some(import) = &import {
            write_import(&folder, import)?;
        }
        write_scenario(&folder, variant, &source)?;
        folder.finish()?;
    }
    let text = || report.text(given.has(VERBOSE.name));
    let answer = match import.as_ref().map(Told::of) {
        None => Answer::either(given, &report, text),
        Some(import) => {
            let told = || format!("{}\n{}", import.text(), text());
            Answer::either(given, &Imported { summary: &report, import: &import }, told)
        }
    };
    Ok(answer.stopped(stopped))
}

/// Facts about the workload, and warnings, which it prints.
fn look_at(variant: &Variant, plan: &Plan) -> (Facts, Vec<String>) {
    let facts = Facts::of(plan.workload());
    let doubts = warnings::before(variant, plan, &facts, "--without-outliers");
    doubts.iter().for_each(note);
    (facts, doubts)
}

/// The world at the end of its run, whether Ctrl-C stopped it, and how many milliseconds it took.
fn run_plan(plan: Plan, keeps_decisions: bool) -> (World, bool, f64) {
    let start = Instant::now();
    let mut world = World::new(plan);
    progress::listen();
    if keeps_decisions {
        world.keep_decisions();
    }
    let stopped = progress::run(&mut world);
    (world, stopped, start.elapsed().as_secs_f64() * 1_000.0)
}

/// The summary of a run of imported files, with the report on the import.
#[derive(Serialize)]
struct Imported<'a> {
    #[serde(flatten)]
    summary: &'a SummaryFile<'a>,
    import: &'a Told<'a>,
}

/// Writes the report on the import and its VMs, so that the scenario can be run again.
fn write_import(folder: &Folder, import: &Import) -> Result<(), Failure> {
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.file(name), bytes).map_err(|error| folder.unwritable(&error));
    write(IMPORT_FILE, json(&Told::of(import)).as_bytes())?;
    let Some(workload) = &import.workload else { return Ok(()) };
    let notes = vec!["What was imported, see import.json.".to_owned()];
    let origin = Origin { title: "Imported VMs".into(), notes, cannot_answer: Vec::new() };
    write(IMPORTED, &compact::write(workload, &origin))
}

/// Begins the folder of results as early as possible.
fn begin(place: &str) -> Result<Folder, Failure> {
    let ours: Vec<_> = FILES.iter().map(|file| file.name).chain([VMS_AS_PARQUET]).collect();
    Folder::begin(Path::new(place), &ours)
}

/// What the figures cover when the user stopped the run.
fn stopped_early(world: &World, has_folder: bool) -> String {
    let (now, all) = (world.progress().time.0.max(0) as f64, world.plan().workload().horizon().0 as f64);
    let unwritten = if has_folder { " --out was not written." } else { "" };
    format!("Stopped after {} of {}; all numbers are for this part.{unwritten}", duration(now), duration(all))
}

/// Writes the scenario with all its settings, for `tiebreak run` to read again; that run finds the trace through the
/// summary.json next to it.
fn write_scenario(folder: &Folder, variant: Variant, source: &Source) -> Result<(), Failure> {
    let workload = match (&source.trace, variant.workload) {
        (Some(trace), _) => {
            let (fingerprint, name, settings) = (trace.fingerprint, trace.name.clone(), trace.settings);
            WorkloadRef::Trace { fingerprint, name, settings }
        }
        (None, generated) => generated,
    };
    let variant = Variant { workload, ..variant };
    let document = Document { name: "Run again".into(), variants: vec![variant], active: 0 };
    std::fs::write(folder.file("scenario.json"), document.to_json()).map_err(|error| folder.unwritable(&error))
}

/// The content of `summary.json`.
#[derive(Serialize)]
struct SummaryFile<'a> {
    digest: String,
    /// Warnings about the figures, one sentence each.
    warnings: Vec<String>,
    /// Warnings that were printed before the run.
    #[serde(skip)]
    told: Vec<String>,
    #[serde(flatten)]
    placing: Figures<'a>,
    life_p50_ms: Option<u64>,
    /// Where time averages begin.
    measured_from_hours: f64,
    #[serde(skip)]
    measured_late: bool,
    #[serde(flatten)]
    course: Figures<'a>,
    #[serde(flatten)]
    asked: Figures<'a>,
    wall_ms: f64,
    seed: u64,
    #[serde(flatten)]
    size: Figures<'a>,
    trace: Option<TraceName>,
    #[serde(flatten)]
    effort: Figures<'a>,
    cache: Cache,
    rule_shares: Vec<ShareRow>,
    /// The version of the program, and its arguments.
    version: &'static str,
    command: Vec<String>,
    /// The figures to write.
    #[serde(skip)]
    summary: &'a Summary,
    #[serde(skip)]
    plan: &'a Plan,
}

#[derive(Serialize)]
struct TraceName {
    name: String,
    fingerprint: String,
    /// Its path; `None` for the built-in trace.
    path: Option<String>,
    /// Its column mapping.
    columns: Option<String>,
}

#[derive(Serialize)]
struct Cache {
    on: bool,
    hits: u64,
    misses: u64,
    bytes: u64,
}

/// The average effect of a rule over sampled decisions: shares, from 0 to 1, of its stage's initial candidates and of
/// the decisions.
#[derive(Serialize)]
struct ShareRow {
    rule: &'static str,
    before: f64,
    after: f64,
    decided: f64,
    left_one: f64,
    settled: f64,
    samples: u32,
    hint: Option<&'static str>,
    #[serde(skip)]
    told: Option<String>,
}

impl ShareRow {
    fn of((share, hint): (&RuleShare, Option<RuleHint>)) -> Self {
        let RuleShare { rule, before, after, decided, left_one, settled, samples, .. } = *share;
        let told = hint.map(|hint| hint.sentence(share).to_string());
        Self { rule, before, after, decided, left_one, settled, samples, hint: hint.map(RuleHint::word), told }
    }
}

impl<'a> SummaryFile<'a> {
    fn of(
        (variant, source): (&Variant, &Source),
        (summary, plan, facts): (&'a Summary, &'a Plan, &Facts),
        wall_ms: f64,
    ) -> Self {
        let part = |part: Part| Figures(part, summary, plan);
        Self {
            digest: format!("{:016x}", summary.digest),
            warnings: warnings::after(variant, summary, facts),
            told: Vec::new(),
            placing: part(Part::Placing),
            life_p50_ms: facts.life_p50_ms,
            measured_from_hours: variant.measures.measured_from_hours,
            measured_late: false,
            course: part(Part::Course),
            asked: part(Part::Asked),
            wall_ms,
            seed: variant.seed,
            size: part(Part::Size),
            trace: source.trace.clone().map(|trace| TraceName {
                name: trace.name,
                fingerprint: format!("{:032x}", trace.fingerprint),
                path: trace.path,
                columns: trace.columns,
            }),
            effort: part(Part::Effort),
            cache: Cache {
                on: variant.agents.caches,
                hits: summary.counters.cache_hits,
                misses: summary.counters.cache_misses,
                bytes: summary.cache_bytes,
            },
            rule_shares: summary.rule_shares.iter().zip(hints(&summary.rule_shares)).map(ShareRow::of).collect(),
            version: env!("CARGO_PKG_VERSION"),
            command: std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
            summary,
            plan,
        }
    }

    /// The main figures and the rules that had an effect; the rest with `verbose`.
    fn text(&self, verbose: bool) -> String {
        let trace = self.trace.as_ref().map_or("a generated workload", |trace| trace.name.as_str());
        let (vms, machines) = (self.vms(), count(self.plan.fleet().machine_count().into()));
        let Summary { answers, conflicts, .. } = *self.summary;
        let late = if self.measured_late {
            format!(", from the first request on ({:.1} h)", self.measured_from_hours)
        } else {
            String::new()
        };
        let mut rows = vec![
            ("Empty hosts", format!("{:.2} % on average{late}", self.summary.empty_hosts_pct_mean)),
            ("Packing density", format!("{:.2} % on average", self.summary.packing_density_pct_mean)),
            ("Placed", self.placed()),
            ("Rejected", self.rejected()),
        ];
        rows.extend(self.refused().into_iter().chain(self.grown()).chain(self.powered()).chain(self.disrupted()));
        if answers.p50_ms.is_finite() {
            let (p50, p99) = (duration(answers.p50_ms), duration(answers.p99_ms));
            rows.push(("Waited", format!("{p50} (median), {p99} (99th percentile)")));
        }
        if let Some([cores, memory]) = self.summary.stranded_pct_mean {
            let stranded = format!("{cores:.2} % of the cores, {memory:.2} % of the memory on average");
            rows.push(("Stranded", stranded));
        }
        rows.push(("Conflicts", format!("{} of {} commits", count(conflicts), count(self.summary.counters.commits))));
        rows.push(("Replayed", format!("{trace}, {vms} VMs on {machines} machines, seed {}", self.seed)));
        if verbose {
            rows.push(("Conflicts, P99", format!("{} per minute", self.summary.conflicts_per_minute_p99)));
            rows.push(("Caches", self.cached()));
            rows.push(("Duration", format!("{:.0} ms", self.wall_ms)));
        }
        rows.push(("Digest", self.digest.clone()));
        let new = self.warnings.iter().filter(|warning| !self.told.contains(warning));
        let warnings: String = new.map(|warning| format!("Warning: {warning}\n")).collect();
        let text: String = rows.iter().map(|(name, value)| format!("{name:<18}{value}\n")).collect();
        warnings + &text + &self.shares(verbose)
    }

    /// VMs of the workload.
    fn vms(&self) -> String {
        count(self.plan.workload().vm_count().into())
    }

    fn placed(&self) -> String {
        let all = format!("{} of {} VMs", count(self.summary.placements), self.vms());
        match self.summary.counters.ended_before_placed {
            0 => all,
            ended => format!("{all}; {} of them had already ended and used no capacity", count(ended)),
        }
    }

    /// How many VMs were rejected, and why.
    fn rejected(&self) -> String {
        let counters = &self.summary.counters;
        let causes = [
            (self.summary.warm_rejections, "at the start"),
            (counters.rejected_by_room, "for lack of room"),
            (counters.rejected_by_terms, "by other rules"),
            (counters.rejected_out_of_retries, "out of retries"),
        ];
        by_cause(format!("{} VMs", count(self.summary.rejections)), &causes)
    }

    fn cached(&self) -> String {
        match (self.cache.on, self.cache.hits + self.cache.misses) {
            (false, _) => "off".into(),
            (true, 0) => "on, no decision".into(),
            (true, all) => {
                let hits = 100.0 * self.cache.hits as f64 / all as f64;
                format!("{hits:.1} % hits, {} in the end", bytes(self.cache.bytes))
            }
        }
    }

    /// Why VMs were rejected, if VMs are linked and any was rejected.
    fn refused(&self) -> Option<(&'static str, String)> {
        let counters = &self.summary.counters;
        let by = |bottleneck: Bottleneck| counters.refused_by_network[bottleneck as usize];
        let counts = [
            ("by machines without room", counters.refused_by_room),
            ("by link", by(Bottleneck::Link)),
            ("by peering", by(Bottleneck::Peering)),
            ("by co-location", by(Bottleneck::Colocation)),
            ("elsewhere in the network", by(Bottleneck::Elsewhere)),
        ];
        let some: Vec<_> =
            counts.iter().filter(|(_, vms)| *vms > 0).map(|(by, vms)| format!("{} {by}", count(*vms))).collect();
        let warm = if self.summary.warm_rejections > 0 { ", without those at the start" } else { "" };
        (self.plan.links().is_some() && !some.is_empty()).then(|| ("Of these", some.join(", ") + warm))
    }

    /// The outcomes of new deployments and scale-outs, if the policy has admission rules.
    fn grown(&self) -> Option<(&'static str, String)> {
        let Counters { deployments, deployments_refused, scale_outs, scale_outs_failed, .. } = self.summary.counters;
        let asked = deployments + deployments_refused + scale_outs + scale_outs_failed;
        let told = format!(
            "{} let in, {} not; of {} scale-outs {} failed",
            count(deployments),
            count(deployments_refused),
            count(scale_outs + scale_outs_failed),
            count(scale_outs_failed)
        );
        (asked > 0).then_some(("Deployments", told))
    }

    /// Figures on power, if it was measured or a rule used it.
    fn powered(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        if let Some(power) = self.summary.drawn() {
            let (events, rapl, energy) = (power.counted.events, power.counted.rapl, power.energy_kwh());
            rows.push(("Capping", format!("{events} events, the last resort {rapl} times; {energy:.0} kWh drawn")));
            let [user_facing, others] = power.slowed_core_hours();
            let told = format!("{user_facing:.1} core-hours of user-facing VMs, {others:.1} of batch VMs");
            rows.push(("Throttled", told));
        }
        if let Some(power) = &self.summary.power {
            let [chassis, servers] = power.deviations.map(|deviation| 100.0 * deviation);
            let told = format!("{chassis:.2} % over chassis, {servers:.2} % over servers, standard deviations");
            rows.push(("Power imbalance", told));
        }
        rows
    }

    /// The effects of incidents and evictions on VMs, if any.
    fn disrupted(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {
        let counters = &self.summary.counters;
        let counts = [
            ("Reallocated", counters.reallocations, "after losing their machine"),
            ("Lost", counters.lost_vms, "after losing their machine, without finding another"),
            ("Evicted", counters.evictions, "to make room for others"),
            ("Scheduled to migrate", counters.migrations_scheduled, "while they ran"),
            ("Migrated", counters.migrations, "while they ran"),
            ("Migrations saved", counters.migrations_saved, "of VMs that ended before their turn"),
        ];
        let some = counts.into_iter().filter(|(_, vms, _)| *vms > 0);
        some.map(|(name, vms, what)| (name, format!("{}, {what}", count(vms))))
    }

    /// The effects of rules: those that refused a candidate, or all of them in full.
    fn shares(&self, verbose: bool) -> String {
        let mut rows = vec![
            ["Machines left after each rule", "given", "left", "decided", "left one", "settled"]
                .map(String::from)
                .to_vec(),
        ];
        let shown = self.rule_shares.iter().filter(|share| verbose || share.decided > 0.0);
        rows.extend(shown.map(ShareRow::cells));
        let idle = self.rule_shares.len() + 1 - rows.len();
        let hints = self.rule_shares.iter().filter(|_| verbose);
        let hints = hints.filter_map(|share| Some((share.rule, share.told.as_ref()?)));
        let mut hints: String = hints.map(|(rule, told)| format!("  {rule}: {told}\n")).collect();
        if idle > 0 {
            hints += &format!("  {idle} rules refused nothing; --verbose shows them\n");
        }
        if rows.len() == 1 { String::new() } else { format!("\n{}{hints}", table(&rows)) }
    }
}

impl ShareRow {
    fn cells(&self) -> Vec<String> {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let shares = [self.before, self.after, self.decided, self.left_one, self.settled].map(percent);
        std::iter::once(self.rule.to_owned()).chain(shares).collect()
    }
}

fn write_files(folder: &Folder, world: &World, report: &SummaryFile<'_>) -> Result<(), Failure> {
    let unwritable = |error: &dyn std::fmt::Display| folder.unwritable(error);
    std::fs::write(folder.file("summary.json"), json(report)).map_err(|error| unwritable(&error))?;
    std::fs::write(folder.file("series.csv"), csv(&Samples(world))).map_err(|error| unwritable(&error))?;
    std::fs::write(folder.file("placements.csv"), csv(&Placements(world))).map_err(|error| unwritable(&error))?;
    std::fs::write(folder.file("vms.csv"), csv(&Fates(world))).map_err(|error| unwritable(&error))?;
    let vms = parquet::write(&Fates(world)).map_err(|error| unwritable(&error))?;
    std::fs::write(folder.file(VMS_AS_PARQUET), vms).map_err(|error| unwritable(&error))?;
    if !world.affinity_days().is_empty() {
        write_affinity(&folder.file("affinity.csv"), world).map_err(|error| unwritable(&error))?;
    }
    if world.power_readings().all(<[f32]>::is_empty) {
        return Ok(());
    }
    write_draws(&folder.file("power.csv"), world).map_err(|error| unwritable(&error))
}

/// Writes one row per chassis and slot: its draw without any throttling, as `tiebreak power budget` reads it.
fn write_draws(file: &Path, world: &World) -> csv::Result<()> {
    let mut csv = csv::Writer::from_path(file)?;
    csv.write_record(["time", "chassis", "watts"])?;
    for (chassis, draws) in world.power_readings().enumerate() {
        for (slot, watts) in draws.iter().enumerate() {
            csv.write_record([slot.to_string(), chassis.to_string(), format!("{watts:.1}")])?;
        }
    }
    Ok(csv.flush()?)
}

/// Writes one row per cluster and day of affinity groups.
fn write_affinity(file: &Path, world: &World) -> csv::Result<()> {
    let mut csv = csv::Writer::from_path(file)?;
    csv.write_record(AFFINITY.iter().map(|(name, _)| name))?;
    for AffinityDay { at, cluster, day } in world.affinity_days() {
        let shares = |class: usize| day.vector.map_or_else(String::new, |vector| format!("{:.6}", vector[class]));
        let group: Vec<_> = day.group.classes().map(|class| class.to_string()).collect();
        let place = [at.0.to_string(), cluster.0.to_string()].into_iter();
        let after = [format!("{:.6}", day.score), day.state.word().into(), group.join(" "), day.changed.to_string()];
        csv.write_record(place.chain((0..6).map(shares)).chain(after))?;
    }
    Ok(csv.flush()?)
}
