//! Conflicts per minute or second and their 99th percentile, as Protean's Table 5 and Figures
//! 14 and 15 count them.

use tiebreak_model::{Millis, Time};

use super::histogram::Histogram;

/// Conflicts per time span, over the spans with any commits.
#[derive(Clone, Debug)]
pub(crate) struct ConflictRate {
    span: Millis,
    now: i64,
    conflicts: u64,
    any: bool,
    closed: Histogram,
}

impl ConflictRate {
    /// For spans of this length.
    pub(crate) fn per(span: Millis) -> Self {
        Self { span, now: 0, conflicts: 0, any: false, closed: Histogram::default() }
    }

    /// A commit succeeded or failed now.
    pub(crate) fn commit(&mut self, now: Time, conflict: bool) {
        let span = now.0.div_euclid(self.span.0 as i64);
        if self.any && span != self.now {
            self.close();
        }
        (self.now, self.any) = (span, true);
        self.conflicts += u64::from(conflict);
    }

    fn close(&mut self) {
        self.closed.add(core::mem::take(&mut self.conflicts), 1);
        self.any = false;
    }

    /// The 99th percentile; 0 without commits.
    pub(crate) fn p99(&self) -> f64 {
        let mut all = self.clone();
        if all.any {
            all.close();
        }
        let p99 = all.closed.percentile(99);
        if p99.is_nan() { 0.0 } else { p99 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_spans_with_a_commit_count() {
        let mut rate = ConflictRate::per(Millis::MINUTE);
        assert_eq!(rate.p99(), 0.0);
        for (second, conflict) in [(0, true), (59, true), (60, false), (6_000, true), (6_001, false)] {
            rate.commit(Time(second * 1_000), conflict);
        }
        assert_eq!(rate.p99(), 2.0);
    }
}
