//! How low chassis budgets may be: five steps from a history of draws. (Section III-E)
//!
//! 1. [`Mix`]: how many cores are user-facing, and how busy both kinds are.
//! 2. [`curve`]: the draw of servers at lower frequencies, and so how much capping can reduce it.
//! 3. [`History`]: the draws of all chassis, sorted.
//! 4. [`History::walk`]: from the highest draw down, while capping would not be too frequent, and would suffice.
//! 5. An added buffer.
//!
//! What the paper leaves open, and our choices:
//!
//! - Candidates for the budget are the draws themselves. A reading above the budget is an event.
//! - The total rate of events is at most the sum of both rates, and the rate of those that throttle user-facing VMs
//!   at most theirs. So 0.1 % and 0.9 % allow 1 %, as in the paper's approaches 4, 6 and 8.
//! - Allocated cores are busy at the 95th percentile of their kind; how many are allocated is a term, by default all.
//! - A final budget never exceeds the provisioned power.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use tiebreak_model::phrase::mark;
use tiebreak_model::{Phrase, phrase};

use crate::watts::{P_STATES, ServerPower, frequency};

/// How the cores of a chassis are used: step 1. The default is the paper's. (Section IV-F)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// The share of user-facing cores among allocated ones, from 0 to 1: the paper's beta.
    pub user_facing: f64,
    /// The mean 95th-percentile utilization of user-facing cores, from 0 to 1.
    pub user_facing_busy: f64,
    /// The same for the other cores.
    pub batch_busy: f64,
    /// The share of the cores that are allocated, from 0 to 1. The paper publishes none; by default all of them.
    pub allocated: f64,
}

impl Default for Mix {
    fn default() -> Self {
        Self { user_facing: 0.4, user_facing_busy: 0.65, batch_busy: 0.44, allocated: 1.0 }
    }
}

impl Mix {
    /// The mix as capping sees it if only this share of the batch cores (0 to 1) may be treated as batch, and all
    /// others are protected like user-facing ones.
    #[must_use]
    pub fn protecting(&self, treated: f64) -> Self {
        let batch = (1.0 - self.user_facing) * treated;
        let user_facing = 1.0 - batch;
        let moved = (1.0 - self.user_facing) * (1.0 - treated);
        let busy = self.user_facing * self.user_facing_busy + moved * self.batch_busy;
        let user_facing_busy = if user_facing > 0.0 { busy / user_facing } else { 0.0 };
        Self { user_facing, user_facing_busy, ..*self }
    }
}

/// The shares of the batch cores that may be treated as such, from 0 to 1, where customers' VMs are protected. The
/// paper does not publish whose VMs its cluster hosted: the defaults are our assumptions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreatedShares {
    /// Those of the provider's own VMs.
    pub internal: f64,
    /// Those, and those of customers who do not pay for more.
    pub non_premium: f64,
}

impl Default for TreatedShares {
    fn default() -> Self {
        Self { internal: 0.5, non_premium: 0.9 }
    }
}

/// The limits of capping for one kind of VMs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The most events, as a share of all readings, from 0 to 1: the paper's emax.
    pub rate: f64,
    /// The lowest frequency, as a share of the nominal one, from 0.5 to 1: the paper's fmin.
    pub frequency: f64,
}

/// The limits of capping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// For user-facing VMs.
    pub user_facing: Limit,
    /// For the others.
    pub batch: Limit,
    /// Whether batch VMs are throttled first; otherwise every event throttles all alike.
    pub per_vm: bool,
}

/// The chassis for which a budget is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// The power model of its servers.
    pub power: ServerPower,
    /// The number of its servers; at least 1.
    pub servers: u32,
    /// The power provisioned for it now, in watts; at least its idle draw.
    pub provisioned_w: f64,
    /// How its cores are used.
    pub mix: Mix,
    /// Added to the lowest budget as a share of it: 0 or more.
    pub buffer: f64,
    /// Whose batch cores may be throttled first.
    pub treated: TreatedShares,
}

impl Default for Terms {
    /// The paper's values, with every server's full draw provisioned; the paper does not state what was.
    fn default() -> Self {
        let power = ServerPower::default();
        let (mix, treated) = (Mix::default(), TreatedShares::default());
        Self { power, servers: 12, provisioned_w: 12.0 * power.full_w, mix, buffer: 0.1, treated }
    }
}

