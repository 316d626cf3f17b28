//! What the page asks the engine besides runs: a file for each question, and their list.
//!
//! A question declares itself: its id, its parameters, and what it is asked of. The page sends an [`Ask`] and hears a
//! [`Reply::Answer`] with the same number, most often exhibits that are shown as they stand. Neither the wire nor the
//! page's state knows one question from another.

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

/// Something that can be asked.
pub trait Question: Declared {
    /// What it is asked of: the page sends that along.
    const OF: &'static [Of];

    /// The answer, or the work that leads to it.
    ///
    /// # Errors
    /// Why there is none: what was expected, what came, what to do.
    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase>;
}

/// What questions are asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The variant in front of a document.
    Document,
    /// The run on screen.
    Run,
    /// A file that somebody gives, or a text that somebody types.
    File,
}

/// What comes of a question.
pub enum Told {
    /// The answer.
    Now(Answer),
    /// Work that leads to it.
    Later(Box<dyn Work>),
}

/// An answer that takes longer than the page may wait for a word.
pub trait Work {
    /// Goes on for one slice, of about a hundredth of a second; the answer, once it is there.
    fn work(&mut self) -> Option<Answer>;

    /// How much of it is done, 0 to 1.
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

/// What a question is asked of, as the engine has it.
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
    /// The variant in front of the document.
    fn variant(&self) -> Result<Variant, Phrase> {
        read(&self.ask.document)
    }

    /// What that variant runs.
    fn workload(&mut self, variant: &Variant) -> Result<Arc<Workload>, Phrase> {
        self.engine.workload(variant).ok_or(Phrase::text(NOT_LOADED))
    }

    /// What a workload asks of machines and agents.
    fn facts(&mut self, workload: &Arc<Workload>) -> Arc<Facts> {
        self.engine.known.facts(workload)
    }

    /// The trace that a workload was fitted to, where both are loaded.
    fn fitted_to(&self, workload: &Workload) -> Option<Arc<Workload>> {
        self.engine.fitted_to(workload.fingerprint())
    }

    /// The run.
    fn world(&self) -> Result<&World, Phrase> {
        let run = self.engine.run.as_ref().filter(|current| current.id == self.ask.run);
        run.map(|run| &run.world).ok_or_else(|| phrase!("That run is over; press Run to see it again."))
    }

    /// How good the predictions of the run's loads are.
    fn load_quality(&self) -> Option<&Quality> {
        self.engine.load_quality.as_deref()
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

/// A question whose answer is being worked on.
pub(super) struct Pending {
    number: u32,
    id: &'static str,
    of: &'static [Of],
    work: Box<dyn Work>,
}

impl Engine {
    /// Answers a question, or begins to. Whoever asks the same again wants the newer answer alone.
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

    /// The run is over: nobody waits for what was asked of it.
    pub(super) fn forget_asked_of_run(&mut self) {
        self.asked.retain(|asked| !asked.of.contains(&Of::Run));
    }

    /// Works on the question asked first for one slice; what is new when `tell` is set or it is answered.
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
