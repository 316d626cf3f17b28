//! A generated workload with the shape reported in Protean section 2.2 (row P10): sizes, tenant sizes, repetition,
//! the daily rhythm and spikes. Lifetimes follow the distribution that Microsoft published for 2019. Zone 3 uses
//! those of another cluster (power oversubscription Table I, row W6), and zone 4 those of LAVA's C2 pools.
//!
//! Arrivals, sizes and lifetimes each have their own random stream, so changing one setting leaves the other draws
//! unchanged. VMs alive at the start are drawn from the stationary distribution: lifetimes weighted by their length,
//! each at a uniform point. Placement terms and growth of tenants are in [`habits`](crate::habits); tenants with
//! similar lifetimes are in [`tenants`](crate::tenants).

use alloc::vec::Vec;

use rand_core::Rng;
use rand_distr::{Distribution, Poisson};
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_model::random::{Seed, Stream};
use tiebreak_model::{
    Declared, Millis, Resources, TenantTerms, Time, VmRow, VmShape, Workload, WorkloadBuilder, declare,
};

use super::habits::{GROWN_VMS_MEAN, Habits, ScaleOut};
use super::lives::{AZURE_LIVES, C2_LIVES, LifetimeLaw, TABLE_1_LIVES};
use super::tenants::{Tenant, Tenants};

declare! {
    /// A generated zone with Azure's patterns: most requests are for one small VM like the previous one. Most VMs
    /// live for minutes; a few live for months and hold most of the cores. (Protean section 2.2; lifetimes as
    /// published for Azure in 2019)
    pub struct GeneratedWorkload as "Generated workload" {
        /// How long the trace is.
        days: f64 = 7, 0.01 => 90, "days";
        /// Requests per hour on average. A request is for about 1.8 VMs; in zone 3 for 7.5.
        requests_per_hour: f64 = 100, 0.1 => 1000000, "requests/h";
        /// Which published zone to generate: 1 and 2 are Protean's; zone 2 has more requests for small VMs and for
        /// whole machines. Zone 3 is the cluster on which power oversubscription was simulated, with its sizes of
        /// VMs and requests, 7.5 VMs on average, and its lifetimes. (Power oversubscription, Table I) Zone 4 is like
        /// LAVA's C2 pools: 4 GiB per core, nearly all requests for one VM, 88 % of which live less than an hour.
        /// (LAVA, Figure 1)
        zone: u32 = 1, 1 => 4, "";
        /// How often a request is for the same VM type as the previous one.
        repeats: f64 = 80, 0 => 100, "%";
        /// How far the arrival rate swings around its mean during a day.
        daily_swing: f64 = 40, 0 => 100, "%";
        /// Spikes per day, at random times.
        spikes_per_day: f64 = 2, 0 => 1000, "";
        /// Requests per spike, within one minute.
        spike_requests: u32 = 60, 0 => 100000, "requests";
        /// Share of low-priority (spot) VMs.
        spot: f64 = 15, 0 => 100, "%";
        /// The longest lifetime; a longer tail keeps more of the zone occupied permanently.
        longest_life: f64 = 90, 0.1 => 1000, "days";
        /// Of the tenants with several VMs, the share that requires spreading over up to 5 racks, so that no
        /// failure affects all of them. A larger value gives the fault-domain rules more to do. (Protean sections
        /// 2.1 and 2.2)
        fault_domains: f64 = 0, 0 => 100, "%";
        /// Of the tenants with several VMs, the share that requires one datacenter, one cluster or one rack, each
        /// equally likely. Tenants that spread or have more than 10 VMs require a cluster instead of a rack.
        /// (Protean section 2.1)
        co_located: f64 = 0, 0 => 100, "%";
        /// Share of tenants that require machines without other tenants. A larger value leaves more cores idle.
        /// (Protean section 2.1)
        isolated: f64 = 0, 0 => 100, "%";
        /// Of the tenants with several VMs, the share that allows only one or two of them per machine. (Protean
        /// section 2.1)
        capped: f64 = 0, 0 => 100, "%";
        /// Share of tenants that grow: while they run, they make 1 to 3 more requests, each for 1 to 5 VMs like
        /// those they have. This adds to the requests per hour: 6 VMs for each tenant that grows. Tenants shrink
        /// again as VMs end. (Protean section 2.1)
        scale_outs: f64 = 0, 0 => 100, "%";
        /// Of the tenants with several VMs, the share that is deleted as a whole: all their VMs end when the first
        /// one does. The others shrink VM by VM. (Protean section 2.1)
        deleted_whole: f64 = 0, 0 => 100, "%";
        /// Share of requests from a tenant that made requests before: one of the latest 500, so a tenant with many
        /// requests makes even more. With a larger value, more tenants have a history to learn from.
        returning: f64 = 0, 0 => 100, "%";
        /// How many tenants make all requests; a few of them make many. Each has a usual lifetime, a VM type, and an
        /// hour of the day at which it asks most. With 0, tenants have no such habits. The lifetimes that are drawn
        /// stay the same. Tenants with habits do not grow.
        tenants: u32 = 0, 0 => 100000, "tenants";
        /// Share of VMs that follow their tenant's habit, in lifetime and type. Only where this is above 0 can a
        /// predictor learn anything from tenants.
        purity: f64 = 0, 0 => 100, "%";
        /// How far the lifetimes of VMs that follow it are from their tenant's usual ones: the standard deviation of
        /// their logarithm. 0.3 means within a factor of 2 for two VMs in three.
        spread: f64 = 0.3, 0 => 3, "decades";
        /// How long before the trace its tenants are observed. Predictors of lifetimes then learn from those days only,
        /// instead of from the first part of the trace. VMs that are still running when the trace begins are there at
        /// its start.
        earlier_days: f64 = 0, 0 => 90, "days";
    }
}

