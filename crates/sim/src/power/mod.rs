//! Power: the actual utilization of VMs over time, the draw of chassis, and the reaction when a budget is exceeded.
//!
//! [`usage`] defines how each VM uses its cores: what a perfect predictor would know at its arrival, and its
//! utilization slot by slot. During a run, the [`book`] tracks VMs on machines, sums the draw of machines and
//! chassis, and passes chassis over their budget to the controllers of `tiebreak_power`; [`events`] are the results.
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms".

use alloc::sync::Arc;
use core::fmt;

use tiebreak_model::{Phrase, Usage, choices, declare, phrase};
use tiebreak_power::{Capping, ServerPower};

pub(crate) mod book;
mod deviation;
pub mod events;
pub mod usage;

/// The predictor of a VM's utilization at its arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadPredictor {
    /// Random forests that learn from each tenant's history.
    #[default]
    Forests,
    /// A perfect predictor.
    Oracle,
    /// The forests predict criticality; utilization is not predicted.
    CriticalityOnly,
    /// No prediction: every VM counts as user-facing and as using all of its cores.
    Nothing,
}

choices! { LoadPredictor: Forests = "forests", Oracle = "oracle", CriticalityOnly = "criticality_only", Nothing = "nothing" }

/// The reaction when a chassis draws more than its budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CappingKind {
    /// None: power is not part of the run.
    #[default]
    Off,
    /// Draws are measured without any reaction: the history for choosing a budget.
    Measured,
    /// All cores of a server over its share are throttled equally.
    FullServer,
    /// Cores of batch VMs are throttled first.
    PerVm,
}

choices! { CappingKind: Off = "off", Measured = "measured", FullServer = "full_server", PerVm = "per_vm" }

/// What the forests learn from: the labels of VMs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadLabels {
    /// The truth, as if telemetry never erred.
    #[default]
    Truth,
    /// What templates say of five weekdays of CPU readings.
    Templates,
}

choices! { LoadLabels: Truth = "truth", Templates = "templates" }

