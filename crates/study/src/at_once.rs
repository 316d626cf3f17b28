//! Parallel jobs on threads of this process; a run itself uses one thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};

use crate::Failure;
use crate::watch::{EVERY, Watch};

/// The number of processors available to this process.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get())
}

/// Runs jobs in parallel on all processors and returns the results in job order.
///
/// # Errors
/// That of the first job, in that order, that fails.
pub fn at_once<J: Sync, T: Send>(jobs: &[J], run: impl Fn(&J) -> Result<T, Failure> + Sync) -> Result<Vec<T>, Failure> {
    watched(jobs, &Watch::nobody(), run)
}

/// The same with somebody who follows.
///
/// # Errors
/// The same, and that of `watch`.
pub fn watched<J: Sync, T: Send>(
    jobs: &[J],
    watch: &Watch<'_>,
    run: impl Fn(&J) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let mut all = Vec::with_capacity(jobs.len());
    in_order(jobs, processors(), watch, run, |result| {
        all.push(result);
        Ok(())
    })?;
    Ok(all)
}

/// Runs jobs on this many threads and passes each result on, in job order, as soon as it is ready. Stops at the first
/// job, in that order, that fails. WebAssembly has neither threads nor a clock: there the jobs run one after the other.
///
/// # Errors
/// That of this job, of `hand_on`, or of `watch`.
pub fn in_order<J: Sync, T: Send>(
    jobs: &[J],
    threads: usize,
    watch: &Watch<'_>,
    run: impl Fn(&J) -> Result<T, Failure> + Sync,
    mut hand_on: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if cfg!(target_family = "wasm") {
        let all = jobs.len() as u64;
        return jobs.iter().zip(1..).try_for_each(|(job, done)| {
            hand_on(run(job)?)?;
            watch.tell(done, all)
        });
    }
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let work = |sender: mpsc::Sender<_>| {
        while !watch.is_over() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { return };
            if sender.send((index, run(job))).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn(move || work(sender));
        }
        drop(sender);
        let (mut early, mut wanted) = (BTreeMap::new(), 0);
        loop {
            match receiver.recv_timeout(EVERY) {
                Ok((index, result)) => drop(early.insert(index, result)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            watch.tell(wanted as u64, jobs.len() as u64)?;
            while let Some(result) = early.remove(&wanted) {
                wanted += 1;
                if let Err(failure) = result.and_then(&mut hand_on) {
                    watch.stop();
                    return Err(failure);
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_jobs() {
        let jobs: Vec<u64> = (0..200).collect();
        let slow_first = |job: &u64| {
            let steps = (0..(200 - job) * 500).map(std::hint::black_box);
            Ok(*job + u64::from(steps.max() == Some(u64::MAX)))
        };
        for threads in [1, 2, 7, 500] {
            let mut seen = Vec::new();
            let push = |job| {
                seen.push(job);
                Ok(())
            };
            in_order(&jobs, threads, &Watch::nobody(), slow_first, push).expect("no job fails");
            assert_eq!(seen, jobs, "{threads} threads");
        }
        assert_eq!(at_once(&jobs, slow_first).expect("no job fails"), jobs);
        assert!(at_once(&[], slow_first).is_ok_and(|none| none.is_empty()));
    }

    #[test]
    fn the_first_job_that_fails_is_told() {
        let jobs: Vec<u32> = (0..50).collect();
        let fails = |job: &u32| if *job % 20 == 19 { Err(Failure(format!("job {job}"))) } else { Ok(*job) };
        let mut seen = Vec::new();
        let push = |job| {
            seen.push(job);
            Ok(())
        };
        let Failure(told) = in_order(&jobs, 4, &Watch::nobody(), fails, push).expect_err("job 19 fails");
        assert_eq!((told.as_str(), seen.len()), ("job 19", 19));
    }
}
