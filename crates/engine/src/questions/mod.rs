//! The page's questions to the engine, other than runs: one file each, and their list.
//!
//! A question declares its id, its parameters, and what it is about. The page sends an [`Ask`] and receives a
//! [`Reply::Answer`] with the same number, usually with exhibits to display as they are. Neither the protocol nor the
//! page's state distinguishes questions.

pub mod affinity_of_run;
pub mod find_list;
pub mod fit_beliefs;
pub mod forecast_growth;
pub mod judge_draws;
pub mod least_machines;
pub mod list_decisions;
pub mod power_of_run;
pub mod profile_workload;
pub mod read_machines;
pub mod try_capping;
pub mod try_rule;
pub mod why_placed;

use std::sync::Arc;

use tiebreak_criticality::Quality;
use tiebreak_model::{Declared, Phrase, Workload, phrase};
use tiebreak_profile::Facts;
use tiebreak_scenario::Variant;
use tiebreak_sim::World;

use super::{Engine, NOT_LOADED, read};
use crate::protocol::{Answer, Ask, Reply};

/// Every question.
static QUESTIONS: &[ListedQuestion] = &[
    question::<affinity_of_run::AffinityOfRun>(),
    question::<find_list::FindList>(),
    question::<fit_beliefs::FitBeliefs>(),
    question::<forecast_growth::ForecastGrowth>(),
    question::<judge_draws::JudgeDraws>(),
    question::<least_machines::LeastMachines>(),
    question::<list_decisions::ListDecisions>(),
    question::<power_of_run::PowerOfRun>(),
    question::<profile_workload::ProfileWorkload>(),
    question::<read_machines::ReadMachines>(),
    question::<try_capping::TryCapping>(),
    question::<try_rule::TryRule>(),
    question::<why_placed::WhyPlaced>(),
];

/// A question.
pub trait Question: Declared {
    /// What it is about: the page sends that along.
    const OF: &'static [Of];

    /// The answer, or the work to compute it.
    ///
    /// # Errors
    /// Why there is none: what was expected, what was found, what to do.
    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase>;
}

/// What a question can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The active variant of a document.
    Document,
    /// The displayed run.
    Run,
    /// A file or a typed text.
    File,
}

/// The result of a question.
pub enum Told {
    /// The answer.
    Now(Answer),
    /// Work to compute it.
    Later(Box<dyn Work>),
}

/// An answer that takes too long for a single call.
pub trait Work {
    /// Continues for one slice of about a hundredth of a second. Returns the answer when it is complete.
    fn work(&mut self) -> Option<Answer>;

    /// The progress, 0 to 1.
    fn share_done(&self) -> f64;
}

impl core::fmt::Debug for Told {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Now(answer) => f.debug_tuple("Now").field(answer).finish(),
            Self::Later(work) => f.debug_tuple("Later").field(&work.share_done()).finish(),
        }
    }
}

/// What a question is about, as the engine has it.
pub struct Subject<'a> {
    engine: &'a mut Engine,
    ask: &'a Ask,
}

impl core::fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Subject").field("ask", self.ask).finish_non_exhaustive()
    }
}

impl Subject<'_> {
    /// The active variant of the document.
    fn variant(&self) -> Result<Variant, Phrase> {
        read(&self.ask.document)
    }

    /// The workload of that variant.
    fn workload(&mut self, variant: &Variant) -> Result<Arc<Workload>, Phrase> {
        self.engine.workload(variant).ok_or(Phrase::text(NOT_LOADED))
    }

    /// Facts about a workload's demand on machines and agents.
    fn facts(&mut self, workload: &Arc<Workload>) -> Arc<Facts> {
        self.engine.known.facts(workload)
    }

    /// The trace that a workload was fitted to, if both are loaded.
    fn fitted_to(&self, workload: &Workload) -> Option<Arc<Workload>> {
        self.engine.fitted_to(workload.fingerprint())
    }

    /// The run.
    fn world(&self) -> Result<&World, Phrase> {
        let run = self.engine.run.as_ref().filter(|current| current.id == self.ask.run);
        run.map(|run| &run.world).ok_or_else(|| phrase!("That run is over; press Run to see it again."))
    }

    /// The quality of the run's load predictions.
    fn load_quality(&self) -> Option<&Quality> {
        self.engine.load_quality.as_deref()
    }

    /// The search for a list that the engine was last asked about.
    const fn kept_search(&mut self) -> &mut Option<Box<find_list::Seeking>> {
        &mut self.engine.seeking
    }

    /// The number of the run.
    fn run(&self) -> u32 {
        self.ask.run
    }

    /// The file, or the text.
    fn file(&self) -> &[u8] {
        &self.ask.file
    }
}

/// A question of the list.
struct ListedQuestion {
    id: &'static str,
    of: &'static [Of],
    answer: fn(&[f64], &mut Subject<'_>) -> Result<Told, Phrase>,
}

const fn question<Q: Question>() -> ListedQuestion {
    ListedQuestion { id: Q::DECLARATION.id, of: Q::OF, answer: |values, of| Q::from_values(values).answer(of) }
}

/// A question whose answer is being computed.
pub(super) struct Pending {
    number: u32,
    id: &'static str,
    of: &'static [Of],
    work: Box<dyn Work>,
}

impl Engine {
    /// Answers a question, or starts to. A repeated question replaces the earlier one.
    pub(super) fn ask(&mut self, ask: &Ask) -> Option<Reply> {
        let entry = QUESTIONS.iter().find(|entry| entry.id == ask.question)?;
        self.asked.retain(|asked| asked.id != entry.id);
        let told = match (entry.answer)(&ask.values, &mut Subject { engine: self, ask }) {
            Ok(Told::Now(answer)) => Ok(Box::new(answer)),
            Ok(Told::Later(work)) => {
                self.asked.push(Pending { number: ask.number, id: entry.id, of: entry.of, work });
                return None;
            }
            Err(why) => Err(why),
        };
        Some(Reply::Answer { number: ask.number, share: 1.0, told: Some(told) })
    }

    /// Drops questions about a run that has been replaced.
    pub(super) fn forget_asked_of_run(&mut self) {
        self.asked.retain(|asked| !asked.of.contains(&Of::Run));
    }

    /// Works on the oldest question for one slice; reports news if `tell` is set or it is answered.
    pub(super) fn work_on_answer(&mut self, tell: bool) -> Option<Reply> {
        let asked = self.asked.first_mut()?;
        let number = asked.number;
        if let Some(answer) = asked.work.work() {
            self.asked.remove(0);
            return Some(Reply::Answer { number, share: 1.0, told: Some(Ok(Box::new(answer))) });
        }
        tell.then(|| Reply::Answer { number, share: asked.work.share_done(), told: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_a_name_of_its_own_and_says_what_it_lacks() {
        for (at, entry) in QUESTIONS.iter().enumerate() {
            assert!(QUESTIONS[..at].iter().all(|other| other.id != entry.id), "{} stands twice", entry.id);
            let ask = Ask { number: 7, question: entry.id.into(), ..Ask::default() };
            let reply = Engine::new().ask(&ask);
            assert!(matches!(&reply, Some(Reply::Answer { number: 7, told: Some(Err(_)), .. })), "{reply:?}");
        }
        assert_eq!(Engine::new().ask(&Ask { question: "Nothing".into(), ..Ask::default() }), None);
    }
}
