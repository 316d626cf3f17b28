//! `tiebreak lifetimes`: how well each predictor predicts the lifetimes of a workload. All learn from its first part
//! and are judged on the rest. (LAVA section 6.4, Table 4)

use std::sync::Arc;

use serde::Serialize;
use tiebreak_lifetime::{Detection, PREDICTORS, Quality, QualityTerms};
use tiebreak_model::Workload;
use tiebreak_scenario::Variant;
use tiebreak_scenario::predictor::PredictorRow;

use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::at_once::at_once;
use tiebreak_console::given::Given;
use tiebreak_console::scenario;
use tiebreak_console::shown::{count, table, wrapped};

/// The lifetimes, in hours, from which a VM counts as long-lived: ours, and the paper's.
const LONG_H: [f64; 2] = [24.0, 168.0];

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let (variant, source) = scenario::with_source(given)?;
    let rows: Vec<PredictorRow> = PREDICTORS.iter().map(|entry| row(&variant, entry.declaration.id)).collect();
    let jobs: Vec<_> = rows.iter().flat_map(|row| LONG_H.map(|threshold| (row, threshold))).collect();
    let judged = at_once(&jobs, |(row, threshold)| Ok(judge(row, *threshold, &source.workload, variant.seed)))?;
    let counts = judged[0].counts;
    let report = LifetimesReport {
        trained_on: counts.trained_on,
        trained_censored: counts.trained_censored,
        judged: counts.tested_on,
        predictors: rows.iter().zip(judged.chunks(LONG_H.len())).map(|(row, both)| Judged::of(row, both)).collect(),
    };
    Ok(Answer::either(given, &report, || report.text()))
}

/// A predictor: with the scenario's settings if the scenario uses it, otherwise with its defaults and the scenario's
/// share to learn from.
fn row(variant: &Variant, id: &str) -> PredictorRow {
    if variant.predictor.id == id {
        return variant.predictor.clone();
    }
    let share = |row: &PredictorRow| row.params().iter().position(|param| param.name == "train_share");
    let mut row = PredictorRow::plain(id).expect("it is listed");
    if let (Some(from), Some(to)) = (share(&variant.predictor), share(&row)) {
        row.values[to] = variant.predictor.values[from];
    }
    row
}

fn judge(row: &PredictorRow, threshold: f64, workload: &Arc<Workload>, seed: u64) -> Quality {
    row.train(workload.clone(), seed).judged_by(QualityTerms { threshold }).finish().quality
}

#[derive(Serialize)]
struct LifetimesReport {
    trained_on: u32,
    trained_censored: u32,
    judged: u32,
    predictors: Vec<Judged>,
}

/// The quality of one predictor.
#[derive(Serialize)]
struct Judged {
    predictor: String,
    c_index: Option<f64>,
    long_lives: Vec<LongLivesTold>,
    within_10x: Option<f64>,
    within_10x_repredicted: Option<f64>,
    /// By tenths of the predictions: the prediction, and the lifetime that half of the VMs reached.
    calibration: Vec<TenthTold>,
}

/// How well long-lived VMs are distinguished from the others at one threshold.
#[derive(Serialize)]
struct LongLivesTold {
    threshold_h: f64,
    /// With the prediction at the start compared to the threshold.
    f1: Option<f64>,
    /// The best F1 at any cut of the predictions, chosen with hindsight, and that cut.
    f1_at_best_cut: Option<f64>,
    best_cut_h: Option<f64>,
    /// At the threshold, after a fifth of each lifetime.
    f1_after_20_pct: Option<f64>,
}

#[derive(Serialize)]
struct TenthTold {
    predicted_s: u32,
    lived_s: u32,
}

impl Judged {
    fn of(row: &PredictorRow, by_threshold: &[Quality]) -> Self {
        let quality = &by_threshold[0];
        let told = |(threshold_h, quality): (f64, &Quality)| {
            let long = quality.long_lives.as_ref();
            let f1 = |detection: Detection| detection.f1;
            LongLivesTold {
                threshold_h,
                f1: long.and_then(|long| f1(long.at_threshold)),
                f1_at_best_cut: long.and_then(|long| f1(long.at_best_cut)),
                best_cut_h: long.map(|long| long.best_cut_h),
                f1_after_20_pct: long.and_then(|long| long.f1_by_share[4]),
            }
        };
        Self {
            predictor: row.id.clone(),
            c_index: quality.c_index,
            long_lives: LONG_H.into_iter().zip(by_threshold).map(told).collect(),
            within_10x: quality.first_errors.as_ref().map(|errors| errors.share_within(10)),
            within_10x_repredicted: quality.reprediction_errors.as_ref().map(|errors| errors.share_within(10)),
            calibration: quality
                .calibration
                .iter()
                .map(|tenth| TenthTold { predicted_s: tenth.predicted_s, lived_s: tenth.lived_s })
                .collect(),
        }
    }
}

impl LifetimesReport {
    fn text(&self) -> String {
        let head = format!(
            "Learned from {} VMs, {} of them still running at the end of that part, and judged on the {} VMs that came \
             later. C-index: how often the VM that was predicted to live longer did. F1: how well lifetimes of 24 h and \
             of 168 h are told from shorter ones, by the prediction at the start, with the cut that is best in hindsight, \
             and after a fifth of the lifetime.",
            count(self.trained_on.into()),
            count(self.trained_censored.into()),
            count(self.judged.into()),
        );
        let tenths = "By tenths of the predictions at the start: the predicted lifetime / how long half of them lived \
                      at least.";
        format!("{}\n{}\n{}\n{}", wrapped(&head, ""), self.qualities(), wrapped(tenths, ""), self.calibration())
    }

    fn qualities(&self) -> String {
        let head = [
            "Predictor",
            "C-index",
            "F1 24 h",
            "best cut",
            "20 %",
            "F1 168 h",
            "best cut",
            "20 %",
            "within 10x",
            "repredicted",
        ];
        let mut rows = vec![head.map(String::from).to_vec()];
        for judged in &self.predictors {
            let long = judged.long_lives.iter().flat_map(|it| [it.f1, it.f1_at_best_cut, it.f1_after_20_pct]);
            let numbers = std::iter::once(judged.c_index).chain(long);
            let numbers = numbers.chain([judged.within_10x, judged.within_10x_repredicted]).map(share);
            rows.push(std::iter::once(judged.predictor.clone()).chain(numbers).collect());
        }
        table(&rows)
    }

    fn calibration(&self) -> String {
        let tenths = (1..=10).map(|tenth| format!("{tenth}"));
        let mut rows = vec![std::iter::once("Predictor".to_owned()).chain(tenths).collect::<Vec<_>>()];
        for judged in self.predictors.iter().filter(|judged| !judged.calibration.is_empty()) {
            let cell = |tenth: &TenthTold| format!("{} / {}", span(tenth.predicted_s), span(tenth.lived_s));
            rows.push(std::iter::once(judged.predictor.clone()).chain(judged.calibration.iter().map(cell)).collect());
        }
        table(&rows)
    }
}

fn share(number: Option<f64>) -> String {
    number.map_or_else(|| "-".into(), |number| format!("{number:.3}"))
}

/// Seconds in a readable unit.
fn span(seconds: u32) -> String {
    match f64::from(seconds) {
        seconds if seconds < 90.0 => format!("{seconds:.0} s"),
        seconds if seconds < 5_400.0 => format!("{:.0} min", seconds / 60.0),
        seconds if seconds < 172_800.0 => format!("{:.1} h", seconds / 3_600.0),
        seconds => format!("{:.1} d", seconds / 86_400.0),
    }
}
