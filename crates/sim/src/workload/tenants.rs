//! The tenants that make all requests of a zone if their number is set. Each has habits: its VMs' lifetimes, their VM
//! type, and the hour of the day with most of its requests.
//!
//! All lifetimes are ordered by rank from 0 to 1, and every tenant has a range of ranks as wide as its share of
//! requests. A request's first lifetime is drawn as without tenants; its tenant is the one whose range contains that
//! rank. So the zone's lifetimes, arrivals and load do not depend on the habits; only the tenant names become more or
//! less informative.

use alloc::vec::Vec;

use rand_core::Rng;
use tiebreak_model::random::{Seed, Stream, pick};

use super::generate::{GeneratedWorkload, unit};
use super::lives::LifetimeLaw;

/// Names of tenants with habits start here, above all counted names.
const FIRST_NAME: u64 = 1 << 40;

/// How often to redraw a tenant that is not at its peak hour.
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
    /// Its share of the VM types, as a rank from 0 to 1.
    pub(crate) type_rank: f64,
    /// The minute of the day with most of its requests.
    peak_minute: f64,
    /// The range of its lifetime ranks.
    from: f64,
    until: f64,
}

impl Tenants {
    /// The tenants of a seed; `None` if their number is 0.
    pub(crate) fn draw(settings: &GeneratedWorkload, seed: Seed) -> Option<Self> {
        if settings.tenants == 0 {
            return None;
        }
        let tenants = ranged(settings.tenants, seed.stream("generated tenants"));
        Some(Self { tenants, habit: settings.purity / 100.0, spread_decades: settings.spread })
    }

    /// The tenant that requests a VM of this lifetime at this minute of a day.
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

    /// The lifetime of another VM of a tenant's request; `None` if the VM does not follow the habit.
    pub(crate) fn life_of(&self, tenant: &Tenant, law: &LifetimeLaw, draws: &mut impl Rng) -> Option<f64> {
        let (habit, rank) = (unit(draws) < self.habit, unit(draws));
        let life = self.off(law.at_rank(tenant.from + (tenant.until - tenant.from) * rank), draws);
        habit.then(|| law.at_rank(law.rank(life)))
    }

    /// Whether a VM has its tenant's type.
    pub(crate) fn has_own_type(&self, draws: &mut impl Rng) -> bool {
        unit(draws) < self.habit
    }

    /// A lifetime near this one: its logarithm has a normal error, the sum of twelve uniform draws.
    fn off(&self, hours: f64, draws: &mut impl Rng) -> f64 {
        let normal = (0..12).map(|_| unit(draws)).sum::<f64>() - 6.0;
        hours * libm::pow(10.0, self.spread_decades * normal)
    }

    /// The tenant whose range contains this rank.
    fn at(&self, rank: f64) -> Tenant {
        let place = self.tenants.partition_point(|tenant| tenant.until <= rank);
        self.tenants[place.min(self.tenants.len() - 1)]
    }
}

impl Tenant {
    /// Its activity at this minute of a day, from 0 to 1.
    fn busy(&self, minute: f64) -> f64 {
        0.5 + 0.5 * libm::cos(core::f64::consts::TAU * (minute - self.peak_minute) / 1_440.0)
    }
}

/// Tenants in the order of their lifetimes. The request rate of the k-th largest is proportional to 1 / sqrt(k). VM
/// types are spread along that order by the golden ratio, so that a few tenants with long lifetimes do not decide how
/// full the zone is.
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
