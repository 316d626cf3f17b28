//! The effect of each choice where LAVA's text is ambiguous: empty hosts with the other reading minus those with the
//! default, seed by seed. (LAVA sections 2.4 and 4.3, appendix G.1)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_lifetime::Predictions;
use tiebreak_placement::lifetime::{DeadlineFrom, StartClass};
use tiebreak_scenario::Variant;
use tiebreak_scenario::effect::Effect;
use tiebreak_scenario::lifetime_rules::LifetimeRules;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale};
use super::pools::{
    BASELINE, Cases, MADE_UP, NOBODY_STAYS, NoiseError, PoolOrigin, PoolRuns, RunsByPool, TRACE, Trial, Whole,
    baseline, cut, in_cases, noisy_oracle, oracle, over_pools, trained, tried,
};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "lava-choices";

/// The pools, those of the small size first, and the columns of each: the mean difference and half of its interval.
static CASES: [PoolOrigin; 3] = [TRACE, MADE_UP, NOBODY_STAYS];
const INTERVAL: &str = "+-";

/// The predictors, by index.
const ORACLE: usize = 0;
const MOSTLY_RIGHT: usize = 1;
const MOSTLY_RIGHT_AGAIN: usize = 2;
const ALL_OFF: usize = 3;
const ALL_OFF_AGAIN: usize = 4;
const TREES: usize = 5;

/// A reading other than the default.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The noisy oracle's error is drawn again.
    DrawnAgain,
    /// LA-Binary uses the first predicted lifetimes.
    FirstLifetime,
    /// LAVA's deadlines count from the time of filling.
    FromFilling,
    /// Machines with VMs at the start have the highest of their classes.
    HighestAtStart,
}

impl Reading {
    fn apply(self, variant: &mut Variant) {
        match self {
            // This reading changes only the predictor.
            Self::DrawnAgain => {}
            Self::FirstLifetime => {
                let path = "rules.LifetimeAlignmentBinary.machine_class";
                variant.set(path, "first_lifetime").expect("a rule of the list");
            }
            Self::FromFilling => variant.lifetimes.deadline_from = DeadlineFrom::Filling,
            Self::HighestAtStart => variant.lifetimes.start_class = StartClass::Highest,
        }
    }
}

/// A reading with one policy and one predictor.
struct Choice {
    what: &'static str,
    reading: Reading,
    way: LifetimeRules,
    by: usize,
    /// The index of the predictor with that reading.
    other_by: usize,
}

const fn drawn_again(what: &'static str, way: LifetimeRules, by: usize, other_by: usize) -> Choice {
    Choice { what, reading: Reading::DrawnAgain, way, by, other_by }
}

const fn of(what: &'static str, reading: Reading, way: LifetimeRules, by: usize) -> Choice {
    Choice { what, reading, way, by, other_by: by }
}

static CHOICES: [Choice; 13] = [
    drawn_again("error drawn again, NILAS, 80 % right", LifetimeRules::Nilas, MOSTLY_RIGHT, MOSTLY_RIGHT_AGAIN),
    drawn_again("the same, LAVA", LifetimeRules::Lava, MOSTLY_RIGHT, MOSTLY_RIGHT_AGAIN),
    drawn_again("error drawn again, NILAS, all 0.3 decades off", LifetimeRules::Nilas, ALL_OFF, ALL_OFF_AGAIN),
    drawn_again("the same, LAVA", LifetimeRules::Lava, ALL_OFF, ALL_OFF_AGAIN),
    of("LA-Binary by first lifetime, oracle", Reading::FirstLifetime, LifetimeRules::LaBinary, ORACLE),
    of("the same, all 0.3 decades off", Reading::FirstLifetime, LifetimeRules::LaBinary, ALL_OFF),
    of("the same, trees", Reading::FirstLifetime, LifetimeRules::LaBinary, TREES),
    of("LAVA's deadline from filling, oracle", Reading::FromFilling, LifetimeRules::Lava, ORACLE),
    of("the same, all 0.3 decades off", Reading::FromFilling, LifetimeRules::Lava, ALL_OFF),
    of("the same, trees", Reading::FromFilling, LifetimeRules::Lava, TREES),
    of("highest class at the start, LAVA, oracle", Reading::HighestAtStart, LifetimeRules::Lava, ORACLE),
    of("the same, all 0.3 decades off", Reading::HighestAtStart, LifetimeRules::Lava, ALL_OFF),
    of("the same, trees", Reading::HighestAtStart, LifetimeRules::Lava, TREES),
];

/// The index of the choice of LAVA's deadline with the oracle.
const DEADLINE_BY_ORACLE: usize = 7;

/// Each policy and predictor that is run with the defaults, once.
fn defaults() -> Vec<(LifetimeRules, usize)> {
    let mut defaults = Vec::new();
    for Choice { way, by, .. } in &CHOICES {
        if !defaults.contains(&(*way, *by)) {
            defaults.push((*way, *by));
        }
    }
    defaults
}

