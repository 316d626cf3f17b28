//! Progress of long work: what it is, how long it took before, that it is still running, and how long it took.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::tools;

/// How often to report that work is still running.
const EVERY: Duration = Duration::from_secs(10);

/// Shorter work is not reported.
const WORTH_TELLING: Duration = Duration::from_secs(1);

/// Does `work` and reports its progress.
pub(crate) fn told<T>(what: &str, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let (start, before) = (Instant::now(), longest(what));
    let (done, is_done) = mpsc::channel::<()>();
    let outcome = thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                println!("{}", still(what, start.elapsed(), before));
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

/// Announces work with its expected time: the time it took on this computer, or else the usual time.
pub(crate) fn announce(what: &str, usual: &str) {
    match longest(what) {
        Some(before) => println!("{what}: up to {:.0} s here before", before.as_secs_f64()),
        None => println!("{what}: {usual}"),
    }
}

fn still(what: &str, elapsed: Duration, before: Option<Duration>) -> String {
    let before = before.map_or_else(String::new, |before| format!(" (up to {:.0} s before)", before.as_secs_f64()));
    format!("{what}: {:.0} s so far{before}", elapsed.as_secs_f64())
}

/// The file of the longest times on this computer, in seconds: one line each, with the name after the number.
fn file() -> Option<PathBuf> {
    Some(tools::cache().ok()?.join("durations.txt"))
}

fn durations() -> BTreeMap<String, f64> {
    let text = file().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.filter_map(|(seconds, what)| Some((what.to_owned(), seconds.parse().ok()?))).collect()
}

/// The longest time: that of a full build rather than of an incremental one.
fn longest(what: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(*durations().get(what)?).ok()
}

/// If the file cannot be written, no times are announced; nothing else depends on it.
fn remember(what: &str, took: Duration) {
    let Some(file) = file() else { return };
    let mut durations = durations();
    let longest = durations.entry(what.to_owned()).or_default();
    *longest = longest.max(took.as_secs_f64());
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
        assert_eq!(
            still("npm packages", 20 * second, Some(31 * second)),
            "npm packages: 20 s so far (up to 31 s before)"
        );
    }

    #[test]
    fn what_work_gives_is_passed_on() {
        assert_eq!(told("a test", || Ok(7)), Ok(7));
        assert_eq!(told::<()>("a test", || Err("no".into())), Err("no".into()));
    }
}
