//! LAVA Table 4: the quality of lifetime predictions, and Figure 9, how it improves with the observed part of a
//! lifetime. (LAVA sections 6.4 and 6.5, appendix B)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_lifetime::{Detection, Quality, QualityTerms};
use tiebreak_model::Workload;
use tiebreak_scenario::predictor::PredictorRow;

use std::sync::Arc;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale};
use super::pools::Origin;
use super::verdict::Check;
use super::zone::at_once;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "lava-table4";

/// The lifetimes, in hours, from which a VM counts as long-lived: the paper's threshold, and that of our predictors.
const LONG_H: [f64; 2] = [168.0, 24.0];

/// A predictor, and the corresponding model of the paper.
struct PaperModel {
    id: &'static str,
    name: &'static str,
    paper: Option<&'static str>,
}

static MODELS: [PaperModel; 4] = [
    PaperModel { id: "BoostedTrees", name: "boosted trees", paper: Some("0.84, 0.99, 0.70, 0.80") },
    PaperModel { id: "KaplanMeier", name: "survival tables", paper: Some("0.73, 0.38, 0.38, 0.38") },
    PaperModel { id: "MeanByType", name: "mean by VM type", paper: None },
    PaperModel { id: "Constant", name: "one mean", paper: None },
];

const TREES: usize = 0;
const TABLES: usize = 1;

