//! The measures of a run in a sweep: those of [`FIGURES`] that are its columns, or the figures of the admission lab.

use std::sync::LazyLock;

use tiebreak_sim::admission::years::Span;
use tiebreak_sim::figures::{AddsUp, columns};
use tiebreak_sim::{ClusterYears, FIGURES, Plan, Summary};

/// What the runs of a sweep are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepSubject {
    /// The workload, placed by the rules.
    #[default]
    Workload,
    /// The admission lab: a cluster over years, with the list's admission rules.
    AdmissionLab,
}

impl SweepSubject {
    /// Every subject.
    pub const ALL: [Self; 2] = [Self::Workload, Self::AdmissionLab];

    /// Its name in a plan.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Workload => "workload",
            Self::AdmissionLab => "admission_lab",
        }
    }
}

/// One column of a sweep.
#[derive(Debug)]
pub struct SweepMeasure {
    /// Its stable id: the name of the column.
    pub id: &'static str,
    of: Of,
}

/// The source of a column.
#[derive(Debug)]
enum Of {
    /// A figure, by its index in [`FIGURES`].
    Workload(usize),
    AdmissionLab(OfYears),
}

type OfYears = fn(&Span, &ClusterYears) -> f64;

impl SweepMeasure {
    /// Its subject.
    #[must_use]
    pub const fn subject(&self) -> SweepSubject {
        match self.of {
            Of::Workload(_) => SweepSubject::Workload,
            Of::AdmissionLab(_) => SweepSubject::AdmissionLab,
        }
    }

    /// Its index in [`FIGURES`]; `None` for another subject.
    #[must_use]
    pub const fn figure(&self) -> Option<usize> {
        if let Of::Workload(at) = self.of { Some(at) } else { None }
    }

    /// How it adds up over independent zones; the figures of the admission lab do not.
    #[must_use]
    pub fn adds_up(&self) -> AddsUp {
        self.figure().map_or(AddsUp::No, |at| FIGURES[at].adds_up)
    }

    /// Its value for a run; `None` if the run did not measure it.
    #[must_use]
    pub fn of_run(&self, summary: &Summary, plan: &Plan) -> Option<f64> {
        FIGURES[self.figure()?].value(summary, plan)
    }

    /// Its value for the whole time of a cluster; `None` for another subject.
    #[must_use]
    pub fn of_years(&self, total: &Span, lab: &ClusterYears) -> Option<f64> {
        if let Of::AdmissionLab(of) = self.of { Some(of(total, lab)) } else { None }
    }
}

/// The figures of a cluster over years.
const OF_YEARS: [(&str, OfYears); 6] = [
    // Cores of the cluster in use, on average.
    ("utilization_pct", |it, lab| 100.0 * it.utilization(lab.cores)),
    // Scale-outs that failed, which the service level bounds.
    ("failed_pct", |it, _| 100.0 * it.failed_share()),
    ("scale_outs", |it, _| it.scale_outs as f64),
    // Of these, those that failed.
    ("failed", |it, _| it.failed as f64),
    // Deployments that requested admission, and those admitted.
    ("arrivals", |it, _| it.arrivals as f64),
    ("admitted", |it, _| it.admitted as f64),
];

/// Every measure of both subjects, in the order of columns.
pub static SWEEP_MEASURES: LazyLock<Vec<SweepMeasure>> = LazyLock::new(|| {
    let of_run = columns().into_iter().map(|at| SweepMeasure { id: FIGURES[at].id, of: Of::Workload(at) });
    let of_years = OF_YEARS.into_iter().map(|(id, of)| SweepMeasure { id, of: Of::AdmissionLab(of) });
    of_run.chain(of_years).collect()
});
