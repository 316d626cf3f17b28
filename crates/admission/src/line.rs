//! The points at which the density of log mu is summed.
//!
//! Steps are equal in log mu, except for the slowest rates, which x(u) = u - e^(floor - u) compresses: with few
//! observations the density has a long tail there without information. A sum at equal steps is then as accurate as
//! the density is smooth (the trapezoidal rule).

use crate::density::{Density, Point};

/// Nodes are placed where the logarithm of the summand is at most this much below its value at the mode.
const DROP: f64 = 22.0;

/// log mu for a mean lifetime of some 400 years. Below it no look-ahead can distinguish rates, so nodes are placed
/// ever further apart.
const SLOWEST: f64 = -15.0;

/// The logarithm of seven years in hours: no forecast looks further ahead.
const FURTHEST: f64 = 11.0;

/// The line u on which nodes are placed at equal steps.
pub(crate) struct Line {
    floor: f64,
    /// f at its mode.
    pub(crate) top: f64,
    first: f64,
    last: f64,
}

impl Line {
    /// The line for summing the density itself.
    pub(crate) fn of_density(density: &Density) -> Self {
        Self::new(density, |_, _| 0.0)
    }

    /// The line for summing moments. The square of the added cores reaches furthest: it grows with the squares of the
    /// scale-out rate and of the hours ahead, as long as cores live that long. That far in the future, deployments
    /// with long-lived cores matter more than their probability suggests.
    pub(crate) fn of_moments(density: &Density) -> Self {
        Self::new(density, |x, point| point.log_scale + FURTHEST.min(-x))
    }

    /// The line for summing the density times up to the square of the factor with this logarithm.
    fn new(density: &Density, log_factor: impl Fn(f64, &Point) -> f64) -> Self {
        let mode = density.mode();
        let at_mode = density.at(mode);
        let (top, factor) = (at_mode.height, log_factor(mode, &at_mode));
        let counts = |x: f64| {
            let point = density.at(x);
            top - DROP < point.height + 2.0 * (log_factor(x, &point) - factor).max(0.0)
        };
        let mut line = Self { floor: SLOWEST.min(mode - 1.0), top, first: mode, last: mode };
        let middle = line.u(mode);
        let width = 1.0 / libm::sqrt((-density.derivatives(mode).1).max(1e-6));
        line.first = line.edge(middle, -width, counts);
        line.last = line.edge(middle, width, counts);
        line
    }

    /// This many points of the density at equal steps of the line (at least 8), with heights below the top, and the
    /// length of log mu that each represents.
    pub(crate) fn points<'a>(&'a self, density: &'a Density, count: usize) -> impl Iterator<Item = (Point, f64)> + 'a {
        let count = count.max(8);
        let step = (self.last - self.first) / (count - 1) as f64;
        (0..count).map(move |place| {
            let (x, stretch) = self.at(self.first + step * place as f64);
            let point = density.at(x);
            (Point { height: point.height - self.top, ..point }, step * stretch)
        })
    }

    /// The u at which log mu is `x`, above the floor: Newton's method, from one side.
    fn u(&self, x: f64) -> f64 {
        let mut u = x;
        for _ in 0..8 {
            let (at, stretch) = self.at(u);
            let next = u - (at - x) / stretch;
            if next == u {
                break;
            }
            u = next;
        }
        u
    }

    fn x(&self, u: f64) -> f64 {
        self.at(u).0
    }

    /// x and dx / du.
    fn at(&self, u: f64) -> (f64, f64) {
        let squeezed = libm::exp((self.floor - u).min(690.0));
        (u - squeezed, 1.0 + squeezed)
    }

    /// Where, starting at `from`, `counts` stops being true: never too near, and hardly too far.
    fn edge(&self, from: f64, step: f64, counts: impl Fn(f64) -> bool) -> f64 {
        let (mut near, mut far) = (from, from + step);
        while counts(self.x(far)) && (far - from).abs() < 1e4 {
            (near, far) = (far, from + 2.0 * (far - from));
        }
        for _ in 0..5 {
            let middle = (near + far) / 2.0;
            if counts(self.x(middle)) { near = middle } else { far = middle }
        }
        far
    }
}
