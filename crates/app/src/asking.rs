//! What the engine was asked, question by question, and what it answered.
//!
//! Every question has a number, and an answer counts only for the question that is asked now: one to an earlier asking
//! changes nothing.

use tiebreak_engine::Command;
use tiebreak_engine::protocol::{Answer, Ask, Found, Needs};
use tiebreak_engine::questions::{Of, Question};
use tiebreak_i18n::{tell, tr};
use tiebreak_model::Phrase;

use super::{App, Edit, Effect, Notice};

/// A question to be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Asking {
    id: &'static str,
    of: &'static [Of],
    values: Vec<f64>,
    file: Vec<u8>,
    then: Then,
}

impl Asking {
    /// This question, to show what is answered.
    #[must_use]
    pub fn new<Q: Question>(question: &Q) -> Self {
        let (id, of, values) = (Q::DECLARATION.id, Q::OF, question.to_values());
        Self { id, of, values, file: Vec::new(), then: Then::Show }
    }

    /// The same of a file.
    #[must_use]
    pub fn of_file(self, file: Vec<u8>) -> Self {
        Self { file, ..self }
    }

    /// The same with what somebody typed.
    #[must_use]
    pub fn of_text(self, text: &str) -> Self {
        self.of_file(text.as_bytes().to_vec())
    }

    /// The same, to do something else with what is answered.
    #[must_use]
    pub fn then(self, then: Then) -> Self {
        Self { then, ..self }
    }
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It is kept until the next one to the same question.
    Show,
    /// It is laid to what the run gave.
    ShowOfRun,
    /// Its machines become the inventory.
    TakeMachines,
    /// The search for the number of machines begins with it.
    Search,
}

/// An answer, or why there is none.
pub type Answered = Result<Box<Answer>, Phrase>;

/// See the module.
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
    /// Whose engine was asked.
    lane: u32,
    /// The run it was asked of; 0 of none.
    run: u32,
    then: Then,
    /// How much of the answer is done; none once it is there.
    share: Option<f64>,
    /// What was told last, also while another answer is on its way.
    told: Option<Answered>,
}

impl Answers {
    /// The answer to what was asked last; none while it is on its way.
    #[must_use]
    pub fn told<Q: Question>(&self) -> Option<&Answered> {
        let asked = self.of::<Q>().filter(|asked| asked.share.is_none())?;
        asked.told.as_ref()
    }

    /// The answer that was told last, also while another is on its way.
    #[must_use]
    pub fn last<Q: Question>(&self) -> Option<&Answered> {
        self.of::<Q>()?.told.as_ref()
    }

    /// How much of an answer is done, 0 to 1, while it is on its way.
    #[must_use]
    pub fn share<Q: Question>(&self) -> Option<f64> {
        self.of::<Q>()?.share
    }

    fn of<Q: Question>(&self) -> Option<&Noted> {
        self.asked.iter().rfind(|asked| asked.id == Q::DECLARATION.id)
    }

    /// Notes a question down, in place of those like it that are answered or were asked of the same.
    fn note(&mut self, asking: &Asking, lane: u32, run: u32) -> u32 {
        self.numbers += 1;
        let told = self.asked.iter_mut().rfind(|asked| asked.id == asking.id).and_then(|asked| asked.told.take());
        self.asked.retain(|asked| asked.id != asking.id || (asked.run != run && asked.share.is_some()));
        let (id, then, share) = (asking.id, asking.then, Some(0.0));
        self.asked.push(Noted { number: self.numbers, id, lane, run, then, share, told });
        self.numbers
    }

    /// Gives a question its answer: keeps one that is shown, and gives back one that something else becomes of.
    fn close(&mut self, number: u32, told: Answered) -> Option<(Noted, Answered)> {
        let at = self.asked.iter().position(|asked| asked.number == number && asked.share.is_some())?;
        if self.asked[at].then != Then::Show {
            return Some((self.asked.remove(at), told));
        }
        (self.asked[at].share, self.asked[at].told) = (None, Some(told));
        None
    }

    /// The engine of a lane is gone: what it was asked is asked no more, and what was told before stays.
    pub(crate) fn forget_open_in(&mut self, lane: u32) {
        for asked in self.asked.iter_mut().filter(|asked| asked.lane == lane) {
            asked.share = None;
        }
        self.asked.retain(|asked| asked.share.is_some() || asked.told.is_some());
    }

    /// What an engine was asked and has not answered.
    fn open_in(&self, lane: u32) -> Vec<u32> {
        let open = self.asked.iter().filter(|asked| asked.lane == lane && asked.share.is_some());
        open.map(|asked| asked.number).collect()
    }
}

impl App {
    /// Asks the engine in front; nothing where it is asked of a run and there is none.
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

    /// How far an answer is, or what it is.
    pub(crate) fn answered(&mut self, number: u32, share: f64, told: Option<Answered>) -> Vec<Effect> {
        let Some(told) = told else {
            let asked = self.answers.asked.iter_mut().find(|asked| asked.number == number);
            if let Some(of_asked) = asked.and_then(|asked| asked.share.as_mut()) {
                *of_asked = share;
            }
            return Vec::new();
        };
        let Some((Noted { run, then, .. }, told)) = self.answers.close(number, told) else { return Vec::new() };
        match then {
            Then::Show => Vec::new(),
            Then::ShowOfRun => {
                let live = self.lane_of(run).and_then(|lane| lane.live.as_mut()).filter(|live| live.run == run);
                if let (Some(live), Ok(answer)) = (live, told) {
                    live.power = answer.exhibits;
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
            Then::Search => match told.map(|answer| answer.found) {
                Ok(Some(Found::Needs(needs))) => self.search_from(Ok(needs)),
                Ok(_) => Vec::new(),
                Err(why) => self.search_from(Err(why)),
            },
        }
    }

    /// The engine has told what the workload needs at least, or why it cannot.
    fn search_from(&mut self, needs: Result<Needs, Phrase>) -> Vec<Effect> {
        let waits = self.sizing.as_mut().filter(|sizing| sizing.needs.is_none());
        let jobs = waits.map_or(Vec::new(), |sizing| sizing.begin(needs));
        self.pool.add(jobs, &mut self.next_run)
    }

    /// What the engine of a lane was asked and will not answer any more has this for its answer.
    pub(crate) fn answer_for_the_engine(&mut self, lane: u32, reason: &str) -> Vec<Effect> {
        let open = self.answers.open_in(lane);
        open.into_iter()
            .flat_map(|number| self.answered(number, 1.0, Some(Err(Phrase::text(reason.to_owned())))))
            .collect()
    }
}
