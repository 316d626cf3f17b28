//! The engine behind the page: traces, the run in slices, explanations.
//!
//! It has no clock and no files. Whoever drives it pushes bytes, calls
//! [`Engine::work`] for as long as there is time, and passes replies on.

mod anatomy;
mod answer;
mod failures;
mod lifetimes;

use std::sync::Arc;

use tiebreak_model::{Fleet, MachineId, Readiness, Resources, Time, VmId, VmShape, Workload};
use tiebreak_scenario::{Document, Variant, WorkloadRef};
use tiebreak_sim::{Fate, METRICS, MachineByte, Plan, Probe, RuleHint, RuleShare, World, hints};
use tiebreak_trace::{Fault, Parsed, TraceParser};

use crate::protocol::{
    ClusterLayout, Command, Failed, Hint, Layout, Progress, Reply, RunResult, Share, TraceCard, VmCard,
};
use crate::view::words;

use self::anatomy::anatomy;
use self::answer::answer;
use self::failures::Lately;
use self::lifetimes::{Beginning, Known, Learning, Ready, Shelf};

/// Events per slice of work: well under a millisecond with caches, some without.
const SLICE: u32 = 256;

/// Traces kept loaded; the one loaded first makes room.
const TRACES_MAX: usize = 4;

/// Everything the page does not do itself.
#[derive(Default)]
pub struct Engine {
    traces: Vec<(u128, Arc<Workload>)>,
    reading: Option<Reading>,
    learning: Option<Box<Learning>>,
    shelf: Shelf,
    run: Option<Run>,
    explaining: Option<Explaining>,
    generated: Option<(Variant, Arc<Workload>)>,
}

struct Reading {
    name: String,
    one_tenant_in: u32,
    parser: TraceParser,
    told_at: u64,
}

/// A VM whose decisions are found by deciding everything before them again.
struct Explaining {
    run: u32,
    asked_vm: String,
    vm: VmId,
    world: World,
    /// Events that the run on screen has seen.
    until: u64,
    /// When the VM lost a machine for the last time, if it did: it is decided again after that.
    lost_at: Option<Time>,
}

impl Explaining {
    /// Whether the decision that counts has been made.
    fn is_decided(&self) -> bool {
        let Self { vm, world, .. } = self;
        match self.lost_at {
            Some(lost_at) => world.progress().time > lost_at && !matches!(world.fate(*vm), Some(Fate::Waiting { .. })),
            None => {
                let request = world.plan().workload().request_of(*vm);
                world.placement(*vm).is_some() || world.rejection(request).is_some()
            }
        }
    }
}

struct Run {
    id: u32,
    world: World,
    sent: usize,
    lately: Lately,
    paused: bool,
    finished: bool,
}

impl core::fmt::Debug for Engine {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Engine").field("traces", &self.traces.len()).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine with nothing loaded.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Does what the page asks.
    pub fn handle(&mut self, command: Command) -> Vec<Reply> {
        match command {
            Command::TraceBegin { name, one_tenant_in, .. } => {
                let parser = TraceParser::new(&name).sampled(one_tenant_in.max(1));
                self.reading = Some(Reading { name, one_tenant_in, parser, told_at: 0 });
                Vec::new()
            }
            Command::TraceCancel => {
                self.reading = None;
                Vec::new()
            }
            Command::Run { run, document, paused } => self.start(run, &document, paused),
            Command::Pause => self.set_paused(true),
            Command::Resume => self.set_paused(false),
            Command::Step => self.step(),
            Command::Explain { run, vm, asked } => self.explain(run, vm, asked).into_iter().collect(),
            Command::Machine { run, machine, time_ms } => self.machine(run, machine, time_ms).into_iter().collect(),
        }
    }

    /// Whether a trace is being read.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    /// Whether [`Engine::work`] has anything to do.
    #[must_use]
    pub fn is_running(&self) -> bool {
        let learns = self.learning.as_ref().is_some_and(|learning| !learning.paused);
        learns || self.explaining.is_some() || self.run.as_ref().is_some_and(Run::is_moving)
    }

    /// Takes more bytes of the trace being read.
    pub fn trace_bytes(&mut self, chunk: &[u8]) -> Vec<Reply> {
        const TELL_EVERY: u64 = 4 << 20;
        let Some(reading) = &mut self.reading else { return Vec::new() };
        if let Err(error) = reading.parser.push(chunk) {
            self.reading = None;
            return vec![Reply::TraceFailed { message: error.to_string() }];
        }
        let progress = reading.parser.progress();
        if progress.bytes - reading.told_at < TELL_EVERY {
            return Vec::new();
        }
        reading.told_at = progress.bytes;
        vec![Reply::TraceProgress { bytes: progress.bytes as f64, rows: progress.rows as f64 }]
    }

