//! How VMs use their cores: their actual summary statistics, and their utilization slot by slot.
//!
//! Utilization is generated from tenant and VM; it does not come from the trace. It varies around the mean so that
//! its 95th percentile matches the given one. User-facing VMs follow the day. Of the batch VMs, some work in batches
//! at any time and some by a period that divides 24 hours (power oversubscription, sections III-B and IV-A; the
//! shapes are ours).

use alloc::vec::Vec;

use tiebreak_model::random::{self, Seed, Stream};
use tiebreak_model::{Load, Millis, RequestId, Time, Usage, VmId, Workload};

use super::PowerSettings;
use crate::plan::Plan;

/// The maximum deviation of tenants' 95th percentiles from the mean, and of a tenant's VMs from the tenant's, in
/// percent of the cores.
const OF_TENANTS: f64 = 28.0;
const OF_VMS: f64 = 6.0;

/// The mean utilization as a share of the 95th percentile: of user-facing and of batch VMs.
const MEAN_OF_P95: [f64; 2] = [0.6, 0.55];

/// The utilization of each VM of a workload. `number` gives each VM's number in random streams.
#[must_use]
pub fn usages(workload: &Workload, settings: &PowerSettings, seed: Seed, number: impl Fn(VmId) -> u64) -> Vec<Usage> {
    let (tenants, vms) = (seed.stream("usage of tenants"), seed.stream("usage of VMs"));
    let mut usages = Vec::with_capacity(workload.vm_count() as usize);
    for request in (0..workload.request_count()).map(RequestId) {
        let tenant = workload.tenant(request);
        let kind_of_tenant = share(tenants, tenant, 0) * 100.0 < settings.user_facing_pct;
        let level = OF_TENANTS * triangle(tenants, tenant, 1);
        for vm in workload.vms_of(request).map(VmId) {
            let name = number(vm);
            let is_alike = share(vms, name, 0) * 100.0 < settings.alike_pct;
            let drawn = share(vms, name, 1) * 100.0 < settings.user_facing_pct;
            let user_facing = if is_alike { kind_of_tenant } else { drawn };
            let mean = if user_facing { settings.user_facing_p95_pct } else { settings.other_p95_pct };
            let p95 = (mean + level + OF_VMS * triangle(vms, name, 2)).clamp(1.0, 100.0);
            let mean_pct = (p95 * MEAN_OF_P95[usize::from(!user_facing)]) as u8;
            usages.push(Usage { load: Load { user_facing, p95_pct: libm::round(p95) as u8 }, mean_pct });
        }
    }
    usages
}

/// The length of a reading of telemetry.
const HALF_HOUR: u64 = Millis::HOUR.0 / 2;

/// What telemetry shows of the VMs of a run: their mean utilization in every half-hour.
pub struct Telemetry<'a> {
    pub(crate) patterns: Patterns,
    pub(crate) plan: &'a Plan,
    pub(crate) usages: &'a [Usage],
}

impl Telemetry<'_> {
    /// The mean utilization of a VM in every half-hour of a span, in percent of its cores. VMs that run before the
    /// trace begins have the patterns of whole weeks later.
    #[must_use]
    pub fn half_hours(&self, vm: VmId, from: Time, to: Time) -> Vec<f64> {
        let workload = self.plan.workload();
        let tenant = workload.tenant(workload.request_of(vm));
        let pattern = self.patterns.of(self.usages[vm.index()], self.plan.luck(vm), tenant);
        let step = self.patterns.slot.0.min(HALF_HOUR);
        let mean = |begin: u64| {
            let at = (0..HALF_HOUR / step).map(|nth| self.patterns.slot_of(repeated(from, begin + nth * step)));
            let sum: f64 = at.map(|slot| self.patterns.utilization(&pattern, slot)).sum();
            100.0 * sum / (HALF_HOUR / step) as f64
        };
        (0..to.since(from).0 / HALF_HOUR).map(|half_hour| mean(half_hour * HALF_HOUR)).collect()
    }
}

