//! A warm-up before a trace, so that VMs which stand when the trace begins were placed by the rules.
//!
//! A trace names the VMs that were running at its start and often says when they were requested: those of the warm-up
//! come at their own time. It does not name the VMs that came before it and were gone by then. For these, tenants of the
//! trace are drawn with replacement, as many for each length of the trace as it has, with all their VMs whose start and end
//! it contains. Every drawn tenant gets a number of its own: no history that a predictor keeps can then hold a
//! tenant's future. Its time line is turned by whole weeks, or by whole days in a trace of less than two weeks, so that
//! nothing stops at the end of a length and hours of the day stay what they are.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

use tiebreak_model::random::{Seed, pick};
use tiebreak_model::{Millis, Time, VmRow, Workload, WorkloadBuilder};

use super::generate::VMS_MAX;

const DAY_MS: i64 = Millis::DAY.0 as i64;

/// Numbers of drawn tenants and VMs start here; a trace has no such number, or it is hashed and meets one by chance.
const DRAWN: u64 = 1 << 60;

/// The longest warm-up, in days.
pub const WARM_UP_DAYS_MAX: f64 = 3_650.0;

/// A trace after its warm-up.
#[derive(Debug)]
pub struct WarmedUp {
    /// Both. The trace begins `days` after the start.
    pub workload: Workload,
    /// VMs that come and go before the trace begins.
    pub drawn: u32,
    /// VMs running at the start of the trace that now come during the warm-up.
    pub coming: u32,
    /// VMs running at the start of the trace that were there before the warm-up, or whose start it does not say.
    pub standing: u32,
}

/// Why a trace gets no warm-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WarmUpFault {
    /// The number of days is not above 0 and at most [`WARM_UP_DAYS_MAX`].
    Days(f64),
    /// No VM both comes and ends during the trace.
    NobodyEnds,
    /// There would be more VMs than [`VMS_MAX`]: about so many.
    TooMany(u64),
}

impl fmt::Display for WarmUpFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Days(days) => {
                write!(f, "expected a warm-up above 0 and of at most {WARM_UP_DAYS_MAX} days, got {days}")
            }
            Self::NobodyEnds => {
                write!(f, "expected VMs that come and end during the trace, to draw from, got none; use a longer trace")
            }
            Self::TooMany(vms) => {
                write!(f, "expected at most {VMS_MAX} VMs, got about {vms}; use fewer days or a sample")
            }
        }
    }
}

impl WarmedUp {
    /// Puts a warm-up of this many days before a trace.
    ///
    /// # Errors
    /// If the number of days is not allowed, nobody ends, or there would be too many VMs.
    pub fn of(trace: &Workload, days: f64, seed: Seed) -> Result<Self, WarmUpFault> {
        if !(days > 0.0 && days <= WARM_UP_DAYS_MAX) {
            return Err(WarmUpFault::Days(days));
        }
        let length = (days * DAY_MS as f64) as i64;
        let tenants = tenants(trace);
        if tenants.is_empty() {
            return Err(WarmUpFault::NobodyEnds);
        }
        let period = (trace.horizon().0 + DAY_MS - 1) / DAY_MS * DAY_MS;
        // One more: some of its VMs are running when the warm-up begins.
        let periods = (length + period - 1) / period + 1;
        let of_period: usize = tenants.iter().map(Vec::len).sum();
        let expected = of_period as u64 * periods as u64 + u64::from(trace.vm_count());
        if expected > VMS_MAX {
            return Err(WarmUpFault::TooMany(expected));
        }
        let mut builder = WorkloadBuilder::new();
        let mut warmed = (0, 0);
        for row in trace.rows() {
            let row = later(row, length);
            match (trace_start(row, length) <= Time::ZERO, row.start > Time::ZERO) {
                (true, true) => warmed.0 += 1,
                (true, false) => warmed.1 += 1,
                (false, _) => {}
            }
            builder.push(row);
        }
        let drawn = draw(&tenants, (length, period, periods), seed, &mut builder);
        let horizon = Time(trace.horizon().0 + length);
        let workload = builder.finish(horizon).expect("a trace has VMs, and they were counted");
        Ok(Self { workload, drawn, coming: warmed.0, standing: warmed.1 })
    }
}

/// A VM of the trace after the warm-up. If the trace does not say when it was requested, it is there from the start.
fn later(row: VmRow, length: i64) -> VmRow {
    let start = if row.start == Time::ZERO { Time::ZERO } else { Time(row.start.0 + length) };
    let end = if row.end == Time::NEVER { row.end } else { Time(row.end.0 + length) };
    VmRow { start, end, ..row }
}

/// When a VM was requested, by the trace's own clock.
fn trace_start(row: VmRow, length: i64) -> Time {
    Time(row.start.0 - length)
}

/// The VMs that come and end during the trace, by tenant in the order of their numbers.
fn tenants(trace: &Workload) -> Vec<Vec<VmRow>> {
    let mut tenants: BTreeMap<u64, Vec<VmRow>> = BTreeMap::new();
    for row in trace.rows().filter(|row| row.start > Time::ZERO && row.end <= trace.horizon()) {
        tenants.entry(row.tenant).or_default().push(row);
    }
    tenants.into_values().collect()
}

