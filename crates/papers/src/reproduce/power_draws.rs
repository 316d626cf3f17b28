//! A generated history of chassis draws, from what the power paper publishes about its VMs.
//!
//! Every chassis is full of deployments. Their number of VMs, the VMs' cores and lifetimes follow the paper's Table
//! I; 40 % of the cores are user-facing. All VMs of a deployment have the same 95th-percentile utilization. It is
//! uniform between bounds around the published means, 65 and 44 %. A deployment is spread over fault domains; a
//! chassis gets the VMs of one domain, as far as it has room. User-facing VMs follow a daily pattern and are less
//! busy at weekends; batch VMs fluctuate randomly. Nothing is fitted to published draws or budgets.

use tiebreak_model::random::{Seed, Stream, pick};
use tiebreak_power::{History, ServerPower};

use tiebreak_console::answer::Failure;
use tiebreak_console::at_once::at_once;

pub(super) const SERVERS: u32 = 12;

/// Hours before the history begins, in which long-lived VMs accumulate.
const BEFORE_HOURS: u64 = 720;

const DAY_HOURS: u64 = 24;

/// The number of chassis and the length of the history.
#[derive(Clone, Copy)]
pub(super) struct PowerDraws {
    pub(super) chassis: u64,
    pub(super) days: u64,
    /// Fault domains per deployment, each on another chassis; at least 1.
    pub(super) domains: u32,
}

/// Distributions of cores per VM, VMs per deployment and lifetimes in hours: ranges, each with its share in percent,
/// uniform inside a range. Open-ended ranges end at 32 cores, 50 VMs and 2,160 hours.
type Spread = &'static [(u32, u32, u32)];

const CORES: Spread = &[(33, 1, 1), (27, 2, 2), (21, 4, 4), (10, 8, 8), (5, 16, 16), (3, 24, 24), (1, 32, 32)];
const VMS: Spread = &[(39, 1, 1), (14, 2, 2), (16, 3, 5), (9, 6, 10), (8, 11, 15), (5, 16, 25), (9, 26, 50)];
const HOURS: Spread = &[(52, 1, 1), (5, 2, 2), (10, 3, 5), (9, 6, 10), (7, 10, 25), (8, 26, 720), (9, 721, 2_160)];

impl PowerDraws {
    /// One reading for every chassis and hour.
    pub(super) fn history(self, seed: u64) -> Result<History, Failure> {
        let chassis: Vec<_> = (0..self.chassis).collect();
        let readings = at_once(&chassis, |number| Ok(Filled::new(seed, *number, self.domains).readings(self.days)))?;
        Ok(History::new(readings.concat())?)
    }
}

/// VMs of one kind on a chassis.
struct Deployment {
    cores: f64,
    user_facing: bool,
    /// Their 95th-percentile utilization.
    busy: f64,
    /// The hour in which they end.
    until: u64,
}

/// A chassis that is always full.
struct Filled {
    dice: Dice,
    deployments: Vec<Deployment>,
    free: u32,
    domains: u32,
    power: ServerPower,
}

impl Filled {
    fn new(seed: u64, number: u64, domains: u32) -> Self {
        let power = ServerPower::default();
        let dice = Dice { stream: Seed(seed).stream("draws"), chassis: number, drawn: 0 };
        Self { dice, deployments: Vec::new(), free: SERVERS * power.cores, domains, power }
    }

    fn readings(mut self, days: u64) -> Vec<f64> {
        let hours = BEFORE_HOURS + days * DAY_HOURS;
        let mut readings = Vec::with_capacity((days * DAY_HOURS) as usize);
        for hour in 0..hours {
            self.leave(hour);
            self.fill(hour);
            if hour >= BEFORE_HOURS {
                readings.push(self.draw_w(hour));
            }
        }
        readings
    }

    fn leave(&mut self, hour: u64) {
        let free = &mut self.free;
        self.deployments.retain(|deployment| {
            let stays = deployment.until > hour;
            *free += if stays { 0 } else { deployment.cores as u32 };
            stays
        });
    }

