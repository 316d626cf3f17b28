//! `tiebreak bench`: the speed of the engine and the size of its caches, judged against bars.
//!
//! A time alone says little, because it depends on the computer. So plain programs replay the same requests in the
//! same run, and most bars are ratios of two times.

mod admission;
mod baselines;
mod case;
mod figure;
pub(crate) mod growth;
pub(crate) mod guard;
mod network;
mod zone;

use serde::Serialize;

use self::admission::MeasuredAdmission;
use self::baselines::{BASELINES, NAIVE_SCAN};
use self::case::{Case, Runner, engine, in_turns, plain};
use self::figure::{Bar, BenchFigure, Side};
use self::growth::{Curve, Extent};
use self::network::Reach;
use self::zone::Zone;
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::scenario::preset;
use tiebreak_console::shown::{count, table};
use tiebreak_console::trace::source;

pub(crate) const ALL: Opt = Opt { name: "all", value: None, help: "also the naive baseline, which takes long" };

pub(crate) const LIFETIMES: Opt = Opt { name: "lifetimes", value: None, help: "only the lists with lifetime rules" };

pub(crate) const NETWORK: Opt =
    Opt { name: "network", value: None, help: "only the lists with rules about links between VMs" };

pub(crate) const ADMISSION: Opt =
    Opt { name: "admission", value: None, help: "only admission rules, and a cluster over years" };

pub(crate) const POWER: Opt = Opt { name: "power", value: None, help: "only the rule that balances power" };

pub(crate) const WEIGHTS: Opt =
    Opt { name: "weights", value: None, help: "only manual weights, in each way of combining them" };

pub(crate) const ONLY: Opt = Opt {
    name: "only",
    value: Some("TEXT"),
    help: "with --lifetimes, --network, --power or --weights: only the lists of rules whose name contains TEXT",
};

/// Machines and days of each measured zone.
struct Sizes {
    runs: u32,
    small: (u32, f64),
    /// The zone of the plain programs and of most bars.
    middle: (u32, f64),
    large: (u32, f64),
    /// The part of the middle zone's trace that is replayed with caches and without.
    piece_days: f64,
    /// The preset's own zone, for measuring rules that use lifetimes, links or power, and weights.
    preset: (u32, f64),
    memory_machines: &'static [u32],
    memory_days: f64,
    reach: Reach,
    admission: MeasuredAdmission,
    growth: Extent,
}

/// The sizes that the bars were set for: 23.25 days are a million VMs on 10,000 machines.
const WHOLE: Sizes = Sizes {
    runs: 3,
    small: (1_000, 23.25),
    middle: (10_000, 23.25),
    large: (100_000, 1.0),
    piece_days: 1.0,
    preset: (10_000, 7.0),
    memory_machines: &[1_000, 3_000, 10_000, 30_000, 100_000],
    memory_days: 0.25,
    reach: Reach { zones: [(1_000, 7.0), (10_000, 2.0), (100_000, 0.2)], vdcs: &[4, 8, 15, 30, 60, 120] },
    admission: MeasuredAdmission::of(&[125, 250, 500, 1_000, 2_000], 2_000, 20_000, 3.0),
    growth: Extent {
        machines: &[(100, 23.25), (1_000, 23.25), (10_000, 7.0), (100_000, 1.0), (1_000_000, 0.1)],
        classes: &[10, 100, 1_000, 10_000],
        classed: (10_000, 2.0),
        agents: &[1, 2, 4, 8, 16, 32, 64],
        shared: (10_000, 2.0),
    },
};

/// Sizes that only show that everything works; the times mean little.
const QUICK: Sizes = Sizes {
    runs: 1,
    small: (300, 0.25),
    middle: (1_000, 0.25),
    large: (3_000, 0.25),
    piece_days: 0.05,
    preset: (300, 0.5),
    memory_machines: &[1_000, 2_000, 4_000],
    memory_days: 0.25,
    reach: Reach { zones: [(100, 0.5), (300, 0.5), (1_000, 0.25)], vdcs: &[4, 8, 15] },
    admission: MeasuredAdmission::of(&[20, 40], 50, 2_000, 0.02),
    growth: Extent {
        machines: &[(100, 0.5), (300, 0.25), (1_000, 0.1)],
        classes: &[10, 30, 100],
        classed: (300, 0.1),
        agents: &[1, 2, 4],
        shared: (300, 0.1),
    },
};

