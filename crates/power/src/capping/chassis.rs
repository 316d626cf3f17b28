//! A chassis: its manager's polls, and fast simulation of long spans.

use alloc::vec::Vec;

use super::server::{Orders, Server, is_above};
use super::{Capping, Part, PowerFault, SpanReport};
use crate::watts::{ByStep, ServerPower};

/// A chassis of equal servers under a budget.
///
/// Time advances by [`Chassis::step`], poll by poll, or by [`Chassis::span`], which gives the same result and is
/// fast. In between, [`Chassis::set_parts`] changes what servers run.
#[derive(Clone, Debug)]
pub struct Chassis {
    pub(super) capping: Capping,
    by_step: ByStep,
    cores: u32,
    pub(super) servers: Vec<Server>,
    draw_w: f64,
    pub(super) now_ms: u64,
    pub(super) next_poll_ms: u64,
    /// When the present event ends.
    pub(super) lift_at_ms: Option<u64>,
    /// What happened since the last report, except for the parts.
    so_far: SpanReport,
}

/// The state after a poll, and the draw before it.
#[derive(Clone, Debug)]
pub struct PolledChassis<'a> {
    /// When the poll was, in ms.
    pub at_ms: u64,
    /// What the chassis drew from the last poll until this one, in watts.
    pub draw_w: f64,
    /// The chassis after the poll.
    pub chassis: &'a Chassis,
}

/// The result of a poll.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Polled {
    /// Cores have changed frequency.
    Changed,
    /// Nothing changed, and nothing will until cores are lifted.
    Settled,
    /// Everything is back at the nominal frequency.
    Lifted,
}

impl Chassis {
    /// A chassis with this many servers without any work, at time 0; the first poll is one interval later.
    ///
    /// # Errors
    /// If there is no server, if the budget is below the draw of idle servers, or if a number is out of its range.
    pub fn new(power: &ServerPower, capping: &Capping, servers: usize) -> Result<Self, PowerFault> {
        capping.check()?;
        if !power.is_sound() {
            return Err(PowerFault::ServerPower(*power));
        }
        let idle_w = power.idle_w * servers as f64;
        if servers == 0 {
            return Err(PowerFault::NoServers);
        }
        if capping.budget_w.is_nan() || capping.budget_w < idle_w {
            return Err(PowerFault::BudgetBelowIdle { budget_w: capping.budget_w, idle_w });
        }
        let by_step = ByStep::of(power);
        let server = Server::empty(power.cores, &by_step);
        let mut chassis = Self {
            capping: *capping,
            by_step,
            cores: power.cores,
            servers: alloc::vec![server; servers],
            draw_w: 0.0,
            now_ms: 0,
            next_poll_ms: u64::from(capping.poll_ms),
            lift_at_ms: None,
            so_far: SpanReport::default(),
        };
        chassis.sum();
        Ok(chassis)
    }

    /// Sets what a server runs from now on. What is capped stays capped until it is lifted. This drops what happened
    /// to the server's parts since the last report, so get the report ([`Chassis::span`]) first.
    ///
    /// # Errors
    /// If there is no such server, a part has no cores, a utilization is not from 0 to 1, or there are more cores
    /// than the server has; then nothing changes.
    pub fn set_parts(&mut self, server: usize, parts: &[Part]) -> Result<(), PowerFault> {
        if server >= self.servers.len() {
            return Err(PowerFault::Server { server, servers: self.servers.len() });
        }
        check_parts(parts, self.cores)?;
        self.servers[server].set(parts, self.cores, self.now_ms, &self.by_step);
        self.sum();
        Ok(())
    }

