//! Generates arrivals of subscriptions with habits, as training data: sizes and lifetimes as in the paper's Table I.
//!
//! Azure's trace does not include how similar a subscription's VMs are; the similarity here is our choice.
//!
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms", Table I.

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_model::random::{Seed, pick};
use tiebreak_model::{Load, Millis, Time, Usage};

use crate::chance::{between, happens, normal};
use crate::labelled::{Kind, Troubles, series};
use crate::learning::{Arrival, TelemetryLabel};
use crate::series::WEEKDAYS_MIN;
use crate::template::Template;

/// Cores, and the percent of VMs with them. (Table I; 32 and more is 32)
const CORES: [(u32, u32); 7] = [(1, 33), (2, 27), (4, 21), (8, 10), (16, 5), (24, 3), (32, 1)];
/// Ranges of lifetimes in hours, and the percent of VMs. (Table I; more than 720 is up to 2,000)
const LIVES_H: [(f64, f64, u32); 7] = [
    (0.1, 1.0, 52),
    (1.0, 2.0, 5),
    (2.0, 5.0, 10),
    (5.0, 10.0, 9),
    (10.0, 25.0, 7),
    (25.0, 720.0, 8),
    (720.0, 2_000.0, 9),
];
/// Ranges of VMs per deployment, and the percent of deployments. (Table I; more than 25 is up to 60)
const DEPLOYMENTS: [(u32, u32, u32); 7] =
    [(1, 1, 39), (2, 2, 14), (3, 5, 16), (6, 10, 9), (11, 15, 8), (16, 25, 5), (26, 60, 9)];

/// The buckets of the 95th percentile, from 0, and the percent of user-facing and of other subscriptions in them: the
/// first and the last are the most popular (section IV-B), and the means are close to Table I's 65 and 44. The rest
/// is our choice.
const P95: [(u32, [u32; 2]); 4] = [(0, [45, 18]), (1, [17, 12]), (2, [12, 22]), (3, [26, 48])];

/// How arrivals are generated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Habits {
    /// The least number of VMs: the last deployment is complete.
    pub vms: usize,
    /// Days of arrivals.
    pub days: f64,
    /// The number of subscriptions, at least one.
    pub tenants: u32,
    /// The percent of subscriptions with mostly user-facing VMs. (Table I: 4 of 10 cores)
    pub user_facing_pct: f64,
    /// The percent of VMs with the subscription's usual type, and of those with its usual lifetime; the others have
    /// any.
    pub faithful_pct: f64,
    /// Standard deviation of a VM's 95th percentile around its subscription's, in points.
    pub p95_spread: f64,
    /// The percent of subscriptions whose VMs have unrelated utilizations.
    pub erratic_pct: f64,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            vms: 50_000,
            days: 60.0,
            tenants: 1_500,
            user_facing_pct: 40.0,
            faithful_pct: 92.0,
            p95_spread: 6.0,
            erratic_pct: 25.0,
        }
    }
}

/// The habits of a subscription.
struct Habit {
    user_facing: bool,
    /// `None` if each VM has its own.
    p95_pct: Option<f64>,
    life: (f64, f64),
    cores: u32,
    kind: u32,
    /// Its share of deployments; a few subscriptions make most of them.
    weight: f64,
}

/// Arrivals in order of start.
#[must_use]
pub fn arrivals(habits: Habits, seed: Seed) -> Vec<Arrival> {
    let mut chance = seed.stream("habits").generator();
    let tenants: Vec<Habit> = (0..habits.tenants).map(|_| Habit::draw(habits, &mut chance)).collect();
    let mut reach = 0.0;
    let ends: Vec<f64> = tenants
        .iter()
        .map(|tenant| {
            reach += tenant.weight;
            reach
        })
        .collect();
    let mut arrivals = Vec::with_capacity(habits.vms);
    while arrivals.len() < habits.vms {
        let at = between(&mut chance, 0.0, reach);
        let tenant = ends.partition_point(|end| *end <= at).min(tenants.len() - 1);
        let start = Time((between(&mut chance, 0.0, habits.days) * Millis::DAY.0 as f64) as i64);
        let (low, high, _) = weighted(&mut chance, &DEPLOYMENTS, |(.., pct)| *pct);
        for _ in 0..low + pick(chance.next_u64(), high - low + 1) {
            arrivals.push(tenants[tenant].vm(tenant as u64, start, habits, &mut chance));
        }
    }
    arrivals.sort_by_key(|arrival: &Arrival| arrival.start);
    arrivals
}

