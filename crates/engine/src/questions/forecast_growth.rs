//! `ForecastGrowth`: the forecast of a deployment, and the variances that users are charged for.

use tiebreak_admission::{Moments, Seen};
use tiebreak_model::random::Seed;
use tiebreak_model::{Phrase, declare};
use tiebreak_sim::admission::Terms;
use tiebreak_sim::admission::pricing::charged;

use super::{Of, Question, Subject, Told};
use crate::protocol::{Answer, Forecast, ForecastPoint, Found};

/// The number of users shown.
const USERS: u32 = 40;

/// How far ahead the charged variance is, in hours.
const CHARGED_HOURS: f64 = 24.0;

declare! {
    /// What a deployment is expected to grow to, by what the variant in front believes and what was seen of it. (Cluster
    /// admission, sections 3 and 4)
    pub struct ForecastGrowth as "ForecastGrowth" {
        /// Cores it has had from the beginning.
        cores: f64 = 8, 1 => 1e5, "cores";
        /// Hours since it came.
        hours: f64 = 24, 0 => 1e5, "h";
        /// Scale-outs seen in that time, each of as many cores as the first request, all of which are gone.
        scale_outs: f64 = 0, 0 => 1e3, "";
        /// Observations of each kind that the price of variance is based on.
        observations: u32 = 1, 0 => 1e3, "";
    }
}

impl Question for ForecastGrowth {
    const OF: &'static [Of] = &[Of::Document];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        let variant = of.variant()?;
        let terms = Terms::new(&variant.admission, true).map_err(|fault| fault.phrase())?;
        let moment = terms.hours().partition_point(|hours| *hours < CHARGED_HOURS).min(terms.hours().len() - 1);
        let users = charged(&terms, moment, self.observations, USERS, Seed(variant.seed));
        let mut charged: Vec<_> = users.iter().map(|it| (it.labelled, it.unlabelled)).collect();
        charged.sort_by(|one, other| one.0.total_cmp(&other.0));
        let seen = Seen::unchanged(self.cores, self.hours, self.scale_outs as u32, terms.model().deaths);
        let (fresh, seen) = (points(&terms, Seen::started(self.cores)), points(&terms, seen));
        Ok(Told::Now(Answer::found(Found::Forecast(Box::new(Forecast { fresh, seen, charged })))))
    }
}

fn points(terms: &Terms, seen: Seen) -> Vec<ForecastPoint> {
    let point =
        |(hours, it): (&f64, Moments)| ForecastPoint { hours: *hours, mean: it.mean, deviation: it.variance.sqrt() };
    terms.hours().iter().zip(terms.moments(&[seen])).map(point).collect()
}
