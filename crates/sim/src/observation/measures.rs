//! Optional measurements of a run.

use tiebreak_model::{Millis, Time, declare};

declare! {
    /// When means over time start, and how often stranded capacity and placement debt are measured. These settings do not change any
    /// decision.
    pub struct Measures as "Measures" {
        /// Means over time start here, so that the state of the zone before the new rules took effect does not
        /// count; LAVA skips two days. If this is past the end, nothing is measured. Charts show the whole run.
        /// (LAVA appendix F)
        measured_from_hours: f64 = 0, 0 => 100000, "h";
        /// How often stranded capacity is measured: a copy of the zone is filled with a mix of the workload's VMs
        /// until none fits, and what is still free is stranded. 0 switches it off. (LAVA section 2.3)
        stranding_hours: f64 = 0, 0 => 100000, "h";
        /// Filling stops when less than this share of the mix still fits, so that very small VMs do not use up
        /// capacity that the others cannot use. With 0, it continues until none fits.
        fill_while_pct: f64 = 0, 0 => 100, "%";
        /// How often placement debt is measured: how scattered long-lived VMs are, and how close together the VMs of
        /// each customer. 0 switches it off. What long-lived is, the settings of affinity groups say. (DVLA)
        debt_hours: f64 = 0, 0 => 100000, "h";
        /// The density of long-lived VMs on the machines that would do: a larger share makes more debt. Not in the
        /// text of the paper, which calls it rho. (DVLA)
        debt_density_pct: f64 = 90, 1 => 100, "%";
        /// A customer's VMs are close together on a machine with more than this share of them. Not in the text of the
        /// paper, which calls it theta. (DVLA)
        vrar_pct: f64 = 50, 0 => 100, "%";
    }
}

impl Measures {
    /// When time averages begin.
    pub(crate) fn measured_from(&self) -> Time {
        Time::ZERO + span(self.measured_from_hours)
    }

    /// The time between two fills; `None` if there are none.
    pub(crate) fn fill_every(&self) -> Option<Millis> {
        (self.stranding_hours > 0.0).then(|| Millis(span(self.stranding_hours).0.max(1)))
    }

    /// The time between two measurements of placement debt; `None` if there are none.
    pub(crate) fn debt_every(&self) -> Option<Millis> {
        (self.debt_hours > 0.0).then(|| Millis(span(self.debt_hours).0.max(1)))
    }
}

fn span(hours: f64) -> Millis {
    Millis((hours * Millis::HOUR.0 as f64) as u64)
}