impl Terms {
    /// The idle draw of the chassis, in watts.
    #[must_use]
    pub fn idle_w(&self) -> f64 {
        f64::from(self.servers) * self.power.idle_w
    }

    /// The possible reduction of a chassis's draw by lowering its batch cores, and then its user-facing ones, to the
    /// lowest allowed frequency: in watts, from step 2.
    #[must_use]
    pub fn shaved_w(&self, limits: &Limits) -> (f64, f64) {
        let chassis = |frequency: f64, busy: f64| f64::from(self.servers) * self.power.server_w(frequency, busy);
        let saved = |limit: &Limit, busy: f64| chassis(1.0, busy) - chassis(limit.frequency, busy);
        let Mix { user_facing, user_facing_busy, batch_busy, allocated } = self.mix;
        let batch_w = (1.0 - user_facing) * saved(&limits.batch, allocated * batch_busy);
        (batch_w, user_facing * saved(&limits.user_facing, allocated * user_facing_busy))
    }

    fn check(&self, limits: &Limits) -> Result<(), BudgetFault> {
        let Self { power, servers, provisioned_w, mix, buffer, treated } = *self;
        if !power.is_sound() || servers == 0 {
            return Err(BudgetFault::Chassis { power, servers });
        }
        if !provisioned_w.is_finite() || provisioned_w < self.idle_w() {
            return Err(BudgetFault::ProvisionedBelowIdle { provisioned_w, idle_w: self.idle_w() });
        }
        let Limits { user_facing, batch, .. } = limits;
        let within = [
            (mark("the share of user-facing cores"), mix.user_facing, 0.0, 1.0),
            (mark("the utilization of user-facing cores"), mix.user_facing_busy, 0.0, 1.0),
            (mark("the utilization of the other cores"), mix.batch_busy, 0.0, 1.0),
            (mark("the share of allocated cores"), mix.allocated, 0.0, 1.0),
            (mark("the share of batch cores of the provider's own VMs"), treated.internal, 0.0, 1.0),
            (mark("the share of batch cores of VMs without a premium"), treated.non_premium, 0.0, 1.0),
            (mark("the rate of events for user-facing VMs"), user_facing.rate, 0.0, 1.0),
            (mark("the rate of events for the other VMs"), batch.rate, 0.0, 1.0),
            (mark("the lowest frequency of user-facing VMs"), user_facing.frequency, 0.5, 1.0),
            (mark("the lowest frequency of the other VMs"), batch.frequency, 0.5, 1.0),
            (mark("the buffer"), buffer, 0.0, 10.0),
        ];
        let wrong = within.into_iter().find(|(_, value, least, most)| !(*least..=*most).contains(value));
        wrong.map_or(Ok(()), |(what, value, least, most)| Err(BudgetFault::Range { what, value, least, most }))
    }
}

/// The draw of a server whose cores are all busy to this share (0 to 1) at every p-state, as (frequency, watts) from
/// half the frequency up: the curves of step 2.
#[must_use]
pub fn curve(power: &ServerPower, busy: f64) -> [(f64, f64); P_STATES] {
    core::array::from_fn(|state| {
        let frequency = frequency(state as u8);
        (frequency, power.server_w(frequency, busy))
    })
}

/// Draws of chassis, one reading for each chassis and unit of time: step 3.
#[derive(Clone, Debug)]
pub struct History {
    /// Highest first.
    draws: Vec<f64>,
}

/// A candidate for the budget, and its effect on the history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The budget, in watts.
    pub budget_w: f64,
    /// Readings above it.
    pub events: u64,
    /// Those among them for which throttling batch VMs would not have been enough.
    pub user_facing: u64,
    /// The largest necessary reduction, in watts.
    pub most_w: f64,
}

/// Why no lower budget is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Capping would be too frequent.
    Rate,
    /// User-facing VMs would be throttled too often.
    UserFacingRate,
    /// Even full throttling would not reduce the highest draw enough.
    Reduction,
    /// It would be below the idle draw of the chassis.
    Idle,
    /// The history has no lower draw.
    HistoryEnds,
}

impl Stop {
    /// The reason in words, as the end of a sentence that begins with "no lower, because".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Rate => mark("capping events would be more frequent than allowed"),
            Self::UserFacingRate => mark("user-facing VMs would be throttled more often than allowed"),
            Self::Reduction => mark("throttling cores as far as allowed would not reduce the highest draw enough"),
            Self::Idle => mark("the chassis draws more when idle"),
            Self::HistoryEnds => mark("no recorded draw is lower"),
        }
    }
}

