//! `tiebreak admission forecast`: the mean and the variance of a deployment's cores, or of all deployments of a cluster,
//! at future moments, and the probability of more than some size. (Cluster admission, section 4)

use serde::Serialize;
use tiebreak_admission::{Deaths, Moments, Seen, Stop, paper};
use tiebreak_placement::admission::Tail;
use tiebreak_sim::AdmissionSettings;
use tiebreak_sim::admission::Terms;
use tiebreak_sim::admission::known::KnownPrior;

use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::scenario::{preset, set_fields};
use tiebreak_console::shown::{count, table, wrapped};

mod deployments;

use deployments::{Deployment, HOURS_MOST, read};

pub(crate) const CORES: Opt =
    Opt { name: "cores", value: Some("N"), help: "one deployment, with this many cores since its beginning" };
pub(crate) const HOURS: Opt = Opt { name: "hours", value: Some("H"), help: "its age in hours; 0" };
pub(crate) const SCALE_OUTS: Opt = Opt {
    name: "scale-outs",
    value: Some("K"),
    help: "its scale-outs so far, each of as many cores as it has, all of which are gone; 0",
};
pub(crate) const AT: Opt = Opt {
    name: "at",
    value: Some("H,H,..."),
    help: "the future moments in hours, ascending; by default those that the rules check",
};
pub(crate) const SIZE: Opt =
    Opt { name: "size", value: Some("N"), help: "shows the estimated probability of at least N cores" };
pub(crate) const MOMENTS: Opt = Opt {
    name: "moments",
    value: Some("exact|paper"),
    help: "the exact moments (the default), or the paper's approximations as we read Propositions 4.3 and 4.5",
};
pub(crate) const PRIOR: Opt = Opt {
    name: "prior",
    value: Some("running|arriving"),
    help: "a prior fitted to the Azure trace of 2020: of what runs (finite mean lifetime), or of what arrives (the \
           default of scenarios)",
};

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    match given.word(0, "forecast")? {
        "forecast" => {}
        other => return Err(Failure(format!("expected forecast, got \"{other}\"; see `tiebreak help admission`"))),
    }
    let settings = settings(given)?;
    let model = settings.model().map_err(|fault| Failure(fault.to_string()))?;
    let deployments = match (given.words.get(1), given.one("cores")) {
        (Some(file), None) => read(file, model.deaths)?,
        (None, Some(cores)) => vec![one(given, cores, model.deaths)?],
        _ => {
            return Err(Failure(
                "expected either a file of deployments or --cores N, got neither or both; see `tiebreak help admission`"
                    .into(),
            ));
        }
    };
    let size = given.one("size").map(|text| within("size", text, 0.0)).transpose()?;
    let report = Report::of(&settings, &deployments, hours(given)?, size, way(given)?)?;
    Ok(Answer::either(given, &report, || report.text()))
}

fn settings(given: &Given) -> Result<AdmissionSettings, Failure> {
    let mut variant = preset(given.one("preset").unwrap_or("default"))?.active_variant().clone();
    if let Some(id) = given.one("prior") {
        let prior = KnownPrior::find(id).ok_or_else(|| {
            let [one, other] = KnownPrior::ALL.map(KnownPrior::id);
            Failure(format!("expected {one} or {other} after --prior, got \"{id}\"; choose one of these"))
        })?;
        variant.admission = prior.of(variant.admission);
    }
    set_fields(&mut variant, given)?;
    Ok(variant.admission)
}

/// The deployment of the options.
fn one(given: &Given, cores: &str, deaths: Deaths) -> Result<Deployment, Failure> {
    let cores = within("cores", cores, 1.0)?;
    let option = |name| given.one(name).map_or(Ok(0.0), |text| within(name, text, 0.0));
    let (hours, scale_outs) = (option("hours")?, given.number("scale-outs")?.unwrap_or(0));
    let scale_outs = u32::try_from(scale_outs).ok().filter(|it| *it <= 1_000_000).ok_or_else(|| {
        Failure(format!("expected at most 1,000,000 after --scale-outs, got {scale_outs}; set a smaller number"))
    })?;
    Ok(Deployment { name: "deployment".into(), seen: Seen::unchanged(cores, hours, scale_outs, deaths) })
}

/// A number of an option, from `least` to the most.
fn within(name: &str, text: &str, least: f64) -> Result<f64, Failure> {
    text.parse().ok().filter(|number| (least..=HOURS_MOST).contains(number)).ok_or_else(|| {
        Failure(format!(
            "expected a number from {least} to {HOURS_MOST} after --{name}, got \"{text}\"; choose a number in this range"
        ))
    })
}

