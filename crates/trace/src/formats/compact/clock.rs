//! The encoding of times: in steps, and starts in beats if most of them fall on one.
//!
//! The trace included in the page shows why. VMs were requested at full seconds, left at any moment, and all times
//! were then rounded to a millionth of a day. Encoded in milliseconds, every time would cost one more byte.

use tiebreak_model::{RequestId, Time, VmId, Workload};

/// Steps to try: five minutes, minutes, seconds, a millionth of a day, milliseconds.
const STEPS: [(i64, i64); 5] = [(300_000, 1), (60_000, 1), (1_000, 1), (432, 5), (1, 1)];

/// Beats to try, in milliseconds.
const BEATS_MS: [i64; 3] = [300_000, 60_000, 1_000];

/// The maximum number of milliseconds in a step or a beat, and of parts of a millisecond in a step. With
/// [`TIME_MAX`], no product exceeds 64 bits.
pub(super) const STEP_MS_MAX: u64 = 300_000;
pub(super) const PARTS_MAX: u64 = 1_000;

/// All times are closer than this many milliseconds or steps.
const TIME_MAX: i64 = 7_000_000_000_000;

/// The encoding of one trace's times.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// A step in milliseconds, as a fraction.
    pub(super) step: (i64, i64),
    /// If not 0, starts are encoded in beats plus an offset in steps.
    pub(super) beat_ms: i64,
}

impl Clock {
    /// The instant of a step, to the nearest millisecond.
    pub(super) fn ms(self, steps: i64) -> i64 {
        nearest(steps.clamp(-TIME_MAX, TIME_MAX) * self.step.0, self.step.1)
    }

    /// The step nearest to an instant.
    pub(super) fn steps(self, ms: i64) -> i64 {
        nearest(ms.clamp(-TIME_MAX, TIME_MAX) * self.step.1, self.step.0)
    }

    /// The step nearest to a beat.
    pub(super) fn steps_of_beat(self, beat: i64) -> i64 {
        self.steps(beat.saturating_mul(self.beat_ms))
    }

    /// Kept as a separate function, as all are that are called for each VM: a browser compiles a function for speed
    /// only between its calls, and a loop over all VMs is a single call.
    #[inline(never)]
    fn tells(self, time: Time) -> bool {
        time == Time::NEVER || self.ms(self.steps(time.0)) == time.0
    }

    #[inline(never)]
    fn is_on_beat(self, start: Time) -> bool {
        self.steps_of_beat(self.beat(start)) == self.steps(start.0)
    }

    /// The coarsest step that represents every time, and a beat on which at least three of four starts fall.
    pub(super) fn of(workload: &Workload) -> Self {
        let requests = || (0..workload.request_count()).map(RequestId);
        let tells = |clock: &Self| {
            let ends = (0..workload.vm_count()).map(|vm| workload.end(VmId(vm)));
            requests().map(|request| workload.at(request)).chain(ends).all(|time| clock.tells(time))
        };
        let clocks = STEPS.map(|step| Self { step, beat_ms: 0 });
        let clock = clocks.into_iter().find(tells).unwrap_or(Self { step: (1, 1), beat_ms: 0 });
        let on_beat = |beat_ms: i64| {
            let clock = Self { beat_ms, ..clock };
            let on_one = requests().filter(|request| clock.is_on_beat(workload.at(*request)));
            on_one.map(|request| workload.vms_of(request).len()).sum::<usize>() * 4 >= workload.vm_count() as usize * 3
        };
        let beat_ms = BEATS_MS.into_iter().find(|beat_ms| on_beat(*beat_ms));
        Self { beat_ms: beat_ms.unwrap_or(0), ..clock }
    }

    /// The nearest beat.
    pub(super) fn beat(self, time: Time) -> i64 {
        nearest(time.0, self.beat_ms)
    }
}

/// A fraction rounded to an integer.
fn nearest(number: i64, by: i64) -> i64 {
    (2 * number + by).div_euclid(2 * by)
}
