//! Progress of long work. A terminal shows the share done, the pace and the remaining time; a file or a pipe gets one
//! line, and only for very long work.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tiebreak_scenario::Cost;
use tiebreak_sim::World;

use crate::answer::note;
use crate::shown::{count, duration};

/// Shorter work reports no progress.
const PATIENCE: Duration = Duration::from_secs(2);

/// Longer work also reports to a file or a pipe.
const LONG: Duration = Duration::from_secs(300);

const EVERY: Duration = Duration::from_millis(250);

/// Events between two checks of the clock. Small, because a decision may take milliseconds if rules look at every
/// future moment.
const SLICE: u32 = 1 << 8;

/// A run whose estimate exceeds this, in seconds or in bytes, is announced.
const SECONDS_TOLD: f64 = 20.0;
const BYTES_TOLD: f64 = 1_073_741_824.0;

/// Announces the cost of an expensive run before it is prepared.
pub fn warn_of(cost: &Cost) {
    if cost.is_above(SECONDS_TOLD, BYTES_TOLD) {
        note(&format!("{cost} Ctrl-C stops it and keeps the results so far."));
    }
}

/// Reports progress of work in equal steps on standard error.
pub struct Progress {
    what: &'static str,
    begun: Instant,
    told: Option<Instant>,
    is_terminal: bool,
    has_warned: bool,
}

impl Progress {
    /// Progress counted in `what`: VMs, rows.
    pub fn of(what: &'static str) -> Self {
        Self {
            what,
            begun: Instant::now(),
            told: None,
            is_terminal: std::io::stderr().is_terminal(),
            has_warned: false,
        }
    }

    /// Reports that `done` of `all` steps are done.
    pub fn tell(&mut self, done: u64, all: u64) {
        let waited = self.told.map_or(self.begun.elapsed() >= PATIENCE, |told| told.elapsed() >= EVERY);
        if !waited || done == 0 {
            return;
        }
        let took = self.begun.elapsed();
        if self.is_terminal {
            self.told = Some(Instant::now());
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", line(self.what, done, all, took));
        } else if !self.has_warned && rest(done, all, took) > LONG {
            self.has_warned = true;
            note(&format!("this will take long: {}", line(self.what, done, all, took)));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.told.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(what: &str, done: u64, all: u64, took: Duration) -> String {
    let (rate, rest) = (done as f64 / took.as_secs_f64().max(0.001), rest(done, all, took));
    let (done, all) = (count(done), count(all));
    format!(
        "{done} of {all} {what}, {} per second, {} left",
        count(rate as u64),
        duration(rest.as_secs_f64() * 1_000.0)
    )
}

/// The remaining time at the average pace so far.
fn rest(done: u64, all: u64, took: Duration) -> Duration {
    let share = all.saturating_sub(done) as f64 / done.max(1) as f64;
    Duration::try_from_secs_f64(took.as_secs_f64() * share).unwrap_or(Duration::MAX)
}

/// The exit code after Ctrl-C, by shell convention.
pub const STOPPED: u8 = 130;

/// Whether the user pressed Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// From now on, Ctrl-C stops [`run`] with a partial result; a second Ctrl-C ends the program.
pub fn listen() {
    let stop = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(STOPPED.into());
        }
    };
    // If no handler can be set, Ctrl-C ends the program at once.
    let _ = ctrlc::set_handler(stop);
}

/// Runs a world until its end or until Ctrl-C. Returns whether Ctrl-C stopped it.
pub fn run(world: &mut World) -> bool {
    let vms = world.plan().workload().vm_count();
    let mut progress = Progress::of("VMs");
    loop {
        let so_far = world.advance(SLICE);
        if so_far.done || STOP.load(Ordering::Relaxed) {
            return !so_far.done;
        }
        progress.tell(so_far.decided.into(), vms.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_rate_and_rest() {
        let told = line("VMs", 50_000, 200_000, Duration::from_secs(10));
        assert_eq!(told, "50,000 of 200,000 VMs, 5,000 per second, 30 s left");
        assert_eq!(rest(1, u64::MAX, Duration::MAX), Duration::MAX, "no matter how long");
    }
}
