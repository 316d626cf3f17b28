//! The commit protocol of store, journal and agents, exhaustively in small: two agents, three machines, four requests
//! (Protean sections 4 and 5.3).
//!
//! [`model`] implements the protocol a second time, without time: it says which steps may come next. [`follow`] runs
//! the real [`World`](tiebreak_sim::World) event by event beside it. After every event the store holds what was
//! committed minus VMs that ended, and so nothing is over-committed; each agent's view is the store at some earlier
//! moment, plus its own unanswered choices; and what agents have in flight is allowed. Every machine chosen is one of
//! the best in its agent's view. A commit fails exactly when its machines have changed (coarse) or have no room
//! (fine). Once everything is visible, the views equal the store; and the record of the run obeys all laws about
//! answers: each request has one outcome, completely or not at all, and its attempts are counted.
//!
//! Two things are enumerated. *Interleavings*: all orders of arrivals, decisions, commits and exits, with all that an agent
//! may have seen of the store's log by then. The model enumerates them, [`search`] finds times that make the simulator go
//! that way, and none is left over. What is not among them, the simulator excludes: requests are taken in the order in
//! which they came, by the agent that has been idle for longest; a decision is one event, and so are a commit and its
//! answer; changes become visible to all agents at once and in their order; decisions reach the store in the order in which
//! they were made, because a commit takes the same time for all; a change is visible at the instant at which it happens if
//! publishing takes no time, and otherwise none is. Things that happen at the same instant do so in the order of
//! `crates/sim/src/queue/mod.rs`, which is one of those that other times give. *Cases*: all combinations of sizes, waits,
//! lives, times and settings from short lists, where agents with one view want the same machine and where chance decides.
//!
//! `cargo test -p tiebreak-tests protocol:: -- --ignored` runs longer lists.

mod follow;
mod model;
mod search;

use tiebreak_sim::{Agents, Latency};

use follow::{Small, follow};
use model::{Ask, Coverage, Rules, Terms, Trace, interleavings};
use search::{WHOLE, timings};

/// Runs a case; returns its trace and coverage.
fn run(small: &Small) -> (Trace, Coverage) {
    follow(small).unwrap_or_else(|wrong| panic!("{wrong}\n{small:?}"))
}

/// Interleavings of requests for whole machines: agents wait for the store's answer or continue deciding, with this
/// many retries, and the first VM ends or not.
struct Space {
    pipelined: bool,
    fine_grained: bool,
    retries: u32,
    first_leaves: bool,
    /// The number of interleavings.
    count: usize,
}

impl Space {
    /// Runs each interleaving once.
    fn check(&self, climbs: u64) -> Coverage {
        let Self { pipelined, fine_grained, retries, first_leaves, count } = *self;
        let terms = Terms { asks: vec![WHOLE; 4], rules: Rules::FirstFit, retries, fine_grained, pipelined };
        let all = interleavings(&terms, if first_leaves { &[0] } else { &[] });
        let found = timings(&terms, first_leaves, &all, climbs);
        let mut seen = Coverage::default();
        for (trace, small) in &found {
            let (went, one) = run(small);
            assert!(went == *trace, "it went another way: {small:?}");
            seen.add(&one);
        }
        println!("{} of {} interleavings, {seen:?}", found.len(), all.len());
        assert_eq!((found.len(), all.len()), (count, count), "interleavings run, and those that there are");
        seen
    }
}

#[test]
fn every_interleaving_of_agents_that_wait_for_answers_is_lawful() {
    let mut seen = Coverage::default();
    for (fine_grained, retries, first_leaves, count) in
        [(true, 2, false, 378), (true, 0, true, 1_136), (false, 0, true, 1_109)]
    {
        seen.add(&Space { pipelined: false, fine_grained, retries, first_leaves, count }.check(100_000));
    }
    assert!(seen.answers.iter().all(|count| *count > 10) && seen.stale > 100 && seen.merged > 100, "{seen:?}");
    assert!(seen.outdated > 100 && seen.placed_again > 100 && seen.over_before > 100, "{seen:?}");
}