/// The future moments that were chosen.
fn hours(given: &Given) -> Result<Option<Vec<f64>>, Failure> {
    let Some(text) = given.one("at") else { return Ok(None) };
    let hours = text.split(',').map(|one| within("at", one.trim(), 0.0)).collect::<Result<Vec<_>, _>>()?;
    if !hours.is_sorted_by(|one, next| one < next) {
        return Err(Failure(format!("expected ascending hours after --at, got \"{text}\"; sort them")));
    }
    Ok(Some(hours))
}

/// Which moments to use.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    Exact,
    Paper,
}

fn way(given: &Given) -> Result<Way, Failure> {
    match given.one("moments") {
        None | Some("exact") => Ok(Way::Exact),
        Some("paper") => Ok(Way::Paper),
        Some(other) => {
            Err(Failure(format!("expected exact or paper after --moments, got \"{other}\"; choose one of these")))
        }
    }
}

/// A forecast.
#[derive(Serialize)]
struct Report {
    moments: Way,
    /// The size whose probability is shown.
    size: Option<f64>,
    /// All deployments together.
    points: Vec<Point>,
    /// Each deployment, if they come from a file.
    deployments: Vec<Each>,
}

#[derive(Serialize)]
struct Each {
    name: String,
    points: Vec<Point>,
}

/// A forecast at one future moment.
#[derive(Serialize)]
struct Point {
    hours: f64,
    mean: f64,
    variance: f64,
    deviation: f64,
    /// The largest possible probability of at least that size with this mean and variance.
    #[serde(skip_serializing_if = "Option::is_none")]
    chance_cantelli: Option<f64>,
    /// The probability if the cores were normally distributed.
    #[serde(skip_serializing_if = "Option::is_none")]
    chance_normal: Option<f64>,
}

impl Point {
    fn of(hours: f64, Moments { mean, variance }: Moments, size: Option<f64>) -> Self {
        let chance = |tail: Tail| size.map(|size| tail.chance(mean, variance, size));
        let (chance_cantelli, chance_normal) = (chance(Tail::Cantelli), chance(Tail::Normal));
        Self { hours, mean, variance, deviation: variance.sqrt(), chance_cantelli, chance_normal }
    }
}

impl Report {
    fn of(
        settings: &AdmissionSettings,
        deployments: &[Deployment],
        hours: Option<Vec<f64>>,
        size: Option<f64>,
        moments: Way,
    ) -> Result<Self, Failure> {
        let terms = match hours {
            Some(hours) => Terms::at_hours(settings, hours),
            None => Terms::new(settings, true),
        };
        let terms = terms.map_err(|fault| Failure(fault.to_string()))?;
        if matches!(moments, Way::Paper) && terms.model().stop == Stop::Soft {
            return Err(Failure(
                "admission.stop: expected hard with --moments paper, got soft; the paper has no soft stop".into(),
            ));
        }
        let forecast = |seen: &Seen| match moments {
            Way::Exact => terms.moments(&[*seen]),
            Way::Paper => {
                let at = |hours: &f64| paper::moments(terms.model(), seen, *hours).unwrap_or_default();
                terms.hours().iter().map(at).collect()
            }
        };
        let mut all = vec![Moments::default(); terms.hours().len()];
        let points = |moments: &[Moments], size| -> Vec<Point> {
            terms.hours().iter().zip(moments).map(|(hours, moments)| Point::of(*hours, *moments, size)).collect()
        };
        let mut each = Vec::new();
        for deployment in deployments {
            let moments = forecast(&deployment.seen);
            for (sum, one) in all.iter_mut().zip(&moments) {
                sum.mean += one.mean;
                sum.variance += one.variance;
            }
            each.push(Each { name: deployment.name.clone(), points: points(&moments, size) });
        }
        if each.len() == 1 {
            each.clear();
        }
        Ok(Self { moments, size, points: points(&all, size), deployments: each })
    }

    fn text(&self) -> String {
        let what = match self.deployments.len() {
            0 => "The cores of a deployment".into(),
            many => format!("The cores of {} deployments together", count(many as u64)),
        };
        let way = match self.moments {
            Way::Exact => "",
            Way::Paper => ", by the paper's approximations as we read them",
        };
        let head = wrapped(&format!("{what} at future moments, if every scale-out is granted{way}:"), "");
        let mut titles = vec!["hours".to_owned(), "mean".into(), "deviation".into(), "variance".into()];
        if let Some(size) = self.size {
            titles.extend([format!("{size} or more: at most, %"), "if normal, %".into()]);
        }
        let row = |point: &Point| {
            let mut row = vec![
                format!("{}", point.hours),
                format!("{:.2}", point.mean),
                format!("{:.2}", point.deviation),
                format!("{:.2}", point.variance),
            ];
            let chances = [point.chance_cantelli, point.chance_normal].into_iter().flatten();
            row.extend(chances.map(|chance| format!("{:.4}", 100.0 * chance)));
            row
        };
        let rows: Vec<_> = std::iter::once(titles).chain(self.points.iter().map(row)).collect();
        format!("{head}\n{}", table(&rows))
    }
}
