//! How long requests took.

use alloc::vec::Vec;

use super::histogram::Histogram;
use super::metrics::Answers;

/// How long requests took, in ms: from request to answer, and in the queue.
#[derive(Default)]
pub(super) struct Took {
    /// Since the last sample, in order.
    latency: Vec<u64>,
    queued: Vec<u64>,
    /// Before that.
    all_latency: Histogram,
    all_queued: Histogram,
}

impl Took {
    /// A request left the queue.
    pub(super) fn queued(&mut self, ms: u64) {
        self.queued.push(ms);
    }

    /// A request was answered.
    pub(super) fn answered(&mut self, ms: u64) {
        self.latency.push(ms);
    }

    /// The times since the last sample, which are cleared.
    pub(super) fn close(&mut self) -> Answers {
        let latency = Histogram::of(&mut self.latency);
        let queued = Histogram::of(&mut self.queued);
        self.all_latency.merge(&latency);
        self.all_queued.merge(&queued);
        answers(&latency, &queued)
    }

    /// The times since the start.
    pub(super) fn so_far(&self) -> Answers {
        let (mut latency, mut queued) = (self.all_latency.clone(), self.all_queued.clone());
        latency.merge(&Histogram::of(&mut self.latency.clone()));
        queued.merge(&Histogram::of(&mut self.queued.clone()));
        answers(&latency, &queued)
    }
}

fn answers(latency: &Histogram, queued: &Histogram) -> Answers {
    Answers { p50_ms: latency.percentile(50), p99_ms: latency.percentile(99), queued_ms: queued.mean() }
}