    /// The trace being read is complete.
    pub fn trace_end(&mut self) -> Vec<Reply> {
        let Some(Reading { name, one_tenant_in, parser, .. }) = self.reading.take() else { return Vec::new() };
        match parser.finish() {
            Ok(parsed) => vec![Reply::TraceLoaded(self.keep(name, one_tenant_in, parsed))],
            Err(error) => vec![Reply::TraceFailed { message: error.to_string() }],
        }
    }

    fn keep(&mut self, name: String, one_tenant_in: u32, parsed: Parsed) -> TraceCard {
        let fingerprint = parsed.workload.fingerprint();
        let card = trace_card(name, one_tenant_in, fingerprint, &parsed);
        self.traces.retain(|(kept, _)| *kept != fingerprint);
        if self.traces.len() == TRACES_MAX {
            self.traces.remove(0);
        }
        self.traces.push((fingerprint, Arc::new(parsed.workload)));
        card
    }

    fn workload(&mut self, variant: &Variant) -> Option<Arc<Workload>> {
        match &variant.workload {
            WorkloadRef::Trace { fingerprint, .. } => {
                self.traces.iter().find(|(kept, _)| kept == fingerprint).map(|(_, workload)| workload.clone())
            }
            WorkloadRef::Generated(_) => {
                let same = |made: &Variant| made.workload == variant.workload && made.seed == variant.seed;
                if !self.generated.as_ref().is_some_and(|(made, _)| same(made)) {
                    let workload = Arc::new(variant.generate()?);
                    self.generated = Some((variant.clone(), workload));
                }
                self.generated.as_ref().map(|(_, workload)| workload.clone())
            }
        }
    }

    fn start(&mut self, id: u32, document: &str, paused: bool) -> Vec<Reply> {
        (self.run, self.explaining, self.learning) = (None, None, None);
        let variant = match read(document) {
            Ok(variant) => variant,
            Err(message) => return vec![Reply::Failed { run: id, message }],
        };
        let Some(workload) = self.workload(&variant) else {
            let WorkloadRef::Trace { fingerprint, name, settings } = variant.workload else { return Vec::new() };
            let (fingerprint, one_tenant_in) = (format!("{fingerprint:032x}"), settings.one_tenant_in);
            return vec![Reply::TraceNeeded { run: id, fingerprint, name, one_tenant_in }];
        };
        let plan = match variant.untrained_plan(workload) {
            Ok(plan) => plan,
            Err(error) => return vec![Reply::Failed { run: id, message: error.to_string() }],
        };
        let then = if paused { Beginning::Held } else { Beginning::Runs };
        match lifetimes::prepare(id, &variant, plan, &mut self.shelf, then) {
            Ready::Now(plan, known) => self.begin(id, *plan, known, then),
            Ready::Later(learning) => {
                let told = tell_of(&learning);
                self.learning = Some(learning);
                vec![told]
            }
        }
    }

    /// Lets a run begin.
    fn begin(&mut self, id: u32, plan: Plan, known: Option<Known>, then: Beginning) -> Vec<Reply> {
        let mut world = World::new(plan);
        world.keep_frames();
        let mut layout = layout(world.plan().fleet());
        layout.classes = world.plan().lifetimes().as_ref().map_or(Vec::new(), lifetimes::classes);
        let horizon_ms = world.plan().workload().horizon().0 as f64;
        let warning = too_large(world.plan().fleet(), world.plan().workload());
        let (paused, learned) = (then != Beginning::Runs, known.map(|known| known.learned));
        self.run = Some(Run { id, world, sent: 0, lately: Lately::default(), paused, finished: false });
        let mut replies = vec![Reply::Started { run: id, layout, horizon_ms, warning, learned }];
        if then == Beginning::Steps {
            replies.extend(self.step());
        }
        replies
    }

    fn set_paused(&mut self, paused: bool) -> Vec<Reply> {
        if let Some(learning) = &mut self.learning {
            (learning.paused, learning.then) = (paused, Beginning::Runs);
            return vec![tell_of(learning)];
        }
        let Some(run) = self.run.as_mut().filter(|run| !run.finished) else { return Vec::new() };
        run.paused = paused;
        if !paused {
            run.world.set_probe(None);
        }
        vec![run.progress(None)]
    }

