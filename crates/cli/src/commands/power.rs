//! `tiebreak power budget`: the lowest power budgets that a history of draws allows, and their savings.
//! (Prediction-Based Power Oversubscription, sections III-E and IV-F)

use serde::Serialize;
use tiebreak_papers::{ALLOCATED, treated_shares};
use tiebreak_power::{APPROACHES, Approach, Budget, Candidate, History, Mix, Site, Terms};
use tiebreak_trace::Draws;

use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::shown::{count, table, wrapped};

pub(crate) const APPROACH: Opt = Opt {
    name: "approach",
    value: Some("N|NAME"),
    help: "only one approach, by number or name: traditional, full-server, all, all-minimal, internal, \
         internal-minimal, non-premium, non-premium-minimal",
};
pub(crate) const SERVERS: Opt =
    Opt { name: "servers", value: Some("N"), help: "servers per chassis, each as in the paper, 112 to 310 W; 12" };
pub(crate) const PROVISIONED: Opt = Opt {
    name: "provisioned",
    value: Some("W"),
    help: "power provisioned per chassis now; by default the maximum draw of its servers",
};
pub(crate) const BUFFER: Opt = Opt { name: "buffer", value: Some("%"), help: "added to the lowest budget; 10" };
pub(crate) const USER_FACING: Opt = Opt {
    name: "user-facing",
    value: Some("%"),
    help: "user-facing share of the allocated cores: beta in the paper; \
         40",
};
pub(crate) const USER_FACING_BUSY: Opt = Opt {
    name: "user-facing-busy",
    value: Some("%"),
    help: "the mean 95th-percentile utilization of user-facing cores; 65",
};
pub(crate) const BATCH_BUSY: Opt =
    Opt { name: "batch-busy", value: Some("%"), help: "the same for all other cores; 44" };
pub(crate) const SITE: Opt = Opt { name: "site", value: Some("MW"), help: "the power of the site; 128" };
pub(crate) const DOLLARS: Opt = Opt { name: "dollars", value: Some("$/W"), help: "construction cost per watt; 10" };

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    match given.word(0, "budget")? {
        "budget" => {}
        other => return Err(Failure(format!("expected budget, got \"{other}\"; see `tiebreak help power`"))),
    }
    let (terms, site) = asked(given)?;
    let approaches = approaches(given.one("approach"))?;
    let file = given.word(1, "the file with power readings")?;
    let draws = read(file)?;
    let report = BudgetReport::of(draws, &terms, &site, &approaches)?;
    Ok(Answer::either(given, &report, || report.text()))
}

fn asked(given: &Given) -> Result<(Terms, Site), Failure> {
    let paper = Terms::default();
    let decimal = |name, range, or: f64| given.decimal(name, range).map(|it| it.unwrap_or(or));
    let percent = |name, or: f64| given.share(name).map(|it| it.unwrap_or(or));
    let servers = decimal("servers", 1.0..=1_000.0, f64::from(paper.servers))?;
    let provisioned_w = decimal("provisioned", 0.0..=1e9, servers * paper.power.full_w)?;
    let mix = Mix {
        user_facing: percent("user-facing", paper.mix.user_facing)?,
        user_facing_busy: percent("user-facing-busy", paper.mix.user_facing_busy)?,
        batch_busy: percent("batch-busy", paper.mix.batch_busy)?,
        allocated: percent(ALLOCATED.name, paper.mix.allocated)?,
    };
    let (buffer, treated) = (percent("buffer", paper.buffer)?, treated_shares(given)?);
    let terms = Terms { servers: servers as u32, provisioned_w, mix, buffer, treated, ..paper };
    let paper = Site::default();
    let megawatts = decimal("site", 0.001..=1e6, paper.megawatts)?;
    Ok((terms, Site { megawatts, dollars_per_watt: decimal("dollars", 0.0..=1e6, paper.dollars_per_watt)? }))
}

/// All approaches, or the one requested.
fn approaches(asked: Option<&str>) -> Result<Vec<&'static Approach>, Failure> {
    let Some(asked) = asked else { return Ok(APPROACHES.iter().collect()) };
    let by_number = asked.parse::<usize>().ok().and_then(|number| APPROACHES.get(number.checked_sub(1)?));
    let found = by_number.or_else(|| APPROACHES.iter().find(|approach| approach.id == asked));
    let names = || APPROACHES.iter().map(|approach| approach.id).collect::<Vec<_>>().join(", ");
    let wrong = || {
        Failure(format!(
            "expected a number from 1 to {} or one of {} after --approach, got \"{asked}\"; choose one of these",
            APPROACHES.len(),
            names()
        ))
    };
    Ok(vec![found.ok_or_else(wrong)?])
}

/// The draws in a file.
fn read(file: &str) -> Result<Draws, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure(format!("expected power readings as CSV in {file}, got: {error}; use a file with a column watts"))
    };
    let draws = Draws::read(std::fs::File::open(file).map_err(unreadable)?);
    draws.map_err(|fault| Failure(format!("{file}: {fault}")))
}

