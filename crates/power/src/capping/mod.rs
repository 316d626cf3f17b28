//! How a chassis is held to its power budget: its manager, the controller of every server, and RAPL.
//! (Sections II-B, III-A and III-D)
//!
//! The manager polls the draw of the chassis. Just below the budget it alerts the controllers. A server above its
//! even share of the budget then lowers the cores of its VMs that are not user-facing to half the
//! frequency at once, and raises them again, a few cores and one p-state a poll, as long as it stays below
//! its target. If the chassis is over its budget although batch cores are at half, or where there are no such
//! controllers, RAPL lowers all cores of every server that is above its share together. After 30 s
//! everything is lifted; if the draw is still too high, the next poll begins another event.
//!
//! What the paper leaves open, and how it is here:
//!
//! - "Just below the budget" is as far below it as a server's target below its share: 5 W.
//! - The meter tells what a step up would draw, so that a step too far is never taken and taken back.
//! - If the load grows while a server is capped, it lowers a few cores by one p-state between its target and its
//!   share, and all its batch cores to half above its share.
//! - RAPL moves all cores by hundredths of the frequency, which it gets by going back and forth between p-states, and
//!   never below half. It goes down until the server is below its share, at a poll as far as it must to be done within its
//!   2 s, two polls being spent on noticing, and up by a hundredth a poll while the server stays below its share.
//! - The utilization of a part is what its user says, and does not rise when its cores are slower.
//! - While RAPL holds a server, its batch cores stay at half. Lifting ends RAPL too.
//! - Cores of no VM draw their base and follow RAPL only.

mod chassis;
mod report;
mod server;

#[cfg(test)]
mod tests;

use core::fmt;

pub use chassis::{Chassis, PolledChassis, simulate};
pub use report::{PartReport, SpanReport};

use crate::watts::{NOMINAL, ServerPower};

/// Cores of one VM on a server, alike in what they do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Thousandths of cores, above 0; all parts together at most the server's cores.
    pub cores_milli: u32,
    /// The share of these cores that is at work: 0 to 1.
    pub utilization: f64,
    /// Whether people wait for what it does, so that only RAPL may slow it down.
    pub user_facing: bool,
}

impl Part {
    /// Its cores.
    #[must_use]
    pub fn cores(&self) -> f64 {
        f64::from(self.cores_milli) / 1_000.0
    }

    /// Its cores at work.
    pub(crate) fn busy(&self) -> f64 {
        self.cores() * self.utilization
    }
}

/// How a chassis is held to its budget. The default is the paper's, at the 2,450 W of its experiments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capping {
    /// What the chassis may draw, in watts. Every server's share of it is even.
    pub budget_w: f64,
    /// Whether controllers slow down the VMs that are not user-facing first; else there is only RAPL.
    pub per_vm: bool,
    /// From poll to poll, in ms; at least 1.
    pub poll_ms: u32,
    /// How far controllers stay below the share, and how far below the budget the manager alerts, in watts. Larger
    /// needs RAPL less often and slows batch more.
    pub margin_w: f64,
    /// Cores that are raised by one p-state at a poll: the paper's N; at least 1.
    pub raise_cores: u32,
    /// How long cores stay capped after the alert, in ms; at least one poll.
    pub lift_ms: u32,
    /// How long after a draw began to be too high RAPL has brought it down, in ms; at least four polls.
    pub rapl_ms: u32,
}

impl Default for Capping {
    fn default() -> Self {
        Self {
            budget_w: 2_450.0,
            per_vm: true,
            poll_ms: 200,
            margin_w: 5.0,
            raise_cores: 4,
            lift_ms: 30_000,
            rapl_ms: 2_000,
        }
    }
}

impl Capping {
    /// The most steps of frequency that RAPL goes down at a poll.
    fn rapl_steps(&self) -> u8 {
        // Two polls go by until RAPL is asked: one that alerts the controllers, and one that sees that they do not suffice.
        let polls = (self.rapl_ms / self.poll_ms).saturating_sub(2).max(1);
        u32::from(NOMINAL).div_ceil(polls) as u8
    }

    fn check(&self) -> Result<(), PowerFault> {
        let rules = [
            ("at least 1 ms between polls", self.poll_ms >= 1),
            ("a margin from 0 W to less than the budget", (0.0..self.budget_w).contains(&self.margin_w)),
            ("at least 1 core raised per poll", self.raise_cores >= 1),
            ("at least one poll before cores are lifted", self.lift_ms >= self.poll_ms),
            ("at least four polls for RAPL", self.rapl_ms / 4 >= self.poll_ms),
        ];
        let wrong = rules.into_iter().find(|(_, holds)| !holds);
        wrong.map_or(Ok(()), |(expected, _)| Err(PowerFault::Capping { expected, capping: *self }))
    }
}

/// What cannot be simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PowerFault {
    /// A chassis has no server.
    NoServers,
    /// The chassis draws more than its budget without any work.
    BudgetBelowIdle {
        /// The budget of the chassis.
        budget_w: f64,
        /// What its servers draw without work.
        idle_w: f64,
    },
    /// A setting is out of its range.
    Capping {
        /// The rule that it breaks.
        expected: &'static str,
        /// All settings.
        capping: Capping,
    },
    /// A server that draws less for more.
    ServerPower(ServerPower),
    /// There is no server of this number in the chassis.
    Server {
        /// The number, from 0.
        server: usize,
        /// How many there are.
        servers: usize,
    },
    /// A part has no cores.
    NoCores {
        /// The part's number on its server, from 0.
        part: usize,
    },
    /// A utilization is not from 0 to 1.
    Utilization {
        /// The part's number on its server, from 0.
        part: usize,
        /// What came.
        utilization: f64,
    },
    /// Parts have more cores than the server.
    TooManyCores {
        /// Of all parts, in thousandths.
        cores_milli: u64,
        /// Of the server.
        cores: u32,
    },
}

impl fmt::Display for PowerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoServers => write!(f, "expected a chassis with servers, got one without; add at least one"),
            Self::BudgetBelowIdle { budget_w, idle_w } => write!(
                f,
                "expected a chassis budget of at least {idle_w} W, which its servers draw when idle, got {budget_w} \
                 W; raise the budget"
            ),
            Self::Capping { expected, capping } => {
                write!(f, "expected {expected}, got {capping:?}; change that setting")
            }
            Self::ServerPower(power) => write!(
                f,
                "expected a server with cores that draws no less for more work or a higher frequency, got {power:?}; change its \
                 watts"
            ),
            Self::Server { server, servers } => {
                write!(f, "expected a server below {servers}, got {server}; servers are counted from 0")
            }
            Self::NoCores { part } => {
                write!(f, "expected parts with cores, got 0 cores for part {part}; remove it")
            }
            Self::Utilization { part, utilization } => write!(
                f,
                "expected a utilization from 0 to 1, got {utilization} for part {part}; use the share of its busy cores"
            ),
            Self::TooManyCores { cores_milli, cores } => write!(
                f,
                "expected parts of at most {cores} cores on a server, got {cores_milli} thousandths of cores; put some \
                 elsewhere"
            ),
        }
    }
}

impl core::error::Error for PowerFault {}
