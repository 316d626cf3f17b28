//! A generated workload with the shape that Protean section 2.2 reports (row P10):
//! sizes, tenant sizes, repeats, the daily rhythm and spikes; lifetimes follow the
//! distribution Microsoft published for 2019.
//!
//! Arrivals, sizes and lifetimes each draw from a stream of their own, so changing one
//! setting leaves the others' luck alone. VMs alive at the start are drawn from the
//! stationary law: lives weighted by their length, each at a uniform point of its life.

use alloc::vec::Vec;

use rand_core::Rng;
use rand_distr::{Distribution, Poisson};
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_model::random::Seed;
use tiebreak_model::{Declared, Millis, Resources, Time, VmRow, VmShape, Workload, WorkloadBuilder, declare};

declare! {
    /// A made-up zone with Azure's habits: most requests ask for one small VM like the
    /// one before, most VMs live minutes, a few live months and hold most of the cores.
    /// (Protean section 2.2; lifetimes as published for Azure in 2019)
    pub struct GeneratedWorkload as "Generated workload" {
        /// How long the trace is.
        days: f64 = 7, 0.01 => 90, "days";
        /// Requests an hour on average; each asks for about 1.8 VMs.
        requests_per_hour: f64 = 100, 0.1 => 1000000, "requests/h";
        /// Which of the paper's two zones the VM sizes follow: zone 2 asks for more
        /// small VMs and more whole machines.
        zone: u32 = 1, 1 => 2, "";
        /// How often a request asks for the same type as the one before.
        repeats: f64 = 80, 0 => 100, "%";
        /// How far the arrival rate swings over a day around its mean.
        daily_swing: f64 = 40, 0 => 100, "%";
        /// Spikes a day, at random moments.
        spikes_per_day: f64 = 2, 0 => 1000, "";
        /// Requests in a spike, within one minute.
        spike_requests: u32 = 60, 0 => 100000, "requests";
        /// Share of VMs of low priority (spot).
        spot: f64 = 15, 0 => 100, "%";
        /// The longest life; longer tails keep more of the zone occupied for good.
        longest_life: f64 = 90, 0.1 => 1000, "days";
    }
}

/// VMs that one generated workload may hold.
pub const VMS_MAX: u64 = 5_000_000;

/// Cores per VM and their shares in percent, for the paper's two zones (Protean Table 3;
/// "10 or more" is read as 16 cores and "20 or more" as 32).
const CORES: [(u32, [f64; 2]); 6] =
    [(1, [17.1, 27.0]), (2, [37.4, 52.4]), (4, [32.0, 10.5]), (8, [8.9, 4.5]), (16, [4.3, 2.6]), (32, [0.3, 3.1])];

/// GiB of memory per core and how common: Azure's compute, general and memory families.
const MEMORY_PER_CORE: [(u32, f64); 3] = [(2, 0.25), (4, 0.55), (8, 0.20)];

/// Share of VMs that live at most so many hours, in percent (Azure 2019 as published by
/// Microsoft, CC BY 4.0); beyond the last, lives are log-uniform up to the longest.
const LIFETIME_CDF: [(f64, f64); 22] = [
    (0.02, 0.0),
    (0.1, 20.9),
    (0.2, 31.1),
    (0.3, 44.1),
    (0.4, 48.4),
    (0.5, 51.8),
    (0.7, 57.0),
    (1.0, 63.6),
    (1.5, 68.9),
    (2.0, 71.7),
    (3.0, 75.5),
    (5.0, 79.1),
    (8.0, 81.9),
    (12.0, 84.9),
    (18.0, 87.9),
    (24.0, 89.1),
    (30.0, 89.8),
    (48.0, 90.7),
    (60.0, 91.0),
    (72.0, 91.3),
    (84.0, 91.5),
    (100.0, 91.8),
];

impl GeneratedWorkload {
    /// Draws the workload of this seed; it ends early where it would pass [`VMS_MAX`] VMs.
    #[must_use]
    pub fn generate(&self, seed: Seed) -> Workload {
        // Whatever was not allowed is the default.
        let settings = Self::from_values(&self.to_values());
        let lives = Lives::new(settings.longest_life * 24.0);
        let mut rows = Rows {
            settings: &settings,
            builder: WorkloadBuilder::new(),
            lives,
            types: Types::new(&settings, seed),
            tenant: 0,
        };
        let mut life = seed.stream("generated lifetimes").generator();
        rows.alive_at_start(&mut life, seed);
        let horizon = rows.arrivals(&mut life, seed);
        if rows.builder.is_empty() {
            rows.add_vm(Time(1), hours(1.0));
        }
        rows.builder.finish(horizon).expect("a generated workload is not empty and has fewer VMs than ids")
    }

    /// Requests at each minute of the trace.
    fn rate_per_minute(&self, minute: f64) -> f64 {
        const PEAK_MINUTE: f64 = 15.0 * 60.0;
        let phase = core::f64::consts::TAU * (minute - PEAK_MINUTE) / 1_440.0;
        self.requests_per_hour / 60.0 * (1.0 + self.daily_swing / 100.0 * libm::cos(phase))
    }
}

