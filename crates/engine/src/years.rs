//! The admission lab for the page: a cluster over years in slices.

use tiebreak_model::{ClusterId, Phrase};
use tiebreak_scenario::Variant;
use tiebreak_sim::admission::years::{Refused, Span, Years};

use crate::protocol::{ForecastPoint, RefusedThen, Reply, YearsResult, YearsSpan};

/// Events per slice.
const SLICE: u32 = 2_000;

/// A cluster being simulated over years.
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

    /// Runs one slice; reports news if `tell` is set or it ends.
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
