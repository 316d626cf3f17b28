//! Standard deviation.

/// The standard deviation of a stream of values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deviation {
    count: u32,
    mean: f64,
    squares: f64,
}

impl Deviation {
    pub(super) fn of(values: impl Iterator<Item = f64>) -> f64 {
        let mut deviation = Self::default();
        values.for_each(|value| deviation.add(value));
        deviation.get()
    }

    /// Adds a value (Welford's recurrence).
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / f64::from(self.count);
        self.squares += off * (value - self.mean);
    }

    /// 0 without values.
    pub(super) fn get(self) -> f64 {
        libm::sqrt(self.squares / f64::from(self.count.max(1)))
    }
}