/// The maximum number of VMs in a generated workload.
pub const VMS_MAX: u64 = 5_000_000;

/// Cores per VM and their shares in percent: Protean's two zones (Table 3; "10 or more" is taken as 16 cores and "20
/// or more" as 32), power oversubscription's (Table I; "32 or more" is 32), and the sizes of C2 VMs, with shares of
/// our own.
const CORES: [(u32, [f64; 4]); 7] = [
    (1, [17.1, 27.0, 33.0, 0.0]),
    (2, [37.4, 52.4, 27.0, 0.0]),
    (4, [32.0, 10.5, 21.0, 70.0]),
    (8, [8.9, 4.5, 10.0, 18.0]),
    (16, [4.3, 2.6, 5.0, 9.0]),
    (24, [0.0, 0.0, 3.0, 0.0]),
    (32, [0.3, 3.1, 1.0, 3.0]),
];

/// GiB of memory per core and their frequency: Azure's compute, general and memory families.
const MEMORY_PER_CORE: [(u32, f64); 3] = [(2, 0.25), (4, 0.55), (8, 0.20)];

/// The same for the one family of C2.
const MEMORY_PER_CORE_OF_C2: [(u32, f64); 1] = [(4, 1.0)];

/// VMs per request in zone 3 (power oversubscription Table I): from, to, and share in percent. Sizes within a bin are
/// equally likely; "more than 25" is taken as up to twice that.
const TABLE_1_REQUESTS: [(u32, u32, f64); 7] =
    [(1, 1, 39.0), (2, 2, 14.0), (3, 5, 16.0), (6, 10, 9.0), (11, 15, 8.0), (16, 25, 5.0), (26, 50, 9.0)];

/// The zone with the sizes and lifetimes of power oversubscription's Table I.
const TABLE_1: u32 = 3;

/// The zone that resembles LAVA's C2 pools.
const C2: u32 = 4;

impl GeneratedWorkload {
    /// Generates the workload of this seed; it ends early if it would exceed [`VMS_MAX`] VMs.
    #[must_use]
    pub fn generate(&self, seed: Seed) -> Workload {
        // Replace disallowed values by defaults.
        let settings = Self::from_values(&self.to_values());
        let all = Self { days: settings.days + settings.earlier_days, earlier_days: 0.0, ..settings };
        let begins = Time(all.horizon().0 - settings.horizon().0);
        let whole = all.all_days(seed);
        // A workload that would be too large may end before.
        let later = (begins > Time::ZERO && begins < whole.horizon()).then(|| whole.begun_at(begins)).flatten();
        later.unwrap_or(whole)
    }

    /// Generates the workload with all days from the first on.
    fn all_days(&self, seed: Seed) -> Workload {
        let mut rows = GeneratedRows::new(self, seed);
        // Most workloads have fewer, and their rows are never moved.
        rows.builder.reserve((1.05 * self.expected_vms()) as usize);
        let mut life = seed.stream("generated lifetimes").generator();
        rows.alive_at_start(&mut life, seed);
        let horizon = rows.arrivals(&mut life, seed);
        rows.grown_before(seed);
        rows.add_later(horizon);
        if rows.builder.is_empty() {
            rows.add_vm(0, Time(1), hours(1.0), TenantTerms::NONE);
        }
        rows.builder.finish(horizon).expect("a generated workload is not empty and has fewer VMs than ids")
    }

    /// Its expected number of VMs with those of the earlier days, at most [`VMS_MAX`].
    #[must_use]
    pub fn expected_vms(&self) -> f64 {
        let Self { requests_per_hour, spikes_per_day, spike_requests, scale_outs, .. } = *self;
        let days = self.days + self.earlier_days;
        let (life, hours) = (self.lives().mean_hours(), days * 24.0);
        let in_spikes = spikes_per_day * days * f64::from(spike_requests);
        let first = self.tenant_size().mean() * (requests_per_hour * (life + hours) + in_spikes);
        let growing = requests_per_hour * (life + hours) + in_spikes;
        (first + scale_outs / 100.0 * GROWN_VMS_MEAN * growing).min(VMS_MAX as f64)
    }

    /// Whether its workload ends early because it would have exceeded [`VMS_MAX`] VMs.
    #[must_use]
    pub fn ends_early(&self, workload: &Workload) -> bool {
        workload.horizon() < self.horizon()
    }

    /// The end of the trace.
    fn horizon(&self) -> Time {
        Time::ZERO + hours(self.days * 24.0)
    }

    fn tenant_size(&self) -> TenantSize {
        match self.zone {
            TABLE_1 => TenantSize::Table1,
            C2 => TenantSize::C2,
            _ => TenantSize::Protean,
        }
    }

