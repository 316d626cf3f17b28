//! Deployments that grow: beliefs about them, admission to clusters, and a cluster over years.
//!
//! Admission rules read the forecasts of a cluster's deployments ([`Growth`]). During a run, [`deployments`] observes
//! every deployment and keeps the forecasts up to date. [`years`] simulates one cluster's deployments alone, without
//! machines, over years, to tune a policy. Both use [`forecasts`]. Source: "On the cluster admission problem for
//! cloud computing". Its formulas are missing from the copies we have, so `tiebreak_admission` derives them again.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_admission::{
    self as belief, Belief, Deaths, Emptied, Gamma, Model, Moments, Prior, PriorFault, Seen, Stop,
};
use tiebreak_model::declare::{ParamKind, ParamValue};
use tiebreak_model::{Expected, Growth, Newcomer, choices, declare};

pub mod common;
pub(crate) mod deployments;
mod forecasts;
pub mod frontier;
pub mod interval;
pub mod known;
pub mod newcomers;
pub mod pricing;
pub mod strata;
pub mod tuning;
pub mod years;

/// A setting with two possible words.
macro_rules! choice_of_two {
    ($(#[$help:meta])* $name:ident of $inner:ty: $one:path as $one_word:literal, $other:path as $other_word:literal;) => {
        $(#[$help])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub $inner);

        impl ParamValue for $name {
            const KIND: ParamKind = ParamKind::Choice(&[$one_word, $other_word]);

            fn from_number(number: f64) -> Self {
                Self(if number == 1.0 { $other } else { $one })
            }

            fn to_number(self) -> f64 {
                f64::from(u8::from(self.0 == $other))
            }
        }
    };
}

choice_of_two! {
    /// The unit that ends: a block or a core.
    DeathUnit of Deaths: Deaths::Blocks as "blocks", Deaths::Cores as "cores";
}

choice_of_two! {
    /// What stops when a deployment reaches its maximum lifetime.
    StopKind of Stop: Stop::Hard as "hard", Stop::Soft as "soft";
}

/// The future moments to look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Horizon {
    /// Spaced geometrically.
    #[default]
    Geometric,
    /// The paper's five look-aheads of 600 steps each.
    LookAheads,
}

choices! { Horizon: Geometric = "geometric", LookAheads = "look_aheads" }

/// What forecasts assume of a deployment that has no VM left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenEmpty {
    /// It may grow again.
    #[default]
    Grows,
    /// It is gone.
    Ends,
}

choices! { WhenEmpty: Grows = "grows", Ends = "ends" }

declare! {
    /// What admission rules believe about deployments before any observation, and how far ahead they look. A
    /// deployment is the VMs of a tenant in one cluster. The paper's formulas and numbers are not available: the
    /// formulas here are a derivation, and the defaults are fitted to other traces. Ends and sizes of requests are
    /// fitted to the Azure 2020 trace, growth to Alibaba's of 2025. (Cluster admission, sections 2.1 and 5.1)
    pub struct AdmissionSettings as "Admission" {
        /// What ends together: all VMs of a request (blocks), as in 86 % of requests for several VMs in the Azure
        /// trace; or each core by itself (cores), as the paper assumes.
        deaths: DeathUnit = 0, 0 => 1, "";
        /// When a deployment reaches its maximum lifetime, all of it ends (hard), or only its growth does (soft).
        stop: StopKind = 0, 0 => 1, "";
        /// Shape of the gamma distribution of the rates at which cores, or requests, end. With a smaller value,
        /// deployments differ more.
        death_shape: f64 = 0.651, 0.01 => 1000, "";
        /// Rate of that distribution: the mean end rate is shape/rate per hour. A larger value means longer
        /// lifetimes.
        death_rate: f64 = 0.247, 0.000001 => 1000000, "h";
        /// Shape of the gamma distribution of the rates at which deployments scale out.
        growth_shape: f64 = 0.592, 0.01 => 1000, "";
        /// Rate of that distribution. A larger value means fewer scale-outs.
        growth_rate: f64 = 0.734, 0.000001 => 1000000, "h";
        /// How much more often deployments with shorter-lived cores scale out: the scale-out rate is multiplied by
        /// the end rate to this power. With 0, the two are independent.
        power: f64 = 0.44, -2 => 4, "";
        /// Shape of the gamma distribution of sizes: a request is for 1 core plus a Poisson number of cores.
        size_shape: f64 = 0.414, 0.01 => 1000, "";
        /// Rate of that distribution: the mean size is 1 + shape/rate cores.
        size_rate: f64 = 0.08, 0.000001 => 1000000, "";
        /// How soon whole deployments end: the maximum lifetime of a deployment is on average 1/stop_factor
        /// lifetimes of its cores. With 0, none ends as a whole.
        stop_factor: f64 = 0.05, 0 => 1000, "";
        /// The future moments that are checked: each a fixed factor later than the previous one (geometric), or the
        /// paper's five look-aheads of 600 steps each (look_aheads), which decide the same and take a hundred times
        /// as long.
        horizon: Horizon = 0, 0 => 1, "";
        /// How far ahead the geometric moments reach; 26,280 h are three years.
        horizon_hours: f64 = 26280, 0 => 1000000, "h";
        /// A deployment's forecast is recalculated once its cores or its age have changed by this much; 0
        /// recalculates before every decision.
        tolerance: f64 = 5, 0 => 100, "%";
        /// What forecasts assume of a deployment that has no VM left: it may grow again (grows), or it is gone (ends),
        /// as in the paper and in a run. With grows, forecasts of newcomers are too high, by half for the next hours.
        /// Applies to deployments of up to 3 blocks; forecasts of these take five times as long.
        when_empty: WhenEmpty = 0, 0 => 1, "";
    }
}

