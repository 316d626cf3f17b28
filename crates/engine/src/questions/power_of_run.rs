//! `PowerOfRun`: a run's power results.

use tiebreak_model::{Phrase, declare};

use super::{Of, Question, Subject, Told};
use crate::power;
use crate::protocol::Answer;

declare! {
    /// How evenly draws are spread, who was capped and why, and how low budgets may be by the run's own draws.
    pub struct PowerOfRun as "PowerOfRun" {}
}

impl Question for PowerOfRun {
    const OF: &'static [Of] = &[Of::Run];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        Ok(Told::Now(Answer::shown(power::exhibits(of.world()?, of.load_quality()))))
    }
}
