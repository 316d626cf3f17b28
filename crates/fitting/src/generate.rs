//! Draws a workload from a fit.
//!
//! Arrivals, demands, lifetimes and the start each use their own random stream. For n VMs and k flavours it takes O(n
//! log k), and O(log n) more for each returning tenant.

use alloc::vec::Vec;
use core::fmt;

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_model::random::Seed;
use tiebreak_model::{Millis, Time, VmRow, Workload, WorkloadBuilder};

use crate::Fitted;
use crate::arrivals::{ArrivalDraws, WINDOW_MS};
use crate::lives::Curve;
use crate::numbers::{Counts, DAY_MS, HOUR_MS, Weighted, size_class, unit};
use crate::requests::LARGE_ABOVE;

/// The most VMs in a generated workload.
pub const VMS_MAX: u64 = 20_000_000;

/// The size of the generated workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// A factor on the number of requests, of tenants, and of VMs running at the start. Requests, lifetimes and the
    /// rhythm stay the same.
    pub rate: f64,
    /// Its length in days. The rhythm of days and weeks continues, and so does the random variation; nothing is
    /// stretched.
    pub days: f64,
    /// The seed of all random draws.
    pub seed: Seed,
}

/// Why nothing is generated.
#[derive(Clone, Debug, PartialEq)]
pub enum GenerateFault {
    /// Rate or days are out of range.
    Scale(Scale),
    /// Approximately this many VMs would arrive.
    TooManyVms(f64),
    /// No VM is running at the start, and none arrived.
    Empty,
}

impl fmt::Display for GenerateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scale(Scale { rate, days, .. }) => {
                write!(
                    f,
                    "expected a rate above 0 and a duration from 5 minutes to 10,000 days, got a rate of {rate} and \
                     {days} days; change them"
                )
            }
            Self::TooManyVms(vms) => {
                write!(f, "expected at most {VMS_MAX} VMs, got about {vms:.0}; use a lower rate or fewer days")
            }
            Self::Empty => {
                write!(f, "expected at least 1 VM, got none; use a higher rate, more days or another seed")
            }
        }
    }
}

impl core::error::Error for GenerateFault {}

impl Fitted {
    /// Draws a workload; the same scale gives the same VMs on every platform.
    ///
    /// # Errors
    /// If the scale is out of range, or too many VMs or none would arrive.
    pub fn generate(&self, scale: &Scale) -> Result<Workload, GenerateFault> {
        let Scale { rate, days, seed } = *scale;
        let windows = days * DAY_MS / WINDOW_MS as f64;
        if !(rate > 0.0 && rate.is_finite() && windows >= 1.0 && days <= 10_000.0) {
            return Err(GenerateFault::Scale(*scale));
        }
        let expected = self.expected_vms(rate, days);
        if expected > VMS_MAX as f64 {
            return Err(GenerateFault::TooManyVms(expected));
        }
        let mut drawn = FittedRows::new(self, seed);
        drawn.start(rate);
        drawn.arrivals(rate, windows as u64);
        drawn.builder.finish(Time(windows as i64 * WINDOW_MS)).map_err(|_| GenerateFault::Empty)
    }

    /// The expected number of VMs, including those running at the start.
    #[must_use]
    pub fn expected_vms(&self, rate: f64, days: f64) -> f64 {
        let (requests, vms, start) = self.flavours.iter().fold((0.0, 0.0, 0.0), |(requests, vms, start), flavour| {
            let own = flavour.requests.total() as f64;
            (requests + own, vms + own * flavour.requests.mean(), start + f64::from(flavour.start))
        });
        let of_request = if requests > 0.0 { vms / requests } else { 0.0 };
        rate * (start + self.arrivals.requests_per_hour * 24.0 * days * of_request)
    }
}

/// One request that was drawn.
#[derive(Clone, Copy)]
struct DrawnRequest {
    at: Time,
    tenant: u64,
    flavour: usize,
    vms: u32,
}

struct FittedRows<'a> {
    fitted: &'a Fitted,
    builder: WorkloadBuilder,
    seed: Seed,
    tenants: u64,
    /// Flavours of requests that are not large, and of large ones.
    of_requests: [Weighted; 2],
    of_others: Weighted,
    /// Sizes of requests of each flavour, split in the same way.
    sizes: Vec<[Weighted; 2]>,
    /// For each flavour and size class.
    lives: Vec<Vec<&'a Curve>>,
    asked: Vec<DrawnRequest>,
}