/// Deployments of up to this many blocks are likely to be empty soon.
const BLOCKS_MOST: u32 = 3;

/// Nodes of the integral over the end rate of a deployment without observations; this one is computed only once.
const NODES_AT_FIRST: usize = 400;

/// The first of the geometric moments, in hours.
const FIRST_HOURS: f64 = 0.25;

/// How finely forecasts are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// Geometric moments per doubling of the time ahead.
    pub per_doubling: u32,
    /// See [`Belief::NODES`].
    pub nodes: usize,
}

impl Precision {
    /// What the rules of a run use.
    pub const FULL: Self = Self { per_doubling: 2, nodes: Belief::NODES };

    /// A third of the time, for thousands of runs.
    pub const COARSE: Self = Self { per_doubling: 1, nodes: 16 };
}

impl AdmissionSettings {
    /// The belief about a deployment.
    ///
    /// # Errors
    /// If the numbers are not a valid belief, for example because of infinite variances.
    pub fn model(&self) -> Result<Model, PriorFault> {
        let prior = Prior {
            death: Gamma { shape: self.death_shape, rate: self.death_rate },
            scale_out: Gamma { shape: self.growth_shape, rate: self.growth_rate },
            size: Gamma { shape: self.size_shape, rate: self.size_rate },
            stop: self.stop_factor,
            power: self.power,
        };
        let model = Model { prior, deaths: self.deaths.0, stop: self.stop.0 };
        model.check().map(|()| model)
    }

    /// The names of its numbers, with their values in a belief.
    #[must_use]
    pub fn named(prior: &Prior) -> [(&'static str, f64); 8] {
        [
            ("death_shape", prior.death.shape),
            ("death_rate", prior.death.rate),
            ("growth_shape", prior.scale_out.shape),
            ("growth_rate", prior.scale_out.rate),
            ("power", prior.power),
            ("size_shape", prior.size.shape),
            ("size_rate", prior.size.rate),
            ("stop_factor", prior.stop),
        ]
    }

    /// The future moments in hours, ascending; the first is now.
    #[must_use]
    pub fn hours(&self) -> Vec<f64> {
        self.hours_at(Precision::FULL)
    }

    fn hours_at(&self, precision: Precision) -> Vec<f64> {
        let mut hours = vec![0.0];
        match self.horizon {
            Horizon::LookAheads => hours.extend(belief::horizons::look_aheads()),
            Horizon::Geometric if self.horizon_hours <= FIRST_HOURS => hours.push(self.horizon_hours),
            Horizon::Geometric => {
                hours.extend(belief::horizons::geometric(FIRST_HOURS, self.horizon_hours, precision.per_doubling));
            }
        }
        hours.dedup();
        hours
    }
}

/// What is needed to forecast a deployment.
#[derive(Clone, Debug)]
pub struct Terms {
    model: Model,
    hours: Vec<f64>,
    /// The forecast of a deployment of one block without observations, independent of its size.
    fresh: Vec<belief::Ahead>,
    /// For 1 block and more, if forecasts assume that an empty deployment is gone.
    emptied: Vec<Emptied>,
    /// See [`AdmissionSettings::tolerance`], as a share.
    tolerance: f64,
    /// See [`Precision::nodes`].
    nodes: usize,
}

impl Terms {
    /// For rules that look ahead, or that only look at the present.
    ///
    /// # Errors
    /// If the settings are not a valid belief.
    pub fn new(settings: &AdmissionSettings, looks_ahead: bool) -> Result<Self, PriorFault> {
        Self::at(settings, looks_ahead, Precision::FULL)
    }

