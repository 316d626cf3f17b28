//! Arrivals of requests: a rhythm by minute, hour and day, with more random variation than a Poisson process has.
//!
//! The number of requests in each 5 minutes is Poisson, with the rhythm's mean times two factors of mean 1: a slow,
//! lognormal one, a first-order autoregressive process from hour to hour, and a quick, gamma one, drawn for each 5
//! minutes. Their variances are the variance of the counts minus those of the rhythm and of Poisson (the moments of a
//! doubly stochastic Poisson process: Cox, 1955).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use rand_core::Rng;
use rand_distr::{Distribution, Gamma, Poisson, StandardNormal};
use serde::{Deserialize, Serialize};
use tiebreak_model::{RequestId, Workload};

use crate::numbers::{HOUR_MS, rounded, within};

pub(crate) const WINDOW_MS: i64 = 300_000;
const WINDOWS_AN_HOUR: usize = (HOUR_MS / WINDOW_MS) as usize;
/// The largest lag in hours at which the slow factor's correlation is measured.
const LAGS: usize = 6;
/// The largest correlation of the slow factor after an hour.
const MEMORY_MAX: f64 = 0.99;
/// The largest variance of a fitted factor.
const VARIANCE_MAX: f64 = 25.0;

/// The arrivals of requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// Mean requests per hour.
    pub requests_per_hour: f64,
    /// The load of each 5 minutes of an hour relative to the mean.
    pub of_hour: Vec<f64>,
    /// The load of each hour of a day relative to the mean, starting with the hour in which the trace begins; all 1
    /// if the trace is shorter than two days.
    pub of_day: Vec<f64>,
    /// The same for each day of a week, starting with the day on which the trace begins; all 1 if the trace is
    /// shorter than two weeks.
    pub of_week: Vec<f64>,
    /// The variance of the slow factor; 0 for none.
    pub slow_variance: f64,
    /// The correlation of the slow factor's logarithm after an hour, 0 to 1.
    pub slow_memory: f64,
    /// The variance of the quick factor, drawn every 5 minutes; 0 for none.
    pub quick_variance: f64,
    /// The time grid of arrivals, in milliseconds: 1 if they come at any moment.
    pub grid_ms: u64,
}

impl Arrivals {
    pub(crate) fn of(workload: &Workload) -> Self {
        let horizon = workload.horizon().0;
        let mut windows = alloc::vec![0_u32; (horizon / WINDOW_MS).max(0) as usize];
        let (mut requests, mut grid) = (0_u32, 0_u64);
        for request in (workload.warm_count()..workload.request_count()).map(RequestId) {
            let at = workload.at(request).0;
            if at > horizon {
                break;
            }
            requests += 1;
            grid = common_divisor(grid, at as u64);
            // In a trace on a grid, the first arrivals are at the end of the first step.
            if let Some(window) = windows.get_mut(((at - 1) / WINDOW_MS) as usize) {
                *window += 1;
            }
        }
        let hours: Vec<u32> = windows.chunks_exact(WINDOWS_AN_HOUR).map(|hour| hour.iter().sum()).collect();
        let level = f64::from(requests) * HOUR_MS as f64 / horizon as f64;
        let (of_day, of_week) = rhythm(&hours);
        let mut arrivals = Self {
            requests_per_hour: rounded(level),
            of_hour: minutes(&windows).into_iter().map(rounded).collect(),
            of_day: of_day.into_iter().map(rounded).collect(),
            of_week: of_week.into_iter().map(rounded).collect(),
            slow_variance: 0.0,
            slow_memory: 0.0,
            quick_variance: 0.0,
            grid_ms: grid.max(1),
        };
        arrivals.fit_factors(&windows, &hours);
        arrivals
    }

    /// The rhythm's requests per hour in this hour of the trace.
    #[must_use]
    pub fn rate(&self, hour: usize) -> f64 {
        self.requests_per_hour * self.of_day[hour % 24] * self.of_week[hour / 24 % 7]
    }

    /// The rhythm's requests in this window of the trace.
    fn of_window(&self, window: usize) -> f64 {
        self.rate(window / WINDOWS_AN_HOUR) * self.of_hour[window % WINDOWS_AN_HOUR] / WINDOWS_AN_HOUR as f64
    }

    fn fit_factors(&mut self, windows: &[u32], hours: &[u32]) {
        let of_hours: Vec<f64> = (0..hours.len()).map(|hour| self.rate(hour)).collect();
        let of_windows: Vec<f64> = (0..windows.len()).map(|window| self.of_window(window)).collect();
        // The rhythm was estimated from the same counts, and explains some of their variance.
        let told = self.of_day.iter().chain(&self.of_week).filter(|factor| **factor != 1.0).count();
        let in_windows = excess(windows, &of_windows, told + WINDOWS_AN_HOUR);
        let in_hours = excess(hours, &of_hours, told);
        // The variance of the quick factor's hourly mean is a twelfth of its variance.
        let quick = ((in_windows - in_hours) * 12.0 / 11.0).clamp(0.0, VARIANCE_MAX);
        let slow = (in_hours - quick / 12.0).clamp(0.0, VARIANCE_MAX);
        self.quick_variance = rounded(quick);
        self.slow_variance = rounded(slow);
        if slow > 0.0 {
            self.slow_memory = rounded(memory(hours, &of_hours, slow));
        }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        within("requests_per_hour", self.requests_per_hour, 0.0, 1e9)?;
        if (self.of_hour.len(), self.of_day.len(), self.of_week.len()) != (WINDOWS_AN_HOUR, 24, 7) {
            return Err("expected 12 factors in of_hour, 24 in of_day and 7 in of_week, got others".to_string());
        }
        let factors = self.of_hour.iter().chain(&self.of_day).chain(&self.of_week);
        factors.copied().try_for_each(|factor| within("a factor of the rhythm", factor, 0.0, 1e4))?;
        within("slow_variance", self.slow_variance, 0.0, VARIANCE_MAX)?;
        within("slow_memory", self.slow_memory, 0.0, MEMORY_MAX)?;
        within("quick_variance", self.quick_variance, 0.0, VARIANCE_MAX)?;
        within("grid_ms", self.grid_ms as f64, 1.0, 86_400_000.0)
    }
}

