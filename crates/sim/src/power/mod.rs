//! Power: what VMs really use of their cores over time, what chassis draw, and what is done when a budget is short.
//!
//! [`usage`] says how each VM uses its cores: what a perfect prediction would know when it arrives, and its utilization
//! slot by slot. During a run the [`book`] knows who stands where, adds up what machines and chassis draw, and hands
//! those over their budget to the controllers of `tiebreak_power`; [`events`] are what came of it.
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms".

use alloc::sync::Arc;
use core::fmt;

use tiebreak_model::declare::{ParamKind, ParamValue};
use tiebreak_model::{Phrase, Usage, declare, phrase};
use tiebreak_power::{Capping, ServerPower};

pub(crate) mod book;
mod deviation;
pub mod events;
pub mod usage;

/// Who says, when a VM arrives, what it will use of its cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadPredictor {
    /// Random forests that learn from each tenant's history.
    #[default]
    Forests,
    /// Somebody who knows.
    Oracle,
    /// The forests say who is user-facing, and nobody what is used.
    CriticalityOnly,
    /// Nobody: every VM counts as user-facing, and as using all of its cores.
    Nothing,
}

impl LoadPredictor {
    const ALL: [Self; 4] = [Self::Forests, Self::Oracle, Self::CriticalityOnly, Self::Nothing];
}

impl ParamValue for LoadPredictor {
    const KIND: ParamKind = ParamKind::Choice(&["forests", "oracle", "criticality_only", "nothing"]);

    fn from_number(number: f64) -> Self {
        Self::ALL.get(number as usize).copied().unwrap_or_default()
    }

    fn to_number(self) -> f64 {
        Self::ALL.iter().position(|other| *other == self).unwrap_or(0) as f64
    }
}

/// What is done when a chassis draws more than its budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CappingKind {
    /// Nobody looks: power is no part of the run.
    #[default]
    Off,
    /// Draws are measured and nothing is done: the history from which a budget is found.
    Measured,
    /// Every core of a server over its share is slowed down alike.
    FullServer,
    /// Cores of VMs that are not user-facing are slowed down first.
    PerVm,
}

impl CappingKind {
    const ALL: [Self; 4] = [Self::Off, Self::Measured, Self::FullServer, Self::PerVm];
}

impl ParamValue for CappingKind {
    const KIND: ParamKind = ParamKind::Choice(&["off", "measured", "full_server", "per_vm"]);

    fn from_number(number: f64) -> Self {
        Self::ALL.get(number as usize).copied().unwrap_or_default()
    }

    fn to_number(self) -> f64 {
        Self::ALL.iter().position(|other| *other == self).unwrap_or(0) as f64
    }
}

declare! {
    /// What is believed of the VMs' use of their cores, what they really use, and what happens when a chassis draws
    /// more power than its budget. What they use is drawn by the seed, with the published means: traces
    /// are not asked for it. (Power oversubscription, sections III and IV)
    pub struct PowerSettings as "Power" {
        /// What is done when a chassis is over its budget: power is left out of the run (off); draws are measured
        /// and nothing is done (measured); all cores of a server over its share are slowed down
        /// (full_server); or those of VMs that are not user-facing first (per_vm). (Sections II-B and III-D)
        capping: CappingKind = 0, 0 => 3, "";
        /// Power budget of each chassis, in percent of what its servers draw at most. 100 is traditional
        /// provisioning; what is below it could feed more servers. (Section III-E)
        budget_pct: f64 = 80, 0 => 100, "%";
        /// Who says, when a VM arrives, whether it is user-facing and what it will use: random forests that learn
        /// from the tenant's history (forests); somebody who knows (oracle); forests that say who is
        /// user-facing alone (criticality_only); or nobody (nothing), so that all VMs count as user-facing and as
        /// using all of their cores. (Section IV-E)
        foretelling: LoadPredictor = 0, 0 => 3, "";
        /// Share of VMs that are user-facing. (Table I)
        user_facing_pct: f64 = 40, 0 => 100, "%";
        /// How alike the VMs of one tenant are: this share of them is of the tenant's own kind.
        /// At 100 a tenant's history tells everything.
        alike_pct: f64 = 90, 0 => 100, "%";
        /// The mean over user-facing VMs of the 95th percentile of their CPU utilization. (Table I)
        user_facing_p95_pct: f64 = 65, 0 => 100, "%";
        /// The same of all other VMs. (Table I)
        other_p95_pct: f64 = 44, 0 => 100, "%";
        /// How long of the beginning the forests learn from. Of VMs that come before that is over nothing is foretold;
        /// those alive at the start are what telemetry has told of them by then.
        learn_hours: f64 = 72, 0 => 100000, "h";
        /// A VM that lives shorter leaves too little telemetry to tell what it is, and is taken for user-facing when
        /// forests learn: 120 h in the paper, where it is five days of readings. (Section III-B)
        label_hours: f64 = 0, 0 => 100000, "h";
        /// Trees of each forest: more are steadier and take longer to grow.
        trees: u32 = 48, 1 => 500, "trees";
        /// A prediction for which fewer trees vote is not believed: the VM counts as user-facing and as using
        /// all of its cores. (Section IV-B)
        confidence_pct: f64 = 60, 0 => 100, "%";
        /// What an idle server draws at full frequency. (Section IV-A)
        idle_w: f64 = 112, 0 => 100000, "W";
        /// What it draws at full frequency with all cores in use.
        full_w: f64 = 310, 0 => 100000, "W";
        /// What an idle server draws at half frequency.
        half_idle_w: f64 = 111, 0 => 100000, "W";
        /// What it draws at half frequency with all cores in use.
        half_full_w: f64 = 169, 0 => 100000, "W";
        /// How long each VM uses its cores alike; shorter is finer and takes longer to simulate.
        slot_minutes: u32 = 5, 1 => 60, "min";
        /// How often the chassis manager looks at what its power supplies deliver. (Section III-D)
        poll_ms: u32 = 200, 10 => 500, "ms";
        /// How far below its share of the budget a server is kept. (Section IV-C)
        margin_w: f64 = 5, 0 => 1000, "W";
        /// Cores that are made faster at a time, as long as there is power left. (Section III-D)
        raise_cores: u32 = 4, 1 => 1000, "cores";
        /// When a cap is lifted again. (Section III-D)
        lift_s: u32 = 30, 1 => 3600, "s";
        /// Added to the lowest budget that a history of draws allows, for what may change. (Section III-E, step 5)
        buffer_pct: f64 = 10, 0 => 100, "%";
        /// The power of the site whose chassis are meant, for what lower budgets are worth. (Section IV-F)
        site_mw: f64 = 128, 0.001 => 100000, "MW";
        /// What it costs to build for a watt. (Section IV-F)
        dollars_per_watt: f64 = 10, 0 => 1000, "$/W";
    }
}

