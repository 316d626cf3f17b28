//! How a chassis is kept within its power budget: its manager, the controller of every server, and RAPL. (Sections
//! II-B, III-A and III-D)
//!
//! The manager polls the draw of the chassis. Just below the budget it alerts the controllers. A server above its
//! even share of the budget then lowers the cores of its VMs that are not user-facing to half the
//! frequency at once, and raises them again, a few cores and one p-state a poll, as long as it stays below
//! its target. If the chassis is over its budget although batch cores are at half, or where there are no such
//! controllers, RAPL lowers all cores of every server that is above its share together. After 30 s
//! everything is lifted; if the draw is still too high, the next poll begins another event.
//!
//! What the paper leaves open, and our choices:
//!
//! - "Just below the budget" is as far below it as a server's target below its share: 5 W.
//! - The power meter predicts the draw after a step up, so that a step too far is never taken and reverted.
//! - If the load grows while a server is capped, it lowers a few cores by one p-state between its target and its
//!   share, and all its batch cores to half above its share.
//! - RAPL moves all cores in steps of a hundredth of the frequency, which it reaches by alternating between p-states,
//!   and never below half. It lowers them until the server is below its share, at each poll as far as necessary to
//!   finish within its 2 s (noticing takes two polls), and raises them by a hundredth per poll while the server stays
//!   below its share.
//! - The utilization of a part is set by its user, and does not rise when its cores are slower.
//! - While RAPL limits a server, its batch cores stay at half. Lifting ends RAPL too.
//! - Unused cores draw their base and follow only RAPL.

mod chassis;
mod report;
mod server;

#[cfg(test)]
mod tests;

use core::fmt;

pub use chassis::{Chassis, PolledChassis, simulate};
pub use report::{PartReport, SpanReport};

use crate::watts::{NOMINAL, ServerPower};

/// Cores of one VM on a server with the same behaviour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Thousandths of cores, above 0; all parts together at most the server's cores.
    pub cores_milli: u32,
    /// The share of these cores that is busy: 0 to 1.
    pub utilization: f64,
    /// Whether the part is user-facing, so that only RAPL may throttle it.
    pub user_facing: bool,
}

impl Part {
    /// Its cores.
    #[must_use]
    pub fn cores(&self) -> f64 {
        f64::from(self.cores_milli) / 1_000.0
    }

    /// Its busy cores.
    pub(crate) fn busy(&self) -> f64 {
        self.cores() * self.utilization
    }
}

/// The capping settings of a chassis. The default is the paper's, at the 2,450 W of its experiments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capping {
    /// The power budget of the chassis, in watts. Every server has an even share of it.
    pub budget_w: f64,
    /// Whether controllers throttle the VMs that are not user-facing first; otherwise there is only RAPL.
    pub per_vm: bool,
    /// The poll interval, in ms; at least 1.
    pub poll_ms: u32,
    /// How far controllers stay below the share, and how far below the budget the manager alerts, in watts. A larger
    /// margin needs RAPL less often and throttles batch VMs more.
    pub margin_w: f64,
    /// How many cores are raised by one p-state at a poll: the paper's N; at least 1.
    pub raise_cores: u32,
    /// How long cores stay capped after the alert, in ms; at least one poll.
    pub lift_ms: u32,
    /// How long RAPL may take to reduce a draw that became too high, in ms; at least four polls.
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
    /// The most frequency steps by which RAPL lowers cores at a poll.
    fn rapl_steps(&self) -> u8 {
        // Two polls pass before RAPL acts: one that alerts the controllers, and one that sees that they are not
        // enough.
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

/// Invalid inputs of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PowerFault {
    /// A chassis has no server.
    NoServers,
    /// The idle chassis draws more than its budget.
    BudgetBelowIdle {
        /// The budget of the chassis.
        budget_w: f64,
        /// The idle draw of its servers.
        idle_w: f64,
    },
    /// A setting is out of its range.
    Capping {
        /// The rule that it breaks.
        expected: &'static str,
        /// All settings.
        capping: Capping,
    },
    /// The power model is invalid: a server draws less for more work.
    ServerPower(ServerPower),
    /// There is no server of this number in the chassis.
    Server {
        /// The number, from 0.
        server: usize,
        /// The number of servers.
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
        /// The given value.
        utilization: f64,
    },
    /// Parts have more cores than the server.
    TooManyCores {
        /// The cores of all parts, in thousandths.
        cores_milli: u64,
        /// The cores of the server.
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
