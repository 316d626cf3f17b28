//! Servers and chassis under caps, as the power figures run them: fluctuating loads, the draw at every poll, and the
//! effects on VMs.

use tiebreak_chart::{Panel, Role, Series, Style, TimeChart};
use tiebreak_model::random::{Seed, pick};
use tiebreak_power::slowdown::{CPU_BOUND, latency_over, running_time};
use tiebreak_power::{Capping, Chassis, Part, ServerPower};

use super::figure::{Measure, Row};
use super::verdict::paired;
use tiebreak_console::answer::Failure;

/// Utilization of the paper's user-facing program. The paper publishes neither its programs' utilizations nor the
/// CPU-bound share of their work. These values were chosen so that one server draws clearly more than 250 W, needs
/// RAPL at 210 W but no earlier, and slows down about as the paper states at 230 and 210 W (power-fig4).
pub(super) const USER_FACING_BUSY: f64 = 0.80;
/// The same for the batch program.
pub(super) const BATCH_BUSY: f64 = 0.84;

/// The maximum deviation of a VM's utilization from its mean; drawn every second.
const STRAYS: f64 = 0.03;

/// The experiment.
pub(super) struct Experiment {
    /// The parts of every server, with their mean utilizations.
    pub(super) servers: Vec<Vec<Part>>,
    /// `None` without capping.
    pub(super) capping: Option<Capping>,
    pub(super) seconds: u64,
}

/// The result.
pub(super) struct CappingOutcome {
    /// Mean latency of user-facing VMs and mean running time of the others, each relative to the value without a cap.
    pub(super) latency: f64,
    pub(super) running: f64,
    pub(super) mean_w: f64,
    /// The share of polls over the budget, in percent, and the longest continuous time over it, in seconds.
    over_pct: f64,
    pub(super) over_longest_s: f64,
    /// The lowest frequency of any user-facing core and of any other, in percent of the nominal frequency.
    user_facing_lowest_pct: f64,
    batch_lowest_pct: f64,
    /// How often RAPL throttled a server.
    pub(super) rapl: u64,
    /// The chassis' draw at every poll.
    pub(super) draws: Vec<f64>,
    /// The lowest frequency of any core that is not user-facing, at every poll, in percent.
    pub(super) batch_pct: Vec<f64>,
}

pub(super) const LATENCY: &str = "latency, of no cap";
pub(super) const RUNNING: &str = "running time, of no cap";
pub(super) const DRAW: &str = "draw, W";
const OVER: &str = "over budget, % of time";
const USER_FACING_LOWEST: &str = "lowest user-facing, % of nominal";
const BATCH_LOWEST: &str = "lowest batch, %";

pub(super) const POLL_MS: u64 = 200;

impl Experiment {
    /// Runs the experiment with one seed; the loads are the same with every capping.
    pub(super) fn run(&self, seed: u64) -> Result<CappingOutcome, Failure> {
        // A budget above every draw means no cap.
        let none = Capping { budget_w: 1e9, ..Capping::default() };
        let capping = self.capping.unwrap_or(none);
        let mut chassis = Chassis::new(&ServerPower::default(), &capping, self.servers.len())?;
        let mut watched = Watched::of(&self.servers);
        for second in 0..self.seconds {
            for (server, parts) in self.servers.iter().enumerate() {
                chassis.set_parts(server, &strayed(parts, seed, server as u64, second))?;
            }
            for _ in 0..1_000 / POLL_MS {
                let was_under_rapl: Vec<_> =
                    (0..self.servers.len()).map(|server| chassis.is_under_rapl(server)).collect();
                watched.note(&chassis);
                chassis.step();
                let taken = |server: &usize| chassis.is_under_rapl(*server) && !was_under_rapl[*server];
                watched.rapl += (0..self.servers.len()).filter(taken).count() as u64;
            }
        }
        Ok(watched.outcome(&self.servers, capping.budget_w))
    }
}

/// The same parts with their utilization in this second.
fn strayed(parts: &[Part], seed: u64, server: u64, second: u64) -> Vec<Part> {
    let stream = Seed(seed).stream("utilization");
    let stray = |(index, part): (usize, &Part)| {
        let drawn = f64::from(pick(stream.draw(1_000 * server + index as u64, second), 2_001)) / 1_000.0 - 1.0;
        Part { utilization: (part.utilization + STRAYS * drawn).clamp(0.0, 1.0), ..*part }
    };
    parts.iter().enumerate().map(stray).collect()
}

