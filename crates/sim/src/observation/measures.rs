//! How a run is measured, beside what always is.

use tiebreak_model::{Millis, Time, declare};

declare! {
    /// From when means over time are taken, and how often the zone is filled to see what is
    /// stranded. Nothing of it changes what is decided.
    pub struct Measures as "Measures" {
        /// Means over time begin here, so that what a zone was like before new rules took hold does
        /// not count; LAVA leaves two days. Past the end nothing is measured. Series show all of
        /// a run. (LAVA appendix F)
        measured_from_hours: f64 = 0, 0 => 100000, "h";
        /// How often a copy of the zone is filled with a mix of the workload's VMs until none fits;
        /// what is free then is stranded. At the first sample of each such time; 0 never does.
        /// (LAVA section 2.3)
        stranding_hours: f64 = 0, 0 => 100000, "h";
        /// Such a fill ends when less than this share of the mix still finds room, so that very
        /// small VMs do not use up what the others cannot; 0 goes on until none does.
        fill_while_pct: f64 = 0, 0 => 100, "%";
    }
}

impl Measures {
    /// When means over time begin.
    pub(crate) fn measured_from(&self) -> Time {
        Time::ZERO + span(self.measured_from_hours)
    }

    /// The time between two fills; none when there are none.
    pub(crate) fn fill_every(&self) -> Option<Millis> {
        (self.stranding_hours > 0.0).then(|| Millis(span(self.stranding_hours).0.max(1)))
    }
}

fn span(hours: f64) -> Millis {
    Millis((hours * Millis::HOUR.0 as f64) as u64)
}
