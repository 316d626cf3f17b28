//! `tiebreak trace fit`: fits a prior for admission rules to a trace's deployments, and reports how well it agrees
//! with the trace and what the trace cannot tell (cluster admission, appendix B).

use serde::Serialize;
use tiebreak_admission::Deaths;
use tiebreak_admission::fit::{Agreement, Fit, Fitted, histories};
use tiebreak_model::Workload;
use tiebreak_sim::AdmissionSettings;

use tiebreak_console::answer::Failure;
use tiebreak_console::shown::{count, table};

#[derive(Serialize)]
pub(super) struct FitReport {
    deployments: u32,
    used: u32,
    scale_outs: u32,
    deaths: f64,
    outlived: u32,
    log_likelihood: f64,
    /// Pairs for `--set admission.NAME=VALUE`.
    settings: Vec<(&'static str, f64)>,
    agreements: Vec<Agreed>,
    cannot_say: Vec<String>,
}

#[derive(Serialize)]
struct Agreed {
    what: &'static str,
    kolmogorov_smirnov: f64,
    cramer_von_mises: f64,
    seen: u32,
    censored: u32,
    /// Each value with the observed and the fitted share up to it.
    points: Vec<[f64; 3]>,
}

impl FitReport {
    pub(super) fn of(workload: &Workload, deaths: Deaths) -> Result<Self, Failure> {
        let fit = Fit::new(&histories(workload, deaths), deaths).map_err(|fault| Failure(fault.to_string()))?;
        Ok(Self::told(&fit.result()))
    }

    fn told(fitted: &Fitted) -> Self {
        let counts = &fitted.counts;
        let agreed = |(what, agreement): (&'static str, &Option<Agreement>)| {
            let it = agreement.as_ref()?;
            Some(Agreed {
                what,
                kolmogorov_smirnov: it.kolmogorov_smirnov,
                cramer_von_mises: it.cramer_von_mises,
                seen: it.seen,
                censored: it.censored,
                points: it.points.iter().map(|point| [point.at, point.seen, point.fitted]).collect(),
            })
        };
        let curves = [
            ("sizes of first requests, cores", &fitted.sizes),
            ("lifetimes, hours", &fitted.lives),
            ("times of first scale-outs, hours", &fitted.first_scale_outs),
        ];
        Self {
            deployments: counts.deployments,
            used: counts.used,
            scale_outs: counts.scale_outs,
            deaths: counts.deaths,
            outlived: counts.censored,
            log_likelihood: fitted.log_likelihood,
            settings: AdmissionSettings::named(&fitted.prior).into(),
            agreements: curves.into_iter().filter_map(agreed).collect(),
            cannot_say: fitted.cannot_say.iter().map(ToString::to_string).collect(),
        }
    }

    pub(super) fn text(&self) -> String {
        let rows = self.settings.iter().map(|(name, value)| vec![format!("admission.{name}"), format!("{value:.4}")]);
        let curves = self.agreements.iter().map(|it| {
            let distances = [it.kolmogorov_smirnov, it.cramer_von_mises].map(|distance| format!("{distance:.3}"));
            let [ks, cvm] = distances;
            vec![it.what.into(), ks, cvm, count(it.seen.into()), count(it.censored.into())]
        });
        let rows = [["setting", "fitted"].map(String::from).into()].into_iter().chain(rows);
        let header = ["fitted vs. observed", "KS", "CvM", "observed", "censored"].map(String::from).into();
        let curves = [header].into_iter().chain(curves);
        let mut text = format!(
            "{} deployments arrived during the trace; {} used, {} scale-outs, {:.0} ends, {} outlived it.\n\n{}\n{}",
            count(self.deployments.into()),
            count(self.used.into()),
            count(self.scale_outs.into()),
            self.deaths,
            count(self.outlived.into()),
            table(&rows.collect::<Vec<_>>()),
            table(&curves.collect::<Vec<_>>()),
        );
        if !self.cannot_say.is_empty() {
            text += "\nLimitations of the trace:\n";
            self.cannot_say.iter().for_each(|doubt| text += &format!("- {doubt}\n"));
        }
        text
    }
}