/// The resulting budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// The lowest one within all limits: the paper's Pmin.
    pub lowest: Candidate,
    /// Why there is none below it.
    pub stop: Stop,
    /// With the buffer, in watts; at most the provisioned power.
    pub budget_w: f64,
    /// How much less that is than the provisioned power, as a share of it: 0 to 1.
    pub delta: f64,
    /// The possible reduction by throttling batch VMs only, in watts; 0 if all are throttled alike.
    pub batch_w: f64,
    /// The possible further reduction by also throttling user-facing VMs, in watts.
    pub user_facing_w: f64,
    /// Candidates on the way down, including the refused one last, if any: at first every one, then fewer and fewer.
    pub walked: Vec<Candidate>,
}

impl History {
    /// From draws in watts, in any order.
    ///
    /// # Errors
    /// If there are fewer than two, or if one is not a number of at least 0.
    pub fn new(mut draws: Vec<f64>) -> Result<Self, BudgetFault> {
        if draws.len() < 2 {
            return Err(BudgetFault::TooShort { readings: draws.len() });
        }
        if let Some(number) = draws.iter().position(|draw| !draw.is_finite() || *draw < 0.0) {
            return Err(BudgetFault::Reading { number, watts: draws[number] });
        }
        draws.sort_unstable_by(|one, other| other.total_cmp(one));
        Ok(Self { draws })
    }

    /// The number of readings.
    #[must_use]
    pub fn readings(&self) -> usize {
        self.draws.len()
    }

    /// The highest draw, in watts.
    #[must_use]
    pub fn highest_w(&self) -> f64 {
        self.draws[0]
    }

    /// The draw that only this share of the readings (0 to 1) exceeds, in watts.
    #[must_use]
    pub fn exceeded_by(&self, share: f64) -> f64 {
        let above = (share * self.draws.len() as f64) as usize;
        self.draws[above.min(self.draws.len() - 1)]
    }

    /// The effect of a budget in watts if throttling batch VMs reduces the draw by this much.
    #[must_use]
    pub fn at(&self, budget_w: f64, batch_w: f64) -> Candidate {
        let above = |watts: f64| self.draws.partition_point(|draw| *draw > watts) as u64;
        Candidate {
            budget_w,
            events: above(budget_w),
            user_facing: above(budget_w + batch_w),
            most_w: (self.highest_w() - budget_w).max(0.0),
        }
    }

    /// Steps 2, 4 and 5: the lowest budget within limits, with a buffer.
    ///
    /// # Errors
    /// If a number is out of its range, or if no draw is above the idle draw of the chassis.
    pub fn walk(&self, terms: &Terms, limits: &Limits) -> Result<Budget, BudgetFault> {
        terms.check(limits)?;
        let idle_w = terms.idle_w();
        if self.highest_w() < idle_w {
            return Err(BudgetFault::HistoryBelowIdle { highest_w: self.highest_w(), idle_w, servers: terms.servers });
        }
        let (batch_w, user_facing_w) = match terms.shaved_w(limits) {
            shaved if limits.per_vm => shaved,
            // Nothing can be reduced without throttling all VMs.
            (batch_w, user_facing_w) => (0.0, batch_w + user_facing_w),
        };
        let allowed = |rate: f64| rate * self.draws.len() as f64 * (1.0 + 1e-12);
        let within = Within {
            events: allowed(limits.user_facing.rate + limits.batch.rate),
            user_facing: allowed(limits.user_facing.rate),
            reduction_w: batch_w + user_facing_w,
            idle_w,
        };
        let (lowest, stop, walked) = self.descend(&within, batch_w);
        let budget_w = (lowest.budget_w * (1.0 + terms.buffer)).min(terms.provisioned_w);
        let delta = 1.0 - budget_w / terms.provisioned_w;
        Ok(Budget { lowest, stop, budget_w, delta, batch_w, user_facing_w, walked })
    }

