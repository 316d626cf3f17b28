//! Power Table III: how well a VM's type and its 95th percentile are predicted on arrival, by random forests and by
//! gradient boosting. (Power, sections III-B and IV-B)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_criticality::habits::{Habits, arrivals, labelled_by_templates};
use tiebreak_criticality::{Confusion, ForestSettings, Learning, LoadPredictor, Method, ModelQuality, Quality};
use tiebreak_model::random::Seed;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::at_once::at_once;
use tiebreak_console::given::Given;

const NAME: &str = "power-table3";

/// Confidence thresholds: the share of votes from which a prediction is used, in percent. The paper uses the second.
const CONFIDENCES_PCT: [u8; 5] = [50, 60, 70, 80, 90];
const PAPERS: usize = 1;

/// The results of one seed: forests at each confidence, boosting at the paper's, and forests that learn from labels of
/// templates.
struct SeedQuality {
    forests: Vec<Quality>,
    boosting: Quality,
    templates: Quality,
}

/// Selects a method's quality.
type By = fn(&SeedQuality) -> &Quality;

/// Forests at the paper's confidence.
const FORESTS: By = |found| &found.forests[PAPERS];
const BOOSTING: By = |found| &found.boosting;
const TEMPLATES: By = |found| &found.templates;

/// Selects one of the two models of a quality.
type Of = fn(&Quality) -> &ModelQuality;

const TYPE: Of = |quality| &quality.criticality;
const TRUTH: Of = |quality| quality.against_truth.as_ref().expect("labels are not the truth");
const P95: Of = |quality| quality.p95.as_ref().expect("the 95th percentile is also predicted");

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let seeds = scale.seeds(3);
    let habits = Habits { vms: scale.pick(12_000, 50_000), tenants: scale.pick(400, 1_500), ..Habits::default() };
    let settings = ForestSettings {
        trees: scale.pick(20, 40),
        train_days: habits.days / 2.0,
        label_days: 5.0,
        ..ForestSettings::default()
    };
    let found = found(&seeds, habits, settings)?;
    let judged = found[0].forests[PAPERS].criticality.predictions;
    let setting = format!(
        "{} VMs of {} subscriptions over {} days, sizes and lifetimes as in the paper's Table I. {} trees are \
        trained after {} days and predict the {judged} VMs after that. VMs that live less than five days cannot be classified and are labelled \
         user-facing. Predictions below {} % confidence are not used.",
        habits.vms, habits.tenants, habits.days, settings.trees, settings.train_days, CONFIDENCES_PCT[PAPERS],
    );
    let about = About { name: NAME, source: "Power, Table III", setting, seeds };
    let findings = Findings {
        rows: rows(&found),
        checks: checks(&found),
        remarks: remarks(&found, habits),
        panels: panels(&found),
    };
    Figure::answer(given, about, findings)
}

fn found(seeds: &[u64], habits: Habits, settings: ForestSettings) -> Result<Vec<SeedQuality>, Failure> {
    let forests = CONFIDENCES_PCT.map(|confidence_pct| ForestSettings { confidence_pct, ..settings });
    let boosting = ForestSettings { method: Method::Boosting, ..settings };
    let of_truth = forests.into_iter().chain([boosting]).map(|settings| (settings, false));
    let all: Vec<_> = of_truth.chain([(settings, true)]).collect();
    let jobs: Vec<_> = seeds.iter().flat_map(|seed| all.iter().map(|(settings, by)| (*seed, *settings, *by))).collect();
    let judge = |(seed, settings, by_templates): &(u64, ForestSettings, bool)| {
        let seed = Seed(*seed);
        let arrivals = arrivals(habits, seed);
        let arrivals = if *by_templates { labelled_by_templates(arrivals, seed) } else { arrivals };
        let learning = Learning::new(arrivals, LoadPredictor::Forests, *settings, seed);
        Ok(learning.finish().quality.expect("predictions are evaluated"))
    };
    let mut judged = at_once(&jobs, judge)?.into_iter();
    let mut next = || judged.next().expect("one for each job");
    Ok(seeds
        .iter()
        .map(|_| SeedQuality { forests: forests.iter().map(|_| next()).collect(), boosting: next(), templates: next() })
        .collect())
}