/// Draws the number of requests in each 5 minutes, one after the other.
pub(crate) struct ArrivalDraws<'a> {
    arrivals: &'a Arrivals,
    rate: f64,
    window: usize,
    slow: f64,
}

impl<'a> ArrivalDraws<'a> {
    pub(crate) fn new(arrivals: &'a Arrivals, rate: f64) -> Self {
        Self { arrivals, rate, window: 0, slow: 0.0 }
    }

    /// For the next 5 minutes.
    pub(crate) fn next(&mut self, draws: &mut impl Rng) -> u64 {
        let arrivals = self.arrivals;
        if self.window.is_multiple_of(WINDOWS_AN_HOUR) {
            let normal: f64 = StandardNormal.sample(draws);
            let memory = if self.window == 0 { 0.0 } else { arrivals.slow_memory };
            self.slow = memory * self.slow + libm::sqrt(1.0 - memory * memory) * normal;
        }
        let log_variance = libm::log1p(arrivals.slow_variance);
        let slow = libm::exp(libm::sqrt(log_variance) * self.slow - log_variance / 2.0);
        let quick = match arrivals.quick_variance {
            0.0 => 1.0,
            variance => Gamma::new(1.0 / variance, variance).map_or(1.0, |gamma| gamma.sample(draws)),
        };
        let mean = self.rate * arrivals.of_window(self.window) * slow * quick;
        self.window += 1;
        // There is no Poisson distribution of mean 0; no requests arrive.
        Poisson::new(mean).map_or(0, |poisson: Poisson<f64>| poisson.sample(draws) as u64)
    }
}

/// The load of each 5 minutes of an hour relative to the mean; all 1 if the trace is shorter than two days.
fn minutes(windows: &[u32]) -> Vec<f64> {
    let whole = windows.len() / WINDOWS_AN_HOUR;
    if whole >= 48 {
        factors(&windows[..whole * WINDOWS_AN_HOUR], WINDOWS_AN_HOUR)
    } else {
        alloc::vec![1.0; WINDOWS_AN_HOUR]
    }
}

/// The load of each hour of a day and each day of a week relative to the mean, as far as the trace shows it.
fn rhythm(hours: &[u32]) -> (Vec<f64>, Vec<f64>) {
    let days: Vec<u32> = hours.chunks_exact(24).map(|day| day.iter().sum()).collect();
    let whole_weeks = days.len() / 7 * 7;
    let of_week = if days.len() >= 14 { factors(&days[..whole_weeks], 7) } else { alloc::vec![1.0; 7] };
    // Only whole days, or a busier partial day would raise the factors of its hours.
    let of_day = if days.len() >= 2 { factors(&hours[..days.len() * 24], 24) } else { alloc::vec![1.0; 24] };
    (of_day, of_week)
}

/// The mean of every `period`th count over the mean of all; 1 if there are none.
fn factors(counts: &[u32], period: usize) -> Vec<f64> {
    let mean = |counts: &mut dyn Iterator<Item = u32>| {
        let (sum, many) = counts.fold((0.0, 0.0), |(sum, many), count| (sum + f64::from(count), many + 1.0));
        sum / f64::max(many, 1.0)
    };
    let all = mean(&mut counts.iter().copied());
    let of = |first: usize| mean(&mut counts.iter().copied().skip(first).step_by(period)) / all;
    (0..period).map(|first| if all > 0.0 { of(first) } else { 1.0 }).collect()
}

/// The variance of the factor that explains the counts' variance beyond Poisson's, given these means; `told` of them
/// were estimated from the counts themselves.
fn excess(counts: &[u32], means: &[f64], told: usize) -> f64 {
    let all = counts.len() as f64;
    let free = all / f64::max(all - told as f64, 1.0);
    let (mut over, mut squares) = (0.0, 0.0);
    for (count, mean) in counts.iter().zip(means) {
        let off = f64::from(*count) - mean;
        over += off * off * free - mean;
        squares += mean * mean;
    }
    if squares > 0.0 { over / squares } else { 0.0 }
}

/// The correlation of the slow factor's logarithm after an hour: the number whose first powers sum to the
/// correlations at the lags.
fn memory(hours: &[u32], means: &[f64], variance: f64) -> f64 {
    let off: Vec<f64> = hours.iter().zip(means).map(|(count, mean)| f64::from(*count) - mean).collect();
    let at_lag = |lag: usize| {
        let products = (lag..off.len()).map(|hour| off[hour] * off[hour - lag]).sum::<f64>();
        let squares = (lag..off.len()).map(|hour| means[hour] * means[hour - lag]).sum::<f64>();
        libm::log1p((products / f64::max(squares, 1e-9)).max(-0.99)) / libm::log1p(variance)
    };
    let left: f64 = (1..=LAGS.min(off.len() / 2)).map(at_lag).sum();
    let powers = |number: f64| (1..=LAGS).map(|lag| libm::pow(number, lag as f64)).sum::<f64>();
    let (mut low, mut high) = (0.0, MEMORY_MAX);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if powers(middle) < left { low = middle } else { high = middle }
    }
    low
}

fn common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}