/// The quality of a model, at both thresholds.
type QualityOfBoth = [Quality; 2];

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let scale = Scale::of(given)?;
    let (origin, trace) = Origin::of_trace(given)?;
    let whole = origin.all();
    let jobs: Vec<_> = MODELS.iter().flat_map(|model| LONG_H.map(|long_h| (model, long_h))).collect();
    let mut judged = at_once(&jobs, |(model, long_h)| Ok(judge(model, *long_h, &whole, scale)))?.into_iter();
    let found: Vec<QualityOfBoth> =
        MODELS.iter().map(|_| std::array::from_fn(|_| judged.next().expect("two for each model"))).collect();
    let counts = &found[TREES][0].counts;
    let setting = format!(
        "{trace}: trained on {} VMs of the first half, {} of them still alive at its end, and evaluated on the {} \
        VMs after it. Predictions are made when a VM starts. A lifetime is long from 168 or 24 h, and is classified \
        as long if the prediction reaches a threshold: the one with the best F1, chosen with hindsight.",
        counts.trained_on, counts.trained_censored, counts.tested_on,
    );
    let about = About { name: NAME, source: "LAVA, Table 4", setting, seeds: vec![1] };
    let findings =
        Findings { rows: rows(&found), checks: checks(&found), remarks: remarks(&found), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn judge(model: &PaperModel, threshold: f64, whole: &Arc<Workload>, scale: Scale) -> Quality {
    let mut row = PredictorRow::plain(model.id).expect("it is listed");
    if let Some(trees) = row.params().iter().position(|param| param.name == "trees") {
        row.values[trees] = scale.pick(20.0, row.values[trees]);
    }
    row.train(whole.clone(), 1).judged_by(QualityTerms { threshold }).finish().quality
}

/// How well long-lived VMs are detected at their start, at the best cut of the predictions.
fn detection(quality: &Quality) -> Detection {
    quality.long_lives.as_ref().map_or_else(Detection::default, |long| long.at_best_cut)
}

/// F1 after a share of each lifetime, in twentieths.
fn f1_after(quality: &Quality, twentieths: usize) -> f64 {
    quality.long_lives.as_ref().and_then(|long| long.f1_by_share[twentieths]).unwrap_or(f64::NAN)
}

fn c_index(found: &QualityOfBoth) -> f64 {
    found[0].c_index.unwrap_or(f64::NAN)
}

fn f1(found: &QualityOfBoth) -> f64 {
    detection(&found[0]).f1.unwrap_or(f64::NAN)
}

fn rows(found: &[QualityOfBoth]) -> Vec<Row> {
    let row = |(model, found): (&PaperModel, &QualityOfBoth)| {
        let [week, day] = found;
        let one = |what, value: f64| Measure::of(what, 2, std::iter::once(value));
        let of = |what, value: Option<f64>| one(what, value.unwrap_or(f64::NAN));
        let cut_h = |quality: &Quality| quality.long_lives.as_ref().map(|long| long.best_cut_h);
        let ours = vec![
            one("C-index", c_index(found)),
            of("precision", detection(week).precision),
            of("recall", detection(week).recall),
            of("F1", detection(week).f1),
            of("cut, h", cut_h(week)),
            of("F1, 24 h", detection(day).f1),
            of("cut, h", cut_h(day)),
            one("F1, 24 h, after 40 %", f1_after(day, 8)),
        ];
        Row { what: model.name.into(), paper: model.paper, ours }
    };
    MODELS.iter().zip(found).map(row).collect()
}

fn checks(found: &[QualityOfBoth]) -> Vec<Check> {
    let trees = &found[TREES];
    let best = |what, value: fn(&QualityOfBoth) -> f64| {
        let rival = (1..MODELS.len()).find(|model| value(&found[*model]) >= value(trees));
        let why =
            |model: usize| format!("{:.2} against {:.2} of {}", value(trees), value(&found[model]), MODELS[model].name);
        Check::new(what, rival.map(why))
    };
    let Detection { precision, recall, .. } = detection(&trees[0]);
    let [precision, recall] = [precision, recall].map(|share| share.unwrap_or(0.0));
    let [start, later] = [0, 8].map(|twentieths| f1_after(&trees[1], twentieths));
    vec![
        best("of the trained predictors, boosted trees rank lifetimes best (C-index)", c_index),
        best("and classify lifetimes of a week best (F1)", f1),
        Check::so(
            "at their start, with a precision of 0.9 and a recall of 0.5 or more",
            precision >= 0.9 && recall >= 0.5,
            || format!("precision {precision:.2}, recall {recall:.2}"),
        ),
        Check::so(
            "the longer a VM runs, the better the prediction: F1 rises by 40 % of its lifetime",
            later > start,
            || format!("{later:.2} against {start:.2}"),
        ),
        Check::so("to 0.9 or more", later >= 0.9, || format!("{later:.2}")),
    ]
}

fn remarks(found: &[QualityOfBoth]) -> Vec<String> {
    let long = |quality: &Quality| quality.long_lives.as_ref().map_or((0, 0), |long| (long.long, long.short));
    let (week, day) = (long(&found[TREES][0]), long(&found[TREES][1]));
    vec![
        format!(
            "the paper's numbers are C-index, precision, recall and F1; lifetimes of a week: {} of {}, of a day: {} \
            of {}",
            week.0,
            week.0 + week.1,
            day.0,
            day.0 + day.1
        ),
        format!(
            "classifying every VM as long would give an F1 of {:.2} for a week and {:.2} for a day",
            called_long(week),
            called_long(day)
        ),
        format!("F1 for a week: tables {:.2}, trees {:.2}", f1(&found[TABLES]), f1(&found[TREES])),
    ]
}

/// F1 when all VMs are called long-lived.
fn called_long((long, short): (u32, u32)) -> f64 {
    2.0 * f64::from(long) / f64::from(2 * long + short)
}

fn panels(found: &[QualityOfBoth]) -> Vec<Panel> {
    const ROLES: [Role; MODELS.len()] = [Role::Live, Role::Variant(0), Role::Variant(1), Role::Ghost];
    let line = |found: &QualityOfBoth| (0..20).map(|at| (5.0 * at as f64, f1_after(&found[1], at))).collect();
    let series = MODELS.iter().zip(found).zip(ROLES);
    vec![Panel::Plot(Plot {
        title: "F1 of lives of a day (LAVA Figure 9)".into(),
        unit: "F1".into(),
        across: "% of the life seen".into(),
        across_is_log: false,
        up_is_log: false,
        series: series.map(|((model, found), role)| Series::new(model.name, role, Style::Line, line(found))).collect(),
    })]
}
