//! The displayed runs: which ones start after a change, and how they are paused, stepped and lost.

use std::mem;

use tiebreak_engine::Command;
use tiebreak_engine::protocol::StepTo;
use tiebreak_i18n::tr;
use tiebreak_scenario::Document;

use super::seeking::SEEKER;
use super::{App, Effect, Lane, Notice, POOL, Phase};

impl App {
    /// Gives every variant a lane, and runs those whose document has changed.
    pub(crate) fn run_changed(&mut self) -> Vec<Effect> {
        let mut lanes = mem::take(&mut self.aside);
        lanes.push(mem::take(&mut self.front));
        let mut effects = Vec::new();
        for (index, variant) in self.document.variants.iter().enumerate() {
            let known = lanes.iter().position(|lane| lane.id > 0 && lane.variant == variant.name);
            let mut lane = known.map_or_else(Lane::default, |known| lanes.swap_remove(known));
            if lane.id == 0 {
                self.next_lane += 1;
                lane = Lane::new(self.next_lane, &variant.name);
            }
            let document = Document { active: index, ..self.document.clone() };
            if lane.asked.as_ref().is_some_and(|asked| variant.runs_like(asked.active_variant())) {
                lane.rename(document);
            } else {
                self.next_run += 1;
                effects.push(lane.ask(self.next_run, &document, false));
            }
            self.aside.push(lane);
        }
        self.front = self.aside.remove(self.document.active.min(self.aside.len() - 1));
        for Lane { id: lane, .. } in lanes.into_iter().filter(|lane| lane.id > 0) {
            self.answers.forget_open_in(lane);
            effects.push(Effect::Close { lane });
        }
        effects
    }

    fn start_run(&mut self, paused: bool) -> Vec<Effect> {
        self.next_run += 1;
        vec![self.front.ask(self.next_run, &self.document, paused)]
    }

    pub(crate) fn run_or_resume(&mut self) -> Vec<Effect> {
        match self.front.phase {
            Phase::Paused => {
                self.front.phase = Phase::Running;
                vec![self.front.send(Command::Resume)]
            }
            Phase::Costly { seconds, bytes, .. } => self.run_anyway(seconds, bytes),
            _ => self.start_run(false),
        }
    }

    /// Starts runs that wait because of their cost, and later ones that cost at most twice as much.
    fn run_anyway(&mut self, seconds: f64, bytes: f64) -> Vec<Effect> {
        self.approved = Some((seconds, bytes));
        let lanes = std::iter::once(&mut self.front).chain(&mut self.aside);
        let waiting = lanes.filter(|lane| matches!(lane.phase, Phase::Costly { .. }));
        waiting.map(Lane::run_anyway).collect()
    }

    pub(crate) fn step(&mut self) -> Vec<Effect> {
        if self.step_to == StepTo::Rule {
            let rules = self.front.answer.attempts.last().map_or(0, |last| last.funnel.len());
            let shown = self.rules_shown.map_or(0, |shown| shown + 1);
            // After the last rule comes the choice, and then the next VM.
            if self.rules_shown.is_some() && shown <= rules {
                self.rules_shown = Some(shown);
                return Vec::new();
            }
            self.rules_shown = Some(0);
        }
        let mut effects = match self.front.phase {
            Phase::Paused | Phase::Running => Vec::new(),
            _ => self.start_run(true),
        };
        effects.push(self.front.send(Command::Step { to: self.step_to }));
        effects
    }

    pub(crate) fn ended(&mut self, lane: u32, reason: &str, had_begun: bool) -> Vec<Effect> {
        if lane == SEEKER {
            return self.seeker_ended(reason);
        }
        if lane >= POOL {
            let (done, mut effects) = self.pool.died(lane, reason, &mut self.next_run);
            if let Some((purpose, gathered)) = done {
                effects.extend(self.take_job(purpose, gathered));
            }
            effects.extend(self.pool.rest());
            return effects;
        }
        let (title, line) = match had_begun {
            true => (
                tr("The engine stopped and was restarted"),
                tr("Your scenario is unchanged; you may have to load files again."),
            ),
            false => (
                tr("The engine could not start"),
                tr("Your scenario is unchanged. Press Run to try again, or reload the page."),
            ),
        };
        let notice = Notice::bad(title, vec![reason.into(), line.into()]);
        // If several engines fail to start, report it once.
        self.notices.retain(|other| had_begun || *other != notice);
        self.notices.push(notice);
        if lane == self.front.id {
            self.traces.clear();
            self.reading = None;
        }
        let mut lanes = std::iter::once(&mut self.front).chain(&mut self.aside);
        if let Some(stopped) = lanes.find(|it| it.id == lane) {
            stopped.stopped();
        }
        self.answer_for_the_engine(lane, reason)
    }

    /// The lane of a run, if it is the newest run there.
    pub(crate) fn lane_of(&mut self, run: u32) -> Option<&mut Lane> {
        std::iter::once(&mut self.front).chain(&mut self.aside).find(|lane| lane.run == run)
    }
}
