//! Admission in words and charts: the forecast of a deployment, and the results of a cluster over years.

use tiebreak_app::study::{Case, POLICIES, Study, StudyKind};
use tiebreak_app::{Answered, App, Edit};
use tiebreak_chart::{Plot, Role, Series, Style};
use tiebreak_engine::protocol::{Agreed, FitCard, Forecast, ForecastPoint, Found, RefusedThen, YearsResult};
use tiebreak_engine::questions::fit_beliefs::FitBeliefs;
use tiebreak_engine::questions::forecast_growth::ForecastGrowth;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_model::{Declared, Phrase};
use tiebreak_sim::AdmissionSettings;

/// The rule to offer if no admission rule is on.
pub const OFFERED: &str = "SecondMomentAdmission";

/// Hours of a day, and of a month as in the paper.
const DAY: f64 = 24.0;
const MONTH: f64 = 730.0;

/// How far to draw the forecast of one deployment: later values would dwarf it.
const SHOWN_HOURS: f64 = 1_100.0;

/// The labels of the policies' lines, in the order of [`POLICIES`], and that of no policy.
const SHORT: [&str; 4] = [mark("zeroth"), mark("first"), mark("second"), mark("none")];

/// The admission rules that are on.
fn rules_on(app: &App) -> impl Iterator<Item = (&'static str, f64)> + '_ {
    let number = |id: &'static str| {
        let row = app.variant().rules.iter().find(|row| row.on && row.id == id)?;
        Some((id, row.values.first().copied()?))
    };
    POLICIES.into_iter().filter_map(move |(id, _)| number(id))
}

/// Whether any rule reads forecasts of deployments.
#[must_use]
pub fn is_asked(app: &App) -> bool {
    rules_on(app).next().is_some()
}

/// A short summary for the closed panel.
#[must_use]
pub fn in_short(app: &App) -> String {
    let told: Vec<_> = rules_on(app).map(|(id, number)| format!("{id} {} %", words::trimmed(number, 2))).collect();
    if told.is_empty() { tr("off: no admission rule is on").into() } else { told.join(", ") }
}

/// The introduction of the panel.
#[must_use]
pub fn about(app: &App) -> &'static str {
    if is_asked(app) {
        tr("The VMs of a tenant in one cluster are a deployment. A new one is admitted only if the forecast growth \
             of all deployments stays safe; an admitted one may always grow. Explain a refused VM to see which future \
             moment was the reason.")
    } else {
        tr("The VMs of a tenant in one cluster are a deployment, and deployments grow: a deployment admitted today \
             may find no capacity tomorrow. Switch a rule on, or compare the policies on a cluster over years below.")
    }
}

/// A chart with a sentence as its text alternative.
pub type Drawn = (Plot, String);

fn plot(title: String, unit: &str, across: &str, across_is_log: bool, series: Vec<Series>) -> Plot {
    Plot { title, unit: unit.into(), across: across.into(), across_is_log, up_is_log: false, series }
}

/// A mean with one standard deviation on each side, from one hour ahead until then.
fn banded(name: &str, role: Role, points: &[ForecastPoint], until: f64) -> Series {
    let later = || points.iter().filter(|point| point.hours >= 1.0 && point.hours <= until);
    let band = later().map(|it| (it.hours, (it.mean - it.deviation).max(0.0), it.mean + it.deviation)).collect();
    Series::new(name, role, Style::Line, later().map(|it| (it.hours, it.mean)).collect()).with_band(band)
}

/// What was found, or why nothing was; `None` for another kind of answer.
fn found<T>(told: &Answered, of: fn(&Found) -> Option<&T>) -> Option<Result<&T, &Phrase>> {
    match told {
        Ok(answer) => answer.found.as_ref().and_then(of).map(Ok),
        Err(why) => Some(Err(why)),
    }
}

/// The last forecast of a deployment, or why there is none.
#[must_use]
pub fn told_forecast(app: &App) -> Option<Result<&Forecast, &Phrase>> {
    found(app.answers.last::<ForecastGrowth>()?, |found| match found {
        Found::Forecast(forecast) => Some(&**forecast),
        _ => None,
    })
}

/// The result of the last requested fit, or why there is none; `None` while it is under way.
#[must_use]
pub fn told_fit(app: &App) -> Option<Result<&FitCard, &Phrase>> {
    found(app.answers.told::<FitBeliefs>()?, |found| match found {
        Found::Beliefs(card) => Some(&**card),
        _ => None,
    })
}

