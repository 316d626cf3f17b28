//! One server: its parts, their capping, and its draw.

use alloc::vec::Vec;

use super::{Capping, Part, PartReport};
use crate::watts::{ByStep, NOMINAL, P_STATE, P_STATES, frequency_at};

/// Tolerance of comparisons with a limit, for rounding errors in sums.
const SLACK_W: f64 = 1e-6;

pub(super) fn is_above(draw_w: f64, limit_w: f64) -> bool {
    draw_w > limit_w + SLACK_W
}

/// The manager's orders to a server at a poll.
pub(super) struct Orders<'a> {
    pub(super) capping: &'a Capping,
    pub(super) by_step: &'a ByStep,
    /// The server's even share of the budget.
    pub(super) share_w: f64,
    /// Whether the chassis is above its threshold.
    pub(super) alert: bool,
    /// Whether the chassis is above its budget.
    pub(super) over: bool,
}

impl Orders<'_> {
    fn target_w(&self) -> f64 {
        self.share_w - self.capping.margin_w
    }
}

/// The capping of a server's cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hold {
    /// How far the batch cores were raised from half the frequency: thousandths of cores, times p-states. `None` if
    /// they are not capped. The cores are in a fixed order; all have one p-state, and the first of them one more.
    raised: Option<u64>,
    /// The highest frequency step that RAPL allows.
    rapl: u8,
}

impl Hold {
    const NONE: Self = Self { raised: None, rapl: NOMINAL };
}

/// A part, and what happened to it.
#[derive(Clone, Debug)]
struct Held {
    part: Part,
    /// The position of its first core in the order of batch cores, in thousandths.
    begin_milli: u64,
    /// The mean frequency of its cores.
    frequency: f64,
    /// The lowest frequency of any of them.
    lowest: f64,
    /// The time from which it is not counted yet, in ms.
    since_ms: u64,
    report: PartReport,
}

impl Held {
    /// Adds the time since the last call.
    fn count(&mut self, now_ms: u64) {
        let ms = now_ms - self.since_ms;
        self.since_ms = now_ms;
        if self.lowest < 1.0 && ms > 0 {
            self.report.throttled_ms += ms;
            self.report.depth_ms += (1.0 - self.frequency) * ms as f64;
            self.report.lowest = self.report.lowest.min(self.lowest);
        }
    }
}

/// One server.
#[derive(Clone, Debug)]
pub(super) struct Server {
    parts: Vec<Held>,
    hold: Hold,
    /// Batch cores, in thousandths.
    batch_milli: u64,
    /// Busy batch cores.
    batch_busy: f64,
    /// User-facing and unused cores.
    rest_cores: f64,
    /// Busy user-facing cores.
    rest_busy: f64,
    pub(super) draw_w: f64,
}

impl Server {
    pub(super) fn empty(cores: u32, by_step: &ByStep) -> Self {
        let mut server = Self {
            parts: Vec::new(),
            hold: Hold::NONE,
            batch_milli: 0,
            batch_busy: 0.0,
            rest_cores: f64::from(cores),
            rest_busy: 0.0,
            draw_w: 0.0,
        };
        server.draw_w = server.draw_with(server.hold, by_step);
        server
    }

    /// Replaces the parts; capped cores stay capped, at the p-state that all batch cores had reached.
    pub(super) fn set(&mut self, parts: &[Part], cores: u32, now_ms: u64, by_step: &ByStep) {
        let reached = self.hold.raised.map(|raised| self.reached(raised).0);
        let was_milli = self.batch_milli;
        (self.batch_milli, self.batch_busy) = (0, 0.0);
        (self.rest_cores, self.rest_busy) = (f64::from(cores), 0.0);
        self.parts.clear();
        for &part in parts {
            self.parts.push(Held {
                part,
                begin_milli: self.batch_milli,
                frequency: 1.0,
                lowest: 1.0,
                since_ms: now_ms,
                report: PartReport::default(),
            });
            if part.user_facing {
                self.rest_busy += part.busy();
            } else {
                self.batch_milli += u64::from(part.cores_milli);
                self.batch_busy += part.busy();
                self.rest_cores -= part.cores();
            }
        }
        if self.batch_milli != was_milli {
            self.hold.raised = reached.map(|state| u64::from(state) * self.batch_milli);
        }
        self.settle(now_ms, by_step);
    }