    fn lives(&self) -> LifetimeLaw {
        let points = match self.zone {
            TABLE_1 => TABLE_1_LIVES,
            C2 => C2_LIVES,
            _ => AZURE_LIVES,
        };
        LifetimeLaw::new(points, self.longest_life * 24.0)
    }

    /// Whether tenants have placement terms, or grow or end together.
    fn has_habits(&self) -> bool {
        let Self { fault_domains, co_located, isolated, capped, scale_outs, deleted_whole, .. } = *self;
        [fault_domains, co_located, isolated, capped, scale_outs, deleted_whole].iter().any(|share| *share > 0.0)
    }

    /// Requests per minute at a minute of the trace.
    fn rate_per_minute(&self, minute: f64) -> f64 {
        const PEAK_MINUTE: f64 = 15.0 * 60.0;
        let phase = core::f64::consts::TAU * (minute - PEAK_MINUTE) / 1_440.0;
        self.requests_per_hour / 60.0 * (1.0 + self.daily_swing / 100.0 * libm::cos(phase))
    }
}

struct GeneratedRows<'a> {
    settings: &'a GeneratedWorkload,
    builder: WorkloadBuilder,
    /// Later requests of tenants. Their names come after all others, so that the others keep their names and their
    /// random draws.
    later: Vec<VmRow>,
    lives: LifetimeLaw,
    types: Types,
    habits: Stream,
    /// The number of requests so far; a request's tenant has this number, unless an earlier tenant returns.
    tenant: u64,
    returns: Returns,
    /// The tenants that make all requests, if their number is set, and their draws.
    tenants: Option<(Tenants, Xoshiro256PlusPlus)>,
}

impl<'a> GeneratedRows<'a> {
    fn new(settings: &'a GeneratedWorkload, seed: Seed) -> Self {
        Self {
            settings,
            builder: WorkloadBuilder::new(),
            later: Vec::new(),
            lives: settings.lives(),
            types: Types::new(settings, seed.stream("generated types")),
            habits: seed.stream("generated habits"),
            tenant: 0,
            returns: Returns::new(settings.returning / 100.0, seed),
            tenants: Tenants::draw(settings, seed)
                .map(|tenants| (tenants, seed.stream("generated requests of tenants").generator())),
        }
    }

    fn alive_at_start(&mut self, life: &mut impl Rng, seed: Seed) {
        let mut draws = seed.stream("generated start").generator();
        let vms_per_hour = self.settings.requests_per_hour * self.settings.tenant_size().mean();
        let alive = poisson(vms_per_hour * self.lives.mean_hours(), &mut draws).min(VMS_MAX / 2);
        // Here each is a separate tenant, while a growing tenant counts once, however many VMs it has.
        let grows = self.settings.scale_outs / 100.0 / self.settings.tenant_size().mean();
        for _ in 0..alive {
            let mut tenant = self.next_tenant();
            let whole = self.lives.draw_length_biased(life);
            let left = whole * unit(&mut draws);
            let start = Time::ZERO - hours(whole - left);
            self.types.next();
            if let Some(asks) = self.tenant_of(whole, start) {
                tenant = asks.name;
            }
            let habits = self.habits(tenant, 1, grows);
            self.add_vm(tenant, start, hours(whole), terms_of(habits.as_ref()));
            self.grow(tenant, habits, start, start + hours(whole));
        }
    }

    /// Generates the VMs that tenants added before the trace began and that are still alive. Without them, the zone
    /// would fill up during the trace.
    fn grown_before(&mut self, seed: Seed) {
        let GeneratedWorkload { requests_per_hour, scale_outs, deleted_whole, .. } = *self.settings;
        let mut draws = seed.stream("generated growth before").generator();
        let mut types = Types::new(self.settings, seed.stream("generated types of growth before"));
        // A VM that ends with its tenant has on average half of the tenant's lifetime left.
        let life = self.lives.mean_hours() * (1.0 - deleted_whole / 200.0);
        let alive = poisson(requests_per_hour * scale_outs / 100.0 * GROWN_VMS_MEAN * life, &mut draws);
        for _ in 0..alive.min(VMS_MAX.saturating_sub(self.len())) {
            self.tenant += 1;
            let whole = self.lives.draw_length_biased(&mut draws);
            let start = Time::ZERO - hours(whole * unit(&mut draws));
            types.next();
            let terms = terms_of(self.habits(self.tenant, 1, 0.0).as_ref());
            let shape = VmShape { terms, ..types.current };
            self.later.push(VmRow { name: 0, tenant: self.tenant, shape, start, end: start + hours(whole) });
        }
    }

