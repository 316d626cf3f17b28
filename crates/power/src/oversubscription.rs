//! How low chassis budgets may be: five steps from a history of draws. (Section III-E)
//!
//! 1. [`Mix`]: how many cores are user-facing, and how busy both kinds are.
//! 2. [`curve`]: what servers draw at lower frequencies, and so how much capping can shave off.
//! 3. [`History`]: the draws of all chassis, sorted.
//! 4. [`History::walk`]: from the highest draw down, as long as capping would not come too often, and would suffice.
//! 5. A buffer on top.
//!
//! What the paper leaves open, and how it is here:
//!
//! - Candidates for the budget are the draws themselves. A reading above the budget is an event.
//! - All events together are at most as frequent as both rates together, and those that slow user-facing VMs as
//!   frequent as theirs. So 0.1 % and 0.9 % allow 1 %, as the paper's approaches 4, 6 and 8 say they do.
//! - All cores are taken to be allocated, and busy at both kinds' 95th percentile.
//! - A final budget is never above what is provisioned.

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
    /// The same of the others.
    pub batch_busy: f64,
}

impl Default for Mix {
    fn default() -> Self {
        Self { user_facing: 0.4, user_facing_busy: 0.65, batch_busy: 0.44 }
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

/// What capping may do to one kind of VMs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The most events, as a share of all readings, from 0 to 1: the paper's emax.
    pub rate: f64,
    /// The lowest frequency, in shares of the nominal one, from 0.5 to 1: the paper's fmin.
    pub frequency: f64,
}

/// What capping may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// To user-facing VMs.
    pub user_facing: Limit,
    /// To the others.
    pub batch: Limit,
    /// Whether batch is slowed first; else every event slows all alike.
    pub per_vm: bool,
}

/// The chassis whose budget is sought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// What its servers draw.
    pub power: ServerPower,
    /// How many it has; at least 1.
    pub servers: u32,
    /// What is provisioned for it now, in watts; at least what it draws without work.
    pub provisioned_w: f64,
    /// How its cores are used.
    pub mix: Mix,
    /// Added to the lowest budget as a share of it: 0 or more.
    pub buffer: f64,
}

impl Default for Terms {
    /// The paper's, with every server's full draw provisioned; the paper does not say what was.
    fn default() -> Self {
        let power = ServerPower::default();
        Self { power, servers: 12, provisioned_w: 12.0 * power.full_w, mix: Mix::default(), buffer: 0.1 }
    }
}

impl Terms {
    /// What the chassis draws without work, in watts.
    #[must_use]
    pub fn idle_w(&self) -> f64 {
        f64::from(self.servers) * self.power.idle_w
    }

    /// What can be shaved off a chassis by lowering its batch cores, and then its user-facing ones, to the lowest
    /// frequency that is allowed: in watts, from step 2.
    #[must_use]
    pub fn shaved_w(&self, limits: &Limits) -> (f64, f64) {
        let chassis = |frequency: f64, busy: f64| f64::from(self.servers) * self.power.server_w(frequency, busy);
        let saved = |limit: &Limit, busy: f64| chassis(1.0, busy) - chassis(limit.frequency, busy);
        let Mix { user_facing, user_facing_busy, batch_busy } = self.mix;
        let batch_w = (1.0 - user_facing) * saved(&limits.batch, batch_busy);
        (batch_w, user_facing * saved(&limits.user_facing, user_facing_busy))
    }

    fn check(&self, limits: &Limits) -> Result<(), BudgetFault> {
        let Self { power, servers, provisioned_w, mix, buffer } = *self;
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

/// What a server whose cores are all busy to this share (0 to 1) draws at every p-state, as (frequency, watts) from half
/// the frequency up: the curves of step 2.
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

/// A candidate for the budget, and what it would have meant for the history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The budget, in watts.
    pub budget_w: f64,
    /// Readings above it.
    pub events: u64,
    /// Those among them for which slowing batch would not have sufficed.
    pub user_facing: u64,
    /// The most that had to be shaved off, in watts.
    pub most_w: f64,
}

/// Why no lower budget will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Capping would come too often.
    Rate,
    /// User-facing VMs would be slowed too often.
    UserFacingRate,
    /// Not even all that may be slowed would bring the highest draw down.
    Reduction,
    /// It would be below what the chassis draws without work.
    Idle,
    /// The history has no lower draw.
    HistoryEnds,
}

