//! Questions to the engine, and their answers.
//!
//! Every question has a number, and an answer counts only for the current question: an answer to an earlier one is
//! ignored.

use tiebreak_engine::Command;
use tiebreak_engine::protocol::{Answer, Ask, Found, Needs};
use tiebreak_engine::questions::{Of, Question};
use tiebreak_i18n::{tell, tr};
use tiebreak_model::Phrase;

use super::{App, Edit, Effect, Notice};

/// A question to ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Asking {
    id: &'static str,
    of: &'static [Of],
    values: Vec<f64>,
    file: Vec<u8>,
    then: Then,
}

impl Asking {
    /// This question, with its answer displayed.
    #[must_use]
    pub fn new<Q: Question>(question: &Q) -> Self {
        let (id, of, values) = (Q::DECLARATION.id, Q::OF, question.to_values());
        Self { id, of, values, file: Vec::new(), then: Then::Show }
    }

    /// The same about a file.
    #[must_use]
    pub fn of_file(self, file: Vec<u8>) -> Self {
        Self { file, ..self }
    }

    /// The same about typed text.
    #[must_use]
    pub fn of_text(self, text: &str) -> Self {
        self.of_file(text.as_bytes().to_vec())
    }

    /// The same, with another use of the answer.
    #[must_use]
    pub fn then(self, then: Then) -> Self {
        Self { then, ..self }
    }
}

/// What to do with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Keep it until the next answer to the same question.
    Show,
    /// Add it to the results of the run.
    ShowOfRun,
    /// Use its machines as the inventory.
    TakeMachines,
    /// Start the search for the number of machines with it.
    Search,
    /// Continue the search for a better list with it.
    Seek,
}

/// An answer, or why there is none.
pub type Answered = Result<Box<Answer>, Phrase>;

/// The questions and answers of the page.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// By number.
    asked: Vec<Noted>,
    numbers: u32,
}

#[derive(Clone, Debug)]
struct Noted {
    number: u32,
    id: &'static str,
    /// The lane of the engine.
    lane: u32,
    /// The run in question; 0 for none.
    run: u32,
    then: Then,
    /// The progress of the answer; `None` once it is there.
    share: Option<f64>,
    /// The last answer, also while another one is being computed.
    told: Option<Answered>,
}

impl Answers {
    /// The answer to the last question; `None` while it is being computed.
    #[must_use]
    pub fn told<Q: Question>(&self) -> Option<&Answered> {
        let asked = self.of::<Q>().filter(|asked| asked.share.is_none())?;
        asked.told.as_ref()
    }

    /// The last answer, also while another one is being computed.
    #[must_use]
    pub fn last<Q: Question>(&self) -> Option<&Answered> {
        self.of::<Q>()?.told.as_ref()
    }

    /// The progress of an answer, 0 to 1, while it is being computed.
    #[must_use]
    pub fn share<Q: Question>(&self) -> Option<f64> {
        self.of::<Q>()?.share
    }

    fn of<Q: Question>(&self) -> Option<&Noted> {
        self.asked.iter().rfind(|asked| asked.id == Q::DECLARATION.id)
    }

    /// Records a question; replaces equal ones that are answered or are about the same subject.
    fn note(&mut self, asking: &Asking, lane: u32, run: u32) -> u32 {
        self.numbers += 1;
        let told = self.asked.iter_mut().rfind(|asked| asked.id == asking.id).and_then(|asked| asked.told.take());
        self.asked.retain(|asked| asked.id != asking.id || (asked.run != run && asked.share.is_some()));
        let (id, then, share) = (asking.id, asking.then, Some(0.0));
        self.asked.push(Noted { number: self.numbers, id, lane, run, then, share, told });
        self.numbers
    }

    /// Delivers an answer: keeps it for display, or returns it for another use.
    fn close(&mut self, number: u32, told: Answered) -> Option<(Noted, Answered)> {
        let at = self.asked.iter().position(|asked| asked.number == number && asked.share.is_some())?;
        if self.asked[at].then != Then::Show {
            return Some((self.asked.remove(at), told));
        }
        (self.asked[at].share, self.asked[at].told) = (None, Some(told));
        None
    }

