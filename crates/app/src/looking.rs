//! What the user looks at: a moment, a machine, a VM, the workload.

use tiebreak_engine::Command;
use tiebreak_engine::questions::profile_workload::ProfileWorkload;
use tiebreak_engine::questions::why_placed::WhyPlaced;
use tiebreak_model::Phrase;

use super::{Answered, App, Asking, Effect, Lane, Mode, Phase, Selection};

impl App {
    /// The displayed moment.
    #[must_use]
    pub fn moment(&self) -> f64 {
        self.cursor_ms.unwrap_or(self.front.time_ms)
    }

    pub(crate) fn look_at(&mut self, time: Option<f64>) -> Vec<Effect> {
        self.cursor_ms = time;
        let mut effects = self.ask_machine();
        effects.extend(self.ask_moment());
        effects
    }

    /// Requests the state of the displayed machines at the selected moment.
    pub(crate) fn ask_moment(&mut self) -> Vec<Effect> {
        let Some(time) = self.cursor_ms else { return Vec::new() };
        let shown: Vec<u32> = self.shown_lanes().iter().map(|lane| lane.id).collect();
        let lanes = std::iter::once(&mut self.front).chain(&mut self.aside);
        lanes.filter(|lane| shown.contains(&lane.id)).filter_map(|lane| lane.look_at(time)).collect()
    }

    pub(crate) fn select_machine(&mut self, machine: Option<u32>) -> Vec<Effect> {
        self.selection.machine = machine;
        self.selection.vms.clear();
        self.selection.about = Phrase::default();
        (self.selection.life, self.selection.holder, self.selection.is_there) = (None, None, false);
        self.ask_machine()
    }

    pub(crate) fn ask_machine(&self) -> Vec<Effect> {
        let (Some(machine), Some(live)) = (self.selection.machine, &self.front.live) else { return Vec::new() };
        vec![self.front.send(Command::Machine { run: live.run, machine, time_ms: self.moment() })]
    }

    /// Asks which rule placed the VM that holds the machine longest. This replays decisions, which would delay a run
    /// under way.
    pub(crate) fn ask_why_placed(&mut self) -> Option<Effect> {
        let (machine, vm) = (self.selection.machine?, self.selection.holder.as_ref()?.id);
        let why = (self.front.live.as_ref()?.run, vm, machine);
        let rests = matches!(self.front.phase, Phase::Finished | Phase::Paused);
        if !rests || self.selection.asked_why == Some(why) {
            return None;
        }
        self.selection.asked_why = Some(why);
        self.ask(Asking::new(&WhyPlaced { vm, machine }))
    }

    /// Which rule placed the VM that holds the machine longest; `None` until it is known.
    #[must_use]
    pub fn why_placed(&self) -> Option<&Answered> {
        let (machine, vm) = (self.selection.machine?, self.selection.holder.as_ref()?.id);
        let run = self.front.live.as_ref()?.run;
        self.answers.told::<WhyPlaced>().filter(|_| self.selection.asked_why == Some((run, vm, machine)))
    }

    /// Asks about the VM in the active variant and in the one it is compared with.
    pub(crate) fn explain(&mut self) -> Vec<Effect> {
        let Selection { vm, asked, .. } = &self.selection;
        if vm.is_empty() {
            return Vec::new();
        }
        let ask = |lane: &Lane| {
            let run = lane.live.as_ref()?.run;
            Some(lane.send(Command::Explain { run, vm: vm.clone(), asked: *asked }))
        };
        let against = (self.mode == Mode::Compare).then(|| self.against()).flatten();
        std::iter::once(&self.front).chain(against).filter_map(ask).collect()
    }

    /// Requests the profile of the active workload, if it is visible and the known one is of another workload.
    pub(crate) fn ask_profile(&mut self) -> Option<Effect> {
        let workload = Some((self.variant().workload.clone(), self.variant().seed));
        let is_asked = || self.answers.share::<ProfileWorkload>().is_some();
        let is_known = || is_asked() || matches!(self.answers.told::<ProfileWorkload>(), Some(Ok(_)));
        // A failure that ended the engine would end it again.
        let has_failed = matches!(self.front.phase, Phase::Failed(_));
        if !self.shows_profile || has_failed || self.profiled == workload && is_known() {
            return None;
        }
        self.profiled = workload;
        self.ask(Asking::new(&ProfileWorkload {}))
    }
}
