//! Who follows long work: hears how much is done, and may stop it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tiebreak_sim::World;

use crate::Failure;

/// How long work goes on between two reports.
pub const EVERY: Duration = Duration::from_millis(50);

/// Events between two looks at whether to stop. Small, because a decision may take milliseconds if rules look at every
/// future moment.
const SLICE: u32 = 1 << 8;

/// Slices between two looks at a world that may end early.
const LOOK_EVERY: u32 = 16;

/// Hears `done` and `all`; a failure stops the work.
type Tell<'a> = &'a (dyn Fn(u64, u64) -> Result<(), Failure> + Sync);

/// Follows work on any number of threads. Reports come from the thread that began the work.
pub struct Watch<'a> {
    tell: Option<Tell<'a>>,
    is_over: AtomicBool,
}

impl<'a> Watch<'a> {
    /// Nobody follows, and nothing stops the work.
    #[must_use]
    pub const fn nobody() -> Self {
        Self { tell: None, is_over: AtomicBool::new(false) }
    }

    /// Reports go to `tell`, at least every [`EVERY`]; its failure stops the work.
    #[must_use]
    pub const fn by(tell: Tell<'a>) -> Self {
        Self { tell: Some(tell), is_over: AtomicBool::new(false) }
    }

    /// Reports that `done` of `all` are done.
    ///
    /// # Errors
    /// If the work is to stop.
    pub fn tell(&self, done: u64, all: u64) -> Result<(), Failure> {
        let told = self.tell.map_or(Ok(()), |tell| tell(done, all));
        if told.is_err() {
            self.stop();
        }
        told
    }

    /// Stops the work that is still under way.
    pub(crate) fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Runs a world to its end.
    ///
    /// # Errors
    /// If the work was stopped before.
    pub(crate) fn finish(&self, world: &mut World) -> Result<(), Failure> {
        self.finish_unless(world, |_| false).map(|_| ())
    }

    /// Runs a world to its end, unless this holds of it before, which is looked at now and then. Returns whether it is
    /// at its end.
    ///
    /// # Errors
    /// If the work was stopped before.
    pub(crate) fn finish_unless(&self, world: &mut World, is_enough: impl Fn(&World) -> bool) -> Result<bool, Failure> {
        let mut slices = 0_u32;
        while !world.advance(SLICE).done {
            if self.is_over() {
                return Err(Failure("expected all runs to finish, got a stop; start again for the rest".into()));
            }
            slices += 1;
            if slices.is_multiple_of(LOOK_EVERY) && is_enough(world) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Runs a world to its end, with a report in VMs at least every [`EVERY`].
///
/// # Errors
/// If whoever follows stops it.
pub fn run(world: &mut World, watch: &Watch<'_>) -> Result<(), Failure> {
    let vms = world.plan().workload().vm_count().into();
    // WebAssembly has no clock: there each slice is told.
    let clock = || (!cfg!(target_family = "wasm")).then(std::time::Instant::now);
    let mut told = clock();
    loop {
        let so_far = world.advance(SLICE);
        if so_far.done {
            return watch.tell(vms, vms);
        }
        if told.is_none_or(|told| told.elapsed() >= EVERY) {
            told = clock();
            watch.tell(so_far.decided.into(), vms)?;
        }
    }
}
