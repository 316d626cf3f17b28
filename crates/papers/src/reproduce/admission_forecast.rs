//! Forecasts of new deployments compared with what becomes of them: the exact moments, those of a deployment that is
//! gone once it is empty, and the paper's approximations. (Cluster admission, section 4)

use std::collections::BTreeMap;

use tiebreak_admission::{Moments, Seen, paper};
use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::random::Seed;
use tiebreak_sim::AdmissionSettings;
use tiebreak_sim::admission::known::KnownPrior;
use tiebreak_sim::admission::newcomers::followed;
use tiebreak_sim::admission::{Terms, WhenEmpty};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::at_once::at_once;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::{preset, set_fields};

const NAME: &str = "admission-forecast";

/// An hour, eight hours, a day, a week.
const HOURS: [f64; 4] = [1.0, 8.0, 24.0, 168.0];
const RATIOS: [&str; 4] = ["mean, 1 h", "mean, 8 h", "mean, 1 day", "mean, 1 week"];
const SQUARES: [&str; 4] = ["variance, 1 h", "variance, 8 h", "variance, 1 day", "variance, 1 week"];

/// The error of the mean that is tolerated.
const TOLERATED: f64 = 0.05;

/// How a newcomer is forecast.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Grows,
    Ends,
    Paper,
}

const WAYS: [(Way, &str); 3] = [
    (Way::Grows, "an empty deployment may grow again"),
    (Way::Ends, "an empty deployment is gone"),
    (Way::Paper, "the paper's approximations"),
];

/// For one prior, way and seed, at each horizon: forecast mean over actual mean, and forecast variance over the mean
/// squared error.
type Ratios = [[f64; 2]; HOURS.len()];

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let (seeds, count) = (scale.seeds(16), scale.pick(500, 50_000));
    let cases: Vec<_> =
        KnownPrior::ALL.into_iter().flat_map(|prior| WAYS.map(|(way, name)| (prior, way, name))).collect();
    let jobs: Vec<_> =
        KnownPrior::ALL.into_iter().flat_map(|prior| seeds.iter().map(move |seed| (prior, *seed))).collect();
    let found = at_once(&jobs, |(prior, seed)| of_seed(given, *prior, *seed, count))?;
    let of = |case: usize| -> Vec<Ratios> {
        let (prior, way) = (case / WAYS.len(), case % WAYS.len());
        found[prior * seeds.len()..][..seeds.len()].iter().map(|ways| ways[way]).collect()
    };
    let setting = format!(
        "{count} new deployments per seed are drawn from each prior and followed alone, with room for every \
         scale-out. The table shows forecast over actual: of the mean of their cores, and of the variance over the \
         mean squared error. In brackets: the least and the largest over the seeds."
    );
    let rows =
        cases.iter().enumerate().map(|(index, (prior, _, name))| row(format!("{}: {name}", prior.id()), &of(index)));
    let remarks = vec![
        "the paper's propositions are not available: these are our reading of its text, with a deployment's stop, \
         emptiness, old cores and new cores uncorrelated, and conjugate beliefs"
            .into(),
        "a block's size does not change a mean: the error of the first row comes from growth after the deployment \
         was empty"
            .into(),
    ];
    let findings = Findings {
        rows: rows.collect(),
        checks: checks(|prior, way| of(prior * WAYS.len() + way)),
        remarks,
        panels: (0..KnownPrior::ALL.len()).map(|prior| panel(prior, |way| of(prior * WAYS.len() + way))).collect(),
    };
    let about = About { name: NAME, source: "Cluster admission, section 4", setting, seeds };
    Figure::answer(given, about, findings)
}