/// The indexes of a choice's default and of its other reading among the trials. The first trial is the baseline.
fn places(choice: usize) -> [usize; 2] {
    let (defaults, Choice { way, by, .. }) = (defaults(), &CHOICES[choice]);
    let default = defaults.iter().position(|other| other == &(*way, *by)).expect("every choice has its default");
    [1 + default, 1 + defaults.len() + choice]
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let cases = &CASES[..Scale::of(given)?.pick(2, CASES.len())];
    let Cases { trace, seeds, found } = in_cases(given, cases, |whole| one(whole, given))?;
    let setting = format!(
        "Readings of LAVA's text other than the default, with pools of {trace} and generated ones as in Figure 6. \
        {BASELINE} Percentage points of empty hosts more than with the default reading, and half of the 95 % interval \
        of that difference over paired seeds. 80 % right: the others are 3 decades off. The default: one factor for \
        each VM on what truly remains; LA-Binary by remaining time; deadlines from opening; machines with VMs at the \
        start have the class of the first."
    );
    let about = About { name: NAME, source: "LAVA, choices", setting, seeds };
    let findings = Findings {
        rows: (0..CHOICES.len()).map(|choice| row(cases, &found, choice)).collect(),
        checks: checks(cases, &found),
        remarks: remarks(cases, &found),
        panels: panels(cases, &found),
    };
    Figure::answer(given, about, findings)
}

fn one(whole: &Whole, given: &Given) -> Result<Vec<PoolRuns>, Failure> {
    let Whole { workload, pools, seed, .. } = whole;
    let list = baseline(workload, given)?;
    let predictors = [
        oracle(),
        noisy_oracle(80.0, 3.0, NoiseError::OneFactor),
        noisy_oracle(80.0, 3.0, NoiseError::DrawnAgain),
        noisy_oracle(0.0, 0.3, NoiseError::OneFactor),
        noisy_oracle(0.0, 0.3, NoiseError::DrawnAgain),
        list.predictor.clone(),
    ];
    let predictions: Vec<Predictions> = predictors.iter().map(|row| trained(row, workload, *seed).0).collect();
    let mut trials = vec![Trial::new(list.clone(), None)];
    trials.extend(defaults().into_iter().map(|(way, by)| Trial::new(way.list(&list), &predictions[by])));
    trials.extend(CHOICES.iter().map(|choice| {
        let mut other = choice.way.list(&list);
        choice.reading.apply(&mut other);
        Trial::new(other, &predictions[choice.other_by])
    }));
    tried(&cut(workload, *pools, *seed), &trials)
}

/// The gain in empty hosts from a choice's other reading, over seeds.
fn effect(found: &RunsByPool, choice: usize) -> Effect {
    let [default, other] = places(choice);
    let of_seed = |pools: &Vec<PoolRuns>| over_pools(pools, |pool| pool.gain(other) - pool.gain(default));
    Effect::of(&found.iter().map(of_seed).collect::<Vec<_>>()).expect("there are seeds")
}

fn row(cases: &[PoolOrigin], found: &[RunsByPool], choice: usize) -> Row {
    let measures = |(case, found): (&PoolOrigin, &RunsByPool)| {
        let (effect, one) = (effect(found, choice), |what, value| Measure::of(what, 2, std::iter::once(value)));
        [one(case.name, effect.mean), one(INTERVAL, effect.half.unwrap_or(f64::NAN))]
    };
    let ours = cases.iter().zip(found).flat_map(measures).collect();
    Row { what: CHOICES[choice].what.into(), paper: None, ours }
}

/// Missed deadlines per opened machine, in all pools of a case.
fn missed(found: &RunsByPool, trial: usize) -> f64 {
    let seen = || found.iter().flatten().map(|pool| &pool.seen[trial]);
    seen().map(|seen| seen.raised).sum::<u64>() as f64 / seen().map(|seen| seen.opened).sum::<u64>().max(1) as f64
}

/// The same in every case.
fn missed_in_all(cases: &[PoolOrigin], found: &[RunsByPool], trial: usize) -> String {
    let of_case = |(case, found): (&PoolOrigin, &RunsByPool)| format!("{} {:.2}", case.name, missed(found, trial));
    cases.iter().zip(found).map(of_case).collect::<Vec<_>>().join(", ")
}

/// Section 4.3 states that with correct predictions a host lasts at most 1.1 times its class.
fn checks(cases: &[PoolOrigin], found: &[RunsByPool]) -> Vec<Check> {
    let [opening, filling] = places(DEADLINE_BY_ORACLE);
    let none = |what, trial: usize| {
        let is_kept = found.iter().all(|found| missed(found, trial) == 0.0);
        Check::so(what, is_kept, || format!("missed for each opening: {}", missed_in_all(cases, found, trial)))
    };
    vec![
        none("with true lifetimes no host misses a deadline that counts from opening", opening),
        none("nor one that counts from filling", filling),
    ]
}

fn remarks(cases: &[PoolOrigin], found: &[RunsByPool]) -> Vec<String> {
    let deadlines = CHOICES.iter().enumerate().filter(|(_, choice)| choice.reading == Reading::FromFilling);
    let line = |(at, choice): (usize, &Choice)| {
        let [opening, filling] = places(at).map(|trial| missed_in_all(cases, found, trial));
        format!("{}: deadlines missed for each opening {filling}; counted from opening {opening}", choice.what)
    };
    deadlines.map(line).collect()
}

fn panels(cases: &[PoolOrigin], found: &[RunsByPool]) -> Vec<Panel> {
    const ROLES: [Role; CASES.len()] = [Role::Live, Role::Variant(0), Role::Variant(1)];
    let line = |found: &RunsByPool| {
        (0..CHOICES.len()).map(|choice| ((choice + 1) as f64, effect(found, choice).mean)).collect()
    };
    let series = cases.iter().zip(found).zip(ROLES);
    vec![Panel::Plot(Plot {
        title: "Empty hosts with the other reading".into(),
        unit: "points over the default".into(),
        across: "row of the table".into(),
        across_is_log: false,
        up_is_log: false,
        series: series.map(|((case, found), role)| Series::new(case.name, role, Style::Line, line(found))).collect(),
    })]
}