    /// Runs one slice; tells what is new when `tell` is set or something ends.
    pub fn work(&mut self, tell: bool) -> Vec<Reply> {
        if let Some(learning) = self.learning.take_if(|learning| !learning.paused) {
            return self.learn(learning, tell);
        }
        let Some(run) = self.run.as_mut().filter(|run| run.is_moving()) else { return self.work_on_explanation() };
        let done = run.world.advance(SLICE).done;
        if done {
            run.finish()
        } else if tell {
            vec![run.progress(None)]
        } else {
            Vec::new()
        }
    }

    /// Learns for one slice; the run begins when all is learned.
    fn learn(&mut self, mut learning: Box<Learning>, tell: bool) -> Vec<Reply> {
        if learning.work() {
            let (run, then) = (learning.run, learning.then);
            let (plan, known) = learning.finish(&mut self.shelf);
            return self.begin(run, plan, Some(known), then);
        }
        let told = tell.then(|| tell_of(&learning));
        self.learning = Some(learning);
        told.into_iter().collect()
    }

    fn step(&mut self) -> Vec<Reply> {
        if let Some(learning) = &mut self.learning {
            (learning.paused, learning.then) = (false, Beginning::Steps);
            return vec![tell_of(learning)];
        }
        let Some(run) = self.run.as_mut().filter(|run| !run.finished) else { return Vec::new() };
        run.paused = true;
        run.world.warm_up();
        run.world.forget_answered();
        run.world.set_probe(Some(Probe { vm: None, asked: None }));
        let before = run.world.progress().decided;
        while run.world.progress().decided == before {
            if run.world.advance(1).done {
                return run.finish();
            }
        }
        let stepped = run.world.decided_last().map(|vm| run.world.plan().workload().name(vm).to_string());
        vec![run.progress(stepped)]
    }

    /// How every machine stands now, and the frames of a finished run.
    #[must_use]
    pub fn frame_bytes(&self) -> (Vec<u8>, bool) {
        let Some(run) = &self.run else { return (Vec::new(), false) };
        if !run.finished {
            return (run.world.picture(), false);
        }
        (run.world.frames().map_or(Vec::new(), |frames| frames.bytes().to_vec()), true)
    }

    /// Explains a VM's decisions from the uncached reference. Those made in the last step were
    /// explained as they were made; for any other, everything before is decided again, in
    /// slices, as long as no newer run begins.
    fn explain(&mut self, run: u32, vm: String, asked: Option<u32>) -> Option<Reply> {
        self.explaining = None;
        let refuse = |message: String| {
            let (attempts, story) = (Vec::new(), Vec::new());
            Some(Reply::Explained { run, vm: vm.clone(), attempts, story, message: Some(message) })
        };
        let Some(current) = self.run.as_ref().filter(|current| current.id == run) else {
            let learning =
                "That run is over, and for the next one lifetimes are being learned; ask again when it runs.";
            let over = "That run is over; press Run to look at it again.";
            return refuse(if self.learning.is_some() { learning } else { over }.into());
        };
        let plan = current.world.plan();
        let workload = plan.workload();
        let Some(id) = vm.trim().parse().ok().and_then(|name| workload.find(name)) else {
            let some = workload.name(VmId(workload.vm_count() / 2));
            return refuse(format!("This workload has no VM \"{vm}\"; its VMs are numbers such as {some}."));
        };
        let asked = asked.filter(|machine| *machine < plan.fleet().machine_count()).map(MachineId);
        let watched = current.world.probed().iter().any(|probed| probed.vm == id);
        let rejected_now = current.paused && current.world.rejection(workload.request_of(id)).is_some();
        if asked.is_none() && (watched || rejected_now) {
            return Some(answer(run, vm, id, &current.world, &current.world));
        }
        let mut world = World::new(plan.clone().without_samples());
        world.set_probe(Some(Probe { vm: Some(id), asked }));
        let until = current.world.progress().events;
        let lost_at = current.world.lost_machine_at(id);
        self.explaining = Some(Explaining { run, asked_vm: vm, vm: id, world, until, lost_at });
        None
    }