/// So long after `from`, or whole weeks later if that is before the trace.
fn repeated(from: Time, after: u64) -> Time {
    const WEEKS: i64 = 10_000 * 7 * Millis::DAY.0 as i64;
    let at = from + Millis(after);
    if at < Time::ZERO { Time(at.0.rem_euclid(WEEKS)) } else { at }
}

/// Uniform from 0 up to 1.
fn share(stream: Stream, what: u64, attempt: u64) -> f64 {
    random::share(stream.draw(what, attempt))
}

/// From -1 to 1, most often near 0.
fn triangle(stream: Stream, what: u64, attempt: u64) -> f64 {
    share(stream, what, attempt) - share(stream, what, attempt | 1 << 32)
}

/// The pattern of one VM's utilization.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    mean: f64,
    swing: f64,
    number: u64,
    kind: UsageKind,
}

#[derive(Clone, Copy, Debug)]
enum UsageKind {
    /// Daily, shifted by this many slots from midnight.
    Day { shift: u32 },
    /// In batches of this many slots.
    Batches { slots: u32 },
    /// With a period of this many slots, active for part of it.
    Clock { period: u32, shift: u32 },
}

/// The day in slots, and the random streams.
#[derive(Clone, Debug)]
pub(crate) struct Patterns {
    slot: Millis,
    /// The curve of one day, from -1 to 1, slot by slot.
    day: Vec<f64>,
    stream: Stream,
    noise: Stream,
}

/// The time of day when user-facing VMs are busiest, and by how much tenants differ.
const PEAK_HOUR: f64 = 14.0;
const SHIFT_HOURS: f64 = 3.0;

/// The amplitude of the daily curve at weekends, as a share of other days.
const WEEKEND: f64 = 0.5;

/// The maximum deviation of a slot's utilization from the pattern, as a share of the swing.
const NOISE: f64 = 0.15;

/// The duration of a batch in hours, and the share of the time with one under way.
const BATCH_HOURS: u32 = 2;
const BATCH_SHARE: f64 = 0.4;

/// The level between batches or active periods that keeps the mean unchanged.
const IDLE: f64 = -BATCH_SHARE / (1.0 - BATCH_SHARE);

/// The possible periods in hours; all divide a day.
const CLOCK_HOURS: [u32; 4] = [1, 2, 4, 6];

impl Patterns {
    pub(crate) fn new(settings: &PowerSettings, seed: Seed) -> Self {
        let slot = Millis(u64::from(settings.slot_minutes) * Millis::MINUTE.0);
        let slots = (Millis::HOUR.0 * 24 / slot.0).max(1) as u32;
        let at = |slot: u32| {
            let hour = f64::from(slot) * 24.0 / f64::from(slots);
            libm::cos((hour - PEAK_HOUR) / 24.0 * 2.0 * core::f64::consts::PI)
        };
        let day = (0..slots).map(at).collect();
        Self { slot, day, stream: seed.stream("patterns of use"), noise: seed.stream("noise of use") }
    }

    /// The pattern of a VM, from its number in random streams and its tenant.
    pub(crate) fn of(&self, usage: Usage, number: u64, tenant: u64) -> Pattern {
        let p95 = f64::from(usage.load.p95_pct) / 100.0;
        let mean = (f64::from(usage.mean_pct) / 100.0).min(p95);
        let per_hour = (Millis::HOUR.0 / self.slot.0).max(1) as u32;
        let kind = if usage.load.user_facing {
            let hours = SHIFT_HOURS * (2.0 * share(self.stream, tenant, 1 << 40) - 1.0);
            let slots = self.day.len() as f64;
            UsageKind::Day { shift: ((hours + 24.0) / 24.0 * slots) as u32 }
        } else if share(self.stream, number, 0) < 0.3 {
            let hours = CLOCK_HOURS[(self.stream.draw(number, 1) % 4) as usize];
            let period = hours * per_hour;
            UsageKind::Clock { period, shift: (self.stream.draw(number, 2) % u64::from(period)) as u32 }
        } else {
            UsageKind::Batches { slots: BATCH_HOURS * per_hour }
        };
        Pattern { mean, swing: p95 - mean, number, kind }
    }