    fn fill(&mut self, hour: u64) {
        while self.free > 0 {
            let (each, vms) = (self.dice.within(CORES), self.dice.within(VMS));
            let cores = (each * vms.div_ceil(self.domains)).min(self.free);
            let user_facing = self.dice.below(10) < 4;
            // Uniform between bounds whose means are the published ones.
            let (least, most) = if user_facing { (0.30, 1.0) } else { (0.0, 0.88) };
            let busy = least + (most - least) * self.dice.share();
            let until = hour + u64::from(self.dice.within(HOURS));
            self.deployments.push(Deployment { cores: f64::from(cores), user_facing, busy, until });
            self.free -= cores;
        }
    }

    fn draw_w(&mut self, hour: u64) -> f64 {
        let day = day_share(hour);
        let mut busy_cores = 0.0;
        for deployment in &self.deployments {
            let now = if deployment.user_facing { day } else { 0.4 + 0.6 * self.dice.share() };
            busy_cores += deployment.cores * deployment.busy * now;
        }
        let cores = f64::from(SERVERS * self.power.cores);
        f64::from(SERVERS) * self.power.server_w(1.0, busy_cores / cores)
    }
}

/// The utilization of user-facing VMs in an hour, relative to their peak: highest in the early afternoon, a fifth of
/// that at night, and lower at weekends.
fn day_share(hour: u64) -> f64 {
    let of_day = (hour % DAY_HOURS) as f64 / DAY_HOURS as f64;
    let week = if hour / DAY_HOURS % 7 < 5 { 1.0 } else { 0.7 };
    week * (0.6 + 0.4 * (std::f64::consts::TAU * (of_day - 14.0 / 24.0)).cos())
}

/// The random draws of one chassis, in order.
struct Dice {
    stream: Stream,
    chassis: u64,
    drawn: u64,
}

impl Dice {
    fn below(&mut self, count: u32) -> u32 {
        self.drawn += 1;
        pick(self.stream.draw(self.chassis, self.drawn), count)
    }

    fn share(&mut self) -> f64 {
        f64::from(self.below(1 << 24)) / f64::from(1 << 24)
    }

    fn within(&mut self, spread: Spread) -> u32 {
        let mut place = self.below(spread.iter().map(|(percent, ..)| percent).sum());
        for (percent, least, most) in spread {
            if place < *percent {
                return least + self.below(most - least + 1);
            }
            place -= percent;
        }
        unreachable!("a place is below the sum of shares")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_and_utilizations_are_the_published_ones() {
        let (mut cores, mut user_facing, mut busy) = (0.0, 0.0, [0.0, 0.0]);
        for number in 0..200 {
            let mut chassis = Filled::new(1, number, 5);
            chassis.fill(0);
            for deployment in &chassis.deployments {
                cores += deployment.cores;
                let kind = usize::from(deployment.user_facing);
                user_facing += if deployment.user_facing { deployment.cores } else { 0.0 };
                busy[kind] += deployment.cores * deployment.busy;
            }
        }
        let near =
            |found: f64, expected: f64| assert!((found - expected).abs() < 0.03, "{found} instead of {expected}");
        assert_eq!(cores, 200.0 * 480.0);
        near(user_facing / cores, 0.4);
        near(busy[1] / user_facing, 0.65);
        near(busy[0] / (cores - user_facing), 0.44);
    }

    #[test]
    fn a_history_has_a_reading_for_every_chassis_and_hour() {
        let draws = PowerDraws { chassis: 3, days: 2, domains: 5 };
        let history = draws.history(1).expect("draws");
        assert_eq!(history.readings(), 3 * 2 * 24);
        assert!(history.highest_w() < 3_720.0 && history.exceeded_by(1.0) > 1_344.0);
        assert_ne!(history.highest_w(), draws.history(2).expect("draws").highest_w());
    }
}