fn rows(found: &[SeedQuality]) -> Vec<Row> {
    vec![
        row("type, boosting", "99; 67 78, 99 99; 98", found, BOOSTING, TYPE, 2),
        row("type, forests", "99; 69 78, 99 99; 98", found, FORESTS, TYPE, 2),
        row("type, forests, labels of templates", "99; 69 78, 99 99; 98", found, TEMPLATES, TYPE, 2),
        row("the same, by the true types", "", found, TEMPLATES, TRUTH, 2),
        row("percentile, boosting", "68; 95 85, 47 77, 51 79, 94 80; 82", found, BOOSTING, P95, 4),
        row("percentile, forests", "73; 93 87, 61 76, 65 81, 92 83; 84", found, FORESTS, P95, 4),
    ]
}

fn row(what: &str, paper: &'static str, found: &[SeedQuality], by: By, of: Of, classes: usize) -> Row {
    const HEADS: [[&str; 2]; 4] = [["1: R", "P"], ["2: R", "P"], ["3: R", "P"], ["4: R", "P"]];
    let measure = |what, value: &dyn Fn(&ModelQuality) -> f64| {
        Measure::of(what, 0, found.iter().map(|found| 100.0 * value(of(by(found)))))
    };
    let mut ours = vec![measure("confident, %", &ModelQuality::share_confident)];
    for (class, [recall, precision]) in HEADS.into_iter().enumerate() {
        let known = |value: &dyn Fn(&Confusion, usize) -> f64, quality: &ModelQuality| {
            if class < classes { value(&quality.confusion, class) } else { f64::NAN }
        };
        ours.push(measure(recall, &|quality| known(&Confusion::recall, quality)));
        ours.push(measure(precision, &|quality| known(&Confusion::precision, quality)));
    }
    ours.push(measure("accuracy, %", &|quality| quality.confusion.accuracy()));
    Row { what: what.into(), paper: Some(paper), ours }
}

/// The mean over the seeds, in percent.
fn mean_pct(found: &[SeedQuality], value: impl Fn(&SeedQuality) -> f64) -> f64 {
    100.0 * found.iter().map(value).sum::<f64>() / found.len() as f64
}

fn checks(found: &[SeedQuality]) -> Vec<Check> {
    let each = |of: &dyn Fn(&SeedQuality) -> f64| found.iter().map(|found| 100.0 * of(found)).collect::<Vec<_>>();
    let confident = |of: Of, by: By| move |found: &SeedQuality| of(by(found)).share_confident();
    let accuracy = |place: usize| move |found: &SeedQuality| P95(&found.forests[place]).confusion.accuracy();
    let last = CONFIDENCES_PCT.len() - 1;
    let over_boosting = |what, value: fn(&Confusion) -> f64| {
        let of = |by: By, found: &SeedQuality| value(&P95(by(found)).confusion);
        Check::above(what, "points", each(&|found| of(FORESTS, found) - of(BOOSTING, found)))
    };
    vec![
        Check::above(
            "forests find at least 98 % of the user-facing VMs",
            "points, above 98 %",
            each(&|found| TYPE(FORESTS(found)).confusion.recall(1) - 0.98),
        ),
        Check::above(
            "so do forests that learn from labels of templates, judged by these labels",
            "points, above 98 %",
            each(&|found| TYPE(TEMPLATES(found)).confusion.recall(1) - 0.98),
        ),
        Check::above(
            "more predictions are confident for the type than for the percentile",
            "points",
            each(&|found| confident(TYPE, FORESTS)(found) - confident(P95, FORESTS)(found)),
        ),
        Check::above(
            "more confident predictions of the percentile are more often right: above 90 % confidence than above 50 \
            %",
            "points",
            each(&|found| accuracy(last)(found) - accuracy(0)(found)),
        ),
        popular_first("buckets 1 and 4 are found more often than 2 and 3", found, Confusion::recall),
        popular_first("and more precisely", found, Confusion::precision),
        Check::above(
            "forests are confident of the percentile more often than boosting",
            "points",
            each(&|found| confident(P95, FORESTS)(found) - confident(P95, BOOSTING)(found)),
        ),
        over_boosting("and right more often where they are sure", Confusion::accuracy),
        over_boosting("and find more of the middle buckets, 2 and 3", |confusion| {
            (confusion.recall(1) + confusion.recall(2)) / 2.0
        }),
    ]
}

