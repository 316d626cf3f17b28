//! `JudgeDraws`: the result for a file of draws or of CPU readings.

use tiebreak_model::{Phrase, declare};

use super::{Of, Question, Subject, Told};
use crate::power;
use crate::protocol::Answer;

declare! {
    /// How low budgets may be by a file of draws, for chassis like those of a run; or who is user-facing, by a file of
    /// CPU readings.
    pub struct JudgeDraws as "JudgeDraws" {}
}

impl Question for JudgeDraws {
    const OF: &'static [Of] = &[Of::Run, Of::File];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        power::of_file(of.world()?, of.file()).map(|exhibit| Told::Now(Answer::shown(vec![exhibit])))
    }
}
