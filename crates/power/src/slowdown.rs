//! Estimates of how lower frequencies affect what runs on the cores: proxies, since the simulator runs no software.
//!
//! Both use the share of the work that is CPU-bound and so takes longer as the frequency falls; the rest, waiting for
//! memory, disks or others, does not. The paper publishes the slowdown of two programs under some caps (section
//! IV-C); these formulas are ours.

/// The share of every request's running time that is assumed to be CPU-bound, from 0 to 1. Fitted: with it and the
/// utilizations of `tiebreak reproduce power-fig4`, the proxies come close to the slowdowns that the paper publishes.
pub const CPU_BOUND: f64 = 0.45;

/// The latency percentile that is compared.
const TAIL: f64 = 0.95;

/// The 95th-percentile latency of a user-facing part as a multiple of that at the nominal frequency: 1 or more, and
/// infinite if its cores can no longer keep up.
///
/// Requests arrive at random times, wait in one queue and are served by the part's `cores` (at least 1), each for a
/// random time: the queue M/M/k. `utilization` is that at the nominal frequency, from 0 to 1, and rises as service
/// takes longer. `frequency` is from 0.5 to 1, `cpu_bound` from 0 to 1.
///
/// # Panics
/// If there are no cores.
#[must_use]
pub fn latency(cores: u32, utilization: f64, frequency: f64, cpu_bound: f64) -> f64 {
    latency_over(cores, utilization, &[(frequency, 1.0)], cpu_bound)
}

/// The same over a time with several frequencies, each with its share of the time; the shares sum to 1. A twentieth
/// of the time is enough to make the percentile that of the slowest.
///
/// # Panics
/// If there are no cores.
#[must_use]
pub fn latency_over(cores: u32, utilization: f64, frequencies: &[(f64, f64)], cpu_bound: f64) -> f64 {
    let services = |(frequency, share): &(f64, f64)| (running_time(*frequency, cpu_bound), *share);
    let nominal = tail(|time| longer(cores, utilization, 1.0, time));
    let is_behind = |(service, _): &(f64, f64)| utilization * service >= 1.0;
    let behind: f64 = frequencies.iter().map(services).filter(is_behind).map(|(_, share)| share).sum();
    if behind > 1.0 - TAIL {
        return f64::INFINITY;
    }
    let of_all = |time: f64| {
        let each = |(service, share)| share * longer(cores, utilization, service, time);
        frequencies.iter().map(services).map(each).sum()
    };
    tail(of_all) / nominal
}

/// The running time of a batch part as a multiple of that at the nominal frequency: 1 or more. `frequency` is from
/// 0.5 to 1, `cpu_bound` from 0 to 1.
#[must_use]
pub fn running_time(frequency: f64, cpu_bound: f64) -> f64 {
    cpu_bound / frequency + (1.0 - cpu_bound)
}

/// The time at which this decreasing probability falls to a twentieth: the 95th percentile.
fn tail(longer: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while longer(high) > 1.0 - TAIL && high < f64::MAX / 2.0 {
        (low, high) = (high, 2.0 * high);
    }
    // After 50 bisections the interval is below the precision of a double.
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if longer(middle) > 1.0 - TAIL {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The probability that waiting and service take longer than `time`, in service times at the nominal frequency, where
/// one service takes `service` of them. Service is exponential; waiting, if any, is exponential too, with the rate of
/// the spare cores. Certain if the cores cannot keep up.
fn longer(cores: u32, utilization: f64, service: f64, time: f64) -> f64 {
    let (utilization, time) = (utilization * service, time / service);
    if utilization >= 1.0 {
        return 1.0;
    }
    let spare = f64::from(cores) * (1.0 - utilization) - 1.0;
    let waited = if libm::fabs(spare) < 1e-9 { time } else { -libm::expm1(-spare * time) / spare };
    libm::exp(-time) * (1.0 + waiting(cores, utilization) * waited)
}

/// The probability that a request finds all cores busy: the Erlang C formula, computed from Erlang B.
fn waiting(cores: u32, utilization: f64) -> f64 {
    assert!(cores > 0, "nothing is served without a core");
    let load = f64::from(cores) * utilization;
    let blocked = (1..=cores).fold(1.0, |blocked, core| load * blocked / (f64::from(core) + load * blocked));
    blocked / (1.0 - utilization * (1.0 - blocked))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
    }

    #[test]
    fn queues_are_those_of_the_books() {
        // One core: the probability of waiting is its utilization, and latencies are exponential.
        near(waiting(1, 0.7), 0.7);
        near(tail(|time| longer(1, 0.5, 1.0, time)), libm::log(20.0) / 0.5);
        // Two cores at half load: Erlang C of load 1 is 1/3.
        near(waiting(2, 0.5), 1.0 / 3.0);
        // Without load there is only service.
        near(tail(|time| longer(20, 0.0, 1.0, time)), libm::log(20.0));
    }

    #[test]
    fn nothing_changes_at_the_nominal_frequency() {
        near(latency(20, 0.9, 1.0, 1.0), 1.0);
        near(running_time(1.0, 1.0), 1.0);
    }

    #[test]
    fn slower_cores_serve_later_the_more_the_busier_they_are() {
        near(running_time(0.5, 1.0), 2.0);
        near(running_time(0.5, 0.0), 1.0);
        // One core: (1 - u) / (f - u).
        near(latency(1, 0.4, 0.8, 1.0), 0.6 / 0.4);
        assert!(latency(20, 0.6, 0.8, 0.8) < latency(20, 0.75, 0.8, 0.8));
        assert!(latency(20, 0.75, 0.8, 0.8) < latency(20, 0.75, 0.7, 0.8));
        assert_eq!(latency(20, 0.75, 0.5, 1.0), f64::INFINITY);
    }

    #[test]
    fn a_percentile_over_time_is_nearer_to_that_of_slow_times() {
        let (slow, half) = (latency(4, 0.7, 0.8, 0.5), [(1.0, 0.5), (0.8, 0.5)]);
        let mixed = latency_over(4, 0.7, &half, 0.5);
        assert!(mixed > (1.0 + slow) / 2.0 && mixed < slow, "{mixed} of {slow}");
        // Cores that cannot keep up for a hundredth of the time spoil only a hundredth of the requests.
        assert!(latency_over(4, 0.7, &[(1.0, 0.99), (0.5, 0.01)], 1.0) < 1.2);
        assert_eq!(latency_over(4, 0.7, &[(1.0, 0.9), (0.5, 0.1)], 1.0), f64::INFINITY);
    }
}
