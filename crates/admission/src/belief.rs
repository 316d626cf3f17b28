//! The current belief about one deployment: its death rate as nodes with weights, and the scale-out rate for each.
//!
//! Bayes' rule for the paper's model (its equation 1, section 2.2). Because of the power law between the rates, the
//! posterior of mu is not a Gamma, but it is a smooth density of log mu, over which a sum at equal steps is very
//! accurate. The forecast of cores follows in [`ahead`](crate::ahead).

use alloc::vec;
use alloc::vec::Vec;

use crate::ahead::{Ahead, Moments};
use crate::density::{Density, Point};
use crate::emptied::{Emptied, Kept};
use crate::gamma::SizeMoments;
use crate::line::Line;
use crate::path::{Ended, Pace};
use crate::prior::{Deaths, Model, Stop};
use crate::seen::Seen;

/// The least mu of a node, per hour, so that a mean lifetime is finite.
const LEAST: f64 = 1e-100;

/// The posterior of one deployment.
#[derive(Clone, Debug)]
pub struct Belief {
    nodes: Vec<RateNode>,
    /// The shape of the scale-out rate, which does not depend on mu.
    count: f64,
    deaths: Deaths,
    stop: Stop,
    size: SizeMoments,
}

/// One death rate.
#[derive(Clone, Copy, Debug)]
struct RateNode {
    pace: Pace,
    mu: f64,
    /// Its probability.
    weight: f64,
    /// That times E\[lambda | mu\], per hour.
    rate: f64,
    /// That times E\[lambda^2 | mu\].
    square: f64,
}

impl Belief {
    /// As many nodes as are affordable for a deployment that is evaluated at every event: means are accurate to one
    /// in 10^4 and variances to one in 10^3, mostly far better.
    pub const NODES: usize = 32;

    /// The belief after these observations, with this many nodes (at least 8). Beliefs that are computed once, like
    /// those of deployments without observations, can afford hundreds.
    #[must_use]
    pub fn new(model: &Model, seen: &Seen, nodes: usize) -> Self {
        let seen = seen.bounded();
        let density = Density::new(&model.prior, &seen);
        let line = Line::of_moments(&density);
        let points = line.points(&density, nodes);
        let mut nodes: Vec<RateNode> =
            points.map(|(point, share)| node(&density, point, share, model.prior.stop)).collect();
        let sum: f64 = nodes.iter().map(|node| node.weight).sum();
        for node in &mut nodes {
            node.weight /= sum;
            node.rate /= sum;
            node.square /= sum;
        }
        let size = SizeMoments::of(&model.prior.size.updated(seen.extra, seen.requests));
        Self { nodes, count: density.count, deaths: model.deaths, stop: model.stop, size }
    }

    /// The coefficients for each of these horizons, in hours from now, whatever the current cores. A horizon that is
    /// twice an earlier one, as on a geometric grid, costs a fraction of others.
    #[must_use]
    pub fn ahead(&self, hours: &[f64]) -> Vec<Ahead> {
        self.summed(hours, |_, _| Kept { single: 1.0, pairs: 1.0 })
    }

    /// The same for a deployment that is gone for good once it has no block left; only for blocks that end as a whole
    /// and a hard stop, otherwise as [`Self::ahead`]. Its blocks now are those that `emptied` is for.
    #[must_use]
    pub fn ahead_until_empty(&self, hours: &[f64], emptied: &Emptied) -> Vec<Ahead> {
        if self.deaths == Deaths::Cores || self.stop == Stop::Soft {
            return self.ahead(hours);
        }
        self.summed(hours, |node, hours| {
            let mean = if node.weight > 0.0 { node.rate / node.weight / node.mu } else { 0.0 };
            emptied.kept(self.count, mean, node.mu * hours)
        })
    }

    /// The coefficients, with the kept parts of growth at each rate and horizon.
    #[inline]
    fn summed(&self, hours: &[f64], kept: impl Fn(&RateNode, f64) -> Kept) -> Vec<Ahead> {
        let halves = halves(hours);
        let mut ahead = vec![Ahead::default(); hours.len()];
        let mut ended = vec![Ended::default(); hours.len()];
        for node in &self.nodes {
            let RateNode { pace, weight, rate, square, .. } = node;
            for (at, hours) in hours.iter().enumerate() {
                ended[at] = match halves[at] {
                    Some(half) => ended[half as usize].twice(),
                    None => pace.ended(*hours),
                };
                let Kept { single, pairs } = kept(node, *hours);
                ahead[at].add(&pace.path(*hours, ended[at], self.stop), *weight, [*rate, single, *square * pairs]);
            }
        }
        ahead
    }

    /// Mean and variance of its cores at each of these horizons, in hours from now; `out` is cleared first. Its
    /// current cores are those of `seen`.
    pub fn moments(&self, seen: &Seen, hours: &[f64], out: &mut Vec<Moments>) {
        let ahead = self.ahead(hours);
        out.clear();
        out.extend(ahead.iter().map(|ahead| ahead.moments(seen.cores, seen.squares, &self.size, self.deaths)));
    }

    /// The probability that the deployment has not stopped as a whole by `hours` from now.
    #[must_use]
    pub fn survival(&self, hours: f64) -> f64 {
        self.nodes.iter().map(|node| node.weight * node.pace.unstopped(hours)).sum()
    }

    /// The expected death rate of a core (or block), per hour.
    #[must_use]
    pub fn mean_death_rate(&self) -> f64 {
        self.nodes.iter().map(|node| node.weight * node.mu).sum()
    }

    /// The expected scale-outs per hour.
    #[must_use]
    pub fn mean_scale_out_rate(&self) -> f64 {
        self.nodes.iter().map(|node| node.rate).sum()
    }

    /// The belief about the cores that one scale-out requests.
    #[must_use]
    pub fn size(&self) -> &SizeMoments {
        &self.size
    }
}

/// For each horizon, which earlier one is half of it, if any. Horizons are usually ascending, so that one pass finds
/// all.
fn halves(hours: &[f64]) -> Vec<Option<u32>> {
    let mut next = 0;
    let mut half = |(at, double): (usize, &f64)| {
        while next < at && 2.0 * hours[next] < *double {
            next += 1;
        }
        (next < at && 2.0 * hours[next] == *double).then_some(next as u32)
    };
    hours.iter().enumerate().map(&mut half).collect()
}

/// The node at a point of the density, for its share of the line.
fn node(density: &Density, point: Point, share: f64, nu: f64) -> RateNode {
    let (mu, count) = (point.mu.max(LEAST), density.count);
    let part = |powers: f64| share * libm::exp(point.height + powers * point.log_scale);
    let (weight, rate, square) = (part(0.0), count * part(1.0), count * (count + 1.0) * part(2.0));
    RateNode { pace: Pace::new(mu, nu), mu, weight, rate, square }
}