/// The ratios of each way.
fn of_seed(given: &Given, prior: KnownPrior, seed: u64, count: u32) -> Result<[Ratios; WAYS.len()], Failure> {
    let mut variant = preset("default")?.active_variant().clone();
    variant.admission = prior.of(variant.admission);
    set_fields(&mut variant, given)?;
    let model = variant.admission.model().map_err(|fault| Failure(fault.to_string()))?;
    let all = followed(&model, &HOURS, count, Seed(seed));
    let mut ratios = [Ratios::default(); WAYS.len()];
    for (ratios, (way, _)) in ratios.iter_mut().zip(WAYS) {
        let forecast = forecasts(&variant.admission, way)?;
        let mut by_first: BTreeMap<u32, [Moments; HOURS.len()]> = BTreeMap::new();
        // Sums of forecast means, actual cores, variances and squared errors.
        let mut sums = [[0.0; 4]; HOURS.len()];
        for it in &all {
            let moments = by_first.entry(it.first).or_insert_with(|| forecast(&Seen::started(f64::from(it.first))));
            for ((sums, Moments { mean, variance }), cores) in sums.iter_mut().zip(moments).zip(&it.cores) {
                let added = [*mean, *cores, *variance, (cores - *mean) * (cores - *mean)];
                sums.iter_mut().zip(added).for_each(|(sum, added)| *sum += added);
            }
        }
        *ratios = sums.map(|[mean, cores, variance, square]| [mean / cores, variance / square]);
    }
    Ok(ratios)
}

/// The forecast of a newcomer at the horizons, in one way.
fn forecasts(settings: &AdmissionSettings, way: Way) -> Result<impl Fn(&Seen) -> [Moments; HOURS.len()], Failure> {
    let when_empty = if way == Way::Ends { WhenEmpty::Ends } else { WhenEmpty::Grows };
    let settings = AdmissionSettings { when_empty, ..*settings };
    let terms = Terms::at_hours(&settings, HOURS.to_vec()).map_err(|fault| Failure(fault.to_string()))?;
    Ok(move |seen: &Seen| match way {
        Way::Grows | Way::Ends => {
            let all = terms.moments(std::slice::from_ref(seen));
            std::array::from_fn(|at| all[at])
        }
        Way::Paper => HOURS.map(|hours| paper::moments(terms.model(), seen, hours).unwrap_or_default()),
    })
}

fn row(what: String, seeds: &[Ratios]) -> Row {
    let of = |names: [&'static str; HOURS.len()], which: usize| {
        names
            .into_iter()
            .enumerate()
            .map(move |(at, name)| Measure::of(name, 2, seeds.iter().map(move |it| it[at][which])))
    };
    Row { what, paper: None, ours: of(RATIOS, 0).chain(of(SQUARES, 1)).collect() }
}

fn checks(of: impl Fn(usize, usize) -> Vec<Ratios>) -> Vec<Check> {
    let what = [
        [
            "running: forecasts are too high if an empty deployment may grow again",
            "running: they are within 5 % if it is gone",
        ],
        [
            "arriving: forecasts are too high if an empty deployment may grow again",
            "arriving: they are within 5 % if it is gone",
        ],
    ];
    // Each margin at each horizon must be above 0.
    let each = |what, seeds: Vec<Ratios>, margins: &[fn(f64) -> f64]| {
        let at = |(index, margin): (usize, fn(f64) -> f64)| {
            let of: Vec<_> = seeds.iter().map(|it| margin(it[index][0])).collect();
            (RATIOS[index].to_owned(), of)
        };
        let all = (0..HOURS.len()).flat_map(|index| margins.iter().map(move |margin| (index, *margin)));
        Check::each_above(what, "", all.map(at))
    };
    let mut checks = Vec::new();
    for (prior, [grows, ends]) in what.into_iter().enumerate() {
        checks.push(each(grows, of(prior, 0), &[|ratio| ratio - 1.0]));
        checks.push(each(ends, of(prior, 1), &[|ratio| TOLERATED - (ratio - 1.0), |ratio| TOLERATED + (ratio - 1.0)]));
    }
    checks
}

fn panel(prior: usize, of: impl Fn(usize) -> Vec<Ratios>) -> Panel {
    let line = |((way, (_, name)), role): ((usize, (Way, &str)), Role)| {
        let seeds = of(way);
        let mean = |at: usize| seeds.iter().map(|it| it[at][0]).sum::<f64>() / seeds.len() as f64;
        let points = HOURS.iter().enumerate().map(|(at, hours)| (*hours, mean(at))).collect();
        Series::new(name, role, Style::Line, points)
    };
    Panel::Plot(Plot {
        title: format!("Forecast over actual mean, prior {}", KnownPrior::ALL[prior].id()),
        unit: String::new(),
        across: "hours".into(),
        across_is_log: true,
        up_is_log: false,
        series: WAYS.into_iter().enumerate().zip([Role::Variant(0), Role::Live, Role::Variant(1)]).map(line).collect(),
    })
}