    /// Generates requests until the last day or [`VMS_MAX`]. Returns when they end.
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
                if self.len() >= VMS_MAX {
                    return Time((minute * Millis::MINUTE.0) as i64);
                }
                let at = Time((minute * Millis::MINUTE.0 + 1 + moment) as i64);
                let size = self.settings.tenant_size().draw(&mut draws);
                self.request(at, size, life);
            }
        }
        self.settings.horizon()
    }

    /// A new request, usually a tenant's first: its VMs are equal, with separate lifetimes unless they end together.
    fn request(&mut self, at: Time, vms: u32, life: &mut impl Rng) {
        let mut tenant = self.next_tenant();
        self.types.next();
        let first_life = self.lives.draw(life);
        let asks = self.tenant_of(first_life, at);
        if let Some(asks) = asks {
            tenant = asks.name;
        }
        let habits = self.habits(tenant, vms, self.settings.scale_outs / 100.0);
        let together = habits.as_ref().is_some_and(|habits| habits.deleted_whole);
        let (mut first, mut longest) = (None, Millis(0));
        for nth in 0..vms {
            let own = if nth == 0 { first_life } else { self.lives.draw(life) };
            let own = hours(asks.filter(|_| nth > 0).and_then(|asks| self.life_by_habit(&asks)).unwrap_or(own));
            let whole = if together { *first.get_or_insert(own) } else { own };
            longest = longest.max(whole);
            self.add_vm(tenant, at, whole, terms_of(habits.as_ref()));
        }
        self.grow(tenant, habits, at, at + longest);
    }

    /// The tenant with habits that requests a VM of this lifetime at this time; the next type is the tenant's own if
    /// it follows its habits.
    fn tenant_of(&mut self, life_hours: f64, at: Time) -> Option<Tenant> {
        let (tenants, draws) = self.tenants.as_mut()?;
        let minute = at.0.rem_euclid(Millis::DAY.0 as i64) as f64 / Millis::MINUTE.0 as f64;
        let tenant = tenants.of_life(&self.lives, life_hours, minute, draws);
        if tenants.has_own_type(draws) {
            self.types.current = VmShape { priority: self.types.current.priority, ..self.types.at(tenant.type_rank) };
        }
        Some(tenant)
    }

    /// The lifetime in hours of another VM of a request, if it follows its tenant's habit.
    fn life_by_habit(&mut self, tenant: &Tenant) -> Option<f64> {
        let (tenants, draws) = self.tenants.as_mut()?;
        tenants.life_of(tenant, &self.lives, draws)
    }

    /// The tenant of the next request: a new or an earlier one.
    fn next_tenant(&mut self) -> u64 {
        self.tenant += 1;
        self.returns.tenant_of(self.tenant)
    }

    /// The habits of a tenant in its newest request; only a first request leads to growth.
    fn habits(&self, tenant: u64, vms: u32, grows: f64) -> Option<Habits> {
        let grows = if tenant == self.tenant { grows } else { 0.0 };
        let draw = || Habits::draw(self.settings, self.habits, tenant, vms, grows);
        self.settings.has_habits().then(draw)
    }

    /// Adds the tenant's later requests within its lifetime and the trace.
    fn grow(&mut self, tenant: u64, habits: Option<Habits>, start: Time, end: Time) {
        let Some(Habits { terms, deleted_whole, scale_outs, mut draws }) = habits else { return };
        let shape = VmShape { terms, ..self.types.current };
        for ScaleOut { when, vms } in scale_outs {
            let at = start + Millis(1 + (end.since(start).0 as f64 * when) as u64);
            for _ in 0..vms {
                let own = at + hours(self.lives.draw(&mut draws));
                let end = if deleted_whole { end } else { own };
                if at > Time::ZERO && at < end && at <= self.settings.horizon() {
                    self.later.push(VmRow { name: 0, tenant, shape, start: at, end });
                }
            }
        }
    }

    fn add_vm(&mut self, tenant: u64, start: Time, life: Millis, terms: TenantTerms) {
        let name = self.builder.len() as u64;
        let shape = VmShape { terms, ..self.types.current };
        self.builder.push(VmRow { name, tenant, shape, start, end: start + life });
    }

    /// Adds the later requests that come before the end of the trace.
    fn add_later(&mut self, horizon: Time) {
        for row in core::mem::take(&mut self.later) {
            if row.start <= horizon {
                self.builder.push(VmRow { name: self.builder.len() as u64, ..row });
            }
        }
    }

    fn len(&self) -> u64 {
        (self.builder.len() + self.later.len()) as u64
    }
}

fn terms_of(habits: Option<&Habits>) -> TenantTerms {
    habits.map_or(TenantTerms::NONE, |habits| habits.terms)
}

/// VM types with their popularity, and the probability of repeating the last one.
struct Types {
    table: Vec<(VmShape, f64)>,
    draws: Xoshiro256PlusPlus,
    repeats: f64,
    spot: f64,
    current: VmShape,
}

impl Types {
    fn new(settings: &GeneratedWorkload, stream: Stream) -> Self {
        let column = settings.zone as usize - 1;
        let shape = |cores: u32, gib: u32| VmShape::plain(Resources::new(cores * 1_000, cores * gib * 1_024, 0, 0));
        let families: &[_] = if settings.zone == C2 { &MEMORY_PER_CORE_OF_C2 } else { &MEMORY_PER_CORE };
        let table: Vec<_> = CORES
            .iter()
            .flat_map(|(cores, share)| {
                families.iter().map(move |(gib, common)| (shape(*cores, *gib), share[column] * common))
            })
            .collect();
        Self {
            current: table[0].0,
            table,
            draws: stream.generator(),
            repeats: settings.repeats / 100.0,
            spot: settings.spot / 100.0,
        }
    }

    /// Draws the type of the next request. Always takes the same number of draws.
    fn next(&mut self) {
        let (repeat, which, spot) = (unit(&mut self.draws), unit(&mut self.draws), unit(&mut self.draws));
        if repeat < self.repeats {
            return;
        }
        self.current = self.at(which);
        self.current.priority = u8::from(spot < self.spot);
    }