impl<'a> FittedRows<'a> {
    fn new(fitted: &'a Fitted, seed: Seed) -> Self {
        let flavours = &fitted.flavours;
        let weight =
            |(vms, many): &(u32, u32), large: bool| if (*vms > LARGE_ABOVE) == large { u64::from(*many) } else { 0 };
        let part = |counts: &Counts, large: bool| Weighted::new(counts.0.iter().map(|of| weight(of, large)));
        let all = |counts: &Counts, large: bool| counts.0.iter().map(|of| weight(of, large)).sum();
        let both = [false, true];
        Self {
            fitted,
            builder: WorkloadBuilder::new(),
            seed,
            tenants: 0,
            of_requests: both.map(|large| Weighted::new(flavours.iter().map(|flavour| all(&flavour.requests, large)))),
            of_others: Weighted::new(flavours.iter().map(|flavour| u64::from(flavour.others))),
            sizes: flavours.iter().map(|flavour| both.map(|large| part(&flavour.requests, large))).collect(),
            lives: (0..flavours.len()).map(|flavour| fitted.lives.curves(flavour)).collect(),
            asked: Vec::new(),
        }
    }

    fn draws(&self, name: &str) -> Xoshiro256PlusPlus {
        self.seed.stream(name).generator()
    }

    /// VMs running at the start. Flavours have exactly their shares while they last: tenants, with their numbers of
    /// VMs, take them in order, so that most tenants have VMs of one flavour.
    fn start(&mut self, rate: f64) {
        let start = &self.fitted.start;
        let mut draws = self.draws("fitted start");
        let below: Vec<u64> = self
            .fitted
            .flavours
            .iter()
            .scan(0, |sum, flavour| {
                *sum += u64::from(flavour.start);
                Some(*sum)
            })
            .collect();
        let all = below.last().copied().unwrap_or(0);
        let wanted = libm::round(all as f64 * rate) as u64;
        let of_tenants = Weighted::new(start.tenants.0.iter().map(|(_, many)| u64::from(*many)));
        let mut made = 0;
        while made < wanted {
            let size = of_tenants.draw(&mut draws).map_or(1, |at| start.tenants.0[at].0);
            let vms = u64::from(size).min(wanted - made) as u32;
            self.tenants += 1;
            let mut came = core::iter::once(false).chain(start.came_together.draw(vms, &mut draws));
            let mut ended = core::iter::once(false).chain(start.together.draw(vms, &mut draws));
            let (mut age, mut left) = (0.0, 0.0);
            for vm in made..made + u64::from(vms) {
                if came.next() != Some(true) {
                    age = unit(&mut draws);
                }
                if ended.next() != Some(true) {
                    left = unit(&mut draws);
                }
                let place = ((vm as f64 + 0.5) / wanted as f64 * all as f64) as u64;
                let flavour = below.partition_point(|below| *below <= place).min(below.len() - 1);
                self.alive(flavour, age, left);
            }
            made += u64::from(vms);
        }
    }

    fn alive(&mut self, flavour: usize, age: f64, left: f64) {
        let (hours, remaining) = self.fitted.start.age(age);
        let start = Time(-((hours * HOUR_MS as f64) as i64));
        let end = ends(Time::ZERO, remaining.and_then(|curve| curve.life_ms(left)));
        self.push(self.tenants, flavour, start, end);
    }

    fn arrivals(&mut self, rate: f64, windows: u64) {
        let arrivals = &self.fitted.arrivals;
        let (mut draws, mut asks, mut lives) =
            (self.draws("fitted arrivals"), self.draws("fitted requests"), self.draws("fitted lives"));
        let mut drawn = ArrivalDraws::new(arrivals, rate);
        let grid = arrivals.grid_ms as i64;
        let horizon = windows as i64 * WINDOW_MS;
        let mut moments = Vec::new();
        for window in 0..windows as i64 {
            let requests = drawn.next(&mut draws);
            moments.clear();
            let moment = |_| window * WINDOW_MS + (unit(&mut draws) * WINDOW_MS as f64) as i64;
            // On a grid, arrivals are at the end of a step.
            moments.extend((0..requests).map(moment).map(|ms| (ms / grid + 1) * grid));
            moments.sort_unstable();
            for at in moments.drain(..).filter(|at| *at <= horizon) {
                if self.builder.len() as u64 >= VMS_MAX {
                    return;
                }
                let Some(asked) = self.ask(Time(at), &mut asks) else { return };
                self.asked.push(asked);
                self.request(asked, &mut asks, &mut lives);
            }
        }
    }