    /// One poll. Returns whether anything changed.
    pub(super) fn poll(&mut self, orders: &Orders<'_>, now_ms: u64) -> bool {
        let before = self.hold;
        if orders.capping.per_vm {
            self.control(orders);
        }
        self.protect(before, orders);
        let is_changed = self.hold != before;
        if is_changed {
            self.settle(now_ms, orders.by_step);
        }
        is_changed
    }

    /// Ends all capping.
    pub(super) fn lift(&mut self, now_ms: u64, by_step: &ByStep) {
        self.hold = Hold::NONE;
        self.settle(now_ms, by_step);
    }

    /// Whether RAPL limits it.
    pub(super) fn is_under_rapl(&self) -> bool {
        self.hold.rapl < NOMINAL
    }

    /// The controller: lowers batch cores to half at once, then raises them step by step. (Section III-D)
    fn control(&mut self, orders: &Orders<'_>) {
        let is_above_target = is_above(self.draw_w, orders.target_w());
        self.hold.raised = match self.hold.raised {
            None if orders.alert && is_above_target => Some(0),
            Some(_) if self.is_under_rapl() => Some(0),
            Some(_) if is_above(self.draw_w, orders.share_w) => Some(0),
            Some(raised) if is_above_target => Some(raised.saturating_sub(self.step(orders))),
            Some(raised) => Some(self.higher(raised, orders)),
            None => None,
        };
    }

    /// RAPL: lowers all cores together, once the controller has done what it can. (Sections II-B and III-D)
    fn protect(&mut self, before: Hold, orders: &Orders<'_>) {
        let is_asked = self.is_under_rapl() || orders.over;
        let is_last_resort = !orders.capping.per_vm || before.raised == Some(0);
        let higher = Hold { rapl: (self.hold.rapl + 1).min(NOMINAL), ..self.hold };
        if is_above(self.draw_w, orders.share_w) {
            if is_asked && is_last_resort {
                self.hold.rapl = self.lower(orders);
            }
        } else if self.is_under_rapl() && !is_above(self.draw_with(higher, orders.by_step), orders.share_w) {
            self.hold = higher;
        }
    }

    /// The step to which RAPL lowers cores at a poll: until the server is below its share, and no farther than RAPL
    /// can go.
    fn lower(&self, orders: &Orders<'_>) -> u8 {
        let farthest = self.hold.rapl.saturating_sub(orders.capping.rapl_steps());
        let is_enough = |rapl: &u8| {
            let hold = Hold { rapl: *rapl, ..self.hold };
            !is_above(self.draw_with(hold, orders.by_step), orders.share_w)
        };
        (farthest..self.hold.rapl).rev().find(is_enough).unwrap_or(farthest)
    }

    /// How much is raised or lowered at a poll: by one p-state, at most all cores.
    fn step(&self, orders: &Orders<'_>) -> u64 {
        (1_000 * u64::from(orders.capping.raise_cores)).min(self.batch_milli)
    }

    /// One step up, if the server stays below its target.
    fn higher(&self, raised: u64, orders: &Orders<'_>) -> u64 {
        let next = (raised + self.step(orders)).min((P_STATES as u64 - 1) * self.batch_milli);
        let draw_w = self.draw_with(Hold { raised: Some(next), ..self.hold }, orders.by_step);
        if is_above(draw_w, orders.target_w()) { raised } else { next }
    }

    /// The p-state that all batch cores have reached, and how many thousandths of cores have one more.
    fn reached(&self, raised: u64) -> (u8, u64) {
        match self.batch_milli {
            0 => (P_STATES as u8 - 1, 0),
            milli => ((raised / milli) as u8, raised % milli),
        }
    }

    /// Frequency steps of the batch cores under a cap: that of the first ones, how many those are, and that of all
    /// others.
    fn batch_steps(&self, hold: Hold) -> (u8, u64, u8) {
        let (state, first_milli) = hold.raised.map_or((P_STATES as u8 - 1, 0), |raised| self.reached(raised));
        ((P_STATE * (state + 1)).min(hold.rapl), first_milli, (P_STATE * state).min(hold.rapl))
    }