declare! {
    /// What is predicted about the VMs' core utilization, what they really use, and what happens when a chassis
    /// exceeds its power budget. The real utilization is drawn from the seed with the published means, not read
    /// from traces. (Power oversubscription, sections III and IV)
    pub struct PowerSettings as "Power" {
        /// What happens when a chassis exceeds its budget: power is not simulated (off); draws are measured, but
        /// nothing is capped (measured); all cores of a server above its share are throttled (full_server); or
        /// those of batch VMs first (per_vm). (Sections II-B and III-D)
        capping: CappingKind = 0, 0 => 3, "";
        /// Power budget of each chassis, as a percentage of its servers' maximum draw. 100 is traditional
        /// provisioning; the power saved below that could supply more servers. (Section III-E)
        budget_pct: f64 = 80, 0 => 100, "%";
        /// What predicts, at a VM's arrival, whether it is user-facing and how much it will use: random forests
        /// that learn from the tenant's history (forests); perfect knowledge (oracle); forests that predict only
        /// whether it is user-facing (criticality_only); or no predictor (nothing), so that all VMs count as
        /// user-facing and as using all of their cores. (Section IV-E)
        foretelling: LoadPredictor = 0, 0 => 3, "";
        /// Share of user-facing VMs. (Table I)
        user_facing_pct: f64 = 40, 0 => 100, "%";
        /// How similar the VMs of one tenant are: this share of them is of the tenant's own type. At 100 %, a
        /// tenant's history predicts everything.
        alike_pct: f64 = 90, 0 => 100, "%";
        /// The mean, over user-facing VMs, of the 95th percentile of their CPU utilization. (Table I)
        user_facing_p95_pct: f64 = 65, 0 => 100, "%";
        /// The same for all other VMs. (Table I)
        other_p95_pct: f64 = 44, 0 => 100, "%";
        /// How much of the beginning the forests learn from. VMs that arrive before its end get no prediction. VMs
        /// alive at the start count as what telemetry has shown by then.
        learn_hours: f64 = 72, 0 => 100000, "h";
        /// What the forests learn as a VM's type: the truth, known as soon as the VM ends or has run for five days
        /// (truth); or what the template of a day says of its half-hourly CPU readings on five weekdays (templates).
        /// Templates err, and a VM that ends before they have five weekdays counts as user-facing. (Section III-B)
        labels: LoadLabels = 0, 0 => 1, "";
        /// VMs with shorter lifetimes leave too little telemetry to classify them, so the forests learn them as
        /// user-facing. 120 h in the paper, which is five days of readings. (Section III-B)
        label_hours: f64 = 0, 0 => 100000, "h";
        /// Trees per forest: more trees give steadier predictions and take longer to train.
        trees: u32 = 48, 1 => 500, "trees";
        /// A prediction with fewer votes than this is not used: the VM counts as user-facing and as using all of
        /// its cores. (Section IV-B)
        confidence_pct: f64 = 60, 0 => 100, "%";
        /// Draw of an idle server at full frequency. (Section IV-A)
        idle_w: f64 = 112, 0 => 100000, "W";
        /// Draw of a server at full frequency with all cores busy.
        full_w: f64 = 310, 0 => 100000, "W";
        /// Draw of an idle server at half frequency.
        half_idle_w: f64 = 111, 0 => 100000, "W";
        /// Draw of a server at half frequency with all cores busy.
        half_full_w: f64 = 169, 0 => 100000, "W";
        /// Interval at which a VM's utilization changes; a shorter interval is finer and takes longer to simulate.
        slot_minutes: u32 = 5, 1 => 60, "min";
        /// How often the chassis manager polls the power supplies. (Section III-D)
        poll_ms: u32 = 200, 10 => 500, "ms";
        /// How far below its share of the budget a throttled server is kept. (Section IV-C)
        margin_w: f64 = 5, 0 => 1000, "W";
        /// Cores whose frequency is raised at each step while there is power left. (Section III-D)
        raise_cores: u32 = 4, 1 => 1000, "cores";
        /// How long a cap lasts before it is lifted. (Section III-D)
        lift_s: u32 = 30, 1 => 3600, "s";
        /// Margin added to the lowest budget that the recorded draws allow. (Section III-E, step 5)
        buffer_pct: f64 = 10, 0 => 100, "%";
        /// The power of the site, to calculate the value of lower budgets. (Section IV-F)
        site_mw: f64 = 128, 0.001 => 100000, "MW";
        /// Construction cost per watt. (Section IV-F)
        dollars_per_watt: f64 = 10, 0 => 1000, "$/W";
    }
}

/// Why power settings are not valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PowerFault {
    /// A server must draw more in use than idle, and more at full frequency than at half.
    Watts {
        /// The settings.
        settings: [f64; 4],
    },
    /// An idle server draws more than the budget.
    BelowIdle {
        /// The budget of one server.
        budget_w: f64,
        /// The draw of an idle server.
        idle_w: f64,
    },
    /// The margin leaves no budget.
    Margin {
        /// The margin.
        margin_w: f64,
        /// The budget of one server.
        budget_w: f64,
    },
}

impl PowerFault {
    /// Its text.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::Watts { settings: [idle, full, half_idle, half_full] } => phrase!(
                "expected a server to draw more when busy than idle, and no less at full frequency than at half, got \
                 {idle} W idle and {full} W busy, {half_idle} W and {half_full} W at half frequency; change one of \
                 them",
                idle,
                full,
                half_idle,
                half_full
            ),
            Self::BelowIdle { budget_w, idle_w } => phrase!(
                "expected a power budget above the draw of idle servers ({idle_w:.0} W each), got {budget_w:.0} W per \
                 server; raise budget_pct",
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
    /// The draw of its servers, with this many cores.
    #[must_use]
    pub fn server(&self, cores: u32) -> ServerPower {
        let Self { idle_w, full_w, half_idle_w, half_full_w, .. } = *self;
        ServerPower { idle_w, full_w, half_idle_w, half_full_w, cores }
    }

    /// The controllers of a chassis with this many servers.
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

    /// Whether throttling is on.
    pub(crate) fn caps(&self) -> bool {
        matches!(self.capping, CappingKind::FullServer | CappingKind::PerVm)
    }

    /// # Errors
    /// If the settings of a server's power draw are inconsistent, or the budget is below its idle draw.
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

/// The power data of a run.
#[derive(Clone, Debug)]
pub(crate) struct PowerTerms {
    pub(crate) settings: PowerSettings,
    /// The actual utilization of each VM, by id.
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