#[test]
fn every_interleaving_of_agents_that_decide_on_is_lawful() {
    let space = Space { pipelined: true, fine_grained: true, retries: 0, first_leaves: false, count: 2_522 };
    let seen = space.check(100_000);
    assert!(seen.pipelined > 1_000 && seen.stale > 100, "{seen:?}");
}

/// All combinations of these.
struct Grid {
    /// Of each request.
    asks: &'static [Ask],
    /// Between two requests, in milliseconds.
    waits: &'static [i64],
    /// Of all VMs, in milliseconds; `None` stays.
    lives: &'static [Option<i64>],
    /// The duration of a quick decision, of a slow one, and of a commit; without any, agents wait for answers.
    times: &'static [(u64, u64, u64)],
    publish_ms: &'static [u64],
    retries: &'static [u32],
    seeds: &'static [u64],
}

const SHORT: Grid = Grid {
    asks: &[&[2], &[4], &[2, 2]],
    waits: &[0, 2],
    lives: &[None, Some(5)],
    times: &[(1, 3, 0), (1, 3, 2)],
    publish_ms: &[0, 3],
    retries: &[0, 1, 2],
    seeds: &[2],
};

const LONG: Grid = Grid {
    asks: &[&[2], &[4], &[2, 2], &[4, 2]],
    waits: &[0, 1, 4],
    lives: &[None, Some(2), Some(6)],
    times: &[(0, 0, 0), (1, 3, 0), (0, 0, 1), (1, 3, 2), (2, 3, 5)],
    publish_ms: &[0, 2, 7],
    retries: &[0, 1, 2],
    seeds: &[1, 2],
};

impl Grid {
    /// Runs every case.
    fn check(&self, rules: Rules) -> Coverage {
        let mut seen = Coverage::default();
        let cases = (0..).map_while(|number| self.case(rules, number)).inspect(|small| seen.add(&run(small).1)).count();
        println!("{cases} cases, {seen:?}");
        seen
    }

    /// The case with this number, whose digits select from each list.
    fn case(&self, rules: Rules, number: usize) -> Option<Small> {
        let mut digits = Digits(number);
        let (quick, slow, commit_ms) = digits.one_of(self.times);
        let agents = Agents {
            count: 2,
            latency: Latency::Drawn,
            hit_ms: quick,
            miss_ms: slow,
            hit_ratio: 50.0,
            commit_ms,
            publish_ms: digits.one_of(self.publish_ms),
            retries: digits.one_of(self.retries),
            fine_grained: digits.one_of(&[true, false]),
            ..Agents::default()
        };
        let mut at = 1;
        let mut arrive = |request: usize| {
            at += if request > 0 { digits.one_of(self.waits) } else { 0 };
            at
        };
        let arrivals = (0..4).map(&mut arrive).collect();
        let asks = (0..4).map(|_| digits.one_of(self.asks)).collect();
        let lives = vec![digits.one_of(self.lives); 4];
        let small = Small { asks, arrivals, lives, rules, agents, seed: digits.one_of(self.seeds) };
        digits.are_read().then_some(small)
    }
}

/// The rest of a number that is read digit by digit.
struct Digits(usize);

impl Digits {
    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        let digit = self.0 % list.len();
        self.0 /= list.len();
        list[digit]
    }

    fn are_read(&self) -> bool {
        self.0 == 0
    }
}

#[test]
fn every_small_case_is_lawful_where_agents_want_the_first_machine() {
    SHORT.check(Rules::FirstFit).assert_all();
}

#[test]
fn every_small_case_is_lawful_where_agents_want_the_fullest_machine() {
    SHORT.check(Rules::BestFit).assert_all();
}

#[test]
fn every_small_case_is_lawful_where_chance_decides() {
    SHORT.check(Rules::Any).assert_all();
}

#[test]
#[ignore = "takes an hour"]
fn every_case_of_longer_lists_is_lawful() {
    for rules in [Rules::FirstFit, Rules::BestFit, Rules::Any] {
        LONG.check(rules).assert_all();
    }
}