    /// The server's draw under a cap.
    fn draw_with(&self, hold: Hold, by_step: &ByStep) -> f64 {
        let (first, first_milli, others) = self.batch_steps(hold);
        let first_cores = first_milli as f64 / 1_000.0;
        let first_busy = self.busy_among_first(first_milli);
        let cores = self.batch_milli as f64 / 1_000.0;
        by_step.cores_w(hold.rapl, self.rest_cores, self.rest_busy)
            + by_step.cores_w(first, first_cores, first_busy)
            + by_step.cores_w(others, cores - first_cores, self.batch_busy - first_busy)
    }

    /// Busy cores among the first in the order.
    fn busy_among_first(&self, first_milli: u64) -> f64 {
        let mut busy = 0.0;
        let batch = self.parts.iter().filter(|held| !held.part.user_facing);
        for held in batch.take_while(|held| held.begin_milli < first_milli) {
            let within = u64::from(held.part.cores_milli).min(first_milli - held.begin_milli);
            busy += within as f64 / 1_000.0 * held.part.utilization;
        }
        busy
    }

    /// Counts the time so far and applies the frequencies of the current cap.
    fn settle(&mut self, now_ms: u64, by_step: &ByStep) {
        let (first, first_milli, others) = self.batch_steps(self.hold);
        for held in &mut self.parts {
            let (mean, lowest) = if held.part.user_facing {
                (frequency_at(self.hold.rapl), frequency_at(self.hold.rapl))
            } else {
                let share = share_of_first(held, first_milli);
                let mean = share * frequency_at(first) + (1.0 - share) * frequency_at(others);
                (mean, frequency_at(if share < 1.0 { others } else { first }))
            };
            if mean != held.frequency || lowest != held.lowest {
                held.count(now_ms);
                (held.frequency, held.lowest) = (mean, lowest);
            }
        }
        self.draw_w = self.draw_with(self.hold, by_step);
    }

    /// The draw of each part, then of the unused cores; their sum is the server's draw.
    pub(super) fn parts_w<'a>(&'a self, by_step: &'a ByStep) -> impl Iterator<Item = f64> + 'a {
        let (first, first_milli, others) = self.batch_steps(self.hold);
        let user_facing: f64 =
            self.parts.iter().filter(|held| held.part.user_facing).map(|held| held.part.cores()).sum();
        let none_w = by_step.cores_w(self.hold.rapl, self.rest_cores - user_facing, 0.0);
        let each = move |held: &Held| {
            let of = |step, share: f64| by_step.cores_w(step, share * held.part.cores(), share * held.part.busy());
            if held.part.user_facing {
                return of(self.hold.rapl, 1.0);
            }
            let share = share_of_first(held, first_milli);
            of(first, share) + of(others, 1.0 - share)
        };
        self.parts.iter().map(each).chain([none_w])
    }

    /// The mean and the lowest frequency of each part.
    pub(super) fn frequencies(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.parts.iter().map(|held| (held.frequency, held.lowest))
    }

    /// Whether each part is batch.
    #[cfg(test)]
    pub(super) fn is_batch(&self) -> impl Iterator<Item = bool> + '_ {
        self.parts.iter().map(|held| !held.part.user_facing)
    }

    /// What happened to its parts so far; restarts counting.
    pub(super) fn take_reports(&mut self, now_ms: u64) -> Vec<PartReport> {
        let take = |held: &mut Held| {
            held.count(now_ms);
            core::mem::take(&mut held.report)
        };
        self.parts.iter_mut().map(take).collect()
    }

    /// Skips time that is counted elsewhere.
    pub(super) fn skip(&mut self, ms: u64) {
        for held in &mut self.parts {
            held.since_ms += ms;
        }
    }
}

/// The share of a batch part's cores that are among the first in the order.
fn share_of_first(held: &Held, first_milli: u64) -> f64 {
    let cores_milli = u64::from(held.part.cores_milli);
    cores_milli.min(first_milli.saturating_sub(held.begin_milli)) as f64 / cores_milli as f64
}