    /// The type at this rank, from 0 to 1, in the order of the table.
    fn at(&self, rank: f64) -> VmShape {
        let mut left = rank * self.table.iter().map(|(_, share)| share).sum::<f64>();
        let chosen = self.table.iter().find(|(_, share)| {
            left -= share;
            left < 0.0
        });
        chosen.unwrap_or(&self.table[0]).0
    }
}

/// Which tenants come back.
struct Returns {
    share: f64,
    draws: Xoshiro256PlusPlus,
    /// The tenants of the latest requests; the oldest is overwritten first. Empty if no tenant returns.
    latest: Vec<u64>,
}

/// The number of requests that are remembered. With more, few tenants would have most of a zone.
const LATEST: usize = 500;

impl Returns {
    fn new(share: f64, seed: Seed) -> Self {
        Self { share, draws: seed.stream("generated returns").generator(), latest: Vec::new() }
    }

    /// The tenant of the next request; `fresh` is the tenant if it is a new one.
    fn tenant_of(&mut self, fresh: u64) -> u64 {
        if self.share == 0.0 {
            return fresh;
        }
        let (returns, which) = (unit(&mut self.draws), unit(&mut self.draws));
        let earlier = self.latest.get((which * self.latest.len() as f64) as usize);
        let tenant = earlier.copied().filter(|_| returns < self.share).unwrap_or(fresh);
        if self.latest.len() < LATEST {
            self.latest.push(tenant);
        } else {
            self.latest[fresh as usize % LATEST] = tenant;
        }
        tenant
    }
}

/// VMs per request: 94 % have one, 99 % at most five, a few have hundreds (Protean section 2.2); or as in
/// [`TABLE_1_REQUESTS`].
#[derive(Clone, Copy)]
enum TenantSize {
    Protean,
    Table1,
    /// Nearly all have one VM, the others up to five; our own choice.
    C2,
}

impl TenantSize {
    const LARGEST: f64 = 300.0;

    /// The mean of the distribution below.
    fn mean(self) -> f64 {
        match self {
            Self::Protean => 0.94 + 0.05 * 3.5 + 0.01 * 75.1,
            Self::C2 => 0.94 + 0.06 * 3.5,
            Self::Table1 => {
                TABLE_1_REQUESTS.iter().map(|(from, to, share)| f64::from(from + to) / 2.0 * share / 100.0).sum()
            }
        }
    }

    /// Always takes the same number of draws.
    fn draw(self, draws: &mut impl Rng) -> u32 {
        let (kind, size) = (unit(draws), unit(draws));
        match self {
            Self::Protean | Self::C2 if kind < 0.94 => 1,
            Self::Protean if kind < 0.99 => 2 + (size * 4.0) as u32,
            Self::C2 => 2 + (size * 4.0) as u32,
            Self::Protean => libm::exp(libm::log(6.0) + size * libm::log(Self::LARGEST / 6.0)) as u32,
            Self::Table1 => Self::of_table_1(kind, size),
        }
    }

    fn of_table_1(kind: f64, size: f64) -> u32 {
        let mut left = kind * 100.0;
        let found = TABLE_1_REQUESTS.iter().find(|(_, _, share)| {
            left -= share;
            left < 0.0
        });
        let (from, to, _) = *found.unwrap_or(&TABLE_1_REQUESTS[0]);
        from + (size * f64::from(to - from + 1)) as u32
    }
}

fn hours(hours: f64) -> Millis {
    Millis((hours * Millis::HOUR.0 as f64) as u64)
}