/// The forecast of a deployment, with and without observations.
#[must_use]
pub fn forecast(forecast: &Forecast) -> Drawn {
    let at = |points: &[ForecastPoint]| points.iter().find(|it| it.hours >= DAY).copied().unwrap_or_default();
    let (fresh, seen) = (at(&forecast.fresh), at(&forecast.seen));
    let cores = |point: ForecastPoint| (words::trimmed(point.mean, 1), words::trimmed(point.deviation, 1));
    let ((fresh_mean, fresh_off), (seen_mean, seen_off)) = (cores(fresh), cores(seen));
    let sentence = say(
        "Forecast for a day ahead: {} cores ± {} for a new deployment; {} ± {} after the observations.",
        &[&fresh_mean, &fresh_off, &seen_mean, &seen_off],
    );
    let series = vec![
        banded(tr("new"), Role::Ghost, &forecast.fresh, SHOWN_HOURS),
        banded(tr("now"), Role::Live, &forecast.seen, SHOWN_HOURS),
    ];
    (plot(tr("Expected cores").into(), tr("cores"), tr("hours ahead"), true, series), sentence)
}

/// The cluster's forecast when it refused a newcomer.
#[must_use]
pub fn refused(then: &RefusedThen, capacity: u32) -> Drawn {
    let day = words::trimmed(then.at_hours / DAY, 0);
    let why: Vec<_> = then.why.iter().map(|(rule, why)| say("{rule}: it {why}", &[&rule, &tell(why)])).collect();
    let sentence = say(
        "On day {day}, with {} of {} cores in use, a deployment of {} was not admitted. {}.",
        &[
            &day,
            &words::count(f64::from(then.used)),
            &words::count(f64::from(capacity)),
            &words::counted(then.asked, "core", "cores"),
            &why.join("; "),
        ],
    );
    let ends = then.ahead.iter().filter(|it| it.hours >= 1.0).map(|it| (it.hours, f64::from(capacity))).collect();
    let series = vec![
        Series::new(tr("all cores"), Role::Variant(1), Style::Line, ends),
        banded(tr("expected"), Role::Live, &then.ahead, f64::INFINITY),
    ];
    (plot(tr("At the last refusal").into(), tr("cores"), tr("hours ahead"), true, series), sentence)
}

/// One case in a table.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseRow {
    /// Its name.
    pub name: String,
    /// The number of its rule.
    pub number: String,
    /// Cores in use, and the range over the seeds.
    pub utilization: String,
    /// The range of [`Self::utilization`].
    pub spread: Option<String>,
    /// Scale-outs that failed, and whether they exceed the service level.
    pub failed: String,
    /// Whether [`Self::failed`] exceeds the service level.
    pub breaks_level: bool,
    /// Deployments admitted.
    pub admitted: String,
    /// Why there are no results.
    pub failure: Option<Phrase>,
}

/// A figure over results.
fn over(case: &Case, of: impl Fn(&YearsResult) -> f64) -> Vec<f64> {
    case.results().map(of).collect()
}

fn mean(figures: &[f64]) -> Option<f64> {
    (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64)
}

fn failed_pct(case: &Case) -> f64 {
    let sum = |of: fn(&YearsResult) -> f64| over(case, of).iter().sum::<f64>();
    100.0 * sum(|it| it.total.failed) / sum(|it| it.total.scale_outs).max(1.0)
}

/// The mean of the cores in use, in percent; `None` before the first run has ended.
fn utilization(case: &Case) -> Option<f64> {
    mean(&over(case, |it| it.total.utilization_pct))
}

/// The cases of a study, row by row.
#[must_use]
pub fn rows(study: &Study) -> Vec<CaseRow> {
    let row = |case: &Case| {
        let used = over(case, |it| it.total.utilization_pct);
        let pct = |number: f64, decimals| format!("{} %", words::fixed(number, decimals));
        let (low, high) = (used.iter().copied().reduce(f64::min), used.iter().copied().reduce(f64::max));
        let spread = low.zip(high).filter(|(low, high)| low < high);
        let sum = |of: fn(&YearsResult) -> f64| over(case, of).iter().sum::<f64>();
        let admitted = 100.0 * sum(|it| it.total.admitted) / sum(|it| it.total.arrivals).max(1.0);
        let any = !used.is_empty();
        CaseRow {
            name: case.name.clone(),
            number: case.number().map_or_else(String::new, |number| format!("{} %", words::trimmed(number, 3))),
            utilization: mean(&used).map_or_else(|| "…".into(), |mean| pct(mean, 1)),
            spread: spread.map(|(low, high)| say("{} to {}", &[&words::fixed(low, 1), &words::fixed(high, 1)])),
            failed: if any { pct(failed_pct(case), 3) } else { "…".into() },
            breaks_level: any && failed_pct(case) > case.variant().admission_lab.sla,
            admitted: if any { pct(admitted, 0) } else { "…".into() },
            failure: case.failure(),
        }
    };
    study.cases.iter().map(row).collect()
}