    /// Searches from the highest draw down to the last one within limits.
    fn descend(&self, within: &Within, batch_w: f64) -> (Candidate, Stop, Vec<Candidate>) {
        let walk = Walk { draws: &self.draws, batch_w, at: 0, beyond_batch: 0 };
        let mut lowest = Candidate { budget_w: self.highest_w(), events: 0, user_facing: 0, most_w: 0.0 };
        let (mut walked, mut next_kept) = (Vec::new(), 0);
        for candidate in walk {
            if let Some(stop) = within.refusal(&candidate) {
                walked.extend([lowest, candidate]);
                walked.dedup();
                return (lowest, stop, walked);
            }
            if candidate.events >= next_kept {
                walked.push(candidate);
                // Keep the next one after a hundredth more events.
                next_kept = candidate.events + candidate.events / 100 + 1;
            }
            lowest = candidate;
        }
        walked.push(lowest);
        walked.dedup();
        (lowest, Stop::HistoryEnds, walked)
    }
}

/// The limits of candidates.
struct Within {
    events: f64,
    user_facing: f64,
    reduction_w: f64,
    idle_w: f64,
}

impl Within {
    fn refusal(&self, candidate: &Candidate) -> Option<Stop> {
        let Candidate { budget_w, events, user_facing, most_w } = *candidate;
        let refusals = [
            (events as f64 > self.events, Stop::Rate),
            (most_w > self.reduction_w, Stop::Reduction),
            (user_facing as f64 > self.user_facing, Stop::UserFacingRate),
            (budget_w < self.idle_w, Stop::Idle),
        ];
        refusals.into_iter().find(|(is_so, _)| *is_so).map(|(_, stop)| stop)
    }
}

/// The distinct draws from the highest down; both counts only grow, so each step is cheap.
struct Walk<'a> {
    draws: &'a [f64],
    batch_w: f64,
    /// Draws above the next candidate.
    at: usize,
    /// Draws too far above it for throttling batch VMs only.
    beyond_batch: usize,
}

impl Iterator for Walk<'_> {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        let budget_w = *self.draws.get(self.at)?;
        let events = self.at as u64;
        while self.draws.get(self.beyond_batch).is_some_and(|draw| *draw > budget_w + self.batch_w) {
            self.beyond_batch += 1;
        }
        while self.draws.get(self.at) == Some(&budget_w) {
            self.at += 1;
        }
        let (user_facing, most_w) = (self.beyond_batch as u64, self.draws[0] - budget_w);
        Some(Candidate { budget_w, events, user_facing, most_w })
    }
}

/// Inputs from which no budget can be computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BudgetFault {
    /// The history has fewer than two readings.
    TooShort {
        /// The number of readings.
        readings: usize,
    },
    /// A reading is not a valid draw.
    Reading {
        /// Its number in the order given, from 0.
        number: usize,
        /// The given value.
        watts: f64,
    },
    /// The chassis is invalid: no server, or servers that draw less for more work.
    Chassis {
        /// The power model of the servers.
        power: ServerPower,
        /// The number of servers.
        servers: u32,
    },
    /// The provisioned power is below the idle draw of the chassis.
    ProvisionedBelowIdle {
        /// The provisioned power.
        provisioned_w: f64,
        /// The idle draw of the chassis.
        idle_w: f64,
    },
    /// Every draw is below the idle draw of the chassis.
    HistoryBelowIdle {
        /// The highest draw.
        highest_w: f64,
        /// The idle draw of the chassis.
        idle_w: f64,
        /// The number of its servers.
        servers: u32,
    },
    /// A number is out of its range.
    Range {
        /// The name of the number.
        what: &'static str,
        /// The given value.
        value: f64,
        /// The lowest valid value.
        least: f64,
        /// The highest valid value.
        most: f64,
    },
}

impl BudgetFault {
    /// The message.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::TooShort { readings } => phrase!(
                "expected at least 2 readings, got {readings}; provide one reading per chassis and unit of time, over \
                 several weeks",
                readings
            ),
            Self::Reading { number, watts } => phrase!(
                "expected draws of 0 W or more, got {watts} as reading {}; remove or correct it",
                watts,
                number + 1
            ),
            Self::Chassis { power, servers } => phrase!(
                "expected a chassis with servers that do not draw less with more work or at a higher frequency, got \
                 {servers} of {power}; change them",
                servers,
                format!("{power:?}")
            ),
            Self::ProvisionedBelowIdle { provisioned_w, idle_w } => phrase!(
                "expected at least {idle_w} W provisioned per chassis, which it draws when idle, got {provisioned_w} \
                 W; raise that, or use fewer servers per chassis",
                idle_w,
                provisioned_w
            ),
            Self::HistoryBelowIdle { highest_w, idle_w, servers } => phrase!(
                "expected draws above the {idle_w} W that a chassis of {servers} idle servers draws, got at most \
                 {highest_w} W, and no budget can be below that; provide draws of whole chassis, in watts, or correct \
                 the number of servers",
                idle_w,
                servers,
                highest_w
            ),
            Self::Range { what, value, least, most } => {
                phrase!(
                    "expected {what} from {least} to {most}, got {value}; choose a value in this range",
                    Phrase::text(*what),
                    least,
                    most,
                    value
                )
            }
        }
    }
}

