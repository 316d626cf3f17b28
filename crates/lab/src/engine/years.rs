//! The admission lab behind the page: a cluster over years in slices, and what a deployment is expected to grow to.

use tiebreak_admission::Seen;
use tiebreak_model::random::Seed;
use tiebreak_model::{ClusterId, Expected, Phrase};
use tiebreak_scenario::Variant;
use tiebreak_sim::admission::Terms;
use tiebreak_sim::admission::pricing::charged;
use tiebreak_sim::admission::years::{Refused, Span, Years};

use crate::protocol::{Forecast, ForecastAsk, ForecastPoint, RefusedThen, Reply, YearsResult, YearsSpan};

/// Events of a slice.
const SLICE: u32 = 2_000;

/// Users whose charges are shown.
const USERS: u32 = 40;

/// How far ahead the variance that is charged for is expected, in hours.
const CHARGED_HOURS: f64 = 24.0;

/// A cluster on its way through the years.
pub(super) struct Lab {
    run: u32,
    cores: u32,
    years: Years,
}

impl Lab {
    pub(super) fn new(run: u32, variant: &Variant) -> Result<Self, Phrase> {
        let years = variant.years().map_err(|error| error.phrase())?;
        Ok(Self { run, cores: variant.admission_lab.cores, years })
    }

    /// One slice; what is new when `tell` is set or it is over.
    pub(super) fn work(&mut self, tell: bool) -> Option<Reply> {
        let more = self.years.advance(SLICE);
        let (run, share) = (self.run, self.years.progress());
        let result = (!more).then(|| Box::new(self.result()));
        (tell || !more).then_some(Reply::Years { run, share, result })
    }

    fn result(&self) -> YearsResult {
        let months = self.years.months().iter().map(|month| span(month, self.cores)).collect();
        let then = |refused: Refused| Box::new(then(refused, self.cores));
        YearsResult {
            digest: format!("{:016x}", self.years.digest()),
            cores: self.cores,
            months,
            total: span(&self.years.total(), self.cores),
            most_live: self.years.most_live(),
            refused: self.years.last_refused().map(then),
        }
    }
}

fn span(span: &Span, cores: u32) -> YearsSpan {
    YearsSpan {
        hours: span.hours,
        utilization_pct: 100.0 * span.utilization(cores),
        scale_outs: span.scale_outs as f64,
        failed: span.failed as f64,
        arrivals: span.arrivals as f64,
        admitted: span.admitted as f64,
    }
}

fn then(Refused { at_hours, used, growth, why }: Refused, cores: u32) -> RefusedThen {
    let ahead = growth.ahead(ClusterId::of(0), f64::from(cores));
    let point = |it: tiebreak_model::Ahead| ForecastPoint {
        hours: it.hours,
        mean: it.mean,
        deviation: it.variance.max(0.0).sqrt(),
    };
    RefusedThen {
        at_hours,
        used,
        asked: growth.newcomer.cores,
        why: why.into_iter().map(|(rule, words)| (rule.to_owned(), words)).collect(),
        ahead: ahead.map(point).collect(),
    }
}

/// What a deployment is expected to grow to, and what users are charged for.
pub(super) fn forecast(variant: &Variant, ask: &ForecastAsk) -> Result<Box<Forecast>, Phrase> {
    let terms = Terms::new(&variant.admission, true).map_err(|fault| fault.phrase())?;
    let deaths = terms.model().deaths;
    let cores = ask.cores.clamp(1.0, 1e6);
    let fresh = Seen::started(cores);
    let mut seen = fresh;
    seen.pass(ask.hours.clamp(0.0, 1e6), deaths);
    for _ in 0..ask.scale_outs.clamp(0.0, 1e4) as u32 {
        seen.scale_out(cores, true);
        seen.death(cores, deaths);
    }
    let points = |expected: Vec<Expected>| {
        let point = |(hours, it): (&f64, Expected)| ForecastPoint {
            hours: *hours,
            mean: it.mean(),
            deviation: it.variance().sqrt(),
        };
        terms.hours().iter().zip(expected).map(point).collect()
    };
    let moment = terms.hours().partition_point(|hours| *hours < CHARGED_HOURS).min(terms.hours().len() - 1);
    let users = charged(&terms, moment, ask.observations.min(10_000), USERS, Seed(variant.seed));
    let mut charged: Vec<_> = users.iter().map(|it| (it.labelled, it.unlabelled)).collect();
    charged.sort_by(|one, other| one.0.total_cmp(&other.0));
    Ok(Box::new(Forecast { fresh: points(terms.expected(&[fresh])), seen: points(terms.expected(&[seen])), charged }))
}