    /// The slot of a moment.
    #[inline]
    pub(crate) fn slot_of(&self, time: Time) -> u64 {
        time.0.max(0) as u64 / self.slot.0
    }

    /// When a slot begins.
    #[inline]
    pub(crate) fn begin(&self, slot: u64) -> Time {
        Time((slot * self.slot.0) as i64)
    }

    /// A VM's utilization in a slot, 0 to 1.
    #[inline]
    pub(crate) fn utilization(&self, pattern: &Pattern, slot: u64) -> f64 {
        let slots = self.day.len() as u64;
        let level = match pattern.kind {
            UsageKind::Day { shift } => {
                let at = slot + u64::from(shift);
                let weekend = (slot / slots) % 7 >= 5;
                self.day[(at % slots) as usize] * if weekend { WEEKEND } else { 1.0 }
            }
            UsageKind::Batches { slots } => {
                let batch = slot / u64::from(slots);
                if share(self.noise, pattern.number, batch | 1 << 48) < BATCH_SHARE { 1.0 } else { IDLE }
            }
            UsageKind::Clock { period, shift } => {
                let at = (slot + u64::from(shift)) % u64::from(period);
                if (at as f64) < BATCH_SHARE * f64::from(period) { 1.0 } else { IDLE }
            }
        };
        let noise = NOISE * (2.0 * share(self.noise, pattern.number, slot) - 1.0);
        (pattern.mean + pattern.swing * (level + noise)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::{Resources, VmRow, VmShape, WorkloadBuilder};

    fn settings() -> PowerSettings {
        PowerSettings::default()
    }

    #[test]
    fn drawn_usage_has_the_published_means() {
        let mut rows = WorkloadBuilder::new();
        for name in 0..20_000 {
            let shape = VmShape::plain(Resources::new(1_000, 1, 0, 0));
            rows.push(VmRow { name, tenant: name / 3, shape, start: Time(name as i64), end: Time::NEVER });
        }
        let workload = rows.finish(Time(100_000)).expect("rows");
        let usages = usages(&workload, &settings(), Seed(1), |vm| u64::from(vm.0));
        let of = |kind| usages.iter().filter(move |it| it.load.user_facing == kind);
        let mean = |kind| of(kind).map(|it| f64::from(it.load.p95_pct)).sum::<f64>() / of(kind).count() as f64;
        assert!((of(true).count() as f64 / 20_000.0 - 0.4).abs() < 0.02);
        assert!((mean(true) - 65.0).abs() < 1.0, "{}", mean(true));
        assert!((mean(false) - 44.0).abs() < 1.0, "{}", mean(false));
    }

    #[test]
    fn utilization_has_the_mean_and_percentile_that_are_told() {
        let patterns = Patterns::new(&settings(), Seed(2));
        for (user_facing, p95_pct, number) in [(true, 60, 1), (false, 40, 2), (false, 80, 3), (false, 50, 4)] {
            let share = MEAN_OF_P95[usize::from(!user_facing)];
            let mean_pct = (f64::from(p95_pct) * share) as u8;
            let usage = Usage { load: Load { user_facing, p95_pct }, mean_pct };
            let pattern = patterns.of(usage, number, 9);
            let mut all: Vec<f64> = (0..5 * 288).map(|slot| 100.0 * patterns.utilization(&pattern, slot)).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            all.sort_unstable_by(f64::total_cmp);
            let p95 = all[all.len() * 95 / 100];
            assert!((mean - f64::from(mean_pct)).abs() < 6.0, "{pattern:?}: mean {mean}");
            assert!((p95 - f64::from(p95_pct)).abs() < 6.0, "{pattern:?}: 95th percentile {p95}");
        }
    }
}