    /// The same at another precision.
    ///
    /// # Errors
    /// If the settings are not a valid belief.
    pub fn at(settings: &AdmissionSettings, looks_ahead: bool, precision: Precision) -> Result<Self, PriorFault> {
        let hours = if looks_ahead { settings.hours_at(precision) } else { vec![0.0] };
        Self::of(settings, hours, precision.nodes)
    }

    /// For these future moments, in hours, ascending.
    ///
    /// # Errors
    /// If the settings are not a valid belief.
    pub fn at_hours(settings: &AdmissionSettings, hours: Vec<f64>) -> Result<Self, PriorFault> {
        Self::of(settings, hours, Precision::FULL.nodes)
    }

    fn of(settings: &AdmissionSettings, hours: Vec<f64>, nodes: usize) -> Result<Self, PriorFault> {
        let model = settings.model()?;
        let looks_ahead = is_ahead(&hours);
        let nobody = Belief::new(&model, &Seen::default(), NODES_AT_FIRST);
        let emptied: Vec<_> = match settings.when_empty {
            WhenEmpty::Ends if looks_ahead => (1..=BLOCKS_MOST).map(Emptied::of).collect(),
            _ => Vec::new(),
        };
        let fresh = ahead(&nobody, &hours, emptied.first());
        Ok(Self { model, hours, fresh, emptied, tolerance: settings.tolerance / 100.0, nodes })
    }

    /// The belief about a deployment.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The future moments, in hours.
    #[must_use]
    pub fn hours(&self) -> &[f64] {
        &self.hours
    }

    /// Whether a forecast depends on the observations: now, every deployment has the cores that it has.
    fn looks_ahead(&self) -> bool {
        is_ahead(&self.hours)
    }

    /// Clusters without deployments.
    #[must_use]
    pub fn growth(&self, clusters: usize) -> Growth {
        Growth::empty(self.hours.clone(), clusters)
    }

    /// A newcomer that first requests this many cores, with these earlier observations; several beliefs are equally
    /// likely.
    #[must_use]
    pub fn newcomer(&self, cores: f64, beliefs: &[Seen]) -> Newcomer {
        Newcomer { cores, expected: self.expected(beliefs), at_home: Vec::new() }
    }

    /// A deployment's forecast, moment by moment; several beliefs are equally likely.
    #[must_use]
    pub fn expected(&self, beliefs: &[Seen]) -> Vec<Expected> {
        self.moments(beliefs).into_iter().map(|it| Expected::new(it.mean, it.variance)).collect()
    }

