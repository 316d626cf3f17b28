//! The status of the page: its current activity, the progress, and its link.

use tiebreak_engine::protocol::Share;
use tiebreak_engine::words;
use tiebreak_i18n::{say, tell, tr};
use tiebreak_scenario::{Stamp, encode, encode_preset};

use super::{App, ENGINE_VERSION, Phase, Reading};

/// The rules that read predicted lifetimes.
pub const ASKING_LIFETIMES: [&str; 5] =
    ["LavaHostClass", "LifetimeAlignmentBinary", "LifetimeAlignment", "TemporalCost", "DebtAwareAffinity"];

impl App {
    /// Whether anything needs predicted lifetimes: a rule that is on, or an incident of the displayed run.
    #[must_use]
    pub fn asks_lifetimes(&self) -> bool {
        let rule_asks = self.variant().rules.iter().any(|row| row.on && ASKING_LIFETIMES.contains(&row.id.as_str()));
        rule_asks || self.front.live.as_ref().is_some_and(|live| live.learned.is_some())
    }

    /// The run's activity, in a few words. It changes with the phase and not with the progress, because screen
    /// readers announce it.
    #[must_use]
    pub fn status(&self) -> String {
        if let Some(reading) = &self.reading {
            return say("Reading {}", &[&reading.name]);
        }
        match &self.front.phase {
            Phase::Idle => tr("Starting").into(),
            Phase::Running if self.front.learning.is_some() && self.asks_lifetimes() => tr("Learning lifetimes").into(),
            Phase::Paused if self.front.learning.is_some() && self.asks_lifetimes() => {
                tr("Paused while learning lifetimes").into()
            }
            Phase::Running if self.front.learning.is_some() => tr("Learning what VMs use").into(),
            Phase::Paused if self.front.learning.is_some() => tr("Paused while learning what VMs use").into(),
            Phase::Running => tr("Running").into(),
            Phase::Paused => say("Paused at {}", &[&words::time(self.front.time_ms)]),
            Phase::NeedsTrace { name, .. } => say("Waiting for the trace {name}", &[&name]),
            Phase::Costly { .. } => tr("Waiting for your confirmation: this run will take a while").into(),
            Phase::Failed(message) => tell(message),
            Phase::Finished => self.finished_status(),
        }
    }

    /// The progress of a long operation: the share done, and the same in words.
    #[must_use]
    pub fn progress_so_far(&self) -> Option<(f64, String)> {
        if let Some(Reading { total, bytes, rows, .. }) = &self.reading {
            let share = if *total > 0.0 { (bytes / total).min(1.0) } else { 0.0 };
            let words = say("{} of {}, {} rows", &[&words::bytes(*bytes), &words::bytes(*total), &words::count(*rows)]);
            return Some((share, words));
        }
        if let Some(share) = self.front.learning {
            return Some((share, say("{} % learned", &[&words::fixed(100.0 * share, 0)])));
        }
        let horizon = self.front.live.as_ref().map(|live| live.horizon_ms).filter(|horizon| *horizon > 0.0)?;
        let words = || say("{} of {}", &[&words::time(self.front.time_ms), &words::time(horizon)]);
        (self.front.phase == Phase::Running).then(|| ((self.front.time_ms / horizon).min(1.0), words()))
    }

    fn finished_status(&self) -> String {
        let Some(result) = self.front.live.as_ref().and_then(|live| live.result.as_ref()) else {
            return tr("Done").into();
        };
        let vms = words::counted(f64::from(self.front.decided.1), "VM", "VMs");
        let took = match result.wall_ms {
            // The included run.
            0.0 => say("Done: {}", &[&vms]),
            wall_ms => say("Done: {} in {} s", &[&vms, &words::fixed(wall_ms / 1_000.0, 2)]),
        };
        match self.reproduction() {
            Some(true) => say("{took}; reproduced", &[&took]),
            Some(false) => say("{took}; differs from the link's result", &[&took]),
            None => took,
        }
    }

    /// Whether the run reproduces the promised result of the opened link; `None` if it promised none or the scenario
    /// has changed.
    #[must_use]
    pub fn reproduction(&self) -> Option<bool> {
        let stamp = self.promised.as_ref()?;
        let live = self.front.live.as_ref().filter(|live| live.document == self.opened)?;
        Some(live.result.as_ref()?.digest == format!("{:016x}", stamp.digest))
    }

    /// The part of an address after `#` that opens the displayed scenario, with the digest if there is a result.
    #[must_use]
    pub fn link(&self) -> String {
        if let Some(link) = self.as_it_came.as_ref().filter(|_| self.document == self.opened) {
            return link.rsplit('#').next().unwrap_or_default().to_owned();
        }
        let finished = self.front.live.as_ref().filter(|live| live.document == self.document);
        let digest = finished.and_then(|live| live.result.as_ref()).map(|result| result.digest.as_str());
        let stamp = digest.and_then(|digest| u64::from_str_radix(digest, 16).ok());
        let stamp = stamp.map(|digest| Stamp { engine: ENGINE_VERSION.into(), digest });
        encode_preset(&self.document, stamp.as_ref()).unwrap_or_else(|| encode(&self.document, stamp.as_ref()))
    }

    /// A rule's effect on its stage's candidates in the displayed run; `None` while a lesson's question is open.
    #[must_use]
    pub fn share(&self, rule: &str) -> Option<&Share> {
        if self.hides_result() {
            return None;
        }
        let live = self.front.live.as_ref().and_then(|outcome| outcome.result.as_ref());
        let before = self.front.baseline.as_ref().filter(|before| !before.is_example);
        let result = live.or_else(|| before?.result.as_ref())?;
        result.rule_shares.iter().find(|share| share.rule == rule)
    }
}
