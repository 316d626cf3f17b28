//! Handles an engine's replies.

use tiebreak_engine::protocol::{Progress, TraceCard};
use tiebreak_engine::questions::affinity_of_run::AffinityOfRun;
use tiebreak_engine::questions::power_of_run::PowerOfRun;
use tiebreak_engine::{Command, Reply, words};
use tiebreak_i18n::{say, tell, tr};
use tiebreak_model::Declared;
use tiebreak_scenario::{TraceSettings, Variant, WorkloadRef};

use super::{App, Asking, Edit, Effect, Explanation, Lane, Message, Notice, Outcome, Phase, Then};

/// The title of the message about an unreadable file.
fn unreadable(name: &str) -> String {
    say("{name} could not be read", &[&name])
}

/// What to ask about a run that has ended.
fn of_run(live: &Outcome) -> Vec<Asking> {
    let has_groups = live.result.as_ref().is_some_and(|result| result.known("affinity_changes").is_some());
    let power = live.layout.has_power.then(|| Asking::new(&PowerOfRun {}));
    let groups = has_groups.then(|| Asking::new(&AffinityOfRun {}));
    power.into_iter().chain(groups).map(|asking| asking.then(Then::ShowOfRun)).collect()
}

impl App {
    pub(crate) fn reply(&mut self, reply: Reply) -> Vec<Effect> {
        if let Some(run) = reply.run().filter(|run| self.pool.has(*run)) {
            return self.hear_pool(run, reply);
        }
        match reply {
            Reply::Lesson(lesson) => self.begin_lesson(*lesson),
            Reply::Moment { run, time_ms } => {
                let now = self.cursor_ms;
                self.lane_of(run).and_then(|lane| lane.looked(time_ms, now)).into_iter().collect()
            }
            Reply::Frozen(lesson) => self.frozen(lesson),
            Reply::NoLesson { issues } => {
                self.notices.push(Notice::bad(tr("This is not a valid lesson"), issues));
                Vec::new()
            }
            Reply::Measures { run, measures, values } => {
                if let Some(playing) = &mut self.lesson {
                    playing.take(run, &measures, &values);
                }
                Vec::new()
            }
            Reply::Placements { run } => {
                let Some(known) = self.differing.as_ref().filter(|known| known.runs.1 == run) else {
                    return Vec::new();
                };
                vec![self.front.send(Command::Differ { run: known.runs.0, other: run })]
            }
            Reply::Differences { run, other, first, count } => {
                if let Some(known) = self.differing.as_mut().filter(|known| known.runs == (run, other)) {
                    (known.first, known.count) = (first, Some(count));
                }
                Vec::new()
            }
            // Clusters over years run only in the pool.
            Reply::Ready | Reply::Years { .. } => Vec::new(),
            Reply::Answer { number, share, told } => self.answered(number, share, told),
            Reply::Imported(imported) => self.imported(imported),
            Reply::NotImported { name, why } => {
                self.forget_failure(&name);
                self.notices.push(Notice::bad(unreadable(&name), vec![why]));
                Vec::new()
            }
            Reply::NotSaved(why) => {
                self.notices.push(Notice::bad(tr("The file could not be saved"), vec![why]));
                Vec::new()
            }
            Reply::TraceProgress { bytes, rows } => {
                if let Some(reading) = &mut self.reading {
                    (reading.bytes, reading.rows) = (bytes, rows);
                }
                Vec::new()
            }
            Reply::TraceLoaded(card) => {
                self.unknown = None;
                self.forget_failure(&card.name);
                self.trace_loaded(card)
            }
            Reply::TraceFailed { message, unknown } => {
                let name = self.reading.take().map_or(tr("The file").into(), |reading| reading.name);
                // The column mapper stays until the file is read, with the choices for the same lines.
                let before = self.unknown.take().filter(|before| before.name == name);
                self.unknown = match (unknown, before) {
                    (Some(new), Some(before)) if before.rows == new.rows => Some(before),
                    (Some(new), _) => Some(new),
                    (None, before) => before,
                };
                self.forget_failure(&name);
                self.notices.push(Notice::bad(unreadable(&name), vec![tell(&message)]));
                Vec::new()
            }
            Reply::TraceNeeded { run, fingerprint, name, sample } => {
                if let Some(lane) = self.lane_of(run) {
                    lane.phase = Phase::NeedsTrace { fingerprint, name, sample: TraceSettings::from_values(&sample) };
                }
                Vec::new()
            }
            Reply::Costly { run, told, seconds, bytes } => {
                let is_approved = self.approved.is_some_and(|(s, b)| seconds <= 2.0 * s && bytes <= 2.0 * b);
                let Some(lane) = self.lane_of(run) else { return Vec::new() };
                if is_approved {
                    return vec![lane.send(Command::RunAnyway { run })];
                }
                lane.phase = Phase::Costly { told, seconds, bytes };
                Vec::new()
            }
            Reply::Learning { run, share, paused } => {
                if let Some(lane) = self.lane_of(run) {
                    lane.learns(share, paused);
                }
                Vec::new()
            }
            Reply::Started { run, layout, horizon_ms, warning, doubts, outliers, learned, vdcs } => {
                if self.front.run == run {
                    self.cursor_ms = self.cursor_ms.filter(|time| *time <= horizon_ms);
                }
                let lane = self.lane_of(run);
                let told = (warning, doubts, outliers);
                let mut effects =
                    lane.map_or_else(Vec::new, |lane| lane.started(layout, horizon_ms, told, (learned, vdcs)));
                effects.extend(self.ask_profile());
                effects
            }
            Reply::Progress(progress) => self.progress(progress),
            Reply::Finished { run, result, frame_times, failed } => {
                let Some(lane) = self.lane_of(run) else { return Vec::new() };
                let Some(live) = lane.live.as_mut().filter(|live| live.run == run) else { return Vec::new() };
                (live.result, live.frame_times, live.failed) = (Some(result), frame_times, failed);
                lane.phase = Phase::Finished;
                let of_run = of_run(live);
                let lane = lane.id;
                self.judge_idle();
                let mut effects = self.finished(run);
                effects.extend(of_run.into_iter().map(|asking| self.ask_of(lane, run, String::new(), asking)));
                effects
            }
            Reply::Failed { run, message } => {
                if let Some(lane) = self.lane_of(run) {
                    lane.phase = Phase::Failed(message);
                }
                Vec::new()
            }
            Reply::Explained { run, vm, attempts, story, message } => {
                let mut lanes = std::iter::once(&mut self.front).chain(&mut self.aside);
                let shown = lanes.find(|lane| lane.live.as_ref().is_some_and(|live| live.run == run));
                if let Some(lane) = shown.filter(|_| vm == self.selection.vm) {
                    lane.answer = Explanation { attempts, story, message };
                    return self.look_before_decision();
                }
                Vec::new()
            }
            Reply::Machine { run, machine, is_there, about, life, vms, holder, .. } => {
                let shown = self.front.live.as_ref().is_some_and(|live| live.run == run);
                if !shown || self.selection.machine != Some(machine) {
                    return Vec::new();
                }
                let selection = &mut self.selection;
                (selection.is_there, selection.about, selection.life) = (is_there, about, life);
                (selection.vms, selection.holder) = (vms, holder);
                self.ask_why_placed().into_iter().collect()
            }
        }
    }