const LARGE_OVER_MIDDLE: Bar = Bar(Side::AtMost, 1.6);
const ONE_RULE_OVER_ORDERED_SET: Bar = Bar(Side::AtMost, 2.0);
const PLACEMENTS_PER_SECOND: Bar = Bar(Side::AtLeast, 1_000_000.0);
const UNCACHED_PER_SECOND: Bar = Bar(Side::AtLeast, 20_000.0);
const CACHE_BYTES: Bar = Bar(Side::AtMost, 200.0);
/// The exponent with which the memory of Protean's caches grows with the number of machines (Figure 12).
const CACHE_GROWTH: Bar = Bar(Side::AtMost, 0.73);

/// The measured policies.
const DEFAULT_LIST: &str = "default list";
const BEST_FIT: &str = "BestFit alone";
const BEST_FIT_BY_CORES: &str = "BestFit alone, by cores";

/// Rules added to the default policy, their lifetime predictor, and how many times as long a placement may take.
static WITH_LIFETIMES: [(&str, &[&str], &str, Option<f64>); 6] = [
    ("TemporalCost, oracle", &["TemporalCost"], "Oracle", Some(1.3)),
    ("TemporalCost, survival tables", &["TemporalCost"], "KaplanMeier", Some(1.6)),
    ("TemporalCost, trees", &["TemporalCost"], "BoostedTrees", Some(1.5)),
    ("LavaHostClass and TemporalCost, oracle", &["LavaHostClass", "TemporalCost"], "Oracle", Some(1.8)),
    ("LavaHostClass and TemporalCost, trees", &["LavaHostClass", "TemporalCost"], "BoostedTrees", None),
    ("LifetimeAlignment, trees", &["LifetimeAlignment"], "BoostedTrees", None),
];

/// The load predictors, the buckets of the rule that balances power, and how many times as long a placement may take.
static WITH_POWER: [(&str, &str, &str, f64); 3] = [
    ("PowerBalance, oracle", "oracle", "none", 1.4),
    ("PowerBalance in 20 buckets, oracle", "oracle", "20", 1.2),
    ("PowerBalance, forests", "forests", "none", 1.4),
];

/// The ways of combining manual weights.
static WITH_WEIGHTS: [(&str, &str); 3] = [
    ("weights by majority", "majority"),
    ("weights added up", "sum"),
    ("weights added up, scores normalised", "normalised_sum"),
];

#[derive(Serialize)]
struct Bench {
    #[serde(skip)]
    sizes: &'static Sizes,
    quick: bool,
    /// Only lists whose name contains this text.
    #[serde(skip)]
    only: String,
    cases: Vec<Case>,
    /// Ratios of times or of placements per second.
    ratios: Vec<BenchFigure>,
    /// Figures that are not ratios.
    figures: Vec<BenchFigure>,
    /// How the time of a placement grows.
    curves: Vec<Curve>,
    /// Whether all plain best-fit programs placed every VM on the same machine; `None` if they were not measured.
    baselines_agree: Option<bool>,
}

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    if let Some(case) = given.one("case") {
        return guard::run_case(case, given);
    }
    if let Some(file) = given.one("guard") {
        return guard::compare(file, given);
    }
    if given.has("only") && !["lifetimes", "network", "power", "weights"].iter().any(|table| given.has(table)) {
        let told =
            "expected --lifetimes, --network, --power or --weights beside --only, got none; add the table of the list";
        return Err(Failure(told.into()));
    }
    let mut bench = Bench::new(given.has("quick"), given.one("only").unwrap_or_default());
    let has_all =
        !["lifetimes", "network", "admission", "power", "weights", "growth"].iter().any(|only| given.has(only));
    if has_all {
        bench.beside_plain_programs(given)?;
    }
    if has_all || given.has("lifetimes") {
        bench.lifetimes()?;
    }
    if has_all || given.has("network") {
        bench.network()?;
    }
    if has_all || given.has("admission") {
        bench.admission()?;
    }
    if has_all || given.has("power") {
        bench.power()?;
    }
    if has_all || given.has("weights") {
        bench.weights()?;
    }
    if !bench.only.is_empty() && !bench.cases.iter().any(|case| case.name.contains(&bench.only)) {
        let only = &bench.only;
        return Err(Failure(format!(
            "expected part of a list's name after --only, got \"{only}\"; without it all are named"
        )));
    }
    if given.has("growth") {
        bench.curves = growth::curves(&bench.sizes.growth, bench.sizes.runs)?;
        given.one("drawing").map_or(Ok(()), |file| growth::draw(&bench.curves, file))?;
    }
    Ok(Answer::either(given, &bench, || bench.text()))
}

