//! The tenants that make all requests of a zone where their number is set, each with habits: how long its VMs live,
//! which VM type they have, and at which hour of the day it asks most.
//!
//! All lifetimes lie in one order, their ranks from 0 to 1, and every tenant holds a range of them as wide as it asks
//! often. A request's first lifetime is drawn as without tenants; then its tenant is whose range holds that rank. So the
//! zone's lifetimes, its arrivals and its load are the same whatever the habits are, and only the names tell more or
//! less.

use alloc::vec::Vec;

use rand_core::Rng;
use tiebreak_model::random::{Seed, Stream, pick};

use super::generate::{GeneratedWorkload, unit};
use super::lives::LifetimeLaw;

/// Names of tenants with habits begin here, above all that are counted.
const FIRST_NAME: u64 = 1 << 40;

/// How often a tenant is drawn anew that is not at its hour.
const TRIES: u32 = 8;

/// All tenants of a zone.
pub(crate) struct Tenants {
    tenants: Vec<Tenant>,
    habit: f64,
    spread_decades: f64,
}

/// One tenant with habits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tenant {
    /// Its name.
    pub(crate) name: u64,
    /// The part of all VM types below its own, from 0 to 1.
    pub(crate) type_rank: f64,
    /// It asks most at this minute of the day.
    peak_minute: f64,
    /// The ranks of the lifetimes it holds.
    from: f64,
    until: f64,
}

impl Tenants {
    /// The tenants of a seed; none where their number is 0.
    pub(crate) fn draw(settings: &GeneratedWorkload, seed: Seed) -> Option<Self> {
        if settings.tenants == 0 {
            return None;
        }
        let tenants = ranged(settings.tenants, seed.stream("generated tenants"));
        Some(Self { tenants, habit: settings.purity / 100.0, spread_decades: settings.spread })
    }

    /// Who asks for a VM of this lifetime at this minute of a day.
    pub(crate) fn of_life(&self, law: &LifetimeLaw, life_hours: f64, minute: f64, draws: &mut impl Rng) -> Tenant {
        let mut tenant = self.tenants[0];
        for _ in 0..TRIES {
            let habit = unit(draws) < self.habit;
            let (near, any, luck) = (self.off(life_hours, draws), unit(draws), unit(draws));
            tenant = self.at(if habit { law.rank(near) } else { any });
            if luck < tenant.busy(minute) {
                break;
            }
        }
        tenant
    }

    /// The lifetime of a further VM of a tenant's request; none where the habit says nothing of it.
    pub(crate) fn life_of(&self, tenant: &Tenant, law: &LifetimeLaw, draws: &mut impl Rng) -> Option<f64> {
        let (habit, rank) = (unit(draws) < self.habit, unit(draws));
        let life = self.off(law.at_rank(tenant.from + (tenant.until - tenant.from) * rank), draws);
        habit.then(|| law.at_rank(law.rank(life)))
    }

    /// Whether a VM has its tenant's type.
    pub(crate) fn has_own_type(&self, draws: &mut impl Rng) -> bool {
        unit(draws) < self.habit
    }

    /// A lifetime near this one: its logarithm is off by a normal error, the sum of twelve uniform draws.
    fn off(&self, hours: f64, draws: &mut impl Rng) -> f64 {
        let normal = (0..12).map(|_| unit(draws)).sum::<f64>() - 6.0;
        hours * libm::pow(10.0, self.spread_decades * normal)
    }

    /// Whose range holds this rank.
    fn at(&self, rank: f64) -> Tenant {
        let place = self.tenants.partition_point(|tenant| tenant.until <= rank);
        self.tenants[place.min(self.tenants.len() - 1)]
    }
}

impl Tenant {
    /// How busy it is at this minute of a day, from 0 to 1.
    fn busy(&self, minute: f64) -> f64 {
        0.5 + 0.5 * libm::cos(core::f64::consts::TAU * (minute - self.peak_minute) / 1_440.0)
    }
}

/// Tenants in the order of their lifetimes. The k-th largest asks in proportion to 1 / sqrt(k). VM types follow each
/// other by the golden ratio along that order, so that few tenants with long lives do not decide how full the zone is.
fn ranged(count: u32, stream: Stream) -> Vec<Tenant> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let mut draws = stream.generator();
    let mut sizes: Vec<f64> = (1..=count).map(|size| 1.0 / libm::sqrt(f64::from(size))).collect();
    for place in (1..sizes.len()).rev() {
        sizes.swap(place, pick(draws.next_u64(), place as u32 + 1) as usize);
    }
    let all: f64 = sizes.iter().sum();
    let first_type = unit(&mut draws);
    let mut until = 0.0;
    let tenant = |(place, size): (usize, &f64)| {
        let from = until;
        until += size / all;
        let type_rank = (first_type + GOLDEN * place as f64) % 1.0;
        Tenant { name: FIRST_NAME + place as u64, type_rank, peak_minute: unit(&mut draws) * 1_440.0, from, until }
    };
    sizes.iter().enumerate().map(tenant).collect()
}