/// Its progress: `3 runs, 40 % done, seeds 1, 2`.
#[must_use]
pub fn so_far(study: &Study) -> String {
    let stopped = if study.is_stopped && study.share_done() < 1.0 { tr(", stopped") } else { "" };
    let seeds = study.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let share = words::fixed((100.0 * study.share_done()).floor(), 0);
    let runs = words::counted(study.runs_over() as f64, tr("run"), tr("runs"));
    say("{runs}, {share} % done{stopped}, seeds {seeds}", &[&runs, &share, &stopped, &seeds])
}

/// One number of a fit, next to the scenario's.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedRow {
    /// Its name.
    pub title: String,
    /// The scenario's value.
    pub now: String,
    /// The fitted value.
    pub fitted: String,
}

/// The settings of a fit, rounded to four digits for use in a scenario.
#[must_use]
fn settings(card: &FitCard) -> Vec<(String, f64)> {
    let rounded = |value: f64| format!("{value:.3e}").parse().unwrap_or(value);
    card.settings.iter().map(|(name, value)| (name.clone(), rounded(*value))).collect()
}

/// The edit that applies the fitted values.
#[must_use]
pub fn take(card: &FitCard) -> Edit {
    Edit::SetAll(
        settings(card).into_iter().map(|(name, value)| (format!("admission.{name}"), value.to_string())).collect(),
    )
}

/// The numbers of a fit, row by row.
#[must_use]
pub fn fitted_rows(app: &App, card: &FitCard) -> Vec<FittedRow> {
    let now = app.variant().admission.to_values();
    let row = |(name, fitted): (String, f64)| {
        let at = AdmissionSettings::DECLARATION.params.iter().position(|param| param.name == name)?;
        let title = tr(&AdmissionSettings::DECLARATION.params[at].title()).to_owned();
        Some(FittedRow { title, now: now[at].to_string(), fitted: fitted.to_string() })
    };
    settings(card).into_iter().filter_map(row).collect()
}

/// The data of a fit, in one sentence.
#[must_use]
pub fn fitted(card: &FitCard) -> String {
    say(
        "Fitted to {}: {} scale-outs and {} exits; {} deployments outlived the trace.",
        &[
            &words::counted(f64::from(card.deployments), tr("deployment"), tr("deployments")),
            &words::count(f64::from(card.scale_outs)),
            &words::count(card.ends),
            &words::count(f64::from(card.outlived)),
        ],
    )
}

/// The distributions that are compared with observations, and their units.
const CURVES: [(&str, &str); 3] = [
    (mark("First requests"), mark("cores")),
    (mark("Lifetimes"), mark("hours")),
    (mark("First scale-outs"), mark("hours")),
];

/// The fitted distributions with the observed ones.
#[must_use]
pub fn fitted_plots(card: &FitCard) -> Vec<Drawn> {
    let drawn = |((title, across), agreed): (&(&'static str, &'static str), &Option<Agreed>)| {
        let agreed = agreed.as_ref()?;
        let line = |name, role, at: usize| {
            let points = agreed.points.iter().filter(|point| point[0] > 0.0).map(|point| (point[0], 100.0 * point[at]));
            Series::new(name, role, Style::Line, points.collect())
        };
        let series = vec![line(tr("fitted"), Role::Ghost, 2), line(tr("observed"), Role::Live, 1)];
        let [ks, cvm] = [agreed.kolmogorov_smirnov, agreed.cramer_von_mises].map(|distance| words::fixed(distance, 3));
        let sentence =
            say("{}: largest difference {} (Kolmogorov-Smirnov), Cramér-von Mises {}.", &[&tr(title), &ks, &cvm]);
        Some((plot(say("{}: share", &[&tr(title)]), "%", tr(across), true, series), sentence))
    };
    CURVES.iter().zip(&card.agreements).filter_map(drawn).collect()
}

/// Whether rules, beliefs or the cluster have changed since a study started.
#[must_use]
pub fn is_old(app: &App, study: &Study) -> bool {
    let (now, then) = (app.variant(), &study.of);
    (&now.rules, now.admission, now.admission_lab, now.seed)
        != (&then.rules, then.admission, then.admission_lab, then.seed)
}

