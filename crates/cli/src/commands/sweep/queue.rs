//! The work queue of `tiebreak sweep --resume`: a folder next to the output that any number of processes share.
//!
//! `rows/N.csv` is the row of run N, moved there when it is complete. `claims/N.K` is the K-th claim of run N: created
//! exclusively, with the name of its worker in it. `workers/ID.lock` is locked as long as its worker lives, and touched
//! every few seconds; `workers/ID.log` names the runs that it began.
//!
//! Claim K + 1 may be made once the worker of claim K is dead. Claims of an unfinished run are never removed, so of two
//! processes that see a dead worker only one succeeds. A worker is dead if its lock is free. On another machine locks
//! may not be visible: there it is dead if its lock file has not been touched for `--stale` seconds, by the clock of
//! the process that looks.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tiebreak_console::answer::Failure;

/// How often a worker touches its lock file.
pub(crate) const BEAT: Duration = Duration::from_secs(2);

/// How often a worker looks again at runs that others have claimed.
const LOOK: Duration = Duration::from_millis(100);

/// The queue as one process sees it.
pub(crate) struct Queue {
    folder: PathBuf,
    /// The name of this worker: its running system, its process and the time of its start.
    worker: String,
    /// Locked until the process ends.
    lock: File,
    log: Mutex<File>,
    runs: u64,
    stale: Duration,
    /// Runs that may be open.
    open: Mutex<VecDeque<u64>>,
    /// Runs that others had claimed when this process looked.
    claimed: Mutex<VecDeque<u64>>,
    /// When each worker of another machine was last seen to touch its lock file.
    seen: Mutex<BTreeMap<String, (Option<SystemTime>, Instant)>>,
    is_over: AtomicBool,
}

impl Queue {
    /// Opens the queue of an output file, or begins it.
    ///
    /// # Errors
    /// If it belongs to another sweep, or cannot be written.
    pub(crate) fn open(out: &Path, sweep: &str, runs: u64, stale: Duration) -> Result<Self, Failure> {
        let mut folder = out.as_os_str().to_owned();
        folder.push(".work");
        let folder = PathBuf::from(folder);
        let failed = |error| unusable(&folder, &error);
        for part in ["rows", "claims", "workers"] {
            fs::create_dir_all(folder.join(part)).map_err(failed)?;
        }
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let worker = format!("{}-{}-{nanos}", system(), std::process::id());
        let plan = folder.join("sweep");
        if !plan.exists() {
            let part = folder.join(format!("sweep.{worker}"));
            fs::write(&part, sweep).and_then(|()| fs::rename(part, &plan)).map_err(failed)?;
        }
        if fs::read_to_string(&plan).map_err(failed)? != sweep {
            return Err(Failure(format!(
                "expected the work of this sweep in {}, got that of another plan, scenario or version; choose another \
                 --out, or remove that folder",
                folder.display()
            )));
        }
        let lock = File::create_new(folder.join(format!("workers/{worker}.lock"))).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let log = File::create_new(folder.join(format!("workers/{worker}.log"))).map_err(failed)?;
        let open = Mutex::new((0..runs).collect());
        let (log, claimed, seen) = (Mutex::new(log), Mutex::default(), Mutex::default());
        Ok(Self { folder, worker, lock, log, runs, stale, open, claimed, seen, is_over: AtomicBool::new(false) })
    }

    /// Claims a run. Waits while others work on all that are left; `None` once every run has its row, or after
    /// [`Self::stop`].
    pub(crate) fn take(&self) -> Result<Option<u64>, Failure> {
        while !self.is_over.load(Ordering::Relaxed) {
            let Some(number) = locked(&self.open).pop_front() else {
                let left = std::mem::take(&mut *locked(&self.claimed));
                if left.is_empty() && locked(&self.open).is_empty() {
                    return Ok(None);
                }
                locked(&self.open).extend(left);
                std::thread::sleep(LOOK);
                continue;
            };
            if self.row(number)?.is_some() {
                continue;
            }
            if !self.claim(number)? {
                locked(&self.claimed).push_back(number);
                continue;
            }
            // Its row may have come, and its claims gone, between the two looks.
            if self.row(number)?.is_some() {
                self.release(number)?;
                continue;
            }
            let told = locked(&self.log).write_all(format!("{number}\n").as_bytes());
            told.map_err(|error| unusable(&self.folder, &error))?;
            return Ok(Some(number));
        }
        Ok(None)
    }

    /// Gives no more runs to the threads of this process.
    pub(crate) fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Writes the row of a claimed run.
    pub(crate) fn put(&self, number: u64, line: &str) -> Result<(), Failure> {
        let part = self.folder.join(format!("rows/{number}.{}", self.worker));
        let written = fs::write(&part, line).and_then(|()| fs::rename(part, self.row_file(number)));
        written.map_err(|error| unusable(&self.folder, &error))?;
        self.release(number)
    }