    /// Advances to the next poll, which may change the draw from then on.
    pub fn step(&mut self) -> PolledChassis<'_> {
        let draw_w = self.draw_w;
        self.pass(self.next_poll_ms - self.now_ms);
        self.poll();
        PolledChassis { at_ms: self.now_ms, draw_w, chassis: self }
    }

    /// Advances by this time with the current parts, and reports what happened, including steps since the last
    /// report.
    ///
    /// The result is the same as poll by poll, but periods in which cores stay unchanged until the event ends, and
    /// repetitions of the previous event, are skipped. So it costs a few microseconds below the budget, and above it
    /// about as much as two events, however long the span is.
    pub fn span(&mut self, ms: u64) -> SpanReport {
        let end_ms = self.now_ms + ms;
        let is_lifted = self.run(end_ms);
        let mut total = self.take_report();
        if is_lifted {
            // From one lift to the next, everything repeats.
            let begin_ms = self.now_ms;
            let is_lifted = self.run(end_ms);
            let cycle = self.take_report();
            let length_ms = self.now_ms - begin_ms;
            let more = if is_lifted { (end_ms - self.now_ms) / length_ms } else { 0 };
            total.append(&cycle, 1 + more);
            self.skip(more * length_ms);
            while self.run(end_ms) {}
            total.append(&self.take_report(), 1);
        }
        total
    }

    /// The chassis's current draw, in watts.
    #[must_use]
    pub fn draw_w(&self) -> f64 {
        self.draw_w
    }

    /// A server's current draw, in watts.
    ///
    /// # Panics
    /// If there is no such server.
    #[must_use]
    pub fn server_w(&self, server: usize) -> f64 {
        self.servers[server].draw_w
    }

    /// The current draw of each part of a server, in watts, and last that of unused cores. They sum to the server's
    /// draw.
    ///
    /// # Panics
    /// If there is no such server.
    pub fn parts_w(&self, server: usize) -> impl Iterator<Item = f64> + '_ {
        self.servers[server].parts_w(&self.by_step)
    }

    /// The mean frequency of each part's cores, and the lowest of any of them, as shares of the nominal one.
    ///
    /// # Panics
    /// If there is no such server.
    pub fn frequencies(&self, server: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.servers[server].frequencies()
    }

    /// Whether RAPL limits a server.
    ///
    /// # Panics
    /// If there is no such server.
    #[must_use]
    pub fn is_under_rapl(&self, server: usize) -> bool {
        self.servers[server].is_under_rapl()
    }

    /// Whether an event is going on: from an alert until cores are lifted.
    #[must_use]
    pub fn is_capped(&self) -> bool {
        self.lift_at_ms.is_some()
    }

    /// The number of servers.
    #[must_use]
    pub fn servers(&self) -> usize {
        self.servers.len()
    }

    /// The power that every server may draw once capped, in watts.
    #[must_use]
    pub fn share_w(&self) -> f64 {
        self.capping.budget_w / self.servers.len() as f64
    }

    /// Advances to a moment, or to the first poll that lifts cores. Returns whether it lifted any.
    fn run(&mut self, end_ms: u64) -> bool {
        while self.next_poll_ms <= end_ms {
            self.pass(self.next_poll_ms - self.now_ms);
            match self.poll() {
                Polled::Lifted => return true,
                Polled::Settled => self.pass_quiet_polls(end_ms),
                Polled::Changed => {}
            }
        }
        self.pass(end_ms - self.now_ms);
        false
    }

    /// Skips polls that change nothing, to just before one that may.
    fn pass_quiet_polls(&mut self, end_ms: u64) {
        let poll_ms = u64::from(self.capping.poll_ms);
        let until_ms = self.lift_at_ms.map_or(end_ms, |lift| lift.saturating_sub(1).min(end_ms));
        let polls = until_ms.saturating_sub(self.now_ms) / poll_ms;
        self.pass(polls * poll_ms);
        self.next_poll_ms = self.now_ms + poll_ms;
    }

    /// Advances time without a poll.
    fn pass(&mut self, ms: u64) {
        let so_far = &mut self.so_far;
        so_far.ms += ms;
        so_far.energy_j += self.draw_w * ms as f64 / 1_000.0;
        if ms > 0 {
            so_far.peak_w = so_far.peak_w.max(self.draw_w);
        }
        if is_above(self.draw_w, self.capping.budget_w) {
            so_far.over_ms += ms;
        }
        if self.lift_at_ms.is_some() {
            so_far.capped_ms += ms;
        }
        self.now_ms += ms;
    }

    /// The manager polls, and everything reacts.
    fn poll(&mut self) -> Polled {
        self.next_poll_ms = self.now_ms + u64::from(self.capping.poll_ms);
        if self.lift_at_ms.is_some_and(|lift| self.now_ms >= lift) {
            self.lift();
            return Polled::Lifted;
        }
        let over = is_above(self.draw_w, self.capping.budget_w);
        let alert = is_above(self.draw_w, self.capping.budget_w - self.capping.margin_w);
        let is_asked = over || (alert && self.capping.per_vm);
        if self.lift_at_ms.is_none() && !is_asked {
            return Polled::Settled;
        }
        let begins = self.lift_at_ms.is_none();
        if begins {
            self.so_far.events += 1;
            self.lift_at_ms = Some(self.now_ms + u64::from(self.capping.lift_ms));
        }
        let is_changed = self.order(alert, over);
        self.sum();
        if is_changed || begins { Polled::Changed } else { Polled::Settled }
    }

    /// Every server reacts. Returns whether anything changed.
    fn order(&mut self, alert: bool, over: bool) -> bool {
        let share_w = self.share_w();
        let orders = Orders { capping: &self.capping, by_step: &self.by_step, share_w, alert, over };
        let mut is_changed = false;
        for server in &mut self.servers {
            let was_free = !server.is_under_rapl();
            is_changed |= server.poll(&orders, self.now_ms);
            self.so_far.rapl += u64::from(was_free && server.is_under_rapl());
        }
        is_changed
    }

    fn lift(&mut self) {
        self.lift_at_ms = None;
        for server in &mut self.servers {
            server.lift(self.now_ms, &self.by_step);
        }
        self.sum();
    }

    fn sum(&mut self) {
        self.draw_w = self.servers.iter().map(|server| server.draw_w).sum();
    }

    fn take_report(&mut self) -> SpanReport {
        let parts = self.servers.iter_mut().map(|server| server.take_reports(self.now_ms)).collect();
        SpanReport { parts, ..core::mem::take(&mut self.so_far) }
    }

    fn skip(&mut self, ms: u64) {
        self.now_ms += ms;
        self.next_poll_ms += ms;
        self.servers.iter_mut().for_each(|server| server.skip(ms));
    }
}