    /// The next tenant and its request; `None` if the trace has no requests.
    fn ask(&mut self, at: Time, draws: &mut impl Rng) -> Option<DrawnRequest> {
        let [large, returns, when, alike, as_many, lag] = [(); 6].map(|()| unit(draws));
        let hour = (at.0 - 1) / HOUR_MS % 24;
        let mut large = usize::from(large < self.fitted.large.of_day[hour as usize]);
        if !self.of_requests[large].has_any() {
            large = 1 - large;
        }
        let anything = self.of_requests[large].draw(draws)?;
        let returning = &self.fitted.returns;
        let before = (returns < returning.share).then(|| self.asked_before(at, returning.gap_h(when))).flatten();
        if let Some(before) = before {
            let flavour = if alike < returning.same_flavour { before.flavour } else { anything };
            let (flavour, vms) = self.size(flavour, anything, large, draws);
            let vms = if as_many < returning.same_size { before.vms } else { vms };
            return Some(DrawnRequest { at, tenant: before.tenant, flavour, vms });
        }
        let lag = self.fitted.repeats.lag(lag).and_then(|lag| self.asked.len().checked_sub(lag));
        let flavour = lag.map_or(anything, |at| self.asked[at].flavour);
        let (flavour, vms) = self.size(flavour, anything, large, draws);
        self.tenants += 1;
        Some(DrawnRequest { at, tenant: self.tenants, flavour, vms })
    }

    /// The number of VMs in a request for this flavour; if the flavour never has such a size, the request is for the
    /// other one.
    fn size(&self, flavour: usize, other: usize, large: usize, draws: &mut impl Rng) -> (usize, u32) {
        let flavour = if self.sizes[flavour][large].has_any() { flavour } else { other };
        let sizes = &self.fitted.flavours[flavour].requests.0;
        (flavour, self.sizes[flavour][large].draw(draws).map_or(1, |at| sizes[at].0))
    }

    /// The request about this many hours ago, or the first one.
    fn asked_before(&self, now: Time, hours: f64) -> Option<DrawnRequest> {
        let then = now - Millis((hours * HOUR_MS as f64) as u64);
        let at = self.asked.partition_point(|asked| asked.at <= then).saturating_sub(1);
        // A request at the same instant would merge with this one.
        self.asked.get(at).copied().filter(|asked| asked.at < now)
    }

    fn request(&mut self, asked: DrawnRequest, asks: &mut impl Rng, lives: &mut impl Rng) {
        let fitted = self.fitted;
        let DrawnRequest { at, tenant, mut flavour, vms } = asked;
        let class = size_class(vms);
        let alike = core::iter::once(true).chain(fitted.same_flavour[class].draw(vms, asks));
        let together = core::iter::once(false).chain(fitted.lives.together[class].draw(vms, lives));
        let mut left = 0.0;
        for (alike, together) in alike.zip(together) {
            if !alike {
                flavour = self.other(flavour, asks);
            }
            if !together {
                left = unit(lives);
            }
            let curve = self.lives[flavour][class];
            self.push(tenant, flavour, at, ends(at, curve.life_ms(left)));
        }
    }

    /// A flavour other than this one; the same if no other is found.
    fn other(&self, flavour: usize, draws: &mut impl Rng) -> usize {
        const TRIES: u32 = 16;
        let mut tries = (0..TRIES).filter_map(|_| self.of_others.draw(draws));
        tries.find(|other| *other != flavour).unwrap_or(flavour)
    }

    fn push(&mut self, tenant: u64, flavour: usize, start: Time, end: Time) {
        let (name, shape) = (self.builder.len() as u64, self.fitted.flavours[flavour].shape());
        self.builder.push(VmRow { name, tenant, shape, start, end });
    }
}

/// The end of a VM with this remaining lifetime, at least a millisecond.
fn ends(from: Time, left_ms: Option<u64>) -> Time {
    left_ms.map_or(Time::NEVER, |left| from + Millis(left.max(1)))
}