impl fmt::Display for BudgetFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

impl core::error::Error for BudgetFault {}

#[cfg(test)]
mod tests {
    use alloc::{format, vec};

    use super::*;

    const LIMITS: Limits = Limits {
        user_facing: Limit { rate: 0.001, frequency: 0.75 },
        batch: Limit { rate: 0.01, frequency: 0.5 },
        per_vm: true,
    };

    /// The paper's 10,000 readings: 2,900, 2,850, 2,850 W, and lower ones.
    fn example() -> History {
        let lower = (0..9_997).map(|number| 2_800.0 - 0.1 * f64::from(number));
        History::new(lower.chain([2_850.0, 2_900.0, 2_850.0]).collect()).expect("draws")
    }

    #[test]
    fn the_papers_example() {
        let history = example();
        let just_below = |budget_w, batch_w| {
            let Candidate { events, user_facing, most_w, .. } = history.at(budget_w, batch_w);
            (events, user_facing, most_w)
        };
        assert_eq!(just_below(2_900.0, 451.0), (0, 0, 0.0));
        assert_eq!(just_below(2_890.0, 451.0), (1, 0, 10.0));
        assert_eq!(just_below(2_840.0, 451.0), (3, 0, 60.0));
        // If throttling batch VMs gave only 20 W, the one reading that needs 60 W would throttle user-facing VMs, the
        // other two would not.
        assert_eq!(just_below(2_840.0, 20.0), (3, 1, 60.0));
        // 1.1 % of 10,000 readings may be above.
        let budget = history.walk(&Terms::default(), &LIMITS).expect("sound terms");
        assert_eq!((budget.stop, budget.lowest.events), (Stop::Rate, 110));
        assert_eq!(budget.lowest.budget_w, 2_800.0 - 0.1 * 107.0);
        assert_eq!(budget.budget_w, 1.1 * budget.lowest.budget_w);
        assert_eq!(budget.walked[0].budget_w, 2_900.0);
        assert_eq!(budget.walked[1], Candidate { budget_w: 2_850.0, events: 1, user_facing: 0, most_w: 50.0 });
        assert_eq!(budget.walked.last().map(|refused| refused.events), Some(111));
    }

    #[test]
    fn every_limit_stops_the_walk() {
        let history = example();
        let stop = |terms: &Terms, limits: &Limits| history.walk(terms, limits).expect("sound terms");
        let (terms, often) = (Terms::default(), Limit { rate: 1.0, frequency: 0.5 });
        let never = Limit { rate: 0.0, frequency: 1.0 };
        let only_batch = stop(&terms, &Limits { user_facing: never, batch: often, per_vm: true });
        assert_eq!(only_batch.stop, Stop::Reduction);
        assert!(only_batch.lowest.most_w <= only_batch.batch_w && only_batch.batch_w - only_batch.lowest.most_w < 0.1);
        let seldom = Limit { rate: 0.001, ..often };
        let both = stop(&terms, &Limits { user_facing: seldom, batch: often, per_vm: true });
        assert_eq!((both.stop, both.lowest.user_facing), (Stop::UserFacingRate, 10));
        let all = Limits { user_facing: often, batch: often, per_vm: true };
        assert_eq!(stop(&Terms { servers: 20, provisioned_w: 6_200.0, ..terms }, &all).stop, Stop::Idle);
        assert_eq!(stop(&Terms { servers: 16, ..terms }, &Limits { per_vm: false, ..all }).stop, Stop::HistoryEnds);
    }

