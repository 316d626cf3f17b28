//! Conflicts per minute and their 99th percentile, as Protean's Table 5 counts them.

use alloc::collections::BTreeMap;

use tiebreak_model::{Millis, Time};

/// Conflicts per minute, over the minutes in which anything was committed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConflictMinutes {
    minute: i64,
    conflicts: u32,
    any: bool,
    /// How many minutes had how many conflicts.
    histogram: BTreeMap<u32, u32>,
}

impl ConflictMinutes {
    /// A commit landed or failed now.
    pub(crate) fn commit(&mut self, now: Time, conflict: bool) {
        let minute = now.0.div_euclid(Millis::MINUTE.0 as i64);
        if self.any && minute != self.minute {
            self.close();
        }
        (self.minute, self.any) = (minute, true);
        self.conflicts += u32::from(conflict);
    }

    fn close(&mut self) {
        let conflicts = core::mem::take(&mut self.conflicts);
        *self.histogram.entry(conflicts).or_default() += 1;
        self.any = false;
    }

    /// The 99th percentile.
    pub(crate) fn p99(&self) -> f64 {
        let mut all = self.clone();
        if all.any {
            all.close();
        }
        let histogram = all.histogram;
        let total: u64 = histogram.values().map(|count| u64::from(*count)).sum();
        let mut seen = 0;
        for (conflicts, count) in &histogram {
            seen += u64::from(*count);
            if seen * 100 >= total * 99 {
                return f64::from(*conflicts);
            }
        }
        0.0
    }
}