/// The frequencies of a part.
#[derive(Clone)]
struct PartFrequencies {
    /// Number of polls by the mean frequency of its cores, in percent of the nominal frequency.
    polls: [u32; 101],
    lowest: f64,
}

impl PartFrequencies {
    const NONE: Self = Self { polls: [0; 101], lowest: 1.0 };

    fn note(&mut self, mean: f64, lowest: f64) {
        self.polls[(100.0 * mean).round() as usize] += 1;
        self.lowest = self.lowest.min(lowest);
    }

    /// Each frequency with its share of the time.
    fn shares(&self) -> Vec<(f64, f64)> {
        let all: u32 = self.polls.iter().sum();
        let share = |(pct, polls): (usize, &u32)| (pct as f64 / 100.0, f64::from(*polls) / f64::from(all));
        self.polls.iter().enumerate().filter(|(_, polls)| **polls > 0).map(share).collect()
    }
}

/// The observations of a chassis, poll by poll.
struct Watched {
    /// The frequencies of each part of every server.
    frequencies: Vec<Vec<PartFrequencies>>,
    draws: Vec<f64>,
    batch_pct: Vec<f64>,
    rapl: u64,
    user_facing: Vec<Vec<bool>>,
}

impl Watched {
    fn of(servers: &[Vec<Part>]) -> Self {
        let each = |parts: &Vec<Part>| vec![PartFrequencies::NONE; parts.len()];
        let user_facing = |parts: &Vec<Part>| parts.iter().map(|part| part.user_facing).collect();
        Self {
            frequencies: servers.iter().map(each).collect(),
            draws: Vec::new(),
            batch_pct: Vec::new(),
            rapl: 0,
            user_facing: servers.iter().map(user_facing).collect(),
        }
    }

    fn note(&mut self, chassis: &Chassis) {
        let mut batch = 1.0_f64;
        for (server, parts) in self.frequencies.iter_mut().enumerate() {
            let kinds = &self.user_facing[server];
            for ((mean, lowest), (part, user_facing)) in chassis.frequencies(server).zip(parts.iter_mut().zip(kinds)) {
                part.note(mean, lowest);
                batch = if *user_facing { batch } else { batch.min(lowest) };
            }
        }
        self.batch_pct.push(100.0 * batch);
        self.draws.push(chassis.draw_w());
    }

    fn outcome(self, servers: &[Vec<Part>], budget_w: f64) -> CappingOutcome {
        let polls = self.draws.len() as f64;
        let parts: Vec<_> = servers.iter().flatten().zip(self.frequencies.iter().flatten()).collect();
        let of = |user_facing| parts.iter().filter(move |(part, _)| part.user_facing == user_facing);
        let mean = |user_facing, slowed: fn(&Part, &[(f64, f64)]) -> f64| {
            let each = of(user_facing).map(|(part, seen)| slowed(part, &seen.shares()));
            each.sum::<f64>() / of(user_facing).count() as f64
        };
        let lowest = |user_facing| 100.0 * of(user_facing).map(|(_, seen)| seen.lowest).fold(1.0, f64::min);
        let over = |draw: &&f64| **draw > budget_w + 1e-6;
        let longest = self.draws.chunk_by(|one, other| over(&one) == over(&other)).filter(|run| over(&&run[0]));
        let longest = longest.map(<[f64]>::len).max().unwrap_or(0);
        CappingOutcome {
            latency: mean(true, |part, shares| {
                latency_over(part.cores_milli.div_ceil(1_000), part.utilization, shares, CPU_BOUND)
            }),
            running: mean(false, |_, shares| {
                // The work done over a period is proportional to the mean speed.
                let speed = |(frequency, share): &(f64, f64)| share / running_time(*frequency, CPU_BOUND);
                1.0 / shares.iter().map(speed).sum::<f64>()
            }),
            mean_w: self.draws.iter().sum::<f64>() / polls,
            over_pct: 100.0 * self.draws.iter().filter(over).count() as f64 / polls,
            over_longest_s: longest as f64 * POLL_MS as f64 / 1_000.0,
            user_facing_lowest_pct: lowest(true),
            batch_lowest_pct: lowest(false),
            rapl: self.rapl,
            draws: self.draws,
            batch_pct: self.batch_pct,
        }
    }
}

