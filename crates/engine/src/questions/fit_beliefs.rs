//! `FitBeliefs`: fits the beliefs of admission rules to the deployments of a workload.

use tiebreak_admission::fit::{Agreement, Fit, Fitted, histories};
use tiebreak_model::{Phrase, declare};
use tiebreak_sim::AdmissionSettings;

use super::{Of, Question, Subject, Told, Work};
use crate::protocol::{Agreed, Answer, FitCard, Found};

/// The approximate duration of a slice, in microseconds.
const SLICE_US: u32 = 12_000;

declare! {
    /// The beliefs under which the deployments of a workload are likeliest. (Cluster admission, section 5)
    pub struct FitBeliefs as "FitBeliefs" {}
}

impl Question for FitBeliefs {
    const OF: &'static [Of] = &[Of::Document];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        let variant = of.variant()?;
        let deaths = variant.admission.deaths.0;
        let workload = of.workload(&variant)?;
        let fit = Fit::new(&histories(&workload, deaths), deaths).map_err(|fault| fault.phrase())?;
        Ok(Told::Later(Box::new(Fitting { fit: Some(fit) })))
    }
}

/// A fit in progress.
struct Fitting {
    fit: Option<Fit>,
}

impl Work for Fitting {
    fn work(&mut self) -> Option<Answer> {
        let is_over = self.fit.as_mut()?.work(SLICE_US);
        let fit = self.fit.take_if(|_| is_over)?;
        Some(Answer::found(Found::Beliefs(Box::new(card(&fit.result())))))
    }

    fn share_done(&self) -> f64 {
        self.fit.as_ref().map_or(1.0, |fit| f64::from(fit.share_done()))
    }
}

fn card(fitted: &Fitted) -> FitCard {
    let counts = &fitted.counts;
    let agreed = |agreement: &Option<Agreement>| {
        agreement.as_ref().map(|it| Agreed {
            kolmogorov_smirnov: it.kolmogorov_smirnov,
            cramer_von_mises: it.cramer_von_mises,
            points: it.points.iter().map(|point| [point.at, point.seen, point.fitted]).collect(),
        })
    };
    FitCard {
        deployments: counts.deployments,
        scale_outs: counts.scale_outs,
        ends: counts.deaths,
        outlived: counts.censored,
        settings: AdmissionSettings::named(&fitted.prior).map(|(name, value)| (name.to_owned(), value)).into(),
        agreements: [&fitted.sizes, &fitted.lives, &fitted.first_scale_outs].map(agreed).into(),
        cannot_say: fitted.cannot_say.iter().map(|doubt| doubt.phrase()).collect(),
    }
}