    /// Drops the message about a file that has been read or abandoned.
    pub(crate) fn forget_failure(&mut self, name: &str) {
        let title = unreadable(name);
        self.notices.retain(|notice| notice.title != title);
    }

    /// A new trace becomes the workload, unless the run was waiting for it.
    fn trace_loaded(&mut self, card: TraceCard) -> Vec<Effect> {
        let asked_for = self.reading.take().is_some();
        let fingerprint = card.fingerprint.clone();
        if card.faulty > 0.0 {
            let rows = words::counted(card.faulty, "row was", "rows were");
            let faults = card.faults.iter().map(tell).collect();
            self.notices.push(Notice::bad(say("{rows} excluded from {}", &[&rows, &card.name]), faults));
        }
        self.traces.retain(|trace| trace.fingerprint != fingerprint);
        self.traces.push(card);
        let wanted = matches!(&self.variant().workload, WorkloadRef::Trace { fingerprint: used, .. }
            if format!("{used:032x}") == fingerprint);
        if let (false, Phase::NeedsTrace { fingerprint: expected, name, .. }) = (wanted, &self.front.phase) {
            let line = say(
                "Expected {name} with fingerprint {expected}, got {fingerprint}. The scenario now runs on the new \
                 file; Undo restores the previous one.",
                &[&name, &expected, &fingerprint],
            );
            self.notices.push(Notice::bad(tr("This is not the trace that the scenario was made for"), vec![line]));
        }
        let waits =
            |lane: &Lane| matches!(&lane.phase, Phase::NeedsTrace { fingerprint: it, .. } if *it == fingerprint);
        self.aside.iter_mut().filter(|lane| waits(lane)).for_each(Lane::forget);
        match (wanted, asked_for) {
            // The engine starts the run that waits for it.
            (true, _) => {
                if matches!(self.front.phase, Phase::NeedsTrace { .. }) {
                    self.front.phase = Phase::Running;
                }
                self.run_changed()
            }
            (false, true) => self.use_own(fingerprint),
            (false, false) => Vec::new(),
        }
    }