struct Rows<'a> {
    settings: &'a GeneratedWorkload,
    builder: WorkloadBuilder,
    lives: Lives,
    types: Types,
    tenant: u64,
}

impl Rows<'_> {
    fn alive_at_start(&mut self, life: &mut impl Rng, seed: Seed) {
        let mut draws = seed.stream("generated start").generator();
        let vms_per_hour = self.settings.requests_per_hour * TenantSize::MEAN;
        let alive = poisson(vms_per_hour * self.lives.mean_hours(), &mut draws).min(VMS_MAX / 2);
        for _ in 0..alive {
            self.tenant += 1;
            let whole = self.lives.draw_length_biased(life);
            let left = whole * unit(&mut draws);
            let start = Time::ZERO - hours(whole - left);
            self.types.next();
            self.add_vm(start, hours(whole));
        }
    }

    /// Draws requests until the last day or [`VMS_MAX`]; when they end.
    fn arrivals(&mut self, life: &mut impl Rng, seed: Seed) -> Time {
        let mut draws = seed.stream("generated arrivals").generator();
        let minutes = (self.settings.days * 1_440.0) as u64;
        let spike_chance = self.settings.spikes_per_day / 1_440.0;
        for minute in 0..minutes.max(1) {
            let spike = if unit(&mut draws) < spike_chance { self.settings.spike_requests } else { 0 };
            let requests = poisson(self.settings.rate_per_minute(minute as f64), &mut draws) + u64::from(spike);
            let mut moments: Vec<_> = (0..requests).map(|_| (unit(&mut draws) * 59_999.0) as u64).collect();
            moments.sort_unstable();
            for moment in moments {
                if self.builder.len() as u64 >= VMS_MAX {
                    return Time((minute * Millis::MINUTE.0) as i64);
                }
                let at = Time((minute * Millis::MINUTE.0 + 1 + moment) as i64);
                let size = TenantSize::draw(&mut draws);
                self.request(at, size, life);
            }
        }
        Time::ZERO + hours(self.settings.days * 24.0)
    }

    /// One request: its VMs are alike, each with a life of its own.
    fn request(&mut self, at: Time, vms: u32, life: &mut impl Rng) {
        self.tenant += 1;
        self.types.next();
        for _ in 0..vms {
            let whole = self.lives.draw(life);
            self.add_vm(at, hours(whole));
        }
    }

    fn add_vm(&mut self, start: Time, life: Millis) {
        let name = self.builder.len() as u64;
        self.builder.push(VmRow { name, tenant: self.tenant, shape: self.types.current, start, end: start + life });
    }
}

/// VM types with their popularity, and the habit of repeating the last one.
struct Types {
    table: Vec<(VmShape, f64)>,
    draws: Xoshiro256PlusPlus,
    repeats: f64,
    spot: f64,
    current: VmShape,
}

impl Types {
    fn new(settings: &GeneratedWorkload, seed: Seed) -> Self {
        let column = settings.zone as usize - 1;
        let shape = |cores: u32, gib: u32| VmShape::plain(Resources::new(cores * 1_000, cores * gib * 1_024, 0, 0));
        let table: Vec<_> = CORES
            .iter()
            .flat_map(|(cores, share)| {
                MEMORY_PER_CORE.iter().map(move |(gib, common)| (shape(*cores, *gib), share[column] * common))
            })
            .collect();
        Self {
            current: table[0].0,
            table,
            draws: seed.stream("generated types").generator(),
            repeats: settings.repeats / 100.0,
            spot: settings.spot / 100.0,
        }
    }

    /// The type of the next request. Always takes the same number of draws.
    fn next(&mut self) {
        let (repeat, which, spot) = (unit(&mut self.draws), unit(&mut self.draws), unit(&mut self.draws));
        if repeat < self.repeats {
            return;
        }
        let mut left = which * self.table.iter().map(|(_, share)| share).sum::<f64>();
        let chosen = self.table.iter().find(|(_, share)| {
            left -= share;
            left < 0.0
        });
        self.current = chosen.unwrap_or(&self.table[0]).0;
        self.current.priority = u8::from(spot < self.spot);
    }
}

/// VMs per request: 94% one, 99% at most five, a few hundreds (Protean section 2.2).
struct TenantSize;

impl TenantSize {
    const LARGEST: f64 = 300.0;
    /// The mean of the law below.
    const MEAN: f64 = 0.94 + 0.05 * 3.5 + 0.01 * 75.1;

    fn draw(draws: &mut impl Rng) -> u32 {
        let (kind, size) = (unit(draws), unit(draws));
        if kind < 0.94 {
            1
        } else if kind < 0.99 {
            2 + (size * 4.0) as u32
        } else {
            libm::exp(libm::log(6.0) + size * libm::log(Self::LARGEST / 6.0)) as u32
        }
    }
}

/// The law of lifetimes: pieces between the points of the published distribution, each
/// log-uniform.
struct Lives {
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy)]
struct Piece {
    share: f64,
    low: f64,
    high: f64,
}

impl Piece {
    fn mean(&self) -> f64 {
        (self.high - self.low) / libm::log(self.high / self.low)
    }