    /// The same with all digits.
    #[must_use]
    pub fn moments(&self, beliefs: &[Seen]) -> Vec<Moments> {
        let mut sums = vec![(0.0, 0.0); self.hours.len()];
        for seen in beliefs {
            let is_newcomer = is_fresh(seen) && (self.emptied.is_empty() || seen.blocks == 1.0);
            let known = (self.looks_ahead() && !is_newcomer).then(|| {
                let emptied = self.emptied.iter().find(|it| f64::from(it.blocks()) == seen.blocks);
                ahead(&Belief::new(&self.model, seen, self.nodes), &self.hours, emptied)
            });
            let ahead = known.as_ref().unwrap_or(&self.fresh);
            let size = belief::SizeMoments::of(&self.model.prior.size.updated(seen.extra, seen.requests));
            for (sum, ahead) in sums.iter_mut().zip(ahead) {
                let moments = ahead.moments(seen.cores, seen.squares, &size, self.model.deaths);
                sum.0 += moments.mean;
                sum.1 += moments.variance + moments.mean * moments.mean;
            }
        }
        let count = beliefs.len().max(1) as f64;
        let moments = |(mean, square): (f64, f64)| {
            let mean = mean / count;
            Moments { mean, variance: (square / count - mean * mean).max(0.0) }
        };
        sums.into_iter().map(moments).collect()
    }
}

fn ahead(belief: &Belief, hours: &[f64], emptied: Option<&Emptied>) -> Vec<belief::Ahead> {
    emptied.map_or_else(|| belief.ahead(hours), |emptied| belief.ahead_until_empty(hours, emptied))
}

fn is_ahead(hours: &[f64]) -> bool {
    hours.iter().any(|hours| *hours > 0.0)
}

/// Whether there are no observations of its core lifetimes and scale-outs.
fn is_fresh(seen: &Seen) -> bool {
    seen.deaths == 0.0 && seen.exposure == 0.0 && seen.scale_outs == 0.0 && seen.hours == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlanError;
    use alloc::string::ToString;
    use tiebreak_model::Declared;

    #[test]
    fn what_makes_no_belief_is_refused_with_a_sentence() {
        // Twice the power plus the shape of the end rate must exceed 0.
        let steep = AdmissionSettings { power: -0.4, ..AdmissionSettings::default() };
        let told = PlanError::Admission(Terms::new(&steep, true).expect_err("no belief")).to_string();
        assert!(told.starts_with("expected a power above -0.3255"), "{told}");
        assert!(told.contains("got -0.4") && told.contains("variance would be infinite"), "{told}");
        let less = AdmissionSettings { power: -0.3, ..steep };
        assert!(Terms::new(&less, true).is_ok());
    }

    #[test]
    fn every_value_that_is_allowed_makes_a_belief_but_for_an_infinite_variance() {
        let params = AdmissionSettings::DECLARATION.params;
        for (at, param) in params.iter().enumerate() {
            for value in [param.min, param.max] {
                let mut values = AdmissionSettings::default().to_values();
                values[at] = value;
                let settings = AdmissionSettings::from_values(&values);
                assert_eq!(settings.to_values(), values, "{}", param.name);
                match Terms::new(&AdmissionSettings { horizon: Horizon::Geometric, ..settings }, true) {
                    Ok(terms) => {
                        let expected = terms.expected(&[Seen::started(2.0)]);
                        assert_eq!(expected.len(), terms.hours().len(), "{} {value}", param.name);
                        assert!((expected[0].mean() - 2.0).abs() < 1e-5, "{} {value}", param.name);
                    }
                    Err(fault) => assert!(matches!(fault, PriorFault::Variance { .. }), "{} {value}", param.name),
                }
            }
        }
    }

    #[test]
    fn moments_ahead_begin_now_and_ascend_to_the_horizon() {
        for horizon in [Horizon::Geometric, Horizon::LookAheads] {
            for horizon_hours in [0.0, 0.1, 0.25, 0.3, 24.0, 26_280.0, 1e6] {
                let hours = AdmissionSettings { horizon, horizon_hours, ..AdmissionSettings::default() }.hours();
                assert!(hours.windows(2).all(|pair| pair[0] < pair[1]), "{horizon:?}, {horizon_hours} h");
                let last = if horizon == Horizon::Geometric { horizon_hours } else { 26_280.0 };
                assert_eq!(hours[0], 0.0, "{horizon:?}, {horizon_hours} h");
                assert!(hours.last().is_some_and(|it| *it >= last), "{horizon:?}, {horizon_hours} h");
            }
        }
        let none = AdmissionSettings { horizon_hours: 0.0, ..AdmissionSettings::default() };
        assert_eq!(none.hours(), [0.0]);
        assert_eq!(Terms::new(&AdmissionSettings::default(), false).expect("a belief").hours(), [0.0]);
    }

    #[test]
    fn of_several_beliefs_each_is_as_likely() {
        let terms = Terms::new(&AdmissionSettings::default(), true).expect("a belief");
        let mut busy = Seen::started(3.0);
        busy.pass(2.0, Deaths::Blocks);
        (0..5).for_each(|_| busy.scale_out(4.0, false));
        let mut quiet = Seen::started(3.0);
        quiet.pass(500.0, Deaths::Blocks);
        let (one, other, both) = (terms.expected(&[busy]), terms.expected(&[quiet]), terms.expected(&[busy, quiet]));
        for ((one, other), both) in one.iter().zip(&other).zip(&both) {
            let apart = (one.mean() - other.mean()) / 2.0;
            let variance = (one.variance() + other.variance()) / 2.0 + apart * apart;
            assert!((both.mean() - (one.mean() + other.mean()) / 2.0).abs() < 1e-5);
            assert!((both.variance() - variance).abs() < 1e-3 + 1e-6 * variance);
        }
        assert!(one.iter().zip(&other).any(|(one, other)| (one.mean() - other.mean()).abs() > 1.0));
    }

    #[test]
    fn both_horizons_of_a_newcomer_agree_where_they_meet() {
        let settings = AdmissionSettings { horizon: Horizon::LookAheads, ..AdmissionSettings::default() };
        let [fine, coarse] = [settings, AdmissionSettings { horizon: Horizon::Geometric, ..settings }]
            .map(|settings| Terms::new(&settings, true).expect("a belief"));
        let [all, some] = [&fine, &coarse].map(|terms| terms.expected(&[Seen::started(4.0)]));
        let most = |expected: &[Expected]| expected.iter().map(|it| it.mean()).fold(0.0, f64::max);
        assert!(fine.hours().len() > 50 * coarse.hours().len());
        assert!((most(&all) - most(&some)).abs() < 0.01 * most(&all), "{} and {}", most(&all), most(&some));
    }
}
