//! Compares the samples of a run's series with the replay.

use tiebreak_model::Time;
use tiebreak_sim::metrics;

use crate::books::Books;
use crate::ledger::Ledger;

/// The samples that have not been compared yet.
pub(crate) struct Samples<'a> {
    times: &'a [Time],
    live: &'a [f64],
    empty: &'a [f64],
    /// Pairs of shares: empty machines, and the most that were possible.
    shares: &'a [f64],
    bounds: &'a [f64],
}

impl<'a> Samples<'a> {
    pub(crate) fn new(ledger: &'a Ledger) -> Self {
        let values = |id| ledger.series.values(metrics::index_of(id).expect("a metric of this id"));
        Self {
            times: ledger.series.times(),
            live: values("LiveVms"),
            empty: values("EmptyHostCount"),
            shares: values("EmptyHosts"),
            bounds: values("EmptyHostsBound"),
        }
    }

    /// Compares the samples taken before an instant; those of the instant itself are taken after all its events.
    pub(crate) fn check_before(&mut self, instant: Time, books: &mut Books<'_>) -> Result<(), String> {
        while let Some(at) = self.times.first().filter(|at| **at < instant) {
            books.advance(*at)?;
            for (what, sampled, expected) in
                [("live VMs", self.live[0], books.live_vms()), ("empty hosts", self.empty[0], books.empty_hosts())]
            {
                if sampled.to_bits() != expected.to_bits() {
                    return Err(format!("{what} at {} ms were sampled as {sampled}, expected {expected}", at.0));
                }
            }
            let (share, bound) = (self.shares[0], self.bounds[0]);
            if share > bound + 1e-9 {
                return Err(format!("{share} % of the machines were empty at {} ms, at most {bound} % can be", at.0));
            }
            (self.times, self.live, self.empty) = (&self.times[1..], &self.live[1..], &self.empty[1..]);
            (self.shares, self.bounds) = (&self.shares[1..], &self.bounds[1..]);
        }
        Ok(())
    }
}