/// The charts of a study with any results.
#[must_use]
pub fn plots(study: &Study) -> Vec<Drawn> {
    let mut drawn = Vec::new();
    if study.cases.iter().all(|case| case.results().next().is_none()) {
        return drawn;
    }
    drawn.push(if study.wish.kind == StudyKind::Observations { by_knowledge(study) } else { by_month(study) });
    let last = study.cases.iter().rev().find_map(|case| {
        let result = case.results().next()?;
        Some((result.refused.as_deref()?, result.cores))
    });
    drawn.extend(last.map(|(then, cores)| refused(then, cores)));
    drawn
}

/// The label of a case's line.
fn short(case: &Case) -> &'static str {
    tr(SHORT[case.policy.unwrap_or(POLICIES.len())])
}

/// Cores in use month by month, one line per case: the mean over the seeds.
fn by_month(study: &Study) -> Drawn {
    let line = |(index, case): (usize, &Case)| {
        let months = case.results().map(|it| it.months.len()).min().unwrap_or(0);
        let month = |at: usize| (at as f64 + 1.0, mean(&over(case, |it| it.months[at].utilization_pct)).unwrap_or(0.0));
        let role = index.checked_sub(1).map_or(Role::Live, |index| Role::Variant((index % 4) as u8));
        let name = if study.wish.kind == StudyKind::Policies { short(case) } else { &case.name };
        Series::new(name, role, Style::Line, (0..months).map(month).collect())
    };
    let told = |case: &Case| {
        let used = utilization(case)?;
        Some(say("{}: {} %", &[&case.name, &words::fixed(used, 1)]))
    };
    let all: Vec<_> = study.cases.iter().filter_map(told).collect();
    let sentence = say("Cores in use, mean over the whole time: {}.", &[&all.join("; ")]);
    let lines = study.cases.iter().enumerate().map(line).filter(|line| !line.points.is_empty()).collect();
    (plot(tr("Cores in use per month").into(), "%", tr("months"), false, lines), sentence)
}

/// Cores in use by the number of earlier observations: the value of an observation.
fn by_knowledge(study: &Study) -> Drawn {
    let line = |(index, policy): (usize, usize)| {
        let cases = study.cases.iter().filter(|case| case.policy == Some(policy));
        let point = |case: &Case| Some((f64::from(case.variant().admission_lab.observations), utilization(case)?));
        let role = if index == 0 { Role::Ghost } else { Role::Live };
        Series::new(tr(SHORT[policy]), role, Style::Line, cases.filter_map(point).collect())
    };
    let lines: Vec<_> = [1, 2].into_iter().enumerate().map(line).collect();
    let second = &lines[1].points;
    let sentence = match (second.first(), second.last()) {
        (Some(first), Some(last)) => say(
            "{}: {} % of cores in use with {} observations, {} % with {}.",
            &[&POLICIES[2].0, &words::fixed(first.1, 1), &first.0, &words::fixed(last.1, 1), &last.0],
        ),
        _ => String::new(),
    };
    (plot(tr("Value of observations").into(), "%", tr("observations"), false, lines), sentence)
}

/// The effect of a price for variance.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The mean price of a core-hour with labels, and without.
    pub labelled: f64,
    /// The mean price of a core-hour without labels.
    pub unlabelled: f64,
    /// Users who pay less with labels, in percent.
    pub gain_pct: f64,
}

/// The price of a core-hour at `k1` plus `k2` per squared core of variance one day ahead, for the users of a
/// forecast.
#[must_use]
pub fn price(forecast: &Forecast, k1: f64, k2: f64) -> Option<Price> {
    let users = &forecast.charged;
    let average = |of: fn(&(f64, f64)) -> f64| mean(&users.iter().map(of).collect::<Vec<_>>());
    let gains = users.iter().filter(|(labelled, unlabelled)| labelled < unlabelled).count();
    Some(Price {
        labelled: k1 + k2 * average(|user| user.0)?,
        unlabelled: k1 + k2 * average(|user| user.1)?,
        gain_pct: 100.0 * gains as f64 / users.len() as f64,
    })
}

/// The cluster's gain from labels, in core-hours per month; `None` before a study with and without them has ended.
#[must_use]
pub fn gain_by_labels(study: &Study) -> Option<f64> {
    if study.wish.kind != StudyKind::Labels {
        return None;
    }
    let [labelled, unlabelled] = [study.cases.first()?, study.cases.get(1)?].map(utilization);
    let cores = f64::from(study.cases[0].variant().admission_lab.cores);
    Some((labelled? - unlabelled?) / 100.0 * cores * MONTH)
}
