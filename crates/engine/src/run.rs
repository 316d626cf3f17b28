//! One run: the replies to the page when it starts, during it, and when it ends.

use std::ops::Range;
use std::sync::Arc;

use tiebreak_model::{Fleet, MachineId, Phrase};
use tiebreak_profile::{Facts, too_large};
use tiebreak_sim::{FIGURES, METRICS, Plan, RuleHint, RuleShare, World, hints};

use super::anatomy::anatomy;
use super::failures::{self, Lately};
use super::lifetimes;
use crate::protocol::{ClusterLayout, Failed, Hint, Layout, Learned, Progress, Reply, RunResult, Share, VdcProfile};

/// Events per slice of work: well under a millisecond with caches, a few without.
pub(super) const SLICE: u32 = 256;

/// A run under way, or finished.
pub(super) struct Run {
    pub(super) id: u32,
    pub(super) world: World,
    facts: Arc<Facts>,
    sent: usize,
    lately: Lately,
    /// The number of failed commits when the next one was requested.
    seeking: Option<u64>,
    pub(super) paused: bool,
    pub(super) finished: bool,
}

impl Run {
    /// Starts a run. Returns it with the replies to the page.
    pub(super) fn begin(
        id: u32,
        (plan, facts): (Plan, Arc<Facts>),
        paused: bool,
        (learned, vdcs, ends_early): (Option<Box<Learned>>, Option<Box<VdcProfile>>, Option<Phrase>),
    ) -> (Self, Reply) {
        let mut world = World::new(plan);
        world.keep_frames();
        let mut layout = layout(world.plan().fleet());
        layout.classes = world.plan().lifetimes().as_ref().map_or(Vec::new(), lifetimes::classes);
        layout.has_uplinks = world.plan().links().is_some();
        (layout.has_power, layout.has_draws) = (world.power_settings().is_some(), world.measures_draws());
        let horizon_ms = world.plan().workload().horizon().0 as f64;
        let warning = too_large(world.plan().workload(), world.plan().fleet());
        let doubts = ends_early.into_iter().chain(facts.doubts(world.plan().fleet())).collect();
        let outliers = facts.stretched();
        let run = Self { id, world, facts, sent: 0, lately: Lately::default(), seeking: None, paused, finished: false };
        (run, Reply::Started { run: id, layout, horizon_ms, warning, doubts, outliers, learned, vdcs })
    }

    /// Continues for one slice; reports news if `tell` is set or something ends.
    pub(super) fn work(&mut self, tell: bool) -> Vec<Reply> {
        if let Some(before) = self.seeking {
            return self.seek(before, tell);
        }
        match self.world.advance(SLICE).done {
            true => self.finish(),
            false if tell => vec![self.progress(None)],
            false => Vec::new(),
        }
    }

    /// Pauses, or continues to the end.
    pub(super) fn hold(&mut self, paused: bool) {
        (self.paused, self.seeking) = (paused, None);
    }

    /// Continues until another commit fails, then pauses.
    pub(super) fn seek_conflict(&mut self) {
        self.seeking = Some(self.world.conflicts().0);
        self.paused = false;
    }

    fn seek(&mut self, before: u64, tell: bool) -> Vec<Reply> {
        for _ in 0..SLICE {
            if self.world.advance(1).done {
                self.seeking = None;
                return self.finish();
            }
            let (conflicts, vm) = self.world.conflicts();
            if conflicts > before {
                (self.seeking, self.paused) = (None, true);
                let name = vm.map(|vm| self.world.plan().workload().name(vm).to_string());
                return vec![self.progress(name)];
            }
        }
        if tell { vec![self.progress(None)] } else { Vec::new() }
    }

    /// The current state of every machine, or the frames of a finished run.
    pub(super) fn frame_bytes(&self) -> Vec<u8> {
        if !self.finished {
            return self.world.picture();
        }
        self.world.frames().map_or(Vec::new(), |frames| frames.bytes().to_vec())
    }

    /// Whether there is more work now.
    pub(super) fn is_moving(&self) -> bool {
        !self.paused && !self.finished
    }

    /// The news since the last report; `stepped` is the last VM decided, when stepping.
    pub(super) fn progress(&mut self, stepped: Option<String>) -> Reply {
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

    /// Ends the run.
    pub(super) fn finish(&mut self) -> Vec<Reply> {
        self.finished = true;
        self.paused = false;
        let progress = self.progress(None);
        let frames = self.world.frames();
        let frame_times = frames.map_or(Vec::new(), |frames| frames.times().iter().map(|time| time.0 as f64).collect());
        let failed = frames.map_or(Vec::new(), failures::by_frame);
        vec![progress, Reply::Finished { run: self.id, result: result(&self.world, &self.facts), frame_times, failed }]
    }
}

fn layout(fleet: &Fleet) -> Layout {
    let clusters = fleet.clusters().iter().map(|cluster| ClusterLayout {
        name: cluster.name.clone(),
        racks: cluster
            .racks()
            .map(|rack| fleet.machines_of_rack(tiebreak_model::RackId(rack)))
            .map(|machines| (machines.start, machines.len() as u32))
            .collect(),
        chassis: chassis_of(fleet, cluster.machines()),
    });
    Layout { clusters: clusters.collect(), machines: fleet.machine_count(), ..Layout::default() }
}

/// Chassis of each rack of a cluster.
fn chassis_of(fleet: &Fleet, machines: Range<u32>) -> u32 {
    let rack = fleet.machines_of_rack(fleet.rack_of(MachineId(machines.start)));
    let [first, last] = [rack.start, rack.end - 1].map(|id| fleet.chassis_of(MachineId(id)).0);
    last - first + 1
}

fn result(world: &World, facts: &Facts) -> RunResult {
    let summary = &world.summary();
    let answers = &summary.answers;
    // If one in N of a trace is kept, agents are slowed down N times on purpose.
    let wait_ms = answers.p50_ms / world.plan().agents().slowdown;
    RunResult {
        digest: format!("{:016x}", summary.digest),
        figures: FIGURES.iter().map(|figure| figure.value(summary, world.plan())).collect(),
        waits_ms: answers.p50_ms.is_finite().then_some((answers.p50_ms, answers.p99_ms)),
        slow_agents: facts.slow_agents(wait_ms, summary.counters.ended_before_placed),
        rule_shares: shares(&summary.rule_shares),
        circles: (summary.circles.circular, summary.circles.sampled),
        turns: world.plan().lifetimes().map_or(Vec::new(), |_| lifetimes::turns(summary)),
        wall_ms: 0.0,
    }
}

fn shares(shares: &[RuleShare]) -> Vec<Share> {
    let hint = |share: &RuleShare, hint: RuleHint| Hint { label: hint.label(share), sentence: hint.sentence(share) };
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
