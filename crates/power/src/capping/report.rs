//! What happened to a chassis over a span of time.

use alloc::vec::Vec;

/// What happened to a chassis over a span of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanReport {
    /// The length of the span in ms.
    pub ms: u64,
    /// Events that began: alerts while nothing was capped.
    pub events: u64,
    /// Time during events, in ms.
    pub capped_ms: u64,
    /// Time over the budget, before control caught up, in ms.
    pub over_ms: u64,
    /// How often RAPL began to limit a server.
    pub rapl: u64,
    /// Energy in joules.
    pub energy_j: f64,
    /// The highest draw in watts.
    pub peak_w: f64,
    /// For every server, in order, what happened to its parts, in the order in which they were set.
    pub parts: Vec<Vec<PartReport>>,
}

/// What happened to a part over a span of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartReport {
    /// Time with any of its cores below the nominal frequency, in ms.
    pub throttled_ms: u64,
    /// The depth of throttling: the mean share of the nominal frequency that its cores lacked, summed over ms.
    /// Divided by `throttled_ms` it is from 0 to 0.5.
    pub depth_ms: f64,
    /// The lowest frequency that any of its cores had, as a share of the nominal one: 0.5 to 1.
    pub lowest: f64,
}

impl Default for PartReport {
    fn default() -> Self {
        Self { throttled_ms: 0, depth_ms: 0.0, lowest: 1.0 }
    }
}

impl SpanReport {
    /// Appends another span, repeated this many times. The parts must be the same ones.
    pub fn append(&mut self, next: &Self, times: u64) {
        if times == 0 {
            return;
        }
        self.ms += next.ms * times;
        self.events += next.events * times;
        self.capped_ms += next.capped_ms * times;
        self.over_ms += next.over_ms * times;
        self.rapl += next.rapl * times;
        self.energy_j += next.energy_j * times as f64;
        self.peak_w = self.peak_w.max(next.peak_w);
        if self.parts.is_empty() {
            self.parts = next.parts.iter().map(|parts| parts.iter().map(|_| PartReport::default()).collect()).collect();
        }
        let pairs = self.parts.iter_mut().flatten().zip(next.parts.iter().flatten());
        for (part, next) in pairs {
            part.append(next, times);
        }
    }
}

impl PartReport {
    fn append(&mut self, next: &Self, times: u64) {
        self.throttled_ms += next.throttled_ms * times;
        self.depth_ms += next.depth_ms * times as f64;
        self.lowest = self.lowest.min(next.lowest);
    }
}