/// The budgets of all approaches.
#[derive(Serialize)]
struct BudgetReport {
    readings: usize,
    chassis: Option<usize>,
    highest_w: f64,
    /// The power that 1 % of the readings exceed.
    hundredth_w: f64,
    servers: u32,
    provisioned_w: f64,
    buffer_pct: f64,
    megawatts: f64,
    dollars_per_watt: f64,
    approaches: Vec<BudgetRow>,
}

/// An approach's budget.
#[derive(Serialize)]
struct BudgetRow {
    id: &'static str,
    title: &'static str,
    /// With the buffer; at most the provisioned power.
    budget_w: f64,
    /// How much lower that is than the provisioned power.
    delta_pct: f64,
    paper_delta_pct: f64,
    saved_dollars: f64,
    /// Without the buffer; `None` without oversubscription, as for all fields below.
    lowest_w: Option<f64>,
    events: Option<u64>,
    user_facing_events: Option<u64>,
    /// The largest reduction needed.
    most_w: Option<f64>,
    /// The largest reduction from throttling batch VMs only, and from throttling user-facing VMs as well.
    batch_w: Option<f64>,
    user_facing_w: Option<f64>,
    /// Why the budget is not lower.
    stop: Option<&'static str>,
    /// Candidates as (budget in W, events, events that throttle user-facing VMs, largest reduction in W).
    walked: Vec<(f64, u64, u64, f64)>,
}

impl BudgetRow {
    fn of(approach: &Approach, budget: Option<&Budget>, terms: &Terms, site: &Site) -> Self {
        let delta = budget.map_or(0.0, |it| it.delta);
        let candidate = |it: &Candidate| (it.budget_w, it.events, it.user_facing, it.most_w);
        Self {
            id: approach.id,
            title: approach.title,
            budget_w: budget.map_or(terms.provisioned_w, |it| it.budget_w),
            delta_pct: 100.0 * delta,
            paper_delta_pct: approach.paper_delta_pct,
            saved_dollars: site.saved_dollars(delta),
            lowest_w: budget.map(|it| it.lowest.budget_w),
            events: budget.map(|it| it.lowest.events),
            user_facing_events: budget.map(|it| it.lowest.user_facing),
            most_w: budget.map(|it| it.lowest.most_w),
            batch_w: budget.map(|it| it.batch_w),
            user_facing_w: budget.map(|it| it.user_facing_w),
            stop: budget.map(|it| it.stop.words()),
            walked: budget.map_or(Vec::new(), |it| it.walked.iter().map(candidate).collect()),
        }
    }

    fn cells(&self) -> Vec<String> {
        let watts = |watts: Option<f64>| watts.map_or("-".into(), |watts| format!("{watts:.0}"));
        let number = |number: Option<u64>| number.map_or("-".into(), count);
        vec![
            self.title.into(),
            format!("{:.1}", self.delta_pct),
            format!("{:.1}", self.paper_delta_pct),
            format!("{:.1}", self.saved_dollars / 1e6),
            format!("{:.0}", self.budget_w),
            watts(self.lowest_w),
            number(self.events),
            number(self.user_facing_events),
            watts(self.most_w),
            watts(self.batch_w),
            watts(self.user_facing_w),
        ]
    }
}

impl BudgetReport {
    fn of(draws: Draws, terms: &Terms, site: &Site, approaches: &[&Approach]) -> Result<Self, Failure> {
        let history = History::new(draws.watts)?;
        let row = |approach: &&Approach| -> Result<BudgetRow, Failure> {
            Ok(BudgetRow::of(approach, approach.budget(&history, terms)?.as_ref(), terms, site))
        };
        Ok(Self {
            readings: history.readings(),
            chassis: draws.chassis,
            highest_w: history.highest_w(),
            hundredth_w: history.exceeded_by(0.01),
            servers: terms.servers,
            provisioned_w: terms.provisioned_w,
            buffer_pct: 100.0 * terms.buffer,
            megawatts: site.megawatts,
            dollars_per_watt: site.dollars_per_watt,
            approaches: approaches.iter().map(row).collect::<Result<_, _>>()?,
        })
    }

    fn text(&self) -> String {
        let of_chassis = self.chassis.map_or(String::new(), |chassis| format!(" of {} chassis", count(chassis as u64)));
        let head = format!(
            "{} readings{of_chassis}, at most {:.0} W, 1 % above {:.0} W. {} servers and {:.0} W provisioned per \
             chassis, {} % buffer; {} MW at ${}/W:",
            count(self.readings as u64),
            self.highest_w,
            self.hundredth_w,
            self.servers,
            self.provisioned_w,
            self.buffer_pct,
            self.megawatts,
            self.dollars_per_watt,
        );
        let mut rows = vec![
            [
                "Approach",
                "reduction, %",
                "the paper",
                "saved, $M",
                "budget, W",
                "lowest, W",
                "events",
                "user-facing",
                "to shave, W",
                "batch gives, W",
                "users on top, W",
            ]
            .map(String::from)
            .to_vec(),
        ];
        rows.extend(self.approaches.iter().map(BudgetRow::cells));
        let stops = self.approaches.iter().filter_map(|row| Some((row.title, row.stop?)));
        let stops: String =
            stops.map(|(title, stop)| wrapped(&format!("{title}: the limit is that {stop}."), "")).collect();
        format!("{}\n{}\n{stops}", wrapped(&head, ""), table(&rows))
    }
}