impl Bench {
    fn new(quick: bool, only: &str) -> Self {
        let sizes = if quick { &QUICK } else { &WHOLE };
        Self {
            sizes,
            quick,
            only: only.into(),
            cases: Vec::new(),
            ratios: Vec::new(),
            figures: Vec::new(),
            curves: Vec::new(),
            baselines_agree: None,
        }
    }

    /// Everything except lifetimes and links.
    fn beside_plain_programs(&mut self, given: &Given) -> Result<(), Failure> {
        // A file that cannot be read is told before minutes of measuring.
        let read = || {
            let variant = preset("packing-400")?.active_variant().clone();
            Ok::<_, Failure>(Zone { workload: source(&variant, given)?.workload, variant })
        };
        let sample = given.has("trace").then(read).transpose()?;
        self.compare(given.has("all"))?;
        let piece = (self.sizes.middle.0, self.sizes.piece_days);
        self.without_caches(&named(DEFAULT_LIST, piece), &Zone::of(piece)?, Some(UNCACHED_PER_SECOND))?;
        if let Some(sample) = sample {
            self.without_caches("packing sample, 400 machines", &sample, None)?;
        }
        self.memory()
    }

    /// The default policy with rules that use lifetimes.
    fn lifetimes(&mut self) -> Result<(), Failure> {
        self.beside_default_list(&WITH_LIFETIMES, |plain, (what, rules, predictor, bar)| {
            Ok((what, plain.with(rules, predictor)?, bar.map(|bar| Bar(Side::AtMost, bar))))
        })
    }

    /// The default policy with the rule that balances power.
    fn power(&mut self) -> Result<(), Failure> {
        self.beside_default_list(&WITH_POWER, |plain, (what, by, buckets, bar)| {
            Ok((what, plain.balancing_power(by, buckets)?, Some(Bar(Side::AtMost, *bar))))
        })
    }

    /// The default policy with all weights 1 instead of the strict order.
    fn weights(&mut self) -> Result<(), Failure> {
        self.beside_default_list(&WITH_WEIGHTS, |plain, (what, combining)| Ok((what, plain.weighing(combining)?, None)))
    }

    /// The default policy as it is and in each of these ways, which give a name, a zone and a bar. Predictors learn
    /// beforehand, untimed.
    fn beside_default_list<W>(
        &mut self,
        ways: &'static [W],
        of: impl Fn(&Zone, &'static W) -> Result<(&'static str, Zone, Option<Bar>), Failure>,
    ) -> Result<(), Failure> {
        let size = self.sizes.preset;
        let plain = Zone::of(size)?;
        let mut others = ways.iter().map(|way| of(&plain, way)).collect::<Result<Vec<_>, Failure>>()?;
        others.retain(|(what, _, _)| what.contains(&self.only));
        let mut runners = vec![engine(named(DEFAULT_LIST, size), &plain, true)];
        runners.extend(others.iter().map(|(what, zone, _)| engine(named(what, size), zone, true)));
        let cases = in_turns(self.sizes.runs, &runners)?;
        for (case, (what, _, bar)) in cases[1..].iter().zip(&others) {
            self.ratio(format!("time of a placement, {what} over {DEFAULT_LIST}"), case.cost_over(&cases[0]), *bar);
        }
        self.cases.extend(cases);
        Ok(())
    }

    /// The plain programs and the engine: on the same requests, under one rule, and in a smaller and a larger zone.
    fn compare(&mut self, all: bool) -> Result<(), Failure> {
        let sizes = self.sizes;
        let [small, middle, large] = [sizes.small, sizes.middle, sizes.large].map(Zone::of);
        let (small, middle, large) = (small?, middle?, large?);
        let (by_cores, by_both) = (middle.under_best_fit(0)?, middle.under_best_fit(1)?);
        let mut runners: Vec<Runner<'_>> = BASELINES.iter().map(|baseline| plain(baseline, &middle)).collect();
        runners.extend([
            engine(named(DEFAULT_LIST, sizes.middle), &middle, true),
            engine(named(DEFAULT_LIST, sizes.small), &small, true),
            engine(named(DEFAULT_LIST, sizes.large), &large, true),
            engine(named(BEST_FIT, sizes.middle), &by_both, true),
            engine(named(BEST_FIT_BY_CORES, sizes.middle), &by_cores, true),
        ]);
        runners.extend(all.then(|| plain(&NAIVE_SCAN, &middle)));
        let cases = in_turns(sizes.runs, &runners)?;
        self.judge_comparison(&cases);
        self.cases.extend(cases);
        Ok(())
    }