    /// The engine of a lane has ended: drops its open questions, and keeps earlier answers. Returns whether there were
    /// any.
    pub(crate) fn forget_open_in(&mut self, lane: u32) -> bool {
        let was_asked = !self.open_in(lane).is_empty();
        for asked in self.asked.iter_mut().filter(|asked| asked.lane == lane) {
            asked.share = None;
        }
        self.asked.retain(|asked| asked.share.is_some() || asked.told.is_some());
        was_asked
    }

    /// The open questions of an engine.
    fn open_in(&self, lane: u32) -> Vec<u32> {
        let open = self.asked.iter().filter(|asked| asked.lane == lane && asked.share.is_some());
        open.map(|asked| asked.number).collect()
    }
}

impl App {
    /// Asks the engine of the active variant; `None` if the question is about a run and there is none.
    pub(crate) fn ask(&mut self, asking: Asking) -> Option<Effect> {
        let run = self.front.live.as_ref().map(|live| live.run);
        let run = if asking.of.contains(&Of::Run) { run? } else { 0 };
        let document = if asking.of.contains(&Of::Document) { self.document.to_json() } else { String::new() };
        Some(self.ask_of(self.front.id, run, document, asking))
    }

    /// Asks the engine of a lane.
    pub(crate) fn ask_of(&mut self, lane: u32, run: u32, document: String, asking: Asking) -> Effect {
        let number = self.answers.note(&asking, lane, run);
        let Asking { id, values, file, .. } = asking;
        let command = Command::Ask(Ask { number, question: id.into(), values, document, run, file });
        Effect::Send { lane, command }
    }

    /// Handles the progress of an answer, or the answer.
    pub(crate) fn answered(&mut self, number: u32, share: f64, told: Option<Answered>) -> Vec<Effect> {
        let Some(told) = told else {
            let asked = self.answers.asked.iter_mut().find(|asked| asked.number == number);
            if let Some(of_asked) = asked.and_then(|asked| asked.share.as_mut()) {
                *of_asked = share;
            }
            return Vec::new();
        };
        let Some((Noted { run, then, id, .. }, told)) = self.answers.close(number, told) else { return Vec::new() };
        match then {
            Then::Show => Vec::new(),
            Then::ShowOfRun => {
                let live = self.lane_of(run).and_then(|lane| lane.live.as_mut()).filter(|live| live.run == run);
                if let (Some(live), Ok(answer)) = (live, told) {
                    live.told.push((id, answer.exhibits));
                }
                Vec::new()
            }
            Then::TakeMachines => match told.map(|answer| answer.found) {
                Ok(Some(Found::Machines(machines))) => self.edit(&Edit::Machines(machines)),
                Ok(_) => Vec::new(),
                Err(why) => {
                    self.notices.push(Notice::bad(tr("This list of machines could not be read"), vec![tell(&why)]));
                    Vec::new()
                }
            },
            Then::Seek => self.seek_on(told),
            Then::Search => match told.map(|answer| answer.found) {
                Ok(Some(Found::Needs(needs))) => self.search_from(Ok(needs)),
                Ok(_) => Vec::new(),
                Err(why) => self.search_from(Err(why)),
            },
        }
    }

    /// The engine has returned the minimum needs of the workload, or why it cannot.
    fn search_from(&mut self, needs: Result<Needs, Phrase>) -> Vec<Effect> {
        let waits = self.sizing.as_mut().filter(|sizing| sizing.needs.is_none());
        let jobs = waits.map_or(Vec::new(), |sizing| sizing.begin(needs));
        self.pool.add(jobs, &mut self.next_run)
    }

    /// Answers the open questions of a lane's engine with this reason.
    pub(crate) fn answer_for_the_engine(&mut self, lane: u32, reason: &str) -> Vec<Effect> {
        let open = self.answers.open_in(lane);
        open.into_iter()
            .flat_map(|number| self.answered(number, 1.0, Some(Err(Phrase::text(reason.to_owned())))))
            .collect()
    }
}