    fn at(&self, unit: f64) -> f64 {
        self.low * libm::pow(self.high / self.low, unit)
    }
}

impl Lives {
    fn new(longest_hours: f64) -> Self {
        let mut pieces: Vec<Piece> = LIFETIME_CDF
            .windows(2)
            .map(|pair| Piece { share: pair[1].1 - pair[0].1, low: pair[0].0, high: pair[1].0.min(longest_hours) })
            .filter(|piece| piece.low < piece.high)
            .collect();
        let tail = LIFETIME_CDF[LIFETIME_CDF.len() - 1];
        if longest_hours > tail.0 {
            pieces.push(Piece { share: 100.0 - tail.1, low: tail.0, high: longest_hours });
        }
        Self { pieces }
    }

    fn mean_hours(&self) -> f64 {
        let total: f64 = self.pieces.iter().map(|piece| piece.share).sum();
        self.pieces.iter().map(|piece| piece.share * piece.mean()).sum::<f64>() / total
    }

    fn piece(&self, unit: f64, weight: impl Fn(&Piece) -> f64) -> Piece {
        let mut left = unit * self.pieces.iter().map(&weight).sum::<f64>();
        let found = self.pieces.iter().find(|piece| {
            left -= weight(piece);
            left < 0.0
        });
        *found.unwrap_or(&self.pieces[self.pieces.len() - 1])
    }

    /// A life in hours.
    fn draw(&self, draws: &mut impl Rng) -> f64 {
        let piece = self.piece(unit(draws), |piece| piece.share);
        piece.at(unit(draws))
    }

    /// The life, in hours, of a VM met at a random moment: long ones are met more often. Within
    /// a log-uniform piece, weighting by length makes the length uniform.
    fn draw_length_biased(&self, draws: &mut impl Rng) -> f64 {
        let piece = self.piece(unit(draws), |piece| piece.share * piece.mean());
        piece.low + (piece.high - piece.low) * unit(draws)
    }
}

fn hours(hours: f64) -> Millis {
    Millis((hours * Millis::HOUR.0 as f64) as u64)
}

/// A number from 0 up to 1 with 53 random bits.
fn unit(draws: &mut impl Rng) -> f64 {
    (draws.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn poisson(mean: f64, draws: &mut impl Rng) -> u64 {
    Poisson::new(mean).map_or(0, |law| law.sample(draws) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::{RequestId, VmId};

    fn workload(days: f64, requests_per_hour: f64) -> Workload {
        GeneratedWorkload { days, requests_per_hour, ..GeneratedWorkload::default() }.generate(Seed(1))
    }

    #[test]
    fn it_has_the_shape_the_paper_reports() {
        let workload = workload(20.0, 200.0);
        let requests: Vec<_> = (workload.warm_count()..workload.request_count()).map(RequestId).collect();
        let sizes: Vec<_> = requests.iter().map(|request| workload.vms_of(*request).len()).collect();
        let share =
            |keep: &dyn Fn(usize) -> bool| sizes.iter().filter(|size| keep(**size)).count() as f64 / sizes.len() as f64;
        assert!((share(&|size| size == 1) - 0.94).abs() < 0.01, "94% of requests are one VM");
        assert!((share(&|size| size <= 5) - 0.99).abs() < 0.005, "99% are five or fewer");
        assert!(sizes.iter().max().expect("requests") > &100, "a few are hundreds");

        let shape = |request: &RequestId| workload.shape_of(VmId(workload.vms_of(*request).start));
        let repeats = requests.windows(2).filter(|pair| shape(&pair[0]) == shape(&pair[1])).count();
        assert!(repeats as f64 / requests.len() as f64 > 0.8, "over 80% repeat the type before");

        let short = |vm: &VmId| workload.end(*vm).since(workload.at(workload.request_of(*vm))) <= Millis::HOUR;
        let fresh: Vec<_> = (workload.warm_count()..workload.vm_count()).map(VmId).collect();
        let short = fresh.iter().filter(|vm| short(vm)).count() as f64 / fresh.len() as f64;
        assert!((short - 0.636).abs() < 0.02, "63.6% live at most an hour: {short}");
    }

    #[test]
    fn the_zone_starts_as_full_as_it_stays() {
        let workload = workload(60.0, 300.0);
        let live = |at: Time| {
            (0..workload.vm_count())
                .map(VmId)
                .filter(|vm| workload.at(workload.request_of(*vm)) <= at && workload.end(*vm) > at)
                .count() as f64
        };
        let (start, later) = (live(Time::ZERO), live(Time::ZERO + Millis(55 * Millis::DAY.0)));
        assert!((start / later - 1.0).abs() < 0.15, "{start} VMs at the start, {later} later");
    }

    #[test]
    fn a_seed_is_a_workload() {
        assert_eq!(workload(1.0, 50.0), workload(1.0, 50.0));
        let other = GeneratedWorkload { days: 1.0, requests_per_hour: 50.0, ..Default::default() }.generate(Seed(2));
        assert_ne!(workload(1.0, 50.0), other);
    }
}
