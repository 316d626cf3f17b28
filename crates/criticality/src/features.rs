//! What is known about a VM and its tenant when it arrives.
//!
//! A VM's usage is observed when it ends, or after five days if it runs on: its usage so far then counts for its
//! whole lifetime. Whether it lives for a week is known once it has ended or lived one. Nothing after an arrival
//! changes its features.
//!
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms", section III-B.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tiebreak_model::{Load, Millis, Time, Usage};

use crate::learning::Arrival;

/// The number of features.
pub const FEATURES: usize = 12;
/// Their names, in order.
pub const NAMES: [&str; FEATURES] = [
    "share of user-facing VMs",
    "share of VMs that lived 7 days",
    "VMs so far",
    "share of VMs in bucket 1",
    "share of VMs in bucket 2",
    "share of VMs in bucket 3",
    "share of VMs in bucket 4",
    "average utilization",
    "average 95th percentile",
    "cores",
    "memory",
    "type",
];
/// The value of a share or an average without data.
const NOTHING_KNOWN: f32 = -1.0;
/// A VM that runs on counts as observed after this time: five weekdays of readings.
pub const OBSERVED_AFTER: Millis = Millis(5 * Millis::DAY.0);
/// A VM with at least this lifetime counts as long-lived.
const LONG_LIFE: Millis = Millis(7 * Millis::DAY.0);

/// One row of features.
pub type Features = [f32; FEATURES];

/// The bucket of a 95th percentile in percent, 0 to 3: 0-25, 26-50, 51-75, 76-100.
#[must_use]
pub fn bucket(p95_pct: u8) -> usize {
    usize::from(p95_pct.clamp(1, 100) - 1) / 25
}

/// The upper end of a bucket, in percent.
#[must_use]
pub fn upper_end(bucket: usize) -> u8 {
    [25, 50, 75, 100][bucket]
}

/// When telemetry classifies an arrival.
#[must_use]
pub fn observed_at(arrival: &Arrival) -> Time {
    arrival.label.map_or_else(|| arrival.end.min(arrival.start + OBSERVED_AFTER), |label| label.at)
}

/// The observations of one tenant.
#[derive(Clone, Copy, Debug, Default)]
struct History {
    arrived: u32,
    observed: u32,
    user_facing: u32,
    buckets: [u32; 4],
    mean_pct: u64,
    p95_pct: u64,
    /// VMs for which it is known whether they lived 7 days.
    lives_known: u32,
    long_lives: u32,
}

impl History {
    fn observe(&mut self, Usage { load: Load { user_facing, p95_pct }, mean_pct }: Usage) {
        self.observed += 1;
        self.user_facing += u32::from(user_facing);
        self.buckets[bucket(p95_pct)] += 1;
        self.mean_pct += u64::from(mean_pct);
        self.p95_pct += u64::from(p95_pct);
    }

    fn features(&self, arrival: &Arrival) -> Features {
        let share = |part: u32, whole| ratio(u64::from(part), whole);
        let [first, second, third, fourth] = self.buckets.map(|vms| share(vms, self.observed));
        [
            share(self.user_facing, self.observed),
            share(self.long_lives, self.lives_known),
            self.arrived as f32,
            first,
            second,
            third,
            fourth,
            ratio(self.mean_pct, self.observed),
            ratio(self.p95_pct, self.observed),
            arrival.cores_milli as f32,
            arrival.memory_mib as f32,
            arrival.kind as f32,
        ]
    }
}

fn ratio(sum: u64, count: u32) -> f32 {
    if count == 0 { NOTHING_KNOWN } else { (sum as f64 / f64::from(count)) as f32 }
}

/// A fact that becomes known about a VM after its arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum News {
    Use,
    Life,
}

/// Iterates over arrivals in order and computes the features of each.
#[derive(Debug)]
pub struct Histories {
    /// Every tenant once, in order, with the same index as its history.
    tenants: Vec<u64>,
    histories: Vec<History>,
    /// Future facts about arrivals so far, by time.
    pending: BinaryHeap<Reverse<(Time, u32, News)>>,
}

impl Histories {
    /// Without any observations of these arrivals' tenants.
    #[must_use]
    pub fn new(arrivals: &[Arrival]) -> Self {
        let mut tenants: Vec<u64> = arrivals.iter().map(|arrival| arrival.tenant).collect();
        tenants.sort_unstable();
        tenants.dedup();
        Self { histories: vec![History::default(); tenants.len()], tenants, pending: BinaryHeap::new() }
    }

    /// The features of the arrival at this index; call it for one arrival after the other, from the first.
    ///
    /// `labelled` returns the telemetry label of an observed VM.
    pub fn next(&mut self, arrivals: &[Arrival], place: usize, labelled: impl Fn(&Arrival) -> Usage) -> Features {
        let arrival = &arrivals[place];
        self.learn_until(arrival.start, arrivals, labelled);
        let history = self.of(arrival.tenant);
        let features = history.features(arrival);
        history.arrived += 1;
        let place = u32::try_from(place).expect("a workload has fewer VMs than 32 bits can count");
        self.pending.push(Reverse((observed_at(arrival), place, News::Use)));
        self.pending.push(Reverse((arrival.end.min(arrival.start + LONG_LIFE), place, News::Life)));
        features
    }

    fn learn_until(&mut self, now: Time, arrivals: &[Arrival], labelled: impl Fn(&Arrival) -> Usage) {
        while let Some(Reverse((at, place, news))) = self.pending.peek().copied()
            && at <= now
        {
            self.pending.pop();
            let arrival = &arrivals[place as usize];
            let history = self.of(arrival.tenant);
            match news {
                News::Use => history.observe(labelled(arrival)),
                News::Life => {
                    history.lives_known += 1;
                    history.long_lives += u32::from(arrival.end >= arrival.start + LONG_LIFE);
                }
            }
        }
    }

    fn of(&mut self, tenant: u64) -> &mut History {
        let place = self.tenants.binary_search(&tenant).expect("every arrival's tenant is listed");
        &mut self.histories[place]
    }
}
