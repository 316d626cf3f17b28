//! Finds a timing for every interleaving: when requests arrive and VMs end, and how long decisions, commits and
//! publications take, so that a run follows it. Arrivals and exits are set as needed; the other numbers are changed
//! at random, a few at a time, while the run follows the interleaving at least as far as before. Only the protocol is
//! stepped for that, which takes some microseconds.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tiebreak_model::random::{Seed, Stream, pick};
use tiebreak_sim::{Agents, Latency};

use super::follow::{Event, Small, Timed};
use super::model::{Ask, CORES, Rules, Step, Terms, Token, Trace};

/// A request for a whole machine, split into one or more VMs. All have the same effect, but more VMs take longer to
/// decide; and a random bit for each VM selects one of two durations.
pub(crate) const WHOLE: Ask = &[CORES];
const WHOLE_IN_PARTS: [Ask; 4] = [WHOLE, &[2, 2], &[2, 1, 1], &[1, 1, 1, 1]];

/// The number of seeds: enough for every combination of random bits in a few decisions.
const SEEDS: u32 = 1_000_000;
/// The longest duration of a commit; other durations are tried up to a multiple of it.
const SPAN_MS: u32 = 30;
/// The number of changes tried for one interleaving before the next one has its turn.
const STEPS: usize = 200;

/// Searches for a timing for each interleaving of requests for whole machines, of which the first may end; gives up
/// after this many climbs. Interleavings without a timing are omitted.
pub(crate) fn timings(
    terms: &Terms,
    first_leaves: bool,
    wanted: &BTreeSet<Trace>,
    climbs: u64,
) -> BTreeMap<Trace, Small> {
    let mut found: BTreeMap<Trace, Small> = BTreeMap::new();
    let mut missing: Vec<_> = wanted.iter().collect();
    for climb in 0..climbs {
        if missing.is_empty() {
            break;
        }
        let mut draws = ClimbDraws { stream: Seed(1).stream("timings"), climb, drawn: 0 };
        let at = (climb % missing.len() as u64) as usize;
        let goal = missing[at];
        let neighbours = [found.range(goal.clone()..).next(), found.range(..goal.clone()).next_back()];
        let near = neighbours.into_iter().flatten().nth(draws.below(2) as usize);
        let mut small = near.map_or_else(|| any_timing(terms), |(_, small)| small.clone());
        let mut best = 0;
        for step in 0..STEPS {
            let mut other = small.clone();
            for _ in 0..if step > 0 { 1 + draws.below(3) } else { 0 } {
                change(&mut other, first_leaves, &mut draws);
            }
            let far = aim(&mut other, goal, &mut draws);
            if far >= best {
                (best, small) = (far, other);
            }
            if best == goal.len() {
                found.insert(goal.clone(), small);
                missing.swap_remove(at);
                break;
            }
        }
    }
    found
}

fn any_timing(terms: &Terms) -> Small {
    let agents = Agents {
        count: 2,
        latency: Latency::Drawn,
        hit_ms: 2,
        miss_ms: 5,
        hit_ratio: 50.0,
        commit_ms: if terms.pipelined { 2 } else { 0 },
        publish_ms: 2,
        retries: terms.retries,
        fine_grained: terms.fine_grained,
        pipelined: terms.pipelined,
        ..Agents::default()
    };
    let requests = terms.asks.len();
    let (arrivals, lives) = (vec![0; requests], vec![None; requests]);
    Small { asks: terms.asks.clone(), arrivals, lives, rules: Rules::FirstFit, agents, seed: 1 }
}

/// Schedules arrivals and exits when the goal needs them, at moments that leave the rest unchanged; returns how much
/// of the goal was reached.
fn aim(small: &mut Small, goal: &Trace, draws: &mut ClimbDraws) -> usize {
    let terms = small.terms();
    let (mut arrivals, mut lives) = (small.arrivals.clone(), vec![None; small.lives.len()]);
    let mut timed = Timed::new(small, &terms);
    let mut now = 1;
    while timed.protocol.trace.len() < goal.len() {
        let Token::Step(step) = goal[timed.protocol.trace.len()] else { break };
        match step {
            Step::Arrival(request) => {
                arrivals[request] = between(now, timed.next_at(), draws);
                timed.schedule(arrivals[request], step);
            }
            // Of all events at one instant, exits come first.
            Step::Exit(_) => {
                let at = between(now + 1, timed.next_at(), draws);
                lives[0] = Some(at - arrivals[0]);
                timed.schedule(at, step);
            }
            Step::Commit(_) | Step::Free(_) => {}
        }
        match timed.advance(|_, _, best| best[0]) {
            Some((at, Event::Step(happened), _)) if happened == step => now = at,
            _ => break,
        }
        if !goal.starts_with(&timed.protocol.trace) {
            break;
        }
    }
    let far = goal.iter().zip(&timed.protocol.trace).take_while(|(one, other)| one == other).count();
    (small.arrivals, small.lives) = (arrivals, lives);
    far
}

/// A moment before the next event: the earliest, the latest, or any.
fn between(from: i64, until: Option<i64>, draws: &mut ClimbDraws) -> i64 {
    let until = until.unwrap_or(from + i64::from(SPAN_MS)).max(from);
    match draws.below(4) {
        0 => from,
        1 => until,
        2 => (until - 1).max(from),
        _ => from + i64::from(draws.below((until - from) as u32 + 1)),
    }
}

fn change(small: &mut Small, first_leaves: bool, draws: &mut ClimbDraws) {
    let agents = &mut small.agents;
    match draws.below(6) {
        0 => agents.hit_ms = draws.other(agents.hit_ms, 1..SPAN_MS / 2),
        1 => agents.miss_ms = draws.other(agents.miss_ms, 1..2 * SPAN_MS),
        2 if agents.commit_ms > 0 => agents.commit_ms = draws.other(agents.commit_ms, 1..SPAN_MS),
        3 => agents.publish_ms = draws.other(agents.publish_ms, 0..2 * SPAN_MS),
        4 => {
            let request = draws.below(small.asks.len() as u32) as usize;
            // It ends as one VM.
            if request > 0 || !first_leaves {
                small.asks[request] = WHOLE_IN_PARTS[draws.below(4) as usize];
            }
        }
        _ => small.seed = draws.below(SEEDS).into(),
    }
}

/// The random source of one climb.
struct ClimbDraws {
    stream: Stream,
    climb: u64,
    drawn: u64,
}

impl ClimbDraws {
    fn below(&mut self, count: u32) -> u32 {
        self.drawn += 1;
        pick(self.stream.draw(self.climb, self.drawn), count)
    }

    /// Another number of milliseconds from a range: any, the least, or one close by.
    fn other(&mut self, ms: u64, range: Range<u32>) -> u64 {
        let other = match self.below(8) {
            0 => range.start,
            1..4 => range.start + self.below(range.end - range.start),
            _ => (ms as u32 + self.below(7)).saturating_sub(3),
        };
        other.clamp(range.start, range.end).into()
    }
}
