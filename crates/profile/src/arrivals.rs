//! Arrivals of VMs.

use serde::Serialize;
use tiebreak_model::{RequestId, Workload};

const HOUR_MS: i64 = 3_600_000;
/// The windows in which VMs are counted to measure how they cluster.
const WINDOW_MS: i64 = 5 * 60_000;

/// Requests and VMs that arrive between the start of the trace and its horizon.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arrivals {
    /// Requests.
    pub requests: u32,
    /// Their VMs.
    pub vms: u32,
    /// VMs in each hour of the trace.
    pub hourly: Vec<u32>,
    /// The mean number of VMs in each hour of a day; the first is the one in which the trace begins.
    pub of_day: [f64; 24],
    /// The mean number of VMs on each day of a week; the first is the one on which the trace begins. `None` for a
    /// trace shorter than two weeks.
    pub of_week: Option<[f64; 7]>,
    /// The variance of VMs per 5 minutes over their mean: 1 for independent single arrivals, more for bursts; 0
    /// without any.
    pub dispersion: f64,
    /// The same for requests.
    pub request_dispersion: f64,
}

impl Arrivals {
    pub(crate) fn of(workload: &Workload) -> Self {
        let horizon = workload.horizon().0.max(0);
        // The incomplete last window and hour are left out.
        let mut hourly = vec![0; (horizon / HOUR_MS) as usize];
        let (mut vms, mut requests) = (Windows::new(horizon), Windows::new(horizon));
        for request in (workload.warm_count()..workload.request_count()).map(RequestId) {
            let (at, many) = (workload.at(request).0, workload.vms_of(request).len() as u32);
            if at >= horizon {
                break;
            }
            vms.add(at, many);
            requests.add(at, 1);
            if let Some(hour) = hourly.get_mut((at / HOUR_MS) as usize) {
                *hour += many;
            }
        }
        let days: Vec<u32> = hourly.chunks_exact(24).map(|day| day.iter().sum()).collect();
        Self {
            requests: requests.all,
            vms: vms.all,
            of_day: means(&hourly),
            of_week: (days.len() >= 14).then(|| means(&days)),
            dispersion: vms.dispersion(),
            request_dispersion: requests.dispersion(),
            hourly,
        }
    }
}

/// Counts per window, of arrivals in time order.
struct Windows {
    /// The number of whole windows.
    many: i64,
    all: u32,
    /// The current window, and its count so far.
    now: (i64, u32),
    sum: f64,
    squares: f64,
}

impl Windows {
    fn new(horizon_ms: i64) -> Self {
        Self { many: horizon_ms / WINDOW_MS, all: 0, now: (0, 0), sum: 0.0, squares: 0.0 }
    }

    fn add(&mut self, at_ms: i64, count: u32) {
        self.all += count;
        let window = at_ms / WINDOW_MS;
        if window != self.now.0 {
            self.close();
            self.now = (window, 0);
        }
        self.now.1 += count;
    }

    fn close(&mut self) {
        let (window, count) = self.now;
        if window < self.many {
            self.sum += f64::from(count);
            self.squares += f64::from(count) * f64::from(count);
        }
    }

    /// Variance over mean.
    fn dispersion(mut self) -> f64 {
        self.close();
        let mean = self.sum / self.many.max(1) as f64;
        if mean == 0.0 { 0.0 } else { (self.squares / self.many as f64 - mean * mean) / mean }
    }
}

/// The mean of every `N`th count, starting at each of the first `N`.
fn means<const N: usize>(counts: &[u32]) -> [f64; N] {
    core::array::from_fn(|first| {
        let (sum, many) = counts
            .iter()
            .skip(first)
            .step_by(N)
            .fold((0.0, 0), |(sum, many), count| (sum + f64::from(*count), many + 1));
        if many == 0 { 0.0 } else { sum / f64::from(many) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::workload;

    #[test]
    fn vms_are_counted_by_hour_day_and_week() {
        // Three weeks: one VM in each hour, and ten more at noon of every third day.
        let hours = 24 * 21;
        let mut vms: Vec<_> = (0..hours).map(|hour| (hour * 60 + 7, None, 1, hour as u64)).collect();
        vms.extend((0..21).step_by(3).flat_map(|day| (0..10).map(move |_| (day * 1_440 + 725, None, 1, 10_000))));
        vms.push((-5, None, 1, 1));
        let arrivals = Arrivals::of(&workload(&vms, hours * 60));
        assert_eq!((arrivals.requests, arrivals.vms), (504 + 7, 504 + 70));
        assert_eq!((arrivals.hourly.len(), arrivals.hourly[12], arrivals.hourly[13]), (504, 11, 1));
        assert!((arrivals.of_day[12] - (1.0 + 10.0 / 3.0)).abs() < 1e-12 && arrivals.of_day[3] == 1.0);
        assert_eq!(arrivals.of_week.expect("three weeks")[0], 24.0 + 10.0 / 3.0, "the first day of one week in three");
        assert!(arrivals.dispersion > 2.0 && arrivals.request_dispersion < 1.0, "{arrivals:?}");
    }

    #[test]
    fn a_short_trace_has_no_week_and_a_piece_of_an_hour_is_none() {
        let arrivals = Arrivals::of(&workload(&[(10, None, 1, 1), (70, None, 1, 2)], 90));
        assert_eq!((arrivals.hourly.clone(), arrivals.vms, arrivals.of_week), (vec![1], 2, None));
        let nobody = Arrivals::of(&workload(&[(0, None, 1, 1)], 30));
        assert_eq!((nobody.vms, nobody.dispersion, nobody.hourly.len()), (0, 0.0, 0));
    }
}