    fn work_on_explanation(&mut self) -> Vec<Reply> {
        let Some(explaining) = &mut self.explaining else { return Vec::new() };
        let left = explaining.until.saturating_sub(explaining.world.progress().events);
        if left > 0 && !explaining.is_decided() {
            explaining.world.advance(SLICE.min(left as u32));
            return Vec::new();
        }
        let Some(Explaining { run, asked_vm, vm, world, .. }) = self.explaining.take() else { return Vec::new() };
        // Deciding again ends with the VM's decision; what came of it later, the run itself knows.
        let later = self.run.as_ref().filter(|current| current.id == run).map_or(&world, |current| &current.world);
        vec![answer(run, asked_vm, vm, &world, later)]
    }

    fn machine(&self, run: u32, machine: u32, time_ms: f64) -> Option<Reply> {
        let current = self.run.as_ref().filter(|current| current.id == run)?;
        let fleet = current.world.plan().fleet();
        if machine >= fleet.machine_count() {
            return None;
        }
        let workload = current.world.plan().workload();
        let id = MachineId(machine);
        let at = Time(time_ms as i64);
        let mut free = fleet.capacity(id);
        let terms = current.world.plan().lifetimes();
        let card = current.world.host_card(id, at);
        let vms = current
            .world
            .vms_on(id, at)
            .map(|(vm, since)| {
                let demand = workload.shape(workload.shape_of(vm)).demand;
                free = free.checked_sub(demand).unwrap_or(Resources::NONE);
                let expected = card.as_ref().and_then(|card| card.vms.iter().find(|expected| expected.vm == vm));
                VmCard {
                    vm: workload.name(vm).to_string(),
                    demand: words::resources(demand),
                    since_ms: since.0 as f64,
                    expected: expected.map(lifetimes::expected),
                    residual: expected.is_some_and(|expected| expected.residual),
                }
            })
            .collect();
        let cluster = &fleet.cluster(fleet.cluster_of(id)).name;
        let about = format!(
            "Rack {} of {cluster}{}; {} of {} free",
            fleet.rack_of(id),
            words::readiness(readiness(&current.world, id, at)),
            words::resources(free),
            words::resources(fleet.capacity(id))
        );
        let life = card.zip(terms).map(|(card, terms)| lifetimes::host(&card, &terms));
        Some(Reply::Machine { run, machine, time_ms, about, life, vms })
    }
}

impl Run {
    fn is_moving(&self) -> bool {
        !self.paused && !self.finished
    }

    fn progress(&mut self, stepped: Option<String>) -> Reply {
        let series = self.world.series();
        let from = self.sent;
        self.sent = series.times().len();
        let progress = self.world.progress();
        let values = (0..METRICS.len()).map(|metric| series.values(metric)[from.min(self.sent)..].to_vec()).collect();
        Reply::Progress(Progress {
            run: self.id,
            time_ms: progress.time.0 as f64,
            decided: progress.decided,
            vms: self.world.plan().workload().vm_count(),
            from: from as u32,
            times: series.times()[from..].iter().map(|time| time.0 as f64).collect(),
            values,
            paused: self.paused,
            stepped,
            failed: self.world.frames().map_or_else(Failed::default, |frames| self.lately.failed(frames, self.paused)),
            anatomy: anatomy(&self.world),
        })
    }

    fn finish(&mut self) -> Vec<Reply> {
        self.finished = true;
        self.paused = false;
        let progress = self.progress(None);
        let frames = self.world.frames();
        let frame_times = frames.map_or(Vec::new(), |frames| frames.times().iter().map(|time| time.0 as f64).collect());
        let failed = frames.map_or(Vec::new(), failures::by_frame);
        vec![progress, Reply::Finished { run: self.id, result: result(&self.world), frame_times, failed }]
    }
}

/// How far a predictor has learned.
fn tell_of(learning: &Learning) -> Reply {
    Reply::Learning { run: learning.run, share: learning.share_done(), paused: learning.paused }
}

/// Whether a machine took VMs at a moment of the run so far, as far as frames tell.
fn readiness(world: &World, machine: MachineId, at: Time) -> Readiness {
    let frame = world.frames().filter(|_| at < world.progress().time).map(|frames| frames.at(at));
    let byte = frame.and_then(|frame| frame.get(machine.index()));
    byte.map_or_else(|| world.occupancy().record(machine).readiness, |byte| MachineByte(*byte).readiness())
}