    /// Shows the others that this worker lives.
    pub(crate) fn beat(&self) -> Result<(), Failure> {
        self.lock.set_modified(SystemTime::now()).map_err(|error| unusable(&self.folder, &error))
    }

    /// The number of finished rows, and of workers that live.
    pub(crate) fn progress(&self) -> Result<(u64, usize), Failure> {
        let rows = self.names("rows")?.iter().filter(|name| name.ends_with(".csv")).count() as u64;
        let mut living = 0;
        for name in self.names("workers")? {
            living += usize::from(name.strip_suffix(".lock").is_some_and(|worker| self.lives(worker)));
        }
        Ok((rows, living))
    }

    /// Writes the table of all rows. Every process may do so, because all write the same bytes.
    pub(crate) fn finish(&self, out: &Path, header: &str) -> Result<(), Failure> {
        let mut text = header.to_owned();
        for number in 0..self.runs {
            text += &self.row(number)?.ok_or_else(|| {
                Failure(format!("expected the row of run {number}, got none; run the same command again"))
            })?;
        }
        let part = self.folder.join(format!("table.{}", self.worker));
        let written = fs::write(&part, text).and_then(|()| fs::rename(part, out));
        written.map_err(|error| unusable(out, &error))?;
        // Left by processes that were killed after they had written a row. Another process may remove them, too.
        for claim in self.names("claims")? {
            let _ = fs::remove_file(self.folder.join("claims").join(claim));
        }
        Ok(())
    }

    fn row_file(&self, number: u64) -> PathBuf {
        self.folder.join(format!("rows/{number}.csv"))
    }

    /// The row of a run. One that a failing disk has torn is removed.
    fn row(&self, number: u64) -> Result<Option<String>, Failure> {
        let file = self.row_file(number);
        match fs::read_to_string(&file) {
            Ok(line) if line.starts_with(&format!("{number},")) && line.ends_with('\n') => Ok(Some(line)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() != ErrorKind::InvalidData => Err(unusable(&file, &error)),
            _ => fs::remove_file(&file).map(|()| None).map_err(|error| unusable(&file, &error)),
        }
    }

    fn claim_file(&self, number: u64, nth: u32) -> PathBuf {
        self.folder.join(format!("claims/{number}.{nth}"))
    }

    /// Makes the first claim that is possible; false if a worker that lives has the run.
    fn claim(&self, number: u64) -> Result<bool, Failure> {
        for nth in 0.. {
            let file = self.claim_file(number, nth);
            match File::create_new(&file).and_then(|mut claim| claim.write_all(self.worker.as_bytes())) {
                Ok(()) => return Ok(true),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(unusable(&file, &error)),
            }
            if self.claim_file(number, nth + 1).exists() {
                continue;
            }
            // A claim without a name is that of a worker that has just begun it, or died doing so.
            let worker = fs::read_to_string(&file).ok().filter(|worker| !worker.is_empty());
            if self.lives(&worker.unwrap_or_else(|| format!("unknown-{number}-{nth}"))) {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Removes the claims of a finished run.
    fn release(&self, number: u64) -> Result<(), Failure> {
        for nth in 0.. {
            let file = self.claim_file(number, nth);
            match fs::remove_file(&file) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => break,
                Err(error) => return Err(unusable(&file, &error)),
            }
        }
        Ok(())
    }

    fn lives(&self, worker: &str) -> bool {
        if worker == self.worker {
            return true;
        }
        let file = File::open(self.folder.join(format!("workers/{worker}.lock")));
        if worker.starts_with(&format!("{}-", system())) {
            let tried = file.as_ref().map(File::try_lock_shared);
            match tried {
                Ok(Ok(())) => return false,
                Ok(Err(TryLockError::WouldBlock)) => return true,
                _ => {}
            }
        }
        let touched = file.and_then(|file| file.metadata()?.modified()).ok();
        let mut seen = locked(&self.seen);
        let (before, since) = seen.entry(worker.to_owned()).or_insert((touched, Instant::now()));
        if *before != touched {
            (*before, *since) = (touched, Instant::now());
        }
        since.elapsed() < self.stale
    }

    fn names(&self, part: &str) -> Result<Vec<String>, Failure> {
        let failed = |error| unusable(&self.folder, &error);
        let entries = fs::read_dir(self.folder.join(part)).map_err(failed)?;
        entries.map(|entry| Ok(entry.map_err(failed)?.file_name().to_string_lossy().into_owned())).collect()
    }
}

/// The running system of this process, within which locks are visible; where that cannot be found out, none but this process.
fn system() -> String {
    let read = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let short: String = read.chars().take_while(char::is_ascii_hexdigit).collect();
    if short.is_empty() { format!("pid{}", std::process::id()) } else { short }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unusable(place: &Path, error: &std::io::Error) -> Failure {
    Failure(format!("expected to read and write {}, got: {error}; choose another --out", place.display()))
}
