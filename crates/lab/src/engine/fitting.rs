//! Fitting what admission rules believe to a workload, in slices, and what came of it for the page.

use std::sync::Arc;

use tiebreak_admission::fit::{Agreement, Fit, Fitted, histories};
use tiebreak_model::{Phrase, Workload};
use tiebreak_scenario::Variant;
use tiebreak_sim::AdmissionSettings;

use crate::protocol::{Agreed, FitCard, Reply};

/// What a slice may take, in microseconds, about.
const SLICE_US: u32 = 12_000;

/// A fit at work.
pub(super) struct Fitting {
    fit: Option<Fit>,
}

impl Fitting {
    /// Of this workload, whose cores or blocks end as the variant says.
    pub(super) fn new(variant: &Variant, workload: &Arc<Workload>) -> Result<Self, Phrase> {
        let deaths = variant.admission.deaths.0;
        let fit = Fit::new(&histories(workload, deaths), deaths).map_err(|fault| fault.phrase())?;
        Ok(Self { fit: Some(fit) })
    }

    /// One slice; what is new when `tell` is set or it is over.
    pub(super) fn work(&mut self, tell: bool) -> Option<Reply> {
        let mut fit = self.fit.take()?;
        if fit.work(SLICE_US) {
            return Some(Reply::Fitting { share: 1.0, result: Some(Ok(Box::new(card(&fit.result())))) });
        }
        let share = f64::from(fit.share_done());
        self.fit = Some(fit);
        tell.then_some(Reply::Fitting { share, result: None })
    }

    /// Whether all is told.
    pub(super) fn is_over(&self) -> bool {
        self.fit.is_none()
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