fn trace_card(name: String, one_tenant_in: u32, fingerprint: u128, parsed: &Parsed) -> TraceCard {
    let report = &parsed.report;
    let corrections = report.corrections.iter().map(|(kind, count)| format!("{count} rows: {}", kind.title()));
    let sampled = (report.sampled_out > 0).then(|| format!("{} rows left out by sampling", report.sampled_out));
    TraceCard {
        name,
        fingerprint: format!("{fingerprint:032x}"),
        one_tenant_in,
        format: report.format_title.clone(),
        vms: f64::from(report.summary.vms),
        rows: report.rows as f64,
        faulty: report.faulty() as f64,
        faults: report.faults.iter().take(20).map(fault).collect(),
        notes: sampled.into_iter().chain(corrections).chain(report.notes.iter().cloned()).collect(),
        cannot_answer: report.cannot_answer.clone(),
        peak_cores: report.summary.peak_cores_milli as f64 / 1_000.0,
        warm: f64::from(report.summary.warm),
        days: report.summary.span.0 as f64 / 86_400_000.0,
    }
}

fn fault(fault: &Fault) -> String {
    format!("line {}: expected {}, got {}", fault.line, fault.expected, fault.got)
}

/// Says which VMs no machine could hold even when empty.
fn too_large(fleet: &Fleet, workload: &Workload) -> Option<String> {
    let fits = |shape: &VmShape| fleet.clusters().iter().any(|cluster| cluster.capacity.covers(shape.demand));
    let fits: Vec<bool> = workload.shapes().iter().map(fits).collect();
    let vms = (0..workload.vm_count()).filter(|vm| !fits[workload.shape_of(VmId(*vm)).index()]).count();
    let largest =
        workload.shapes().iter().zip(&fits).filter(|(_, fits)| !**fits).map(|(shape, _)| shape.demand).max()?;
    let machine = fleet.clusters().iter().map(|cluster| cluster.capacity).max()?;
    Some(format!(
        "{} for more than any machine has and will be rejected whatever the rules: the largest wants {}, the largest \
         machine has {}. Give the machines more, or leave it so.",
        words::counted(vms as f64, "VM asks", "VMs ask"),
        words::resources(largest),
        words::resources(machine)
    ))
}

fn layout(fleet: &Fleet) -> Layout {
    let clusters = fleet.clusters().iter().map(|cluster| ClusterLayout {
        name: cluster.name.clone(),
        racks: cluster
            .racks()
            .map(|rack| fleet.machines_of_rack(tiebreak_model::RackId(rack)))
            .map(|machines| (machines.start, machines.len() as u32))
            .collect(),
    });
    Layout { clusters: clusters.collect(), machines: fleet.machine_count(), classes: Vec::new() }
}

fn result(world: &World) -> RunResult {
    let summary = &world.summary();
    let decisions = summary.counters.cache_hits + summary.counters.cache_misses;
    RunResult {
        digest: format!("{:016x}", summary.digest),
        placements: summary.placements as f64,
        rejections: summary.rejections as f64,
        conflicts: summary.conflicts as f64,
        reallocations: summary.counters.reallocations as f64,
        lost_vms: summary.counters.lost_vms as f64,
        empty_hosts_pct: summary.empty_hosts_pct_mean,
        packing_density_pct: summary.packing_density_pct_mean,
        cache_hit_pct: 100.0 * summary.counters.cache_hits as f64 / (decisions.max(1)) as f64,
        rule_shares: shares(&summary.rule_shares),
        circles: (summary.circles.circular, summary.circles.sampled),
        migrations: (summary.counters.migrations_scheduled as f64, summary.counters.migrations_saved as f64),
        repredictions: summary.lives.repredictions as f64,
        turns: world.plan().lifetimes().map_or(Vec::new(), |_| lifetimes::turns(summary)),
        wall_ms: 0.0,
    }
}

fn shares(shares: &[RuleShare]) -> Vec<Share> {
    let hint = |share: &RuleShare, hint: RuleHint| Hint {
        label: hint.label(share).to_owned(),
        sentence: hint.sentence(share),
    };
    let share = |(share, hinted): (&RuleShare, Option<RuleHint>)| Share {
        rule: share.rule.to_owned(),
        before: share.before,
        after: share.after,
        decided: share.decided,
        left_one: share.left_one,
        hint: hinted.map(|hinted| hint(share, hinted)),
    };
    shares.iter().zip(hints(shares)).map(share).collect()
}

/// The active variant of a document, which must be one without issues: what runs is what the
/// page shows, or nothing.
fn read(document: &str) -> Result<Variant, String> {
    let read = Document::read(document).map_err(|error| error.to_string())?;
    match read.issues.first() {
        Some(issue) => Err(issue.to_string()),
        None => Ok(read.document.active_variant().clone()),
    }
}