    fn judge_comparison(&mut self, cases: &[Case]) {
        let [nothing, buckets, ordered, scan, middle, small, large, by_both, by_cores, naive @ ..] = cases else {
            unreachable!("`compare` makes these cases in this order")
        };
        self.baselines_agree = Some([ordered, scan].into_iter().chain(naive).all(|case| case.digest == buckets.digest));
        let machines = |case: &Case| count(case.machines.into());
        let zones = |one, other| format!("time of a placement, {} machines over {}", machines(one), machines(other));
        self.ratio(zones(large, middle), large.cost_over(middle), Some(LARGE_OVER_MIDDLE));
        self.ratio(zones(middle, small), middle.cost_over(small), None);
        for (rule, case) in [(BEST_FIT_BY_CORES, by_cores), (BEST_FIT, by_both)] {
            let name = format!("time of a placement, {rule} over {}", ordered.name);
            self.ratio(name, case.cost_over(ordered), Some(ONE_RULE_OVER_ORDERED_SET));
        }
        for case in [nothing, buckets, ordered, scan] {
            let name = format!("time of a placement, {DEFAULT_LIST} over {}", case.name);
            self.ratio(name, middle.cost_over(case), None);
        }
        let name = format!("placements a second, {}", middle.name);
        self.figure(name, middle.placements_per_second, Some(PLACEMENTS_PER_SECOND));
    }

    /// The same requests with caches and without; the latter only once, because it is slow.
    fn without_caches(&mut self, name: &str, zone: &Zone, bar: Option<Bar>) -> Result<(), Failure> {
        let cached = in_turns(self.sizes.runs, &[engine(name.into(), zone, true)])?;
        let uncached = in_turns(1, &[engine(name.into(), zone, false)])?;
        let ratio = uncached[0].cost_over(&cached[0]);
        self.ratio(format!("time of a placement, {name}, without caches over with"), ratio, None);
        self.figure(format!("placements a second, {name}, without caches"), uncached[0].placements_per_second, bar);
        self.cases.extend(cached.into_iter().chain(uncached));
        Ok(())
    }

    /// The memory of the caches with 64 classes of requests, in zones of several sizes.
    fn memory(&mut self) -> Result<(), Failure> {
        let mut points = Vec::new();
        for machines in self.sizes.memory_machines {
            let size = (*machines, self.sizes.memory_days);
            let zone = Zone::of(size)?.with_classes(64)?;
            let cases = in_turns(1, &[engine(named("64 classes", size), &zone, true)])?;
            let bytes = cases[0].cache_bytes as f64;
            points.push((f64::from(*machines), bytes));
            if *machines == self.sizes.middle.0 {
                let name = format!("bytes of caches a machine, 64 classes, {} machines", count((*machines).into()));
                self.figure(name, bytes / f64::from(*machines), Some(CACHE_BYTES));
            }
            self.cases.extend(cases);
        }
        let name = "exponent of bytes in caches over machines".into();
        self.figure(name, figure::growth(&points), Some(CACHE_GROWTH));
        Ok(())
    }

    fn ratio(&mut self, name: String, value: f64, bar: Option<Bar>) {
        self.ratios.push(BenchFigure::new(name, value, bar, !self.quick));
    }

    fn figure(&mut self, name: String, value: f64, bar: Option<Bar>) {
        self.figures.push(BenchFigure::new(name, value, bar, !self.quick));
    }

    fn text(&self) -> String {
        let cases = rows(&Case::HEAD, self.cases.iter().map(Case::cells));
        let figures = rows(&BenchFigure::HEAD, self.ratios.iter().chain(&self.figures).map(BenchFigure::cells));
        let agree = self.baselines_agree.map_or("", |agree| match agree {
            true => "\nThe plain best fits agree on the machine of every VM.\n",
            false => "\nThe plain best fits do not agree on the machine of every VM.\n",
        });
        let cases = if self.cases.is_empty() { String::new() } else { table(&cases) + "\n" };
        let figures = if figures.len() > 1 { table(&figures) } else { String::new() };
        let curves = if self.curves.is_empty() { String::new() } else { growth::text(&self.curves) };
        format!("{cases}{figures}{curves}{agree}")
    }
}

fn rows(head: &[&str], cells: impl Iterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    let head = head.iter().copied().map(String::from).collect();
    std::iter::once(head).chain(cells).collect()
}

/// The name of a measurement, with its zone and duration.
fn named(what: &str, (machines, days): (u32, f64)) -> String {
    let unit = if days == 1.0 { "day" } else { "days" };
    format!("{what}, {} machines, {days} {unit}", count(machines.into()))
}