/// The outcomes of one experiment, one for each seed.
pub(super) struct SeedOutcomes {
    pub(super) what: String,
    pub(super) paper: &'static str,
    pub(super) outcomes: Vec<CappingOutcome>,
}

impl SeedOutcomes {
    pub(super) fn of(
        what: String,
        paper: &'static str,
        experiment: &Experiment,
        seeds: &[u64],
    ) -> Result<Self, Failure> {
        let outcomes = seeds.iter().map(|seed| experiment.run(*seed)).collect::<Result<_, _>>()?;
        Ok(Self { what, paper, outcomes })
    }

    fn mean(&self, of: impl Fn(&CappingOutcome) -> f64) -> f64 {
        self.outcomes.iter().map(of).sum::<f64>() / self.outcomes.len() as f64
    }

    pub(super) fn latency(&self) -> f64 {
        self.mean(|it| it.latency)
    }

    pub(super) fn running(&self) -> f64 {
        self.mean(|it| it.running)
    }

    /// A value for every seed, from this experiment and another one with the same seed.
    pub(super) fn with(&self, other: &Self, of: fn(&CappingOutcome, &CappingOutcome) -> f64) -> Vec<f64> {
        paired(&self.outcomes, &other.outcomes, of)
    }

    /// A value for every seed.
    pub(super) fn each(&self, of: impl Fn(&CappingOutcome) -> f64) -> Vec<f64> {
        self.outcomes.iter().map(of).collect()
    }

    /// The longest continuous time over the budget, of all seeds.
    pub(super) fn over_longest_s(&self) -> f64 {
        self.outcomes.iter().map(|it| it.over_longest_s).fold(0.0, f64::max)
    }

    pub(super) fn row(&self) -> Row {
        let measure =
            |what, decimals, of: fn(&CappingOutcome) -> f64| Measure::of(what, decimals, self.outcomes.iter().map(of));
        Row {
            what: self.what.clone(),
            paper: Some(self.paper),
            ours: vec![
                measure(LATENCY, 2, |it| it.latency),
                measure(RUNNING, 2, |it| it.running),
                measure(DRAW, 1, |it| it.mean_w),
                measure(OVER, 2, |it| it.over_pct),
                measure(USER_FACING_LOWEST, 0, |it| it.user_facing_lowest_pct),
                measure(BATCH_LOWEST, 0, |it| it.batch_lowest_pct),
            ],
        }
    }

    /// A line over time: the values of the first seed at every poll.
    fn line(&self, role: Role, of: fn(&CappingOutcome) -> &[f64]) -> Series {
        let points = of(&self.outcomes[0]).iter().enumerate();
        let points = points.map(|(poll, value)| (poll as f64 * POLL_MS as f64, *value)).collect();
        // The text after the comma is the same for all lines of a panel.
        let label = self.what.split(',').next().unwrap_or("");
        Series::new(label, role, Style::Steps, points)
    }
}

/// Lines over time for several experiments.
pub(super) fn over_time(title: &str, unit: &str, tried: &[&SeedOutcomes], of: fn(&CappingOutcome) -> &[f64]) -> Panel {
    const ROLES: [Role; 3] = [Role::Ghost, Role::Variant(0), Role::Live];
    let polls = of(&tried[0].outcomes[0]).len();
    Panel::Time(TimeChart {
        title: title.into(),
        unit: unit.into(),
        time_range: (0.0, (polls as u64 * POLL_MS) as f64),
        series: tried.iter().zip(ROLES).map(|(tried, role)| tried.line(role, of)).collect(),
        y_from_zero: false,
        y_max: None,
        moments: Vec::new(),
    })
}

/// A description of the proxies, in one sentence.
pub(super) fn proxies() -> String {
    format!(
        "latency is the 95th percentile of an M/M/k queue, running time that of a program; {:.0} % of the work is \
        CPU-bound. This share and the utilizations, {:.0} and {:.0} %, are not published: they were fitted to the \
        published slowdowns of one server (18 % and 35 % latency, 28 % running time, RAPL at 210 W); everything \
        else follows from them",
        100.0 * CPU_BOUND,
        100.0 * USER_FACING_BUSY,
        100.0 * BATCH_BUSY,
    )
}
