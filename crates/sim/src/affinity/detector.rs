//! The drift detector: how far a cluster's vector of core shares is from what it has learned (DVLA, Algorithm 3).
//!
//! It keeps three moving averages: of the vectors, of the cosine distance of each day's vector from that average, and of
//! the squared deviation of this distance from its own average. The drift score is how many deviations a day's distance
//! is above its average. The text names "the deviation"; that it is the root of a moving mean square is inferred.

use super::settings::{AffinitySettings, CLASSES_MAX};

/// The share of used cores in each class.
pub type Vector = [f64; CLASSES_MAX];

/// A deviation below this counts as this, so that a cluster whose vector never moved raises no alarm by rounding.
const DEVIATION_MIN: f64 = 1e-6;

/// What it has learned so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Detector {
    /// The average of vectors; `None` before the first day.
    mean: Option<Vector>,
    error: f64,
    error_variance: f64,
}

impl Detector {
    /// The drift score of a vector.
    pub(crate) fn score(&self, vector: &Vector) -> f64 {
        let deviation = libm::sqrt(self.error_variance).max(DEVIATION_MIN);
        ((self.error_of(vector) - self.error) / deviation).max(0.0)
    }

    /// Learns a vector.
    pub(crate) fn learn(&mut self, vector: &Vector, terms: &AffinitySettings) {
        let AffinitySettings { alpha, beta, .. } = *terms;
        let Some(mean) = self.mean else {
            self.mean = Some(*vector);
            return;
        };
        let error = self.error_of(vector);
        let off = error - self.error;
        self.error_variance = beta * off * off + (1.0 - beta) * self.error_variance;
        self.error += beta * off;
        self.mean = Some(core::array::from_fn(|class| alpha * vector[class] + (1.0 - alpha) * mean[class]));
    }

    fn error_of(&self, vector: &Vector) -> f64 {
        self.mean.map_or(0.0, |mean| cosine_distance(vector, &mean))
    }
}

/// One minus the cosine of the angle between two vectors; 0 if one of them has no length.
fn cosine_distance(one: &Vector, other: &Vector) -> f64 {
    let product = |one: &Vector, other: &Vector| one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
    let lengths = libm::sqrt(product(one, one) * product(other, other));
    if lengths > 0.0 { (1.0 - product(one, other) / lengths).max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::Declared;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    #[test]
    fn the_cosine_distance_is_that_of_the_angle() {
        let of = |one: [f64; 2], other: [f64; 2]| {
            let long = |short: [f64; 2]| [short[0], short[1], 0.0, 0.0, 0.0, 0.0];
            cosine_distance(&long(one), &long(other))
        };
        assert!(close(of([1.0, 0.0], [0.0, 1.0]), 1.0) && close(of([0.3, 0.7], [0.3, 0.7]), 0.0));
        assert!(close(of([1.0, 0.0], [0.6, 0.8]), 0.4), "the cosine is 0.6");
        assert_eq!(of([0.0, 0.0], [1.0, 0.0]), 0.0);
    }

    /// With alpha and beta one half, all numbers can be followed on paper.
    #[test]
    fn a_score_counts_deviations_above_the_usual_distance() {
        let terms = AffinitySettings { alpha: 0.5, beta: 0.5, ..AffinitySettings::from_values(&[]) };
        let (along, across) = ([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.6, 0.8, 0.0, 0.0, 0.0, 0.0]);
        let mut detector = Detector::default();
        assert_eq!(detector.score(&across), 0.0, "it has learned nothing yet");
        detector.learn(&along, &terms);
        assert!(close(detector.score(&across), 0.4 / DEVIATION_MIN), "nothing has ever moved");
        detector.learn(&across, &terms);
        // The distance was 0.4: its average is now 0.2, its mean square deviation 0.08, and the mean vector 0.8, 0.4.
        assert!(close(detector.error, 0.2) && close(detector.error_variance, 0.08));
        let distance = 1.0 - 0.8 / libm::sqrt(0.8);
        assert_eq!(detector.score(&along), 0.0, "{distance} is less than usual");
        let other = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        assert!(close(detector.score(&other), 0.8 / libm::sqrt(0.08)));
    }
}