fn check_parts(parts: &[Part], cores: u32) -> Result<(), PowerFault> {
    for (number, part) in parts.iter().enumerate() {
        if part.cores_milli == 0 {
            return Err(PowerFault::NoCores { part: number });
        }
        if !(0.0..=1.0).contains(&part.utilization) {
            return Err(PowerFault::Utilization { part: number, utilization: part.utilization });
        }
    }
    let cores_milli: u64 = parts.iter().map(|part| u64::from(part.cores_milli)).sum();
    if cores_milli > 1_000 * u64::from(cores) {
        return Err(PowerFault::TooManyCores { cores_milli, cores });
    }
    Ok(())
}

/// Steps a chassis of these servers, each with its parts, poll by poll to a moment, and passes every poll to the
/// callback.
///
/// # Errors
/// As [`Chassis::new`] and [`Chassis::set_parts`].
pub fn simulate(
    chassis: &[Vec<Part>],
    power: &ServerPower,
    capping: &Capping,
    until_ms: u64,
    mut each: impl FnMut(&PolledChassis<'_>),
) -> Result<(), PowerFault> {
    let mut stepped = Chassis::new(power, capping, chassis.len())?;
    for (server, parts) in chassis.iter().enumerate() {
        stepped.set_parts(server, parts)?;
    }
    while stepped.next_poll_ms <= until_ms {
        each(&stepped.step());
    }
    Ok(())
}
