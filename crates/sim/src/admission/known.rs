//! Priors that were fitted to traces, by name.
//!
//! Both describe requests of high priority in the Azure packing trace 2020 (Hadary et al., "Protean", OSDI 2020; sizes
//! by CoSpot, SoCC 2022, sample batched-0). They differ in which of its requests they describe, because no gamma
//! distribution of end rates describes both those that arrive and those that run: most end within an hour, and a few
//! that live for months hold most of the cores.

use super::AdmissionSettings;

/// A fitted distribution of end rates; growth and sizes are those of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownPrior {
    /// Has the mean lifetime of a request, 49.0 h, and the median age of those running, 141 days. The mean follows
    /// from Little's law: 2,870 requests run at the start of the trace, and 58.6 arrive per hour. The lifetimes of
    /// arrivals are too long by this prior: 82 % live beyond an hour instead of 36 %.
    Running,
    /// The most likely one for the lifetimes of the requests that arrive within 14 days: the default of the settings.
    /// Its mean lifetime is infinite, so a cluster never becomes steady.
    Arriving,
}

impl KnownPrior {
    /// Both, the default of the reproduced tables first.
    pub const ALL: [Self; 2] = [Self::Running, Self::Arriving];

    /// Its name.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Arriving => "arriving",
        }
    }

    /// The prior of this name.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|prior| prior.id() == id)
    }

    /// Shape and rate of the gamma distribution of end rates.
    #[must_use]
    pub fn death(self) -> [f64; 2] {
        match self {
            Self::Running => [1.107, 5.25],
            Self::Arriving => [0.651, 0.247],
        }
    }

    /// The settings with this prior.
    #[must_use]
    pub fn of(self, settings: AdmissionSettings) -> AdmissionSettings {
        let [death_shape, death_rate] = self.death();
        AdmissionSettings { death_shape, death_rate, ..settings }
    }

    /// The mean lifetime of what ends, in hours; infinite for shapes up to 1.
    #[must_use]
    pub fn mean_life_hours(self) -> f64 {
        let [shape, rate] = self.death();
        if shape > 1.0 { rate / (shape - 1.0) } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use libm::pow;

    #[test]
    fn the_prior_of_what_runs_has_the_mean_life_and_the_median_age_it_was_fitted_to() {
        let running = KnownPrior::Running;
        let [shape, rate] = running.death();
        assert!((running.mean_life_hours() / 49.0 - 1.0).abs() < 0.01);
        // What runs in a steady cluster has an age a with probability density S(a) / mean life.
        let median_days = rate * (pow(2.0, 1.0 / (shape - 1.0)) - 1.0) / 24.0;
        assert!((median_days / 141.0 - 1.0).abs() < 0.02, "{median_days}");
    }

    #[test]
    fn the_prior_of_what_arrives_is_the_default_of_the_settings() {
        let settings = AdmissionSettings::default();
        assert_eq!(KnownPrior::Arriving.of(settings), settings);
        assert_eq!(KnownPrior::find("arriving"), Some(KnownPrior::Arriving));
        assert!(KnownPrior::Arriving.mean_life_hours().is_infinite() && KnownPrior::find("none").is_none());
    }
}