/// Draws tenants for each period before the trace; returns the number of their VMs.
fn draw(
    tenants: &[Vec<VmRow>],
    (length, period, periods): (i64, i64, i64),
    seed: Seed,
    builder: &mut WorkloadBuilder,
) -> u32 {
    let (who, turns) = (seed.stream("warm-up: tenants"), seed.stream("warm-up: turns"));
    let unit = if period >= 14 * DAY_MS && period % (7 * DAY_MS) == 0 { 7 * DAY_MS } else { DAY_MS };
    let (mut drawn, mut tenant) = (0, DRAWN);
    for back in 1..=periods {
        for place in 0..tenants.len() as u64 {
            tenant += 1;
            let rows = &tenants[pick(who.draw(back as u64, place), tenants.len() as u32) as usize];
            let turn = i64::from(pick(turns.draw(back as u64, place), (period / unit) as u32)) * unit;
            for row in rows {
                let start = length - back * period + (row.start.0 + turn) % period;
                let end = start + (row.end.0 - row.start.0);
                // A VM that would be running when the trace begins is among those that the trace names.
                if end <= 0 || end > length {
                    continue;
                }
                drawn += 1;
                let name = DRAWN + u64::from(drawn);
                builder.push(VmRow { name, tenant, start: Time(start), end: Time(end), ..*row });
            }
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use tiebreak_model::{Resources, VmShape};

    use super::*;

    const HOUR: i64 = Millis::HOUR.0 as i64;

    /// Two weeks in which tenants ask at ten o'clock: tenant 1 each day for two hours, tenant 2 once for five days.
    /// Three VMs were there: since day -3, since day -100, and since nobody knows when.
    fn trace() -> Workload {
        let shape = VmShape::plain(Resources::default());
        let row = |name: u64, tenant, start: i64, end| VmRow { name, tenant, shape, start: Time(start), end };
        let mut builder = WorkloadBuilder::new();
        for day in 0..14_i64 {
            let start = day * DAY_MS + 10 * HOUR;
            builder.push(row(day as u64, 1, start, Time(start + 2 * HOUR)));
        }
        builder.push(row(20, 2, 10 * HOUR, Time(5 * DAY_MS + 10 * HOUR)));
        builder.push(row(21, 2, 34 * HOUR, Time::NEVER));
        builder.push(row(30, 3, -3 * DAY_MS, Time(DAY_MS)));
        builder.push(row(31, 3, -100 * DAY_MS, Time::NEVER));
        builder.push(row(32, 3, 0, Time(HOUR)));
        builder.finish(Time(14 * DAY_MS)).expect("VMs")
    }

    #[test]
    fn the_trace_follows_its_warm_up_unchanged_and_who_was_there_comes_at_the_own_time() {
        let (trace, length) = (trace(), 20 * DAY_MS);
        let warmed = WarmedUp::of(&trace, 20.0, Seed(1)).expect("a warm-up");
        assert_eq!((warmed.coming, warmed.standing), (1, 2));
        let found = |name| warmed.workload.rows().find(|row| row.name == name).expect("it is there");
        for row in trace.rows().filter(|row| row.start > Time::ZERO) {
            let end = if row.end == Time::NEVER { row.end } else { Time(row.end.0 + length) };
            assert_eq!(found(row.name), VmRow { start: Time(row.start.0 + length), end, ..row });
        }
        let times = |name| (found(name).start, found(name).end);
        assert_eq!(times(30), (Time(17 * DAY_MS), Time(21 * DAY_MS)));
        assert_eq!(times(31), (Time(-80 * DAY_MS), Time::NEVER));
        assert_eq!(times(32), (Time::ZERO, Time(length + HOUR)));
        assert_eq!(warmed.workload.horizon(), Time(34 * DAY_MS));
    }

    #[test]
    fn drawn_tenants_are_new_keep_their_hours_and_are_gone_when_the_trace_begins() {
        let (trace, length) = (trace(), 200 * DAY_MS);
        let warmed = WarmedUp::of(&trace, 200.0, Seed(7)).expect("a warm-up");
        let drawn: Vec<VmRow> = warmed.workload.rows().filter(|row| row.name > DRAWN).collect();
        assert!(drawn.len() == warmed.drawn as usize && drawn.len() > 100);
        for row in &drawn {
            assert!(row.tenant > DRAWN && row.end.0 > 0 && row.end.0 <= length, "{row:?}");
            assert_eq!(row.start.0.rem_euclid(DAY_MS), 10 * HOUR, "ten o'clock");
            let lived = row.end.0 - row.start.0;
            assert!([2 * HOUR, 5 * DAY_MS].contains(&lived), "{row:?}");
        }
        let again = WarmedUp::of(&trace, 200.0, Seed(7)).expect("a warm-up");
        assert_eq!(again.workload.fingerprint(), warmed.workload.fingerprint());
        let other = WarmedUp::of(&trace, 200.0, Seed(8)).expect("a warm-up");
        assert_ne!(other.workload.fingerprint(), warmed.workload.fingerprint());
    }

    #[test]
    fn what_cannot_be_is_said() {
        let fault = |trace: &Workload, days| WarmedUp::of(trace, days, Seed(1)).expect_err("a fault");
        for days in [0.0, -1.0, f64::NAN, WARM_UP_DAYS_MAX + 1.0] {
            assert!(matches!(fault(&trace(), days), WarmUpFault::Days(_)), "{days}");
        }
        let mut builder = WorkloadBuilder::new();
        trace().rows().filter(|row| row.end == Time::NEVER).for_each(|row| builder.push(row));
        let endless = builder.finish(Time(14 * DAY_MS)).expect("VMs");
        assert_eq!(fault(&endless, 1.0), WarmUpFault::NobodyEnds);
    }
}
