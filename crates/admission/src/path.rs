//! The seven coefficients at one death rate and one horizon, for both kinds of stop.
//!
//! Their letters and meanings are in [`ahead`](crate::ahead). With I_j the integral over the moment u of a scale-out
//! of P(not stopped at u) e^(-j mu (n - u)):
//!
//! | | a | b | c | d | e | g | h |
//! |---|---|---|---|---|---|---|---|
//! | hard | s q | s g1 | s q (1 - q) | s q^2 | s q g1 | s g2 | s g1^2 |
//! | soft | q | I1 | q (1 - q) | q^2 | q I1 | I2 | 2 (I2 - q I1) / mu |
//!
//! g_j = (1 - q^j) / (j mu). Each row costs two exponentials, or none if half the time was computed before.

use crate::prior::Stop;

/// The coefficients, those near 1 as complements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// 1 - a.
    pub(crate) gone: f64,
    /// b, in hours.
    pub(crate) fresh: f64,
    /// c.
    pub(crate) apart: f64,
    /// 1 - d.
    pub(crate) pair_gone: f64,
    /// e, in hours.
    pub(crate) mixed: f64,
    /// g, in hours.
    pub(crate) twins: f64,
    /// h, in hours squared.
    pub(crate) pairs: f64,
}

/// The probabilities of having ended by some horizon.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ended {
    /// 1 - q.
    dead: f64,
    /// 1 - s.
    stopped: f64,
}

impl Ended {
    /// At twice the time: 1 - (1 - p)^2, which costs no exponential.
    #[inline]
    pub(crate) fn twice(self) -> Self {
        let twice = |p: f64| p * (2.0 - p);
        Self { dead: twice(self.dead), stopped: twice(self.stopped) }
    }
}

/// A death rate and the values derived from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Deaths per hour; above 0.
    mu: f64,
    /// The mean lifetime in hours.
    life: f64,
    /// Whole stops per core lifetime.
    nu: f64,
}

impl Pace {
    pub(crate) fn new(mu: f64, nu: f64) -> Self {
        Self { mu, life: 1.0 / mu, nu }
    }

    /// The probabilities of having ended by `hours` from now.
    #[inline]
    pub(crate) fn ended(&self, hours: f64) -> Ended {
        if hours == 0.0 {
            return Ended::default();
        }
        let lives = self.mu * hours;
        let stopped = if self.nu > 0.0 { -libm::expm1(-self.nu * lives) } else { 0.0 };
        Ended { dead: -libm::expm1(-lives), stopped }
    }

    /// The coefficients for `hours` from now, with the probabilities of having ended by then.
    #[inline]
    pub(crate) fn path(&self, hours: f64, Ended { dead, stopped }: Ended, stop: Stop) -> Path {
        match stop {
            Stop::Hard => self.hard(dead, stopped),
            Stop::Soft => self.soft(hours, dead, stopped),
        }
    }

    /// The probability that the deployment has not stopped within this many hours.
    pub(crate) fn unstopped(&self, hours: f64) -> f64 {
        libm::exp(-self.nu * self.mu * hours)
    }

    fn hard(&self, dead: f64, stopped: f64) -> Path {
        let (alive, on) = (1.0 - dead, 1.0 - stopped);
        let single = dead * self.life;
        let fresh = on * single;
        let stays = on * alive;
        Path {
            gone: dead + alive * stopped,
            fresh,
            apart: stays * dead,
            pair_gone: dead * (1.0 + alive) + alive * alive * stopped,
            mixed: alive * fresh,
            twins: 0.5 * fresh * (1.0 + alive),
            pairs: fresh * single,
        }
    }

    fn soft(&self, hours: f64, dead: f64, stopped: f64) -> Path {
        let alive = 1.0 - dead;
        let pair_gone = dead * (1.0 + alive);
        let fresh = self.until_stop(1.0, hours, dead - stopped, alive);
        let twins = self.until_stop(2.0, hours, pair_gone - stopped, alive * alive);
        let mixed = alive * fresh;
        let lives = self.mu * hours;
        // If hardly a core ends, the difference below loses all digits; its series does not.
        let pairs = if lives * (1.0 + self.nu) < 1e-5 {
            hours * hours * (1.0 - lives * (1.0 + self.nu * (2.0 / 3.0)))
        } else {
            (2.0 * (twins - mixed) * self.life).max(0.0)
        };
        Path { gone: dead, fresh, apart: alive * dead, pair_gone, mixed, twins, pairs }
    }