    /// The user's trace becomes the workload; reports what changes with it.
    fn use_own(&mut self, fingerprint: String) -> Vec<Effect> {
        let before = self.variant().clone();
        let effects = self.edit(&Edit::UseTrace { fingerprint });
        let (now, mut lines) = (self.variant(), Vec::new());
        if now.agents != before.agents {
            let agents = |it: &Variant| [it.agents.decision_ms, it.agents.publish_ms].map(|ms| words::count(ms as f64));
            let ([decide, publish], [decided, published]) = (agents(now), agents(&before));
            lines.push(say(
                "Agents now decide in {decide} ms and publish in {publish} ms. The previous {decided} and {published} \
                 ms were for a sample of a zone's requests. If your trace is a sample, set the slowdown under Agents.",
                &[&decide, &publish, &decided, &published],
            ));
        }
        if now.measures.measured_from_hours > before.measures.measured_from_hours {
            let hours = words::trimmed(now.measures.measured_from_hours, 2);
            lines.push(say("Means over time start with the first request, after {hours} hours.", &[&hours]));
        }
        if !lines.is_empty() {
            self.notices.push(Notice::good(tr("Set for your trace"), lines));
        }
        effects
    }

    fn progress(&mut self, progress: Progress) -> Vec<Effect> {
        let run = progress.run;
        let stepped = self.lane_of(run).and_then(|lane| lane.progress(progress));
        let listed =
            if run == self.front.run && self.front.phase == Phase::Paused { self.ask_decisions() } else { None };
        let explained = match stepped.filter(|_| run == self.front.run) {
            Some(vm) => {
                self.cursor_ms = None;
                self.update(Message::Vm(vm))
            }
            None => Vec::new(),
        };
        listed.into_iter().chain(explained).collect()
    }

    /// A run has ended: requests what the user looks at again.
    fn finished(&mut self, run: u32) -> Vec<Effect> {
        let is_front = run == self.front.run;
        if is_front {
            self.log_run();
        }
        let mut effects = if is_front { self.ask_machine() } else { Vec::new() };
        effects.extend(is_front.then(|| self.ask_decisions()).flatten());
        effects.extend(self.ask_moment());
        effects.extend(self.explain());
        effects
    }
}