/// The same arrivals, labelled by templates of generated CPU readings. A user-facing VM's have a daily pattern, clear or
/// as weak as its noise; other VMs' have pulses, or none. All have the paper's three difficulties. Every day is a
/// weekday here.
#[must_use]
pub fn labelled_by_templates(mut arrivals: Vec<Arrival>, seed: Seed) -> Vec<Arrival> {
    let stream = seed.stream("series of arrivals");
    let mut template = Template::default();
    for (place, arrival) in (0..).zip(&mut arrivals) {
        let kind = Kind::drawn(arrival.truth.load.user_facing, stream.draw(place, 0));
        let readings = |_, _| {
            let series = series(kind, WEEKDAYS_MIN, Troubles::default(), Seed(stream.draw(place, 1)));
            series.values().to_vec()
        };
        let label = template.label(Time::ZERO, Time::ZERO + arrival.end.since(arrival.start), readings);
        arrival.label = Some(TelemetryLabel { at: arrival.start + label.at.since(Time::ZERO), ..label });
    }
    arrivals
}

impl Habit {
    fn draw(habits: Habits, chance: &mut Xoshiro256PlusPlus) -> Self {
        let user_facing = happens(chance, habits.user_facing_pct);
        let p95_pct = (!happens(chance, habits.erratic_pct)).then(|| p95(user_facing, chance));
        Self {
            user_facing,
            p95_pct,
            life: life(chance),
            cores: weighted(chance, &CORES, |(_, pct)| *pct).0,
            kind: pick(chance.next_u64(), 4),
            weight: libm::exp(1.2 * normal(chance)),
        }
    }

    fn vm(&self, tenant: u64, start: Time, habits: Habits, chance: &mut Xoshiro256PlusPlus) -> Arrival {
        let is_usual = happens(chance, habits.faithful_pct);
        let user_facing = self.user_facing == (is_usual || happens(chance, 50.0));
        let (low, high) = if happens(chance, habits.faithful_pct) { self.life } else { life(chance) };
        let cores = if is_usual { self.cores } else { weighted(chance, &CORES, |(_, pct)| *pct).0 };
        let usual = self.p95_pct.unwrap_or_else(|| p95(user_facing, chance));
        let p95 = (usual + habits.p95_spread * normal(chance)).clamp(1.0, 100.0);
        let mean_pct = (p95 * between(chance, 0.3, 0.7)) as u8;
        Arrival {
            tenant,
            kind: self.kind,
            cores_milli: 1_000 * cores,
            memory_mib: 4_096 * cores,
            start,
            end: start + Millis((between(chance, low, high) * 3_600_000.0) as u64),
            truth: Usage { load: Load { user_facing, p95_pct: p95 as u8 }, mean_pct },
            label: None,
        }
    }
}

fn p95(user_facing: bool, chance: &mut Xoshiro256PlusPlus) -> f64 {
    let bucket = f64::from(weighted(chance, &P95, |(_, pct)| pct[usize::from(user_facing)]).0);
    between(chance, 25.0 * bucket, 25.0 * (bucket + 1.0))
}

fn life(chance: &mut Xoshiro256PlusPlus) -> (f64, f64) {
    let (low, high, _) = weighted(chance, &LIVES_H, |(.., pct)| *pct);
    (low, high)
}

/// A random entry of a list whose percents sum to 100.
fn weighted<T: Copy>(chance: &mut Xoshiro256PlusPlus, list: &[T], pct: impl Fn(&T) -> u32) -> T {
    let mut at = pick(chance.next_u64(), list.iter().map(&pct).sum());
    let mut chosen = list[0];
    for entry in list {
        chosen = *entry;
        if at < pct(entry) {
            break;
        }
        at -= pct(entry);
    }
    chosen
}