    /// I_j, from s - q^j and q^j; if nu is nearly j, by its series around it.
    fn until_stop(&self, j: f64, hours: f64, between: f64, alive: f64) -> f64 {
        let apart = j - self.nu;
        if apart.abs() > 1e-4 {
            return between * self.life / apart;
        }
        let small = apart * self.mu * hours;
        hours * alive * (1.0 + small * (0.5 + small / 6.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(mu: f64, nu: f64, hours: f64, stop: Stop) -> Path {
        let pace = Pace::new(mu, nu);
        pace.path(hours, pace.ended(hours), stop)
    }

    /// The coefficients b, g and h by summation over the moments of scale-outs.
    fn summed(mu: f64, nu: f64, hours: f64, stop: Stop) -> [f64; 3] {
        let steps = 2_000;
        let width = hours / f64::from(steps);
        let on = |u: f64| libm::exp(-nu * mu * u);
        let alive = |u: f64, j: f64| libm::exp(-j * mu * (hours - u));
        let (mut sums, mut earlier) = ([0.0; 3], 0.0);
        for step in 0..steps {
            let u = (f64::from(step) + 0.5) * width;
            let counts = if stop == Stop::Soft { on(u) } else { on(hours) };
            sums[0] += counts * alive(u, 1.0) * width;
            sums[1] += counts * alive(u, 2.0) * width;
            // Of two scale-outs the later one is here, the earlier one in the half sum before.
            let here = alive(u, 1.0) * width;
            sums[2] += 2.0 * counts * here * (earlier + here / 2.0);
            earlier += here;
        }
        sums
    }

    #[test]
    fn integrals_over_scale_outs_agree_with_sums() {
        for (mu, nu, hours) in [(0.3, 0.4, 5.0), (0.05, 1.0, 24.0), (0.2, 2.0, 10.0), (0.2, 3.5, 4.0), (1e-9, 0.2, 8.0)]
        {
            for stop in [Stop::Hard, Stop::Soft] {
                let path = path(mu, nu, hours, stop);
                let expected = summed(mu, nu, hours, stop);
                for (found, expected) in [path.fresh, path.twins, path.pairs].iter().zip(expected) {
                    assert!((found / expected - 1.0).abs() < 1e-5, "{stop:?} {mu} {nu} {hours}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn the_series_meet_the_formulas() {
        let far = |one: f64, other: f64| (one / other - 1.0).abs();
        for nu in [1.0, 2.0] {
            let [at, by] = [0.99e-4, 1.01e-4].map(|apart| path(0.1, nu + apart, 7.0, Stop::Soft));
            assert!(far(at.fresh, by.fresh) < 1e-6 && far(at.twins, by.twins) < 1e-6, "{nu}: {at:?} {by:?}");
        }
        // One mu on each side of the bound, so close that h hardly differs between them.
        let bound = 1e-5 / (7.0 * 1.3);
        let [at, by] = [0.999, 1.001].map(|factor| path(factor * bound, 0.3, 7.0, Stop::Soft));
        assert!(far(at.pairs, by.pairs) < 1e-7, "{at:?} {by:?}");
    }

    #[test]
    fn twice_the_time_is_the_square_of_what_is_left() {
        for mu in [1e-9, 0.01, 0.3, 50.0] {
            let pace = Pace::new(mu, 0.4);
            let doubled = (0..12).fold(pace.ended(0.5), |ended, _| ended.twice());
            let at_once = pace.ended(2_048.0);
            for (one, other) in [(doubled.dead, at_once.dead), (doubled.stopped, at_once.stopped)] {
                assert!((one / other - 1.0).abs() < 1e-14, "{mu}: {doubled:?} {at_once:?}");
            }
        }
    }

    #[test]
    fn nothing_happens_in_no_time_and_extremes_are_numbers() {
        for stop in [Stop::Hard, Stop::Soft] {
            let none = path(0.3, 0.2, 0.0, stop);
            assert_eq!([none.gone, none.fresh, none.apart, none.pair_gone, none.pairs], [0.0; 5]);
            for mu in [1e-100, 1e-12, 1.0, 1e12, 1e100] {
                for hours in [0.0, 1e-9, 24.0, 1e9] {
                    let Path { gone, fresh, apart, pair_gone, mixed, twins, pairs } = path(mu, 0.5, hours, stop);
                    for number in [gone, fresh, apart, pair_gone, mixed, twins, pairs] {
                        assert!(number.is_finite() && number >= 0.0, "{stop:?} {mu} {hours}: {number}");
                    }
                }
            }
        }
    }
}