/// Whether each of the buckets 1 and 4 is better than each of 2 and 3.
fn popular_first(what: &'static str, found: &[SeedQuality], value: fn(&Confusion, usize) -> f64) -> Check {
    let of = |found: &SeedQuality, bucket: usize| 100.0 * value(&P95(FORESTS(found)).confusion, bucket);
    let pairs = [(0, 1), (0, 2), (3, 1), (3, 2)].map(|(popular, middle)| {
        let name = format!("{} over {}:", popular + 1, middle + 1);
        (name, found.iter().map(move |found| of(found, popular) - of(found, middle)))
    });
    Check::each_above(what, "points", pairs)
}

fn remarks(found: &[SeedQuality], habits: Habits) -> Vec<String> {
    let others = mean_pct(found, |found| {
        let confusion = &TYPE(FORESTS(found)).confusion;
        let of = |class| (confusion.cases(class, 0) + confusion.cases(class, 1)) as f64;
        of(0) / (of(0) + of(1))
    });
    vec![
        "the paper's numbers are the share of confident predictions, recall and precision of each bucket, and \
        accuracy, in percent; for the type, 1 is not user-facing and 2 is user-facing"
            .into(),
        format!(
            "{others:.1} % of ours are labelled not user-facing; the paper's recalls, precisions and accuracy together imply \
             about 4 %"
        ),
        format!(
            "the paper judges predictions by the labels that its templates gave, and so do we in the third row; the \
            fourth has the same forests by the true types, where VMs of less than five days count as user-facing, too: \
            they find {:.1} % of the VMs that are not user-facing, and {:.1} % of those that they call so are; with \
            true labels it is {:.1} and {:.1} %",
            mean_pct(found, |found| TRUTH(TEMPLATES(found)).confusion.recall(0)),
            mean_pct(found, |found| TRUTH(TEMPLATES(found)).confusion.precision(0)),
            mean_pct(found, |found| TYPE(FORESTS(found)).confusion.recall(0)),
            mean_pct(found, |found| TYPE(FORESTS(found)).confusion.precision(0)),
        ),
        format!(
            "how alike the VMs of a subscription are is not available without Azure's trace: of ours {:.0} % share \
            its type and lifetime, and in {:.0} % of the subscriptions each VM has its own percentile",
            habits.faithful_pct, habits.erratic_pct
        ),
        "each of our trees uses 8 of the 12 features, drawn once per tree and not per split; boosting learns a \
        regression, and the distance of its answer to 0 or 1 serves as confidence"
            .into(),
    ]
}

fn panels(found: &[SeedQuality]) -> Vec<Panel> {
    let line = |name: &str, role, of: Of, value: fn(&ModelQuality) -> f64| {
        let points = CONFIDENCES_PCT
            .iter()
            .enumerate()
            .map(|(place, pct)| (f64::from(*pct), mean_pct(found, |found| value(of(&found.forests[place])))));
        Series::new(name, role, Style::Line, points.collect())
    };
    let right: fn(&ModelQuality) -> f64 = |quality| quality.confusion.accuracy();
    let series = vec![
        line("type used", Role::Variant(0), TYPE, ModelQuality::share_confident),
        line("type right", Role::Ghost, TYPE, right),
        line("p95 used", Role::Live, P95, ModelQuality::share_confident),
        line("p95 right", Role::Variant(1), P95, right),
    ];
    vec![Panel::Plot(Plot {
        title: "Predictions used, and the right ones among them".into(),
        unit: "%".into(),
        across: "confidence, %".into(),
        across_is_log: false,
        up_is_log: false,
        series,
    })]
}