impl Stop {
    /// What it means, as the end of a sentence that begins with "no lower, because".
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

/// The budget that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// The lowest one that keeps all limits: the paper's Pmin.
    pub lowest: Candidate,
    /// Why there is none below.
    pub stop: Stop,
    /// With the buffer, in watts; at most what is provisioned.
    pub budget_w: f64,
    /// How much less that is than what is provisioned, as a share of it: 0 to 1.
    pub delta: f64,
    /// What can be shaved off by slowing batch alone, in watts; nothing where all are slowed alike.
    pub batch_w: f64,
    /// What can be shaved off on top by slowing user-facing VMs too, in watts.
    pub user_facing_w: f64,
    /// Candidates on the way down, the refused one last where there is one: all of the first, then fewer and fewer.
    pub walked: Vec<Candidate>,
}

impl History {
    /// Of draws in watts, in any order.
    ///
    /// # Errors
    /// When there are fewer than two, or when one is not a number from 0 up.
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

    /// How many readings there are.
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

    /// What a budget in watts would have meant, where slowing batch shaves off so much.
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
    /// When a number is out of its range, or when no draw is above what the chassis draws without work.
    pub fn walk(&self, terms: &Terms, limits: &Limits) -> Result<Budget, BudgetFault> {
        terms.check(limits)?;
        let idle_w = terms.idle_w();
        if self.highest_w() < idle_w {
            return Err(BudgetFault::HistoryBelowIdle { highest_w: self.highest_w(), idle_w, servers: terms.servers });
        }
        let (batch_w, user_facing_w) = match terms.shaved_w(limits) {
            shaved if limits.per_vm => shaved,
            // Nothing is shaved off without slowing everyone.
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

    /// From the highest draw down to the last one within limits.
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
                // A hundredth more events than at the last one that was kept.
                next_kept = candidate.events + candidate.events / 100 + 1;
            }
            lowest = candidate;
        }
        walked.push(lowest);
        walked.dedup();
        (lowest, Stop::HistoryEnds, walked)
    }
}

/// What candidates must keep within.
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

/// The different draws from the highest down; both counts only grow, so each step is cheap.
struct Walk<'a> {
    draws: &'a [f64],
    batch_w: f64,
    /// Draws above the next candidate.
    at: usize,
    /// Draws too far above it for slowing batch.
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

/// What no budget can be found from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BudgetFault {
    /// The history has fewer than two readings.
    TooShort {
        /// How many it has.
        readings: usize,
    },
    /// A reading is no draw.
    Reading {
        /// Its number in the order given, from 0.
        number: usize,
        /// What came.
        watts: f64,
    },
    /// No chassis: no server, or servers that draw less for more.
    Chassis {
        /// The servers' watts.
        power: ServerPower,
        /// How many there are.
        servers: u32,
    },
    /// Less is provisioned than the chassis draws without work.
    ProvisionedBelowIdle {
        /// What is provisioned.
        provisioned_w: f64,
        /// What the chassis draws without work.
        idle_w: f64,
    },
    /// Every draw is below what the chassis draws without work.
    HistoryBelowIdle {
        /// The highest draw.
        highest_w: f64,
        /// What the chassis draws without work.
        idle_w: f64,
        /// How many servers it has.
        servers: u32,
    },
    /// A number is out of its range.
    Range {
        /// Which one.
        what: &'static str,
        /// What came.
        value: f64,
        /// The least that it may be.
        least: f64,
        /// The most that it may be.
        most: f64,
    },
}

impl BudgetFault {
    /// What it says.
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
        // If batch gave 20 W only, the one reading that needs 60 W would slow user-facing VMs, the two others not.
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
