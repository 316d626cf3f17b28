//! Parallel jobs on threads of this process; a run itself uses one thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::answer::Failure;

/// The number of processors available to this process.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get())
}

/// Runs jobs in parallel on all processors and returns the results in job order.
pub fn at_once<J: Sync, T: Send>(jobs: &[J], run: impl Fn(&J) -> Result<T, Failure> + Sync) -> Result<Vec<T>, Failure> {
    let mut all = Vec::with_capacity(jobs.len());
    in_order(jobs, processors(), run, |result| {
        all.push(result);
        Ok(())
    })?;
    Ok(all)
}

/// Runs jobs on this many threads and passes each result on, in job order, as soon as it is ready. Stops at the first
/// job, in that order, that fails.
pub fn in_order<J: Sync, T: Send>(
    jobs: &[J],
    threads: usize,
    run: impl Fn(&J) -> Result<T, Failure> + Sync,
    mut hand_on: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let work = |sender: mpsc::Sender<_>| {
        while !is_over.load(Ordering::Relaxed) {
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
        for (index, result) in receiver {
            early.insert(index, result);
            while let Some(result) = early.remove(&wanted) {
                wanted += 1;
                if let Err(failure) = result.and_then(&mut hand_on) {
                    is_over.store(true, Ordering::Relaxed);
                    return Err(failure);
                }
            }
        }
        Ok(())
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
            in_order(&jobs, threads, slow_first, push).expect("no job fails");
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
        let Failure(told) = in_order(&jobs, 4, fails, push).expect_err("job 19 fails");
        assert_eq!((told.as_str(), seen.len()), ("job 19", 19));
    }
}