    #[test]
    fn the_walk_finds_what_looking_at_all_finds() {
        for user_facing in [0.0, 0.4, 0.9] {
            for rate in [0.0, 0.0005, 0.02, 0.7] {
                let mix = Mix { user_facing, ..Mix::default() };
                let terms = Terms { mix, ..Terms::default() };
                let limits = Limits { user_facing: Limit { rate, frequency: 0.75 }, ..LIMITS };
                let history = example();
                let found = history.walk(&terms, &limits).expect("sound terms");
                let keeps = |budget_w: f64| {
                    let candidate = history.at(budget_w, found.batch_w);
                    candidate.events as f64 <= (rate + 0.01) * 10_000.0 + 1e-6
                        && candidate.user_facing as f64 <= rate * 10_000.0 + 1e-6
                        && candidate.most_w <= found.batch_w + found.user_facing_w
                };
                let looked = history.draws.iter().copied().filter(|draw| keeps(*draw)).fold(f64::INFINITY, f64::min);
                assert_eq!(found.lowest.budget_w, looked, "{user_facing}, {rate}");
            }
        }
    }

    #[test]
    fn a_buffer_never_takes_more_than_is_provisioned() {
        let terms = Terms { provisioned_w: 2_950.0, ..Terms::default() };
        let budget = example().walk(&terms, &LIMITS).expect("sound terms");
        assert_eq!((budget.budget_w, budget.delta), (2_950.0, 0.0));
    }

    #[test]
    fn curves_meet_the_published_points() {
        let busy = curve(&ServerPower::default(), 1.0);
        assert_eq!((busy[0].0, busy[P_STATES - 1].0), (0.5, 1.0));
        assert!((busy[0].1 - 169.0).abs() < 1e-9 && (busy[P_STATES - 1].1 - 310.0).abs() < 1e-9);
    }

    #[test]
    fn cores_that_nobody_has_give_nothing() {
        let gives = |allocated| {
            let mix = Mix { allocated, ..Mix::default() };
            Terms { mix, ..Terms::default() }.shaved_w(&LIMITS).0
        };
        // Idle servers draw 1 W less at half the frequency; of busy cores the saving is proportional to their number.
        assert!((gives(0.0) - 0.6 * 12.0).abs() < 1e-9);
        assert!((gives(0.5) - (gives(0.0) + gives(1.0)) / 2.0).abs() < 1e-9);
    }

    #[test]
    fn protected_cores_change_sides_with_their_load() {
        let mix = Mix::default().protecting(0.5);
        assert!((mix.user_facing - 0.7).abs() < 1e-12);
        let busy = mix.user_facing * mix.user_facing_busy + (1.0 - mix.user_facing) * mix.batch_busy;
        assert!((busy - (0.4 * 0.65 + 0.6 * 0.44)).abs() < 1e-12);
        assert_eq!(Mix { user_facing: 0.0, ..mix }.protecting(1.0).user_facing_busy, 0.0);
    }

    #[test]
    fn what_gives_no_budget_is_said() {
        let said = |history: Vec<f64>, terms: Terms, limits: Limits| {
            let found = History::new(history).and_then(|history| history.walk(&terms, &limits));
            format!("{}", found.expect_err("a fault"))
        };
        let (terms, draws) = (Terms::default(), vec![2_000.0, 2_100.0]);
        let rate = |rate| Limits { batch: Limit { rate, ..LIMITS.batch }, ..LIMITS };
        let slow = Limits { user_facing: Limit { frequency: 0.4, ..LIMITS.user_facing }, ..LIMITS };
        for (said, words) in [
            (said(vec![], terms, LIMITS), "at least 2 readings, got 0"),
            (said(vec![2_000.0], terms, LIMITS), "at least 2 readings, got 1"),
            (said(vec![2_000.0, f64::NAN], terms, LIMITS), "got NaN as reading 2"),
            (said(vec![2_000.0, -1.0], terms, LIMITS), "got -1 as reading 2"),
            (said(vec![200.0, 210.0], terms, LIMITS), "above the 1344 W that a chassis of 12 idle servers draws"),
            (said(draws.clone(), Terms { servers: 0, ..terms }, LIMITS), "expected a chassis with servers"),
            (said(draws.clone(), Terms { provisioned_w: 1_000.0, ..terms }, LIMITS), "at least 1344 W provisioned"),
            (said(draws.clone(), terms, rate(1.5)), "the rate of events for the other VMs from 0 to 1, got 1.5"),
            (said(draws.clone(), terms, rate(f64::NAN)), "got NaN"),
            (said(draws.clone(), terms, slow), "the lowest frequency of user-facing VMs from 0.5 to 1, got 0.4"),
            (said(draws, Terms { mix: Mix { user_facing: -0.1, ..terms.mix }, ..terms }, LIMITS), "got -0.1"),
        ] {
            assert!(said.contains(words), "{said}");
        }
    }
}
