//! `tiebreak sweep --resume`: the runs of a sweep through the queue that all its processes share.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::json;
use tiebreak_console::answer::{Answer, Failure, note};
use tiebreak_console::given::Given;
use tiebreak_console::shown::{count, duration};
use tiebreak_scenario::{Sweep, SweepPlan, SweepTable};
use xxhash_rust::xxh3::xxh3_64;

use super::queue::{BEAT, Queue};
use super::region::{self, REGION};
use super::{NEWS, OUT, STALE, threads};
use tiebreak_console::trace::workloads;
use tiebreak_study::Workloads;
use tiebreak_study::sweep::row;
use tiebreak_study::watch::Watch;

pub(super) fn run(given: &Given, plan: &SweepPlan, sweep: &Sweep, table: &SweepTable) -> Result<Answer, Failure> {
    let out = given.one(OUT.name);
    let out = out.ok_or_else(|| Failure("expected --out FILE with --resume, got none; name the table".into()))?;
    if given.has("shard") {
        return Err(Failure("expected --resume or --shard, got both; --resume needs no shards".into()));
    }
    let stale = Duration::from_secs(given.number(STALE.name)?.unwrap_or(60).clamp(5, 86_400));
    let workloads = workloads(given);
    let watch = Watch::nobody();
    let queue = Queue::open(Path::new(out), &identity(given, sweep, table, &workloads)?, sweep.count(), stale)?;
    let made = AtomicU64::new(0);
    let work = || -> Result<(), Failure> {
        while let Some(number) = queue.take()? {
            let run = sweep.run(number).expect("a number below the count");
            queue.put(number, &table.line(&row(plan, table, run, &workloads, &watch)?))?;
            made.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    let (sender, ended) = mpsc::channel();
    let mut news = AllNews::of(&queue)?;
    std::thread::scope(|scope| {
        for _ in 0..threads(given)? {
            let (sender, work) = (sender.clone(), &work);
            // Nobody listens once another thread has failed.
            scope.spawn(move || drop(sender.send(work())));
        }
        drop(sender);
        let mut watch = || -> Result<(), Failure> {
            loop {
                match ended.recv_timeout(BEAT) {
                    Ok(worked) => worked?,
                    Err(RecvTimeoutError::Timeout) => {
                        queue.beat()?;
                        news.tell(&queue, sweep.count())?;
                    }
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
            }
        };
        let watched = watch();
        queue.stop();
        watched
    })?;
    queue.finish(Path::new(out), &table.header())?;
    if given.has(REGION.name) {
        let rows = std::fs::read_to_string(out)
            .map_err(|error| Failure(format!("expected to read {out}, got: {error}; run the same command again")))?;
        return region::answer(given, table, &rows, Some(out));
    }
    let (runs, made) = (sweep.count(), made.into_inner());
    if given.has("json") {
        let answer = json!({ "runs": runs, "made": made, "out": out });
        return Ok(Answer::text(tiebreak_console::answer::json(&answer)));
    }
    let told = format!("Wrote {} runs to {out}; this process made {}.\n", count(runs), count(made));
    Ok(Answer::text(told))
}

/// What all processes of a sweep must share: the program, the plan, the scenario and the trace.
fn identity(given: &Given, sweep: &Sweep, table: &SweepTable, workloads: &Workloads<'_>) -> Result<String, Failure> {
    let run = sweep.run(0).expect("a sweep has a run");
    let trace = match given.has("trace") {
        true => workloads.workload(run.document.active_variant())?.fingerprint(),
        false => 0,
    };
    let of = format!("{}\n{:?}\n{:?}\n{trace:032x}", run.document.to_json(), sweep.values(), sweep.seeds());
    Ok(format!("tiebreak {}\n{}{:016x}\n", env!("CARGO_PKG_VERSION"), table.header(), xxh3_64(of.as_bytes())))
}

/// Progress of all processes, on standard error.
struct AllNews {
    begun: Instant,
    told: Instant,
    /// The number of rows that were there at the beginning.
    before: u64,
}

impl AllNews {
    fn of(queue: &Queue) -> Result<Self, Failure> {
        Ok(Self { begun: Instant::now(), told: Instant::now(), before: queue.progress()?.0 })
    }

    fn tell(&mut self, queue: &Queue, runs: u64) -> Result<(), Failure> {
        if self.told.elapsed() < NEWS {
            return Ok(());
        }
        self.told = Instant::now();
        let (rows, workers) = queue.progress()?;
        let rate = rows.saturating_sub(self.before) as f64 / self.begun.elapsed().as_secs_f64();
        let processes = if workers == 1 { "1 process".to_owned() } else { format!("{workers} processes") };
        let rest = match rate > 0.0 {
            true => format!(", about {} left", duration(1_000.0 * (runs - rows) as f64 / rate)),
            false => String::new(),
        };
        note(&format!("{} of {} runs, {rate:.1} per second by {processes}{rest}", count(rows), count(runs)));
        Ok(())
    }
}