/// Why power settings cannot stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PowerFault {
    /// More power in use than idle, and more at full frequency than at half, are what servers draw.
    Watts {
        /// The settings.
        settings: [f64; 4],
    },
    /// Servers draw more than their budget without any work.
    BelowIdle {
        /// The budget of one server.
        budget_w: f64,
        /// What an idle server draws.
        idle_w: f64,
    },
    /// The margin leaves nothing of the budget.
    Margin {
        /// The margin.
        margin_w: f64,
        /// The budget of one server.
        budget_w: f64,
    },
}

impl PowerFault {
    /// What it says.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::Watts { settings: [idle, full, half_idle, half_full] } => phrase!(
                "expected a server to draw more in use than idle, and no less at full frequency than at half, got {idle} W idle and \
                 {full} W in use, {half_idle} W and {half_full} W at half frequency; change one of them",
                idle,
                full,
                half_idle,
                half_full
            ),
            Self::BelowIdle { budget_w, idle_w } => phrase!(
                "expected a power budget above what idle servers draw ({idle_w:.0} W each), got {budget_w:.0} W a server; raise \
                 budget_pct",
                idle_w,
                budget_w
            ),
            Self::Margin { margin_w, budget_w } => {
                phrase!(
                    "expected a margin below a server's budget of {budget_w:.0} W, got {margin_w} W; lower margin_w",
                    budget_w,
                    margin_w
                )
            }
        }
    }
}

impl fmt::Display for PowerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

impl PowerSettings {
    /// What its servers draw, with as many cores as machines have.
    #[must_use]
    pub fn server(&self, cores: u32) -> ServerPower {
        let Self { idle_w, full_w, half_idle_w, half_full_w, .. } = *self;
        ServerPower { idle_w, full_w, half_idle_w, half_full_w, cores }
    }

    /// The controllers of a chassis of so many servers.
    #[must_use]
    pub fn controllers(&self, servers: u32) -> Capping {
        Capping {
            budget_w: self.budget_w() * f64::from(servers),
            per_vm: self.capping == CappingKind::PerVm,
            poll_ms: self.poll_ms,
            margin_w: self.margin_w,
            raise_cores: self.raise_cores,
            lift_ms: self.lift_s * 1_000,
            ..Capping::default()
        }
    }

    /// The budget for each server of a chassis, in watts.
    #[must_use]
    pub fn budget_w(&self) -> f64 {
        self.budget_pct / 100.0 * self.full_w
    }

    /// Whether anybody is slowed down.
    pub(crate) fn caps(&self) -> bool {
        matches!(self.capping, CappingKind::FullServer | CappingKind::PerVm)
    }

    /// # Errors
    /// When servers cannot draw what is said of them, or the budget is below what they draw idle.
    pub fn check(&self) -> Result<(), PowerFault> {
        let Self { idle_w, full_w, half_idle_w, half_full_w, .. } = *self;
        if !self.server(1).is_sound() {
            return Err(PowerFault::Watts { settings: [idle_w, full_w, half_idle_w, half_full_w] });
        }
        let budget_w = self.budget_w();
        if self.caps() && budget_w < idle_w {
            return Err(PowerFault::BelowIdle { budget_w, idle_w });
        }
        if self.caps() && self.margin_w >= budget_w {
            return Err(PowerFault::Margin { margin_w: self.margin_w, budget_w });
        }
        Ok(())
    }
}

/// What a run knows of power.
#[derive(Clone, Debug)]
pub(crate) struct PowerTerms {
    pub(crate) settings: PowerSettings,
    /// What each VM really uses, by id.
    pub(crate) usages: Arc<[Usage]>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_power::Chassis;

    #[test]
    fn what_is_checked_is_what_chassis_can_be_made_of() {
        let usual = PowerSettings { capping: CappingKind::PerVm, ..PowerSettings::default() };
        for (settings, is_sound) in [
            (usual, true),
            (PowerSettings { idle_w: 300.0, ..usual }, false),
            (PowerSettings { idle_w: 310.0, budget_pct: 100.0, ..usual }, false),
            (PowerSettings { half_full_w: 111.0, ..usual }, false),
            (PowerSettings { budget_pct: 20.0, ..usual }, false),
            (PowerSettings { margin_w: 400.0, ..usual }, false),
            (PowerSettings { poll_ms: 500, lift_s: 1, ..usual }, true),
        ] {
            assert_eq!(settings.check().is_ok(), is_sound, "{settings:?}");
            let made = Chassis::new(&settings.server(40), &settings.controllers(12), 12);
            assert!(!is_sound || made.is_ok(), "{settings:?}: {made:?}");
        }
    }
}