/// A number from 0 up to 1 with 53 random bits.
pub(crate) fn unit(draws: &mut impl Rng) -> f64 {
    (draws.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn poisson(mean: f64, draws: &mut impl Rng) -> u64 {
    Poisson::new(mean).map_or(0, |law| law.sample(draws) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use tiebreak_model::{RequestId, Scope, VmId};

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

    /// Links omit default values, so a workload without settings for tenants must never change.
    #[test]
    fn without_habits_of_tenants_workloads_are_what_they_were() {
        let busy = GeneratedWorkload { days: 0.5, requests_per_hour: 400.0, zone: 2, ..Default::default() };
        for (settings, seed, fingerprint) in [
            (GeneratedWorkload::default(), 1, 0x2db0_3f79_3b6e_ec1a_bbf4_c9fc_b406_bf12),
            (GeneratedWorkload::default(), 2, 0xcf17_c190_b908_9a8c_4b06_cb5a_eb32_7a15),
            (busy, 1, 0x54f8_7da9_f7b9_313b_b662_0baf_5f28_ce79),
            (busy, 2, 0x7c96_ff26_c9de_4d8f_394a_e342_f2e6_7ba5),
        ] {
            assert_eq!(settings.generate(Seed(seed)).fingerprint(), fingerprint, "seed {seed}: {settings:?}");
        }
    }

    /// The VMs of each tenant that arrived during the trace: when each started and ended, and its terms.
    fn by_tenant(workload: &Workload) -> BTreeMap<u64, Vec<(Time, Time, TenantTerms)>> {
        let mut tenants: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for request in (workload.warm_count()..workload.request_count()).map(RequestId) {
            let vms = workload.vms_of(request).map(VmId);
            let vms = vms.map(|vm| (workload.at(request), workload.end(vm), workload.shape_of_vm(vm).terms));
            tenants.entry(workload.tenant(request)).or_default().extend(vms);
        }
        tenants
    }

    fn share<T>(all: &[&T], keep: impl Fn(&T) -> bool) -> f64 {
        100.0 * all.iter().filter(|one| keep(one)).count() as f64 / all.len() as f64
    }

    #[test]
    fn tenants_ask_for_what_the_settings_say() {
        let settings = GeneratedWorkload {
            days: 20.0,
            requests_per_hour: 200.0,
            fault_domains: 60.0,
            co_located: 30.0,
            isolated: 5.0,
            capped: 40.0,
            deleted_whole: 50.0,
            ..Default::default()
        };
        let tenants = by_tenant(&settings.generate(Seed(1)));
        let all: Vec<_> = tenants.values().collect();
        let several: Vec<_> = all.iter().copied().filter(|vms| vms.len() > 1).collect();
        assert!(several.len() > 4_000, "{} tenants of several VMs", several.len());
        assert!(all.iter().all(|vms| vms.iter().all(|vm| vm.2 == vms[0].2)), "terms belong to the tenant");
        type Vms = Vec<(Time, Time, TenantTerms)>;
        let in_scope = |scope: Scope| move |vms: &Vms| vms[0].2.scope == scope;
        let together = |vms: &Vms| vms.iter().all(|vm| vm.1 == vms[0].1);
        for (what, got, expected) in [
            ("spread", share(&several, |vms| (2..=5).contains(&vms[0].2.fault_domains)), 60.0),
            ("co-located", share(&several, |vms| vms[0].2.scope != Scope::Zone), 30.0),
            ("in one datacenter", share(&several, in_scope(Scope::Datacenter)), 10.0),
            ("isolated", share(&all, |vms| vms[0].2.isolated), 5.0),
            ("capped", share(&several, |vms| (1..=2).contains(&vms[0].2.per_machine)), 40.0),
            ("deleted whole", share(&several, together), 50.0),
        ] {
            assert!((got - expected).abs() < 2.5, "{what}: {got}% instead of {expected}%");
        }
        let alone = |vms: &&Vms| vms.len() == 1;
        let only_isolated = |vms: &Vms| TenantTerms { isolated: false, ..vms[0].2 }.is_none();
        assert!(all.iter().copied().filter(alone).all(only_isolated), "one VM has nothing to be spread or capped");
        let in_a_rack = several.iter().filter(|vms| vms[0].2.scope == Scope::Rack);
        assert!(in_a_rack.clone().count() > 100);
        assert!(in_a_rack.clone().all(|vms| vms[0].2.fault_domains == 0 && vms.len() <= 10), "a rack could not do");
    }

    #[test]
    fn tenants_grow_while_they_live_and_the_zone_stays_as_full() {
        let settings =
            GeneratedWorkload { days: 40.0, requests_per_hour: 100.0, longest_life: 20.0, ..Default::default() };
        let growing = GeneratedWorkload { scale_outs: 20.0, ..settings };
        let (without, with) = (settings.generate(Seed(1)), growing.generate(Seed(1)));
        let (before, after) = (by_tenant(&without), by_tenant(&with));
        let vms = |tenants: &BTreeMap<u64, Vec<_>>| tenants.values().map(Vec::len).sum::<usize>() as f64;
        let added = (vms(&after) - vms(&before)) / before.len() as f64;
        assert!((added - 0.2 * GROWN_VMS_MEAN).abs() < 0.12, "{added} VMs added a tenant");
        let first_requests = after.iter().filter(|(tenant, _)| before.contains_key(tenant));
        let mut grown = 0;
        for (tenant, vms) in first_requests {
            let first = &before[tenant];
            assert_eq!(vms[..first.len()], first[..], "tenant {tenant}: growing leaves the first request alone");
            let end = first.iter().map(|vm| vm.1).max().expect("VMs");
            assert!(vms[first.len()..].iter().all(|vm| vm.0 > first[0].0 && vm.0 <= end), "tenant {tenant}");
            grown += usize::from(vms.len() > first.len());
        }
        let grown = 100.0 * grown as f64 / before.len() as f64;
        assert!((18.0..21.0).contains(&grown), "{grown}% grow before the trace ends");
        let live = |at: Time| {
            let vms = (0..with.vm_count()).map(VmId);
            vms.filter(|vm| with.at(with.request_of(*vm)) <= at && with.end(*vm) > at).count() as f64
        };
        let (start, later) = (live(Time::ZERO), live(Time::ZERO + Millis(35 * Millis::DAY.0)));
        assert!((start / later - 1.0).abs() < 0.1, "{start} VMs at the start, {later} later");
    }

    #[test]
    fn what_a_deleted_tenant_added_ends_with_it() {
        let settings = GeneratedWorkload { scale_outs: 50.0, deleted_whole: 100.0, ..Default::default() };
        let tenants = by_tenant(&settings.generate(Seed(3)));
        let requests = |vms: &[(Time, Time, TenantTerms)]| vms.iter().any(|vm| vm.0 != vms[0].0);
        let grown: Vec<_> = tenants.values().filter(|vms| requests(vms)).collect();
        assert!(grown.len() > 1_000, "{} tenants grow", grown.len());
        assert!(grown.iter().all(|vms| vms.iter().all(|vm| vm.1 == vms[0].1)));
    }

    /// Power oversubscription Table I, row W6.
    #[test]
    fn zone_3_has_the_shape_of_table_1() {
        let settings = GeneratedWorkload { days: 60.0, requests_per_hour: 20.0, zone: 3, ..Default::default() };
        let workload = settings.generate(Seed(1));
        let requests: Vec<_> = (workload.warm_count()..workload.request_count()).map(RequestId).collect();
        let fresh: Vec<_> = (workload.warm_count()..workload.vm_count()).map(VmId).collect();
        let of_requests = |from: usize, to: usize| {
            let within = |request: &&RequestId| (from..=to).contains(&workload.vms_of(**request).len());
            100.0 * requests.iter().filter(within).count() as f64 / requests.len() as f64
        };
        let cores = |vm: VmId| workload.shape_of_vm(vm).demand.cores_milli() / 1_000;
        // The VMs of a request are equal and requests repeat, so the shares are counted over non-repeating requests.
        let types: Vec<_> = requests.iter().map(|request| cores(VmId(workload.vms_of(*request).start))).collect();
        let of_types = |size: u32| 100.0 * types.iter().filter(|it| **it == size).count() as f64 / types.len() as f64;
        let hours = |vm: &VmId| workload.end(*vm).since(workload.at(workload.request_of(*vm))).0 as f64 / 3_600_000.0;
        let of_lives = |from: f64, to: f64| {
            100.0 * fresh.iter().filter(|vm| (from..to).contains(&hours(vm))).count() as f64 / fresh.len() as f64
        };
        for (what, got, expected, within) in [
            ("one VM", of_requests(1, 1), 39.0, 1.0),
            ("3 to 5", of_requests(3, 5), 16.0, 1.0),
            ("16 to 25", of_requests(16, 25), 5.0, 1.0),
            ("more than 25", of_requests(26, 50), 9.0, 1.0),
            ("1 core", of_types(1), 33.0, 3.0),
            ("8 cores", of_types(8), 10.0, 3.0),
            ("24 cores", of_types(24), 3.0, 2.0),
            ("up to an hour", of_lives(0.0, 1.0), 52.0, 1.0),
            ("3 to 5 hours", of_lives(2.0, 5.0), 10.0, 1.0),
            ("26 to 720 hours", of_lives(25.0, 720.0), 8.0, 1.0),
            ("more than 720 hours", of_lives(720.0, 2_161.0), 9.0, 1.0),
        ] {
            assert!((got - expected).abs() < within, "{what}: {got}% instead of {expected}%");
        }
        let mean = fresh.len() as f64 / requests.len() as f64;
        assert!((mean - TenantSize::Table1.mean()).abs() < 0.2, "{mean} VMs a request");
    }

    #[test]
    fn tenants_that_return_change_nothing_else() {
        let settings = GeneratedWorkload { days: 10.0, requests_per_hour: 50.0, ..Default::default() };
        let without = settings.generate(Seed(1));
        let with = GeneratedWorkload { returning: 80.0, ..settings }.generate(Seed(1));
        assert_eq!(with.vm_count(), without.vm_count());
        let lives = |workload: &Workload| {
            let vms = (0..workload.vm_count()).map(VmId);
            let life = |vm: VmId| (workload.at(workload.request_of(vm)), workload.end(vm), *workload.shape_of_vm(vm));
            let mut lives: Vec<_> = vms.map(life).collect();
            lives.sort_unstable();
            lives
        };
        assert_eq!(lives(&with), lives(&without));
        let requests = |workload: &Workload| {
            let mut tenants = BTreeMap::<u64, u32>::new();
            let all = (0..workload.request_count()).map(RequestId);
            all.for_each(|request| *tenants.entry(workload.tenant(request)).or_default() += 1);
            tenants
        };
        assert!(requests(&without).values().all(|count| *count == 1));
        let tenants = requests(&with);
        let fresh = 100.0 * tenants.len() as f64 / f64::from(with.request_count());
        assert!((fresh - 20.0).abs() < 1.0, "{fresh}% of requests are a tenant's first");
        assert!(tenants.values().filter(|count| **count > 20).count() > 10, "some tenants have a history");
    }

    /// LAVA Figure 1: 88 % live less than one hour, and nearly all core-hours belong to those that live longer.
    #[test]
    fn zone_4_has_the_lives_of_c2() {
        let settings = GeneratedWorkload {
            days: 20.0,
            requests_per_hour: 240.0,
            longest_life: 14.0,
            zone: 4,
            spikes_per_day: 0.0,
            ..Default::default()
        };
        let workload = settings.generate(Seed(1));
        let (mut short, mut vms, mut core_hours_of_long, mut core_hours) = (0.0, 0.0, 0.0, 0.0);
        for vm in (workload.warm_count()..workload.vm_count()).map(VmId) {
            let life_h = workload.end(vm).since(workload.at(workload.request_of(vm))).0 as f64 / 3_600_000.0;
            let demand = workload.shape_of_vm(vm).demand;
            let of_vm = life_h * f64::from(demand.cores_milli());
            (vms, core_hours) = (vms + 1.0, core_hours + of_vm);
            short += f64::from(u8::from(life_h < 1.0));
            core_hours_of_long += if life_h < 1.0 { 0.0 } else { of_vm };
        }
        assert!((short / vms - 0.88).abs() < 0.01, "{short} of {vms}");
        let share = core_hours_of_long / core_hours;
        assert!((0.95..0.98).contains(&share), "{share} of core-hours");
        assert!((vms / 20.0 / 6_600.0 - 1.0).abs() < 0.02, "{vms} VMs in 20 days, 66 a day for each of 100 hosts");
    }

    #[test]
    fn habits_of_tenants_change_names_and_types_alone_and_tell_lives_apart_as_far_as_they_are_pure() {
        let settings = GeneratedWorkload {
            days: 10.0,
            requests_per_hour: 100.0,
            longest_life: 14.0,
            zone: 4,
            spikes_per_day: 0.0,
            ..Default::default()
        };
        let single = |workload: &Workload| {
            let singles = (0..workload.request_count()).map(RequestId).filter(|at| workload.vms_of(*at).len() == 1);
            singles.map(|at| (workload.at(at), workload.end(VmId(workload.vms_of(at).start)))).collect::<Vec<_>>()
        };
        let without = settings.generate(Seed(1));
        // The share of the variance of log lifetimes between tenants.
        let told_apart = |purity: f64, spread: f64| {
            let with = GeneratedWorkload { tenants: 300, purity, spread, ..settings }.generate(Seed(1));
            assert_eq!(single(&with), single(&without), "lives and arrivals are as they were");
            let mut logs = BTreeMap::<u64, Vec<f64>>::new();
            for at in (with.warm_count()..with.request_count()).map(RequestId) {
                let life = with.end(VmId(with.vms_of(at).start)).since(with.at(at)).0 as f64;
                logs.entry(with.tenant(at)).or_default().push(libm::log10(life));
            }
            assert!((290..=300).contains(&logs.len()), "{} tenants", logs.len());
            let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
            let all: Vec<f64> = logs.values().flatten().copied().collect();
            let off = |of: &[f64], mean: f64| of.iter().map(|log| (log - mean) * (log - mean)).sum::<f64>();
            let within: f64 = logs.values().map(|of| off(of, mean(of))).sum();
            1.0 - within / off(&all, mean(&all))
        };
        let [none, half, pure, exact] =
            [(0.0, 0.3), (50.0, 0.3), (100.0, 0.3), (100.0, 0.0)].map(|(purity, spread)| told_apart(purity, spread));
        assert!(none < 0.05, "{none}: names say nothing");
        assert!((0.15..0.35).contains(&half), "{half}");
        assert!((0.85..0.95).contains(&pure), "{pure}");
        assert!(exact > 0.95, "{exact}: where nothing is spread, tenants are their lives");
    }

    #[test]
    fn tenants_with_habits_keep_to_their_types_and_hours() {
        let settings = GeneratedWorkload {
            days: 20.0,
            requests_per_hour: 100.0,
            daily_swing: 0.0,
            spikes_per_day: 0.0,
            tenants: 50,
            purity: 100.0,
            ..Default::default()
        };
        let workload = settings.generate(Seed(1));
        let mut tenants = BTreeMap::<u64, (Vec<Resources>, [f64; 24])>::new();
        for at in (workload.warm_count()..workload.request_count()).map(RequestId) {
            let (types, hours) = tenants.entry(workload.tenant(at)).or_default();
            types.push(workload.shape_of_vm(VmId(workload.vms_of(at).start)).demand);
            hours[(workload.at(at).0 as u64 / Millis::HOUR.0 % 24) as usize] += 1.0;
        }
        for (types, hours) in tenants.values().filter(|(types, _)| types.len() > 500) {
            assert!(types.iter().all(|demand| *demand == types[0]), "one type each");
            let half_day = |from: usize| (from..from + 12).map(|hour| hours[hour % 24]).sum::<f64>();
            let busiest = (0..24).map(half_day).fold(0.0, f64::max) / half_day(0).max(half_day(0) + half_day(12));
            assert!(busiest > 0.6, "{busiest} of the requests in its busier half of the day");
        }
    }

    #[test]
    fn earlier_days_are_those_before_the_trace() {
        let all = GeneratedWorkload { days: 6.0, requests_per_hour: 30.0, tenants: 40, ..Default::default() };
        let settings = GeneratedWorkload { days: 1.7, earlier_days: 4.3, ..all };
        let later = settings.generate(Seed(1));
        assert!(later.horizon() == settings.horizon() && !settings.ends_early(&later));
        assert_eq!(settings.expected_vms(), all.expected_vms());
        // VMs of one request may change places.
        let rows = |workload: &Workload| {
            let mut rows: Vec<_> = workload.rows().map(|row| (row.start, row.tenant, row.shape, row.end)).collect();
            rows.sort();
            rows
        };
        let history = later.history().expect("four days and a half");
        assert!(rows(&history.workload) == rows(&all.generate(Seed(1))), "the same VMs");
        assert!(all.generate(Seed(1)).history().is_none());
    }

    #[test]
    fn a_seed_is_a_workload() {
        assert_eq!(workload(1.0, 50.0), workload(1.0, 50.0));
        let other = GeneratedWorkload { days: 1.0, requests_per_hour: 50.0, ..Default::default() }.generate(Seed(2));
        assert_ne!(workload(1.0, 50.0), other);
    }
}
