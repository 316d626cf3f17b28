//! The lifetime distributions of generated VMs: points of published distributions, log-uniform between them.

use alloc::vec::Vec;

use rand_core::Rng;

use super::generate::unit;

/// The points of a lifetime distribution: percent of VMs that live at most this many hours. Between the points
/// lifetimes are log-uniform, and beyond the last one up to the longest.
pub(crate) type LifetimePoints = &'static [(f64, f64)];

/// In zones 1 and 2 (Azure 2019 as published by Microsoft, CC BY 4.0).
pub(crate) const AZURE_LIVES: LifetimePoints = &[
    (0.02, 0.0),
    (0.1, 20.9),
    (0.2, 31.1),
    (0.3, 44.1),
    (0.4, 48.4),
    (0.5, 51.8),
    (0.7, 57.0),
    (1.0, 63.6),
    (1.5, 68.9),
    (2.0, 71.7),
    (3.0, 75.5),
    (5.0, 79.1),
    (8.0, 81.9),
    (12.0, 84.9),
    (18.0, 87.9),
    (24.0, 89.1),
    (30.0, 89.8),
    (48.0, 90.7),
    (60.0, 91.0),
    (72.0, 91.3),
    (84.0, 91.5),
    (100.0, 91.8),
];

/// In zone 3 (power oversubscription Table I): "1" is up to one hour, "3-5" from 2 to 5, and so on.
pub(crate) const TABLE_1_LIVES: LifetimePoints =
    &[(0.02, 0.0), (1.0, 52.0), (2.0, 57.0), (5.0, 67.0), (10.0, 76.0), (25.0, 83.0), (720.0, 91.0)];

/// In zone 4: 88 % live less than one hour, and those that live longer have 96 % of the total running time (LAVA
/// Figure 1 has 88 % and, for cores, 98 %). The points between are ours.
pub(crate) const C2_LIVES: LifetimePoints =
    &[(0.01, 0.0), (0.1, 55.0), (0.3, 75.0), (1.0, 88.0), (10.0, 95.5), (100.0, 99.2)];

/// The lifetime distribution: pieces between the points of the published distribution, each log-uniform.
pub(crate) struct LifetimeLaw {
    pieces: Vec<LifetimePiece>,
}

#[derive(Clone, Copy)]
struct LifetimePiece {
    share: f64,
    low: f64,
    high: f64,
    mean: f64,
}

impl LifetimePiece {
    fn new(share: f64, low: f64, high: f64) -> Self {
        Self { share, low, high, mean: (high - low) / libm::log(high / low) }
    }

    fn at(&self, unit: f64) -> f64 {
        self.low * libm::pow(self.high / self.low, unit)
    }

    /// The share of the piece up to this lifetime, from 0 to 1.
    fn part(&self, hours: f64) -> f64 {
        libm::log(hours.clamp(self.low, self.high) / self.low) / libm::log(self.high / self.low)
    }
}

impl LifetimeLaw {
    pub(crate) fn new(points: LifetimePoints, longest_hours: f64) -> Self {
        let mut pieces: Vec<LifetimePiece> = points
            .windows(2)
            .map(|pair| LifetimePiece::new(pair[1].1 - pair[0].1, pair[0].0, pair[1].0.min(longest_hours)))
            .filter(|piece| piece.low < piece.high)
            .collect();
        let tail = points[points.len() - 1];
        if longest_hours > tail.0 {
            pieces.push(LifetimePiece::new(100.0 - tail.1, tail.0, longest_hours));
        }
        Self { pieces }
    }

    pub(crate) fn mean_hours(&self) -> f64 {
        let total: f64 = self.pieces.iter().map(|piece| piece.share).sum();
        self.pieces.iter().map(|piece| piece.share * piece.mean).sum::<f64>() / total
    }

    fn piece(&self, unit: f64, weight: impl Fn(&LifetimePiece) -> f64) -> LifetimePiece {
        let mut left = unit * self.pieces.iter().map(&weight).sum::<f64>();
        let found = self.pieces.iter().find(|piece| {
            left -= weight(piece);
            left < 0.0
        });
        *found.unwrap_or(&self.pieces[self.pieces.len() - 1])
    }

    /// Draws a lifetime in hours.
    pub(crate) fn draw(&self, draws: &mut impl Rng) -> f64 {
        let piece = self.piece(unit(draws), |piece| piece.share);
        piece.at(unit(draws))
    }

    /// Draws the lifetime, in hours, of a VM observed at a random moment; long ones are observed more often. Within a
    /// log-uniform piece, weighting by length makes the length uniform.
    pub(crate) fn draw_length_biased(&self, draws: &mut impl Rng) -> f64 {
        let piece = self.piece(unit(draws), |piece| piece.share * piece.mean);
        piece.low + (piece.high - piece.low) * unit(draws)
    }

    /// The share of all lifetimes up to this one, from 0 to 1.
    pub(crate) fn rank(&self, hours: f64) -> f64 {
        let below = |piece: &LifetimePiece| piece.share * piece.part(hours);
        self.pieces.iter().map(below).sum::<f64>() / self.pieces.iter().map(|piece| piece.share).sum::<f64>()
    }

    /// The lifetime at this rank, in hours.
    pub(crate) fn at_rank(&self, rank: f64) -> f64 {
        let mut left = rank * self.pieces.iter().map(|piece| piece.share).sum::<f64>();
        for piece in &self.pieces {
            if left < piece.share {
                return piece.at(left / piece.share);
            }
            left -= piece.share;
        }
        self.pieces.last().map_or(0.0, |piece| piece.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_lives_are_each_others_inverse() {
        for points in [AZURE_LIVES, TABLE_1_LIVES, C2_LIVES] {
            let law = LifetimeLaw::new(points, 14.0 * 24.0);
            assert_eq!((law.rank(0.0), law.rank(1e9)), (0.0, 1.0));
            for rank in (0..100).map(|percent| f64::from(percent) / 100.0) {
                assert!((law.rank(law.at_rank(rank)) - rank).abs() < 1e-9, "{rank}");
            }
        }
        let law = LifetimeLaw::new(C2_LIVES, 14.0 * 24.0);
        assert!((law.rank(1.0) - 0.88).abs() < 1e-9);
    }
}
