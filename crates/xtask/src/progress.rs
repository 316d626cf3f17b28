//! Work that takes its time is never silent: it says what it is, how long it took last time, that it still goes on,
//! and how long it took.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::tools;

/// How often work says that it goes on.
const EVERY: Duration = Duration::from_secs(10);

/// Shorter work is not worth a line.
const WORTH_TELLING: Duration = Duration::from_secs(1);

/// Does `work` and tells how it goes.
pub(crate) fn told<T>(what: &str, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let (start, last) = (Instant::now(), last_time(what));
    let (done, is_done) = mpsc::channel::<()>();
    let outcome = thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                println!("{}", still(what, start.elapsed(), last));
            }
        });
        let outcome = work();
        drop(done);
        outcome
    });
    let took = start.elapsed();
    if outcome.is_ok() && took >= WORTH_TELLING {
        println!("{what}: done in {:.0} s", took.as_secs_f64());
        remember(what, took);
    }
    outcome
}

/// Says what begins, and how long it takes: what it took here last time, or what it usually takes.
pub(crate) fn announce(what: &str, usual: &str) {
    match last_time(what) {
        Some(last) => println!("{what}: {:.0} s last time", last.as_secs_f64()),
        None => println!("{what}: {usual}"),
    }
}

fn still(what: &str, elapsed: Duration, last: Option<Duration>) -> String {
    let last = last.map_or_else(String::new, |last| format!(" (last time {:.0} s)", last.as_secs_f64()));
    format!("{what}: {:.0} s so far{last}", elapsed.as_secs_f64())
}

/// What took how long on this computer, in seconds: a line each, the name behind the number.
fn file() -> Option<PathBuf> {
    Some(tools::cache().ok()?.join("durations.txt"))
}

fn durations() -> BTreeMap<String, f64> {
    let text = file().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.filter_map(|(seconds, what)| Some((what.to_owned(), seconds.parse().ok()?))).collect()
}

fn last_time(what: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(*durations().get(what)?).ok()
}

/// A computer that does not let this be kept is told no times; nothing else depends on them.
fn remember(what: &str, took: Duration) {
    let Some(file) = file() else { return };
    let mut durations = durations();
    durations.insert(what.to_owned(), took.as_secs_f64());
    let lines: String = durations.iter().map(|(what, seconds)| format!("{seconds:.1} {what}\n")).collect();
    let _ = file.parent().map(std::fs::create_dir_all);
    let _ = std::fs::write(file, lines);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_long_and_how_long_last_time() {
        let second = Duration::from_secs(1);
        assert_eq!(still("npm packages", 20 * second, None), "npm packages: 20 s so far");
        assert_eq!(still("npm packages", 20 * second, Some(31 * second)), "npm packages: 20 s so far (last time 31 s)");
    }

    #[test]
    fn what_work_gives_is_passed_on() {
        assert_eq!(told("a test", || Ok(7)), Ok(7));
        assert_eq!(told::<()>("a test", || Err("no".into())), Err("no".into()));
    }
}
