//! Long work on a terminal says how far it is, how fast it goes and how long it will take; a file or a pipe is told nothing.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use tiebreak_sim::World;

use crate::shown::{count, duration};

/// Work that is over sooner says nothing.
const PATIENCE: Duration = Duration::from_secs(2);

const EVERY: Duration = Duration::from_millis(250);

/// Events between two looks at the clock.
const SLICE: u32 = 1 << 14;

/// Tells of work in equal steps on standard error.
pub(crate) struct Progress {
    what: &'static str,
    begun: Instant,
    told: Option<Instant>,
    is_terminal: bool,
}

impl Progress {
    pub(crate) fn of(what: &'static str) -> Self {
        Self { what, begun: Instant::now(), told: None, is_terminal: std::io::stderr().is_terminal() }
    }

    /// So many of all are done.
    pub(crate) fn tell(&mut self, done: u64, all: u64) {
        let waited = self.told.map_or(self.begun.elapsed() >= PATIENCE, |told| told.elapsed() >= EVERY);
        if self.is_terminal && waited && done > 0 {
            self.told = Some(Instant::now());
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", line(self.what, done, all, self.begun.elapsed()));
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
    let rate = done as f64 / took.as_secs_f64().max(0.001);
    let rest = all.saturating_sub(done) as f64 / rate.max(0.001);
    let (done, all) = (count(done), count(all));
    format!("{done} of {all} {what}, {} a second, {} left", count(rate as u64), duration(rest * 1_000.0))
}

/// Runs a world to its end.
pub(crate) fn run(world: &mut World) {
    let vms = world.plan().workload().vm_count();
    let mut progress = Progress::of("VMs");
    loop {
        let so_far = world.advance(SLICE);
        if so_far.done {
            return;
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
        assert_eq!(told, "50,000 of 200,000 VMs, 5,000 a second, 30 s left");
    }
}
